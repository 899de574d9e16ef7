//! What is lost and nobody sees.
//!
//! *Serializable*: increments overwrite each other, but no response tells how many there were.
//! Every number that a reader sees has been reached by at least that many increments, and a serial
//! run reaches it with so many of them; the others come when the counter is at its end.
//!
//! *Broken*: increments respond what they have read, and two of them read 0. Serially the second
//! reads 1.

use super::{Program, Variant, body};

const BREAKS: &str = "Why it breaks: two increments respond 0. Serially the second responds 1.";

fn response(variant: Variant) -> &'static str {
    if variant.is_broken() { "seen" } else { "0" }
}

pub(super) fn blind_increments(n: usize, variant: Variant) -> String {
    let mut program = Program::new(
        variant,
        &format!(
            "A counter up to {n} that loses increments.

         {}",
            match variant {
                Variant::Serializable => {
                    "Why it holds: to see v, so many increments are needed, and more do no harm."
                }
                Variant::Broken => BREAKS,
            }
        ),
    );
    let more = format!("if (seen < {n}) {{ Count := seen + 1 }}");
    program.request("inc", &body!["seen := Count", "yield", more, response(variant)]);
    program.request("get", &body!["Count"]);
    program.finish()
}

pub(super) fn unseen(n: usize, variant: Variant) -> String {
    let mut program = Program::new(
        variant,
        &format!(
            "Visits are counted modulo {n}, and some get lost.

         {}",
            match variant {
                Variant::Serializable => "Why it holds: nobody ever reads the number.",
                Variant::Broken => BREAKS,
            }
        ),
    );
    let more = format!("if (seen == {}) {{ Visits := 0 }} else {{ Visits := seen + 1 }}", n - 1);
    let response = if variant.is_broken() { "seen" } else { "page" };
    program.request("visit(page in 1..6)", &body!["seen := Visits", "yield", more, response]);
    program.finish()
}
