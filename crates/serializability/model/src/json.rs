//! Network systems as JSON, in the format of the artifact of the SER paper:
//!
//! ```json
//! { "initial_global": "Free",
//!   "requests":    [["take", "Start"]],
//!   "responses":   [["Done", "ok"]],
//!   "transitions": [["Start", "Free", "Done", "Busy"]] }
//! ```
//!
//! A request is `[label, local state]`, a response `[local state, label]`, a transition
//! `[local, global, local after, global after]`. Two optional fields, `globals` and `locals`,
//! declare the states; if present, every other mention must be of a declared one. A third one,
//! `uncounted`, lists responses that do not count. Fields whose name starts with `_` or `$` are
//! comments.

use crate::{NetworkSystem, SystemBuilder};
use ser_base::did_you_mean;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::{Value, json};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::marker::PhantomData;

/// What is wrong with a JSON system, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{path}: {message}")]
pub struct JsonError {
    /// The place, such as `transitions[3][1]`; `line 4, column 7` where it is not JSON at all.
    pub path: String,
    /// What is wrong there, in plain words.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl JsonError {
    fn new(path: impl Into<String>, message: impl Into<String>) -> JsonError {
        JsonError { path: path.into(), message: message.into(), help: None }
    }

    fn with_help(mut self, help: Option<String>) -> JsonError {
        self.help = help;
        self
    }
}

const REQUIRED: [&str; 4] = ["initial_global", "requests", "responses", "transitions"];
const OPTIONAL: [&str; 3] = ["globals", "locals", "uncounted"];

/// The longest list in a system that we read.
const MAX_ENTRIES: usize = 5_000_000;

/// Reads a JSON object in which every name stands once. `what` is what is expected, `twice` the
/// error about a name that comes again.
pub fn object_of<'de, D: Deserializer<'de>, V: Deserialize<'de>>(
    deserializer: D,
    what: &'static str,
    twice: fn(&str) -> String,
) -> Result<BTreeMap<String, V>, D::Error> {
    struct Entries<V> {
        what: &'static str,
        twice: fn(&str) -> String,
        values: PhantomData<V>,
    }
    impl<'de, V: Deserialize<'de>> Visitor<'de> for Entries<V> {
        type Value = BTreeMap<String, V>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.what)
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut entries = BTreeMap::new();
            while let Some((name, value)) = map.next_entry::<String, V>()? {
                if entries.contains_key(&name) {
                    return Err(A::Error::custom((self.twice)(&name)));
                }
                entries.insert(name, value);
            }
            Ok(entries)
        }
    }
    deserializer.deserialize_map(Entries { what, twice, values: PhantomData })
}

/// The top-level object, with duplicate fields found out.
struct Fields(BTreeMap<String, Value>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fields, D::Error> {
        let what = "an object with the fields of a network system";
        object_of(deserializer, what, |key| format!("the field `{key}` appears twice")).map(Fields)
    }
}

/// Reads a network system.
///
/// ```
/// let text = r#"{ "initial_global": "Free", "requests": [["take", "Start"]],
///   "responses": [["Done", "ok"]], "transitions": [["Start", "Free", "Done", 7]] }"#;
/// let error = ser_model::read_json(text).unwrap_err();
/// assert_eq!(error.to_string(), "transitions[0][3]: expected a string, found the number 7");
/// ```
pub fn read_json(text: &str) -> Result<NetworkSystem, JsonError> {
    read_json_leniently(text, &mut Vec::new())
}

/// The same, with warnings about what is odd and does no harm: entries that are there twice, states
/// that nothing leads to.
///
/// ```
/// let text = r#"{ "initial_global": "Free", "requests": [["take", "Start"], ["take", "Start"]],
///   "responses": [["Start", "ok"]], "transitions": [] }"#;
/// let mut warnings = Vec::new();
/// assert!(ser_model::read_json_leniently(text, &mut warnings).is_ok());
/// assert_eq!(warnings[0].to_string(), "requests[1]: this entry repeats requests[0]");
/// ```
pub fn read_json_leniently(
    text: &str,
    warnings: &mut Vec<JsonError>,
) -> Result<NetworkSystem, JsonError> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Err(JsonError::new("line 1, column 1", "the file is empty")
            .with_help(Some("a system looks like `{\"initial_global\": ..., \"requests\": [...], \"responses\": [...], \"transitions\": [...]}`".into())));
    }
    let Fields(fields) = serde_json::from_str(text).map_err(not_json)?;
    for key in fields.keys() {
        if !REQUIRED.contains(&key.as_str())
            && !OPTIONAL.contains(&key.as_str())
            && !key.starts_with(['_', '$'])
        {
            let known = REQUIRED.iter().chain(&OPTIONAL).copied();
            let help = did_you_mean(key, known)
                .unwrap_or_else(|| format!("the fields are {}", REQUIRED.join(", ")));
            return Err(JsonError::new(key, "unknown field").with_help(Some(help)));
        }
    }
    if let Some(missing) = REQUIRED.iter().find(|key| !fields.contains_key(**key)) {
        return Err(JsonError::new(*missing, "this field is missing")
            .with_help(Some(format!("the fields are {}", REQUIRED.join(", ")))));
    }

    let initial = string(&fields["initial_global"], "initial_global")?;
    let requests: Vec<[&str; 2]> =
        tuples(&fields["requests"], "requests", "[request, local state]", warnings)?;
    let responses: Vec<[&str; 2]> =
        tuples(&fields["responses"], "responses", "[local state, response]", warnings)?;
    let transitions: Vec<[&str; 4]> = tuples(
        &fields["transitions"],
        "transitions",
        "[local state, global state, local state after, global state after]",
        warnings,
    )?;
    if requests.is_empty() {
        return Err(JsonError::new("requests", "there is no request, so nothing ever runs"));
    }
    check_declared(&fields, initial, &requests, &responses, &transitions, warnings)?;
    let uncounted = uncounted(&fields, &responses, warnings)?;

    let mut builder = SystemBuilder::with_state_names(initial);
    for [request, local] in requests {
        let local = builder.local(local);
        builder.spawn(request, local);
    }
    for [from, before, to, after] in transitions {
        let (from, to) = (builder.local(from), builder.local(to));
        let (before, after) = (builder.named_global(before), builder.named_global(after));
        builder.named_step(from, before, to, after);
    }
    for [local, response] in responses {
        let local = builder.local(local);
        builder.reply(local, response);
    }
    for response in uncounted {
        builder.uncounted(response);
    }
    Ok(builder.finish())
}

/// What the JSON reader says, in plain words.
fn not_json(error: serde_json::Error) -> JsonError {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or(&text);
    let message = match text {
        _ if error.is_eof() => "the file ends in the middle of a value".to_owned(),
        "expected value" => "this is not JSON: a value is expected here".to_owned(),
        "trailing characters" => "there is more after the end of the system".to_owned(),
        "trailing comma" => "there is a comma after the last entry".to_owned(),
        "key must be a string" => "expected the name of a field, in double quotes".to_owned(),
        "recursion limit exceeded" => "this is nested too deeply".to_owned(),
        _ => match text.strip_prefix("invalid type: ").and_then(|t| t.split_once(", expected ")) {
            Some((found, expected)) => {
                let found = match found.strip_prefix("string ") {
                    Some(string) => format!("the string {string}"),
                    None => found.replace("sequence", "a list"),
                };
                format!("expected {expected}, found {found}")
            }
            None => text.to_owned(),
        },
    };
    let comment = "JSON has no comments; a field whose name starts with `_` is one";
    let help = (text == "key must be a string").then(|| comment.to_owned());
    // The reader counts columns from 1, but is before the first one when it begins.
    JsonError::new(format!("line {}, column {}", error.line(), error.column().max(1)), message)
        .with_help(help)
}

/// The responses that do not count: responses that exist, each once.
fn uncounted<'a>(
    fields: &'a BTreeMap<String, Value>,
    responses: &[[&str; 2]],
    warnings: &mut Vec<JsonError>,
) -> Result<BTreeSet<&'a str>, JsonError> {
    const FIELD: &str = "uncounted";
    let known: BTreeSet<&str> = responses.iter().map(|[_, response]| *response).collect();
    let mut names = BTreeSet::new();
    let list = fields.get(FIELD).map_or(Ok(&[][..]), |value| array(value, FIELD))?;
    for (i, value) in list.iter().enumerate() {
        let path = format!("{FIELD}[{i}]");
        let name = string(value, &path)?;
        if !known.contains(name) {
            let message = format!("there is no response `{name}`");
            let help = did_you_mean(name, known.iter().copied());
            return Err(JsonError::new(path, message).with_help(help));
        }
        if !names.insert(name) {
            let message = format!("the response `{name}` is listed twice");
            warnings.push(JsonError::new(path, message).with_help(Some("remove it".into())));
        }
    }
    Ok(names)
}

/// Every state that is mentioned must be declared, if there are declarations. Otherwise one that is
/// mentioned in no place that gives it a meaning is worth a warning.
fn check_declared(
    fields: &BTreeMap<String, Value>,
    initial: &str,
    requests: &[[&str; 2]],
    responses: &[[&str; 2]],
    transitions: &[[&str; 4]],
    warnings: &mut Vec<JsonError>,
) -> Result<(), JsonError> {
    let declared = |field: &str| -> Result<Option<BTreeSet<&str>>, JsonError> {
        let Some(value) = fields.get(field) else {
            return Ok(None);
        };
        let list = array(value, field)?;
        let names: Result<BTreeSet<&str>, _> =
            list.iter().enumerate().map(|(i, v)| string(v, &format!("{field}[{i}]"))).collect();
        names.map(Some)
    };
    let mut globals: Vec<(String, &str)> = vec![("initial_global".into(), initial)];
    let mut locals: Vec<(String, &str)> = Vec::new();
    for (i, [_, local]) in requests.iter().enumerate() {
        locals.push((format!("requests[{i}][1]"), local));
    }
    for (i, [from, before, to, after]) in transitions.iter().enumerate() {
        locals.push((format!("transitions[{i}][0]"), from));
        globals.push((format!("transitions[{i}][1]"), before));
        locals.push((format!("transitions[{i}][2]"), to));
        globals.push((format!("transitions[{i}][3]"), after));
    }
    let (declared_globals, declared_locals) = (declared("globals")?, declared("locals")?);
    // Without declarations, a response needs a local state that occurs anywhere else, and the
    // initial global state needs a transition: otherwise it is a slip of the pen.
    let known_locals: BTreeSet<&str> = locals.iter().map(|(_, name)| *name).collect();
    for (i, [local, _]) in responses.iter().enumerate() {
        locals.push((format!("responses[{i}][0]"), local));
        if declared_locals.is_none() && !known_locals.contains(local) {
            warnings.push(unused_state(
                &format!("responses[{i}][0]"),
                "local",
                local,
                "no request starts in it and no transition mentions it",
                &known_locals,
            ));
        }
    }
    let used_globals: BTreeSet<&str> =
        transitions.iter().flat_map(|[_, before, _, after]| [*before, *after]).collect();
    if declared_globals.is_none() && !transitions.is_empty() && !used_globals.contains(initial) {
        let why = "no transition mentions it";
        warnings.push(unused_state("initial_global", "global", initial, why, &used_globals));
    }
    for (field, kind, names, mentions) in [
        ("globals", "global", declared_globals, globals),
        ("locals", "local", declared_locals, locals),
    ] {
        let Some(names) = names else { continue };
        for (path, name) in mentions {
            if !names.contains(name) {
                let why = format!("`{field}` does not list it");
                return Err(unknown_state(&path, kind, name, &why, &names));
            }
        }
    }
    Ok(())
}

fn unused_state(
    path: &str,
    kind: &str,
    name: &str,
    why: &str,
    known: &BTreeSet<&str>,
) -> JsonError {
    JsonError::new(path, format!("the {kind} state `{name}` plays no part: {why}"))
        .with_help(did_you_mean(name, known.iter().copied()))
}

fn unknown_state(
    path: &str,
    kind: &str,
    name: &str,
    why: &str,
    known: &BTreeSet<&str>,
) -> JsonError {
    JsonError::new(path, format!("the {kind} state `{name}` is not declared: {why}"))
        .with_help(did_you_mean(name, known.iter().copied()))
}

fn array<'a>(value: &'a Value, path: &str) -> Result<&'a [Value], JsonError> {
    match value {
        Value::Array(list) if list.len() > MAX_ENTRIES => {
            Err(JsonError::new(path, format!("more than {MAX_ENTRIES} entries")))
        }
        Value::Array(list) => Ok(list),
        other => Err(JsonError::new(path, format!("expected a list, found {}", describe(other)))),
    }
}

fn string<'a>(value: &'a Value, path: &str) -> Result<&'a str, JsonError> {
    match value {
        Value::String(text) if text.is_empty() => {
            Err(JsonError::new(path, "expected a name, found an empty string"))
        }
        Value::String(text) => Ok(text),
        other => Err(JsonError::new(path, format!("expected a string, found {}", describe(other)))),
    }
}

/// A list of rows of `N` strings; repetitions are left out.
fn tuples<'a, const N: usize>(
    value: &'a Value,
    path: &str,
    shape: &str,
    warnings: &mut Vec<JsonError>,
) -> Result<Vec<[&'a str; N]>, JsonError> {
    let mut seen: BTreeMap<[&str; N], usize> = BTreeMap::new();
    let mut rows = Vec::new();
    for (i, row) in array(value, path)?.iter().enumerate() {
        let row_path = format!("{path}[{i}]");
        let cells = array(row, &row_path)?;
        if cells.len() != N {
            let message = format!("expected {N} strings {shape}, found {}", cells.len());
            return Err(JsonError::new(row_path, message));
        }
        let mut out = [""; N];
        for (j, cell) in cells.iter().enumerate() {
            out[j] = string(cell, &format!("{row_path}[{j}]"))?;
        }
        match seen.entry(out) {
            Entry::Occupied(first) => {
                let message = format!("this entry repeats {path}[{}]", first.get());
                let warning = JsonError::new(row_path, message);
                warnings.push(warning.with_help(Some("remove it".into())));
            }
            Entry::Vacant(first) => {
                first.insert(i);
                rows.push(out);
            }
        }
    }
    Ok(rows)
}

fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(b) => format!("the truth value {b}"),
        Value::Number(n) => format!("the number {n}"),
        Value::String(s) => format!("the string {s:?}"),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
    }
}

/// Writes a network system in the same format. Reading it back gives a system with the same
/// names and steps.
///
/// States are listed only where the reader would otherwise take one for a slip of the pen: a global
/// state at the start that no transition mentions, a local state that does nothing but respond.
pub fn write_json(system: &NetworkSystem) -> Value {
    let (local, global) = (|l| system.local_name(l), |g| system.global_name(g));
    let requests: Vec<_> =
        system.spawns().iter().map(|(r, l)| [system.request_name(*r), local(*l)]).collect();
    let responses: Vec<_> =
        system.replies().iter().map(|(l, r)| [local(*l), system.response_name(*r)]).collect();
    let transitions: Vec<_> = system
        .steps()
        .iter()
        .map(|s| json!([local(s.from), global(s.before), local(s.to), global(s.after)]))
        .collect();
    let mut written = json!({
        "initial_global": global(system.initial_global()),
        "requests": requests,
        "responses": responses,
        "transitions": transitions,
    });
    if !system.uncounted().is_empty() {
        let names: Vec<_> = system.uncounted().iter().map(|r| system.response_name(*r)).collect();
        written["uncounted"] = json!(names);
    }
    let steps = system.steps();
    let initial = system.initial_global();
    if !steps.iter().any(|s| s.before == initial || s.after == initial) {
        let globals: Vec<_> = system.globals().map(global).collect();
        written["globals"] = json!(globals);
    }
    let mut locals: BTreeSet<_> = system.spawns().iter().map(|(_, l)| *l).collect();
    locals.extend(steps.iter().flat_map(|s| [s.from, s.to]));
    let mentioned = locals.len();
    locals.extend(system.replies().iter().map(|(l, _)| *l));
    if locals.len() > mentioned {
        let locals: Vec<_> = locals.into_iter().map(local).collect();
        written["locals"] = json!(locals);
    }
    written
}
