//! From a net to a formula whose solutions are its token traces: (21) in section 4 of the paper.
//!
//! For each transition there is a literal "occurs", for each reading arc and each output arc of the
//! same place a literal "linked", for each pair of transitions whose order matters one literal, and
//! the bits of the variables. The clauses are, in the paper's names,
//!
//! - gamma: an event's guard holds;
//! - beta: each reading arc of an event is linked;
//! - psi: who is linked to, occurs, before the reader, and with the same value;
//! - delta: a token is consumed at most once and not tested after that; or, for places that are
//!   one-off safe, delta-hat: nobody consumes between the one who makes the token and the one who
//!   reads it.
//!
//! Links that cannot be are not made: if the static order forbids them, if the values have no
//! number in common, or (safe places) if somebody always consumes between.
//!
//! # Nets that grow
//!
//! An [`Encoder`] can be called again after transitions and places were added to its net; it adds
//! what is new to the same solver. New outputs may come only to places that a [`Growth`] fills.
//! Each reading arc `a` there has one more literal `more_a`, "linked to a token of a copy that is
//! not there yet", among the links of beta. It implies that one of those growths has begun, and a
//! growth begins only if a transition occurs that puts a token into its frontier. Take an execution
//! of a later version of the net, and call *strange* whatever a process does from its first
//! transition on that is not there today: a growth fills every place that any of it may fill.
//! Without the strange events, the execution is a solution of the formula of today, some growths
//! having begun in it. One looks for executions of the net as it is under the assumption that no
//! growth has begun: if this assumption is not in the core of an "unsatisfiable", then there is no
//! execution, however far one unrolls. When the net has grown, `more_a` implies one of the new
//! links, or the new `more_a`.
//!
//! A growth can also be fed by other growths: what has to occur is then a transition that feeds any
//! of those. (The first copy of all occurs after a token of a transition that is there already.)

mod place;
mod sizes;
mod solution;

pub use self::sizes::Sizes;

use crate::bits::Bits;
use crate::formula::{FALSE, Formula, Part};
use crate::ids::{ArcId, PlaceId, TransitionId, VariableId};
use crate::net::{ArcKind, Growth, Net};
use crate::order::{Order, StaticOrder, eliminate};
use crate::term::Node;
use crate::values::{Question, Values};
use place::{PlaceState, could_link};
use rustc_hash::FxHashSet;
use ser_base::{Limits, Stop};
use ser_clausal::Lit;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How the symbols of the order are made an order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderMethod {
    /// By triangles, added beforehand.
    #[default]
    Eliminate,
    /// By forbidding cycles as they turn up.
    Lazy,
}

/// How to encode a net. Every choice gives a formula with the same answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Encoding {
    /// Whether places that are safe by construction are encoded as such.
    pub safe_places: bool,
    /// How the order is encoded.
    pub order: OrderMethod,
    /// Whether what the net alone tells about the order is used.
    pub static_order: bool,
    /// Whether small sets of values are followed through the net first.
    pub values: bool,
    /// Whether a reading arc is held to a single link. Not needed, but it propagates.
    pub single_links: bool,
}

impl Default for Encoding {
    fn default() -> Encoding {
        Encoding {
            safe_places: true,
            order: OrderMethod::default(),
            static_order: true,
            values: true,
            single_links: true,
        }
    }
}

/// Why a net cannot be encoded.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EncodeError {
    /// A term may have values beyond what numbers can be.
    #[error("some expression may have values beyond 2^48 or below -2^48")]
    TooLarge,
    /// The net has got an output where none was announced.
    #[error("the place `{place}` has got a new output, but nothing was to fill it")]
    GrewElsewhere { place: String },
    #[error(transparent)]
    Stopped(#[from] Stop),
}

/// Encodes a net and its later versions.
pub struct Encoder {
    options: Encoding,
    formula: Formula,
    bits: Bits,
    known: StaticOrder,
    values: Values,
    order: Order,
    occurs: Vec<Lit>,
    places: Vec<PlaceState>,
    /// For each growth of the net as it is: it has begun.
    begun: Vec<Lit>,
    /// The places that may get outputs later.
    filled: BTreeSet<PlaceId>,
    /// Variables that have no bits, because nobody looks at them.
    ignored: FxHashSet<VariableId>,
    eliminated: usize,
}

impl Encoder {
    /// For an empty net.
    pub fn new(options: Encoding) -> Encoder {
        Encoder {
            formula: Formula::default(),
            options,
            bits: Bits::default(),
            known: StaticOrder::default(),
            values: Values::default(),
            order: Order::default(),
            occurs: Vec::new(),
            places: Vec::new(),
            begun: Vec::new(),
            filled: BTreeSet::new(),
            ignored: FxHashSet::default(),
            eliminated: 0,
        }
    }

    /// The formula so far.
    pub fn formula(&self) -> &Formula {
        &self.formula
    }

    /// That no growth of the net as it is has begun: what an answer about this net alone rests on.
    pub fn not_begun(&self) -> Vec<Lit> {
        self.begun.iter().map(|lit| !*lit).collect()
    }

    /// What is known of the order without solving.
    pub fn static_order(&self) -> &StaticOrder {
        &self.known
    }

    /// Encodes what the net has more than at the last call.
    pub fn extend(&mut self, net: &Net, limits: &Limits) -> Result<(), EncodeError> {
        if net.terms.too_large() {
            return Err(EncodeError::TooLarge);
        }
        self.check_growth(net)?;
        self.known = match self.options.static_order {
            true => StaticOrder::of(net, &self.known, limits)?,
            false => StaticOrder::nothing(net.transitions.len()),
        };
        self.order.settle(&mut self.formula, &self.known);
        self.filled = net.growths.iter().flat_map(|growth| growth.fills.iter().copied()).collect();
        let first_new = self.occurs.len();
        for index in first_new..net.transitions.len() {
            self.ignored.extend(ignored(net, TransitionId::from_index(index)));
        }
        if self.options.values {
            self.values = self.follow_values(net, limits)?;
        }
        self.bury();
        let mut pace = limits.pace();
        for index in first_new..net.transitions.len() {
            pace.steps(256)?;
            self.add_transition(net, TransitionId::from_index(index));
        }
        self.add_growths(net);
        for index in 0..net.places.len() {
            self.add_place(net, PlaceId::from_index(index), &mut pace)?;
        }
        // What the net alone tells about new transitions may close cycles among old symbols, too.
        let has_grown = first_new < net.transitions.len();
        if self.options.order == OrderMethod::Eliminate
            && (has_grown || self.eliminated < self.order.inequalities().len())
        {
            let elimination = eliminate(self.order.inequalities(), &self.known, limits)?;
            self.order.add(&mut self.formula, &self.known, &elimination.triangles);
            self.eliminated = self.order.inequalities().len();
        }
        Ok(())
    }

    /// One of these transitions has to occur, from now on.
    pub fn require(&mut self, targets: &[TransitionId]) {
        let part = self.formula.set_part(Part::Links);
        let occur: Vec<Lit> = targets.iter().map(|t| self.occurs(*t)).collect();
        self.formula.clause(&occur);
        self.formula.set_part(part);
    }

    /// One of these transitions occurs.
    pub fn any_occurs(&mut self, targets: &[TransitionId]) -> Lit {
        let occur: Vec<Lit> = targets.iter().map(|t| self.occurs(*t)).collect();
        let part = self.formula.set_part(Part::Links);
        let any = self.formula.any(&occur);
        self.formula.set_part(part);
        any
    }

    /// Forbids a cycle in the order of events: each transition before the next, and the last before
    /// the first. No order has one, so this is a lemma whatever the transitions are.
    pub fn forbid_cycle(&mut self, cycle: &[TransitionId]) {
        if cycle.is_empty() {
            return;
        }
        let after = cycle.iter().cycle().skip(1);
        let pairs: Vec<_> = cycle.iter().copied().zip(after.copied()).collect();
        self.order.forbid(&mut self.formula, &self.known, &pairs);
    }

    fn occurs(&self, transition: TransitionId) -> Lit {
        self.occurs.get(transition.index()).copied().unwrap_or(FALSE)
    }

    /// New outputs only where they were announced.
    fn check_growth(&self, net: &Net) -> Result<(), EncodeError> {
        for (index, state) in self.places.iter().enumerate() {
            let place = &net.places[index];
            let grew = place.outputs.len() > state.outputs.len();
            if grew && !self.filled.contains(&PlaceId::from_index(index)) {
                return Err(EncodeError::GrewElsewhere { place: place.name.clone() });
            }
        }
        Ok(())
    }

    /// Transitions that have turned out not to occur, ever.
    fn bury(&mut self) {
        self.formula.set_part(Part::Links);
        for index in 0..self.occurs.len() {
            let id = TransitionId::from_index(index);
            if self.occurs[index] != FALSE && (self.known.is_dead(id) || self.values.is_dead(id)) {
                self.formula.clause(&[!self.occurs[index]]);
                self.occurs[index] = FALSE;
            }
        }
    }

    /// gamma.
    fn add_transition(&mut self, net: &Net, id: TransitionId) {
        let transition = net.transition(id);
        let is_dead = self.known.is_dead(id) || self.values.is_dead(id);
        if is_dead || net.terms.constant(transition.guard) == Some(0) {
            self.occurs.push(FALSE);
            return;
        }
        self.formula.set_part(Part::Links);
        let occurs = self.formula.new_lit();
        self.occurs.push(occurs);
        self.formula.set_part(Part::Data);
        // A variable that is a component of a token has one of the colours of its place, because
        // whoever made the token saw to that.
        let mut bound_by_token = BTreeSet::new();
        for arc in transition.arcs.iter().map(|arc| net.arc(*arc)) {
            if arc.kind == ArcKind::Output || self.filled.contains(&arc.place) {
                continue;
            }
            for (term, colour) in arc.values.iter().zip(&net.place(arc.place).colours) {
                if let Node::Variable(variable) = net.terms.node(*term)
                    && net.variables[variable.index()].interval.covers(*colour)
                {
                    bound_by_token.insert(variable);
                }
            }
        }
        for variable in &transition.variables {
            if self.ignored.contains(variable) {
                continue;
            }
            let interval = net.variables[variable.index()].interval;
            let bounded = !bound_by_token.contains(variable);
            self.bits.variable(&mut self.formula, *variable, interval, bounded);
        }
        self.bits.require(&mut self.formula, &net.terms, occurs, transition.guard);
    }

    fn follow_values(&self, net: &Net, limits: &Limits) -> Result<Values, Stop> {
        let can_link = |output: ArcId, reader: ArcId| {
            let is_safe = self.options.safe_places && net.place(net.arc(reader).place).is_safe;
            could_link(net, &self.known, is_safe, output, reader)
        };
        let question = Question {
            net,
            known: &self.known,
            filled: &self.filled,
            ignored: &self.ignored,
            can_link: &can_link,
        };
        Values::follow(&question, limits)
    }

    /// A growth has begun only if a transition feeds it.
    fn add_growths(&mut self, net: &Net) {
        self.formula.set_part(Part::Growth);
        self.begun = net.growths.iter().map(|_| self.formula.new_lit()).collect();
        for index in 0..net.growths.len() {
            let mut clause = vec![!self.begun[index]];
            for place in feeders(&net.growths, index) {
                let outputs = net.place(place).outputs.iter();
                clause.extend(outputs.map(|arc| self.occurs(net.arc(*arc).transition)));
            }
            self.formula.clause(&clause);
        }
    }
}

/// The variables of a transition that only receive a component of a token, whatever it is: they
/// occur once, alone, on a reading arc, and can have every colour there. Their values follow from
/// the links.
fn ignored(net: &Net, id: TransitionId) -> Vec<VariableId> {
    let transition = net.transition(id);
    let mut uses: BTreeMap<VariableId, usize> = BTreeMap::new();
    let mut count = |term| net.terms.variables(term, &mut |v| *uses.entry(v).or_default() += 1);
    count(transition.guard);
    let arcs = || transition.arcs.iter().map(|arc| net.arc(*arc));
    arcs().flat_map(|arc| arc.values.iter()).for_each(|term| count(*term));
    let mut ignored = Vec::new();
    for arc in arcs().filter(|arc| arc.kind != ArcKind::Output) {
        for (term, colour) in arc.values.iter().zip(&net.place(arc.place).colours) {
            if let Node::Variable(variable) = net.terms.node(*term)
                && uses.get(&variable) == Some(&1)
                && net.variables[variable.index()].interval.covers(*colour)
            {
                ignored.push(variable);
            }
        }
    }
    ignored
}

/// The places whose tokens can start a growth, directly or through other growths.
fn feeders(growths: &[Growth], index: usize) -> BTreeSet<PlaceId> {
    let mut seen = BTreeSet::from([index]);
    let mut open = vec![index];
    let mut places = BTreeSet::new();
    while let Some(index) = open.pop() {
        for place in &growths[index].frontier {
            places.insert(*place);
            let fills = |g: &usize| growths[*g].fills.contains(place);
            open.extend((0..growths.len()).filter(fills).filter(|g| seen.insert(*g)));
        }
    }
    places
}
