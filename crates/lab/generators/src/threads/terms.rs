//! Random expressions.

use super::world::{Owner, Sort, World};
use crate::Draw;
use fastrand::Rng;
use std::iter::repeat_n;

/// Who speaks.
#[derive(Clone, Copy, Debug)]
pub(super) enum Speaker<'a> {
    /// A statement of this owner; whether it may read ghosts.
    Statement(Owner, bool),
    /// An invariant with these thread variables.
    Invariant(&'a [String]),
}

/// Something of a type.
pub(super) fn term(
    rng: &mut Rng,
    world: &World,
    by: Speaker<'_>,
    sort: Sort,
    depth: usize,
) -> String {
    if depth > 0
        && let Some(text) = compound(rng, world, by, sort, depth - 1)
    {
        return text;
    }
    let mut choices = variables(world, by, sort);
    let constants: &[&str] = match sort {
        Sort::Int => &["0", "1", "2", "-1"],
        Sort::Bool => &["true", "false"],
        Sort::Tid => &["nobody"],
        Sort::Addr => &["null"],
        Sort::Elem => &["lowest", "highest"],
        Sort::Ints | Sort::Tids | Sort::Addrs | Sort::Elems => &["{}"],
    };
    if sort == Sort::Tid {
        match by {
            Speaker::Statement(..) => choices.push("self".into()),
            Speaker::Invariant(threads) => choices.extend(threads.iter().cloned()),
        }
    }
    match rng.chance(70) && !choices.is_empty() {
        true => rng.choice(&choices).cloned().unwrap_or_default(),
        false => rng.word(constants).into(),
    }
}

fn compound(
    rng: &mut Rng,
    world: &World,
    by: Speaker<'_>,
    sort: Sort,
    depth: usize,
) -> Option<String> {
    let part = |rng: &mut Rng, sort: Sort| term(rng, world, by, sort, depth);
    Some(match (sort, rng.below(4)) {
        (Sort::Int, 0) => format!("{} + {}", part(rng, Sort::Int), rng.word(&["1", "2"])),
        (Sort::Int, 1) => format!("({} - {})", part(rng, Sort::Int), part(rng, Sort::Int)),
        (Sort::Int, 2) if rng.chance(30) => format!("2 * ({})", part(rng, Sort::Int)),
        (Sort::Int, 3) if !variables(world, by, Sort::Ints).is_empty() && rng.chance(40) => {
            format!("{}({})", rng.word(&["min", "max"]), part(rng, Sort::Ints))
        }
        (Sort::Bool, _) => formula(rng, world, by, depth),
        (Sort::Addr, 0) => format!("{}.next", path(rng, world, by)?),
        (Sort::Elem, 0 | 1) => format!("{}.data", path(rng, world, by)?),
        (Sort::Tid, 0) if world.heap => format!("{}.lockid", path(rng, world, by)?),
        (Sort::Addrs, 0) => format!("addr2set({})", part(rng, Sort::Addr)),
        (Sort::Elems, 0) => format!("set2elem({})", part(rng, Sort::Addrs)),
        (set, 1) if set.member().is_some() => {
            let member = set.member()?;
            format!("{{{}}}", part(rng, member))
        }
        (set, 2 | 3) if set.member().is_some() => {
            let operator = rng.word(&["+", "-", "*"]);
            format!("({} {operator} {})", part(rng, set), part(rng, set))
        }
        _ => return None,
    })
}

/// An address that one can go on from: a variable.
fn path(rng: &mut Rng, world: &World, by: Speaker<'_>) -> Option<String> {
    let variables = variables(world, by, Sort::Addr);
    rng.choice(&variables).cloned()
}

/// The variables of a type, as they are written.
fn variables(world: &World, by: Speaker<'_>, sort: Sort) -> Vec<String> {
    match by {
        Speaker::Statement(owner, ghosts) => {
            world.seen(owner, sort, ghosts).iter().map(|variable| variable.name.clone()).collect()
        }
        Speaker::Invariant(threads) => {
            let mut found = Vec::new();
            let typed = world.variables.iter().filter(|variable| variable.sort == sort);
            for variable in typed {
                if variable.owner == Owner::Global {
                    found.push(variable.name.clone());
                    continue;
                }
                for thread in threads.iter().chain(&world.anchor) {
                    found.push(format!("{}[{thread}]", variable.name));
                }
            }
            found
        }
    }
}

/// A formula without `at`.
pub(super) fn formula(rng: &mut Rng, world: &World, by: Speaker<'_>, depth: usize) -> String {
    if depth > 0 && rng.chance(40) {
        let (left, right) =
            (formula(rng, world, by, depth - 1), formula(rng, world, by, depth - 1));
        return match rng.below(5) {
            0 => format!("!({left})"),
            1 => format!("({left} || {right})"),
            2 => format!("({left} -> {right})"),
            3 => format!("({left} <-> {right})"),
            _ => format!("({left} && {right})"),
        };
    }
    atom(rng, world, by, depth)
}

fn atom(rng: &mut Rng, world: &World, by: Speaker<'_>, depth: usize) -> String {
    // Addresses twice as often.
    let often = |sort| repeat_n(sort, if sort == Sort::Addr { 2 } else { 1 });
    let sorts = Sort::MIX.into_iter().flat_map(often);
    let sorts: Vec<Sort> = sorts.filter(|sort| !variables(world, by, *sort).is_empty()).collect();
    let Some(&sort) = rng.choice(&sorts) else {
        return "true".into();
    };
    let part = |rng: &mut Rng, sort: Sort, depth: usize| term(rng, world, by, sort, depth);
    match sort {
        Sort::Bool => match rng.chance(50) {
            true => part(rng, Sort::Bool, 0),
            false => format!("!{}", part(rng, Sort::Bool, 0)),
        },
        Sort::Int | Sort::Elem => {
            let operator = rng.word(&["==", "!=", "<", "<=", ">", ">="]);
            format!("{} {operator} {}", part(rng, sort, depth), part(rng, sort, depth))
        }
        Sort::Addr if rng.chance(25) => {
            let word = rng.word(&["reach", "ordered"]);
            format!("{word}({}, {})", part(rng, sort, 0), part(rng, sort, 0))
        }
        Sort::Tid | Sort::Addr => {
            let operator = rng.word(&["==", "!="]);
            format!("{} {operator} {}", part(rng, sort, depth), part(rng, sort, depth))
        }
        Sort::Ints | Sort::Tids | Sort::Addrs | Sort::Elems => {
            let member = sort.member().unwrap_or(Sort::Int);
            // One of them is a variable, so that `{}` has a type.
            let variables = variables(world, by, sort);
            let variable = rng.choice(&variables).cloned().unwrap_or_default();
            match rng.below(5) {
                0 | 1 => format!("{} in {}", part(rng, member, 0), part(rng, sort, depth)),
                2 => format!("{} subset {variable}", part(rng, sort, depth)),
                3 => format!("{variable} subset {}", part(rng, sort, depth)),
                _ => {
                    let operator = rng.word(&["==", "!="]);
                    format!("{variable} {operator} {}", part(rng, sort, depth))
                }
            }
        }
    }
}
