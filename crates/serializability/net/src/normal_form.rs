//! The normal form: lazy spawn, eager respond.
//!
//! Arriving and responding touch no global state. So any complete run can be reordered, with the
//! same outcome, such that a request arrives right before its first step and responds right
//! after the step that reached the local state in which it responds. What is left are
//! transitions that move the global token, and requests only rest in local states from which
//! they take another step. A local state that may both respond and go on gives rise to both.

use crate::{Effect, Net, Outcome, Place, PlaceId, Transition};
use rustc_hash::FxHashMap;
use ser_base::{Limits, Pace, Stop};
use ser_model::{GlobalId, LocalId, NetworkSystem, RequestId};

/// Builds the net of all interleaved runs.
///
/// ```
/// use ser_base::Limits;
/// use ser_model::SystemBuilder;
/// // One request that sets a flag, in one step.
/// let mut b = SystemBuilder::with_state_names("down");
/// let (down, up) = (b.named_global("down"), b.named_global("up"));
/// let (start, end) = (b.local("start"), b.local("end"));
/// b.spawn("raise", start);
/// b.named_step(start, down, end, up);
/// b.reply(end, "ok");
/// let net = ser_net::normal_form(&b.finish(), &Limits::default()).unwrap();
/// assert!(net.is_atomic());
/// ```
pub fn normal_form(system: &NetworkSystem, limits: &Limits) -> Result<Net, Stop> {
    let mut pace = limits.pace();
    let mut builder =
        Builder { system, ids: FxHashMap::default(), places: Vec::new(), transitions: Vec::new() };
    for &(request, local) in system.spawns() {
        for response in system.replies_of(local) {
            builder.check(limits)?;
            let effect = Effect::Respond(Outcome { request, response });
            for global in system.globals() {
                pace.steps(1)?;
                builder.add(global, None, global, effect);
            }
        }
        builder.check(limits)?;
        builder.steps(request, local, None, &mut pace)?;
    }
    let mut next = 0;
    while next < builder.places.len() {
        let Place { request, members, .. } = &builder.places[next];
        let (request, local) = (*request, members[0]);
        builder.check(limits)?;
        builder.steps(request, local, Some(PlaceId(next as u32)), &mut pace)?;
        next += 1;
    }
    let mut transitions = builder.transitions;
    transitions.sort_unstable();
    transitions.dedup();
    Ok(Net {
        initial: system.initial_global(),
        global_count: system.globals().len(),
        places: builder.places,
        transitions,
    })
}

struct Builder<'a> {
    system: &'a NetworkSystem,
    ids: FxHashMap<(RequestId, LocalId), PlaceId>,
    places: Vec<Place>,
    transitions: Vec<Transition>,
}

impl Builder<'_> {
    fn check(&self, limits: &Limits) -> Result<(), Stop> {
        // Reductions and searches need several tables of this size.
        limits.check(0, self.transitions.len() * size_of::<Transition>() * 8)
    }

    fn add(&mut self, before: GlobalId, takes: Option<PlaceId>, after: GlobalId, effect: Effect) {
        self.transitions.push(Transition { before, takes, after, effect });
    }

    fn steps(
        &mut self,
        request: RequestId,
        local: LocalId,
        takes: Option<PlaceId>,
        pace: &mut Pace<'_>,
    ) -> Result<(), Stop> {
        for step in self.system.steps_of(local) {
            pace.steps(1)?;
            for response in self.system.replies_of(step.to) {
                let effect = Effect::Respond(Outcome { request, response });
                self.add(step.before, takes, step.after, effect);
            }
            if !self.system.steps_of(step.to).is_empty() {
                let place = self.place(request, step.to);
                self.add(step.before, takes, step.after, Effect::InFlight(place));
            }
        }
        Ok(())
    }

    fn place(&mut self, request: RequestId, local: LocalId) -> PlaceId {
        *self.ids.entry((request, local)).or_insert_with(|| {
            self.places.push(Place { request, members: vec![local], foresight: None });
            PlaceId(self.places.len() as u32 - 1)
        })
    }
}
