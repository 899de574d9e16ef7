//! Place/transition nets with weighted arcs, and queries about the markings that they reach.
//!
//! This is the door to other tools: nets go out and come in as Tina NET and as PNML (ISO 15909-2),
//! queries as the XML of the Model Checking Contest and in a small text syntax.
//! [`ReachabilitySystem`] makes a network system of a net and a query, for the one engine that
//! decides both questions.

mod atoms;
mod build;
mod contest;
mod error;
mod explore;
mod names;
mod net;
mod net_format;
mod pnml;
mod query;
mod reach;
mod semantics;
mod show;
mod text;
mod total;
mod xml;

pub use contest::{CalledBy, read_properties, write_properties};
pub use error::{MAX_TEXT_BYTES, ReadError};
pub use explore::{Exploration, Found, answer_pair_by_force, explore};
pub use names::Names;
pub use net::{PetriNet, Place, PlaceId, Transition, TransitionId};
pub use net_format::{read_net, write_net};
pub use pnml::{PnmlNet, pnml_identifiers, read_pnml, write_pnml};
pub use query::{Formula, Quantifier, Query, Relation, Sum};
pub use reach::{ReachabilitySystem, ReplayError, TranslationError, Witness};
pub use semantics::Marking;
pub use show::Shown;
pub use text::{read_query, read_query_with};
