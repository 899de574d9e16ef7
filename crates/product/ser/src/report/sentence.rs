//! One step of an interleaving as a sentence, for reports that tell it step by step.

pub use ser_session::words::steps::step;
