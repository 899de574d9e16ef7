//! Forgeries by hand: for each step of the checker the lie that would get past a careless one.
//!
//! The victim is an update in two steps: read, pause, write. Two requests that both read 0 both say
//! so, and one after the other they never do. So whatever claims to be a proof is a forgery; and
//! for the opposite verdict there is a run whose outcome is serial.

use crate::common::{head, verdict};
use ser_base::Limits;
use ser_model::{RunBound, read_json};
use ser_serializability_checker::{
    Certificate, End, MAX_TREE_DEPTH, Node, Proof, Reason, Scope, Terms, Verdict, check, read,
};

/// `inc` reads 0 or 1, pauses, and writes the other; it says what it has read.
const VICTIM: &str = r#"{"initial_global": "0", "requests": [["inc", "s"]],
    "responses": [["d0", "0"], ["d1", "1"]],
    "transitions": [["s", "0", "m0", "0"], ["s", "1", "m1", "1"],
        ["m0", "0", "d0", "1"], ["m0", "1", "d0", "1"], ["m1", "0", "d1", "0"], ["m1", "1", "d1", "0"]]}"#;

fn proof(source: &str, method: &str, fields: &str) -> String {
    let head = head(source);
    let text = format!(
        r#"{{ {head}, "verdict": "serializable", "proof": {{"method": "{method}", {fields}}} }}"#
    );
    verdict(source, &text)
}

/// Whoever accepts this is wrong; and the reason is the one that is expected.
fn rejected(found: &str, expected: &str) {
    assert!(!found.starts_with("serializable"), "accepted: {found}");
    assert!(!found.starts_with("not serializable"), "accepted: {found}");
    assert!(found.contains(expected), "{found}\nnot: {expected}");
}

/// A forged invariant for the victim.
fn invariant(fields: &str, expected: &str) {
    rejected(&proof(VICTIM, "inclusion", fields), expected);
}

/// A forged tree for both final states of the victim.
fn tree(node: &str, expected: &str) {
    rejected(&counted(VICTIM_TRANSITIONS, VICTIM_COMPONENTS, node), expected);
}

const VICTIM_TRANSITIONS: &str = r#"
    {"before": "0", "after": "0", "gives": ["inc", "m0"]},
    {"before": "1", "after": "1", "gives": ["inc", "m1"]},
    {"before": "0", "takes": ["inc", "m0"], "after": "1", "responds": ["inc", "0"]},
    {"before": "1", "takes": ["inc", "m0"], "after": "1", "responds": ["inc", "0"]},
    {"before": "0", "takes": ["inc", "m1"], "after": "0", "responds": ["inc", "1"]},
    {"before": "1", "takes": ["inc", "m1"], "after": "0", "responds": ["inc", "1"]}"#;

const VICTIM_COMPONENTS: &str = r#"
    {"word": [], "cycles": [{"at": 0, "word": [[["inc", "0"], "1"], [["inc", "1"], "0"]]}]},
    {"word": [[["inc", "0"], "1"]],
     "cycles": [{"at": 0, "word": [[["inc", "0"], "1"], [["inc", "1"], "0"]]}]}"#;

fn counted(transitions: &str, components: &str, node: &str) -> String {
    let fields = format!(
        r#""transitions": [{transitions}], "components": [{components}],
           "cases": [{{"final": "0", "tree": {node}}}, {{"final": "1", "tree": {node}}}]"#
    );
    proof(VICTIM, "arithmetic", &fields)
}

/// The victim, where the response 1 does not count. Two that both read 0 are still no serial run.
const GIVES_UP: &str = r#"{"initial_global": "0", "requests": [["inc", "s"], ["ask", "d0"]],
    "responses": [["d0", "0"], ["d1", "1"]], "uncounted": ["1"],
    "transitions": [["s", "0", "m0", "0"], ["s", "1", "m1", "1"],
        ["m0", "0", "d0", "1"], ["m0", "1", "d0", "1"], ["m1", "0", "d1", "0"], ["m1", "1", "d1", "0"]]}"#;

/// A component for the victim that gives up.
fn component(component: &str) -> String {
    let asks = r#"{"before": "0", "after": "0", "responds": ["ask", "0"]},
        {"before": "1", "after": "1", "responds": ["ask", "0"]}"#;
    let fields = format!(
        r#""transitions": [{VICTIM_TRANSITIONS}, {asks}], "components": [{component}], "cases": []"#
    );
    proof(GIVES_UP, "arithmetic", &fields)
}

#[test]
fn only_what_does_not_count_is_free() {
    // Whoever gives up may have done nothing, in any state, once and again; or what it does alone.
    for fine in [
        r#"{"word": [[["inc", "1"], "0"]], "cycles": []}"#,
        r#"{"word": [[["inc", "1"], "0"], [["inc", "1"], "0"], [["inc", "0"], "1"]], "cycles": []}"#,
        r#"{"word": [[["inc", "0"], "1"], [["inc", "1"], "1"], [["inc", "1"], "0"]], "cycles": []}"#,
        r#"{"word": [], "cycles": [{"at": 0, "word": [[["inc", "1"], "0"]]}]}"#,
    ] {
        let found = component(fine);
        assert!(!found.starts_with("serializable") && !found.contains("component"), "{found}");
        assert!(found.starts_with("cases"), "{found}");
    }
    for (forged, expected) in [
        // It does nothing, or what it does: nothing else.
        (r#"[["inc", "1"], "1"]"#, "no request alone leads from `0` with `inc/1` to `1`"),
        // The other response counts.
        (r#"[["inc", "0"], "0"]"#, "no request alone leads from `0` with `inc/0` to `0`"),
        // This request never gives it up.
        (r#"[["ask", "1"], "0"]"#, "no request alone leads from `0` with `ask/1` to `0`"),
        // And nobody gives this one.
        (r#"[["inc", "2"], "0"]"#, "there is no response `2`"),
    ] {
        let word = format!(r#"{{"word": [{forged}], "cycles": []}}"#);
        rejected(&component(&word), expected);
        let cycle = format!(r#"{{"word": [], "cycles": [{{"at": 0, "word": [{forged}]}}]}}"#);
        rejected(&component(&cycle), expected);
    }
    // What counts is for the source to say.
    let fields = r#""uncounted": ["0", "1"], "transitions": [], "components": [], "cases": []"#;
    rejected(&proof(GIVES_UP, "arithmetic", fields), "unreadable");
    rejected(&proof(GIVES_UP, "inclusion", r#""uncounted": ["0"], "invariant": []"#), "unreadable");
}

/// A claim about the victim that gives up: its outcome and its events.
fn claim(outcome: &str, run: &str) -> String {
    let fields = format!(r#""counterexample": {{"outcome": [{outcome}], "run": [{run}]}}"#);
    let text = format!(r#"{{ {}, "verdict": "not_serializable", {fields} }}"#, head(GIVES_UP));
    verdict(GIVES_UP, &text)
}

#[test]
fn who_gives_up_is_no_counterexample() {
    // One request reads 0 and the other reads 1, all in a row: a serial run.
    let start = |n: u32| format!(r#"{{"request": {n}, "start": "inc", "local": "s"}}"#);
    let step = |n: u32, local: &str, global: &str| {
        format!(r#"{{"request": {n}, "step": {{"local": "{local}", "global": "{global}"}}}}"#)
    };
    let respond = |n: u32, it: &str| format!(r#"{{"request": {n}, "respond": "{it}"}}"#);
    let entry = |response: &str, count: u32, more: &str| {
        format!(r#"{{"request": "inc", "response": "{response}", "count": {count}{more}}}"#)
    };
    let first = [start(1), step(1, "m0", "0"), step(1, "d0", "1"), respond(1, "0")].join(",");
    let second = [start(2), step(2, "m1", "1"), step(2, "d1", "0"), respond(2, "1")].join(",");
    let both = [entry("0", 1, ""), entry("1", 1, "")].join(",");
    let run = format!("{first},{second}");
    rejected(&claim(&both, &run), "is also reached serially");
    // A third one has read 1 as well, and gives up: it is free, and so it is no anomaly.
    let third = [start(3), step(3, "m1", "1")].join(",");
    let late = [step(3, "d1", "0"), respond(3, "1")].join(",");
    let outcome = [entry("0", 1, ""), entry("1", 2, "")].join(",");
    let run =
        format!("{first},{third},{second},{late}").replace("\"request\": 3", "\"request\": 9");
    let run =
        run.replace("\"request\": 2", "\"request\": 3").replace("\"request\": 9", "\"request\": 2");
    rejected(&claim(&outcome, &run), "is also reached serially");
    // Nobody gives up in a run without having come that far.
    let free = format!("{},{}", start(1), respond(1, "1"));
    rejected(&claim(&entry("1", 1, ""), &free), "cannot respond `1`");
    // It is listed like everybody else, as often as it was there, and as what it was.
    rejected(&claim(&entry("0", 1, ""), &format!("{first},{second}")), "outcome");
    rejected(
        &claim(&[entry("0", 1, ""), entry("1", 2, "")].join(","), &format!("{first},{second}")),
        "outcome[1]",
    );
    let flagged = [entry("0", 1, ""), entry("1", 1, r#", "counts": false"#)].join(",");
    rejected(&claim(&flagged, &format!("{first},{second}")), "unreadable");
}

#[test]
fn a_quotient_may_be_negative() {
    // y = -1. If a quotient counted as not negative, -1 = 1 * (-1 - y) + y would be a
    // contradiction.
    let node = r#"{"mod": {"1": "-1"}, "q": 1, "name": "m", "variable": "y",
        "cases": [{"farkas": {"m": "1"}}]}"#;
    tree(node, "cases[0].tree.cases[0].farkas: ");
    // The same for the number of times a period is used.
    let node = r#"{"mod": {"1": "-1"}, "q": 1, "name": "m", "variable": "y", "cases": [
        {"member": {"component": 0, "lambda": [{"y": "1"}], "nonneg": [{}], "equal": [{}, {}]}}]}"#;
    tree(node, "nonneg[0]: ");
}

#[test]
fn remainders_have_all_their_cases() {
    tree(r#"{"mod": {"t0": "1"}, "q": 0, "name": "m", "variable": "y", "cases": []}"#, "tree: ");
    let one = r#"{"mod": {"t0": "1"}, "q": 2, "name": "m", "variable": "y",
        "cases": [{"farkas": {}}]}"#;
    tree(one, "cases[0].tree: ");
    let many = r#"{"mod": {"t0": "1"}, "q": 18446744073709551615, "name": "m", "variable": "y",
        "cases": []}"#;
    tree(many, "cases[0].tree: ");
    // A variable that is there already, so that an equation would tie it to itself.
    let taken = r#"{"mod": {"t0": "1", "1": "1"}, "q": 1, "name": "m", "variable": "t0",
        "cases": [{"farkas": {"m": "-1"}}]}"#;
    tree(taken, "`t0`");
    let one = r#"{"mod": {"t0": "1"}, "q": 1, "name": "m", "variable": "1",
        "cases": [{"farkas": {"m": "1"}}]}"#;
    tree(one, "`1`");
}

#[test]
fn splits_at_the_ends_of_the_numbers_do_not_wrap_around() {
    let largest = r#"{"split": {"t0": "1"}, "at": 9223372036854775807, "name": "s",
        "gt": {"farkas": {"s": "1"}}, "le": {"farkas": {"s": "1"}}}"#;
    tree(largest, "tree.le.farkas: ");
    let least = r#"{"split": {"t0": "1"}, "at": -9223372036854775808, "name": "s",
        "le": {"farkas": {"s": "1"}}, "gt": {"farkas": {"s": "1"}}}"#;
    tree(least, "tree.gt.farkas: ");
}

#[test]
fn what_is_known_in_one_branch_is_not_known_in_the_next() {
    // In the first branch `inner` is -1 >= 0, and used there. The second has never heard of it.
    let node = r#"{"split": {"t0": "1"}, "at": -1, "name": "outer",
        "le": {"split": {"1": "0"}, "at": -1, "name": "inner",
            "le": {"farkas": {"inner": "1"}}, "gt": {"farkas": {"outer": "1"}}},
        "gt": {"farkas": {"inner": "1"}}}"#;
    tree(node, "tree.gt.farkas: there is no hypothesis `inner`");
    // A name that is used again does not replace what it stood for.
    let node = r#"{"split": {"t0": "1"}, "at": -1, "name": "global 0",
        "le": {"farkas": {}}, "gt": {"farkas": {}}}"#;
    tree(node, "`global 0`");
    // A phase ends with its branch.
    let node = r#"{"split": {"t0": "1"}, "at": -1, "name": "s",
        "le": {"last": 0, "name": "p", "never": {"farkas": {"s": "1"}}, "some": {"farkas": {"s": "1"}}},
        "gt": {"cut": [{"request": "inc", "local": "m0"}], "side": "end", "phase": "p", "part": "second",
            "name": "c", "none": {"farkas": {}}, "some": {"farkas": {}}}}"#;
    tree(node, "tree.gt: there is no phase `p`");
}

#[test]
fn the_middle_of_a_run_is_neither_its_start_nor_its_end() {
    for (side, part) in [("end", "first"), ("start", "second")] {
        let node = format!(
            r#"{{"last": 0, "name": "p", "never": {{"farkas": {{"p": "0", "global 0": "-1"}}}},
                "some": {{"cut": [{{"request": "inc", "local": "m0"}}], "side": "{side}", "phase": "p",
                    "part": "{part}", "name": "c", "none": {{"farkas": {{}}}}, "some": {{"farkas": {{}}}}}}}}"#
        );
        let node = node.replace(
            r#""never": {"farkas": {"p": "0", "global 0": "-1"}}"#,
            r#""never": {"split": {"1": "0"}, "at": 0, "name": "z", "gt": {"farkas": {"z": "1"}},
                "le": {"farkas": {}}}"#,
        );
        // Whatever comes first, nothing of this is accepted.
        tree(&node, "cases[0].tree");
    }
    // Without the name of the phase a part means nothing.
    let node = r#"{"cut": [{"request": "inc", "local": "m0"}], "side": "end", "part": "second",
        "name": "c", "none": {"farkas": {}}, "some": {"farkas": {}}}"#;
    tree(node, "cases[0].tree: ");
}

#[test]
fn a_cut_at_nothing_shows_nothing() {
    // Nobody takes from no places: that is so, and impossible is only that somebody brings
    // something.
    let node = r#"{"cut": [], "side": "start", "name": "c",
        "some": {"farkas": {"c": "1"}}, "none": {"farkas": {"c": "1"}}}"#;
    tree(node, "tree.none.farkas: ");
    // The control is somewhere at the start.
    let node = r#"{"cut": [{"global": "0"}], "side": "start", "name": "c",
        "none": {"farkas": {}}, "some": {"farkas": {}}}"#;
    tree(node, "cases[0].tree: ");
}

#[test]
fn inequalities_are_no_equalities() {
    let node = r#"{"split": {"1": "0"}, "at": 0, "name": "s", "gt": {"farkas": {"s": "1"}},
        "le": {"lattice": {"s": "1/2"}}}"#;
    tree(node, "tree.le.lattice: ");
    let node = r#"{"split": {"t0": "1"}, "at": 5, "name": "s", "gt": {"farkas": {"s": "-1"}},
        "le": {"farkas": {"s": "-1"}}}"#;
    tree(node, "tree.le.farkas: ");
    // Nothing times a half is a whole number, and a half of a whole form is none.
    tree(r#"{"lattice": {}}"#, "cases[0].tree.lattice: ");
    tree(r#"{"lattice": {"global 0": "1/2"}}"#, "cases[0].tree.lattice: ");
}

#[test]
fn every_letter_is_accounted_for() {
    let member = |component: &str, lambda: &str, nonneg: &str, equal: &str| {
        format!(
            r#"{{"member": {{"component": {component}, "lambda": {lambda}, "nonneg": {nonneg},
                "equal": {equal}}}}}"#
        )
    };
    // One letter is left out; a period that is not there; half a period.
    tree(&member("0", r#"[{"t0": "1"}]"#, "[{}]", "[{}]"), "member.equal: ");
    tree(&member("0", "[]", "[]", "[{}, {}]"), "member.lambda: ");
    tree(&member("2", "[{}]", "[{}]", "[{}, {}]"), "member.component: ");
    tree(&member("0", r#"[{"t0": "1/2"}]"#, "[{}]", "[{}, {}]"), "member.lambda[0]: ");
    tree(&member("0", r#"[{"t0": "-1"}]"#, "[{}]", "[{}, {}]"), "member.nonneg[0]: ");
    // Exactly -1 is not above -1.
    tree(&member("0", r#"[{"1": "-1"}]"#, "[{}]", "[{}, {}]"), "member.nonneg[0]: ");
    tree(&member("0", r#"[{"t0": "1"}]"#, "[{}]", "[{}, {}]"), "member.equal[0]: ");
}

#[test]
fn merged_components_may_have_more_periods_than_one() {
    // Loops at the start, and a step with the same loops beside its own: (b, P) and (b + q, P and
    // q).
    let source = r#"{"initial_global": "0", "requests": [["q", "s"]],
        "responses": [["x", "a"], ["y", "b"], ["z", "c"]],
        "transitions": [["s", "0", "x", "0"], ["s", "0", "y", "0"], ["s", "0", "z", "0"]]}"#;
    let read = |letter: &str| format!(r#"[["q", "{letter}"], "0"]"#);
    let cycle = |letter: &str| format!(r#"{{"at": 0, "word": [{}]}}"#, read(letter));
    let (a, b, c) = (cycle("a"), cycle("b"), cycle("c"));
    let merged = |first: &str, second: &str, period: &str| {
        let fields = format!(
            r#""transitions": [{{"before": "0", "after": "0", "responds": ["q", "a"]}},
                {{"before": "0", "after": "0", "responds": ["q", "b"]}},
                {{"before": "0", "after": "0", "responds": ["q", "c"]}}],
            "components": [{{"word": [], "cycles": [{first}]}},
                {{"word": [{}], "cycles": [{second}]}}, {{"merge": [0, 1], "period": {period}}}],
            "cases": [{{"final": "0", "tree": {{"member": {{"component": 2,
                "lambda": [{{"t0": "1"}}, {{"t1": "1"}}, {{"t2": "1"}}], "nonneg": [{{}}, {{}}, {{}}],
                "equal": [{{}}, {{}}, {{}}]}}}}}}]"#,
            read("b")
        );
        proof(source, "arithmetic", &fields)
    };
    let all = format!("{a}, {b}, {c}");
    let accepted = "serializable, by arithmetic: 3 components, 1 case in trees of 1 node";
    assert_eq!(merged(&format!("{a}, {c}"), &all, "1"), accepted);
    assert_eq!(merged(&format!("{c}, {b}, {a}"), &all, "1"), accepted);
    // The step once more, as another of the periods.
    let twice = format!("{b}, {b}, {c}");
    rejected(&merged(&c, &twice, "0"), "member.equal[0]: ");
    // A period that only the second has; and a period that is not the step.
    rejected(&merged(&a, &all, "1"), "components[2]: ");
    rejected(&merged(&c, &all, "1"), "components[2]: ");
    rejected(&merged(&format!("{a}, {c}"), &all, "0"), "components[2]: ");
}

#[test]
fn components_do_not_lean_on_themselves() {
    let with = |component: &str, expected: &str| {
        let components = format!("{VICTIM_COMPONENTS}, {component}");
        rejected(&counted(VICTIM_TRANSITIONS, &components, r#"{"farkas": {}}"#), expected);
    };
    with(r#"{"merge": [2, 2], "period": 0}"#, "components[2]: ");
    with(r#"{"merge": [0, 3], "period": 0}"#, "components[2]: ");
    with(r#"{"merge": [0, 0], "period": 0}"#, "components[2]: ");
    with(r#"{"merge": [0, 1], "period": 0}"#, "components[2]: ");
    with(r#"{"merge": [0, 1], "period": 1}"#, "components[2]: ");
    // A cycle that does not come back, one that starts elsewhere, and one after the end of the
    // word.
    with(r#"{"word": [], "cycles": [{"at": 0, "word": [[["inc", "0"], "1"]]}]}"#, "components[2]");
    with(
        r#"{"word": [], "cycles": [{"at": 0, "word": [[["inc", "1"], "0"], [["inc", "0"], "1"]]}]}"#,
        "components[2].cycles[0].word[0]: ",
    );
    with(r#"{"word": [], "cycles": [{"at": 1, "word": []}]}"#, "components[2].cycles[0]: ");
    with(r#"{"word": [[["inc", "0"], "0"]]}"#, "components[2].word[0]: ");
}

#[test]
fn every_transition_and_every_end_is_looked_at() {
    let fewer =
        VICTIM_TRANSITIONS.lines().filter(|line| !line.contains(r#""before": "1", "takes""#));
    let fewer: Vec<&str> = fewer.collect();
    let fewer = fewer.join("\n").trim_end_matches([',', ' ', '\n']).to_owned();
    rejected(&counted(&fewer, VICTIM_COMPONENTS, r#"{"farkas": {}}"#), "transitions: ");
    // No cases at all.
    let fields = format!(
        r#""transitions": [{VICTIM_TRANSITIONS}], "components": [{VICTIM_COMPONENTS}], "cases": []"#
    );
    rejected(&proof(VICTIM, "arithmetic", &fields), "cases: ");
}

#[test]
fn an_invariant_says_something_about_every_run() {
    invariant(r#""invariant": []"#, "invariant: ");
    // Nothing to explain explains nothing.
    invariant(
        r#""invariant": [{"global": "0", "serial": []}, {"global": "1", "serial": []}]"#,
        "invariant[0]: ",
    );
    // Everybody is in flight forever: but they are not at the start.
    invariant(
        r#""invariant": [{"global": "0", "in_flight": [
            {"request": "inc", "local": "m0", "count": 1, "period": 1}], "serial": []}]"#,
        "invariant: ",
    );
}

#[test]
fn numbers_in_flight_neither_skip_nor_overflow() {
    let with = |count: &str, period: &str, expected: &str| {
        let fields = format!(
            r#""invariant": [{{"global": "0", "in_flight": [
                {{"request": "inc", "local": "m0", "count": {count}, "period": {period}}}],
                "serial": [{{"global": "0"}}]}}]"#
        );
        invariant(&fields, expected);
    };
    // As if only 0, 2, 4, ... requests could be in flight; or only none and very many.
    with("0", "2", "invariant[0]: ");
    with("0", "18446744073709551615", "invariant[0]: ");
    // One more than the largest number is not 0.
    let most = r#""invariant": [
        {"global": "0", "serial": [{"global": "0"}]},
        {"global": "0", "in_flight": [{"request": "inc", "local": "m0", "count": 18446744073709551615,
            "period": 1}], "serial": []}]"#;
    invariant(most, "invariant");
    // The same place twice: none, and any number.
    let twice = r#""invariant": [{"global": "0", "in_flight": [
        {"request": "inc", "local": "m0", "count": 0, "period": 0},
        {"request": "inc", "local": "m0", "count": 0, "period": 1}], "serial": [{"global": "0"}]}]"#;
    invariant(twice, "invariant[0].in_flight: ");
}

#[test]
fn explanations_need_a_serial_run() {
    let with = |element: &str, expected: &str| {
        let places = r#""in_flight": [{"request": "inc", "local": "m0", "count": 0, "period": 1},
            {"request": "inc", "local": "m1", "count": 0, "period": 1}]"#;
        let fields = format!(
            r#""invariant": [{{"global": "0", {places}, "serial": [{element}]}},
                {{"global": "1", {places}, "serial": [{element}]}}]"#
        );
        invariant(&fields, expected);
    };
    // Letters that are claimed to be loops where there are none; and in the other order.
    with(r#"{"global": "0", "loops": [["inc", "0"], ["inc", "1"]]}"#, "invariant: ");
    with(r#"{"global": "0", "loops": [["inc", "1"], ["inc", "0"]]}"#, "invariant: ");
    // Debts that nobody ever pays, and a letter that waits forever.
    with(r#"{"global": "0", "debts": [["inc", "0"], ["inc", "1"]]}"#, "invariant[0]: ");
    with(r#"{"global": "0", "waiting": ["inc", "0"]}"#, "invariant: ");
    // Serial runs that begin elsewhere.
    with(r#"{"global": "1"}"#, "invariant: ");
}

#[test]
fn reductions_do_not_make_the_victim_atomic() {
    let atomic = r#""invariant": [
        {"global": "0", "serial": [{"global": "0"}]}, {"global": "1", "serial": [{"global": "1"}]}]"#;
    for side in ["left", "right"] {
        for sharp in ["true", "false"] {
            for (first, second) in [("m0", "m1"), ("m1", "m0")] {
                let entry = |local: &str| {
                    format!(
                        r#"{{"move": {{"place": ["inc", "{local}"], "side": "{side}", "sharp": {sharp}}}}}"#
                    )
                };
                for before in ["", r#""slice", "#, r#""exclude", "idle", "slice", "#] {
                    let list = format!("{before}{}, {}", entry(first), entry(second));
                    invariant(&format!(r#""reductions": [{list}], {atomic}"#), "reductions[");
                }
            }
        }
    }
    // Two pauses with different responses are not one; nor are a pause and itself, or one alone.
    for (group, expected) in [
        (r#"["inc", "m0"], ["inc", "m1"]"#, "merge[0][1]: "),
        (r#"["inc", "m0"], ["inc", "m0"]"#, "merge[0][1]: "),
        (r#"["inc", "m0"]"#, "merge[0]: "),
        (r#"["inc", "m0"], ["inc", "s"]"#, "merge[0][1]: "),
        ("", "merge[0]: "),
    ] {
        let fields = format!(r#""reductions": [{{"merge": [[{group}]]}}], {atomic}"#);
        invariant(&fields, expected);
    }
}

/// So many places that one word does not have a bit for each.
const MANY: usize = 70;

/// A chain of pauses, from `m0` on, in this global state; all but the first step of it.
fn pauses(global: &str) -> String {
    let steps = (0..MANY).map(|i| {
        let next = if i + 1 == MANY { "d".to_owned() } else { format!("m{}", i + 1) };
        format!(r#"["m{i}", "{global}", "{next}", "{global}"]"#)
    });
    steps.collect::<Vec<_>>().join(", ")
}

#[test]
fn nobody_meets_anybody_behind_a_lock_however_many_places_there_are() {
    // The last step frees the lock.
    let last = format!(r#"["m{}", "1", "d", "1"]"#, MANY - 1);
    let chain = pauses("1").replace(&last, &last.replace(r#""d", "1""#, r#""d", "0""#));
    let source = format!(
        r#"{{"initial_global": "0", "requests": [["q", "s"]], "responses": [["d", "ok"]],
            "transitions": [["s", "0", "m0", "1"], {chain}]}}"#
    );
    let moved = |sharp: bool| {
        let entries = (0..MANY).rev().map(|i| {
            format!(r#"{{"move": {{"place": ["q", "m{i}"], "side": "right", "sharp": {sharp}}}}}"#)
        });
        let list = entries.collect::<Vec<_>>().join(", ");
        let invariant = r#""invariant": [{"global": "0", "serial": [{"global": "0"}]}]"#;
        proof(&source, "inclusion", &format!(r#""reductions": [{list}], {invariant}"#))
    };
    assert_eq!(moved(true), "serializable, by inclusion: 1 triple, 1 successor covered");
    rejected(&moved(false), "reductions[0].move: ");
}

#[test]
fn whoever_may_meet_is_not_ruled_out_however_many_places_there_are() {
    // In `m1` some go on and some respond, and nobody comes to `m1` after that.
    let source = format!(
        r#"{{"initial_global": "0", "requests": [["q", "s"]], "responses": [["d", "ok"]],
            "transitions": [["s", "0", "m0", "0"], ["m1", "0", "d", "1"], ["m1", "1", "d", "1"], {}]}}"#,
        pauses("0")
    );
    let fields = r#""reductions": [{"move": {"place": ["q", "m1"], "side": "right", "sharp": true}}],
        "invariant": []"#;
    rejected(
        &proof(&source, "inclusion", fields),
        "reductions[0].move: 0 + q@m0 -> 0 + q@m1 and then 0 + q@m1 -> 1 + q/ok",
    );
}

#[test]
fn two_places_behind_one_lock_are_never_occupied_together() {
    let source = r#"{"initial_global": "0", "requests": [["q", "s"]], "responses": [["d", "ok"]],
        "transitions": [["s", "0", "m", "1"], ["m", "1", "n", "1"], ["n", "1", "d", "0"]]}"#;
    let with = |sharp: bool| {
        let fields = format!(
            r#""reductions": [{{"move": {{"place": ["q", "n"], "side": "right", "sharp": {sharp}}}}},
                {{"move": {{"place": ["q", "m"], "side": "left", "sharp": {sharp}}}}}],
                "invariant": [{{"global": "0", "serial": [{{"global": "0"}}]}}]"#
        );
        proof(source, "inclusion", &fields)
    };
    assert_eq!(with(true), "serializable, by inclusion: 1 triple, 1 successor covered");
    rejected(&with(false), "reductions[0].move: ");
}

#[test]
fn what_is_known_on_the_way_costs_memory() {
    let fields = Terms::default;
    let leaf = || Box::new(Node::Farkas { multipliers: fields() });
    let mut certificate = counted_certificate();
    let Verdict::Serializable(Proof::Arithmetic(arithmetic)) = &mut certificate.verdict else {
        panic!("a proof by arithmetic");
    };
    // The first branch of each is open, so what comes after the limits would be the leaf.
    arithmetic.cases[0].tree = (0..100).fold(*leaf(), |below, i| Node::Split {
        form: Terms([("t0".into(), "1".into())].into()),
        at: 0,
        name: format!("{i}{}", "n".repeat(640)),
        le: Box::new(below),
        gt: leaf(),
    });
    let system = read_json(VICTIM).expect("a system");
    // 100 nodes, and for each a hypothesis with one term and ten words of a name.
    let limits = Limits { max_states: 10, ..Limits::default() };
    let few = check(&certificate, VICTIM.as_bytes(), &system, &limits).unwrap_err();
    assert_eq!(few.reason, Reason::TooManyEntries { limit: 1000 }, "{few}");
    let limits = Limits { max_states: 20, ..Limits::default() };
    let enough = check(&certificate, VICTIM.as_bytes(), &system, &limits).unwrap_err();
    assert!(enough.place.ends_with(".farkas"), "{enough}");
}

#[test]
fn hypotheses_have_the_names_that_the_format_says() {
    use ser_serializability_checker::hypothesis::{
        phase_count, phase_first, phase_global, phase_place,
    };
    assert_eq!(phase_global("p", "X=0"), "p global X=0");
    assert_eq!(phase_place("p", "main", "l 1"), r"p place main l\ 1");
    assert_eq!((phase_first("p", 4), phase_count("p", 4)), ("p first 4".into(), "p.t4".into()));
}

#[test]
fn a_response_is_not_decided_before_it_is() {
    // `m` may still respond either way.
    let source = r#"{"initial_global": "0", "requests": [["q", "s"]],
        "responses": [["a", "A"], ["b", "B"]],
        "transitions": [["s", "0", "m", "0"], ["m", "0", "a", "1"], ["m", "1", "b", "0"]]}"#;
    let label = r#""labels": [{"request": "q", "local": "m", "response": "A"}], "invariant": []"#;
    rejected(&proof(source, "inclusion", label), "labels[0]: ");
    let twice = r#""labels": [{"request": "inc", "local": "m0", "response": "0"},
        {"request": "inc", "local": "m0", "response": "0"}], "invariant": []"#;
    invariant(twice, "labels[1]: ");
    let start = r#""labels": [{"request": "inc", "local": "s", "response": "0"}], "invariant": []"#;
    invariant(start, "labels[0]: ");
}

/// The lost update, or what somebody makes of it.
fn run(outcome: &str, events: &str, part: &str) -> String {
    let head = head(VICTIM);
    let text = format!(
        r#"{{ {head}, "verdict": "not_serializable", "counterexample": {{ {part}
            "outcome": [{outcome}], "run": [{events}] }} }}"#
    );
    verdict(VICTIM, &text)
}

const BOTH: &str = r#"{"request": 1, "start": "inc", "local": "s"},
    {"request": 2, "start": "inc", "local": "s"},
    {"request": 1, "step": {"local": "m0", "global": "0"}},
    {"request": 2, "step": {"local": "m0", "global": "0"}},
    {"request": 1, "step": {"local": "d0", "global": "1"}},
    {"request": 2, "step": {"local": "d0", "global": "1"}},
    {"request": 1, "respond": "0"}, {"request": 2, "respond": "0"}"#;

const TWICE: &str = r#"{"request": "inc", "response": "0", "count": 2}"#;

#[test]
fn parts_with_fewer_requests_than_the_run_hide_its_serial_runs() {
    let part = |requests: u64| format!(r#""part": {{"labels": ["inc"], "requests": {requests}}},"#);
    let accepted = "not serializable: 2 requests in 8 events, and none of the serial runs has this \
                    outcome (2 states visited)";
    assert_eq!(run(TWICE, BOTH, ""), accepted);
    for requests in [2, 3, 4_294_967_295] {
        assert_eq!(run(TWICE, BOTH, &part(requests)), accepted);
    }
    for requests in [0, 1] {
        rejected(&run(TWICE, BOTH, &part(requests)), "part: ");
    }
    rejected(&run(TWICE, BOTH, &part(4_294_967_296)), "unreadable");
}

#[test]
fn runs_are_complete_and_outcomes_are_counted() {
    let fewer = BOTH.replace(r#", {"request": 2, "respond": "0"}"#, "");
    let once = TWICE.replace('2', "1");
    rejected(&run(&once, &fewer, ""), "end of run: ");
    // Nobody at all; somebody who never came; somebody who has gone.
    rejected(&run("", "", ""), "end of run: ");
    rejected(&run("", r#"{"request": 18446744073709551615, "respond": "0"}"#, ""), "step 1: ");
    rejected(&run("", r#"{"request": 0, "respond": "0"}"#, ""), "step 1: ");
    let again = format!(r#"{BOTH}, {{"request": 1, "respond": "0"}}"#);
    rejected(&run(TWICE, &again, ""), "step 9: ");
    // The outcome in two entries, with something that never happened, or with a number that is too
    // large.
    rejected(&run(&format!("{once}, {once}"), BOTH, ""), "outcome[0]: ");
    let never = r#"{"request": "inc", "response": "1", "count": 0}"#;
    rejected(&run(&format!("{TWICE}, {never}"), BOTH, ""), "outcome[1]: ");
    rejected(&run(&TWICE.replace('2', "18446744073709551615"), BOTH, ""), "outcome[0]: ");
}

#[test]
fn long_serial_runs_are_shown_in_part() {
    // One after the other, so many times: 0, 1, 0, 1, ...
    let serial = |requests: usize| {
        let mut events = Vec::new();
        for i in 0..requests {
            let (n, old, new) = (i + 1, i % 2, (i + 1) % 2);
            events.push(format!(
                r#"{{"request": {n}, "start": "inc", "local": "s"}},
                   {{"request": {n}, "step": {{"local": "m{old}", "global": "{old}"}}}},
                   {{"request": {n}, "step": {{"local": "d{old}", "global": "{new}"}}}},
                   {{"request": {n}, "respond": "{old}"}}"#
            ));
        }
        let entry = |response: usize| {
            let count = (requests + 1 - response) / 2;
            format!(r#"{{"request": "inc", "response": "{response}", "count": {count}}}"#)
        };
        run(&format!("{}, {}", entry(0), entry(1)), &events.join(","), "")
    };
    rejected(&serial(12), "outcome: ");
    assert!(!serial(11).contains("...") && !serial(12).contains("..."), "{}", serial(12));
    assert!(serial(13).contains(", ..."), "{}", serial(13));
}

#[test]
fn certificates_say_what_they_are_about() {
    let certificate = |part: &str| {
        let head = head(VICTIM);
        let text = format!(
            r#"{{ {head}, "verdict": "not_serializable", "counterexample": {{ {part}
                "outcome": [], "run": [] }} }}"#
        );
        read(&text).expect("readable").scope()
    };
    assert_eq!(certificate(""), Scope::Whole);
    let part = r#""part": {"labels": ["inc"], "requests": 3, "preemptions": 1},"#;
    let bound = RunBound { requests: 3, preemptions: Some(1) };
    assert_eq!(certificate(part), Scope::Part(["inc".to_owned()].into(), bound));
}

#[test]
fn trees_of_every_kind_have_a_bottom() {
    // Where -1 >= 0 is known, every leaf holds, and only the depth can be wrong.
    let leaf = || Node::Farkas { multipliers: Terms([("z".into(), "1".into())].into()) };
    let form = Terms::default;
    let node = |kind: usize, children: [Box<Node>; 3], name: String| {
        let [first, second, third] = children;
        match kind {
            0 => Node::Split { form: form(), at: 0, name, le: first, gt: second },
            1 => Node::Sign { form: form(), name, negative: first, zero: second, positive: third },
            2 => {
                let (side, places) = (End::Start, Vec::new());
                let (phase, part) = (None, None);
                Node::Cut { places, side, phase, part, name, none: first, some: second }
            }
            _ => Node::Last { transition: 0, name, never: first, some: second },
        }
    };
    let (base, limits) = (counted_certificate(), Limits::default());
    let system = read_json(VICTIM).expect("a system");
    for (kind, children) in [(0, 2), (1, 3), (2, 2), (3, 2)] {
        for child in 0..children {
            for (depth, too_deep) in [(MAX_TREE_DEPTH, false), (MAX_TREE_DEPTH + 1, true)] {
                // The root and a leaf are two of them.
                let chain = (0..depth - 2).fold(leaf(), |below, i| {
                    let mut all = [leaf(), leaf(), leaf()].map(Box::new);
                    *all[child] = below;
                    node(kind, all, format!("h{i}"))
                });
                let tree = Node::Split {
                    form: form(),
                    at: -1,
                    name: "z".into(),
                    le: Box::new(chain),
                    gt: Box::new(Node::Farkas { multipliers: Terms::default() }),
                };
                let mut certificate = base.clone();
                let Verdict::Serializable(Proof::Arithmetic(arithmetic)) = &mut certificate.verdict
                else {
                    panic!("a proof by arithmetic");
                };
                arithmetic.cases[0].tree = tree;
                let rejection =
                    check(&certificate, VICTIM.as_bytes(), &system, &limits).unwrap_err();
                let place = rejection.place.as_str();
                let found = matches!(rejection.reason, Reason::TooDeep { .. });
                assert_eq!(found, too_deep, "kind {kind}, child {child}: {rejection}");
                // The other half of the root is where it ends otherwise.
                assert_eq!(place == "cases[0].tree.gt.farkas", !too_deep, "{rejection}");
            }
        }
    }
}

fn counted_certificate() -> Certificate {
    let text = format!(
        r#"{{ {}, "verdict": "serializable", "proof": {{"method": "arithmetic",
            "transitions": [{VICTIM_TRANSITIONS}], "components": [{VICTIM_COMPONENTS}],
            "cases": [{{"final": "0", "tree": {{"farkas": {{}}}}}}]}} }}"#,
        head(VICTIM)
    );
    read(&text).expect("readable")
}

#[test]
fn nobody_stands_in_for_what_can_do_more() {
    // If 0 and 1 stood in for each other, whatever `inc` says would be explained.
    let both = |of_zero: &str, of_one: &str| {
        format!(
            r#""stand_ins": [{{"global": "0", "instead_of": "1", "loops": [{of_zero}]}},
                {{"global": "1", "instead_of": "0", "loops": [{of_one}]}}],
               "invariant": [{{"global": "0", "serial": [{{"global": "0"}}]}},
                {{"global": "1", "serial": [{{"global": "0"}}]}}]"#
        )
    };
    invariant(&both("", ""), "stand_ins[0]: the stand-in has no answer to `inc/1`");
    // Given the letters themselves it is true, but no serial run has them.
    let given = both(r#"["inc", "1"]"#, r#"["inc", "0"]"#);
    invariant(&given, "invariant[0]: no triple covers the successor");
    // The same with elements that claim what they need.
    let claimed = given
        .replace(r#"{"global": "0"}"#, r#"{"global": "0", "loops": [["inc", "0"], ["inc", "1"]]}"#);
    invariant(&claimed, "invariant: no triple covers the start");
}

#[test]
fn a_stand_in_may_be_elsewhere() {
    // Nobody is in `m` without `set/0` before: the promise says so, and no path to 0 has the letter
    // as a self-loop. With stand-ins, the path that explains need not end in 0, so that this says
    // nothing: whoever listed a harmless one must not get past the check.
    let source = r#"{"initial_global": "0", "requests": [["set", "s"], ["get", "g"]],
        "responses": [["x", "0"], ["y", "1"]],
        "transitions": [["s", "0", "m", "0"], ["m", "0", "x", "1"], ["s", "1", "x", "1"],
            ["g", "0", "x", "0"], ["g", "1", "y", "1"]]}"#;
    let fields = |stand_ins: &str| {
        format!(
            r#""promises": [{{"request": "set", "local": "m", "loops": [["get", "1"]]}}],
               "stand_ins": [{stand_ins}],
               "invariant": [{{"global": "0", "in_flight": [{{"request": "set", "local": "m", "count": 0, "period": 1}}],
                "serial": [{{"global": "0", "loops": [["get", "0"]]}}]}}]"#
        )
    };
    let same = r#"{"global": "1", "instead_of": "1"}"#;
    let at = "invariant[0]: no triple covers the successor by the transition";
    // It does not come to `m` with what is promised there.
    rejected(&proof(source, "inclusion", &fields("")), &format!("{at} 0 -> 0 + set@m"));
    // Neither here; and nobody is excluded from `m` either.
    let found = proof(source, "inclusion", &fields(same));
    rejected(&found, at);
}
