//! A run that goes wrong, step by step.

use super::words::{place, shown, statement};
use crate::report::human::{BAD, FAINT, STRONG, paint};
use ser_sequentialization_checker::run::{Actor, Run, Value};
use ser_sequentialization_checker::witness::{Event, Message, Standing, What, Witness};
use ser_sequentialization_search::{actor_name, value_text};
use ser_session::sequence::SequenceReport;
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{StmtKind, Type, VarId};
use std::fmt::Write as _;

/// Longer runs are shown by their beginning and end.
const MAX_ROWS: usize = 60;

/// One step for readers; steps of one process that concern nobody else are one.
pub struct Row {
    /// Who takes it.
    pub who: Actor,
    /// The line of its (first) statement.
    pub line: usize,
    /// What happens.
    pub words: String,
    /// Whether it is what goes wrong.
    pub bad: bool,
}

/// The steps of a run for readers.
pub fn rows(report: &SequenceReport, protocol: &Protocol, witness: &Witness) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut local = false;
    for event in &witness.events {
        let Some(words) = words(protocol, event) else { continue };
        let line = place(report, protocol, event.statement).map_or(0, |(line, _)| line);
        let is_local = matches!(event.what, What::Sets(..) | What::Takes(..) | What::Decides(_));
        if let (true, true, Some(last)) = (local, is_local, rows.last_mut())
            && last.who == event.who
        {
            last.words = format!("{}, {words}", last.words);
            continue;
        }
        local = is_local;
        let bad = matches!(event.what, What::Fails | What::Refuses(_));
        rows.push(Row { who: event.who, line, words, bad });
    }
    rows
}

/// What happens in a step; nothing if it is not worth telling.
fn words(protocol: &Protocol, event: &Event) -> Option<String> {
    let letter = |it: &Message| value_text(protocol, Type::Message(it.message), &it.value);
    let variable = |variable: VarId, value: &Value| {
        let process = protocol.processes.get(event.who.process as usize);
        let variable = process.and_then(|it| it.variables.get(variable.0 as usize));
        let name = variable.map_or("?", |it| it.name.text.as_str());
        let ty = variable.map_or(Type::Int, |it| it.ty);
        format!("{name} := {}", value_text(protocol, ty, value))
    };
    Some(match &event.what {
        What::Sends(it) => format!("sends {} to {}", letter(it), actor_name(protocol, it.to)),
        What::Receives(it) => {
            format!("receives {} from {}", letter(it), actor_name(protocol, it.from))
        }
        What::Refuses(it) => format!(
            "receives {} from {}, and fails: it expects another constructor",
            letter(it),
            actor_name(protocol, it.from)
        ),
        What::Sets(it, value) | What::Takes(it, value) => variable(*it, value),
        What::Decides(holds) => match statement(protocol, event.statement)?.kind {
            StmtKind::If { condition: None, .. } => {
                if *holds { "takes the `if`" } else { "takes the `else`" }.to_owned()
            }
            _ => return None,
        },
        What::Passes => return None,
        What::Fails => match statement(protocol, event.statement)?.kind {
            StmtKind::Assert { .. } => "fails: the assertion does not hold".to_owned(),
            _ => "fails".to_owned(),
        },
    })
}

/// Where a process stands at the end, in words.
pub fn end(
    report: &SequenceReport,
    protocol: &Protocol,
    it: &Standing,
) -> String {
    let Some((line, text)) = it.statement.and_then(|id| place(report, protocol, id)) else {
        return if it.failed { "has failed" } else { "has ended" }.to_owned();
    };
    let whom = match it.waits_for {
        Some(actor) if actor.member.is_some() => {
            format!(" (that is {})", actor_name(protocol, actor))
        }
        _ => String::new(),
    };
    let waits = it
        .statement
        .and_then(|id| statement(protocol, id))
        .is_some_and(|stmt| matches!(stmt.kind, StmtKind::Receive { .. } | StmtKind::Pick { .. }));
    match waits {
        true => format!("waits at line {line}: {text}{whom}"),
        false => format!("is at line {line}: {text}"),
    }
}

/// The run as a table.
pub fn human(
    out: &mut String,
    report: &SequenceReport,
    protocol: &Protocol,
    run: &Run,
    witness: &Witness,
) {
    let with = match ser_sequentialization_search::sizes_text(protocol, &run.sizes) {
        sizes if sizes.is_empty() => String::new(),
        sizes => format!(", with {sizes}"),
    };
    let _ = writeln!(out, "  The run{with}:\n");
    let rows = rows(report, protocol, witness);
    let names: Vec<String> = rows.iter().map(|row| actor_name(protocol, row.who)).collect();
    let ends: Vec<String> = witness.ends.iter().map(|it| actor_name(protocol, it.who)).collect();
    let wide = names.iter().chain(&ends).map(|it| it.chars().count()).max().unwrap_or(3).max(3);
    let header = format!("  step  {:wide$}  line", "who");
    let _ = writeln!(out, "{}", paint(STRONG, header));
    let skipped = MAX_ROWS / 2..rows.len().saturating_sub(MAX_ROWS / 2);
    for (number, (row, name)) in rows.iter().zip(&names).enumerate() {
        if rows.len() > MAX_ROWS && skipped.contains(&number) {
            if number == skipped.start {
                let text = format!("... {} more steps; --format json shows all ...", skipped.len());
                let _ = writeln!(out, "        {}", paint(FAINT, text));
            }
            continue;
        }
        let words = if row.bad { paint(BAD, &row.words) } else { row.words.clone() };
        let _ = writeln!(out, "{:>6}  {name:wide$}  {:>4}  {words}", number + 1, row.line);
    }
    let _ = writeln!(out, "\n  In the end {}:\n", shown(protocol, &run.shows));
    for (it, name) in witness.ends.iter().zip(&ends) {
        let _ = writeln!(out, "        {name:wide$}  {}", end(report, protocol, it));
    }
    for it in &witness.in_flight {
        let _ = writeln!(
            out,
            "        {} from {} to {} is never received",
            value_text(protocol, Type::Message(it.message), &it.value),
            actor_name(protocol, it.from),
            actor_name(protocol, it.to)
        );
    }
}
