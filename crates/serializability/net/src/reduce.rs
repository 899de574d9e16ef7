//! The exact reductions, one after the other until nothing changes.

use crate::prophecy;
use crate::{
    Alike, Deferred, Moved, Net, PlaceId, SerialAutomaton, Side, Transition, defer,
    eliminate_mover, exclude, merge_equivalent_places, remove_stuttering_steps, slice,
};
use ser_base::{Limits, Stop};
use ser_model::{LocalId, RequestId};
use std::collections::BTreeSet;

ser_base::switches! {
    /// Which reductions to use.
    pub struct Reductions {
        /// Bidirectional slicing.
        pub slice: bool,
        /// Removal of stuttering steps.
        pub stuttering: bool,
        /// Quotient by bisimulation.
        pub merge: bool,
        /// Slicing by mutual exclusion.
        pub exclude: bool,
        /// Mover elimination.
        pub movers: bool,
        /// Deferral.
        pub deferral: bool,
        /// Quotient of global and local states by bisimulation.
        pub alike: bool,
    }
}

impl Reductions {
    /// Those that keep steps as they are, so that a run of the reduced net is, step by step, a
    /// run of the raw one: everything but the elimination of movers, deferral and what is alike.
    pub fn step_by_step(self) -> Reductions {
        Reductions { movers: false, deferral: false, alike: false, ..self }
    }
}

/// A reduction that changed the net.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// States of the system that are alike became one each, before there was a net.
    Alike(Alike),
    Slice,
    /// Stuttering steps were removed.
    Stuttering,
    /// These places became one each; a place is known by its request and its representative.
    Merge(Vec<Vec<(RequestId, LocalId)>>),
    /// Slicing by mutual exclusion.
    Exclude,
    /// A place was eliminated because its steps commute with everything in between.
    Move {
        /// The place: its request and its representative.
        place: (RequestId, LocalId),
        /// Which steps were moved.
        side: Side,
        /// Whether it takes mutual exclusion to see it.
        sharp: bool,
    },
    /// Requests wait where they are instead of looking around.
    Defer {
        request: RequestId,
        /// Where they wait: the representative; nothing if they arrive later.
        from: Option<LocalId>,
        /// The representatives of the places that they need not be in.
        places: Vec<LocalId>,
    },
    /// Places were split by what their requests will respond, and whether they have committed.
    Prophecy,
}

/// A reduction together with what it did away with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Applied {
    pub reduction: Reduction,
    /// The places that are gone after it: request and representative.
    pub gone: Vec<(RequestId, LocalId)>,
}

/// A reduced net, and how it came about.
#[derive(Clone, Debug)]
pub struct Reduced {
    pub net: Net,
    /// The reductions in the order in which they were applied.
    pub applied: Vec<Applied>,
}

/// Applies the chosen reductions until none changes the net any more, or until a limit is reached:
/// every reduction is optional, and one that is cut short leaves the net as it was.
///
/// ```
/// use ser_base::Limits;
/// use ser_model::ProgramModel;
/// use ser_net::{Reductions, normal_form, reduce};
/// let text = "request take { while (L == 1) { yield }; L := 1 } request give { L := 0 }";
/// let model = ProgramModel::new(&ser_syntax::parse(text).program, text, &Limits::default()).unwrap();
/// let net = normal_form(model.system(), &Limits::default()).unwrap();
/// let reduced = reduce(&net, Reductions::default(), &Limits::default());
/// assert!(reduced.net.is_atomic()); // waiting for the lock is the same as coming later
/// ```
pub fn reduce(net: &Net, which: Reductions, limits: &Limits) -> Reduced {
    reduce_further(Reduced { net: net.clone(), applied: Vec::new() }, which, limits)
}

/// Goes on reducing a net that was reduced before.
pub fn reduce_further(reduced: Reduced, which: Reductions, limits: &Limits) -> Reduced {
    reduce_and_watch(reduced, which, limits, &mut |_, _| {})
}

/// Splits places by what their requests will respond, and drops what cannot be then; none if that
/// is too much.
pub fn foresee(
    reduced: &Reduced,
    automaton: &SerialAutomaton,
    which: Reductions,
    limits: &Limits,
) -> Result<Option<Reduced>, Stop> {
    let Some(net) = prophecy::foresee(&reduced.net, automaton, limits)? else { return Ok(None) };
    let mut split = reduced.clone();
    split.replace(Reduction::Prophecy, net);
    // What would put places together again is left out.
    let (slice, exclude) = (which.slice, which.exclude);
    Ok(Some(reduce_further(split, Reductions { slice, exclude, ..Reductions::NONE }, limits)))
}

/// As [`reduce_further`], and shows each reduction that changed the net, with the net after it.
pub fn reduce_and_watch(
    reduced: Reduced,
    which: Reductions,
    limits: &Limits,
    watch: &mut dyn FnMut(&Applied, &Net),
) -> Reduced {
    let mut reduced = Reduced { net: reduced.net.compact(), ..reduced };
    let mut seen = reduced.applied.len();
    let mut show = |reduced: &Reduced| {
        for applied in &reduced.applied[seen..] {
            watch(applied, &reduced.net);
        }
        seen = reduced.applied.len();
    };
    // What has been done until a limit is reached counts. Whoever comes next looks at the limits
    // too.
    let _ = reduced.go_on(which, limits, &mut show);
    reduced
}

impl Reduced {
    /// Reduces until nothing changes any more.
    fn go_on(
        &mut self,
        which: Reductions,
        limits: &Limits,
        show: &mut dyn FnMut(&Reduced),
    ) -> Result<(), Stop> {
        loop {
            let passes = self.applied.len();
            limits.check_clock()?;
            if which.slice {
                self.shrink(Reduction::Slice, slice(&self.net, limits)?);
                show(self);
            }
            if which.stuttering {
                self.shrink(Reduction::Stuttering, remove_stuttering_steps(&self.net, limits)?);
                show(self);
            }
            if which.merge {
                self.merge(limits)?;
                show(self);
            }
            if which.deferral
                && self.applied.len() == passes
                && let Some((smaller, deferred)) = defer(&self.net, limits)?
            {
                let Deferred { request, from, places } = deferred;
                let local = |p: &PlaceId| self.net.places[p.index()].name().1;
                let (from, places) = (from.as_ref().map(local), places.iter().map(local));
                let places = places.collect();
                self.replace(Reduction::Defer { request, from, places }, smaller);
                show(self);
            }
            // The expensive ones only when nothing else helps any more.
            if which.exclude && self.applied.len() == passes {
                self.shrink(Reduction::Exclude, exclude(&self.net, limits)?);
                show(self);
            }
            if which.movers && self.applied.len() == passes {
                // Plain movers one after the other; a sharp one only when those are used up.
                while let Some((smaller, moved)) =
                    eliminate_mover(&self.net, which.exclude, limits)?
                {
                    let place = self.net.places[moved.place.index()].name();
                    let Moved { side, sharp, .. } = moved;
                    self.replace(Reduction::Move { place, side, sharp }, smaller);
                    show(self);
                    if sharp {
                        break;
                    }
                }
            }
            if self.applied.len() == passes {
                return Ok(());
            }
        }
    }

    fn merge(&mut self, limits: &Limits) -> Result<(), Stop> {
        let (merged, groups) = merge_equivalent_places(&self.net, limits)?;
        if !groups.is_empty() {
            let name = |p: &PlaceId| self.net.places[p.index()].name();
            let groups = groups.iter().map(|group| group.iter().map(name).collect()).collect();
            self.replace(Reduction::Merge(groups), merged);
        }
        Ok(())
    }

    /// Takes over a net with fewer transitions, if it has fewer.
    fn shrink(&mut self, reduction: Reduction, smaller: Net) {
        if smaller.transitions.len() < self.net.transitions.len() {
            self.replace(reduction, smaller);
        }
    }

    fn replace(&mut self, reduction: Reduction, net: Net) {
        // Gone is where no request can get to any more.
        let occupied = |net: &Net| -> BTreeSet<_> {
            let gives = net.transitions.iter().filter_map(Transition::gives);
            gives.map(|p| net.places[p.index()].name()).collect()
        };
        let gone = occupied(&self.net).difference(&occupied(&net)).copied().collect();
        let net = net.compact();
        self.applied.push(Applied { reduction, gone });
        self.net = net;
    }
}
