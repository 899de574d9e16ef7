//! Certificates are accepted as they are, and not in any other way.

use ser_base::Limits;
use ser_isolation_checker::{Certificate, Reached, Rejection, Why, check};
use ser_isolation_model::ast::{Level, Program};
use ser_isolation_model::operations::Operations;
use ser_isolation_model::read::read;
use ser_isolation_search::{Answer, Search, decide};

/// Robust under REPEATABLE READ, with chains that go on and values that are equal.
const TEXT: &str = "
    CREATE TABLE a (id bigint PRIMARY KEY, x bigint NOT NULL);
    CREATE TABLE b (id bigint PRIMARY KEY, x bigint NOT NULL);
    CREATE FUNCTION one(p bigint, q bigint) RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE v bigint;
    BEGIN
        SELECT x INTO v FROM a WHERE id = p;
        UPDATE a SET x = v + 1 WHERE id = p;
        UPDATE b SET x = x + v WHERE id = q;
        RETURN v;
    END $$;
    CREATE FUNCTION two(p bigint) RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE v bigint;
    BEGIN
        SELECT x INTO v FROM a WHERE id = p;
        UPDATE b SET x = v WHERE id = 7;
        RETURN v;
    END $$;";

fn program() -> Program {
    let read = read(TEXT);
    assert!(read.is_complete(), "{:?}", read.diagnostics);
    read.program
}

const LEVELS: [Level; 2] = [Level::RepeatableRead; 2];

fn certificate() -> Certificate {
    match decide(&program(), &LEVELS, &Limits::default()).expect("time") {
        Answer::Robust(it) => *it,
        other => panic!("{other:?}"),
    }
}

fn verdict(certificate: &Certificate) -> Result<(), Rejection> {
    check(&program(), &LEVELS, certificate, &Limits::default())
}

#[test]
fn a_certificate_is_accepted_also_when_it_was_written_and_read() {
    let certificate = certificate();
    assert!(certificate.chains.iter().any(|it| !it.reached.is_empty()));
    let text = serde_json::to_string(&certificate).expect("a text");
    assert_eq!(verdict(&serde_json::from_str(&text).expect("a certificate")), Ok(()));
}

#[test]
fn it_says_nothing_about_other_levels_and_programs() {
    let certificate = certificate();
    let limits = Limits::default();
    let low = [Level::ReadCommitted; 2];
    assert_eq!(check(&program(), &low, &certificate, &limits), Err(Rejection::OtherLevels));
    let lied = Certificate { levels: vec!["read committed".into(); 2], ..certificate.clone() };
    assert!(check(&program(), &low, &lied, &limits).is_err());
    assert_eq!(verdict(&lied), Err(Rejection::OtherLevels));
    let few = [Level::RepeatableRead];
    assert!(check(&program(), &few, &certificate, &limits).is_err());
    let other = read(&TEXT.replace("WHERE id = 7", "WHERE id = p")).program;
    assert!(check(&other, &LEVELS, &certificate, &limits).is_err());
}

/// What is changed, and the certificate after that.
fn forged() -> Vec<(&'static str, Certificate)> {
    let good = certificate();
    let long = good.chains.iter().position(|it| it.reached.len() > 1).expect("a chain");
    let mut all = Vec::new();
    let mut forge = |what: &'static str, change: &dyn Fn(&mut Certificate)| {
        let mut it = good.clone();
        change(&mut it);
        all.push((what, it));
    };
    forge("no dependencies", &|it| it.dependencies.clear());
    forge("one dependency less", &|it| drop(it.dependencies.pop()));
    forge("one more", &|it| it.dependencies.push(it.dependencies[0].clone()));
    forge("another order", &|it| it.dependencies.reverse());
    forge("another reason", &|it| {
        let first = &mut it.dependencies[0];
        first.why = if first.why == Why::Follows { Why::Overwrites } else { Why::Follows };
    });
    forge("other columns", &|it| it.dependencies[0].columns = vec![9]);
    forge("no chains", &|it| it.chains.clear());
    forge("the last split is missing", &|it| drop(it.chains.pop()));
    forge("a split too many", &|it| it.chains.push(it.chains[0].clone()));
    forge("splits in another order", &|it| it.chains.reverse());
    forge("another read", &|it| it.chains[0].read += 1);
    forge("another way back", &|it| it.chains[0].back += 1);
    forge("another transaction", &|it| it.chains[0].template += 1);
    forge("other values", &|it| it.chains[0].values[0] += 1);
    forge("nothing is reached", &|it| it.chains[long].reached.clear());
    forge("one is not reached", &|it| drop(it.chains[long].reached.remove(0)));
    forge("it is reached with other values", &|it| {
        it.chains[long].reached[0].values.iter_mut().for_each(|it| *it += 1);
    });
    forge("it is reached with too few values", &|it| it.chains[long].reached[0].values.clear());
    forge("an operation that there is not", &|it| {
        let values = Vec::new();
        it.chains[0].reached.push(Reached { operation: 99, values, second: false, all: false });
    });
    forge("it is reached at another level", &|it| it.chains[long].reached[0].second = true);
    all
}

#[test]
fn what_was_tampered_with_is_rejected() {
    let forged = forged();
    assert!(forged.len() >= 10);
    for (what, it) in forged {
        assert!(verdict(&it).is_err(), "{what}");
    }
}

#[test]
fn a_cycle_has_no_certificate() {
    let low = [Level::ReadCommitted; 2];
    let Answer::Cycle(cycle) = decide(&program(), &low, &Limits::default()).expect("time") else {
        panic!("an update is lost")
    };
    assert_eq!(cycle.members.len(), cycle.links.len());
    // Everything that can be reached, and still it is a cycle.
    let lied = Certificate { levels: vec!["read committed".into(); 2], ..certificate() };
    let verdict = check(&program(), &low, &lied, &Limits::default());
    assert!(
        matches!(verdict, Err(Rejection::Cycle { .. } | Rejection::Open { .. })),
        "{verdict:?}"
    );
}

#[test]
fn a_statement_that_no_proof_covers_has_no_certificate() {
    let program = read(
        "CREATE TABLE job (id bigint PRIMARY KEY, taken boolean NOT NULL);
         -- name: take :one
         SELECT id FROM job WHERE NOT taken LIMIT 1 FOR UPDATE SKIP LOCKED;",
    )
    .program;
    let levels = [Level::Serializable];
    let answer = decide(&program, &levels, &Limits::default()).expect("time");
    assert!(matches!(answer, Answer::Outside(_)), "{answer:?}");
    let empty = Certificate {
        levels: vec!["serializable".into()],
        dependencies: Vec::new(),
        chains: Vec::new(),
    };
    let verdict = check(&program, &levels, &empty, &Limits::default());
    assert!(matches!(verdict, Err(Rejection::Outside { .. })), "{verdict:?}");
    assert_eq!(Search::new(Operations::of(&program)).system().operations().outside.len(), 1);
}
