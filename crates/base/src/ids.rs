//! Ids: places in a table, as small numbers that cannot be mixed up.

/// Declares types of ids, each a `u32` that is the place of something in a table.
///
/// ```
/// ser_base::ids! {
///     /// A place of a net.
///     PlaceId,
///     /// A transition of a net.
///     TransitionId,
/// }
/// let names = ["start", "end"];
/// assert_eq!(names[PlaceId::from_index(1).index()], "end");
/// ```
#[macro_export]
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index into its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// From an index into its table.
            pub fn from_index(index: usize) -> $name {
                $name(u32::try_from(index).expect("tables are limited to 2^32 entries"))
            }
        }
    )+};
}
