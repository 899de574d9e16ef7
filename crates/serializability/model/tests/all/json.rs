//! Network systems, written and read again.

use ser_model::{SystemBuilder, read_json, write_json};

/// Nothing but the reader's own care stood in the way: it takes a state that is mentioned once for
/// a slip of the pen.
#[test]
fn states_that_are_mentioned_once_are_read_back() {
    let mut builder = SystemBuilder::with_state_names("Start");
    let (here, there) = (builder.local("Here"), builder.local("There"));
    builder.spawn("r", here);
    builder.reply(there, "never");
    let (on, off) = (builder.named_global("On"), builder.named_global("Off"));
    builder.named_step(here, on, here, off);
    let system = builder.finish();
    let text = write_json(&system).to_string();
    let again = read_json(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(write_json(&again), write_json(&system));
}

/// Where everything is mentioned, nothing is declared.
#[test]
fn nothing_is_declared_without_need() {
    let text = r#"{ "initial_global": "Free", "requests": [["take", "Start"]],
        "responses": [["Done", "ok"]], "transitions": [["Start", "Free", "Done", "Busy"]] }"#;
    let written = write_json(&read_json(text).unwrap());
    assert!(written.get("globals").is_none() && written.get("locals").is_none(), "{written}");
}
