//! Certificates of proofs.

use crate::logic::{Logic, Term, TermRef};
use crate::prove::Proofs;
use rustc_hash::FxHashMap;
use ser_invariance_checker::{CaseProof, Certificate, Claim, How, Lemma, Node};

/// The certificate of what is proved in a file: these invariants, and that no step is an error if
/// that is proved, too. Nothing, if nothing is.
pub fn certify(source: &str, proofs: &Proofs<'_>) -> Option<Certificate> {
    let system = proofs.conditions.system();
    let mut table = Table {
        logic: &proofs.conditions.steps.logic,
        terms: Vec::new(),
        places: FxHashMap::default(),
    };
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
    let claim = Claim::Proved { terms: table.terms, nodes, safety };
    (!nothing).then(|| Certificate::new(source, claim))
}

/// The terms of a certificate.
struct Table<'l> {
    logic: &'l Logic,
    terms: Vec<Term>,
    places: FxHashMap<TermRef, TermRef>,
}

impl Table<'_> {
    fn proofs(&mut self, proofs: &[CaseProof]) -> Vec<CaseProof> {
        let proof = |it: &CaseProof| CaseProof {
            lemmas: it.lemmas.iter().map(|lemma| self.lemma(lemma)).collect(),
            ..it.clone()
        };
        proofs.iter().map(proof).collect()
    }

    fn lemma(&mut self, lemma: &Lemma) -> Lemma {
        let mut lemma = lemma.clone();
        lemma.terms_mut().into_iter().for_each(|term| *term = self.place(*term));
        lemma
    }

    /// The place of a term in the table, where everything that it is made of comes before it.
    fn place(&mut self, term: TermRef) -> TermRef {
        if let Some(known) = self.places.get(&term) {
            return *known;
        }
        let mut written = self.logic.term(term).clone();
        written.parts_mut().into_iter().for_each(|part| *part = self.place(*part));
        let place = TermRef(self.terms.len() as u32);
        self.terms.push(written);
        self.places.insert(term, place);
        place
    }
}
