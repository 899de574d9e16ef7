//! What we hand to other tools means what we say: net and query, written and read back, answered by
//! brute force.

use crate::common::{self, example, file_name, sources, text};
use ser::export::{NoQuery, NonSerial, non_serial, normal_net, paper_net};
use ser_base::Limits;
use ser_net::{PaperNet, Reductions, SerialAutomaton, normal_form, reduce};
use ser_petri::{CalledBy, Exploration, Found, Names, PetriNet, explore};
use ser_serializability_search::{Options, serial_outcomes};
use ser_session::{Verdict, check_file};

/// The nets of a source with their queries: the paper's, the raw normal form, and the reduced one.
/// None if the serial outcomes need too many components.
fn pairs(path: &str) -> Vec<(PetriNet, NonSerial)> {
    let limits = Limits::default();
    let source = ser_session::source::read(path, &Limits::default()).expect("a source");
    // What is proved without its states may have no end of them.
    let Ok((model, _)) = ser_session::source::model(&source, &limits) else { return Vec::new() };
    let system = model.system();
    let automaton = SerialAutomaton::new(system, &limits).expect("a small automaton");
    let paper = PaperNet::new(system, &limits).expect("a small net");
    let few = ser_arith::Limits { components: 200, ..Default::default() };
    let serial = serial_outcomes(&automaton, &paper.sinks, Default::default(), &few);
    let Ok(serial) = serial else { return Vec::new() };
    let raw = normal_form(system, &limits).expect("a small net");
    let reduced = reduce(&raw, Reductions::ALL, &limits).net;
    let exported = [
        paper_net(&source, system, &paper),
        normal_net(&source, system, &raw),
        normal_net(&source, system, &reduced),
    ];
    let query = |net: &_| non_serial(net, &paper.sinks, &serial).expect("a small query");
    exported
        .into_iter()
        .map(|net| {
            let q = query(&net);
            (net.net, q)
        })
        .collect()
}

/// Writes the pair and reads it back; nothing if the query cannot be written.
fn by_force(net: &PetriNet, query: &NonSerial, markings: usize) -> Option<(Exploration, Found)> {
    let query = match query.query() {
        Ok(query) => query,
        Err(NoQuery::Remainder) => return None,
        Err(error) => panic!("{error}"),
    };
    let xml = ser_petri::write_properties(net, &[query], CalledBy::Name);
    let net = ser_petri::read_net(&ser_petri::write_net(net)).expect("our own net");
    let names = Names::of(&net);
    let queries = ser_petri::read_properties(&xml, &net, &names).expect("our own query");
    let all = explore(&net, markings);
    let found = all.find(&queries[0].target());
    Some((all, found))
}

#[test]
fn brute_force_on_exported_pairs_agrees_with_the_verdict() {
    let (mut reached, mut not_reached) = (0, 0);
    for path in sources(&common::examples()) {
        let path = text(&path);
        let report = check_file(&path, &Options::default(), &Limits::default(), &|_| {});
        let broken = match &report.verdict {
            // More requests take too many markings for brute force.
            Verdict::NotSerializable { refutation, .. } if refutation.requests <= 3 => true,
            Verdict::Serializable { .. } => false,
            _ => continue,
        };
        for (net, query) in pairs(&path) {
            let Some((_, found)) = by_force(&net, &query, 4_000) else { continue };
            match found {
                Found::Reachable(_) => {
                    assert!(broken, "{path}: the query is reachable, the program serializable");
                    reached += 1;
                }
                Found::Unreachable => assert!(!broken, "{path}: the query is unreachable"),
                Found::Unknown => not_reached += usize::from(!broken),
            }
        }
    }
    assert!(reached > 30, "only {reached} counterexamples were found by brute force");
    assert!(not_reached > 20, "only {not_reached} serializable nets were looked at");
}

#[test]
fn the_lost_update_is_reachable_in_all_its_nets() {
    for (net, query) in pairs(&example("lost_update.ser")) {
        let (all, found) = by_force(&net, &query, 20_000).expect("no remainders");
        assert!(matches!(found, Found::Reachable(_)), "{}", all.markings().len());
    }
}

#[test]
fn a_query_holds_exactly_for_complete_markings_that_no_serial_run_explains() {
    // Both ways to say it, on every marking that brute force finds.
    for name in ["lost_update.ser", "bounded_counter.ser", "write_skew.ser", "aba.ser"] {
        let path = example(name);
        let limits = Limits::default();
        let source = ser_session::source::read(&path, &Limits::default()).expect("a source");
        let (model, _) = ser_session::source::model(&source, &limits).expect("a model");
        let system = model.system();
        let automaton = SerialAutomaton::new(system, &limits).expect("a small automaton");
        let paper = PaperNet::new(system, &limits).expect("a small net");
        let exported = paper_net(&source, system, &paper);
        let serial =
            serial_outcomes(&automaton, &paper.sinks, Default::default(), &Default::default())
                .expect("a small set");
        let query = non_serial(&exported, &paper.sinks, &serial).expect("a small query");
        let Ok(query) = query.query() else { continue };
        for marking in explore(&exported.net, 3_000).markings() {
            let complete = exported.in_flight().iter().all(|p| marking[p.index()] == 0);
            let counts: Vec<i64> = paper
                .sinks
                .iter()
                .map(|o| exported.sink(*o).map_or(0, |p| marking[p.index()] as i64))
                .collect();
            let is_serial = serial.contains(&counts).expect("an answer").is_some();
            assert_eq!(query.formula.holds(marking), complete && !is_serial, "{name} {marking:?}");
        }
    }
}

#[test]
fn examples_are_there() {
    assert!(sources(&common::examples()).iter().any(|p| file_name(p) == "lost_update.ser"));
}
