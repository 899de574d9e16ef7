//! Arguments by inclusion: some that hold, and the ways in which one can be tampered with.

use crate::common::{head, verdict};
use ser_base::Limits;
use ser_model::read_json;
use ser_serializability_checker::{Reason, check, read};

/// A system with an argument for it.
struct Case {
    source: &'static str,
    /// The fields of `proof` after `method`.
    proof: &'static str,
}

impl Case {
    fn certificate(&self, proof: &str) -> String {
        format!(
            r#"{{ {}, "verdict": "serializable", "proof": {{"method": "inclusion", {proof}}} }}"#,
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

/// A spin lock: whoever finds it free holds it for one step; whoever does not tries again.
const LOCK: Case = Case {
    source: r#"{"initial_global": "free", "requests": [["q", "try"]], "responses": [["done", "ok"]],
        "transitions": [["try", "free", "critical", "held"], ["try", "held", "try", "held"],
            ["critical", "held", "done", "free"], ["critical", "free", "done", "held"]]}"#,
    proof: r#""reductions": ["slice", "idle", "slice"],
        "invariant": [
            {"global": "free", "serial": [{"global": "free", "loops": [["q", "ok"]]}]},
            {"global": "held", "in_flight": [{"request": "q", "local": "critical", "count": 1, "period": 0}],
             "serial": [{"global": "free", "loops": [["q", "ok"]]}]}]"#,
};

/// Requests wait for their turn and then act in one step: nobody is ever in flight.
const ATOMIC: Case = Case {
    source: r#"{"initial_global": "0", "requests": [["inc", "i"], ["dec", "d"]],
        "responses": [["j", "up"], ["e", "down"]],
        "transitions": [["i", "0", "j", "1"], ["i", "1", "i", "1"],
            ["d", "1", "e", "0"], ["d", "0", "d", "0"]]}"#,
    proof: r#""reductions": ["slice", "idle", "slice"],
        "invariant": [
            {"global": "0", "serial": [{"global": "0"}]},
            {"global": "1", "serial": [{"global": "1"}]}]"#,
};

/// The same lock with two names for the critical section, and a third place that differs.
const MERGE: Case = Case {
    source: r#"{"initial_global": "free", "requests": [["q", "try"], ["p", "try"]],
        "responses": [["done", "ok"]],
        "transitions": [["try", "free", "left", "held"], ["try", "free", "right", "held"],
            ["left", "held", "done", "free"], ["right", "held", "done", "free"],
            ["try", "free", "long", "held"], ["long", "held", "left", "held"]]}"#,
    proof: r#""reductions": ["slice", {"merge": [[["q", "left"], ["q", "right"]], [["p", "left"], ["p", "right"]]]}],
        "invariant": [
            {"global": "free", "serial": [{"global": "free", "loops": [["q", "ok"], ["p", "ok"]]}]},
            {"global": "held", "in_flight": [{"request": "q", "local": "left", "count": 1, "period": 0}],
             "serial": [{"global": "free", "loops": [["q", "ok"], ["p", "ok"]]}]},
            {"global": "held", "in_flight": [{"request": "p", "local": "left", "count": 1, "period": 0}],
             "serial": [{"global": "free", "loops": [["q", "ok"], ["p", "ok"]]}]},
            {"global": "held", "in_flight": [{"request": "q", "local": "long", "count": 1, "period": 0}],
             "serial": [{"global": "free", "loops": [["q", "ok"], ["p", "ok"]]}]},
            {"global": "held", "in_flight": [{"request": "p", "local": "long", "count": 1, "period": 0}],
             "serial": [{"global": "free", "loops": [["q", "ok"], ["p", "ok"]]}]}]"#,
};

/// Any number of requests in flight: `get` reads 0 or 1 and says so later; `set` makes it 1.
/// What a late `get` of 0 says is a self-loop of the serial state 0, which the run has left.
const COUNTERS: Case = Case {
    source: r#"{"initial_global": "0", "requests": [["get", "g"], ["set", "s"]],
        "responses": [["said0", "0"], ["said1", "1"], ["set", "ok"]],
        "transitions": [["g", "0", "saw0", "0"], ["g", "1", "saw1", "1"],
            ["saw0", "0", "said0", "0"], ["saw0", "1", "said0", "1"], ["saw1", "1", "said1", "1"],
            ["s", "0", "set", "1"], ["s", "1", "set", "1"]]}"#,
    proof: r#""reductions": ["slice"],
        "invariant": [
            {"global": "0", "serial": [{"global": "0", "loops": [["get", "0"]]}]},
            {"global": "0", "in_flight": [{"request": "get", "local": "saw0", "count": 1, "period": 1}],
             "serial": [{"global": "0", "loops": [["get", "0"]]}]},
            {"global": "1", "in_flight": [{"request": "get", "local": "saw0", "count": 0, "period": 1},
                {"request": "get", "local": "saw1", "count": 0, "period": 1}],
             "serial": [{"global": "1", "loops": [["get", "0"], ["get", "1"], ["set", "ok"]]}]}]"#,
};

/// `put` acts in its first step and responds in its second, so a `get` may be read before the
/// `put` that explains it: a debt, paid when the `put` is read.
const DEBTS: Case = Case {
    source: r#"{"initial_global": "0", "requests": [["get", "g"], ["put", "p"]],
        "responses": [["said0", "0"], ["said1", "1"], ["put", "ok"]],
        "transitions": [["g", "0", "said0", "0"], ["g", "1", "said1", "1"],
            ["p", "0", "wait", "1"], ["p", "1", "wait", "1"], ["wait", "1", "put", "1"]]}"#,
    proof: r#""reductions": ["slice"],
        "invariant": [
            {"global": "0", "serial": [{"global": "0", "loops": [["get", "0"]]}]},
            {"global": "1", "in_flight": [{"request": "put", "local": "wait", "count": 1, "period": 1}],
             "serial": [{"global": "0", "loops": [["get", "0"]], "debts": [["get", "1"]]}]},
            {"global": "1", "in_flight": [{"request": "put", "local": "wait", "count": 0, "period": 1}],
             "serial": [{"global": "1", "loops": [["get", "0"], ["get", "1"], ["put", "ok"]]}]}]"#,
};

/// `a` acts in its first step and responds in its second; `b` acts once, after `a`. Read before `a`
/// it is no self-loop of any state: it waits for the edge of `a`, and then has its own.
const WAITING: Case = Case {
    source: r#"{"initial_global": "0", "requests": [["a", "s"], ["b", "t"]],
        "responses": [["x", "ok"], ["y", "ok"]],
        "transitions": [["s", "0", "w", "1"], ["w", "1", "x", "1"], ["w", "2", "x", "2"], ["t", "1", "y", "2"]]}"#,
    proof: r#""reductions": ["slice"],
        "invariant": [
            {"global": "0", "serial": [{"global": "0"}]},
            {"global": "1", "in_flight": [{"request": "a", "local": "w", "count": 1, "period": 0}], "serial": [{"global": "0"}]},
            {"global": "1", "serial": [{"global": "1"}]},
            {"global": "2", "in_flight": [{"request": "a", "local": "w", "count": 1, "period": 0}],
             "serial": [{"global": "0", "waiting": ["b", "ok"]}]},
            {"global": "2", "serial": [{"global": "2"}]}]"#,
};

/// The lock once more, by elimination of the critical section.
const MOVED: Case = Case {
    source: LOCK.source,
    proof: r#""reductions": ["slice", "idle", "exclude", {"move": {"place": ["q", "critical"], "side": "right", "sharp": true}}],
        "invariant": [{"global": "free", "serial": [{"global": "free"}]}]"#,
};

/// The same system, with `put` committed after its first step: no debts.
const LABELS: Case = Case {
    source: DEBTS.source,
    proof: r#""reductions": ["slice"],
        "labels": [{"request": "put", "local": "wait", "response": "ok"}],
        "invariant": [
            {"global": "0", "serial": [{"global": "0", "loops": [["get", "0"]]}]},
            {"global": "1", "in_flight": [{"request": "put", "local": "wait", "count": 0, "period": 1}],
             "serial": [{"global": "1", "loops": [["get", "1"], ["put", "ok"]]}]}]"#,
};

/// Everybody turns a wheel of three forward with the first step and back with the second, so the
/// wheel shows the number in flight modulo 3, and serially it always stands at 0.
const PERIOD: Case = Case {
    source: r#"{"initial_global": "0", "requests": [["q", "s"]], "responses": [["d", "ok"]],
        "transitions": [["s", "0", "m", "1"], ["s", "1", "m", "2"], ["s", "2", "m", "0"],
            ["m", "0", "d", "2"], ["m", "1", "d", "0"], ["m", "2", "d", "1"]]}"#,
    proof: r#""invariant": [
            {"global": "0", "in_flight": [{"request": "q", "local": "m", "count": 0, "period": 3}], "serial": [{"global": "0"}]},
            {"global": "1", "in_flight": [{"request": "q", "local": "m", "count": 1, "period": 3}], "serial": [{"global": "0"}]},
            {"global": "2", "in_flight": [{"request": "q", "local": "m", "count": 2, "period": 3}], "serial": [{"global": "0"}]}]"#,
};

/// `set` goes up to 2, and may respond either way while it is 1; `reset` makes it 0 again, but not
/// after 2. A `set` that will respond `yes` is possible for good. One that will respond `no` has
/// its effect with its first step, which has to be read then: its response is not determined yet.
const PROPHECY: Case = Case {
    source: r#"{"initial_global": "0", "requests": [["set", "s"], ["one", "t"], ["reset", "r"]],
        "responses": [["n", "no"], ["y", "yes"]],
        "transitions": [["s", "0", "m", "1"], ["s", "1", "m", "2"], ["s", "2", "m", "2"],
            ["t", "1", "y", "1"], ["t", "2", "y", "2"],
            ["r", "0", "n", "0"], ["r", "1", "n", "0"], ["r", "2", "n", "2"],
            ["m", "0", "n", "0"], ["m", "1", "n", "1"], ["m", "1", "y", "1"], ["m", "2", "y", "2"]]}"#,
    proof: r#""reductions": ["prophecy", "slice"],
        "labels": [{"request": "set", "local": "m => no", "response": "no"},
            {"request": "set", "local": "m => yes", "response": "yes"}],
        "invariant": [
            {"global": "0", "serial": [{"global": "0", "loops": [["set", "yes"], ["reset", "no"]]}]},
            {"global": "1", "in_flight": [{"request": "set", "local": "m => no", "count": 0, "period": 1},
                {"request": "set", "local": "m => yes", "count": 0, "period": 1}],
             "serial": [{"global": "1", "loops": [["set", "yes"], ["one", "yes"], ["reset", "no"]]}]},
            {"global": "0", "in_flight": [{"request": "set", "local": "m => no", "count": 0, "period": 1},
                {"request": "set", "local": "m => yes", "count": 0, "period": 1}],
             "serial": [{"global": "0", "loops": [["set", "yes"], ["one", "yes"], ["reset", "no"]]}]},
            {"global": "2", "in_flight": [{"request": "set", "local": "m => no", "count": 0, "period": 1},
                {"request": "set", "local": "m => yes", "count": 0, "period": 1}],
             "serial": [{"global": "1", "loops": [["set", "yes"], ["one", "yes"], ["reset", "no"]]}]}]"#,
};

#[test]
fn what_is_foreseen_is_checked() {
    let (no, yes) =
        (r#""local": "m => no", "response": "no""#, r#""local": "m => yes", "response": "yes""#);
    let not_covered = "no triple covers the successor by the transition";
    let table: [(&str, &str, &str); 11] = [
        (
            r#"["prophecy", "slice"]"#,
            r#"["slice"]"#,
            "labels[0]: the net has no place `set@m => no`",
        ),
        (
            r#"["prophecy", "slice"]"#,
            r#"["prophecy", "prophecy"]"#,
            "reductions[1]: `set@m -> no` is listed twice",
        ),
        // Without slicing there are those who have not committed to `no`, and cannot respond any
        // more.
        (r#"["prophecy", "slice"]"#, r#"["prophecy"]"#, "1 -> 2 + set@m -> no"),
        (
            no,
            r#""local": "m => no", "response": "yes""#,
            "labels[0]: the label `set/yes` is not kept",
        ),
        (
            yes,
            r#""local": "m => yes", "response": "no""#,
            "labels[1]: the label `set/no` is not kept",
        ),
        (
            no,
            r#""local": "m -> no", "response": "no""#,
            "labels[0]: the net has no place `set@m -> no`",
        ),
        (no, r#""local": "m", "response": "no""#, "labels[0]: the net has no place `set@m`"),
        (
            no,
            r#""local": "m => maybe", "response": "no""#,
            "labels[0]: there is no local state `m => maybe`",
        ),
        (r#"{"request": "set", "local": "m => no", "response": "no"},"#, "", not_covered),
        (
            r#"[["set", "yes"], ["reset", "no"]]"#,
            r#"[["set", "no"], ["reset", "no"]]"#,
            "no triple covers the start",
        ),
        (r#"{"global": "2", "in_flight""#, r#"{"global": "1", "in_flight""#, not_covered),
    ];
    assert_eq!(PROPHECY.verdict(), "serializable, by inclusion: 4 triples, 16 successors covered");
    for (old, new, expected) in table {
        let message = PROPHECY.tampered(old, new);
        assert!(message.contains(expected), "`{old}` -> `{new}`: {message}");
    }
}

#[test]
fn what_is_possible_for_good_may_come_last() {
    let more = LABELS.tampered(r#"[["get", "0"]]"#, r#"[["get", "0"], ["put", "ok"]]"#);
    assert_eq!(more, "serializable, by inclusion: 2 triples, 5 successors covered");
}

#[test]
fn true_arguments_are_accepted() {
    let table = [
        (LOCK, "2 triples, 2 successors"),
        (ATOMIC, "2 triples, 2 successors"),
        (MERGE, "5 triples, 8 successors"),
        (COUNTERS, "3 triples, 9 successors"),
        (DEBTS, "3 triples, 8 successors"),
        (LABELS, "2 triples, 5 successors"),
        (PERIOD, "3 triples, 6 successors"),
    ];
    for (case, numbers) in table {
        let expected = format!("serializable, by inclusion: {numbers} covered");
        assert_eq!(case.verdict(), expected, "{}", case.proof);
    }
}

/// (case, what is replaced, by what, the message)
type Tampering = (Case, &'static str, &'static str, &'static str);

fn reject_all(table: Vec<Tampering>) {
    for (case, old, new, expected) in table {
        assert_eq!(case.tampered(old, new), expected, "`{old}` -> `{new}`");
    }
}

#[test]
fn invariants_that_are_not_inductive_are_rejected() {
    reject_all(vec![
        // Drop a triple.
        (
            LOCK,
            r#",
            {"global": "held", "in_flight": [{"request": "q", "local": "critical", "count": 1, "period": 0}],
             "serial": [{"global": "free", "loops": [["q", "ok"]]}]}"#,
            "",
            "invariant[0]: no triple covers the successor by the transition free -> held + q@critical",
        ),
        // Drop the first triple, or all of them.
        (
            ATOMIC,
            r#"{"global": "0", "serial": [{"global": "0"}]},"#,
            "",
            "invariant: no triple covers the start: `0`, nobody in flight, nothing to explain",
        ),
        (
            ATOMIC,
            r#"
            {"global": "0", "serial": [{"global": "0"}]},
            {"global": "1", "serial": [{"global": "1"}]}"#,
            "",
            "invariant: no triple covers the start: `0`, nobody in flight, nothing to explain",
        ),
        // The number in flight is wrong: too many for the successor, or none at all.
        (
            LOCK,
            r#""count": 1, "period": 0"#,
            r#""count": 2, "period": 0"#,
            "invariant[0]: no triple covers the successor by the transition free -> held + q@critical",
        ),
        (
            LOCK,
            r#""count": 1, "period": 0"#,
            r#""count": 0, "period": 0"#,
            "invariant[0]: no triple covers the successor by the transition free -> held + q@critical",
        ),
        // More in flight than the argument can take: then one of them is left when it is free.
        (
            LOCK,
            r#""count": 1, "period": 0"#,
            r#""count": 1, "period": 1"#,
            "invariant[1]: no triple covers the successor by the transition held + q@critical -> free + q/ok",
        ),
        // Lower a cap to an exact number.
        (
            COUNTERS,
            r#""count": 1, "period": 1"#,
            r#""count": 1, "period": 0"#,
            "invariant[1]: no triple covers the successor by the transition 0 -> 0 + get@saw0",
        ),
        // Raise a cap: exactly one in flight is then missing.
        (
            COUNTERS,
            r#""count": 1, "period": 1"#,
            r#""count": 2, "period": 1"#,
            "invariant[0]: no triple covers the successor by the transition 0 -> 0 + get@saw0",
        ),
        // A period that leaves numbers out.
        (
            COUNTERS,
            r#"{"request": "get", "local": "saw1", "count": 0, "period": 1}"#,
            r#"{"request": "get", "local": "saw1", "count": 0, "period": 2}"#,
            "invariant[2]: no triple covers the successor by the transition 1 -> 1 + get@saw1",
        ),
        // A wrong residue.
        (
            PERIOD,
            r#""count": 2, "period": 3"#,
            r#""count": 1, "period": 3"#,
            "invariant[0]: no triple covers the successor by the transition 0 + q@m -> 2 + q/ok",
        ),
        // A place that may be marked is said to be empty.
        (
            COUNTERS,
            r#"{"request": "get", "local": "saw0", "count": 0, "period": 1},"#,
            "",
            "invariant[1]: no triple covers the successor by the transition 0 -> 1 + set/ok",
        ),
        // Not covered, because it is somewhere else.
        (
            ATOMIC,
            r#"{"global": "1", "serial""#,
            r#"{"global": "0", "serial""#,
            "invariant[0]: no triple covers the successor by the transition 0 -> 1 + inc/up",
        ),
        // Numbers that cannot be counted.
        (
            LABELS,
            r#""count": 0, "period": 1"#,
            r#""count": 18446744073709551615, "period": 1"#,
            "invariant[0]: no triple covers the successor by the transition 0 -> 1 + put@wait",
        ),
        (
            PERIOD,
            r#""count": 0, "period": 3"#,
            r#""count": 18446744073709551615, "period": 0"#,
            "invariant: no triple covers the start: `0`, nobody in flight, nothing to explain",
        ),
    ]);
}

#[test]
fn counters_at_the_end_of_the_numbers_are_rejected() {
    // A triple that nobody needs is checked all the same.
    let extra = r#""invariant": [
        {"global": "0", "in_flight": [{"request": "q", "local": "m", "count": 18446744073709551615, "period": 0}], "serial": []},"#;
    assert_eq!(PERIOD.tampered(r#""invariant": ["#, extra), "invariant[0]: a counter exceeds 2^64");
}

#[test]
fn serial_elements_that_do_not_follow_are_rejected() {
    reject_all(vec![
        // Drop a debt.
        (
            DEBTS,
            r#""debts": [["get", "1"]]"#,
            r#""debts": []"#,
            "invariant[1]: no triple covers the successor by the transition 1 -> 1 + get/1",
        ),
        // A debt that no edge pays.
        (
            DEBTS,
            r#""debts": [["get", "1"]]"#,
            r#""debts": [["get", "1"], ["put", "0"]]"#,
            "invariant[1]: no triple covers the successor by the transition 1 + put@wait -> 1 + put/ok",
        ),
        // Add a loop that is not on the way.
        (
            DEBTS,
            r#""loops": [["get", "0"]], "debts""#,
            r#""loops": [["get", "0"], ["get", "1"]], "debts""#,
            "invariant[0]: no triple covers the successor by the transition 0 -> 1 + put@wait",
        ),
        (
            LABELS,
            r#"[["get", "0"]]"#,
            r#"[["get", "0"], ["get", "1"]]"#,
            "invariant: no triple covers the start: `0`, nobody in flight, nothing to explain",
        ),
        (
            COUNTERS,
            r#""loops": [["get", "0"], ["get", "1"], ["set", "ok"]]"#,
            r#""loops": [["get", "0"], ["get", "1"], ["set", "ok"], ["set", "1"]]"#,
            "invariant[0]: no triple covers the successor by the transition 0 -> 1 + set/ok",
        ),
        // A loop that is needed is dropped.
        (
            COUNTERS,
            r#""loops": [["get", "0"], ["get", "1"], ["set", "ok"]]"#,
            r#""loops": [["get", "1"], ["set", "ok"]]"#,
            "invariant[2]: no triple covers the successor by the transition 1 + get@saw0 -> 1 + get/0",
        ),
        // Add an element that nothing leads to.
        (
            ATOMIC,
            r#"[{"global": "1"}]"#,
            r#"[{"global": "1"}, {"global": "0"}]"#,
            "invariant[0]: no triple covers the successor by the transition 0 -> 1 + inc/up",
        ),
        (
            ATOMIC,
            r#"{"global": "0", "serial": [{"global": "0"}]}"#,
            r#"{"global": "0", "serial": [{"global": "0"}, {"global": "1"}]}"#,
            "invariant: no triple covers the start: `0`, nobody in flight, nothing to explain",
        ),
        // The serial run is somewhere else.
        (
            PERIOD,
            r#""count": 2, "period": 3}], "serial": [{"global": "0"}]"#,
            r#""count": 2, "period": 3}], "serial": [{"global": "1"}]"#,
            "invariant[0]: no triple covers the successor by the transition 0 + q@m -> 2 + q/ok",
        ),
        // A complete triple with debts only, or without any element.
        (
            DEBTS,
            r#""count": 1, "period": 1"#,
            r#""count": 0, "period": 1"#,
            "invariant[1]: all requests may have responded here, but every serial element has debts or a waiting letter",
        ),
        (
            ATOMIC,
            r#"[{"global": "1"}]"#,
            "[]",
            "invariant[1]: all requests may have responded here, but every serial element has debts or a waiting letter",
        ),
        (
            ATOMIC,
            r#"[{"global": "1"}]"#,
            r#"[{"global": "1", "debts": [["dec", "down"]]}]"#,
            "invariant[1]: all requests may have responded here, but every serial element has debts or a waiting letter",
        ),
    ]);
}

#[test]
fn reductions_that_do_not_hold_are_rejected() {
    let groups = r#"[["q", "left"], ["q", "right"]], [["p", "left"], ["p", "right"]]"#;
    reject_all(vec![
        // Members that behave differently.
        (
            MERGE,
            groups,
            r#"[["q", "left"], ["q", "right"], ["q", "long"]], [["p", "left"], ["p", "right"]]"#,
            "reductions[1].merge[0][2]: `q@left` and `q@long` differ: only one of them has the transition held + q@left -> free + q/ok",
        ),
        (
            MERGE,
            groups,
            r#"[["q", "long"], ["q", "right"]]"#,
            "reductions[1].merge[0][1]: `q@long` and `q@right` differ: only one of them has the transition held + q@long -> held + q@left",
        ),
        // Across requests.
        (
            MERGE,
            groups,
            r#"[["q", "left"], ["p", "left"]]"#,
            "reductions[1].merge[0][1]: `q@left` and `p@left` are places of different requests",
        ),
        // Groups that are not groups, or overlap.
        (
            MERGE,
            groups,
            r#"[["q", "left"]]"#,
            "reductions[1].merge[0]: a group needs at least two places",
        ),
        (
            MERGE,
            groups,
            r#"[["q", "left"], ["q", "right"]], [["q", "right"], ["q", "left"]]"#,
            "reductions[1].merge[1][1]: `q@left` is listed twice",
        ),
        // Unknown or removed places.
        (
            MERGE,
            groups,
            r#"[["q", "left"], ["q", "rite"]]"#,
            "reductions[1].merge[0][1]: there is no local state `rite`",
        ),
        (
            MERGE,
            groups,
            r#"[["q", "left"], ["q", "try"]]"#,
            "reductions[1].merge[0][1]: the net has no place `q@try` here (it is removed, merged, or never marked)",
        ),
        // A merge that is left out: its members are then in the way.
        (
            MERGE,
            groups,
            "",
            "invariant[0]: no triple covers the successor by the transition free -> held + q@right",
        ),
        // The representative is the first of the group, not another one.
        (
            MERGE,
            groups,
            r#"[["q", "right"], ["q", "left"]], [["p", "left"], ["p", "right"]]"#,
            "invariant[1].in_flight[0]: the net has no place `q@left` here (it is removed, merged, or never marked)",
        ),
        // Without `idle` the waiting requests are in flight.
        (
            ATOMIC,
            r#""slice", "idle", "slice""#,
            r#""slice""#,
            "invariant[0]: no triple covers the successor by the transition 0 -> 0 + dec@d",
        ),
        // `idle` does not hold for a step that changes the global state, so it changes nothing.
        (
            DEBTS,
            r#"["slice"]"#,
            r#"["slice", "idle", {"merge": [[["put", "wait"], ["put", "p"]]]}]"#,
            "reductions[2].merge[0][1]: the net has no place `put@p` here (it is removed, merged, or never marked)",
        ),
    ]);
}

#[test]
fn labels_that_are_not_kept_are_rejected() {
    let label = r#"{"request": "put", "local": "wait", "response": "ok"}"#;
    reject_all(vec![
        (
            LABELS,
            label,
            r#"{"request": "put", "local": "wait", "response": "1"}"#,
            "labels[0]: the label `put/1` is not kept by the transition 1 + put@wait -> 1 + put/ok",
        ),
        (
            LABELS,
            label,
            r#"{"request": "put", "local": "wait", "response": "ok"}, {"request": "put", "local": "wait", "response": "ok"}"#,
            "labels[1]: `put@wait` is listed twice",
        ),
        (
            LABELS,
            label,
            r#"{"request": "put", "local": "p", "response": "ok"}"#,
            "labels[0]: the net has no place `put@p` here (it is removed, merged, or never marked)",
        ),
        (
            LABELS,
            label,
            r#"{"request": "put", "local": "wait", "response": "o"}"#,
            "labels[0]: there is no response `o`",
        ),
        // Without the label nothing is read in the first step.
        (
            LABELS,
            label,
            "",
            "invariant[0]: no triple covers the successor by the transition 0 -> 1 + put@wait",
        ),
    ]);
}

#[test]
fn unknown_names_and_repeated_entries_are_rejected() {
    reject_all(vec![
        (
            ATOMIC,
            r#"{"global": "1", "serial""#,
            r#"{"global": "7", "serial""#,
            "invariant[1]: there is no global state `7`",
        ),
        (
            ATOMIC,
            r#"[{"global": "1"}]"#,
            r#"[{"global": "1"}, {"global": "7"}]"#,
            "invariant[1].serial[1]: there is no global state `7`",
        ),
        (
            LABELS,
            r#"[["get", "1"], ["put", "ok"]]"#,
            r#"[["get", "1"], ["pot", "ok"]]"#,
            "invariant[1].serial[0].loops[1]: there is no request `pot`",
        ),
        (
            DEBTS,
            r#""debts": [["get", "1"]]"#,
            r#""debts": [["get", "2"]]"#,
            "invariant[1].serial[0].debts[0]: there is no response `2`",
        ),
        (
            LOCK,
            r#""local": "critical""#,
            r#""local": "done""#,
            "invariant[1].in_flight[0]: the net has no place `q@done` here (it is removed, merged, or never marked)",
        ),
        (
            LOCK,
            r#""local": "critical""#,
            r#""local": "try""#,
            "invariant[1].in_flight[0]: the net has no place `q@try` here (it is removed, merged, or never marked)",
        ),
        (
            LOCK,
            r#""local": "critical""#,
            r#""local": "critics""#,
            "invariant[1].in_flight[0]: there is no local state `critics`",
        ),
        (
            LOCK,
            r#""count": 1, "period": 0}"#,
            r#""count": 1, "period": 0}, {"request": "q", "local": "critical", "count": 1, "period": 0}"#,
            "invariant[1].in_flight: `q@critical` is listed twice",
        ),
        // Also when the entries say the same as no entry.
        (
            LOCK,
            r#""count": 1, "period": 0}"#,
            r#""count": 1, "period": 0}, {"request": "q", "local": "critical", "count": 0, "period": 0}"#,
            "invariant[1].in_flight: `q@critical` is listed twice",
        ),
    ]);
}

#[test]
fn a_letter_that_waits_needs_an_edge() {
    assert_eq!(WAITING.verdict(), "serializable, by inclusion: 5 triples, 5 successors covered");
    reject_all(vec![
        (
            WAITING,
            r#"{"global": "0", "waiting": ["b", "ok"]}"#,
            r#"{"global": "0"}"#,
            "invariant[1]: no triple covers the successor by the transition 1 -> 2 + b/ok",
        ),
        (
            WAITING,
            r#""waiting": ["b", "ok"]"#,
            r#""waiting": ["a", "ok"]"#,
            "invariant[1]: no triple covers the successor by the transition 1 -> 2 + b/ok",
        ),
        (
            WAITING,
            r#""serial": [{"global": "2"}]"#,
            r#""serial": [{"global": "1", "waiting": ["b", "ok"]}]"#,
            "invariant[4]: all requests may have responded here, but every serial element has debts or a waiting letter",
        ),
        (
            WAITING,
            r#""waiting": ["b", "ok"]"#,
            r#""waiting": ["b", "no"]"#,
            "invariant[3].serial[0].waiting: there is no response `no`",
        ),
        (
            WAITING,
            r#""waiting": ["b", "ok"]"#,
            r#""waiting": ["b", "ok"], "debts": [["b", "ok"]]"#,
            "invariant[3]: no triple covers the successor by the transition 2 + a@w -> 2 + a/ok",
        ),
    ]);
}

#[test]
fn eliminations_are_checked() {
    assert_eq!(MOVED.verdict(), "serializable, by inclusion: 1 triple, 1 successor covered");
    reject_all(vec![
        (
            MOVED,
            r#", "sharp": true"#,
            "",
            "reductions[3].move: free -> held + q@critical and then held + q@critical -> free + q/ok, of another request, do not commute",
        ),
        (
            MOVED,
            r#""critical""#,
            r#""try""#,
            "reductions[3].move: the net has no place `q@try` here (it is removed, merged, or never marked)",
        ),
        (
            MOVED,
            r#"["q", "critical"]"#,
            r#"["p", "critical"]"#,
            "reductions[3].move: there is no request `p`",
        ),
    ]);
}

#[test]
fn a_certificate_of_another_source_is_rejected() {
    let certificate = LOCK.certificate(LOCK.proof);
    let message = verdict(ATOMIC.source, &certificate);
    assert!(message.starts_with("source: this certificate belongs to another source"), "{message}");
}

#[test]
fn no_argument_makes_listing_1_2_serializable() {
    // `X := 1; yield; y := X; X := 0; y`: serially always 1. The best one can claim fails.
    let listing = Case {
        source: r#"{"initial_global": "X=0", "requests": [["main", "start"]],
            "responses": [["y=0", "0"], ["y=1", "1"]],
            "transitions": [["start", "X=0", "yield", "X=1"], ["start", "X=1", "yield", "X=1"],
                ["yield", "X=0", "y=0", "X=0"], ["yield", "X=1", "y=1", "X=0"]]}"#,
        proof: r#""invariant": [
            {"global": "X=0", "in_flight": [{"request": "main", "local": "yield", "count": 0, "period": 1}],
             "serial": [{"global": "X=0", "loops": [["main", "1"]]}]},
            {"global": "X=1", "in_flight": [{"request": "main", "local": "yield", "count": 0, "period": 1}],
             "serial": [{"global": "X=0", "loops": [["main", "1"]]}]}]"#,
    };
    assert_eq!(
        listing.verdict(),
        "invariant[0]: no triple covers the successor by the transition X=0 + main@yield -> X=0 + main/0"
    );
}

#[test]
fn limits_are_not_a_verdict() {
    let certificate = read(&COUNTERS.certificate(COUNTERS.proof)).expect("readable");
    let system = read_json(COUNTERS.source).expect("a system");
    let limits = Limits { max_states: 0, ..Limits::default() };
    let rejection = check(&certificate, COUNTERS.source.as_bytes(), &system, &limits)
        .expect_err("no work is allowed");
    assert_eq!(rejection.reason, Reason::TooManyEntries { limit: 0 });
    assert_eq!(rejection.place, "normal form");
}
