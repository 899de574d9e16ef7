//! No step is an error: all obligations of all paths hold in every state in which the invariants
//! do.

use crate::cases::{blocks, partitions};
use crate::certificate::{CaseProof, Mover};
use crate::condition::{Case, Checker, Kind, Listed, Path};
use crate::environment::{Environment, Position};
use crate::logic::{Formula, Logic};
use crate::rejection::{Reason, Rejection};
use crate::step::Item;
use ser_syntax::inv::ast::LocId;

/// Checks safety.
pub(crate) fn safety(checker: &mut Checker<'_>, cases: &[CaseProof]) -> Result<(), Rejection> {
    checker.tidy();
    let listed = Listed::new(cases).map_err(|(_, reason)| reason)?;
    let control = checker.control;
    for partition in partitions(1 + checker.anchors.len(), checker.system.threads) {
        let anchors = checker.anchor_blocks(&partition, 1);
        checker.limits.check_clock().map_err(Reason::from)?;
        for (location, paths) in control.paths.iter().enumerate() {
            for path in 0..paths.len() {
                let case = Case {
                    invariant: None,
                    premise: Kind::Safety,
                    mover: Mover::Fresh,
                    location: location as u32,
                    path: path as u32,
                    partition: &partition,
                    blocks: blocks(&partition),
                    anchors: &anchors,
                };
                let proof = listed.find(&case);
                checker.counts.conditions += 1;
                let done = step(checker, &case, proof);
                checker.finish(&case, done)?;
            }
        }
    }
    Ok(listed.finish()?)
}

fn step(
    checker: &mut Checker<'_>,
    case: &Case<'_>,
    proof: Option<&CaseProof>,
) -> Result<(), Reason> {
    // The mover is the first variable.
    let me = 0;
    let executed = checker.executed(case.location, case.path, me, case.blocks, true)?;
    let goal = goal(&mut checker.logic, &executed.items);
    if proof.is_none() && goal == Formula::TRUE {
        return Ok(());
    }
    let before = Environment::before(Position::One(me, LocId(case.location)));
    let path = Path { heap: &executed.after.heap, chosen: &executed.chosen };
    checker.refute(case, &before, path, vec![!goal], proof)
}

/// Each obligation holds if all facts before it do.
fn goal(logic: &mut Logic, items: &[Item]) -> Formula {
    items.iter().rev().fold(Formula::TRUE, |rest, item| match item {
        Item::Fact(fact) => logic.implies(*fact, rest),
        Item::Obligation(obligation) => logic.and([*obligation, rest]),
    })
}
