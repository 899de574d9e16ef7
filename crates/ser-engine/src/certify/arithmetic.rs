//! Proofs by arithmetic as certificates: numbers of hypotheses and variables become names.

use super::{PlaceName, place_name, reduction};
use crate::{Counting, Proof, Spot, Tree};
use ser_arith::{Linear, Multipliers, Origin, Var};
use ser_cert as cert;
use ser_cert::hypothesis;
use ser_model::{GlobalId, NetworkSystem};
use ser_net::{Effect, Outcome, PlaceId};
use std::collections::BTreeMap;

/// The certificate of a proof by arithmetic.
pub(super) fn arithmetic(
    proof: &Proof,
    counting: &Counting,
    system: &NetworkSystem,
) -> cert::Arithmetic {
    let names = Names { proof, counting, system };
    let cases = counting.cases.iter().map(|(end, tree)| cert::FinalCase {
        global: system.global_name(GlobalId(*end)),
        tree: names.tree(tree),
    });
    cert::Arithmetic {
        reductions: proof.reductions.iter().map(|a| reduction(&a.reduction, system)).collect(),
        transitions: names.transitions(),
        components: counting.components.iter().map(|c| names.component(c)).collect(),
        cases: cases.collect(),
    }
}

struct Names<'a> {
    proof: &'a Proof,
    counting: &'a Counting,
    system: &'a NetworkSystem,
}

impl Names<'_> {
    fn letter(&self, outcome: Outcome) -> cert::LetterName {
        let request = self.system.request_name(outcome.request).to_owned();
        cert::LetterName(request, self.system.response_name(outcome.response).to_owned())
    }

    fn place(&self, place: PlaceId) -> cert::PlaceName {
        let PlaceName { request, local } = place_name(self.proof, self.system, place);
        cert::PlaceName(request, local)
    }

    fn transitions(&self) -> Vec<cert::TransitionName> {
        let transitions = self.proof.net.transitions.iter();
        transitions
            .map(|t| cert::TransitionName {
                before: self.system.global_name(t.before),
                takes: t.takes.map(|p| self.place(p)),
                after: self.system.global_name(t.after),
                effect: match t.effect {
                    Effect::InFlight(p) => cert::EffectName::Gives(self.place(p)),
                    Effect::Respond(outcome) => cert::EffectName::Responds(self.letter(outcome)),
                },
            })
            .collect()
    }

    fn component(&self, component: &ser_arith::Component) -> cert::Component {
        let word = |letters: &[u32]| -> Vec<cert::Reading> {
            let edges = letters.iter().map(|edge| self.counting.edges[*edge as usize]);
            edges
                .map(|e| cert::Reading(self.letter(e.outcome), self.system.global_name(e.after)))
                .collect()
        };
        match component.origin {
            Origin::Merge(first, second, period) => {
                cert::Component::Merge { merge: (first, second), period }
            }
            Origin::Word => cert::Component::Words {
                word: word(&component.word),
                cycles: component
                    .cycles
                    .iter()
                    .map(|c| cert::Cycle { at: c.at, word: word(&c.word) })
                    .collect(),
            },
        }
    }

    fn hypothesis(&self, id: usize) -> String {
        let globals = self.proof.net.global_count;
        let places = self.proof.net.places.len();
        if id < globals {
            hypothesis::global(&self.system.global_name(GlobalId::from_index(id)))
        } else if id < globals + places {
            let place = PlaceId((id - globals) as u32);
            let PlaceName { request, local } = place_name(self.proof, self.system, place);
            hypothesis::place(&request, &local)
        } else {
            format!("h{}", id - globals - places)
        }
    }

    fn variable(&self, var: Var) -> String {
        let counts = self.proof.net.transitions.len();
        match var.0 as usize {
            i if i < counts => hypothesis::count(i),
            i => format!("y{}", i - counts),
        }
    }

    fn form(&self, form: &Linear) -> cert::Terms {
        let mut terms: BTreeMap<String, String> =
            form.terms().map(|(v, c)| (self.variable(v), c.to_string())).collect();
        if !form.constant_term().is_zero() {
            terms.insert("1".into(), form.constant_term().to_string());
        }
        cert::Terms(terms)
    }

    fn multipliers(&self, multipliers: &Multipliers) -> cert::Terms {
        let terms = multipliers.iter().map(|(id, m)| (self.hypothesis(*id), m.to_string()));
        cert::Terms(terms.collect())
    }

    fn tree(&self, tree: &Tree) -> cert::Node {
        match tree {
            Tree::Split { form, at, hypothesis, branches } => cert::Node::Split {
                form: self.form(form),
                at: *at,
                name: self.hypothesis(*hypothesis),
                le: Box::new(self.tree(&branches.0)),
                gt: Box::new(self.tree(&branches.1)),
            },
            Tree::Sign { form, hypothesis, branches } => {
                let [negative, zero, positive] = &**branches;
                cert::Node::Sign {
                    form: self.form(form),
                    name: self.hypothesis(*hypothesis),
                    negative: Box::new(self.tree(negative)),
                    zero: Box::new(self.tree(zero)),
                    positive: Box::new(self.tree(positive)),
                }
            }
            Tree::Modulo { form, divisor, hypothesis, quotient, branches } => cert::Node::Modulo {
                form: self.form(form),
                q: *divisor,
                name: self.hypothesis(*hypothesis),
                variable: self.variable(*quotient),
                cases: branches.iter().map(|b| self.tree(b)).collect(),
            },
            Tree::Cut { spots, at_end, hypothesis, branches } => cert::Node::Cut {
                places: spots.iter().map(|s| self.spot(*s)).collect(),
                side: if *at_end { cert::End::End } else { cert::End::Start },
                phase: None,
                part: None,
                name: self.hypothesis(*hypothesis),
                none: Box::new(self.tree(&branches.0)),
                some: Box::new(self.tree(&branches.1)),
            },
            Tree::Farkas(m) => cert::Node::Farkas { multipliers: self.multipliers(m) },
            Tree::Lattice(m) => cert::Node::Lattice { multipliers: self.multipliers(m) },
            Tree::Member { component, lambda, nonneg, equal } => cert::Node::Member {
                member: cert::Member {
                    component: *component,
                    lambda: lambda.iter().map(|f| self.form(f)).collect(),
                    nonneg: nonneg.iter().map(|m| self.multipliers(m)).collect(),
                    equal: self.equal(*component, equal),
                },
            },
        }
    }

    fn spot(&self, spot: Spot) -> cert::CutPlace {
        match spot {
            Spot::Global(g) => {
                cert::CutPlace::Global { global: self.system.global_name(GlobalId(g)) }
            }
            Spot::Place(p) => {
                let PlaceName { request, local } = place_name(self.proof, self.system, p);
                cert::CutPlace::InFlight { request, local }
            }
        }
    }

    /// For each letter of the net or of the component, in the order of their names.
    fn equal(&self, component: usize, equal: &[Multipliers]) -> Vec<cert::Terms> {
        let set = &self.counting.components[component];
        let in_net = |outcome: Outcome| {
            self.proof.net.transitions.iter().any(|t| t.effect == Effect::Respond(outcome))
        };
        let mut list: Vec<(cert::LetterName, cert::Terms)> = self
            .counting
            .letters
            .iter()
            .zip(equal)
            .enumerate()
            .filter(|(i, (outcome, _))| {
                set.base[*i] != 0 || set.periods.iter().any(|p| p[*i] != 0) || in_net(**outcome)
            })
            .map(|(_, (outcome, m))| (self.letter(*outcome), self.multipliers(m)))
            .collect();
        list.sort_by(|a, b| a.0.cmp(&b.0));
        list.into_iter().map(|(_, terms)| terms).collect()
    }
}
