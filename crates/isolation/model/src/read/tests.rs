//! What is read is shown in a compact form, beside what the text says.

mod examples;
mod messages;
mod mutants;
mod show;
mod trees;

/// What people read is compared with a file.
fn snapshot(name: &str, text: &str) {
    insta::with_settings!({ omit_expression => true }, {
        insta::assert_snapshot!(name, text);
    });
}
