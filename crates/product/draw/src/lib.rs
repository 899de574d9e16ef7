//! Pictures of small graphs.
//!
//! A picture is described once, as a [`Graph`], and written in two ways: as DOT for Graphviz, and
//! as SVG with a layered layout that needs no other program. The layout is the classical one of
//! Sugiyama, Tagawa and Toda: break cycles, put nodes into layers, order the layers so that few
//! edges cross, and place the nodes near their neighbours.
//!
//! ```
//! use ser_draw::{Edge, Graph, Node, Shape};
//! let mut graph = Graph::new("lock", "A lock");
//! let free = graph.add(Node::new("free", "Free", Shape::Rounded).marked());
//! let held = graph.add(Node::new("held", "Held", Shape::Rounded));
//! graph.edges.push(Edge::new(free, held).labelled("acquire"));
//! graph.edges.push(Edge::new(held, free).labelled("release"));
//! assert!(graph.dot().starts_with("digraph lock {"));
//! assert!(graph.svg().unwrap().starts_with("<svg "));
//! ```

mod dot;
mod escape;
mod graph;
mod layout;
mod svg;

pub use dot::dot_string;
pub use escape::Text;
pub use graph::{Direction, Edge, GROUPS, Graph, Line, Node, Shape, Tone};
pub use svg::{MAX_NODES, TooLarge};
