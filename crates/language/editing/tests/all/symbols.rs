//! Where the names of programs and processes stand.

use ser_editing::symbols::{Role, Symbol, SymbolKind, Symbols};

const TEXT: &str = "const N = 2 const M = N
X := N
request a(p in 0..M) { x := X; yield; X := x + p; N }
request b { x := 1; Y := x; if (Y == 1) { yield; x } else { a } }";

fn symbols(text: &str) -> Symbols {
    Symbols::of(&ser_syntax::parse(text).tree)
}

fn places(kind: SymbolKind, name: &str) -> Vec<(u32, Role)> {
    let symbols = symbols(TEXT);
    let symbol = symbols.find(name, kind).unwrap_or_else(|| panic!("no {name}"));
    symbol.occurrences.iter().map(|o| (o.span.start, o.role)).collect()
}

#[test]
fn every_place_of_a_name_says_the_name() {
    let symbols = symbols(TEXT);
    assert_eq!(symbols.places().count(), 21);
    for (symbol, place) in symbols.places() {
        assert_eq!(TEXT.get(place.span.range()), Some(&*symbol.name));
    }
}

#[test]
fn a_constant_is_found_wherever_it_is_used() {
    let roles: Vec<Role> = places(SymbolKind::Constant, "N").iter().map(|p| p.1).collect();
    assert_eq!(roles, [Role::Definition, Role::Read, Role::Read, Role::Read]);
}

#[test]
fn locals_of_two_requests_are_two_variables() {
    assert_eq!(places(SymbolKind::Local(0), "x").len(), 2);
    assert_eq!(places(SymbolKind::Local(1), "x").len(), 3);
}

#[test]
fn a_local_may_have_the_name_of_a_request() {
    assert_eq!(places(SymbolKind::Request, "a").len(), 1);
    assert_eq!(places(SymbolKind::Local(1), "a").len(), 1);
}

#[test]
fn a_global_comes_from_its_initial_value_or_its_first_assignment() {
    let symbols = symbols(TEXT);
    let start = |name: &str| {
        let symbol = symbols.find(name, SymbolKind::Global);
        symbol.and_then(Symbol::definition).map(|span| span.start as usize)
    };
    assert_eq!(start("X"), TEXT.find("X := N"));
    assert_eq!(start("Y"), TEXT.find("Y := x"));
}

#[test]
fn the_cursor_after_a_name_is_still_on_it() {
    let symbols = symbols("request main { abc := 1; abc }");
    let at = |offset| symbols.at(offset).map(|(s, o)| (s.name.clone(), o.role));
    assert_eq!(at(14), None);
    assert_eq!(at(15), Some(("abc".into(), Role::Write)));
    assert_eq!(at(18), Some(("abc".into(), Role::Write)));
    assert_eq!(at(19), None);
    assert_eq!(at(27), Some(("abc".into(), Role::Read)));
    assert_eq!(at(9), Some(("main".into(), Role::Definition)));
}

#[test]
fn yields_are_listed_with_their_requests() {
    let requests: Vec<usize> = symbols(TEXT).yields().iter().map(|y| y.1).collect();
    assert_eq!(requests, [0, 1]);
}

#[test]
fn what_is_asked_names_variables_too() {
    let symbols = symbols("request main { X := 1 }  reach X == 1  invariant low: X <= 1");
    let all = symbols.find("X", SymbolKind::Global).map(|it| it.occurrences.len());
    assert_eq!(all, Some(3));
}

#[test]
fn processes_have_names_and_goals_speak_of_them() {
    let text = "enum Vote { none, yes } var V: Vote var Q: queue[1] of 0..1
process P(i in 0..1) { x := recv Q; send x to Q; V := yes }
reach ended: done(P(0)) && done  reach \"two\": V == yes invariant low: V == none && !done(P)";
    let parse = ser_syntax::parse_processes(text);
    assert!(!parse.has_errors(), "{:?}", parse.diagnostics);
    let symbols = Symbols::of(&parse.tree);
    let count = |name: &str, kind| symbols.find(name, kind).map(|it| it.occurrences.len());
    assert_eq!(count("P", SymbolKind::Process), Some(3));
    assert_eq!(count("Q", SymbolKind::Global), Some(3));
    assert_eq!(count("x", SymbolKind::Local(0)), Some(2));
    assert_eq!(count("i", SymbolKind::Parameter(0)), Some(1));
    assert_eq!(count("yes", SymbolKind::Member), Some(3));
    assert_eq!(count("low", SymbolKind::Question), Some(1));
    assert_eq!(count("ended", SymbolKind::Question), Some(1));
    assert_eq!(count("two", SymbolKind::Question), None);
    assert!(symbols.all().iter().all(|it| it.name != "done"));
}

#[test]
fn broken_programs_have_names_too() {
    let symbols = symbols("request main { X := 1; x := ; yield } }");
    assert!(symbols.find("X", SymbolKind::Global).is_some());
    assert!(symbols.find("main", SymbolKind::Request).is_some());
}
