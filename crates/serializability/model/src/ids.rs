//! Names for things as small numbers that cannot be mixed up.

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
    /// A global variable.
    VariableId
);
id!(
    /// A global state: a valuation of the global variables.
    GlobalId
);
id!(
    /// A local state: where a request in flight stands, and what it remembers.
    LocalId
);
id!(
    /// A request label.
    RequestId
);
id!(
    /// A response label.
    ResponseId
);
id!(
    /// A footprint, shared by all steps that read and write the same.
    FootprintId
);
id!(
    /// A step of the network system: its place in [`NetworkSystem::steps`](crate::NetworkSystem::steps).
    StepId
);
