//! Sequential programs: what a derivation leaves of a protocol.
//!
//! One program over the variables of all processes, without sends, receives and interleaving.

use crate::derivation::{Bag, Slot, Symbol};
use ser_syntax::icet::ast::{ConstructorId, Expr, ExprKind, MessageId, SetId, StmtId, VarId};
use std::collections::BTreeSet;

/// A value that was sent, from the send to the receive: a variable that no program mentions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ghost(pub u32);

/// What can be assigned to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Place {
    /// A variable of a process.
    Variable(Slot, VarId),
    /// A ghost of a process (every member of a set has its own).
    Ghost(Slot, Ghost),
}

/// What is assigned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
    /// An expression over the variables of a process.
    Expr(Slot, Expr),
    /// The value of a place.
    Place(Place),
    /// The member or index of that name.
    Symbol(Symbol),
    /// A field of a message with that constructor.
    Field(Box<Term>, ConstructorId, u32),
}

/// A statement of a sequential program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sequential {
    /// `place := value`.
    Assign {
        place: Place,
        value: Term,
        /// The statement of the protocol.
        from: StmtId,
    },
    /// `variable := any`.
    Any {
        who: Slot,
        variable: VarId,
        /// The statement of the protocol.
        from: StmtId,
    },
    /// From here to the end of the block, the symbol is some member of the set.
    Pick { symbol: Symbol, set: SetId },
    /// `if condition { ... } else { ... }`; no condition: either.
    If {
        /// Whose variables the condition is about.
        who: Slot,
        condition: Option<Expr>,
        /// If it holds.
        then: Vec<Sequential>,
        /// If not.
        otherwise: Vec<Sequential>,
        /// The statement of the protocol.
        from: StmtId,
    },
    /// One block for each constructor that the message may have.
    Match {
        /// Whose variable is looked at.
        who: Slot,
        variable: VarId,
        message: MessageId,
        /// The cases, ascending; a message with no case cannot be there.
        cases: Vec<(ConstructorId, Vec<Sequential>)>,
        /// The statement of the protocol.
        from: StmtId,
    },
    /// Once for every member, in any order (processes) or ascending (indices).
    For { symbol: Symbol, set: SetId, body: Vec<Sequential> },
    /// `assert condition`; no condition: `fail`.
    Assert {
        /// Whose variables the condition is about.
        who: Slot,
        condition: Option<Expr>,
        /// The statement of the protocol.
        from: StmtId,
        /// Whether the facts that are known here decide that it holds.
        holds: bool,
    },
    /// The value is put into the bag.
    Put { bag: Bag, value: Term },
    /// Any value of the bag is taken out.
    Take {
        bag: Bag,
        /// Where it is kept.
        place: Place,
    },
}

impl Sequential {
    /// The blocks inside it, in their order.
    pub fn blocks(&self) -> Vec<&[Sequential]> {
        match self {
            Sequential::If { then, otherwise, .. } => vec![then, otherwise],
            Sequential::Match { cases, .. } => cases.iter().map(|(_, it)| it.as_slice()).collect(),
            Sequential::For { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }

    /// The same, to be changed.
    pub fn blocks_mut(&mut self) -> Vec<&mut Vec<Sequential>> {
        match self {
            Sequential::If { then, otherwise, .. } => vec![then, otherwise],
            Sequential::Match { cases, .. } => cases.iter_mut().map(|(_, it)| it).collect(),
            Sequential::For { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }

    /// Calls `visit` for all statements of a block, and those inside them.
    pub fn walk<'s>(block: &'s [Sequential], visit: &mut dyn FnMut(&'s Sequential)) {
        for stmt in block {
            visit(stmt);
            stmt.blocks().into_iter().for_each(|it| Sequential::walk(it, visit));
        }
    }
}

/// Calls `visit` for an expression and all inside it.
pub fn walk_expr<'e>(expr: &'e Expr, visit: &mut dyn FnMut(&'e Expr)) {
    visit(expr);
    match &expr.kind {
        ExprKind::Message(_, _, fields) => fields.iter().for_each(|it| walk_expr(it, visit)),
        ExprKind::Not(inner) | ExprKind::Negate(inner) => walk_expr(inner, visit),
        ExprKind::Binary(_, left, right) => {
            walk_expr(left, visit);
            walk_expr(right, visit);
        }
        _ => {}
    }
}

/// The variables that an expression mentions.
pub fn variables(expr: &Expr) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    walk_expr(expr, &mut |it| {
        if let ExprKind::Variable(variable) = it.kind {
            found.insert(variable);
        }
    });
    found
}
