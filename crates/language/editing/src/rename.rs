//! Another name for the same thing: which places change, and when that would change the meaning.
//!
//! Whether a name is free is not guessed from rules: the text is read again with the new name, and
//! every place must stand for what it stood for. What the language says against it is the reason
//! why the name cannot be used.

use crate::places::Places;
use crate::symbols::SymbolKind;
use ser_base::{Line, LineIndex, Span};
use ser_syntax::lexer::{TokenKind, lex};

/// Why a name cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RenameError {
    /// There is no name at this place.
    NothingHere,
    /// The text has errors.
    HasErrors,
    /// It is not one ASCII name.
    NotAName(String),
    /// It is a word of the language.
    Keyword(String),
    /// It would turn a shared variable into a local one.
    MustBeUppercase(String),
    /// It would turn a local variable into a shared one.
    MustBeLowercase(String),
    /// Something else has this name, there.
    Taken(String, Span),
    /// What the language says about it, in a sentence.
    Refused(String, String),
    /// On this line it would stand for something else.
    Changes(String, Line),
}

impl std::fmt::Display for RenameError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RenameError::NothingHere => f.write_str("there is no name here"),
            RenameError::HasErrors => {
                f.write_str("the program has errors; some places of the name may not be known")
            }
            RenameError::NotAName(name) => {
                write!(f, "`{name}` is not a name: use letters, digits and `_`")
            }
            RenameError::Keyword(name) => write!(f, "`{name}` is a word of the language"),
            RenameError::MustBeUppercase(name) => write!(
                f,
                "`{name}` would be local; a variable that all share starts with an uppercase letter"
            ),
            RenameError::MustBeLowercase(name) => write!(
                f,
                "`{name}` would be shared by all; a local variable starts with a lowercase letter"
            ),
            RenameError::Taken(name, _) => write!(f, "there is a `{name}` already"),
            RenameError::Refused(name, message) => {
                write!(f, "`{name}` cannot be its name: {message}")
            }
            RenameError::Changes(name, line) => {
                write!(f, "line {line} would mean something else if it were called `{name}`")
            }
        }
    }
}

impl std::error::Error for RenameError {}

/// The places that change when what stands at `offset` is called `name`, or why it cannot be. The
/// text is a file with requests, processes, messages or threads.
///
/// ```
/// let text = "request main { x := X; X := x + 1 }";
/// assert_eq!(ser_editing::rename(text, 20, "Count").map(|places| places.len()), Ok(2));
/// let error = ser_editing::rename(text, 20, "count").unwrap_err();
/// assert!(error.to_string().contains("uppercase"));
/// ```
pub fn rename(text: &str, offset: u32, name: &str) -> Result<Vec<Span>, RenameError> {
    let file = ser_syntax::read(text);
    let before = Places::of(&file);
    let here = before.at(offset).ok_or(RenameError::NothingHere)?;
    if file.error().is_some() {
        return Err(RenameError::HasErrors);
    }
    let owned = || name.to_owned();
    match lex(name).as_slice() {
        [token] if token.kind == TokenKind::Name => {}
        [token] if token.kind.is_keyword() => return Err(RenameError::Keyword(owned())),
        _ => return Err(RenameError::NotAName(owned())),
    }
    let upper = name.starts_with(char::is_uppercase);
    match here.kind {
        Some(SymbolKind::Global) if !upper => return Err(RenameError::MustBeUppercase(owned())),
        Some(SymbolKind::Local(_) | SymbolKind::Parameter(_)) if upper => {
            return Err(RenameError::MustBeLowercase(owned()));
        }
        _ => {}
    }
    // A thread may be meant by its name and by `self`.
    let written = |span: Span| text.get(span.range());
    let places: Vec<Span> = before
        .same(here)
        .map(|it| it.span)
        .filter(|span| written(*span) == written(here.span))
        .collect();
    let after = ser_syntax::read(&replaced(text, &places, name));
    let error = after.error();
    let changed = before.changed(&Places::of(&after));
    if error.is_none() && changed.is_none() {
        return Ok(places);
    }
    let other =
        before.all().find(|it| written(it.span) == Some(name) && !places.contains(&it.span));
    Err(match (other, error, changed) {
        (Some(other), ..) => RenameError::Taken(owned(), other.span),
        (None, Some(error), _) => RenameError::Refused(owned(), error.message.clone()),
        (None, None, place) => {
            let start = place.map_or(0, |place| place.span.start);
            RenameError::Changes(owned(), LineIndex::new(text).line(start))
        }
    })
}

/// The text with something else at these places, which are in the order of the text.
fn replaced(text: &str, places: &[Span], name: &str) -> String {
    let mut out = text.to_owned();
    for place in places.iter().rev() {
        out.replace_range(place.range(), name);
    }
    out
}
