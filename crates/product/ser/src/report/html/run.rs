//! The interleaving as a figure: one lane for each request, time from top to bottom, the values of
//! the globals beside it, and the serial runs that come closest.
//!
//! It is a list of rows that reads well without scripts. Of few requests, style turns the lanes into
//! columns where there is room; otherwise they are thin [rails](lanes) beside the steps. Of very many
//! requests at the same time there are no rails, only numbers in colours.

use super::escape::Text;
use super::lanes::Lanes;
use super::listing::{Constants, digits};
use ser_model::{GlobalId, NetworkSystem, VariableId};
use ser_net::Outcome;
use ser_serializability_search::{Refutation, SerialRuns};
use ser_session::source::Source;
use ser_session::trace::{TraceLine, TraceStep};
use ser_session::words;
use ser_session::{Report, Verdict};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Longer runs scroll in a box of their own, so that what comes after them is not far away.
const LONG: usize = 60;
/// Longer runs are shown by their beginning and end.
const MAX_STEPS: usize = 400;
/// At most so many source lines of one step.
const MAX_LINES: usize = 12;
/// So many globals are shown in every row; of more, those that change.
const FEW_GLOBALS: usize = 3;
/// The most globals in a row.
const MAX_GLOBALS: usize = 12;
/// At most so many serial runs.
const MAX_RUNS: usize = 6;
/// Colours of requests.
const HUES: u32 = 8;

/// The section about the run of a counterexample.
pub fn section(report: &Report) -> String {
    let Verdict::NotSerializable { refutation, steps, serial, .. } = &report.verdict else {
        return String::new();
    };
    // A verdict without a model does not exist.
    let Some(model) = &report.model else { return String::new() };
    let system = model.system();
    let switches = steps.windows(2).filter(|pair| pair[0].number != pair[1].number).count();
    let mut out = String::from(
        "<section class=\"run\" aria-labelledby=\"run\"><h2 id=\"run\">The interleaving</h2>",
    );
    let _ = write!(
        out,
        "<p class=\"lead\">{}, {}, {}. Time goes down.</p>",
        words::count(refutation.requests, "request"),
        words::count(steps.len(), "step"),
        words::count(switches, "context switch"),
    );
    out += PLAYER;
    out += &figure(report.source.as_ref(), system, steps);
    out += "</section>";
    out += &serial_section(system, refutation, steps, serial);
    out
}

/// The controls and the values at the current step; the script brings them to life.
const PLAYER: &str = r#"<div class="dock needs-script">
<div class="player" role="group" aria-label="Step through the interleaving">
<div class="controls">
<button type="button" id="first" aria-label="To the start" title="To the start (Home)"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 3h2v10H3zM13 3v10L6 8z"/></svg></button>
<button type="button" id="back" aria-label="One step back" title="One step back (left arrow)"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M12 3v10L4 8z"/></svg></button>
<button type="button" id="play" class="primary" aria-label="Play" title="Play or pause (space)"><svg viewBox="0 0 16 16" aria-hidden="true"><path class="when-paused" d="M4 2.5v11L13 8z"/><path class="when-playing" d="M4 3h3v10H4zM9 3h3v10H9z"/></svg></button>
<button type="button" id="forward" aria-label="One step forward" title="One step forward (right arrow)"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M4 3v10l8-5z"/></svg></button>
<button type="button" id="last" aria-label="To the end" title="To the end (End)"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M11 3h2v10h-2zM3 3v10l7-5z"/></svg></button>
<input type="range" id="slider" min="0" value="0" step="1" aria-label="Step">
<output id="position" for="slider"></output>
<label class="speed">Speed <select id="speed"><option value="0.5">½×</option><option value="1" selected>1×</option><option value="2">2×</option><option value="4">4×</option></select></label>
</div>
<p id="say" class="say" aria-live="polite"></p>
</div>
<div class="values">
<section aria-labelledby="globals-now"><h3 id="globals-now">Globals</h3><div id="globals"></div></section>
<section aria-labelledby="requests-now"><h3 id="requests-now">Requests</h3><div id="requests"></div></section>
</div>
</div>
"#;

/// The class that gives a request its colour.
pub fn hue(number: u32) -> u32 {
    number.saturating_sub(1) % HUES
}

fn figure(source: Option<&Source>, system: &NetworkSystem, steps: &[TraceStep]) -> String {
    let mut names: BTreeMap<u32, &str> = BTreeMap::new();
    for step in steps {
        names.entry(step.number).or_insert(system.request_name(step.request));
    }
    let lanes = Lanes::of(steps.iter().map(|step| step.number));
    let constants = source.map(|s| Constants::of(&s.text)).unwrap_or_default();
    let mut out = format!(
        "<div class=\"lanes{}\" data-lanes=\"{}\" style=\"--n:{};--digits:{}\">",
        if steps.len() > LONG { " long" } else { "" },
        lanes.layout(),
        lanes.count(),
        source.map_or(1, |s| digits(&s.lines)),
    );
    out += "<div class=\"row head\">";
    // Only columns have heads.
    for (number, name) in names.iter().filter(|_| lanes.are_columns()) {
        let _ = write!(
            out,
            "<span class=\"who hue-{}\" style=\"--k:{}\"><b>#{number}</b> {}</span>",
            hue(*number),
            lanes.lane(*number),
            Text(name)
        );
    }
    out += "<span class=\"aside\">Globals</span></div><ol>";
    let mut globals = String::new();
    values(&mut globals, system, None, system.initial_global());
    let _ = write!(
        out,
        "<li class=\"row start\" data-step=\"0\"><span class=\"num\"></span>\
         <span class=\"card start\">Start</span><span class=\"aside\">{globals}</span></li>"
    );
    let mut before = system.initial_global();
    let (skip_from, skip_to) = match steps.len() > MAX_STEPS {
        true => (MAX_STEPS / 2, steps.len() - MAX_STEPS / 2),
        false => (steps.len(), steps.len()),
    };
    for (at, step) in steps.iter().enumerate() {
        if at == skip_from && skip_to > skip_from {
            let count = words::count(skip_to - skip_from, "step");
            let _ =
                write!(out, "<li class=\"gap\">… {count} left out; --format json has all …</li>");
        }
        if !(skip_from..skip_to).contains(&at) {
            let _ = write!(
                out,
                "<li class=\"row\" data-step=\"{0}\" style=\"--k:{1}\"><span class=\"num\">{0}</span>",
                at + 1,
                lanes.lane(step.number)
            );
            for rail in lanes.rails(at) {
                let mut class = format!("rail hue-{}", hue(rail.number));
                for (is, name) in [
                    (step.number == rail.number, " active"),
                    (rail.arrives, " first"),
                    (rail.responds, " last"),
                ] {
                    class += if is { name } else { "" };
                }
                let _ = write!(out, "<i class=\"{class}\" style=\"--k:{}\"></i>", rail.lane);
            }
            out += &card(source, &constants, system, step);
            let mut globals = String::new();
            values(&mut globals, system, Some(before), step.global);
            let _ = write!(out, "<span class=\"aside\">{globals}</span></li>");
        }
        before = step.global;
    }
    out += "</ol></div>";
    out
}

/// What one request does in one step.
fn card(
    source: Option<&Source>,
    constants: &Constants<'_>,
    system: &NetworkSystem,
    step: &TraceStep,
) -> String {
    let mut out = format!(
        "<div class=\"card hue-{}\"><p class=\"who\"><b>#{}</b> {}{}</p>",
        hue(step.number),
        step.number,
        Text(system.request_name(step.request)),
        if step.arrives { " <span class=\"tag\">arrives</span>" } else { "" },
    );
    for (variable, then, now) in &step.changed_meanwhile {
        let name = &system.variables()[variable.index()].name;
        let _ = write!(
            out,
            "<p class=\"meanwhile\"><b>{}</b> went from {} to {} meanwhile</p>",
            Text(name),
            Text(&system.value_name(*variable, *then)),
            Text(&system.value_name(*variable, *now)),
        );
    }
    match source {
        Some(source) if !step.lines.is_empty() => {
            out += "<ul>";
            let skip = step.lines.len().saturating_sub(MAX_LINES);
            for (at, line) in step.lines.iter().enumerate() {
                let from = MAX_LINES / 2;
                if skip > 0 && at == from {
                    let _ =
                        write!(out, "<li class=\"gap\">… {} …</li>", words::count(skip, "line"));
                }
                if skip == 0 || !(from..from + skip).contains(&at) {
                    code_line(&mut out, source, constants, line);
                }
            }
            out += "</ul>";
        }
        _ => {
            if let Some((before, after)) = &step.locals {
                let _ = write!(
                    out,
                    "<p class=\"move\"><code>{}</code> → <code>{}</code></p>",
                    Text(before),
                    Text(after)
                );
            }
        }
    }
    if let Some(response) = step.responds {
        let _ = write!(
            out,
            "<p class=\"responds\">responds <b>{}</b></p>",
            Text(system.response_name(response))
        );
    }
    out + "</div>"
}

fn code_line(out: &mut String, source: &Source, constants: &Constants<'_>, line: &TraceLine) {
    const WIDEST: usize = 120;
    let full = source.lines.line_text(line.line);
    let code = full.split("//").next().unwrap_or(full).trim();
    let inner = code.trim_end_matches(';');
    // Of a line with several expressions, only what was executed.
    let code = match inner.contains(';') || inner.contains("request ") {
        true => source.text.get(line.span.range()).unwrap_or(code).trim(),
        false => code,
    };
    // What goes over several lines is told in one.
    let on_one_line = |c| if matches!(c, '\n' | '\r') { ' ' } else { c };
    let short: String = code.chars().take(WIDEST).map(on_one_line).collect();
    let more = if short.len() < code.len() { "…" } else { "" };
    let _ = write!(
        out,
        "<li><a href=\"#L{0}\">{0}</a><code>{1}{more}</code>",
        line.line,
        constants.snippet(&short)
    );
    if !line.notes.is_empty() {
        let _ = write!(out, "<span class=\"note\">{}</span>", Text(&line.notes.join(", ")));
    }
    out.push_str("</li>");
}

/// The values of the globals in a row; those that changed stand out.
fn values(out: &mut String, system: &NetworkSystem, before: Option<GlobalId>, after: GlobalId) {
    let new = system.valuation(after);
    let old = before.map(|g| system.valuation(g));
    let all = new.len() <= FEW_GLOBALS;
    let mut shown = 0;
    for (at, value) in new.iter().enumerate() {
        let changed = old.is_some_and(|old| old[at] != *value);
        if !changed && !all {
            continue;
        }
        shown += 1;
        if shown > MAX_GLOBALS {
            continue;
        }
        let id = VariableId::from_index(at);
        let class = if changed { "value changed" } else { "value" };
        let _ = write!(
            out,
            "<span class=\"{class}\"><span>{}</span> <b>{}</b></span>",
            Text(&system.variables()[at].name),
            Text(&system.value_name(id, *value)),
        );
    }
    if shown > MAX_GLOBALS {
        let _ = write!(out, "<span class=\"gap\">… {} more</span>", shown - MAX_GLOBALS);
    }
}

/// The serial runs that come closest, beside what happened.
fn serial_section(
    system: &NetworkSystem,
    refutation: &Refutation,
    steps: &[TraceStep],
    serial: &SerialRuns,
) -> String {
    let mut out = format!(
        "<section class=\"serial\" aria-labelledby=\"serial\"><h2 id=\"serial\">One after the other</h2>\
         <p class=\"lead\">{}</p>",
        Text(words::serial_sentence(serial))
    );
    if let SerialRuns::Closest(runs) = serial {
        let here: Vec<Outcome> = steps
            .iter()
            .filter_map(|s| Some(Outcome { request: s.request, response: s.responds? }))
            .collect();
        out += "<div class=\"box scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Serial runs\"><table class=\"runs\"><tbody>";
        row(&mut out, system, "Interleaved", &here, &mut []);
        for run in runs.iter().take(MAX_RUNS) {
            row(&mut out, system, "Serial", run, &mut refutation.outcome.clone());
        }
        out += "</tbody></table></div>";
        if runs.len() > MAX_RUNS {
            let _ = write!(out, "<p>… and {} more.</p>", runs.len() - MAX_RUNS);
        }
        out += "<p class=\"legend\"><span class=\"differs\">Marked</span> responses differ from the interleaved run.</p>";
    }
    out + "</section>"
}

/// One run; letters that are not among those of the `outcome` stand out.
fn row(
    out: &mut String,
    system: &NetworkSystem,
    title: &str,
    run: &[Outcome],
    outcome: &mut [(Outcome, u32)],
) {
    let interleaved = outcome.is_empty();
    let class = if interleaved { " class=\"here\"" } else { "" };
    let _ = write!(out, "<tr{class}><th scope=\"row\">{title}</th><td><ol>");
    for letter in run {
        let mut known = interleaved;
        if let Some((_, left)) = outcome.iter_mut().find(|(o, left)| o == letter && *left > 0) {
            *left -= 1;
            known = true;
        }
        let _ = write!(
            out,
            "<li{}>{} <b>{}</b></li>",
            if known { "" } else { " class=\"differs\"" },
            Text(system.request_name(letter.request)),
            Text(system.response_name(letter.response)),
        );
    }
    out.push_str("</ol></td></tr>");
}
