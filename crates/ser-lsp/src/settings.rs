//! What the client can do and what the user wants, as told when the session starts.

use crate::text::Encoding;
use lsp_types::InitializeParams;
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

/// How long a check may take unless the user says otherwise.
const TIMEOUT: Duration = Duration::from_secs(10);
/// More than a day makes no sense, and large numbers overflow clocks.
const LONGEST: f64 = 86_400.0;

/// Client and user, for the whole session.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// How characters in a line are counted.
    pub encoding: Encoding,
    /// How long a check may take.
    pub timeout: Duration,
    /// Whether each `yield` gets a hint.
    pub inlay_hints: bool,
    /// Whether file and requests get a lens with the verdict.
    pub code_lens: bool,
    /// Whether the client asks for lenses again when told to.
    pub refreshes_lenses: bool,
    /// Whether the client asks for hints again when told to.
    pub refreshes_hints: bool,
    /// Whether completions may have places to fill in.
    pub snippets: bool,
    /// Whether edits may say which version of a document they are for.
    pub versioned_edits: bool,
    /// Whether document symbols may be nested.
    pub nested_symbols: bool,
    /// Whether a diagnostic may point at other places.
    pub related_information: bool,
}

/// `initializationOptions`: every field may be absent.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Wishes {
    timeout: Option<f64>,
    inlay_hints: Option<bool>,
    code_lens: Option<bool>,
}

impl Settings {
    /// Reads what the client sent; what cannot be understood is told, and has no effect.
    pub fn new(params: &InitializeParams) -> (Settings, Option<String>) {
        let capabilities = &params.capabilities;
        let general = capabilities.general.as_ref();
        let workspace = capabilities.workspace.as_ref();
        let document = capabilities.text_document.as_ref();
        let (wishes, problem) = wishes(params.initialization_options.as_ref());
        let timeout = wishes.timeout.filter(|t| t.is_finite() && *t > 0.0);
        let yes = |answer: Option<bool>| answer == Some(true);
        let settings = Settings {
            encoding: Encoding::choose(general.and_then(|g| g.position_encodings.as_deref())),
            timeout: timeout.map_or(TIMEOUT, |t| Duration::from_secs_f64(t.min(LONGEST))),
            inlay_hints: wishes.inlay_hints.unwrap_or(true),
            code_lens: wishes.code_lens.unwrap_or(true),
            refreshes_lenses: yes(workspace
                .and_then(|w| w.code_lens.as_ref())
                .and_then(|c| c.refresh_support)),
            refreshes_hints: yes(workspace
                .and_then(|w| w.inlay_hint.as_ref())
                .and_then(|c| c.refresh_support)),
            snippets: yes(document
                .and_then(|d| d.completion.as_ref())
                .and_then(|c| c.completion_item.as_ref())
                .and_then(|i| i.snippet_support)),
            versioned_edits: yes(workspace
                .and_then(|w| w.workspace_edit.as_ref())
                .and_then(|e| e.document_changes)),
            nested_symbols: yes(document
                .and_then(|d| d.document_symbol.as_ref())
                .and_then(|s| s.hierarchical_document_symbol_support)),
            related_information: yes(document
                .and_then(|d| d.publish_diagnostics.as_ref())
                .and_then(|p| p.related_information)),
        };
        (settings, problem)
    }
}

fn wishes(options: Option<&Value>) -> (Wishes, Option<String>) {
    match options {
        None | Some(Value::Null) => (Wishes::default(), None),
        Some(options) => match serde_json::from_value(options.clone()) {
            Ok(wishes) => (wishes, None),
            Err(error) => {
                let message = format!(
                    "initializationOptions were not understood ({error}); they look like {{\"timeout\": 10, \"inlayHints\": true, \"codeLens\": true}}"
                );
                (Wishes::default(), Some(message))
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn settings(params: Value) -> (Settings, Option<String>) {
        Settings::new(&serde_json::from_value(params).expect("parameters"))
    }

    #[test]
    fn a_client_that_says_nothing_gets_the_defaults() {
        let (settings, problem) = settings(json!({"capabilities": {}}));
        assert_eq!((settings.encoding, settings.timeout), (Encoding::Utf16, TIMEOUT));
        assert!(settings.inlay_hints && settings.code_lens && !settings.snippets);
        assert_eq!(problem, None);
    }

    #[test]
    fn wishes_are_heard() {
        let (settings, problem) = settings(json!({
            "capabilities": {"general": {"positionEncodings": ["utf-16", "utf-8"]}},
            "initializationOptions": {"timeout": 0.5, "inlayHints": false}
        }));
        assert_eq!(settings.encoding, Encoding::Utf8);
        assert_eq!(settings.timeout, Duration::from_millis(500));
        assert!(!settings.inlay_hints && settings.code_lens);
        assert_eq!(problem, None);
    }

    #[test]
    fn nonsense_is_told_and_has_no_effect() {
        let options = json!({"capabilities": {}, "initializationOptions": {"timeout": "long"}});
        let (settings, problem) = settings(options);
        assert_eq!(settings.timeout, TIMEOUT);
        assert!(problem.is_some_and(|p| p.contains("timeout")));
        for timeout in [json!(-1), json!(0), json!(1e300)] {
            let options =
                json!({"capabilities": {}, "initializationOptions": {"timeout": timeout}});
            assert!(self::settings(options).0.timeout >= TIMEOUT);
        }
    }
}
