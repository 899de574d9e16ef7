//! A needle in a haystack: arguments from large ranges, of which few pairs matter.
//!
//! `set` writes its argument to X, and `get` responds X. `look` reads X twice and responds 1 if
//! 3a + 5b = m + 4N, where a and b are what it has read, m its argument, and N = 5n - 1 the largest
//! argument. Whoever tries arguments one by one tries N^2 pairs; a solver solves the equation.
//!
//! *Broken*: `look` pauses between its reads. With one `set(N)` and one `look(N)`, it can read 0
//! and then N, and 3 * 0 + 5 * N = N + 4N: it responds 1. Serially it reads 0 twice or N twice, and
//! neither 8 * 0 nor 8 * N is 5N, because N is not 0.
//!
//! *Serializable*: `look` puts its argument into the equation instead of X, with the same pause.
//! Then it neither reads nor writes what others see, and may as well do all it does in its last
//! step; `set` and `get` have one step each.
//!
//! (Were X read after the pause, this would hold as well. But then there is one response for each
//! pair of an argument and a value of X, and N^2 rules are more than a proof can list; what this
//! family is about is the search.)

use super::{Program, Variant, body};

pub(super) fn write(n: usize, variant: Variant) -> String {
    let mut program = Program::new(variant, match variant {
        Variant::Serializable => {
            "`set` writes X and `get` reads it; `look` responds whether an equation with its argument holds, with a
             pause in between.

             Why it holds: what `look` responds does not depend on anything but its argument."
        }
        Variant::Broken => {
            "`set` writes X and `get` reads it; `look` reads X twice, with a pause between, and responds whether
             an equation with its argument holds.

             Why it breaks: `look(MOST)` reads 0 and then what `set(MOST)` has written. Serially it
             reads the same twice, and the equation does not hold for either."
        }
    });
    program.items(&[format!("const MOST = {}", 5 * n - 1)]);
    program.request("set(value in 0..MOST)", &body!["X := value"]);
    let test = "if (3 * a + 5 * b == m + 4 * MOST) { 1 } else { 0 }";
    program.request(
        "look(m in 0..MOST)",
        &match variant {
            Variant::Serializable => body!["a := m", "yield", "b := m", test],
            Variant::Broken => body!["a := X", "yield", "b := X", test],
        },
    );
    program.request("get", &body!["X"]);
    program.finish()
}
