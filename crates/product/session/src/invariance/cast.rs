//! Who is who in a counter-model: a name for each thread.
//!
//! A thread that two parameters stand for has the name of the first, so that `mine[i]` is what the
//! file could say; that `j` is the same thread is said once. Threads that stand nowhere in the
//! state, but in the value of some variable, have names, too: otherwise nobody could tell whether
//! two of them are the same.

use super::Checked;
use super::words::Words;
use ser_invariance_checker::run::Value;
use ser_invariance_search::counter::{CounterModel, Role};
use std::collections::BTreeSet;

/// So many threads that stand nowhere have a name.
const MOST: u32 = 20;

/// A thread of a counter-model.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub name: String,
    /// Other names of the same thread.
    pub also: Vec<String>,
    /// Who it is, if its name does not say.
    pub role: Option<String>,
}

/// The threads of a counter-model, and names for others that its values mention.
pub(super) struct Cast {
    pub members: Vec<Member>,
    /// Names by number: first the members, then the others. Numbers that nobody mentions have none.
    pub names: Vec<String>,
    /// The names of the others.
    pub others: Vec<String>,
}

impl Cast {
    /// Names for all, the others being those that are mentioned in what is shown.
    pub fn new(checked: &Checked, model: &CounterModel, mentioned: &BTreeSet<u32>) -> Cast {
        let words = Words::of(checked);
        let mut fresh = fresh_names(checked, model);
        let whose = whose(checked, model);
        let one = |roles: &Vec<Role>| {
            let named = roles.iter().filter_map(|role| match role {
                Role::Parameter(place) => {
                    Some(words.variable(model.invariant, *place, &checked.anchors))
                }
                Role::Anchor(place) => {
                    checked.anchors.get(*place as usize).map(|it| words.global(*it).to_owned())
                }
                Role::Other => None,
            });
            let mut named: Vec<String> = named.collect();
            named.dedup();
            match named.is_empty() {
                false => Member { name: named.remove(0), also: named, role: None },
                true => Member {
                    name: fresh.next().unwrap_or_else(|| "?".to_owned()),
                    also: Vec::new(),
                    role: Some(whose.to_owned()),
                },
            }
        };
        let members: Vec<Member> = model.threads.iter().map(one).collect();
        let mut names: Vec<String> = members.iter().map(|it| it.name.clone()).collect();
        let mut others = Vec::new();
        let first = names.len() as u32;
        for number in first..first + MOST {
            if mentioned.range(number..).next().is_none() {
                break;
            }
            let name = match mentioned.contains(&number) {
                true => fresh.next().unwrap_or_else(|| "?".to_owned()),
                false => String::new(),
            };
            if !name.is_empty() {
                others.push(name.clone());
            }
            names.push(name);
        }
        Cast { members, names, others }
    }
}

/// What a thread that no name stands for is called: other than whom?
fn whose(checked: &Checked, model: &CounterModel) -> &'static str {
    let declared = model.invariant.and_then(|it| checked.system.invariants.get(it.0 as usize));
    match declared {
        None => "a thread",
        Some(it) if it.parameters.is_empty() && checked.anchors.is_empty() => "some thread",
        Some(_) => "another thread",
    }
}

/// Names that nobody has.
pub(super) fn fresh_names(
    checked: &Checked,
    model: &CounterModel,
) -> impl Iterator<Item = String> + use<> {
    let system = &checked.system;
    let own = model.invariant.and_then(|it| system.invariants.get(it.0 as usize));
    let parameters = own.into_iter().flat_map(|it| &it.parameters).map(|it| it.text.clone());
    let globals = system.globals.iter().map(|it| it.name.text.clone());
    let locals = system.locals.iter().map(|it| it.name.text.clone());
    let taken: BTreeSet<String> = parameters.chain(globals).chain(locals).collect();
    let letters = ["i", "j", "k", "l", "m", "n", "t", "u", "v"].map(str::to_owned).into_iter();
    let letters = letters.chain((1..).map(|number| format!("thread{number}")));
    letters.filter(move |it| !taken.contains(it))
}

/// The threads in a value.
pub(super) fn threads_in(value: &Value, found: &mut BTreeSet<u32>) {
    match value {
        Value::Tid(Some(thread)) => {
            found.insert(*thread);
        }
        Value::Set(members) => members.iter().for_each(|it| threads_in(it, found)),
        _ => {}
    }
}
