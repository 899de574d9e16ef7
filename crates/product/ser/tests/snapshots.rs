//! What a person reads, as it stands on the screen. `INSTA_UPDATE=always cargo test` accepts a
//! change; look at the difference first.

use std::path::Path;

use crate::common::{examples, file, folder, screen, ser_in};

/// Both streams of `ser check`, without the time; run in the file's folder, because a line breaks
/// where the length of the name makes it break.
fn checked(folder: &Path, name: &str) -> String {
    screen(&ser_in(folder, &["check", name], b"", &[]))
}

fn checked_example(name: &str) -> String {
    checked(&examples(), name)
}

fn checked_program(name: &str, text: &str) -> String {
    let folder = folder(&format!("snapshots_{name}"));
    let name = format!("{name}.ser");
    file(&folder, &name, text);
    checked(&folder, &name)
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
    let text = "request main {\n    while (N >= M * M) {\n        N := N + 1;\n        M := M * M;\n        yield\n    }\n}\n";
    insta::assert_snapshot!(checked_program("infinite", text));
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
    file(&folder, "lamp.json", text);
    insta::assert_snapshot!(checked(&folder, "lamp.json"));
}
