//! `merge`: one place for a group of places that behave alike.
//!
//! Every group has at least two different places of one request, all of them in the net, and no
//! place is in two groups; the first of a group represents it. Writing \[e\] for an effect whose
//! place is replaced by its representative, all members x of a group must have the same set of
//! triples (g, g', \[e\]) over their transitions `g + x -> g' + e`. Then every place is replaced
//! by its representative everywhere.
//!
//! *Theorem.* The outcomes stay the same. *Proof.* Replacing places turns a run of the net into
//! a run of the merged net. Conversely follow a run of the merged net with a run of the net, each
//! request being in some member of the group of its place: the member has a transition between
//! the same global states with the same effect up to groups, because the representative's set is
//! also its own, and a merged transition comes from a transition of one of the members. ∎

use crate::Reason;
use crate::Rejection;
use crate::format::PlaceName;
use crate::meter::Meter;
use crate::names::{Names, Place};
use crate::net::{Effect, Net, Transition};
use crate::reject::At;
use rustc_hash::FxHashMap;
use ser_model::GlobalId;

/// Merges the groups; `place` is the name of this reduction in messages.
pub(crate) fn merge(
    net: &Net,
    groups: &[Vec<PlaceName>],
    names: &Names<'_>,
    meter: &mut Meter<'_>,
    place: &str,
) -> Result<Net, Rejection> {
    let resolved = resolve(net, groups, names, place)?;
    let representatives: FxHashMap<Place, Place> = resolved
        .iter()
        .flat_map(|(first, others)| others.iter().map(|other| (*other, *first)))
        .collect();
    let merged = |p: Place| representatives.get(&p).copied().unwrap_or(p);
    let quotient = |effect: Effect| match effect {
        Effect::Place(p) => Effect::Place(merged(p)),
        outcome => outcome,
    };
    let behaviour = behaviours(net, &quotient);
    for (i, (first, others)) in resolved.iter().enumerate() {
        for (j, other) in others.iter().enumerate() {
            let at = || format!("{place}.merge[{i}][{}]", j + 1);
            let result = same_behaviour(*first, *other, &behaviour, names, meter);
            result.at(at)?;
        }
    }
    let transitions = net.transitions().iter().map(|t| Transition {
        take: t.take.map(merged),
        effect: quotient(t.effect),
        ..*t
    });
    Ok(Net::new(net.initial, transitions.collect()))
}

/// The groups as places: at least two in each, of one request, in the net, none listed twice.
fn resolve(
    net: &Net,
    groups: &[Vec<PlaceName>],
    names: &Names<'_>,
    at: &str,
) -> Result<Vec<(Place, Vec<Place>)>, Rejection> {
    let places = net.places();
    let mut listed = Vec::new();
    let mut resolved = Vec::new();
    for (i, group) in groups.iter().enumerate() {
        let mut members: Vec<Place> = Vec::new();
        for (j, PlaceName(request, local)) in group.iter().enumerate() {
            let at = || format!("{at}.merge[{i}][{j}]");
            let member = names.place(request, local).at(at)?;
            let shown = || names.show_place(member);
            if places.binary_search(&member).is_err() {
                return Err(Reason::NotAPlace { place: shown() }.at(at()));
            }
            if let Some(first) = members.first().filter(|p| p.request != member.request) {
                let (first, second) = (names.show_place(*first), shown());
                return Err(Reason::DifferentRequests { first, second }.at(at()));
            }
            members.push(member);
            listed.push((member, i, j));
        }
        match members.split_first() {
            Some((first, others)) if !others.is_empty() => {
                resolved.push((*first, others.to_vec()));
            }
            _ => return Err(Reason::SmallGroup.at(format!("{at}.merge[{i}]"))),
        }
    }
    listed.sort_unstable();
    for pair in listed.windows(2) {
        if let [(first, ..), (second, i, j)] = pair
            && first == second
        {
            let what = names.show_place(*first);
            return Err(Reason::Repeated { what }.at(format!("{at}.merge[{i}][{j}]")));
        }
    }
    Ok(resolved)
}

/// (global state before, global state after, effect up to groups).
type Move = (GlobalId, GlobalId, Effect);

/// What a request in each place can do, sorted, each once.
fn behaviours(net: &Net, quotient: &impl Fn(Effect) -> Effect) -> FxHashMap<Place, Vec<Move>> {
    let mut behaviours: FxHashMap<Place, Vec<Move>> = FxHashMap::default();
    for t in net.transitions() {
        if let Some(place) = t.take {
            let entry = (t.before, t.after, quotient(t.effect));
            behaviours.entry(place).or_default().push(entry);
        }
    }
    for list in behaviours.values_mut() {
        list.sort_unstable();
        list.dedup();
    }
    behaviours
}

/// Both places have the same transitions up to groups.
fn same_behaviour(
    first: Place,
    second: Place,
    behaviours: &FxHashMap<Place, Vec<Move>>,
    names: &Names<'_>,
    meter: &mut Meter<'_>,
) -> Result<(), Reason> {
    let of = |place: &Place| behaviours.get(place).map_or(&[][..], Vec::as_slice);
    let (ours, theirs) = (of(&first), of(&second));
    meter.work(ours.len() + theirs.len())?;
    if ours == theirs {
        return Ok(());
    }
    let only = |list: &[Move], other: &[Move], place| {
        let missing = list.iter().find(|entry| other.binary_search(entry).is_err());
        missing.map(|&(before, after, effect)| Transition {
            before,
            take: Some(place),
            after,
            effect,
        })
    };
    let witness = only(ours, theirs, first).or_else(|| only(theirs, ours, second));
    Err(Reason::NotEqual {
        first: names.show_place(first),
        second: names.show_place(second),
        witness: witness.map_or(String::new(), |t| names.show_transition(&t)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::tests::{net_of, show};
    use ser_base::Limits;

    /// `a` and `b` do the same, `c` and `d` do the same up to `a` and `b`, `e` does not;
    /// `other` has places of its own.
    const SYSTEM: &str = r#"{"initial_global": "0",
        "requests": [["q", "s"], ["other", "s"]], "responses": [["z", "ok"]],
        "transitions": [["s", "0", "c", "1"], ["s", "0", "d", "1"], ["s", "0", "e", "1"],
            ["c", "1", "a", "2"], ["d", "1", "b", "2"], ["e", "1", "a", "1"],
            ["a", "2", "z", "0"], ["b", "2", "z", "0"]]}"#;

    #[test]
    fn merging_needs_equal_behaviour() {
        // (groups, message)
        let table = [
            (r#"[[["q", "a"], ["q", "b"]]]"#, "ok"),
            (r#"[[["q", "a"], ["q", "b"]], [["q", "c"], ["q", "d"]]]"#, "ok"),
            (
                r#"[[["q", "c"], ["q", "d"]]]"#,
                "reductions[0].merge[0][1]: `q@c` and `q@d` differ: only one of them has the transition 1 + q@c -> 2 + q@a",
            ),
            (
                r#"[[["q", "a"], ["q", "b"]], [["q", "c"], ["q", "d"], ["q", "e"]]]"#,
                "reductions[0].merge[1][2]: `q@c` and `q@e` differ: only one of them has the transition 1 + q@c -> 2 + q@a",
            ),
            (
                r#"[[["q", "a"], ["other", "b"]]]"#,
                "reductions[0].merge[0][1]: `q@a` and `other@b` are places of different requests",
            ),
            (r#"[[["q", "a"]]]"#, "reductions[0].merge[0]: a group needs at least two places"),
            ("[[]]", "reductions[0].merge[0]: a group needs at least two places"),
            (r#"[[["q", "a"], ["q", "a"]]]"#, "reductions[0].merge[0][1]: `q@a` is listed twice"),
            (
                r#"[[["q", "a"], ["q", "b"]], [["q", "b"], ["q", "a"]]]"#,
                "reductions[0].merge[1][1]: `q@a` is listed twice",
            ),
            (
                r#"[[["q", "a"], ["q", "z"]]]"#,
                "reductions[0].merge[0][1]: the net has no place `q@z` here (it is removed, merged, or never marked)",
            ),
            (
                r#"[[["q", "a"], ["q", "nowhere"]]]"#,
                "reductions[0].merge[0][1]: there is no local state `nowhere`",
            ),
            (
                r#"[[["who", "a"], ["q", "b"]]]"#,
                "reductions[0].merge[0][0]: there is no request `who`",
            ),
        ];
        let (system, net) = net_of(SYSTEM);
        let names = Names::new(&system);
        let limits = Limits::default();
        for (groups, expected) in table {
            let groups: Vec<Vec<PlaceName>> = serde_json::from_str(groups).expect("groups");
            let mut meter = Meter::new(&limits);
            let message = match merge(&net, &groups, &names, &mut meter, "reductions[0]") {
                Ok(_) => "ok".to_owned(),
                Err(rejection) => rejection.to_string(),
            };
            assert_eq!(message, expected, "{groups:?}");
        }
    }

    #[test]
    fn members_become_their_representative() {
        let (system, net) = net_of(
            r#"{"initial_global": "0", "requests": [["q", "s"]], "responses": [["z", "ok"]],
                "transitions": [["s", "0", "a", "1"], ["s", "0", "b", "1"],
                    ["a", "1", "a", "1"], ["b", "1", "a", "1"],
                    ["a", "1", "z", "0"], ["b", "1", "z", "0"]]}"#,
        );
        let groups = [["b", "a"].map(|l| PlaceName("q".into(), l.into())).to_vec()];
        let limits = Limits::default();
        let mut meter = Meter::new(&limits);
        let merged = merge(&net, &groups, &Names::new(&system), &mut meter, "here");
        assert_eq!(
            show(&merged.expect("alike"), &system),
            ["0 -> 1 + q@b", "1 + q@b -> 0 + q/ok", "1 + q@b -> 1 + q@b"]
        );
    }
}
