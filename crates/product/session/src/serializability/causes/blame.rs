//! Which yield points are disturbed, and what becomes of the program without them.

use super::PauseBlame;
use crate::serializability::trials::{Answer, Trials};
use crate::trace::TraceStep;
use ser_syntax::Span;
use std::collections::BTreeSet;
use std::ops::Range;

/// A yield point at which another request takes a step.
pub(crate) struct Disturbed {
    /// The `yield`.
    pub span: Span,
    /// The step that ends there.
    pub step: usize,
    /// The step with which the request goes on.
    pub next: usize,
}

impl Disturbed {
    /// The steps that others take there.
    pub fn meanwhile(&self) -> Range<usize> {
        self.step + 1..self.next
    }
}

/// The yield points of a run at which another request takes a step.
pub(crate) fn disturbed(steps: &[TraceStep]) -> Vec<Disturbed> {
    let mut found = Vec::new();
    for (step, now) in steps.iter().enumerate() {
        let Some(span) = now.pauses_at else { continue };
        let rest = steps.iter().enumerate().skip(step + 1);
        let next = rest.clone().find(|(_, s)| s.number == now.number);
        let Some((next, _)) = next else { continue };
        // A response without a step disturbs no other request.
        if steps[step + 1..next].iter().any(|s| s.locals.is_some()) {
            found.push(Disturbed { span, step, next });
        }
    }
    found
}

/// Checks the program without each yield point, and with no other than each yield point.
pub(super) fn assign(pauses: &mut [PauseBlame], trials: &mut Trials<'_>) {
    for pause in pauses {
        let Some(me) = trials.outline().pause_at(pause.span) else { continue };
        if trials.outline().pauses[me].waits {
            // Without it, the loop would wait without letting others in.
            continue;
        }
        pause.removal_repairs = match trials.without(&BTreeSet::from([me])) {
            Answer::Serializable(_) => Some(true),
            Answer::NotSerializable(_) => Some(false),
            Answer::Unknown => None,
        };
        pause.others_wait = trials.outline().pauses.iter().any(|p| p.waits);
        let others: BTreeSet<usize> = (0..trials.outline().pauses.len())
            .filter(|i| *i != me && !trials.outline().pauses[*i].waits)
            .collect();
        pause.enough_alone = if others.is_empty() {
            Some(true)
        } else {
            match trials.without(&others) {
                Answer::Serializable(_) => Some(false),
                Answer::NotSerializable(_) => Some(true),
                Answer::Unknown => None,
            }
        };
    }
}
