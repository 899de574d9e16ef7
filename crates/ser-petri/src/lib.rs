//! Place/transition nets with weighted arcs, and queries about the markings that they reach.
//!
//! This is the door to other tools: nets go out and come in as Tina NET and as PNML
//! (ISO 15909-2), queries as the XML of the Model Checking Contest and in a small text syntax.

mod net;
mod query;

pub use net::{PetriNet, Place, PlaceId, Transition, TransitionId};
pub use query::{Formula, Quantifier, Query, Relation, Sum};
