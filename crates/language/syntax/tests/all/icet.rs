//! What files with messages mean.

use crate::shared;

use ser_editing::icet::parse;
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{ExprKind, Operator, Pattern, Process, Source, Stmt, StmtKind, Type};

/// The protocol of a file without errors or warnings.
fn protocol(text: &str) -> Protocol {
    let parse = parse(text);
    assert_eq!(shared::messages(text, &parse.diagnostics), "");
    parse.protocol
}

/// The first process of a file.
fn process(text: &str) -> Process {
    protocol(text).processes.remove(0)
}

/// All statements, in order.
fn statements(process: &Process) -> Vec<&Stmt> {
    let mut all = Vec::new();
    process.body.iter().for_each(|statement| statement.walk(&mut |it| all.push(it)));
    all
}

const PING: &str = "msg Ping=Ping; msg Pong=Pong;
    process p { send Ping to q; w := recv Pong; }
    process q { v := recv Ping; send Pong to p; }";

const IDS: &str = "set Q; msg Id=Id(Q); msg Ping=Ping; msg Pong=Pong;
    process p { for x in Q { Id(id) := recv Id; send Ping to id; } }
    process m { for x in Q { w := recv Pong; } }
    process sv for q in Q { send Id(q) to p; send Pong to m; v := recv Ping; }";

const TASKS: &str = "set Cs; msg Req=Req(Cs); msg Work=Task(pid,int)|None; msg Ack=Ack;
    process server { for c in Cs { Req(p) := recv Req; item := choose(int); send Task(master,item) to p; } }
    process master { for c in Cs { recv Ack; } }
    process client for c in Cs { send Req(c) to server; w := recv Work;
      match w { Task(m,t) => { send Ack to m; } None => { assert false; } } }";

const COMMIT: &str = "set A; msg Prep=Prep; msg Vote=Yes|No; msg Dec=Commit|Abort; msg Ack=Ack;
    process coord { for a in A { send Prep to a; }  ok := true;
      for a in A { v := recv Vote; if v == No { ok := false; } }
      if ok { for a in A { send Commit to a; } } else { for a in A { send Abort to a; } }
      for a in A { recv Ack; } }
    process acc for a in A { recv Prep; if ? { v := Yes; } else { v := No; } send v to coord;
      d := recv Dec; assert d == Abort || v == Yes; send Ack to coord; }";

const MAP_REDUCE: &str = "set M >= 1; index K; msg Req=Req(M); msg Work=Job(int)|Term; msg Res=Res(int);
    process queue { for i in K { Req(x) := recv Req; send Job(i) to x; }  for y in M { Req(x) := recv Req; send Term to x; } }
    process master { for i in K { Res(r) := recv Res; } }
    process mapper for w in M { loop { send Req(w) to queue; a := recv Work;
      match a { Job(i) => { send Res(i) to master; } Term => { break; } } } }";

#[test]
fn the_examples_of_the_design_are_read() {
    for text in [PING, IDS, TASKS, COMMIT, MAP_REDUCE] {
        protocol(text);
    }
}

#[test]
fn statements_are_numbered_in_the_order_written() {
    for text in [PING, IDS, TASKS, COMMIT, MAP_REDUCE] {
        let protocol = protocol(text);
        let mut numbers = Vec::new();
        for process in &protocol.processes {
            let all = statements(process);
            assert!(all.is_sorted_by_key(|statement| statement.span.start));
            numbers.extend(all.iter().map(|statement| statement.id.0));
        }
        assert!(numbers.iter().copied().eq(0..protocol.statements));
    }
}

#[test]
fn sets_know_their_kind_and_size() {
    let protocol = protocol(MAP_REDUCE);
    let sets: Vec<_> =
        protocol.sets.iter().map(|set| (set.name.text.as_str(), set.kind, set.at_least)).collect();
    use ser_syntax::icet::ast::SetKind::{Indices, Processes};
    assert_eq!(sets, [("M", Processes, 1), ("K", Indices, 0)]);
    let mapper = protocol.members_of(ser_syntax::icet::ast::SetId(0));
    assert_eq!(mapper.map(|id| protocol.process(id).name.text.as_str()), Some("mapper"));
}

#[test]
fn variables_have_the_types_of_their_first_values() {
    let text = "set Q; index I; enum E { Red, Green } msg M = A(int, bool, pid, Q, E) | B;
        process p { A(a, b, c, d, e) := recv M; f := recv M; g := choose(Q); h := choose(I); i := choose(bool);
            j := choose(E); k := p != c; l := self; for m in Q { skip; } for n in I { skip; } }
        process q for me in Q { a := me; send B to p; }";
    let protocol = protocol(text);
    let types: Vec<Type> = protocol.processes[0].variables.iter().map(|it| it.ty).collect();
    use ser_syntax::icet::ast::{EnumId, MessageId, SetId};
    let (member, message, colour) =
        (Type::Member(SetId(0)), Type::Message(MessageId(0)), Type::Enum(EnumId(0)));
    assert_eq!(
        types,
        [
            Type::Int,
            Type::Bool,
            Type::Pid,
            member,
            colour,
            message,
            member,
            Type::Int,
            Type::Bool,
            colour,
            Type::Bool,
            Type::Pid,
            member,
            Type::Int
        ]
    );
    assert_eq!(protocol.processes[1].variables[0].ty, member);
    let of_loop: Vec<bool> = protocol.processes[0].variables.iter().map(|it| it.of_loop).collect();
    assert!(of_loop.iter().enumerate().all(|(place, of_loop)| *of_loop == (place >= 12)));
}

#[test]
fn loops_with_the_same_name_and_members_share_a_variable() {
    let queue = protocol(MAP_REDUCE).processes.remove(0);
    assert_eq!(queue.variables.len(), 3);
    let coordinator = protocol(COMMIT).processes.remove(0);
    let names: Vec<&str> =
        coordinator.variables.iter().map(|variable| variable.name.text.as_str()).collect();
    assert_eq!(names, ["a", "ok", "v"]);
}

#[test]
fn greater_is_less_the_other_way_round() {
    let process = process("process p { x := 1; assert x > 2 && 3 >= x; }");
    let StmtKind::Assert { condition } = &process.body[1].kind else { panic!("an assertion") };
    let ExprKind::Binary(Operator::And, left, right) = &condition.kind else { panic!("both") };
    let ExprKind::Binary(Operator::Less, low, _) = &left.kind else { panic!("less") };
    assert_eq!(low.kind, ExprKind::Int(2));
    let ExprKind::Binary(Operator::LessEqual, _, high) = &right.kind else { panic!("at most") };
    assert_eq!(high.kind, ExprKind::Int(3));
}

#[test]
fn less_and_minus_without_a_blank_are_a_comparison() {
    let process = process("process p { x := 1; if x <-1 { assert false; } }");
    let StmtKind::If { condition: Some(condition), .. } = &process.body[1].kind else {
        panic!("a condition")
    };
    let ExprKind::Binary(Operator::Less, _, right) = &condition.kind else { panic!("less") };
    assert_eq!(right.kind, ExprKind::Int(-1));
}

#[test]
fn the_last_arm_takes_the_rest() {
    let text = "msg M = A | B(int) | C; process p { m := recv M; match m { B(x) => { assert x == 1; } _ => {} } }
        process q { send A to p; }";
    let process = process(text);
    let StmtKind::Match { arms, .. } = &process.body[1].kind else { panic!("a match") };
    let covered: Vec<Vec<u32>> =
        arms.iter().map(|arm| arm.constructors.iter().map(|it| it.0).collect()).collect();
    assert_eq!(covered, [vec![1], vec![0, 2]]);
    assert_eq!(arms[0].fields.len(), 1);
    assert!(arms[1].fields.is_empty());
}

#[test]
fn a_break_knows_its_loop() {
    let process = process("process p { loop { while true { break; } for_ := 1; break; } }");
    let all = statements(&process);
    let targets: Vec<u32> = all
        .iter()
        .filter_map(|statement| match statement.kind {
            StmtKind::Break { of } => Some(of.0),
            _ => None,
        })
        .collect();
    assert_eq!(targets, [1, 0]);
}

#[test]
fn messages_are_received_from_one_from_a_set_or_from_anyone() {
    let text = "set Q; msg M = M(int);
        process p { recv M; _ := recv M; v := recv M from Q; M(x) := recv M from r; for q in Q { M(_) := recv M from q; } }
        process r { send M(1) to p; }
        process w for me in Q { send M(2) to p; }";
    let process = process(text);
    let receives: Vec<(&Pattern, &Source)> = statements(&process)
        .iter()
        .filter_map(|statement| match &statement.kind {
            StmtKind::Receive { pattern, from, .. } => Some((pattern, from)),
            _ => None,
        })
        .collect();
    assert!(matches!(receives[0], (Pattern::Ignore, Source::Anyone)));
    assert!(matches!(receives[1], (Pattern::Ignore, Source::Anyone)));
    assert!(matches!(receives[2], (Pattern::Variable(_), Source::Set(_))));
    assert!(matches!(receives[3], (Pattern::Constructor { .. }, Source::Pid(_))));
    assert!(matches!(receives[4], (Pattern::Constructor { .. }, Source::Pid(_))));
}

#[test]
fn else_if_is_an_if_in_the_other_branch() {
    let process = process(
        "process p { x := choose(int); if x == 1 { skip; } else if x == 2 { skip; } else { assert false; } }",
    );
    let StmtKind::If { otherwise, .. } = &process.body[1].kind else { panic!("an if") };
    let [Stmt { kind: StmtKind::If { otherwise, .. }, .. }] = &otherwise[..] else {
        panic!("another")
    };
    assert!(matches!(otherwise[..], [Stmt { kind: StmtKind::Fail, .. }]));
}

#[test]
fn words_of_other_places_are_names() {
    process("process atomic { await_ := 1; msg := await_; reach := msg; assert reach == 1 }");
}

#[test]
fn a_choice_between_blocks_is_made_of_choices_between_two() {
    let process = process("process p { choose { x := 1 } or { x := 2 } or { x := 3 }; y := x }");
    let StmtKind::If { condition: None, then, otherwise } = &process.body[0].kind else {
        panic!("a choice")
    };
    assert_eq!(then.len(), 1);
    let [Stmt { kind: StmtKind::If { condition: None, then, otherwise }, .. }] = &otherwise[..]
    else {
        panic!("another")
    };
    assert_eq!((then.len(), otherwise.len()), (1, 1));
    let numbers: Vec<u32> = statements(&process).iter().map(|it| it.id.0).collect();
    assert_eq!(numbers, [0, 1, 2, 3, 4, 5]);
}

#[test]
fn a_coin_is_any_truth_value() {
    let process = process("process p { x := ?; assert x || !x }");
    assert!(matches!(process.body[0].kind, StmtKind::Any { .. }));
    assert_eq!(process.variables[0].ty, Type::Bool);
}

#[test]
fn an_arm_may_have_several_constructors() {
    let text = "msg M = A | B(int) | C
        process p { m := recv M; match m { C | B(_) => skip, A => { assert false } } }
        process q { send C to p }";
    let process = process(text);
    let StmtKind::Match { arms, .. } = &process.body[1].kind else { panic!("a match") };
    let covered: Vec<Vec<u32>> =
        arms.iter().map(|arm| arm.constructors.iter().map(|it| it.0).collect()).collect();
    assert_eq!(covered, [vec![1, 2], vec![0]]);
    assert!(arms[0].fields.is_empty());
    assert!(matches!(arms[0].body[..], [Stmt { kind: StmtKind::Skip, .. }]));
}

#[test]
fn what_is_declared_has_the_type_that_is_written() {
    let text = "set Q enum E { red, green } const N = 2 + 1
        process p { var a: pid = p; a := choose(Q); var b = N; var c: pid = choose(Q); var d: E = E.red }
        process w for self in Q { skip }";
    let process = process(text);
    let types: Vec<Type> = process.variables.iter().map(|it| it.ty).collect();
    use ser_syntax::icet::ast::EnumId;
    assert_eq!(types, [Type::Pid, Type::Int, Type::Pid, Type::Enum(EnumId(0))]);
    let StmtKind::Assign { value, .. } = &process.body[2].kind else { panic!("an assignment") };
    assert_eq!(value.kind, ExprKind::Int(3));
}

#[test]
fn what_is_assigned_before_every_break_counts_behind_a_loop() {
    process(
        "process p { loop { x := 1; if ? { break; } y := 2; if ? { y := 3; break; } } assert x == 1; }",
    );
    process("process p { if ? { x := 1; } else { assert false; } assert x == 1; }");
    process(
        "msg M = A | B; process p { m := recv M; match m { A => { x := 1; } B => { assert false; } } assert x == 1; } process q { send A to p; }",
    );
}
