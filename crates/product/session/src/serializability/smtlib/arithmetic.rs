//! Trees of cases about how often each transition fires.
//!
//! One integer for every transition, and scopes inside scopes like the tree: the state equation at
//! the root of a case, one hypothesis more in each branch, with the meaning that the checker gives
//! it (`ser-serializability-checker`, `arithmetic`), and at every leaf the opposite of what it
//! claims.

mod component;
mod net;

use super::{Script, all, number, sum, symbol, times};
use component::{Vectors, describe};
use net::{Net, Spot, chosen};
use ser_serializability_checker::{
    Arithmetic, CutPlace, End, LetterName, Member, Node, Part, Terms,
};
use std::collections::BTreeMap;

/// Writes the queries of a proof by arithmetic.
pub(super) fn write(script: &mut Script, proof: &Arithmetic, initial: &str) {
    let net = Net::new(proof, initial);
    script.comment("How often each transition of the reduced net fires in a complete run.");
    let mut counts = Vec::new();
    for (i, t) in proof.transitions.iter().enumerate() {
        script.comment(&format!("t{i}: {}", net.words(t)));
        let count = symbol(&format!("t{i}"));
        script.declare(&count);
        script.assert(&format!("(>= {count} 0)"));
        counts.push(count);
    }
    script.blank();
    script.comment(
        "Sets of serial outcomes: a serial run, and cycles to insert any number of times.",
    );
    script.comment("(That these are serial runs is checked by `ser verify`.)");
    let mut components = Vec::new();
    for (i, component) in proof.components.iter().enumerate() {
        let vectors = Vectors::new(component, &components);
        describe(script, i, component, &vectors);
        components.push(vectors);
    }
    for (i, case) in proof.cases.iter().enumerate() {
        script.blank();
        let end = case.global.as_deref();
        let anywhere = "any global state";
        let runs = end.unwrap_or(anywhere);
        script.comment(&format!("Runs that end in {runs}, with no request in flight."));
        script.scope(|script| {
            for spot in net.flows.keys() {
                script.comment(&format!("{}: what comes and what goes", spot.words()));
                let balance = net.balance(*spot, Some(*spot) == end.map(Spot::Global), &counts);
                let relation = match (spot, end) {
                    (Spot::Global(_), None) => ">=",
                    _ => "=",
                };
                script.assert(&format!("({relation} {balance} 0)"));
            }
            let mut walk = Walk {
                script,
                net: &net,
                counts: &counts,
                components: &components,
                phases: BTreeMap::new(),
                path: format!("cases[{i}].tree"),
            };
            walk.node(&case.tree);
        });
    }
}

/// The way through the tree of one case.
struct Walk<'a> {
    script: &'a mut Script,
    net: &'a Net<'a>,
    /// How often each transition fires.
    counts: &'a [String],
    components: &'a [Vectors<'a>],
    /// The counts of the first and the second part of each phase on the way.
    phases: BTreeMap<&'a str, [Vec<String>; 2]>,
    /// The place of the node in the certificate.
    path: String,
}

impl<'a> Walk<'a> {
    fn node(&mut self, node: &'a Node) {
        match node {
            Node::Split { form, at, le, gt, .. } => {
                self.covered("a form is at most a number or at least one more");
                let (form, above) = (linear(form), i128::from(*at) + 1);
                let [at, above] = [at.to_string(), above.to_string()].map(|n| number(&n));
                self.child("le", le, |script| script.assert(&format!("(<= {form} {at})")));
                self.child("gt", gt, |script| script.assert(&format!("(>= {form} {above})")));
            }
            Node::Sign { form, negative, zero, positive, .. } => {
                self.covered("a form is negative, zero or positive");
                let form = linear(form);
                for (field, node, relation) in [
                    ("negative", negative, format!("(<= {form} (- 1))")),
                    ("zero", zero, format!("(= {form} 0)")),
                    ("positive", positive, format!("(>= {form} 1)")),
                ] {
                    self.child(field, node, |script| script.assert(&relation));
                }
            }
            Node::Modulo { form, q, variable, cases, .. } => {
                self.covered("a form has one of these remainders, and a quotient");
                let (form, variable) = (linear(form), symbol(variable));
                for (rest, case) in cases.iter().enumerate() {
                    self.child(&format!("cases[{rest}]"), case, |script| {
                        script.declare(&variable);
                        script.assert(&format!("(= {form} (+ (* {q} {variable}) {rest}))"));
                    });
                }
            }
            Node::Cut { places, side, phase, part, none, some, .. } => {
                let [users, helpers] = self.cut(places, *side, phase.as_deref().zip(*part));
                let spots: Vec<String> = places.iter().map(|p| Spot::of_cut(p).words()).collect();
                let reason = match side {
                    End::Start => {
                        "nothing is there at the start, so either no transition takes from it or one puts into it"
                    }
                    End::End => {
                        "nothing is there at the end, so either no transition puts into it or one takes from it"
                    }
                };
                self.covered(&format!("{reason}: {}", spots.join(", ")));
                self.child("none", none, |script| script.assert(&format!("(= {users} 0)")));
                self.child("some", some, |script| script.assert(&format!("(>= {helpers} 1)")));
            }
            Node::Last { transition, name, never, some } => {
                self.covered(&format!("t{transition} never fires or fires for a last time"));
                let fired = sum(&chosen(self.counts, &[*transition]).collect::<Vec<_>>());
                self.child("never", never, |script| script.assert(&format!("(= {fired} 0)")));
                let phase = self.phase(*transition, name);
                self.phases.insert(name, phase.clone());
                let (net, counts) = (self.net, self.counts);
                self.child("some", some, |script| {
                    divide(script, net, counts, *transition, &phase);
                });
                self.phases.remove(name.as_str());
            }
            Node::Farkas { .. } | Node::Lattice { .. } => {
                let path = self.path.clone();
                self.script.expect_unsat(&format!("{path}: no run has such counts"));
            }
            Node::Member { member } => self.member(member),
        }
    }

    /// Says why every run is in one of the cases below.
    fn covered(&mut self, reason: &str) {
        self.script.comment(&format!("Nothing is left out: {reason}."));
    }

    /// Goes to a child with one more hypothesis, and comes back without it.
    fn child(&mut self, field: &str, node: &'a Node, suppose: impl FnOnce(&mut Script)) {
        let length = self.path.len();
        self.path.push_str(&format!(".{field}"));
        self.script.comment(&self.path);
        self.script.open();
        suppose(self.script);
        self.node(node);
        self.script.close();
        self.path.truncate(length);
    }

    /// How often something fires that needs the places of a cut, and that helps those.
    fn cut(&self, places: &[CutPlace], side: End, part: Option<(&str, Part)>) -> [String; 2] {
        let part = part.and_then(|(phase, part)| Some((self.phases.get(phase)?, part)));
        let counts = match part {
            None => self.counts,
            Some(([first, _], Part::First)) => first,
            Some(([_, second], Part::Second)) => second,
        };
        let inside = |spot: Spot<'_>| places.iter().any(|p| Spot::of_cut(p) == spot);
        let (mut users, mut helpers) = (Vec::new(), Vec::new());
        for (t, count) in self.net.transitions.iter().zip(counts) {
            let (takes, puts) = (Spot::before(t).any(inside), Spot::after(t).any(inside));
            let (uses, helps) = match side {
                End::Start => (takes, puts),
                End::End => (puts, takes),
            };
            if uses {
                users.push(count.clone());
            } else if helps {
                helpers.push(count.clone());
            }
        }
        [sum(&users), sum(&helpers)]
    }

    /// The counts before and after the last occurrence of transition `k`.
    fn phase(&self, k: usize, name: &str) -> [Vec<String>; 2] {
        let indices = 0..self.counts.len();
        let first = indices.clone().map(|i| symbol(&format!("{name}.first t{i}"))).collect();
        let second = indices.map(|i| match i == k {
            true => "0".to_owned(),
            false => symbol(&format!("{name}.t{i}")),
        });
        [first, second.collect()]
    }

    /// Not: every coefficient is at least 0, and they give the outcome.
    fn member(&mut self, member: &Member) {
        let nothing = Vectors::default();
        let component = self.components.get(member.component).unwrap_or(&nothing);
        let lambda: Vec<String> = member.lambda.iter().map(linear).collect();
        let mut letters: BTreeMap<&LetterName, &[usize]> =
            self.net.letters.iter().map(|(letter, fired)| (*letter, fired.as_slice())).collect();
        for letter in component.periods.iter().chain([&component.base]).flat_map(BTreeMap::keys) {
            letters.entry(letter).or_default();
        }
        let mut claims: Vec<String> = lambda.iter().map(|form| format!("(>= {form} 0)")).collect();
        for (letter, fired) in letters {
            let counted = sum(&chosen(self.counts, fired).collect::<Vec<_>>());
            let base = component.base.get(letter).copied().unwrap_or(0);
            let mut terms = vec![base.to_string()];
            for (period, form) in component.periods.iter().zip(&lambda) {
                if let Some(n) = period.get(letter) {
                    terms.push(times(&n.to_string(), form));
                }
            }
            claims.push(format!("(= {counted} {})", sum(&terms)));
        }
        self.script
            .comment("Not: so often each period, never less than 0 times, gives the outcome.");
        self.script.assert(&format!("(not {})", all(&claims)));
        let (path, number) = (self.path.clone(), member.component);
        self.script.expect_unsat(&format!("{path}: every outcome is one of component {number}"));
    }
}

/// A form of the certificate.
fn linear(form: &Terms) -> String {
    let term = |(name, coefficient): (&String, &String)| match name.as_str() {
        "1" => number(coefficient),
        name => times(&number(coefficient), &symbol(name)),
    };
    sum(&form.0.iter().map(term).collect::<Vec<_>>())
}

/// Supposes that transition `k` fires, and divides the run into the parts before and after its
/// last occurrence: the first leads to where it can fire.
fn divide(
    script: &mut Script,
    net: &Net<'_>,
    counts: &[String],
    k: usize,
    [first, second]: &[Vec<String>; 2],
) {
    for (i, ((count, first), second)) in counts.iter().zip(first).zip(second).enumerate() {
        let before = if i == k {
            format!("(- {count} 1)")
        } else {
            script.declare(second);
            script.assert(&format!("(>= {second} 0)"));
            format!("(- {count} {second})")
        };
        script.command(&format!("(define-fun {first} () Int {before})"));
        script.assert(&format!("(>= {first} 0)"));
    }
    for spot in net.flows.keys() {
        let needed = net.transitions.get(k).is_some_and(|t| Spot::before(t).any(|s| s == *spot));
        let balance = net.balance(*spot, needed, first);
        let relation = match spot {
            Spot::Global(_) => "=",
            Spot::Place(..) => ">=",
        };
        script.comment(&format!("{} before t{k} fires for the last time", spot.words()));
        script.assert(&format!("({relation} {balance} 0)"));
    }
}

fn letter_words(LetterName(request, response): &LetterName) -> String {
    format!("{request}/{response}")
}
