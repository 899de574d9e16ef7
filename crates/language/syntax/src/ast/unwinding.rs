//! What a `.unw` file means: a net whose tokens carry values, each transition of which occurs at
//! most once.

use super::Name;
use crate::core::Expr;
use ser_base::Span;

trees! {
    /// An unwinding: places, transitions that occur at most once each, and those to look for.
    #[derive(Default)]
    pub struct Unwinding {
        /// The places, in the order of the source.
        pub places: Vec<Place>,
        /// The transitions, in the order of the source.
        pub transitions: Vec<Transition>,
        /// Indices of the transitions to look for, in the order of the source, each once.
        pub targets: Vec<usize>,
    }

    /// `place name : type, ...`.
    pub struct Place {
        pub name: Name,
        /// The values that a token carries; none for plain tokens.
        pub components: Vec<Component>,
        /// The whole item.
        pub span: Span,
    }

    /// The values of one component of a token, or of a variable.
    pub struct Component {
        /// The smallest value.
        pub low: i64,
        /// The largest value.
        pub high: i64,
        /// Whether values that do not fit wrap around (`bits n`).
        pub wraps: bool,
        /// Where the type stands.
        pub span: Span,
    }

    /// `transition name { arcs, guards }`.
    pub struct Transition {
        pub name: Name,
        /// The variables, in the order in which they first appear.
        pub variables: Vec<TransitionVariable>,
        /// The arcs, in the order of the source.
        pub arcs: Vec<Arc>,
        /// Conditions that must all hold.
        pub guards: Vec<Expr>,
        /// The whole item.
        pub span: Span,
    }

    pub struct TransitionVariable {
        /// The name, where it first stands.
        pub name: Name,
        /// Which values it can have.
        pub values: Component,
    }

    /// An arc between a place and a transition.
    pub struct Arc {
        /// What happens to the token.
        pub kind: ArcKind,
        /// The index of the place.
        pub place: usize,
        /// One expression for each component of the place, over the variables of the transition;
        /// constants have been replaced by their values.
        pub exprs: Vec<Expr>,
        /// The whole arc.
        pub span: Span,
    }

    /// What a transition does with a token.
    #[derive(Copy, Hash)]
    pub enum ArcKind {
        /// Takes it.
        In,
        /// Looks at it and leaves it there.
        Test,
        /// Puts a new one.
        Out,
    }
}
