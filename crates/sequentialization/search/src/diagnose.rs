//! What is in the way of a sequential program, in the words of whoever wrote the protocol.
//!
//! Every kind of failure has its function. It points at the statement to look at first and at those
//! that explain it, and ends with a way out and with what small instances say: whether the protocol
//! is wrong, or only beyond the method.

mod words;

use crate::answer::{Answer, Failure, Kind, Verdict};
use crate::failure::Why;
use ser_base::{Diagnostic, Severity, Span};
use ser_sequentialization_checker::run::Shows;
use ser_sequentialization_checker::sequential::variables;
use ser_sequentialization_checker::sources::Race;
use ser_sequentialization_checker::witness::{Standing, What};
use ser_sequentialization_checker::{Left, Prefix, Slot};
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{MessageId, ProcessId, SetId, Stmt, StmtId, StmtKind};
use words::Words;
pub use words::{sizes as sizes_text, small_instances};

/// How many other places a message points at.
const PLACES: usize = 6;

/// What is in the way, most important first; nothing if everything was proved.
///
/// ```
/// use ser_sequentialization_search::{Options, diagnose, sequentialize};
/// let text = "msg A = A;\nprocess p { skip; }\nprocess q { recv A from p; }";
/// let protocol = ser_syntax::icet::parse(text).protocol;
/// let limits = ser_base::Limits::default();
/// let answer = sequentialize(text, &protocol, &Options::default(), &limits);
/// let found = diagnose(&protocol, text, &answer);
/// assert_eq!(found[0].message, "`q` waits here for an `A` that never comes");
/// ```
pub fn diagnose(protocol: &Protocol, text: &str, answer: &Answer) -> Vec<Diagnostic> {
    let diagnosis = Diagnosis { words: Words::new(protocol, text), answer };
    let mut found = match &answer.failure {
        Some(failure) => diagnosis.failure(failure),
        None => diagnosis.assertions(),
    };
    let small = small_instances(protocol, answer);
    for diagnostic in &mut found {
        if answer.verdict != Verdict::Refuted {
            diagnostic.severity = Severity::Warning;
        }
        if let Some(small) = &small {
            *diagnostic = diagnostic.clone().with_help(small.clone());
        }
    }
    found
}

struct Diagnosis<'a> {
    words: Words<'a>,
    answer: &'a Answer,
}

impl<'a> Diagnosis<'a> {
    fn failure(&self, failure: &Failure) -> Vec<Diagnostic> {
        if failure.races.is_empty() {
            return vec![self.one(failure)];
        }
        let mut found: Vec<(&Race, Diagnostic)> = Vec::new();
        for race in &failure.races {
            let alike = |other: &Race| {
                (other.owner, other.message) == (race.owner, race.message)
                    && other.sends == race.sends
            };
            match found.iter_mut().find(|(other, _)| alike(other)) {
                Some((_, told)) if told.secondary.len() < PLACES => {
                    let (span, message) = (self.span(race.receive), "so does this".to_owned());
                    told.secondary.push(ser_base::Label { span, message });
                }
                Some(_) => {}
                None => found.push((race, self.race(race))),
            }
        }
        found.into_iter().map(|(_, told)| told).collect()
    }

    fn one(&self, failure: &Failure) -> Diagnostic {
        let stuck = &failure.stuck;
        let place = stuck.owner.zip(stuck.statement.and_then(|it| self.words.statement(it)));
        match (&stuck.why, place) {
            _ if failure.kind == Kind::NothingToCheck => self.nothing_to_check(),
            (Why::Budget, _) => self.limit(),
            (Why::Orphan { send, message, from, to }, _) => {
                self.superfluous(*send, *message, *from, *to)
            }
            (Why::Cycle(cycle), _) => self.cycle(cycle, failure.prefix.as_ref()),
            (Why::Blocked { message }, Some((owner, stmt))) => {
                self.blocked(owner, stmt, *message, failure.prefix.as_ref())
            }
            (Why::SecondMember { set }, Some((owner, stmt))) => {
                self.second(owner, stmt, *set, true)
            }
            (Why::OutOfTurn { set }, Some((owner, stmt))) => self.second(owner, stmt, *set, false),
            (Why::Stateful, Some((owner, stmt))) => self.stateful(owner, stmt),
            (Why::Endless, Some((owner, stmt))) => self.endless(owner, stmt),
            (Why::MayBeEmpty { set }, Some((owner, stmt))) => self.empty(owner, stmt, *set),
            (Why::Mismatch, Some((owner, stmt))) => self.mismatch(owner, stmt),
            (Why::Address, Some((owner, stmt))) => self.address(owner, stmt),
            (Why::Apart, Some((owner, stmt))) => self.apart(owner, stmt),
            (Why::NotBack { process }, place) => {
                self.not_back(*process, place.map(|(_, stmt)| stmt))
            }
            (_, place) => self.other(place),
        }
    }

    fn span(&self, statement: StmtId) -> Span {
        self.words.statement(statement).map_or(self.words.start(), |it| it.span)
    }

    fn race(&self, race: &Race) -> Diagnostic {
        let words = &self.words;
        let message = words.message(race.message);
        let receiver = words.process(race.owner);
        let (first, second) = race.conflict;
        let owner_of = |tag| race.sends.iter().find(|it| it.statement == tag).map(|it| it.owner);
        let owners = [owner_of(first), owner_of(second)];
        let title = format!("{receiver} may get {} from senders that are not alike", a(&message));
        let mut found = Diagnostic::error("asymmetric-race", title, self.span(race.receive))
            .with_label(format!("takes whichever `{message}` comes first"));
        for send in &race.sends {
            let (owner, place) = (words.process(send.owner), send.statement);
            let label = match place {
                it if it == first => format!("the one that {owner} sends here may be first ..."),
                it if it == second => format!("... and so may the one that {owner} sends here"),
                _ => format!("{owner} sends a `{message}` here, too"),
            };
            if place == first || place == second || found.secondary.len() < PLACES {
                found = found.with_secondary(self.span(place), label);
            }
        }
        found = found.with_help("give the two messages types of their own");
        match owners {
            [Some(first), Some(second)] if first == second => found.with_help(
                "keep what is to be sent in a variable, and send it with one single statement",
            ),
            [Some(first), _] => {
                let process = words.protocol.process(first);
                let sender = match process.set {
                    Some(set) => &words.protocol.set(set).name.text,
                    None => &process.name.text,
                };
                found.with_help(format!(
                    "say whose message is wanted: `recv {message} from {sender}`"
                ))
            }
            _ => found,
        }
    }

    fn superfluous(
        &self,
        send: StmtId,
        message: MessageId,
        from: ProcessId,
        to: ProcessId,
    ) -> Diagnostic {
        let words = &self.words;
        let (name, receiver) = (words.message(message), words.process(to));
        let span = words.statement(send).map_or(words.start(), |stmt| words.head(stmt));
        let title = format!("{} that is sent here may never be received", a(&name));
        let mut found = Diagnostic::error("superfluous-send", title, span)
            .with_label(format!("{} sends it to {receiver}", words.process(from)));
        let mut same_type = false;
        let mut alike = None;
        for (owner, stmt) in words.receives() {
            let StmtKind::Receive { message: wanted, .. } = &stmt.kind else { continue };
            let span = words.head(stmt);
            if *wanted == message && found.secondary.len() < PLACES {
                same_type = true;
                let label = format!("{} receives a `{name}` here", words.process(owner));
                found = found.with_secondary(span, label);
            } else if owner == to && alike.is_none() && words.same_shape(*wanted, message) {
                alike = Some((span, words.message(*wanted)));
            }
        }
        if let (false, Some((span, other))) = (same_type, alike) {
            let label = format!("{receiver} waits for {} here, which looks the same", a(&other));
            found = found
                .with_secondary(span, label)
                .with_help(format!("did you mean to send {}?", a(&other)));
        }
        let name = &name;
        found.with_help(match same_type {
            true => format!("make sure that there is one `recv {name}` for each of them"),
            false => format!("receive it (`recv {name};`), or do not send it"),
        })
    }

    fn second(&self, owner: ProcessId, stmt: &Stmt, set: SetId, needs: bool) -> Diagnostic {
        let words = &self.words;
        let set_name = &words.protocol.set(set).name.text;
        let title = format!("one iteration talks to more than one member of `{set_name}`");
        let label = match (needs, &stmt.kind) {
            (_, StmtKind::Receive { message, .. }) => format!(
                "the `{}` may come from any member, not only from the one that this iteration is about",
                words.message(*message)
            ),
            (true, _) => {
                "this needs a member other than the one that the iteration is about".to_owned()
            }
            (false, _) => {
                "this message may be received in an iteration that is about another member"
                    .to_owned()
            }
        };
        let mut found = Diagnostic::error("indiscriminate-communication", title, words.head(stmt))
            .with_label(label);
        if let Some(around) = words.loop_around(owner, stmt.id) {
            let label = format!("each iteration is about one member of `{set_name}`");
            found = found.with_secondary(words.head(around), label);
            if let (StmtKind::For { variable, .. }, StmtKind::Receive { message, .. }) =
                (&around.kind, &stmt.kind)
            {
                let variable = words.variable(owner, *variable);
                let message = words.message(*message);
                found = found.with_help(format!(
                    "`recv {message} from {variable}` waits for the member that the iteration is about"
                ));
            }
        }
        found.with_help(
            "use two loops: one that sends to everybody, then one that receives from everybody",
        )
    }

    fn stateful(&self, owner: ProcessId, stmt: &Stmt) -> Diagnostic {
        let words = &self.words;
        let condition = match &stmt.kind {
            StmtKind::While { condition, .. } | StmtKind::If { condition: Some(condition), .. } => {
                Some(condition)
            }
            _ => None,
        };
        let span = condition.map_or_else(|| words.head(stmt), |it| it.span);
        let title = "how often this loop repeats depends on earlier iterations";
        let mut found = Diagnostic::error("stateful-loop", title, span)
            .with_label("whether this holds is not known");
        let mentioned = condition.map(variables).unwrap_or_default();
        for (variable, assigned) in words.assignments(owner, &mentioned) {
            let label = format!("`{}` is set here", words.variable(owner, variable));
            found = also(found, words.head(assigned), label);
        }
        found.with_help(
            "`for x in SET { ... }` runs once for each member, and every process knows that",
        )
    }

    fn endless(&self, owner: ProcessId, stmt: &Stmt) -> Diagnostic {
        let words = &self.words;
        let label = format!("{} comes back here with the same values", words.process(owner));
        Diagnostic::error("endless-loop", "this loop never ends", words.head(stmt))
            .with_label(label)
            .with_help("leave it with `break`, or make the process a `server`, which need not end")
    }

    fn empty(&self, owner: ProcessId, stmt: &Stmt, set: SetId) -> Diagnostic {
        let words = &self.words;
        let declared = &words.protocol.set(set).name;
        let name = &declared.text;
        let title = format!("`{name}` may have no members, and one is needed");
        let found = Diagnostic::error("maybe-empty", title, words.head(stmt))
            .with_label(format!("{} waits forever if `{name}` is empty", words.process(owner)))
            .with_secondary(declared.span, "nothing says that it has members");
        let end = Span::empty(declared.span.end);
        found.with_fix("say that there is at least one", end, " >= 1")
    }

    fn mismatch(&self, owner: ProcessId, stmt: &Stmt) -> Diagnostic {
        let words = &self.words;
        let title = format!(
            "{} may receive a message other than the one it expects here",
            words.process(owner)
        );
        Diagnostic::error("unexpected-constructor", title, words.head(stmt))
            .with_label("what arrives may have another constructor")
            .with_help("keep the message in a variable, and `match` it")
    }

    fn address(&self, owner: ProcessId, stmt: &Stmt) -> Diagnostic {
        let words = &self.words;
        let what = match stmt.kind {
            StmtKind::Send { .. } => "sends to",
            _ => "waits for",
        };
        let title = format!("it is not known whom {} {what} here", words.process(owner));
        Diagnostic::error("unknown-address", title, words.head(stmt))
            .with_label("it depends on what happened before")
            .with_help("use the address in the iteration in which it is received")
    }

    fn apart(&self, owner: ProcessId, stmt: &Stmt) -> Diagnostic {
        let words = &self.words;
        let title = "the branches of this statement do not meet again".to_owned();
        Diagnostic::error("diverging-branches", title, words.head(stmt))
            .with_label(format!(
                "what {} decides here changes who waits for whom",
                words.process(owner)
            ))
            .with_help(
                "let every branch send and receive the same types of messages, with the same \
                 processes",
            )
    }

    fn not_back(&self, process: ProcessId, stmt: Option<&Stmt>) -> Diagnostic {
        let words = &self.words;
        let name = words.process(process);
        let span = stmt.map_or_else(|| words.name_of(process), |stmt| words.head(stmt));
        let title = format!("{name} does not end an iteration where it began");
        Diagnostic::error("round-not-closed", title, span)
            .with_label("after one iteration, it is somewhere else in its code")
            .with_help("let each iteration of one process match one iteration of the other")
    }

    fn nothing_to_check(&self) -> Diagnostic {
        let words = &self.words;
        let title = "all processes are servers: nothing has to end, so there is nothing to check";
        Diagnostic::error("nothing-to-check", title, words.name_of(ProcessId(0)))
            .with_label("a server may wait forever")
            .with_help(
                "leave out `server` where a process has to come to its end, or add one that asks \
                 something",
            )
    }

    fn limit(&self) -> Diagnostic {
        let words = &self.words;
        let title =
            "the search for a sequential program was given up: there are too many ways to try";
        Diagnostic::error("search-limit", title, words.name_of(ProcessId(0)))
            .with_label("in this protocol")
            .with_help("look at fewer processes at a time")
    }

    fn other(&self, place: Option<(ProcessId, &Stmt)>) -> Diagnostic {
        let words = &self.words;
        if let Some(found) = self.by_run() {
            return found;
        }
        let span = place.map_or_else(|| words.name_of(ProcessId(0)), |(_, stmt)| words.head(stmt));
        let title = "no order was found in which the processes can be run one after the other";
        let found = Diagnostic::error("not-sequentializable", title, span);
        match place {
            Some((owner, _)) => {
                found.with_label(format!("{} does not get beyond this", words.process(owner)))
            }
            None => found.with_label("in this protocol"),
        }
    }

    /// What the run shows, if there is one.
    fn by_run(&self) -> Option<Diagnostic> {
        let words = &self.words;
        let (run, witness) = (self.answer.run.as_ref()?, self.answer.witness.as_ref()?);
        let place = words.statement(witness.place(&run.shows)?)?;
        Some(match &run.shows {
            Shows::Orphan { from, to, message } => {
                let (from, to) = (ProcessId(from.process), ProcessId(to.process));
                self.superfluous(place.id, MessageId(*message), from, to)
            }
            Shows::Deadlock(actor) => match &place.kind {
                StmtKind::Receive { message, .. } => {
                    self.blocked(ProcessId(actor.process), place, *message, None)
                }
                StmtKind::Pick { set, .. } => self.empty(ProcessId(actor.process), place, *set),
                _ => return None,
            },
            Shows::Failure(_) => self.fails(place),
        })
    }

    fn fails(&self, stmt: &Stmt) -> Diagnostic {
        let title = match stmt.kind {
            StmtKind::Assert { .. } => "this assertion can fail",
            StmtKind::Fail => "this can be reached",
            _ => "a message with another constructor can arrive here",
        };
        Diagnostic::error("failing-assertion", title, self.words.head(stmt))
            .with_label("a run fails here")
    }

    /// Of a protocol that has a sequential program: assertions that fail or could not be proved.
    fn assertions(&self) -> Vec<Diagnostic> {
        let words = &self.words;
        if let Some(found) = self.by_run() {
            return vec![found];
        }
        let unproved = self.answer.unproved.iter().filter_map(|it| words.statement(*it));
        let tell = |stmt: &Stmt| {
            let title = match stmt.kind {
                StmtKind::Assert { .. } => "this assertion could not be proved",
                StmtKind::Fail => "that this is never reached could not be proved",
                _ => "that the message that arrives here fits could not be proved",
            };
            Diagnostic::warning("unproved-assertion", title, words.head(stmt))
                .with_label("it may fail")
                .with_help("nobody waits forever, and the sequential program shows what leads here")
        };
        unproved.map(tell).collect()
    }
}

/// Processes that wait.
impl Diagnosis<'_> {
    fn blocked(
        &self,
        owner: ProcessId,
        stmt: &Stmt,
        message: MessageId,
        prefix: Option<&Prefix>,
    ) -> Diagnostic {
        let words = &self.words;
        let name = words.message(message);
        let process = words.process(owner);
        let title = format!("{process} waits here for {} that never comes", a(&name));
        let mut found = Diagnostic::error("blocked-receive", title, words.head(stmt));
        let sends = words.sends_to(owner, message);
        if sends.is_empty() {
            found = found.with_label(format!("nobody ever sends {} to {process}", a(&name)));
            for (sender, send, other) in words.sends_of_other_types(owner) {
                if words.is_unreceived(owner, other) {
                    let label = format!(
                        "{} sends {} to {process} here, which it never receives",
                        words.process(sender),
                        a(&words.message(other)),
                    );
                    found = also(found, words.head(send), label);
                }
            }
            for (sender, send) in words.sends_elsewhere(message) {
                let label = format!("{} sends one here, to somebody else", words.process(sender));
                found = also(found, words.head(send), label);
            }
            let help = format!("send {} to {process}, or do not wait for one", a(&name));
            return self.standing(found, owner, stmt, prefix).with_help(help);
        }
        found = found.with_label(format!("waits for {}", words.awaited(owner, stmt)));
        for (sender, send) in &sends {
            let label = format!("{} would send one here", words.process(*sender));
            found = also(found, words.head(send), label);
        }
        let help = "the send must come first, whatever happens, and as often as the receive";
        self.standing(found, owner, stmt, prefix).with_help(help)
    }

    fn cycle(&self, cycle: &[(ProcessId, StmtId)], prefix: Option<&Prefix>) -> Diagnostic {
        let words = &self.words;
        let places: Vec<(ProcessId, &Stmt)> = cycle
            .iter()
            .filter_map(|(owner, stmt)| Some((*owner, words.statement(*stmt)?)))
            .collect();
        let Some(((owner, stmt), others)) = places.split_first() else { return self.other(None) };
        if others.is_empty()
            && let StmtKind::Receive { message, .. } = stmt.kind
        {
            return self.blocked(*owner, stmt, message, prefix);
        }
        let names: Vec<String> = places.iter().map(|(it, _)| words.process(*it)).collect();
        let title = format!("{} wait for each other", words::list(&names));
        let mut found = Diagnostic::error("cyclic-wait", title, words.head(stmt)).with_label(
            format!("{} waits for {}", words.process(*owner), words.awaited(*owner, stmt)),
        );
        for (owner, stmt) in others.iter().take(PLACES) {
            let label =
                format!("{} waits for {}", words.process(*owner), words.awaited(*owner, stmt));
            found = found.with_secondary(words.head(stmt), label);
        }
        self.lost(found).with_help("one of them has to send before it waits")
    }

    /// Points at sends whose messages are never received in the run.
    fn lost(&self, mut found: Diagnostic) -> Diagnostic {
        let words = &self.words;
        let Some(witness) = self.answer.witness.as_ref().filter(|_| self.is_deadlock()) else {
            return found;
        };
        for message in &witness.in_flight {
            let sent = witness
                .events
                .iter()
                .rev()
                .find(|event| matches!(&event.what, What::Sends(it) if it == message));
            let Some(stmt) = sent.and_then(|event| words.statement(event.statement)) else {
                continue;
            };
            let label = format!(
                "{} sends {} to {} here, which is never received",
                words.process(ProcessId(message.from.process)),
                a(&words.message(message.message)),
                words.process(ProcessId(message.to.process)),
            );
            found = also(found, words.head(stmt), label);
        }
        found
    }

    /// Points at where others stand, unless something is said there already.
    fn standing(
        &self,
        mut found: Diagnostic,
        owner: ProcessId,
        blocked: &Stmt,
        prefix: Option<&Prefix>,
    ) -> Diagnostic {
        let words = &self.words;
        let mut stands: Vec<(ProcessId, StmtId)> = Vec::new();
        match (&self.answer.witness, prefix) {
            (Some(witness), _) if self.is_deadlock() => {
                let waiting = |it: &Standing| Some((ProcessId(it.who.process), it.statement?));
                stands.extend(witness.ends.iter().filter_map(waiting));
            }
            (_, Some(prefix)) => {
                for (slot, left) in &prefix.slots {
                    if let (Slot::Process(process), Some(Left::Statement(first))) =
                        (slot, left.first())
                    {
                        stands.push((ProcessId(*process), *first));
                    }
                }
                for (set, left) in &prefix.sets {
                    if let (Some(process), Some(Left::Statement(first))) =
                        (words.protocol.members_of(*set), left.first())
                    {
                        stands.push((process, *first));
                    }
                }
            }
            _ => {}
        }
        stands.sort_unstable();
        stands.dedup();
        for (process, statement) in stands {
            let Some(stmt) = words.statement(statement) else { continue };
            if statement == blocked.id && process == owner {
                continue;
            }
            let process = words.process(process);
            let label = match &stmt.kind {
                StmtKind::Receive { .. } => {
                    let owner = words.owner(statement).unwrap_or(owner);
                    format!("meanwhile {process} waits for {}", words.awaited(owner, stmt))
                }
                _ => format!("meanwhile {process} is here"),
            };
            found = also(found, words.head(stmt), label);
        }
        self.lost(found)
    }

    fn is_deadlock(&self) -> bool {
        self.answer.run.as_ref().is_some_and(|run| matches!(run.shows, Shows::Deadlock(_)))
    }
}

/// Points at another place, unless something is said there already or there are many.
fn also(found: Diagnostic, span: Span, label: String) -> Diagnostic {
    let told = found.secondary.iter().any(|it| it.span == span);
    if told || found.secondary.len() >= PLACES { found } else { found.with_secondary(span, label) }
}

/// The name with its article.
pub fn a(name: &str) -> String {
    let vowel = name.starts_with(['A', 'E', 'I', 'O', 'a', 'e', 'i', 'o'])
        || name.starts_with("Un")
        || name.starts_with("un");
    format!("{} `{name}`", if vowel { "an" } else { "a" })
}
