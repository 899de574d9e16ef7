//! `alike`: states and requests that nobody can tell apart are one.
//!
//! Groups of global states, of local states and of requests, the first of each standing for all;
//! what is in no group stands for itself. Two steps are *the same* if they lead to states with the
//! same representatives. For every group
//! - of local states: all give the same responses, and at every global state all have the same
//!   steps;
//! - of global states: at all of them every local state has the same steps;
//! - of requests: all start in local states with the same representatives.
//!
//! The quotient has the steps of local states that stand for themselves at global states that do,
//! and leads to representatives. Requests that stand for themselves arrive, in representatives.
//!
//! *Theorem.* The quotient is serializable if and only if the network system is. *Proof.* Write [s]
//! for the representative of s. A request in l at g has, up to representatives, the steps of l at
//! [g], by the second condition, and these are those of [l] at [g], by the first. So if a run comes
//! to a configuration, a run of the quotient with the same requests, scheduled in the same order,
//! comes to the one with all states replaced by their representatives, and the other way round, by
//! induction: [l] responds as l does. Corresponding runs have the same outcome, and one is
//! serial if the other is, because that depends on the schedule alone. Who may have given up
//! without having done anything is the same in both, because the quotient keeps that list. ∎

use crate::Reason;
use crate::format::Alike;
use crate::meter::Meter;
use crate::names::Names;
use rustc_hash::FxHashMap;
use ser_model::{GlobalId, LocalId, NetworkSystem, RequestId};

/// The quotient of a system.
pub(crate) fn quotient(
    system: &NetworkSystem,
    entry: &Alike,
    meter: &mut Meter<'_>,
) -> Result<NetworkSystem, Reason> {
    let names = Names::new(system);
    let globals = representatives(&entry.globals, |name| names.global(name))?;
    let locals = representatives(&entry.locals, |name| names.local(name))?;
    let requests = representatives(&entry.requests, |name| names.request(name))?;
    let (of_global, of_local, of_request) = (
        |g: GlobalId| globals.get(&g).copied().unwrap_or(g),
        |l: LocalId| locals.get(&l).copied().unwrap_or(l),
        |r: RequestId| requests.get(&r).copied().unwrap_or(r),
    );
    let mut by_global: FxHashMap<GlobalId, Vec<(LocalId, LocalId, GlobalId)>> =
        FxHashMap::default();
    let mut by_local: FxHashMap<LocalId, Vec<(GlobalId, LocalId, GlobalId)>> = FxHashMap::default();
    for step in system.steps() {
        meter.entry()?;
        let (to, after) = (of_local(step.to), of_global(step.after));
        by_global.entry(step.before).or_default().push((step.from, to, after));
        by_local.entry(step.from).or_default().push((step.before, to, after));
    }
    for moves in by_global.values_mut() {
        tidy(moves);
    }
    for moves in by_local.values_mut() {
        tidy(moves);
    }
    for (member, first) in &globals {
        if by_global.get(member) != by_global.get(first) {
            let (first, second) = (system.global_name(*first), system.global_name(*member));
            return Err(Reason::NotAlike { first, second });
        }
    }
    for (member, first) in &locals {
        let same_replies = system.replies_of(*member).eq(system.replies_of(*first));
        if !same_replies || by_local.get(member) != by_local.get(first) {
            let name = |local| system.local_name(local).to_owned();
            return Err(Reason::NotAlike { first: name(*first), second: name(*member) });
        }
    }
    let mut starts: FxHashMap<RequestId, Vec<LocalId>> = FxHashMap::default();
    for (request, local) in system.spawns() {
        meter.entry()?;
        starts.entry(*request).or_default().push(of_local(*local));
    }
    starts.values_mut().for_each(tidy);
    for (member, first) in &requests {
        if starts.get(member) != starts.get(first) {
            let name = |request| system.request_name(request).to_owned();
            return Err(Reason::NotAlike { first: name(*first), second: name(*member) });
        }
    }
    Ok(system.quotient(of_global, of_local, of_request))
}

fn tidy<T: Ord>(list: &mut Vec<T>) {
    list.sort_unstable();
    list.dedup();
}

/// The representative of each state, or request, that has another one.
fn representatives<T: Copy + Eq + std::hash::Hash>(
    groups: &[Vec<String>],
    find: impl Fn(&str) -> Result<T, Reason>,
) -> Result<FxHashMap<T, T>, Reason> {
    let mut all: FxHashMap<T, T> = FxHashMap::default();
    for group in groups {
        let [first, _, ..] = group.as_slice() else { return Err(Reason::SmallGroup) };
        let first = find(first)?;
        for name in group {
            if all.insert(find(name)?, first).is_some() {
                return Err(Reason::Repeated { what: name.clone() });
            }
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ser_base::Limits;
    use ser_model::read_json;

    /// A switch that nobody looks at, and a lamp that one looks at.
    const SYSTEM: &str = r#"{"initial_global": "0",
        "requests": [["flip", "s"], ["see", "a"], ["look", "b"]],
        "responses": [["d", "ok"], ["m", "maybe"], ["n", "maybe"], ["x", "no"], ["y", "yes"]],
        "transitions": [["s", "0", "d", "1"], ["s", "1", "d", "0"], ["s", "2", "d", "2"],
            ["m", "2", "d", "0"], ["n", "2", "d", "1"],
            ["a", "0", "x", "0"], ["a", "1", "x", "1"], ["a", "2", "y", "2"],
            ["b", "0", "x", "1"], ["b", "1", "x", "1"], ["b", "2", "y", "2"]]}"#;

    fn result(globals: &[&[&str]], locals: &[&[&str]]) -> Result<usize, String> {
        result_with(globals, locals, &[])
    }

    fn result_with(
        globals: &[&[&str]],
        locals: &[&[&str]],
        requests: &[&[&str]],
    ) -> Result<usize, String> {
        let system = read_json(SYSTEM).expect("a system");
        let groups = |groups: &[&[&str]]| {
            groups.iter().map(|g| g.iter().map(|it| (*it).to_owned()).collect()).collect()
        };
        let entry =
            Alike { globals: groups(globals), locals: groups(locals), requests: groups(requests) };
        let limits = Limits::default();
        let result = quotient(&system, &entry, &mut Meter::new(&limits));
        result.map(|it| it.steps().len()).map_err(|reason| reason.to_string())
    }

    #[test]
    fn requests_are_alike_if_they_start_alike() {
        let (globals, locals): (&[&[&str]], &[&[&str]]) = (&[&["0", "1"]], &[&["a", "b"]]);
        let both: &[&[&str]] = &[&["see", "look"]];
        assert!(result_with(globals, locals, both).is_ok());
        let refused = |globals, locals, requests: &[&[&str]]| {
            result_with(globals, locals, requests).expect_err("not alike")
        };
        // `a` and `b` are alike only if 0 and 1 are, and nothing is if nobody says so.
        assert!(refused(&[], locals, both).contains("`a` and `b` can be told apart"));
        assert!(refused(globals, &[], both).contains("`see` and `look` can be told apart"));
        let other = refused(globals, locals, &[&["see", "flip"]]);
        assert!(other.contains("`see` and `flip` can be told apart"), "{other}");
        assert!(refused(globals, locals, &[&["see", "sea"]]).contains("no request `sea`"));
        assert!(refused(globals, locals, &[&["see"]]).contains("at least two"));
        let twice = refused(globals, locals, &[&["see", "look"], &["look", "see"]]);
        assert!(twice.contains("is listed twice"), "{twice}");
    }

    #[test]
    fn what_can_be_told_apart_is_not_alike() {
        // From `m` and `n`, requests come to different states that are alike.
        assert_eq!(result(&[&["0", "1"]], &[&["m", "n"]]), Ok(7));
        assert_eq!(result(&[&["0", "1"]], &[]), Ok(8));
        assert_eq!(result(&[], &[]), Ok(11));
        type Groups<'a> = &'a [&'a [&'a str]];
        let table: [(Groups<'_>, Groups<'_>, &str); 9] = [
            (&[&["0", "2"]], &[], "`0` and `2` can be told apart"),
            (&[&["1", "0", "2"]], &[], "can be told apart"),
            // Alike only if 0 and 1 are.
            (&[], &[&["m", "n"]], "`m` and `n` can be told apart"),
            // The same steps, but other responses; and the other way round.
            (&[], &[&["x", "y"]], "`x` and `y` can be told apart"),
            (&[], &[&["d", "x"]], "`d` and `x` can be told apart"),
            (&[&["0"]], &[], "a group needs at least two"),
            (&[&["0", "1"], &["1", "0"]], &[], "`1` is listed twice"),
            (&[&["0", "7"]], &[], "no global state `7`"),
            (&[], &[&["m", "q"]], "no local state `q`"),
        ];
        for (globals, locals, words) in table {
            let error = result(globals, locals).expect_err(words);
            assert!(error.contains(words), "{words}: {error}");
        }
    }
}
