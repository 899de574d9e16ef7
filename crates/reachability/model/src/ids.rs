//! Names for the parts of a net, as small numbers that cannot be mixed up.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index into a table.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// From an index into a table.
            pub fn from_index(index: usize) -> $name {
                $name(u32::try_from(index).expect("tables are limited to 2^32 entries"))
            }
        }
    };
}

id!(
    /// A place of a net.
    PlaceId
);
id!(
    /// A transition of a net: an event that may occur once.
    TransitionId
);
id!(
    /// An arc of a net.
    ArcId
);
id!(
    /// A variable of one transition.
    VariableId
);
