//! Certificates written by hand: terms by what they are, cases by what they are about.

pub mod flood;
pub mod ticket;

use ser_invariance_checker::{
    CaseProof, Certificate, Claim, How, Instance, Lemma, Mover, Node, Rejection, Term, TermRef,
    Verdict, check,
};

/// A table of terms, each of which is in it once.
#[derive(Default)]
pub struct Terms(pub Vec<Term>);

impl Terms {
    pub fn add(&mut self, term: Term) -> TermRef {
        match self.0.iter().position(|it| *it == term) {
            Some(place) => TermRef(place as u32),
            None => {
                self.0.push(term);
                TermRef(self.0.len() as u32 - 1)
            }
        }
    }

    pub fn global(&mut self, global: u32) -> TermRef {
        self.add(Term::Global(global))
    }

    pub fn local(&mut self, local: u32, block: u32) -> TermRef {
        self.add(Term::Local(local, block))
    }

    pub fn sum(&mut self, constant: i64, parts: &[(i64, TermRef)]) -> TermRef {
        self.add(Term::Sum { constant, parts: parts.to_vec() })
    }

    /// `l - r + constant`.
    pub fn minus(&mut self, l: TermRef, r: TermRef, constant: i64) -> TermRef {
        self.sum(constant, &[(1, l), (-1, r)])
    }

    /// That `a - b + c >= 0` and `b - a + d >= 0` cannot both be, with `c + d < 0`.
    pub fn apart(&mut self, a: TermRef, b: TermRef, c: i64, d: i64) -> Lemma {
        let (f, g) = (self.minus(a, b, c), self.minus(b, a, d));
        Lemma::Farkas(vec![(f, 1), (g, 1)])
    }
}

pub fn case(mover: Mover, location: u32, path: u32, partition: &[u32]) -> CaseProof {
    let partition = partition.to_vec();
    CaseProof { mover, location, path, partition, uses: Vec::new(), lemmas: Vec::new() }
}

pub fn still(partition: &[u32]) -> CaseProof {
    case(Mover::Nobody, 0, 0, partition)
}

pub trait With: Sized {
    fn with(self, lemmas: Vec<Lemma>) -> Self;
    fn using(self, invariant: &str, threads: &[u32]) -> Self;
}

impl With for CaseProof {
    fn with(mut self, lemmas: Vec<Lemma>) -> CaseProof {
        self.lemmas.extend(lemmas);
        self
    }

    fn using(mut self, invariant: &str, threads: &[u32]) -> CaseProof {
        let invariant = invariant.to_owned();
        self.uses.push(Instance { invariant, conjunct: None, threads: threads.to_vec() });
        self
    }
}

pub fn induction(name: &str, initiation: Vec<CaseProof>, consecution: Vec<CaseProof>) -> Node {
    Node { invariant: name.to_owned(), how: How::Induction { initiation, consecution } }
}

pub fn follows(name: &str, cases: Vec<CaseProof>) -> Node {
    Node { invariant: name.to_owned(), how: How::Follows(cases) }
}

pub fn certificate(source: &str, claim: Claim) -> Certificate {
    Certificate::new(source, claim)
}

pub fn proved(source: &str, terms: Terms, nodes: Vec<Node>, safety: Vec<CaseProof>) -> Certificate {
    certificate(source, Claim::Proved { terms: terms.0, nodes, safety: Some(safety) })
}

pub fn accept(certificate: &Certificate) -> Verdict {
    match check(certificate, &Default::default()) {
        Ok(verdict) => verdict,
        Err(rejection) => panic!("{rejection}"),
    }
}

pub fn reject(certificate: &Certificate) -> Rejection {
    match check(certificate, &Default::default()) {
        Ok(verdict) => panic!("accepted: {verdict:?}"),
        Err(rejection) => rejection,
    }
}
