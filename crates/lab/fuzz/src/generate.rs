//! Random inputs. Everything is a function of the seed.

mod border;
mod equations;
mod expressions;
mod ledger;
mod locking;
mod nets;
mod opaque;
mod printer;
mod processes;
mod programs;
mod sets;
mod shards;
mod sliced;
mod switches;
mod systems;

pub use border::border;
pub use equations::{Equations, equations};
pub use expressions::{expressions, random_core};
pub use ledger::ledger;
pub use locking::locking;
pub use nets::net;
pub use opaque::some_opaque;
pub use processes::{processes, requests};
pub use programs::program;
pub use sets::{SetRecipe, set_recipe};
pub use shards::shards;
pub use sliced::sliced;
pub use switches::options;
pub use systems::{edited, system};
