//! Proofs on symbolic steps: programs whose values have no end.

use ser_base::Limits;
use ser_serializability_checker as cert;
use ser_serializability_search::{NoSymbolicProof, SymbolicFound, prove_symbolically};
use std::time::{Duration, Instant};

fn limits() -> Limits {
    Limits::default().with_timeout(Duration::from_secs(20))
}

fn find(text: &str) -> Result<SymbolicFound, NoSymbolicProof> {
    let parse = ser_syntax::parse(text);
    assert!(!parse.has_errors(), "{text}: {:?}", parse.diagnostics);
    prove_symbolically(&parse.program, text, &limits())
}

fn check(text: &str, proof: cert::SymbolicProof) -> Result<cert::Accepted, cert::Rejection> {
    let program = ser_syntax::parse(text).program;
    let verdict = cert::Verdict::Serializable(cert::Proof::Symbolic(proof));
    let source = cert::Source::new("test.ser", text.as_bytes());
    let certificate = cert::Certificate { source, verdict };
    let certificate = cert::read(&certificate.to_text()).expect("a certificate");
    cert::check_text(&certificate, text.as_bytes(), &program, &limits())
}

const CAS: &str = "var X = 0
request inc {
  done := false;
  while !done { x := X; yield; if X == x { X := x + 1; done := true } };
  x
}";

const TICKET: &str = "var Next = 0  var Serving = 0  var X = 0
request crit {
  t := Next; Next := t + 1; yield;
  assume(Serving == t); x := X; yield;
  X := x + 1; Serving := Serving + 1; x
}";

const LOCK: &str = "var Lock = 0  var X = 0
request add(n in 1..500) {
  while (Lock == 1) { yield }; Lock := 1; x := X; yield; X := x + n; yield; Lock := 0; x
}";

const READERS: &str = "var Readers = 0  var Writer = 0  var X = 0  var Y = 0
request read {
  assume(Writer == 0); Readers := Readers + 1; yield;
  x := X; yield; y := Y; yield; Readers := Readers - 1; x - y
}
request write(n in 1..1000) {
  assume(Writer == 0 && Readers == 0); Writer := 1; yield;
  X := X + n; yield; Y := Y + n; yield; Writer := 0; 0
}";

const TRANSFER: &str = "var Lock = 0  var A = 0  var B = 0
request transfer(n in 1..500) {
  while (Lock == 1) { yield }; Lock := 1; yield;
  a := A; yield; A := a - n; yield; B := B + n; yield; Lock := 0; 0
}
request audit { while (Lock == 1) { yield }; Lock := 1; a := A; yield; b := B; Lock := 0; a + b }";

const SEQUENCE: &str = "var Next = 0
request draw { n := Next; yield; while (Next != n) { n := Next; yield }; Next := n + 1; n }
request peek { Next }";

const COUNTER_LOCK: &str = "var Held = 0  var N = 0  var Log = 0
request next {
  while (Held) { yield }; Held := 1; n := N; yield; N := n + 1; yield; Log := Log + n; Held := 0; n
}
request total { while (Held) { yield }; Log }";

const SEMAPHORE: &str = "var Free = 10  var Served = 0
request copy(v in 0..300) {
  assume(Free > 0); Free := Free - 1; yield; Served := Served + 1; yield; Free := Free + 1; v
}";

const RETRY: &str = "var Stock = 500  var Sold = 0
request buy(n in 1..100) {
  loop { s := Stock; yield; if (s < n) { if (Stock == s) { return 0 } }
         else { if (Stock == s) { Stock := s - n; return n } } }
}
request restock(n in 1..100) { Stock := Stock + n; 0 }";

const TICKET_DATA: &str = "var Next = 0  var Serving = 0  var A = 7  var B = 3
request move(n in 1..50) {
  t := Next; Next := t + 1; yield; assume(Serving == t);
  a := A; yield; A := a - n; yield; B := B + n; Serving := Serving + 1; a
}
request both {
  t := Next; Next := t + 1; yield; assume(Serving == t);
  a := A; yield; b := B; Serving := Serving + 1; a + b
}";

const ALL: [&str; 10] =
    [CAS, TICKET, LOCK, READERS, TRANSFER, SEQUENCE, COUNTER_LOCK, SEMAPHORE, RETRY, TICKET_DATA];

const OPTIMISTIC: &str = "request deposit(n in 1..500) {
  loop { v := Version; x := X; yield; if (Version == v) { X := x + n; Version := v + 1; return x } }
}
request get { X }";

const OPTIMISTIC_TWO: &str = "request move(n in 1..500) {
  loop { v := Version; a := A; yield; b := B; yield; if (Version == v) { A := a - n; B := b + n; Version := v + 1; return (a, b) } }
}
request audit { A + B }";

const TICKETS: &str = "request enter {
    ticket := Next;
    Next := ticket + 1;
    while (Serving != ticket) { yield };
    crowded := Inside;
    Inside := 1;
    yield;
    Inside := 0;
    Serving := ticket + 1;
    crowded
}";

const ANY_NUMBER: &str = "lock L
request add(n in int) { with L { x := X; yield; X := x + n }; x }";

const GLOBAL_LOCK: &str = "type Account
lock L
var Balance: [Account] of int
request transfer(from in Account, to in Account, amount in int) {
  with L { a := Balance[from]; yield; if (a >= amount) { Balance[from] := a - amount; yield; Balance[to] := Balance[to] + amount; 1 } else { 0 } } }
request deposit(to in Account, amount in int) { with L { b := Balance[to]; yield; Balance[to] := b + amount }; 0 }";

const LOCK_EACH: &str = "type Account
var Balance: [Account] of int
lock Row: [Account]
request add(a in Account, n in int) { with Row[a] { b := Balance[a]; yield; Balance[a] := b + n }; 0 }
request look(a in Account) { with Row[a] { Balance[a] } }";

const ORDERED_LOCKS: &str = "type Account
var Balance: [Account] of int
lock Row: [Account]
request transfer(from in Account, to in Account, amount in int) {
  if (from != to) {
    if (from < to) { with Row[from] { with Row[to] { Balance[from] := Balance[from] - amount; yield; Balance[to] := Balance[to] + amount } } }
    else { with Row[to] { with Row[from] { Balance[from] := Balance[from] - amount; yield; Balance[to] := Balance[to] + amount } } }
  }; 0
}
request look(a in Account) { with Row[a] { Balance[a] } }";

const VERSION_EACH: &str = "type Row
var Value: [Row] of int
var Version: [Row] of int
request add(r in Row, n in int) { loop { v := Version[r]; x := Value[r]; yield; if (Version[r] == v) { Value[r] := x + n; Version[r] := v + 1; return x } } }
request get(r in Row) { Value[r] }";

const VERSIONS: &str = "type Account
var Balance: [Account] of int
var Version: [Account] of int
request transfer(from in Account, to in Account, amount in int) {
  loop {
    vf := Version[from]; f := Balance[from]; yield;
    vt := Version[to]; t := Balance[to]; yield;
    if (Version[from] == vf && Version[to] == vt && from != to) {
      Balance[from] := f - amount; Balance[to] := t + amount;
      Version[from] := vf + 1; Version[to] := vt + 1; return f
    };
    if (from == to) { return 0 }
  }
}
request look(a in Account) { Balance[a] }";

/// Programs that need facts given others, that begin to wait, or whose arguments may be anything.
const MORE: [&str; 9] = [
    OPTIMISTIC,
    OPTIMISTIC_TWO,
    TICKETS,
    ANY_NUMBER,
    GLOBAL_LOCK,
    LOCK_EACH,
    ORDERED_LOCKS,
    VERSION_EACH,
    VERSIONS,
];

#[test]
fn programs_with_keys_and_versions_are_proved() {
    for text in MORE {
        let found = find(text).unwrap_or_else(|why| panic!("{text}: {why:?}"));
        check(text, found.proof).unwrap_or_else(|why| panic!("{text}: {why}"));
    }
}

/// Each account is locked for as long as it changes, and a look at two of them sees money missing.
const ONE_BY_ONE: &str = "type Account
var Balance: [Account] of int
lock Row: [Account]
request transfer(from in Account, to in Account, amount in int) {
  if (from != to) {
    with Row[from] { Balance[from] := Balance[from] - amount }; yield; with Row[to] { Balance[to] := Balance[to] + amount }
  }; 0
}
request look(a in Account, b in Account) { if (a < b) { with Row[a] { with Row[b] { Balance[a] + Balance[b] } } } else { 0 } }";

#[test]
fn their_broken_twins_are_not() {
    let twins = [
        OPTIMISTIC.replace("; Version := v + 1", ""),
        OPTIMISTIC_TWO.replace("A := a - n; B", "A := a - n; yield; B"),
        TICKETS.replace("Serving != ticket", "Serving < ticket && Serving != 1"),
        ANY_NUMBER.replace("with L { x := X; yield;", "x := X; yield; with L {"),
        GLOBAL_LOCK
            .replace("with L { b := Balance[to]; yield;", "b := Balance[to]; yield; with L {"),
        LOCK_EACH.replace(
            "with Row[a] { b := Balance[a]; yield;",
            "b := Balance[a]; yield; with Row[a] {",
        ),
        ONE_BY_ONE.to_owned(),
        VERSION_EACH.replace("; Version[r] := v + 1", ""),
        VERSIONS.replace("Version[from] == vf && ", ""),
    ];
    for (twin, text) in twins.iter().zip(MORE) {
        assert_ne!(twin, text);
        let found = find(twin);
        assert!(found.is_err(), "{twin}");
    }
}

/// Written by hand: where the version is what was seen, so is the value, and versions only grow.
#[test]
fn a_proof_by_hand_is_accepted() {
    let program = ser_syntax::parse(VERSION_EACH).program;
    let net = cert::symbolic::symbolic_net(&program, VERSION_EACH, &limits()).expect("steps");
    let place = net.places[0].name.clone();
    let digest = cert::Source::new("test.ser", VERSION_EACH.as_bytes());
    let by_hand = |given: &str| {
        let text = format!(
            r#"{{
              "format": "ser-certificate", "version": 1,
              "source": {{"file": "test.ser", "sha256": "{}"}},
              "verdict": "serializable",
              "proof": {{
                "method": "symbolic",
                "waiting": [
                  {{"at": ["{place}"], "given": [{given}],
                   "terms": {{"Value[Row#1]": 1, "i.x": -1}}, "is": "zero"}},
                  {{"at": ["{place}"],
                   "terms": {{"Version[Row#1]": 1, "i.v": -1}}, "is": "at_least_zero"}}
                ],
                "defer": [{{"request": "add", "places": ["{place}"]}}],
                "after": []
              }}
            }}"#,
            digest.sha256
        );
        let certificate = cert::read(&text).expect("a certificate");
        cert::check_text(&certificate, VERSION_EACH.as_bytes(), &program, &limits())
    };
    by_hand(r#"{"terms": {"Version[Row#1]": 1, "i.v": -1}, "is": "zero"}"#).expect("a proof");
    // It is not always so, nor for other versions.
    by_hand("").unwrap_err();
    by_hand(r#"{"terms": {"Version[Row#1]": 1, "i.v": -1}, "is": "at_least_zero"}"#).unwrap_err();
    by_hand(r#"{"terms": {"Version[Row#2]": 1, "i.v": -1}, "is": "zero"}"#).unwrap_err();
    by_hand(r#"{"terms": {"Versions": 1}, "is": "zero"}"#).unwrap_err();
}

#[test]
fn proofs_with_keys_and_versions_that_were_tampered_with_are_rejected() {
    let mut rejected = 0;
    let mut refuse = |text: &str, proof: &cert::SymbolicProof, what: &str| {
        assert!(check(text, proof.clone()).is_err(), "{what}: {text}\n{proof:?}");
        rejected += 1;
    };
    let proof = |text: &str| find(text).expect("a proof").proof;

    let honest = proof(OPTIMISTIC);
    let at = honest.waiting.iter().position(|it| !it.given.is_empty()).expect("a given");
    let mut other = honest.clone();
    other.waiting[at].given.clear();
    refuse(OPTIMISTIC, &other, "nothing is given");
    let mut other = honest.clone();
    other.waiting[at].given[0].constant += 1;
    refuse(OPTIMISTIC, &other, "another number is given");
    let mut other = honest.clone();
    other.waiting[at].given[0].relation = cert::Relation::NotZero;
    refuse(OPTIMISTIC, &other, "the opposite is given");
    let mut other = honest.clone();
    other.waiting[at].given[0].terms = [("Unknown".to_owned(), 1)].into();
    refuse(OPTIMISTIC, &other, "an unknown variable is given");
    let mut other = honest.clone();
    other.waiting[at].constant += 1;
    refuse(OPTIMISTIC, &other, "more follows");
    let mut other = honest.clone();
    other.waiting.remove(at);
    refuse(OPTIMISTIC, &other, "nothing is known");
    refuse(&OPTIMISTIC.replace("; Version := v + 1", ""), &honest, "a broken twin");

    let honest = proof(TICKETS);
    assert_eq!(honest.begin.len(), 1);
    let mut other = honest.clone();
    other.begin.clear();
    refuse(TICKETS, &other, "nobody begins to wait");
    let mut other = honest.clone();
    other.begin[0].place = honest.after[1].1.clone();
    refuse(TICKETS, &other, "nobody waits there");
    let mut other = honest.clone();
    other.begin[0].place = "nowhere".into();
    refuse(TICKETS, &other, "an unknown place");
    let mut other = honest.clone();
    other.begin[0].request = "nobody".into();
    refuse(TICKETS, &other, "an unknown handler");
    let mut other = honest.clone();
    other.begin[0].from = Some(other.begin[0].place.clone());
    refuse(TICKETS, &other, "from where it waits");
    let mut other = honest.clone();
    other.begin.push(other.begin[0].clone());
    refuse(TICKETS, &other, "twice");

    let honest = proof(LOCK_EACH);
    let at = honest.facts.iter().position(|it| !it.keys.is_empty()).expect("keys");
    for (keys, what) in [
        (vec![], "no keys"),
        (vec![vec![0], vec![1]], "other keys"),
        (vec![vec![0]], "keys of one"),
        (vec![vec![0], vec![7]], "a key that is not there"),
        (vec![vec![0], vec![0], vec![0]], "keys of three"),
    ] {
        let mut other = honest.clone();
        other.facts[at].keys = keys;
        refuse(LOCK_EACH, &other, what);
    }
    let mut other = honest.clone();
    let at = honest.facts.iter().position(|it| it.at.len() == 1).expect("a lock that is held");
    other.facts[at].terms = [("Row[Account#2]".to_owned(), 1)].into();
    refuse(LOCK_EACH, &other, "the lock of another key");
    let mut other = honest.clone();
    other.facts[at].terms = [("Row[Account#9]".to_owned(), 1)].into();
    refuse(LOCK_EACH, &other, "a key that nobody has");
    let mut other = honest.clone();
    other.facts[at].at.clear();
    refuse(LOCK_EACH, &other, "all locks are held");
    let mut other = honest.clone();
    let amounts = honest
        .after
        .iter()
        .chain(
            &honest
                .defer
                .iter()
                .map(|it| cert::PlaceName(it.request.clone(), it.places[0].clone()))
                .collect::<Vec<_>>(),
        )
        .map(|cert::PlaceName(request, local)| cert::Amount {
            request: request.clone(),
            local: local.clone(),
            amount: 1,
        })
        .collect();
    other.counts.push(cert::Count { variable: "Row[Account#1]".into(), amounts });
    refuse(LOCK_EACH, &other, "an element counts requests");
    refuse(ORDERED_LOCKS, &honest, "another program");
    assert!(rejected >= 20, "{rejected}");
}

/// No other proof is about arguments that may be anything.
#[test]
fn what_holds_of_a_few_arguments_proves_nothing() {
    use ser_model::{ExploreError, ProgramModel, coarse_rules, opaque_rules};
    let program = ser_syntax::parse(LOCK_EACH).program;
    assert!(program.is_open());
    let is_refused = |error: Option<ExploreError>| {
        assert!(matches!(error, Some(ExploreError::AnyArguments { .. })), "{error:?}");
    };
    is_refused(ProgramModel::new(&program, LOCK_EACH, &limits()).err());
    is_refused(ProgramModel::exact(&program, LOCK_EACH, &limits()).err());
    is_refused(ProgramModel::asked(&program, LOCK_EACH, &limits()).err());
    is_refused(opaque_rules(&program, LOCK_EACH, &["Balance".into()].into(), &limits()).err());
    is_refused(coarse_rules(&program, LOCK_EACH, &limits()).err());
    assert!(ProgramModel::small(&program, LOCK_EACH, &limits()).is_none());
    let slices = cert::Verdict::Serializable(cert::Proof::Slices(Vec::new()));
    let source = cert::Source::new("test.ser", LOCK_EACH.as_bytes());
    let certificate = cert::Certificate { source, verdict: slices };
    cert::check_text(&certificate, LOCK_EACH.as_bytes(), &program, &limits()).unwrap_err();
}

/// Statements about elements of arrays for keys.
fn keyed(random: &mut Random, keys: &[&str], depth: usize) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(3) {
        let k = random.pick(keys);
        let inside = if depth > 0 { keyed(random, keys, depth - 1) } else { String::new() };
        text.push_str(&match random.below(if depth > 0 { 14 } else { 9 }) {
            0 => format!("x := A[{k}]; "),
            1 => format!("A[{k}] := x + n; "),
            2 => format!("A[{k}] := A[{k}] + 1; "),
            3 | 4 => "yield; ".to_owned(),
            5 => format!("B := A[{k}]; "),
            6 => "x := x + B; ".to_owned(),
            7 => format!("assume(A[{k}] >= x); "),
            8 => "B := B + 1; ".to_owned(),
            9 | 10 => format!("with L[{k}] {{ {inside} }}; "),
            11 => format!("with G {{ {inside} }}; "),
            12 => format!("if (A[{k}] == x) {{ {inside} }}; "),
            _ => format!(
                "d := 0; while (!d) {{ v := V[{k}]; x := A[{k}]; yield; if (V[{k}] == v) {{ \
                 A[{k}] := x + n; V[{k}] := v + 1; d := 1 }} }}; "
            ),
        });
    }
    text
}

fn keyed_program(random: &mut Random) -> String {
    let mut text = String::from(
        "type K  var A: [K] of int  var V: [K] of int  lock L: [K]  lock G  var B = 0\n",
    );
    for name in ["a", "b"].iter().take(1 + random.below(2)) {
        let response = random.pick(&["x", "0", "A[k]", "B", "n"]);
        match random.below(3) {
            0 => {
                let body = keyed(random, &["k", "m"], 1);
                let order = random.pick(&["k < m", "k != m", "k <= m", "true"]);
                text.push_str(&format!(
                    "request {name}(k in K, m in K) {{ n := 1; if ({order}) {{ with L[k] {{ {body} \
                     }} }}; {response} }}\n"
                ));
            }
            _ => {
                let body = keyed(random, &["k"], 2);
                text.push_str(&format!(
                    "request {name}(k in K, n in 1..2) {{ {body}{response} }}\n"
                ));
            }
        }
    }
    text
}

/// Compares proofs with all runs of two or three requests with three keys, as they are read from the
/// tree.
#[expect(clippy::print_stderr, reason = "a campaign tells how it went")]
fn compare_keyed(seed: u64, programs: usize) {
    let mut random = Random(seed);
    let (mut proofs, mut broken, mut open) = (0, 0, 0);
    for _ in 0..programs {
        let text = keyed_program(&mut random);
        let parse = ser_syntax::parse(&text);
        if parse.has_errors() {
            // A lock that is held already.
            continue;
        }
        let limits = Limits::default().with_timeout(Duration::from_secs(3));
        let found = prove_symbolically(&parse.program, &text, &limits);
        let mut network = ser_oracle::WholeNetwork::new(&parse.tree).expect("a program");
        match found {
            Ok(found) => {
                proofs += 1;
                check(&text, found.proof).unwrap_or_else(|why| panic!("{text}: {why}"));
                match ser_oracle::compare(&mut network, 3, 20_000) {
                    Ok(ser_oracle::Findings::Unbroken { .. }) => {}
                    other => panic!("{text}: {other:?}"),
                }
            }
            Err(NoSymbolicProof::Refused(why)) => panic!("{text}: {why}"),
            Err(_) => match ser_oracle::compare(&mut network, 2, 5_000) {
                Ok(ser_oracle::Findings::Broken { .. }) => broken += 1,
                _ => open += 1,
            },
        }
    }
    eprintln!("{programs} programs with keys: {proofs} proofs, {broken} broken, {open} open");
    assert!(proofs * 5 > programs, "{proofs}");
}

#[test]
fn proofs_of_random_programs_with_keys_are_confirmed() {
    compare_keyed(1, 60);
}

#[test]
#[ignore = "a long campaign"]
fn proofs_of_many_random_programs_with_keys_are_confirmed() {
    compare_keyed(2, 1_000);
}

#[test]
fn programs_without_bounds_are_proved() {
    for text in ALL {
        let found = find(text).unwrap_or_else(|why| panic!("{text}: {why:?}"));
        check(text, found.proof).unwrap_or_else(|why| panic!("{text}: {why}"));
    }
}

#[test]
fn broken_twins_are_not() {
    let audit = "request audit { while (Lock == 1) { yield }; Lock := 1;";
    let twins = [
        CAS.replace("if X == x", "if X >= x"),
        TICKET.replace("assume(Serving == t)", "assume(Serving <= t)"),
        LOCK.replace("Lock := 1; x", "yield; Lock := 1; x"),
        READERS.replace(" && Readers == 0", ""),
        TRANSFER.replace(audit, "request audit {"),
        SEQUENCE.replace("Next != n", "Next < n"),
        COUNTER_LOCK.replace("Held := 1; n", "yield; Held := 1; n"),
        SEMAPHORE
            .replace("Served := Served + 1; yield", "s := Served; yield; Served := s + 1")
            .replace("; v", "; Served"),
        RETRY.replace("else { if (Stock == s) {", "else { if (Stock >= n) {"),
        TICKET_DATA.replace("Serving == t", "Serving <= t"),
    ];
    for (twin, text) in twins.iter().zip(ALL) {
        assert_ne!(twin, text);
        let found = find(twin);
        assert!(found.is_err(), "{twin}");
    }
}

/// Every change of a proof that has no superfluous parts makes it none.
#[test]
fn proofs_that_were_tampered_with_are_rejected() {
    let mut rejected = 0;
    let mut refuse = |text: &str, proof: &cert::SymbolicProof, what: &str| {
        let verdict = check(text, proof.clone());
        assert!(verdict.is_err(), "{what}: {text}\n{proof:?}");
        rejected += 1;
    };
    for text in ALL {
        let proof = find(text).expect("a proof").proof;
        for n in 0..proof.facts.len() {
            let mut less = proof.clone();
            less.facts.remove(n);
            refuse(text, &less, "without a fact");
            let mut more = proof.clone();
            more.facts[n].constant -= 1000;
            // What is said of two requests that never meet may be anything.
            let says_never = proof.facts[n].terms.is_empty() || proof.facts[n].at.len() == 2;
            if more.facts[n].relation != cert::Relation::NotZero && !says_never {
                refuse(text, &more, "a fact that is too strong");
            }
            let mut other = proof.clone();
            let terms = std::mem::take(&mut other.facts[n].terms);
            other.facts[n].terms = terms.into_iter().map(|(name, c)| (name, -c)).collect();
            if proof.facts[n].relation == cert::Relation::AtLeastZero && !says_never {
                refuse(text, &other, "a fact turned around");
            }
        }
        for n in 0..proof.counts.len() {
            let mut less = proof.clone();
            less.counts.remove(n);
            refuse(text, &less, "without a count");
            let mut more = proof.clone();
            more.counts[n].amounts[0].amount += 1;
            refuse(text, &more, "another amount");
            let mut mixed = proof.clone();
            let amount = &mut mixed.counts[n].amounts[0].amount;
            *amount = -*amount;
            refuse(text, &mixed, "the opposite amount");
        }
        for n in 0..proof.defer.len() {
            let mut less = proof.clone();
            less.defer.remove(n);
            if [CAS, SEQUENCE, RETRY].contains(&text) {
                refuse(text, &less, "without waiting");
            }
            let mut other = proof.clone();
            other.defer[n].places.push("nowhere@1:1".into());
            refuse(text, &other, "waiting in an unknown place");
            let mut other = proof.clone();
            other.defer[n].request = "nobody".into();
            refuse(text, &other, "waiting of an unknown handler");
        }
        if text == TICKET {
            let mut other = proof.clone();
            other.after.clear();
            refuse(text, &other, "other commit points");
            let mut other = proof.clone();
            other.after.pop();
            refuse(text, &other, "other commit points");
        }
        let mut other = proof.clone();
        other.after.push(cert::PlaceName("nobody".into(), "nowhere".into()));
        refuse(text, &other, "an unknown place");
        let unknown = cert::SymbolicFact {
            at: Vec::new(),
            keys: Vec::new(),
            given: Vec::new(),
            terms: [("Unknown".to_owned(), 1)].into(),
            constant: 0,
            relation: cert::Relation::AtLeastZero,
        };
        let mut other = proof.clone();
        other.facts.push(unknown);
        refuse(text, &other, "an unknown variable");
    }
    // Proofs of other programs, above all of their broken twins.
    let proof = find(TICKET).expect("a proof").proof;
    refuse(&TICKET.replace("== t", "<= t"), &proof, "a broken twin");
    refuse(&TICKET.replace("X := x + 1; S", "X := x + 1; yield; S"), &proof, "another program");
    refuse(LOCK, &proof, "another program");
    let proof = find(CAS).expect("a proof").proof;
    refuse(&CAS.replace("X == x", "X >= x"), &proof, "a broken twin");
    let proof = find(READERS).expect("a proof").proof;
    refuse(&READERS.replace(" && Readers == 0", ""), &proof, "a broken twin");
    assert!(rejected > 60, "{rejected}");
}

#[test]
fn what_is_not_linear_is_refused() {
    let why = |text: &str| match find(text) {
        Err(NoSymbolicProof::NoSteps(why)) => why.to_string(),
        other => panic!("{text}: {other:?}"),
    };
    let product = "request a { x := X; yield; X := x * X; x }";
    assert_eq!(why(product), "products of variables and division are not linear");
    let endless = "request a { while (X > 0) { X := X - 1 }; yield; X }";
    assert_eq!(why(endless), "there are too many ways from one `yield` to the next");
    // Constants are calculated, and what is known is not asked.
    find("request a { x := 7 % 4; yield; X := X + 3 * x; 0 }").expect("a proof");
}

/// Random numbers, always the same.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// A few statements on unbounded numbers.
fn statements(random: &mut Random, depth: usize) -> String {
    const PLAIN: [&str; 19] = [
        "x := A;",
        "y := B;",
        "A := x + 1;",
        "A := A + 1;",
        "B := B + n;",
        "B := A;",
        "A := A - 1;",
        "B := x;",
        "A := y;",
        "x := x + n;",
        "yield;",
        "yield;",
        "yield;",
        "yield;",
        "assume(A >= B);",
        "assume(C == 0);",
        "C := C + 1;",
        "C := 0;",
        "x := choose(0..1);",
    ];
    let mut text = String::new();
    for _ in 0..1 + random.below(3) {
        if depth == 0 || random.below(3) > 0 {
            text.push_str(random.pick(&PLAIN));
            text.push(' ');
            continue;
        }
        let inside = statements(random, depth - 1);
        let other = statements(random, depth - 1);
        text.push_str(&match random.below(11) {
            0 | 1 => format!("while (L) {{ yield }}; L := 1; {inside} L := 0; "),
            2 => format!("assume(L == 0); L := 1; {inside} L := 0; "),
            3 => format!("t := T; T := t + 1; yield; assume(S == t); {inside} S := S + 1; "),
            4 => format!("assume(F > 0); F := F - 1; {inside} F := F + 1; "),
            5 => "d := 0; while (!d) { x := A; yield; if (A == x) { A := x + n; d := 1 } }; ".to_owned(),
            6 => format!("if (A == x) {{ {inside} }} else {{ {other} }}; "),
            7 => format!("if (x < B) {{ {inside} }}; "),
            8 => format!("while (W) {{ yield }}; R := R + 1; {inside} R := R - 1; "),
            9 => format!("assume(W == 0 && R == 0); W := 1; {inside} W := 0; "),
            _ => "v := V; x := A; yield; while (V != v) { v := V; x := A; yield }; V := v + 1; A := x + 1; ".to_owned(),
        });
    }
    text
}

fn program(random: &mut Random) -> String {
    let mut text = String::from("var F = 1\n");
    for name in ["a", "b", "c"].iter().take(1 + random.below(3)) {
        let body = statements(random, 2);
        let response = random.pick(&["x", "y", "0", "x + y", "A", "n"]);
        text.push_str(&format!("request {name}(n in 1..2) {{ {body}{response} }}\n"));
    }
    text
}

/// Compares proofs with all runs of three requests.
#[expect(clippy::print_stderr, reason = "a campaign tells how it went")]
fn compare(seed: u64, programs: usize) {
    let mut random = Random(seed);
    let (mut proofs, mut open, mut broken, mut small) = (0, 0, 0, 0);
    let begin = Instant::now();
    let mut slowest = Duration::ZERO;
    for _ in 0..programs {
        let text = program(&mut random);
        let parse = ser_syntax::parse(&text);
        assert!(!parse.has_errors(), "{text}: {:?}", parse.diagnostics);
        let before = Instant::now();
        let limits = Limits::default().with_timeout(Duration::from_secs(3));
        let found = prove_symbolically(&parse.program, &text, &limits);
        slowest = slowest.max(before.elapsed());
        let mut network = ser_oracle::ProgramNetwork::new(&parse.program).expect("numbers");
        match found {
            Ok(found) => {
                proofs += 1;
                check(&text, found.proof).unwrap_or_else(|why| panic!("{text}: {why}"));
                match ser_oracle::compare(&mut network, 3, 30_000) {
                    Ok(ser_oracle::Findings::Unbroken { requests }) => {
                        small += usize::from(requests < 3);
                    }
                    other => panic!("{text}: {other:?}"),
                }
            }
            Err(NoSymbolicProof::Refused(why)) => panic!("{text}: {why}"),
            Err(_) => match ser_oracle::compare(&mut network, 2, 5_000) {
                Ok(ser_oracle::Findings::Broken { .. }) => broken += 1,
                _ => open += 1,
            },
        }
    }
    eprintln!(
        "{programs} programs: {proofs} proofs ({small} seen with fewer than 3 requests), {broken} \
         broken, {open} open; {:?}, slowest {slowest:?}",
        begin.elapsed()
    );
    assert!(proofs * 5 > programs, "{proofs}");
}

#[test]
fn proofs_of_random_programs_are_confirmed() {
    compare(1, 120);
}

#[test]
#[ignore = "a long campaign"]
fn proofs_of_many_random_programs_are_confirmed() {
    compare(2, 2_000);
}
