//! The sequential program without what only the derivation needs.
//!
//! The kernel keeps every message that is sent in a *ghost* until it is received, and every index
//! or member of a loop in the loop's variable. People want to read `queue.x := w` and not that `w`
//! was packed and unpacked. Here
//!
//! 1. a ghost is replaced by what it holds, as long as nothing that it mentions was assigned since
//!    it was made (what mentions no variable holds forever; members of one set may be the same
//!    one, so their variables count as one), and a field of a known message becomes that field;
//! 2. ghosts, loop variables, names of members and bags that nobody reads any more are dropped, and
//!    so is whatever then has nothing to do.
//!
//! Neither changes the final values of variables: a test runs both programs on all examples.

use ser_base::Limits;
use ser_sequentialization_checker::sequential::{
    Ghost, Place, Sequential, Term, variables, walk_expr,
};
use ser_sequentialization_checker::{Bag, Slot, Symbol};
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{Expr, ExprKind, ProcessId, SetId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// A program with the same final states that is easier to read.
///
/// ```
/// use ser_sequentialization_search::{Options, sequentialize, simplify};
/// let text = "msg N = N(int); process p { send N(7) to q; } process q { N(x) := recv N; }";
/// let protocol = ser_syntax::icet::parse(text).protocol;
/// let limits = ser_base::Limits::default();
/// let answer = sequentialize(text, &protocol, &Options::default(), &limits);
/// let program = answer.outcome.expect("a sequential program").sequential;
/// assert_eq!(program.len(), 2);
/// assert_eq!(simplify(&protocol, &program, &limits).len(), 1);
/// ```
pub fn simplify(protocol: &Protocol, program: &[Sequential], limits: &Limits) -> Vec<Sequential> {
    let mut pass = Pass { protocol, sets: BTreeMap::new(), closed: closed_ghosts(program) };
    let mut program = pass.block(program, &mut Known::default());
    loop {
        let mut reads = Reads::default();
        reads.block(protocol, &mut pass.sets, &program);
        let fewer = drop_unread(protocol, &mut pass.sets, &program, &reads);
        // Every round leaves a program with the same final states.
        if fewer == program || limits.check_clock().is_err() {
            return fewer;
        }
        program = fewer;
    }
}

/// Ghosts that always hold the same expression, without variables.
fn closed_ghosts(program: &[Sequential]) -> BTreeMap<Ghost, Expr> {
    let mut found: BTreeMap<Ghost, Option<Expr>> = BTreeMap::new();
    Sequential::walk(program, &mut |stmt| match stmt {
        Sequential::Assign { place: Place::Ghost(_, ghost), value, .. } => {
            let expr = match value {
                Term::Expr(_, expr) if variables(expr).is_empty() => Some(expr.clone()),
                _ => None,
            };
            let entry = found.entry(*ghost).or_insert_with(|| expr.clone());
            let same = entry.as_ref().zip(expr.as_ref()).is_some_and(|(l, r)| same_kind(l, r));
            if !same {
                *entry = None;
            }
        }
        Sequential::Take { place: Place::Ghost(_, ghost), .. } => {
            found.insert(*ghost, None);
        }
        _ => {}
    });
    found.into_iter().filter_map(|(ghost, expr)| Some((ghost, expr?))).collect()
}

/// Whether two expressions say the same, wherever they stand.
fn same_kind(left: &Expr, right: &Expr) -> bool {
    match (&left.kind, &right.kind) {
        (ExprKind::Message(a, b, left), ExprKind::Message(c, d, right)) => {
            let fields = left.len() == right.len();
            a == c && b == d && fields && left.iter().zip(right).all(|(l, r)| same_kind(l, r))
        }
        (ExprKind::Not(left), ExprKind::Not(right))
        | (ExprKind::Negate(left), ExprKind::Negate(right)) => same_kind(left, right),
        (ExprKind::Binary(a, b, c), ExprKind::Binary(d, e, f)) => {
            a == d && same_kind(b, e) && same_kind(c, f)
        }
        (left, right) => left == right,
    }
}

/// What is to be known about a term before it is moved.
#[derive(Clone, PartialEq, Default)]
struct Mentions {
    variables: BTreeSet<(ProcessId, VarId)>,
    ghosts: BTreeSet<Ghost>,
    symbols: BTreeSet<Symbol>,
}

/// What ghosts hold, and messages in variables, with what that mentions.
type Known = BTreeMap<Place, (Term, Mentions)>;

/// The sets of symbols.
type Sets = BTreeMap<Symbol, SetId>;

struct Pass<'p> {
    protocol: &'p Protocol,
    /// The sets of symbols seen so far.
    sets: Sets,
    closed: BTreeMap<Ghost, Expr>,
}

impl Pass<'_> {
    fn block(&mut self, stmts: &[Sequential], known: &mut Known) -> Vec<Sequential> {
        let mut bound = BTreeSet::new();
        let mut block = Vec::new();
        for stmt in stmts {
            if let Sequential::Pick { symbol, .. } = stmt {
                bound.insert(*symbol);
            }
            block.push(self.stmt(stmt, known));
        }
        known.retain(|place, (_, mentions)| {
            let (Place::Variable(who, _) | Place::Ghost(who, _)) = place;
            let own = matches!(who, Slot::Member(symbol) if bound.contains(symbol));
            !own && mentions.symbols.is_disjoint(&bound)
        });
        block
    }

    fn stmt(&mut self, stmt: &Sequential, known: &mut Known) -> Sequential {
        let mut stmt = stmt.clone();
        match &mut stmt {
            Sequential::Assign { place, value, .. } => {
                *value = self.resolve(value, known);
                if let (Place::Variable(owner, _), Term::Expr(who, expr)) = (&*place, &mut *value)
                    && is_constant(expr)
                {
                    *who = *owner;
                }
                self.assigned(*place, known);
                let mentions = mentions(self.protocol, &self.sets, value);
                let kept = match (*place, &*value) {
                    (Place::Ghost(_, ghost), _) => !mentions.ghosts.contains(&ghost),
                    (Place::Variable(who, variable), Term::Expr(_, expr)) => {
                        let owner = process_of(self.protocol, &self.sets, who);
                        let own =
                            owner.is_some_and(|it| mentions.variables.contains(&(it, variable)));
                        !own && matches!(expr.kind, ExprKind::Message(..))
                    }
                    _ => false,
                };
                if kept {
                    known.insert(*place, (value.clone(), mentions));
                }
            }
            Sequential::Any { who, variable, .. } => {
                self.assigned(Place::Variable(*who, *variable), known);
            }
            Sequential::Pick { symbol, set } => drop(self.sets.insert(*symbol, *set)),
            Sequential::If { then, otherwise, .. } => {
                let mut other = known.clone();
                *then = self.block(then, known);
                *otherwise = self.block(otherwise, &mut other);
                known.retain(|key, term| other.get(key) == Some(term));
            }
            Sequential::Match { cases, .. } => {
                let start = known.clone();
                let mut ends: Vec<Known> = Vec::new();
                for (_, body) in cases {
                    let mut known = start.clone();
                    *body = self.block(body, &mut known);
                    ends.push(known);
                }
                *known = start;
                known.retain(|key, term| ends.iter().all(|end| end.get(key) == Some(term)));
            }
            Sequential::For { symbol, set, body } => {
                self.sets.insert(*symbol, *set);
                self.bind_all(body);
                let mut places = Vec::new();
                Sequential::walk(body, &mut |stmt| match stmt {
                    Sequential::Assign { place, .. } | Sequential::Take { place, .. } => {
                        places.push(*place);
                    }
                    Sequential::Any { who, variable, .. } => {
                        places.push(Place::Variable(*who, *variable));
                    }
                    _ => {}
                });
                places.into_iter().for_each(|place| self.assigned(place, known));
                *body = self.block(body, &mut known.clone());
            }
            Sequential::Put { value, .. } => *value = self.resolve(value, known),
            Sequential::Take { place, .. } => self.assigned(*place, known),
            Sequential::Assert { .. } => {}
        }
        stmt
    }

    /// The sets of all symbols that are bound in these statements.
    fn bind_all(&mut self, stmts: &[Sequential]) {
        Sequential::walk(stmts, &mut |stmt| {
            if let Sequential::Pick { symbol, set } | Sequential::For { symbol, set, .. } = stmt {
                self.sets.insert(*symbol, *set);
            }
        });
    }

    /// Forgets what this assignment makes untrue.
    fn assigned(&self, place: Place, known: &mut Known) {
        match place {
            Place::Variable(who, variable) => {
                let Some(process) = process_of(self.protocol, &self.sets, who) else {
                    return known.clear();
                };
                known.retain(|key, (_, it)| {
                    let same = matches!(*key, Place::Variable(who, it)
                        if it == variable && self.may_be(who, process));
                    !same && !it.variables.contains(&(process, variable))
                });
            }
            Place::Ghost(_, ghost) => {
                known.retain(|key, (_, it)| {
                    let same = matches!(*key, Place::Ghost(_, it) if it == ghost);
                    !same && !it.ghosts.contains(&ghost)
                });
            }
        }
    }

    /// Whether `who` may run this process.
    fn may_be(&self, who: Slot, process: ProcessId) -> bool {
        process_of(self.protocol, &self.sets, who).is_none_or(|it| it == process)
    }

    fn resolve(&self, term: &Term, known: &Known) -> Term {
        fn holds<'t>(term: &'t Term, known: &'t Known) -> &'t Term {
            match term {
                Term::Place(place) => known.get(place).map_or(term, |(term, _)| term),
                _ => term,
            }
        }
        match term {
            Term::Place(Place::Ghost(who, ghost)) => match self.closed.get(ghost) {
                Some(expr) => Term::Expr(*who, expr.clone()),
                None => holds(term, known).clone(),
            },
            Term::Field(inner, constructor, field) => {
                match self.resolve(holds(inner, known), known) {
                    Term::Expr(who, Expr { kind: ExprKind::Message(_, it, fields), .. })
                        if it == *constructor && fields.len() > *field as usize =>
                    {
                        let field = fields.into_iter().nth(*field as usize);
                        field.map_or_else(|| term.clone(), |field| Term::Expr(who, field))
                    }
                    _ => Term::Field(Box::new(self.resolve(inner, known)), *constructor, *field),
                }
            }
            Term::Expr(..) | Term::Place(_) | Term::Symbol(_) => term.clone(),
        }
    }
}

/// What a term mentions.
fn mentions(protocol: &Protocol, sets: &Sets, term: &Term) -> Mentions {
    let mut found = Mentions::default();
    let mut inner = term;
    while let Term::Field(deeper, ..) = inner {
        inner = deeper;
    }
    let mut owner = |who: Slot| {
        if let Slot::Member(symbol) = who {
            found.symbols.insert(symbol);
        }
        process_of(protocol, sets, who)
    };
    match inner {
        Term::Expr(who, expr) => {
            let process = owner(*who);
            for variable in variables(expr) {
                found.variables.extend(process.map(|process| (process, variable)));
            }
        }
        Term::Place(Place::Variable(who, variable)) => {
            let process = owner(*who);
            found.variables.extend(process.map(|process| (process, *variable)));
        }
        Term::Place(Place::Ghost(who, ghost)) => {
            owner(*who);
            found.ghosts.insert(*ghost);
        }
        Term::Symbol(symbol) => drop(found.symbols.insert(*symbol)),
        Term::Field(..) => {}
    }
    found
}

/// The process that `who` runs.
pub(crate) fn process_of(
    protocol: &Protocol,
    sets: &BTreeMap<Symbol, SetId>,
    who: Slot,
) -> Option<ProcessId> {
    match who {
        Slot::Process(process) => Some(ProcessId(process)),
        Slot::Member(symbol) => protocol.members_of(*sets.get(&symbol)?),
    }
}

/// Whether it is the same for everybody.
fn is_constant(expr: &Expr) -> bool {
    let mut constant = true;
    walk_expr(expr, &mut |it| {
        constant &= !matches!(it.kind, ExprKind::Me | ExprKind::Variable(_));
    });
    constant
}

/// What a program reads.
#[derive(Default)]
pub(crate) struct Reads {
    /// How often each ghost is read.
    pub ghosts: BTreeMap<Ghost, usize>,
    pub variables: BTreeSet<(ProcessId, VarId)>,
    pub symbols: BTreeSet<Symbol>,
    /// Bags from which something is taken that is read.
    bags: BTreeSet<Bag>,
}

impl Reads {
    /// Adds what the statements read; notes the sets of their symbols.
    pub fn block(&mut self, protocol: &Protocol, sets: &mut Sets, stmts: &[Sequential]) {
        let mut takes = Vec::new();
        Sequential::walk(stmts, &mut |stmt| {
            if let Sequential::Pick { symbol, set } | Sequential::For { symbol, set, .. } = stmt {
                sets.insert(*symbol, *set);
            }
            if let Sequential::Take { bag, place } = stmt {
                takes.push((*bag, *place));
            }
            self.stmt(protocol, sets, stmt);
        });
        for (bag, place) in takes {
            match place {
                Place::Ghost(_, ghost) if !self.ghosts.contains_key(&ghost) => {}
                _ => drop(self.bags.insert(bag)),
            }
        }
    }

    fn stmt(&mut self, protocol: &Protocol, sets: &Sets, stmt: &Sequential) {
        let mut term = |term: &Term| self.mention(mentions(protocol, sets, term));
        match stmt {
            Sequential::Assign { place, value, .. } => {
                term(value);
                self.place(*place);
            }
            Sequential::Put { value, .. } => term(value),
            Sequential::Take { place, .. } => self.place(*place),
            Sequential::Any { who, .. } => self.who(*who),
            Sequential::If { who, condition, .. } | Sequential::Assert { who, condition, .. } => {
                if let Some(condition) = condition {
                    term(&Term::Expr(*who, condition.clone()));
                }
            }
            Sequential::Match { who, variable, .. } => {
                term(&Term::Place(Place::Variable(*who, *variable)));
            }
            Sequential::Pick { .. } | Sequential::For { .. } => {}
        }
    }

    fn who(&mut self, who: Slot) {
        if let Slot::Member(symbol) = who {
            self.symbols.insert(symbol);
        }
    }

    fn place(&mut self, place: Place) {
        let (Place::Variable(who, _) | Place::Ghost(who, _)) = place;
        self.who(who);
    }

    fn mention(&mut self, mentions: Mentions) {
        mentions.ghosts.into_iter().for_each(|it| *self.ghosts.entry(it).or_default() += 1);
        self.variables.extend(mentions.variables);
        self.symbols.extend(mentions.symbols);
    }
}

/// The block without what has no effect.
fn drop_unread(
    protocol: &Protocol,
    sets: &mut Sets,
    stmts: &[Sequential],
    reads: &Reads,
) -> Vec<Sequential> {
    let mut block = Vec::new();
    for stmt in stmts {
        if let Sequential::Pick { symbol, set } | Sequential::For { symbol, set, .. } = stmt {
            sets.insert(*symbol, *set);
        }
        let mut stmt = stmt.clone();
        for inner in stmt.blocks_mut() {
            *inner = drop_unread(protocol, sets, inner, reads);
        }
        let dropped = match &stmt {
            Sequential::Assign { place: Place::Ghost(_, ghost), .. } => {
                !reads.ghosts.contains_key(ghost)
            }
            Sequential::Assign { place: Place::Variable(who, variable), .. } => {
                let process = process_of(protocol, sets, *who);
                process.is_some_and(|process| {
                    let found = protocol.process(process).variables.get(variable.0 as usize);
                    let of_loop = found.is_some_and(|it| it.of_loop);
                    of_loop && !reads.variables.contains(&(process, *variable))
                })
            }
            Sequential::Pick { symbol, .. } => !reads.symbols.contains(symbol),
            Sequential::If { then, otherwise, .. } => then.is_empty() && otherwise.is_empty(),
            Sequential::Match { cases, .. } => cases.iter().all(|(_, body)| body.is_empty()),
            Sequential::For { body, .. } => body.is_empty(),
            Sequential::Put { bag, .. } | Sequential::Take { bag, .. } => !reads.bags.contains(bag),
            Sequential::Any { .. } | Sequential::Assert { .. } => false,
        };
        if !dropped {
            block.push(stmt);
        }
    }
    block
}
