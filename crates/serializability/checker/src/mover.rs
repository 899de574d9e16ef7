//! `move`: eliminate a place whose steps commute with everything else.
//!
//! After Lipton. The place l is in the net, some transition puts into it, and none takes from l
//! and puts into l. One of two conditions holds:
//!
//! *Right.* For every `t: g + x -> g' + l` and every `u: g' + v -> g'' + e`, x and v a place or
//! nothing, there is an h with `g + v -> h + e` and `h + x -> g'' + l` in the net. Not needed if
//! (g'', l) is not in H of `slice`; nor, in the *sharp* form, if `may_happen_in_parallel` says that
//! no run has two requests in x and v at g (one request, or just g, where x or v is nothing).
//!
//! *Left.* For every `w: g' + l -> g'' + o` and every `u: g + v -> g' + y` there is an h with
//! `g + l -> h + o` and `h + v -> g'' + y` in the net. In the sharp form not needed if no run has
//! two requests in l and v at g (one in l, where v is nothing).
//!
//! Then the transitions into l and out of l are replaced by `g + x -> g'' + o` for every
//! `g + x -> g' + l` and `g' + l -> g'' + o`.
//!
//! *Theorem.* The outcomes stay the same. *Proof.* A composition is two transitions of the net
//! before, so there are no new outcomes. For the rest, right: call an arrival of a request in l
//! *settled* in a run if the next transition moves the same request. In a complete run that has one
//! that is not, take the last such t, of a request r, followed by u of another request. All that u
//! needs was there before t, because t moves r only. And the pair is none of those that need no
//! swap: r completes from l at g'', so (g'', l) is in H, and before t two requests were in x and v
//! at g (or not yet there). So `u t` can be fired instead of `t u`, with the same effect, in a run
//! of the same net. What was settled stays so: an arrival right before t was not; if u takes
//! another request from l, its arrival was before t, so not settled; if u itself is an arrival in
//! l, it is a later one than t and thus settled, and t is swapped with the transition after it as
//! well, which moves the same request as u and stays next to it. Now t is further to the right, and
//! the arrivals after it are all settled. As r leaves l some day, t becomes settled in the end, and
//! so do all arrivals, one after the other. Then each is followed by the transition of the same
//! request that takes it from l, which does not put it into l again, and the two are one
//! composition.
//!
//! Left is the mirror image: take the first departure from l that is not right after the arrival
//! of the same request, and swap it with the transition before. ∎

use crate::Reason;
use crate::format::{Move, PlaceName, Side};
use crate::may_happen_in_parallel::MayHappenInParallel;
use crate::meter::Meter;
use crate::names::{Names, Place};
use crate::net::{Effect, Net, Transition};
use crate::slice::{co_reachable, grouped};
use rustc_hash::FxHashMap;
use ser_model::GlobalId;

/// Eliminates a place.
pub(crate) fn eliminate(
    net: &Net,
    entry: &Move,
    names: &Names<'_>,
    meter: &mut Meter<'_>,
) -> Result<Net, Reason> {
    let PlaceName(request, local) = &entry.place;
    let place = names.place(request, local)?;
    check_shape(net, place, names)?;
    let parallel = if entry.sharp { Some(MayHappenInParallel::new(net, meter)?) } else { None };
    let commutations = Commutations::new(net);
    match entry.side {
        Side::Right => check_right(net, place, parallel.as_ref(), &commutations, names, meter)?,
        Side::Left => check_left(net, place, parallel.as_ref(), &commutations, names, meter)?,
    }
    compose(net, place, meter)
}

/// The place is in the net, something leads into it, and nothing leads from it to itself.
fn check_shape(net: &Net, place: Place, names: &Names<'_>) -> Result<(), Reason> {
    let shown = || names.show_place(place);
    if net.places().binary_search(&place).is_err() {
        return Err(Reason::NotAPlace { place: shown() });
    }
    let mut producers = net.transitions().iter().filter(|t| t.put() == Some(place)).peekable();
    if producers.peek().is_none() {
        return Err(Reason::NoProducer { place: shown() });
    }
    match producers.find(|t| t.take == Some(place)) {
        None => Ok(()),
        Some(t) => {
            let transition = names.show_transition(t);
            Err(Reason::StepToItself { place: shown(), transition })
        }
    }
}

/// The steps into the place commute with whatever comes after them.
fn check_right(
    net: &Net,
    place: Place,
    parallel: Option<&MayHappenInParallel>,
    commutations: &Commutations<'_>,
    names: &Names<'_>,
    meter: &mut Meter<'_>,
) -> Result<(), Reason> {
    let co_reachable = co_reachable(net, meter)?;
    let by_before = grouped(net, |t| t.before);
    for t in net.transitions().iter().filter(|t| t.put() == Some(place)) {
        for u in by_before.get(&t.after).into_iter().flatten() {
            let happens = co_reachable.contains(u.after, place)
                && may_meet(parallel, t.before, t.take, u.take);
            if happens && !commutations.has(t, u, meter)? {
                return Err(no_swap(t, u, names));
            }
        }
    }
    Ok(())
}

/// The steps out of the place commute with whatever comes before them.
fn check_left(
    net: &Net,
    place: Place,
    parallel: Option<&MayHappenInParallel>,
    commutations: &Commutations<'_>,
    names: &Names<'_>,
    meter: &mut Meter<'_>,
) -> Result<(), Reason> {
    let by_after = grouped(net, |t| t.after);
    for w in net.transitions().iter().filter(|t| t.take == Some(place)) {
        for u in by_after.get(&w.before).into_iter().flatten() {
            if may_meet(parallel, u.before, Some(place), u.take)
                && !commutations.has(u, w, meter)?
            {
                return Err(no_swap(u, w, names));
            }
        }
    }
    Ok(())
}

fn no_swap(first: &Transition, second: &Transition, names: &Names<'_>) -> Reason {
    let (first, second) = (names.show_transition(first), names.show_transition(second));
    Reason::DoNotCommute { first, second }
}

/// Whether two different requests may be in `x` and `v` at `g`, where nothing is a request that
/// has not arrived.
fn may_meet(
    parallel: Option<&MayHappenInParallel>,
    g: GlobalId,
    x: Option<Place>,
    v: Option<Place>,
) -> bool {
    let Some(parallel) = parallel else {
        return true;
    };
    match (x, v) {
        (None, None) => parallel.reached(g),
        (Some(p), None) | (None, Some(p)) => parallel.single(g, p),
        (Some(x), Some(v)) => parallel.pair(g, x, v),
    }
}

/// Where transitions lead, by (before, take, effect).
struct Commutations<'a> {
    net: &'a Net,
    targets: FxHashMap<(GlobalId, Option<Place>, Effect), Vec<GlobalId>>,
}

impl<'a> Commutations<'a> {
    fn new(net: &'a Net) -> Commutations<'a> {
        let mut targets: FxHashMap<_, Vec<GlobalId>> = FxHashMap::default();
        for t in net.transitions() {
            targets.entry((t.before, t.take, t.effect)).or_default().push(t.after);
        }
        Commutations { net, targets }
    }

    /// Whether `first` and then `second` can be fired in the other order, with the same effect.
    fn has(
        &self,
        first: &Transition,
        second: &Transition,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Reason> {
        let between = self.targets.get(&(first.before, second.take, second.effect));
        for h in between.into_iter().flatten() {
            meter.work(1)?;
            let late = Transition { before: *h, after: second.after, ..*first };
            if self.net.contains(&late) {
                return Ok(true);
            }
        }
        meter.work(1)?;
        Ok(false)
    }
}

/// Replaces the transitions into the place and out of it by their compositions.
fn compose(net: &Net, place: Place, meter: &mut Meter<'_>) -> Result<Net, Reason> {
    let (mut producers, mut consumers, mut transitions) = (Vec::new(), Vec::new(), Vec::new());
    for t in net.transitions() {
        if t.take == Some(place) {
            consumers.push(*t);
        } else if t.put() == Some(place) {
            producers.push(*t);
        } else {
            transitions.push(*t);
        }
    }
    let consumers = grouped(&Net::new(net.initial, consumers), |w| w.before);
    for t in producers {
        for w in consumers.get(&t.after).into_iter().flatten() {
            meter.entry()?;
            transitions.push(Transition { before: t.before, take: t.take, ..*w });
        }
    }
    Ok(Net::new(net.initial, transitions))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::tests::{show, with_transitions};
    use ser_base::Limits;

    fn entry(local: &str, side: Side, sharp: bool) -> Move {
        Move { place: PlaceName("q".into(), local.into()), side, sharp }
    }

    #[test]
    fn places_go_away_if_their_steps_commute() {
        use Side::{Left, Right};
        // (transitions, local state, side, sharp, what is left or the message)
        type Row<'a> = (&'a str, (&'a str, Side, bool), &'a [&'a str]);
        let table: [Row<'_>; 14] = [
            // A yield point before anything happens.
            (
                r#"["s", "0", "m", "0"], ["s", "1", "m", "1"], ["m", "0", "d", "1"], ["m", "1", "d", "1"]"#,
                ("m", Right, false),
                &["0 -> 1 + q/ok", "1 -> 1 + q/ok"],
            ),
            // It could not have been made later: nobody arrives in 1.
            (
                r#"["s", "0", "m", "0"], ["m", "0", "d", "1"], ["m", "1", "d", "1"]"#,
                ("m", Right, false),
                &["0 -> 0 + q@m and then 0 + q@m -> 1 + q/ok, of another request, do not commute"],
            ),
            // ... but then the other request never completes.
            (
                r#"["s", "0", "m", "0"], ["m", "0", "d", "1"]"#,
                ("m", Right, false),
                &["0 -> 1 + q/ok"],
            ),
            // A step out of the place moves left: it does not look at the global state.
            (
                r#"["s", "0", "m", "1"], ["s", "1", "m", "1"], ["m", "0", "d", "0"], ["m", "1", "d", "1"]"#,
                ("m", Left, false),
                &["0 -> 1 + q/ok", "1 -> 1 + q/ok"],
            ),
            (
                r#"["s", "0", "m", "1"], ["s", "1", "m", "1"], ["m", "1", "d", "1"]"#,
                ("m", Left, false),
                &["0 -> 1 + q@m and then 1 + q@m -> 1 + q/ok, of another request, do not commute"],
            ),
            // Another request was not in the place before: the sharp form knows.
            (
                r#"["s", "0", "m", "1"], ["s", "1", "m", "1"], ["m", "1", "d", "1"]"#,
                ("m", Left, true),
                &["0 -> 1 + q/ok", "1 -> 1 + q/ok"],
            ),
            // A lock, in the sharp form only.
            (
                r#"["s", "0", "m", "1"], ["m", "1", "d", "0"]"#,
                ("m", Right, false),
                &["0 -> 1 + q@m and then 1 + q@m -> 0 + q/ok, of another request, do not commute"],
            ),
            (
                r#"["s", "0", "m", "1"], ["m", "1", "d", "0"]"#,
                ("m", Right, true),
                &["0 -> 0 + q/ok"],
            ),
            // Several ways in and out.
            (
                r#"["s", "0", "m", "1"], ["s", "0", "m", "2"], ["m", "1", "d", "0"],
                   ["m", "2", "d", "0"], ["m", "2", "n", "1"], ["n", "1", "d", "0"]"#,
                ("m", Right, true),
                &["0 -> 0 + q/ok", "0 -> 1 + q@n", "1 + q@n -> 0 + q/ok"],
            ),
            // Two requests in the same place meet, also in the sharp form.
            (
                r#"["s", "0", "n", "0"], ["n", "0", "m", "1"], ["m", "1", "d", "1"], ["n", "1", "d", "2"],
                   ["m", "2", "d", "2"]"#,
                ("m", Right, true),
                &[
                    "0 + q@n -> 1 + q@m and then 1 + q@n -> 2 + q/ok, of another request, do not commute",
                ],
            ),
            (
                r#"["s", "0", "m", "0"], ["m", "0", "m", "1"], ["m", "1", "d", "0"]"#,
                ("m", Right, true),
                &["`q@m` has a step to itself: 0 + q@m -> 1 + q@m"],
            ),
            (
                r#"["s", "0", "m", "0"], ["m", "0", "m", "1"], ["m", "1", "d", "0"]"#,
                ("m", Left, true),
                &["`q@m` has a step to itself: 0 + q@m -> 1 + q@m"],
            ),
            (
                r#"["s", "0", "d", "0"]"#,
                ("d", Left, false),
                &["the net has no place `q@d` here (it is removed, merged, or never marked)"],
            ),
            (r#"["s", "0", "d", "0"]"#, ("x", Left, false), &["there is no local state `x`"]),
        ];
        for (transitions, (local, side, sharp), expected) in table {
            let (system, net) = with_transitions(transitions);
            let limits = Limits::default();
            let names = Names::new(&system);
            let entry = entry(local, side, sharp);
            let found = match eliminate(&net, &entry, &names, &mut Meter::new(&limits)) {
                Ok(smaller) => show(&smaller, &system),
                Err(reason) => vec![reason.to_string()],
            };
            assert_eq!(found, expected, "{transitions} {side:?}");
        }
    }

    #[test]
    fn something_leads_into_the_place() {
        let (system, net) = with_transitions(r#"["s", "0", "m", "0"], ["m", "0", "d", "0"]"#);
        let out = net.transitions().iter().filter(|t| t.take.is_some()).copied();
        let net = Net::new(net.initial, out.collect());
        let (names, limits) = (Names::new(&system), Limits::default());
        let found =
            eliminate(&net, &entry("m", Side::Right, false), &names, &mut Meter::new(&limits));
        let message = found.map_err(|reason| reason.to_string());
        assert_eq!(message, Err("no transition puts a request into `q@m`".into()));
    }
}
