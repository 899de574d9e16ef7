//! PNML, the interchange format of ISO 15909-2, for place/transition nets.
//!
//! Read are nets of type `ptnet` on one or several pages, pages in pages, names, initial markings,
//! weights, and reference places and transitions (they stand for the node that they refer to).
//! Graphics are skipped. A place is called by its name if no other has it, and by its identifier
//! otherwise; [`PnmlNet::names`] knows both. Labels are kept in a `toolspecific` element.

use crate::build::{NetBuilder, Overflow};
use crate::error::ReadError;
use crate::xml::{self, child, content, elements, escape};
use crate::{Names, PetriNet, PlaceId, TransitionId};
use roxmltree::Node;
use std::collections::HashMap;
use std::fmt::Write as _;

const NAMESPACE: &str = "http://www.pnml.org/version-2009/grammar/pnml";
const PT_NET: &str = "http://www.pnml.org/version-2009/grammar/ptnet";

/// A net from PNML.
#[derive(Clone, Debug)]
pub struct PnmlNet {
    pub net: PetriNet,
    /// Its names and the identifiers of the file.
    pub names: Names,
}

/// What a document says of one node.
struct Entry<'a, 'i> {
    element: Node<'a, 'i>,
    identifier: String,
    name: String,
}

#[derive(Default)]
struct Nodes<'a, 'i> {
    places: Vec<Entry<'a, 'i>>,
    transitions: Vec<Entry<'a, 'i>>,
    arcs: Vec<Node<'a, 'i>>,
    /// Reference nodes: the element and what it refers to.
    references: HashMap<String, (Node<'a, 'i>, String)>,
}

#[derive(Clone, Copy)]
enum Either {
    Place(PlaceId),
    Transition(TransitionId),
}

/// Reads a net.
pub fn read_pnml(text: &str) -> Result<PnmlNet, ReadError> {
    let document = xml::parse(text)?;
    let root = document.root_element();
    if root.tag_name().name() != "pnml" {
        let found = root.tag_name().name();
        return Err(xml::error(root, format!("expected <pnml>, found <{found}>")));
    }
    let mut nets = elements(root).filter(|e| e.tag_name().name() == "net");
    let net = nets.next().ok_or_else(|| xml::error(root, "there is no <net> here"))?;
    if let Some(second) = nets.next() {
        return Err(xml::error(second, "a second net in the same document")
            .help("split the document: one net in each"));
    }
    let kind = net.attribute("type").unwrap_or_default();
    let known = ["ptnet", "ptNet", "PTNet"];
    let short = kind.rsplit(['/', '#']).next().unwrap_or_default();
    if !known.contains(&short) {
        let message = format!("nets of the type `{kind}` are not supported");
        return Err(xml::error(net, message)
            .help(format!("unfold the net into a place/transition net, {PT_NET}")));
    }
    let mut nodes = Nodes::default();
    nodes.collect(net)?;
    nodes.build(net)
}

impl<'a, 'i> Nodes<'a, 'i> {
    /// Collects the nodes of a net or page. Pages are not deeper than the document.
    fn collect(&mut self, page: Node<'a, 'i>) -> Result<(), ReadError> {
        for element in elements(page) {
            match element.tag_name().name() {
                "page" => self.collect(element)?,
                "place" => {
                    if child(element, "capacity").is_some() {
                        return Err(xml::error(
                            element,
                            "places with a `capacity` are not supported",
                        )
                        .help("add a second place that counts what is left"));
                    }
                    self.places.push(entry(element)?);
                }
                "transition" => {
                    // What changes when a transition may fire must not be read as if it were not
                    // there.
                    let odd = ["delay", "priority", "guard", "condition"];
                    if let Some(odd) = odd.into_iter().find(|name| child(element, name).is_some()) {
                        let message = format!("transitions with a `{odd}` are not supported");
                        return Err(xml::error(element, message).help(
                            "only place/transition nets without time and priorities can be read",
                        ));
                    }
                    self.transitions.push(entry(element)?);
                }
                "arc" => self.arcs.push(element),
                "referencePlace" | "referenceTransition" => {
                    let to = attribute(element, "ref")?;
                    let identifier = attribute(element, "id")?;
                    if self.references.insert(identifier, (element, to)).is_some() {
                        return Err(xml::error(element, "this identifier is used twice"));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn build(self, net: Node<'_, '_>) -> Result<PnmlNet, ReadError> {
        let mut builder = NetBuilder::default();
        builder.name = match child(net, "name") {
            Some(_) => text_of(net, "name"),
            None => net.attribute("id").unwrap_or_default().to_owned(),
        };
        let mut ids: HashMap<&str, Either> = HashMap::new();
        let (mut place_ids, mut transition_ids) = (HashMap::new(), HashMap::new());
        for (entry, name) in self.places.iter().zip(unique_names(&self.places)) {
            let place = builder.place(&name);
            builder.place_mut(place).label = label(entry.element);
            builder.place_mut(place).initial = number(entry.element, "initialMarking", 0)?;
            place_ids.insert(entry.identifier.clone(), place.0);
            if ids.insert(&entry.identifier, Either::Place(place)).is_some() {
                return Err(xml::error(entry.element, "this identifier is used twice"));
            }
        }
        for (entry, name) in self.transitions.iter().zip(unique_names(&self.transitions)) {
            let t = builder.transition(&name);
            builder.label_transition(t, label(entry.element));
            transition_ids.insert(entry.identifier.clone(), t.0);
            if ids.insert(&entry.identifier, Either::Transition(t)).is_some() {
                return Err(xml::error(entry.element, "this identifier is used twice"));
            }
        }
        let mut followed = HashMap::new();
        for arc in &self.arcs {
            let kind = child(*arc, "type")
                .map(|t| t.attribute("value").map_or_else(|| content(t), str::to_owned));
            if let Some(kind) = kind.filter(|k| !k.is_empty() && k != "normal") {
                return Err(xml::error(
                    *arc,
                    format!("arcs of the type `{kind}` are not supported"),
                )
                .help("only ordinary arcs with weights can be read"));
            }
            let source = self.resolve(*arc, &attribute(*arc, "source")?, &ids, &mut followed)?;
            let target = self.resolve(*arc, &attribute(*arc, "target")?, &ids, &mut followed)?;
            let weight = number(*arc, "inscription", 1)?;
            if weight == 0 {
                return Err(xml::error(*arc, "an arc of weight 0").help("remove the arc"));
            }
            let result = match (source, target) {
                (Either::Place(p), Either::Transition(t)) => builder.take(t, p, weight),
                (Either::Transition(t), Either::Place(p)) => builder.give(t, p, weight),
                _ => {
                    return Err(xml::error(*arc, "an arc must join a place and a transition"));
                }
            };
            result.map_err(|Overflow| {
                xml::error(*arc, "the weights of these arcs add up to too large a number")
            })?;
        }
        let net = builder.finish();
        let names = Names::of(&net).with_identifiers(place_ids, transition_ids);
        Ok(PnmlNet { net, names })
    }

    /// The node of that identifier, through any references. References that have been followed once
    /// are known from then on, so that many arcs at the end of a long chain cost no more than both.
    fn resolve<'s>(
        &'s self,
        arc: Node<'_, '_>,
        identifier: &str,
        ids: &HashMap<&str, Either>,
        followed: &mut HashMap<&'s str, Either>,
    ) -> Result<Either, ReadError> {
        let mut wanted = identifier;
        let mut passed: Vec<&str> = Vec::new();
        loop {
            if let Some(node) = ids.get(wanted).or_else(|| followed.get(wanted)).copied() {
                followed.extend(passed.into_iter().map(|reference| (reference, node)));
                return Ok(node);
            }
            match self.references.get_key_value(wanted) {
                // More steps than references mean a circle.
                Some(_) if passed.len() > self.references.len() => {
                    let message =
                        format!("the references from `{identifier}` go round in a circle");
                    return Err(xml::error(arc, message));
                }
                Some((reference, (_, next))) => {
                    passed.push(reference);
                    wanted = next;
                }
                None => {
                    let known = ids.keys().copied();
                    let mut known: Vec<&str> = known.collect();
                    known.sort_unstable();
                    let help = ser_base::did_you_mean(wanted, known.into_iter());
                    let message = format!("there is no place or transition `{wanted}`");
                    return Err(xml::error(arc, message).maybe_help(help));
                }
            }
        }
    }
}

fn entry<'a, 'i>(element: Node<'a, 'i>) -> Result<Entry<'a, 'i>, ReadError> {
    let identifier = attribute(element, "id")?;
    if identifier.is_empty() {
        return Err(xml::error(element, "this identifier is empty")
            .help("give it a name of its own: `id=\"p1\"`"));
    }
    let name = text_of(element, "name");
    Ok(Entry { element, identifier, name })
}

fn attribute(element: Node<'_, '_>, name: &str) -> Result<String, ReadError> {
    element.attribute(name).map(str::to_owned).ok_or_else(|| {
        let tag = element.tag_name().name();
        xml::error(element, format!("this <{tag}> has no attribute `{name}`"))
    })
}

/// The names if they are all there and all different; the identifiers otherwise.
fn unique_names(entries: &[Entry<'_, '_>]) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    let unique = entries.iter().all(|e| !e.name.is_empty() && seen.insert(&e.name));
    entries.iter().map(|e| if unique { e.name.clone() } else { e.identifier.clone() }).collect()
}

/// `<name><text>...</text></name>`.
fn text_of(element: Node<'_, '_>, name: &str) -> String {
    let text = child(element, name).and_then(|n| child(n, "text"));
    text.map(content).unwrap_or_default()
}

/// Our own label, if there is one.
fn label(element: Node<'_, '_>) -> String {
    elements(element)
        .filter(|e| e.tag_name().name() == "toolspecific" && e.attribute("tool") == Some("ser"))
        .find_map(|e| child(e, "label"))
        .map(xml::exact_content)
        .unwrap_or_default()
}

fn number(element: Node<'_, '_>, name: &str, default: u64) -> Result<u64, ReadError> {
    let Some(node) = child(element, name) else { return Ok(default) };
    let text = child(node, "text").map(content).unwrap_or_default();
    if text.is_empty() {
        return Ok(default);
    }
    text.parse().map_err(|_| {
        xml::error(node, format!("`{text}` is not a number of tokens"))
            .help(format!("whole numbers from 0 to {} can be read", u64::MAX))
    })
}

/// The identifiers that [`write_pnml`] gives to places and transitions: their names if those can
/// be identifiers, and `p0`, `p1`, ..., `t0`, `t1`, ... otherwise.
pub fn pnml_identifiers(net: &PetriNet) -> (Vec<String>, Vec<String>) {
    let names =
        || net.places.iter().map(|p| &p.name).chain(net.transitions.iter().map(|t| &t.name));
    let mut seen = std::collections::HashSet::new();
    // The net and its page have identifiers of their own.
    let reserved = |name: &str| name == "net" || name == "page" || name.starts_with("arc-");
    if names().all(|n| xml::is_identifier(n) && !reserved(n) && seen.insert(n)) {
        let places = net.places.iter().map(|p| p.name.clone()).collect();
        return (places, net.transitions.iter().map(|t| t.name.clone()).collect());
    }
    let numbered = |letter: &str, count: usize| -> Vec<String> {
        (0..count).map(|i| format!("{letter}{i}")).collect()
    };
    (numbered("p", net.places.len()), numbered("t", net.transitions.len()))
}

/// Writes a net; [`read_pnml`] gives it back, unless names begin or end in blanks or have
/// characters that XML does not have.
pub fn write_pnml(net: &PetriNet) -> String {
    let (places, transitions) = pnml_identifiers(net);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<pnml xmlns=\"{NAMESPACE}\">");
    let _ = writeln!(out, "  <net id=\"net\" type=\"{PT_NET}\">");
    let _ = writeln!(out, "    <name><text>{}</text></name>", escape(&net.name));
    let _ = writeln!(out, "    <page id=\"page\">");
    let node = |out: &mut String, tag: &str, id: &str, name: &str, label: &str| {
        let _ = writeln!(out, "      <{tag} id=\"{id}\">");
        let _ = writeln!(out, "        <name><text>{}</text></name>", escape(name));
        if !label.is_empty() {
            let label = escape(label);
            let _ = writeln!(
                out,
                "        <toolspecific tool=\"ser\" version=\"1\"><label>{label}</label></toolspecific>"
            );
        }
    };
    for (place, id) in net.places.iter().zip(&places) {
        node(&mut out, "place", id, &place.name, &place.label);
        if place.initial > 0 {
            let tokens = place.initial;
            let _ = writeln!(out, "        <initialMarking><text>{tokens}</text></initialMarking>");
        }
        out.push_str("      </place>\n");
    }
    for (t, id) in net.transitions.iter().zip(&transitions) {
        node(&mut out, "transition", id, &t.name, &t.label);
        out.push_str("      </transition>\n");
    }
    let mut arcs = 0usize;
    let mut arc = |out: &mut String, source: &str, target: &str, weight: u64| {
        let start = format!("      <arc id=\"arc-{arcs}\" source=\"{source}\" target=\"{target}\"");
        arcs += 1;
        let _ = match weight {
            1 => writeln!(out, "{start}/>"),
            _ => writeln!(out, "{start}><inscription><text>{weight}</text></inscription></arc>"),
        };
    };
    let place = |p: PlaceId| places.get(p.index()).map_or("", String::as_str);
    for (t, id) in net.transitions.iter().zip(&transitions) {
        for (p, weight) in &t.takes {
            arc(&mut out, place(*p), id, *weight);
        }
        for (p, weight) in &t.gives {
            arc(&mut out, id, place(*p), *weight);
        }
    }
    out.push_str("    </page>\n  </net>\n</pnml>\n");
    out
}
