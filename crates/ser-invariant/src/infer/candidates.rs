//! What could be true of a program, as text.

use crate::cases::{walk, walk_statements};
use ser_lang::inv::System;
use ser_lang::inv::ast::{ExprKind, LocId, LocalId, ProcId, Scalar, Type};
use std::collections::{BTreeMap, BTreeSet};

/// How many candidates there are at most. Programs with many locations and variables have more; then those about two threads, and
/// behind them those with constants, are left out.
const MOST: usize = 4000;

/// Something that could be true.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Candidate {
    /// How many threads it speaks of: none, `i`, or `i` and `j` (which are different).
    pub parameters: usize,
    /// Where they are: one list of locations for each, if it matters.
    pub at: Vec<Vec<LocId>>,
    /// `at` as text.
    pub places: Vec<String>,
    /// What holds there.
    pub atom: String,
}

impl Candidate {
    fn formula(&self) -> String {
        let mut given: Vec<String> = Vec::new();
        if self.parameters == 2 {
            given.push("i != j".to_owned());
        }
        for (thread, places) in ["i", "j"].iter().zip(&self.places) {
            given.push(format!("at({thread}, {places})"));
        }
        match (given.is_empty(), self.atom.as_str()) {
            (true, atom) => atom.to_owned(),
            (false, "false") => format!("!({})", given.join(" && ")),
            (false, atom) => format!("{} -> {atom}", given.join(" && ")),
        }
    }
}

/// The file with a name for every statement that has none.
pub fn named(text: &str) -> String {
    let parse = ser_lang::inv::parse(text);
    let mut result = text.to_owned();
    let spans = parse.system.locations.iter().enumerate().rev();
    for (number, location) in spans {
        let start = location.span.start as usize;
        let implicit = text.get(start..).is_none_or(|rest| rest.starts_with('}'));
        if location.name.is_none() && !implicit {
            let mut name = format!("at{}", number + 1);
            while text.contains(&name) {
                name.push('_');
            }
            result.insert_str(start, &format!("{name}: "));
        }
    }
    result
}

/// How a location is called in the text.
fn name(system: &System, location: LocId) -> Option<String> {
    let place = &system.locations[location.0 as usize];
    let name = &place.name.as_ref()?.text;
    Some(match place.procedure {
        ProcId(0) => {
            let unique = system
                .locations
                .iter()
                .filter(|it| it.name.as_ref().is_some_and(|other| &other.text == name));
            if unique.count() > 1 { format!("thread.{name}") } else { name.clone() }
        }
        procedure => format!("{}.{name}", system.procedures[procedure.0 as usize].name.text),
    })
}

fn local(system: &System, id: LocalId, thread: &str) -> String {
    let local = &system.locals[id.0 as usize];
    let unique = system.locals.iter().filter(|it| it.name.text == local.name.text).count() == 1;
    let name = &local.name.text;
    if unique {
        return format!("{name}[{thread}]");
    }
    let procedure = &system.procedures[local.procedure.0 as usize].name.text;
    format!("{procedure}.{name}[{thread}]")
}

/// Constants that the program and its goals compare with or assign.
fn constants(system: &System) -> BTreeSet<i64> {
    let mut found = BTreeSet::from([0]);
    let mut visit = |expr: &ser_lang::inv::ast::Expr| {
        if let ExprKind::Int(value) = expr.kind {
            found.insert(value);
        }
    };
    for procedure in &system.procedures {
        walk_statements(&procedure.body, &mut visit);
    }
    for invariant in &system.invariants {
        invariant.conjuncts.iter().for_each(|it| walk(&it.formula, &mut visit));
    }
    found.into_iter().take(6).collect()
}

/// Everything that could be true, simplest first.
pub fn candidates(system: &System) -> Vec<Candidate> {
    let constants = constants(system);
    let globals: Vec<(String, Type)> =
        system.globals.iter().map(|it| (it.name.text.clone(), it.ty)).collect();
    let mut all: BTreeSet<(usize, usize, Candidate)> = BTreeSet::new();
    let mut add = |weight: usize, parameters, at: Vec<LocId>, atom: String| {
        let places: Option<Vec<String>> = at.iter().map(|it| name(system, *it)).collect();
        if let Some(places) = places {
            let at = at.into_iter().map(|it| vec![it]).collect();
            let number = all.len();
            all.insert((weight, number, Candidate { parameters, at, places, atom }));
        }
    };
    for atom in atoms(&globals, &[], &constants) {
        add(0, 0, vec![], atom);
    }
    let locations: Vec<LocId> = (0..system.locations.len() as u32).map(LocId).collect();
    let locals_at = |location: LocId, thread: &str| -> Vec<(String, Type)> {
        let procedure = system.locations[location.0 as usize].procedure;
        let locals = system.locals.iter().enumerate();
        let locals = locals.filter(|(_, it)| it.procedure == procedure);
        locals.map(|(l, it)| (local(system, LocalId(l as u32), thread), it.ty)).collect()
    };
    for location in &locations {
        let locals = locals_at(*location, "i");
        let mut both = locals.clone();
        both.push(("i".to_owned(), Type::Scalar(Scalar::Tid)));
        for atom in atoms(&both, &globals, &constants) {
            add(1, 1, vec![*location], atom);
        }
        // Globals alone, where a thread is there.
        for atom in atoms(&globals, &[], &constants) {
            add(3, 1, vec![*location], atom);
        }
    }
    for location in &locations {
        for other in &locations {
            if location <= other {
                add(2, 2, vec![*location, *other], "false".to_owned());
            }
            let (mine, theirs) = (locals_at(*location, "i"), locals_at(*other, "j"));
            for ((x, ty), (y, same)) in mine.iter().zip(&theirs) {
                if ty == same {
                    match ty {
                        Type::Scalar(Scalar::Int) => {
                            for operator in ["!=", "<", "<="] {
                                add(2, 2, vec![*location, *other], format!("{x} {operator} {y}"));
                            }
                        }
                        Type::Scalar(Scalar::Addr | Scalar::Tid | Scalar::Elem) => {
                            add(2, 2, vec![*location, *other], format!("{x} != {y}"));
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    let simplest = all.into_iter().take(MOST);
    let mut all: Vec<Candidate> = simplest.map(|(_, _, candidate)| candidate).collect();
    all.sort_by_key(|it| it.parameters);
    all
}

/// Comparisons of variables with one another, with others, and with constants.
fn atoms(
    own: &[(String, Type)],
    others: &[(String, Type)],
    constants: &BTreeSet<i64>,
) -> Vec<String> {
    let mut all = Vec::new();
    let int = Type::Scalar(Scalar::Int);
    for (place, (x, ty)) in own.iter().enumerate() {
        match ty {
            Type::Bool => all.extend([x.clone(), format!("!{x}")]),
            Type::Scalar(Scalar::Int) => {
                for constant in constants {
                    for operator in ["==", "<=", ">="] {
                        all.push(format!("{x} {operator} {constant}"));
                    }
                }
            }
            Type::Scalar(Scalar::Tid) if x != "i" => {
                all.extend([format!("{x} == nobody"), format!("{x} != nobody")]);
            }
            Type::Scalar(Scalar::Addr) => all.push(format!("{x} != null")),
            _ => {}
        }
        for (y, other) in own[place + 1..].iter().chain(others) {
            match (ty, other) {
                (Type::Set(_), Type::Scalar(_)) | (Type::Scalar(_), Type::Set(_)) => {
                    let (element, set, of) = match (ty, other) {
                        (Type::Set(of), _) => (y, x, of),
                        (_, Type::Set(of)) => (x, y, of),
                        _ => continue,
                    };
                    let kind = if matches!(ty, Type::Set(_)) { other } else { ty };
                    if *kind != Type::Scalar(*of) {
                        continue;
                    }
                    all.extend([format!("{element} in {set}"), format!("!({element} in {set})")]);
                    if *kind == int {
                        all.push(format!("min({set}) == {element}"));
                        all.push(format!("{element} <= min({set})"));
                    }
                }
                _ if ty != other => {}
                (Type::Scalar(Scalar::Int | Scalar::Elem), _) => {
                    for operator in ["==", "!=", "<", "<=", ">", ">="] {
                        all.push(format!("{x} {operator} {y}"));
                    }
                }
                (Type::Scalar(_), _) => {
                    all.extend([format!("{x} == {y}"), format!("{x} != {y}")]);
                }
                _ => {}
            }
        }
    }
    all
}

/// Candidates as declarations of invariants, one for each number of threads, under names that the text does not have.
pub fn declarations(text: &str, candidates: &[Candidate]) -> Vec<String> {
    let mut name = "inferred".to_owned();
    while text.contains(&name) {
        name.push('_');
    }
    let mut by_threads: BTreeMap<usize, Vec<&Candidate>> = BTreeMap::new();
    for candidate in candidates {
        by_threads.entry(candidate.parameters).or_default().push(candidate);
    }
    let one = |(parameters, all): (usize, Vec<&Candidate>)| {
        let threads = ["", "i", "i, j"][parameters.min(2)];
        let lines: Vec<String> = all.iter().map(|it| format!("    {};\n", it.formula())).collect();
        format!("invariant {name}{parameters}({threads}) {{\n{}}}\n", lines.concat())
    };
    by_threads.into_iter().map(one).collect()
}

/// Where each candidate stands among the declarations: invariant and conjunct. Candidates are sorted by number of threads.
pub fn places(candidates: &[Candidate]) -> Vec<(usize, u32)> {
    let mut counts: BTreeMap<usize, u32> = BTreeMap::new();
    let kinds: BTreeSet<usize> = candidates.iter().map(|it| it.parameters).collect();
    let kinds: Vec<usize> = kinds.into_iter().collect();
    let place = |it: &Candidate| {
        let invariant = kinds.iter().position(|kind| *kind == it.parameters).unwrap_or(0);
        let count = counts.entry(it.parameters).or_default();
        *count += 1;
        (invariant, *count - 1)
    };
    candidates.iter().map(place).collect()
}

/// Joins candidates that say the same at several locations.
pub fn merge(system: &System, candidates: &[Candidate]) -> Vec<Candidate> {
    type Group = (usize, String, Option<Vec<LocId>>);
    let mut groups: BTreeMap<Group, BTreeSet<LocId>> = BTreeMap::new();
    let mut result: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        match candidate.at.as_slice() {
            [] => result.push(candidate.clone()),
            [first] => {
                let key = (candidate.parameters, candidate.atom.clone(), None);
                groups.entry(key).or_default().extend(first);
            }
            [first, second, ..] => {
                let key = (candidate.parameters, candidate.atom.clone(), Some(first.clone()));
                groups.entry(key).or_default().extend(second);
            }
        }
    }
    // Pairs with the same second part are joined by their first.
    let mut pairs: BTreeMap<(usize, String, Vec<LocId>), BTreeSet<LocId>> = BTreeMap::new();
    for ((parameters, atom, first), locations) in groups {
        let locations: Vec<LocId> = locations.into_iter().collect();
        match first {
            None => {
                let places = vec![places_text(system, &locations)];
                result.push(Candidate { parameters, at: vec![locations], places, atom });
            }
            Some(first) => pairs.entry((parameters, atom, locations)).or_default().extend(first),
        }
    }
    for ((parameters, atom, second), first) in pairs {
        let first: Vec<LocId> = first.into_iter().collect();
        let places = vec![places_text(system, &first), places_text(system, &second)];
        result.push(Candidate { parameters, at: vec![first, second], places, atom });
    }
    result.sort_by_key(|it| it.parameters);
    result
}

/// Locations as text, with ranges.
fn places_text(system: &System, locations: &[LocId]) -> String {
    let mut ranges: Vec<(LocId, LocId)> = Vec::new();
    for location in locations {
        let same = |it: LocId| {
            let of = |l: LocId| system.locations[l.0 as usize].procedure;
            of(it) == of(*location)
        };
        match ranges.last_mut() {
            Some((_, last)) if last.0 + 1 == location.0 && same(*last) => *last = *location,
            _ => ranges.push((*location, *location)),
        }
    }
    let text = |it: LocId| name(system, it).unwrap_or_default();
    let range = |(first, last): (LocId, LocId)| match first == last {
        true => text(first),
        false => format!("{}..{}", text(first), text(last)),
    };
    ranges.into_iter().map(range).collect::<Vec<_>>().join(", ")
}
