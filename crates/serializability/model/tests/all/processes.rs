//! What processes mean: goals that can be reached, and goals that cannot.

use crate::network::{answers, events, reachable};
use std::collections::BTreeSet;

#[test]
fn the_first_example_of_the_paper() {
    let text = "var X: 0..20 = 2 var Y: 0..20 = 5
        process F { while (1) { Y := Y + 4 } }
        process G { j := 3; while (1) { atomic { X := X + j; j := j + 1 } } }
        process H { await(X == Y) }
        reach done(H) && X == 5 && Y == 5
        reach done(H) && X == 9 && Y == 9
        reach X == 6
        reach X == Y && X == 14";
    assert_eq!(answers(text), [true, true, false, false]);
}

/// The values that two processes can leave behind which update `x` in two steps, `rounds` times
/// each, by walking through all interleavings.
fn lost_updates(rounds: i64, amounts: [i64; 2]) -> BTreeSet<i64> {
    // For each process: how many steps it has done, and what it has read.
    let mut open = vec![(0, [(0, 0), (0, 0)])];
    let mut seen: BTreeSet<_> = open.iter().copied().collect();
    let mut ends = BTreeSet::new();
    while let Some((x, processes)) = open.pop() {
        if processes.iter().all(|(steps, _)| *steps == 2 * rounds) {
            ends.insert(x);
        }
        for index in 0..2 {
            let (steps, read) = processes[index];
            if steps == 2 * rounds {
                continue;
            }
            let (mut x, mut after) = (x, processes);
            if steps % 2 == 0 {
                after[index] = (steps + 1, x);
            } else {
                x = read + amounts[index];
                after[index] = (steps + 1, 0);
            }
            if seen.insert((x, after)) {
                open.push((x, after));
            }
        }
    }
    ends
}

#[test]
fn the_family_of_the_paper_loses_the_same_updates() {
    for c in 1..=3 {
        let last = c * c * c + 2 * c * c - c;
        let text = format!(
            "const C = {c} var X: 0..{last}
            process F {{ for _ in 1..C {{ a := X; X := a + C*C }} }}
            process G {{ for _ in 1..C {{ a := X; X := a + 2*C - 1 }} }}
            reach done"
        );
        let states = reachable(&events(&text), &text);
        let ends: BTreeSet<i64> =
            states.iter().filter(|(_, done)| *done).map(|(values, _)| values[0]).collect();
        assert_eq!(ends, lost_updates(c, [c * c, 2 * c - 1]), "{c} rounds");
    }
}

#[test]
fn atomic_updates_are_not_lost() {
    let update = |update: &str| {
        answers(&format!(
            "var X: 0..2 process P(id in 0..1) {{ {update} }} reach done && X == 1 reach done && X == 2"
        ))
    };
    assert_eq!(update("a := X; X := a + 1"), [true, true]);
    assert_eq!(update("atomic { a := X; X := a + 1 }"), [false, true]);
    assert_eq!(update("X := X + 1"), [false, true]);
}

#[test]
fn looking_at_a_shared_condition_is_a_step_of_its_own() {
    let seen = |look: &str| {
        let text = format!(
            "var X: 0..1 var Seen: 0..2 process P {{ {look} }} process R {{ X := 1 }} reach Seen == 2"
        );
        answers(&text)
    };
    assert_eq!(seen("if (X == 0) { Seen := X + 1 }"), [true]);
    assert_eq!(seen("while (X == 0) { Seen := X + 1 }"), [true]);
    assert_eq!(seen("atomic { if (X == 0) { Seen := X + 1 } }"), [false]);
    assert_eq!(seen("await(X == 0) { Seen := X + 1 }"), [false]);
    assert_eq!(seen("await(X == 0); Seen := X + 1"), [true]);
}

#[test]
fn what_cannot_happen_takes_nothing_back() {
    let one = |statements: &str| {
        answers(&format!("var X: 0..1 process P {{ {statements} }} reach X == 1 reach done"))
    };
    assert_eq!(one("X := X + 1; X := X + 1"), [true, false], "out of range");
    assert_eq!(one("X := 1; await(0)"), [true, false]);
    assert_eq!(one("X := 1; while (1) { }"), [true, false]);
    assert_eq!(one("X := 1; while (a == 0) { skip }"), [true, false]);
    assert_eq!(one("X := 1; if (a == 0) { await(a == 1) }"), [true, false]);
    assert_eq!(one("atomic { X := 1; await(0) }"), [false, false]);
    assert_eq!(one("X := 1; return; X := 0"), [true, true]);
}

const PETERSON: &str = "
    var Turn: 0..1 var W0: bool var W1: bool var In: 0..2
    process A { W0 := true; TURN0; while (W1 && Turn == 1) { skip } In := In + 1; In := In - 1; W0 := false }
    process B { W1 := true; TURN1; while (W0 && Turn == 0) { skip } In := In + 1; In := In - 1; W1 := false }
    reach \"both inside\": In == 2
    reach done";

#[test]
fn petersons_algorithm_keeps_one_out() {
    let right = PETERSON.replace("TURN0", "Turn := 1").replace("TURN1", "Turn := 0");
    assert_eq!(answers(&right), [false, true]);
    let wrong = PETERSON.replace("TURN0", "Turn := 0").replace("TURN1", "Turn := 1");
    assert_eq!(answers(&wrong), [true, true]);
}

#[test]
fn a_queue_is_first_in_first_out_and_blocks() {
    let text = "var Q: queue[2] of 1..3 var A: 0..3 var B: 0..3 var C: 0..3 var Sent: 0..4
        process Send { send 1 to Q; Sent := 1; send 2 to Q; Sent := 2; send 3 to Q; Sent := 3 }
        process Receive { A := recv Q; b := recv Q; B := b; C := recv Q }
        reach done && A == 1 && B == 2 && C == 3
        reach done && (A != 1 || B != 2 || C != 3)
        reach len(Q) == 2
        reach Sent == 3 && A == 0
        reach Sent == 0 && A == 1
        reach Sent == 0 && B == 2";
    assert_eq!(answers(text), [true, false, true, false, true, false]);
}

#[test]
fn bits_wrap_around_whatever_is_known() {
    let wraps = |statements: &str, value: i64| {
        let mut text = format!("var W: bits 3 = 6 process P(n in -9..9) {{ {statements} }}");
        for goal in 0..8 {
            text.push_str(&format!(" reach done(P({value})) && W == {goal}"));
        }
        let model = events(&text.replace("-9..9", &format!("{value}..{value}")));
        let states = reachable(&model, &text);
        let ends: Vec<i64> =
            states.iter().filter(|(_, done)| *done).map(|(values, _)| values[0]).collect();
        ends
    };
    for value in -9..=9_i64 {
        let expected = vec![(6 + 3 * value).rem_euclid(8)];
        assert_eq!(wraps("W := W + 3 * n", value), expected);
        assert_eq!(wraps("a := W; a := a + 3 * n; W := a", value), expected, "in a loop");
    }
}

#[test]
fn parameters_make_processes_and_ends() {
    let text = "var X: 0..3 process P(a in 0..1, b in 0..1) { await(X == 2*a + b); X := X + 1 }
        reach done(P(0,1)) && !done(P(1,0))
        reach done(P(1,0)) && !done(P(0,1))
        reach done(P(1,0)) && X == 3
        reach done(P(1,1))
        reach done(P)";
    assert_eq!(answers(text), [true, false, true, false, false]);
}
