//! The variables of one process.

use crate::ast::{self, Block, Expr, ExprKind, Name};
use crate::icet::ast::{ProcessId, SetId, StmtId, Type, VarId};
use ser_base::Span;
use std::collections::HashMap;

/// What is known about a variable.
pub(super) struct VariableInfo {
    /// Its name, where it appears first.
    pub(super) name: Name,
    /// Its type; nothing if an error hides it.
    pub(super) ty: Option<Type>,
    /// Whether it is the variable of a loop.
    pub(super) of_loop: bool,
    /// Whether its loop is around the current statement.
    pub(super) open: bool,
}

/// What a `break` would have to leave.
#[derive(Clone, Copy)]
pub(super) enum Enclosing {
    /// A `while` or `loop`.
    Loop(StmtId),
    /// A `for`, with the place of its variable.
    For(Span),
}

/// A process, while its statements are looked at.
#[derive(Default)]
pub(super) struct Scope<'f> {
    /// Its number.
    pub(super) process: Option<ProcessId>,
    pub(super) set: Option<SetId>,
    /// Whether it was meant to be a member of a set, known or not.
    pub(super) is_member: bool,
    /// What it calls itself.
    pub(super) me: Option<&'f Name>,
    /// The loops around the current statement, innermost last.
    pub(super) around: Vec<Enclosing>,
    /// How many choices between more than two blocks are around the current statement.
    pub(super) choices: usize,
    /// Whether too many variables have been complained about.
    pub(super) full: bool,
    names: HashMap<&'f str, VarId>,
    variables: Vec<VariableInfo>,
    /// Everything that gets a value somewhere, with the first place.
    assigned: HashMap<&'f str, Span>,
}

impl<'f> Scope<'f> {
    pub(super) fn new(
        process: ProcessId,
        set: Option<SetId>,
        is_member: bool,
        me: Option<&'f Name>,
        body: &'f Block,
    ) -> Scope<'f> {
        let mut scope = Scope { process: Some(process), set, is_member, me, ..Scope::default() };
        body.exprs.iter().for_each(|it| scope.collect(it));
        scope
    }

    fn collect(&mut self, expr: &'f Expr) {
        match &expr.kind {
            ExprKind::Assign(name, _) => self.gets_a_value(name),
            ExprKind::Var(variable) => self.gets_a_value(&variable.name),
            ExprKind::Store(pattern, _) => self.collect_pattern(pattern),
            ExprKind::Match(_, arms) => {
                for pattern in arms.iter().flat_map(|arm| &arm.patterns) {
                    if let ast::Pattern::Value(pattern) = pattern {
                        self.collect_pattern(pattern);
                    }
                }
            }
            _ => {}
        }
        expr.for_each_child(&mut |inside| self.collect(inside));
    }

    /// The fields of `Task(m, _)`.
    fn collect_pattern(&mut self, pattern: &'f Expr) {
        let ExprKind::Call(_, fields) = &pattern.kind else { return };
        for field in fields {
            if let ExprKind::Read(name) = &field.value.kind {
                self.gets_a_value(name);
            }
        }
    }

    fn gets_a_value(&mut self, name: &'f Name) {
        let first = self.assigned.entry(&name.text).or_insert(name.span);
        if name.span.start < first.start {
            *first = name.span;
        }
    }

    /// Whether this is a variable so far, or what the process calls itself.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.names.contains_key(name) || self.is_me(name)
    }

    pub(super) fn is_me(&self, name: &str) -> bool {
        self.me.is_some_and(|me| me.text == name)
    }

    pub(super) fn find(&self, name: &str) -> Option<VarId> {
        self.names.get(name).copied()
    }

    pub(super) fn info(&self, id: VarId) -> Option<&VariableInfo> {
        self.variables.get(id.0 as usize)
    }

    pub(super) fn info_mut(&mut self, id: VarId) -> Option<&mut VariableInfo> {
        self.variables.get_mut(id.0 as usize)
    }

    /// How many variables there are.
    pub(super) fn len(&self) -> usize {
        self.variables.len()
    }

    /// A variable that was not there before.
    pub(super) fn add(&mut self, name: &'f Name, ty: Option<Type>, of_loop: bool) -> VarId {
        let id = VarId(self.variables.len() as u32);
        self.names.insert(&name.text, id);
        self.variables.push(VariableInfo { name: name.clone(), ty, of_loop, open: of_loop });
        id
    }

    /// Where a name gets its first value, be it later in the text.
    pub(super) fn first_value(&self, name: &str) -> Option<Span> {
        self.assigned.get(name).copied()
    }

    /// The names of all variables, known by now or assigned later.
    pub(super) fn names(&self) -> impl Iterator<Item = &'f str> {
        self.names.keys().chain(self.assigned.keys()).copied()
    }

    pub(super) fn into_variables(self) -> Vec<VariableInfo> {
        self.variables
    }
}
