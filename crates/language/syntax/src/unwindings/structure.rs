//! Targets that cannot occur, whatever the values: a place on the way is never filled.
//!
//! A place can be filled if a transition that can occur puts a token there; a transition can occur
//! if all its input and test places can be filled. The smallest such sets are computed with a
//! worklist, in time linear in the arcs.

use std::collections::{BTreeMap, BTreeSet};

use crate::ast::{ArcKind, Name, Unwinding};
use crate::report::Messages as _;
use ser_base::{Diagnostic, Sink, Span};

/// Reports targets that cannot occur, and warns about places that nobody fills.
pub(super) fn check(unwinding: &Unwinding, targets: &[Name], sink: &mut Sink) {
    let flow = Flow::of(unwinding);
    for (place, item) in unwinding.places.iter().enumerate() {
        let name = &item.name;
        match (flow.filled_by_someone(place), flow.used_at.get(place).copied().flatten()) {
            (false, Some(user)) => {
                let message = format!("no transition puts a token into the place `{}`", name.text);
                Diagnostic::warning("never-filled", message, name.span)
                    .with_label("always empty")
                    .with_secondary(user, "so this can never occur")
                    .report(sink);
            }
            (false, None) => {
                let message = format!("the place `{}` is never used", name.text);
                Diagnostic::warning("unused-place", message, name.span)
                    .with_label("on no arc")
                    .report(sink);
            }
            (true, _) => {}
        }
    }
    let mut places: BTreeMap<&str, &Name> = BTreeMap::new();
    for target in targets {
        places.entry(&target.text).or_insert(target);
    }
    for &index in &unwinding.targets {
        let name = unwinding.transitions.get(index).map_or("", |t| t.name.text.as_str());
        let Some(target) = places.get(name).filter(|_| flow.occurs.get(index) != Some(&true))
        else {
            continue;
        };
        let message = format!("the target `{}` can never occur", target.text);
        let mut diagnostic = Diagnostic::error("unreachable-target", message, target.span)
            .with_label("nothing leads here");
        if let Some((arc, place)) = flow.blame(unwinding, index) {
            let name = unwinding.places.get(place).map_or("", |p| p.name.text.as_str());
            let why = if flow.filled_by_someone(place) {
                format!("whoever fills `{name}` needs a token from here first")
            } else {
                format!("no transition puts a token into `{name}`")
            };
            diagnostic = diagnostic
                .with_secondary(arc, why)
                .with_help(format!("add a transition with `out {name}`"));
        }
        sink.push(diagnostic);
    }
}

/// What can be filled, and what can occur.
struct Flow {
    /// For each place: transitions that put tokens there.
    fillers: Vec<Vec<usize>>,
    /// For each place: the first arc that takes or tests.
    used_at: Vec<Option<Span>>,
    fillable: Vec<bool>,
    occurs: Vec<bool>,
}

impl Flow {
    fn of(unwinding: &Unwinding) -> Flow {
        let places = unwinding.places.len();
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); places];
        let mut flow = Flow {
            fillers: vec![Vec::new(); places],
            used_at: vec![None; places],
            fillable: vec![false; places],
            occurs: vec![false; unwinding.transitions.len()],
        };
        let mut missing: Vec<usize> = Vec::new();
        for (index, transition) in unwinding.transitions.iter().enumerate() {
            let mut needed = BTreeSet::new();
            for arc in &transition.arcs {
                if arc.kind == ArcKind::Out {
                    flow.fillers[arc.place].push(index);
                } else {
                    flow.used_at[arc.place].get_or_insert(arc.span);
                    needed.insert(arc.place);
                }
            }
            missing.push(needed.len());
            needed.into_iter().for_each(|place| users[place].push(index));
        }
        let mut open: Vec<usize> =
            (0..missing.len()).filter(|transition| missing[*transition] == 0).collect();
        while let Some(transition) = open.pop() {
            flow.occurs[transition] = true;
            for arc in &unwinding.transitions[transition].arcs {
                if arc.kind != ArcKind::Out || flow.fillable[arc.place] {
                    continue;
                }
                flow.fillable[arc.place] = true;
                for &user in &users[arc.place] {
                    missing[user] -= 1;
                    if missing[user] == 0 {
                        open.push(user);
                    }
                }
            }
        }
        flow
    }

    fn filled_by_someone(&self, place: usize) -> bool {
        self.fillers.get(place).is_some_and(|fillers| !fillers.is_empty())
    }

    /// The arc that is to blame for a transition that cannot occur: follows places that cannot be
    /// filled backwards, to one that nobody fills or that waits for itself.
    fn blame(&self, unwinding: &Unwinding, transition: usize) -> Option<(Span, usize)> {
        let mut seen = BTreeSet::new();
        let mut at = transition;
        let mut blamed = None;
        while seen.insert(at) {
            let arcs = &unwinding.transitions.get(at)?.arcs;
            let arc = arcs.iter().find(|arc| {
                arc.kind != ArcKind::Out && self.fillable.get(arc.place) == Some(&false)
            })?;
            blamed = Some((arc.span, arc.place));
            match self.fillers.get(arc.place).and_then(|fillers| fillers.first()) {
                Some(filler) => at = *filler,
                None => break,
            }
        }
        blamed
    }
}
