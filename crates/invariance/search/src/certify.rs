//! Certificates of proofs.

use crate::logic::{Field, Logic, T, Term};
use crate::prove::Proofs;
use rustc_hash::FxHashMap;
use ser_invariance_checker::certificate::Term as Written;
use ser_invariance_checker::{CaseProof, Certificate, Claim, FORMAT, How, Lemma, Node, VERSION};

/// The certificate of what is proved in a file: these invariants, and that no step is an error if that is proved, too. Nothing, if nothing is.
pub fn certify(source: &str, proofs: &Proofs<'_>) -> Option<Certificate> {
    let system = proofs.conditions.system;
    let mut table =
        Table { logic: &proofs.conditions.logic, terms: Vec::new(), places: FxHashMap::default() };
    let proved = proofs.invariants.iter().filter(|judged| judged.proved);
    let nodes = proved.map(|judged| Node {
        invariant: system.invariants[judged.invariant.0 as usize].name.text.clone(),
        how: match &judged.how {
            How::Induction { initiation, consecution } => How::Induction {
                initiation: table.proofs(initiation),
                consecution: table.proofs(consecution),
            },
            How::Follows(cases) => How::Follows(table.proofs(cases)),
        },
    });
    let nodes: Vec<Node> = nodes.collect();
    let safety = proofs.safety.proved.then(|| table.proofs(&proofs.safety.proofs));
    let nothing = nodes.is_empty() && safety.is_none();
    (!nothing).then(|| Certificate {
        format: FORMAT.to_owned(),
        version: VERSION,
        source: source.to_owned(),
        claim: Claim::Proved { terms: table.terms, nodes, safety },
    })
}

/// The terms of a certificate.
struct Table<'l> {
    logic: &'l Logic,
    terms: Vec<Written>,
    places: FxHashMap<T, u32>,
}

impl Table<'_> {
    fn proofs(&mut self, proofs: &[CaseProof]) -> Vec<CaseProof> {
        let proof = |it: &CaseProof| CaseProof {
            lemmas: it.lemmas.iter().map(|lemma| self.lemma(lemma)).collect(),
            ..it.clone()
        };
        proofs.iter().map(proof).collect()
    }

    fn term(&mut self, t: T) -> u32 {
        if let Some(known) = self.places.get(&t) {
            return *known;
        }
        let written = match self.logic.term(t).clone() {
            Term::Global(id) => Written::Global(id.0),
            Term::Local(id, block) => Written::Local(id.0, block),
            Term::New(number) => Written::New(number),
            Term::Thread(block) => Written::Thread(block),
            Term::Nobody => Written::Nobody,
            Term::Null => Written::Null,
            Term::Lowest => Written::Lowest,
            Term::Highest => Written::Highest,
            Term::Sum(constant, parts) => Written::Sum {
                constant,
                parts: parts.into_iter().map(|(c, part)| (c, self.term(part))).collect(),
            },
            Term::Min(s) => Written::Min(self.term(s)),
            Term::Max(s) => Written::Max(self.term(s)),
            Term::Read(Field::Next, heap, x) => Written::Next(heap, self.term(x)),
            Term::Read(Field::Data, heap, x) => Written::Data(heap, self.term(x)),
            Term::Read(Field::Lockid, heap, x) => Written::Lockid(heap, self.term(x)),
            Term::Differ(s, t) => Written::Differ(self.term(s), self.term(t)),
            Term::Outside(s, t) => Written::Outside(self.term(s), self.term(t)),
            Term::First(heap, a, b) => Written::First(heap, self.term(a), self.term(b)),
            Term::Second(heap, a, b) => Written::Second(heap, self.term(a), self.term(b)),
            Term::Carrier(heap, s, e) => Written::Carrier(heap, self.term(s), self.term(e)),
            Term::Empty => Written::Empty,
            Term::Singleton(x) => Written::Singleton(self.term(x)),
            Term::Union(s, t) => Written::Union(self.term(s), self.term(t)),
            Term::Intersection(s, t) => Written::Intersection(self.term(s), self.term(t)),
            Term::Difference(s, t) => Written::Difference(self.term(s), self.term(t)),
            Term::Cells(heap, a) => Written::Cells(heap, self.term(a)),
            Term::Elems(heap, s) => Written::Elems(heap, self.term(s)),
        };
        let place = self.terms.len() as u32;
        self.terms.push(written);
        self.places.insert(t, place);
        place
    }

    fn lemma(&mut self, lemma: &Lemma) -> Lemma {
        let mut t = |t: &u32| self.term(T(*t));
        match lemma {
            Lemma::Transitive(x, y, z) => Lemma::Transitive(t(x), t(y), t(z)),
            Lemma::Congruent(f, h, x, y) => Lemma::Congruent(*f, *h, t(x), t(y)),
            Lemma::Total(x, y) => Lemma::Total(t(x), t(y)),
            Lemma::LeTransitive(x, y, z) => Lemma::LeTransitive(t(x), t(y), t(z)),
            Lemma::Antisymmetric(x, y) => Lemma::Antisymmetric(t(x), t(y)),
            Lemma::Farkas(forms) => Lemma::Farkas(forms.iter().map(|(f, m)| (t(f), *m)).collect()),
            Lemma::Split(form) => Lemma::Split(t(form)),
            Lemma::Read(f, h, x) => Lemma::Read(*f, *h, t(x)),
            Lemma::OfNull(f, h) => Lemma::OfNull(*f, *h),
            Lemma::Same(a, b, u) => Lemma::Same(t(a), t(b), t(u)),
            Lemma::NotSame(a, b) => Lemma::NotSame(t(a), t(b)),
            Lemma::Subset(a, b, u) => Lemma::Subset(t(a), t(b), t(u)),
            Lemma::NotSubset(a, b) => Lemma::NotSubset(t(a), t(b)),
            Lemma::Member(u, v, s) => Lemma::Member(t(u), t(v), t(s)),
            Lemma::Some(s, u) => Lemma::Some(t(s), t(u)),
            Lemma::Extreme(s) => Lemma::Extreme(t(s)),
            Lemma::Least(s, u) => Lemma::Least(t(s), t(u)),
            Lemma::ElemOf(h, s, a) => Lemma::ElemOf(*h, t(s), t(a)),
            Lemma::Carrier(h, s, e) => Lemma::Carrier(*h, t(s), t(e)),
            Lemma::ReachEqual(h, b, x, y) => {
                Lemma::ReachEqual(*h, b.iter().map(&mut t).collect(), t(x), t(y))
            }
            Lemma::ReachTransitive(h, b, x, y, z) => {
                Lemma::ReachTransitive(*h, b.iter().map(&mut t).collect(), t(x), t(y), t(z))
            }
            Lemma::ReachLinear(h, b, x, y, z) => {
                Lemma::ReachLinear(*h, b.iter().map(&mut t).collect(), t(x), t(y), t(z))
            }
            Lemma::ReachStep(h, b, x) => Lemma::ReachStep(*h, b.iter().map(&mut t).collect(), t(x)),
            Lemma::ReachUnfold(h, b, x, y) => {
                Lemma::ReachUnfold(*h, b.iter().map(&mut t).collect(), t(x), t(y))
            }
            Lemma::ReachCycle(h, b, x, y, z) => {
                Lemma::ReachCycle(*h, b.iter().map(&mut t).collect(), t(x), t(y), t(z))
            }
            Lemma::ReachPredecessor(h, b, x, y) => {
                Lemma::ReachPredecessor(*h, b.iter().map(&mut t).collect(), t(x), t(y))
            }
            Lemma::ReachLoop(h, b, cells, y) => {
                let b = b.iter().map(&mut t).collect();
                Lemma::ReachLoop(*h, b, cells.iter().map(&mut t).collect(), t(y))
            }
            Lemma::ReachCut(h, b, u, x, y) => {
                Lemma::ReachCut(*h, b.iter().map(&mut t).collect(), t(u), t(x), t(y))
            }
            Lemma::ReachWrite(h, b, x, y) => {
                Lemma::ReachWrite(*h, b.iter().map(&mut t).collect(), t(x), t(y))
            }
            Lemma::OrderedReaches(h, a, b) => Lemma::OrderedReaches(*h, t(a), t(b)),
            Lemma::OrderedGrows(h, a, b, x, y) => Lemma::OrderedGrows(*h, t(a), t(b), t(x), t(y)),
            Lemma::NotOrdered(h, a, b) => Lemma::NotOrdered(*h, t(a), t(b)),
        }
    }
}
