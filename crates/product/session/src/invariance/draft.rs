//! A draft of the invariant that is missing: a line that excludes a state that breaks a condition.
//!
//! The state is a list of facts: where the threads stand, and how the values compare that the step
//! and the formula speak of. Not all of these together must be impossible for the state to be, and
//! the fewer, the better the reason. So small instances are looked at: a set of facts is good if in
//! none of their states, for no threads, all of them hold. Facts are left out one after the other,
//! those farthest from the failure first, as long as the set stays good. What is left is denied.
//!
//! So the draft excludes the state (which is evaluated before it is shown), and is not refuted by
//! those states. It is a guess nevertheless: it need not hold, and need not be what the proof
//! needs.

mod facts;

use super::Checked;
use super::breach::kinds;
use super::cast::fresh_names;
use super::words::Words;
use facts::{Fact, Facts};
use ser_base::{Limits, Line};
use ser_invariance_checker::run::Value;
use ser_invariance_search::answer::Verdict;
use ser_invariance_search::counter::CounterModel;
use ser_invariance_search::explore::{Bounds, Explorer, evaluate};
use ser_invariance_search::prove::Premise;
use ser_syntax::inv::ast::{Expr, LocId};
use ser_syntax::inv::{self, MAX_PARAMETERS};
use std::collections::{BTreeMap, BTreeSet};

/// So many kinds of counter-models get a draft.
const MOST: usize = 3;

/// So many states of each instance are looked at.
const STATES: usize = 3_000;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Draft {
    /// The invariant, on one line.
    pub text: String,
    /// Names that it needs for statements that have none: the name, and the line.
    pub names: Vec<(String, Line)>,
    /// The file with the draft.
    pub completed: String,
}

/// Drafts for the first counter-models, by their places in the answer.
pub(super) fn drafts(checked: &Checked, limits: &Limits) -> BTreeMap<usize, Draft> {
    let mut found: BTreeMap<usize, Draft> = BTreeMap::new();
    if checked.verdict != Verdict::NotInductive {
        return found;
    }
    let models: Vec<&CounterModel> = checked.counter_models.iter().collect();
    for (model, _) in kinds(&models).into_iter().take(MOST) {
        let place = checked.counter_models.iter().position(|it| std::ptr::eq(it, model));
        let taken: Vec<&str> = found.values().map(|it| it.text.as_str()).collect();
        if let (Some(place), Some(draft)) = (place, draft(checked, model, &taken, limits)) {
            found.insert(place, draft);
        }
    }
    found
}

/// A text in which every place that facts speak of has a name.
struct Named {
    text: String,
    names: BTreeMap<LocId, String>,
}

fn draft(
    checked: &Checked,
    model: &CounterModel,
    others: &[&str],
    limits: &Limits,
) -> Option<Draft> {
    let count = model.threads.len();
    let is_step = matches!(model.premise, Premise::Own(_) | Premise::Other | Premise::Safety);
    let fits = checked.system.threads.is_none_or(|fixed| count <= fixed as usize);
    if !is_step || !model.excluded_by.is_empty() || count > MAX_PARAMETERS || !fits {
        return None;
    }
    let letters = letters(checked, model);
    let named = named(checked, model);
    let facts = Facts { checked, model, letters: &letters, names: &named.names };
    let all = facts.near();
    let good = good(&named.text, all, &letters, limits)
        .or_else(|| good(&named.text, facts.all(), &letters, limits))?;
    // That nobody comes to a place is no reason.
    let speaks_of_values = good.iter().any(|it| !it.is_place);
    let threads: BTreeSet<usize> = good.iter().flat_map(|it| it.threads.iter().copied()).collect();
    if !speaks_of_values && threads.len() < 2 {
        return None;
    }
    let body = body(&good, &threads, &letters);
    let parameters: Vec<&str> =
        threads.iter().filter_map(|it| letters.get(*it)).map(String::as_str).collect();
    let rest = match parameters.is_empty() {
        true => format!(": {body}"),
        false => format!("({}): {body}", parameters.join(", ")),
    };
    let own = others.iter().find(|it| it.ends_with(&rest));
    let text = match own {
        Some(same) if same.len() - rest.len() < "invariant todo99".len() => (*same).to_owned(),
        _ => format!("invariant {}{rest}", fresh(checked, others)),
    };
    let used = |name: &String| {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        text.split(|c| !is_word(c)).any(|it| it == name)
    };
    let names: BTreeMap<LocId, String> =
        named.names.into_iter().filter(|(_, name)| used(name)).collect();
    let completed = ser_base::with_item(&with_names(checked, &names), &text);
    let tuple: Vec<u32> = threads.iter().map(|it| *it as u32).collect();
    if !excludes(&completed, model, &tuple) {
        return None;
    }
    let words = Words::of(checked);
    let names = names.into_iter().map(|(id, name)| (name, words.place(id).line)).collect();
    Some(Draft { text, names, completed })
}

/// Whether a file has no errors, and its last invariant does not hold before the step.
fn excludes(text: &str, model: &CounterModel, tuple: &[u32]) -> bool {
    let parse = inv::parse(text);
    if parse.has_errors() {
        return false;
    }
    let Some(last) = parse.system.invariants.last() else { return false };
    last.conjuncts.iter().any(|it| {
        evaluate(&parse.system, &model.before, &it.formula, tuple) == Ok(Value::Bool(false))
    })
}

/// A parameter for each thread: as the invariant calls it, or another letter.
fn letters(checked: &Checked, model: &CounterModel) -> Vec<String> {
    use ser_invariance_search::counter::Role;
    let words = Words::of(checked);
    let mut fresh = fresh_names(checked, model);
    let one = |roles: &Vec<Role>| {
        let own = roles.iter().find_map(|role| match role {
            Role::Parameter(place) => {
                Some(words.variable(model.invariant, *place, &checked.anchors))
            }
            _ => None,
        });
        own.unwrap_or_else(|| fresh.next().unwrap_or_default())
    };
    model.threads.iter().map(one).collect()
}

/// A name that nothing else has.
fn fresh(checked: &Checked, others: &[&str]) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let texts = others.iter().copied().chain([checked.source.text.as_str()]);
    let taken: BTreeSet<&str> = texts.flat_map(|it| it.split(|c| !is_word(c))).collect();
    let mut names = ["todo".to_owned()].into_iter().chain((2..).map(|it| format!("todo{it}")));
    names.find(|it| !taken.contains(it.as_str())).unwrap_or_default()
}

/// Names for the statements at which threads stand, where they have none.
fn named(checked: &Checked, model: &CounterModel) -> Named {
    let words = Words::of(checked);
    let mut names: BTreeMap<LocId, String> = BTreeMap::new();
    for thread in &model.before.threads {
        let place = words.place(thread.location);
        let location = checked.system.locations.get(thread.location.0 as usize);
        // The end of a body is no statement that could have a name.
        let text = location.and_then(|it| checked.source.text.get(it.span.range()));
        let is_own = location.is_some_and(|it| checked.source.is_own(it.span));
        if place.name.is_some()
            || !is_own
            || text.is_none_or(|it| it.starts_with('}') || it.is_empty())
        {
            continue;
        }
        let name = format!("line_{}", place.line.number);
        let twin = names.iter().any(|(id, it)| *it == name && *id != thread.location);
        let is_taken = checked.source.text.contains(&name) || twin;
        let name =
            if is_taken { format!("line_{}_{}", place.line.number, place.number) } else { name };
        names.insert(thread.location, name);
    }
    Named { text: with_names(checked, &names), names }
}

/// The text with names in front of these statements.
fn with_names(checked: &Checked, names: &BTreeMap<LocId, String>) -> String {
    let mut text = checked.source.text.clone();
    let place = |id: &LocId| checked.system.locations.get(id.0 as usize).map(|it| it.span.start);
    let mut places: Vec<(u32, &String)> =
        names.iter().filter_map(|(id, name)| Some((place(id)?, name))).collect();
    places.sort_by(|a, b| b.cmp(a));
    for (start, name) in places {
        if text.is_char_boundary(start as usize) {
            text.insert_str(start as usize, &format!("{name}: "));
        }
    }
    text
}

/// A smallest good set of these facts: no state of a small instance has all of them. Nothing if all
/// of them together are not good.
fn good(text: &str, facts: Vec<Fact>, letters: &[String], limits: &Limits) -> Option<Vec<Fact>> {
    if facts.is_empty() || facts.len() > 64 {
        return None;
    }
    let mut with_facts = format!("{text}\n");
    for (number, fact) in facts.iter().enumerate() {
        let parameters = letters.join(", ");
        with_facts += &format!("invariant fact__{number}({parameters}): {}\n", fact.holds);
    }
    let parse = inv::parse(&with_facts);
    if parse.has_errors() {
        return None;
    }
    let mut system = parse.system;
    let own = system.invariants.len().checked_sub(facts.len())?;
    let formulas: Vec<Expr> = system
        .invariants
        .split_off(own)
        .into_iter()
        .map(|it| it.conjuncts.into_iter().next().map(|it| it.formula))
        .collect::<Option<_>>()?;
    // What proofs say is of no interest here, and what they name may be gone.
    system.proof = None;
    let seen = seen(&system, &formulas, letters.len() as u32, limits);
    let mut kept: u64 = (0..facts.len()).fold(0, |all, it| all | 1 << it);
    let is_good = |set: u64| seen.iter().all(|mask| mask & set != set);
    if !is_good(kept) {
        return None;
    }
    for place in (0..facts.len()).rev() {
        let fewer = kept & !(1 << place);
        if is_good(fewer) {
            kept = fewer;
        }
    }
    let all = facts.into_iter().enumerate();
    Some(all.filter(|(place, _)| kept & (1 << place) != 0).map(|(_, fact)| fact).collect())
}

/// The sets of facts that states of small instances have, for any threads.
fn seen(
    system: &inv::System,
    formulas: &[Expr],
    parameters: u32,
    limits: &Limits,
) -> BTreeSet<u64> {
    let mut seen = BTreeSet::new();
    let threads = match system.threads {
        Some(fixed) => vec![fixed],
        None => vec![parameters.max(2), parameters.max(2) + 1],
    };
    for threads in threads {
        let bounds = Bounds { threads, states: STATES, ..Bounds::default() };
        let mut explorer = Explorer::new(system, &bounds);
        explorer.run(limits);
        let tuples = injective(parameters, threads);
        explorer.for_each_state(|state| {
            for tuple in &tuples {
                let mut mask = 0;
                for (place, formula) in formulas.iter().enumerate() {
                    // What has no value may be anything.
                    if state.holds(formula, tuple) != Some(false) {
                        mask |= 1 << place;
                    }
                }
                seen.insert(mask);
            }
        });
    }
    seen
}

/// All ways to choose different threads.
fn injective(parameters: u32, threads: u32) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for _ in 0..parameters {
        let longer = |tuple: Vec<u32>| {
            let free: Vec<u32> = (0..threads).filter(|it| !tuple.contains(it)).collect();
            free.into_iter().map(move |it| [tuple.clone(), vec![it]].concat())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

/// That not all of the facts hold: the places first, and the last one that is not a place is
/// denied.
fn body(facts: &[Fact], threads: &BTreeSet<usize>, letters: &[String]) -> String {
    let names: Vec<&String> = threads.iter().filter_map(|it| letters.get(*it)).collect();
    let mut premises: Vec<String> = Vec::new();
    for (place, one) in names.iter().enumerate() {
        for other in names.iter().skip(place + 1) {
            premises.push(format!("{one} != {other}"));
        }
    }
    let (places, mut values): (Vec<&Fact>, Vec<&Fact>) = facts.iter().partition(|it| it.is_place);
    let at = places.iter().map(|it| it.holds.clone());
    // The nearest to the failure comes first.
    if values.is_empty() {
        let denied = at.collect::<Vec<_>>().join(" && ");
        let denied = if places.len() == 1 { format!("!{denied}") } else { format!("!({denied})") };
        premises.push(denied);
    } else {
        premises.extend(at);
        let denied = values.remove(0).fails.clone();
        premises.extend(values.iter().map(|it| it.holds.clone()));
        premises.push(denied);
    }
    let conclusion = premises.pop().unwrap_or_default();
    match premises.is_empty() {
        true => conclusion,
        false => format!("{} -> {conclusion}", premises.join(" && ")),
    }
}
