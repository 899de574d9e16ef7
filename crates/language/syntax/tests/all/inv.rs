//! What `.inv` files mean.

use crate::shared;

use ser_base::Span;
use ser_editing::Names as _;
use ser_editing::inv::{parse, show, show_action, show_place, show_with};
use ser_syntax::inv::ast::{
    ActionKind, Expr, ExprKind, Field, GlobalId, InvId, LocId, LocalId, Means, Operator, Place,
    Premise, ProcId, Scalar, Step, Stmt, StmtKind, Thread, Type,
};
use ser_syntax::inv::symbols::Symbol;
use ser_syntax::inv::{InvParse, System};

const TICKET_INT: &str = include_str!("inv/ticket_int.ser");
const TICKET_SET: &str = include_str!("inv/ticket_set.ser");
const LIST: &str = include_str!("inv/list.ser");
const CHOSEN: &str = include_str!("inv/chosen.ser");
const PROGRAMS: [&str; 4] = [TICKET_INT, TICKET_SET, LIST, CHOSEN];

/// A file without errors or warnings.
fn read(text: &str) -> InvParse {
    let parse = parse(text);
    assert_eq!(shared::messages(text, &parse.diagnostics), "", "in\n{text}");
    parse
}

fn system(text: &str) -> System {
    read(text).system
}

/// The formula of an invariant with one conjunct, which is what `text` has at its end.
fn formula(declarations: &str, text: &str) -> Expr {
    let text = format!("{declarations} invariant p(i, j): {text};");
    system(&text).invariants.remove(0).conjuncts.remove(0).formula
}

/// All statements, in order.
fn statements(body: &[Stmt]) -> Vec<&Stmt> {
    let mut all = Vec::new();
    for statement in body {
        all.push(statement);
        match &statement.kind {
            StmtKind::If { then, otherwise, .. } => {
                all.extend(statements(then));
                all.extend(statements(otherwise));
            }
            StmtKind::While { body, .. } => all.extend(statements(body)),
            StmtKind::Choice(branches) => {
                all.extend(branches.iter().flat_map(|branch| statements(branch)));
            }
            StmtKind::Match(cases) => {
                cases.iter().for_each(|(_, case)| all.extend(statements(case)));
            }
            _ => {}
        }
    }
    all
}

/// The numbers of locations that `at(i, places)` means, from 1.
fn places(declarations: &str, places: &str) -> Vec<u32> {
    match formula(declarations, &format!("at(i, {places})")).kind {
        ExprKind::At(Thread::Index(0), places) => places.iter().map(|id| id.0 + 1).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn locations_are_numbered_in_the_order_written() {
    for text in PROGRAMS {
        let system = system(text);
        let all = system.procedures.iter().flat_map(|it| statements(&it.body));
        let numbers: Vec<u32> = all.map(|statement| statement.location.0).collect();
        assert!(numbers.iter().copied().eq(0..system.locations.len() as u32));
        assert!(system.locations.is_sorted_by_key(|it| (it.procedure, it.span.start)));
    }
}

#[test]
fn the_programs_of_the_paper_have_its_numbers_of_locations() {
    assert_eq!(system(TICKET_INT).locations.len(), 7);
    assert_eq!(system(TICKET_SET).locations.len(), 7);
    let list = system(LIST);
    assert_eq!(list.locations.len(), 54);
    let first = |id| list.locations.iter().position(|it| it.procedure == ProcId(id));
    assert_eq!([0, 1, 2, 3].map(first), [Some(0), Some(7), Some(21), Some(38)]);
    let named = |name: &str| {
        let is = |it: &&ser_syntax::inv::ast::Location| {
            it.name.as_ref().is_some_and(|it| it.text == name)
        };
        list.locations.iter().position(|it| is(&it)).map(|place| place + 1)
    };
    // As in the graphs of the paper: `new`, `aim`, `link`, `cut`.
    assert_eq!(["new", "aim", "link", "cut"].map(named), [Some(33), Some(34), Some(35), Some(51)]);
}

#[test]
fn threads_come_first_wherever_they_are_written() {
    let system = system(
        "fn b() { skip; } fn a() { b(); } set Threads  process thread for self in Threads { a(); } var x: int; invariant p: x == x;",
    );
    let names: Vec<&str> = system.procedures.iter().map(|it| it.name.text.as_str()).collect();
    assert_eq!(names, ["thread", "b", "a"]);
    let owners: Vec<u32> = system.locations.iter().map(|it| it.procedure.0).collect();
    assert_eq!(owners, [0, 0, 1, 1, 2, 2]);
}

#[test]
fn a_body_without_return_gets_one_at_its_brace() {
    let text = "set Threads  process thread for self in Threads { skip; p(); }\nfn p() { return; }\ninvariant t: true;";
    let system = system(text);
    let last = system.procedures[0].body.last().expect("a statement");
    assert_eq!(last.kind, StmtKind::Return(None));
    assert_eq!(system.locations[last.location.0 as usize].span, Span::new(61, 62));
    assert_eq!(system.procedures[1].body.len(), 1);
}

#[test]
fn a_location_has_the_text_of_its_first_line() {
    let text = "var x: int; set Threads  process thread for self in Threads { a: x := 1 ghost { } while x < 2 ghost { } { skip; }
        choose { p(); } or { } loop { b: atomic { x := 3; } } } fn p() { if x == 1 { return; } else { skip; } }
        invariant t: true;";
    let system = system(text);
    let shown: Vec<&str> = system.locations.iter().map(|it| &text[it.span.range()]).collect();
    assert_eq!(
        shown,
        [
            "x := 1",
            "while x < 2",
            "skip",
            "choose",
            "p()",
            "loop",
            "atomic { x := 3; }",
            "}",
            "if x == 1",
            "return",
            "skip",
            "}"
        ]
    );
}

const WALK: &str = "var head: addr;
    set Threads  process thread for self in Threads { first: skip; out: { inn: { a: skip; b: skip; } c: skip; } walk(); last: skip; }
    fn walk() { a: skip; loop { z: skip; } }";

#[test]
fn names_of_places_mean_locations() {
    // 1 first, 2 a, 3 b, 4 c, 5 call, 6 last, 7 }, 8 walk.a, 9 loop, 10 z, 11 }
    assert_eq!(places(WALK, "first"), [1]);
    assert_eq!(places(WALK, "out"), [2, 3, 4]);
    assert_eq!(places(WALK, "inn"), [2, 3]);
    assert_eq!(places(WALK, "thread"), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(places(WALK, "walk"), [8, 9, 10, 11]);
    assert_eq!(places(WALK, "walk.a"), [8]);
    assert_eq!(places(WALK, "thread.a"), [2]);
    assert_eq!(places(WALK, "b..last"), [3, 4, 5, 6]);
    assert_eq!(places(WALK, "first..inn"), [1, 2, 3], "up to the end of the label");
    assert_eq!(places(WALK, "inn..last"), [2, 3, 4, 5, 6], "from the start of the label");
    assert_eq!(places(WALK, "z, first, b..c, b"), [1, 3, 4, 10], "ascending, each once");
    assert_eq!(places(WALK, "walk.a..z"), [8, 9, 10]);
    assert_eq!(places(WALK, "first..a"), [1, 2], "the `a` of the procedure of `first`");
}

#[test]
fn operators_bind_as_they_should() {
    let globals = "var a: bool; var b: bool; var c: bool; var x: int; var y: int; var s: set of int; var t: set of int; set Threads  process thread for self in Threads { skip; }";
    let shown = |text: &str| {
        let whole = format!("{globals} invariant p(i, j): {text};");
        let system = system(&whole);
        fn brackets(system: &System, expr: &Expr) -> String {
            match &expr.kind {
                ExprKind::Binary(op, left, right) => {
                    let (left, right) = (brackets(system, left), brackets(system, right));
                    format!("[{left} {op:?} {right}]")
                }
                ExprKind::Not(inside) => format!("!{}", brackets(system, inside)),
                _ => show(system, expr),
            }
        }
        brackets(&system, &system.invariants[0].conjuncts[0].formula)
    };
    assert_eq!(shown("a -> b -> c"), "[a Implies [b Implies c]]");
    assert_eq!(shown("a <-> b -> c || a && b"), "[a Iff [b Implies [c Or [a And b]]]]");
    assert_eq!(shown("a||b&&c->a"), "[[a Or [b And c]] Implies a]");
    assert_eq!(shown("a or b and not c"), "[a Or [b And !c]]");
    assert_eq!(shown("!a == b"), "[!a Equal b]");
    assert_eq!(shown("x < -1 && x<-1"), "[[x Less -1] And [x Less -1]]");
    assert_eq!(shown("x - y - 1 > 2 * y"), "[[2 Multiply y] Less [[x Subtract y] Subtract 1]]");
    assert_eq!(shown("x >= y"), "[y LessEqual x]");
    assert_eq!(
        shown("x + 1 in s + t * {x} - {}"),
        "[[x Add 1] In [[s Union [t Intersection {x}]] Difference {}]]"
    );
    assert_eq!(shown("s * t subset s<->a"), "[[[s Intersection t] Subset s] Iff a]");
    assert_eq!(shown("i == j || a"), "[[i Equal j] Or a]");
}

#[test]
fn products_have_a_constant_side() {
    let globals = "var x: int; set Threads  process thread for self in Threads { skip; }";
    let shown = |text: &str| {
        let whole = format!("{globals} invariant p: {text};");
        let system = system(&whole);
        show(&system, &system.invariants[0].conjuncts[0].formula)
    };
    assert_eq!(shown("x * (1 + 2 * 3) == 0"), "x * 7 == 0");
    assert_eq!(shown("-(2) * x == 2 * -3"), "-2 * x == -6");
}

#[test]
fn sets_get_their_types_from_where_they_stand() {
    let globals = "var s: set of addr; var t: set of Threads; set Threads  process thread for self in Threads { skip; }";
    for text in
        ["s == {}", "{} != t", "{} + {} == s", "s - {} subset {}", "i in {}", "i in {} + {j}"]
    {
        formula(globals, text);
    }
    let ExprKind::Binary(Operator::Equal, _, right) = formula(globals, "t == {}").kind else {
        panic!("a comparison");
    };
    assert_eq!((right.ty, right.kind), (Type::Set(Scalar::Tid), ExprKind::Set(Vec::new())));
}

#[test]
fn threads_are_parameters_globals_or_the_mover() {
    let declarations = "var chosen: Threads; set Threads  process thread for self in Threads { var x: Threads = self; s: x := self; }";
    let text = "x[j] == i && x[chosen] == chosen && at(chosen, s)";
    let mut found = Vec::new();
    fn walk(expr: &Expr, found: &mut Vec<ExprKind>) {
        match &expr.kind {
            ExprKind::Binary(_, left, right) => {
                walk(left, found);
                walk(right, found);
            }
            other => found.push(other.clone()),
        }
    }
    walk(&formula(declarations, text), &mut found);
    let (chosen, x) = (GlobalId(0), LocalId(0));
    assert_eq!(
        found,
        [
            ExprKind::Local(x, Thread::Index(1)),
            ExprKind::Thread(Thread::Index(0)),
            ExprKind::Local(x, Thread::Global(chosen)),
            ExprKind::Global(chosen),
            ExprKind::At(Thread::Global(chosen), vec![LocId(0)]),
        ]
    );
    let system = system(&format!("{declarations} invariant t: true;"));
    let initial = system.locals[0].initial.as_ref().expect("a value");
    assert_eq!(initial.kind, ExprKind::Thread(Thread::Me));
}

#[test]
fn shorthands_are_written_out() {
    let declarations = "var chosen: Threads; var x: int; set Threads  process thread for self in Threads { var y: int; s: skip; t: skip; }
        fn zero = 0; fn less(i) = y[i] < x + zero; fn both(a, b) = less(b) && less(a) && a != b;";
    let system = system(&format!(
        "{declarations} invariant p(i, j): both(j, i) || both(chosen, i); invariant q: zero() == x;"
    ));
    let formula = &system.invariants[0].conjuncts[0].formula;
    assert_eq!(
        show(&system, formula),
        "y[i] < x + 0 && y[j] < x + 0 && j != i || y[i] < x + 0 && y[chosen] < x + 0 && chosen != i"
    );
}

#[test]
fn everything_can_stand_in_a_shorthand() {
    let declarations = "var a: addr; var x: int; var s: set of int; var t: Threads;
        set Threads  process thread for self in Threads { var k: int; w: t := self; }";
    let body = "reach(a, a.next) && ordered(a, null) && min(s) + max({k[i], -x}) < 2 * x && a in addr2set(a) && a.data in set2elem({a}) && \
        !at(i, w) && i != t && a.lockid == nobody && lowest < highest && true";
    let text =
        format!("{declarations} fn p(i) = {body}; invariant q(j): p(j); invariant r(i): {body};");
    let system = system(&text);
    let shown: Vec<String> = system
        .invariants
        .iter()
        .map(|it| show_with(&system, &it.conjuncts[0].formula, &system.invariants[1].parameters))
        .collect();
    assert_eq!(shown[0], shown[1]);
    assert_eq!(shown[0], body.replace("\\\n", "").split_whitespace().collect::<Vec<_>>().join(" "));
}

#[test]
fn statements_mean_what_they_say() {
    let text = "var a: addr; var g: int; ghost var h: set of addr;
        set Threads  process thread for self in Threads { var b: addr; var r: bool;
            a.next := b.next ghost { h := h + {a}; }
            b := malloc(lowest, null);
            r := choose(bool) where r || g > 0;
            r := p(a, 1);
            a.next.data := highest;
        }
        fn p(x: addr, y: int): bool { x := null; return y == 1; }
        invariant t: true;";
    let system = system(text);
    let body = &system.procedures[0].body;
    let action = |place: usize| match &body[place].kind {
        StmtKind::Step(Step::Action(action)) => action,
        other => panic!("{other:?}"),
    };
    let shown: Vec<String> =
        [0, 1, 2, 4].into_iter().map(|place| show_action(&system, action(place))).collect();
    assert_eq!(
        shown,
        [
            "a.next := b.next",
            "b := malloc(lowest, null)",
            "r := choose(bool) where r || 0 < g",
            "a.next.data := highest"
        ]
    );
    assert_eq!(show_action(&system, &body[0].ghost[0]), "h := h + {a}");
    let ActionKind::Assign { target: Place::Field(address, Field::Data), .. } = &action(4).kind
    else {
        panic!("a write to a field");
    };
    assert_eq!(show(&system, address), "a.next");
    let StmtKind::Call { target, procedure, arguments } = &body[3].kind else { panic!("a call") };
    assert_eq!(target.as_ref().map(|it| show_place(&system, it)).as_deref(), Some("r"));
    assert_eq!((target, *procedure), (&Some(Place::Local(LocalId(1))), ProcId(1)));
    assert_eq!(arguments.len(), 2);
    assert_eq!(system.procedures[1].parameters, [LocalId(2), LocalId(3)]);
    assert_eq!(system.procedures[1].result, Some(Type::Bool));
}

#[test]
fn skip_among_actions_is_nothing() {
    let system = system(
        "set Threads  process thread for self in Threads { atomic { skip; } skip ghost { skip; } } invariant t: true;",
    );
    let body = &system.procedures[0].body;
    assert_eq!(body[0].kind, StmtKind::Step(Step::Atomic(Vec::new())));
    assert_eq!((&body[1].kind, &body[1].ghost), (&StmtKind::Step(Step::Skip), &Vec::new()));
}

#[test]
fn variables_of_one_declaration_have_the_same_value() {
    let system = system(
        "var a: int = 3; var b: int = 3; set Threads  process thread for self in Threads { var x: set of int = {b}; var y: set of int = {b}; skip; } invariant t: true;",
    );
    let shown = |expr: &Option<Expr>| expr.as_ref().map(|expr| show(&system, expr));
    assert_eq!(
        system.globals.iter().map(|it| shown(&it.initial)).collect::<Vec<_>>(),
        [Some("3".to_owned()), Some("3".to_owned())]
    );
    assert_eq!(
        system.locals.iter().map(|it| shown(&it.initial)).collect::<Vec<_>>(),
        [Some("{b}".to_owned()), Some("{b}".to_owned())]
    );
}

#[test]
fn proofs_name_what_they_use() {
    let system = system(LIST);
    let proof = system.proof.as_ref().expect("a proof");
    assert!(!proof.acyclic);
    let [preserve, owns] = proof.entries.as_slice() else { panic!("two entries") };
    let Means::Induction { everywhere, cases } = &preserve.means else { panic!("induction") };
    assert!(everywhere.is_empty());
    assert_eq!(cases[0].locations, [LocId(34), LocId(50)]);
    assert_eq!(cases[0].premise, Some(Premise::Own));
    let used: Vec<(InvId, Option<u32>)> =
        cases[0].uses.iter().map(|it| (it.invariant, it.conjunct)).collect();
    assert_eq!(used, [(InvId(1), Some(0)), (InvId(1), Some(1))]);
    let Means::Induction { everywhere, cases } = &owns.means else { panic!("induction") };
    assert_eq!(everywhere[0].conjunct, None);
    assert_eq!(cases[0].premise, Some(Premise::Other));
    let chosen = parse(CHOSEN).system;
    let entries = chosen.proof.expect("a proof").entries;
    assert!(matches!(&entries[2].means, Means::Follows(from) if from.len() == 1));
}

#[test]
fn a_procedure_that_nobody_calls_is_left_out() {
    let text = "fn a(x: int) { l: { s: skip; } }\nfn b(y: int) { a(1); }\nfn c(z: int) { skip; }\nset Threads  process thread for self in Threads { c(3); } invariant t(i): z[i] == 3;";
    let parse = parse(text);
    assert_eq!(
        shared::messages(text, &parse.diagnostics),
        "warning uncalled-procedure @ 1:4: the procedure `a` is never called
    1:4-1:5: no thread ever comes here
    help: call it with `a(...)`, or leave it out
warning uncalled-procedure @ 2:4: the procedure `b` is never called
    2:4-2:5: no thread ever comes here
    help: call it with `b(...)`, or leave it out
"
    );
    let system = &parse.system;
    let names: Vec<&str> = system.procedures.iter().map(|it| it.name.text.as_str()).collect();
    assert_eq!(names, ["thread", "c"]);
    assert_eq!((system.locations.len(), system.locals.len(), parse.labels.len()), (4, 1, 0));
    let StmtKind::Call { procedure, .. } = &system.procedures[0].body[0].kind else { panic!() };
    assert_eq!(*procedure, ProcId(1));
}

#[test]
fn words_of_other_places_can_be_names() {
    let text = "var min: int = 0; var next: int = 0; var data: int = 0; var from: int = 0; var use: int = 0; var set: int = 0;
        set Threads  process thread for self in Threads { place: min := min({next}) + max; } ghost var max: int; ghost var other: int; ghost var acyclic: int;
        invariant follows(other_): at(other_, place) -> min == data;
        proof { follows from follows { at place self use follows; } }";
    // `max` is a ghost, and so cannot be read here.
    let parse = parse(text);
    assert_eq!(parse.diagnostics.len(), 1);
    assert_eq!(parse.diagnostics[0].code, "ghost-interference");
}

#[test]
fn a_type_may_touch_the_equals_sign() {
    let system = system(
        "var s: set of int ={1};set Threads  process thread for self in Threads{skip;}invariant t:s=={1};",
    );
    assert_eq!(system.globals[0].ty, Type::Set(Scalar::Int));
    assert!(system.globals[0].initial.is_some());
}

#[test]
fn what_is_shown_means_what_it_is() {
    let mut shown = 0;
    for text in PROGRAMS {
        let read = parse(text).system;
        for invariant in &read.invariants {
            for conjunct in &invariant.conjuncts {
                let formula = show_with(&read, &conjunct.formula, &invariant.parameters);
                if formula.contains("at(") {
                    continue; // Places may be numbers.
                }
                let names: Vec<&str> =
                    invariant.parameters.iter().map(|it| it.text.as_str()).collect();
                let again = format!("{text}\ninvariant again({}): {formula};", names.join(", "));
                let again = system(&again);
                let last = &again.invariants.last().expect("one").conjuncts[0].formula;
                assert_eq!(show_with(&again, last, &invariant.parameters), formula);
                assert_eq!(without_places(last), without_places(&conjunct.formula), "{formula}");
                shown += 1;
            }
        }
    }
    assert!(shown > 5);
}

/// A tree without places.
fn without_places(expr: &Expr) -> String {
    let tree = format!("{expr:?}");
    let mut out = String::new();
    let mut rest = tree.as_str();
    while let Some((before, after)) = rest.split_once("Span {") {
        out.push_str(before);
        rest = after.split_once('}').map_or("", |(_, rest)| rest);
    }
    out + rest
}

#[test]
fn names_are_found_wherever_they_stand() {
    let parse = read(CHOSEN);
    assert!(parse.occurrences.is_sorted());
    let mut named: Vec<(String, Symbol)> = Vec::new();
    for occurrence in &parse.occurrences {
        let text = CHOSEN[occurrence.span.range()].to_owned();
        assert!(parse.definition(occurrence.symbol).is_some(), "{text}");
        assert!(parse.declaration(occurrence.symbol).contains(&text), "{text}");
        named.push((text, occurrence.symbol));
    }
    let count = |name: &str| named.iter().filter(|(text, _)| text == name).count();
    assert_eq!(count("turn"), 7);
    assert_eq!(count("inside"), 4);
    assert_eq!(count("crit"), 4);
    let at = |text: &str| CHOSEN.find(text).expect("it is there") as u32;
    let hover = |text: &str| parse.name_at(at(text)).map(|it| parse.declaration(it.symbol));
    assert_eq!(hover("history: set").as_deref(), Some("ghost var history: set of int"));
    assert_eq!(hover("seen := history").as_deref(), Some("ghost local seen: set of int"));
    assert_eq!(hover("from > 100").as_deref(), Some("parameter from: int of `step`"));
    assert_eq!(hover("step(round").as_deref(), Some("fn step(from: int, by: int): int"));
    assert_eq!(hover("crit: {").as_deref(), Some("place crit: locations 4 to 7"));
    assert_eq!(hover("work: {").as_deref(), Some("place work: location 13"));
    assert_eq!(hover("outside: turn").as_deref(), Some("location 8, `outside`"));
    assert_eq!(hover("alone && turn").as_deref(), Some("fn alone: bool"));
    assert_eq!(hover("inside(j) ->").as_deref(), Some("fn inside(i): bool"));
    assert_eq!(hover("i, j): inside").as_deref(), Some("thread i: Threads"));
    assert_eq!(hover("mutex from").as_deref(), Some("invariant mutex(i, j)"));
}
