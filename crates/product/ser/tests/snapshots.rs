//! What a person reads, as it stands on the screen. `INSTA_UPDATE=always cargo test` accepts a
//! change; look at the difference first.

use crate::common::{self, Output, example, examples, file, folder, ser, ser_in};

/// Runs `ser check` and shows both streams, without the time and the folder.
fn checked(path: &str, folder: &str) -> String {
    shown(&ser(&["check", path]), folder)
}

fn shown(output: &Output, folder: &str) -> String {
    let code = output.code.expect("an exit code");
    let all = format!("{}{}exit code {code}\n", output.stderr, output.stdout);
    let all = if folder.is_empty() { all } else { all.replace(&format!("{folder}/"), "") };
    all.lines().map(|line| format!("{}\n", timeless(line))).collect()
}

/// The verdict's line without its time.
fn timeless(line: &str) -> String {
    match line.rsplit_once(" (") {
        Some((rest, time)) if time.ends_with(" ms)") || time.ends_with(" s)") => {
            format!("{rest} (TIME)")
        }
        _ => line.to_owned(),
    }
}

fn checked_example(name: &str) -> String {
    checked(&example(name), &common::text(&examples()))
}

fn checked_program(name: &str, text: &str) -> String {
    let folder = folder(&format!("snapshots_{name}"));
    let path = file(&folder, &format!("{name}.ser"), text);
    checked(&path, &common::text(&folder))
}

#[test]
fn two_requests() {
    insta::assert_snapshot!(checked_example("lost_update.ser"));
}

#[test]
fn seven_requests() {
    insta::assert_snapshot!(checked_example("flip_and_wait.ser"));
}

#[test]
fn a_json_system() {
    insta::assert_snapshot!(checked_example("login_session_race.json"));
}

#[test]
fn serializable() {
    insta::assert_snapshot!(checked_example("bounded_counter.ser"));
}

#[test]
fn infinitely_many_states() {
    let text =
        "request main {\n    while (N >= 0) {\n        N := N + 1;\n        yield\n    }\n}\n";
    // The message repeats the name of the file, so that a long folder would change its lines.
    let folder = folder("snapshots_infinite");
    file(&folder, "infinite.ser", text);
    let output = ser_in(&folder, &["check", "infinite.ser"], b"", &[]);
    insta::assert_snapshot!(shown(&output, ""));
}

#[test]
fn a_warning() {
    insta::assert_snapshot!(checked_example("never_completes.ser"));
}

#[test]
fn errors_in_a_program() {
    let text = "request main {\n    x = 1;\n    yield\n    X := x;\n    exit\n}\n";
    insta::assert_snapshot!(checked_program("errors", text));
}

#[test]
fn an_error_in_a_system() {
    let folder = folder("snapshots_system");
    let text = r#"{ "initial_global": "Off", "requests": [["flip", "Start"]],
        "responses": [["Dome", "ok"]], "transitions": [["Start", "Off", "Done", "On"]] }"#;
    let path = file(&folder, "lamp.json", text);
    insta::assert_snapshot!(checked(&path, &common::text(&folder)));
}
