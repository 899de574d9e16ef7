//! Programs of processes, from their text to an answer.

use ser_base::Limits;
use ser_model::ProgramModel;
use ser_reachability_search::{
    Bound, Covered, Goal, Method, Options, Participants, SearchAnswer, SearchOptions, search,
};
use ser_syntax::core::Program;

/// The first goal of a file.
fn goal(program: &Program) -> Goal {
    let condition = program.questions[0].condition().expect("a condition");
    Goal { name: String::new(), condition }
}

/// Whether the first goal can be reached, and how far that was looked for. A run is replayed.
fn answer(text: &str, method: Method, bound: Bound) -> (bool, Covered) {
    let parse = ser_syntax::parse_processes(text);
    assert!(!parse.has_errors(), "{:#?}", parse.diagnostics);
    let participants = Participants::of_processes(&parse.program);
    let task = participants.task(text, goal(&parse.program));
    let options = SearchOptions { method, bound, solving: Options::default() };
    let limits = Limits::default();
    let found = search(&task, 0, &options, &limits).unwrap();
    match found.answer {
        SearchAnswer::Reached { plan, .. } => {
            let run = ProgramModel::follow(&parse.program, text, &plan, &limits, |_, _| true);
            let run = run.unwrap_or_else(|e| panic!("{e}: {plan:#?}"));
            assert!(!run.steps.is_empty() || plan.moves.is_empty());
            (true, found.covered)
        }
        SearchAnswer::Unreached { .. } => (false, found.covered),
        SearchAnswer::Unknown(stop) => panic!("{stop}"),
    }
}

const FIGURE_1: &str = "
    var X: 0..63 = 2
    var Y: 0..63 = 5
    process F { while (1) { Y := Y + 4 } }
    process G { j := 3; while (1) { atomic { X := X + j; j := j + 1 } } }
    process H { await(X == Y) }
    reach done(H)
";

#[test]
fn the_first_figure_of_the_paper_prints_equal() {
    assert!(answer(FIGURE_1, Method::Events, Bound::Expand).0);
    assert!(answer(FIGURE_1, Method::Events, Bound::Rounds(1)).0);
    assert!(answer(FIGURE_1, Method::Bmc, Bound::Expand).0);
    assert!(answer(FIGURE_1, Method::Bmc, Bound::Rounds(2)).0);
    assert!(!answer(FIGURE_1, Method::Bmc, Bound::Rounds(1)).0);
}

#[test]
fn the_family_has_the_sizes_of_the_paper() {
    for c in 1..=3u32 {
        let text = family(c, 0);
        let parse = ser_syntax::parse_processes(&text);
        let participants = Participants::of_processes(&parse.program);
        let task = participants.task(&text, goal(&parse.program));
        let unwinding =
            ser_reachability_search::Unwinding::new(&task, 0, &Limits::default()).unwrap();
        let names: Vec<&String> = unwinding.net.places.iter().map(|p| &p.name).collect();
        assert_eq!(unwinding.net.transitions.len(), 4 * c as usize + 2, "{names:?}");
    }
}

fn family(c: u32, d: u32) -> String {
    let most = c * c * c + 2 * c * c - c;
    format!(
        "var X: 0..{most}
         process F {{ for _ in 1..{c} {{ a := X; X := a + {} }} }}
         process G {{ for _ in 1..{c} {{ a := X; X := a + {} }} }}
         reach done && X == {d}",
        c * c,
        2 * c - 1
    )
}

#[test]
fn the_family_is_what_enumeration_says() {
    for c in 1..=3 {
        for d in 0..=c * c * c + 2 * c * c - c {
            let text = family(c, d);
            let expected = enumerate(c).contains(&d);
            let (events, covered) = answer(&text, Method::Events, Bound::Rounds(1));
            assert_eq!(events, expected, "C = {c}, D = {d}");
            assert!(events || covered == Covered::All);
            let (bmc, covered) = answer(&text, Method::Bmc, Bound::Rounds(4 * c));
            assert_eq!(bmc, expected, "C = {c}, D = {d}");
            assert!(bmc || covered == Covered::All);
        }
    }
}

/// All final values of the family, by brute force.
fn enumerate(c: u32) -> std::collections::BTreeSet<u32> {
    let add = [c * c, 2 * c - 1];
    let mut seen = std::collections::BTreeSet::new();
    let mut open = vec![(0u32, [(0u32, None::<u32>); 2])];
    let mut finals = std::collections::BTreeSet::new();
    while let Some(state) = open.pop() {
        if !seen.insert(state) {
            continue;
        }
        let (x, processes) = state;
        if processes.iter().all(|(round, copy)| *round == c && copy.is_none()) {
            finals.insert(x);
        }
        for p in 0..2 {
            let mut next = processes;
            let x = match processes[p] {
                (round, None) if round < c => {
                    next[p] = (round, Some(x));
                    x
                }
                (round, Some(copy)) => {
                    next[p] = (round + 1, None);
                    copy + add[p]
                }
                _ => continue,
            };
            open.push((x, next));
        }
    }
    finals
}

#[test]
fn loops_that_do_not_matter_do_not_keep_an_answer_from_being_complete() {
    let text = "
        var X: 0..3
        var Y: 0..3
        process Idle { while (1) { Y := 1 } }
        process Work { X := 1; X := 2 }
        reach X == 3
    ";
    let (reached, covered) = answer(text, Method::Events, Bound::Expand);
    assert!(!reached);
    assert_eq!(covered, Covered::All);
}

#[test]
fn a_loop_goes_round_as_often_as_it_must() {
    let text = "
        var X: 0..20
        process Count { while (1) { X := X + 1 } }
        reach X == 13
    ";
    assert!(answer(text, Method::Events, Bound::Expand).0);
    assert_eq!(
        answer(text, Method::Events, Bound::Rounds(12)),
        (false, Covered::Rounds(vec![("Count".to_owned(), 12)]))
    );
    assert!(answer(text, Method::Bmc, Bound::Expand).0);
}

/// Such loops were unrolled thousands of times: their condition is known in every round, and never
/// changes.
#[test]
fn a_known_condition_that_never_changes_is_no_end_of_a_loop() {
    for body in [
        "a := 0; while (a < 1) { X := 1 - X }",
        "a := 0; while (a < 1) { X := 1 - X; a := 0 }",
        "i := 1; for _ in 1..2 { while (i >= 1) { X := 1 - X }; i := i + 1 }",
    ] {
        let text = format!("var X: 0..1 process P {{ {body} }} reach done(P)");
        let parse = ser_syntax::parse_processes(&text);
        let participants = Participants::of_processes(&parse.program);
        let task = participants.task(&text, goal(&parse.program));
        let unwinding =
            ser_reachability_search::Unwinding::new(&task, 3, &Limits::default()).unwrap();
        let count = unwinding.net.transitions.len();
        assert!(count < 20, "{count} transitions: {body}");
    }
    // A flag that the loop sets, and a counter: these end, and all is covered.
    for body in [
        "go := 1; while (go == 1) { X := 1 - X; go := 0 }",
        "i := 0; while (i < 8) { X := 1 - X; i := i + 1 }",
    ] {
        let text = format!("var X: 0..1 process P {{ {body} }} reach done(P) && X == 1 && X == 0");
        let (reached, covered) = answer(&text, Method::Events, Bound::Rounds(3));
        assert_eq!((reached, covered), (false, Covered::All), "{body}");
    }
}
