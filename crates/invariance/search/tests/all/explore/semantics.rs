//! What each kind of statement does.

use crate::explore::common::{explored, ints, replay, system, values, violated};
use ser_invariance_checker::run::{Elem, Value};
use ser_invariance_checker::witness;
use ser_invariance_search::explore::FaultKind;

fn faults(text: &str, count: u32) -> Vec<FaultKind> {
    let system = system(text);
    let explored = explored(text, count);
    for faulty in &explored.faults {
        let replay = replay(&system, &faulty.run).expect("a run");
        assert_eq!(replay.fault, Some(faulty.fault));
        let witness = witness(text, &system, &faulty.run, &Default::default()).expect("a run");
        assert_eq!(witness.steps.last().and_then(|step| step.fault), Some(faulty.fault));
    }
    explored.faults.iter().map(|faulty| faulty.fault.kind).collect()
}

#[test]
fn statements_of_different_threads_interleave_in_all_ways() {
    let text = "var x: int = 0; set Threads  process thread for self in Threads { var y: int = 0; y := x; x := y + 1; }";
    assert_eq!(ints(text, "x", 3), [0, 1, 2, 3]);
    let text = "var x: int = 0; set Threads  process thread for self in Threads { var y: int = 0; y := x; x := y + 1; end: skip; }
        invariant exact(i, j): i != j && at(i, end) && at(j, end) -> x == 2;";
    assert_eq!(explored(text, 1).violations, []);
    assert_eq!(explored(text, 2).violations[0].run.steps.len(), 4);
}

#[test]
fn atomic_is_one_step_in_sequence() {
    let text = "var x: int = 0; var y: int = 0; set Threads  process thread for self in Threads { atomic { x := y + 1; y := x + 1; } }
        invariant together: y == 2 * x || y > 2;";
    assert_eq!(ints(text, "y", 1), [0, 2]);
    assert_eq!(ints(text, "x", 2), [0, 1, 3]);
}

#[test]
fn an_atomic_block_that_cannot_be_finished_does_nothing() {
    let text = "var x: int = 0; set Threads  process thread for self in Threads { atomic { x := 1; await x == 2; } }";
    assert_eq!(ints(text, "x", 2), [0]);
    let text = "var x: int = 0; set Threads  process thread for self in Threads { atomic { x := x + 1; if x == 1 { await false; } } }";
    assert_eq!(ints(text, "x", 2), [0]);
}

#[test]
fn await_waits_until_somebody_else_makes_it_true() {
    let text = "var x: int = 0;
        set Threads  process thread for self in Threads { choose { x := 1; } or { await x == 1; x := 2; } }";
    assert_eq!(ints(text, "x", 1), [0, 1]);
    assert_eq!(ints(text, "x", 2), [0, 1, 2]);
}

#[test]
fn choice_takes_any_branch_and_the_branch_is_the_path() {
    let text =
        "var x: int = 0; set Threads  process thread for self in Threads { choose { x := 1; } or { x := 2; } or { } x := x + 10; }
        invariant not_second: x != 12;";
    assert_eq!(ints(text, "x", 1), [0, 1, 2, 10, 11, 12]);
    let explored = explored(text, 1);
    let run = &explored.violations[0].run;
    let paths: Vec<u32> = run.steps.iter().map(|step| step.path).collect();
    assert_eq!(paths, [1, 0, 0]);
}

#[test]
fn the_paths_of_nested_ifs_are_numbered_depth_first() {
    // Paths: (T,TT) (T,TF) (T,F) (F,TT) (F,TF) (F,F), with the second `if` behind the first.
    let text = |a: i64, b: i64, c: i64| {
        format!(
            "var a: int = {a}; var b: int = {b}; var c: int = {c}; var x: int = 0;
            set Threads  process thread for self in Threads {{ atomic {{
                if a == 1 {{ x := x + 1; }} else {{ x := x + 2; }}
                if b == 1 {{ if c == 1 {{ x := x + 4; }} }} else {{ x := x + 8; }} }} }}
            invariant still: x == 0;"
        )
    };
    let path = |a, b, c| explored(&text(a, b, c), 1).violations[0].run.steps[0].path;
    assert_eq!(path(1, 1, 1), 0);
    assert_eq!(path(1, 1, 0), 1);
    assert_eq!(path(1, 0, 0), 2);
    assert_eq!(path(0, 1, 1), 3);
    assert_eq!(path(0, 1, 0), 4);
    assert_eq!(path(0, 0, 1), 5);
}

#[test]
fn ghost_actions_multiply_the_paths_of_a_test() {
    let text = |x: i64, g: i64| {
        format!(
            "var x: int = {x}; ghost var g: int = {g}; ghost var h: int = 0;
            set Threads  process thread for self in Threads {{ if x == 1 ghost {{ if g == 1 {{ h := 1; }} else {{ h := 2; }} }} {{ skip; }} }}
            invariant still: h == 0;"
        )
    };
    let path = |x, g| explored(&text(x, g), 1).violations[0].run.steps[0].path;
    assert_eq!([path(1, 1), path(1, 0), path(0, 1), path(0, 0)], [0, 1, 2, 3]);
}

#[test]
fn ghost_actions_come_after_their_statement_in_the_same_step() {
    let text = "var x: int = 0; ghost var g: int = 0;
        set Threads  process thread for self in Threads { loop { await x < 3; x := x + 1 ghost { g := x; } } }
        invariant same: g == x;";
    assert!(explored(text, 2).is_fine());
}

#[test]
fn while_tests_before_each_round_and_goes_back_to_the_test() {
    let text = "var x: int = 0; set Threads  process thread for self in Threads { while x < 3 { x := x + 1; } x := 10; }";
    assert_eq!(ints(text, "x", 1), [0, 1, 2, 3, 10]);
    let text = "var x: int = 0; set Threads  process thread for self in Threads { while x == 0 { } x := 1; }";
    assert_eq!(ints(text, "x", 2), [0]);
}

#[test]
fn a_call_sets_parameters_at_once_and_returns_to_where_it_came_from() {
    let text = "var x: int = 0;
        set Threads  process thread for self in Threads { var a: int = 1; var b: int = 2;
            a := swap(b, a); x := a; b := swap(a, b); x := b * 10; }
        fn swap(p: int, q: int): int { return p - q; }";
    // swap(2, 1) = 1, then swap(1, 2) = -1.
    assert_eq!(ints(text, "x", 1), [-10, 0, 1]);
}

#[test]
fn a_return_takes_the_path_of_its_call_site() {
    let text = "var x: int = 0;
        set Threads  process thread for self in Threads { choose { first: x := p(1); } or { second: x := p(2); } x := x + 10; }
        fn p(a: int): int { return a; }
        invariant not_first: x != 11; invariant not_second: x != 12;";
    let explored = explored(text, 1);
    let path = |number: usize| explored.violations[number].run.steps[2].path;
    assert_eq!([path(0), path(1)], [0, 1]);
}

#[test]
fn locals_of_a_procedure_keep_their_values_between_calls() {
    let text = "var x: int = 0;
        set Threads  process thread for self in Threads { p(); p(); }
        fn p() { var n: int = 5; n := n + 1; x := n; }";
    assert_eq!(ints(text, "x", 1), [0, 6, 7]);
}

#[test]
fn the_result_is_evaluated_before_the_ghost_actions_of_the_return() {
    let text = "var x: int = 0; ghost var g: int = 0; ghost var seen: int = 0;
        set Threads  process thread for self in Threads { x := p(); seen := g; }
        fn p(): int { return x + 1 ghost { g := x; } }";
    // `seen := g` is only for ghosts: written as a ghost action.
    let text = text.replace("seen := g;", "skip ghost { seen := g; }");
    assert_eq!(ints(&text, "x", 1), [0, 1]);
    assert_eq!(ints(&text, "g", 1), [0]);
}

#[test]
fn havoc_chooses_what_its_condition_allows_or_waits() {
    let text = "var x: int = 0; set Threads  process thread for self in Threads { x := choose(int) where x >= 1 && x <= 2; }";
    assert_eq!(ints(text, "x", 1), [0, 1, 2]);
    let text = "var x: int = 0; set Threads  process thread for self in Threads { x := choose(int) where x < x; x := 5; }";
    assert_eq!(ints(text, "x", 1), [0]);
    let text = "var t: Threads = nobody; set Threads  process thread for self in Threads { t := choose(Threads) where t != self; }";
    // Threads are the same up to names: it is another one, or nobody.
    assert_eq!(values(text, "t", 2).len(), 2);
}

#[test]
fn what_havoc_chooses_is_in_the_run() {
    let text = "var x: int = 0; var y: int = 0; set Threads  process thread for self in Threads { atomic { x := choose(int) where x > 0; y := choose(int) where y > x; } }
        invariant small: y <= 1;";
    let system = system(text);
    let explored = explored(text, 1);
    let step = &explored.violations[0].run.steps[0];
    assert_eq!(step.chosen, [Value::Int(1), Value::Int(2)]);
    assert!(replay(&system, &explored.violations[0].run).is_ok());
}

#[test]
fn malloc_gives_a_cell_that_nobody_has_or_leads_to() {
    let text = "var a: addr = null; var b: addr = null; ghost var s: set of addr = {};
        set Threads  process thread for self in Threads { var c: addr = null;
            c := malloc(lowest, b);
            atomic { b := c; c := null; }
            c := malloc(highest, null) ghost { s := s + {c}; }
            c := null;
            a := malloc(highest, b); }
        invariant apart {
            a != null -> a != b && !(a in s) && a != a.next;
            b != null -> !(b in s);
            a != null -> a.lockid == nobody && a.data == highest && a.next == b; }";
    let explored = explored(text, 1);
    assert!(explored.is_fine(), "{:?}", explored.violations);
    assert!(explored.is_complete());
}

#[test]
fn a_cell_that_nobody_can_come_to_is_given_again() {
    let text = "var a: addr = null; set Threads  process thread for self in Threads { loop { a := malloc(lowest, null); a := null; } }";
    let explored = explored(text, 2);
    assert!(explored.is_complete(), "{:?}", explored.narrowed);
    let text = "var a: addr = null; set Threads  process thread for self in Threads { loop { a := malloc(lowest, a); } }";
    assert!(crate::explore::common::explored(text, 1).narrowed.cells);
}

#[test]
fn a_lock_is_had_by_one_and_given_back_by_the_same() {
    let text = "var a: addr; assume a != null && a.lockid == nobody;
        set Threads  process thread for self in Threads { loop { lock a; inside: skip; unlock a; } }
        invariant one(i, j): at(i, inside) && at(j, inside) -> i == j;
        invariant mine(i): at(i, inside) -> a.lockid == i;";
    let explored = explored(text, 3);
    assert!(explored.is_fine());
}

#[test]
fn locking_twice_waits_for_oneself() {
    let text = "var a: addr; assume a != null && a.lockid == nobody; var x: int = 0;
        set Threads  process thread for self in Threads { lock a; lock a; x := 1; }";
    assert_eq!(ints(text, "x", 2), [0]);
}

#[test]
fn unlocking_what_is_not_ones_own_is_an_error() {
    let text = "var a: addr; assume a != null && a.lockid == nobody; set Threads  process thread for self in Threads { unlock a; }";
    assert_eq!(faults(text, 1), [FaultKind::ForeignUnlock]);
    let text = "var a: addr; assume a != null && a.lockid == nobody;
        set Threads  process thread for self in Threads { choose { lock a; } or { await a.lockid != nobody; } unlock a; }";
    assert_eq!(faults(text, 1), []);
    assert_eq!(faults(text, 2), [FaultKind::ForeignUnlock]);
}

#[test]
fn null_must_not_be_locked_unlocked_read_or_written() {
    let fault = |statement: &str| {
        faults(
            &format!(
                "var a: addr = null; var e: elem = lowest; set Threads  process thread for self in Threads {{ {statement} }}"
            ),
            1,
        )
    };
    assert_eq!(fault("lock a;"), [FaultKind::NullLock]);
    assert_eq!(fault("unlock a;"), [FaultKind::NullUnlock]);
    assert_eq!(fault("a := a.next;"), [FaultKind::NullRead]);
    assert_eq!(fault("a.next := null;"), [FaultKind::NullWrite]);
    assert_eq!(fault("a.data := lowest;"), [FaultKind::NullWrite]);
    assert_eq!(fault("await a.data == lowest;"), [FaultKind::NullRead]);
    assert_eq!(fault("if a.lockid == self { skip; }"), [FaultKind::NullRead]);
    assert_eq!(fault("e := a.next.data;"), [FaultKind::NullRead]);
}

#[test]
fn what_is_behind_a_condition_is_read_only_if_it_holds() {
    let fault = |condition: &str| {
        faults(
            &format!(
                "var a: addr = null; set Threads  process thread for self in Threads {{ await {condition}; }}"
            ),
            1,
        )
    };
    assert_eq!(fault("a != null && a.data == lowest"), []);
    assert_eq!(fault("a == null || a.data == lowest"), []);
    assert_eq!(fault("a != null -> a.data == lowest"), []);
    assert_eq!(fault("a == null && a.data == lowest"), [FaultKind::NullRead]);
    assert_eq!(fault("a.data == lowest && a != null"), [FaultKind::NullRead]);
    assert_eq!(fault("(a != null <-> a.data == lowest)"), [FaultKind::NullRead]);
}

#[test]
fn the_condition_of_havoc_has_no_faults() {
    let text = "var a: addr = null; set Threads  process thread for self in Threads { a := choose(addr) where a.next == null; }";
    assert_eq!(faults(text, 1), []);
}

#[test]
fn an_error_behind_an_await_that_waits_does_not_happen() {
    assert_eq!(
        faults(
            "set Threads  process thread for self in Threads { atomic { await false; assert false; } }",
            2
        ),
        []
    );
    assert_eq!(
        faults(
            "set Threads  process thread for self in Threads { atomic { assert false; await false; } }",
            1
        ),
        [FaultKind::Assertion]
    );
}

#[test]
fn an_assertion_that_fails_ends_the_run() {
    let text = "var x: int = 0; set Threads  process thread for self in Threads { x := x + 1; assert x == 1; x := 7; }";
    assert_eq!(faults(text, 1), []);
    let explored = explored(text, 2);
    assert_eq!(explored.faults[0].run.steps.len(), 3);
}

#[test]
fn nothing_compares_with_the_minimum_of_the_empty_set() {
    let holds = |formula: &str| {
        let text = format!(
            "var s: set of int = {{}}; set Threads  process thread for self in Threads {{ skip; }} invariant inv: {formula};"
        );
        explored(&text, 1).is_fine()
    };
    assert!(!holds("min(s) == 0"));
    assert!(!holds("min(s) < 0"));
    assert!(!holds("min(s) >= 0"));
    assert!(!holds("min(s) == min(s)"));
    assert!(!holds("min(s) in {0} + s"));
    assert!(!holds("0 in {0} + {max(s)}"));
    assert!(!holds("{min(s)} subset {0}"));
    assert!(holds("!(min(s) == 0)"));
    assert!(holds("min(s) != 0"));
    assert!(holds("min(s) == 0 -> false"));
    assert!(holds("!(max(s) <= 3) && !(max(s) > 3)"));
}

#[test]
fn the_minimum_of_the_empty_set_has_no_value() {
    let fault = |statement: &str| {
        faults(
            &format!(
                "var s: set of int = {{}}; var x: int = 0; var b: bool = true; set Threads  process thread for self in Threads {{ {statement} }}"
            ),
            1,
        )
    };
    assert_eq!(fault("x := min(s);"), [FaultKind::EmptySet]);
    assert_eq!(fault("x := max(s) + 1;"), [FaultKind::EmptySet]);
    assert_eq!(fault("s := {min(s)};"), [FaultKind::EmptySet]);
    // A formula is no value.
    assert_eq!(fault("b := min(s) == 0;"), []);
    assert_eq!(fault("await min(s) == x;"), []);
    assert_eq!(fault("if min(s) == x { x := min(s); }"), []);
}

#[test]
fn sets_are_what_they_should_be() {
    let holds = |formula: &str| {
        let text = format!(
            "var s: set of int = {{3, 1, 2}}; var t: set of int = {{2, 5}}; set Threads  process thread for self in Threads {{ skip; }} invariant inv: {formula};"
        );
        explored(&text, 1).is_fine()
    };
    assert!(holds("min(s) == 1 && max(s) == 3 && max(s + t) == 5 && min(s - {1}) == 2"));
    assert!(holds("s * t == {2} && s - t == {1, 3} && s + t == {1, 2, 3, 5}"));
    assert!(holds("2 in s * t && !(1 in s * t) && 1 in s - t && !(2 in s - t) && 5 in s + t"));
    assert!(holds("s * t subset s && !(s subset t) && {} subset s && s != t"));
}

#[test]
fn cells_are_followed_to_the_end_or_around() {
    let list = "var a: addr; var b: addr; var c: addr; assume a != null && b != null && c != null && a != b && b != c && a != c;
        assume a.data == lowest && b.data == highest && c.data == highest; set Threads  process thread for self in Threads { skip; }";
    let holds = |heap: &str, formula: &str| {
        let text = format!("{list} assume {heap}; invariant inv: {formula};");
        let explored = explored(&text, 1);
        assert!(explored.initial > 0);
        explored.is_fine()
    };
    let line = "a.next == b && b.next == c && c.next == null";
    assert!(holds(line, "addr2set(a) == {a, b, c, null} && addr2set(null) == {null}"));
    assert!(holds(
        line,
        "reach(a, a) && reach(a, c) && reach(b, null) && !reach(c, b) && !reach(null, a)"
    ));
    assert!(holds(line, "ordered(a, b) && !ordered(a, c) && !ordered(b, a) && ordered(b, b)"));
    assert!(holds(line, "set2elem({a, b}) == {lowest, highest} && set2elem({a}) == {lowest}"));
    let round = "a.next == b && b.next == a && c.next == a";
    assert!(holds(round, "addr2set(a) == {a, b} && addr2set(c) == {a, b, c}"));
    assert!(holds(round, "reach(a, a) && reach(c, b) && !reach(a, c) && !reach(a, null)"));
    assert!(holds(round, "ordered(a, b) && !ordered(b, a) && !ordered(a, null)"));
}

#[test]
fn a_field_of_null_in_a_formula_is_that_of_the_default_cell() {
    let text = "var a: addr = null; set Threads  process thread for self in Threads { skip; }
        invariant inv: a.next == null && a.lockid == nobody && a.next.next == null
            && a.data != lowest && a.data != highest;";
    assert!(explored(text, 2).is_fine());
}

#[test]
fn elements_are_ordered_from_lowest_to_highest() {
    let text = "var e: elem = lowest; set Threads  process thread for self in Threads { e := choose(elem); }
        invariant between: lowest <= e && e <= highest && lowest < highest;";
    assert!(explored(text, 1).is_fine());
    let found = values(text, "e", 1);
    assert!(found.contains(&Value::Elem(Elem::Highest)) && found.len() == 4, "{found:?}");
}

#[test]
fn what_initial_values_leave_open_is_tried() {
    let text = "var x: int; var b: bool; var y: int = x + 1; assume x > 0;
        set Threads  process thread for self in Threads { skip; }
        invariant one: x == 1; invariant yes: b; invariant y_is_more: y == x + 1 && x > 0;";
    let system = system(text);
    let explored = explored(text, 1);
    assert_eq!(violated(&system, &explored), ["one", "yes"]);
    for violation in &explored.violations {
        assert!(violation.run.steps.is_empty());
        assert!(replay(&system, &violation.run).is_ok());
    }
}

#[test]
fn an_initial_value_of_a_local_may_be_the_thread_itself() {
    let text = "set Threads  process thread for self in Threads { var who: Threads = self; var n: int; skip; }
        invariant self(i): who[i] == i; invariant alike(i, j): n[i] == n[j];"
        .replace("invariant self(i)", "invariant own(i)");
    let system = system(&text);
    let explored = explored(&text, 2);
    assert_eq!(violated(&system, &explored), ["alike"]);
}

#[test]
fn a_global_thread_is_always_a_thread() {
    let text = "var boss: Threads; var x: int = 0;
        set Threads  process thread for self in Threads { if self == boss { x := x + 1; } else { end: skip; } }
        invariant one: x <= 1;
        invariant not_there: !at(boss, end);
        invariant a_thread(i): boss != nobody;";
    let explored = explored(text, 3);
    assert!(explored.is_fine(), "{:?}", explored.violations);
    assert!(explored.reached.iter().all(|reached| *reached));
}

#[test]
fn a_closed_system_has_as_many_threads_as_it_says() {
    let text =
        "var x: int = 0; set Threads == 2  process thread for self in Threads { x := x + 1; }";
    assert_eq!(ints(text, "x", 1), [0, 1, 2]);
    assert_eq!(explored(text, 5).threads, 2);
}

#[test]
fn numbers_that_are_too_large_end_the_search_and_not_the_program() {
    let text = "var x: int = 1; set Threads  process thread for self in Threads { loop { x := 1000000007 * x; } }";
    let explored = explored(text, 1);
    assert!(explored.narrowed.integers && explored.is_fine());
}

#[test]
fn numbers_of_any_size_are_remembered() {
    // States are packed: most numbers take one byte, and these are where that changes.
    let mut all = [i64::MIN + 1, -32769, -51, -50, -1, 0, 1, 190, 191, 32767, 32768, i64::MAX - 1];
    let steps: String = all.iter().map(|number| format!("x := {number}; ")).collect();
    let text =
        format!("var x: int = 0; set Threads  process thread for self in Threads {{ {steps} }}");
    all.sort_unstable();
    assert_eq!(ints(&text, "x", 1), all);
}
