//! What the tool says about models of threads whose proofs are wrong: one row per mistake, shown as
//! in `diagnostics.rs`.

use crate::shared::threads::proof;

#[test]
fn an_unknown_invariant() {
    insta::assert_snapshot!(proof("proof { d; a from bb; }"), @"
    unknown-invariant @ 2:9: there is no invariant `d`
        2:9-2:10: not known here
        help: declare it at top level: `invariant d(i): ...`
    unknown-invariant @ 2:19: there is no invariant `bb`
        2:19-2:21: not known here
        help: did you mean `b`? [2:19-2:21 -> `b`]
    ");
}

#[test]
fn an_unknown_support() {
    insta::assert_snapshot!(proof("proof { a { at wait use cc; } }"), @r"
    unknown-invariant @ 2:25: there is no invariant `cc`
        2:25-2:27: not known here
        help: did you mean `c`? [2:25-2:27 -> `c`]
    ");
}

#[test]
fn an_invariant_that_is_proved_twice() {
    insta::assert_snapshot!(proof("proof { a; b; a from b; }"), @r"
    proved-twice @ 2:15: the proof of `a` stands here twice
        2:15-2:16: the second time
        2:9-2:10: the first time
        help: put all of its cases together: `a { at a use p; at b use q; }`
    ");
}

#[test]
fn an_unknown_conjunct() {
    insta::assert_snapshot!(proof("proof { a from c.hihg; b from b.x; }"), @"
    unknown-conjunct @ 2:18: there is no conjunct `hihg` in `c`
        2:18-2:22: not known here
        help: did you mean `high`? [2:18-2:22 -> `high`]
    unknown-conjunct @ 2:33: there is no conjunct `x` in `b`
        2:33-2:34: not known here
        help: a conjunct is named in its invariant: `invariant b(i) { x: ...; }`
    ");
}

#[test]
fn an_unknown_place() {
    insta::assert_snapshot!(proof("proof { a { at wiat use b; } }"), @r"
    unknown-place @ 2:16: there is no place `wiat`
        2:16-2:20: not known here
        help: did you mean `wait`? [2:16-2:20 -> `wait`]
    ");
}

#[test]
fn cases_of_what_follows() {
    insta::assert_snapshot!(proof("proof { a follows from b { at wait use c; } }"), @r"
    cases-of-follows @ 2:28: what follows from others has no cases
        2:28-2:41: unexpected case here
        2:11-2:18: it follows, whatever happens
        help: leave the cases out, or leave `follows` out
    ");
}

#[test]
fn what_follows_from_itself() {
    insta::assert_snapshot!(proof("proof { a follows from a; }"), @r"
    cyclic-follows @ 2:24: `a` follows from itself
        2:24-2:25: used for `a`
        help: what follows from others holds because they do: one of them must be proved by induction
    ");
}

#[test]
fn a_circle_of_what_follows() {
    insta::assert_snapshot!(proof("proof { a follows from b; b follows from c.low, c; c follows from a; }"), @r"
    cyclic-follows @ 2:24: `a` follows from itself, in a circle: `a`, `b`, `c`, `a`
        2:24-2:25: used for `a`
        2:42-2:47: used for `b`
        2:67-2:68: used for `c`
        help: what follows from others holds because they do: one of them must be proved by induction
    ");
}

#[test]
fn a_circle_of_support_without_acyclic() {
    insta::assert_snapshot!(proof("proof { a from b; b { at wait use a; } }"), @"");
}

#[test]
fn a_circle_of_support() {
    insta::assert_snapshot!(proof("proof acyclic { a { at first other use c.low; } b { at wait use a; } c from b; }"), @r"
    cyclic-support @ 2:40: `a` is supported by itself, in a circle: `a`, `c`, `b`, `a`
        2:40-2:45: used for `a`
        2:77-2:78: used for `c`
        2:65-2:66: used for `b`
        help: `proof acyclic` proves one after the other, each from those that are proved already
        help: without `acyclic`, circles are fine: all invariants are proved together
    ");
}

#[test]
fn an_invariant_that_supports_itself() {
    insta::assert_snapshot!(proof("proof acyclic { a from a; b { at wait use b; } c follows from a, b; }"), @"");
}

#[test]
fn a_circle_through_what_follows() {
    insta::assert_snapshot!(proof("proof acyclic { a from b; b follows from a; }"), @r"
    cyclic-support @ 2:24: `a` is supported by itself, in a circle: `a`, `b`, `a`
        2:24-2:25: used for `a`
        2:42-2:43: used for `b`
        help: `proof acyclic` proves one after the other, each from those that are proved already
        help: without `acyclic`, circles are fine: all invariants are proved together
    ");
}

#[test]
fn a_circle_among_others() {
    insta::assert_snapshot!(proof("proof acyclic { c; b from c; a from b, c; }"), @"");
}
