//! Another name for the same thing: which places change, and when that would change the meaning.
//!
//! A name's first letter says whether a variable is shared, constants hide everything else, and
//! two things with one name would become one thing. A renaming that keeps clear of the three
//! leaves every other name with its meaning, so the program does what it did.

use crate::symbols::{Symbol, SymbolKind, Symbols};
use ser_base::Span;
use ser_syntax::lexer::{TokenKind, lex};

/// Why a name cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RenameError {
    /// It is not one ASCII name.
    NotAName(String),
    /// It is a word of the language.
    Keyword(String),
    /// It reads like a truth value, and those are numbers.
    TruthValue(String),
    /// It would turn a shared variable into a local one.
    MustBeUppercase(String),
    /// It would turn a local variable into a shared one.
    MustBeLowercase(String),
    /// Something else has this name, here.
    Taken(String, Span),
}

impl std::fmt::Display for RenameError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RenameError::NotAName(name) => {
                write!(f, "`{name}` is not a name: use letters, digits and `_`")
            }
            RenameError::Keyword(name) => write!(f, "`{name}` is a word of the language"),
            RenameError::TruthValue(name) => {
                write!(f, "`{name}` would be read as a truth value; truth is a number")
            }
            RenameError::MustBeUppercase(name) => write!(
                f,
                "`{name}` would be local to each request; a variable that all share starts with an uppercase letter"
            ),
            RenameError::MustBeLowercase(name) => write!(
                f,
                "`{name}` would be shared by all requests; a local variable starts with a lowercase letter"
            ),
            RenameError::Taken(name, _) => write!(f, "there is a `{name}` already"),
        }
    }
}

impl std::error::Error for RenameError {}

/// The places that change when `symbol` is called `name`, or why it cannot be.
///
/// ```
/// use ser_editing::symbols::{SymbolKind, Symbols};
/// let symbols = Symbols::of(&ser_syntax::parse("request main { x := X; X := x + 1 }").tree);
/// let global = symbols.find("X", SymbolKind::Global).unwrap();
/// assert_eq!(ser_editing::rename(&symbols, global, "Count").map(|places| places.len()), Ok(2));
/// let error = ser_editing::rename(&symbols, global, "count").unwrap_err();
/// assert!(error.to_string().contains("uppercase"));
/// ```
pub fn rename(symbols: &Symbols, symbol: &Symbol, name: &str) -> Result<Vec<Span>, RenameError> {
    let owned = || name.to_owned();
    match lex(name).as_slice() {
        [token] if token.kind == TokenKind::Name => {}
        [token] if token.kind.is_keyword() => return Err(RenameError::Keyword(owned())),
        _ => return Err(RenameError::NotAName(owned())),
    }
    let is_variable =
        matches!(symbol.kind, SymbolKind::Global | SymbolKind::Local(_) | SymbolKind::Parameter(_));
    if is_variable {
        if matches!(name.to_ascii_lowercase().as_str(), "true" | "false") {
            return Err(RenameError::TruthValue(owned()));
        }
        match (symbol.kind == SymbolKind::Global, name.starts_with(char::is_uppercase)) {
            (true, false) => return Err(RenameError::MustBeUppercase(owned())),
            (false, true) => return Err(RenameError::MustBeLowercase(owned())),
            _ => {}
        }
    }
    let taken = symbols.all().iter().find(|s| s.name == name && clash(s.kind, symbol.kind));
    if let Some(taken) = taken.filter(|taken| *taken != symbol) {
        return Err(RenameError::Taken(owned(), taken.definition().unwrap_or_default()));
    }
    Ok(symbol.occurrences.iter().map(|o| o.span).collect())
}

/// Whether two things of these kinds would be confused if they had the same name.
fn clash(a: SymbolKind, b: SymbolKind) -> bool {
    use SymbolKind::{Constant, Field, Function, Global, Local, Member, Parameter, Request, Type};
    match (a, b) {
        (Request, Request) | (Field, Field) | (Function | Type, Function | Type) => true,
        (Request | Field | Function | Type, _) | (_, Request | Field | Function | Type) => false,
        (Constant | Member, _) | (_, Constant | Member) => true,
        (Global, Global) => true,
        (Local(a) | Parameter(a), Local(b) | Parameter(b)) => a == b,
        (Global, _) | (_, Global) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "const n = 2
X := n
request a(p in 0..n) { x := X; yield; X := x + p }
request b { y := Y; y }";

    fn renamed(old: &str, kind: SymbolKind, new: &str) -> Result<String, RenameError> {
        let symbols = Symbols::of(&ser_syntax::parse(TEXT).tree);
        let symbol = symbols.find(old, kind).expect("there is one");
        let mut text = TEXT.to_owned();
        for place in rename(&symbols, symbol, new)?.into_iter().rev() {
            text.replace_range(place.range(), new);
        }
        Ok(text)
    }

    #[test]
    fn every_place_changes_and_nothing_else() {
        let text = renamed("X", SymbolKind::Global, "Count").unwrap();
        assert_eq!(text, TEXT.replace('X', "Count"));
        let text = renamed("n", SymbolKind::Constant, "Limit").unwrap();
        let head = "const Limit = 2\nX := Limit\nrequest a(p in 0..Limit) { x := X;";
        assert!(text.starts_with(head), "{text}");
    }

    #[test]
    fn a_name_that_is_none_is_turned_down() {
        for bad in ["", " Z", "Z ", "9", "Z-", "Ümlaut", "A B", "Z//"] {
            let error = renamed("X", SymbolKind::Global, bad);
            assert_eq!(error, Err(RenameError::NotAName(bad.into())), "{bad:?}");
        }
        let error = renamed("x", SymbolKind::Local(0), "yield");
        assert_eq!(error, Err(RenameError::Keyword("yield".into())));
        let error = renamed("x", SymbolKind::Local(0), "true");
        assert_eq!(error, Err(RenameError::TruthValue("true".into())));
    }

    #[test]
    fn the_first_letter_keeps_its_meaning() {
        assert!(matches!(
            renamed("X", SymbolKind::Global, "x2"),
            Err(RenameError::MustBeUppercase(_))
        ));
        assert!(matches!(
            renamed("p", SymbolKind::Parameter(0), "P"),
            Err(RenameError::MustBeLowercase(_))
        ));
        assert!(renamed("n", SymbolKind::Constant, "N").is_ok());
        assert!(renamed("a", SymbolKind::Request, "Z").is_ok());
    }

    #[test]
    fn a_name_that_is_taken_is_turned_down() {
        let taken = |old, kind, new| matches!(renamed(old, kind, new), Err(RenameError::Taken(..)));
        assert!(taken("X", SymbolKind::Global, "Y"));
        assert!(taken("x", SymbolKind::Local(0), "p"));
        assert!(taken("x", SymbolKind::Local(0), "n"));
        assert!(taken("n", SymbolKind::Constant, "Y"));
        assert!(taken("a", SymbolKind::Request, "b"));
        assert!(!taken("x", SymbolKind::Local(0), "y"), "another request's");
        assert!(!taken("x", SymbolKind::Local(0), "x"), "its own");
        assert!(!taken("a", SymbolKind::Request, "n"), "requests are apart");
    }
}
