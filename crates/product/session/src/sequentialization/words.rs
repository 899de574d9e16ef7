//! What is known about a protocol, in sentences.

use super::{Checked, Instance};
use ser_report::Source;
use ser_report::text::{and, count, grouped};
use ser_sequentialization_checker::run::Shows;
use ser_sequentialization_checker::{Claim, Left, Prefix, Slot, Step};
use ser_sequentialization_search::explore::value::is_narrowed;
use ser_sequentialization_search::{actor_name, sizes_text, with_article};
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{ProcessId, SetDecl, SetKind, Stmt, StmtId};
use ser_syntax::{Line, Span};

/// The processes that must not wait forever.
pub fn who_has_to_end(protocol: &Protocol) -> &'static str {
    match protocol.processes.iter().any(|it| it.server) {
        true => "no process other than a server",
        false => "no process",
    }
}

/// What a sequential program means.
pub fn verified(checked: &Checked) -> String {
    let protocol = &checked.protocol;
    let mut parts = vec![format!("{} waits forever", who_has_to_end(protocol))];
    // What servers send without being asked may be left over.
    if checked.answer.outcome.as_ref().is_none_or(|it| it.active.is_empty()) {
        parts.push("every message is received".to_owned());
    }
    match checked.assertions.proved.len() {
        0 => {}
        1 => parts.push("the assertion holds".to_owned()),
        n => parts.push(format!("all {n} assertions hold")),
    }
    let all = and(&parts);
    match protocol.sets.is_empty() {
        true => ser_report::text::capitalised(&format!("{all}.")),
        false => {
            let set = |set: &SetDecl| match set.at_least {
                0 => format!("`{}`", set.name.text),
                least => format!("`{}` (at least {least})", set.name.text),
            };
            let sets: Vec<String> = protocol.sets.iter().map(set).collect();
            format!("For any number of members of {}: {all}.", and(&sets))
        }
    }
}

/// Why there is no more to say about a protocol, or what goes wrong although there is a sequential
/// program.
pub fn only_deadlock_free(checked: &Checked) -> &'static str {
    match checked.answer.run {
        Some(_) => {
            "the protocol can be sequentialized, so no process waits forever before something \
             fails; but something fails"
        }
        None => {
            "the protocol can be sequentialized, so no process waits forever unless an assertion \
             fails; but not all assertions are proved"
        }
    }
}

/// How the sequential program is related to the protocol.
pub fn about_program(protocol: &Protocol) -> &'static str {
    match protocol.processes.iter().any(|it| it.server) {
        true => "This is what its processes do together with the servers.",
        false => {
            "It can end in every state in which the protocol can, without sends, receives and interleaving."
        }
    }
}

/// ` with Q = 1`, or nothing.
pub fn with_sizes(protocol: &Protocol, sizes: &[u32]) -> String {
    match sizes_text(protocol, sizes) {
        sizes if sizes.is_empty() => String::new(),
        sizes => format!(" with {sizes}"),
    }
}

/// What the run shows.
pub fn goes_wrong(protocol: &Protocol, run: &ser_sequentialization_checker::run::Run) -> String {
    let with = with_sizes(protocol, &run.sizes);
    format!("There is a run{with} in which {}.", shown(protocol, &run.shows))
}

/// What a run shows at its end.
pub fn shown(protocol: &Protocol, shows: &Shows) -> String {
    match shows {
        Shows::Deadlock(actor) => format!("`{}` waits forever", actor_name(protocol, *actor)),
        Shows::Failure(actor) => format!("`{}` fails", actor_name(protocol, *actor)),
        Shows::Orphan { from, to, message } => {
            let message = protocol.messages.get(*message as usize);
            let message = message.map_or("message", |it| it.name.text.as_str());
            format!(
                "{} from `{}` to `{}` is never received",
                with_article(message),
                actor_name(protocol, *from),
                actor_name(protocol, *to)
            )
        }
    }
}

/// What the runs of an instance have in common.
pub fn instance(instance: &Instance) -> String {
    let with = with_sizes(&instance.protocol, &instance.sizes);
    let states = grouped(instance.states);
    if !instance.findings.none() {
        return format!("Of the runs{with}, {}.", findings(instance));
    }
    let who = who_has_to_end(&instance.protocol);
    let but = match instance.protocol.processes.iter().any(|it| it.server) {
        true => ", except perhaps those that servers send unasked",
        false => "",
    };
    let numbers = match is_narrowed(&instance.protocol) {
        true => " in which `choose(int)` is one of the few numbers that were tried",
        false => "",
    };
    format!(
        "All runs{with}{numbers} end well: {who} waits forever, none fails, and every message is \
         received{but} ({states} states)."
    )
}

fn findings(instance: &Instance) -> String {
    let findings = &instance.findings;
    let mut parts = Vec::new();
    if findings.failure.is_some() {
        parts.push("at least one fails".to_owned());
    }
    if findings.deadlock.is_some() {
        parts.push("at least one ends with a process that waits forever".to_owned());
    }
    if findings.orphan.is_some() {
        parts.push("at least one ends with a message that was never received".to_owned());
    }
    if let (Some(actor), true) = (findings.blocked, parts.is_empty()) {
        let actor = actor_name(&instance.protocol, actor);
        parts.push(format!("in at least one `{actor}` waits forever while others go on"));
    }
    and(&parts)
}

/// What is not said about servers.
pub fn server_notes(checked: &Checked) -> Vec<String> {
    let Some(outcome) = &checked.answer.outcome else { return Vec::new() };
    let name = |it: &ProcessId| format!("`{}`", checked.protocol.process(*it).name.text);
    let names = |list: &[ProcessId]| and(&list.iter().map(name).collect::<Vec<_>>());
    let mut notes = Vec::new();
    if !outcome.active.is_empty() {
        notes.push(format!(
            "{} may go on without being asked when all other processes have ended. Nothing is said \
             about what happens then, and messages that are sent then may never be received.",
            names(&outcome.active)
        ));
    }
    if !outcome.unvisited.is_empty() {
        notes.push(format!(
            "No process ever talks to {}, so nothing was checked about what happens there.",
            names(&outcome.unvisited)
        ));
    }
    notes
}

/// What the kernel has gone through.
pub fn accepted(claim: &Claim) -> String {
    match claim {
        Claim::Sequentialized { derivation, .. } => {
            format!("a derivation of {}", count(steps(derivation), "step"))
        }
        Claim::Refuted(run) => format!("a run of {}", count(run.steps.len(), "step")),
    }
}

/// How many steps a derivation has, with those inside others.
fn steps(derivation: &[Step]) -> usize {
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

/// A process that has not ended.
pub struct Remaining {
    pub who: String,
    /// The line of its next statement.
    pub line: Line,
    /// That statement.
    pub text: String,
    /// How many statements come after it.
    pub more: usize,
}

/// What is left of each process.
pub fn left(source: &Source, protocol: &Protocol, prefix: &Prefix) -> Vec<Remaining> {
    let mut found = Vec::new();
    let mut note = |who: String, left: &[Left]| {
        let Some(Left::Statement(id) | Left::Postponed(id)) = left.first() else { return };
        let Some(place) = Place::of(source, protocol, *id) else { return };
        found.push(Remaining { who, line: place.line, text: place.text, more: left.len() - 1 });
    };
    for (slot, left) in &prefix.slots {
        note(slot_name(protocol, slot), left);
    }
    for (set, left) in &prefix.sets {
        let members = protocol.members_of(*set).map(|it| protocol.process(it));
        let who = members.map_or("members", |it| it.name.text.as_str());
        note(format!("every {who}"), left);
    }
    found
}

fn slot_name(protocol: &Protocol, slot: &Slot) -> String {
    match slot {
        Slot::Process(process) => protocol.process(ProcessId(*process)).name.text.clone(),
        Slot::Member(_) => "a member".to_owned(),
    }
}

/// Messages that are in flight.
pub fn in_flight(source: &Source, protocol: &Protocol, prefix: &Prefix) -> Vec<String> {
    let messages = prefix.in_flight.iter().map(|it| {
        let message = &protocol.message(it.message).name.text;
        let from = &protocol.process(it.from).name.text;
        let to = slot_name(protocol, &it.to);
        let line = Place::of(source, protocol, it.tag).map(|it| it.line).unwrap_or_default();
        let many = match it.count.map(|it| protocol.set(it)) {
            None => String::new(),
            Some(set) if set.kind == SetKind::Indices => {
                format!(", one for each index of {}", set.name.text)
            }
            Some(set) => format!(", one for each member of {}", set.name.text),
        };
        format!("{message} from {from} to {to} (sent at line {line}){many}")
    });
    messages.collect()
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

/// A statement in the source.
pub struct Place {
    pub line: Line,
    pub span: Span,
    /// On one line, and without blocks.
    pub text: String,
}

impl Place {
    pub fn of(source: &Source, protocol: &Protocol, id: StmtId) -> Option<Place> {
        let stmt = statement(protocol, id)?;
        let whole = source.text.get(stmt.span.range()).unwrap_or("");
        let head = match stmt.blocks().is_empty() {
            true => whole,
            false => whole.split('{').next().unwrap_or(whole),
        };
        // Only the head: marking a loop does not mean all of its body.
        let end = stmt.span.start + head.trim_end().len() as u32;
        Some(Place {
            line: source.lines.line(stmt.span.start),
            span: Span { start: stmt.span.start, end },
            text: head.split_whitespace().collect::<Vec<_>>().join(" "),
        })
    }
}
