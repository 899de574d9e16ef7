//! Names for the parts of a net, as small numbers that cannot be mixed up.

ser_base::ids! {
    /// A place of a net.
    PlaceId,
    /// A transition of a net: an event that may occur once.
    TransitionId,
    /// An arc of a net.
    ArcId,
    /// A variable of one transition.
    VariableId,
}
