//! A graph as SVG.
//!
//! The picture is on its own: no fonts, scripts or other files. Colours follow the reader's choice
//! of light or dark. Title and description are there for those who do not see it.

use crate::escape::Text;
use crate::layout::{Placed, Point, Problem, Size, place};
use crate::{Direction, GROUPS, Graph, Line, Node, Shape, Tone};
use ser_base::visible;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The most nodes of a picture.
pub const MAX_NODES: usize = 400;

/// A graph that makes no legible picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a picture of {nodes} nodes and {edges} edges would not be legible")]
pub struct TooLarge {
    pub nodes: usize,
    pub edges: usize,
}

/// The width of a character and the height of a line. Fonts differ; this is on the safe side.
const CHARACTER: f64 = 6.7;
const LINE: f64 = 14.0;
const MARGIN: f64 = 16.0;
const TITLE: f64 = 26.0;
const RADIUS: f64 = 10.0;
const LOOP: f64 = 18.0;

/// So far from the middle of a side two edges in opposite directions end.
const APART: f64 = 5.0;

/// The most lines of a label.
const MAX_LINES: usize = 8;

/// The most characters of a line.
const MAX_CHARACTERS: usize = 60;

const STYLE: &str = "\
.bg{fill:#fff}text{fill:#1b1f24;font:11px ui-monospace,Menlo,Consolas,monospace;text-anchor:middle}\
.title{font:bold 13px system-ui,sans-serif;text-anchor:start}\
.shape{fill:#fff;stroke:#57606a;stroke-width:1.2}.bar{fill:#57606a}.point{fill:#57606a}\
.shared{fill:#ddf4ff;stroke:#0969da}.begin{fill:#dafbe1;stroke:#1a7f37}\
.end{fill:#ffebe9;stroke:#cf222e}.marked{stroke-width:2.6}.token{fill:#0969da}\
.edge{fill:none;stroke:#8c959f;stroke-width:1.1}.head{fill:#8c959f}\
.label{font-size:10px;paint-order:stroke;stroke:#fff;stroke-width:3px}\
@media (prefers-color-scheme:dark){\
.bg{fill:#0d1117}text{fill:#e6edf3}.shape{fill:#161b22;stroke:#8b949e}\
.bar{fill:#8b949e}.point{fill:#8b949e}\
.shared{fill:#0c2d4d;stroke:#58a6ff}.begin{fill:#0f2f1a;stroke:#3fb950}\
.end{fill:#3c1618;stroke:#f85149}.token{fill:#58a6ff}\
.edge{stroke:#6e7681}.head{fill:#6e7681}.label{stroke:#0d1117}}";

/// For pictures with groups, or with edges that are not lines.
const MORE_STYLE: &str = "\
.dashed{stroke-dasharray:6 4}.dotted{stroke-dasharray:1.5 4}\
.group0{fill:#ddf4ff;stroke:#0969da}.group1{fill:#fff8c5;stroke:#9a6700}\
.group2{fill:#fbefff;stroke:#8250df}.group3{fill:#dafbe1;stroke:#1a7f37}\
.group4{fill:#fff1e5;stroke:#bc4c00}.group5{fill:#ffeff7;stroke:#bf3989}\
@media (prefers-color-scheme:dark){\
.group0{fill:#0c2d4d;stroke:#58a6ff}.group1{fill:#2f2611;stroke:#d29922}\
.group2{fill:#271b3d;stroke:#bc8cff}.group3{fill:#0f2f1a;stroke:#3fb950}\
.group4{fill:#38210f;stroke:#f0883e}.group5{fill:#3b1a2c;stroke:#f778ba}}";

impl Graph {
    /// The graph as SVG, unless it is too large to be legible.
    pub fn svg(&self) -> Result<String, TooLarge> {
        self.drawn(None)
    }

    /// The graph as an `<svg>` element for a page that holds other pictures too. Its ids start with
    /// `prefix`. It brings no style of its own, because that would be the style of the whole page.
    pub fn svg_element(&self, prefix: &str) -> Result<String, TooLarge> {
        self.drawn(Some(prefix))
    }

    fn drawn(&self, prefix: Option<&str>) -> Result<String, TooLarge> {
        let too_large = TooLarge { nodes: self.nodes.len(), edges: self.edges.len() };
        if self.nodes.len() > MAX_NODES {
            return Err(too_large);
        }
        let arrows = self.arrows();
        let mut sizes: Vec<(f64, f64)> = self.nodes.iter().map(node_size).collect();
        for arrow in arrows.iter().filter(|a| a.from == a.to) {
            // Loops are above; the node stays in the middle.
            let (width, height) = text_size(&arrow.label);
            let size = &mut sizes[arrow.from];
            *size = (size.0.max(width).max(32.0), size.1 + 2.0 * (LOOP + height));
        }
        let boxes = sizes.into_iter().map(|size| self.turned(size)).collect();
        let mut problem = Problem { boxes, ..Problem::default() };
        for arrow in arrows.iter().filter(|a| a.from != a.to) {
            let label = (!arrow.label.is_empty()).then(|| self.turned(text_size(&arrow.label)));
            problem.edges.push((arrow.from, arrow.to, label));
        }
        let placed = place(&problem).ok_or(too_large)?;
        Ok(Drawing { graph: self, placed, prefix, out: String::new() }.draw(&arrows))
    }

    /// The style that only some pictures need.
    fn more_style(&self) -> &'static str {
        let has_groups = self.nodes.iter().any(|node| matches!(node.tone, Tone::Group(_)));
        let has_gaps = self.edges.iter().any(|edge| edge.line != Line::Solid);
        if has_groups || has_gaps { MORE_STYLE } else { "" }
    }

    /// A size, or a point, in the other directions: layouts go along, pictures go right.
    fn turned(&self, (right, down): (f64, f64)) -> Size {
        match self.direction {
            Direction::Right => Size { along: right, across: down },
            Direction::Down => Size { along: down, across: right },
        }
    }

    /// The edges, with all labels of edges between the same two nodes as lines of one.
    fn arrows(&self) -> Vec<Arrow> {
        let mut all: BTreeMap<(usize, usize), (Line, Vec<String>)> = BTreeMap::new();
        for edge in &self.edges {
            if edge.from < self.nodes.len() && edge.to < self.nodes.len() {
                let (line, lines) =
                    all.entry((edge.from, edge.to)).or_insert((edge.line, Vec::new()));
                *line = (*line).min(edge.line);
                lines.extend(edge.label.lines().map(shortened));
            }
        }
        let arrow = |((from, to), (line, mut label)): ((usize, usize), (Line, Vec<String>))| {
            if label.len() > MAX_LINES {
                let more = label.len() + 1 - MAX_LINES;
                label.truncate(MAX_LINES - 1);
                label.push(format!("and {more} more"));
            }
            Arrow { from, to, label, line, has_opposite: false }
        };
        let pairs: BTreeSet<(usize, usize)> = all.keys().copied().collect();
        let arrows = all.into_iter().map(arrow);
        arrows.map(|it| Arrow { has_opposite: pairs.contains(&(it.to, it.from)), ..it }).collect()
    }
}

/// All edges between two nodes.
struct Arrow {
    from: usize,
    to: usize,
    /// Its lines.
    label: Vec<String>,
    /// The most solid one of the edges.
    line: Line,
    /// Whether there is one the other way round: their ends must not meet.
    has_opposite: bool,
}

impl Arrow {
    fn class(&self) -> &'static str {
        match self.line {
            Line::Solid => "edge",
            Line::Dashed => "edge dashed",
            Line::Dotted => "edge dotted",
        }
    }
}

fn shortened(line: &str) -> String {
    let line = visible(line);
    if line.chars().count() <= MAX_CHARACTERS {
        return line;
    }
    let mut short: String = line.chars().take(MAX_CHARACTERS - 1).collect();
    short.push('…');
    short
}

fn lines(node: &Node) -> Vec<String> {
    node.label.lines().take(MAX_LINES).map(shortened).collect()
}

/// Width and height of lines.
fn text_size(lines: &[String]) -> (f64, f64) {
    let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    (longest as f64 * CHARACTER, lines.len() as f64 * LINE)
}

/// Width and height of a node.
fn node_size(node: &Node) -> (f64, f64) {
    let (width, height) = text_size(&lines(node));
    match node.shape {
        Shape::Box | Shape::Rounded => (width + 14.0, height + 8.0),
        Shape::Diamond => (width + 34.0, height + 10.0),
        // The label is below, and the circle in the middle.
        Shape::Circle | Shape::DoubleCircle => (width.max(24.0), 24.0 + 2.0 * height),
        Shape::Bar => (7.0, 24.0),
        Shape::Point => (8.0, 8.0),
    }
}

struct Drawing<'a> {
    graph: &'a Graph,
    placed: Placed,
    /// How ids start in a page with other pictures; nothing in a picture on its own.
    prefix: Option<&'a str>,
    out: String,
}

impl Drawing<'_> {
    fn draw(mut self, arrows: &[Arrow]) -> String {
        let (width, height) = self.at((self.placed.size.along, self.placed.size.across));
        let title_width = self.graph.title.chars().count() as f64 * 8.0;
        let (width, height) = (width.max(title_width) + MARGIN, height + MARGIN);
        let (title, about) = (escaped(&self.graph.title), escaped(&self.graph.description));
        let ids = escaped(self.prefix.unwrap_or(""));
        let style = match self.prefix {
            Some(_) => String::new(),
            None => format!("<style>{STYLE}{}</style>\n", self.graph.more_style()),
        };
        let _ = write!(
            self.out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" \
             aria-labelledby=\"{ids}title {ids}description\">\n\
             <title id=\"{ids}title\">{title}</title>\n<desc id=\"{ids}description\">{about}</desc>\n\
             {style}<defs><marker id=\"{ids}head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" \
             markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">\
             <path class=\"head\" d=\"M0 0 8 4 0 8Z\"/></marker></defs>\n\
             <rect class=\"bg\" width=\"100%\" height=\"100%\"/>\n\
             <text class=\"title\" x=\"{MARGIN}\" y=\"20\">{title}</text>\n"
        );
        let routes: Vec<(Vec<Point>, Option<Point>)> = self.placed.edges.clone();
        let mut routes = routes.into_iter();
        for arrow in arrows {
            if arrow.from == arrow.to {
                self.loop_at(arrow);
            } else if let Some((bends, label)) = routes.next() {
                self.arrow(arrow, &bends, label);
            }
        }
        for (at, node) in self.graph.nodes.iter().enumerate() {
            self.node(node, self.at(self.placed.boxes[at]));
        }
        self.out.push_str("</svg>\n");
        self.out
    }

    /// The attribute that gives an edge its head.
    fn head(&self) -> String {
        format!("marker-end=\"url(#{}head)\"", escaped(self.prefix.unwrap_or("")))
    }

    /// From the directions of the layout to those of the picture.
    fn at(&self, (along, across): Point) -> Point {
        let (x, y) = match self.graph.direction {
            Direction::Right => (along, across),
            Direction::Down => (across, along),
        };
        (x + MARGIN, y + MARGIN + TITLE)
    }

    fn node(&mut self, node: &Node, (x, y): Point) {
        let tone = match node.tone {
            Tone::Plain => String::new(),
            Tone::Shared => " shared".to_owned(),
            Tone::Begin => " begin".to_owned(),
            Tone::End => " end".to_owned(),
            Tone::Group(group) => format!(" group{}", group % GROUPS),
        };
        let marked = if node.is_marked { " marked" } else { "" };
        let class = format!("class=\"shape{tone}{marked}\"");
        let (width, height) = node_size(node);
        let (left, top) = (x - width / 2.0, y - height / 2.0);
        self.out.push_str("<g>");
        let hint =
            if node.hint.is_empty() && node.shape == Shape::Bar { &node.label } else { &node.hint };
        if !hint.is_empty() {
            let _ = write!(self.out, "<title>{}</title>", escaped(hint));
        }
        let circle = |out: &mut String, class: &str, radius: f64| {
            let _ = write!(out, "<circle {class} cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>");
        };
        let text = lines(node);
        match node.shape {
            Shape::Box | Shape::Rounded => {
                let round = if node.shape == Shape::Rounded { 9 } else { 2 };
                let _ = write!(
                    self.out,
                    "<rect {class} x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" \
                     height=\"{height:.1}\" rx=\"{round}\"/>"
                );
                self.text(&text, (x, y), "");
            }
            Shape::Diamond => {
                let (right, bottom) = (x + width / 2.0, y + height / 2.0);
                let (inner, outer) = (left + 10.0, right - 10.0);
                let _ = write!(
                    self.out,
                    "<path {class} d=\"M{left:.1} {y:.1} {inner:.1} {top:.1} {outer:.1} {top:.1} \
                     {right:.1} {y:.1} {outer:.1} {bottom:.1} {inner:.1} {bottom:.1}Z\"/>"
                );
                self.text(&text, (x, y), "");
            }
            Shape::Circle | Shape::DoubleCircle => {
                circle(&mut self.out, &class, RADIUS);
                if node.shape == Shape::DoubleCircle {
                    circle(&mut self.out, &class, RADIUS - 3.0);
                }
                if node.is_marked {
                    circle(&mut self.out, "class=\"token\"", 3.5);
                }
                let below = y + RADIUS + 3.0 + text.len() as f64 * LINE / 2.0;
                self.text(&text, (x, below), "label");
            }
            Shape::Bar => {
                // Bars stand across the direction of the edges.
                let (w, h) = match self.graph.direction {
                    Direction::Right => (5.0, 22.0),
                    Direction::Down => (22.0, 5.0),
                };
                let (left, top) = (x - w / 2.0, y - h / 2.0);
                let _ = write!(
                    self.out,
                    "<rect class=\"bar\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{w}\" height=\"{h}\"/>"
                );
            }
            Shape::Point => circle(&mut self.out, "class=\"point\"", 4.0),
        }
        self.out.push_str("</g>\n");
    }

    fn text(&mut self, lines: &[String], (x, y): Point, class: &str) {
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        for (i, line) in lines.iter().enumerate() {
            // The base line of each line of text.
            let y = y + (i as f64 - (lines.len() as f64 - 1.0) / 2.0) * LINE + 3.8;
            let _ =
                write!(self.out, "<text{class} x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(line));
        }
    }

    /// An arrow along its bends, with its ends on the outlines of the nodes.
    fn arrow(&mut self, arrow: &Arrow, bends: &[Point], label: Option<Point>) {
        let ends = [arrow.from, arrow.to].map(|n| self.placed.boxes[n]);
        let mut points = vec![ends[0]];
        points.extend(bends);
        points.push(ends[1]);
        let last = points.len() - 1;
        let (second, before) = (points[1], points[last - 1]);
        points[0] = self.outline(arrow.from, second);
        points[last] = self.outline(arrow.to, before);
        if arrow.has_opposite {
            let side = if arrow.from < arrow.to { -APART } else { APART };
            for (end, node) in [(0, arrow.from), (last, arrow.to)] {
                // Only boxes have a side that is long enough.
                if matches!(self.graph.nodes[node].shape, Shape::Box | Shape::Rounded) {
                    points[end].1 += side;
                }
            }
        }
        let points: Vec<Point> = points.into_iter().map(|p| self.at(p)).collect();
        let mut path = format!("M{:.1} {:.1}", points[0].0, points[0].1);
        for pair in points.windows(2) {
            let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
            let _ = match self.graph.direction {
                Direction::Right => {
                    let middle = (x0 + x1) / 2.0;
                    write!(path, "C{middle:.1} {y0:.1} {middle:.1} {y1:.1} {x1:.1} {y1:.1}")
                }
                Direction::Down => {
                    let middle = (y0 + y1) / 2.0;
                    write!(path, "C{x0:.1} {middle:.1} {x1:.1} {middle:.1} {x1:.1} {y1:.1}")
                }
            };
        }
        let (head, class) = (self.head(), arrow.class());
        let _ = writeln!(self.out, "<path class=\"{class}\" {head} d=\"{path}\"/>");
        if let Some(label) = label {
            // Several lines would be crossed out by the edge.
            let ((x, y), (width, height)) = (self.at(label), text_size(&arrow.label));
            let (left, top) = (x - width / 2.0, y - height / 2.0);
            let _ = write!(
                self.out,
                "<rect class=\"bg\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" \
                 height=\"{height:.1}\"/>"
            );
            self.text(&arrow.label, (x, y), "label");
            self.out.push('\n');
        }
    }

    /// Where an edge that goes to or comes from a point meets the outline of a node: on the side of
    /// the point along the layout.
    fn outline(&self, node: usize, towards: Point) -> Point {
        let (along, across) = self.placed.boxes[node];
        let shape = self.graph.nodes[node].shape;
        let half = match shape {
            Shape::Circle | Shape::DoubleCircle => RADIUS,
            Shape::Bar => 2.5,
            Shape::Point => 4.0,
            _ => self.graph.turned(node_size(&self.graph.nodes[node])).along / 2.0,
        };
        let side = if towards.0 >= along { half } else { -half };
        (along + side, across)
    }

    /// An arrow from a node to itself, above it.
    fn loop_at(&mut self, arrow: &Arrow) {
        let node = &self.graph.nodes[arrow.from];
        let (x, y) = self.at(self.placed.boxes[arrow.from]);
        let (_, height) = node_size(node);
        let top = match node.shape {
            Shape::Circle | Shape::DoubleCircle => y - RADIUS,
            _ => y - height / 2.0,
        };
        let (head, class) = (self.head(), arrow.class());
        let _ = writeln!(
            self.out,
            "<path class=\"{class}\" {head} d=\"M{:.1} {top:.1}C{:.1} {:.1} {:.1} \
             {:.1} {:.1} {top:.1}\"/>",
            x - 7.0,
            x - 16.0,
            top - 22.0,
            x + 16.0,
            top - 22.0,
            x + 7.0,
        );
        let middle = top - LOOP - text_size(&arrow.label).1 / 2.0;
        self.text(&arrow.label, (x, middle), "label");
        self.out.push('\n');
    }
}

/// Text of several lines.
fn escaped(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| Text(line).to_string()).collect();
    lines.join("\n")
}
