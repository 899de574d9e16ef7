//! Text from reports as HTML: `code` between backquotes, links to lines, colours of lanes.

use ser_draw::Text;
use ser_report::text::capitalised;
use std::fmt::Write as _;

/// How many colours there are for lanes.
const HUES: usize = 8;

/// The number of the colour of a lane; lanes are counted from 0.
pub fn hue(lane: usize) -> usize {
    lane % HUES
}

/// A sentence with a capital letter and a full stop.
pub fn sentence(text: &str) -> String {
    stopped(&capitalised(text))
}

/// Text with a full stop. It may begin with a name, which stays as it is.
pub fn stopped(text: &str) -> String {
    let stop = if text.ends_with(['.', '!', '?', ':']) { "" } else { "." };
    linked(text) + stop
}

/// Text in which `line 12` leads to that line, requests (`#2`) have their colours, and what is
/// between backquotes is code.
pub fn linked(text: &str) -> String {
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
            let lane = number.parse::<usize>().unwrap_or(1).saturating_sub(1);
            let _ = write!(out, "<b class=\"ref hue-{}\">#{number}</b>", hue(lane));
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
    let number = line(rest);
    if word == "line " && !number.is_empty() {
        let _ = write!(out, "<a href=\"#L{0}\">line {0}</a>", Text(number));
        return &rest[number.len()..];
    }
    out.push_str(word);
    loop {
        let number = line(rest);
        if number.is_empty() {
            return rest;
        }
        let _ = write!(out, "<a href=\"#L{0}\">{0}</a>", Text(number));
        rest = &rest[number.len()..];
        let between = [", ", " and "].into_iter().find(|b| rest.starts_with(b));
        match between {
            Some(b) if !line(&rest[b.len()..]).is_empty() => {
                out.push_str(b);
                rest = &rest[b.len()..];
            }
            _ => return rest,
        }
    }
}

/// The line that a text begins with: digits, behind the name of a file or not.
fn line(text: &str) -> &str {
    let number = digits(text);
    let end = text.find([' ', ',', '\n']).unwrap_or(text.len());
    match text[..end].find(".ser:").filter(|_| number.is_empty()) {
        Some(at) => {
            let number = digits(&text[at + ".ser:".len()..]);
            if number.is_empty() { "" } else { &text[..at + ".ser:".len() + number.len()] }
        }
        None => number,
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
        let text = "the yield of `a<b` before line 12: on its own line it is fine";
        assert_eq!(
            linked(text),
            "the yield of <code>a&lt;b</code> before <a href=\"#L12\">line 12</a>: \
             on its own line it is fine"
        );
        assert_eq!(
            linked("lines 2, 3 and 10 of it's #2, pipeline 5"),
            "lines <a href=\"#L2\">2</a>, <a href=\"#L3\">3</a> and <a href=\"#L10\">10</a> of \
             it&#39;s <b class=\"ref hue-1\">#2</b>, pipeline 5"
        );
        assert_eq!(
            linked("lines 2 and a&b.ser:3, line stock.ser:12, line x.ser:"),
            "lines <a href=\"#L2\">2</a> and <a href=\"#La&amp;b.ser:3\">a&amp;b.ser:3</a>, \
             <a href=\"#Lstock.ser:12\">line stock.ser:12</a>, line x.ser:"
        );
        assert_eq!(linked("`open & # line"), "<code>open &amp; # line</code>");
    }
}
