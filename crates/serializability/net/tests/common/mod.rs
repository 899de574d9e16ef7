//! Random small systems and programs, and what `ser-oracle` says about them.
//!
//! The crates `ser-net` and `ser-serializability-search` share this file.

#![allow(dead_code)]

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use ser_base::Limits;
use ser_model::{NetworkSystem, ProgramModel, RequestId, ResponseId};
use ser_oracle::{Network, Outcome, ProgramNetwork, Runs, SystemNetwork, explained};
use std::collections::{BTreeMap, BTreeSet};

/// The same cases in every run.
pub fn runner(cases: u32) -> TestRunner {
    let config = Config {
        cases,
        failure_persistence: None,
        max_global_rejects: 10 * cases,
        ..Config::default()
    };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// For each number of requests, the outcomes of complete runs.
pub type Outcomes = BTreeMap<usize, BTreeSet<Outcome>>;

/// Beyond this many configurations a case is left out.
const MAX_CONFIGURATIONS: usize = 60_000;

/// The outcomes of all complete runs with up to `most` requests, interleaved or serial, as
/// `ser-oracle` finds them from the text. `None` if there are too many configurations.
///
/// Serial ones are with any number of requests that have given up.
pub fn outcomes(case: &Case, most: usize, serial: bool) -> Option<Outcomes> {
    let found = if case.text.starts_with('{') {
        outcomes_of(&mut SystemNetwork::read(&case.text).ok()?, most, serial)?
    } else {
        let program = ser_syntax::parse(&case.text).program;
        outcomes_of(&mut ProgramNetwork::new(&program)?, most, serial)?
    };
    let found = if serial { explained(&found, &given_up(&case.system)) } else { found };
    let found = found.into_iter().enumerate().filter(|(_, outcomes)| !outcomes.is_empty());
    Some(found.collect())
}

/// The pairs of requests and responses that do not count.
fn given_up(system: &NetworkSystem) -> BTreeSet<(String, String)> {
    let names = |(request, response): &(RequestId, ResponseId)| {
        (system.request_name(*request).to_owned(), system.response_name(*response).to_owned())
    };
    system.free().iter().map(names).collect()
}

fn outcomes_of(
    network: &mut impl Network,
    most: usize,
    serial: bool,
) -> Option<Vec<BTreeSet<Outcome>>> {
    let mut runs = Runs::new(network, if serial { 1 } else { usize::MAX });
    let mut found = vec![runs.outcomes(network)];
    for _ in 0..most {
        runs.one_more(network, MAX_CONFIGURATIONS).ok()?;
        found.push(runs.outcomes(network));
    }
    Some(found)
}

/// The smallest number of requests, up to `most`, with an outcome that no serial run has.
pub fn smallest_violation(case: &Case, most: usize) -> Option<Option<usize>> {
    let (all, serial) = (outcomes(case, most, false)?, outcomes(case, most, true)?);
    let none = BTreeSet::new();
    let broken = |(n, found): (usize, &BTreeSet<Outcome>)| {
        (!found.is_subset(serial.get(&n).unwrap_or(&none))).then_some(n)
    };
    Some(all.iter().map(|(n, found)| (*n, found)).find_map(broken))
}

/// A source with its network system.
#[derive(Clone, Debug)]
pub struct Case {
    pub text: String,
    pub system: NetworkSystem,
}

/// A system in JSON; `None` if it is not one.
fn system(
    spawns: &BTreeSet<(usize, usize)>,
    replies: &BTreeSet<(usize, usize)>,
    steps: &BTreeSet<(usize, usize, usize, usize)>,
    uncounted: Option<usize>,
) -> Option<Case> {
    let list = |rows: Vec<String>| rows.join(", ");
    let text = format!(
        r#"{{"initial_global": "g0", "requests": [{}], "responses": [{}], "transitions": [{}], "uncounted": [{}]}}"#,
        list(spawns.iter().map(|(r, l)| format!(r#"["r{r}", "l{l}"]"#)).collect()),
        list(replies.iter().map(|(l, r)| format!(r#"["l{l}", "{r}"]"#)).collect()),
        list(
            steps
                .iter()
                .map(|(l, g, m, h)| format!(r#"["l{l}", "g{g}", "l{m}", "g{h}"]"#))
                .collect()
        ),
        list(
            uncounted
                .filter(|uncounted| replies.iter().any(|(_, r)| r == uncounted))
                .map(|r| format!(r#""{r}""#))
                .into_iter()
                .collect()
        ),
    );
    let system = ser_model::read_json(&text).ok()?;
    Some(Case { text, system })
}

/// Mostly all responses count.
fn uncounted() -> impl Strategy<Value = Option<usize>> {
    prop::option::weighted(0.3, 0..2usize)
}

/// Systems without any order: one or two requests, which may start in several local states;
/// local states that respond and step on, respond at once, or lead nowhere.
fn wild() -> impl Strategy<Value = Case> {
    use proptest::collection::btree_set;
    (1..=2usize, 2..=3usize, 3..=5usize)
        .prop_flat_map(|(requests, globals, locals)| {
            let spawns = btree_set((0..requests, 0..locals.min(3)), 1..=3);
            let replies = btree_set((1..locals, 0..2usize), 1..=3);
            let steps = btree_set((0..locals, 0..globals, 0..locals, 0..globals), 4..=12);
            (spawns, replies, steps, uncounted())
        })
        .prop_filter_map("not a system", |(spawns, replies, steps, uncounted)| {
            system(&spawns, &replies, &steps, uncounted)
        })
}

/// Systems more like programs: most pairs of a local and a global state have one step, which
/// rarely leads back, and two local states only respond.
fn tame() -> impl Strategy<Value = Case> {
    use proptest::collection::{btree_set, vec};
    let step = || prop::option::weighted(0.85, (1..5usize, 0..3usize));
    let two = prop::sample::select(vec![
        BTreeSet::from([(0, 0)]),
        BTreeSet::from([(0, 0), (1, 1)]),
        BTreeSet::from([(0, 0), (0, 1)]),
        BTreeSet::from([(0, 0), (1, 0)]),
    ]);
    let extra = btree_set((1..3usize, 0..2usize), 0..=1);
    let parts = (two, vec(step(), 9), extra, uncounted());
    parts.prop_filter_map("not a system", |(spawns, table, extra, uncounted)| {
        let mut replies = BTreeSet::from([(3, 0), (4, 1)]);
        replies.extend(extra);
        let rows = table.iter().enumerate();
        let steps = rows.filter_map(|(i, to)| to.map(|(l, g)| (i / 3, i % 3, l, g))).collect();
        system(&spawns, &replies, &steps, uncounted)
    })
}

/// Random systems in JSON.
pub fn systems() -> impl Strategy<Value = Case> {
    prop_oneof![1 => wild(), 2 => tame()]
}

/// A value: always within -1..=2, so that programs stay finite.
fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        3 => prop::sample::select(vec!["0", "1", "2"]).prop_map(str::to_owned),
        4 => prop::sample::select(vec!["X", "Y"]).prop_map(str::to_owned),
        3 => prop::sample::select(vec!["x", "y"]).prop_map(str::to_owned),
        1 => Just("?".to_owned()),
        1 => Just("choose(0..2)".to_owned()),
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            3 => inner.clone(),
            1 => prop::sample::select(vec!["X", "Y", "x", "y"]).prop_map(|v| format!("(1 - {v})")),
            1 => (inner.clone(), prop::sample::select(vec!["==", "!=", "<", ">="]), inner.clone())
                .prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            1 => (inner.clone(), prop::sample::select(vec!["&&", "||"]), inner.clone())
                .prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            1 => inner.clone().prop_map(|a| format!("!{a}")),
            1 => inner.prop_map(|a| format!("(yield; {a})")),
        ]
    })
}

fn statement() -> impl Strategy<Value = String> {
    let simple = prop_oneof![
        2 => (prop::sample::select(vec!["X", "Y", "x", "y"]), value())
            .prop_map(|(v, e)| format!("{v} := {e}")),
        2 => prop::sample::select(vec!["x := X", "y := Y", "x := Y"]).prop_map(str::to_owned),
        4 => prop::sample::select(vec!["X := 1", "X := 1 - X", "X := 1 - x", "Y := x", "Y := 2"])
            .prop_map(str::to_owned),
        6 => Just("yield".to_owned()),
        1 => value().prop_map(|e| format!("assume({e})")),
        1 => value().prop_map(|e| format!("return {e}")),
        1 => value().prop_map(|e| format!("if ({e}) {{ abort }}")),
    ];
    simple.prop_recursive(2, 6, 3, |inner| {
        let block = proptest::collection::vec(inner.clone(), 1..=2).prop_map(|s| s.join("; "));
        prop_oneof![
            6 => inner,
            2 => (value(), block.clone(), block.clone())
                .prop_map(|(c, a, b)| format!("if ({c}) {{ {a} }} else {{ {b} }}")),
            1 => (value(), block.clone()).prop_map(|(c, a)| format!("if ({c}) {{ {a} }}")),
            2 => (value(), block.clone())
                .prop_map(|(c, a)| format!("while ({c}) {{ {a}; yield }}")),
            1 => (value(), block).prop_map(|(c, a)| format!("while ({c}) {{ {a} }}")),
        ]
    })
}

/// Random programs over two globals and two locals: assignments, conditions, loops with and
/// without `yield`, `?`, `choose`, `assume`, `return`, `yield` inside operands.
pub fn programs() -> impl Strategy<Value = Case> {
    let body = || {
        (
            proptest::collection::vec(statement(), 2..=5),
            prop_oneof![
                1 => value(),
                3 => prop::sample::select(vec!["x", "y", "X", "Y"]).prop_map(str::to_owned),
            ],
        )
            .prop_map(|(statements, last)| format!("{}; {last}", statements.join("; ")))
    };
    (body(), prop::option::of(body())).prop_filter_map("not a program", |(first, second)| {
        let mut text = format!("request a {{ {first} }}\n");
        if let Some(second) = second {
            text += &format!("request b {{ {second} }}\n");
        }
        let parse = ser_syntax::parse(&text);
        assert!(!parse.has_errors(), "{text}\n{:?}", parse.diagnostics);
        let limits = Limits { max_states: 500, ..Limits::default() };
        let model = ProgramModel::new(&parse.program, &text, &limits).ok()?;
        Some(Case { text, system: model.system().clone() })
    })
}
