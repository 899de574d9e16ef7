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

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "const n = 2
enum Seat { free, held }
record Order { seat: Seat, paid: bool }
var Plan: [0..n] of Order
lock Till
X := n
fn find(low) { for i in 0..n { if Plan[i].seat == free { return i } }; low }
request a(p in 0..n) { x := X; yield; with Till { X := x + p }; find(0) }
request b { y := Y; Plan[0] := Order(seat: Seat.held, paid: true); y }
invariant room: X <= 3";

    const PROCESSES: &str = "enum Vote { none, yes }
var Q: queue[2] of 0..3
var V: Vote
process Put(id in 0..1) { for k in 1..2 { send k to Q }; left := id; V := yes; V := none; left := 2 }
process Take { x := recv Q; await V == yes }
reach done(Put(1)) && len(Q) == 0";

    const MESSAGES: &str = "set Q
msg Ping = Ping(Q, int)
process p { for x in Q { Ping(id, n) := recv Ping; assert n == 1; } }
process worker for q in Q { send Ping(q, 1) to p; }";

    const THREADS: &str = "set T
var x: int = 0
process thread for t in T { var y: int = 0; take: y := x; crit: { put: x := y + 1; } }
invariant low(i): at(i, crit) -> y[i] <= x
invariant more { one: x >= 0; }
proof { low { at take self use more.one; } }";

    /// The text with another name for what stands at the `nth` place of a word.
    fn again(text: &str, old: &str, nth: usize, new: &str) -> Result<String, RenameError> {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let whole = |(at, _): &(usize, &str)| {
            !text[..*at].ends_with(is_word) && !text[at + old.len()..].starts_with(is_word)
        };
        let mut found = text.match_indices(old).filter(whole);
        let (at, _) = found.nth(nth).expect("there is one");
        rename(text, at as u32, new).map(|places| replaced(text, &places, new))
    }

    /// The lines that are not the same any more.
    fn lines(before: &str, after: &str) -> Vec<String> {
        let pairs = before.lines().zip(after.lines());
        pairs.filter(|(a, b)| a != b).map(|(_, b)| b.to_owned()).collect()
    }

    fn shown(text: &str, old: &str, new: &str) -> String {
        match again(text, old, 0, new) {
            Ok(after) => lines(text, &after).join("\n"),
            Err(error) => format!("refused: {error}"),
        }
    }

    #[test]
    fn every_place_changes_and_nothing_else() {
        let all = [
            (TEXT, "n", "Limit"),
            (TEXT, "free", "empty"),
            (TEXT, "held", "taken"),
            (TEXT, "Seat", "Chair"),
            (TEXT, "Order", "Booking"),
            (TEXT, "paid", "done"),
            (TEXT, "seat", "place"),
            (TEXT, "Plan", "Room"),
            (TEXT, "Till", "Desk"),
            (TEXT, "find", "first"),
            (TEXT, "low", "from"),
            (TEXT, "i", "index"),
            (TEXT, "p", "more"),
            (TEXT, "x", "y"),
            (TEXT, "room", "space"),
            (TEXT, "b", "other"),
            (PROCESSES, "Vote", "Answer"),
            (PROCESSES, "Q", "Queue"),
            (PROCESSES, "yes", "no"),
            (PROCESSES, "Put", "Writer"),
            (PROCESSES, "id", "k2"),
            (PROCESSES, "k", "i"),
            (PROCESSES, "left", "rest"),
            (PROCESSES, "x", "left"),
            (MESSAGES, "Q", "Workers"),
            (MESSAGES, "Ping", "Pong"),
            (MESSAGES, "x", "y"),
            (MESSAGES, "id", "who"),
            (MESSAGES, "n", "number"),
            (MESSAGES, "p", "master"),
            (MESSAGES, "q", "me"),
            (THREADS, "T", "Threads"),
            (THREADS, "x", "z"),
            (THREADS, "thread", "worker"),
            (THREADS, "t", "me"),
            (THREADS, "y", "z"),
            (THREADS, "take", "get"),
            (THREADS, "crit", "inside"),
            (THREADS, "low", "bound"),
            (THREADS, "i", "j"),
            (THREADS, "one", "first"),
        ];
        let told =
            all.map(|(text, old, new)| format!("{old} -> {new}\n{}\n", shown(text, old, new)));
        insta::assert_snapshot!(told.join("\n"));
    }

    #[test]
    fn what_cannot_be_is_refused_with_the_reason() {
        let all = [
            (TEXT, "X", ""),
            (TEXT, "X", " Z"),
            (TEXT, "X", "9"),
            (TEXT, "X", "Ümlaut"),
            (TEXT, "X", "Z//"),
            (TEXT, "X", "yield"),
            (TEXT, "x", "true"),
            (TEXT, "x", "null"),
            (TEXT, "X", "x2"),
            (TEXT, "p", "P"),
            (TEXT, "X", "Y"),
            (TEXT, "x", "p"),
            (TEXT, "p", "x"),
            (TEXT, "x", "n"),
            (TEXT, "x", "free"),
            (TEXT, "free", "held"),
            (TEXT, "free", "X"),
            (TEXT, "seat", "paid"),
            (TEXT, "Seat", "Order"),
            (TEXT, "Seat", "Plan"),
            (TEXT, "a", "b"),
            (TEXT, "find", "min"),
            (TEXT, "find", "Find"),
            (TEXT, "i", "low"),
            (PROCESSES, "Put", "Take"),
            (PROCESSES, "Q", "V"),
            (PROCESSES, "k", "id"),
            (PROCESSES, "left", "yes"),
            (PROCESSES, "left", "Left"),
            (MESSAGES, "p", "worker"),
            (MESSAGES, "id", "n"),
            (MESSAGES, "Q", "Ping"),
            (THREADS, "x", "y"),
            (THREADS, "take", "crit"),
            (THREADS, "low", "more"),
        ];
        let told = all.map(|(text, old, new)| format!("{old} -> {new}: {}", shown(text, old, new)));
        insta::assert_snapshot!(told.join("\n"));
        assert_eq!(rename(TEXT, 0, "Z"), Err(RenameError::NothingHere));
        assert_eq!(rename("request a { x := 1; y := }", 12, "z"), Err(RenameError::HasErrors));
    }
}
