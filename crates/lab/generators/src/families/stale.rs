//! A stale value is copied.
//!
//! *Serializable*: a copy may be old, but serially a reader may have come earlier, when it was
//! new: every value that a reader sees has been the newest one, and could be copied then. Whoever
//! copies responds nothing that tells when.
//!
//! *Broken*: whoever copies also responds whether the value was still the newest one. Serially it
//! always is; but the value may change in between.

use super::{Program, Variant, body};

const HOLDS: &str = "Why it holds: a reader of an old copy may as well have come earlier.";
const BREAKS: &str = "Why it breaks: the original changes between reading it and writing the copy.";

fn why(variant: Variant) -> &'static str {
    if variant.is_broken() { BREAKS } else { HOLDS }
}

/// Copies `from` into `to` in two steps.
fn copy(from: &str, to: &str, response: &str, variant: Variant) -> Vec<String> {
    let mut copy = body![format!("seen := {from}"), "yield", format!("{to} := seen")];
    copy.push(match variant {
        Variant::Serializable => response.into(),
        Variant::Broken => format!("if ({from} == seen) {{ {response} }} else {{ -1 }}"),
    });
    copy
}

pub(super) fn refresh(n: usize, variant: Variant) -> String {
    let text = format!("A copy of a number modulo {n}.\n\n{}", why(variant));
    let mut program = Program::new(variant, &text);
    program.request("refresh", &copy("Original", "Copy", "0", variant));
    let next = format!(
        "if (Original < {}) {{ Original := Original + 1 }} else {{ Original := 0 }}",
        n - 1
    );
    program.request("write", &body![next, "0"]);
    program.request("read", &body!["Copy"]);
    program.finish()
}

pub(super) fn follower(n: usize, variant: Variant) -> String {
    let text = format!(
        "A log of at most {n} entries, and a follower that fetches them.\n\n{}",
        why(variant)
    );
    let mut program = Program::new(variant, &text);
    program.request("append", &body![format!("if (Log < {n}) {{ Log := Log + 1 }}"), "0"]);
    program.request("fetch", &copy("Log", "Known", "0", variant));
    program.request("known", &body!["Known"]);
    program.finish()
}

pub(super) fn cache(n: usize, variant: Variant) -> String {
    let text = format!(
        "A cache of one of {n} values, which is filled by whoever misses it.\n\n{}",
        why(variant)
    );
    let mut program = Program::new(variant, &text);
    let mut read = body!["if (Cached) { return Cache }"];
    let mut fill = copy("Store", "Cache", "seen", variant);
    fill.insert(3, "Cached := 1".into());
    read.extend(fill);
    program.request("read", &read);
    program.request(
        &format!("write(value in 1..{n})"),
        &body!["Store := value", "yield", "Cached := 0", "0"],
    );
    program.finish()
}
