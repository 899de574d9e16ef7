//! Coloured contextual unweighted nets (Definition 1 of the paper), and unwindings.
//!
//! A place holds a multiset of tokens; a token has one number for each component of its place's
//! colours (none: the meaningless value `•`). A transition takes one token with each input arc,
//! looks at one with each test arc, and makes one with each output arc, such that the values agree
//! with the terms on the arcs and the guard holds. An *unwinding* is a net whose transitions occur
//! at most once: they are *potential events*. Nothing else bounds an execution.
//!
//! An output value has to be one of its place's colours. [`Net::add_transition`] makes this part of
//! the guard, so that nobody else has to think of it.

use crate::ids::{ArcId, PlaceId, TransitionId, VariableId};
use crate::term::{Interval, Term, Terms};

/// A place.
#[derive(Clone, Debug)]
pub struct Place {
    /// For people.
    pub name: String,
    /// What each component of a token can be.
    pub colours: Vec<Interval>,
    /// Whether it is one-off safe by construction: never two tokens at once, in no one-off
    /// execution.
    pub is_safe: bool,
    /// The arcs that take tokens from here.
    pub inputs: Vec<ArcId>,
    /// The arcs that look at tokens here.
    pub tests: Vec<ArcId>,
    /// The arcs that put tokens here.
    pub outputs: Vec<ArcId>,
}

/// What an arc does with its token.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ArcKind {
    /// Takes it.
    Input,
    /// Looks at it.
    Test,
    /// Makes it.
    Output,
}

/// An arc: one token.
#[derive(Clone, Debug)]
pub struct Arc {
    /// What it does.
    pub kind: ArcKind,
    /// Where the token is.
    pub place: PlaceId,
    /// Who does it.
    pub transition: TransitionId,
    /// The components of the token, as terms over the transition's variables.
    pub values: Vec<Term>,
}

/// A transition.
#[derive(Clone, Debug)]
pub struct Transition {
    /// For people.
    pub name: String,
    /// Must be true (not 0).
    pub guard: Term,
    /// Its arcs: inputs, tests and outputs, in the order in which they were given.
    pub arcs: Vec<ArcId>,
    /// All variables of its arcs and its guard, sorted.
    pub variables: Vec<VariableId>,
}

/// A variable of one transition.
#[derive(Clone, Debug)]
pub struct Variable {
    /// For people.
    pub name: String,
    /// Its values.
    pub interval: Interval,
}

/// More of the net could be made: copies of loops that have not been unrolled yet.
///
/// Such a copy occurs only after a token was put into one of `frontier`, and may put tokens of any
/// value into any of `fills`. Whoever looks for an execution of the net *as it is* assumes that
/// there are no more copies; if that assumption was not needed to show that there is none, more
/// copies would not help.
#[derive(Clone, Debug)]
pub struct Growth {
    /// For people: the process.
    pub name: String,
    /// Where the copies would start.
    pub frontier: Vec<PlaceId>,
    /// The places that copies could put tokens into.
    pub fills: Vec<PlaceId>,
}

/// A transition to be added to a net.
#[derive(Clone, Debug)]
pub struct NewTransition {
    /// For people.
    pub name: String,
    /// Must be true (not 0).
    pub guard: Term,
    /// Kind, place and values of each arc.
    pub arcs: Vec<(ArcKind, PlaceId, Vec<Term>)>,
}

/// A net.
///
/// ```
/// use ser_reachability_model::{ArcKind, Interval, Net, NewTransition};
/// let mut net = Net::default();
/// let p = net.add_place("p", vec![Interval::new(0, 9)], true);
/// let (two, yes) = (net.terms.number(2), net.terms.number(1));
/// let arcs = vec![(ArcKind::Output, p, vec![two])];
/// let init = net.add_transition(NewTransition { name: "init".into(), guard: yes, arcs });
/// let x = net.add_variable("x", Interval::new(0, 9));
/// let arcs = vec![(ArcKind::Test, p, vec![x])];
/// net.add_transition(NewTransition { name: "look".into(), guard: x, arcs });
/// assert_eq!(net.places[p.index()].outputs.len(), 1);
/// assert_eq!(net.transition(init).name, "init");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Net {
    /// The terms on arcs and in guards.
    pub terms: Terms,
    /// The variables; no two transitions share one.
    pub variables: Vec<Variable>,
    pub places: Vec<Place>,
    pub transitions: Vec<Transition>,
    pub arcs: Vec<Arc>,
    /// What more could be made of it.
    pub growths: Vec<Growth>,
}

impl Net {
    /// A new place.
    pub fn add_place(
        &mut self,
        name: impl Into<String>,
        colours: Vec<Interval>,
        is_safe: bool,
    ) -> PlaceId {
        let id = PlaceId::from_index(self.places.len());
        let (inputs, tests, outputs) = (Vec::new(), Vec::new(), Vec::new());
        self.places.push(Place { name: name.into(), colours, is_safe, inputs, tests, outputs });
        id
    }

    /// A new variable, as a term. It has to be used in one transition only.
    pub fn add_variable(&mut self, name: impl Into<String>, interval: Interval) -> Term {
        let id = VariableId::from_index(self.variables.len());
        self.variables.push(Variable { name: name.into(), interval });
        self.terms.variable(id, interval)
    }

    /// A new transition. What it puts out has to be among the colours of the place: its guard is
    /// made to say so.
    pub fn add_transition(&mut self, new: NewTransition) -> TransitionId {
        let id = TransitionId::from_index(self.transitions.len());
        let mut guard = self.terms.truth(new.guard);
        let mut variables = Vec::new();
        let mut arcs = Vec::new();
        for (kind, place, values) in new.arcs {
            debug_assert_eq!(values.len(), self.places[place.index()].colours.len());
            for (term, colour) in values.iter().zip(self.places[place.index()].colours.clone()) {
                if kind == ArcKind::Output {
                    let fits = self.terms.within(*term, colour);
                    guard = self.terms.and(guard, fits);
                }
                self.terms.variables(*term, &mut |v| variables.push(v));
            }
            let arc = ArcId::from_index(self.arcs.len());
            let list = &mut self.places[place.index()];
            match kind {
                ArcKind::Input => list.inputs.push(arc),
                ArcKind::Test => list.tests.push(arc),
                ArcKind::Output => list.outputs.push(arc),
            }
            self.arcs.push(Arc { kind, place, transition: id, values });
            arcs.push(arc);
        }
        self.terms.variables(guard, &mut |v| variables.push(v));
        variables.sort_unstable();
        variables.dedup();
        self.transitions.push(Transition { name: new.name, guard, arcs, variables });
        id
    }

    pub fn place(&self, id: PlaceId) -> &Place {
        &self.places[id.index()]
    }

    pub fn transition(&self, id: TransitionId) -> &Transition {
        &self.transitions[id.index()]
    }

    pub fn arc(&self, id: ArcId) -> &Arc {
        &self.arcs[id.index()]
    }

    /// The arcs of one kind of a transition.
    pub fn arcs_of(&self, id: TransitionId, kind: ArcKind) -> impl Iterator<Item = ArcId> + '_ {
        self.transition(id).arcs.iter().copied().filter(move |a| self.arc(*a).kind == kind)
    }
}
