//! Look, pause, look again, act: the number of values does not matter.
//!
//! *Serializable*: the first look decides nothing. A request that pauses may as well arrive after
//! its pause: what it saw before either still holds, and then the second look finds the same, or it
//! does not, and then the second look finds that out.
//!
//! *Broken*: without the second look, two requests that have both looked act one after the other.
//! `auction`: two bids of 1 both see 0 and both win; serially the second loses. `consensus`:
//! `propose(1)` and `propose(2)` both respond their own value; serially the second responds the
//! first one's. `stock`: two `take` both find n; serially they find n and n - 1. `cas` and
//! `registers`: two `inc` of the same counter both respond 0; serially they respond 0 and 1.

use super::{Program, Variant, body};

const COMMENT_HOLDS: &str =
    "Why it holds: what counts is the second look, in the step that acts. The first one only
     saves work.";

pub(super) fn auction(n: usize, variant: Variant) -> String {
    let mut program = Program::new(
        variant,
        &format!(
        "The best of the bids from 1 to {n}. A bid that is too low is turned down at once; any other
         thinks it over.

         {}",
        match variant {
            Variant::Serializable => COMMENT_HOLDS,
            Variant::Broken => {
                "Why it breaks: two bids of 1 see that there is none yet, and both win. Serially the
                 second one is turned down."
            }
        }
    ),
    );
    let act = match variant {
        Variant::Serializable => "if (amount > Best) { Best := amount; 1 } else { 0 }",
        Variant::Broken => "Best := amount;\n    1",
    };
    program.request(
        &format!("bid(amount in 1..{n})"),
        &body!["if (amount <= Best) { return 0 }", "yield", act],
    );
    program.request("best", &body!["Best"]);
    program.finish()
}

pub(super) fn consensus(n: usize, variant: Variant) -> String {
    let mut program = Program::new(
        variant,
        &format!(
            "The first of the values from 1 to {n} that is proposed is the decision, and everybody
         responds it.

         {}",
            match variant {
                Variant::Serializable => COMMENT_HOLDS,
                Variant::Broken => {
                    "Why it breaks: two proposals see that there is no decision yet, and both decide."
                }
            }
        ),
    );
    let act = match variant {
        Variant::Serializable => "yield; if (Decision == 0) { Decision := value }",
        Variant::Broken => "yield; Decision := value",
    };
    program.request(
        &format!("propose(value in 1..{n})"),
        &body![format!("if (Decision == 0) {{ {act} }}"), "Decision"],
    );
    program.finish()
}

pub(super) fn stock(n: usize, variant: Variant) -> String {
    let mut program = Program::new(
        variant,
        &format!(
            "A shop with {n} pieces. Whoever takes one responds how many there were.

         {}",
            match variant {
                Variant::Serializable => COMMENT_HOLDS,
                Variant::Broken => "Why it breaks: two customers find the same number.",
            }
        ),
    );
    program.items(&[format!("Stock := {n}")]);
    let act = match variant {
        Variant::Serializable => {
            body![
                "if (Stock == 0) { return 0 }",
                "yield",
                "seen := Stock",
                "if (seen > 0) { Stock := seen - 1 }",
                "seen"
            ]
        }
        Variant::Broken => {
            body![
                "if (Stock == 0) { return 0 }",
                "seen := Stock",
                "yield",
                "Stock := seen - 1",
                "seen"
            ]
        }
    };
    program.request("take", &act);
    program.finish()
}

/// A counter modulo n that is changed by compare and swap, or by hope.
fn increment(counter: &str, n: usize, variant: Variant) -> Vec<String> {
    let more =
        format!("if (seen < {}) {{ {counter} := seen + 1 }} else {{ {counter} := 0 }}", n - 1);
    match variant {
        Variant::Serializable => body![
            "done := 0",
            format!(
                "while (!done) {{
        seen := {counter};
        yield;
        if ({counter} == seen) {{ {more}; done := 1 }}
    }}"
            ),
            "seen"
        ],
        Variant::Broken => body![format!("seen := {counter}"), "yield", more, "seen"],
    }
}

const BROKEN_COUNTER: &str = "Why it breaks: two `inc` read 0, and both respond it.";

pub(super) fn cas(n: usize, variant: Variant) -> String {
    let mut program = Program::new(
        variant,
        &format!(
            "A counter modulo {n}, with compare and swap.

         {}",
            match variant {
                Variant::Serializable => COMMENT_HOLDS,
                Variant::Broken => BROKEN_COUNTER,
            }
        ),
    );
    program.request("inc", &increment("Count", n, variant));
    program.request("get", &body!["Count"]);
    program.finish()
}

pub(super) fn registers(n: usize, variant: Variant) -> String {
    let mut program = Program::new(
        variant,
        &format!(
            "{n} counters modulo 2, each with compare and swap.

         {}",
            match variant {
                Variant::Serializable => COMMENT_HOLDS,
                Variant::Broken => BROKEN_COUNTER,
            }
        ),
    );
    for i in 0..n {
        program.request(&format!("inc_{i}"), &increment(&format!("Count_{i}"), 2, variant));
    }
    program.finish()
}

/// Two counters modulo n, one after the other.
pub(super) fn two_counters(n: usize, variant: Variant) -> String {
    let mut program = Program::new(variant, &format!(
        "Two counters modulo {n}, each with compare and swap; `both` increments one and then the
         other.

         {}",
        match variant {
            Variant::Serializable => {
                "Why it holds: nobody sees both counters, so each may as well be incremented whenever
                 the other one is."
            }
            Variant::Broken => BROKEN_COUNTER,
        }
    ));
    let mut both = increment("Left", n, variant);
    both.pop();
    if variant.is_broken() {
        both.push("first := seen".into());
    }
    both.push("yield".into());
    both.extend(increment("Right", n, variant));
    both.pop();
    both.push(if variant.is_broken() { "first" } else { "0" }.into());
    program.request("both", &both);
    program.request("left", &body!["Left"]);
    program.request("right", &body!["Right"]);
    program.finish()
}
