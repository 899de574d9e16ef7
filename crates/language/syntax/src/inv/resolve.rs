//! From [`syntax`](super::syntax) to a [`System`]: every name gets its meaning, every expression
//! its type.
//!
//! Names live in three rooms that cannot be confused, because no name of one can stand where
//! another's can: *things* (globals, procedures, `let`s), *places* (named statements and labels, of
//! each procedure its own), and invariants. Locals are a room for each procedure, but none of them
//! can have the name of a global.
//!
//! Bodies come first: they give the locations that formulas speak of, and say which globals are
//! ever assigned. Then come the `let`s, assumptions, invariants and the proof.
//!
//! What is wrong is reported and left out: one mistake, one message. After an error the system has
//! no meaning, but what was understood is there, with all places where names stand, for editors.
//!
//! - `declarations`: the names of the file, variables and their initial values;
//! - `calls`: who calls whom; `circle`: finding circles;
//! - `statements`, `actions`: what threads do; `ghost`: that ghost code has no influence;
//! - `expressions`, `names`, `operators`, `types`: values; `threads`: whose locals, and where
//!   threads are;
//! - `lets`: shorthands, written out; `measure`: how large that gets;
//! - `proofs`: invariants and what supports them.

mod actions;
mod calls;
mod circle;
mod declarations;
mod expressions;
mod ghost;
mod lets;
mod measure;
mod names;
mod operators;
mod proofs;
mod statements;
mod threads;
mod types;

use super::ast::{Expr, GlobalId, InvId, LocId, LocalId, ProcId, System};
use super::symbols::{Label, Let, Symbol};
use super::syntax::{File, LetItem, ProcedureItem};
use crate::Occurrence;
use crate::ast::Name;
use crate::naming::{Naming, knows_names};
use ser_base::{Sink, Span};
use std::collections::HashMap;

/// What resolving a file gives.
#[derive(Default)]
pub(super) struct Resolved {
    pub(super) system: System,
    pub(super) occurrences: Vec<Occurrence<Symbol>>,
    pub(super) labels: Vec<Label>,
    pub(super) lets: Vec<Let>,
    /// Whether there is a process.
    pub(super) has_thread: bool,
}

/// The meaning of a file; what is wrong goes to `sink`.
pub(super) fn resolve<'f>(file: &'f File<'f>, sink: &mut Sink) -> Resolved {
    let mut resolver = Resolver {
        naming: Naming::new(sink),
        system: System {
            set: file.set.cloned(),
            member: file.member.cloned(),
            ..System::default()
        },
        invariants: HashMap::new(),
        tags: HashMap::new(),
        procedures: Vec::new(),
        locals: HashMap::new(),
        places: HashMap::new(),
        called: 0,
        lets: Vec::new(),
        member: file.member,
        set: file.set.map_or("Threads", |set| set.text.as_str()),
        context: Context::Initial,
        parameters: &[],
        assigned: Vec::new(),
        nodes: 0,
        nodes_reported: false,
        labels: Vec::new(),
    };
    resolver.declare(file);
    resolver.initial_values(file);
    resolver.bodies();
    resolver.fixed_threads();
    resolver.shorthands();
    resolver.assumptions(file);
    resolver.formulas(file);
    resolver.proof(file);
    resolver.leave_out_uncalled();
    let lets = resolver.lets.iter();
    let lets = lets.map(|info| Let {
        name: info.item.name.clone(),
        parameters: info.item.parameters.iter().copied().cloned().collect(),
        ty: info.value.as_ref().map(|value| value.ty),
    });
    Resolved {
        lets: lets.collect(),
        has_thread: resolver.procedures.iter().any(|info| info.item.is_thread),
        system: resolver.system,
        occurrences: resolver.naming.occurrences,
        labels: resolver.labels,
    }
}

/// What a name at top level stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Thing {
    Global(GlobalId),
    Procedure(ProcId),
    Let(u32),
}

/// What the expression at hand belongs to: it decides which names there are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    /// The initial value of a global.
    Initial,
    LocalInitial,
    /// `assume`.
    Assumption,
    /// A statement of this procedure.
    Statement(ProcId),
    Invariant(InvId),
    /// A `let`.
    Let(u32),
}

/// A procedure, or `thread`.
struct ProcedureInfo<'f> {
    item: &'f ProcedureItem<'f>,
    locals: HashMap<&'f str, LocalId>,
    /// Where they start among the locals of the file.
    first_local: usize,
    /// Named statements and labels.
    places: HashMap<&'f str, PlaceInfo>,
    /// Its first location, and one past its last.
    first: u32,
    end: u32,
}

/// A named statement or a label.
#[derive(Clone, Copy)]
struct PlaceInfo {
    first: LocId,
    last: LocId,
    symbol: Symbol,
    declared: Span,
}

/// A `let`.
struct LetInfo<'f> {
    item: &'f LetItem<'f>,
    /// Its value, with its parameters as threads; nothing before it is resolved, and if it is
    /// wrong.
    value: Option<Expr>,
    /// How large the value is.
    nodes: usize,
    /// Whether it was looked at.
    resolved: bool,
}

struct Resolver<'f, 's> {
    naming: Naming<'f, 's, Thing, Symbol>,
    system: System,
    invariants: HashMap<&'f str, (InvId, Span)>,
    /// Named conjuncts: the place in the invariant, and where they are declared.
    tags: HashMap<(InvId, &'f str), (u32, Span)>,
    /// `thread` first, then those that are called, then those that are not.
    procedures: Vec<ProcedureInfo<'f>>,
    /// Which procedures have a local with that name.
    locals: HashMap<&'f str, Vec<(ProcId, LocalId)>>,
    /// Which procedures have a place with that name.
    places: HashMap<&'f str, Vec<(ProcId, PlaceInfo)>>,
    /// How many procedures (with `thread`) are called: the others come behind them, and are left
    /// out.
    called: usize,
    lets: Vec<LetInfo<'f>>,
    /// What a thread calls itself.
    member: Option<&'f Name>,
    /// What the set of all threads is called.
    set: &'f str,
    context: Context,
    /// The parameters of the invariant or shorthand at hand.
    parameters: &'f [&'f Name],
    /// Where each global is assigned first.
    assigned: Vec<Option<Span>>,
    /// How much was written out so far.
    nodes: usize,
    /// Whether the size of what is written out has been complained about.
    nodes_reported: bool,
    labels: Vec<Label>,
}

knows_names!(Thing, Symbol);

impl<'f> Resolver<'f, '_> {
    fn procedure_names(&self) -> impl Iterator<Item = &'f str> {
        self.names_of(|thing| matches!(thing, Thing::Procedure(_)))
    }

    fn procedure_name(&self, id: ProcId) -> &'f str {
        self.procedures.get(id.0 as usize).map_or("?", |info| info.item.name.text.as_str())
    }
}
