//! A proof on steps without values, in words.

use super::{AT_ONCE, AT_ONCE_WITHOUT_WAITING, CAN_DO, Explanation, HARMLESS, LOOKING, harmless};
use crate::source::Source;
use ser_model::{Literal, SymbolicStep, Var};
use ser_net::Side;
use ser_report::text::and;
use ser_serializability_checker::symbolic::{Counted, Fact};
use ser_serializability_search::SymbolicFound;
use ser_syntax::Line;
use std::collections::BTreeSet;

/// More facts than this are not told.
const MAX_FACTS: usize = 12;

/// Puts a proof on steps without values into words.
pub fn explain_symbolic(source: &Source, found: &SymbolicFound) -> Explanation {
    let words = Words { source, found };
    let mut points: Vec<String> = Vec::new();
    let mut add = |places: &BTreeSet<usize>, sentence: &str| {
        let lines: BTreeSet<(Line, String)> = places.iter().map(|it| words.place(*it)).collect();
        for (_, place) in lines {
            let point = format!("{place}: {sentence}");
            if !points.contains(&point) {
                points.push(point);
            }
        }
    };
    for entry in &found.defer {
        add(&entry.places, LOOKING);
    }
    let used: BTreeSet<usize> = found.left.steps.iter().filter_map(SymbolicStep::put).collect();
    add(&used.difference(&found.after).copied().collect(), &harmless(Side::Right, CAN_DO));
    let later = "that commit later can do in between";
    add(&used.intersection(&found.after).copied().collect(), &harmless(Side::Left, later));
    let facts = words.facts();
    let more = facts.len().saturating_sub(MAX_FACTS);
    points.extend(facts.into_iter().take(MAX_FACTS));
    if more > 0 {
        points.push(format!("and {more} more facts, which the certificate lists"));
    }
    let headline = match (used.is_empty(), found.defer.is_empty()) {
        (true, true) => AT_ONCE,
        (true, false) => AT_ONCE_WITHOUT_WAITING,
        (false, _) => HARMLESS,
    };
    let headline = format!("whatever the numbers are, {headline}");
    Explanation { method: "symbolic", headline, points }
}

struct Words<'a> {
    source: &'a Source,
    found: &'a SymbolicFound,
}

impl Words<'_> {
    /// A place, and its line.
    fn place(&self, place: usize) -> (Line, String) {
        let net = &self.found.net;
        let place = &net.places[place];
        let line = self.source.lines.line(place.span.start);
        let handler = &net.handlers[place.handler].name;
        let words = format!("the yield point of `{handler}` before line {line}");
        (line, words)
    }

    /// What has to be known of the values, in words.
    fn facts(&self) -> Vec<String> {
        let facts = &self.found.facts;
        let mut all: Vec<String> = facts.counts.iter().map(|it| self.count(it)).collect();
        if let Some(said) = self.said(&[], &facts.general) {
            all.push(format!("always: {said}"));
        }
        for (place, literals) in &facts.one {
            if let Some(said) = self.said(&[*place], literals) {
                all.push(format!("for a request at {}: {said}", self.place(*place).1));
            }
        }
        for ((first, second, _), literals) in &facts.two {
            let [i, j] = [*first, *second].map(|it| self.place(it).1);
            let both = self.found.after.contains(first) && self.found.after.contains(second);
            let never = |it: &Fact| it.given.is_empty() && it.then.known() == Some(false);
            let order = if both { ", where i has committed first" } else { "" };
            if literals.iter().any(never) {
                all.push(format!(
                    "never at the same time: a request at {i}, and another one at {j}{order}"
                ));
            } else if let Some(said) = self.said(&[*first, *second], literals) {
                all.push(format!(
                    "for a request i at {i}, and another one, j, at {j}{order}: {said}"
                ));
            }
        }
        all
    }

    /// Conditions, equations as one; nothing if there are none.
    fn said(&self, places: &[usize], facts: &[Fact]) -> Option<String> {
        let shown = |it: &Literal| format!("`{}`", it.show(&|var| self.name(places, var)));
        let mut words: Vec<String> = Vec::new();
        for fact in facts {
            let mut then = fact.then.clone();
            if let Literal::AtLeast(form) = &then
                && let Some(opposite) = form.times(-1).map(Literal::AtLeast)
                && facts.contains(&Fact { given: fact.given.clone(), then: opposite })
            {
                then = Literal::Zero(form.clone()).oriented()?;
            }
            let given: Vec<String> = fact.given.iter().map(shown).collect();
            let said = match given.is_empty() {
                true => shown(&then),
                false => format!("{} as long as {}", shown(&then), and(&given)),
            };
            if !words.contains(&said) {
                words.push(said);
            }
        }
        (!words.is_empty()).then(|| and(&words))
    }

    fn name(&self, places: &[usize], var: Var) -> String {
        let net = &self.found.net;
        let role = match var {
            Var::Local(role, _) => usize::from(role),
            _ => 0,
        };
        let handler = places.get(role).map_or(0, |place| net.places[*place].handler);
        let name = net.var_name(handler, var);
        match (places.len(), var) {
            (2, Var::Local(..)) => format!("{}.{name}", ["i", "j"][role.min(1)]),
            _ => name,
        }
    }

    fn count(&self, count: &Counted) -> String {
        let name = self.found.net.global_name(count.variable);
        let amount = |(place, amount): (&usize, &i64)| {
            format!("{amount} for each request at {}", self.place(*place).1)
        };
        let amounts: BTreeSet<String> = count.amounts.iter().map(amount).collect();
        let amounts: Vec<String> = amounts.into_iter().collect();
        match count.first {
            0 => format!("`{name}` counts: it is {}", and(&amounts)),
            first => format!("`{name}` counts: it is {first}, and {}", and(&amounts)),
        }
    }
}
