//! Nets, as Tina NET and as PNML.

use super::text;
use ser_petri::{Names, PetriNet, read_net, read_pnml, write_net, write_pnml};

/// Reads a Tina NET file. What is written of the net reads as the same net; as PNML, it has at
/// least the same arcs.
pub fn net(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let Ok(net) = read_net(text) else { return };
    check(&net);
    let pnml = write_pnml(&net);
    let read = read_pnml(&pnml).unwrap_or_else(|e| panic!("{e}\n{pnml}"));
    check_names(&read.net, &read.names);
    // XML does not have all characters, and blanks at the end of a name are lost.
    assert_eq!(without_names(read.net), without_names(net));
}

/// Reads a PNML file. What is written of the net reads as the same net, in both formats; only names
/// that are identifiers with blanks around them are lost in PNML.
pub fn pnml(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let Ok(read) = read_pnml(text) else { return };
    check(&read.net);
    check_names(&read.net, &read.names);
    let written = write_pnml(&read.net);
    let again = read_pnml(&written).unwrap_or_else(|e| panic!("{e}\n{written}"));
    let tidy = |name: &String| name.trim() == name;
    let places = read.net.places.iter().map(|p| &p.name);
    let names = places.chain(read.net.transitions.iter().map(|t| &t.name));
    let all_tidy = names.chain([&read.net.name]).all(tidy);
    match all_tidy {
        true => assert_eq!(again.net, read.net),
        false => assert_eq!(without_names(again.net), without_names(read.net)),
    }
}

/// The promises of the types, and there and back through NET.
fn check(net: &PetriNet) {
    net.check().unwrap_or_else(|wrong| panic!("{wrong}"));
    let written = write_net(net);
    let again = read_net(&written).unwrap_or_else(|e| panic!("{e}\n{written}"));
    assert_eq!(again, *net);
}

/// Every node is found by its name.
fn check_names(net: &PetriNet, names: &Names) {
    for (place, i) in net.places.iter().zip(0..) {
        assert_eq!(names.place(&place.name).map(|p| p.0), Some(i));
    }
    for (transition, i) in net.transitions.iter().zip(0..) {
        assert_eq!(names.transition(&transition.name).map(|t| t.0), Some(i));
    }
}

fn without_names(mut net: PetriNet) -> PetriNet {
    net.name.clear();
    for place in &mut net.places {
        place.name.clear();
        place.label.clear();
    }
    for transition in &mut net.transitions {
        transition.name.clear();
        transition.label.clear();
    }
    net
}
