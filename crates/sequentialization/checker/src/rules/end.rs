//! The end of a derivation: nothing is left, but servers that wait.

use crate::code::Item;
use crate::kernel::Kernel;
use crate::rejection::Reason;
use crate::replay::Outcome;
use crate::state::State;
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{Pattern, ProcessId, StmtId, StmtKind};
use std::collections::BTreeSet;

/// What was derived, if the derivation may end here.
pub fn end<'p>(kernel: &Kernel<'p>, state: State<'p>) -> Result<Outcome, Reason> {
    let protocol = kernel.protocol;
    if !state.queues.is_empty() || !state.bags.is_empty() {
        return Err(Reason::EndMessages);
    }
    if state.actors.values().any(|actor| actor.member.is_some()) {
        return Err(Reason::EndMember);
    }
    if protocol.processes.iter().all(|process| process.server) {
        return Err(Reason::OnlyServers);
    }
    let singles = state.actors.values().map(|actor| (actor.process, &actor.code));
    let sets = state.sets.values().map(|members| (members.process, &members.code));
    let mut active = BTreeSet::new();
    let mut left = BTreeSet::new();
    for (process, code) in singles.chain(sets) {
        let it = protocol.process(process);
        if !(code.is_empty() || it.server && code.rests()) {
            return Err(Reason::EndCode { who: it.name.text.clone() });
        }
        if code.is_active() {
            active.insert(process);
        }
        for item in code.items() {
            if let Item::Statement(statement) = item {
                statement.walk(&mut |inner| left.extend(may_fail(protocol, &inner.kind, inner.id)));
            }
        }
    }
    if let Some(tag) = state.history.told_and_reply() {
        return Err(Reason::ToldAndReply { tag: tag.0 });
    }
    if let (Some(process), false) = (active.first(), state.history.replies.is_empty()) {
        let who = protocol.process(*process).name.text.clone();
        return Err(Reason::ActiveServer { who });
    }
    // An active server goes on, with values that nobody has looked at, and may wake others up.
    let mut open = state.history.open;
    if active.is_empty() {
        left.clear();
    }
    open.extend(&left);
    let is_unvisited =
        |it: &ProcessId| protocol.process(*it).server && !state.history.visited.contains(it);
    let unvisited = protocol.each_process().map(|(it, _)| it).filter(is_unvisited).collect();
    Ok(Outcome {
        sequential: state.program,
        open: open.into_iter().collect(),
        beyond: left.into_iter().collect(),
        active: active.into_iter().collect(),
        unvisited,
    })
}

fn may_fail(protocol: &Protocol, kind: &StmtKind, id: StmtId) -> Option<StmtId> {
    match kind {
        StmtKind::Assert { .. } | StmtKind::Fail => Some(id),
        StmtKind::Receive { pattern: Pattern::Constructor { .. }, message, .. } => {
            (protocol.message(*message).constructors.len() > 1).then_some(id)
        }
        _ => None,
    }
}
