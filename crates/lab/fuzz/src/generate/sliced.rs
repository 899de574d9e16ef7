//! Random programs of independent parts, with variables that nobody sees.
//!
//! Each part is a random program of another kind, with names of its own. In between, statements
//! write to variables that mostly nobody needs: some grow without end, some depend on variables
//! that matter, some are written by several parts; and now and then one is looked at after all, or
//! connects two parts.

use super::{locking, program};
use crate::Random;

/// The source of a random program of one to three parts.
///
/// ```
/// let text = ser_fuzz::sliced(&mut ser_fuzz::Random::new(1));
/// assert!(!ser_syntax::parse(&text).has_errors());
/// ```
pub fn sliced(random: &mut Random) -> String {
    let mut out = String::new();
    for part in 0..random.between(1, 3) {
        let text = if random.chance(30) { locking(random) } else { program(random) };
        for line in own_names(&text, part).lines() {
            out.push_str(line);
            out.push('\n');
            let is_statement = line.starts_with("  ") && line.ends_with(';');
            if is_statement && !line.starts_with("   ") && random.chance(25) {
                out.push_str(&format!("  {};\n", unseen(part, random)));
            }
        }
    }
    out
}

/// The text with other names of handlers and shared variables.
fn own_names(text: &str, part: usize) -> String {
    let mut out = String::new();
    let mut word = String::new();
    let mut last = String::new();
    for c in text.chars().chain(['\n']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            out.push_str(&word);
            if word.starts_with(char::is_uppercase) || last == "request" {
                out.push_str(&format!("_{part}"));
            }
            last = std::mem::take(&mut word);
        }
        out.push(c);
    }
    out
}

/// A statement about variables that nobody sees, mostly.
fn unseen(part: usize, random: &mut Random) -> String {
    let own = format!("U_{part}");
    let name = if random.chance(50) { &own } else { "U" };
    match random.below(12) {
        // It grows, and nobody ever looks.
        0 => "G := G + 1".to_owned(),
        1 => format!("G := G + {name}"),
        2 => format!("{name} := 1 - {name}"),
        3 => format!("u := {name}; yield; {name} := 1 - u"),
        4 => format!("u := ?; {name} := u"),
        5 => format!("{name} := X_{part}"),
        6 => format!("V := {name} + ({name} := 1 - {name})"),
        7 => format!("if ({name} == 1) {{ {name} := 0 }} else {{ V := {name} }}"),
        8 => format!("{name} && (V := 1 - V)"),
        9 => format!("V := (yield; {name}) == 0"),
        // One that is needed: by a condition, or by a variable that may be.
        10 => format!("if ({name} == 1) {{ yield; {name} := 0 }}"),
        _ => format!("X_{part} := ({name} := ?)"),
    }
}
