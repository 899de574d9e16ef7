//! `defer`: a request that only looks around may as well come later.
//!
//! x is a place, or nothing (the request has not arrived), and E a set of places of the same
//! request, without x. A transition from E is *idle* if it keeps the global state and puts the
//! request into E or x, and an *exit* otherwise. For every exit `w: g + e -> g' + o` there is a
//! path in the net at g: transitions `g + x -> g + e1`, `g + e1 -> g + e2`, ... through places of
//! E, any number of them or none, and then one to `g' + o`.
//!
//! Then the transitions `g + x -> g + e` into E are removed, and `g + x -> g' + o` is added for
//! every exit `g + e -> g' + o`.
//!
//! *Theorem.* The outcomes stay the same. *Proof.* In a complete run take a transition of a request
//! r that is removed, at a time when r is in x (or not there). Until its first exit, or until it
//! is in x again, r only takes transitions that keep the global state. Leave all these out, and if
//! an exit follows take the transition that was added for it instead: r is in x until then, all
//! other requests and the global states are as before, and so is the marking after the exit. If
//! there is no exit r is in x as it was before. The run has fewer transitions that are removed, so
//! this ends, in a run of the new net with the same outcome. Conversely, an added transition is a
//! path of the net before, of one request, with nothing in between. ∎
//!
//! The request stays the same because places and letters carry it. In the new run a request arrives
//! later than before, never earlier, and responds when it did: what is true of requests that do not
//! overlap stays true.

use crate::Reason;
use crate::format::Defer;
use crate::meter::Meter;
use crate::names::{Names, Place};
use crate::net::{Effect, Net, Transition};
use crate::slice::grouped;
use rustc_hash::{FxHashMap, FxHashSet};
use ser_model::GlobalId;
use std::collections::BTreeSet;
use std::collections::hash_map::Entry;

/// Lets requests wait in x instead of in E.
pub(crate) fn defer(
    net: &Net,
    entry: &Defer,
    names: &Names<'_>,
    meter: &mut Meter<'_>,
) -> Result<Net, Reason> {
    let request = names.request(&entry.request)?;
    let place = |local: &String| names.place(&entry.request, local);
    let from = entry.from.as_ref().map(place).transpose()?;
    let places: BTreeSet<Place> = entry.places.iter().map(place).collect::<Result<_, _>>()?;
    if let Some(from) = from.filter(|from| places.contains(from)) {
        return Err(Reason::Repeated { what: names.show_place(from) });
    }
    let inside = |t: &Transition| t.put().is_some_and(|p| places.contains(&p));
    let keeps = |t: &Transition| t.before == t.after;
    let is_from = |t: &Transition| t.take == from && t.effect.request() == request;
    let is_exit = |t: &Transition| {
        let idle = keeps(t) && (inside(t) || from.is_some() && t.put() == from);
        t.take.is_some_and(|p| places.contains(&p)) && !idle
    };

    let taking = grouped(net, |t| (t.before, t.take));
    // What a request in x can do at a global state.
    let mut possible: FxHashMap<GlobalId, FxHashSet<(GlobalId, Effect)>> = FxHashMap::default();
    let mut transitions = Vec::new();
    for t in net.transitions() {
        meter.work(1)?;
        if !(is_from(t) && keeps(t) && inside(t)) {
            transitions.push(*t);
        }
        if !is_exit(t) {
            continue;
        }
        let here = match possible.entry(t.before) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let mut all = FxHashSet::default();
                let mut seen: BTreeSet<Option<Place>> = BTreeSet::from([from]);
                let mut todo = vec![from];
                while let Some(at) = todo.pop() {
                    for u in taking.get(&(t.before, at)).into_iter().flatten() {
                        meter.work(1)?;
                        if at == from && !is_from(u) {
                            continue;
                        }
                        all.insert((u.after, u.effect));
                        if keeps(u) && inside(u) && seen.insert(u.put()) {
                            todo.push(u.put());
                        }
                    }
                }
                new.insert(all)
            }
        };
        if !here.contains(&(t.after, t.effect)) {
            let from = from.map_or_else(|| "not arrived".into(), |from| names.show_place(from));
            return Err(Reason::CannotWait { from, transition: names.show_transition(t) });
        }
        transitions.push(Transition { take: from, ..*t });
    }
    Ok(Net::new(net.initial, transitions))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::tests::{show, with_transitions};
    use ser_base::Limits;

    /// What a deferral leaves of a net, or why it is not one.
    fn deferred(
        transitions: &str,
        from: Option<&str>,
        places: &[&str],
    ) -> Result<Vec<String>, String> {
        let (system, net) = with_transitions(transitions);
        let names = Names::new(&system);
        let places = places.iter().map(|it| (*it).to_owned()).collect();
        let entry = Defer { request: "q".into(), from: from.map(str::to_owned), places };
        let result = defer(&net, &entry, &names, &mut Meter::new(&Limits::default()));
        result.map(|net| show(&net, &system)).map_err(|reason| reason.to_string())
    }

    /// Looks at 0 or 1, and responds only if nothing has changed; otherwise it looks again.
    const RETRY: &str = r#"["s", "0", "a", "0"], ["s", "1", "b", "1"], ["a", "0", "d", "1"],
        ["a", "1", "b", "1"], ["b", "1", "d", "0"], ["b", "0", "a", "0"]"#;

    #[test]
    fn looking_until_nothing_has_changed_can_wait() {
        let left = deferred(RETRY, None, &["a", "b"]).expect("a deferral");
        let atomic = ["0 -> 1 + q/ok", "1 -> 0 + q/ok"];
        assert!(atomic.iter().all(|it| left.contains(&(*it).to_owned())), "{left:?}");
        assert!(!left.iter().any(|it| it.starts_with("0 -> 0") || it.starts_with("1 -> 1")));
    }

    #[test]
    fn what_cannot_be_done_at_once_cannot_wait() {
        // (transitions, from, places, the transition that is in the way)
        let table: [(&str, Option<&str>, &[&str], &str); 6] = [
            // Nobody can come at 1.
            (r#"["s", "0", "a", "0"], ["a", "1", "d", "1"]"#, None, &["a"], "1 + q@a -> 1 + q/ok"),
            // The response is another one at once.
            (
                r#"["s", "0", "a", "0"], ["s", "1", "b", "1"], ["a", "1", "d", "0"], ["b", "1", "d", "1"]"#,
                None,
                &["a", "b"],
                "1 + q@a -> 0 + q/ok",
            ),
            // The way leads through a place that is not in the set.
            (
                r#"["s", "0", "a", "0"], ["s", "1", "b", "1"], ["a", "1", "d", "0"], ["b", "1", "d", "0"]"#,
                None,
                &["a"],
                "1 + q@a -> 0 + q/ok",
            ),
            // The way changes the global state and back.
            (
                r#"["s", "0", "a", "0"], ["s", "1", "b", "0"], ["b", "0", "a", "1"], ["a", "1", "d", "1"]"#,
                None,
                &["a", "b"],
                "0 + q@b -> 1 + q@a",
            ),
            // Staying for good is no exit, but a place outside of the set is.
            (
                r#"["s", "0", "a", "0"], ["a", "1", "c", "1"], ["c", "0", "d", "0"]"#,
                None,
                &["a"],
                "1 + q@a -> 1 + q@c",
            ),
            (
                r#"["s", "0", "m", "1"], ["m", "1", "a", "1"], ["a", "0", "d", "1"]"#,
                Some("m"),
                &["a"],
                "0 + q@a -> 1 + q/ok",
            ),
        ];
        for (transitions, from, places, exit) in table {
            let error = deferred(transitions, from, places).expect_err(transitions);
            assert!(error.contains(exit), "{transitions}: {error}");
        }
    }

    #[test]
    fn waiting_where_the_request_would_be_is_refused() {
        let error = deferred(RETRY, Some("a"), &["a", "b"]).expect_err("no deferral");
        assert!(error.contains("listed twice"), "{error}");
        let error = deferred(RETRY, Some("x"), &["b"]).expect_err("no such place");
        assert!(error.contains("no local state `x`"), "{error}");
    }
}
