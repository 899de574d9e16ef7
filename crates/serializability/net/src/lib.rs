//! The interleaving net in normal form, its exact reductions, and the serial automaton.
//!
//! ```text
//! NetworkSystem --+--> Net --slice, idle, merge, exclude, movers--> reduced Net
//!                 +--> SerialAutomaton
//! ```
//!
//! Nothing here is trusted: a verdict counts only after the checker has accepted its
//! certificate, and the checker builds its own normal form.

mod automaton;
mod exclude;
mod export;
mod idle;
mod merge;
mod mover;
mod net;
mod normal_form;
mod paper;
mod reduce;
mod rules;
mod slice;
mod together;

pub use automaton::{Edge, SerialAutomaton, letters};
pub use exclude::exclude;
pub use export::{automaton_json, automaton_text, net_json, net_text};
pub use idle::remove_idle_steps;
pub use merge::merge_equivalent_places;
pub use mover::{Moved, Side, eliminate_mover};
pub use net::{Effect, Net, Outcome, Place, PlaceId, Transition};
pub use normal_form::normal_form;
pub use paper::{PaperNet, PaperTransition};
pub use reduce::{
    Applied, Reduced, Reduction, Reductions, reduce, reduce_and_watch, reduce_further,
};
pub use rules::{Count, Effects, Facts, RuleNet, RuleReduction, RuleTransition, find_effects};
pub use slice::{Hopeful, slice};
