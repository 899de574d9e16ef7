//! A report as one HTML file: to read, to send, to keep.
//!
//! What is known is written into the page as plain HTML, so that it can be read, searched and
//! printed without scripts. The script (`html/page.js`) only adds what moves: stepping through a
//! run. It gets the steps as JSON. The page needs nothing from anywhere else, and its content
//! security policy keeps it that way.

mod colours;
mod escape;
mod index;
mod listing;
mod policy;
mod run;
mod sections;
mod steps;
mod tracks;
mod trouble;
mod verdict;
mod words;

pub use index::{Entry, index};

use colours::{Colours, has_lines};
use escape::{fill, json_in_script};
use listing::{Marks, listing};
use sections::{Collected, Parts, emphasis, outcome, parts};
use ser_draw::Text;
use ser_report::text::{capitalised, duration, grouped, shell_file};
use ser_report::{Answer, MarkKind, Report, Source, SourceError, noun_of};
use ser_syntax::Line;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;
use verdict::{Verdict, how, meaning};
use words::linked;

const PAGE: &str = include_str!("html/page.html");
const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/page.js");

/// A certificate up to so many bytes is in the page.
const MAX_CERTIFICATE: usize = 200 << 10;

/// How a report came about.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct About {
    /// The command line.
    pub command: String,
    /// Whether the page will be written again when the source changes, and should look for that.
    pub refreshes: bool,
}

/// What is filled into the frame of a page; all of it but the title is HTML.
struct Page<'a> {
    title: &'a str,
    class: &'a str,
    hero: &'a str,
    content: &'a str,
    footer: &'a str,
    data: Value,
}

impl Page<'_> {
    fn html(&self) -> String {
        fill(
            PAGE,
            &[
                ("policy", &Text(&policy::policy(SCRIPT)).to_string()),
                ("title", &Text(self.title).to_string()),
                ("class", self.class),
                ("style", STYLE),
                ("hero", self.hero),
                ("content", self.content),
                ("footer", self.footer),
                ("data", &json_in_script(&self.data)),
                ("script", SCRIPT),
            ],
        )
    }
}

/// The reports about one source as a page: usually one, or one for each goal.
pub fn page(reports: &[Report], about: &About) -> String {
    let Some(first) = reports.first() else { return index(&[]) };
    let verdicts: Vec<Verdict> = reports.iter().map(Verdict::of).collect();
    let summary = index::summary(verdicts.iter());
    let worst = verdicts.iter().max_by_key(|verdict| verdict.rank());
    let file = file_name(&first.file);
    let title = match (reports, verdicts.as_slice()) {
        ([_], [verdict]) => format!("{file}: {}", verdict.headline.to_lowercase()),
        _ => format!("{file}: {summary}"),
    };
    let mut collected = Collected::new(if reports.len() == 1 { 2 } else { 3 });
    let (hero, content) = match (reports, verdicts.as_slice()) {
        ([report], [verdict]) => (hero(report, verdict), alone(report, &mut collected)),
        _ => {
            let noun = noun_of(reports.iter().map(|it| it.question.method), reports.len());
            let hero = format!(
                "<p class=\"file\">{}</p><h1>{} {noun}</h1><p class=\"meaning\">{}</p>",
                Text(&first.file),
                grouped(reports.len()),
                Text(&capitalised(&summary)),
            );
            (hero, together(reports, &mut collected))
        }
    };
    let certificates = certificates(reports);
    let in_page = certificates.iter().filter(|it| it.text.len() <= MAX_CERTIFICATE);
    let in_page = in_page.map(|it| json!({ "text": it.text, "name": it.name }));
    let data = json!({
        "refreshes": about.refreshes,
        "opens": opens(reports),
        "runs": collected.runs,
        "certificates": in_page.collect::<Vec<_>>(),
    });
    Page {
        title: &title,
        class: worst.map_or("", |verdict| verdict.class),
        hero: &hero,
        content: &content,
        footer: &footer(first, about, &certificates),
        data,
    }
    .html()
}

/// The verdict, large.
fn hero(report: &Report, verdict: &Verdict) -> String {
    format!(
        "<p class=\"file\">{}</p>{}<h1><span class=\"badge\" aria-hidden=\"true\"></span>{}</h1>{}",
        Text(&report.file),
        question(report),
        Text(&verdict.headline),
        about_verdict(report)
    )
}

/// What is asked, if the source alone does not say it.
fn question(report: &Report) -> String {
    let Some(text) = &report.question.text else { return String::new() };
    let name = report.question.name.as_ref().filter(|name| !text.contains(name.as_str()));
    let name = name.map_or(String::new(), |name| format!("{}: ", Text(name)));
    format!("<p class=\"question\">{name}<code>{}</code></p>", Text(text))
}

/// What the verdict means, what it is about, and how it came about.
fn about_verdict(report: &Report) -> String {
    let mut out = match meaning(report) {
        "" => String::new(),
        meaning => format!("<p class=\"meaning\">{}</p>", linked(meaning)),
    };
    out += &outcome(report).map_or(String::new(), emphasis);
    let mut facts = vec![duration(report.timing.total)];
    if let (Answer::Holds(_), Some(how)) = (&report.answer, how(report)) {
        facts.push(format!("proved {how}"));
    }
    if report.answer.checked().is_some() {
        facts.push("checked independently".into());
    }
    let _ = write!(out, "<p class=\"facts\">{}</p>", Text(&facts.join(" · ")));
    out
}

/// The last part of a path.
fn file_name(name: &str) -> String {
    if name == "-" {
        return "standard input".to_owned();
    }
    Path::new(name).file_name().and_then(|n| n.to_str()).unwrap_or(name).to_owned()
}

/// The content of a page about one report.
fn alone(report: &Report, collected: &mut Collected) -> String {
    let Parts { above, beside, below } = parts(report, collected);
    [
        trouble::section(report),
        trouble::warnings(report),
        above,
        main_part(std::slice::from_ref(report), &beside),
        checked(report, collected.level),
        below,
    ]
    .concat()
}

/// The content of a page about several reports: each one is shown as a whole beside the source.
fn together(reports: &[Report], collected: &mut Collected) -> String {
    let mut answers = String::new();
    let mut pictures = String::new();
    for (number, report) in reports.iter().enumerate() {
        let verdict = Verdict::of(report);
        let Parts { above, beside, below } = parts(report, collected);
        pictures += &below;
        let _ = write!(
            answers,
            "<article class=\"answer {}\" aria-labelledby=\"answer-{number}\">\
             <header>{}<h2 id=\"answer-{number}\">{}</h2>{}</header>{}{above}{beside}{}</article>",
            verdict.class,
            question(report),
            Text(&verdict.headline),
            about_verdict(report),
            trouble::section(report),
            checked(report, collected.level),
        );
    }
    let warnings = reports.first().map(trouble::warnings).unwrap_or_default();
    warnings + &main_part(reports, &answers) + &pictures
}

/// The source, and beside it what is given, if anything is.
fn main_part(reports: &[Report], beside: &str) -> String {
    let source = reports.iter().find_map(|report| report.source.as_deref());
    let Some(source) = source else {
        return if beside.is_empty() { String::new() } else { column(beside) };
    };
    let marks = marks(reports, source);
    let mut legend = String::new();
    if source.kind == ser_report::Kind::Program {
        legend += "<span class=\"global\">Global</span> <span class=\"local\">local</span> ";
    }
    for (kind, class, words) in [
        (MarkKind::Harmless, "harmless", "harmless"),
        (MarkKind::Blamed, "blamed", "others interfere here"),
    ] {
        if marks.has(kind) {
            let _ = write!(legend, "<span class=\"yield {class}\">yield</span> {words} ");
        }
    }
    let legend = match legend.as_str() {
        "" => String::new(),
        words => format!("<p class=\"legend\">{words}</p>"),
    };
    let listing = format!(
        "<div class=\"box scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Source text\">{}\
         </div>{legend}",
        listing(source, &marks)
    );
    if !has_lines(source.kind) {
        // Nothing points at lines of it.
        return column(beside)
            + "<details class=\"source fold\"><summary><h2>Source</h2></summary>"
            + &listing
            + "</details>";
    }
    let section = format!(
        "<section class=\"source\" aria-labelledby=\"source\"><h2 id=\"source\">Source</h2>\
         {listing}</section>"
    );
    if beside.is_empty() {
        return section;
    }
    let has_run = reports.iter().any(|report| report.answer.run().is_some());
    let class = if has_run { "split" } else { "split proved" };
    format!("<div class=\"{class}\">{section}<div class=\"beside\">{beside}</div></div>")
}

fn column(content: &str) -> String {
    match content {
        "" => String::new(),
        content => format!("<div class=\"beside\">{content}</div>"),
    }
}

/// The line that a listing opens at: the first one of a run, or of a declaration.
fn opens(reports: &[Report]) -> Option<Line> {
    let source = reports.iter().find_map(|report| report.source.as_deref())?;
    let runs = reports.iter().filter_map(|report| report.answer.run());
    let mut of_runs = runs.flat_map(|run| &run.steps).flat_map(|step| &step.lines);
    let of_run = of_runs.next().map(|line| line.line.clone());
    let colours = Colours::of(source.kind, &source.text);
    of_run.or_else(|| Some(source.lines.line(colours.first_declaration(&source.text)?)))
}

/// What to point out in the source.
fn marks<'a>(reports: &'a [Report], source: &Source) -> Marks<'a> {
    const MOST: usize = 100;
    let mut marks = Marks::default();
    for report in reports {
        let errors = match &report.answer {
            Answer::Error(SourceError::Diagnostics(list)) => list.as_slice(),
            _ => &[],
        };
        for it in errors.iter().chain(&report.warnings).take(MOST) {
            let class = if it.is_error() { "error" } else { "warning" };
            marks.add_wrong(&source.lines, it.primary.span, class);
        }
        if let Answer::Unknown(unknown) = &report.answer
            && let Some(span) = unknown.span
        {
            marks.add_wrong(&source.lines, span, "warning");
        }
        let lines = report.marks.iter().filter(|mark| mark.kind != MarkKind::Harmless);
        marks.lines.extend(lines.map(|mark| source.lines.row(mark.span.start)));
        marks.add(report.marks.iter());
        let steps = report.answer.run().into_iter().flat_map(|run| &run.steps);
        marks.lines.extend(steps.flat_map(|step| step.lines.iter().map(|line| line.line.row)));
    }
    marks
}

/// What the checker has established; empty if there was nothing to check.
fn checked(report: &Report, level: u8) -> String {
    let (Some(checked), what) = (
        report.answer.checked(),
        match &report.answer {
            Answer::Violated(_) => "run",
            _ => "proof",
        },
    ) else {
        return String::new();
    };
    format!(
        "<section class=\"checked\"><h{level}>Checked</h{level}>\
         <p>A small independent checker has gone through the {what} step by step and accepted it.\
         </p><p class=\"legend\">What it has established: {}. It uses nothing of the search that \
         found the {what}.</p></section>",
        Text(checked)
    )
}

/// A certificate that belongs to a page.
struct Certificate<'a> {
    text: &'a str,
    /// The name under which it is downloaded.
    name: String,
}

fn certificates(reports: &[Report]) -> Vec<Certificate<'_>> {
    let texts = reports.iter().filter_map(|report| Some((report, report.certificate.as_deref()?)));
    let named = texts.enumerate().map(|(number, (report, text))| {
        let file = if report.file == "-" { "stdin".to_owned() } else { file_name(&report.file) };
        let suffix = if number == 0 { String::new() } else { format!("-{}", number + 1) };
        Certificate { text, name: format!("{file}{suffix}.cert.json") }
    });
    named.collect()
}

/// How to get the same again, and how to check it again.
fn footer(report: &Report, about: &About, certificates: &[Certificate<'_>]) -> String {
    let mut out = String::from("<footer><div class=\"inner\"><h2>Do it yourself</h2>");
    let _ = write!(
        out,
        "<p>This report was made with ser {}:</p>{}",
        env!("CARGO_PKG_VERSION"),
        command(&about.command)
    );
    let source = match report.file.as_str() {
        "-" => "SOURCE".to_owned(),
        name => shell_file(name),
    };
    let mut number = 0;
    for Certificate { text, name } in certificates {
        let saved = shell_file(name);
        let verify = command(&format!("ser verify {saved} --source {source}"));
        let bytes = grouped(text.len());
        if text.len() > MAX_CERTIFICATE {
            let verb = report.source.as_ref().map_or("check", |source| source.kind.command());
            let _ = write!(
                out,
                "<p>The certificate is too large for this page ({bytes} bytes). Write it to a \
                 file, and check it again without the engine that made it:</p>{}{verify}",
                command(&format!("ser {verb} --certificate {saved} {source}"))
            );
            continue;
        }
        let suffix = if number == 0 { String::new() } else { format!("-{}", number + 1) };
        number += 1;
        let _ = write!(
            out,
            "<p>The certificate ({bytes} bytes) is in this page. Download it, and check it again \
             without the engine that made it:</p>{verify}<p class=\"needs-script actions\">\
             <button type=\"button\" id=\"download{suffix}\">Download the certificate</button> \
             <button type=\"button\" id=\"copy{suffix}\">Copy it</button> \
             <span id=\"copied{suffix}\" role=\"status\"></span></p>",
        );
    }
    out + "</div></footer>"
}

/// A command line to copy.
fn command(text: &str) -> String {
    format!("<pre class=\"box command\"><code>{}</code></pre>", Text(text))
}
