//! What is known about a protocol, in sentences.

use ser_sequentialization_checker::run::Shows;
use ser_sequentialization_checker::{Claim, Left, Prefix, Slot, Step};
use ser_sequentialization_search::actor_name;
use ser_session::sequence::{Checked, Instance, SequenceReport};
use ser_session::words::count;
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{ProcessId, SetKind, Stmt, StmtId};

/// `Q`, `Q (at least 1) and K`.
fn sets(protocol: &Protocol) -> String {
    let name = |set: &ser_syntax::icet::ast::SetDecl| match set.at_least {
        0 => format!("`{}`", set.name.text),
        least => format!("`{}` (at least {least})", set.name.text),
    };
    list(&protocol.sets.iter().map(name).collect::<Vec<_>>())
}

/// `a, b and c`.
fn list(names: &[String]) -> String {
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// What a sequential program means.
pub fn verified(checked: &Checked) -> String {
    let protocol = &checked.protocol;
    let assertions = match checked.assertions.proved.len() {
        0 => String::new(),
        1 => ", and the assertion holds".to_owned(),
        n => format!(", and all {n} assertions hold"),
    };
    // What servers send without being asked may be left over.
    let active = checked.answer.outcome.as_ref().is_some_and(|it| !it.active.is_empty());
    let received = match (active, assertions.is_empty()) {
        (true, _) => "",
        (false, true) => " and every message is received",
        (false, false) => ", every message is received",
    };
    let server =
        if protocol.processes.iter().any(|it| it.server) { " that is no server" } else { "" };
    match protocol.sets.is_empty() {
        true => format!("No process{server} ever waits for ever{received}{assertions}."),
        false => format!(
            "For any number of members of {}: no process{server} ever waits for ever{received}{assertions}.",
            sets(protocol)
        ),
    }
}

/// What is said about a sequential program with assertions that are not proved.
pub fn only_deadlock_free(checked: &Checked) -> &'static str {
    match checked.answer.run {
        Some(_) => {
            "The protocol can be sequentialized, so nobody waits for ever before something fails; but something fails."
        }
        None => {
            "The protocol can be sequentialized, so nobody waits for ever unless an assertion fails; but not all assertions are proved."
        }
    }
}

/// The line above the sequential program.
pub fn program_title(checked: &Checked) -> &'static str {
    match checked.protocol.processes.iter().any(|it| it.server) {
        true => "What its processes do together with the servers, as one sequential program:",
        false => "It ends like this sequential program, without sends, receives and interleaving:",
    }
}

/// What the run shows.
pub fn goes_wrong(checked: &Checked) -> String {
    let protocol = &checked.protocol;
    let Some(run) = &checked.answer.run else { return "A run goes wrong.".to_owned() };
    let with = match ser_sequentialization_search::sizes_text(protocol, &run.sizes) {
        sizes if sizes.is_empty() => String::new(),
        sizes => format!(" with {sizes}"),
    };
    format!("There is a run{with} in which {}.", shown(protocol, &run.shows))
}

/// What a run shows at its end.
pub fn shown(protocol: &Protocol, shows: &Shows) -> String {
    match shows {
        Shows::Deadlock(actor) => format!("`{}` waits for ever", actor_name(protocol, *actor)),
        Shows::Failure(actor) => format!("`{}` fails", actor_name(protocol, *actor)),
        Shows::Orphan { from, to, message } => {
            let message = protocol.messages.get(*message as usize);
            let message = message.map_or("message", |it| it.name.text.as_str());
            let message = ser_sequentialization_search::with_article(message);
            format!(
                "{message} from `{}` to `{}` is never received",
                actor_name(protocol, *from),
                actor_name(protocol, *to)
            )
        }
    }
}

/// What was found among the runs of an instance.
pub fn findings(instance: &Instance) -> String {
    let findings = &instance.findings;
    let mut parts = Vec::new();
    if findings.failure.is_some() {
        parts.push("one fails".to_owned());
    }
    if findings.deadlock.is_some() {
        parts.push("one ends with somebody who waits for ever".to_owned());
    }
    if findings.orphan.is_some() {
        parts.push("one ends with a message that was never received".to_owned());
    }
    if let (Some(actor), true) = (findings.blocked, parts.is_empty()) {
        let actor = actor_name(&instance.protocol, actor);
        parts.push(format!("one has `{actor}` wait for ever while others go on"));
    }
    list(&parts)
}

/// What is not said about servers.
pub fn server_notes(checked: &Checked) -> Vec<String> {
    let Some(outcome) = &checked.answer.outcome else { return Vec::new() };
    let name = |it: &ProcessId| format!("`{}`", checked.protocol.process(*it).name.text);
    let names = |list_of: &[ProcessId]| list(&list_of.iter().map(name).collect::<Vec<_>>());
    let mut notes = Vec::new();
    if !outcome.active.is_empty() {
        notes.push(format!(
            "{} may go on without being asked when everybody else has ended; nothing is said about what happens then, \
             and messages that are sent then may never be received",
            names(&outcome.active)
        ));
    }
    if !outcome.unvisited.is_empty() {
        notes.push(format!(
            "nobody ever talks to {}; nothing was checked about what happens there",
            names(&outcome.unvisited)
        ));
    }
    notes
}

/// What the kernel has looked at.
pub fn accepted(checked: &Checked) -> Option<String> {
    match &checked.answer.certificate.as_ref()?.claim {
        Claim::Sequentialized { derivation, .. } => {
            Some(format!("a derivation of {}", count(steps(derivation), "step")))
        }
        Claim::Refuted(run) => Some(format!("a run of {}", count(run.steps.len(), "step"))),
    }
}

/// How many steps a derivation has, with those inside others.
pub fn steps(derivation: &[Step]) -> usize {
    derivation
        .iter()
        .map(|step| match step {
            Step::Fork { arms, .. } => 1 + arms.iter().map(|arm| steps(arm)).sum::<usize>(),
            Step::Loop(it) => 1 + steps(&it.steps),
            Step::Each { steps: inner, .. } => 1 + steps(inner),
            _ => 1,
        })
        .sum()
}

/// A process that has not come to its end.
pub struct Remaining {
    /// Who.
    pub who: String,
    /// The line of its next statement.
    pub line: usize,
    /// That statement.
    pub text: String,
    /// How many statements come after it.
    pub more: usize,
}

/// What is left of each process.
pub fn left(report: &SequenceReport, protocol: &Protocol, prefix: &Prefix) -> Vec<Remaining> {
    let mut found = Vec::new();
    let mut note = |who: String, left: &[Left]| {
        let Some(Left::Statement(id) | Left::Postponed(id)) = left.first() else { return };
        let Some((line, text)) = place(report, protocol, *id) else { return };
        found.push(Remaining { who, line, text, more: left.len() - 1 });
    };
    for (slot, left) in &prefix.slots {
        let who = match slot {
            Slot::Process(process) => protocol.process(ProcessId(*process)).name.text.clone(),
            Slot::Member(_) => "a member".to_owned(),
        };
        note(who, left);
    }
    for (set, left) in &prefix.sets {
        let members = protocol.members_of(*set).map(|it| protocol.process(it));
        let who = members.map_or("members", |it| it.name.text.as_str());
        note(format!("every {who}"), left);
    }
    found
}

/// Messages that are under way.
pub fn under_way(report: &SequenceReport, protocol: &Protocol, prefix: &Prefix) -> Vec<String> {
    let mut found = Vec::new();
    for it in &prefix.in_flight {
        let message = &protocol.message(it.message).name.text;
        let from = &protocol.process(it.from).name.text;
        let to = match it.to {
            Slot::Process(process) => protocol.process(ProcessId(process)).name.text.clone(),
            Slot::Member(_) => "a member".to_owned(),
        };
        let line = place(report, protocol, it.tag).map_or(0, |(line, _)| line);
        let many = match it.count.map(|it| protocol.set(it)) {
            None => String::new(),
            Some(set) if set.kind == SetKind::Indices => {
                format!(", one for each index of {}", set.name.text)
            }
            Some(set) => format!(", one for each member of {}", set.name.text),
        };
        found.push(format!("{message} from {from} to {to} (sent at line {line}){many}"));
    }
    found
}

/// A statement by its number.
pub fn statement(protocol: &Protocol, id: StmtId) -> Option<&Stmt> {
    let mut found = None;
    for statement in protocol.processes.iter().flat_map(|it| &it.body) {
        statement.walk(&mut |it| {
            if it.id == id {
                found = Some(it);
            }
        });
    }
    found
}

/// The line of a statement, and its text without blocks.
pub fn place(report: &SequenceReport, protocol: &Protocol, id: StmtId) -> Option<(usize, String)> {
    let (source, stmt) = (report.source.as_ref()?, statement(protocol, id)?);
    let text = source.text.get(stmt.span.range()).unwrap_or("");
    let text = match stmt.blocks().is_empty() {
        true => text,
        false => text.split('{').next().unwrap_or(text),
    };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some((source.lines.line(stmt.span.start) as usize, text))
}
