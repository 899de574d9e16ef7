//! A run as a figure: one lane for each request, process or thread, time from top to bottom, and
//! the shared values beside it.
//!
//! It is a list of rows that reads well without scripts. Of few lanes, style turns the lanes into
//! columns where there is room; otherwise they are thin rails on [tracks](super::tracks) beside the
//! steps. Of very many lanes at the same time there are no rails, only names in colours.

use super::colours::Colours;
use super::escape::fill;
use super::listing::digits;
use super::tracks::Tracks;
use super::words::{hue, linked, stopped};
use ser_draw::Text;
use ser_report::run::{End, Lane, Run, Step, StepLine, Value, aborts};
use ser_report::text::{count, grouped};
use ser_report::{Kind, Source};
use std::fmt::Write as _;

/// Longer runs scroll in a box of their own, so that what comes after them is not far away.
const LONG: usize = 60;
/// Longer runs are shown by their beginning and end.
const MAX_STEPS: usize = 400;
/// At most so many source lines of one step.
const MAX_LINES: usize = 12;
/// The most characters of a source line in a step.
const MAX_WIDTH: usize = 200;
/// So many shared values are shown in every row; of more, those that change.
const FEW_VALUES: usize = 3;
/// The most shared values in a row.
const MAX_VALUES: usize = 12;

/// A run on a page.
#[derive(Clone, Copy, Debug)]
pub struct Figure<'a> {
    pub run: &'a Run,
    pub source: Option<&'a Source>,
    /// What the ids of its elements end with: a page may show several runs.
    pub suffix: &'a str,
}

/// How those are called who take part in a run, and what they share.
struct Nouns {
    one: &'static str,
    many: &'static str,
    shared: &'static str,
}

/// Whether a run has several participants: a net takes all its steps itself.
pub fn has_participants(source: Option<&Source>) -> bool {
    !source.is_some_and(|source| matches!(source.kind, Kind::Unwinding | Kind::Net))
}

fn nouns(source: Option<&Source>) -> Nouns {
    let (one, many, shared) = match source.map_or(Kind::Program, |source| source.kind) {
        Kind::Program | Kind::System => ("request", "requests", "Globals"),
        Kind::Processes => ("process", "processes", "Shared variables"),
        Kind::Protocol => ("process", "processes", "Shared"),
        Kind::Invariants => ("thread", "threads", "Globals"),
        Kind::Sql => ("transaction", "transactions", "Tables"),
        Kind::Unwinding | Kind::Net => ("net", "nets", "Places"),
    };
    Nouns { one, many, shared }
}

/// `2 requests`, or how many steps a net takes.
pub fn participants(run: &Run, source: Option<&Source>) -> String {
    if !has_participants(source) {
        return count(run.steps.len(), "step");
    }
    let Nouns { one, many, .. } = nouns(source);
    let lanes = run.lanes.len();
    format!("{} {}", grouped(lanes), if lanes == 1 { one } else { many })
}

/// How a lane is called for short, and the rest of its name: `#1` and `increment`.
pub fn name_parts(lane: &Lane) -> (&str, &str) {
    match lane.name.split_once(' ') {
        Some((number, name)) if number.starts_with('#') => (number, name),
        _ => (&lane.name, ""),
    }
}

/// The controls and the values at the current step; the script brings them to life.
const PLAYER: &str = include_str!("player.html");

impl Figure<'_> {
    /// The section, with words about it. A title of the form `The run: with 2 clients` is a heading
    /// and such words.
    pub fn section(&self, title: &str, lead: &str, level: u8) -> String {
        let Figure { run, source, suffix } = *self;
        let (heading, about) = title.split_once(": ").unwrap_or((title, ""));
        let heading = heading.trim_end_matches([':', '.']);
        let about = match (about, lead.trim_end_matches(':')) {
            ("", "") => self.counts(),
            ("", words) | (words, "") => stopped(words),
            (about, lead) => format!("{} {}", stopped(about), stopped(lead)),
        };
        let heading = if heading.is_empty() { "The run" } else { heading };
        let lanes = ser_report::text::capitalised(nouns(source).many);
        let player =
            fill(PLAYER, &[("n", suffix), ("shared", nouns(source).shared), ("lanes", &lanes)]);
        let mut out = format!(
            "<section class=\"run\" aria-labelledby=\"run{suffix}\"><h{level} id=\"run{suffix}\">{}\
             </h{level}><p class=\"lead\">{about} Time goes down.</p>{player}",
            Text(heading),
        );
        out += &self.lanes();
        if !run.ends.is_empty() {
            out += "<h3>At the end</h3><ul class=\"plain\">";
            for words in &run.ends {
                let _ = write!(out, "<li>{}</li>", stopped(words));
            }
            out += "</ul>";
        }
        out + "</section>"
    }

    /// `2 requests, 5 steps, 3 context switches.`
    fn counts(&self) -> String {
        let steps = count(self.run.steps.len(), "step");
        match self.run.lanes.len() {
            0 | 1 => format!("{steps}."),
            _ => format!(
                "{}, {steps}, {}.",
                participants(self.run, self.source),
                count(self.run.switches(), "context switch"),
            ),
        }
    }

    fn lanes(&self) -> String {
        let Figure { run, source, .. } = *self;
        let steps = &run.steps;
        let tracks = Tracks::of(steps.iter().map(|step| step.lane));
        let colours = source.map(|it| Colours::of(it.kind, &it.text));
        let mut out = format!(
            "<div class=\"lanes{}{}\" data-lanes=\"{}\" style=\"--n:{};--digits:{}\">",
            if steps.len() > LONG { " long" } else { "" },
            if run.columns.is_empty() { " bare" } else { "" },
            tracks.layout(),
            tracks.count(),
            source.map_or(1, |it| digits(&it.lines)),
        );
        out += "<div class=\"row head\">";
        // Only columns have heads.
        for lane in tracks.lanes().filter(|_| tracks.are_columns()) {
            let _ = write!(
                out,
                "<span class=\"who hue-{}\" style=\"--k:{}\">{}</span>",
                hue(lane),
                tracks.track(lane),
                self.name(lane)
            );
        }
        let _ = write!(out, "<span class=\"aside\">{}</span></div><ol>", nouns(source).shared);
        let _ = write!(
            out,
            "<li class=\"row start\" data-step=\"0\"><span class=\"num\"></span>\
             <span class=\"card start\">Start</span><span class=\"aside\">{}</span></li>",
            self.values(None, &run.start)
        );
        let (skip_from, skip_to) = match steps.len() > MAX_STEPS {
            true => (MAX_STEPS / 2, steps.len() - MAX_STEPS / 2),
            false => (steps.len(), steps.len()),
        };
        for (at, step) in steps.iter().enumerate() {
            if at == skip_from && skip_to > skip_from {
                let count = count(skip_to - skip_from, "step");
                let _ = write!(
                    out,
                    "<li class=\"gap\">… {count} left out; <code>--format json</code> has all of \
                     them …</li>"
                );
            }
            if (skip_from..skip_to).contains(&at) {
                continue;
            }
            let _ = write!(
                out,
                "<li class=\"row\" data-step=\"{0}\" style=\"--k:{1}\">\
                 <span class=\"num\">{0}</span>",
                at + 1,
                tracks.track(step.lane)
            );
            for rail in tracks.rails(at) {
                let mut class = format!("rail hue-{}", hue(rail.lane));
                for (is, name) in [
                    (step.lane == rail.lane, " active"),
                    (rail.begins, " first"),
                    (rail.ends, " last"),
                ] {
                    class += if is { name } else { "" };
                }
                let _ = write!(out, "<i class=\"{class}\" style=\"--k:{}\"></i>", rail.track);
            }
            out += &self.card(colours.as_ref(), step);
            let values = self.values(Some(run.before(at)), &step.after);
            let _ = write!(out, "<span class=\"aside\">{values}</span></li>");
        }
        out + "</ol></div>"
    }

    fn name(&self, lane: usize) -> String {
        let Some(lane) = self.run.lanes.get(lane) else { return String::new() };
        let (short, rest) = name_parts(lane);
        format!("<b>{}</b> {}", Text(short), Text(rest)).trim_end().to_owned()
    }

    /// What a participant does in one step.
    fn card(&self, colours: Option<&Colours<'_>>, step: &Step) -> String {
        let mut out = format!(
            "<div class=\"card hue-{}\"><p class=\"who\">{}{}</p>",
            hue(step.lane),
            self.name(step.lane),
            if step.arrives { " <span class=\"tag\">arrives</span>" } else { "" },
        );
        for (name, then, now) in &step.meanwhile {
            let _ = write!(
                out,
                "<p class=\"meanwhile\"><b>{}</b> went from {} to {} meanwhile</p>",
                Text(name),
                Text(&then.to_string()),
                Text(&now.to_string()),
            );
        }
        if !step.lines.is_empty() {
            out += &lines(colours, &step.lines);
        } else if let Some((before, after)) = &step.local {
            let _ = write!(
                out,
                "<p class=\"move\"><code>{}</code> → <code>{}</code></p>",
                Text(before),
                Text(after)
            );
        }
        for words in &step.says {
            let _ = write!(out, "<p class=\"says\">{}</p>", linked(words));
        }
        if step.lines.is_empty() && step.local.is_none() && step.says.is_empty() {
            out += &accesses(step);
        }
        let _ = match &step.end {
            Some(End::Responds(response)) => {
                write!(out, "<p class=\"end\">responds <b>{}</b></p>", Text(response))
            }
            Some(End::Aborts(response)) => {
                write!(out, "<p class=\"end\">{}</p>", Text(&aborts(response)))
            }
            Some(End::Ends) => write!(out, "<p class=\"end\">ends</p>"),
            Some(End::Fails(why)) => {
                write!(out, "<p class=\"end fails\"><b>fails:</b> {}</p>", linked(why))
            }
            None => Ok(()),
        };
        out + "</div>"
    }

    /// The shared values in a row; those that changed stand out.
    fn values(&self, before: Option<&[Value]>, after: &[Value]) -> String {
        let mut out = String::new();
        let all = after.len() <= FEW_VALUES;
        let mut shown = 0;
        for (at, (name, value)) in self.run.columns.iter().zip(after).enumerate() {
            let changed = before.is_some_and(|before| before.get(at) != Some(value));
            if !changed && !all {
                continue;
            }
            shown += 1;
            if shown > MAX_VALUES {
                continue;
            }
            let class = if changed { "value changed" } else { "value" };
            let _ = write!(
                out,
                "<span class=\"{class}\"><span>{}</span> <b>{}</b></span>",
                Text(name),
                Text(&value.to_string()),
            );
        }
        if shown > MAX_VALUES {
            let _ = write!(out, "<span class=\"gap\">… {} more</span>", shown - MAX_VALUES);
        }
        out
    }
}

/// The source lines of a step; of many, the first and the last ones.
fn lines(colours: Option<&Colours<'_>>, lines: &[StepLine]) -> String {
    let mut out = String::from("<ul>");
    let skip = lines.len().saturating_sub(MAX_LINES);
    let from = MAX_LINES / 2;
    for (at, line) in lines.iter().enumerate() {
        if skip > 0 && at == from {
            let _ = write!(out, "<li class=\"gap\">… {} …</li>", count(skip, "line"));
        }
        if skip > 0 && (from..from + skip).contains(&at) {
            continue;
        }
        // What spans several lines is shown in one.
        let on_one_line = |c| if matches!(c, '\n' | '\r') { ' ' } else { c };
        let short: String = line.code.chars().take(MAX_WIDTH).map(on_one_line).collect();
        let code = colours.map_or_else(|| Text(&short).to_string(), |it| it.painted(&short));
        let _ = write!(
            out,
            "<li><a href=\"#L{0}\">{0}</a><code>{code}</code>",
            Text(&line.line.to_string())
        );
        let more = line.code.chars().count().saturating_sub(MAX_WIDTH);
        if more > 0 {
            let more = count(more, "more character");
            let _ = write!(out, "<span class=\"note\">{more} left out</span>");
        }
        if !line.notes.is_empty() {
            let _ = write!(out, "<span class=\"note\">{}</span>", Text(&line.notes.join(", ")));
        }
        out.push_str("</li>");
    }
    out + "</ul>"
}

/// What a step reads and writes, if there is nothing better to say about it.
fn accesses(step: &Step) -> String {
    let mut out = String::new();
    let named = |list: &[(String, Value)], sign: &str| {
        let words = list.iter().take(MAX_VALUES);
        let mut words: Vec<String> =
            words.map(|(name, value)| format!("{name} {sign} {value}")).collect();
        if list.len() > MAX_VALUES {
            words.push(format!("{} more", list.len() - MAX_VALUES));
        }
        words.join(", ")
    };
    for (verb, words) in [("reads", named(&step.reads, "=")), ("writes", named(&step.writes, ":="))]
    {
        if !words.is_empty() {
            let _ = write!(out, "<p class=\"says\">{verb} <code>{}</code></p>", Text(&words));
        }
    }
    out
}
