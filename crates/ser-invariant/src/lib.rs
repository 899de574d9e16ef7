//! Parametrized invariance: safety of programs with unbounded data, for any number of threads.

pub mod answer;
pub mod cases;
pub mod certify;
pub mod conditions;
pub mod counter;
pub mod decide;
pub mod environment;
pub mod explore;
pub mod infer;
pub mod logic;
pub mod model;
pub mod paths;
pub mod prove;
