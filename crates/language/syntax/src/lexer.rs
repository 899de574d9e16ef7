//! From text to tokens.
//!
//! The lexer is lossless: white space, comments and characters that the language does not
//! know are tokens too, so the texts of the tokens, put together, are the source again. That
//! is what lets an editor colour a file that does not parse, and the parser say something
//! useful about a character that should not be there. Nothing is reported here: what a
//! strange token means depends on where it stands, and only the parser knows that.

use ser_base::{Span, end_of_file};

/// A piece of the source.
///
/// ```
/// use ser_syntax::lexer::{TokenKind, lex};
/// let text = "0..2 // both ends";
/// let kinds: Vec<TokenKind> = lex(text).iter().map(|t| t.kind).collect();
/// assert_eq!(kinds[..3], [TokenKind::Number, TokenKind::DotDot, TokenKind::Number]);
/// assert_eq!(lex(text).last().map(|t| t.text(text)), Some("// both ends"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Token {
    pub kind: TokenKind,
    /// Where it stands.
    pub span: Span,
}

impl Token {
    /// The text of the token in the source it came from.
    pub fn text(self, source: &str) -> &str {
        source.get(self.span.range()).unwrap_or("")
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TokenKind {
    /// Blanks, tabs, line ends.
    Whitespace,
    /// `// ...` up to the end of the line.
    LineComment,
    /// `/* ... */`; it does not nest.
    BlockComment,
    /// `/* ...` that goes on to the end of the text.
    UnterminatedComment,

    /// Digits, and whatever letters follow them directly (then it is not a number after all).
    Number,
    /// A name that is not a keyword.
    Name,

    /// `request`.
    Request,
    /// `const`.
    Const,
    /// `if`.
    If,
    /// `else`.
    Else,
    /// `while`.
    While,
    /// `yield`.
    Yield,
    /// `return`.
    Return,
    /// `abort`.
    Abort,
    /// `assume`.
    Assume,
    /// `choose`.
    Choose,
    /// `in`.
    In,
    /// `and`.
    And,
    /// `or`.
    Or,
    /// `not`.
    Not,
    /// `exit`: reserved, and rejected with a hint.
    Exit,

    /// `{`.
    LeftBrace,
    /// `}`.
    RightBrace,
    /// `(`.
    LeftParenthesis,
    /// `)`.
    RightParenthesis,
    /// `;`.
    Semicolon,
    /// `,`.
    Comma,
    /// `?`.
    Question,
    /// `..`.
    DotDot,
    /// `:=`.
    Assign,
    /// `==`.
    EqualEqual,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterEqual,
    /// `+`.
    Plus,
    /// `-`.
    Minus,
    /// `*`.
    Star,
    /// `/`: in `.ser` programs.
    Slash,
    /// `%`: in `.ser` programs.
    Percent,
    /// `.`: before a field, in `.ser` programs.
    Dot,
    /// `|`: between patterns, in `.ser` programs.
    Bar,
    /// `!`.
    Bang,
    /// `&&`.
    AndAnd,
    /// `||`.
    OrOr,
    /// `=`: part of `const N = 3`, a mistake anywhere else.
    Equal,
    /// `:`: before a type, and behind the name of an argument.
    Colon,
    /// `[`.
    LeftBracket,
    /// `]`.
    RightBracket,
    /// `"..."` on one line: the name of a goal, the path of a file.
    Quoted,
    /// The line that says which file follows, with its end, and the end of the line before it.
    File,
    /// Characters that are no part of the language.
    Unknown,
}

impl TokenKind {
    /// Whether the parser passes over it: white space and comments.
    pub fn is_trivia(self) -> bool {
        matches!(
            self,
            TokenKind::Whitespace
                | TokenKind::LineComment
                | TokenKind::BlockComment
                | TokenKind::UnterminatedComment
        )
    }

    /// Whether it is a word that cannot be a name.
    pub fn is_keyword(self) -> bool {
        KEYWORDS.iter().any(|(_, kind)| *kind == self)
    }
}

/// Splits a text into tokens; none of them is empty, and together they are the text.
///
/// (Places are 32-bit numbers: of a text of more than 4 GiB only the beginning is read.
/// [`parse`](crate::parse) turns down texts long before that.)
pub fn lex(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::with_capacity(text.len() / 4);
    let (mut start, mut file) = (0, 0..end_of_file(text, 0));
    while start < text.len() {
        let (kind, end) = match text.get(start..file.end).filter(|rest| !rest.is_empty()) {
            Some(rest) => {
                let (kind, length) = first_token(rest, start == file.start);
                (kind, start + length)
            }
            // Nothing reaches from one file into the next, not even a comment.
            None => {
                let head = text.get(start + 1..).unwrap_or_default();
                let end = head.find('\n').map_or(text.len(), |length| start + length + 2);
                file = end..end_of_file(text, end);
                (TokenKind::File, end)
            }
        };
        let (Ok(from), Ok(to)) = (u32::try_from(start), u32::try_from(end)) else { break };
        match tokens.last_mut() {
            // Strange characters in a row are one strange thing.
            Some(last) if kind == TokenKind::Unknown && last.kind == TokenKind::Unknown => {
                last.span.end = to;
            }
            _ => tokens.push(Token { kind, span: Span::new(from, to) }),
        }
        start = end;
    }
    tokens
}

/// The kind and the length in bytes of the first token of a text that is not empty.
fn first_token(rest: &str, at_start_of_file: bool) -> (TokenKind, usize) {
    use TokenKind::*;

    let mut characters = rest.chars();
    let first = characters.next().unwrap_or('\0');
    let second = characters.next().unwrap_or('\0');
    match (first, second) {
        // A byte order mark, which some editors put at the start of a file.
        ('\u{feff}', _) if at_start_of_file => (Whitespace, first.len_utf8()),
        _ if first.is_whitespace() => (Whitespace, run(rest, char::is_whitespace)),
        ('/', '/') => (LineComment, run(rest, |c| c != '\n')),
        ('/', '*') => match rest.get(2..).and_then(|inside| inside.find("*/")) {
            Some(length) => (BlockComment, length + 4),
            None => (UnterminatedComment, rest.len()),
        },
        _ if first.is_ascii_digit() => (Number, run(rest, is_name_character)),
        _ if first.is_alphabetic() || first == '_' => {
            let length = run(rest, is_name_character);
            (rest.get(..length).map_or(Unknown, word), length)
        }
        (':', '=') => (Assign, 2),
        ('=', '=') => (EqualEqual, 2),
        ('!', '=') => (NotEqual, 2),
        ('<', '=') => (LessEqual, 2),
        ('>', '=') => (GreaterEqual, 2),
        ('&', '&') => (AndAnd, 2),
        ('|', '|') => (OrOr, 2),
        ('.', '.') => (DotDot, 2),
        ('{', _) => (LeftBrace, 1),
        ('}', _) => (RightBrace, 1),
        ('(', _) => (LeftParenthesis, 1),
        (')', _) => (RightParenthesis, 1),
        (';', _) => (Semicolon, 1),
        (',', _) => (Comma, 1),
        ('?', _) => (Question, 1),
        ('<', _) => (Less, 1),
        ('>', _) => (Greater, 1),
        ('+', _) => (Plus, 1),
        ('-', _) => (Minus, 1),
        ('*', _) => (Star, 1),
        ('/', _) => (Slash, 1),
        ('%', _) => (Percent, 1),
        ('.', _) => (Dot, 1),
        ('|', _) => (Bar, 1),
        ('!', _) => (Bang, 1),
        ('=', _) => (Equal, 1),
        (':', _) => (Colon, 1),
        ('[', _) => (LeftBracket, 1),
        (']', _) => (RightBracket, 1),
        ('"', _) => match rest.get(1..).and_then(|inside| inside.find(['"', '\n'])) {
            Some(length) if rest.get(length + 1..).is_some_and(|end| end.starts_with('"')) => {
                (Quoted, length + 2)
            }
            _ => (Unknown, 1),
        },
        _ => (Unknown, first.len_utf8()),
    }
}

/// The length of the longest prefix whose characters all satisfy `belongs`.
fn run(rest: &str, belongs: impl Fn(char) -> bool) -> usize {
    rest.find(|c| !belongs(c)).unwrap_or(rest.len())
}

/// Letters of other alphabets are taken together here, so that a foreign word is one token
/// (and one message), but [`word`] does not let them pass as a name.
fn is_name_character(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

const KEYWORDS: [(&str, TokenKind); 15] = [
    ("request", TokenKind::Request),
    ("const", TokenKind::Const),
    ("if", TokenKind::If),
    ("else", TokenKind::Else),
    ("while", TokenKind::While),
    ("yield", TokenKind::Yield),
    ("return", TokenKind::Return),
    ("abort", TokenKind::Abort),
    ("assume", TokenKind::Assume),
    ("choose", TokenKind::Choose),
    ("in", TokenKind::In),
    ("and", TokenKind::And),
    ("or", TokenKind::Or),
    ("not", TokenKind::Not),
    ("exit", TokenKind::Exit),
];

fn word(text: &str) -> TokenKind {
    let keyword = KEYWORDS.iter().find(|(word, _)| *word == text);
    let other = if text.is_ascii() { TokenKind::Name } else { TokenKind::Unknown };
    keyword.map_or(other, |(_, kind)| *kind)
}

/// Whether a word is a keyword of `.ser` files.
pub(crate) fn is_keyword(text: &str) -> bool {
    word(text).is_keyword()
}
