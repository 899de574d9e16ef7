//! What a picture shows.

/// How a node looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A box with its label inside.
    Box,
    /// A box with round corners.
    Rounded,
    /// A small circle with its label below: a place of a net.
    Circle,
    /// Two small circles, one in the other: a place that is never left.
    DoubleCircle,
    /// A small bar: a transition of a net. Its label is shown when one points at it.
    Bar,
    /// A box with pointed ends.
    Diamond,
    /// A dot without a label.
    Point,
}

/// What kind of thing a node is, as a colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    /// Nothing special.
    Plain,
    /// Shared state.
    Shared,
    /// Something begins.
    Begin,
    /// Something ends.
    End,
    /// One of several groups that belong together; the colours repeat after [`GROUPS`].
    Group(u8),
}

/// How many groups have colours of their own.
pub const GROUPS: u8 = 6;

/// How an edge is drawn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Line {
    /// As a line.
    #[default]
    Solid,
    /// With gaps.
    Dashed,
    /// As a row of dots.
    Dotted,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// Its name in DOT: letters, digits and underscores, unique in the graph.
    pub id: String,
    /// What is written on it. May have several lines.
    pub label: String,
    /// More words, shown when one points at it. May be empty.
    pub hint: String,
    /// How it looks.
    pub shape: Shape,
    /// What kind of thing it is.
    pub tone: Tone,
    /// Whether it is where things start: a token, an initial state.
    pub is_marked: bool,
}

impl Node {
    /// A plain node.
    pub fn new(id: impl Into<String>, label: impl Into<String>, shape: Shape) -> Node {
        let (id, label, hint) = (id.into(), label.into(), String::new());
        Node { id, label, hint, shape, tone: Tone::Plain, is_marked: false }
    }

    /// The node in another tone.
    pub fn toned(self, tone: Tone) -> Node {
        Node { tone, ..self }
    }

    /// The node with more words.
    pub fn hinted(self, hint: impl Into<String>) -> Node {
        Node { hint: hint.into(), ..self }
    }

    /// The node as one where things start.
    pub fn marked(self) -> Node {
        Node { is_marked: true, ..self }
    }
}

/// An arrow between two nodes, which are given by their places in [`Graph::nodes`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// What is written on it. May be empty.
    pub label: String,
    /// How it is drawn.
    pub line: Line,
}

impl Edge {
    /// An edge without a label.
    pub fn new(from: usize, to: usize) -> Edge {
        Edge { from, to, label: String::new(), line: Line::Solid }
    }

    /// The edge with another line.
    pub fn lined(self, line: Line) -> Edge {
        Edge { line, ..self }
    }

    /// The edge with a label.
    pub fn labelled(self, label: impl Into<String>) -> Edge {
        Edge { label: label.into(), ..self }
    }
}

/// In which direction edges go, if nothing speaks against it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From left to right.
    Right,
    /// From top to bottom.
    Down,
}

/// A picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graph {
    /// Its name in DOT: letters, digits and underscores.
    pub name: String,
    /// Its title, for people.
    pub title: String,
    /// What can be seen, in a sentence or two, for those who cannot see it. May be empty.
    pub description: String,
    /// In which direction it goes.
    pub direction: Direction,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
}

impl Graph {
    /// A graph without nodes.
    pub fn new(name: impl Into<String>, title: impl Into<String>) -> Graph {
        Graph {
            name: name.into(),
            title: title.into(),
            description: String::new(),
            direction: Direction::Right,
            nodes: Vec::new(),
            edges: Vec::new(),
        }
    }

    /// Adds a node and says where it is.
    pub fn add(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }
}
