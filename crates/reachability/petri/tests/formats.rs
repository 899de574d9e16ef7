//! What is written is read back, and what cannot be read is told with its place.

mod common;

use common::{net, net_and_query};
use proptest::prelude::*;
use ser_petri::{
    CalledBy, Names, PetriNet, PlaceId, Quantifier, ReadError, TransitionId, explore, read_net,
    read_pnml, read_properties, read_query, write_net, write_pnml, write_properties,
};

proptest! {
    #[test]
    fn a_net_in_tinas_format_comes_back(net in net()) {
        let text = write_net(&net);
        prop_assert_eq!(read_net(&text).expect(&text), net);
    }

    #[test]
    fn a_net_in_pnml_comes_back(net in net()) {
        let text = write_pnml(&net);
        prop_assert_eq!(read_pnml(&text).expect(&text).net, net);
    }

    #[test]
    fn a_query_as_text_comes_back((net, query) in net_and_query()) {
        let text = query.show(&net).to_string();
        let back = read_query(&text, &net).expect(&text);
        prop_assert_eq!(back.show(&net).to_string(), text);
        prop_assert_eq!(back.quantifier, query.quantifier);
        for marking in explore(&net, 50).markings() {
            prop_assert_eq!(back.formula.holds(marking), query.formula.holds(marking));
        }
    }

    #[test]
    fn a_query_in_the_contests_xml_comes_back((net, query) in net_and_query()) {
        for called_by in [CalledBy::Name, CalledBy::PnmlIdentifier] {
            let text = write_properties(&net, std::slice::from_ref(&query), called_by);
            let names = match called_by {
                CalledBy::Name => Names::of(&net),
                CalledBy::PnmlIdentifier => read_pnml(&write_pnml(&net)).expect("PNML").names,
            };
            // Identifiers such as `p1` may be names of other places.
            let back = read_properties(&text, &net, &names).expect(&text);
            prop_assert_eq!(&back, std::slice::from_ref(&query), "{}", text);
        }
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in "[a-z0-9 \\n{}()\\[\\]<>/\"=*?!:,&|+.\u{e9}#\\\\-]{0,60}") {
        let net = toy();
        let _ = read_net(&text);
        let _ = read_net(&format!("pl a (1)\ntr t {text}"));
        let _ = read_pnml(&text);
        let _ = read_query(&text, &net);
        let _ = read_properties(&text, &net, &Names::of(&net));
    }
}

fn toy() -> PetriNet {
    let text = "net toy\npl P1 : {requests waiting} (2)\npl P2\n\
                tr t1 : {line 3} P1*2 -> P2\ntr t2 P2 -> P1*2 P2\n";
    read_net(text).expect("a net")
}

#[test]
fn a_written_net() {
    insta::assert_snapshot!("net", write_net(&toy()));
    insta::assert_snapshot!("pnml", write_pnml(&toy()));
    let query = read_query("AG P1 + 2*P2 <= 4 && !(P2 = 7)", &toy()).expect("a query");
    insta::assert_snapshot!("query", write_properties(&toy(), &[query], CalledBy::Name));
}

#[test]
fn all_that_untimed_nets_need_of_tinas_format_is_read() {
    let text = "# a comment\r\nnet {my net}\r\n\r\n\
                tr t1 : a [0,w[ p1 p1*2 {odd \\} name}?2 -> p2\n\
                tr t2 : b [ 0 , w [ -> p3*2K  # behind a line\n\
                pl p1 : {a label} (3M) t2*2 -> t1\n\
                pl alone\n\
                lb t2 {other label}\n\
                nt n1 0 {a note}\n\
                tr t1 -> p2";
    let net = read_net(text).expect("a net");
    assert_eq!(
        write_net(&net),
        "net {my net}\npl p1 : {a label} (3000000)\npl {odd \\} name} (0)\npl p2 (0)\n\
         pl p3 (0)\npl alone (0)\n\
         tr t1 : a p1*4 {odd \\} name}*2 -> {odd \\} name}*2 p2*2\n\
         tr t2 : {other label} -> p1*2 p3*2000\n"
    );
}

/// The line, the column, a part of the message, and a part of the help.
fn wrong(result: Result<impl std::fmt::Debug, ReadError>, expected: (usize, usize, &str, &str)) {
    let error = result.expect_err("an error");
    let (line, column, message, help) = expected;
    assert_eq!((error.line, error.column), (line, column), "{error}");
    assert!(error.message.contains(message), "{error}");
    let found = error.help.clone().unwrap_or_default();
    assert!(found.contains(help) && (found.is_empty() == help.is_empty()), "{error:?}");
}

#[test]
fn mistakes_in_tinas_format_are_told() {
    wrong(read_net("pl p\ntr t p?-1 -> q"), (2, 7, "inhibitor arcs", "complement"));
    wrong(read_net("tr t p!2 -> q"), (1, 7, "stopwatch", "untimed"));
    wrong(read_net("tr t [1,3] p -> q"), (1, 6, "`[1,3]`", "[0,w["));
    wrong(read_net("tr t [0,4[ p -> q"), (1, 6, "time intervals", "any time"));
    wrong(read_net("\npr t1 > t2"), (2, 1, "priorities", "remove"));
    wrong(read_net("pt p (1)"), (1, 1, "found `pt`", "did you mean"));
    wrong(read_net("tr t p q"), (1, 9, "expected `->`", "arrow"));
    wrong(read_net("pl p (x)"), (1, 7, "a number of tokens", ""));
    wrong(read_net("pl p (99999999999999999999)"), (1, 7, "too large", "up to"));
    wrong(read_net("pl p (999999999999999999E)"), (1, 7, "too large", "up to"));
    wrong(read_net("pl {p (1)"), (1, 4, "never closed", "add"));
    wrong(read_net("pl p (1) extra"), (1, 15, "expected `->`", "arrow"));
    let huge = format!("tr t p*{0} p*{0} -> q", u64::MAX);
    wrong(read_net(&huge), (1, 29, "too large", ""));
}

#[test]
fn mistakes_in_pnml_are_told() {
    let net = |inner: &str| {
        format!(
            "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\"><net id=\"n\" \
             type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n<page id=\"g\">\n{inner}\n\
             </page></net></pnml>"
        )
    };
    let (p, t) = ("<place id=\"p\"/>", "<transition id=\"t\"/>");
    wrong(read_pnml("not xml"), (1, 1, "not XML", ""));
    wrong(
        read_pnml("<!DOCTYPE a [<!ENTITY b \"c\">]><pnml/>"),
        (1, 1, "type definitions", "remove"),
    );
    wrong(read_pnml("<pnml/>"), (1, 1, "no <net>", ""));
    let coloured = net("").replace("/ptnet", "/symmetricnet");
    wrong(read_pnml(&coloured), (1, 61, "symmetricnet", "unfold"));
    wrong(read_pnml(&net(&format!("{p}\n{p}"))), (4, 1, "twice", ""));
    wrong(read_pnml(&net("<place id=\"\"/>")), (3, 1, "empty", "name of its own"));
    let arc = |source: &str, target: &str, inner: &str| {
        net(&format!("{p}{t}\n<arc id=\"a\" source=\"{source}\" target=\"{target}\">{inner}</arc>"))
    };
    wrong(read_pnml(&arc("p", "tt", "")), (4, 1, "`tt`", "did you mean `t`?"));
    wrong(read_pnml(&arc("p", "p", "")), (4, 1, "join a place and a transition", ""));
    let weight = |w: &str| arc("p", "t", &format!("<inscription><text>{w}</text></inscription>"));
    wrong(read_pnml(&weight("-1")), (4, 35, "`-1`", "whole numbers"));
    wrong(read_pnml(&weight("0")), (4, 1, "weight 0", "remove"));
    wrong(
        read_pnml(&arc("p", "t", "<type value=\"inhibitor\"/>")),
        (4, 1, "inhibitor", "ordinary"),
    );
}

#[test]
fn deep_documents_are_refused() {
    for depth in [1_000, 1_000_000] {
        let deep = format!("{}{}", "<page>".repeat(depth), "</page>".repeat(depth));
        let text = format!("<pnml><net type=\"ptnet\">{deep}</net></pnml>");
        let error = read_pnml(&text).expect_err("too deep");
        assert!(error.message.contains("nested"), "{error}");
        let error = read_properties(&deep, &toy(), &Names::of(&toy())).expect_err("too deep");
        assert!(error.message.contains("nested"), "{error}");
    }
    for open in ["(", "!", "not "] {
        let error = read_query(&open.repeat(100_000), &toy()).expect_err("too deep");
        assert!(error.message.contains("in each other"), "{error}");
    }
}

#[test]
fn pages_references_and_names_of_pnml() {
    let text = r#"<?xml version="1.0"?>
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
  <net id="n1" type="http://www.pnml.org/version-2009/grammar/ptnet">
    <page id="g1">
      <place id="p1"><name><text> same </text></name>
        <initialMarking><text>2</text></initialMarking></place>
      <place id="p2"><name><text>same</text></name></place>
      <transition id="t1"><name><text>go</text></name></transition>
      <page id="g2">
        <referencePlace id="r1" ref="r2"/><referencePlace id="r2" ref="p2"/>
        <arc id="a1" source="t1" target="r1"><inscription><text>3</text></inscription></arc>
      </page>
      <arc id="a2" source="p1" target="t1"/>
    </page>
  </net>
</pnml>"#;
    let read = read_pnml(text).expect("a net");
    assert_eq!(write_net(&read.net), "net n1\npl p1 (2)\npl p2 (0)\ntr go p1 -> p2*3\n");
    assert!(read.names.transition("t1").is_some() && read.names.transition("go").is_some());
    let circle = text.replace("ref=\"p2\"", "ref=\"r1\"");
    wrong(read_pnml(&circle), (11, 9, "circle", ""));
}

#[test]
fn mistakes_in_queries_are_told() {
    let query = |text: &str| read_query(text, &toy());
    wrong(query("P1 >= 1 && P3 = 0"), (1, 12, "no place `P3`", "did you mean `P1`?"));
    wrong(query("P1 + 1"), (1, 1, "number where a condition", "compare"));
    wrong(query("P1 >= (P2 = 0)"), (1, 7, "condition where a number", ""));
    wrong(query("P1 * P2 = 0"), (1, 1, "product of token counts", "with a number"));
    wrong(query("P1 = 1 P2"), (1, 8, "an operator or the end", ""));
    wrong(query("P1 = 1 & P2 = 1"), (1, 8, "an operator or the end", "&&"));
    wrong(query("P1 = "), (1, 6, "found the end", ""));
    wrong(query(""), (1, 1, "found the end", ""));
    wrong(query("(P1 = 1"), (1, 8, "expected `)`", ""));
    wrong(query("P1 = 99999999999999999999"), (1, 6, "too large", "up to"));
    wrong(query("P1 = 1 && AG P2 = 0"), (1, 11, "in front", "{AG}"));
    wrong(query("{P1 = 1"), (1, 1, "never closed", "add"));
    wrong(query("P1 = 1;"), (1, 7, "means nothing", "braces"));
    wrong(query("fireable(t3)"), (1, 10, "no transition `t3`", "did you mean `t1`?"));
}

#[test]
fn the_text_syntax_means_what_it_says() {
    let net = toy();
    let holds = |text: &str, marking: [u64; 2]| {
        read_query(text, &net).unwrap_or_else(|e| panic!("{text}: {e}")).formula.holds(&marking)
    };
    assert!(holds("P1 = 1 or P1 = 2 and P2 = 9", [1, 0]), "`and` binds stronger");
    assert!(!holds("(P1 = 1 or P1 = 2) and P2 = 9", [1, 0]));
    assert!(holds("!P1 = 1", [2, 0]) && !holds("not not P1 = 1", [2, 0]));
    assert!(holds("1 <= P1 < 3", [2, 0]) && !holds("1 <= P1 < 3", [3, 0]));
    assert!(holds("2*(P1 + P2) - 1 == 5", [1, 2]) && holds("-P1 \u{2264} -2", [2, 0]));
    assert!(holds("fireable(t1)", [2, 0]) && !holds("fireable(t1, t2)", [1, 0]));
    assert!(holds("deadlock", [1, 0]) && !holds("deadlock", [1, 1]) && holds("true", [0, 0]));
    assert_eq!(read_query("AG \"P1\" >= 0", &net).expect("a query").quantifier, Quantifier::Always);
}

#[test]
fn properties_of_the_contest() {
    let net = toy();
    let names = Names::of(&net);
    let property = |inner: &str| {
        format!(
            "<property-set><property><id>a</id><formula>{inner}</formula></property></property-set>"
        )
    };
    let shown = |inner: &str| {
        let all = read_properties(&property(inner), &net, &names).expect(inner);
        all[0].show(&net).to_string()
    };
    let ef = |inner: &str| format!("<exists-path><finally>{inner}</finally></exists-path>");
    let place = |p: &str| format!("<tokens-count><place>{p}</place></tokens-count>");
    let le =
        format!("<integer-le>{}<integer-constant>3</integer-constant></integer-le>", place("P1"));
    assert_eq!(shown(&ef(&le)), "EF P1 <= 3");
    let both = "<tokens-count><place>P1</place><place>P2</place></tokens-count>";
    let product =
        format!("<integer-product><integer-constant>2</integer-constant>{both}</integer-product>");
    let difference = format!("<integer-difference>{product}{}</integer-difference>", place("P1"));
    let ne = format!("<integer-ne>{difference}{}</integer-ne>", place("P2"));
    assert_eq!(shown(&ef(&ne)), "EF P1 + 2*P2 != P2");
    assert_eq!(shown(&ef("<is-fireable><transition>t1</transition></is-fireable>")), "EF P1 >= 2");
    assert_eq!(shown(&ef("<deadlock/>")), "EF P1 < 2 && P2 < 1");
    let ag = format!("<all-paths><globally>{le}</globally></all-paths>");
    assert_eq!(shown(&ag), "AG P1 <= 3");
    assert_eq!(shown(&format!("<negation>{ag}</negation>")), "EF !(P1 <= 3)");

    let read = |inner: &str| read_properties(&property(inner), &net, &names);
    wrong(read("<exists-path><next/></exists-path>"), (1, 57, "<next>", "finally"));
    wrong(read(&ef("<integer-le/>")), (1, 66, "two sides", ""));
    let squared = format!("<integer-product>{0}{0}</integer-product>", place("P1"));
    let eq = format!("<integer-eq>{squared}{squared}</integer-eq>");
    wrong(read(&ef(&eq)), (1, 78, "product of token counts", "constant"));
    wrong(read(&ef(&le.replace("P1", "Q1"))), (1, 92, "no place `Q1`", "did you mean `P1`?"));
    wrong(read_properties("<property-set/>", &net, &names), (1, 1, "no <property>", ""));
}

/// A property in the contest's XML.
fn property(formula: &str) -> String {
    format!(
        "<property-set><property><formula><exists-path><finally>{formula}</finally></exists-path>\
         </formula></property></property-set>"
    )
}

#[test]
fn whatever_is_read_as_xml_can_be_written_as_text_and_read_again() {
    let count = "<tokens-count><place>P1</place></tokens-count>";
    let atom = format!("<integer-le>{count}<integer-constant>1</integer-constant></integer-le>");
    let net = toy();
    let mut deepest = 0;
    for depth in 0..300 {
        let mut formula = atom.clone();
        for level in 0..depth {
            formula = match level % 3 {
                0 => format!("<conjunction>{formula}{atom}</conjunction>"),
                1 => format!("<disjunction>{formula}{atom}</disjunction>"),
                _ => format!("<negation>{formula}</negation>"),
            };
        }
        let Ok(queries) = read_properties(&property(&formula), &net, &Names::of(&net)) else {
            continue;
        };
        let text = queries[0].show(&net).to_string();
        read_query(&text, &net).unwrap_or_else(|e| panic!("{depth} levels: {e}"));
        deepest = depth;
    }
    assert!(deepest > 100, "{deepest}");

    let extreme = |n: i64| {
        let number = format!("<integer-constant>{n}</integer-constant>");
        let product = format!("<integer-product>{number}{count}</integer-product>");
        let text = property(&format!("<integer-le>{product}{number}</integer-le>"));
        read_properties(&text, &net, &Names::of(&net))
    };
    assert!(extreme(i64::MIN).expect_err("no text for it").message.contains("too large"));
    for n in [i64::MAX, -i64::MAX] {
        let queries = extreme(n).expect("a query");
        let text = queries[0].show(&net).to_string();
        assert_eq!(read_query(&text, &net).expect(&text).formula, queries[0].formula);
    }
}

#[test]
fn long_sums_are_read_in_no_time() {
    let count = 100_000;
    let places: String = (0..count).map(|i| format!("pl p{i} (1)\n")).collect();
    let net = read_net(&places).expect("a net");
    let names = Names::of(&net);
    let terms: Vec<String> = (0..count).map(|i| format!("p{i}")).collect();
    let text = format!("{} >= 1", terms.join(" + "));
    let query = read_query(&text, &net).expect("a query");
    let places: String = terms.iter().map(|p| format!("<place>{p}</place>")).collect();
    let text = property(&format!(
        "<integer-ge><tokens-count>{places}</tokens-count>\
         <integer-constant>1</integer-constant></integer-ge>"
    ));
    let queries = read_properties(&text, &net, &names).expect("a query");
    assert_eq!(queries[0].formula, query.formula);
}

#[test]
fn weights_beyond_constants_are_compared_exactly() {
    let large = u64::MAX;
    for (have, weight) in [(large, large), (large - 1, large), (1 << 63, (1 << 63) + 1)] {
        let text = format!("pl p ({have})\ntr t p*{weight} -> q\n");
        let net = read_net(&text).expect("a net");
        let start = net.initial_marking();
        let enabled = net.is_enabled(&start, TransitionId(0));
        for (query, expected) in [("fireable(t)", enabled), ("deadlock", !enabled)] {
            let query = read_query(query, &net).expect("a query");
            assert_eq!(query.formula.holds(&start), expected, "{text}");
            let shown = query.show(&net).to_string();
            let back = read_query(&shown, &net).expect(&shown);
            assert_eq!(back.formula, query.formula, "{shown}");
        }
    }
}

#[test]
fn atoms_do_not_outgrow_the_memory() {
    let text: String = (0..1_000).map(|i| format!("tr t{i} p{i} -> q\n")).collect();
    let net = read_net(&text).expect("a net");
    let error = read_query(&vec!["deadlock"; 100_000].join(" || "), &net).expect_err("too long");
    assert!(error.message.contains("comparisons") && error.help.is_some(), "{error}");
    let fireable = vec!["fireable(t1, t2, t3)"; 500_000].join(" || ");
    assert!(read_query(&fireable, &net).is_err());
    let text = property(&format!("<disjunction>{}</disjunction>", "<deadlock/>".repeat(100_000)));
    let error = read_properties(&text, &net, &Names::of(&net)).expect_err("too long");
    assert!(error.message.contains("comparisons") && error.help.is_some(), "{error}");
}

#[test]
fn pnml_with_time_priorities_or_capacities_is_refused() {
    let net = |place: &str, transition: &str| {
        format!(
            r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n"
                type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
                <place id="p">{place}</place><transition id="t">{transition}</transition>
                <arc id="a" source="p" target="t"/></page></net></pnml>"#
        )
    };
    assert!(ser_petri::read_pnml(&net("", "")).is_ok());
    for (place, transition, word) in [
        ("", "<delay><interval/></delay>", "delay"),
        ("", "<priority><text>2</text></priority>", "priority"),
        ("<capacity><text>1</text></capacity>", "", "capacity"),
    ] {
        let error = ser_petri::read_pnml(&net(place, transition)).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
}

/// A chain of references with many arcs at its end, and elements with very many attributes or
/// namespaces: each took the square of its size.
#[test]
fn pnml_of_any_shape_is_read_in_no_time() {
    let start = std::time::Instant::now();
    let many = 20_000;
    let net = |inner: &str| format!("<pnml><net type=\"ptnet\">{inner}</net></pnml>");
    let mut chain = "<place id=\"p0\"/><transition id=\"t\"/>".to_owned();
    for i in 0..many {
        chain += &format!("<referencePlace id=\"p{}\" ref=\"p{i}\"/>", i + 1);
        chain += &format!("<arc source=\"p{many}\" target=\"t\"/>");
    }
    let read = read_pnml(&net(&chain)).expect("a net").net;
    assert_eq!(read.transitions[0].takes, [(PlaceId(0), many)]);

    let repeated = |what: &dyn Fn(u64) -> String| (0..many).map(what).collect::<String>();
    let attributes = repeated(&|i| format!(" a{i}='>'"));
    wrong(read_pnml(&format!("<pnml>\n<a{attributes}/></pnml>")), (2, 1, "100 attributes", ""));
    let namespaces = repeated(&|i| format!("<a xmlns:n{i}='u{i}'>"));
    // The first hundred take 10 * 17 + 90 * 19 columns.
    wrong(read_pnml(&format!("<pnml>\n{namespaces}")), (2, 1881, "100 namespaces", "once"));
    let spaced = repeated(&|i| format!("<a xmlns:n{i} = 'u{i}'>"));
    wrong(read_pnml(&format!("<pnml>\n{spaced}")), (2, 2081, "100 namespaces", "once"));
    // Others may declare their namespaces again and again.
    let siblings = repeated(&|i| format!("<toolspecific\nxmlns:n = 'u{}'/><!-- <a> -->", i % 9));
    assert!(read_pnml(&net(&siblings)).is_ok());
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
