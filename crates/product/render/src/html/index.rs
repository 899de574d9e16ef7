//! The list of pages, for several files at once.

use super::verdict::{Verdict, how};
use super::{Page, words::linked};
use crate::address;
use ser_draw::Text;
use ser_report::text::{count, duration, grouped};
use ser_report::{Answer, Report};
use serde_json::json;
use std::fmt::Write as _;

/// A line of the list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    file: String,
    /// The file name of the page, if there is one.
    page: Option<String>,
    verdict: Verdict,
    detail: String,
    time: String,
}

impl Entry {
    /// The line for a report whose page has this file name, or could not be written.
    pub fn new(report: &Report, page: Option<&str>) -> Entry {
        let mut details = Vec::new();
        details.extend(report.question.name.as_ref().or(report.question.text.as_ref()).cloned());
        details.extend(how(report));
        if let Answer::Error(error) = &report.answer {
            details.push(error.sentence());
        }
        Entry {
            file: report.file.clone(),
            page: page.map(str::to_owned),
            verdict: Verdict::of(report),
            detail: details.join(": "),
            time: duration(report.timing.total),
        }
    }
}

/// The page that lists the pages.
pub fn index(entries: &[Entry]) -> String {
    let mut rows = String::from(
        "<section><div class=\"box scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Files\">\
         <table class=\"files\"><thead><tr><th scope=\"col\">File</th>\
         <th scope=\"col\">Verdict</th><th scope=\"col\">Details</th>\
         <th scope=\"col\">Time</th></tr></thead><tbody>",
    );
    for entry in entries {
        let file = Text(&entry.file);
        let (name, missing) = match &entry.page {
            Some(page) => (format!("<a href=\"./{}\">{file}</a>", address::escaped(page)), ""),
            None => (
                file.to_string(),
                "<p class=\"faint\">There is no page: it could not be written.</p>",
            ),
        };
        let _ = write!(
            rows,
            "<tr class=\"{}\"><th scope=\"row\">{name}</th>\
             <td><span class=\"verdict\">{}</span></td><td>{}{missing}</td>\
             <td class=\"time\">{}</td></tr>",
            entry.verdict.class,
            Text(&entry.verdict.headline),
            linked(&entry.detail),
            Text(&entry.time),
        );
    }
    rows += "</tbody></table></div></section>";
    let hero = format!(
        "<h1>{}</h1><p class=\"meaning\">{}</p>",
        count(entries.len(), "file"),
        Text(&summary(entries.iter().map(|entry| &entry.verdict)))
    );
    let data = json!({});
    Page { title: "ser: reports", class: "list", hero: &hero, content: &rows, footer: "", data }
        .html()
}

/// `2 serializable, 1 with errors`.
pub fn summary<'a>(verdicts: impl Iterator<Item = &'a Verdict>) -> String {
    let mut counts: Vec<(&Verdict, usize)> = Vec::new();
    for verdict in verdicts {
        match counts.iter_mut().find(|(other, _)| other.summary() == verdict.summary()) {
            Some((_, count)) => *count += 1,
            None => counts.push((verdict, 1)),
        }
    }
    counts.sort_by_key(|(verdict, _)| (verdict.rank(), verdict.summary()));
    let words = counts.iter().map(|(it, count)| format!("{} {}", grouped(*count), it.summary()));
    words.collect::<Vec<_>>().join(", ")
}
