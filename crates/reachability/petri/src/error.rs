//! What can be wrong with a text, and where.

/// Why a text cannot be read: a place, a sentence, and often a way out.
///
/// ```
/// let error = ser_petri::read_net("pl p (1)\ntr t p?-1 -> q\n").unwrap_err();
/// assert_eq!((error.line, error.column), (2, 7));
/// assert!(error.to_string().starts_with("line 2, column 7: "));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ReadError {
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl ReadError {
    /// An error at a byte of a text.
    pub(crate) fn at(text: &str, offset: usize, message: impl Into<String>) -> ReadError {
        let before = text.get(..offset.min(text.len())).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        ReadError {
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
            message: message.into(),
            help: None,
        }
    }

    /// The same error with a way out.
    pub(crate) fn help(self, help: impl Into<String>) -> ReadError {
        ReadError { help: Some(help.into()), ..self }
    }

    /// The same error with a way out if there is one.
    pub(crate) fn maybe_help(self, help: Option<String>) -> ReadError {
        ReadError { help: help.or(self.help), ..self }
    }
}

/// The longest text that is read, in bytes.
pub const MAX_TEXT_BYTES: usize = 64 << 20;

/// Refuses texts that are too long.
pub(crate) fn check_length(text: &str) -> Result<(), ReadError> {
    if text.len() <= MAX_TEXT_BYTES {
        return Ok(());
    }
    let message = format!("the text has {} bytes; at most {MAX_TEXT_BYTES} are read", text.len());
    Err(ReadError { line: 1, column: 1, message, help: Some("use a smaller net".into()) })
}
