//! From the tree of the language to a [`System`]: every name gets its meaning, every expression its
//! type. What threads do not have is an error that says what to write instead; nothing is read as
//! something else.
//!
//! Names live in rooms that cannot be confused, because no name of one can stand where another's
//! can: *things* (constants, types, globals, procedures, shorthands), *places* (named statements
//! and labels, of each procedure its own), and invariants. Locals are a room for each procedure,
//! but none of them can have the name of a thing.
//!
//! Bodies come first: they give the locations that formulas speak of, and say which globals are
//! ever assigned. Then come shorthands, assumptions, invariants and the proof.
//!
//! What is wrong is reported and left out: one mistake, one message. After an error the system has
//! no meaning, but what was understood is there, with all places where names stand, for editors.
//! Mistakes of *form* (something that threads do not have, a declaration that says nothing) may
//! make *holes*: a name that is missing. Then only messages about forms are given, because others
//! may be echoes.
//!
//! - `items`, `declarations`: what the file consists of, its names; variables and their ranges;
//! - `calls`: who calls whom; `circle`: finding circles;
//! - `statements`, `branches`, `locks`, `actions`: what threads do; `ghost`: that ghost code has no
//!   influence; `elsewhere`: statements that only others have;
//! - `expressions`, `names`, `operators`, `types`: values; `threads`: whose locals, and where
//!   threads are;
//! - `lets`: shorthands, written out, and how large that gets;
//! - `proofs`: invariants and what supports them.

mod actions;
mod branches;
mod calls;
mod circle;
mod declarations;
mod elsewhere;
mod expressions;
mod ghost;
mod items;
mod lets;
mod locks;
mod names;
mod operators;
mod proofs;
mod statements;
mod threads;
mod types;

use super::ast::{Expr, GlobalId, InvId, LocId, LocalId, ProcId, System};
use super::symbols::{Label, Let, Symbol};
use crate::Occurrence;
use crate::ast::{Block, Function, Name, Program, Type as Written, Variable};
use crate::check::Checker;
use crate::constant::Constants;
use crate::lexer::Token;
use crate::naming::{Naming, knows_names};
use ser_base::{Sink, Span};
use std::collections::{HashMap, HashSet};
use types::Values;

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

/// The meaning of a program; what is wrong goes to `sink`.
pub(super) fn resolve(text: &str, tree: &Program, tokens: &[Token], sink: &mut Sink) -> Resolved {
    let mut said = Sink::default();
    crate::check::no_open_types(tree, sink);
    let constants = Checker::of(tree, sink).constants;
    let mut resolver = Resolver {
        naming: Naming::new(&mut said),
        form: &mut *sink,
        holes: tree.holes,
        text,
        tokens,
        tree,
        constants,
        system: System::default(),
        members: HashMap::new(),
        written: HashMap::new(),
        aliases: Vec::new(),
        invariants: HashMap::new(),
        tags: HashMap::new(),
        procedures: Vec::new(),
        locals: HashMap::new(),
        places: HashMap::new(),
        called: 0,
        lets: Vec::new(),
        set: tree.sets.first().map_or("Threads", |set| set.name.text.as_str()),
        member: None,
        context: Context::Initial,
        parameters: Vec::new(),
        assigned: Vec::new(),
        locks: HashSet::new(),
        held: Vec::new(),
        loops: Vec::new(),
        nodes: 0,
        nodes_reported: false,
        labels: Vec::new(),
    };
    resolver.declare();
    resolver.initial_values();
    resolver.bodies();
    resolver.fixed_threads();
    resolver.shorthands();
    resolver.assumptions();
    resolver.stay_in_range();
    resolver.formulas();
    resolver.proof();
    resolver.leave_out_uncalled();
    let lets = resolver.lets.iter();
    let lets = lets.map(|info| Let {
        name: info.item.name.clone(),
        parameters: info.item.parameters.iter().map(|(name, _)| name.clone()).collect(),
        ty: info.value.as_ref().map(|value| value.ty),
    });
    let (lets, holes) = (lets.collect(), resolver.holes);
    let has_thread = resolver.procedures.iter().any(|info| info.item.is_thread);
    let Resolver { system, naming, labels, .. } = resolver;
    let occurrences = naming.occurrences;
    if !holes {
        sink.append(said);
    }
    Resolved { system, occurrences, labels, lets, has_thread }
}

/// What a name at top level stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Thing {
    Constant(u32),
    Enumeration(u32),
    Alias(u32),
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
    /// A shorthand.
    Let(u32),
}

/// The process, or a function with a body.
#[derive(Clone, Copy)]
struct Item<'f> {
    is_thread: bool,
    name: &'f Name,
    parameters: &'f [(Name, Option<Written>)],
    result: Option<&'f Written>,
    body: &'f Block,
}

/// A procedure: the process, or a function with a body.
struct ProcedureInfo<'f> {
    item: Item<'f>,
    /// What its result is, and where that is said.
    result: Option<(Values, Span)>,
    /// Its variables that are no parameters.
    variables: Vec<(LocalId, &'f Variable)>,
    locals: HashMap<&'f str, LocalId>,
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

/// A shorthand.
struct LetInfo<'f> {
    item: &'f Function,
    /// Its value, with its parameters as threads; nothing before it is resolved, and if it is
    /// wrong.
    value: Option<Expr>,
    /// How large the value is.
    nodes: usize,
    /// Whether it was looked at.
    resolved: bool,
}

struct Resolver<'f, 's> {
    /// Messages about meanings, which are kept back if there are holes.
    naming: Naming<'f, 's, Thing, Symbol>,
    /// Where messages about forms go.
    form: &'s mut Sink,
    /// Whether a declaration or a name of a place was not understood, and is missing.
    holes: bool,
    text: &'f str,
    tokens: &'f [Token],
    tree: &'f Program,
    constants: Constants,
    system: System,
    /// Members of enumerations: which one of which.
    members: HashMap<&'f str, Vec<(u32, u32)>>,
    /// Where a member of an enumeration is written, by itself or as a shorthand.
    written: HashMap<Span, u32>,
    aliases: Vec<Option<Values>>,
    invariants: HashMap<&'f str, (InvId, Span)>,
    /// Named conjuncts: the place in the invariant, and where they are declared.
    tags: HashMap<(InvId, &'f str), (u32, Span)>,
    /// The process first, then those that are called, then those that are not.
    procedures: Vec<ProcedureInfo<'f>>,
    /// Which procedures have a local with that name.
    locals: HashMap<&'f str, Vec<(ProcId, LocalId)>>,
    /// Which procedures have a place with that name.
    places: HashMap<&'f str, Vec<(ProcId, PlaceInfo)>>,
    /// How many procedures (with the process) are called: the others come behind them, and are left
    /// out.
    called: usize,
    lets: Vec<LetInfo<'f>>,
    /// What the set of all threads is called.
    set: &'f str,
    /// What a thread calls itself.
    member: Option<&'f Name>,
    context: Context,
    /// The parameters of the invariant or shorthand at hand.
    parameters: Vec<&'f Name>,
    /// Where each global is assigned first.
    assigned: Vec<Option<Span>>,
    locks: HashSet<GlobalId>,
    /// The locks that are held where a statement stands: the innermost last.
    held: Vec<GlobalId>,
    /// For each loop around a statement, how many locks are held around the loop.
    loops: Vec<usize>,
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
