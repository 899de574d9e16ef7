//! Moving yield points to where they do no harm.
//!
//! A yield point is often there for a reason: a call to another machine. If removing some yield
//! points repairs a program, then perhaps each of them can stay nearby. A `yield` that moves
//! changes nothing for a request alone.

use super::harm::Harm;
use super::layout::{Layout, apply};
use super::removal::Pauses;
use crate::serializability::outline::{Outline, Shape};
use crate::serializability::trials::{Answer, Trials};
use ser_syntax::Edit;
use std::collections::BTreeMap;

/// So many programs are checked.
const MAX_TRIALS: usize = 32;

/// Where a yield point goes: before this statement of this block, or after its last one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Target {
    pub block: usize,
    pub before: usize,
}

/// Some yield points are moved; others have to go.
pub(super) struct Moves {
    pub targets: BTreeMap<usize, Target>,
    pub edits: Vec<Edit>,
}

/// Tries to keep each of the yield points, as near as possible. Nothing if none of them can stay.
pub(super) fn search(
    trials: &mut Trials<'_>,
    layout: &Layout<'_>,
    source: &str,
    harm: &Harm,
    gone: &Pauses,
    tried: &mut usize,
) -> Option<Moves> {
    let mut targets: BTreeMap<usize, Target> = BTreeMap::new();
    for pause in gone {
        for target in places(trials.outline(), *pause) {
            if *tried >= MAX_TRIALS || trials.is_out_of_time() {
                break;
            }
            if targets.values().any(|known| *known == target) {
                // Two yield points in one place are one.
                continue;
            }
            let mut next = targets.clone();
            next.insert(*pause, target);
            let edits = edits(trials.outline(), layout, gone, &next);
            *tried += 1;
            let text = apply(source, &edits);
            if let Answer::Serializable(_) = trials.check(text.clone())
                && !harm.spins_when_moved(trials.outline(), gone, &text)
            {
                targets = next;
                break;
            }
        }
    }
    if targets.is_empty() {
        return None;
    }
    let edits = edits(trials.outline(), layout, gone, &targets);
    Some(Moves { targets, edits })
}

/// Where a yield point could go, the nearest place first: in its own block, then around it.
fn places(outline: &Outline, pause: usize) -> Vec<Target> {
    let Some((mut block, mut index)) = outline.pauses[pause].place else { return Vec::new() };
    let mut found: Vec<(usize, Target)> = Vec::new();
    let mut far = 0;
    let mut own = true;
    loop {
        let statements = &outline.blocks[block].statements;
        let is_yield = |i: usize| statements.get(i).is_some_and(|s| s.shape == Shape::Yield);
        for before in 0..=statements.len() {
            let distance = if before <= index { index - before } else { before - index - 1 };
            // Next to another yield point, or where it stands, it would not be a separate yield
            // point.
            let beside = before.checked_sub(1).is_some_and(is_yield) || is_yield(before);
            let last = before == statements.len() && outline.blocks[block].is_used;
            if own && distance == 0 || beside || last {
                continue;
            }
            found.push((far + distance + usize::from(!own), Target { block, before }));
        }
        let Some((outer, at)) = outline.blocks[block].parent else { break };
        far += statements.len();
        (block, index, own) = (outer, at, false);
    }
    found.sort_by_key(|(distance, _)| *distance);
    found.into_iter().map(|(_, target)| target).collect()
}

fn edits(
    outline: &Outline,
    layout: &Layout<'_>,
    gone: &Pauses,
    targets: &BTreeMap<usize, Target>,
) -> Vec<Edit> {
    let mut edits = Vec::new();
    for pause in gone {
        let place = &outline.pauses[*pause];
        let Some(target) = targets.get(pause) else {
            edits.extend(layout.remove_pause(place));
            continue;
        };
        let statements = &outline.blocks[target.block].statements;
        match (statements.get(target.before), statements.last()) {
            // A comment goes along only to a line of its own.
            (Some(next), _) if layout.starts_line(next.span.start) => {
                let (cut, comment) = layout.cut_pause(place);
                edits.extend(cut);
                edits.push(layout.insert_before(next.span, &[format!("yield;{comment}")]));
            }
            (Some(next), _) => {
                edits.extend(layout.remove_pause(place));
                edits.push(layout.insert_before(next.span, &["yield;".to_owned()]));
            }
            (None, Some(last)) => {
                edits.extend(layout.remove_pause(place));
                edits.extend(layout.insert_after(last.span, &["yield;".to_owned()]));
            }
            (None, None) => {}
        }
    }
    edits
}
