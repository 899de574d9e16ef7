//! Queries about nets: the contest's XML, and the text syntax.

use super::text;
use ser_petri::{
    CalledBy, Names, PetriNet, Query, ReachabilitySystem, read_net, read_pnml, read_properties,
    read_query, write_pnml, write_properties,
};

/// Nets to ask about: an ordinary one, one with names that need quoting and weights near the end of
/// machine integers, and one with nothing in it.
const NETS: [&str; 3] = [
    "net toy\npl P1 (2)\npl P2 (0)\npl P3 (1)\ntr t1 P1*2 -> P2\ntr t2 P2 P3?1 -> P1*2\ntr t3 -> P3\n",
    "net {odd net}\npl {a b} : {a < b} (1)\npl {\\{x\\}\\\\} (18446744073709551615)\npl true (0)\n\
     pl {\u{e9}.\u{2264}} (3)\npl {line\nend\ttab} (0)\ntr fireable {a b} -> true\n\
     tr {t \"1\"} {\\{x\\}\\\\}*18446744073709551615 -> {a b}*9223372036854775808\n",
    "",
];

/// The longest query that is translated, in bytes.
const MAX_TRANSLATED: usize = 2048;

/// Reads queries about a net that the first byte chooses: a document if there is a `<` in front,
/// and a query in text syntax otherwise. What is written of a query, in either syntax, says the
/// same as the query, and is written as it was.
pub fn properties(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let Some(text) = text(rest) else { return };
    let Some(net) = NETS.get(usize::from(first.wrapping_sub(b'a')) % NETS.len()) else { return };
    let net = read_net(net).unwrap_or_else(|e| panic!("{e}"));
    let queries = match text.trim_start().starts_with('<') {
        true => read_properties(text, &net, &Names::of(&net)).unwrap_or_default(),
        false => read_query(text, &net).into_iter().collect(),
    };
    for query in &queries {
        let shown = query.show(&net).to_string();
        let again = read_query(&shown, &net).unwrap_or_else(|e| panic!("{e}\n{shown}"));
        assert_eq!(shown, again.show(&net).to_string());
        same_meaning(&net, query, &again);
        if text.len() <= MAX_TRANSLATED
            && let Ok(reach) = ReachabilitySystem::new(&net, query)
        {
            assert!(!reach.system().requests().is_empty(), "nothing ever runs");
        }
    }
    if !queries.is_empty() {
        there_and_back(&net, &queries);
    }
}

/// As documents, with both ways to call places.
fn there_and_back(net: &PetriNet, queries: &[Query]) {
    let pnml = read_pnml(&write_pnml(net)).unwrap_or_else(|e| panic!("{e}"));
    for called_by in [CalledBy::Name, CalledBy::PnmlIdentifier] {
        let names = match called_by {
            CalledBy::Name => Names::of(net),
            CalledBy::PnmlIdentifier => pnml.names.clone(),
        };
        let written = write_properties(net, queries, called_by);
        let again = read_properties(&written, net, &names).unwrap_or_else(|e| {
            panic!("{e}\n{written}");
        });
        assert_eq!(queries.len(), again.len());
        for (query, again) in queries.iter().zip(&again) {
            assert_eq!(query.name, again.name);
            same_meaning(net, query, again);
        }
        assert_eq!(written, write_properties(net, &again, called_by));
    }
}

/// Both queries ask the same, as far as some markings can tell.
fn same_meaning(net: &PetriNet, left: &Query, right: &Query) {
    assert_eq!(left.quantifier, right.quantifier);
    let initial = net.initial_marking();
    let rotated = |by: u64| (0..).zip(&initial).map(move |(i, n)| n / (by + 1) + (i * by) % 4);
    for by in 0..6 {
        let marking: Vec<u64> = if by == 0 { initial.clone() } else { rotated(by).collect() };
        assert_eq!(left.formula.holds(&marking), right.formula.holds(&marking), "at {marking:?}");
    }
}
