//! The report as one HTML file: to look at, to send to somebody, to keep.
//!
//! What is known is written into the page as plain HTML, so that it can be read, searched and printed
//! without scripts. The script (`html/page.js`) only adds what moves: stepping through the
//! interleaving. It gets the steps as JSON. The page needs nothing from anywhere
//! else, and its content security policy keeps it that way.

mod causes;
mod escape;
mod index;
mod lanes;
mod listing;
mod pictures;
mod policy;
mod proof;
mod run;
mod steps;
mod trouble;

pub use escape::Text;
pub use index::{Entry, index};

use crate::shell::quoted;
use escape::{fill, json_in_script};
use listing::{Marks, Pauses, listing};
use policy::policy;
use ser_session::explain::Explanation;
use ser_session::source::{Kind, SourceError};
use ser_session::words;
use ser_session::{Report, Verdict};
use ser_syntax::lexer::{TokenKind, lex};
use serde_json::json;
use std::fmt::Write as _;
use std::path::Path;

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

/// The report as a page.
pub fn page(report: &Report, about: &About) -> String {
    let verdict = Words::of(report);
    let name = file_name(&report.name);
    let title = format!("{name}: {}", verdict.headline.to_lowercase());
    let certificate = report.verdict.certificate().map(|c| c.to_text());
    let mut data = json!({ "refreshes": about.refreshes, "opens": opens(report) });
    if let (Verdict::NotSerializable { steps, .. }, Some(model)) = (&report.verdict, &report.model)
    {
        data["run"] = steps::data(report, model.system(), steps);
    }
    if let Some(text) = certificate.as_ref().filter(|text| text.len() <= MAX_CERTIFICATE) {
        data["certificate"] = json!({ "text": text, "name": certificate_name(&report.name) });
    }
    let content = [
        trouble::section(report),
        causes::section(report),
        main_part(report),
        proof::checked(report),
        pictures::section(report, &name),
    ];
    fill(
        PAGE,
        &[
            ("policy", &Text(&policy(SCRIPT)).to_string()),
            ("title", &Text(&title).to_string()),
            ("class", verdict.class),
            ("style", STYLE),
            ("hero", &hero(report, &verdict)),
            ("content", &content.concat()),
            ("footer", &footer(report, about, certificate.as_ref().map(String::len))),
            ("data", &json_in_script(&data)),
            ("script", SCRIPT),
        ],
    )
}

/// The verdict in words.
struct Words {
    class: &'static str,
    headline: &'static str,
    meaning: String,
}

impl Words {
    fn of(report: &Report) -> Words {
        let (class, headline, meaning) = match &report.verdict {
            Verdict::Serializable { .. } => (
                "good",
                "Serializable",
                "For any number of concurrent requests, every combination of responses also comes from running the requests one after the other.".to_owned(),
            ),
            Verdict::NotSerializable { refutation, .. } => {
                let requests = words::count(refutation.requests, "request");
                ("bad", "Not serializable", format!("{requests} can end with responses that no serial order gives."))
            }
            Verdict::Error(SourceError::Unreadable { .. }) => {
                ("wrong", "Not readable", "There is nothing to check.".to_owned())
            }
            Verdict::Error(_) => {
                ("wrong", "Not understood", "The source has errors, so there is nothing to decide yet.".to_owned())
            }
            _ => ("doubt", "Unknown", "There is neither a proof nor a counterexample.".to_owned()),
        };
        Words { class, headline, meaning }
    }
}

/// The verdict, large.
fn hero(report: &Report, verdict: &Words) -> String {
    let mut out = format!(
        "<p class=\"file\">{}</p><h1><span class=\"badge\" aria-hidden=\"true\"></span>{}</h1>\
         <p class=\"meaning\">{}</p>",
        Text(&report.name),
        verdict.headline,
        Text(&verdict.meaning)
    );
    if let (Verdict::NotSerializable { refutation, .. }, Some(model)) =
        (&report.verdict, &report.model)
    {
        out += "<ul class=\"outcome\">";
        for (outcome, count) in &refutation.outcome {
            let system = model.system();
            let times = if *count > 1 {
                format!(" <span class=\"times\">× {count}</span>")
            } else {
                String::new()
            };
            let _ = write!(
                out,
                "<li><b>{}</b> responds <b>{}</b>{times}</li>",
                Text(system.request_name(outcome.request)),
                Text(system.response_name(outcome.response)),
            );
        }
        out += "</ul>";
    }
    let mut facts = vec![time(report)];
    match &report.verdict {
        Verdict::Serializable { explanation, .. } => {
            facts.push(format!("proved {}", by(explanation)))
        }
        Verdict::NotSerializable { refutation, .. } if refutation.fewest => {
            facts.push("the fewest requests possible".into());
        }
        _ => {}
    }
    if report.verdict.certificate().is_some() {
        facts.push("checked independently".into());
    }
    let _ = write!(out, "<p class=\"facts\">{}</p>", Text(&facts.join(" · ")));
    out
}

/// The method of a proof.
fn by(explanation: &Explanation) -> String {
    match explanation.method {
        "atomic" => "by reductions alone".to_owned(),
        method => format!("by {method}"),
    }
}

fn time(report: &Report) -> String {
    let ms = report.time.as_secs_f64() * 1e3;
    if ms < 100.0 { format!("{ms:.1} ms") } else { format!("{:.2} s", ms / 1e3) }
}

/// The last part of a path.
fn file_name(name: &str) -> String {
    if name == "-" {
        return "standard input".to_owned();
    }
    Path::new(name).file_name().and_then(|n| n.to_str()).unwrap_or(name).to_owned()
}

/// The source, and beside it the run or the proof, if there is one.
fn main_part(report: &Report) -> String {
    let Some(source) = &report.source else { return String::new() };
    let beside = run::section(report) + &proof::section(report);
    let marks = marks(report);
    let legend = match &marks.pauses {
        Pauses::Harmless => "<span class=\"yield harmless\">yield</span> harmless",
        Pauses::Blamed(pauses) if !pauses.is_empty() => {
            "<span class=\"yield blamed\">yield</span> others interfere here"
        }
        _ => "",
    };
    let legend = match (source.kind, legend) {
        (Kind::Program, legend) => format!(
            "<p class=\"legend\"><span class=\"global\">Global</span> <span class=\"local\">local</span> {legend}</p>"
        ),
        (
            Kind::System
            | Kind::Processes
            | Kind::Unwinding
            | Kind::Protocol
            | Kind::Invariants
            | Kind::Net,
            _,
        ) => String::new(),
    };
    let listing = format!(
        "<div class=\"box scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Source text\">{}</div>{legend}",
        listing(source, &marks)
    );
    // A system has no lines that a step could point at.
    let source = match source.kind {
        Kind::Program => format!(
            "<section class=\"source\" aria-labelledby=\"source\"><h2 id=\"source\">Source</h2>{listing}</section>"
        ),
        Kind::System
        | Kind::Processes
        | Kind::Unwinding
        | Kind::Protocol
        | Kind::Invariants
        | Kind::Net => {
            format!(
                "<details class=\"source fold\"><summary><h2>Source</h2></summary>{listing}</details>"
            )
        }
    };
    match (beside.is_empty(), report.source.as_ref().map(|s| s.kind)) {
        (true, _) => source,
        (false, Some(Kind::System)) => beside + &source,
        _ => {
            let class = match &report.verdict {
                Verdict::NotSerializable { .. } => "split",
                _ => "split proved",
            };
            format!("<div class=\"{class}\">{source}<div class=\"beside\">{beside}</div></div>")
        }
    }
}

/// The line that a listing opens at: the first one of the run, or of a request.
fn opens(report: &Report) -> Option<u32> {
    let source = report.source.as_ref().filter(|s| s.kind == Kind::Program)?;
    let of_run = match &report.verdict {
        Verdict::NotSerializable { steps, .. } => steps.iter().flat_map(|s| &s.lines).next(),
        _ => None,
    };
    let of_request = || {
        let token = lex(&source.text).into_iter().find(|t| t.kind == TokenKind::Request)?;
        Some(source.lines.line(token.span.start))
    };
    of_run.map(|line| line.line).or_else(of_request)
}

/// What to point out in the source.
fn marks(report: &Report) -> Marks {
    const MOST: usize = 100;
    let mut marks = Marks::default();
    let Some(source) = &report.source else { return marks };
    let (diagnostics, class): (&[_], _) = match &report.verdict {
        Verdict::Error(SourceError::Diagnostics(list)) => (list, "error"),
        _ => (&report.warnings, "warning"),
    };
    for d in diagnostics.iter().take(MOST) {
        let class = if d.is_error() { class } else { "warning" };
        marks.wrong.push((d.primary.span, class));
        marks.lines.insert(source.lines.line(d.primary.span.start));
    }
    match &report.verdict {
        Verdict::Serializable { .. } => marks.pauses = Pauses::Harmless,
        Verdict::NotSerializable { steps, .. } => {
            marks.lines.extend(steps.iter().flat_map(|s| s.lines.iter().map(|l| l.line)));
            let pauses = report.causes.iter().flat_map(|causes| &causes.pauses);
            marks.pauses =
                Pauses::Blamed(pauses.map(|p| (p.span, causes::blame_words(p))).collect());
        }
        Verdict::TooLarge(error) => {
            if let Some(span) = words::too_large(&report.name, error).1 {
                marks.wrong.push((span, "warning"));
                marks.lines.insert(source.lines.line(span.start));
            }
        }
        _ => {}
    }
    marks
}

/// How to get the same again, and how to check it again.
fn footer(report: &Report, about: &About, certificate: Option<usize>) -> String {
    let mut out = String::from("<footer><div class=\"inner\"><h2>Do it yourself</h2>");
    let _ = write!(
        out,
        "<p>This report was made with ser {}:</p>{}",
        env!("CARGO_PKG_VERSION"),
        command(&about.command)
    );
    let saved = quoted(&certificate_name(&report.name));
    let source = match report.name.as_str() {
        "-" => "SOURCE".to_owned(),
        name => quoted(name),
    };
    let verify = command(&format!("ser verify {saved} --source {source}"));
    match certificate {
        Some(bytes) if bytes <= MAX_CERTIFICATE => {
            let _ = write!(
                out,
                "<p>The certificate ({} bytes) is in this page. Download it, and check it again \
                 without the engine that made it:</p>{verify}<p class=\"needs-script actions\">\
                 <button type=\"button\" id=\"download\">Download the certificate</button> \
                 <button type=\"button\" id=\"copy\">Copy it</button> \
                 <span id=\"copied\" role=\"status\"></span></p>",
                words::grouped(bytes)
            );
        }
        Some(bytes) => {
            let _ = write!(
                out,
                "<p>The certificate is too large for this page ({} bytes). Write it to a file, and \
                 check it again without the engine that made it:</p>{}{verify}",
                words::grouped(bytes),
                command(&format!("ser check --certificate {saved} {source}"))
            );
        }
        None => {}
    }
    out + "</div></footer>"
}

/// A command line to copy.
fn command(text: &str) -> String {
    format!("<pre class=\"box command\"><code>{}</code></pre>", Text(text))
}

/// The name under which the certificate is downloaded.
fn certificate_name(name: &str) -> String {
    format!("{}.cert.json", if name == "-" { "stdin".to_owned() } else { file_name(name) })
}

/// A sentence in which `line 12` leads to that line, requests (`#2`) have their colours, and what is
/// between backquotes is code.
fn linked(text: &str) -> String {
    let mut out = String::new();
    let (mut rest, mut code, mut in_word) = (text, false, false);
    while let Some(first) = rest.chars().next() {
        let lines = ["line ", "lines "].into_iter().find(|w| !in_word && rest.starts_with(w));
        in_word = first.is_alphanumeric();
        if first == '`' {
            out.push_str(if code { "</code>" } else { "<code>" });
            code = !code;
            rest = &rest[1..];
        } else if let Some(word) = lines {
            rest = numbers(&mut out, word, &rest[word.len()..]);
        } else if let Some(number) = rest.strip_prefix('#').map(digits).filter(|d| !d.is_empty()) {
            let hue = run::hue(number.parse().unwrap_or(0));
            let _ = write!(out, "<b class=\"ref hue-{hue}\">#{number}</b>");
            rest = &rest[1 + number.len()..];
        } else {
            let (this, others) = rest.split_at(first.len_utf8());
            let _ = write!(out, "{}", Text(this));
            rest = others;
        }
    }
    if code {
        out.push_str("</code>");
    }
    out
}

/// `line 12`, or `lines 12, 13 and 20`, as links; and the rest of the text.
fn numbers<'a>(out: &mut String, word: &str, mut rest: &'a str) -> &'a str {
    let number = digits(rest);
    if word == "line " && !number.is_empty() {
        let _ = write!(out, "<a href=\"#L{number}\">line {number}</a>");
        return &rest[number.len()..];
    }
    out.push_str(word);
    loop {
        let number = digits(rest);
        if number.is_empty() {
            return rest;
        }
        let _ = write!(out, "<a href=\"#L{number}\">{number}</a>");
        rest = &rest[number.len()..];
        let between = [", ", " and "].into_iter().find(|b| rest.starts_with(b));
        match between {
            Some(b) if !digits(&rest[b.len()..]).is_empty() => {
                out.push_str(b);
                rest = &rest[b.len()..];
            }
            _ => return rest,
        }
    }
}

/// The digits that a text begins with.
fn digits(text: &str) -> &str {
    &text[..text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::linked;

    #[test]
    fn lines_are_links_and_names_are_code() {
        let text = "the pause of `a<b` before line 12: on its own line it is fine";
        assert_eq!(
            linked(text),
            "the pause of <code>a&lt;b</code> before <a href=\"#L12\">line 12</a>: on its own line it is fine"
        );
        assert_eq!(
            linked("lines 2, 3 and 10 of it's #2, pipeline 5"),
            "lines <a href=\"#L2\">2</a>, <a href=\"#L3\">3</a> and <a href=\"#L10\">10</a> of it&#39;s \
             <b class=\"ref hue-1\">#2</b>, pipeline 5"
        );
        assert_eq!(linked("`open & # line"), "<code>open &amp; # line</code>");
    }
}
