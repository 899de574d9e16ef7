//! Why it breaks: the contradiction, the circle of orders, and the pauses that let it happen.

use super::escape::Text;
use super::linked;
use super::run::hue;
use crate::shell;
use ser_model::NetworkSystem;
use ser_session::cause::{Order, PauseBlame};
use ser_session::words;
use ser_session::{Report, Verdict};
use std::fmt::Write as _;

/// At most so many pauses.
const MAX_PAUSES: usize = 20;

/// The section; empty if nothing is known.
pub fn section(report: &Report) -> String {
    let (Verdict::NotSerializable { refutation, .. }, Some(causes), Some(model)) =
        (&report.verdict, &report.causes, &report.model)
    else {
        return String::new();
    };
    if causes.orders.is_empty() && causes.pauses.is_empty() {
        return String::new();
    }
    let system = model.system();
    let mut out = String::from(
        "<section class=\"causes\" aria-labelledby=\"causes\"><h2 id=\"causes\">Why it breaks</h2>",
    );
    if let Some(text) = words::causes::contradiction(system, causes, refutation.requests) {
        let _ = write!(out, "<p class=\"lead\">{}.</p>", linked(&text));
    }
    out += "<div class=\"pair\">";
    if !causes.orders.is_empty() {
        circle(&mut out, system, &causes.orders);
    }
    if !causes.pauses.is_empty() {
        out += "<div><h3>The pauses that let it happen</h3><ul class=\"notes\">";
        for pause in causes.pauses.iter().take(MAX_PAUSES) {
            blame(&mut out, pause);
        }
        if causes.pauses.len() > MAX_PAUSES {
            let _ = write!(out, "<li>… and {} more</li>", causes.pauses.len() - MAX_PAUSES);
        }
        out += "</ul></div>";
    }
    out += "</div>";
    if report.name != "-" && !causes.pauses.is_empty() {
        let _ = write!(
            out,
            "<p class=\"legend\"><code>ser repair {}</code> looks for changes that make it \
             serializable, and proves them.</p>",
            Text(&shell::file(&report.name))
        );
    }
    out + "</section>"
}

/// The orders, as arrows that come back to where they started, and as sentences.
fn circle(out: &mut String, system: &NetworkSystem, orders: &[Order]) {
    out.push_str("<div><h3>No order of these requests works</h3><p class=\"circle\">");
    let request = |out: &mut String, number: u32| {
        let _ = write!(out, "<b class=\"knot hue-{}\">#{number}</b>", hue(number));
    };
    if let Some(first) = orders.first() {
        request(out, first.first);
    }
    for order in orders {
        let name = &system.variables()[order.variable.index()].name;
        let _ = write!(out, "<span class=\"before\"><i>{}</i></span>", Text(name));
        request(out, order.second);
    }
    out.push_str("</p><ul class=\"plain\">");
    for order in orders {
        let _ = write!(out, "<li>{}.</li>", linked(&words::causes::order(system, order)));
    }
    out.push_str("</ul></div>");
}

/// What is known about a pause, for those who point at it.
pub fn blame_words(pause: &PauseBlame) -> String {
    let races = match pause.races.is_empty() {
        true => "Other requests interfere here.".to_owned(),
        false => format!("Meanwhile {}.", words::causes::races(pause)),
    };
    let words = match words::causes::verdict(pause) {
        Some(verdict) => format!("{races} {verdict}."),
        None => races,
    };
    words.replace('`', "")
}

fn blame(out: &mut String, pause: &PauseBlame) {
    let class = if pause.removal_repairs == Some(true) { "error" } else { "warning" };
    let place = format!("`yield` on line {} of `{}`", pause.line, pause.handler);
    let _ = write!(out, "<li class=\"{class}\"><p><b>{}</b></p>", linked(&place));
    if !pause.races.is_empty() {
        let _ = write!(out, "<p>Meanwhile {}.</p>", linked(&words::causes::races(pause)));
    }
    if let Some(verdict) = words::causes::verdict(pause) {
        let _ = write!(out, "<p class=\"place\">{}.</p>", linked(&verdict));
    }
    out.push_str("</li>");
}
