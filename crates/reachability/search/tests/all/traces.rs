//! Theorem 1 of the paper on random nets: executions and token traces give each other.

use crate::common::{Dice, random_net, transitions};
use proptest::prelude::*;
use ser_reachability_search::{
    ArcId, ArcKind, Execution, Marking, Net, PlaceId, Step, Token, TokenTrace, TransitionId,
    VariableId, Why, possible_steps,
};

use std::collections::BTreeMap;

/// A random one-off execution.
fn random_execution(net: &Net, seed: u64) -> Execution {
    let mut dice = Dice::new(seed ^ 0xABCD);
    let mut execution = Execution::default();
    let mut marking = Marking::default();
    loop {
        let events = execution.events();
        let mut possible: Vec<(Step, Marking)> = Vec::new();
        for transition in transitions(net).filter(|t| !events.contains(t)) {
            for step in possible_steps(net, &marking, transition) {
                possible.extend(marking.fire(net, &step).ok().map(|next| (step, next)));
            }
        }
        if possible.is_empty() || dice.chance(20) {
            return execution;
        }
        let (step, next) = possible.swap_remove(dice.below(possible.len()));
        execution.steps.push(step);
        marking = next;
    }
}

/// The token trace of an execution (Lemma 3): each token is traced to its source, the oldest one
/// if several are equal.
fn trace_of(net: &Net, execution: &Execution) -> TokenTrace {
    execution.check(net).expect("it was fired");
    let mut trace = TokenTrace::default();
    // Who made the tokens that are there.
    let mut makers: BTreeMap<(PlaceId, Token), Vec<ArcId>> = BTreeMap::new();
    for step in &execution.steps {
        trace.events.insert(step.transition);
        let variables = net.transition(step.transition).variables.iter();
        let values = variables.filter_map(|v| Some((*v, *step.binding.get(v)?)));
        trace.binding.extend(values);
        for kind in [ArcKind::Input, ArcKind::Test, ArcKind::Output] {
            for id in net.arcs_of(step.transition, kind) {
                let arc = net.arc(id);
                let token = step.token(net, arc).unwrap_or_default();
                let list = makers.entry((arc.place, token)).or_default();
                match kind {
                    ArcKind::Output => list.push(id),
                    ArcKind::Test => trace.source.extend(list.first().map(|o| (id, *o))),
                    ArcKind::Input if list.is_empty() => {}
                    ArcKind::Input => {
                        trace.source.insert(id, list.remove(0));
                    }
                }
            }
        }
    }
    trace
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn executions_and_traces_give_each_other(seed in any::<u64>()) {
        let net = random_net(seed);
        let execution = random_execution(&net, seed);
        let end = execution.check(&net).expect("it was fired");
        let trace = trace_of(&net, &execution);
        prop_assert_eq!(trace.check(&net), Ok(()));
        prop_assert_eq!(&trace.events, &execution.events());
        prop_assert_eq!(&trace.residual(&net), &end);
        for processes in [1, 2, 100] {
            let again = trace.to_execution(&net, &|t| t.index() % processes).expect("checked");
            prop_assert_eq!(again.check(&net), Ok(end.clone()));
            prop_assert_eq!(&again.events(), &trace.events);
        }
    }

    #[test]
    fn executions_that_were_tampered_with_are_rejected(seed in any::<u64>()) {
        let net = random_net(seed);
        let execution = random_execution(&net, seed);
        if let Some(first) = execution.steps.first().cloned() {
            let mut twice = execution.clone();
            twice.steps.push(first);
            prop_assert!(twice.check(&net).is_err());
        }
        for (index, step) in execution.steps.iter().enumerate() {
            if let Some(variable) = step.binding.keys().next() {
                let mut unbound = execution.clone();
                unbound.steps[index].binding.remove(variable);
                prop_assert!(unbound.check(&net).is_err());
            }
        }
    }

    /// Whatever is changed, if the check still accepts it, then it can still be executed.
    #[test]
    fn a_changed_trace_that_is_accepted_can_be_executed(seed in any::<u64>()) {
        let net = random_net(seed);
        let mut dice = Dice::new(seed ^ 0x1234);
        let trace = trace_of(&net, &random_execution(&net, seed));
        let mut changed = trace.clone();
        match dice.below(4) {
            0 => {
                let t = TransitionId::from_index(dice.below(net.transitions.len()));
                if !changed.events.remove(&t) {
                    changed.events.insert(t);
                }
            }
            1 => {
                let variables: Vec<VariableId> = changed.binding.keys().copied().collect();
                if !variables.is_empty() {
                    changed.binding.insert(dice.one(&variables), dice.below(5) as i64 - 2);
                }
            }
            _ => {
                let arcs: Vec<ArcId> = changed.source.keys().copied().collect();
                if !arcs.is_empty() {
                    let to = ArcId::from_index(dice.below(net.arcs.len()));
                    changed.source.insert(dice.one(&arcs), to);
                }
            }
        }
        if changed.check(&net).is_ok() {
            let execution = changed.to_execution(&net, &|_| 0).expect("it was accepted");
            prop_assert_eq!(execution.check(&net), Ok(changed.residual(&net)));
        } else {
            prop_assert!(changed != trace);
        }
    }
}

/// Each item of Definition 3 on its own: a maker of two tokens, a tester, and two takers.
mod items {
    use super::*;
    use ser_reachability_search::{Interval, NewTransition};

    /// init puts 1 and 2 into p and 2 into q; two takers and a tester of p; `end` takes what the
    /// first taker gives.
    fn net() -> (Net, TokenTrace) {
        let mut net = Net::default();
        let values = Interval::new(0, 3);
        let p = net.add_place("p", vec![values], false);
        let q = net.add_place("q", vec![values], false);
        let (one, two, yes) = (net.terms.number(1), net.terms.number(2), net.terms.number(1));
        let add = |net: &mut Net, name: &str, guard, arcs| {
            net.add_transition(NewTransition { name: name.into(), guard, arcs })
        };
        use ArcKind::{Input, Output, Test};
        let init = vec![(Output, p, vec![one]), (Output, p, vec![two]), (Output, q, vec![two])];
        add(&mut net, "init", yes, init);
        let x = net.add_variable("x", values);
        add(&mut net, "first", x, vec![(Input, p, vec![x]), (Output, q, vec![x])]);
        let y = net.add_variable("y", values);
        add(&mut net, "second", yes, vec![(Input, p, vec![y])]);
        let z = net.add_variable("z", values);
        add(&mut net, "tester", yes, vec![(Test, p, vec![z]), (Input, q, vec![two])]);
        let execution = Execution {
            steps: [(0, None), (3, Some(2)), (1, Some(1)), (2, Some(2))]
                .into_iter()
                .map(|(t, value)| {
                    let transition = TransitionId(t);
                    let variables = net.transition(transition).variables.iter();
                    let binding = variables.filter_map(|v| Some((*v, value?))).collect();
                    Step { transition, binding }
                })
                .collect(),
        };
        let trace = trace_of(&net, &execution);
        assert_eq!(trace.check(&net), Ok(()));
        (net, trace)
    }

    fn why(change: impl FnOnce(&mut TokenTrace)) -> Why {
        let (net, mut trace) = net();
        change(&mut trace);
        trace.check(&net).expect_err("it was tampered with")
    }

    fn relinked(reader: u32, output: u32) -> Why {
        why(|t| t.source.extend([(ArcId(reader), ArcId(output))]))
    }

    fn rebound(variable: u32, value: i64) -> Why {
        why(|t| t.binding.extend([(VariableId(variable), value)]))
    }

    // Arcs: init 0 1 2, first 3 4, second 5, tester 6 7. Variables: x 0, y 1, z 2.

    #[test]
    fn item_1_events_are_transitions() {
        let why = why(|t| t.events.extend([TransitionId(9)]));
        assert_eq!(why, Why::NoTransition(TransitionId(9)));
    }

    #[test]
    fn item_2_every_reading_arc_has_a_source() {
        assert_eq!(why(|t| t.source.retain(|arc, _| arc.0 != 3)), Why::Domain(ArcId(3)));
        assert_eq!(relinked(0, 1), Why::Domain(ArcId(0)));
        assert_eq!(relinked(77, 1), Why::Domain(ArcId(77)));
    }

    #[test]
    fn item_2_sources_are_outputs_of_events() {
        assert_eq!(relinked(3, 5), Why::Source(ArcId(3)));
        assert_eq!(relinked(3, 99), Why::Source(ArcId(3)));
        let without_first = why(|t| {
            t.events.remove(&TransitionId(1));
            t.source.remove(&ArcId(3));
            t.binding.remove(&VariableId(0));
            t.source.insert(ArcId(7), ArcId(4));
        });
        assert_eq!(without_first, Why::Source(ArcId(7)));
    }

    #[test]
    fn item_2a_sources_are_at_the_same_place() {
        assert_eq!(relinked(5, 2), Why::Place(ArcId(5)));
    }

    #[test]
    fn item_2b_a_token_is_consumed_once() {
        let twice = why(|t| {
            t.source.insert(ArcId(3), ArcId(1));
            t.binding.insert(VariableId(0), 2);
        });
        assert_eq!(twice, Why::ConsumedTwice(ArcId(5)));
    }

    #[test]
    fn item_3_variables_have_values_of_their_own() {
        assert_eq!(why(|t| t.binding.retain(|v, _| v.0 != 1)), Why::Binding(VariableId(1)));
        assert_eq!(rebound(1, 9), Why::Binding(VariableId(1)));
        assert_eq!(rebound(7, 0), Why::Binding(VariableId(7)));
    }

    #[test]
    fn item_3_values_agree_at_both_ends() {
        assert_eq!(rebound(1, 0), Why::Value(ArcId(5)));
    }

    #[test]
    fn item_4_guards_hold() {
        let (mut net, trace) = net();
        net.transitions[1].guard = net.terms.number(0);
        assert_eq!(trace.check(&net), Err(Why::Guard(TransitionId(1))));
    }

    #[test]
    fn item_5_there_is_an_order() {
        // The tester takes what `first` gives, but tests what `first` has taken before.
        let cycle = why(|t| {
            t.source.insert(ArcId(3), ArcId(1));
            t.source.insert(ArcId(5), ArcId(0));
            t.source.insert(ArcId(6), ArcId(1));
            t.source.insert(ArcId(7), ArcId(4));
            t.binding.extend([(VariableId(0), 2), (VariableId(1), 1), (VariableId(2), 2)]);
        });
        assert_eq!(cycle, Why::Cycle(TransitionId(1)));
    }

    #[test]
    fn runs_stay_with_a_process() {
        let mut net = Net::default();
        let mut trace = TokenTrace::default();
        for process in 0..2 {
            for _ in 0..3 {
                let (name, arcs) = (format!("{process}"), Vec::new());
                let guard = net.terms.number(1);
                trace.events.insert(net.add_transition(NewTransition { name, guard, arcs }));
            }
        }
        let execution = trace.to_execution(&net, &|t| t.index() % 2).expect("a trace");
        let order: Vec<u32> = execution.steps.iter().map(|step| step.transition.0).collect();
        assert_eq!(order, [0, 2, 4, 1, 3, 5]);
    }
}
