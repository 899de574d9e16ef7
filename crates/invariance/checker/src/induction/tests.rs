//! The lock-coupling list: most of its cases need no lemmas, and cost next to nothing.

use super::*;
use crate::certificate::Term;
use crate::condition::Checker;
use crate::control::Control;
use ser_base::Limits;
use ser_base::LineIndex;
use std::collections::BTreeMap;

const LIST: &str = include_str!("list.ser");

#[test]
fn most_cases_of_the_list_need_no_lemmas() {
    let parse = ser_syntax::inv::parse(LIST);
    assert!(!parse.has_errors(), "{:?}", parse.diagnostics);
    let system = parse.system;
    let control = Control::new(&system).expect("a program");
    assert_eq!(control.paths.iter().map(Vec::len).sum::<usize>(), 61);
    let (lines, limits) = (LineIndex::new(LIST), Limits::default());
    let names = system.invariants.iter().enumerate();
    let nodes: BTreeMap<&str, InvId> =
        names.map(|(number, it)| (it.name.text.as_str(), InvId(number as u32))).collect();
    let terms: &[Term] = &[];
    let mut checker = Checker::new(&system, &control, &lines, &limits, terms, &nodes, vec![]);
    let start = std::time::Instant::now();
    let (mut cases, mut open) = (0, Vec::new());
    for (number, phi) in system.invariants.iter().enumerate() {
        let number = InvId(number as u32);
        let parameters = phi.parameters.len();
        for partition in partitions(parameters, None) {
            let fresh = [&partition[..], &[blocks(&partition)]].concat();
            let own = (0..parameters).map(|it| (Mover::Variable(it as u32), &partition, it));
            for (mover, partition, place) in own.chain([(Mover::Fresh, &fresh, parameters)]) {
                let me = partition[place];
                for (location, paths) in control.paths.iter().enumerate() {
                    let location = location as u32;
                    let before = Environment::before(Position::One(me, LocId(location)));
                    let mut known = Known { before: &before, goal: None, instances: None };
                    for path in 0..paths.len() as u32 {
                        let blocks = blocks(partition);
                        let (invariant, premise) = (Some(number), Kind::Consecution);
                        let case = Case {
                            invariant,
                            premise,
                            mover,
                            location,
                            path,
                            partition,
                            blocks,
                            anchors: &[],
                        };
                        cases += 1;
                        match step(&mut checker, phi, &case, me, &mut known, None) {
                            Ok(()) => {}
                            Err(Reason::Open { .. }) => open.push(checker.place(&case)),
                            Err(other) => panic!("{other}"),
                        }
                    }
                }
            }
        }
    }
    let took = start.elapsed();
    assert_eq!(cases, 61 * (1 + 4 * 2 + 6));
    assert!(checker.counts.shown < cases / 8, "{} of {cases}", checker.counts.shown);
    assert!(open.len() < cases / 10, "{} of {cases}", open.len());
    assert!(took.as_secs() < 2, "{took:?}");
}
