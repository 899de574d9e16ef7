//! A needle in a haystack: arguments from large ranges, of which few pairs matter.
//!
//! `set` writes its argument to X. `look` reads X twice and responds 1 if 3a + 5b = m + 4N, where a and b are what it
//! has read, m its argument, and N = 25n the largest argument. Whoever tries arguments one by one tries N^2 pairs;
//! a solver solves the equation.
//!
//! *Broken*: `look` pauses between its reads. With one `set(20n)` and one `look(0)`, it can read 0 and then
//! 20n, and 3 * 0 + 5 * 20n = 100n = 0 + 4N: it responds 1. Serially it reads 0 twice or 20n twice, and 8 * 0 and
//! 8 * 20n are not 100n, whatever n is.
//!
//! *Serializable*: `look` pauses before its reads. Nothing happens before the pause that anybody
//! can see or that depends on anything, so every request does all it does in one step.

use super::{Family, Program, Variant, body};

pub const FAMILY: Family = Family {
    name: "needle",
    summary: "requests with arguments up to 25n, of which few pairs matter",
    write,
};

fn write(n: usize, variant: Variant) -> String {
    let mut program = Program::new(variant, match variant {
        Variant::Serializable => {
            "`set` writes X; `look` pauses, reads X twice, and responds whether an equation with its argument
             holds.

             Why it holds: nothing comes between the two reads, and what comes before them is a pause
             alone."
        }
        Variant::Broken => {
            "`set` writes X; `look` reads X twice, with a pause between, and responds whether an equation with
             its argument holds.

             Why it breaks: `look(0)` reads 0 and then what `set(4 * MOST / 5)` has written. Serially it
             reads the same twice, and the equation does not hold for either."
        }
    });
    program.items(&[format!("const MOST = {}", 25 * n)]);
    program.request("set(value in 0..MOST)", &body!["X := value"]);
    let test = "if (3 * a + 5 * b == m + 4 * MOST) { 1 } else { 0 }";
    program.request(
        "look(m in 0..MOST)",
        &match variant {
            Variant::Serializable => body!["yield", "a := X", "b := X", test],
            Variant::Broken => body!["a := X", "yield", "b := X", test],
        },
    );
    program.finish()
}
