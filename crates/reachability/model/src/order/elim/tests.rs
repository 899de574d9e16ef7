use super::*;
use crate::formula::Formula;
use crate::order::Order;
use ser_clausal::Lit;
use ser_sat::{Answer, BatSat, Solver};

fn pairs(of: &[(u32, u32)]) -> Vec<(TransitionId, TransitionId)> {
    of.iter().map(|(t, u)| (TransitionId(*t), TransitionId(*u))).collect()
}

fn eliminated(inequalities: &[(u32, u32)]) -> Elimination {
    eliminate(&pairs(inequalities), &StaticOrder::default(), &Limits::default()).expect("small")
}

#[test]
fn example_2_inequalities_that_go_one_way_need_no_triangle() {
    assert!(eliminated(&[(0, 1), (1, 2), (0, 2)]).triangles.is_empty());
    for n in [5u32, 9] {
        let all = (0..n).flat_map(|i| (0..i).map(move |j| (j, i)));
        let all: Vec<(u32, u32)> = all.collect();
        assert!(eliminated(&all).triangles.is_empty());
    }
}

#[test]
fn example_3_all_inequalities_need_a_third_of_n_cubed() {
    for n in 3u32..9 {
        let all = (0..n).flat_map(|i| (0..n).filter(move |j| *j != i).map(move |j| (i, j)));
        let all: Vec<(u32, u32)> = all.collect();
        let elimination = eliminated(&all);
        assert_eq!(elimination.triangles.len() as u32, n * (n - 1) * (n - 2) / 3);
        let mut formula = Formula::default();
        let (mut order, known) = (Order::default(), StaticOrder::default());
        for (t, u) in pairs(&all) {
            order.before(&mut formula, &known, t, u);
        }
        order.add(&mut formula, &known, &elimination.triangles);
        assert_eq!(order.symbols() as u32, n * (n - 1) / 2);
        assert_eq!(order.triangles() as u32, n * (n - 1) * (n - 2) / 3);
    }
}

/// A small generator of random numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as u32 % bound
    }
}

/// All orders of `0..n`.
fn permutations(n: u32) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for next in 0..n {
        let longer = all.into_iter().flat_map(|order: Vec<u32>| {
            (0..=order.len()).map(move |at| {
                let mut order = order.clone();
                order.insert(at, next);
                order
            })
        });
        all = longer.collect();
    }
    all
}

/// Random clauses of positive inequalities, with and without facts: there is a solution exactly if
/// one of all orders is one.
#[test]
fn eliminated_orders_and_all_orders_agree() {
    let n = 5;
    let orders = permutations(n);
    let (mut with, mut without) = (0, 0);
    for seed in 1..3_000u64 {
        let mut dice = Dice(seed * 0x9E37_79B9);
        let facts = match seed % 3 {
            0 => Vec::new(),
            _ => (0..1 + dice.below(3))
                .map(|_| {
                    let t = dice.below(n - 1);
                    (t, t + 1 + dice.below(n - 1 - t))
                })
                .collect(),
        };
        let known = StaticOrder::from_pairs(n as usize, &pairs(&facts));
        let clauses: Vec<Vec<(u32, u32)>> = (0..2 + dice.below(9))
            .map(|_| {
                (0..1 + dice.below(3))
                    .map(|_| {
                        let t = dice.below(n);
                        (t, (t + 1 + dice.below(n - 1)) % n)
                    })
                    .collect()
            })
            .collect();
        let place = |order: &[u32], t: u32| order.iter().position(|u| *u == t);
        let holds = |order: &[u32], pair: &(u32, u32)| place(order, pair.0) < place(order, pair.1);
        let expected = orders.iter().any(|order| {
            facts.iter().all(|fact| holds(order, fact))
                && clauses.iter().all(|clause| clause.iter().any(|pair| holds(order, pair)))
        });
        let mut formula = Formula::default();
        let mut order = Order::default();
        for clause in &clauses {
            let lits: Vec<Lit> = pairs(clause)
                .iter()
                .map(|(t, u)| order.before(&mut formula, &known, *t, *u))
                .collect();
            formula.clause(&lits);
        }
        let elimination =
            eliminate(order.inequalities(), &known, &Limits::default()).expect("small");
        order.add(&mut formula, &known, &elimination.triangles);
        let found = BatSat::solving(formula.variables(), formula.clauses())
            .solve(&[], &Limits::default())
            == Answer::Sat;
        assert_eq!(found, expected, "seed {seed}: {clauses:?} with {facts:?}");
        *(if found { &mut with } else { &mut without }) += 1;
    }
    assert!(with > 300 && without > 300, "{with} with a solution, {without} without");
}

#[test]
fn static_neighbours_cost_nothing() {
    let known = StaticOrder::from_pairs(6, &pairs(&[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]));
    let none = eliminate(&[], &known, &Limits::default()).expect("small");
    assert!(none.triangles.is_empty());
}

#[test]
fn an_elimination_stops_at_its_limits() {
    let all = (0..300u32).flat_map(|i| (0..300u32).filter(move |j| *j != i).map(move |j| (i, j)));
    let all: Vec<(u32, u32)> = all.collect();
    let limits = Limits::default().with_timeout(std::time::Duration::ZERO);
    let stopped = eliminate(&pairs(&all), &StaticOrder::default(), &limits);
    assert!(matches!(stopped, Err(Stop::Time { .. })));
}
