//! Formulas and proofs as text, for other solvers and other checkers.

use super::Lit;
use std::fmt::Write;

/// A formula in the DIMACS format. Assumptions become clauses with one literal, at the end. The
/// lines of `comment` go in front.
///
/// ```
/// use ser_sat::{Lit, write_dimacs};
/// let (a, b) = (Lit::positive(0), Lit::positive(1));
/// let text = write_dimacs("two", 2, &[vec![a, !b]], &[b]);
/// assert_eq!(text, "c two\np cnf 2 2\n1 -2 0\n2 0\n");
/// ```
pub fn write_dimacs(
    comment: &str,
    variables: usize,
    clauses: &[Vec<Lit>],
    assumptions: &[Lit],
) -> String {
    let mut text = String::new();
    for line in comment.lines() {
        text.push_str(&format!("c {line}\n"));
    }
    let _ = writeln!(text, "p cnf {variables} {}", clauses.len() + assumptions.len());
    for clause in clauses {
        write_clause(clause, &mut text);
    }
    for assumption in assumptions {
        write_clause(&[*assumption], &mut text);
    }
    text
}

/// Learnt clauses as a proof in the DRAT format (text). Ends with the empty clause. Assumptions
/// have to be among the clauses of the formula that it belongs to.
pub fn write_drat(learnt: &[Vec<Lit>]) -> String {
    let mut text = String::new();
    for clause in learnt {
        write_clause(clause, &mut text);
    }
    if learnt.last().is_none_or(|clause| !clause.is_empty()) {
        text.push_str("0\n");
    }
    text
}

fn write_clause(clause: &[Lit], text: &mut String) {
    for lit in clause {
        let _ = write!(text, "{} ", lit.dimacs());
    }
    text.push_str("0\n");
}
