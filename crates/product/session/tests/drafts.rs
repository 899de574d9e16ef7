//! Drafts of missing invariants: each is one of the language, excludes the state that it was made
//! for, and is not refuted at once.

use ser_base::Limits;
use ser_generators::samples::TICKET_LOCK;
use ser_invariance_checker::run::Value;
use ser_invariance_search::explore::{Bounds, evaluate, explore};
use ser_session::invariance::{Checked, Found, Invariance};
use ser_session::source::{Kind, Source};
use ser_syntax::inv;
use ser_syntax::inv::ast::InvId;
use std::path::Path;

fn proved(name: &str, text: String) -> Option<Box<Checked>> {
    let source = Source::new(name, Kind::Invariants, text);
    let options = Invariance { threads: 2, ..Invariance::default() };
    match options.found(&source, &Limits::default(), &|_| {}) {
        Ok((Found::Answer(checked), _)) => Some(checked),
        _ => None,
    }
}

/// Looks at all drafts of an answer. How many there are.
fn looked_at(checked: &Checked) -> usize {
    for (place, draft) in &checked.drafts {
        let model = &checked.counter_models[*place];
        let parse = inv::parse(&draft.completed);
        assert!(!parse.has_errors(), "{}\n{:?}", draft.completed, parse.diagnostics);
        let last = parse.system.invariants.last().expect("the draft");
        assert!(last.name.text.starts_with("todo"), "{}", draft.text);
        assert!(draft.completed.contains(&draft.text));
        // The program is the same: only names were added.
        assert_eq!(parse.system.locations.len(), checked.system.locations.len());
        let formula = &last.conjuncts[0].formula;
        let threads = model.before.threads.len() as u32;
        let mut tuples: Vec<Vec<u32>> = vec![Vec::new()];
        for _ in &last.parameters {
            let longer = |tuple: Vec<u32>| (0..threads).map(move |it| [&tuple[..], &[it]].concat());
            tuples = tuples.into_iter().flat_map(longer).collect();
        }
        let fails = |tuple: &Vec<u32>| {
            evaluate(&parse.system, &model.before, formula, tuple) == Ok(Value::Bool(false))
        };
        assert!(tuples.iter().any(fails), "{} does not exclude the state", draft.text);
        let bounds = Bounds { threads: 2, states: 1_000, ..Bounds::default() };
        let explored = explore(&parse.system, &bounds, &Limits::default());
        let id = InvId(parse.system.invariants.len() as u32 - 1);
        assert!(explored.violation(id).is_none(), "{} is refuted", draft.text);
    }
    checked.drafts.len()
}

#[test]
fn every_draft_excludes_its_state_and_is_not_refuted_at_once() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/threads");
    let mut drafts = 0;
    for name in [
        "ticket_lock.ser",
        "ticket_set.ser",
        "spin_lock.ser",
        "once.ser",
        "bakery.ser",
        "list_search.ser",
        "readers_writers.ser",
        "token.ser",
    ] {
        let text = std::fs::read_to_string(folder.join(name)).expect("an example");
        let system = inv::parse(&text).system;
        // Each invariant alone: what it needs is missing.
        for one in 0..system.invariants.len() {
            let mut alone = text.clone();
            let proof = system.proof.iter().map(|it| (it.span.start as usize, alone.len()));
            let others = system.invariants.iter().enumerate().filter(|(place, _)| *place != one);
            let others = others.map(|(_, it)| (it.span.start as usize, it.span.end as usize));
            let mut cut: Vec<(usize, usize)> = proof.chain(others).collect();
            cut.sort_unstable();
            let mut end = alone.len();
            for (from, to) in cut.into_iter().rev() {
                alone.replace_range(from..to.min(end), "");
                end = from;
            }
            if inv::parse(&alone).has_errors() {
                continue;
            }
            drafts += proved(name, alone).map_or(0, |checked| looked_at(&checked));
        }
    }
    assert!(drafts >= 10, "only {drafts} drafts");
}

#[test]
fn a_ticket_lock_gets_the_drafts_that_its_proof_is_made_of() {
    let checked = proved("lock.ser", TICKET_LOCK.to_owned()).expect("an answer");
    let drafts: Vec<&str> = checked.drafts.values().map(|it| it.text.as_str()).collect();
    assert_eq!(
        drafts,
        ["invariant todo(i, j): i != j && at(i, wait) && at(j, leave) -> serving != ticket[i]"]
    );
    assert!(checked.drafts.values().all(|it| it.names.is_empty()));
    let text = TICKET_LOCK.to_owned()
        + "invariant notsame(i, j):
               i != j && at(i, wait, leave) && at(j, wait, leave) -> ticket[i] != ticket[j];
           invariant minticket(i): at(i, leave) -> serving == ticket[i];";
    let checked = proved("lock.ser", text).expect("an answer");
    let drafts: Vec<&str> = checked.drafts.values().map(|it| it.text.as_str()).collect();
    assert_eq!(drafts, ["invariant todo(j): at(j, wait) -> avail != ticket[j]"]);
}
