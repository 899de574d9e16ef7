//! The answer in words: sections of blocks, which every renderer lays out in its own way.
//!
//! Text in blocks may have `code` between backquotes, `line 12` and `#2`; the page turns these into
//! code, links and colours.

use ser_draw::Graph;
use ser_syntax::{Diagnostic, Span};

/// Who gets to see a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Detail {
    /// All readers.
    #[default]
    Always,
    /// Readers who ask for everything (`ser explain`, `--conditions`), and the page.
    Verbose,
    /// Readers of a page.
    Page,
}

/// Blocks that belong together.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// A line above it; on the page, a heading.
    pub title: Option<String>,
    pub detail: Detail,
    pub blocks: Vec<Block>,
}

/// A piece of text with a role.
#[derive(Clone, Debug)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// A paragraph that is not important.
    Remark(String),
    /// Lines that stand out, one below the other: the outcome of a counterexample.
    Emphasis(Vec<String>),
    /// Lines set apart, as they are: a schedule, an invariant.
    Quote(Vec<String>),
    /// A list.
    Points(Points),
    /// The run of this number in the answer.
    Run(usize),
    /// A program, as it is.
    Code(String),
    /// A line of the source.
    Line(Span),
    /// A message about a place in the source, or in another text, which then has a name.
    Snippet {
        diagnostic: Diagnostic,
        other: Option<(String, String)>,
    },
    Table(Table),
    /// A cycle of lanes, each before the next because of the named variable; only the page draws
    /// it.
    Cycle(Vec<(usize, String)>),
    /// Only the page draws it.
    Picture(Box<Picture>),
    /// A way out.
    Help(String),
}

/// A list of sentences, of which the first few may be enough.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Points {
    pub items: Vec<String>,
    /// How many are shown unless all are asked for; `None` for all.
    pub brief: Option<usize>,
    /// Where to see the others: `see \`ser explain FILE\``.
    pub more: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Table {
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

/// A graph with what is on it.
#[derive(Clone, Debug)]
pub struct Picture {
    pub title: String,
    /// What it shows, in a sentence.
    pub about: String,
    pub graph: Graph,
    /// How many of all states, with their noun, are on it.
    pub shown: usize,
    pub all: usize,
    pub noun: String,
}

impl Section {
    /// A section without a title.
    pub fn of(blocks: impl IntoIterator<Item = Block>) -> Section {
        Section { blocks: blocks.into_iter().collect(), ..Section::default() }
    }

    /// A section with a title.
    pub fn titled(title: impl Into<String>, blocks: impl IntoIterator<Item = Block>) -> Section {
        Section { title: Some(title.into()), ..Section::of(blocks) }
    }

    /// The same, for readers who ask for it.
    pub fn with_detail(self, detail: Detail) -> Section {
        Section { detail, ..self }
    }
}

impl Block {
    /// A list that is shown as a whole.
    pub fn points(items: Vec<String>) -> Block {
        Block::Points(Points { items, ..Points::default() })
    }

    /// Ways out.
    pub fn helps(help: &[String]) -> impl Iterator<Item = Block> {
        help.iter().cloned().map(Block::Help)
    }
}
