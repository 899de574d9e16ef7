//! A counter modulo n that can be stopped.
//!
//! *Serializable*: `tick` does all its work in its first step; the pause before the response
//! changes nothing that anybody can see.
//!
//! *Broken*: `tick` looks at the stop first, pauses, and then counts. With one `tick` that passed,
//! `stop` responds 0, and then `tick` counts and responds 0. Serially either `tick` comes first and
//! `stop` responds 1 (which is not 0 modulo n, for n of at least 2), or `stop` comes first and
//! `tick` responds -1.

use super::{Program, Variant, body};

pub(super) fn write(n: usize, variant: Variant) -> String {
    let mut program = Program::new(variant, match variant {
        Variant::Serializable => {
            "A counter modulo MODULUS. `tick` counts and responds the value before, or -1 after a stop;
             `stop` responds what has been counted.

             Why it holds: `tick` does all its work in its first step, and then only pauses."
        }
        Variant::Broken => {
            "A counter modulo MODULUS. `tick` counts and responds the value before, or -1 after a stop;
             `stop` responds what has been counted. `tick` looks for a stop, pauses, and counts.

             Why it breaks: `stop` responds 0 while a `tick` pauses, which then counts and responds
             0. Serially the `tick` comes before (then `stop` responds 1) or after (then `tick`
             responds -1)."
        }
    });
    program.items(&[format!("const MODULUS = {n}")]);
    let guard = "if (Stopped == 1) { return -1 }";
    let count = "seen := Count;\n    Count := Count + 1;\n    if (Count == MODULUS) { Count := 0 }";
    program.request(
        "tick",
        &match variant {
            Variant::Serializable => body![guard, count, "yield", "seen"],
            Variant::Broken => body![guard, "yield", count, "seen"],
        },
    );
    program.request("stop", &body!["Stopped := 1", "Count"]);
    program.finish()
}
