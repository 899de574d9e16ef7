//! What the parser makes of programs that are right: the shape of the tree, and its places.

use ser_editing::parse;
use ser_syntax::MAX_DEPTH;
use ser_syntax::ast::{
    Argument, Arm, Block, Declared, Else, Expr, ExprKind, Pattern, Program, Type, TypeKind, UnaryOp,
};

/// An expression with all its structure: operators in front, `(...)` for what was written as
/// a group.
fn shape(expr: &Expr) -> String {
    let list = |block: &Block| block.exprs.iter().map(shape).collect::<Vec<_>>().join("; ");
    match &expr.kind {
        ExprKind::Number(value) => value.to_string(),
        ExprKind::Coin => "?".to_owned(),
        ExprKind::Choose(values) => format!("choose[{}]", values_of(values)),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Index(of, index) => format!("at[{}, {}]", shape(of), shape(index)),
        ExprKind::Field(of, field) => format!("field[{}, {}]", shape(of), field.text),
        ExprKind::Call(name, arguments) => {
            let argument = |it: &Argument| match &it.name {
                Some(name) => format!("{}: {}", name.text, shape(&it.value)),
                None => shape(&it.value),
            };
            let arguments: Vec<String> = arguments.iter().map(argument).collect();
            format!("call[{}; {}]", name.text, arguments.join(", "))
        }
        ExprKind::Tuple(parts) => format!("tuple[{}]", several(parts)),
        ExprKind::List(parts) => format!("list[{}]", several(parts)),
        ExprKind::Store(place, value) => format!("put[{}, {}]", shape(place), shape(value)),
        ExprKind::Var(item) => {
            let value = item.value.as_ref().map_or(String::new(), |v| format!(", {}", shape(v)));
            match &item.declared {
                Declared::Var(Some(ty)) => {
                    format!("var[{}: {}{value}]", item.name.text, values_of(ty))
                }
                _ => format!("var[{}{value}]", item.name.text),
            }
        }
        ExprKind::Match(value, arms) => {
            let arm = |arm: &Arm| {
                let patterns = arm.patterns.iter().map(|pattern| match pattern {
                    Pattern::Value(value) => shape(value),
                    Pattern::Range(low, high) => format!("{}..{}", shape(low), shape(high)),
                    Pattern::Anything(_) => "_".to_owned(),
                });
                format!("{} => {}", patterns.collect::<Vec<_>>().join(" | "), shape(&arm.body))
            };
            let arms: Vec<String> = arms.iter().map(arm).collect();
            format!("match[{}, {}]", shape(value), arms.join(", "))
        }
        ExprKind::Quantified(quantifier, name, ty, condition) => {
            format!("{quantifier:?}[{} in {}, {}]", name.text, values_of(ty), shape(condition))
        }
        ExprKind::For(name, ty, body) => {
            format!("for[{} in {}, {{{}}}]", name.text, values_of(ty), list(body))
        }
        ExprKind::Loop(body) => format!("loop[{{{}}}]", list(body)),
        ExprKind::Either(blocks) => {
            let blocks: Vec<String> = blocks.iter().map(|it| format!("{{{}}}", list(it))).collect();
            format!("either[{}]", blocks.join(", "))
        }
        ExprKind::With(lock, body) => format!("with[{}, {{{}}}]", shape(lock), list(body)),
        ExprKind::Break => "break".to_owned(),
        ExprKind::Continue => "continue".to_owned(),
        ExprKind::Assert(condition) => format!("assert[{}]", shape(condition)),
        ExprKind::Read(name) => name.text.clone(),
        ExprKind::Assign(name, value) => format!("set[{}, {}]", name.text, shape(value)),
        ExprKind::Unary(UnaryOp::Negate, inside) => format!("neg[{}]", shape(inside)),
        ExprKind::Unary(UnaryOp::Not, inside) => format!("not[{}]", shape(inside)),
        ExprKind::Binary(op, left, right) => {
            format!("{}[{}, {}]", op.symbol(), shape(left), shape(right))
        }
        ExprKind::If(condition, then, None) => {
            format!("if[{}, {{{}}}]", shape(condition), list(then))
        }
        ExprKind::If(condition, then, Some(otherwise)) => {
            let otherwise = match otherwise {
                Else::Block(block) => format!("{{{}}}", list(block)),
                Else::If(expr) => shape(expr),
            };
            format!("if[{}, {{{}}}, {otherwise}]", shape(condition), list(then))
        }
        ExprKind::While(condition, body) => {
            format!("while[{}, {{{}}}]", shape(condition), list(body))
        }
        ExprKind::Skip => "skip".to_owned(),
        ExprKind::Atomic(body) => format!("atomic[{{{}}}]", list(body)),
        ExprKind::Block(body) => format!("block[{{{}}}]", list(body)),
        ExprKind::Await(condition, body) => {
            format!("await[{}, {{{}}}]", shape(condition), list(body))
        }
        ExprKind::Send(value, to) => format!("send[{}, {}]", shape(value), shape(to)),
        ExprKind::Receive(name, None) => format!("recv[{}]", name.text),
        ExprKind::Receive(name, Some(from)) => format!("recv[{}, {}]", name.text, shape(from)),
        ExprKind::Acquire(cell) => format!("lock[{}]", shape(cell)),
        ExprKind::Release(cell) => format!("unlock[{}]", shape(cell)),
        ExprKind::Named(name, inside) => format!("{}: {}", name.text, shape(inside)),
        ExprKind::Ghost(before, body) => format!("ghost[{}, {{{}}}]", shape(before), list(body)),
        ExprKind::Where(choice, condition) => {
            format!("where[{}, {}]", shape(choice), shape(condition))
        }
        ExprKind::Range(low, high) => format!("{}..{}", shape(low), shape(high)),
        ExprKind::Elements(parts) => format!("elements[{}]", several(parts)),
        ExprKind::At(thread, places) => format!("at[{}, {}]", shape(thread), places.len()),
        ExprKind::Relation(relation, left, right) => {
            format!("{}[{}, {}]", relation.symbol(), shape(left), shape(right))
        }
        ExprKind::Yield => "yield".to_owned(),
        ExprKind::Abort => "abort".to_owned(),
        ExprKind::Return(None) => "return".to_owned(),
        ExprKind::Return(Some(value)) => format!("return[{}]", shape(value)),
        ExprKind::Assume(condition) => format!("assume[{}]", shape(condition)),
        ExprKind::Group(block) => format!("({})", list(block)),
        ExprKind::Error => "error".to_owned(),
    }
}

fn several(exprs: &[Expr]) -> String {
    exprs.iter().map(shape).collect::<Vec<_>>().join(", ")
}

/// A type with all its structure.
fn values_of(ty: &Type) -> String {
    match &ty.kind {
        TypeKind::Int => "int".to_owned(),
        TypeKind::Bool => "bool".to_owned(),
        TypeKind::Range(low, high) => format!("{}, {}", shape(low), shape(high)),
        TypeKind::Named(name) => name.text.clone(),
        TypeKind::Array(index, of) => format!("[{}] {}", values_of(&index.0), values_of(of)),
        TypeKind::Tuple(parts) => {
            format!("({})", parts.iter().map(values_of).collect::<Vec<_>>().join(", "))
        }
        TypeKind::Set(elements) => format!("set of {}", values_of(elements)),
        TypeKind::Queue(size, items) => format!("queue[{}] of {}", shape(size), values_of(items)),
        TypeKind::Bits(bits) => format!("bits {}", shape(bits)),
        TypeKind::Error => "error".to_owned(),
    }
}

/// The program of a text that must have no errors.
fn program(text: &str) -> Program {
    let parse = parse(text);
    assert!(!parse.has_errors(), "{text}: {:#?}", parse.diagnostics);
    parse.tree
}

/// The shapes of a handler's expressions.
#[track_caller]
fn assert_shape(body: &str, expected: &str) {
    let program = program(&format!("request main {{ {body} }}"));
    let shapes: Vec<String> = program.requests[0].body.exprs.iter().map(shape).collect();
    assert_eq!(shapes.join("; "), expected, "{body}");
}

#[test]
fn operators_bind_from_loose_to_tight() {
    assert_shape(
        "x := a || b && c == d + e * -f",
        "set[x, ||[a, &&[b, ==[c, +[d, *[e, neg[f]]]]]]]",
    );
    assert_shape("-f * e + d == c && b || a", "||[&&[==[+[*[neg[f], e], d], c], b], a]");
    assert_shape("!a == b", "==[not[a], b]");
    assert_shape("not a and not b or c", "||[&&[not[a], not[b]], c]");
    assert_shape("- - !a", "neg[neg[not[a]]]");
}

#[test]
fn chains_lean_to_the_left_and_assignments_to_the_right() {
    assert_shape("a - b - c + d", "+[-[-[a, b], c], d]");
    assert_shape("a * b * c", "*[*[a, b], c]");
    assert_shape("a || b || c", "||[||[a, b], c]");
    assert_shape("x := Y := z := 1", "set[x, set[Y, set[z, 1]]]");
    assert_shape("(a == b) == c", "==[(==[a, b]), c]");
}

#[test]
fn minus_is_an_operator_with_and_without_blanks() {
    assert_shape("1-X", "-[1, X]");
    assert_shape("i := i-1", "set[i, -[i, 1]]");
    assert_shape("a--1", "-[a, neg[1]]");
    assert_shape("-9223372036854775808", "-9223372036854775808");
}

#[test]
fn conditions_need_no_parentheses() {
    assert_shape("if (a) { 1 } else { 2 }", "if[(a), {1}, {2}]");
    assert_shape("if a == 1 { 1 }", "if[==[a, 1], {1}]");
    assert_shape("while (a) or (b) { yield }", "while[||[(a), (b)], {yield}]");
    assert_shape("if ? { 1 }", "if[?, {1}]");
    assert_shape(
        "if a {} else if b {} else if c {} else {}",
        "if[a, {}, if[b, {}, if[c, {}, {}]]]",
    );
}

#[test]
fn semicolons_separate_and_may_also_end() {
    assert_shape("a; b; c", "a; b; c");
    assert_shape("a; b;", "a; b");
    assert_shape(";; a ;; b ;;", "a; b");
    assert_shape("while (a) { b; }; c", "while[(a), {b}]; c");
    assert_shape("(a; b;) + 1", "+[(a; b), 1]");
    assert_shape("", "");
}

#[test]
fn everything_is_an_expression() {
    assert_shape("x := if (a) { 1 } else { 2 } + 3", "set[x, +[if[(a), {1}, {2}], 3]]");
    assert_shape("1 + (yield; X)", "+[1, (yield; X)]");
    assert_shape("X := (yield) + 1", "set[X, +[(yield), 1]]");
    assert_shape(
        "return; return 1 + 2; return x := 3",
        "return; return[+[1, 2]]; return[set[x, 3]]",
    );
    assert_shape("abort - 1 + abort", "+[-[abort, 1], abort]");
    assert_shape("abort; x := abort; if (a) { abort }", "abort; set[x, abort]; if[(a), {abort}]");
    assert_shape("assume(a == 1) + choose(0..2)", "+[assume[==[a, 1]], choose[0, 2]]");
    assert_shape("choose(-1..2 * 3)", "choose[neg[1], *[2, 3]]");
}

#[test]
fn items_stand_in_any_order_with_any_separators() {
    let text = "A := 100, B := M; request main(p in 0..M, q in -1..1,) { A + B + p + q }
                const N = 3 const M = (N + 1) * 2, C := -1 request other() { C };";
    let program = program(text);
    let values: Vec<_> =
        program.globals.iter().map(|i| (&*i.name.text, i.value.as_ref().map(shape))).collect();
    assert_eq!(
        values,
        [("A", Some("100".into())), ("B", Some("M".into())), ("C", Some("neg[1]".into()))]
    );
    assert_eq!(ser_syntax::constants(&program), [("M".into(), 8), ("N".into(), 3)].into());
    let names: Vec<_> = program.requests.iter().map(|r| &*r.name.text).collect();
    assert_eq!(names, ["main", "other"]);
    let parameters: Vec<_> = program.requests[0]
        .parameters
        .iter()
        .map(|p| (&*p.name.text, values_of(&p.values)))
        .collect();
    assert_eq!(parameters, [("p", "0, M".into()), ("q", "neg[1], 1".into())]);
    assert_eq!(program.requests[1].parameters, []);
}

#[test]
fn every_node_knows_where_it_stands() {
    let text =
        "X := 1 const N = 2\nrequest main(p in 0..N) { if (X) { x := (1 + p) }; choose(0..1) }";
    let program = program(text);
    let slice = |span: ser_base::Span| &text[span.range()];
    assert_eq!(slice(program.globals[0].span), "X := 1");
    assert_eq!(slice(program.constants[0].span), "const N = 2");
    let request = &program.requests[0];
    assert_eq!(slice(request.span), &text[text.find("request").unwrap()..]);
    assert_eq!(slice(request.parameters[0].span), "p in 0..N");
    assert_eq!(slice(request.body.span), &text[text.find('{').unwrap()..]);
    let [first, second] = &request.body.exprs[..] else { panic!("two expressions") };
    assert_eq!(slice(first.span), "if (X) { x := (1 + p) }");
    assert_eq!(slice(second.span), "choose(0..1)");
    let ExprKind::If(condition, then, None) = &first.kind else { panic!("an if") };
    assert_eq!((slice(condition.span), slice(then.span)), ("(X)", "{ x := (1 + p) }"));
    let ExprKind::Assign(name, value) = &then.exprs[0].kind else { panic!("an assignment") };
    assert_eq!((slice(name.span), slice(value.span)), ("x", "(1 + p)"));
}

#[test]
fn comments_may_stand_anywhere() {
    let text =
        "// first\nrequest /* name */ main /**/ { // body\n X /* plus */ + 1 // end\n} // last";
    assert_eq!(shape(&program(text).requests[0].body.exprs[0]), "+[X, 1]");
}

/// Ways to make a tree `height` high.
fn towers(height: usize) -> Vec<(&'static str, String)> {
    let around = |open: &str, inside: &str, close: &str, levels: usize| {
        format!("request m {{ {}{inside}{} }}", open.repeat(levels), close.repeat(levels))
    };
    vec![
        ("parentheses", around("(", "1", ")", height - 1)),
        ("sums", around("1 + ", "1", "", height - 1)),
        ("sums in parentheses", around("(1 + ", "1", ")", (height - 1) / 2)),
        ("signs", around("-", "1", "", height - 1)),
        ("assignments", around("x := ", "1", "", height - 1)),
        ("returns", around("return ", "1", "", height - 1)),
        ("assumptions", around("assume(", "1", ")", height - 1)),
        ("loops", around("while 1 { ", "1", " }", height - 1)),
        ("conditions", around("if ", "1", " {}", height - 1)),
        ("branches", around("if 1 { ", "1", " }", height - 1)),
        ("other branches", around("if 1 {} else { ", "1", " }", height - 1)),
        ("else if", around("if 1 {} else ", "if 1 { 1 }", "", height - 2)),
    ]
}

/// Runs on a stack as small as the one of a test or worker thread.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(work);
    thread.expect("a thread").join().expect("no panic");
}

#[test]
fn the_highest_tree_can_be_walked_copied_compared_and_dropped() {
    on_a_small_stack(|| {
        for (name, text) in towers(MAX_DEPTH) {
            let program = program(&text);
            assert_eq!(program.clone(), program, "{name}");
            assert!(format!("{program:?}").len() > MAX_DEPTH, "{name}");
        }
    });
}

#[test]
fn a_tree_that_is_too_high_gives_one_error() {
    on_a_small_stack(|| {
        for height in [MAX_DEPTH + 2, 2 * MAX_DEPTH, 10_000] {
            for (name, text) in towers(height) {
                let codes: Vec<_> = parse(&text)
                    .diagnostics
                    .iter()
                    .filter(|d| d.is_error())
                    .map(|d| d.code)
                    .collect();
                assert_eq!(codes, ["nested-too-deeply"], "{name}, {height}");
            }
        }
    });
}

#[test]
fn the_limit_counts_all_kinds_of_nesting_together() {
    // Each level has a chain of its own; no single one is long.
    let level = "1 + 1 + 1 + 1 + 1 + (";
    let text = |levels: usize| {
        format!("request m {{ {}1{} }}", level.repeat(levels), ") + 1".repeat(levels))
    };
    assert!(!parse(&text(MAX_DEPTH / 8)).has_errors());
    assert!(parse(&text(MAX_DEPTH / 2)).has_errors());
}

#[test]
fn a_tree_that_is_too_high_does_not_hide_other_errors() {
    let deep = format!("{}1{}", "(".repeat(9999), ")".repeat(9999));
    let text = format!("request a {{ X = 1 }} request b {{ {deep}; Y = 2 }} request c {{ Z = 3 }}");
    let codes: Vec<_> = parse(&text).diagnostics.iter().map(|d| d.code).collect();
    let equals = "equals-for-assignment";
    assert_eq!(codes, [equals, "nested-too-deeply", equals, equals]);
}
