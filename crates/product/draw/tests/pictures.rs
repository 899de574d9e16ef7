//! Pictures: well formed, the same each time, and nothing on top of anything else.

use ser_draw::{Direction, Edge, Graph, MAX_NODES, Node, Shape};

fn graph(nodes: usize, edges: &[(usize, usize)]) -> Graph {
    let mut graph = Graph::new("test", "A test");
    for at in 0..nodes {
        graph.add(Node::new(format!("n{at}"), format!("node {at}"), Shape::Box));
    }
    graph.edges = edges.iter().map(|(from, to)| Edge::new(*from, *to)).collect();
    graph
}

/// Left, top, width and height of the boxes.
fn boxes(svg: &str) -> Vec<[f64; 4]> {
    let number = |text: &str, name: &str| -> f64 {
        let from = text.find(&format!(" {name}=\"")).expect("an attribute") + name.len() + 3;
        let rest = &text[from..];
        rest[..rest.find('"').expect("its end")].parse().expect("a number")
    };
    svg.split("<rect class=\"shape")
        .skip(1)
        .map(|text| ["x", "y", "width", "height"].map(|name| number(text, name)))
        .collect()
}

#[test]
fn no_two_nodes_overlap() {
    // Cycles, loops, long edges, parallel edges, parts that are not connected.
    let edges =
        [(0, 1), (1, 2), (2, 0), (0, 3), (3, 3), (0, 5), (5, 6), (6, 7), (0, 7), (0, 7), (7, 0)];
    for direction in [Direction::Right, Direction::Down] {
        let graph = Graph { direction, ..graph(9, &edges) };
        let svg = graph.svg().expect("a small picture");
        let boxes = boxes(&svg);
        assert_eq!(boxes.len(), 9);
        for (i, a) in boxes.iter().enumerate() {
            assert!(a[0] >= 0.0 && a[1] >= 0.0, "{a:?}");
            for b in &boxes[..i] {
                let apart = a[0] + a[2] <= b[0]
                    || b[0] + b[2] <= a[0]
                    || a[1] + a[3] <= b[1]
                    || b[1] + b[3] <= a[1];
                assert!(apart, "{a:?} and {b:?}");
            }
        }
        assert_eq!(svg, graph.svg().expect("the same again"));
    }
}

#[test]
fn labels_are_text_and_nothing_else() {
    let mut graph = graph(2, &[]);
    graph.title = "<script>alert(1)</script> & \"more\"".into();
    graph.nodes[0].label = "a < b && \u{1}".into();
    graph.edges.push(Edge::new(0, 1).labelled("x -> \"y\"\nsecond line"));
    let svg = graph.svg().expect("a small picture");
    assert!(!svg.contains("<script"), "{svg}");
    assert!(svg.contains("a &lt; b &amp;&amp; [U+0001]"), "{svg}");
    assert!(svg.contains("x -&gt; &quot;y&quot;") && svg.contains("second line"), "{svg}");
    assert!(graph.dot().contains(r#"n0 -> n1 [label="x -> \"y\"\nsecond line"];"#));
}

#[test]
fn words_of_dot_are_no_trouble_as_names() {
    let mut graph = graph(1, &[(0, 0)]);
    graph.nodes[0].id = "Node".into();
    assert!(graph.dot().contains("\"Node\" -> \"Node\";"), "{}", graph.dot());
}

#[test]
fn a_picture_that_nobody_could_read_is_refused() {
    assert!(graph(MAX_NODES, &[]).svg().is_ok());
    let error = graph(MAX_NODES + 1, &[]).svg().expect_err("too many nodes");
    assert!(error.to_string().contains("401 nodes"), "{error}");
    // Long edges across many layers.
    let chain: Vec<(usize, usize)> = (0..200).map(|i| (i, i + 1)).collect();
    let long: Vec<(usize, usize)> = (0..100).map(|i| (i, 200 - i)).collect();
    assert!(graph(201, &[chain, long].concat()).svg().is_err());
    assert!(graph(0, &[]).svg().is_ok(), "nothing is not too much");
}

#[test]
fn a_large_tree_is_fast() {
    let edges: Vec<(usize, usize)> = (1..MAX_NODES).map(|i| (i / 3, i)).collect();
    let started = std::time::Instant::now();
    assert!(graph(MAX_NODES, &edges).svg().is_ok());
    assert!(started.elapsed().as_secs() < 10);
}

#[test]
fn edges_in_opposite_directions_do_not_end_at_the_same_point() {
    for direction in [Direction::Right, Direction::Down] {
        let graph = Graph { direction, ..graph(2, &[(0, 1), (1, 0)]) };
        let svg = graph.svg().expect("a small picture");
        let paths: Vec<&str> = svg
            .split(" d=\"M")
            .skip(1)
            .filter_map(|it| it.split('"').next())
            .filter(|it| it.contains('C'))
            .collect();
        assert_eq!(paths.len(), 2, "{svg}");
        let start = |path: &str| path.split('C').next().map(str::to_owned);
        let end = |path: &str| {
            let last: Vec<&str> = path.rsplit(' ').take(2).collect();
            Some(format!("{} {}", last[1], last[0]))
        };
        assert_ne!(start(paths[0]), end(paths[1]), "{svg}");
        assert_ne!(end(paths[0]), start(paths[1]), "{svg}");
    }
}
