//! Where everything goes: a layered layout.
//!
//! Everything here is in terms of *along* (the direction of the edges, across the layers) and
//! *across* (within a layer); the picture may be turned later. An edge that spans several layers is
//! a chain of *bends*, one in each layer between; a label is a bend with a size.

mod coordinates;
mod layers;
mod order;

/// The size of a box, in the directions of the layout.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Size {
    pub along: f64,
    pub across: f64,
}

/// Something to place: boxes with edges between them. No edge has the same box at both ends, and
/// no two edges have the same ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct Problem {
    pub boxes: Vec<Size>,
    /// From, to, and the size of the label.
    pub edges: Vec<(usize, usize, Option<Size>)>,
}

/// A point: along and across.
pub(crate) type Point = (f64, f64);

/// Where everything is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placed {
    /// The middle of each box.
    pub boxes: Vec<Point>,
    /// For each edge the bends from its start to its end, and where its label is.
    pub edges: Vec<(Vec<Point>, Option<Point>)>,
    pub size: Size,
}

/// An item of a layer: a box, or a bend of an edge.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub size: Size,
    /// Items of the layer before that it is connected with.
    pub before: Vec<usize>,
    /// Items of the layer after.
    pub after: Vec<usize>,
    pub is_bend: bool,
}

/// The items in their layers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layered {
    pub items: Vec<Item>,
    pub layers: Vec<Vec<usize>>,
    /// For each edge its bends from its start to its end, and which of them has the label.
    pub chains: Vec<(Vec<usize>, Option<usize>)>,
}

/// More bends than this are too many to be legible, and to be placed fast.
pub(crate) const MAX_BENDS: usize = 6_000;

/// Places everything; nothing if it takes too many bends.
pub(crate) fn place(problem: &Problem) -> Option<Placed> {
    let mut layered = layers::assign(problem)?;
    order::reduce_crossings(&mut layered);
    Some(coordinates::assign(problem, &layered))
}
