//! Formatting models of threads changes the layout and nothing else, and changes it once.

use proptest::prelude::*;
use ser_editing::inv::parse;
use ser_editing::{MAX_WIDTH, format};
use ser_syntax::MAX_DEPTH;
use ser_syntax::lexer::{TokenKind, lex};

/// A text that must have a layout.
fn formatted(text: &str) -> String {
    format(text).unwrap_or_else(|errors| panic!("{errors:#?}\nin\n{text}"))
}

/// Tokens and comments, without white space.
fn words(text: &str) -> Vec<(TokenKind, String)> {
    let tokens = lex(text).into_iter().filter(|token| token.kind != TokenKind::Whitespace);
    tokens.map(|token| (token.kind, token.text(text).trim_end().replace('\r', ""))).collect()
}

/// The meaning without places.
fn meaning(text: &str) -> String {
    let meaning = format!("{:?}", parse(text).system);
    let mut out = String::new();
    let mut rest = meaning.as_str();
    while let Some((before, after)) = rest.split_once("Span {") {
        out.push_str(before);
        rest = after.split_once('}').map_or("", |(_, rest)| rest);
    }
    out + rest
}

/// Everything that must hold for any file.
fn assert_faithful(text: &str) {
    let once = formatted(text);
    assert_eq!(words(text), words(&once), "words of\n{text}\n--- became\n{once}");
    assert_eq!(meaning(text), meaning(&once), "meaning of\n{text}\n--- became\n{once}");
    assert_eq!(formatted(&once), once, "twice is not once for\n{text}\n---\n{once}");
    assert!(once.ends_with('\n') && !once.ends_with("\n\n") && !once.starts_with('\n'));
    assert!(!once.contains("\n\n\n"), "two blank lines in\n{once}");
}

fn assert_formats(text: &str, expected: &str) {
    let once = formatted(text);
    assert_eq!(once, expected, "\n{once}\n--- instead of\n{expected}");
    assert_faithful(text);
}

#[test]
fn a_crowded_file_gets_room() {
    assert_formats(
        "var x: int= -1; var y: int= -1;ghost var h: set of int ={};var a: addr;var t: Threads;assume x<-1&&!(y==2)||not(x>3)<->y>2->true;\
         fn p(n: int,s: set of addr): int{var z: int=0;if n in{1,2}ghost{h:=h+{n};}{return n;}else if n== - -z{skip;}else{loop{z:=p_;}}return min({n});}var p_: int;\
         set Threads == 2  process thread for self in Threads{var r: int;ghost var g: bool;w:await x==y ghost{g:=true;}l:{atomic{r:=x;if r>1{r:=2;}else{skip;}}ghost{g:=false;}}\
         choose{r:=p(1,{a,null});}or{}while x in{y}-{}{a.next:=a.next.next;a:=malloc(a.data,null);lock a;unlock a;r:=choose(int) where r>0&&r<9;}}\
         fn q(i)=r[i]==p.z[i]*2;invariant k(i,j){one:at(i,w..l,p.n_)->q(i);q(j);}invariant m:reach(a,null);fn unused(){n_:skip;}proof acyclic{m;k from m{at w self use m,k.one;at l,p use m;}}"
            .replace("p.n_", "p")
            .as_str(),
        "\
var x: int = -1; var y: int = -1; ghost var h: set of int = {}; var a: addr; var t: Threads;
assume x < -1 && !(y == 2) || not (x > 3) <-> y > 2 -> true;
fn p(n: int, s: set of addr): int {
    var z: int = 0;
    if n in {1, 2} ghost { h := h + {n}; } {
        return n;
    } else if n == - -z {
        skip;
    } else {
        loop { z := p_; }
    }
    return min({n});
}
var p_: int; set Threads == 2
process thread for self in Threads {
    var r: int;
    ghost var g: bool;
    w: await x == y ghost { g := true; }
    l: { atomic { r := x; if r > 1 { r := 2; } else { skip; } } ghost { g := false; } }
    choose { r := p(1, {a, null}); } or { }
    while x in {y} - {} {
        a.next := a.next.next;
        a := malloc(a.data, null);
        lock a;
        unlock a;
        r := choose(int) where r > 0 && r < 9;
    }
}
fn q(i) = r[i] == p.z[i] * 2;
invariant k(i, j) { one: at(i, w..l, p) -> q(i); q(j); }
invariant m: reach(a, null);
fn unused() { n_: skip; }
proof acyclic { m; k from m { at w self use m, k.one; at l, p use m; } }
",
    );
}

#[test]
fn comments_and_blank_lines_stay_where_they_are() {
    let text = "\
// At the top.

var x: int = 0; // a variable
var y: set of int /* inside */ = {};

// Before the threads.
set Threads
process thread for self in Threads { // after a brace
    // on its own
    x := 1;

    y := {x};       // aligned
    x := 2;         // aligned
    if x == 1 { /* nothing */ }
    take: atomic { // in one step
        x := 2;
    } ghost {
        // nothing
    }
    // the last word
}

// Before an invariant.
invariant p(i):
    x == 1
    -> // why
    y == {};
invariant q {
    // first
    a: true; // one
    b: true;
}
fn r = // because
    true;
// At the end.
";
    assert_formats(text, text);
}

#[test]
fn long_lines_are_broken_where_operators_bind_least() {
    let atom = "first_number == second_number";
    let text = format!(
        "var first_number: int; var second_number: int; set Threads\nprocess thread for self in Threads {{ while {atom} && {atom} && {atom} && {atom} {{ skip; }} }}
        invariant p: {atom} && {atom} || {atom} && {atom} && {atom} && {atom} -> {atom} || ({atom} && {atom} && {atom} && {atom});"
    );
    assert_formats(
        &text,
        "\
var first_number: int; var second_number: int; set Threads
process thread for self in Threads {
    while first_number == second_number
            && first_number == second_number
            && first_number == second_number
            && first_number == second_number {
        skip;
    }
}
invariant p: first_number == second_number && first_number == second_number
        || first_number == second_number
            && first_number == second_number
            && first_number == second_number
            && first_number == second_number
    -> first_number == second_number
        || (
            first_number == second_number
            && first_number == second_number
            && first_number == second_number
            && first_number == second_number
        );
",
    );
    let places: Vec<String> = (0..30).map(|i| format!("statement{i}")).collect();
    let body: Vec<String> = places.iter().map(|name| format!("{name}: skip;")).collect();
    let text = format!(
        "set Threads\nprocess thread for self in Threads {{ {} }} invariant p(i): !at(i, {});",
        body.join(" "),
        places.join(", ")
    );
    assert!(formatted(&text).lines().all(|line| line.len() <= MAX_WIDTH));
    assert_faithful(&text);
}

#[test]
fn names_without_brackets_go_on_on_the_next_line() {
    let places: Vec<String> = (10..25).map(|n| format!("place_{n}")).collect();
    let body: Vec<String> = places.iter().map(|it| format!("{it}: skip; ")).collect();
    let others: Vec<String> = (10..25).map(|n| format!("other_{n}")).collect();
    let invariants: Vec<String> =
        others.iter().map(|it| format!("invariant {it}(): true; ")).collect();
    let text = format!(
        "set Threads\nprocess thread for self in Threads {{ {} }} {} invariant a: true; invariant b: true; proof {{ a from {}; b {{ at {} self use {}; }} }}",
        body.concat(),
        invariants.concat(),
        others.join(","),
        places.join(","),
        others.join(", /* and */ "),
    );
    assert_faithful(&text);
    let once = formatted(&text);
    let widest = once.lines().map(str::len).max();
    assert!(widest.is_some_and(|it| it > 85 && it <= MAX_WIDTH), "{widest:?}: {once}");
    let proof = once.split_once("proof").map(|(_, proof)| proof).unwrap_or_default();
    assert!(proof.contains(",\n        other_"), "further to the right: {proof}");
    assert!(proof.contains(",\n            place_"), "further to the right: {proof}");
}

#[test]
fn a_formula_on_its_own_line_stays_there() {
    let text = "set Threads\nprocess thread for self in Threads { s: skip; }\ninvariant p(i):\n    at(i, s) -> at(i, s);\nfn q =\n    true;\n";
    assert_formats(text, text);
    assert_formats(
        "set Threads\nprocess thread for self in Threads { s: skip; } invariant p(i): at(i,\ns) -> true;",
        "set Threads\nprocess thread for self in Threads { s: skip; }\ninvariant p(i): at(i, s) -> true;\n",
    );
}

#[test]
fn statements_behind_names_can_be_a_table() {
    let text = "\
set Threads
process thread for self in Threads {
    again:   loop {
        rest:    skip;
        work:    atomic { }
    }
}
invariant p {
    a:   true;
    bcd: true;
}
";
    assert_formats(text, text);
    assert_formats(
        "set Threads\nprocess thread for self in Threads { a  :  skip; b:\n skip; c:\t\tskip; }",
        "set Threads\nprocess thread for self in Threads { a:  skip; b: skip; c: skip; }\n",
    );
}

#[test]
fn lines_end_as_the_first_one_does() {
    assert_eq!(
        formatted("set Threads\r\nprocess thread for self in Threads {\r\nskip;\r\n}"),
        "set Threads\r\nprocess thread for self in Threads {\r\n    skip;\r\n}\r\n"
    );
}

#[test]
fn the_deepest_files_are_formatted() {
    let deep = MAX_DEPTH - 8;
    let labels: String = (0..deep).map(|i| format!("l{i}: {{ ")).collect();
    for open in ["loop { ".repeat(deep), labels, "choose { } or { ".repeat(deep)] {
        let close = " }".repeat(deep);
        assert_faithful(&format!(
            "set Threads\nprocess thread for self in Threads {{ {open}skip;{close} }}"
        ));
    }
    let (open, close) = ("if x == 1 { ".repeat(deep), " }".repeat(deep));
    assert_faithful(&format!(
        "var x: int; set Threads\nprocess thread for self in Threads {{ atomic {{ {open}skip;{close} }} }}"
    ));
}

#[test]
fn the_deepest_formulas_are_formatted() {
    let deep = MAX_DEPTH - 8;
    for (open, inside, close) in [
        ("(", "true", ")"),
        ("!", "true", ""),
        ("true -> ", "true", ""),
        ("true && (", "true", ")"),
    ] {
        let deep = if open.len() > 8 { deep / 2 } else { deep };
        let formula = format!("{}{inside}{}", open.repeat(deep), close.repeat(deep));
        assert_faithful(&format!(
            "set Threads\nprocess thread for self in Threads {{ skip; }} invariant t: {formula};"
        ));
    }
}

#[test]
fn the_programs_of_the_tests_are_formatted_already() {
    for text in [
        include_str!("../../../syntax/tests/all/inv/ticket_int.ser"),
        include_str!("../../../syntax/tests/all/inv/ticket_set.ser"),
        include_str!("../../../syntax/tests/all/inv/list.ser"),
        include_str!("../../../syntax/tests/all/inv/chosen.ser"),
    ] {
        assert_formats(text, text);
    }
}

/// Makes a file of the bytes of a random list.
struct Author<'b> {
    bytes: std::slice::Iter<'b, u8>,
    out: Vec<&'static str>,
    /// How many statements have names.
    named: usize,
}

impl Author<'_> {
    fn choose(&mut self, n: u8) -> u8 {
        self.bytes.next().map_or(0, |byte| byte % n)
    }

    fn put(&mut self, words: &str) {
        // Words of the language never change, so they may be kept forever.
        self.out.extend(words.split_whitespace().map(|word| &*word.to_owned().leak()));
    }

    fn file(&mut self) {
        self.put(
            "var x: int = 0; var y: int = 0; var c: bool; var r: Threads; var a: addr = null;",
        );
        self.put("ghost var h: set of int; var s: set of int = { }; assume");
        self.condition(2, false);
        self.put("; fn p ( n: int , m: set of int ): int { var z: int;");
        self.statements(2);
        self.put("return n ; } set Threads\nprocess thread for self in Threads { var k: int = 0; ghost var g: bool;");
        self.statements(3);
        self.put("z0 : k := p ( x , { } ) ; }");
        self.put("fn both ( i ) =");
        self.condition(2, true);
        self.put("; invariant one( i , j ):");
        self.condition(3, true);
        self.put("; invariant two( i ) { tag :");
        self.condition(2, true);
        self.put(";");
        self.condition(2, true);
        self.put("; } proof { one from two . tag , one { at z0 , p , thread self use one , two ; at z0 .. z0 use two . tag ; } two ; }");
    }

    fn statements(&mut self, depth: u8) {
        for _ in 0..self.choose(4) {
            self.statement(depth);
        }
    }

    fn block(&mut self, depth: u8) {
        self.put("{");
        self.statements(depth.saturating_sub(1));
        self.put("}");
    }

    fn actions(&mut self, depth: u8) {
        self.put("{");
        for _ in 0..self.choose(3) {
            match self.choose(if depth == 0 { 2 } else { 3 }) {
                0 => self.put("skip ;"),
                1 => {
                    self.put("h := h +");
                    self.set(1);
                    self.put(";");
                }
                _ => {
                    self.put("if");
                    self.condition(1, false);
                    self.actions(depth - 1);
                    if self.choose(2) == 0 {
                        self.put("else");
                        self.actions(depth - 1);
                    }
                }
            }
        }
        self.put("}");
    }

    fn ghost(&mut self) {
        if self.choose(3) == 0 {
            // It stands before the `;`.
            let over = self.out.last() == Some(&";");
            if over {
                self.out.pop();
            }
            self.put("ghost");
            self.actions(2);
            if over {
                self.put(";");
            }
        }
    }

    fn statement(&mut self, depth: u8) {
        if self.choose(4) == 0 {
            self.named += 1;
            let name = format!("s{} :", self.named);
            self.put(&name);
        }
        match self.choose(if depth == 0 { 7 } else { 12 }) {
            0 => self.put("skip ;"),
            1 => {
                self.put("x :=");
                self.number(2);
                self.put(";");
            }
            2 => {
                self.put("await");
                self.condition(2, false);
                self.put(";");
            }
            3 => self.put("a . next := a . next . next ;"),
            4 => self.put("x := choose(int) where x > 0 || c ; a := malloc ( a . data , null ) ;"),
            5 => self.put("lock a ; unlock a . next ;"),
            6 => {
                self.put("atomic");
                self.actions(2);
            }
            7 | 8 => {
                self.put("if");
                self.condition(2, false);
                self.ghost();
                self.block(depth);
                if self.choose(2) == 0 {
                    self.put("else if");
                    self.condition(1, false);
                    self.block(depth);
                }
                if self.choose(2) == 0 {
                    self.put("else");
                    self.block(depth);
                }
                return;
            }
            9 => {
                self.put("while");
                self.condition(2, false);
                self.ghost();
                self.block(depth);
                return;
            }
            10 => {
                self.put("choose");
                self.block(depth);
                self.put("or");
                self.block(depth);
                return;
            }
            _ => {
                self.put("if c { loop");
                self.block(depth);
                self.put("} else { skip ; }");
                return;
            }
        }
        self.ghost();
    }

    fn number(&mut self, depth: u8) {
        match self.choose(if depth == 0 { 2 } else { 7 }) {
            0 => self.put("x"),
            1 => self.put("42"),
            2 => {
                self.put("-");
                self.number(0);
            }
            3 => {
                self.put("(");
                self.number(depth - 1);
                self.put(")");
            }
            4 => {
                self.put("min (");
                self.set(depth - 1);
                self.put(")");
            }
            5 => {
                self.put("2 *");
                self.number(0);
            }
            _ => {
                self.number(depth - 1);
                self.put("-");
                self.number(depth - 1);
            }
        }
    }

    fn set(&mut self, depth: u8) {
        match self.choose(if depth == 0 { 1 } else { 3 }) {
            0 => self.put("s"),
            1 => {
                self.put("{");
                self.number(depth - 1);
                self.put(",");
                self.number(0);
                self.put("}");
            }
            _ => {
                self.set(depth - 1);
                self.put("*");
                self.set(depth - 1);
            }
        }
    }

    fn condition(&mut self, depth: u8, formula: bool) {
        match self.choose(if depth == 0 { 2 } else { 11 }) {
            0 => self.put("c"),
            1 => {
                self.number(1);
                self.put("<");
                self.number(1);
            }
            2 => {
                self.put("! (");
                self.condition(depth - 1, formula);
                self.put(")");
            }
            3 => {
                self.put("x in");
                self.set(2);
            }
            4 if formula => self.put("k [ i ] == p . n [ i ]"),
            5 if formula => self.put("at ( i , z0 , p , thread . z0 .. z0 )"),
            6 => self.put("a . lockid != nobody"),
            7 => {
                self.put("( (");
                self.condition(depth - 1, formula);
                self.put(") <->");
                self.condition(0, formula);
                self.put(")");
            }
            n => {
                self.condition(depth - 1, formula);
                self.put(match n {
                    8 => "&&",
                    9 => "or",
                    _ => "->",
                });
                self.condition(depth - 1, formula);
            }
        }
    }
}

/// Words with white space and comments between them.
fn spaced(words: &[&str], trivia: &[u8]) -> String {
    const TRIVIA: [&str; 10] = [
        " ",
        " ",
        " ",
        "\n",
        "\n\n\n",
        " // note\n",
        " /* note */ ",
        "\t",
        "\n    // alone\n",
        " /* a\n b */\n",
    ];
    let mut text = String::new();
    let mut trivia = trivia.iter().cycle();
    for word in words {
        text.push_str(word);
        let pick = trivia.next().copied().unwrap_or(0);
        // Mostly blanks: otherwise every line has just one word.
        let pick = if pick >= 64 { 0 } else { usize::from(pick) % TRIVIA.len() };
        text.push_str(TRIVIA[pick]);
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_file_keeps_its_words_and_its_meaning(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        trivia in prop::collection::vec(any::<u8>(), 1..100),
    ) {
        let mut author = Author { bytes: bytes.iter(), out: Vec::new(), named: 0 };
        author.file();
        assert_faithful(&spaced(&author.out, &trivia));
    }
}
