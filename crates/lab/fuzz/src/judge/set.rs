//! One semilinear set against the short words of its automaton.

use super::trial::{Finding, Trial};
use crate::SetRecipe;
use ser_arith::{
    Limits, Linear, OutcomeOptions, Point, Ratio, Var, automaton_outcomes, non_member, simplicial,
};
use std::collections::BTreeSet;
use std::time::Instant;

/// Sums of counts up to which sets are compared.
const LENGTH: i64 = 6;

/// Builds the set of an automaton's letter counts, with these options, and asks of every small
/// vector whether it is inside: the automaton by its words, the set, and its complement.
pub fn try_set(recipe: &SetRecipe, options: OutcomeOptions) -> Result<Trial, Finding> {
    let started = Instant::now();
    let limits = Limits { components: 3_000, ..Limits::default() };
    let SetRecipe { initial, dimension, edges } = recipe;
    let set = match automaton_outcomes(*initial, *dimension, edges, options, &limits) {
        Ok(set) => set,
        Err(too_large) => {
            let tried = format!("{too_large:?}");
            return Ok(Trial { decided_by: "unknown", tried, ..Trial::default() });
        }
    };
    let engine = started.elapsed();
    let words = short_words(recipe);
    let vectors = short_vectors(*dimension);
    for vector in &vectors {
        let expected = words.contains(vector);
        let inside = set.contains(vector).map_err(|_| wrong("nothing", "small", vector))?;
        if inside.is_some() != expected {
            return Err(wrong("the other way round", &format!("inside: {expected}"), vector));
        }
    }
    // A component is a union of sets with independent periods, whose complements are clauses.
    let variables: Vec<Linear> = (0..*dimension as u32).map(|v| Linear::var(Var(v))).collect();
    for component in &set.components {
        let Some(parts) = simplicial(&component.base, &component.periods, 2_000) else {
            let tried = format!("{component:?} has too many parts");
            return Ok(Trial { decided_by: "unknown", tried, ..Trial::default() });
        };
        let mut outside = Vec::new();
        for (base, periods) in parts {
            let part = non_member(&base, &periods, &variables);
            outside.push(part.ok_or_else(|| wrong("dependent periods", "none", &base))?);
        }
        for vector in &vectors {
            let point: Point =
                (0u32..).map(Var).zip(vector.iter().map(|v| Ratio::from(*v))).collect();
            let inside = outside.iter().any(|part| !part.clause.iter().any(|l| l.holds(&point)));
            let found =
                component.contains(vector).map_err(|_| wrong("nothing", "small", vector))?;
            if found.is_some() != inside {
                return Err(wrong(&format!("inside: {inside}, by complements"), "not so", vector));
            }
        }
    }
    Ok(Trial { decided_by: "set", engine, confirmed: true, ..Trial::default() })
}

fn wrong(engine: &str, oracle: &str, vector: &[i64]) -> Finding {
    Finding::Wrong { engine: format!("{engine} for {vector:?}"), oracle: oracle.into() }
}

/// The counts of all words of at most [`LENGTH`] letters.
fn short_words(recipe: &SetRecipe) -> BTreeSet<Vec<i64>> {
    let mut layer = BTreeSet::from([(recipe.initial, vec![0; recipe.dimension])]);
    let mut found = BTreeSet::new();
    for _ in 0..=LENGTH {
        found.extend(layer.iter().map(|(_, counts)| counts.clone()));
        let mut next = BTreeSet::new();
        for (state, counts) in &layer {
            for edge in recipe.edges.iter().filter(|e| e.from == *state) {
                let mut counts = counts.clone();
                counts[edge.coordinate] += 1;
                next.insert((edge.to, counts));
            }
        }
        layer = next;
    }
    found
}

fn short_vectors(dimension: usize) -> Vec<Vec<i64>> {
    let mut all: Vec<Vec<i64>> = vec![Vec::new()];
    for _ in 0..dimension {
        let longer = all.iter().flat_map(|v| {
            (0..=LENGTH - v.iter().sum::<i64>()).map(move |n| [v.as_slice(), &[n]].concat())
        });
        all = longer.collect();
    }
    all
}
