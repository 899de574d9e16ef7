//! Cuts: who takes from places that are empty at the start needs somebody who brings.
//!
//! *Theorem.* Let W be a set of spots, control states and places, that hold nothing at the start
//! of a run. Then no transition that takes from W fires, or one fires that puts into W and does
//! not take from it. *Proof.* If one takes from W, something was put there before. The first
//! transition that puts into W finds it empty and so does not take from it. ∎
//!
//! *At the end*: let W hold nothing at the end of a run. Then no transition that puts into W
//! fires, or one fires that takes from W and does not put into it: the last one that takes. ∎
//!
//! Nobody is in flight at the start and at the end of a run, so only the control state there may
//! not be in W, or none at all if it is not known. The first part of a run starts where the run
//! starts, and its second part ends where the run ends (see `counts`).

use super::counts::Counts;
use super::linear::Linear;
use super::numbered::{Numbered, Spot};
use crate::Reason;
use crate::format::{CutPlace, End};
use crate::meter::Meter;
use crate::names::Names;
use ser_model::GlobalId;
use std::collections::BTreeSet;

/// The two cases of a cut.
pub(crate) struct Cut {
    /// Zero in the first case.
    pub(crate) none: Linear,
    /// Not negative in the second case.
    pub(crate) some: Linear,
}

/// The cut at some places of the run, or of the part of it, with these counts.
pub(crate) fn cut(
    places: &[CutPlace],
    side: End,
    end: Option<GlobalId>,
    net: &Numbered,
    counts: &Counts,
    names: &Names<'_>,
    meter: &mut Meter<'_>,
) -> Result<Cut, Reason> {
    let marked = match side {
        End::Start => Some(net.initial),
        End::End => end,
    };
    let spots = resolve(places, marked, side, net, names)?;
    let inside = |mut list: Box<dyn Iterator<Item = Spot>>| list.any(|s| spots.contains(&s));
    let (mut users, mut helpers) = (Vec::new(), Vec::new());
    for (i, t) in net.transitions.iter().enumerate() {
        meter.work(4)?;
        let (takes, puts) = (inside(Box::new(t.before_spots())), inside(Box::new(t.after_spots())));
        let (uses, helps) = match side {
            End::Start => (takes, puts),
            End::End => (puts, takes),
        };
        if uses {
            users.push(i);
        } else if helps {
            helpers.push(i);
        }
    }
    let mut some = counts.sum(&helpers, meter)?;
    some.add(&(-1_i64).into(), &Linear::constant(1), meter)?;
    Ok(Cut { none: counts.sum(&users, meter)?, some })
}

/// The places of a cut: of the net, each once, and not the one that is marked.
fn resolve(
    places: &[CutPlace],
    marked: Option<GlobalId>,
    side: End,
    net: &Numbered,
    names: &Names<'_>,
) -> Result<BTreeSet<Spot>, Reason> {
    let mut spots = BTreeSet::new();
    for place in places {
        let (spot, shown) = match place {
            CutPlace::Global { global } => (Spot::Global(names.global(global)?), global.clone()),
            CutPlace::InFlight { request, local } => {
                let place = names.place(request, local)?;
                (Spot::InFlight(place), names.show_place(place))
            }
        };
        if !net.spots.contains_key(&spot) {
            return Err(Reason::NotAPlace { place: shown });
        }
        // If it is not known which control state is marked, it may be any.
        if matches!(spot, Spot::Global(g) if marked.is_none_or(|marked| marked == g)) {
            let when = match side {
                End::Start => "start",
                End::End => "end",
            };
            return Err(Reason::Marked { place: shown, when });
        }
        if !spots.insert(spot) {
            return Err(Reason::Repeated { what: shown });
        }
    }
    Ok(spots)
}
