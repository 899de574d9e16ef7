//! Sections and their blocks, and where they stand on the page: what explains a run above it, the
//! run and everything else beside the source, pictures at the end.

use super::colours::Colours;
use super::run::{Figure, name_parts};
use super::steps;
use super::trouble::{self, Place};
use super::words::{hue, linked, sentence};
use ser_draw::Text;
use ser_report::text::{count, grouped};
use ser_report::{Answer, Block, Detail, Picture, Report, Run, Table};
use ser_syntax::LineIndex;
use serde_json::Value;
use std::fmt::Write as _;

/// At most so many rows of a table.
const MAX_ROWS: usize = 300;

/// What is counted and collected while a page is written: ids must not occur twice.
#[derive(Debug)]
pub struct Collected {
    /// The runs, as data for the script.
    pub runs: Vec<Value>,
    /// The level of headings: 2, or 3 if every report has a heading of its own.
    pub level: u8,
    sections: usize,
    pictures: usize,
}

impl Collected {
    pub fn new(level: u8) -> Collected {
        Collected { runs: Vec::new(), level, sections: 0, pictures: 0 }
    }
}

/// The parts of a report.
#[derive(Debug, Default)]
pub struct Parts {
    pub above: String,
    pub beside: String,
    pub below: String,
}

/// The lines that stand out at the very beginning: they are shown with the verdict. Further down,
/// they belong to what stands around them.
pub fn outcome(report: &Report) -> Option<&[String]> {
    match report.sections.first()?.blocks.as_slice() {
        [Block::Text(_), Block::Emphasis(lines), ..] => Some(lines),
        _ => None,
    }
}

pub fn parts(report: &Report, page: &mut Collected) -> Parts {
    let mut writer = Writer { report, page };
    let mut parts = Parts::default();
    let pieces = pieces(report);
    // A run that no section speaks of.
    let shows_run = pieces.iter().any(|piece| piece.run.is_some());
    if let (false, Some(run)) = (shows_run, report.answer.run()) {
        parts.beside += &writer.run(run, &run.title, "");
    }
    // A cycle in the precedence graph explains the run, together with the words around it.
    let is_explained = pieces.iter().any(|piece| piece.any(|it| matches!(it, Block::Cycle(_))));
    let is_violated = matches!(report.answer, Answer::Violated(_));
    let mut explanations = Vec::new();
    let mut is_before_run = shows_run;
    for piece in &pieces {
        is_before_run &= piece.run.is_none();
        let html = writer.piece(piece);
        if piece.is_pictures() || piece.is_folded() {
            parts.below += &html;
        } else if piece.run.is_some() || !is_violated {
            parts.beside += &html;
        } else if piece.is_short() && (is_before_run || is_explained) {
            explanations.push(html);
        } else if is_before_run {
            parts.above += &html;
        } else {
            parts.beside += &html;
        }
    }
    parts.above += &match explanations.as_slice() {
        [_, _, ..] => format!("<div class=\"pair\">{}</div>", explanations.concat()),
        _ => explanations.concat(),
    };
    parts
}

/// A part of a section: a run with the words right before it, or blocks between runs.
#[derive(Default)]
struct Piece<'a> {
    title: &'a str,
    blocks: Vec<&'a Block>,
    run: Option<usize>,
    detail: Detail,
}

/// The pieces of all sections, without what is at the top of the page: what the verdict means, and
/// the lines that stand out most.
fn pieces(report: &Report) -> Vec<Piece<'_>> {
    let meaning = report.meaning.trim_end_matches('.');
    let mut out: Vec<Piece<'_>> = Vec::new();
    let outcome = outcome(report);
    for section in &report.sections {
        let title = section.title.as_deref().unwrap_or_default();
        let detail = section.detail;
        let mut piece = Piece { title, detail, ..Piece::default() };
        for block in &section.blocks {
            match block {
                Block::Emphasis(lines) if outcome.is_some_and(|it| std::ptr::eq(it, &**lines)) => {}
                Block::Text(text) if text.trim_end_matches(['.', ':']) == meaning => {}
                Block::Text(text) if piece.is_untitled() && text.starts_with("Why: ") => {
                    piece.title = text;
                }
                Block::Run(number) => {
                    let lead = piece.blocks.pop_if(|it| matches!(it, Block::Text(_)));
                    let blocks = lead.into_iter().collect();
                    let title = std::mem::take(&mut piece.title);
                    out.push(std::mem::replace(&mut piece, Piece { detail, ..Piece::default() }));
                    out.push(Piece { title, blocks, run: Some(*number), detail });
                }
                block => piece.blocks.push(block),
            }
        }
        out.push(piece);
    }
    let is_something =
        |it: &Piece<'_>| it.run.is_some() || !it.blocks.is_empty() || it.title.starts_with("Why: ");
    out.retain(is_something);
    out
}

impl Piece<'_> {
    fn is_untitled(&self) -> bool {
        self.title.is_empty() && self.blocks.is_empty()
    }

    fn any(&self, is: impl Fn(&Block) -> bool) -> bool {
        self.blocks.iter().any(|block| is(block))
    }

    fn is_pictures(&self) -> bool {
        let of_pictures = |it: &Block| matches!(it, Block::Picture(_) | Block::Text(_));
        let has_picture = self.any(|it| matches!(it, Block::Picture(_)));
        (has_picture || self.title == "Pictures") && !self.any(|it| !of_pictures(it))
    }

    /// Whether it is long, and only for some readers: it is folded, at the end.
    fn is_folded(&self) -> bool {
        let is_long = |it: &Block| matches!(it, Block::Table(_) | Block::Code(_));
        self.detail == Detail::Verbose && !self.title.is_empty() && self.any(is_long)
    }

    /// Whether it is words alone, so that several of them fit beside each other.
    fn is_short(&self) -> bool {
        self.blocks.iter().all(|block| match block {
            Block::Text(_) | Block::Remark(_) | Block::Emphasis(_) | Block::Quote(_) => true,
            Block::Points(_) | Block::Line(_) | Block::Cycle(_) | Block::Help(_) => true,
            Block::Run(_) | Block::Code(_) | Block::Snippet { .. } => false,
            Block::Table(_) | Block::Picture(_) => false,
        })
    }
}

struct Writer<'a> {
    report: &'a Report,
    page: &'a mut Collected,
}

impl<'a> Writer<'a> {
    fn piece(&mut self, piece: &Piece<'_>) -> String {
        if let Some(number) = piece.run {
            let Some(run) = self.find_run(number) else { return String::new() };
            let title = if piece.title.is_empty() { &run.title } else { piece.title };
            let lead = match piece.blocks.first() {
                Some(Block::Text(text)) => text.as_str(),
                _ => "",
            };
            // `The interleaving: 2 requests` is a heading and words, too.
            let lead = lead.strip_prefix(title).map_or(lead, |lead| lead.trim_start_matches(": "));
            return self.run(run, title, lead);
        }
        let class = if piece.is_pictures() { "pictures" } else { "words" };
        let words: String = piece.blocks.iter().map(|block| self.block(block)).collect();
        if piece.is_folded() {
            let (level, title) = (self.page.level, linked(piece.title.trim_end_matches(':')));
            return format!(
                "<details class=\"fold words\"><summary><h{level}>{title}</h{level}></summary>\
                 {words}</details>"
            );
        }
        self.titled(class, piece.title, &words)
    }

    /// Words below a heading. A title of the form `Why: because` is a heading and a sentence.
    fn titled(&mut self, class: &str, title: &str, words: &str) -> String {
        if title.is_empty() {
            return format!("<section class=\"{class}\">{words}</section>");
        }
        self.page.sections += 1;
        let (level, id) = (self.page.level, self.page.sections);
        let (heading, about) = match title.split_once(": ") {
            Some((heading, about)) => {
                (heading, format!("<p class=\"lead\">{}</p>", sentence(about)))
            }
            None => (title.trim_end_matches([':', '.']), String::new()),
        };
        format!(
            "<section class=\"{class}\" aria-labelledby=\"s{id}\"><h{level} id=\"s{id}\">{}\
             </h{level}>{about}{words}</section>",
            linked(heading)
        )
    }

    fn find_run(&self, number: usize) -> Option<&'a Run> {
        match &self.report.answer {
            Answer::Violated(violation) => violation.runs.get(number),
            _ => None,
        }
    }

    fn run(&mut self, run: &Run, title: &str, lead: &str) -> String {
        let suffix = match self.page.runs.len() {
            0 => String::new(),
            others => format!("-{}", others + 1),
        };
        let figure = Figure { run, source: self.report.source.as_deref(), suffix: &suffix };
        self.page.runs.push(steps::data(&figure));
        figure.section(title, lead, self.page.level)
    }

    fn block(&mut self, block: &Block) -> String {
        match block {
            Block::Text(text) => format!("<p>{}</p>", linked(text)),
            Block::Remark(text) => format!("<p class=\"legend\">{}</p>", linked(text)),
            Block::Emphasis(lines) => emphasis(lines),
            Block::Quote(lines) => {
                let items: String =
                    lines.iter().map(|line| format!("<li>{}</li>", Text(line))).collect();
                format!("<ul class=\"quote\">{items}</ul>")
            }
            Block::Points(points) => trouble::points(&points.items),
            Block::Run(_) => String::new(),
            Block::Code(text) => self.code(text),
            Block::Line(span) => match &self.report.source {
                Some(source) => {
                    let line = source.lines.line(span.start);
                    let code = Colours::of(source.kind, &source.text)
                        .painted(source.lines.row_text(line.row).trim());
                    let line = Text(&line.to_string()).to_string();
                    format!(
                        "<p class=\"excerpt\"><a href=\"#L{line}\">{line}</a> \
                         <code>{code}</code></p>"
                    )
                }
                None => String::new(),
            },
            Block::Snippet { diagnostic, other } => {
                let lines = other.as_ref().map(|(_, text)| LineIndex::new(text));
                let of_source = self.report.source.as_ref().map(|source| &source.lines);
                let place = Place {
                    lines: lines.as_ref().or(of_source),
                    other: other.as_ref().map(|(name, _)| name.as_str()),
                };
                format!("<ul class=\"notes\">{}</ul>", trouble::snippet(diagnostic, place))
            }
            Block::Table(table) => self::table(table),
            Block::Cycle(edges) => self.cycle(edges),
            Block::Picture(picture) => {
                self.page.pictures += 1;
                self::picture(picture, &format!("picture-{}-", self.page.pictures))
            }
            Block::Help(text) => {
                format!("<p class=\"help\"><b>Help:</b> {}</p>", linked(text))
            }
        }
    }

    fn code(&self, text: &str) -> String {
        let source = self.report.source.as_deref();
        let colours = source.map(|it| Colours::of(it.kind, &it.text));
        // A line at a time, because a text has no line ends.
        let lines = text.trim_end().lines();
        let lines = lines.map(|line| match &colours {
            Some(colours) => colours.painted(line),
            None => Text(line).to_string(),
        });
        format!(
            "<div class=\"box scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Program\">\
             <pre class=\"program\"><code>{}</code></pre></div>",
            lines.collect::<Vec<_>>().join("\n")
        )
    }

    /// Who is before whom, as arrows that come back to where they started.
    fn cycle(&self, edges: &[(usize, String)]) -> String {
        let lanes = self.report.answer.run().map_or(&[][..], |run| &run.lanes);
        let knot = |lane: usize| {
            let number = format!("#{}", lane + 1);
            let name = lanes.get(lane).map_or(number.as_str(), |lane| name_parts(lane).0);
            format!("<b class=\"knot hue-{}\">{}</b>", hue(lane), Text(name))
        };
        let Some((first, _)) = edges.first() else { return String::new() };
        let mut out = String::from("<p class=\"circle\">");
        for (lane, variable) in edges {
            let _ = write!(
                out,
                "{}<span class=\"before\"><i>{}</i></span>",
                knot(*lane),
                Text(variable)
            );
        }
        out + &knot(*first) + "</p>"
    }
}

/// Lines that stand out.
pub fn emphasis(lines: &[String]) -> String {
    let items: String = lines.iter().map(|line| format!("<li>{}</li>", linked(line))).collect();
    format!("<ul class=\"outcome\">{items}</ul>")
}

fn table(table: &Table) -> String {
    let mut out = String::from(
        "<div class=\"box scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\">\
         <table class=\"table\">",
    );
    if !table.header.is_empty() {
        out += "<thead><tr>";
        for cell in &table.header {
            let _ = write!(out, "<th scope=\"col\">{}</th>", linked(cell));
        }
        out += "</tr></thead>";
    }
    out += "<tbody>";
    for row in table.rows.iter().take(MAX_ROWS) {
        out += "<tr>";
        for cell in row {
            let _ = write!(out, "<td>{}</td>", linked(cell));
        }
        out += "</tr>";
    }
    out += "</tbody></table></div>";
    if table.rows.len() > MAX_ROWS {
        let more = count(table.rows.len() - MAX_ROWS, "more row");
        let _ = write!(out, "<p class=\"legend\">{more} left out.</p>");
    }
    out
}

fn picture(picture: &Picture, prefix: &str) -> String {
    let title = Text(&picture.title);
    let count = count(picture.all, &picture.noun);
    let mut out = format!(
        "<details class=\"fold\"><summary><h3>{title}</h3> <span class=\"faint\">{}</span>\
         </summary><p>{}</p>",
        Text(&count),
        linked(&picture.about)
    );
    if picture.shown < picture.all {
        let _ = write!(
            out,
            "<p class=\"legend\">Drawn: {} of {}, those that the report is about or that are \
             closest to the start.</p>",
            grouped(picture.shown),
            Text(&count),
        );
    }
    let _ = match picture.graph.svg_element(prefix) {
        Ok(svg) => write!(
            out,
            "<div class=\"picture\"><p class=\"zoom needs-script\">\
             <button type=\"button\" data-zoom=\"0.8\" aria-label=\"Smaller\">−</button>\
             <button type=\"button\" data-zoom=\"0\" aria-label=\"Original size\">1:1</button>\
             <button type=\"button\" data-zoom=\"1.25\" aria-label=\"Larger\">+</button></p>\
             <div class=\"box scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\">{svg}\
             </div></div>"
        ),
        Err(error) => write!(out, "<p>{}</p>", Text(&error.to_string())),
    };
    out + "</details>"
}
