//! From the steps of a run to the run as reports have it: names, values and source lines.

use crate::shown::{Shown, is_hidden};
use crate::trace::{TraceLine, TraceStep};
use ser_model::{GlobalId, NetworkSystem, VariableId};
use ser_report::Run;
use ser_report::Value;
use ser_report::run::{End, Lane, Stand, Step, StepLine};
use ser_syntax::{LineIndex, Span};

/// The steps as a run.
///
/// Those who take part are called by their `names`, or, without names, by their numbers and labels.
/// `responds` says whether their responses and local states mean anything to a reader.
pub fn run_of(
    lines: Option<&LineIndex>,
    system: &NetworkSystem,
    shown: &Shown,
    names: Option<&[String]>,
    responds: bool,
    steps: &[TraceStep],
) -> Run {
    let translation = Translation { lines, system, shown, responds };
    Run {
        title: "The interleaving".into(),
        lanes: lanes(system, names, steps),
        columns: shown.columns.iter().map(|column| column.name.clone()).collect(),
        start: translation.columns(system.initial_global()),
        steps: steps.iter().map(|step| translation.step(step)).collect(),
        ends: Vec::new(),
    }
}

fn lanes(system: &NetworkSystem, names: Option<&[String]>, steps: &[TraceStep]) -> Vec<Lane> {
    let count = steps.iter().map(|step| step.number as usize).max().unwrap_or(0);
    let lane = |index: usize| match names.and_then(|names| names.get(index)) {
        Some(name) => Lane { name: name.clone(), label: name.clone() },
        None => {
            let number = index + 1;
            let first = steps.iter().find(|step| step.number as usize == number);
            let label = first.map_or("?", |step| system.request_name(step.request));
            Lane { name: format!("#{number} {label}"), label: label.to_owned() }
        }
    };
    (0..count).map(lane).collect()
}

/// What is needed to describe a step.
struct Translation<'a> {
    lines: Option<&'a LineIndex>,
    system: &'a NetworkSystem,
    shown: &'a Shown,
    responds: bool,
}

impl Translation<'_> {
    fn step(&self, step: &TraceStep) -> Step {
        let Translation { lines, system, shown, responds } = *self;
        let line = |line: &TraceLine| StepLine {
            line: line.line.clone(),
            span: line.span,
            code: lines.map_or(String::new(), |lines| code_of(lines, line.line.row, line.span)),
            notes: line.notes.clone(),
        };
        let meanwhile = shown.changed_meanwhile(system, step).into_iter();
        let is_seen = |(name, _): &&(String, String)| !is_hidden(name);
        let in_words = |value: &String| match value.parse() {
            Ok(number) => Value::Number(number),
            Err(_) => Value::Name(value.clone()),
        };
        let stands = step.pause.as_ref().map(|pause| {
            let locals = pause.locals.iter().filter(is_seen);
            let locals = locals.map(|(name, value)| (name.clone(), in_words(value)));
            Stand { next: pause.next, locals: locals.collect() }
        });
        Step {
            lane: (step.number as usize).saturating_sub(1),
            // Processes are there from the start.
            arrives: step.arrives && responds,
            lines: step.lines.iter().map(line).collect(),
            says: Vec::new(),
            local: step.locals.clone().filter(|_| responds),
            reads: self.values(&step.reads, step.before),
            writes: self.values(&step.writes, step.global),
            chooses: step.chooses.clone(),
            meanwhile: meanwhile.map(|(name, then, now)| (name.to_owned(), then, now)).collect(),
            end: step.responds.map(|response| {
                let name = || system.response_name(response).to_owned();
                match (responds, system.counts(response)) {
                    (true, true) => End::Responds(name()),
                    (true, false) => End::Aborts(name()),
                    (false, _) => End::Ends,
                }
            }),
            stands,
            pauses_at: step.pauses_at,
            after: self.columns(step.global),
        }
    }

    /// The values of all columns in a global state.
    fn columns(&self, global: GlobalId) -> Vec<Value> {
        let values = self.system.valuation(global);
        self.shown.columns.iter().map(|column| column.value(values)).collect()
    }

    /// Values of variables as they are shown; queues once, as they are in a global state.
    fn values(&self, list: &[(VariableId, i64)], global: GlobalId) -> Vec<(String, Value)> {
        let all = self.system.valuation(global);
        let mut out: Vec<(String, Value)> = Vec::new();
        for (variable, number) in list {
            if let Some((name, shown)) = self.shown.value_of(*variable, *number, all)
                && out.iter().all(|(known, _)| known != name)
            {
                out.push((name.to_owned(), shown));
            }
        }
        out
    }
}

/// The code on a line without its comment. Of a line that holds several statements, those that were
/// executed, each of them as a whole.
///
/// ```
/// use ser_session::run::code_of;
/// use ser_syntax::{LineIndex, Span};
/// let text = "request f { await(A == 0); A := 1; yield; if (B == 0) { C := 1 } else { C := 2 } }";
/// let lines = LineIndex::new(text);
/// let shown = |from: &str, to: &str| {
///     let (start, end) = (text.find(from).unwrap(), text.find(to).unwrap() + to.len());
///     code_of(&lines, 1, Span { start: start as u32, end: end as u32 })
/// };
/// assert_eq!(shown("A == 0", "A := 1"), "await(A == 0); A := 1");
/// assert_eq!(shown("B == 0", "C := 1"), "if (B == 0) { C := 1 }");
/// assert_eq!(shown("C := 2", "C := 2"), "C := 2");
/// ```
pub fn code_of(lines: &LineIndex, row: u32, executed: Span) -> String {
    let full = lines.row_text(row);
    let code = full.split("//").next().unwrap_or(full);
    let whole = code.trim();
    let has_several = whole.trim_end_matches(';').contains(';');
    if !has_several && !whole.contains("request ") && !whole.contains("process ") {
        return whole.to_owned();
    }
    let offset = |at: u32| at.saturating_sub(lines.row_span(row).start) as usize;
    let (start, end) = (offset(executed.start), offset(executed.end));
    let mut from = statement_start(code, start);
    let mut to = statement_end(code, end);
    // A block is shown with its braces, and its braces with what they belong to.
    loop {
        let Some(part) = code.get(from..to) else { return whole.to_owned() };
        let (opened, closed) = unmatched(part);
        if opened > 0
            && let Some(brace) = code.get(to..).and_then(|rest| rest.find('}'))
        {
            to += brace + 1;
        } else if closed > 0
            && let Some(brace) = code.get(..from).and_then(|text| text.rfind('{'))
        {
            from = statement_start(code, brace);
        } else {
            return part.trim().to_owned();
        }
    }
}

/// Where the statement begins that has this place in it.
fn statement_start(code: &str, at: usize) -> usize {
    boundaries(code).take_while(|(place, _)| *place < at).last().map_or(0, |(_, next)| next)
}

/// Where the statement ends that has its last character before this place.
fn statement_end(code: &str, at: usize) -> usize {
    boundaries(code).find(|(place, _)| at <= *place).map_or(code.len(), |(place, _)| place)
}

/// What divides statements, outside of parentheses: where each begins and ends.
fn boundaries(code: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut depth = 0_i32;
    code.char_indices().filter_map(move |(at, c)| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        (depth <= 0 && matches!(c, ';' | '{' | '}')).then_some((at, at + 1))
    })
}

/// How many braces are not closed, and how many are not opened.
fn unmatched(code: &str) -> (usize, usize) {
    let (mut opened, mut closed) = (0, 0);
    for c in code.chars() {
        match c {
            '{' => opened += 1,
            '}' if opened > 0 => opened -= 1,
            '}' => closed += 1,
            _ => {}
        }
    }
    (opened, closed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source;
    use crate::{Verdict, check_source};
    use ser_base::Limits;
    use ser_serializability_search::Options;
    use std::collections::BTreeMap;

    #[test]
    fn a_lost_update_as_a_run() {
        let text = include_str!("../../../../examples/lost_update.ser");
        let source = source::from_bytes("lost_update.ser", text.into()).expect("a program");
        let report = check_source(source, &Options::default(), &Limits::default(), &|_| ());
        let Verdict::NotSerializable { steps, .. } = &report.verdict else { panic!("a violation") };
        let system = report.model.as_ref().expect("a model").system();
        let shown = Shown::new(system, &BTreeMap::new(), false);
        let lines = report.source.as_ref().map(|source| &source.lines);
        let run = run_of(lines, system, &shown, None, true, steps);
        let names: Vec<&str> = run.lanes.iter().map(|lane| lane.name.as_str()).collect();
        assert_eq!(names, ["#1 increment", "#2 increment"]);
        assert_eq!(run.steps.len(), 4);
        assert!(run.steps.iter().all(|step| step.after.len() == run.columns.len()));
        let last = run.steps.last().expect("a step");
        assert!(matches!(last.end, Some(End::Responds(_))), "{last:?}");
        assert_eq!(last.meanwhile.len(), 1, "{last:?}");
    }

    #[test]
    fn what_is_shown_of_a_line_is_whole_statements() {
        let cases = [
            ("X := 1; // one", "X := 1", "X := 1;"),
            ("while (X == 0) { yield }; X := 1;", "X == 0", "while (X == 0)"),
            ("while (X == 0) { yield }; X := 1;", "X := 1", "X := 1"),
            (
                "assume(A == 0 && B == 0); A := 1; yield;",
                "B == 0); A := 1",
                "assume(A == 0 && B == 0); A := 1",
            ),
            ("process P { X := (1 + Y); Z := 1 }", "Y", "X := (1 + Y)"),
            (
                "if (A) { X := 1; Y := 1 }; Z := 1",
                "Y := 1 }; Z := 1",
                "if (A) { X := 1; Y := 1 }; Z := 1",
            ),
            ("X := 0; while (A) {", "A", "while (A)"),
        ];
        for (text, executed, shown) in cases {
            let start = text.find(executed).expect("a part") as u32;
            let span = Span::new(start, start + executed.len() as u32);
            assert_eq!(code_of(&LineIndex::new(text), 1, span), shown);
        }
    }
}
