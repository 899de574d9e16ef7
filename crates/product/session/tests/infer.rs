//! Support that is found by itself: each kind of candidate in a program that needs it, and what is
//! said if it is not enough.

use ser_base::Limits;
use ser_generators::samples::TICKET_LOCK;
use ser_invariance_search::answer::Verdict;
use ser_session::invariance::{Checked, Found, Inferred, Invariance};
use ser_session::source::{Kind, Source};

fn answered(text: &str, options: &Invariance) -> Box<Checked> {
    let source = Source::new("test.ser", Kind::Invariants, text.to_owned());
    match options.found(&source, &Limits::default(), &|_| {}) {
        Ok((Found::Answer(checked), _)) => checked,
        other => panic!("no answer for {text}: {other:?}"),
    }
}

fn inferred(text: &str) -> Box<Checked> {
    answered(text, &Invariance { infer: true, ..Invariance::default() })
}

fn plain(text: &str) -> Box<Checked> {
    answered(text, &Invariance::default())
}

/// Goal and program do not suffice, what is found does, and it still does when it is read again.
/// What was added.
fn found(text: &str) -> String {
    assert_eq!(plain(text).verdict, Verdict::NotInductive, "{text}");
    let report = inferred(text);
    let Some(Inferred::Found(found)) = &report.inferred else {
        panic!("nothing was found for {text}: {report:?}");
    };
    assert_eq!(report.verdict, Verdict::Proved, "{}", found.text);
    assert!(found.open.is_empty() && found.minimal, "{}", found.text);
    assert_eq!(plain(&found.text).verdict, Verdict::Proved, "{}", found.text);
    without_each(&found.text, &found.added);
    found.added.concat()
}

/// Nothing of what was added can be left out.
fn without_each(text: &str, added: &[String]) {
    for line in added.iter().flat_map(|it| it.lines()).filter(|it| it.starts_with("    ")) {
        let fewer = text.replacen(&format!("{line}\n"), "", 1);
        assert_ne!(fewer, text, "{line}");
        // An invariant that says nothing is an error.
        let empty = fewer.replace("{\n}", "{\n    true;\n}");
        assert_ne!(plain(&empty).verdict, Verdict::Proved, "{line} can be left out of {text}");
    }
}

#[test]
fn a_flag_that_says_who_owns_a_lock_is_found() {
    let added = found(
        "\
var owner: Threads = nobody;
set Threads  process thread for self in Threads {
    var got: bool = false;
    loop {
        reset: got := false;
        spin: while !got {
            grab: atomic { if owner == nobody { owner := self; got := true; } }
        }
        crit: skip;
        leave: atomic { assert owner == self; owner := nobody; }
    }
}
invariant mutex(i, j): i != j -> !(at(i, crit..leave) && at(j, crit..leave));
",
    );
    assert!(added.contains("got[i] ->"), "{added}");
}

#[test]
fn double_checked_locking_needs_nothing_but_its_goal() {
    let added = found(
        "\
var value: int = 0;
var ready: bool = false;
var owner: Threads = nobody;
set Threads  process thread for self in Threads {
    var mine: int = 0;
    first: if !ready {
        enter: atomic { await owner == nobody; owner := self; }
        second: if !ready {
            make: value := choose(int) where value != 0;
            publish: ready := true;
        }
        leave: owner := nobody;
    }
    fetch: mine := value;
    use: assert mine != 0;
    finish: skip;
}
invariant same(i, j): at(i, use..finish) && at(j, use..finish) -> mine[i] == mine[j];
",
    );
    assert!(added.contains("-> ready;"), "{added}");
    assert!(added.contains("ready -> value != 0"), "{added}");
}

#[test]
fn peterson_needs_nothing_but_mutual_exclusion() {
    let added = found(
        "\
var want: set of Threads = {};
var victim: Threads = nobody;
set Threads == 2  process thread for self in Threads {
    loop {
        announce: want := want + {self};
        step_back: victim := self;
        wait: await want == {self} || victim != self;
        crit: skip;
        leave: want := want - {self};
    }
}
invariant mutex(i, j): i != j -> !(at(i, crit..leave) && at(j, crit..leave));
",
    );
    assert!(added.contains("i in want"), "{added}");
    assert!(added.contains("victim == i || victim == j"), "{added}");
}

#[test]
fn cells_that_are_locked_and_linked_are_found() {
    let added = found(
        "\
var head: addr;
assume head != null;
set Threads  process thread for self in Threads {
    var p: addr = null; var q: addr = null;
    loop {
        start: p := head;
        hold: lock p;
        make: q := malloc(lowest, null);
        aim: q.next := p;
        check: assert q.next == p && q != p;
        drop: unlock p;
    }
}
invariant there: head != null;
",
    );
    assert!(added.contains("p[i].lockid == i"), "{added}");
    assert!(added.contains("q[i].next == p[i]"), "{added}");
    assert!(added.contains("!= null"), "{added}");
}

#[test]
fn the_order_of_elements_is_found() {
    let added = found(
        "\
var head: addr;
assume head != null;
set Threads  process thread for self in Threads {
    var p: addr = null;
    var e: elem = lowest;
    loop {
        start: p := malloc(lowest, null);
        draw: e := choose(elem) where e != lowest;
        test: if p.data < e {
            between: skip;
            check: assert p.data < e;
        }
    }
}
invariant there: head != null;
",
    );
    assert!(added.contains("p[i].data < e[i]"), "{added}");
}

#[test]
fn what_two_threads_have_is_kept_apart() {
    let added = found(
        "\
var next: int = 0;
var taken: set of int = {};
set Threads  process thread for self in Threads {
    var mine: int = 0;
    take: atomic { mine := next; next := next + 1; taken := taken + {mine}; }
    have: skip;
    check: assert mine in taken;
    leave: taken := taken - {mine};
}
invariant low: next >= 0;
",
    );
    assert!(added.contains("mine[i] != mine[j]"), "{added}");
    assert!(added.contains("mine[i] in taken"), "{added}");
}

#[test]
fn what_settles_only_some_conditions_is_kept() {
    // The list may end in a circle: that the goal is kept by the last step cannot be shown, but no
    // step is an error.
    let text = "\
var head: addr;
assume head != null && reach(head, null);
var n: int = 0;
set Threads  process thread for self in Threads {
    var p: addr = null; var c: addr = null;
    loop {
        start: p := head;
        lockp: lock p;
        look: c := p.next;
        walk: while c != null {
            lockc: lock c;
            both: skip;
            rel: unlock c;
            adv: c := c.next;
        }
        count: n := n + 2;
        last: unlock p;
    }
}
invariant even: n != 7;
";
    let report = inferred(text);
    let Some(Inferred::Found(found)) = &report.inferred else {
        panic!("nothing was found: {report:?}");
    };
    assert_eq!(report.verdict, Verdict::NotInductive, "{}", found.text);
    assert!(!found.open.is_empty() && found.open.len() < found.before, "{found:?}");
    assert!(found.open.iter().any(|it| it.invariant.as_deref() == Some("even")), "{found:?}");
    // It can be kept, and what is in it is proved without any search.
    let again = plain(&found.text);
    assert_eq!(again.verdict, Verdict::NotInductive);
    assert_eq!(again.proved() + 1, again.invariants.len(), "{}", found.text);
    assert!(found.added.concat().contains("!= null"), "{}", found.text);
}

#[test]
fn nothing_is_found_where_threads_would_have_to_be_counted() {
    let report = inferred(
        "\
var entered: int = 0;
set Threads  process thread for self in Threads {
    arrive: entered := entered + 1;
    inside: skip;
    depart: entered := entered - 1;
    done: skip;
}
invariant some(i): at(i, inside, depart) -> entered >= 1;
",
    );
    assert_eq!(report.verdict, Verdict::NotInductive);
    assert!(matches!(report.inferred, Some(Inferred::Nothing(_))), "{:?}", report.inferred);
}

#[test]
fn places_are_called_what_the_file_calls_them() {
    let added = found(
        "\
var taken: bool = false;
set Threads  process thread for self in Threads {
    loop {
        skip;
        take: atomic { await !taken; taken := true; }
        crit: {
            skip;
            skip;
            taken := false;
        }
    }
}
invariant mutex(i, j): i != j -> !(at(i, crit) && at(j, crit));
",
    );
    assert!(added.contains("at(i, crit) -> taken;"), "{added}");
}

#[test]
fn the_same_is_found_every_time() {
    let added = found(TICKET_LOCK);
    assert_eq!(added, found(TICKET_LOCK));
    // Names that nobody needs are not added.
    assert!(!added.contains("at1"), "{added}");
}

/// The `if` of `else if` is a place that cannot have a name.
#[test]
fn files_with_else_if_can_be_extended() {
    let text = "\
var held: bool = false;
var mode: int = 0;
set Threads  process thread for self in Threads {
    loop {
        if mode == 1 { mode := 2; } else if mode == 2 { mode := 0; } else { skip; }
        take: atomic { await !held; held := true; }
        leave: held := false;
    }
}
invariant mutex(i, j): i != j -> !(at(i, leave) && at(j, leave));
";
    let added = found(text);
    assert!(added.contains("at(i, leave) -> held;"), "{added}");
}
