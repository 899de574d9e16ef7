//! Names and places of a protocol, as messages need them.

use crate::answer::{Answer, Verdict};
use crate::explore::value::is_narrowed;
use ser_base::Span;
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{
    Expr, ExprKind, MessageId, Pattern, ProcessId, Source, Stmt, StmtId, StmtKind, Type, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// A protocol with what it is good to know about its statements.
pub(super) struct Words<'a> {
    pub protocol: &'a Protocol,
    text: &'a str,
    statements: BTreeMap<StmtId, (ProcessId, &'a Stmt)>,
}

impl<'a> Words<'a> {
    pub fn new(protocol: &'a Protocol, text: &'a str) -> Words<'a> {
        let mut statements = BTreeMap::new();
        for (owner, process) in protocol.each_process() {
            for statement in &process.body {
                statement.walk(&mut |it| statements.extend([(it.id, (owner, it))]));
            }
        }
        Words { protocol, text, statements }
    }

    pub fn statement(&self, id: StmtId) -> Option<&'a Stmt> {
        self.statements.get(&id).map(|(_, stmt)| *stmt)
    }

    pub fn owner(&self, id: StmtId) -> Option<ProcessId> {
        self.statements.get(&id).map(|(owner, _)| *owner)
    }

    /// The statement without the blocks inside.
    pub fn head(&self, stmt: &Stmt) -> Span {
        if stmt.blocks().is_empty() {
            return stmt.span;
        }
        let text = self.text.get(stmt.span.range()).unwrap_or("");
        let head = text.split('{').next().unwrap_or(text).trim_end();
        Span::new(stmt.span.start, stmt.span.start + head.len() as u32)
    }

    /// The start of the file.
    pub fn start(&self) -> Span {
        Span::empty(0)
    }

    /// Where a process is declared.
    pub fn name_of(&self, process: ProcessId) -> Span {
        let process = self.protocol.processes.get(process.0 as usize);
        process.map_or(self.start(), |it| it.name.span)
    }

    /// `` `queue` ``, `` a `worker` ``.
    pub fn process(&self, process: ProcessId) -> String {
        let Some(process) = self.protocol.processes.get(process.0 as usize) else {
            return "somebody".to_owned();
        };
        match process.set {
            Some(_) => super::a(&process.name.text),
            None => format!("`{}`", process.name.text),
        }
    }

    pub fn message(&self, message: MessageId) -> String {
        let message = self.protocol.messages.get(message.0 as usize);
        message.map_or_else(|| "message".to_owned(), |it| it.name.text.clone())
    }

    pub fn variable(&self, owner: ProcessId, variable: VarId) -> String {
        let process = self.protocol.processes.get(owner.0 as usize);
        let variable = process.and_then(|it| it.variables.get(variable.0 as usize));
        variable.map_or_else(|| "?".to_owned(), |it| it.name.text.clone())
    }

    /// What a receive waits for: `` a `Reply` from `x` ``.
    pub fn awaited(&self, owner: ProcessId, stmt: &Stmt) -> String {
        let StmtKind::Receive { message, from, .. } = &stmt.kind else {
            return "something".to_owned();
        };
        let name = super::a(&self.message(*message));
        match from {
            Source::Anyone => name,
            Source::Set(set) => {
                format!("{name} from a member of `{}`", self.protocol.set(*set).name.text)
            }
            Source::Pid(expr) => match &expr.kind {
                ExprKind::Process(process) => format!("{name} from {}", self.process(*process)),
                ExprKind::Variable(variable) => {
                    format!("{name} from `{}`", self.variable(owner, *variable))
                }
                _ => name,
            },
        }
    }

    /// All receives, in the order of the file.
    pub fn receives(&self) -> impl Iterator<Item = (ProcessId, &'a Stmt)> {
        let all = self.statements.values().copied();
        all.filter(|(_, stmt)| matches!(stmt.kind, StmtKind::Receive { .. }))
    }

    fn sends(&self) -> impl Iterator<Item = (ProcessId, &'a Stmt, MessageId, &'a Expr)> {
        self.statements.values().filter_map(|(owner, stmt)| match &stmt.kind {
            StmtKind::Send { message, to, .. } => Some((*owner, *stmt, *message, to)),
            _ => None,
        })
    }

    /// Whether this address may be that of the process.
    fn may_reach(&self, owner: ProcessId, to: &Expr, process: ProcessId) -> bool {
        let set = self.protocol.process(process).set;
        match &to.kind {
            ExprKind::Process(it) => *it == process,
            ExprKind::Me => owner == process,
            ExprKind::Variable(variable) => {
                let variables = &self.protocol.process(owner).variables;
                match variables.get(variable.0 as usize).map(|it| it.ty) {
                    Some(Type::Member(it)) => set == Some(it),
                    _ => true,
                }
            }
            _ => true,
        }
    }

    /// Sends of this type that may go to the process.
    pub fn sends_to(&self, process: ProcessId, message: MessageId) -> Vec<(ProcessId, &'a Stmt)> {
        let fits = |&(owner, _, it, to): &(ProcessId, &Stmt, MessageId, &Expr)| {
            it == message && self.may_reach(owner, to, process)
        };
        self.sends().filter(fits).map(|(owner, stmt, ..)| (owner, stmt)).collect()
    }

    /// Sends of this type that go to others.
    pub fn sends_elsewhere(&self, message: MessageId) -> Vec<(ProcessId, &'a Stmt)> {
        let all = self.sends().filter(|(_, _, it, _)| *it == message);
        all.map(|(owner, stmt, ..)| (owner, stmt)).collect()
    }

    /// Sends that certainly may go to the process, with their types.
    pub fn sends_of_other_types(
        &self,
        process: ProcessId,
    ) -> Vec<(ProcessId, &'a Stmt, MessageId)> {
        let all = self.sends().filter(|(owner, _, _, to)| self.may_reach(*owner, to, process));
        all.map(|(owner, stmt, message, _)| (owner, stmt, message)).collect()
    }

    /// Whether the process receives no messages of this type.
    pub fn is_unreceived(&self, process: ProcessId, message: MessageId) -> bool {
        let is_it = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Receive { message: it, .. } if *it == message);
        !self.receives().any(|(owner, stmt)| owner == process && is_it(stmt))
    }

    /// Whether two types have constructors with the same fields.
    pub fn same_shape(&self, left: MessageId, right: MessageId) -> bool {
        let shape = |message: MessageId| {
            let message = self.protocol.messages.get(message.0 as usize);
            let fields = |it: &ser_syntax::icet::ast::MessageType| {
                it.constructors.iter().map(|it| it.fields.clone()).collect::<Vec<_>>()
            };
            message.map(fields)
        };
        shape(left) == shape(right)
    }

    /// The innermost loop around a statement.
    pub fn loop_around(&self, owner: ProcessId, inner: StmtId) -> Option<&'a Stmt> {
        let mut found = None;
        for statement in &self.protocol.process(owner).body {
            statement.walk(&mut |it| {
                let mut contains = false;
                it.walk(&mut |other| contains |= other.id == inner && it.id != inner);
                let is_loop = matches!(
                    it.kind,
                    StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Loop { .. }
                );
                if is_loop && contains {
                    found = Some(it);
                }
            });
        }
        found
    }

    /// Where some variables of a process get their values.
    pub fn assignments(
        &self,
        owner: ProcessId,
        wanted: &BTreeSet<VarId>,
    ) -> Vec<(VarId, &'a Stmt)> {
        let mut found = Vec::new();
        for (_, stmt) in self.statements.values().filter(|(it, _)| *it == owner) {
            let mut note = |variable: &VarId| {
                if wanted.contains(variable) {
                    found.push((*variable, *stmt));
                }
            };
            match &stmt.kind {
                StmtKind::Assign { variable, .. }
                | StmtKind::Any { variable }
                | StmtKind::Pick { variable, .. } => note(variable),
                StmtKind::Receive { pattern: Pattern::Variable(variable), .. } => note(variable),
                StmtKind::Receive { pattern: Pattern::Constructor { fields, .. }, .. } => {
                    fields.iter().flatten().for_each(note);
                }
                _ => {}
            }
        }
        found
    }
}

/// `a, b and c`.
pub(super) fn list(names: &[String]) -> String {
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// What small instances say about a protocol that was not verified.
pub fn small_instances(protocol: &Protocol, answer: &Answer) -> Option<String> {
    if answer.verdict == Verdict::Verified {
        return None;
    }
    if let Some(run) = &answer.run {
        return Some(match sizes(protocol, &run.sizes) {
            sizes if sizes.is_empty() => "this happens: a run shows it".to_owned(),
            sizes => format!("this happens: a run with {sizes} shows it"),
        });
    }
    let most = answer.searched.iter().flatten().max();
    if is_narrowed(protocol) && !answer.searched.is_empty() {
        return Some(
            "no run of a small instance goes wrong with the few numbers that were tried for `any int`: \
             the protocol may be fine, but it is outside what the method covers"
                .to_owned(),
        );
    }
    Some(match (answer.searched.is_empty(), most) {
        (true, _) => "no instance was small enough to try all its runs".to_owned(),
        (false, None) => {
            "no run goes wrong: the protocol is fine, but it is outside what the method covers"
                .to_owned()
        }
        (false, Some(most)) => format!(
            "no run goes wrong with up to {most} member{} in each set that was tried: the protocol may be fine, but it is outside what the method covers",
            if *most == 1 { "" } else { "s" }
        ),
    })
}

/// `Q = 2, K = 1`.
pub fn sizes(protocol: &Protocol, sizes: &[u32]) -> String {
    let pairs = protocol.sets.iter().zip(sizes);
    let words: Vec<String> =
        pairs.map(|(set, size)| format!("{} = {size}", set.name.text)).collect();
    words.join(", ")
}
