//! What the client can do and what the user wants, as told when the session starts.

use crate::text::Encoding;
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

impl Settings {
    /// Reads what the client sent with `initialize`, field by field: what is absent or cannot be
    /// understood has no effect on the rest. Wishes of the user that were not understood are told.
    pub fn new(params: &Value) -> (Settings, Option<String>) {
        let can = |path: &str| {
            let answer = params.pointer("/capabilities").and_then(|c| c.pointer(path));
            answer.and_then(Value::as_bool).unwrap_or(false)
        };
        let encodings = params.pointer("/capabilities/general/positionEncodings");
        let encodings = encodings.and_then(Value::as_array).into_iter().flatten();
        let mut wishes = Wishes::new(params.get("initializationOptions"));
        let timeout = wishes.read("timeout", Value::as_f64).filter(|t| t.is_finite() && *t > 0.0);
        let settings = Settings {
            encoding: Encoding::choose(encodings.filter_map(Value::as_str)),
            timeout: timeout.map_or(TIMEOUT, |t| Duration::from_secs_f64(t.min(LONGEST))),
            inlay_hints: wishes.read("inlayHints", Value::as_bool).unwrap_or(true),
            code_lens: wishes.read("codeLens", Value::as_bool).unwrap_or(true),
            refreshes_lenses: can("/workspace/codeLens/refreshSupport"),
            refreshes_hints: can("/workspace/inlayHint/refreshSupport"),
            snippets: can("/textDocument/completion/completionItem/snippetSupport"),
            versioned_edits: can("/workspace/workspaceEdit/documentChanges"),
            nested_symbols: can("/textDocument/documentSymbol/hierarchicalDocumentSymbolSupport"),
            related_information: can("/textDocument/publishDiagnostics/relatedInformation"),
        };
        (settings, wishes.problem())
    }
}

/// `initializationOptions`: every field may be absent.
struct Wishes<'v> {
    options: Option<&'v Value>,
    /// What was not understood.
    strange: Vec<String>,
}

impl<'v> Wishes<'v> {
    fn new(options: Option<&'v Value>) -> Wishes<'v> {
        let options = options.filter(|o| !o.is_null());
        let strange = options.filter(|o| !o.is_object()).map(|_| "they are no object".to_owned());
        Wishes { options, strange: strange.into_iter().collect() }
    }

    fn read<T>(&mut self, name: &str, read: fn(&Value) -> Option<T>) -> Option<T> {
        let value = self.options?.get(name).filter(|v| !v.is_null())?;
        let understood = read(value);
        if understood.is_none() {
            self.strange.push(format!("`{name}` is {value}"));
        }
        understood
    }

    fn problem(self) -> Option<String> {
        (!self.strange.is_empty()).then(|| {
            format!(
                "initializationOptions were not understood ({}); they look like {{\"timeout\": 10, \"inlayHints\": true, \"codeLens\": true}}",
                self.strange.join(", ")
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn settings(params: Value) -> (Settings, Option<String>) {
        Settings::new(&params)
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

    #[test]
    fn what_can_be_understood_is_taken() {
        let (settings, problem) = settings(json!({
            "processId": "nobody",
            "capabilities": {
                "general": {"positionEncodings": [7, "utf-8"]},
                "workspace": {"codeLens": 3, "workspaceEdit": {"documentChanges": "yes"}},
                "textDocument": {"completion": {"completionItem": {"snippetSupport": true}}}
            },
            "initializationOptions": {"timeout": [], "codeLens": false}
        }));
        assert_eq!(settings.encoding, Encoding::Utf8);
        assert!(settings.snippets && !settings.versioned_edits && !settings.refreshes_lenses);
        assert!(!settings.code_lens && settings.timeout == TIMEOUT);
        assert!(problem.is_some_and(|p| p.contains("`timeout` is []")));
        for params in [json!({}), json!(null), json!([1]), json!({"capabilities": 3})] {
            let (settings, problem) = self::settings(params);
            assert_eq!((settings.timeout, problem), (TIMEOUT, None));
        }
    }
}
