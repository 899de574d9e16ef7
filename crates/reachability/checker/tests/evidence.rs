//! Genuine evidence is accepted, also after it was written down and read again; evidence that
//! somebody has changed is not.

use ser_base::Limits;
use ser_model::Standing;
use ser_reachability_checker::{Accepted, Argument, Evidence, Question, Reason, Stage, check};
use ser_reachability_search::{
    Bound, Covered, Encoding, Goal, Method, Net, Options, OrderMethod, Outcome, Participants,
    SearchAnswer, SearchOptions, Tracer, search,
};
use std::path::PathBuf;

fn example(name: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../examples/processes");
    std::fs::read_to_string(root.join(name)).expect("an example")
}

fn limits() -> Limits {
    Limits::default()
}

fn kept(encoding: Encoding) -> Options {
    Options { encoding, ..Options::default() }
}

fn searched(participants: &Participants, text: &str, goal: Goal, how: &SearchOptions) -> Evidence {
    let task = participants.task(text, goal);
    let limits = limits().with_timeout(std::time::Duration::from_secs(20));
    match search(&task, 0, how, &limits).expect("it can be unwound").answer {
        SearchAnswer::Reached { plan, .. } => Evidence::Run { moves: plan.moves },
        SearchAnswer::Unreached(found) => found.expect("a proof is kept").1,
        SearchAnswer::Unknown(stop) => panic!("{stop}"),
    }
}

/// Evidence for each goal of a file.
fn of_processes(text: &str, how: &SearchOptions) -> Vec<Evidence> {
    let program = ser_syntax::parse_processes(text).program;
    let participants = Participants::of_processes(&program);
    let goal = |condition| Goal { name: String::new(), condition };
    let goals = program.questions.iter().filter_map(|it| Some(goal(it.condition()?)));
    goals.map(|goal| searched(&participants, text, goal, how)).collect()
}

fn of_requests(text: &str, requests: &str, reach: &str, how: &SearchOptions) -> Evidence {
    let program = ser_syntax::parse(text).program;
    let (list, _) = ser_syntax::parse_requests(requests, &program);
    let (condition, _) = ser_syntax::parse_goal(reach, &program, &list);
    let participants = Participants::of_requests(&program, &list);
    searched(&participants, text, Goal { name: String::new(), condition }, how)
}

fn of_unwinding(text: &str, encoding: Encoding) -> Evidence {
    let (net, targets) = Net::written(&ser_syntax::parse_unwinding(text).unwinding).expect("small");
    let options = kept(encoding);
    let mut tracer = Tracer::new(options.clone());
    tracer.extend(&net, &limits()).expect("small");
    tracer.require(&[targets[0]]);
    match tracer.solve(&net, &limits()) {
        Outcome::Sat(trace) => {
            let trace = trace.past_of(&net, targets[0]);
            Evidence::firing(&net, &trace.to_execution(&net, &|_| 0).expect("a token trace"))
        }
        Outcome::Unsat { .. } => tracer.refutation(&options, Vec::new(), true).expect("kept").1,
        Outcome::Unknown(stop) => panic!("{stop}"),
    }
}

/// Accepts it as it is, after a trip through JSON, and without what was of no use.
fn accept(evidence: &Evidence, question: &Question<'_>) -> Accepted {
    let accepted = check(evidence, question, &limits()).expect("it is genuine");
    let text = serde_json::to_string(evidence).expect("it is plain data");
    let mut again: Evidence = serde_json::from_str(&text).expect("it was written like this");
    assert_eq!(again, *evidence);
    if let Accepted::Unreachable { argument: Argument::Proof(proof), .. } = &accepted {
        again.trim(&proof.used);
    }
    check(&again, question, &limits()).expect("it is still enough");
    accepted
}

fn reject(evidence: &Evidence, question: &Question<'_>) -> (String, Reason) {
    let rejection = check(evidence, question, &limits()).expect_err("it was tampered with");
    (rejection.place, rejection.reason)
}

fn few(method: Method, rounds: u32, encoding: Encoding) -> SearchOptions {
    SearchOptions { method, bound: Bound::Rounds(rounds), solving: kept(encoding) }
}

fn encodings() -> [Encoding; 5] {
    let usual = Encoding::default;
    [
        usual(),
        Encoding { order: OrderMethod::Lazy, ..usual() },
        Encoding { values: false, static_order: false, ..usual() },
        Encoding { order: OrderMethod::Lazy, static_order: false, values: false, ..usual() },
        Encoding { safe_places: false, single_links: false, ..usual() },
    ]
}

const EXAMPLES: [&str; 8] = [
    "bank.ser",
    "broken_mutex.ser",
    "figure_1.ser",
    "lost_update.ser",
    "peterson.ser",
    "queue.ser",
    "two_phase_commit.ser",
    "two_phase_commit_patient.ser",
];

#[test]
fn evidence_for_all_examples_is_accepted() {
    for name in EXAMPLES {
        let text = example(name);
        for encoding in encodings() {
            for how in [few(Method::Events, 2, encoding.clone()), few(Method::Bmc, 5, encoding)] {
                for (goal, evidence) in of_processes(&text, &how).iter().enumerate() {
                    accept(evidence, &Question::Processes { text: &text, goal });
                }
            }
        }
    }
    for encoding in encodings() {
        let text = example("figure_1.unw");
        let evidence = of_unwinding(&text, encoding.clone());
        assert!(matches!(
            accept(&evidence, &Question::Unwinding { text: &text, target: 0 }),
            Accepted::Fired(_)
        ));
        let text = text.replace("x == y", "x == y + 1");
        let evidence = of_unwinding(&text, encoding);
        assert!(matches!(
            accept(&evidence, &Question::Unwinding { text: &text, target: 0 }),
            Accepted::Unreachable { covered: Covered::All, .. }
        ));
    }
}

/// P goes round once for each thing that Q makes: it takes several stages to find out that these
/// are few.
const GROWING: &str = "
    var Made: 0..3 = 0
    var Used: 0..9 = 0
    process P { while (1) { await(Made > i); i := i + 1; Used := Used + 1 } }
    process Q { Made := 1; Made := 2; Made := 3 }
    reach Used == 5
";

/// Further and further, but not forever.
fn expanding(encoding: Encoding) -> SearchOptions {
    SearchOptions { solving: kept(encoding), ..SearchOptions::default() }
}

#[test]
fn unwindings_that_grow_are_made_anew() {
    for encoding in encodings() {
        let evidence = &of_processes(GROWING, &expanding(encoding))[0];
        let question = Question::Processes { text: GROWING, goal: 0 };
        let Accepted::Unreachable { covered, .. } = accept(evidence, &question) else {
            panic!("it cannot be reached")
        };
        assert_eq!(covered, Covered::All);
        assert!(matches!(evidence, Evidence::Events { stages, .. } if stages.len() > 2));
    }
}

#[test]
fn evidence_about_requests_is_accepted() {
    let text = "request main { x := X; yield; X := x + 1; X }";
    let how = few(Method::Events, 2, Encoding::default());
    for (reach, is_reachable) in [("X == 1 && done", true), ("X == 3", false)] {
        let evidence = of_requests(text, "main*2", reach, &how);
        assert_eq!(evidence.is_reachable(), is_reachable);
        accept(&evidence, &Question::Requests { text, requests: "main*2", reach });
        for (requests, reach) in [("main*2", "X == 2 && X == 3"), ("main", "X == 1 && done")] {
            if is_reachable {
                reject(&evidence, &Question::Requests { text, requests, reach });
            }
        }
    }
}

#[test]
fn a_run_that_was_changed_is_rejected() {
    let text = example("lost_update.ser");
    let how = few(Method::Events, 2, Encoding::default());
    let all = of_processes(&text, &how);
    let (goal, evidence) =
        all.iter().enumerate().find(|(_, e)| e.is_reachable()).expect("one can be reached");
    let Evidence::Run { moves } = evidence else { panic!("a run") };
    let question = Question::Processes { text: &text, goal };
    let refuse = |moves| {
        let (place, reason) = reject(&Evidence::Run { moves }, &question);
        assert_eq!(place, "run.moves");
        assert!(matches!(reason, Reason::Run(_)), "{reason}");
    };
    refuse(Vec::new());
    refuse(moves[..moves.len() - 1].to_vec());
    let mut other = moves.clone();
    other[0].request = 99;
    refuse(other);
    let mut other = moves.clone();
    for step in &mut other {
        step.writes.iter_mut().for_each(|(_, value)| *value += 1);
    }
    refuse(other);
    let mut other = moves.clone();
    other[0].writes = vec![("Nobody".to_owned(), 0)];
    refuse(other);
    // What is only a hint does no harm if it is wrong.
    let mut hints = moves.clone();
    hints.iter_mut().for_each(|step| step.stands_at = Some(Standing::At(9999)));
    check(&Evidence::Run { moves: hints }, &question, &limits()).expect("the run is the same");
    // Another goal, another source, no goal at all.
    reject(evidence, &Question::Processes { text: &text, goal: 1 - goal });
    let (place, reason) = reject(evidence, &Question::Processes { text: &text, goal: 9 });
    assert_eq!((place.as_str(), reason), ("goal", Reason::NoGoal));
    reject(evidence, &Question::Processes { text: &example("bank.ser"), goal: 0 });
    let (place, reason) = reject(evidence, &Question::Processes { text: "process P {", goal: 0 });
    assert!(place == "source" && matches!(reason, Reason::Source(_)));
    let unwinding = example("figure_1.unw");
    let (_, reason) = reject(evidence, &Question::Unwinding { text: &unwinding, target: 0 });
    assert_eq!(reason, Reason::OtherKind);
}

#[test]
fn a_firing_sequence_that_was_changed_is_rejected() {
    let text = example("figure_1.unw");
    let question = Question::Unwinding { text: &text, target: 0 };
    let Evidence::Firing { steps } = of_unwinding(&text, Encoding::default()) else {
        panic!("it can be reached")
    };
    let refuse = |steps| reject(&Evidence::Firing { steps }, &question);
    let last = steps.len() - 1;
    assert_eq!(refuse(steps[..last].to_vec()), ("firing.steps".into(), Reason::NotTheTarget));
    let mut other = steps.clone();
    other.swap(0, last);
    assert!(matches!(refuse(other).1, Reason::NotEnabled(_)));
    let mut other = steps.clone();
    other.push(steps[last].clone());
    assert_eq!(refuse(other).0, format!("firing.steps[{}]", last + 1));
    let mut other = steps.clone();
    other[1].transition = "nobody".into();
    assert_eq!(refuse(other), ("firing.steps[1]".into(), Reason::NoTransition("nobody".into())));
    let mut other = steps.clone();
    other[last].values.insert("z".into(), 1);
    assert!(matches!(refuse(other).1, Reason::NoVariable { .. }));
    let mut other = steps;
    other[last].values.values_mut().for_each(|value| *value += 1);
    assert!(matches!(refuse(other).1, Reason::NotEnabled(_)));
}

/// The evidence for [`GROWING`], without facts that make its proof short.
fn growing() -> Evidence {
    let encoding = Encoding { values: false, ..Encoding::default() };
    of_processes(GROWING, &expanding(encoding)).remove(0)
}

/// Changes the parts of evidence by events, which is then rejected, here and for this reason.
fn refuse(change: impl FnOnce(&mut Vec<Stage>, &mut bool, &mut Vec<Vec<i32>>)) -> (String, Reason) {
    let mut evidence = growing();
    let Evidence::Events { stages, complete, learnt, .. } = &mut evidence else {
        panic!("by events")
    };
    change(stages, complete, learnt);
    reject(&evidence, &Question::Processes { text: GROWING, goal: 0 })
}

#[test]
fn a_proof_that_was_changed_is_rejected() {
    let (place, reason) = refuse(|_, _, learnt| learnt.clear());
    assert!(place == "events.learnt" && matches!(reason, Reason::Proof(_)), "{place}: {reason}");
    let (place, _) = refuse(|_, _, learnt| learnt.insert(0, Vec::new()));
    assert_eq!(place, "events.learnt[0]");
    let (_, reason) = refuse(|_, _, learnt| learnt[0] = vec![0]);
    assert!(matches!(reason, Reason::Proof(_)));
    // Every clause that took part is needed, or the others do not follow any more.
    let mut evidence = growing();
    let question = Question::Processes { text: GROWING, goal: 0 };
    let Accepted::Unreachable { argument: Argument::Proof(proof), .. } =
        accept(&evidence, &question)
    else {
        panic!("a proof")
    };
    evidence.trim(&proof.used);
    let Evidence::Events { learnt, .. } = &evidence else { panic!("by events") };
    assert!(!learnt.is_empty(), "it is not trivial");
    let without = |place: usize| {
        let mut evidence = evidence.clone();
        if let Evidence::Events { learnt, .. } = &mut evidence {
            learnt.remove(place);
        }
        check(&evidence, &question, &limits()).is_err()
    };
    let needed = (0..learnt.len()).filter(|place| without(*place)).count();
    assert!(needed > 0, "{} clauses, none of them needed", learnt.len());
}

#[test]
fn other_stages_are_rejected() {
    let (place, reason) = refuse(|stages, _, _| stages.clear());
    assert_eq!((place.as_str(), reason), ("events.stages", Reason::NoStage));
    let (place, reason) = refuse(|stages, _, _| stages[0].rounds.push(1));
    assert!(matches!(reason, Reason::OtherProcesses { processes: 2, rounds: 3 }));
    assert_eq!(place, "events.stages[0].rounds");
    let (place, reason) = refuse(|stages, _, _| {
        let rounds = vec![0; 2];
        stages.push(Stage { rounds, cycles: Vec::new() });
    });
    assert!(place.ends_with(".rounds") && reason == Reason::GoesBack);
    let (_, reason) = refuse(|stages, _, _| stages[0].rounds.iter_mut().for_each(|r| *r += 1));
    assert!(matches!(reason, Reason::OtherFormula { .. } | Reason::GoesBack), "{reason}");
    for cycle in [vec![], vec![1 << 20]] {
        let (place, reason) = refuse(|stages, _, _| stages[0].cycles.push(cycle));
        assert_eq!((place.as_str(), reason), ("events.stages[0].cycles[0]", Reason::NoCycle));
    }
    // A cycle of two is a lemma that says nothing; but the formula has one clause more, or none.
    let mut evidence = growing();
    if let Evidence::Events { stages, learnt, .. } = &mut evidence {
        stages[0].cycles.push(vec![0, 1]);
        learnt.clear();
    }
    reject(&evidence, &Question::Processes { text: GROWING, goal: 0 });
}

/// A proof about few rounds is none about all of them, and a bounded claim is accepted as such.
#[test]
fn weaker_bounds_do_not_give_a_stronger_claim() {
    let text = "
        var X: 0..9 = 0
        process P { while (X < 9) { X := X + 1 } }
        reach X == 5
    ";
    let question = Question::Processes { text, goal: 0 };
    let how = few(Method::Events, 3, Encoding::default());
    let evidence = of_processes(text, &how).remove(0);
    let Accepted::Unreachable { covered, .. } = accept(&evidence, &question) else {
        panic!("it is too far")
    };
    assert_eq!(covered, Covered::Rounds(vec![("P".to_owned(), 3)]));
    let mut all = evidence.clone();
    if let Evidence::Events { complete, .. } = &mut all {
        *complete = true;
    }
    assert!(matches!(reject(&all, &question).1, Reason::Proof(_)));

    let how = few(Method::Bmc, 4, Encoding::default());
    let evidence = of_processes(text, &how).remove(0);
    let Accepted::Unreachable { covered, .. } = accept(&evidence, &question) else {
        panic!("it is too far")
    };
    assert_eq!(covered, Covered::Steps(4));
    let Evidence::Steps { complete: false, formula, learnt, .. } = evidence else {
        panic!("by steps, and not complete")
    };
    let claim = |steps, complete, formula, learnt| {
        reject(&Evidence::Steps { steps, complete, formula, learnt }, &question)
    };
    assert_eq!(
        claim(4, true, formula, learnt.clone()),
        ("steps.complete".into(), Reason::NotComplete)
    );
    assert!(matches!(claim(3, false, formula, learnt).1, Reason::OtherFormula { .. }));
}

#[test]
fn lists_of_states_are_made_anew() {
    let text = example("peterson.ser");
    let question = Question::Processes { text: &text, goal: 0 };
    let count = (1..2000)
        .find(|states| check(&Evidence::Listing { states: *states }, &question, &limits()).is_ok());
    let states = count.expect("there are not so many");
    let Accepted::Unreachable { covered: Covered::All, .. } =
        accept(&Evidence::Listing { states }, &question)
    else {
        panic!("they are listed")
    };
    let (place, reason) = reject(&Evidence::Listing { states: states + 1 }, &question);
    assert_eq!(place, "listing.states");
    assert_eq!(reason, Reason::OtherCount { claimed: states + 1, found: states });
    let (_, reason) = reject(&Evidence::Listing { states: states - 1 }, &question);
    assert!(matches!(reason, Reason::Stopped(_)));
    let broken = example("broken_mutex.ser");
    let question = Question::Processes { text: &broken, goal: 0 };
    assert_eq!(reject(&Evidence::Listing { states: 9999 }, &question).1, Reason::Reached);
}

#[test]
fn limits_end_a_check() {
    let late = Limits::default().with_timeout(std::time::Duration::ZERO);
    let question = Question::Processes { text: GROWING, goal: 0 };
    let rejection = check(&growing(), &question, &late).expect_err("there is no time");
    assert!(matches!(rejection.reason, Reason::Stopped(_)), "{rejection}");
}
