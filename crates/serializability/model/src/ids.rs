//! Names for things as small numbers that cannot be mixed up.

ser_base::ids! {
    /// A global variable.
    VariableId,
    /// A global state: a valuation of the global variables.
    GlobalId,
    /// A local state: where a request in flight stands, and what it remembers.
    LocalId,
    /// A request label.
    RequestId,
    /// A response label.
    ResponseId,
    /// A footprint, shared by all steps that read and write the same.
    FootprintId,
    /// A step of the network system: its place in
    /// [`NetworkSystem::steps`](crate::NetworkSystem::steps).
    StepId,
}
