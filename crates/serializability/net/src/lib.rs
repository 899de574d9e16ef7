//! The interleaving net in normal form, its exact reductions, and the serial automaton.
//!
//! ```text
//! NetworkSystem --+--> Net --slice, stuttering, merge, deferral, exclude, movers--> reduced Net
//!                 +--> SerialAutomaton
//! ```
//!
//! Nothing here is trusted: a verdict counts only after the checker has accepted its
//! certificate, and the checker builds its own normal form.

mod alike;
mod automaton;
mod deferral;
mod exclude;
mod export;
mod may_happen_in_parallel;
mod merge;
mod mover;
mod net;
mod normal_form;
mod paper;
mod prophecy;
mod reduce;
mod rules;
mod slice;
mod stuttering;

pub use alike::{Alike, find_alike};
pub use automaton::{Edge, SerialAutomaton, letters};
pub use deferral::{Deferred, defer};
pub use exclude::exclude;
pub use export::{automaton_json, automaton_text, net_json, net_text};
pub use merge::merge_equivalent_places;
pub use mover::{Moved, Side, eliminate_mover};
pub use net::{Effect, Net, Outcome, Place, PlaceId, Transition};
pub use normal_form::normal_form;
pub use paper::{PaperNet, PaperTransition};
pub use prophecy::Foresight;
pub use reduce::{
    Applied, Reduced, Reduction, Reductions, foresee, reduce, reduce_and_watch, reduce_further,
};
pub use rules::{
    Arguments, Count, Effects, Facts, OpaqueRule, Readers, RuleNet, RuleReduction, RuleTransition,
    find_effects,
};
pub use slice::{CoReachable, slice};
pub use stuttering::remove_stuttering_steps;
