//! Listing 1.8 of the paper with n rounds: a request that completes only with the help of others.
//!
//! *Broken* (the listing): `main` waits for X to be 1 and then for X to be 0, n times. Alone it
//! waits for ever, so no serial run has a response of `main`; with 2 n flips in between it gets
//! through, and with fewer it does not: the smallest counterexample has 2 n + 1 requests.
//!
//! *Serializable*: in every round `main` waits for X to be 1 only. Its last step happens where X is
//! 1 and changes nothing, and right there a whole `main` could have run alone.

use super::{Program, Variant, body};

pub(super) fn write(n: usize, variant: Variant) -> String {
    let mut program = Program::new(variant, match variant {
        Variant::Serializable => {
            "Listing 1.8 of the paper, made serializable: in every round `main` waits only until X is
             1.

             Why it holds: `main` completes in a step where X is 1. Right there it could have gone
             through all rounds at once."
        }
        Variant::Broken => {
            "Listing 1.8 of the paper with ROUNDS rounds: in every round `main` waits until X is 1 and
             then until X is 0.

             Why it breaks: alone, `main` waits for ever, so it has no response in any serial run.
             Two flips in each round carry it to the end: 2 * ROUNDS + 1 requests."
        }
    });
    program.items(&[format!("const ROUNDS = {n}")]);
    program.request("flip", &body!["X := 1 - X"]);
    let round = match variant {
        Variant::Broken => {
            ["        while (X == 0) { yield };\n", "        while (X == 1) { yield };\n"]
        }
        Variant::Serializable => ["        while (X == 0) { yield };\n", "        yield;\n"],
    };
    program.request(
        "main",
        &body![
            "left := ROUNDS",
            format!("while (left > 0) {{\n{}        left := left - 1\n    }}", round.concat()),
            if variant.is_broken() { "1" } else { "while (X == 0) { yield };\n    1" }
        ],
    );
    program.finish()
}
