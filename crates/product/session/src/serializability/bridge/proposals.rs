//! Invariants to start from.
//!
//! What a program is meant to do is not in its text, so these are guesses: a number that is never
//! negative, a place where a client is alone (first of all behind a `while (c) { yield }`, since
//! who waits does so to be alone). A guess that two clients violate within a few thousand states is
//! worse than none, so it is left out.

use super::names::Names;
use super::print::Pause;
use ser_base::Limits;
use ser_invariance_search::explore::{Bounds, explore};
use ser_syntax::inv;
use ser_syntax::inv::ast::InvId;
use std::fmt::Write as _;

/// At most this many guesses of each kind are tried.
const MOST: usize = 40;

/// At most this many states are explored.
const STATES: usize = 4_000;

/// Guesses, the best of each kind first.
pub(super) struct Proposals {
    kinds: Vec<Kind>,
}

/// Guesses, one of which is enough.
struct Kind {
    name: String,
    parameters: &'static str,
    formulas: Vec<String>,
}

impl Proposals {
    /// Guesses about these globals, and the yield points of each request.
    pub fn new<'p>(
        names: &Names,
        globals: impl Iterator<Item = &'p str>,
        pauses: impl Iterator<Item = &'p [Pause]>,
    ) -> Proposals {
        let mut names = names.clone();
        let (mut behind, mut others) = (Vec::new(), Vec::new());
        for request in pauses {
            let (waited, rest): (Vec<&Pause>, Vec<&Pause>) =
                request.iter().partition(|it| it.behind_wait);
            behind.extend(waited.into_iter().rev());
            others.extend(rest);
        }
        let alone = |pause: &Pause| {
            let name = &pause.name;
            format!("i != j -> !(at(i, {name}) && at(j, {name}))")
        };
        let numbers = Kind {
            name: names.fresh("not_negative"),
            parameters: "",
            formulas: globals.take(MOST).map(|it| format!("0 <= {it}")).collect(),
        };
        let places = Kind {
            name: names.fresh("alone"),
            parameters: "(i, j)",
            formulas: behind.into_iter().chain(others).take(MOST).map(alone).collect(),
        };
        Proposals { kinds: vec![numbers, places] }
    }

    /// The first of each kind that no small instance of the file violates.
    pub fn that_may_hold(&self, file: &str) -> Vec<String> {
        let mut text = file.to_owned();
        for kind in &self.kinds {
            for (number, formula) in kind.formulas.iter().enumerate() {
                let Kind { name, parameters, .. } = kind;
                // If the file has such a name, it has errors, and there are no guesses.
                let _ = writeln!(text, "invariant {name}__0{number}{parameters}: {formula}");
            }
        }
        let parse = inv::parse(&text);
        if parse.has_errors() {
            return Vec::new();
        }
        let bounds = Bounds { threads: 2, states: STATES, ..Bounds::default() };
        let explored = explore(&parse.system, &bounds, &Limits::default());
        let (mut found, mut first) = (Vec::new(), 0);
        for kind in &self.kinds {
            let mut all = (first..).map(InvId).zip(&kind.formulas);
            if let Some((_, formula)) = all.find(|(id, _)| explored.violation(*id).is_none()) {
                found.push(format!("invariant {}{}: {formula}", kind.name, kind.parameters));
            }
            first += kind.formulas.len() as u32;
        }
        found
    }
}
