//! Processes that send messages: reader, layout, and what the kernel makes of them.

use super::text;
use super::texts::{check_layout, check_messages, check_places, without_places};
use ser_editing::Names as _;
use ser_editing::icet::{format, parse};
use ser_sequentialization_checker::{Certificate, Claim, FORMAT, VERSION, check};

/// The longest text whose meaning is compared, in bytes.
const MAX_COMPARED: usize = 3000;

/// Reads an `.icet` file.
///
/// - All places of messages and names lie inside the text, on character boundaries.
/// - A text without errors has a layout with the same words, which is laid out already and means the same.
/// - The kernel says something about a derivation without steps.
pub fn protocol(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let parsed = parse(text);
    check_messages(text, &parsed.diagnostics);
    check_places(text, parsed.occurrences.iter().map(|it| it.span));
    for occurrence in &parsed.occurrences {
        let _ = parsed.declaration(occurrence.symbol);
    }
    let Some(formatted) = check_layout(text, parsed.has_errors(), format) else { return };
    if text.len() > MAX_COMPARED {
        return;
    }
    let again = parse(&formatted);
    assert!(!again.has_errors(), "the layout has errors: {:?}", again.diagnostics);
    let (before, after) = (without_places(&parsed.protocol), without_places(&again.protocol));
    assert_eq!(before, after, "the layout means something else");
    let certificate = Certificate {
        format: FORMAT.to_owned(),
        version: VERSION,
        source: text.to_owned(),
        claim: Claim::Sequentialized { derivation: Vec::new(), unproved: Vec::new() },
    };
    if let Err(rejection) = check(&certificate, &ser_base::Limits::default()) {
        assert!(!rejection.to_string().is_empty(), "a rejection without words");
    }
}
