//! Models of threads with something in them that is wrong, and the messages about them.

use super::messages;
use ser_editing::inv::parse;

/// The messages about a file.
pub fn file(text: &str) -> String {
    messages(text, &parse(text).diagnostics)
}

/// The messages about the statements of a body, which start at column 1 of line 2.
pub fn body(statements: &str) -> String {
    file(&format!(
        "var x: int; var y: int; var b: bool; var t: Threads; var a: addr; var e: elem; var s: set of int; var as: set of addr; ghost var g: int; fn p(n: int): int {{ here: return n; }} fn q() {{ skip; }} set Threads  process thread for self in Threads {{ var z: int; var w: addr; ghost var h: set of int; w: z := p(1); q();\n{statements}\n}} invariant i: true;"
    ))
}

/// The messages about a formula, which starts at column 1 of line 3.
pub fn formula(formula: &str) -> String {
    file(&format!(
        "var x: int; var y: int; var b: bool; var t: Threads; var chosen: Threads; var a: addr; var e: elem; var s: set of int; var as: set of addr; fn p(n: int, z: int) {{ here: skip; }} fn q() {{ here: skip; }} set Threads  process thread for self in Threads {{ var z: int; var k: addr; first: t := self; crit: {{ wait: p(1, 2); q(); }} last: skip; }}\ninvariant inv(i, j):\n{formula};"
    ))
}

/// The messages about a proof, which starts at column 1 of line 2.
pub fn proof(proof: &str) -> String {
    file(&format!(
        "var x: int; set Threads  process thread for self in Threads {{ var z: int; first: skip; crit: {{ wait: skip; }} last: skip; }} invariant a: x >= 0; invariant b: x >= 1; invariant c(i) {{ low: z[i] > 0; high: z[i] < 9; }}\n{proof}"
    ))
}
