//! Arguments by arithmetic: some that hold, and the ways in which one can be tampered with.

use crate::common::{head, verdict};
use proptest::prelude::*;
use ser_base::Limits;
use ser_model::read_json;
use ser_serializability_checker::{
    Arithmetic, FinalCase, MAX_TREE_DEPTH, Node, Proof, Terms, Verdict, check, read,
};

/// A system with an argument for it.
#[derive(Clone, Copy)]
struct Case {
    source: &'static str,
    /// The fields of `proof` after `method`.
    proof: &'static str,
}

impl Case {
    fn certificate(&self, proof: &str) -> String {
        format!(
            r#"{{ {}, "verdict": "serializable", "proof": {{"method": "arithmetic", {proof}}} }}"#,
            head(self.source)
        )
    }

    fn verdict(&self) -> String {
        verdict(self.source, &self.certificate(self.proof))
    }

    /// What comes of the argument with one part of it replaced, which must be there once.
    fn tampered(&self, old: &str, new: &str) -> String {
        assert_eq!(self.proof.matches(old).count(), 1, "`{old}` in the proof");
        let proof = self.proof.replace(old, new);
        verdict(self.source, &self.certificate(&proof))
    }
}

/// A lock: whoever finds it free holds it for one step. It is free at the end, because whoever
/// holds it is in flight.
const LOCK: Case = Case {
    source: r#"{"initial_global": "free", "requests": [["q", "try"]], "responses": [["done", "ok"]],
        "transitions": [["try", "free", "in", "held"], ["in", "held", "done", "free"]]}"#,
    proof: r#""transitions": [
            {"before": "free", "after": "held", "gives": ["q", "in"]},
            {"before": "held", "takes": ["q", "in"], "after": "free", "responds": ["q", "ok"]}],
        "components": [{"word": [], "cycles": [{"at": 0, "word": [[["q", "ok"], "free"]]}]}],
        "cases": [
            {"final": "free", "tree": {"member": {"component": 0,
                "lambda": [{"t1": "1"}], "nonneg": [{}], "equal": [{}]}}},
            {"final": "held", "tree": {"farkas": {"global free": "-1", "place q in": "-1"}}}]"#,
};

/// A switch: `a` turns it on, `b` off. Remainders, splits, a merge, and a lambda that is known to
/// be above -1 only.
const SWITCH: Case = Case {
    source: r#"{"initial_global": "0", "requests": [["q", "s"]], "responses": [["x", "a"], ["y", "b"]],
        "transitions": [["s", "0", "x", "1"], ["s", "1", "y", "0"]]}"#,
    proof: r#""reductions": ["slice"],
        "transitions": [
            {"before": "0", "after": "1", "responds": ["q", "a"]},
            {"before": "1", "after": "0", "responds": ["q", "b"]}],
        "components": [
            {"word": []},
            {"word": [[["q", "a"], "1"], [["q", "b"], "0"]], "cycles": [{"at": 2, "word": [[["q", "a"], "1"], [["q", "b"], "0"]]}]},
            {"merge": [0, 1], "period": 0},
            {"word": [], "cycles": [{"at": 0, "word": [[["q", "a"], "1"], [["q", "b"], "0"], [["q", "a"], "1"], [["q", "b"], "0"]]}]},
            {"word": [[["q", "a"], "1"], [["q", "b"], "0"]], "cycles": [{"at": 0, "word": [[["q", "a"], "1"], [["q", "b"], "0"], [["q", "a"], "1"], [["q", "b"], "0"]]}]},
            {"word": [[["q", "a"], "1"]], "cycles": [{"at": 1, "word": [[["q", "b"], "0"], [["q", "a"], "1"]]}]}],
        "cases": [
            {"final": "0", "tree": {"split": {"t0": "1"}, "at": 5, "name": "big",
                "le": {"member": {"component": 2, "lambda": [{"t0": "1"}], "nonneg": [{}], "equal": [{}, {"global 0": "1"}]}},
                "gt": {"mod": {"t0": "1"}, "q": 2, "name": "m", "variable": "y0", "cases": [
                    {"mod": {"t0": "1", "1": "1"}, "q": 2, "name": "n", "variable": "y1", "cases": [
                        {"lattice": {"m": "1/2", "n": "-1/2"}},
                        {"member": {"component": 3, "lambda": [{"y0": "1"}], "nonneg": [{"m": "-1/2"}],
                            "equal": [{"m": "1"}, {"global 0": "1", "m": "1"}]}}]},
                    {"member": {"component": 4, "lambda": [{ "y0": "1"}], "nonneg": [{"m": "-1/2" }],
                        "equal": [{"m": "1" }, {"global 0": "1", "m": "1" }]}}]}}},
            {"final": "1", "tree": {"split": {"t0": "1"}, "at": 0, "name": "s",
                "le": {"farkas": {"global 0": "-1", "s": "1"}},
                "gt": {"member": {"component": 5, "lambda": [{"t0": "1", "1": "-1"}], "nonneg": [{"s": "1"}],
                    "equal": [{}, { "global 0": "1"}]}}}}]"#,
};

/// Nothing leads to global state 5, where `m` is entered; the state equation does not see that.
const CUT: Case = Case {
    source: r#"{"initial_global": "0", "requests": [["q", "s"]], "responses": [["x", "ok"], ["y", "bad"]],
        "transitions": [["s", "0", "x", "0"], ["s", "5", "m", "5"], ["m", "0", "y", "0"]]}"#,
    proof: r#""transitions": [
            {"before": "0", "after": "0", "responds": ["q", "ok"]},
            {"before": "5", "after": "5", "gives": ["q", "m"]},
            {"before": "0", "takes": ["q", "m"], "after": "0", "responds": ["q", "bad"]}],
        "components": [{"word": [], "cycles": [{"at": 0, "word": [[["q", "ok"], "0"]]}]}],
        "cases": [
            {"final": "0", "tree": {"cut": [{"global": "5"}, {"request": "q", "local": "m"}], "side": "start", "name": "c",
                "none": {"member": {"component": 0, "lambda": [{"t0": "1"}], "nonneg": [{}],
                    "equal": [{"c": "1/2", "place q m": "-1/2"}, {}]}},
                "some": {"farkas": {"c": "1"}}}},
            {"final": "5", "tree": {"farkas": {"global 0": "-1"}}}]"#,
};

/// The switch once more, in one case for both ends: the control leaves a state no more often than
/// it is there.
const ANYWHERE: Case = Case {
    source: SWITCH.source,
    proof: r#""reductions": ["slice"],
        "transitions": [
            {"before": "0", "after": "1", "responds": ["q", "a"]},
            {"before": "1", "after": "0", "responds": ["q", "b"]}],
        "components": [
            {"word": [], "cycles": [{"at": 0, "word": [[["q", "a"], "1"], [["q", "b"], "0"]]}]},
            {"word": [[["q", "a"], "1"]], "cycles": [{"at": 1, "word": [[["q", "b"], "0"], [["q", "a"], "1"]]}]}],
        "cases": [{"tree": {"sign": {"t0": "1", "t1": "-1"}, "name": "s",
            "negative": {"farkas": {"global 1": "1", "s": "1"}},
            "zero": {"member": {"component": 0, "lambda": [{"t0": "1"}], "nonneg": [{}], "equal": [{}, {"s": "-1"}]}},
            "positive": {"sign": {"t0": "1", "t1": "-1", "1": "-1"}, "name": "u",
                "negative": {"farkas": {"s": "1", "u": "1"}},
                "zero": {"member": {"component": 1, "lambda": [{"t1": "1"}], "nonneg": [{}], "equal": [{"u": "1"}, {}]}},
                "positive": {"farkas": {"global 0": "1", "u": "1"}}}}}]"#,
};

/// A cut where it is not known which global state is left.
const END_ANYWHERE: Case = Case {
    source: SWITCH.source,
    proof: r#""reductions": ["slice"],
        "transitions": [
            {"before": "0", "after": "1", "responds": ["q", "a"]},
            {"before": "1", "after": "0", "responds": ["q", "b"]}],
        "components": [{"word": [], "cycles": [{"at": 0, "word": [[["q", "a"], "1"], [["q", "b"], "0"]]}]}],
        "cases": [{"tree": {"cut": [{"global": "1"}], "side": "end", "name": "c",
            "none": {"member": {"component": 0, "lambda": [{}], "nonneg": [{}], "equal": [{"c": "1"}, {}]}},
            "some": {"farkas": {"c": "1"}}}}]"#,
};

/// The lock once more, divided where it is freed for the last time.
const PHASE: Case = Case {
    source: LOCK.source,
    proof: r#""transitions": [
            {"before": "free", "after": "held", "gives": ["q", "in"]},
            {"before": "held", "takes": ["q", "in"], "after": "free", "responds": ["q", "ok"]}],
        "components": [{"word": [], "cycles": [{"at": 0, "word": [[["q", "ok"], "free"]]}]}],
        "cases": [
            {"final": "free", "tree": {"last": 1, "name": "p",
                "never": {"member": {"component": 0, "lambda": [{}], "nonneg": [{}], "equal": [{"p": "1"}]}},
                "some": {"split": {"p.t0": "1"}, "at": 0, "name": "g",
                    "gt": {"farkas": {"p global held": "1", "place q in": "-1", "g": "1"}},
                    "le": {"cut": [{"request": "q", "local": "in"}], "side": "end", "phase": "p", "part": "second", "name": "d",
                        "some": {"farkas": {"d": "1"}},
                        "none": {"cut": [{"global": "held"}, {"request": "q", "local": "in"}], "side": "start", "phase": "p", "part": "first", "name": "c",
                            "none": {"member": {"component": 0, "lambda": [{"1": "1"}], "nonneg": [{}], "equal": [{"c": "1"}]}},
                            "some": {"member": {"component": 0, "lambda": [{"t1": "1"}], "nonneg": [{"p first 1": "1"}], "equal": [{}]}}}}}}},
            {"final": "held", "tree": {"farkas": {"global free": "-1", "place q in": "-1"}}}]"#,
};

/// The argument of `CUT` with the cut at the end.
fn at_the_end() -> String {
    let places = r#", {"request": "q", "local": "m"}"#;
    CUT.proof.replace(r#""start""#, r#""end""#).replace(places, "").replace("1/2", "1")
}

#[test]
fn counts_say_nothing_about_the_order_of_requests() {
    let certificate = read(&LOCK.certificate(LOCK.proof)).expect("a certificate");
    let system = read_json(LOCK.source).expect("a system");
    let accepted = check(&certificate, LOCK.source.as_bytes(), &system, &Limits::default());
    assert!(accepted.is_ok_and(|accepted| !accepted.is_strict()));
}

#[test]
fn arguments_that_hold_are_accepted() {
    let table = [
        (LOCK, "serializable, by arithmetic: 1 component, 2 cases in trees of 2 nodes"),
        (SWITCH, "serializable, by arithmetic: 6 components, 6 cases in trees of 10 nodes"),
        (CUT, "serializable, by arithmetic: 1 component, 3 cases in trees of 4 nodes"),
        (PHASE, "serializable, by arithmetic: 1 component, 6 cases in trees of 10 nodes"),
        (ANYWHERE, "serializable, by arithmetic: 2 components, 5 cases in trees of 7 nodes"),
    ];
    for (case, expected) in table {
        assert_eq!(case.verdict(), expected);
    }
    // Global state 5 is also empty at the end, and nothing leads out of it.
    let accepted = "serializable, by arithmetic: 1 component, 3 cases in trees of 4 nodes";
    assert_eq!(verdict(CUT.source, &CUT.certificate(&at_the_end())), accepted);
}

#[test]
fn reading_undoes_writing() {
    for case in [LOCK, SWITCH, CUT, PHASE, ANYWHERE] {
        let certificate = read(&case.certificate(case.proof)).expect("readable");
        assert_eq!(read(&certificate.to_text()), Ok(certificate));
    }
}

/// (case, what is replaced, by what, the message).
type Tampering = (Case, &'static str, &'static str, &'static str);

fn all_rejected(table: &[Tampering]) {
    for (case, old, new, expected) in table {
        let mut message = case.tampered(old, new);
        // Where in the text is the business of other tests.
        if let Some((_, rest)) = message.split_once(", column ")
            && let Some((_, rest)) = rest.split_once(": ")
        {
            message = format!("unreadable: {rest}");
        }
        assert_eq!(message, *expected, "`{old}` -> `{new}`");
    }
}

#[test]
fn transitions_are_those_of_the_reduced_net() {
    all_rejected(&[
        (
            LOCK,
            r#""transitions": [
            {"before": "free", "after": "held", "gives": ["q", "in"]},"#,
            r#""transitions": ["#,
            "transitions: there is no entry for `free -> held + q@in`",
        ),
        (
            LOCK,
            r#"{"before": "free", "after": "held", "gives": ["q", "in"]},"#,
            r#"{"before": "free", "after": "held", "gives": ["q", "in"]}, {"before": "free", "after": "held", "gives": ["q", "in"]},"#,
            "transitions[1]: `free -> held + q@in` is listed twice",
        ),
        (
            LOCK,
            r#""after": "held", "gives": ["q", "in"]"#,
            r#""after": "free", "gives": ["q", "in"]"#,
            "transitions[0]: the net has no transition free -> free + q@in here",
        ),
        (
            LOCK,
            r#""gives": ["q", "in"]}"#,
            r#""gives": ["q", "out"]}"#,
            "transitions[0]: there is no local state `out`",
        ),
        (
            LOCK,
            r#""gives": ["q", "in"]}"#,
            r#""takes": null}"#,
            "unreadable: a transition has either `gives` or `responds`",
        ),
        // The transitions of global state 5 are sliced off, so there are three too many.
        (
            CUT,
            r#""transitions": ["#,
            r#""reductions": ["slice"], "transitions": ["#,
            "transitions[1]: the net has no transition 5 -> 5 + q@m here",
        ),
    ]);
}

#[test]
fn components_are_serial_runs_and_cycles() {
    all_rejected(&[
        (
            LOCK,
            r#""word": [],"#,
            r#""word": [[["q", "ok"], "held"]],"#,
            "components[0].word[0]: no request alone leads from `free` with `q/ok` to `held`",
        ),
        (
            LOCK,
            r#"[[["q", "ok"], "free"]]"#,
            r#"[[["q", "ok"], "gone"]]"#,
            "components[0].cycles[0].word[0]: there is no global state `gone`",
        ),
        (
            SWITCH,
            r#"[[["q", "b"], "0"], [["q", "a"], "1"]]"#,
            r#"[[["q", "b"], "0"]]"#,
            "components[5].cycles[0]: this is no cycle: it starts in `1` and ends in `0`",
        ),
        (
            SWITCH,
            r#"{"at": 1, "#,
            r#"{"at": 0, "#,
            "components[5].cycles[0].word[0]: no request alone leads from `0` with `q/b` to `0`",
        ),
        (
            SWITCH,
            r#"{"at": 1, "#,
            r#"{"at": 2, "#,
            "components[5].cycles[0]: there is no position 2: there are 2, counted from 0",
        ),
        (
            SWITCH,
            r#"{"at": 1, "#,
            r#"{"at": -1, "#,
            "unreadable: invalid value: integer `-1`, expected usize",
        ),
        (
            SWITCH,
            r#"{"merge": [0, 1], "period": 0}"#,
            r#"{"merge": [0, 1], "period": 1}"#,
            "components[2]: there is no period 1: there are 1, counted from 0",
        ),
        (
            SWITCH,
            r#"{"merge": [0, 1], "period": 0}"#,
            r#"{"merge": [0, 2], "period": 0}"#,
            "components[2]: there is no component 2: there are 2, counted from 0",
        ),
        (
            SWITCH,
            r#"{"merge": [0, 1], "period": 0}"#,
            r#"{"merge": [1, 1], "period": 0}"#,
            "components[2]: the second base is not the first plus period 0",
        ),
        (
            SWITCH,
            r#"{"merge": [0, 1], "period": 0}"#,
            r#"{"merge": [0, -1], "period": 0}"#,
            "unreadable: invalid value: integer `-1`, expected usize",
        ),
        // The second component has a period more than the first and q.
        (
            SWITCH,
            r#""cycles": [{"at": 2, "word": ["#,
            r#""cycles": [{"at": 0, "word": [[["q", "a"], "1"], [["q", "b"], "0"], [["q", "a"], "1"], [["q", "b"], "0"]]}, {"at": 2, "word": ["#,
            "components[2]: the second base is not the first plus period 0",
        ),
        (
            SWITCH,
            r#"{"word": []},"#,
            r#"{"word": [], "period": 0},"#,
            "unreadable: a component has either `word` and `cycles`, or `merge` and `period`",
        ),
    ]);
    let more = SWITCH.proof.replace(r#""cycles": [{"at": 2, "word": ["#, r#""cycles": [{"at": 0, "word": [[["q", "a"], "1"], [["q", "b"], "0"], [["q", "a"], "1"], [["q", "b"], "0"]]}, {"at": 2, "word": ["#);
    let more =
        more.replace(r#"{"merge": [0, 1], "period": 0}"#, r#"{"merge": [0, 1], "period": 1}"#);
    assert_eq!(
        verdict(SWITCH.source, &SWITCH.certificate(&more)),
        "components[2]: the first component does not have period 0 of the second"
    );
}

#[test]
fn every_final_state_has_one_case() {
    all_rejected(&[
        (
            LOCK,
            r#",
            {"final": "held", "tree": {"farkas": {"global free": "-1", "place q in": "-1"}}}"#,
            "",
            "cases: there is no entry for `held`",
        ),
        (LOCK, r#"{"final": "held","#, r#"{"final": "free","#, "cases[1]: `free` is listed twice"),
        (
            LOCK,
            r#"{"final": "held","#,
            r#"{"final": "lost","#,
            "cases[1]: there is no global state `lost`",
        ),
        // The right leaf in the wrong case.
        (SWITCH, r#"{"final": "1","#, r#"{"final": "0","#, "cases[1]: `0` is listed twice"),
        // With a slice, nothing leads to global state 5.
        (
            Case {
                source: CUT.source,
                proof: r#""reductions": ["slice"],
                    "transitions": [{"before": "0", "after": "0", "responds": ["q", "ok"]}],
                    "components": [], "cases": [{"final": "5", "tree": {"farkas": {}}}]"#,
            },
            r#""cases""#,
            r#""cases""#,
            "cases[0]: no run ends in `5`",
        ),
    ]);
}

#[test]
fn one_case_for_all_ends_knows_less() {
    all_rejected(&[
        // Two such cases, or one for an end that it includes.
        (
            ANYWHERE,
            r#"{"tree""#,
            r#"{"tree": {"farkas": {}}}, {"tree""#,
            "cases: 1 entries are needed here, not 2",
        ),
        (LOCK, r#""final": "free", "#, "", "cases: 1 entries are needed here, not 2"),
        (ANYWHERE, r#"{"tree""#, r#"{"final": "1", "tree""#, "cases: there is no entry for `0`"),
        // The balance of a global state is no equality.
        (
            ANYWHERE,
            r#"{"s": "-1"}"#,
            r#"{"global 1": "-1"}"#,
            "cases[0].tree.zero.member.equal[1]: `global 1` is an inequality; only equalities can be used here",
        ),
        (
            ANYWHERE,
            r#"{"global 0": "1", "u": "1"}"#,
            r#"{"global 1": "-1", "u": "1"}"#,
            "cases[0].tree.positive.positive.farkas: `global 1` is an inequality; its multiplier must not be negative",
        ),
        (
            ANYWHERE,
            r#"{"global 1": "1", "s": "1"}"#,
            r#"{"global 0": "1", "s": "1"}"#,
            "cases[0].tree.negative.farkas: not proved: `2 t0 - 2 t1 - 1` is left, which may be negative",
        ),
        // Nobody knows which one is empty at the end.
        (END_ANYWHERE, "cut", "cut", "cases[0].tree: `1` is not empty at the end"),
    ]);
}

#[test]
fn leaves_prove_what_they_claim() {
    all_rejected(&[
        // Farkas: changed and missing multipliers, signs, unknown names.
        (
            LOCK,
            r#""place q in": "-1""#,
            r#""place q in": "1""#,
            "cases[1].tree.farkas: not proved: `-2 t0 + 2 t1` is left, which may be negative",
        ),
        (
            LOCK,
            r#", "place q in": "-1""#,
            "",
            "cases[1].tree.farkas: not proved: `-1 t0 + 1 t1` is left, which may be negative",
        ),
        (
            LOCK,
            r#"{"global free": "-1", "place q in": "-1"}"#,
            "{}",
            "cases[1].tree.farkas: not proved: `-1` is left, which may be negative",
        ),
        (
            LOCK,
            r#""place q in": "-1""#,
            r#""place q out": "-1""#,
            "cases[1].tree.farkas: there is no hypothesis `place q out`",
        ),
        (
            LOCK,
            r#""place q in": "-1""#,
            r#""place q in": "-1.0""#,
            "cases[1].tree.farkas: `-1.0` is not a number",
        ),
        (
            LOCK,
            r#""place q in": "-1""#,
            r#""place q in": "1/0""#,
            "cases[1].tree.farkas: `1/0` is not a number",
        ),
        (
            LOCK,
            r#""place q in": "-1""#,
            r#""place q in": -1"#,
            "unreadable: invalid type: integer `-1`, expected a string",
        ),
        (
            LOCK,
            r#""place q in": "-1""#,
            r#""place q in": "-1", "place q in": "-1""#,
            "unreadable: `place q in` is listed twice",
        ),
        (
            SWITCH,
            r#"{"farkas": {"global 0": "-1", "s": "1"}}"#,
            r#"{"farkas": {"global 0": "-1", "s": "-1"}}"#,
            "cases[1].tree.le.farkas: `s` is an inequality; its multiplier must not be negative",
        ),
        // The hypothesis of another branch.
        (
            SWITCH,
            r#"{"farkas": {"global 0": "-1", "s": "1"}}"#,
            r#"{"farkas": {"global 0": "-1", "s": "1", "big": "0"}}"#,
            "cases[1].tree.le.farkas: there is no hypothesis `big`",
        ),
        // A variable of any sign may not be left over.
        (
            SWITCH,
            r#"{"lattice": {"m": "1/2", "n": "-1/2"}}"#,
            r#"{"farkas": {"m": "1/2", "n": "-1/2"}}"#,
            "cases[0].tree.gt.cases[0].cases[0].farkas: not proved: `1 y0 - 1 y1 - 1/2` is left, which may be negative",
        ),
        // Lattice: integer constants and coefficients that are not integers prove nothing, and
        // neither do inequalities.
        (
            SWITCH,
            r#"{"lattice": {"m": "1/2", "n": "-1/2"}}"#,
            r#"{"lattice": {"m": "1", "n": "-1"}}"#,
            "cases[0].tree.gt.cases[0].cases[0].lattice: not proved: `2 y0 - 2 y1 + 1` may be zero",
        ),
        (
            SWITCH,
            r#"{"lattice": {"m": "1/2", "n": "-1/2"}}"#,
            r#"{"lattice": {"m": "1/3", "n": "-1/2"}}"#,
            "cases[0].tree.gt.cases[0].cases[0].lattice: not proved: `1/6 t0 + 2/3 y0 - 1 y1 + 1/2` may be zero",
        ),
        (
            SWITCH,
            r#"{"lattice": {"m": "1/2", "n": "-1/2"}}"#,
            r#"{"lattice": {"big": "1/2"}}"#,
            "cases[0].tree.gt.cases[0].cases[0].lattice: `big` is an inequality; only equalities can be used here",
        ),
        // Member: the right component, lists of the right length.
        (
            LOCK,
            r#""component": 0"#,
            r#""component": 1"#,
            "cases[0].tree.member.component: there is no component 1: there are 1, counted from 0",
        ),
        (
            LOCK,
            r#""component": 0"#,
            r#""component": -1"#,
            "unreadable: invalid value: integer `-1`, expected usize",
        ),
        (
            LOCK,
            r#""lambda": [{"t1": "1"}]"#,
            r#""lambda": []"#,
            "cases[0].tree.member.lambda: 1 entries are needed here, not 0",
        ),
        (
            LOCK,
            r#""nonneg": [{}]"#,
            r#""nonneg": []"#,
            "cases[0].tree.member.nonneg: 1 entries are needed here, not 0",
        ),
        (
            LOCK,
            r#""equal": [{}]"#,
            r#""equal": []"#,
            "cases[0].tree.member.equal: 1 entries are needed here, not 0",
        ),
        (
            LOCK,
            r#""equal": [{}]"#,
            r#""equal": [{}, {}]"#,
            "cases[0].tree.member.equal: 1 entries are needed here, not 2",
        ),
        // lambda: integer, of declared variables, not negative, and the outcome.
        (
            LOCK,
            r#"{"t1": "1"}"#,
            r#"{"t1": "1/2"}"#,
            "cases[0].tree.member.lambda[0]: `1/2` is not an integer",
        ),
        (
            LOCK,
            r#"{"t1": "1"}"#,
            r#"{"t1": "1", "1": "1/2"}"#,
            "cases[0].tree.member.lambda[0]: `1/2` is not an integer",
        ),
        (
            LOCK,
            r#"{"t1": "1"}"#,
            r#"{"t2": "1"}"#,
            "cases[0].tree.member.lambda[0]: there is no variable `t2`",
        ),
        (
            LOCK,
            r#"{"t1": "1"}"#,
            r#"{"t01": "1"}"#,
            "cases[0].tree.member.lambda[0]: there is no variable `t01`",
        ),
        (
            LOCK,
            r#"{"t1": "1"}"#,
            r#"{"t0": "1"}"#,
            "cases[0].tree.member.equal[0]: not proved: `-1 t0 + 1 t1` is left, which may be other than zero",
        ),
        (
            LOCK,
            r#"{"t1": "1"}"#,
            r#"{"t1": "1", "1": "-1"}"#,
            "cases[0].tree.member.nonneg[0]: not proved: `1 t1 - 1` is left, which may be negative",
        ),
        (
            SWITCH,
            r#""nonneg": [{"s": "1"}]"#,
            r#""nonneg": [{}]"#,
            "cases[1].tree.gt.member.nonneg[0]: not proved: `1 t0 - 1` is left, which may be negative",
        ),
        // Above -1 is enough for an integer; -1 is not.
        (
            SWITCH,
            r#""nonneg": [{"m": "-1/2" }]"#,
            r#""nonneg": [{"m": "-1" }]"#,
            "cases[0].tree.gt.cases[1].member.nonneg[0]: not proved: `1 t0 - 1 y0 - 1` is left, which may be negative",
        ),
        (
            SWITCH,
            r#""equal": [{"m": "1" }, "#,
            r#""equal": [{"big": "1" }, "#,
            "cases[0].tree.gt.cases[1].member.equal[0]: `big` is an inequality; only equalities can be used here",
        ),
        (
            SWITCH,
            r#""lambda": [{ "y0": "1"}]"#,
            r#""lambda": [{"y1": "1"}]"#,
            "cases[0].tree.gt.cases[1].member.lambda[0]: there is no variable `y1`",
        ),
    ]);
}

#[test]
fn branches_are_complete_and_their_names_are_new() {
    all_rejected(&[
        (
            SWITCH,
            r#"{"split": {"t0": "1"}, "at": 0, "#,
            r#"{"split": {"t0": "1/2"}, "at": 0, "#,
            "cases[1].tree: `1/2` is not an integer",
        ),
        (
            SWITCH,
            r#"{"split": {"t0": "1"}, "at": 0, "#,
            r#"{"split": {"y0": "1"}, "at": 0, "#,
            "cases[1].tree: there is no variable `y0`",
        ),
        (
            SWITCH,
            r#"{"split": {"t0": "1"}, "at": 0, "#,
            r#"{"split": {"t0": "1"}, "#,
            "unreadable: a `split` node needs `at`",
        ),
        (
            SWITCH,
            r#"{"split": {"t0": "1"}, "at": 0, "#,
            r#"{"split": {"t0": "1"}, "at": 0, "q": 2, "#,
            "unreadable: a `split` node has no `q`",
        ),
        (
            SWITCH,
            r#""at": 0, "name": "s""#,
            r#""at": 1, "name": "s""#,
            "cases[1].tree.le.farkas: not proved: `1 t1 - 1` is left, which may be negative",
        ),
        // A branch is dropped.
        (
            SWITCH,
            r#""le": {"farkas": {"global 0": "-1", "s": "1"}},"#,
            "",
            "unreadable: a `split` node needs `le`",
        ),
        (
            SWITCH,
            r#"{"lattice": {"m": "1/2", "n": "-1/2"}},"#,
            "",
            "cases[0].tree.gt.cases[0]: 2 entries are needed here, not 1",
        ),
        (
            SWITCH,
            r#""q": 2, "name": "n""#,
            r#""q": 0, "name": "n""#,
            "cases[0].tree.gt.cases[0]: there are no remainders by 0",
        ),
        (
            SWITCH,
            r#""q": 2, "name": "n""#,
            r#""q": 1, "name": "n""#,
            "cases[0].tree.gt.cases[0]: 1 entries are needed here, not 2",
        ),
        (
            SWITCH,
            r#""q": 2, "name": "n""#,
            r#""q": -2, "name": "n""#,
            "unreadable: invalid value: integer `-2`, expected u64",
        ),
        // Names that are taken: by a hypothesis above, by the state equation, by a variable.
        (
            SWITCH,
            r#""name": "n""#,
            r#""name": "m""#,
            "cases[0].tree.gt.cases[0]: the name `m` of a hypothesis is taken",
        ),
        (
            SWITCH,
            r#""name": "s""#,
            r#""name": "global 0""#,
            "cases[1].tree: the name `global 0` of a hypothesis is taken",
        ),
        (
            SWITCH,
            r#""variable": "y1""#,
            r#""variable": "y0""#,
            "cases[0].tree.gt.cases[0]: the name `y0` of a variable is taken",
        ),
        (
            SWITCH,
            r#""variable": "y1""#,
            r#""variable": "t1""#,
            "cases[0].tree.gt.cases[0]: the name `t1` of a variable is taken",
        ),
        (
            SWITCH,
            r#""variable": "y1""#,
            r#""variable": "1""#,
            "cases[0].tree.gt.cases[0]: the name `1` of a variable is taken",
        ),
        // A variable before it is declared, in the node that declares it.
        (
            SWITCH,
            r#"{"mod": {"t0": "1", "1": "1"}"#,
            r#"{"mod": {"t0": "1", "y1": "1"}"#,
            "cases[0].tree.gt.cases[0]: there is no variable `y1`",
        ),
        (
            SWITCH,
            r#"{"mod": {"t0": "1", "1": "1"}"#,
            r#"{"split": {}, "mod": {"t0": "1", "1": "1"}"#,
            "unreadable: a node has exactly one of `split`, `sign`, `mod`, `cut`, `last`, `farkas`, `lattice`, `member`",
        ),
        (
            SWITCH,
            r#"{"lattice": {"m": "1/2", "n": "-1/2"}}"#,
            "{}",
            "unreadable: a node has exactly one of `split`, `sign`, `mod`, `cut`, `last`, `farkas`, `lattice`, `member`",
        ),
    ]);
}

#[test]
fn cuts_are_at_places_that_are_empty() {
    all_rejected(&[
        (
            CUT,
            r#"{"global": "5"}"#,
            r#"{"global": "0"}"#,
            "cases[0].tree: `0` is not empty at the start",
        ),
        (
            CUT,
            r#"{"global": "5"}, "#,
            r#"{"global": "5"}, {"global": "5"}, "#,
            "cases[0].tree: `5` is listed twice",
        ),
        (
            CUT,
            r#"{"global": "5"}"#,
            r#"{"global": "7"}"#,
            "cases[0].tree: there is no global state `7`",
        ),
        (CUT, r#"{"global": "5"}"#, "null", "unreadable: invalid type: null, expected a place"),
        (
            CUT,
            r#"{"global": "5"}"#,
            r#"{"global": null}"#,
            "unreadable: a place has either `global`, or `request` and `local`",
        ),
        (
            CUT,
            r#"{"request": "q", "local": "m"}"#,
            r#"{"request": "q", "local": "s"}"#,
            "cases[0].tree: the net has no place `q@s` here (it is removed, merged, or never marked)",
        ),
        // Without global state 5, `m` has a bringer; without `m`, a taker is not counted.
        (
            CUT,
            r#"{"global": "5"}, "#,
            "",
            "cases[0].tree.none.member.equal[0]: not proved: `1/2 t1` is left, which may be other than zero",
        ),
        (
            CUT,
            r#", {"request": "q", "local": "m"}"#,
            "",
            "cases[0].tree.none.member.equal[0]: not proved: `1/2 t2` is left, which may be other than zero",
        ),
        (
            CUT,
            r#""name": "c""#,
            r#""name": "place q m""#,
            "cases[0].tree: the name `place q m` of a hypothesis is taken",
        ),
        (
            CUT,
            r#""some": {"farkas": {"c": "1"}}"#,
            r#""some": {"farkas": {"c": "-1"}}"#,
            "cases[0].tree.some.farkas: `c` is an inequality; its multiplier must not be negative",
        ),
        (
            CUT,
            r#""side": "start","#,
            r#""side": "start", "phase": "p", "#,
            "cases[0].tree: a cut of a phase is at the start of its first part or at the end of its second",
        ),
        (
            CUT,
            r#""side": "start","#,
            r#""side": "start", "phase": "p", "part": "first","#,
            "cases[0].tree: there is no phase `p`",
        ),
    ]);
    // At the end it is the final state that is not empty.
    let end = at_the_end().replace(
        r#"{"final": "5", "tree": {"farkas": {"global 0": "-1"}}}"#,
        r#"{"final": "5", "tree": {"cut": [{"global": "5"}], "side": "end", "name": "c",
            "none": {"farkas": {"global 0": "-1"}}, "some": {"farkas": {"c": "1"}}}}"#,
    );
    let message = verdict(CUT.source, &CUT.certificate(&end));
    assert_eq!(message, "cases[1].tree: `5` is not empty at the end");
}

#[test]
fn phases_have_two_parts() {
    all_rejected(&[
        (
            PHASE,
            r#""last": 1"#,
            r#""last": 2"#,
            "cases[0].tree: there is no transition 2: there are 2, counted from 0",
        ),
        (
            PHASE,
            r#""last": 1"#,
            r#""last": -1"#,
            "unreadable: invalid value: integer `-1`, expected usize",
        ),
        // Another transition: the counts of the second part have no p.t0.
        (
            PHASE,
            r#""last": 1"#,
            r#""last": 0"#,
            "cases[0].tree.never.member.equal[0]: not proved: `-1 t0 + 1 t1` is left, which may be other than zero",
        ),
        (
            PHASE,
            r#"{"split": {"p.t0": "1"}"#,
            r#"{"split": {"p.t1": "1"}"#,
            "cases[0].tree.some: there is no variable `p.t1`",
        ),
        (
            PHASE,
            r#"{"split": {"p.t0": "1"}"#,
            r#"{"split": {"q.t0": "1"}"#,
            "cases[0].tree.some: there is no variable `q.t0`",
        ),
        (
            PHASE,
            r#""name": "g""#,
            r#""name": "p global held""#,
            "cases[0].tree.some: the name `p global held` of a hypothesis is taken",
        ),
        // `p` is a hypothesis only where the transition never fires.
        (
            PHASE,
            r#"{"farkas": {"d": "1"}}"#,
            r#"{"farkas": {"d": "1", "p": "0"}}"#,
            "cases[0].tree.some.le.some.farkas: there is no hypothesis `p`",
        ),
        (
            PHASE,
            r#""equal": [{"p": "1"}]"#,
            r#""equal": [{"p": "1", "p first 1": "0"}]"#,
            "cases[0].tree.never.member.equal[0]: there is no hypothesis `p first 1`",
        ),
        (
            PHASE,
            r#"{"p first 1": "1"}"#,
            r#"{"p first 1": "-1"}"#,
            "cases[0].tree.some.le.none.some.member.nonneg[0]: `p first 1` is an inequality; its multiplier must not be negative",
        ),
        (
            PHASE,
            r#""part": "first""#,
            r#""part": "second""#,
            "cases[0].tree.some.le.none: a cut of a phase is at the start of its first part or at the end of its second",
        ),
        (
            PHASE,
            r#""part": "second""#,
            r#""part": "first""#,
            "cases[0].tree.some.le: a cut of a phase is at the start of its first part or at the end of its second",
        ),
        // One phase inside another of the same name.
        (
            PHASE,
            r#"{"farkas": {"d": "1"}}"#,
            r#"{"last": 0, "name": "p", "never": {"farkas": {"d": "1"}}, "some": {"farkas": {"d": "1"}}}"#,
            "cases[0].tree.some.le.some: the name `p` of a phase is taken",
        ),
        // A phase of another branch.
        (
            PHASE,
            r#""tree": {"farkas": {"global free": "-1", "place q in": "-1"}}"#,
            r#""tree": {"cut": [{"global": "free"}], "side": "end", "phase": "p", "part": "second", "name": "c", "none": {"farkas": {}}, "some": {"farkas": {}}}"#,
            "cases[1].tree: there is no phase `p`",
        ),
    ]);
    // Another phase, of the whole run again, is fine.
    let message = PHASE.tampered(
        r#"{"farkas": {"d": "1"}}"#,
        r#"{"last": 0, "name": "r", "never": {"farkas": {"d": "1"}}, "some": {"farkas": {"d": "1", "r first 0": "0"}}}"#,
    );
    assert_eq!(message, "serializable, by arithmetic: 1 component, 7 cases in trees of 12 nodes");
}

#[test]
fn methods_do_not_mix() {
    all_rejected(&[
        (
            LOCK,
            r#""components": "#,
            r#""invariant": [], "components": "#,
            "unreadable: proof.invariant: this method has no such field",
        ),
        (
            LOCK,
            r#""components": "#,
            r#""labels": [], "components": "#,
            "unreadable: proof.labels: this method has no such field",
        ),
    ]);
    let mixed = LOCK.certificate(LOCK.proof).replace("arithmetic", "inclusion");
    let message = verdict(LOCK.source, &mixed);
    assert_eq!(message, "unreadable: proof.transitions: this method has no such field");
    let nothing = LOCK.certificate(r#""transitions": [], "cases": []"#);
    let message = verdict(LOCK.source, &nothing);
    assert_eq!(message, "unreadable: proof.components: this field is missing");
}

/// The lock's argument with `depth` needless splits above one of its leaves.
fn deep(depth: usize, modulo: bool) -> (String, ser_serializability_checker::Certificate) {
    let mut certificate = read(&LOCK.certificate(LOCK.proof)).expect("readable");
    let Verdict::Serializable(Proof::Arithmetic(Arithmetic { cases, .. })) =
        &mut certificate.verdict
    else {
        panic!("an argument by arithmetic");
    };
    let FinalCase { tree, .. } = &mut cases[0];
    for i in 0..depth {
        let leaf = std::mem::replace(tree, Node::Farkas { multipliers: Terms::default() });
        let name = format!("n{i}");
        let form = Terms([("t0".to_owned(), "1".to_owned())].into());
        *tree = if modulo {
            let variable = format!("y{i}");
            Node::Modulo { form, q: 1, name, variable, cases: vec![leaf] }
        } else {
            let no = Terms([(name.clone(), "1".to_owned())].into());
            let le = Box::new(Node::Farkas { multipliers: no });
            Node::Split { form, at: -1, name, le, gt: Box::new(leaf) }
        };
    }
    (certificate.to_text(), certificate)
}

#[test]
fn trees_as_deep_as_allowed_can_be_read_and_deeper_ones_do_no_harm() {
    let system = read_json(LOCK.source).expect("a system");
    for (modulo, most) in [(false, MAX_TREE_DEPTH - 1), (true, (MAX_TREE_DEPTH - 1) / 2)] {
        let (text, certificate) = deep(most, modulo);
        assert_eq!(read(&text).as_ref(), Ok(&certificate));
        let message = verdict(LOCK.source, &text);
        assert!(message.starts_with("serializable"), "{message}");
        let (_, deeper) = deep(most + 1, modulo);
        let rejection = check(&deeper, LOCK.source.as_bytes(), &system, &Limits::default());
        let message = rejection.map_err(|r| r.to_string()).expect_err("too deep");
        assert!(message.ends_with("this tree is deeper than 110"), "{message}");
    }
    let (text, deepest) = deep(2000, false);
    assert!(read(&text).is_err());
    assert!(check(&deepest, LOCK.source.as_bytes(), &system, &Limits::default()).is_err());
}

#[test]
fn large_numbers_are_exact() {
    // 10^600 + 1 is odd: t0 = 2 y0 + 1 and t0 = 10^600 + 1 + 2 y1 contradict nothing ...
    let huge = format!("1{}1", "0".repeat(599));
    let with = |constant: &str| {
        let mod_n = format!(r#"{{"mod": {{"t0": "1", "1": "{constant}"}}"#);
        SWITCH.tampered(r#"{"mod": {"t0": "1", "1": "1"}"#, &mod_n)
    };
    assert!(with(&huge).starts_with("serializable"));
    // ... and 10^600 is even.
    let message = with(&format!("1{}", "0".repeat(600)));
    assert!(
        message.starts_with("cases[0].tree.gt.cases[0].cases[0].lattice: not proved"),
        "{message}"
    );
    let message = with(&"9".repeat(3000));
    assert_eq!(message, "cases[0].tree.gt.cases[0]: a number has more than 2000 digits");
}

#[test]
fn limits_are_not_a_verdict() {
    let certificate = read(&SWITCH.certificate(SWITCH.proof)).expect("readable");
    let system = read_json(SWITCH.source).expect("a system");
    let limits = Limits { max_states: 0, ..Limits::default() };
    let rejection = check(&certificate, SWITCH.source.as_bytes(), &system, &limits);
    let message = rejection.expect_err("no work is allowed").to_string();
    assert_eq!(message, "normal form: checking stopped: its tables have more than 0 entries");
}

/// `X := 1; yield; y := X; X := 0; y`: serially always 1. The best one can claim.
const LISTING: Case = Case {
    source: r#"{"initial_global": "X=0", "requests": [["main", "start"]],
        "responses": [["y=0", "0"], ["y=1", "1"]],
        "transitions": [["start", "X=0", "yield", "X=1"], ["start", "X=1", "yield", "X=1"],
            ["yield", "X=0", "y=0", "X=0"], ["yield", "X=1", "y=1", "X=0"]]}"#,
    proof: r#""transitions": [
            {"before": "X=0", "after": "X=1", "gives": ["main", "yield"]},
            {"before": "X=1", "after": "X=1", "gives": ["main", "yield"]},
            {"before": "X=0", "takes": ["main", "yield"], "after": "X=0", "responds": ["main", "0"]},
            {"before": "X=1", "takes": ["main", "yield"], "after": "X=0", "responds": ["main", "1"]}],
        "components": [{"word": [], "cycles": [{"at": 0, "word": [[["main", "1"], "X=0"]]}]}],
        "cases": [
            {"final": "X=0", "tree": {"member": {"component": 0, "lambda": [{"t3": "1"}], "nonneg": [{}],
                "equal": [{}, {}]}}},
            {"final": "X=1", "tree": {"farkas": {"global X=0": "-1", "place main yield": "1"}}}]"#,
};

#[test]
fn no_argument_makes_listing_1_2_serializable() {
    assert_eq!(
        LISTING.verdict(),
        "cases[0].tree.member.equal[0]: not proved: `1 t2` is left, which may be other than zero"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is written instead of the names and numbers of a false argument, it stays false.
    #[test]
    fn false_arguments_stay_false(
        edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..5),
        whole in any::<bool>(),
    ) {
        let more = r#"{"split": {"t2": "1"}, "at": 0, "name": "s", "gt": {"cut": [{"global": "X=1"}, {"request": "main", "local": "yield"}], "side": "start", "name": "c",
            "none": {"farkas": {"s": "1", "c": "-1"}},
            "some": {"mod": {"t2": "1"}, "q": 1, "name": "n", "variable": "y0", "cases": [
                {"last": 2, "name": "p", "never": {"farkas": {"s": "1", "p": "-1"}}, "some": {"farkas": {"s": "1", "c": "1", "n": "0", "p first 2": "0", "p global X=0": "0"}}}]}},
            "le": {"member": {"component": 0, "lambda": [{"t3": "1"}], "nonneg": [{}], "equal": [{"s": "1"}, {}]}}}"#;
        let mut proof = LISTING.proof.to_owned();
        if whole {
            let (start, tree) = proof.split_once(r#"{"member""#).expect("a tree");
            let (_, end) = tree.split_once(r#""equal": [{}, {}]}}"#).expect("its end");
            proof = format!("{start}{more}{end}");
        }
        const WORDS: [&str; 27] = ["0", "1", "-1", "2", "1/2", "-1/2", "t0", "t1", "t2", "t3", "y0", "p.t0",
            "p.t2", "s", "c", "n", "p", "X=0", "X=1", "start", "end", "yield", "global X=0", "global X=1",
            "place main yield", "p first 2", "p place main yield"];
        for (at, word) in edits {
            // Odd pieces are between quotes.
            let mut pieces: Vec<&str> = proof.split('"').collect();
            let at = 2 * at.index(pieces.len() / 2) + 1;
            pieces[at] = WORDS[word.index(WORDS.len())];
            proof = pieces.join("\"");
        }
        let message = verdict(LISTING.source, &LISTING.certificate(&proof));
        prop_assert!(!message.starts_with("serializable"), "{}", proof);
    }
}

/// The argument of `LOCK` with a needless distinction by the sign of `t0 - t1`.
const SIGN: Case = Case {
    source: LOCK.source,
    proof: r#""transitions": [
            {"before": "free", "after": "held", "gives": ["q", "in"]},
            {"before": "held", "takes": ["q", "in"], "after": "free", "responds": ["q", "ok"]}],
        "components": [{"word": [], "cycles": [{"at": 0, "word": [[["q", "ok"], "free"]]}]}],
        "cases": [
            {"final": "free", "tree": {"member": {"component": 0,
                "lambda": [{"t1": "1"}], "nonneg": [{}], "equal": [{}]}}},
            {"final": "held", "tree": {"sign": {"t0": "1", "t1": "-1"}, "name": "s",
                "negative": {"farkas": {"s": "1", "place q in": "1"}},
                "zero": {"farkas": {"s": "-1", "global free": "-1"}},
                "positive": {"farkas": {"s": "1", "place q in": "-1"}}}}]"#,
};

#[test]
fn a_form_is_negative_zero_or_positive() {
    assert_eq!(
        SIGN.verdict(),
        "serializable, by arithmetic: 1 component, 4 cases in trees of 5 nodes"
    );
    let rejections = [
        // Only the middle branch knows an equality, whose multiplier may be negative.
        (r#"{"s": "1", "place q in": "1"}"#, r#"{"s": "-1", "global free": "-1"}"#, "negative"),
        (r#"{"s": "1", "place q in": "-1"}"#, r#"{"s": "-1", "global free": "-1"}"#, "positive"),
        // The branches are not interchangeable.
        (r#"{"s": "1", "place q in": "1"}"#, r#"{"s": "1", "place q in": "-1"}"#, "negative"),
        (r#"{"s": "-1", "global free": "-1"}"#, r#"{"s": "1", "place q in": "1"}"#, "zero"),
        (r#"{"s": "-1", "global free": "-1"}"#, r#"{"global free": "-1"}"#, "zero"),
    ];
    for (old, new, branch) in rejections {
        let message = SIGN.tampered(old, new);
        assert!(message.starts_with(&format!("cases[1].tree.{branch}.farkas: ")), "{message}");
    }
    for (old, new, expected) in [
        (r#""name": "s""#, r#""name": "global free""#, "cases[1].tree: the name"),
        (r#"{"t0": "1", "t1": "-1"}"#, r#"{"t0": "1/2", "t1": "-1"}"#, "cases[1].tree: "),
        (r#"{"t0": "1", "t1": "-1"}"#, r#"{"t0": "1", "t7": "-1"}"#, "cases[1].tree: there is no"),
    ] {
        let message = SIGN.tampered(old, new);
        assert!(message.starts_with(expected), "{message}");
    }
    let without_zero =
        SIGN.tampered(r#""zero": {"farkas": {"s": "-1", "global free": "-1"}},"#, "");
    assert!(without_zero.contains("a `sign` node needs `zero`"), "{without_zero}");
}
