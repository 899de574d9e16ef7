//! Switches: what may be used, each of it on or off.

/// Declares structs of switches, all of which are on by default.
///
/// ```
/// ser_base::switches! {
///     /// Which ways there are.
///     pub struct Ways {
///         /// Over the hill.
///         pub hill: bool,
///         /// Along the river.
///         pub river: bool,
///     }
/// }
/// assert_eq!(Ways::default(), Ways::ALL);
/// assert_eq!(Ways { hill: false, ..Ways::ALL }, Ways { river: true, ..Ways::NONE });
/// ```
#[macro_export]
macro_rules! switches {
    ($(
        $(#[$about:meta])*
        pub struct $name:ident {
            $($(#[$doc:meta])* pub $switch:ident: bool,)+
        }
    )+) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name {
            $($(#[$doc])* pub $switch: bool,)+
        }

        impl $name {
            /// All of them on.
            pub const ALL: $name = $name { $($switch: true),+ };

            /// All of them off.
            pub const NONE: $name = $name { $($switch: false),+ };
        }

        impl Default for $name {
            fn default() -> $name {
                $name::ALL
            }
        }
    )+};
}
