//! As little as possible: of what is inductive, what the goals need, and nothing that can be left
//! out.
//!
//! Each condition remembers what it has used. To leave something out, only the conditions that have
//! used it are looked at again.

use super::goals::Goals;
use super::houdini::{Condition, Houdini, Id, Outcome};
use ser_base::Limits;
use std::collections::{BTreeMap, BTreeSet};

/// Something that has to be valid.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Claim {
    /// A condition of a goal.
    Target(usize),
    /// A condition of a candidate.
    Of(Id, Condition),
}

/// What is kept, and why.
pub struct Kept<'a, 's, 'g> {
    houdini: &'a mut Houdini<'s>,
    goals: &'a mut Goals<'g>,
    kept: BTreeSet<Id>,
    /// What each claim has used.
    uses: BTreeMap<Claim, BTreeSet<Id>>,
}

/// A smallest set of candidates that settles these conditions of goals, and whether nothing of it
/// can be left out (there may not have been time to find out). Nothing if some condition was not
/// decided any more.
pub fn shorter(
    houdini: &mut Houdini<'_>,
    goals: &mut Goals<'_>,
    targets: &[usize],
    enough: &Limits,
    limits: &Limits,
) -> Option<(BTreeSet<Id>, bool)> {
    let mut it = Kept { houdini, goals, kept: BTreeSet::new(), uses: BTreeMap::new() };
    for target in targets {
        it.claim(Claim::Target(*target), limits)?;
    }
    it.complete(limits)?;
    let is_minimal = it.leave_out(enough);
    Some((it.kept, is_minimal))
}

impl Kept<'_, '_, '_> {
    /// Decides a claim with what is allowed; what it used.
    fn decide(
        &mut self,
        claim: &Claim,
        allowed: &dyn Fn(Id) -> bool,
        limits: &Limits,
    ) -> Option<BTreeSet<Id>> {
        let count = self.houdini.candidates.len();
        let alive = self.houdini.alive.clone();
        let allowed = |id: Id| alive[id as usize] && ((id as usize) >= count || allowed(id));
        match claim {
            Claim::Target(target) => {
                let goal_id = |place: usize| (count + place) as Id;
                self.goals.needs(*target, &goal_id, &allowed, limits)
            }
            Claim::Of(id, condition) => {
                let own = |it: Id| it == *id || allowed(it);
                match self.houdini.check(condition, &[*id], &own, limits) {
                    Outcome::Holds(used) => Some(used),
                    _ => None,
                }
            }
        }
    }

    /// Makes sure that a claim is valid, if possible with what is kept already.
    fn claim(&mut self, claim: Claim, limits: &Limits) -> Option<()> {
        let kept = self.kept.clone();
        let used = match self.decide(&claim, &|id| kept.contains(&id), limits) {
            Some(used) => used,
            None => self.decide(&claim, &|_| true, limits)?,
        };
        let count = self.houdini.candidates.len();
        self.kept.extend(used.iter().copied().filter(|id| (*id as usize) < count));
        self.uses.insert(claim, used);
        Some(())
    }

    /// Adds what is needed for what is kept.
    fn complete(&mut self, limits: &Limits) -> Option<()> {
        let mut done = BTreeSet::new();
        while let Some(id) = self.kept.difference(&done).next().copied() {
            limits.check_clock().ok()?;
            done.insert(id);
            let site = self.houdini.candidates[id as usize].at.clone();
            for condition in self.houdini.conditions(&site, Some(id)) {
                self.claim(Claim::Of(id, condition), limits)?;
            }
        }
        Some(())
    }

    /// Leaves out whatever can be left out: whole sayings first, those that are farthest from the
    /// obvious before others.
    fn leave_out(&mut self, limits: &Limits) -> bool {
        let candidates = self.houdini.candidates.clone();
        type Saying<'c> = (usize, usize, &'c (String, String));
        let mut sayings: BTreeMap<Saying<'_>, BTreeSet<Id>> = BTreeMap::new();
        for id in &self.kept {
            let it = &candidates[*id as usize];
            let key = (it.parameters(), it.weight, &it.said);
            sayings.entry(key).or_default().insert(*id);
        }
        let whole: Vec<BTreeSet<Id>> = sayings.into_values().rev().collect();
        let single = whole.iter().flat_map(|it| it.iter().map(|id| BTreeSet::from([*id])));
        let single: Vec<BTreeSet<Id>> = single.collect();
        for group in whole.iter().chain(&single) {
            if limits.check_clock().is_err() {
                return false;
            }
            if group.iter().all(|id| self.kept.contains(id)) {
                self.try_without(group, limits);
            }
        }
        limits.check_clock().is_ok()
    }

    fn try_without(&mut self, group: &BTreeSet<Id>, limits: &Limits) {
        let left: BTreeSet<Id> = self.kept.difference(group).copied().collect();
        let touched: Vec<Claim> = self
            .uses
            .iter()
            .filter(|(claim, used)| {
                let own = matches!(claim, Claim::Of(id, _) if group.contains(id));
                !own && !used.is_disjoint(group)
            })
            .map(|(claim, _)| claim.clone())
            .collect();
        let mut new = Vec::new();
        for claim in touched {
            match self.decide(&claim, &|id| left.contains(&id), limits) {
                Some(used) => new.push((claim, used)),
                None => return,
            }
        }
        self.uses.extend(new);
        self.kept = left;
        self.forget();
    }

    /// Forgets what nobody needs any more.
    fn forget(&mut self) {
        let mut needed: BTreeSet<Id> = BTreeSet::new();
        let targets = self.uses.iter().filter(|(claim, _)| matches!(claim, Claim::Target(_)));
        let mut open: Vec<Id> = targets.flat_map(|(_, used)| used.iter().copied()).collect();
        let mut by: BTreeMap<Id, Vec<&BTreeSet<Id>>> = BTreeMap::new();
        for (claim, used) in &self.uses {
            if let Claim::Of(id, _) = claim {
                by.entry(*id).or_default().push(used);
            }
        }
        while let Some(id) = open.pop() {
            if needed.insert(id) {
                open.extend(by.get(&id).into_iter().flatten().flat_map(|it| it.iter().copied()));
            }
        }
        self.kept.retain(|id| needed.contains(id));
        let kept = &self.kept;
        self.uses.retain(|claim, _| match claim {
            Claim::Target(_) => true,
            Claim::Of(id, _) => kept.contains(id),
        });
    }
}
