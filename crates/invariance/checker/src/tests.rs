//! What tests share: models that make axioms true, and terms and lemmas at random.

pub(crate) mod model;
pub(crate) mod pool;
