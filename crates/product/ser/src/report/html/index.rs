//! The list of pages, for several files at once.

use super::escape::{Text, fill};
use super::policy::policy;
use super::{PAGE, SCRIPT, STYLE, Words, by, time};
use ser_session::words;
use ser_session::{Report, Verdict};
use std::fmt::Write as _;

/// A line of the list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    name: String,
    /// The file name of the page, if there is one.
    page: Option<String>,
    class: &'static str,
    verdict: &'static str,
    detail: String,
    time: String,
}

impl Entry {
    /// The line for a report whose page has this file name, or could not be written.
    pub fn new(report: &Report, page: Option<&str>) -> Entry {
        let words = Words::of(report);
        let detail = match &report.verdict {
            Verdict::Serializable { explanation, .. } => by(explanation),
            Verdict::NotSerializable { refutation, .. } => {
                words::count(refutation.requests, "request")
            }
            Verdict::Error(error) => words::source_error(error),
            _ => String::new(),
        };
        Entry {
            name: report.name.clone(),
            page: page.map(str::to_owned),
            class: words.class,
            verdict: words.headline,
            detail,
            time: time(report),
        }
    }
}

/// The page that lists the pages.
pub fn index(entries: &[Entry]) -> String {
    let mut rows = String::from(
        "<section><div class=\"box scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Files\"><table class=\"files\"><thead><tr>\
         <th scope=\"col\">File</th><th scope=\"col\">Verdict</th><th scope=\"col\">Details</th>\
         <th scope=\"col\">Time</th></tr></thead><tbody>",
    );
    for entry in entries {
        let name = match &entry.page {
            Some(page) => {
                format!("<a href=\"{}\">{}</a>", Text(&address(page)), Text(&entry.name))
            }
            None => Text(&entry.name).to_string(),
        };
        let missing = match entry.page {
            Some(_) => "",
            None => "<p class=\"faint\">There is no page: it could not be written.</p>",
        };
        let _ = write!(
            rows,
            "<tr class=\"{}\"><th scope=\"row\">{name}</th>\
             <td><span class=\"verdict\">{}</span></td><td>{}{missing}</td><td class=\"time\">{}</td></tr>",
            entry.class,
            entry.verdict,
            Text(&entry.detail),
            Text(&entry.time),
        );
    }
    rows += "</tbody></table></div></section>";
    let count = |class: &str| entries.iter().filter(|e| e.class == class).count();
    let parts: Vec<String> = [
        ("good", "serializable"),
        ("bad", "not serializable"),
        ("doubt", "unknown"),
        ("wrong", "with errors"),
    ]
    .iter()
    .filter(|(class, _)| count(class) > 0)
    .map(|(class, words)| format!("{} {words}", words::grouped(count(class))))
    .collect();
    let hero = format!(
        "<h1>{}</h1><p class=\"meaning\">{}</p>",
        words::count(entries.len(), "file"),
        parts.join(", ")
    );
    fill(
        PAGE,
        &[
            ("policy", &Text(&policy(SCRIPT)).to_string()),
            ("title", "ser: reports"),
            ("class", "list"),
            ("style", STYLE),
            ("hero", &hero),
            ("content", &rows),
            ("data", "{}"),
            ("script", SCRIPT),
        ],
    )
}

/// A file name as a relative address.
fn address(name: &str) -> String {
    let mut out = String::from("./");
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'-' => {
                out.push(char::from(byte))
            }
            byte => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}
