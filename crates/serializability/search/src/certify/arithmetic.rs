//! Proofs by arithmetic as certificates: numbers of hypotheses and variables become names.

use super::{PlaceName, place_name, reduction};
use crate::{Counting, Phase, Proof, Spot, Tree};
use ser_arith::{Linear, Multipliers, Origin, Var};
use ser_model::{GlobalId, NetworkSystem};
use ser_net::{Effect, Outcome, PlaceId};
use ser_serializability_checker as cert;
use ser_serializability_checker::hypothesis;
use std::collections::BTreeMap;

/// The certificate of a proof by arithmetic.
pub(super) fn arithmetic(
    proof: &Proof,
    counting: &Counting,
    system: &NetworkSystem,
) -> cert::Arithmetic {
    let names = Names { proof, counting, system };
    let cases = counting.cases.iter().map(|(end, tree)| cert::FinalCase {
        global: end.map(|end| system.global_name(GlobalId(end))),
        tree: names.tree(tree, &mut Vec::new()),
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

/// The divisions of the run above a node: the name of the phase, and what belongs to it.
type Phases = Vec<(String, Phase)>;

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

    fn hypothesis(&self, id: usize, phases: &Phases) -> String {
        let net = &self.proof.net;
        let (counts, globals, places) = (net.transitions.len(), net.global_count, net.places.len());
        let global = |i: usize| self.system.global_name(GlobalId::from_index(i));
        let place = |i: usize| place_name(self.proof, self.system, PlaceId(i as u32));
        if id < globals {
            return hypothesis::global(&global(id));
        }
        if id < globals + places {
            let PlaceName { request, local } = place(id - globals);
            return hypothesis::place(&request, &local);
        }
        for (phase, Phase { first_hypothesis, .. }) in phases {
            let Some(i) = id.checked_sub(*first_hypothesis) else { continue };
            if i < counts {
                return hypothesis::phase_first(phase, i);
            }
            if i < counts + globals {
                return hypothesis::phase_global(phase, &global(i - counts));
            }
            if i < counts + globals + places {
                let PlaceName { request, local } = place(i - counts - globals);
                return hypothesis::phase_place(phase, &request, &local);
            }
        }
        self.branch(id)
    }

    /// The name of the hypothesis of a branch.
    fn branch(&self, id: usize) -> String {
        format!("h{}", id - self.proof.net.global_count - self.proof.net.places.len())
    }

    fn variable(&self, var: Var, phases: &Phases) -> String {
        let counts = self.proof.net.transitions.len();
        let index = var.0 as usize;
        if index < counts {
            return hypothesis::count(index);
        }
        for (phase, Phase { first_var, .. }) in phases {
            match index.checked_sub(*first_var as usize) {
                Some(i) if i < counts => return hypothesis::phase_count(phase, i),
                _ => {}
            }
        }
        format!("y{}", index - counts)
    }

    fn form(&self, form: &Linear, phases: &Phases) -> cert::Terms {
        let mut terms: BTreeMap<String, String> =
            form.terms().map(|(v, c)| (self.variable(v, phases), c.to_string())).collect();
        if !form.constant_term().is_zero() {
            terms.insert("1".into(), form.constant_term().to_string());
        }
        cert::Terms(terms)
    }

    fn multipliers(&self, multipliers: &Multipliers, phases: &Phases) -> cert::Terms {
        let terms = multipliers.iter().map(|(id, m)| (self.hypothesis(*id, phases), m.to_string()));
        cert::Terms(terms.collect())
    }

    fn tree(&self, tree: &Tree, phases: &mut Phases) -> cert::Node {
        match tree {
            Tree::Split { form, at, hypothesis, branches } => cert::Node::Split {
                form: self.form(form, phases),
                at: *at,
                name: self.branch(*hypothesis),
                le: Box::new(self.tree(&branches.0, phases)),
                gt: Box::new(self.tree(&branches.1, phases)),
            },
            Tree::Sign { form, hypothesis, branches } => {
                let [negative, zero, positive] = &**branches;
                cert::Node::Sign {
                    form: self.form(form, phases),
                    name: self.branch(*hypothesis),
                    negative: Box::new(self.tree(negative, phases)),
                    zero: Box::new(self.tree(zero, phases)),
                    positive: Box::new(self.tree(positive, phases)),
                }
            }
            Tree::Modulo { form, divisor, hypothesis, quotient, branches } => cert::Node::Modulo {
                form: self.form(form, phases),
                q: *divisor,
                name: self.branch(*hypothesis),
                variable: self.variable(*quotient, phases),
                cases: branches.iter().map(|b| self.tree(b, phases)).collect(),
            },
            Tree::Cut { spots, at_end, phase, hypothesis, branches } => cert::Node::Cut {
                places: spots.iter().map(|s| self.spot(*s)).collect(),
                side: if *at_end { cert::End::End } else { cert::End::Start },
                phase: phase.map(|id| self.branch(id)),
                part: phase.map(|_| if *at_end { cert::Part::Second } else { cert::Part::First }),
                name: self.branch(*hypothesis),
                none: Box::new(self.tree(&branches.0, phases)),
                some: Box::new(self.tree(&branches.1, phases)),
            },
            Tree::Last { transition, hypothesis, phase, branches } => {
                let never = Box::new(self.tree(&branches.0, phases));
                let name = self.branch(*hypothesis);
                phases.push((name.clone(), *phase));
                let some = Box::new(self.tree(&branches.1, phases));
                phases.pop();
                cert::Node::Last { transition: *transition, name, never, some }
            }
            Tree::Farkas(m) => cert::Node::Farkas { multipliers: self.multipliers(m, phases) },
            Tree::Lattice(m) => cert::Node::Lattice { multipliers: self.multipliers(m, phases) },
            // A finished tree has none; the checker would not accept it.
            Tree::Lemma { .. } => cert::Node::Farkas { multipliers: cert::Terms::default() },
            Tree::Member { component, lambda, nonneg, equal } => cert::Node::Member {
                member: cert::Member {
                    component: *component,
                    lambda: lambda.iter().map(|f| self.form(f, phases)).collect(),
                    nonneg: nonneg.iter().map(|m| self.multipliers(m, phases)).collect(),
                    equal: self.equal(*component, equal, phases),
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
    fn equal(&self, component: usize, equal: &[Multipliers], phases: &Phases) -> Vec<cert::Terms> {
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
            .map(|(_, (outcome, m))| (self.letter(*outcome), self.multipliers(m, phases)))
            .collect();
        list.sort_by(|a, b| a.0.cmp(&b.0));
        list.into_iter().map(|(_, terms)| terms).collect()
    }
}
