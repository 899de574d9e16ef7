//! What processes turn into: where actions begin and end, and how data stays in its range.

use crate::shared;

use ser_syntax::parse_processes;

/// The model of a file without errors.
fn model(text: &str) -> String {
    let parse = parse_processes(text);
    let messages = shared::messages(text, &parse.diagnostics);
    format!("{messages}{}", shared::model(&parse.program))
}

/// What the statements of one process turn into, with two shared variables `X` and `Y` and a queue
/// `Q`.
fn process(statements: &str) -> String {
    let text = format!(
        "var X: 0..9 var Y: 0..9 var Q: queue[2] of 0..3 process P {{ {statements} }} reach X == 1"
    );
    let parse = parse_processes(&text);
    let messages = shared::messages(&text, &parse.diagnostics);
    let body = parse.program.requests.first().map(|r| shared::block(&r.body));
    format!("{messages}{}", body.unwrap_or_default())
}

#[test]
fn the_first_example_of_the_paper() {
    insta::assert_snapshot!(model("
        var X: 0..63 = 2
        var Y: 0..63 = 5
        process F { while (1) { Y := Y + 4 } }
        process G { j := 3; while (1) { atomic { X := X + j; j := j + 1 } } }
        process H { await(X == Y) }
        reach X == Y && done(H)
    "), @"
    X in 0..63 := 2
    Y in 0..63 := 5
    Done H in 0..1 := 0
    F() { while ((1)) { (.1 := [Y + 4]; assume([.1 <= 63]); Y := .1); yield }; 0 }
    G() { j := 3; while ((1)) { ((.1 := [X + j]; assume([[.1 >= 0] && [.1 <= 63]]); X := .1); j := [j + 1]); yield }; 0 }
    H() { assume(([X == Y])); Done H := 1; 0 }
    reach: [[X == Y] && Done H]
    ");
}

#[test]
fn the_family_of_the_paper_has_two_actions_for_each_round() {
    insta::assert_snapshot!(model("
        const C = 4
        var X: 0..C*C*C + 2*C*C - C
        process F { for _ in 1..C { a := X; X := a + C*C } }
        process G { for _ in 1..C { a := X; X := a + 2*C - 1 } }
        reach done && X == 7
    "), @"
    X in 0..92 := 0
    Done F in 0..1 := 0
    Done G in 0..1 := 0
    F() { (.1 := 1; while ([.1 <= 4]) { a := X; yield; (.2 := [a + [4 * 4]]; assume([[.2 >= 0] && [.2 <= 92]]); X := .2); .1 := [.1 + 1]; if ([.1 <= 4]) { yield } }); Done F := 1; 0 }
    G() { (.1 := 1; while ([.1 <= 4]) { a := X; yield; (.2 := [[a + [2 * 4]] - 1]; assume([[.2 >= 0] && [.2 <= 92]]); X := .2); .1 := [.1 + 1]; if ([.1 <= 4]) { yield } }); Done G := 1; 0 }
    reach: [[Done F && Done G] && [X == 7]]
    ");
}

#[test]
fn everything_at_once() {
    insta::assert_snapshot!(model("
        const N = 3
        enum Colour { red, green, blue }
        var X: 1..N
        var Flag: bool
        var Word: bits 8 = 255
        var Light: Colour = green
        var Q: queue[2] of 1..3
        process P(id in 0..1) {
            send id + 1 to Q;
            Word := Word + id;
            choose { X := 1 } or { X := 2; X := 3 } or { skip }
            if (Flag) { return }
            x := recv Q;
            Light := red
        }
        reach \"both inside\": done(P(1)) && len(Q) == 2
        reach third: done(P)
        reach done || Light == blue
    "), @r#"
    X in 1..3 := 1
    Flag in 0..1 := 0
    Word in 0..255 := 255
    Light in 0..2 := 1
    Q.len in 0..2 := 0
    Q.0 in 1..3 := 1
    Q.1 in 1..3 := 1
    Done P(0) in 0..1 := 0
    Done P(1) in 0..1 := 0
    P(id) { (assume([Q.len < 2]); .1 := [id + 1]; if ([Q.len == 0]) { Q.0 := .1 }; if ([Q.len == 1]) { Q.1 := .1 }; Q.len := [Q.len + 1]); yield; Word := [[Word + id] % 256]; yield; if (?) { (X := 1); yield } else { if (?) { (X := 2; yield; X := 3); yield } else { () } }; if ((Flag)) { (if ([id == 0]) { Done P(0) := 1 }; if ([id == 1]) { Done P(1) := 1 }; return 0) }; yield; x := (assume([Q.len > 0]); .1 := Q.0; Q.0 := Q.1; Q.1 := 1; Q.len := [Q.len - 1]; .1); yield; Light := 0; if ([id == 0]) { Done P(0) := 1 }; if ([id == 1]) { Done P(1) := 1 }; 0 }
    reach "both inside": [Done P(1) && [Q.len == 2]]
    reach "third": [Done P(0) && Done P(1)]
    reach: [[Done P(0) && Done P(1)] || [Light == 2]]
    "#);
}

// Where actions begin and end.

#[test]
fn a_pause_between_two_actions_and_none_at_the_ends() {
    insta::assert_snapshot!(process("X := 1; Y := 2"), @r"
    { X := 1; yield; Y := 2; 0 }
    ");
    insta::assert_snapshot!(process("a := 1; X := a; b := 2; Y := b"), @"{ a := 1; (.1 := a; assume([[.1 >= 0] && [.1 <= 9]]); X := .1); yield; b := 2; (.1 := b; assume([[.1 >= 0] && [.1 <= 9]]); Y := .1); 0 }");
    insta::assert_snapshot!(process("a := X; b := a + 1; c := b; Y := 3"), @r"
    { a := X; yield; b := [a + 1]; c := b; Y := 3; 0 }
    ");
}

#[test]
fn waiting_is_an_action() {
    insta::assert_snapshot!(process("await(X == 1); await(Y == 1) { Y := 2; X := 0 }; a := 1; await(a == 2)"), @"{ assume(([X == 1])); yield; (assume(([Y == 1])); Y := 2; X := 0); yield; a := 1; assume(([a == 2])); 0 }");
}

#[test]
fn an_atomic_block_has_no_pauses() {
    insta::assert_snapshot!(process("X := 1; atomic { a := X; if (a == 1) { Y := a } else { return }; while (a < 3) { a := a + 1 }; for _ in 1..2 { Y := a }; choose { X := 2 } or { send 1 to Q }; await(Y == 1) }"), @"{ X := 1; yield; (a := X; if (([a == 1])) { (.1 := a; assume([[.1 >= 0] && [.1 <= 9]]); Y := .1) } else { return 0 }; while (([a < 3])) { a := [a + 1] }; (.1 := 1; while ([.1 <= 2]) { (.2 := a; assume([[.2 >= 0] && [.2 <= 9]]); Y := .2); .1 := [.1 + 1] }); if (?) { (X := 2) } else { ((assume([Q.len < 2]); if ([Q.len == 0]) { Q.0 := 1 }; if ([Q.len == 1]) { Q.1 := 1 }; Q.len := [Q.len + 1])) }; assume(([Y == 1]))); 0 }");
}

#[test]
fn a_condition_over_shared_variables_is_an_action() {
    insta::assert_snapshot!(process("if (X == 1) { Y := 1 } else { skip }; Y := 2"), @r"
    { if (([X == 1])) { yield; Y := 1 }; yield; Y := 2; 0 }
    ");
    insta::assert_snapshot!(process("if (X == 1) { a := 1 }; Y := 2"), @r"
    { if (([X == 1])) { yield; a := 1 } else { yield }; Y := 2; 0 }
    ");
}

#[test]
fn a_condition_over_local_variables_belongs_to_the_next_action() {
    insta::assert_snapshot!(process("a := X; if (a == 1) { Y := 1 } else if (a == 2) { b := 1 }; Y := 2"), @r"
    { a := X; yield; if (([a == 1])) { Y := 1; yield } else { if (([a == 2])) { b := 1 } }; Y := 2; 0 }
    ");
    insta::assert_snapshot!(process("a := X; if (a == 1) { Y := 1 }"), @r"
    { a := X; yield; if (([a == 1])) { Y := 1 }; 0 }
    ");
}

#[test]
fn each_evaluation_of_a_shared_condition_is_an_action() {
    insta::assert_snapshot!(process("while (X == 1) { }; Y := 1"), @r"
    { while (([X == 1])) { yield }; yield; Y := 1; 0 }
    ");
    insta::assert_snapshot!(process("while (X == 1) { Y := 1 }"), @r"
    { while (([X == 1])) { yield; Y := 1; yield }; 0 }
    ");
    insta::assert_snapshot!(process("while (X == 1) { a := a + 1 }; Y := a"), @"{ while (([X == 1])) { yield; a := [a + 1] }; yield; (.1 := a; assume([[.1 >= 0] && [.1 <= 9]]); Y := .1); 0 }");
}

#[test]
fn a_loop_over_local_variables_pauses_after_its_actions() {
    insta::assert_snapshot!(process("while (a < 3) { a := a + 1; Y := a }; X := 1"), @"{ while (([a < 3])) { a := [a + 1]; (.1 := a; assume([[.1 >= 0] && [.1 <= 9]]); Y := .1); yield }; X := 1; 0 }");
    insta::assert_snapshot!(process("while (a < 3) { a := a + 1; Y := a }"), @"{ while (([a < 3])) { a := [a + 1]; (.1 := a; assume([[.1 >= 0] && [.1 <= 9]]); Y := .1); if (([a < 3])) { yield } }; 0 }");
    insta::assert_snapshot!(process("while (?) { X := 1 }"), @r"
    { while ((?)) { X := 1; yield }; 0 }
    ");
    insta::assert_snapshot!(process("while (a < 3) { a := a + 1 }; X := a"), @"{ while (([a < 3])) { a := [a + 1] }; (.1 := a; assume([[.1 >= 0] && [.1 <= 9]]); X := .1); 0 }");
}

#[test]
fn repeating_counts_in_secret() {
    insta::assert_snapshot!(process("for _ in 1..2 { for _ in 1..3 { X := 1 } }"), @"{ (.1 := 1; while ([.1 <= 2]) { (.2 := 1; while ([.2 <= 3]) { X := 1; .2 := [.2 + 1]; if ([.2 <= 3]) { yield } }); .1 := [.1 + 1]; if ([.1 <= 2]) { yield } }); 0 }");
    insta::assert_snapshot!(process("for _ in 1..2 { X := 1 } Y := 2"), @"{ (.1 := 1; while ([.1 <= 2]) { X := 1; .1 := [.1 + 1]; yield }); Y := 2; 0 }");
    insta::assert_snapshot!(process("for _ in 1..1 { X := 1 } for _ in 1..0 { X := 2 } Y := 1"), @"
    empty-range @ 1:95: the range from 1 to 0 is empty
        1:95-1:99: the first end is larger than the second
        help: a range goes from its smallest to its largest value, both included
    ");
}

#[test]
fn a_choice_costs_nothing() {
    insta::assert_snapshot!(process("X := 1; choose { X := 2 } or { a := 1 } or { return }; Y := a"), @"{ X := 1; yield; if (?) { (X := 2); yield } else { if (?) { (a := 1) } else { (return 0) } }; (.1 := a; assume([[.1 >= 0] && [.1 <= 9]]); Y := .1); 0 }");
}

#[test]
fn the_end_is_told_on_every_path() {
    insta::assert_snapshot!(model("var X: 0..1 process P { if (X) { return } atomic { if (X) { X := 0; return } X := 1 } } process R { while (1) { X := 0 } } reach done(P) && !done(R)"), @"
    X in 0..1 := 0
    Done P in 0..1 := 0
    Done R in 0..1 := 0
    P() { if ((X)) { (Done P := 1; return 0) }; yield; (if ((X)) { X := 0; (Done P := 1; return 0) }; X := 1); Done P := 1; 0 }
    R() { while ((1)) { X := 0; yield }; 0 }
    reach: [Done P && !Done R]
    ");
}

// Data.

#[test]
fn an_assignment_is_guarded_only_where_it_may_leave_the_range() {
    insta::assert_snapshot!(process("X := Y; X := 9; X := (Y == 1) + 3; a := Y; X := a; a := a + 1; X := a; X := Y - 1"), @"{ X := Y; yield; X := 9; yield; X := [([Y == 1]) + 3]; yield; a := Y; yield; (.1 := a; assume([[.1 >= 0] && [.1 <= 9]]); X := .1); yield; a := [a + 1]; (.1 := a; assume([[.1 >= 0] && [.1 <= 9]]); X := .1); yield; (.1 := [Y - 1]; assume([.1 >= 0]); X := .1); 0 }");
}

#[test]
fn assignments_inside_expressions_are_guarded_too() {
    insta::assert_snapshot!(process("a := (X := Y + 1) + 1; send a to Q; X := recv Q"), @"{ a := [((.1 := [Y + 1]; assume([.1 <= 9]); X := .1)) + 1]; yield; (assume([Q.len < 2]); .1 := a; assume([[.1 >= 0] && [.1 <= 3]]); .2 := .1; if ([Q.len == 0]) { Q.0 := .2 }; if ([Q.len == 1]) { Q.1 := .2 }; Q.len := [Q.len + 1]); yield; X := (assume([Q.len > 0]); .1 := Q.0; Q.0 := Q.1; Q.1 := 0; Q.len := [Q.len - 1]; .1); 0 }");
}

#[test]
fn bits_wrap_around() {
    insta::assert_snapshot!(model("var W: bits 2 process P(n in 0..9) { W := W + n; W := W - n; a := a + 1; W := a; W := 2 } reach W"), @"
    W in 0..3 := 0
    P(n) { W := [[W + n] % 4]; yield; W := [[W - n] % 4]; yield; a := [a + 1]; W := [a % 4]; yield; W := 2; 0 }
    reach: W
    ");
}

#[test]
fn a_queue_of_one_needs_no_search() {
    insta::assert_snapshot!(model("var Q: queue[1] of 5..6 process P { send 5 to Q; x := recv Q } reach len(Q) == 1"), @"
    Q.len in 0..1 := 0
    Q.0 in 5..6 := 5
    P() { (assume([Q.len < 1]); Q.0 := 5; Q.len := [Q.len + 1]); yield; x := (assume([Q.len > 0]); .1 := Q.0; Q.0 := 5; Q.len := [Q.len - 1]; .1); 0 }
    reach: [Q.len == 1]
    ");
}

#[test]
fn words_of_the_language_are_names_elsewhere() {
    insta::assert_snapshot!(process("process := 1; await := process; send := await; done := send; len := 2; X := len + done"), @"{ process := 1; await := process; send := await; done := send; len := 2; (.1 := [len + done]; assume([[.1 >= 0] && [.1 <= 9]]); X := .1); 0 }");
}

#[test]
fn more_ways_to_say_it() {
    insta::assert_snapshot!(model("
        type Small = 0..2
        enum Colour { red, green }
        var X: Small = 1
        var Flag = true
        var Light = green
        var Q: queue[1] of Colour
        process P(id in Small, of in Colour) {
            var x: int = 3;
            var y = 0;
            for i in 1..3 { X := i; y := y + i }
            loop {
                await X == 1 { Flag := false };
                Light := Colour.red;
                send green to Q;
                recv Q;
                Light := recv Q;
                Light := choose(Colour)
            }
        }
        reach late: Flag -> X == 2
        invariant same: Flag <-> X == 1
        invariant both { X == 1; named: !Flag; }
    "), @r#"
    X in 0..2 := 1
    Flag in 0..1 := 1
    Light in 0..1 := 1
    Q.len in 0..1 := 0
    Q.0 in 0..1 := 0
    P(id, of) { x := 3; y := 0; (i := 1; while ([i <= 3]) { (.1 := i; assume([.1 <= 2]); X := .1); yield; y := [y + i]; i := [i + 1] }); while (1) { (assume([X == 1]); Flag := 0); yield; Light := 0; yield; (assume([Q.len < 1]); Q.0 := 1; Q.len := [Q.len + 1]); yield; (assume([Q.len > 0]); .1 := Q.0; Q.0 := 0; Q.len := [Q.len - 1]; .1); yield; Light := (assume([Q.len > 0]); .1 := Q.0; Q.0 := 0; Q.len := [Q.len - 1]; .1); yield; Light := ?; yield }; 0 }
    reach "late": [!Flag || [X == 2]]
    invariant "same": ![!Flag == ![X == 1]]
    invariant "both": ![[X == 1] && !Flag]
    "#);
}

// What requests have.

/// What a process turns into that has locks, arrays, a record and functions around it.
fn rich(statements: &str) -> String {
    model(&format!(
        "record Order {{ paid: bool, amount: 0..3 }}
         lock Till
         lock Fork: [0..1]
         var Plan: [0..1] of 0..3
         var Last: Order
         var Q: queue[1] of (bool, 0..3)
         fn get() {{ Plan[0] }}
         fn add(n) {{ t := get(); Plan[0] := t + n }}
         fn take() {{ if (Plan[1] == 0) {{ Plan[1] := 1; true }} else {{ false }} }}
         process P(id in 0..1) {{ {statements} }}
         deadlock"
    ))
    .lines()
    .filter(|line| !line.contains(" := ") || line.starts_with("P("))
    .collect::<Vec<_>>()
    .join("\n")
}

#[test]
fn an_element_of_an_array_is_one_variable() {
    insta::assert_snapshot!(rich("Plan[1] := 2; Plan[id] := Plan[1 - id] + 1"), @"
    P(id) { Plan[1] := 2; yield; (.2 := [(.1 := [1 - id]; if ([.1 < 1]) { Plan[0] } else { Plan[1] }) + 1]; (.3 := .2; assume([.3 <= 3]); if ([id < 1]) { Plan[0] := .3 } else { Plan[1] := .3 })); 0 }
    deadlock: {  }
    ");
}

#[test]
fn a_lock_is_taken_in_one_action_and_given_back_in_another() {
    insta::assert_snapshot!(rich("with Till { Plan[0] := 1; if (Plan[1] == 1) { return }; Plan[1] := 1 }"), @"
    P(id) { (assume(!Till); Till := 1; (yield; Plan[0] := 1; yield; if (([Plan[1] == 1])) { (yield; Till := 0; return 0) }; yield; Plan[1] := 1); yield; Till := 0); 0 }
    deadlock: {  }
    ");
    insta::assert_snapshot!(rich("lock Fork[id]; unlock Fork[0]"), @"
    P(id) { (.1 := id; assume(!if ([.1 < 1]) { Fork[0] } else { Fork[1] }); if ([.1 < 1]) { Fork[0] := 1 } else { Fork[1] := 1 }); yield; (if (Fork[0]) {  } else { <`Fork[0]` is given back, and nobody holds it> }; Fork[0] := 0); 0 }
    deadlock: {  }
    ");
}

#[test]
fn the_statements_of_a_function_are_actions() {
    insta::assert_snapshot!(rich("add(1); add(2)"), @"
    P(id) { (add().n := 1; add().t := 0; (add().t := (Plan[0]); yield; (.1 := [add().t + add().n]; assume([[.1 >= 0] && [.1 <= 3]]); Plan[0] := .1))); yield; (add().n := 2; add().t := 0; (add().t := (Plan[0]); yield; (.1 := [add().t + add().n]; assume([[.1 >= 0] && [.1 <= 3]]); Plan[0] := .1))); 0 }
    deadlock: {  }
    ");
    insta::assert_snapshot!(rich("if (take()) { Plan[0] := get() + get() }"), @"
    P(id) { if (((if (([Plan[1] == 0])) { yield; Plan[1] := 1; yield; 1 } else { 0 }))) { yield; (.1 := [(Plan[0]) + (Plan[0])]; assume([.1 <= 3]); Plan[0] := .1) }; 0 }
    deadlock: {  }
    ");
    insta::assert_snapshot!(rich("atomic { add(1) }"), @"
    P(id) { (add().n := 1; add().t := 0; (add().t := (Plan[0]); (.1 := [add().t + add().n]; assume([[.1 >= 0] && [.1 <= 3]]); Plan[0] := .1))); 0 }
    deadlock: {  }
    ");
}

#[test]
fn ways_out_of_loops() {
    insta::assert_snapshot!(rich("loop { if (Plan[0] == 1) { break }; if (Plan[0] == 2) { continue }; Plan[0] := 1 }; Plan[1] := 1"), @"
    P(id) { 1: { while (1) { 2: { if (([Plan[0] == 1])) { leave 1 0 }; yield; if (([Plan[0] == 2])) { leave 2 0 }; yield; Plan[0] := 1 }; yield } }; yield; Plan[1] := 1; 0 }
    deadlock: {  }
    ");
}

#[test]
fn cases_assertions_and_what_may_fail() {
    insta::assert_snapshot!(rich("match Plan[0] { 0 => Plan[1] := 1, 1 | 2 => { Plan[1] := 2; Plan[1] := 3 }, _ => skip }; assert Plan[1] == 1; var x: 0..3 = Plan[0] / Plan[1]"), @"
    P(id) { (.1 := Plan[0]; if ([.1 == 0]) { yield; Plan[1] := 1 } else { if ([[.1 == 1] || [.1 == 2]]) { (yield; Plan[1] := 2; yield; Plan[1] := 3) } }); yield; if ([Plan[1] == 1]) {  } else { <the assertion fails> }; yield; (.3 := (.1 := Plan[0]; .2 := Plan[1]; if (.2) {  } else { <something is divided by 0> }; [.1 / .2]); if ([[.3 < 0] || [.3 > 3]]) { <`x` leaves its range 0..3> }; x := .3); 0 }
    deadlock: {  }
    ");
}

#[test]
fn records_and_tuples_in_queues() {
    insta::assert_snapshot!(rich("Last := Order(amount: 2); send (Last.paid, Last.amount) to Q; (a, b) := recv Q; Last.amount := min(b, 2)"), @"
    P(id) { (Last.paid := 0; Last.amount := 2); yield; (assume([Q.len < 1]); .1 := Last.paid; .2 := Last.amount; Q.0.0 := .1; Q.0.1 := .2; Q.len := [Q.len + 1]); yield; (assume([Q.len > 0]); .1 := Q.0.0; .2 := Q.0.1; Q.0.0 := 0; Q.0.1 := 0; Q.len := [Q.len - 1]; .3 := .1; .4 := .2; a := .3; b := .4); yield; (.2 := (.1 := b; if ([.1 <= 2]) { .1 } else { 2 }); assume([[.2 >= 0] && [.2 <= 3]]); Last.amount := .2); 0 }
    deadlock: {  }
    ");
}

#[test]
fn mistakes_with_locks_and_queues() {
    insta::assert_snapshot!(rich("with Till { with Till { skip } }"), @"
    lock-held @ 10:51: this lock may be held here already
        10:51-10:55: waits forever
        help: whoever waits for a lock that it holds itself never goes on
    ");
    insta::assert_snapshot!(rich("Till := true; send 1 to Q; x := Last.size; assert 3"), @"
    assign-to-lock @ 10:34: `Till` is a lock and cannot be assigned
        10:34-10:38: assigned here
        help: hold it while a block runs: `with Till { ... }`
    type-mismatch @ 10:53: expected a tuple of 2 values, found a number
        10:53-10:54: this is a number
        10:58-10:59: an item of the queue is a tuple of 2 values
    undefined-field @ 10:71: an `Order` has no field `size`
        10:71-10:75: not known here
        help: its fields are: paid, amount
    ");
}
