//! What threads have of the rest of the language: constants, enumerations, ranges, `match`, locks,
//! loops that are left.

use crate::shared;

use ser_editing::inv::{parse, show_action, show_with};
use ser_syntax::inv::ast::{Step, Stmt, StmtKind};

/// The messages about a file; each item and statement stands on a line of its own.
fn file(text: &str) -> String {
    let text = text.replace("; ", ";\n");
    shared::messages(&text, &parse(&text).diagnostics)
}

/// What a file means: assumptions, invariants, and statements with their locations.
fn meaning(text: &str) -> String {
    let parse = parse(text);
    assert!(!parse.has_errors(), "{:#?}", parse.diagnostics);
    let system = &parse.system;
    let mut shown = String::new();
    for it in &system.assumptions {
        shown += &format!("assume {}\n", show_with(system, it, &[]));
    }
    for it in &system.invariants {
        let formula = &it.conjuncts[0].formula;
        shown += &format!("{}: {}\n", it.name.text, show_with(system, formula, &it.parameters));
    }
    for procedure in &system.procedures {
        shown += &format!("{}\n", procedure.name.text);
        statements(system, &procedure.body, 1, &mut shown);
    }
    shown
}

fn statements(system: &ser_syntax::inv::System, all: &[Stmt], depth: usize, shown: &mut String) {
    let expr = |it| show_with(system, it, &[]);
    for it in all {
        let mut inside: Vec<(String, &[Stmt])> = Vec::new();
        let actions = |all: &[_]| -> Vec<String> {
            all.iter().map(|action| show_action(system, action)).collect()
        };
        let what = match &it.kind {
            StmtKind::Step(Step::Skip) => "skip".to_owned(),
            StmtKind::Step(step) => actions(step.actions()).join("; "),
            StmtKind::If { condition, then, otherwise } => {
                inside = vec![("then".to_owned(), then), ("else".to_owned(), otherwise)];
                format!("if {}", expr(condition))
            }
            StmtKind::While { condition, body, .. } => {
                inside = vec![("do".to_owned(), body)];
                format!("while {}", expr(condition))
            }
            StmtKind::Choice(branches) => {
                inside = branches.iter().map(|it| ("or".to_owned(), it.as_slice())).collect();
                "choose".to_owned()
            }
            StmtKind::Match(cases) => {
                inside = cases.iter().map(|(it, case)| (expr(it), case.as_slice())).collect();
                "match".to_owned()
            }
            StmtKind::Break => "break".to_owned(),
            StmtKind::Continue => "continue".to_owned(),
            StmtKind::Call { arguments, .. } => {
                format!("call {}", arguments.iter().map(expr).collect::<Vec<_>>().join(", "))
            }
            StmtKind::Return(value) => {
                format!("return {}", value.as_ref().map_or(String::new(), expr))
            }
        };
        let then = match it.ghost.is_empty() {
            true => String::new(),
            false => format!(" | {}", actions(&it.ghost).join("; ")),
        };
        let indent = "  ".repeat(depth);
        *shown += &format!("{indent}{} {what}{then}\n", it.location.0 + 1);
        for (condition, block) in inside {
            *shown += &format!("{indent} {condition}:\n");
            statements(system, block, depth + 1, shown);
        }
    }
}

#[test]
fn names_for_numbers() {
    insta::assert_snapshot!(meaning("
        const MOST = 2 * 3
        const OPEN = true
        const FIRST = idle
        enum Phase { idle, busy }
        type Count = 0..MOST
        set Threads
        var n: Count
        var phase = FIRST
        var other: Phase
        process p for t in Threads {
            var own: Count = 0;
            if OPEN { n := MOST } else { phase := Phase.busy };
            own := choose(Count) where own < n;
            other := choose(Phase);
            n := max(own, n - 1)
        }
        fn f(n2: Count) { skip }
        invariant i: phase == idle -> other in {idle, busy} && n < MOST / 2
    "), @"
    assume 0 <= n && n <= 6
    assume idle <= other && other <= busy
    n in 0..6: 0 <= n && n <= 6
    phase in Phase: idle <= phase && phase <= busy
    other in Phase: idle <= other && other <= busy
    own in 0..6: 0 <= own[i] && own[i] <= 6
    i: phase == idle -> other in {0, 1} && n < 3
    p
      1 if true
       then:
        2 n := 6
       else:
        3 phase := busy
      4 own := choose(int) where 0 <= own && own <= 6 && own < n
      5 other := choose(int) where idle <= other && other <= busy
      6 n := max({own, n - 1})
      7 return
    ");
}

#[test]
fn cases_are_one_step() {
    insta::assert_snapshot!(meaning("
        enum E { a, b, c }
        set Threads
        var x: E = a
        var n = 0
        process p for t in Threads {
            match x { a | b => n := 1, c => { n := 2; n := 3 } };
            match n { 0..2 => x := b, 5 => { } _ => skip };
            atomic { match x { a => n := 1, _ => { n := 2 } } }
        }
        invariant i: n >= 0
    "), @"
    x in E: a <= x && x <= c
    i: 0 <= n
    p
      1 match
       x == a || x == b:
        2 n := 1
       !(x == a || x == b) && x == c:
        3 n := 2
        4 n := 3
      5 match
       0 <= n && n <= 2:
        6 x := b
       !(0 <= n && n <= 2) && n == 5:
       !(0 <= n && n <= 2 || n == 5):
        7 skip
      8 if x == a { n := 1; } else { n := 2; }
      9 return
    ");
}

#[test]
fn locks_are_given_back_on_every_way_out() {
    insta::assert_snapshot!(meaning("
        set Threads
        lock L
        lock M
        var x = 0
        process p for t in Threads {
            loop {
                with L {
                    loop { with M { if x == 1 { break } else if x == 2 { continue }; x := f(x) } };
                    if x == 0 { break }
                }
            };
            skip
        }
        fn f(n: int): int { with M { if n == x { return x }; x + 1 } }
        invariant i(i): at(i, f) -> M == i
    "), @"
    i: at(i, f) -> M == i
    p
      1 while true
       do:
        2 await L == nobody; L := t
        3 while true
         do:
          4 await M == nobody; M := t
          5 if x == 1
           then:
            6 break | M := nobody
           else:
            7 if x == 2
             then:
              8 continue | M := nobody
             else:
          9 call x
          10 M := nobody
        11 if x == 0
         then:
          12 break | L := nobody
         else:
        13 L := nobody
      14 skip
      15 return 
    f
      16 await M == nobody; M := t
      17 if n == x
       then:
        18 return x | M := nobody
       else:
      19 return x + 1 | M := nobody
    ");
}

#[test]
fn the_last_value_is_the_result() {
    insta::assert_snapshot!(meaning("
        set Threads
        var x = 0
        process p for t in Threads { x := f(x); x := f(1) }
        fn f(n: int): int { choose { n } or { match n { 0 => 5, _ => { skip; n + 1 } } } }
        invariant i: x >= 0
    "), @"
    i: 0 <= x
    p
      1 call x
      2 call 1
      3 return 
    f
      4 choose
       or:
        5 return n
       or:
        6 match
         n == 0:
          7 return 5
         !(n == 0):
          8 skip
          9 return n + 1
      10 return
    ");
}

#[test]
fn a_constant_is_assigned() {
    insta::assert_snapshot!(file("const N = 3 set Threads var x: int process p for t in Threads { N := 1; x := N + 1 }"), @"
    not-assignable @ 1:65: `N` is a constant and cannot be assigned
        1:65-1:66: expected a variable or a field
        1:7-1:8: declared here
    ");
}

#[test]
fn values_of_enumerations_are_no_numbers() {
    insta::assert_snapshot!(file("enum E { a, b } enum F { c, d } set Threads var x: E = a var y: F = c var n: int process p for t in Threads { x := c; x := 1; n := a; n := b + 1; await x == 1; await x == y; x := choose(F) } invariant i: x == c || y == 1"), @"
    type-mismatch @ 1:116: expected a value of `E`, found a value of `F`
        1:116-1:117: this is a value of `F`
    type-mismatch @ 2:6: expected a value of `E`, found a number
        2:6-2:7: this is a number
    type-mismatch @ 3:6: expected a number, found a value of `E`
        3:6-3:7: this is a value of `E`
    type-mismatch @ 4:6: expected a number, found a value of `E`
        4:6-4:7: this is a value of `E`
    type-mismatch @ 5:9: a value of `E` cannot be compared with a number
        5:9-5:11: of different types
        5:7-5:8: this is a value of `E`
        5:12-5:13: this is a number
    type-mismatch @ 6:9: a value of `E` cannot be compared with a value of `F`
        6:9-6:11: of different types
        6:7-6:8: this is a value of `E`
        6:12-6:13: this is a value of `F`
    type-mismatch @ 7:13: expected a value of `E`, found a value of `F`
        7:13-7:14: this is a value of `F`
        7:1-7:2: to be assigned to this, a value of `E`
    type-mismatch @ 7:33: a value of `E` cannot be compared with a value of `F`
        7:33-7:35: of different types
        7:31-7:32: this is a value of `E`
        7:36-7:37: this is a value of `F`
    ");
}

#[test]
fn a_value_of_two_enumerations() {
    insta::assert_snapshot!(file("enum E { a, b } enum F { b, c } set Threads var x: E = b process p for t in Threads { x := E.b; x := E.c }"), @"
    ambiguous-member @ 1:56: `b` is a value of several types
        1:56-1:57: which one?
        help: say it [1:56-1:57 -> `E.b`]
    unknown-member @ 2:8: there is no value `c` of `E`
        2:8-2:9: not known here
        help: there are `a`, `b`
    ");
}

#[test]
fn an_enumeration_as_value_or_type() {
    insta::assert_snapshot!(file("enum E { a, b } set Threads var x: E = E var y: e process p for t in Threads { a := 1 }"), @"
    expected-type @ 1:49: there is no type `e`
        1:49-1:50: not a type
        help: types are `bool`, `int`, `addr`, `elem`, `Threads` (a thread), and sets like `set of int`
    ");
}

#[test]
fn types_are_above() {
    insta::assert_snapshot!(file("type A = B type B = 0..3 type C = (int, int) set Threads var x: B = 0 process p for t in Threads { x := 1 }"), @"
    type-order @ 1:10: this type is not known here yet
        1:10-1:11: too early
        1:17-1:18: declared here
        help: a type is made of types above it, and not of itself
    other-world @ 1:35: there is no tuple in a model of threads
        1:35-1:45: not expected beside a process for each member of a set
        help: take several variables
    ");
}

#[test]
fn ranges_that_say_nothing() {
    insta::assert_snapshot!(file("set Threads var x: 3..0 var s: set of 0..3 fn f(): 0..3 { 1 } process p for t in Threads { var y: 0..3; var z: 1..3; y := f() }"), @"
    empty-range @ 1:20: the range from 3 to 0 is empty
        1:20-1:24: the first end is larger than the second
        help: a range goes from its smallest to its largest value, both included
    expected-type @ 1:39: there are no sets of ranges
        1:39-1:43: not a type of elements
        help: sets are `set of int`, `set of addr`, `set of elem`, and sets of threads
    range-of-result @ 1:52: results have no range
        1:52-1:56: expected a type
        help: write `int`, and give a range to the variable that takes the result
    ");
}

#[test]
fn matches_that_do_not_fit() {
    insta::assert_snapshot!(file("enum E { a, b } set Threads var x: E = a var n: int process p for t in Threads { match x { a => skip }; match n { 0 => skip, 1 => skip }; match x { _ => skip, a => skip }; match x { 1 => skip, b => skip, a => skip }; match n { n => skip, _ => skip }; match n == 1 { true => skip } }"), @"
    missing-case @ 1:82: this `match` does not cover everything
        1:82-1:103: not covered: b
        help: everything else is `_ => ...`
    missing-case @ 2:1: this `match` does not cover everything
        2:1-2:33: other values are not covered
        help: everything else is `_ => ...`
    unreachable-case @ 3:22: this case is never reached
        3:22-3:23: everything is covered before
        3:11-3:12: this covers everything
    type-mismatch @ 4:11: a value of `E` is never a number
        4:11-4:12: of different types
        4:7-4:8: this is a value of `E`
        4:11-4:12: this is a number
    not-constant @ 5:11: a case is a constant
        5:11-5:12: expected a value that is known
        help: compare with `if` and `else if`
    missing-case @ 6:1: this `match` does not cover everything
        6:1-6:30: not covered: false
        help: everything else is `_ => ...`
    ");
}

#[test]
fn locks_that_are_none() {
    insta::assert_snapshot!(file("lock L set Threads var x: int var a: addr process p for t in Threads { L := t; with x { skip }; with M { skip }; with a { skip }; lock L; atomic { with L { skip } } }"), @"
    not-assignable @ 1:72: `L` is a lock and cannot be assigned
        1:72-1:73: not assigned
        1:6-1:7: declared here
        help: take it for as long as a block runs: `with L { ... }`
    not-a-lock @ 2:6: there is no lock `x`
        2:6-2:7: not known here
        help: declare it at top level: `lock x`; a cell is locked by `lock x`
    not-a-lock @ 3:6: there is no lock `M`
        3:6-3:7: not known here
        help: declare it at top level: `lock M`; a cell is locked by `lock M`
    not-a-lock @ 4:6: there is no lock `a`
        4:6-4:7: not known here
        help: declare it at top level: `lock a`; a cell is locked by `lock a`
    lock-as-cell @ 5:6: `L` is held for as long as a block runs
        5:6-5:7: not a cell
        help: write `with L { ... }`
    statement-in-atomic @ 6:10: `with` cannot stand in `atomic` or `ghost`
        6:10-6:25: not expected here
        help: in one step there are assignments, `await`, `assert`, `lock`, `unlock`, `skip`, `if` and `match`
    ");
}

#[test]
fn a_thread_ends_with_a_lock() {
    insta::assert_snapshot!(file("lock L set Threads process p for t in Threads { with L { return } }"), @"
    return-with-lock @ 1:58: a thread does not end while it has a lock
        1:58-1:64: inside of `with`
        help: put `return` behind the block of `with`
    ");
}

#[test]
fn break_outside_of_a_loop() {
    insta::assert_snapshot!(file("set Threads process p for t in Threads { break; while true { atomic { continue }; break; skip } }"), @"
    outside-loop @ 1:42: `break` stands outside of a loop
        1:42-1:47: there is no loop around this
        help: `return` leaves a function, or ends a thread
    statement-in-atomic @ 2:23: `continue` cannot stand in `atomic` or `ghost`
        2:23-2:31: not expected here
        help: in one step there are assignments, `await`, `assert`, `lock`, `unlock`, `skip`, `if` and `match`
    unreachable @ 4:1: no thread ever comes here
        4:1-4:5: never done
        3:1-3:6: it goes on elsewhere from here
        help: leave it out, or move it
    ");
}

#[test]
fn the_value_of_a_function() {
    insta::assert_snapshot!(file("set Threads var x: int fn f(n: int): int { if n == 0 { 1 } else { skip } } fn g(n: int) { n + 1 } process p for t in Threads { x := f(1); g(1); x := f(1) + 1 }"), @"
    missing-return @ 1:74: `f` can end without a result
        1:74-1:75: expected `return` and a value before this
        1:38-1:41: the result is a number
    expected-statement @ 1:91: an operator alone does nothing
        1:91-1:96: expected a statement here
        help: statements look like `x := 1`, `await x == 1`, `p(x)`
    not-a-function @ 3:6: `f` is a procedure, not a value
        3:6-3:7: unexpected `(` behind this
        1:27-1:28: declared here
        help: to call it, write `x := f(...)` as a statement
    ");
}

#[test]
fn a_goal_of_threads_and_no_deadlock() {
    insta::assert_snapshot!(file("set Threads process p for t in Threads { skip } deadlock reach true"), @"
    other-world @ 1:58: there is no `reach` in a model of threads
        1:58-1:68: not expected beside a process for each member of a set
        help: that something never happens is an invariant: `invariant never(i): !(...)`
    ");
}

#[test]
fn divisions() {
    insta::assert_snapshot!(file("const N = 7 set Threads var x: int process p for t in Threads { x := N / 2; x := N % 2; x := x / 2; x := 1 / 0 }"), @"
    not-linear @ 3:6: only constants are divided: only linear arithmetic is possible
        3:6-3:11: not constant, or divided by 0
        help: say what is wanted: `q := choose(int) where 2 * q <= x && x < 2 * q + 2`
    not-linear @ 4:6: only constants are divided: only linear arithmetic is possible
        4:6-4:11: not constant, or divided by 0
        help: say what is wanted: `q := choose(int) where 2 * q <= x && x < 2 * q + 2`
    ");
}

#[test]
fn names_are_taken_once() {
    insta::assert_snapshot!(file("const N = 1 enum N { N, b } type T = int set Threads var T: int process p for b in Threads { var N: int = 0; skip }"), @"
    name-clash @ 1:7: `N` is the member of an enumeration
        1:22-1:23: the member
    name-clash @ 1:18: the name `N` is taken
        1:18-1:19: used again here
        1:7-1:8: first used here
        help: choose another name
    name-clash @ 1:58: the name `T` is taken
        1:58-1:59: used again here
        1:34-1:35: first used here
        help: choose another name
    name-clash @ 1:79: the name `b` is taken
        1:79-1:80: used again here
        1:25-1:26: first used here
        help: choose another name
    name-clash @ 1:98: the name `N` is taken
        1:98-1:99: used again here
        1:7-1:8: first used here
        help: choose another name
    ");
}
