//! Whom a receive can get its message from: symmetric non-determinism.
//!
//! Every `send` is a *tag*. A receive is fine if its sender is written down, if all sends that it can get a
//! message from belong to one single process (their messages stay in order), or if there is exactly one such send
//! and it belongs to a set of processes: then all senders are alike. Anything else is an *asymmetric race*, and the
//! method does not apply (section 2.2 of the paper).
//!
//! Two differences to the paper's tool. A variable of type `pid in S` can only address members of `S`; and
//! sends from members of a set to members of the same set count.

use ser_base::Span;
use ser_syntax::icet::ast::{
    Expr, ExprKind, MessageId, ProcessId, Protocol, SetId, Source, Stmt, StmtId, StmtKind, Type,
};
use std::collections::BTreeMap;

/// Whom a receive reads from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Whoever the statement names.
    Named,
    /// One single process.
    Process(ProcessId),
    /// Any member of a set, which sends with this statement.
    Set(SetId, StmtId),
    /// Nobody ever sends such a message.
    Nobody,
}

/// A send that a receive may get its message from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The statement.
    pub send: StmtId,
    /// Where it stands.
    pub span: Span,
    /// The process that it belongs to.
    pub owner: ProcessId,
}

/// A receive that can get messages from senders that are not alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Race {
    /// The receive.
    pub receive: StmtId,
    /// Where it stands.
    pub span: Span,
    /// The process that it belongs to.
    pub receiver: ProcessId,
    /// What it wants.
    pub message: MessageId,
    /// All sends that it may get its message from, in the order of the file.
    pub candidates: Vec<Candidate>,
    /// Two of them that are not alike: places in `candidates`.
    pub conflict: (usize, usize),
}

/// What is known about the receives of a protocol.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sources {
    origins: BTreeMap<StmtId, Origin>,
}

impl Sources {
    /// Whom this receive reads from.
    pub fn origin(&self, receive: StmtId) -> Origin {
        self.origins.get(&receive).copied().unwrap_or(Origin::Nobody)
    }
}

/// To whom a send may be addressed.
enum Addressee {
    Process(ProcessId),
    Set(SetId),
    Anybody,
}

struct Tag {
    candidate: Candidate,
    message: MessageId,
    to: Addressee,
}

/// Finds out whom each receive reads from, or all asymmetric races.
pub fn sources(protocol: &Protocol) -> Result<Sources, Vec<Race>> {
    let tags = tags(protocol);
    let mut found = Sources::default();
    let mut races = Vec::new();
    for (id, process) in protocol.each_process() {
        for statement in &process.body {
            statement.walk(&mut |stmt| match origin(protocol, &tags, id, stmt) {
                Some(Ok(origin)) => drop(found.origins.insert(stmt.id, origin)),
                Some(Err(race)) => races.push(race),
                None => {}
            });
        }
    }
    if races.is_empty() { Ok(found) } else { Err(races) }
}

fn tags(protocol: &Protocol) -> Vec<Tag> {
    let mut tags = Vec::new();
    for (owner, process) in protocol.each_process() {
        for statement in &process.body {
            statement.walk(&mut |stmt| {
                if let StmtKind::Send { message, to, .. } = &stmt.kind {
                    let candidate = Candidate { send: stmt.id, span: stmt.span, owner };
                    let to = addressee(protocol, owner, to);
                    tags.push(Tag { candidate, message: *message, to });
                }
            });
        }
    }
    tags
}

fn addressee(protocol: &Protocol, owner: ProcessId, to: &Expr) -> Addressee {
    let process = protocol.process(owner);
    match &to.kind {
        ExprKind::Process(id) => Addressee::Process(*id),
        ExprKind::Me => process.set.map_or(Addressee::Process(owner), Addressee::Set),
        ExprKind::Variable(variable) => {
            match process.variables.get(variable.0 as usize).map(|variable| variable.ty) {
                Some(Type::Member(set)) => Addressee::Set(set),
                _ => Addressee::Anybody,
            }
        }
        _ => Addressee::Anybody,
    }
}

/// Whom `stmt` of `receiver` reads from, if it is a receive.
fn origin(
    protocol: &Protocol,
    tags: &[Tag],
    receiver: ProcessId,
    stmt: &Stmt,
) -> Option<Result<Origin, Race>> {
    let StmtKind::Receive { message, from, .. } = &stmt.kind else { return None };
    if let Source::Pid(_) = from {
        return Some(Ok(Origin::Named));
    }
    let reaches = |tag: &&Tag| {
        let receives = match tag.to {
            Addressee::Process(id) => id == receiver,
            Addressee::Set(set) => protocol.process(receiver).set == Some(set),
            Addressee::Anybody => true,
        };
        let fits = match from {
            Source::Set(set) => protocol.process(tag.candidate.owner).set == Some(*set),
            _ => true,
        };
        receives && fits && tag.message == *message
    };
    let candidates: Vec<Candidate> = tags.iter().filter(reaches).map(|tag| tag.candidate).collect();
    let Some(first) = candidates.first() else { return Some(Ok(Origin::Nobody)) };
    let clash = candidates.iter().position(|it| it.owner != first.owner);
    match (protocol.process(first.owner).set, clash, candidates.len()) {
        (None, None, _) => Some(Ok(Origin::Process(first.owner))),
        (Some(set), None, 1) => Some(Ok(Origin::Set(set, first.send))),
        (_, clash, _) => Some(Err(Race {
            receive: stmt.id,
            span: stmt.span,
            receiver,
            message: *message,
            conflict: (0, clash.unwrap_or(1)),
            candidates,
        })),
    }
}
