//! Where a process stands: a place in the code, and how often it went round the loops around it.
//!
//! Loops are told by their backward jumps: code is structured, so the instructions from the target
//! of such a jump to the jump are a loop. Leaving a loop forgets how often it went round: what
//! follows a loop is one place, however it got there.

use ser_model::{Code, Instr, Pc};
use std::collections::BTreeSet;

/// A place in the code, with how often each loop around it has been gone round, from the outermost
/// to the innermost.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Location {
    /// How often the process went round each loop around it.
    pub rounds: Vec<Round>,
    /// Where it goes on; nothing once it is complete.
    pub pc: Option<Pc>,
}

/// How often a process went round a loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Round {
    /// Where the loop starts; a loop in its condition may start there, too.
    pub head: Pc,
    /// The jump back.
    pub last: Pc,
    /// How often.
    pub round: u32,
}

impl Location {
    /// Where it is complete.
    pub const END: Location = Location { rounds: Vec::new(), pc: None };
}

impl PartialOrd for Location {
    fn partial_cmp(&self, other: &Location) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Every step leads from a smaller location to a larger one: forward in the code, or to a later
/// round.
impl Ord for Location {
    fn cmp(&self, other: &Location) -> std::cmp::Ordering {
        let key = |l: &Location| {
            let rounds = l.rounds.clone().into_iter().flat_map(|r| [r.head, r.round]);
            rounds.chain([l.pc.unwrap_or(Pc::MAX)])
        };
        key(self).cmp(key(other))
    }
}

/// The loops of a program.
#[derive(Clone, Debug)]
pub struct Loops {
    /// First and last instruction, outer ones before inner ones.
    loops: Vec<(Pc, Pc)>,
    /// For each loop, the local variables that it computes: those that it only sets to a number are
    /// not among them.
    computed: Vec<BTreeSet<u32>>,
}

impl Loops {
    /// The loops of this code.
    pub fn new(code: &Code) -> Loops {
        let back = |(pc, instr): (usize, &Instr)| match instr {
            Instr::Jump(target) if *target as usize <= pc => Some((*target, pc as Pc)),
            _ => None,
        };
        let mut loops: Vec<(Pc, Pc)> = code.instrs.iter().enumerate().filter_map(back).collect();
        loops.sort_unstable_by_key(|(head, last)| (*head, std::cmp::Reverse(*last)));
        let computes = |pc: Pc| match (code.instrs.get(pc as usize)?, pc.checked_sub(1)) {
            (Instr::StoreLocal(slot), Some(before)) => {
                let number = matches!(code.instrs.get(before as usize), Some(Instr::Push(_)));
                let is_join = code.is_join.get(pc as usize).copied().unwrap_or(false);
                (!number || is_join).then_some(*slot)
            }
            _ => None,
        };
        let computed =
            loops.iter().map(|(head, last)| (*head..=*last).filter_map(computes).collect());
        Loops { computed: computed.collect(), loops }
    }

    /// Whether the innermost loop around `pc` computes this local variable: only then can a
    /// condition on it that is known in every round be one that ends the loop.
    pub fn computes(&self, pc: Pc, slot: u32) -> bool {
        let around = self.loops.iter().rposition(|(head, last)| *head <= pc && pc <= *last);
        around.and_then(|i| self.computed.get(i)).is_some_and(|slots| slots.contains(&slot))
    }

    /// The loop that a conditional jump from `pc` to `target` would leave, by its last instruction.
    pub fn left_by(&self, pc: Pc, target: Pc) -> Option<Pc> {
        let found = self.loops.iter().find(|(head, last)| *last + 1 == target && *head <= pc);
        found.map(|(_, last)| *last)
    }

    /// Where one stands at `pc`, coming from `before`; `back` if it was by a jump backwards.
    pub fn at(&self, pc: Pc, before: &Location, back: bool) -> Location {
        let mut rounds = Vec::new();
        for (head, last) in self.loops.iter().filter(|(head, last)| *head <= pc && pc <= *last) {
            let old = before.rounds.iter().find(|r| r.last == *last).map(|r| r.round);
            let turned = back && before.pc == Some(*last);
            let round = match old {
                Some(round) if turned => round.saturating_add(1),
                Some(round) => round,
                None => 0,
            };
            rounds.push(Round { head: *head, last: *last, round });
        }
        Location { rounds, pc: Some(pc) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(location: &Location) -> Vec<(Pc, u32)> {
        location.rounds.iter().map(|r| (r.head, r.round)).collect()
    }

    #[test]
    fn a_loop_in_the_condition_of_a_loop_has_rounds_of_its_own() {
        let text = "request main { while ((while (X) { yield }; Y)) { yield } }";
        let code = Code::new(&ser_syntax::parse(text).program);
        let loops = Loops::new(&code);
        let (outer, inner) = (loops.loops[0], loops.loops[1]);
        assert_eq!(outer.0, inner.0);
        let start = Location { rounds: Vec::new(), pc: Some(0) };
        let head = loops.at(outer.0, &start, false);
        let turned = loops.at(inner.0, &Location { pc: Some(inner.1), ..head.clone() }, true);
        assert_eq!(rounds(&turned), [(outer.0, 0), (outer.0, 1)]);
        let next = loops.at(outer.0, &Location { pc: Some(outer.1), ..head }, true);
        assert_eq!(rounds(&next)[0], (outer.0, 1));
    }

    #[test]
    fn what_follows_a_loop_is_one_place() {
        let text = "request main { while (X) { yield; while (Y) { yield } }; yield; 1 }";
        let code = Code::new(&ser_syntax::parse(text).program);
        let loops = Loops::new(&code);
        assert_eq!(loops.loops.len(), 2);
        let (outer, inner) = (loops.loops[0], loops.loops[1]);
        assert!(outer.0 < inner.0 && inner.1 < outer.1);
        let start = Location { rounds: Vec::new(), pc: Some(0) };
        let head = loops.at(outer.0, &start, false);
        let inside = loops.at(inner.0, &head, false);
        assert_eq!(rounds(&inside), [(outer.0, 0), (inner.0, 0)]);
        let again = loops.at(inner.0, &Location { pc: Some(inner.1), ..inside.clone() }, true);
        assert_eq!(rounds(&again), [(outer.0, 0), (inner.0, 1)]);
        let outside = loops.at(inner.1 + 1, &again, false);
        assert_eq!(rounds(&outside), [(outer.0, 0)]);
        assert!(head < inside && inside < again && again < outside);
        let next = loops.at(outer.0, &Location { pc: Some(outer.1), ..outside.clone() }, true);
        assert!(outside < next);
        assert!(next < loops.at(outer.1 + 1, &next, false));
        assert!(next < Location::END);
    }
}
