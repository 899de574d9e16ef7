//! Candidates as text, so that the result is a file that can be read, kept and checked like any
//! other.

use super::candidates::Candidate;
use ser_base::{first_file, with_item};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{ExprKind, LocId, ProcId};
use ser_syntax::lexer::lex;
use std::collections::{BTreeMap, BTreeSet};

/// The file with a name for every statement that has none; those it uses stay as they are.
pub fn named(text: &str) -> String {
    let parse = ser_syntax::inv::parse(text);
    let mut result = text.to_owned();
    let own = first_file(text).len();
    // The `if` of `else if` cannot have a name.
    let mut tokens = lex(text);
    tokens.retain(|token| !token.kind.is_trivia());
    let behind_else: BTreeSet<u32> = tokens
        .windows(2)
        .filter(|two| two[0].text(text) == "else")
        .map(|two| two[1].span.start)
        .collect();
    let spans = parse.system.locations.iter().enumerate().rev();
    for (number, location) in spans {
        let start = location.span.start as usize;
        let implicit = text.get(start..).is_none_or(|rest| rest.starts_with('}'));
        if start < own
            && location.name.is_none()
            && !implicit
            && !behind_else.contains(&location.span.start)
        {
            let mut name = format!("at{}", number + 1);
            while text.contains(&name) {
                name.push('_');
            }
            result.insert_str(start, &format!("{name}: "));
        }
    }
    result
}

/// The file without its `proof { ... }`.
pub fn without_proof(text: &str) -> String {
    let Some(proof) = ser_syntax::inv::parse(text).system.proof else { return text.to_owned() };
    let start = proof.span.start;
    let mut depth = 0_usize;
    for token in lex(text).into_iter().filter(|token| token.span.start >= start) {
        match token.text(text) {
            "{" => depth += 1,
            "}" if depth == 1 => {
                let kept = text.get(..start as usize).unwrap_or_default();
                let behind = text.get(token.span.end as usize..).unwrap_or_default();
                return format!("{}\n{behind}", kept.trim_end());
            }
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    text.to_owned()
}

/// The file with names only where something speaks of them: `wanted` is the named file, and `also`
/// what is put behind it.
pub fn only_names_in_use(original: &str, wanted: &str, also: &str) -> String {
    let given = ser_syntax::inv::parse(original).system;
    let system = ser_syntax::inv::parse(wanted).system;
    let words: BTreeSet<&str> = lex(also).into_iter().map(|it| it.text(also)).collect();
    let mut result = wanted.to_owned();
    let both = system.locations.iter().zip(&given.locations);
    for (new, old) in both.rev() {
        let (Some(name), None) = (&new.name, &old.name) else { continue };
        if words.contains(name.text.as_str()) {
            continue;
        }
        let start = name.span.start as usize;
        let end = start + name.text.len() + ": ".len();
        if result.get(start..end) == Some(format!("{}: ", name.text).as_str()) {
            result.replace_range(start..end, "");
        }
    }
    result
}

/// How a location is called in the text.
pub fn name(system: &System, location: LocId) -> Option<String> {
    let place = &system.locations[location.0 as usize];
    let name = &place.name.as_ref()?.text;
    Some(match place.procedure {
        ProcId(0) => {
            let unique = system
                .locations
                .iter()
                .filter(|it| it.name.as_ref().is_some_and(|other| &other.text == name));
            if unique.count() > 1 {
                format!("{}.{name}", system.procedures[0].name.text)
            } else {
                name.clone()
            }
        }
        procedure => format!("{}.{name}", system.procedures[procedure.0 as usize].name.text),
    })
}

/// The blocks with names of a file: their names, as they can be written, and their first and last
/// location.
pub fn labels(text: &str) -> BTreeMap<(LocId, LocId), String> {
    let labels = ser_syntax::inv::parse(text).labels;
    let mut found = BTreeMap::new();
    for name in labels.iter().map(|label| label.name.text.as_str()).collect::<BTreeSet<&str>>() {
        let question = format!("invariant where_is_{name}(i): at(i, {name})");
        let asked = with_item(text, &question);
        let parse = ser_syntax::inv::parse(&asked);
        let formula = parse.system.invariants.last().and_then(|it| it.conjuncts.first());
        if let (false, Some(conjunct)) = (parse.has_errors(), formula)
            && let ExprKind::At(_, all) = &conjunct.formula.kind
            && let (Some(first), Some(last)) = (all.first(), all.last())
            && (last.0 - first.0) as usize + 1 == all.len()
        {
            found.insert((*first, *last), name.to_owned());
        }
    }
    found
}

/// What is said at several places.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Sentence {
    /// How many threads it speaks of.
    pub parameters: usize,
    /// Where they are, if it matters.
    pub at: Vec<String>,
    /// Under which condition.
    pub given: String,
    pub atom: String,
}

impl Sentence {
    fn formula(&self) -> String {
        let mut given: Vec<String> = Vec::new();
        if self.parameters == 2 {
            given.push("i != j".to_owned());
        }
        for (thread, places) in ["i", "j"].iter().zip(&self.at) {
            if !places.is_empty() {
                given.push(format!("at({thread}, {places})"));
            }
        }
        if !self.given.is_empty() {
            given.push(self.given.clone());
        }
        let given = given.join(" && ");
        match (given.is_empty(), self.atom.as_str()) {
            (true, atom) => atom.to_owned(),
            (false, "false") => format!("!({given})"),
            (false, atom) => format!("{given} -> {atom}"),
        }
    }
}

/// Sentences as declarations of invariants, one for each number of threads, under names that the
/// text does not have.
pub fn declarations(text: &str, sentences: &[Sentence]) -> Vec<(String, String)> {
    let mut name = "inferred".to_owned();
    while text.contains(&name) {
        name.push('_');
    }
    let mut by_threads: BTreeMap<usize, Vec<&Sentence>> = BTreeMap::new();
    for sentence in sentences {
        by_threads.entry(sentence.parameters).or_default().push(sentence);
    }
    let one = |(parameters, all): (usize, Vec<&Sentence>)| {
        let threads = ["", "(i)", "(i, j)"][parameters.min(2)];
        let lines: Vec<String> = all.iter().map(|it| format!("    {};\n", it.formula())).collect();
        let name = format!("{name}{parameters}");
        let text = format!("invariant {name}{threads} {{\n{}}}\n", lines.concat());
        (name, text)
    };
    by_threads.into_iter().map(one).collect()
}

/// Joins candidates that say the same at several locations; `labels` are names for some ranges.
pub fn sentences(
    system: &System,
    labels: &BTreeMap<(LocId, LocId), String>,
    candidates: &[Candidate],
) -> Vec<Sentence> {
    let places = |locations: &[LocId]| places(system, labels, locations);
    type Group = (usize, (String, String), Option<LocId>);
    let mut groups: BTreeMap<Group, BTreeSet<LocId>> = BTreeMap::new();
    for candidate in candidates {
        let key = (candidate.parameters(), candidate.said.clone());
        match candidate.at.as_slice() {
            [] => {
                groups.entry((key.0, key.1, None)).or_default();
            }
            [first] => {
                groups.entry((key.0, key.1, None)).or_default().insert(*first);
            }
            [first, second, ..] => {
                groups.entry((key.0, key.1, Some(*first))).or_default().insert(*second);
            }
        }
    }
    let mut result: Vec<Sentence> = Vec::new();
    // Pairs with the same second part are joined by their first.
    type Pair = (usize, (String, String), Vec<LocId>);
    let mut pairs: BTreeMap<Pair, Vec<LocId>> = BTreeMap::new();
    for ((parameters, said, first), locations) in groups {
        let locations: Vec<LocId> = locations.into_iter().collect();
        match first {
            None => {
                let at = match parameters {
                    0 => vec![],
                    _ => vec![places(&locations)],
                };
                let (given, atom) = said;
                result.push(Sentence { parameters, at, given, atom });
            }
            Some(first) => pairs.entry((parameters, said, locations)).or_default().push(first),
        }
    }
    for ((parameters, (given, atom), second), first) in pairs {
        let at = vec![places(&first), places(&second)];
        result.push(Sentence { parameters, at, given, atom });
    }
    result.sort();
    result
}

/// Locations as text, with ranges; nothing if it is everywhere.
fn places(
    system: &System,
    labels: &BTreeMap<(LocId, LocId), String>,
    locations: &[LocId],
) -> String {
    let of = |l: LocId| system.locations[l.0 as usize].procedure;
    if locations.len() == system.locations.len() {
        return String::new();
    }
    let mut ranges: Vec<(LocId, LocId)> = Vec::new();
    for location in locations {
        match ranges.last_mut() {
            Some((_, last)) if last.0 + 1 == location.0 && of(*last) == of(*location) => {
                *last = *location;
            }
            _ => ranges.push((*location, *location)),
        }
    }
    let text = |it: LocId| name(system, it).unwrap_or_default();
    let range = |(first, last): (LocId, LocId)| match labels.get(&(first, last)) {
        Some(label) => label.clone(),
        None if first == last => text(first),
        None => format!("{}..{}", text(first), text(last)),
    };
    ranges.into_iter().map(range).collect::<Vec<_>>().join(", ")
}
