//! The same program, written differently: the verdict stays the same, and so does the fewest number
//! of requests that tell a program from its serial runs.
//!
//! Every change below leaves the meaning alone, with the argument beside it. What may change is how
//! an answer is found: the order of names is the order in which states are numbered and reductions
//! are tried. So an answer may become "unknown" or stop being one, though hardly ever; it may never
//! become another answer.

use ser_base::Limits;
use ser_fuzz::{Random, program};
use ser_model::{NetworkSystem, ProgramModel, read_json, write_json};
use ser_serializability_search::{Answer, Options, certify, decide};
use ser_syntax::lexer::{TokenKind, lex};
use std::collections::BTreeMap;
use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Serializable,
    /// With the fewest requests, if that is certain.
    NotSerializable(Option<usize>),
    Unknown,
}

fn model(text: &str) -> ProgramModel {
    let parse = ser_syntax::parse(text);
    assert!(!parse.has_errors(), "{:?}\n{text}", parse.diagnostics);
    ProgramModel::new(&parse.program, text, &Limits::default()).expect("few states")
}

/// The verdict, after the checker has accepted it.
fn verdict(system: &NetworkSystem, text: &str) -> Verdict {
    let limits = Limits::default().with_timeout(Duration::from_secs(60));
    let (answer, _) = decide(system, &Options::default(), &limits, &|_| {});
    if let Some(certificate) = certify(&answer, system, "test", text.as_bytes()) {
        ser_serializability_checker::check(
            &certificate,
            text.as_bytes(),
            system,
            &Limits::default(),
        )
        .unwrap_or_else(|rejection| panic!("{rejection}\n{text}"));
    }
    match answer {
        Answer::Serializable(_) => Verdict::Serializable,
        Answer::NotSerializable(found) => {
            Verdict::NotSerializable(found.fewest.then_some(found.requests))
        }
        Answer::Unknown(_) => Verdict::Unknown,
    }
}

/// A way to write a program differently.
type Change = (&'static str, fn(&str, &mut Random) -> String);

const CHANGES: [Change; 8] = [
    ("renamed", renamed),
    ("renamed in reverse order", renamed_in_reverse),
    ("handlers permuted", permuted),
    ("an unused global with an initial value", with_unused_global),
    ("a global that is read and never written", with_constant_global),
    ("a global that is written and never read", with_write_only_global),
    ("comments and white space", with_comments),
    ("a handler twice", with_twin),
];

/// Replaces every name.
fn rename(text: &str, new: &dyn Fn(&str) -> String) -> String {
    let tokens = lex(text);
    let rename = |t: &ser_syntax::lexer::Token| match t.kind {
        TokenKind::Name => new(t.text(text)),
        _ => t.text(text).to_owned(),
    };
    tokens.iter().map(rename).collect()
}

fn renamed(text: &str, _: &mut Random) -> String {
    rename(text, &|name| format!("{name}_long_and_new_{}", name.len()))
}

/// New names whose alphabetical order is the opposite of the order of the old ones.
fn renamed_in_reverse(text: &str, _: &mut Random) -> String {
    let names = lex(text).into_iter().filter(|t| t.kind == TokenKind::Name);
    let mut names: Vec<String> = names.map(|t| t.text(text).to_owned()).collect();
    names.sort();
    names.dedup();
    let numbers: BTreeMap<&str, usize> =
        names.iter().rev().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
    rename(text, &|name| {
        let first = if name.starts_with(|c: char| c.is_uppercase()) { 'G' } else { 'v' };
        format!("{first}{:03}", numbers[name])
    })
}

/// The order of items means nothing (constants excepted, which stay where they are).
fn permuted(text: &str, random: &mut Random) -> String {
    let program = ser_syntax::parse(text).tree;
    let piece = |span: ser_base::Span| &text[span.range()];
    let mut out = String::from("\n");
    for constant in &program.constants {
        out += &format!("{}\n", piece(constant.span));
    }
    let mut items: Vec<&str> = program.requests.iter().map(|r| piece(r.span)).collect();
    items.extend(program.globals.iter().map(|i| piece(i.span)));
    // A rotation by chance, then everything backwards: never the order as it was, if there are two.
    if items.len() > 2 {
        let by = random.below(items.len());
        items.rotate_left(by);
    }
    items.reverse();
    out + &items.join("\n")
}

fn with_unused_global(text: &str, _: &mut Random) -> String {
    format!("Aaa_unused := 3\n{text}")
}

/// Puts an expression at the start of every handler.
fn with_prefix(text: &str, prefix: &str) -> String {
    let mut out = text.to_owned();
    for request in ser_syntax::parse(text).program.requests.iter().rev() {
        out.insert_str(request.body.span.start as usize + 1, &format!(" {prefix}; "));
    }
    out
}

/// It is 0 whenever somebody looks.
fn with_constant_global(text: &str, _: &mut Random) -> String {
    with_prefix(text, "zz_seen := Zz_never_written")
}

/// Nobody looks, and the first step of a handler, which writes it, is there anyway.
fn with_write_only_global(text: &str, _: &mut Random) -> String {
    with_prefix(text, "Aaa_never_read := 1")
}

fn with_comments(text: &str, random: &mut Random) -> String {
    let mut out = String::from("// request other { Z }\n");
    for token in lex(text) {
        out += token.text(text);
        out += *random.pick(&["", "", " ", "\n\n", "\t", "/* yield; */", " // X := 1\n"]);
    }
    out
}

/// A copy of a handler is a new label for the same behaviour. In any run a copy may stand for the
/// original and back, so an outcome is serial if and only if it is with the labels made one.
fn with_twin(text: &str, random: &mut Random) -> String {
    let program = ser_syntax::parse(text).program;
    let request = random.pick(&program.requests);
    let (name, whole) = (request.name.span, request.span);
    let before = &text[whole.start as usize..name.start as usize];
    let after = &text[name.end as usize..whole.end as usize];
    format!("{text}\n{before}a_twin{after}")
}

#[derive(Default, Debug)]
struct Tally {
    compared: usize,
    /// Pairs of an answer and "unknown".
    unknown_once: usize,
}

impl Tally {
    fn compare(&mut self, old: Verdict, new: Verdict, change: &str, text: &str, written: &str) {
        use Verdict::{NotSerializable, Unknown};
        self.compared += 1;
        match (old, new) {
            _ if old == new => {}
            (Unknown, _) | (_, Unknown) => self.unknown_once += 1,
            // Not certain that these are the fewest.
            (NotSerializable(None), NotSerializable(_))
            | (NotSerializable(_), NotSerializable(None)) => {}
            _ => panic!("{change}: {old:?} becomes {new:?}\n{text}\nbecomes\n{written}"),
        }
    }

    /// All changes of one program.
    fn try_all(&mut self, text: &str, random: &mut Random) {
        let model_of_text = model(text);
        let old = verdict(model_of_text.system(), text);
        for (name, change) in CHANGES {
            let written = change(text, random);
            assert_ne!(written, text, "{name} changes nothing");
            let new = verdict(model(&written).system(), &written);
            self.compare(old, new, name, text, &written);
        }
        // As JSON it has no variables any more, only global states: what a step reads and writes is
        // lost, who may take which step is not.
        let json = format!("{:#}", write_json(model_of_text.system()));
        let system = read_json(&json).unwrap_or_else(|error| panic!("{error}\n{json}"));
        let new = verdict(&system, &json);
        self.compare(old, new, "as JSON", text, &json);
    }

    fn judge(&self) {
        eprintln!("{self:?}");
        assert!(100 * self.unknown_once <= self.compared, "{self:?}");
    }
}

#[test]
fn random_programs_keep_their_verdict() {
    let mut tally = Tally::default();
    for seed in 0..50 {
        let text = program(&mut Random::new(seed ^ 0x3e7a));
        tally.try_all(&text, &mut Random::new(seed));
    }
    tally.judge();
}

#[test]
fn programs_of_all_sorts_keep_their_verdict() {
    let programs = [
        // Nothing interleaves.
        "request main { X := 1; y := X; X := 0; y }",
        // A counterexample with two requests, and one with five.
        "request main { X := 1; yield; y := X; X := 0; y }",
        "request flip { X := 1 - X }
         request main { i := 2; while (i > 0) {
             while (X == 0) { yield }; while (X == 1) { yield }; i := i - 1 }; 1 }",
        // A lock.
        "request main { while (L == 1) { yield }; L := 1; X := 1; yield; y := X; X := 0; L := 0; y }",
        // A semaphore, which is explored by counting.
        "request main { while (N >= 2) { yield }; N := N + 1; yield; N := N - 1; 0 }",
        // The response is decided long before it is given.
        "request set { X := 1; yield; 0 } request get { a := X; yield; yield; a }",
        // Arithmetic: as many ups as downs, seen through a window.
        "request up { assume(X < 2); X := X + 1; yield; 0 }
         request down { assume(X > 0); X := X - 1; yield; 0 }",
        // Parameters, constants, choices, initial values.
        "const N = 2 X := N
         request put(v in 0..N) { X := v; yield; v }
         request get { a := X; yield; if (?) { a } else { choose(0..N) } }",
        "request book(seats in 1..2) {
             if (Free < seats) { return 0 }; yield;
             if (Free >= seats) { Free := Free - seats; seats } else { 0 } }
         request cancel { assume(Free < 2); Free := Free + 1 }
         Free := 2",
    ];
    let mut tally = Tally::default();
    for (seed, text) in programs.iter().enumerate() {
        for round in 0..2 {
            tally.try_all(text, &mut Random::new((2 * seed + round) as u64));
        }
    }
    tally.judge();
}
