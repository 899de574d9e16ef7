//! The traps of parametrized invariance: ways in which a prover can be wrong, each with a file on
//! which it would be.
//!
//! Numbers are those of the list that these tests follow. Whatever is proved or refuted here, the
//! checker has to agree.

use ser_invariance_search::answer::{Answer, Effort, Verdict, answer};
use ser_invariance_search::prove::{Options, Status};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::InvId;

fn system(text: &str) -> System {
    let parse = ser_syntax::inv::parse(text);
    let errors: Vec<_> = parse.diagnostics.iter().filter(|it| it.is_error()).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{text}");
    parse.system
}

fn errors(text: &str) -> String {
    let parse = ser_syntax::inv::parse(text);
    let errors = parse.diagnostics.iter().filter(|it| it.is_error());
    errors.map(|it| it.message.clone()).collect::<Vec<_>>().join("\n")
}

/// The answer, after the checker has accepted its certificate.
fn ask<'s>(text: &str, system: &'s System) -> Answer<'s> {
    let effort = Effort { states: 20_000, ..Effort::default() };
    let found = answer(text, system, &Options::default(), &effort, &Default::default());
    if let Some(certificate) = &found.certificate {
        let checked = ser_invariance_checker::check(certificate, &Default::default());
        checked.unwrap_or_else(|rejection| panic!("{rejection}\n{text}"));
    }
    found
}

fn proved(text: &str) {
    let system = system(text);
    let found = ask(text, &system);
    assert_eq!(found.verdict, Verdict::Proved, "{text}");
}

fn refuted(text: &str) {
    let system = system(text);
    let found = ask(text, &system);
    assert!(matches!(found.verdict, Verdict::Refuted(_)), "{:?}\n{text}", found.verdict);
}

fn not_inductive(text: &str) {
    let system = system(text);
    let found = ask(text, &system);
    assert_eq!(found.verdict, Verdict::NotInductive, "{text}");
    assert!(!found.counter_models.is_empty(), "a counter-model is shown");
}

/// The names of statements at which a condition of the invariant fails, with `self` or `other`.
fn fails_at(text: &str, name: &str) -> Vec<String> {
    let system = system(text);
    let found = ask(text, &system);
    let place = system.invariants.iter().position(|it| it.name.text == name).expect("it is there");
    let judged = &found.proofs.invariants[place];
    assert_eq!(judged.invariant, InvId(place as u32));
    let failing = judged.conditions.iter().filter(|it| matches!(it.status, Status::Fails(_)));
    let mut names: Vec<String> = failing
        .map(|condition| {
            let location = condition.location.expect("a step");
            let name = system.locations[location.0 as usize].name.as_ref().expect("named");
            format!("{} {:?}", name.text, condition.premise)
        })
        .collect();
    names.sort();
    names
}

#[test]
fn trap_1_steps_of_other_threads_are_looked_at() {
    refuted(
        "var owner: Threads = nobody;
         set Threads  process thread for self in Threads { loop { take: owner := self; crit: { skip; } } }
         invariant mine(i): at(i, crit) -> owner == i;",
    );
}

#[test]
fn trap_2_no_name_of_a_parameter_is_taken_for_the_thread_that_moves() {
    for name in ["j", "k", "fresh", "mover"] {
        refuted(&format!(
            "var owner: Threads = nobody;
             set Threads  process thread for self in Threads {{ loop {{ take: owner := self; crit: {{ skip; }} }} }}
             invariant mine({name}): at({name}, crit) -> owner == {name};",
        ));
    }
    let message = errors(
        "var owner: Threads = nobody; set Threads  process thread for self in Threads { loop { owner := self; } }
         invariant mine(me): owner == self;",
    );
    assert!(message.contains("`self`"), "{message}");
}

#[test]
fn trap_3_support_is_about_the_state_before_the_step() {
    for proof in ["", "proof { zero from also; also from zero; }"] {
        refuted(&format!(
            "var x: int = 0;
             set Threads  process thread for self in Threads {{ loop {{ x := x + 1; }} }}
             invariant zero: x == 0;
             invariant also: x < 1;
             {proof}",
        ));
    }
}

#[test]
fn trap_4_a_circle_of_support_needs_a_start() {
    refuted(
        "var x: int = 1;
         set Threads  process thread for self in Threads { loop { x := x + 1; } }
         invariant p: x < 0;
         invariant q: x < 0;
         proof { p from q; q from p; }",
    );
}

#[test]
fn trap_5_two_parameters_may_be_the_same_thread() {
    let lock = "var owner: Threads = nobody;
         set Threads  process thread for self in Threads { loop { atomic { await owner == nobody; owner := self; }
                         crit: { skip; owner := nobody; } } }
         invariant mine(i): at(i, crit) -> owner == i;";
    refuted(&format!("{lock} invariant none(i, j): !(at(i, crit) && at(j, crit));"));
    proved(&format!("{lock} invariant mutex(i, j): i != j -> !(at(i, crit) && at(j, crit));"));
}

#[test]
fn trap_6_a_named_thread_moves_as_well() {
    refuted(
        "var chosen: Threads;
         var flag: int = 0;
         set Threads  process thread for self in Threads { loop { atomic { if self == chosen { flag := 1; } }  crit: { skip; } } }
         invariant untouched: at(chosen, crit) -> flag == 0;",
    );
    proved(
        "var chosen: Threads;
         var flag: int = 0;
         set Threads  process thread for self in Threads { loop { atomic { if self == chosen { flag := 1; } }  crit: { skip; } } }
         invariant marked: at(chosen, crit) -> flag == 1;",
    );
}

#[test]
fn a_named_thread_is_a_thread_whatever_invariants_say() {
    // What the program means must not depend on what is claimed about it.
    let program =
        "var leader: Threads; set Threads  process thread for self in Threads { a: skip; }";
    let is_there = "invariant there: leader != nobody;";
    proved(&format!("{program} {is_there}"));
    proved(&format!("{program} {is_there} invariant somewhere: at(leader, a) || !at(leader, a);"));
    // One that is assigned, or has a value, may be nobody; in whatever way it is assigned.
    for program in [
        "var leader: Threads; set Threads  process thread for self in Threads { a: leader := choose(Threads); }",
        "var leader: Threads; set Threads  process thread for self in Threads { a: leader := who(); } fn who(): Threads { return self; }",
        "ghost var leader: Threads; set Threads  process thread for self in Threads { a: skip ghost { leader := leader; } }",
        "var leader: Threads; set Threads  process thread for self in Threads { a: atomic { if leader == self { leader := self; } } }",
        "var leader: Threads; set Threads  process thread for self in Threads { a: set(); } fn set() { leader := self; }",
    ] {
        refuted(&format!("{program} {is_there}"));
    }
    refuted(
        "var leader: Threads; set Threads  process thread for self in Threads { a: leader := leader; } invariant there: leader != nobody;",
    );
    refuted(
        "var leader: Threads = nobody; set Threads  process thread for self in Threads { a: skip; } invariant there: leader != nobody;",
    );
}

#[test]
fn values_that_only_a_counter_model_knows_are_tried() {
    refuted(
        "set Threads  process thread for self in Threads { var t: int = 0; a: t := choose(int) where t > 3; b: assert false; }",
    );
    refuted(
        "set Threads  process thread for self in Threads { var t: int; a: await t > 3; b: assert false; }",
    );
    refuted(
        "var n: int; assume n > 100; set Threads  process thread for self in Threads { a: n := n + 1; } invariant low: n <= 101;",
    );
    refuted(
        "var s: set of int; assume 7 in s; set Threads  process thread for self in Threads { a: skip; } invariant none: !(7 in s);",
    );
    refuted(
        "var z: int = 0; set Threads  process thread for self in Threads { var x: int; a: x := choose(int) where x > 50 && x < 60;
         b: if x == 57 { z := 1; } } invariant zero: z == 0;",
    );
}

#[test]
fn an_error_in_a_result_has_the_call_that_it_goes_back_to() {
    refuted(
        "var s: set of int = {1};
         set Threads  process thread for self in Threads { var u: int = 0; u := p(); s := {}; u := p(); }
         fn p(): int { return max(s); }",
    );
}

#[test]
fn trap_7_nothing_is_assumed_of_threads_that_nobody_mentions() {
    // True only because a second thread that is different from `i` might be asked: not by default.
    let text = "var low: int = 0;
         set Threads  process thread for self in Threads { var t: int = 0; loop { step: t := t; } }
         invariant apart(i, j): i != j -> t[i] == 0 && low == 0;
         invariant alone(i): low == 0;
         proof { alone follows from apart; }";
    let system = system(text);
    let found = ask(text, &system);
    assert!(!found.proofs.invariants[1].proved, "it would need a thread besides `i`");
}

#[test]
fn trap_8_what_a_step_does_not_assign_stays_and_what_it_assigns_does_not() {
    proved(
        "var x: int = 0;
         set Threads  process thread for self in Threads { var a: int = 0; loop { a := a + 1; x := x + 1; } }
         invariant positive(i, j): a[i] >= 0 && a[j] >= 0 && x >= 0;",
    );
    refuted(
        "var x: int = 0;
         set Threads  process thread for self in Threads { var a: int = 0; loop { a := a + 1; } }
         invariant still(i): a[i] == 0;",
    );
}

/// A heap in which cells are allocated, and nobody has let go of one.
fn allocation(create: &str) -> String {
    format!(
        "ghost var used: set of addr = {{}};
         set Threads  process thread for self in Threads {{
             var mine: addr = null;
             loop {{
                 {create}
                 have: {{ skip; }}
             }}
         }}
         invariant inside(i): at(i, have) -> mine[i] in used;
         invariant different(i, j): i != j && at(i, have) && at(j, have) -> mine[i] != mine[j];"
    )
}

#[test]
fn trap_9_new_cells_are_new_to_everybody() {
    proved(&allocation("mine := malloc(lowest, null) ghost { used := used + {mine}; }"));
    not_inductive_or_refuted(&allocation(
        "mine := choose(addr) where mine != null ghost { used := used + {mine}; }",
    ));
}

#[test]
fn trap_10_locks_have_one_owner() {
    let locks = |take: &str| {
        format!(
            "var cell: addr;
             assume cell != null && cell.lockid == nobody;
             set Threads  process thread for self in Threads {{ loop {{ {take} held: {{ skip; leave: unlock cell; }} }} }}
             invariant there: cell != null;
             invariant mine(i): at(i, held) -> cell.lockid == i;
             invariant mutex(i, j): i != j -> !(at(i, held) && at(j, held));"
        )
    };
    proved(&locks("lock cell;"));
    // Without the lock somebody unlocks what is not his.
    refuted(&locks("skip;"));
}

#[test]
fn trap_11_null_is_an_error_and_not_a_way_to_wait() {
    refuted(
        "var cell: addr = null;
         set Threads  process thread for self in Threads { loop { lock cell; held: { skip; } } }
         invariant never(i): !at(i, held);",
    );
    refuted(
        "var cell: addr = null; var to: addr = null;
         set Threads  process thread for self in Threads { loop { to := cell.next; } }
         invariant nothing: to == null;",
    );
}

#[test]
fn trap_12_the_minimum_of_nothing_is_no_number() {
    let text = include_str!("../../../../../examples/threads/ticket_set.ser");
    proved(text);
    // With any number for the minimum of the empty set this would be refutable.
    proved(
        "var bag: set of int = {};
         set Threads  process thread for self in Threads { loop { skip; } }
         invariant none(i): !(min(bag) == 0) && !(min(bag) < 0) && min(bag) != 3;",
    );
    refuted(
        "var bag: set of int = {}; var x: int = 0;
         set Threads  process thread for self in Threads { loop { x := min(bag); } }
         invariant fine: bag == {};",
    );
}

#[test]
fn trap_13_sets_contain_what_is_put_in() {
    refuted(
        "var bag: set of int = {}; var avail: int = 0;
         set Threads  process thread for self in Threads { loop { atomic { bag := bag + {avail + 1}; avail := avail + 1; } } }
         invariant empty: bag == {};",
    );
    proved(
        "var bag: set of int = {}; var avail: int = 0;
         set Threads  process thread for self in Threads { loop { atomic { bag := bag + {avail + 1}; avail := avail + 1; } } }
         invariant inside: avail == 0 || avail in bag;",
    );
}

#[test]
fn trap_14_lists_may_be_longer_than_the_variables_that_point_into_them() {
    // Five elements need seven cells: that they cannot be there at once must not be provable.
    let text = "var head: addr; var tail: addr;
         var a: elem; var b: elem; var c: elem; var d: elem; var e: elem;
         ghost var reg: set of addr; ghost var elems: set of elem;
         assume reg == addr2set(head) && elems == set2elem(reg - {null}) && ordered(head, tail);
         assume tail.next == null && head != null && tail != null;
         assume lowest < a && a < b && b < c && c < d && d < e && e < highest;
         assume head.data == lowest && tail.data == highest;
         set Threads  process thread for self in Threads { loop { skip; } }
         invariant not_all:
             !(a in elems && b in elems && c in elems && d in elems && e in elems);";
    let system = system(text);
    let found = ask(text, &system);
    assert!(!found.proofs.invariants[0].proved);
    let model = found.counter_models.first().expect("a heap with seven cells");
    let cells = model.before.cells.len();
    assert!(cells >= 7, "{cells} cells");
}

#[test]
fn trap_15_what_is_reached_is_reached_in_finitely_many_steps() {
    let heap = |goal: &str| {
        format!(
            "var head: addr; var a: addr; var b: addr;
             assume head != null && a != null && b != null && head.next == null;
             assume a.next == b && b.next == a && head != a && head != b && a != b;
             set Threads  process thread for self in Threads {{ loop {{ skip; }} }}
             invariant goal: {goal};"
        )
    };
    proved(&heap("!(a in addr2set(head)) && !(null in addr2set(a)) && b in addr2set(a)"));
    refuted(&heap("a in addr2set(head)"));
    refuted(&heap("null in addr2set(a)"));
    // A list that ends has no cycle.
    proved(
        "var head: addr; var tail: addr;
         assume ordered(head, tail) && tail.next == null && tail != null;
         set Threads  process thread for self in Threads { loop { skip; } }
         invariant ends: null in addr2set(head) && (head != tail -> head.next != head);",
    );
}

#[test]
fn trap_16_a_heap_need_not_be_a_list() {
    not_inductive_or_refuted(
        "var head: addr; ghost var reg: set of addr;
         assume head != null && head.next == head && !(head in reg);
         set Threads  process thread for self in Threads { loop { skip; } }
         invariant wrong: reg == addr2set(head);",
    );
}

fn not_inductive_or_refuted(text: &str) {
    let system = system(text);
    let found = ask(text, &system);
    let wrong = matches!(found.verdict, Verdict::Refuted(_) | Verdict::NotInductive);
    assert!(wrong, "{:?}\n{text}", found.verdict);
}

#[test]
fn trap_17_null_has_some_element() {
    not_inductive_or_refuted(
        "var head: addr; var tail: addr; ghost var elems: set of elem;
         assume head != null && tail != null && head.next == tail && tail.next == null;
         assume head.data == lowest && tail.data == highest && elems == {lowest, highest};
         set Threads  process thread for self in Threads { loop { skip; } }
         invariant wrong: elems == set2elem(addr2set(head));",
    );
    proved(
        "var head: addr; var tail: addr; ghost var elems: set of elem;
         assume head != null && tail != null && head.next == tail && tail.next == null;
         assume head.data == lowest && tail.data == highest && elems == {lowest, highest};
         set Threads  process thread for self in Threads { loop { skip; } }
         invariant right: elems == set2elem(addr2set(head) - {null});",
    );
}

/// The list of the examples, with one place of it changed.
fn list_with(from: &str, to: &str) -> String {
    let list = include_str!("../../../../../examples/threads/lock_coupling_list.ser");
    assert!(list.contains(from), "the example has changed: {from}");
    list.replacen(from, to, 1)
}

#[test]
fn trap_18_ranges_end_where_they_end() {
    let one_more = list_with(
        "insert_prev: at(i, insert.look..insert.drop_prev)",
        "insert_prev: at(i, insert.look..insert.drop_curr)",
    );
    let own = fails_at(&one_more, "locks");
    assert!(own.contains(&"drop_prev Own(0)".to_owned()), "{own:?}");
}

#[test]
fn trap_19_what_is_never_reached_is_said() {
    // The bag has the ticket that comes next, and not one's own: nobody ever enters.
    let text = "var avail: int = 0; var bag: set of int = {};
         set Threads  process thread for self in Threads { var ticket: int = 0;
             loop {
                 take: atomic { ticket := avail; avail := avail + 2; bag := bag + {avail - 1}; }
                 wait: await min(bag) == ticket;
                 crit: { inside: skip; leave: bag := bag - {ticket}; }
             } }
         invariant mutex(i, j): i != j -> !(at(i, crit) && at(j, crit));";
    let system = system(text);
    let found = ask(text, &system);
    let names = found.unreached.iter().filter_map(|it| {
        system.locations[it.0 as usize].name.as_ref().map(|name| name.text.as_str())
    });
    assert_eq!(names.collect::<Vec<_>>(), ["inside", "leave"]);
}

#[test]
fn trap_21_threads_are_all_alike() {
    let program = "var owner: Threads = nobody; set Threads  process thread for self in Threads { var t: int = 0; loop { owner := self; } }";
    for formula in ["t[0] == 0", "at(0, thread)", "i < j", "owner == 1"] {
        let message = errors(&format!("{program} invariant wrong(i, j): {formula};"));
        assert!(!message.is_empty(), "{formula}");
    }
}

#[test]
fn trap_22_ghosts_do_not_interfere() {
    let message = errors(
        "ghost var seen: int = 0; var x: int = 0;
         set Threads  process thread for self in Threads { loop { await seen == 0; x := 1 ghost { seen := seen + 1; } } }
         invariant fine: x >= 0;",
    );
    assert!(message.contains("ghost"), "{message}");
}

#[test]
fn trap_23_not_to_know_is_not_to_have_proved() {
    let text = include_str!("../../../../../examples/threads/lock_coupling_list.ser");
    let system = system(text);
    let limits = ser_base::Limits {
        deadline: Some((std::time::Instant::now(), std::time::Duration::ZERO)),
        ..Default::default()
    };
    let effort = Effort::default();
    let found = answer(text, &system, &Options::default(), &effort, &limits);
    assert!(matches!(found.verdict, Verdict::Unknown(_)), "{:?}", found.verdict);
    assert!(found.certificate.is_none());
    assert!(found.proofs.invariants.iter().all(|it| !it.proved));
}

#[test]
fn an_invariant_is_proved_only_if_all_it_uses_is() {
    let text = "var x: int = 0;
         set Threads  process thread for self in Threads { loop { x := x + 1; } }
         invariant small: x < 5;
         invariant smaller: x < 6;
         proof { smaller from small; }";
    let system = system(text);
    let found = ask(text, &system);
    assert!(found.proofs.invariants.iter().all(|it| !it.proved));
}

#[test]
fn conditions_are_counted_as_the_paper_counts_them_and_fail_where_it_says() {
    let ticket = include_str!("../../../../../examples/threads/ticket_lock.ser");
    let without = ticket.split("proof {").next().expect("a proof").to_owned();
    let alone = |name: &str| format!("{without} proof {{ {name}; }}");
    assert_eq!(fails_at(&alone("mutex"), "mutex"), ["wait Own(0)", "wait Own(1)"]);
    assert_eq!(fails_at(&alone("notsame"), "notsame"), ["take Own(0)", "take Own(1)"]);
    assert_eq!(fails_at(&alone("minticket"), "minticket"), ["leave Other"]);
    assert!(fails_at(&alone("activelow"), "activelow").is_empty());
    let set = include_str!("../../../../../examples/threads/ticket_set.ser");
    let without = set.split("proof {").next().expect("a proof").to_owned();
    let text = format!("{without} proof {{ minticket; }}");
    assert_eq!(fails_at(&text, "minticket"), ["leave Other", "take Other"]);
}

#[test]
fn the_wrong_specification_of_the_list_fails_at_one_place_and_really_does() {
    let text = include_str!("../../../../../examples/threads/list_wrong.ser");
    assert_eq!(fails_at(text, "funSchWrong"), ["link Other"]);
    refuted(text);
}

#[test]
fn something_true_that_needs_support_is_not_inductive_without() {
    not_inductive(
        "var x: int = 0; var y: int = 0;
         set Threads  process thread for self in Threads { loop { atomic { x := x + 1; y := y + 1; } } }
         invariant together: x == 5 -> y == 5;",
    );
}

#[test]
fn ghosts_do_not_keep_addresses_from_being_used_again() {
    // The same program with and without a ghost that remembers every address.
    let program = |ghost: &str, remember: &str| {
        format!(
            "var first: addr = null; var second: addr = null; {ghost}
             set Threads  process thread for self in Threads {{ loop {{
                 one: first := malloc(lowest, null) {remember};
                 forget: first := null;
                 two: second := malloc(lowest, null);
             }} }}
             invariant apart: second != null -> !(second in seen);"
        )
    };
    let text = program("ghost var seen: set of addr = {};", "ghost { seen := seen + {first}; }");
    let system = system(&text);
    let found = ask(&text, &system);
    assert!(!found.proofs.invariants[0].proved);
}

#[test]
fn without_a_start_nothing_is_claimed() {
    for text in [
        "var x: int = 0; assume x == 1; set Threads  process thread for self in Threads { loop { skip; } } invariant f: false;",
        "var p: Threads; var q: Threads; assume p != q;
         set Threads == 1  process thread for self in Threads { var y: int = 0; loop { skip; } }
         invariant f: y[p] == 1 && y[q] == 2;",
    ] {
        let system = system(text);
        let found = ask(text, &system);
        assert_ne!(found.verdict, Verdict::Proved, "{text}");
        assert!(found.certificate.is_none());
    }
}

#[test]
fn numbers_that_are_too_large_prove_nothing() {
    let text = "var x: int = 1;
         set Threads  process thread for self in Threads { loop { x := x * 9223372036854775807; x := x * 2; x := 0 - x; } }
         invariant positive: x >= 0;";
    let system = system(text);
    let found = ask(text, &system);
    assert_ne!(found.verdict, Verdict::Proved);
}

#[test]
fn a_body_that_always_returns_needs_no_return_at_its_end() {
    proved(
        "var r: int = 1;
         fn p(): int { if r == 1 { return 2; } else { return 1; } }
         set Threads  process thread for self in Threads { loop { r := p(); } }
         invariant one_or_two: r == 1 || r == 2;",
    );
}

#[test]
fn a_start_that_no_program_has_is_no_counter_model() {
    proved(
        "var s: set of int; var x: int = min(s);
         set Threads  process thread for self in Threads { loop { skip; } }
         invariant inside: x in s;",
    );
}

#[test]
fn too_many_ways_are_refused_and_not_tried() {
    let ifs = "if x == 0 { x := 1; }\n".repeat(20);
    let text = format!(
        "var x: int = 0; set Threads  process thread for self in Threads {{ loop {{ atomic {{ {ifs} }} }} }} invariant f: x >= 0;"
    );
    let system = system(&text);
    let found = ask(&text, &system);
    assert!(matches!(found.verdict, Verdict::Unknown(_)), "{:?}", found.verdict);
}

#[test]
fn errors_with_numbers_that_are_too_large_are_not_overlooked() {
    for text in [
        "var x: int = -1;
         set Threads  process thread for self in Threads { loop { assert 4611686018427387904 * (4611686018427387904 * x) >= 0; } }",
        "var x: int = 1;
         set Threads  process thread for self in Threads { loop { atomic { x := 4611686018427387904 * x; x := 4611686018427387904 * x; } } }
         invariant small: x <= 4611686018427387904;",
    ] {
        let system = system(text);
        let found = ask(text, &system);
        assert_ne!(found.verdict, Verdict::Proved, "{text}");
    }
}

#[test]
fn sets_of_nothing_at_all_are_sets() {
    proved(
        "var s: set of int = {};
         set Threads  process thread for self in Threads { loop { s := {}; } }
         invariant nothing: s + s == s && {} + {} == s;",
    );
}

#[test]
fn loops_are_left_by_break_and_go_on_by_continue() {
    let text = |claim: &str| {
        format!(
            "set Threads  var x: 0..2 = 0
             process p for t in Threads {{
                 loop {{
                     if x == 2 {{ b: break }} else if x == 1 {{ x := 2; c: continue }};
                     atomic {{ if x == 0 {{ x := 1 }} }}
                 }};
                 after: skip
             }}
             invariant i(i): {claim}"
        )
    };
    proved(&text("at(i, b, after) -> x == 2"));
    proved(&text("at(i, c) -> x == 2"));
    refuted(&text("!at(i, after)"));
    refuted(&text("at(i, c) -> x == 1"));
}

#[test]
fn ranges_are_claimed_and_known_at_the_start() {
    let text = |body: &str, claim: &str| {
        format!(
            "set Threads  var x: 0..2  process p for t in Threads {{ {body} }}  invariant i: {claim}"
        )
    };
    proved(&text("skip", "x <= 2"));
    refuted(&text("skip", "x <= 1"));
    refuted(&text("x := x + 1", "true"));
    proved(&text("x := choose(0..2)", "0 <= x"));
    refuted(&text("x := choose(0..3)", "true"));
    let of_parameter =
        "set Threads  process p for t in Threads { f(3); f(4) }  fn f(n: 3..4) { skip }";
    proved(&format!("{of_parameter}  invariant i(i): at(i, f) -> f.n[i] != 5"));
    refuted(&format!("{}  invariant i: true", of_parameter.replace("3..4", "3..3")));
}

#[test]
fn locks_are_given_back_on_every_way_out() {
    let text = |claim: &str| {
        format!(
            "set Threads  lock L  var x: int
             process p for t in Threads {{
                 loop {{
                     held: with L {{
                         if x == 0 {{ break }} else if x == 1 {{ continue }};
                         crit: skip
                     }};
                     x := get()
                 }};
                 after: skip
             }}
             fn get(): int {{ mine: with L {{ v: x }} }}
             invariant i(i): {claim}"
        )
    };
    proved(&text("L == i -> at(i, held, mine)"));
    proved(&text("at(i, held, mine) -> L == i"));
    proved(&text("at(i, after) -> L != i"));
    refuted(&text("at(i, after) -> L == i"));
    refuted(&text("L != i"));
    let mutex = text("at(i, held, mine) -> L == i").replace("invariant i(i)", "invariant own(i)");
    proved(&format!("{mutex}  invariant mutex(i, j): at(i, crit) && at(j, crit) -> i == j"));
}

#[test]
fn a_match_is_one_step_that_goes_to_one_case() {
    let text = |threads: &str, claim: &str| {
        format!(
            "set Threads {threads}  enum E {{ a, b, c }}  var x: E = b
             process p for t in Threads {{
                 loop {{ match x {{
                     a => {{ one: x := b }}
                     b | c => {{ two: x := choose(E) where x != b }}
                 }} }}
             }}
             invariant i(i): {claim}"
        )
    };
    proved(&text("== 1", "(at(i, one) -> x == a) && (at(i, two) -> x != a)"));
    refuted(&text("== 1", "!at(i, one)"));
    refuted(&text("== 1", "at(i, two) -> x == b"));
    refuted(&text("", "at(i, one) -> x == a"));
}
