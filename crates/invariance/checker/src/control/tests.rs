//! Paths as they are written in the text of the crate. (Proofs and runs both rely on them, so
//! neither would notice a mistake.)

use super::*;

/// Every location with its paths: what is tested and done, in the words of the file, and where they
/// lead.
fn listing(source: &str) -> Vec<String> {
    let parse = ser_syntax::inv::parse(source);
    assert!(!parse.has_errors(), "{:?}", parse.diagnostics);
    let system = parse.system;
    let control = Control::new(&system).expect("a program");
    let text = |span: ser_base::Span| source[span.range()].trim_end_matches(';').to_owned();
    let piece = |piece: &Piece<'_>| match piece {
        Piece::Test(condition, true) => format!("[{}]", text(condition.span)),
        Piece::Test(condition, false) => format!("[not {}]", text(condition.span)),
        Piece::SiteIs(_, call) => format!("[from {}]", call.0),
        Piece::Act(action) => text(action.span),
        Piece::Call(_, arguments, call) => {
            let arguments: Vec<String> = arguments.iter().map(|it| text(it.span)).collect();
            format!("call({}) at {}", arguments.join(", "), call.0)
        }
        Piece::Result(result) => format!("result {}", text(result.span)),
        Piece::Deliver(Place::Local(local)) => {
            format!("to {}", system.locals[local.0 as usize].name.text)
        }
        Piece::Deliver(Place::Global(global)) => {
            format!("to {}", system.globals[global.0 as usize].name.text)
        }
        Piece::Deliver(Place::Field(address, _)) => format!("to cell {}", text(address.span)),
    };
    let mut lines = Vec::new();
    for (location, paths) in control.paths.iter().enumerate() {
        for path in paths {
            let pieces: Vec<String> = path.pieces.iter().map(piece).collect();
            lines.push(format!("{location} -> {}: {}", path.target.0, pieces.join("; ")));
        }
        if paths.is_empty() {
            lines.push(format!("{location}: none"));
        }
    }
    lines
}

#[test]
fn blocks_and_what_comes_behind_them() {
    let source = "var a: bool; var b: bool; var x: int;
        set Threads  process thread for self in Threads {
          while a {
            if b { x := 1; } else { x := 2; x := 3; }
          }
          while b { }
          if a { } else { x := 4; }
          choose { x := 5; } or { } or { x := 6; x := 7; }
          loop { skip; }
        }";
    let wanted = [
        "0 -> 1: [a]",
        "0 -> 5: [not a]",
        "1 -> 2: [b]",
        "1 -> 3: [not b]",
        "2 -> 0: x := 1",
        "3 -> 4: x := 2",
        "4 -> 0: x := 3",
        "5 -> 5: [b]",
        "5 -> 6: [not b]",
        "6 -> 8: [a]",
        "6 -> 7: [not a]",
        "7 -> 8: x := 4",
        "8 -> 9: ",
        "8 -> 12: ",
        "8 -> 10: ",
        "9 -> 12: x := 5",
        "10 -> 11: x := 6",
        "11 -> 12: x := 7",
        "12 -> 13: [loop]",
        "12 -> 14: [not loop]",
        "13 -> 12: ",
        "14: none",
    ];
    assert_eq!(listing(source), wanted);
}

#[test]
fn conditions_in_actions_split_every_path_depth_first() {
    let source = "var a: bool; var b: bool; var x: int; ghost var g: int;
        set Threads  process thread for self in Threads {
          atomic { x := 1; if a { x := 2; if b { x := 3; } } else { x := 4; } x := 5; if b { } x := 6; }
          if a ghost { if b { g := 1; } g := 2; } { skip; }
          skip ghost { g := 3; }
        }";
    let wanted = [
        "0 -> 1: x := 1; [a]; x := 2; [b]; x := 3; x := 5; [b]; x := 6",
        "0 -> 1: x := 1; [a]; x := 2; [b]; x := 3; x := 5; [not b]; x := 6",
        "0 -> 1: x := 1; [a]; x := 2; [not b]; x := 5; [b]; x := 6",
        "0 -> 1: x := 1; [a]; x := 2; [not b]; x := 5; [not b]; x := 6",
        "0 -> 1: x := 1; [not a]; x := 4; x := 5; [b]; x := 6",
        "0 -> 1: x := 1; [not a]; x := 4; x := 5; [not b]; x := 6",
        "1 -> 2: [a]; [b]; g := 1; g := 2",
        "1 -> 2: [a]; [not b]; g := 2",
        "1 -> 3: [not a]; [b]; g := 1; g := 2",
        "1 -> 3: [not a]; [not b]; g := 2",
        "2 -> 3: ",
        "3 -> 4: g := 3",
        "4: none",
    ];
    assert_eq!(listing(source), wanted);
}

#[test]
fn a_return_goes_behind_each_call() {
    let source = "var x: int; var a: addr; ghost var g: int;
        set Threads  process thread for self in Threads {
          var y: int;
          loop {
            y := p(x, 1) ghost { g := 1; }
            if x == 0 { p(2, y); }
            x := p(3, 3);
            a.next := q();
          }
        }
        fn p(n: int, m: int): int { if n == m { return n; } return m ghost { g := 2; } }
        fn q(): addr { return a; }";
    let wanted = [
        "0 -> 1: [loop]",
        "0 -> 6: [not loop]",
        "1 -> 7: call(x, 1) at 1; g := 1",
        "2 -> 3: [x == 0]",
        "2 -> 4: [not x == 0]",
        "3 -> 7: call(2, y) at 3",
        "4 -> 7: call(3, 3) at 4",
        "5 -> 10: call() at 5",
        "6: none",
        "7 -> 8: [n == m]",
        "7 -> 9: [not n == m]",
        "8 -> 2: [from 1]; result n; to y",
        "8 -> 4: [from 3]; result n",
        "8 -> 5: [from 4]; result n; to x",
        "9 -> 2: [from 1]; result m; g := 2; to y",
        "9 -> 4: [from 3]; result m; g := 2",
        "9 -> 5: [from 4]; result m; g := 2; to x",
        // One call: there is nothing to tell apart.
        "10 -> 0: result a; to cell a",
    ];
    assert_eq!(listing(source), wanted);
}

#[test]
fn too_many_paths_are_refused() {
    let ifs = "if a { x := 1; } ".repeat(13);
    let long = "x := 1; ".repeat(1000);
    for actions in [ifs.clone(), format!("{} {long}", &ifs["if a { x := 1; } ".len()..])] {
        let source = format!(
            "var a: bool; var x: int; set Threads  process thread for self in Threads {{ atomic {{ {actions} }} }}"
        );
        let system = ser_syntax::inv::parse(&source).system;
        assert!(matches!(Control::new(&system), Err(Reason::Size { .. })));
    }
}

#[test]
fn cases_and_ways_out_of_loops() {
    let source = "var x: int; set Threads  process thread for self in Threads {
          loop {
            while x == 0 { if x == 1 { break } else { continue } };
            match x { 1 => break, 2..3 => x := 9, _ => { } }
          };
          skip
        }";
    let wanted = [
        "0 -> 1: [loop]",
        "0 -> 8: [not loop]",
        "1 -> 2: [x == 0]",
        "1 -> 5: [not x == 0]",
        "2 -> 3: [x == 1]",
        "2 -> 4: [not x == 1]",
        "3 -> 5: ",
        "4 -> 1: ",
        "5 -> 6: [1]",
        "5 -> 7: [match x]",
        "5 -> 0: [1 => break, 2..3]",
        "6 -> 8: ",
        "7 -> 0: x := 9",
        "8 -> 9: ",
        "9: none",
    ];
    assert_eq!(listing(source), wanted);
}
