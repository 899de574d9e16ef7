//! Proofs that are accepted.

use crate::common::ticket::ticket;
use crate::common::{Terms, With, accept, case, follows, induction, proved, still};
use ser_invariance_checker::{Lemma, Mover, Reason, Term, TermRef, Verdict, check};

#[test]
fn the_ticket_lock_with_numbers() {
    let Verdict::Proved { invariants, conditions, shown, lemmas, .. } = accept(&ticket()) else {
        panic!("it is proved")
    };
    assert_eq!(invariants, ["activelow", "notsame", "minticket", "mutex"]);
    // 7 paths (waiting is none); 1, 2, 1, 2 parameters; and safety.
    let paths = 7;
    let (one, two) = (1 + 2 * paths, 2 + (2 + 2 + 2) * paths);
    assert_eq!(conditions, 2 * one + 2 * two + paths);
    assert!(shown < conditions / 4, "{shown} of {conditions}");
    assert_eq!(lemmas, 1 + 4 + 2 + 4);
}

/// The tickets that were taken are in a set.
const TICKET_SET: &str = "\
var avail: int = 0;
var bag: set of int = {};
set Threads  process thread for self in Threads {
  var ticket: int = 0;
  loop {
    skip;
    take: atomic { ticket := avail; avail := avail + 1; bag := bag + {ticket}; }
    active: {
      wait: await min(bag) == ticket;
      crit: { skip; leave: bag := bag - {ticket}; }
    }
  }
}
invariant activelow(i): at(i, active) -> ticket[i] < avail;
invariant notsame(i, j): i != j && at(i, active) && at(j, active) -> ticket[i] != ticket[j];
invariant minticket(i): at(i, crit) -> min(bag) == ticket[i];
";

#[test]
fn the_ticket_lock_with_a_set() {
    let mut t = Terms::default();
    let (avail, bag) = (t.global(0), t.global(1));
    let (mine, theirs) = (t.local(0, 0), t.local(0, 1));
    let least = t.add(Term::Min(bag));
    let single = t.add(Term::Singleton(avail));
    let more = t.add(Term::Union(bag, single));
    let least_of_more = t.add(Term::Min(more));
    let left = t.add(Term::Singleton(theirs));
    let less = t.add(Term::Difference(bag, left));
    let least_of_less = t.add(Term::Min(less));

    let activelow = induction(
        "activelow",
        vec![],
        vec![case(Mover::Fresh, 2, 0, &[0, 1]).with(vec![t.apart(avail, mine, -1, -1)])],
    );
    let apart = |t: &mut Terms, x| vec![t.apart(avail, x, -1, 0), t.apart(x, avail, 0, -1)];
    let notsame = induction(
        "notsame",
        vec![],
        vec![
            case(Mover::Variable(0), 2, 0, &[0, 1])
                .using("activelow", &[1])
                .with(apart(&mut t, theirs)),
            case(Mover::Variable(1), 2, 0, &[0, 1])
                .using("activelow", &[0])
                .with(apart(&mut t, mine)),
        ],
    );
    // A number above the least one does not change it.
    let around = |t: &mut Terms, x: TermRef, y: TermRef, z: TermRef| {
        let (f, g, h) = (t.minus(x, y, 0), t.minus(y, z, 0), t.minus(z, x, -1));
        Lemma::Farkas(vec![(f, 1), (g, 1), (h, 1)])
    };
    let member = |t: &mut Terms, set: TermRef, its_least: TermRef| {
        let mut lemmas = vec![
            // The least of the old set is in it, and is my ticket.
            Lemma::Extreme(bag),
            Lemma::Member(least, mine, bag),
            Lemma::Some(set, mine),
            Lemma::Least(set, mine),
            // The least of the new set is in the old one, or is the other number.
            Lemma::Extreme(set),
            Lemma::Least(bag, its_least),
            around(t, its_least, least, mine),
            around(t, mine, its_least, least),
        ];
        for other in [avail, theirs] {
            lemmas.push(t.apart(avail, mine, -1, 0));
            lemmas.push(t.apart(mine, other, 0, -1));
            lemmas.push(t.apart(other, mine, 0, -1));
            lemmas.push(around(t, its_least, other, mine));
            lemmas.push(around(t, mine, its_least, other));
            let (f, g, h) = (
                t.minus(its_least, other, 0),
                t.minus(other, mine, -1),
                t.minus(mine, its_least, 0),
            );
            lemmas.push(Lemma::Farkas(vec![(f, 1), (g, 1), (h, 1)]));
        }
        lemmas
    };
    let minticket = induction(
        "minticket",
        vec![],
        vec![
            case(Mover::Fresh, 2, 0, &[0, 1]).using("activelow", &[0]).with(member(
                &mut t,
                more,
                least_of_more,
            )),
            case(Mover::Fresh, 5, 0, &[0, 1]).using("notsame", &[0, 1]).with(member(
                &mut t,
                less,
                least_of_less,
            )),
        ],
    );
    accept(&proved(TICKET_SET, t, vec![activelow, notsame, minticket], vec![]));
}

#[test]
fn one_thread_that_is_named() {
    let source = "var chosen: Threads;
        var flag: int = 0;
        var other: Threads;
        set Threads  process thread for self in Threads { before: atomic { if self != chosen { flag := 1; } } crit: skip; }
        invariant quiet: at(chosen, crit) || !at(chosen, crit) || flag == 0;
        invariant mine(i): at(i, before) || i == chosen || flag == 1;
        invariant late: at(other, crit) && other != chosen -> flag == 1;";
    let mut t = Terms::default();
    let (chosen, other) = (t.global(0), t.global(2));
    let threads: Vec<TermRef> = (0..3).map(|block| t.add(Term::Thread(block))).collect();
    // Which threads are the same is known by the case; that equal things are equal is not.
    let lemmas = |partition: &[u32]| {
        let count = 1 + partition.iter().max().map_or(0, |it| *it as usize);
        let mut lemmas = Vec::new();
        for x in &threads[..count] {
            lemmas.push(Lemma::Transitive(chosen, *x, other));
            lemmas.extend(threads[..count].iter().map(|y| Lemma::Transitive(*x, chosen, *y)));
        }
        lemmas
    };
    let cases = |mover: Mover, partitions: &[&[u32]]| {
        let both = partitions.iter().flat_map(|it| [(0, *it), (1, *it)]);
        both.map(|(path, it)| case(mover, 0, path, it).with(lemmas(it))).collect::<Vec<_>>()
    };
    let mine: Vec<_> = [
        // i, chosen, other
        cases(Mover::Variable(0), &[&[0, 0, 0], &[0, 0, 1], &[0, 1, 0], &[0, 1, 1]]),
        cases(Mover::Fresh, &[&[0, 0, 0, 1], &[0, 1, 0, 2]]),
    ]
    .concat();
    let late =
        [cases(Mover::Variable(0), &[&[0, 0]]), cases(Mover::Variable(1), &[&[0, 0], &[0, 1]])]
            .concat();
    let nodes = vec![
        follows("quiet", vec![]),
        induction("mine", vec![], mine),
        induction("late", vec![], late),
    ];
    accept(&proved(source, t, nodes, vec![]));
}

#[test]
fn what_follows_from_others() {
    let source = "var x: int = 0; var y: int = 0;
        set Threads  process thread for self in Threads { loop { atomic { x := x + 1; y := y + 1; } } }
        invariant same: x == y;
        invariant close { x - y <= 1; y - x <= 1; }
        invariant near: x - y <= 2;";
    let mut t = Terms::default();
    let (x, y) = (t.global(0), t.global(1));
    let close =
        vec![still(&[]).using("same", &[]).with(vec![t.apart(x, y, -2, 0), t.apart(y, x, -2, 0)])];
    let mut near = still(&[]).using("close", &[]).with(vec![t.apart(x, y, -3, 1)]);
    // The first conjunct is enough.
    near.uses[0].conjunct = Some(0);
    let zero = |t: &mut Terms, x: TermRef, y: TermRef| {
        let (f, g, h) = (t.sum(0, &[(1, x)]), t.sum(0, &[(-1, y)]), t.minus(y, x, -1));
        Lemma::Farkas(vec![(f, 1), (g, 1), (h, 1)])
    };
    let start = vec![zero(&mut t, x, y), zero(&mut t, y, x)];
    let same = induction("same", vec![still(&[]).with(start)], vec![]);
    let nodes = vec![same, follows("close", close), follows("near", vec![near])];
    accept(&proved(source, t, nodes, vec![]));
}

#[test]
fn examples_are_looked_at_without_harm() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../examples/threads");
    let mut count = 0;
    for entry in std::fs::read_dir(examples).expect("examples") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|it| it != "ser") {
            continue;
        }
        let source = std::fs::read_to_string(&path).expect("a text");
        let parse = ser_syntax::inv::parse(&source);
        assert!(!parse.has_errors(), "{path:?}: {:?}", parse.diagnostics);
        // Without lemmas little can be shown, but every rejection is an honest one.
        for invariant in &parse.system.invariants {
            let nodes = vec![induction(&invariant.name.text, vec![], vec![])];
            let certificate = proved(&source, Terms::default(), nodes, vec![]);
            if let Err(rejection) = check(&certificate, &Default::default()) {
                let open = matches!(*rejection.reason, Reason::Open { lemmas: 0 });
                assert!(open, "{path:?}: {rejection}");
            }
        }
        count += 1;
    }
    assert!(count > 3, "{count}");
}
