//! Queries in the XML of the Model Checking Contest: reachability properties over token counts.
//!
//! A `property-set` holds any number of properties. Read are `exists-path` with `finally` and
//! `all-paths` with `globally` (also with a negation in front), boolean combinations, comparisons
//! of sums of `tokens-count`, and the two atoms `is-fireable` and `deadlock`, which become
//! formulas over tokens. Places and transitions are named by their PNML identifiers, or by their
//! names if the net has no identifiers.

use crate::atoms::{Atoms, TooLong};
use crate::error::ReadError;
use crate::total::Total;
use crate::xml::{self, content, elements, escape};
use crate::{Formula, Names, PetriNet, Quantifier, Query, Relation, Sum, TransitionId};
use roxmltree::Node;
use std::collections::HashSet;
use std::fmt::Write as _;

const NAMESPACE: &str = "http://mcc.lip6.fr/";

/// Reads all properties of a document about a net.
pub fn read_properties(text: &str, net: &PetriNet, names: &Names) -> Result<Vec<Query>, ReadError> {
    let document = xml::parse(text)?;
    let root = document.root_element();
    if root.tag_name().name() != "property-set" {
        let found = root.tag_name().name();
        return Err(xml::error(root, format!("expected <property-set>, found <{found}>")));
    }
    let reader = Reader { atoms: Atoms::new(net), names };
    let mut queries: Vec<Query> = Vec::new();
    let mut seen = HashSet::new();
    for element in elements(root).filter(|e| e.tag_name().name() == "property") {
        let query = reader.property(element, queries.len())?;
        if !seen.insert(query.name.clone()) {
            let message = format!("there are two properties `{}`", query.name);
            return Err(xml::error(element, message));
        }
        queries.push(query);
    }
    if queries.is_empty() {
        return Err(xml::error(root, "there is no <property> here"));
    }
    Ok(queries)
}

struct Reader<'a> {
    atoms: Atoms<'a>,
    names: &'a Names,
}

impl Reader<'_> {
    fn property(&self, property: Node<'_, '_>, number: usize) -> Result<Query, ReadError> {
        let name = xml::child(property, "id").map(content).filter(|id| !id.is_empty());
        let name = name.unwrap_or_else(|| format!("property-{}", number + 1));
        let formula = xml::child(property, "formula")
            .ok_or_else(|| xml::error(property, "this property has no <formula>"))?;
        let (quantifier, formula) = self.path(only_child(formula)?)?;
        Ok(Query { name, quantifier, formula })
    }

    fn path(&self, node: Node<'_, '_>) -> Result<(Quantifier, Formula), ReadError> {
        let inner = |operator: &str| {
            let path = only_child(node)?;
            if path.tag_name().name() != operator {
                let (outer, found) = (node.tag_name().name(), path.tag_name().name());
                let message = format!("<{outer}> of <{found}> is not a reachability property");
                return Err(xml::error(path, message)
                    .help("only <exists-path><finally> and <all-paths><globally> can be read"));
            }
            self.formula(only_child(path)?)
        };
        match node.tag_name().name() {
            "exists-path" => Ok((Quantifier::Possibly, inner("finally")?)),
            "all-paths" => Ok((Quantifier::Always, inner("globally")?)),
            // Not possibly f is always not f, and the other way round.
            "negation" => {
                let (quantifier, formula) = self.path(only_child(node)?)?;
                let quantifier = match quantifier {
                    Quantifier::Possibly => Quantifier::Always,
                    Quantifier::Always => Quantifier::Possibly,
                };
                Ok((quantifier, Formula::Not(Box::new(formula))))
            }
            other => Err(xml::error(node, format!("<{other}> is not a reachability property"))
                .help("a formula starts with <exists-path><finally> or <all-paths><globally>")),
        }
    }

    fn formula(&self, node: Node<'_, '_>) -> Result<Formula, ReadError> {
        let all = || elements(node).map(|e| self.formula(e)).collect::<Result<Vec<_>, _>>();
        let relation = match node.tag_name().name() {
            "conjunction" => return Ok(Formula::And(all()?)),
            "disjunction" => return Ok(Formula::Or(all()?)),
            "negation" => return Ok(Formula::Not(Box::new(self.formula(only_child(node)?)?))),
            "true" => return Ok(Formula::always()),
            "false" => return Ok(Formula::never()),
            "deadlock" => {
                return self.atoms.deadlock().map_err(|e| too_long(node, e));
            }
            "is-fireable" => return self.fireable(node),
            "integer-le" => Relation::AtMost,
            "integer-lt" => Relation::Less,
            "integer-ge" => Relation::AtLeast,
            "integer-gt" => Relation::Greater,
            "integer-eq" => Relation::Equal,
            "integer-ne" => Relation::Different,
            other => {
                return Err(xml::error(node, format!("<{other}> is not a condition on tokens")));
            }
        };
        let sides: Vec<Node<'_, '_>> = elements(node).collect();
        let [left, right] = sides.as_slice() else {
            return Err(xml::error(node, "a comparison has two sides"));
        };
        Ok(Formula::Compare(self.sum(*left)?, relation, self.sum(*right)?))
    }

    fn fireable(&self, node: Node<'_, '_>) -> Result<Formula, ReadError> {
        let find = |name: &str| self.names.transition_by_identifier(name);
        let transitions = named(node, "transition", find, |name| self.names.guess_transition(name));
        let transitions: Vec<TransitionId> = transitions.collect::<Result<_, _>>()?;
        self.atoms.fireable(&transitions).map_err(|e| too_long(node, e))
    }

    fn sum(&self, node: Node<'_, '_>) -> Result<Sum, ReadError> {
        let too_large = || xml::error(node, "the numbers in this sum are too large");
        let parts = || elements(node).map(|e| self.sum(e)).collect::<Result<Vec<_>, _>>();
        let mut total = Total::default();
        match node.tag_name().name() {
            "integer-constant" => {
                let text = content(node);
                let constant = text.parse().map_err(|_| {
                    xml::error(node, format!("`{text}` is not a whole number of 64 bits"))
                })?;
                Sum::constant(constant).scaled(1).ok_or_else(too_large)
            }
            "tokens-count" => {
                let find = |name: &str| self.names.place_by_identifier(name);
                for place in named(node, "place", find, |name| self.names.guess_place(name)) {
                    total.add(1, &Sum::tokens(place?)).ok_or_else(too_large)?;
                }
                Ok(total.finish())
            }
            "integer-sum" => {
                for part in parts()? {
                    total.add(1, &part).ok_or_else(too_large)?;
                }
                Ok(total.finish())
            }
            "integer-difference" => {
                for (i, part) in parts()?.iter().enumerate() {
                    let sign = if i == 0 { 1 } else { -1 };
                    total.add(sign, part).ok_or_else(too_large)?;
                }
                Ok(total.finish())
            }
            "integer-product" => {
                let mut product = Sum::constant(1);
                for part in parts()? {
                    let (factor, other) = match (product.terms.is_empty(), part.terms.is_empty()) {
                        (true, _) => (product.constant, part),
                        (false, true) => (part.constant, product),
                        (false, false) => {
                            return Err(xml::error(node, "a product of token counts")
                                .help("only products with a constant can be read"));
                        }
                    };
                    product = other.scaled(factor).ok_or_else(too_large)?;
                }
                Ok(product)
            }
            other => Err(xml::error(node, format!("<{other}> is not a number"))),
        }
    }
}

/// What the elements with this tag inside `node` name.
fn named<'n, T>(
    node: Node<'n, 'n>,
    tag: &'static str,
    find: impl Fn(&str) -> Option<T>,
    guess: impl Fn(&str) -> Option<String>,
) -> impl Iterator<Item = Result<T, ReadError>> {
    elements(node).filter(move |it| it.tag_name().name() == tag).map(move |element| {
        let name = content(element);
        find(&name).ok_or_else(|| {
            xml::error(element, format!("the net has no {tag} `{name}`")).maybe_help(guess(&name))
        })
    })
}

fn too_long(node: Node<'_, '_>, error: TooLong) -> ReadError {
    xml::error(node, error.to_string()).help("split the document: fewer properties in each")
}

fn only_child<'a, 'i>(node: Node<'a, 'i>) -> Result<Node<'a, 'i>, ReadError> {
    let mut children = elements(node);
    match (children.next(), children.next()) {
        (Some(child), None) => Ok(child),
        _ => {
            let tag = node.tag_name().name();
            Err(xml::error(node, format!("<{tag}> must have exactly one element in it")))
        }
    }
}

/// By what the nodes of the net are called in a written query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CalledBy {
    /// Their names, as in a NET file.
    Name,
    /// The identifiers of [`write_pnml`](crate::write_pnml).
    PnmlIdentifier,
}

/// Writes queries; [`read_properties`] gives them back, with sums written out.
pub fn write_properties(net: &PetriNet, queries: &[Query], called_by: CalledBy) -> String {
    let places = match called_by {
        CalledBy::Name => net.places.iter().map(|p| p.name.clone()).collect(),
        CalledBy::PnmlIdentifier => crate::pnml_identifiers(net).0,
    };
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<property-set xmlns=\"{NAMESPACE}\">");
    for query in queries {
        let _ = writeln!(out, "  <property>\n    <id>{}</id>", escape(&query.name));
        let description = escape(&query.show(net).to_string());
        let _ = writeln!(out, "    <description>{description}</description>\n    <formula>");
        let (outer, inner) = match query.quantifier {
            Quantifier::Possibly => ("exists-path", "finally"),
            Quantifier::Always => ("all-paths", "globally"),
        };
        let _ = writeln!(out, "      <{outer}>\n        <{inner}>");
        Writer { places: &places, out: &mut out }.formula(&query.formula, 5);
        let _ =
            writeln!(out, "        </{inner}>\n      </{outer}>\n    </formula>\n  </property>");
    }
    out.push_str("</property-set>\n");
    out
}

struct Writer<'a> {
    places: &'a [String],
    out: &'a mut String,
}

impl Writer<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", 2 * depth);
    }

    fn formula(&mut self, formula: &Formula, depth: usize) {
        let tag = match formula {
            Formula::And(_) => "conjunction",
            Formula::Or(_) => "disjunction",
            Formula::Not(_) => "negation",
            Formula::Compare(_, relation, _) => match relation {
                Relation::Equal => "integer-eq",
                Relation::Different => "integer-ne",
                Relation::Less => "integer-lt",
                Relation::AtMost => "integer-le",
                Relation::Greater => "integer-gt",
                Relation::AtLeast => "integer-ge",
            },
        };
        self.line(depth, &format!("<{tag}>"));
        match formula {
            Formula::And(parts) | Formula::Or(parts) => {
                for part in parts {
                    self.formula(part, depth + 1);
                }
            }
            Formula::Not(inner) => self.formula(inner, depth + 1),
            Formula::Compare(left, _, right) => {
                self.sum(left, depth + 1);
                self.sum(right, depth + 1);
            }
        }
        self.line(depth, &format!("</{tag}>"));
    }

    /// Positive terms minus negative ones; places of the same coefficient are counted together.
    fn sum(&mut self, sum: &Sum, depth: usize) {
        let side = |sign: i64| -> Vec<(u64, Vec<&str>)> {
            let mut groups: std::collections::BTreeMap<u64, Vec<&str>> = Default::default();
            for (p, a) in sum.terms.iter().filter(|(_, a)| a.signum() == sign) {
                let name = self.places.get(p.index()).map_or("", String::as_str);
                groups.entry(a.unsigned_abs()).or_default().push(name);
            }
            groups.into_iter().collect()
        };
        let lines = |groups: &[(u64, Vec<&str>)], constant: u64| -> Vec<String> {
            let mut parts = Vec::new();
            for (a, names) in groups {
                let names: String =
                    names.iter().map(|n| format!("<place>{}</place>", escape(n))).collect();
                let count = format!("<tokens-count>{names}</tokens-count>");
                parts.push(match a {
                    1 => count,
                    a => format!(
                        "<integer-product><integer-constant>{a}</integer-constant>{count}</integer-product>"
                    ),
                });
            }
            if constant != 0 || parts.is_empty() {
                parts.push(format!("<integer-constant>{constant}</integer-constant>"));
            }
            parts
        };
        let (plus, minus) = (side(1), side(-1));
        let positive = u64::try_from(sum.constant).unwrap_or(0);
        if minus.is_empty() {
            // A constant of its own keeps its sign.
            if plus.is_empty() {
                let text = format!("<integer-constant>{}</integer-constant>", sum.constant);
                return self.line(depth, &text);
            }
            if sum.constant >= 0 {
                let parts = lines(&plus, positive);
                return self.joined(&parts, depth);
            }
        }
        let left = lines(&plus, positive);
        let right = lines(&minus, if sum.constant < 0 { sum.constant.unsigned_abs() } else { 0 });
        self.line(depth, "<integer-difference>");
        self.joined(&left, depth + 1);
        self.joined(&right, depth + 1);
        self.line(depth, "</integer-difference>");
    }

    fn joined(&mut self, parts: &[String], depth: usize) {
        if let [one] = parts {
            return self.line(depth, one);
        }
        self.line(depth, "<integer-sum>");
        for part in parts {
            self.line(depth + 1, part);
        }
        self.line(depth, "</integer-sum>");
    }
}
