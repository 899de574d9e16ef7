//! Which values variables take, for editors.

use ser_syntax::{Domain, Domains, parse, parse_processes};
use std::collections::BTreeMap;

#[test]
fn what_is_declared_is_told_and_the_rest_is_found_out() {
    let text = "const N = 2
enum Seat { free, held }
record Order { seat: Seat, amount: 0..N }
type Orders = [0..N] of Order
lock Door: [Seat]
var All: Orders
Count := 0
fn best(low) { for i in 0..N { if All[i].seat == free { return i } }; low }
request put(s: Seat, n in 0..N) {
    i := best(1);
    order := All[i];
    pair := (order.seat == held, s);
    var left: 0..9 = 3;
    Count := Count + left;
    pair
}";
    let parse = parse(text);
    assert!(!parse.has_errors(), "{:?}", parse.diagnostics);
    let domains = Domains::of(&parse.tree);
    let shown = |names: &BTreeMap<String, Domain>| {
        let names = names.iter().map(|(name, domain)| format!("{name}: {domain}"));
        names.collect::<Vec<_>>().join("; ")
    };
    assert_eq!(shown(&domains.globals), "All: [0..2] of Order; Count: int; Door: [Seat] of bool");
    assert_eq!(
        shown(&domains.bodies[0]),
        "i: int; left: 0..9; n: 0..2; order: Order; pair: (int, Seat); s: Seat"
    );
    assert_eq!(shown(&domains.bodies[1]), "i: 0..2; low: int");
    assert_eq!(shown(&domains.results), "best: int");
    let order = Domain::Record("Order".to_owned());
    assert_eq!(domains.field(&order, "amount"), Some(&Domain::Range(0, 2)));
}

#[test]
fn locals_of_processes_have_types_without_ranges() {
    let text = "enum Vote { none, yes }
var Q: queue[2] of 0..9  var V: Vote  var B: bits 3
process P(id in 0..1) {
    x := 3; x := recv Q; v := V; w := yes; y := choose(2..4); z := x + 1; for k in 1..2 { b := B }
}
reach V == yes";
    let parse = parse_processes(text);
    assert!(!parse.has_errors(), "{:?}", parse.diagnostics);
    let domains = Domains::of(&parse.tree);
    let of = |name: &str| domains.bodies[0][name].to_string();
    let names = ["id", "x", "v", "w", "y", "z", "k", "b"];
    let expected = ["0..1", "int", "Vote", "Vote", "int", "int", "1..2", "int"];
    assert_eq!(names.map(of), expected);
    assert_eq!(domains.globals["Q"].to_string(), "queue[2] of 0..9");
}

#[test]
fn an_alias_of_itself_is_nothing() {
    let parse = parse("type A = B type B = A var X: A request a { X }");
    assert!(parse.has_errors());
    assert_eq!(Domains::of(&parse.tree).globals.get("Y"), None);
}
