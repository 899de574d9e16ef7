//! Repairs of random programs: each is serializable by brute force, keeps what requests alone do,
//! and blames only pauses that the program breaks with.

use ser_base::Limits;
use ser_fuzz::{Findings, Random, brute_force, program};
use ser_model::{NetworkSystem, ProgramModel};
use ser_serializability_search::Options;
use ser_session::{Verdict, check_source, find_causes, repair};
use ser_syntax::lexer::{TokenKind, lex};
use std::collections::BTreeSet;
use std::time::Duration;

fn limits() -> Limits {
    Limits::default().with_timeout(Duration::from_secs(20))
}

fn model(text: &str) -> Option<ProgramModel> {
    let parse = ser_syntax::parse(text);
    assert!(!parse.has_errors(), "{:?}\n{text}", parse.diagnostics);
    ProgramModel::new(&parse.program, text, &Limits::default()).ok()
}

/// What one request after another can do, found by walking the system: the responses of every
/// sequence of up to three requests, in order.
fn serial(system: &NetworkSystem) -> BTreeSet<Vec<String>> {
    let mut words = BTreeSet::new();
    let mut open = vec![(system.initial_global(), Vec::new())];
    while let Some((global, word)) = open.pop() {
        if word.len() < 3 {
            for (request, start) in system.spawns() {
                let mut seen = BTreeSet::from([(*start, global)]);
                let mut inside = vec![(*start, global)];
                while let Some((local, now)) = inside.pop() {
                    for response in system.replies_of(local) {
                        let mut next: Vec<String> = word.clone();
                        let request = system.request_name(*request);
                        next.push(format!("{request}/{}", system.response_name(response)));
                        open.push((now, next));
                    }
                    for step in system.steps_at(local, now) {
                        if seen.insert((step.to, step.after)) {
                            inside.push((step.to, step.after));
                        }
                    }
                }
            }
        }
        words.insert(word);
    }
    words
}

fn comments(text: &str) -> Vec<String> {
    let is_comment = |k| matches!(k, TokenKind::LineComment | TokenKind::BlockComment);
    let tokens = lex(text).into_iter().filter(|t| is_comment(t.kind));
    let mut found: Vec<String> = tokens.map(|t| t.text(text).trim_end().to_owned()).collect();
    found.sort();
    found
}

/// Comments anywhere and lines that end anywhere, so that edits have something to spoil.
fn commented(text: &str, random: &mut Random) -> String {
    let mut out = String::new();
    for (i, token) in lex(text).into_iter().enumerate() {
        let text = token.text(text);
        if token.kind != TokenKind::Whitespace {
            out += text;
            continue;
        }
        match random.below(12) {
            0 => out += &format!(" // {i}\n"),
            1 => out += &format!(" /* {i} */ "),
            2 => out += &format!("\n/* {i}\n*/\n"),
            3 => out.push('\n'),
            4 => out.push(' '),
            _ => out += text,
        }
    }
    out
}

#[test]
fn repairs_of_random_programs_hold_what_they_promise() {
    let (mut broken, mut repaired) = (0, 0);
    let mut seed = 0;
    while broken < 60 {
        seed += 1;
        let mut random = Random::new(seed);
        let text = commented(&program(&mut random), &mut random);
        let source = ser_session::source::from_bytes("random.ser", text.clone().into_bytes())
            .expect("a program");
        let report = check_source(source.clone(), &Options::default(), &limits(), &|_| {});
        let Verdict::NotSerializable { .. } = report.verdict else { continue };
        let Some(before) = model(&text) else { continue };
        broken += 1;

        let causes = find_causes(&report, &Options::default(), &limits()).expect("causes");
        assert!(!causes.orders.is_empty(), "no circle of orders\n{text}");
        for (order, next) in causes.orders.iter().zip(causes.orders.iter().cycle().skip(1)) {
            assert_eq!(order.second, next.first, "the orders do not go in a circle\n{text}");
            assert!(order.earlier.step < order.later.step && order.first != order.second);
        }
        for pause in &causes.pauses {
            assert_eq!(&text[pause.span.range()], "yield");
            let mut without = text.clone();
            without.replace_range(pause.span.range(), "0");
            if let (Some(said), Some(model)) = (pause.removal_repairs, model(&without)) {
                let broken =
                    matches!(brute_force(model.system(), 3, 200_000), Findings::Broken { .. });
                assert!(!(said && broken), "line {}\n{text}", pause.line);
            }
        }

        let repairs = repair(&source, &Options::default(), &limits(), &|_| {});
        repaired += usize::from(!repairs.suggestions.is_empty());
        assert!(!repairs.tried.is_empty());
        for suggestion in &repairs.suggestions {
            let after = &suggestion.text;
            let place = format!("{}\n{text}\nbecomes\n{after}", suggestion.title);
            assert_eq!(comments(&text), comments(after), "{place}");
            let overlap = |pair: &[ser_base::Edit]| pair[1].span.start < pair[0].span.end;
            assert!(!suggestion.edits.windows(2).any(overlap), "{place}");
            let laid_out = ser_editing::format(after).unwrap_or_else(|e| panic!("{e:?} {place}"));
            assert_eq!(comments(after), comments(&laid_out), "{place}");
            let Some(model) = model(after) else { continue };
            assert_eq!(serial(before.system()), serial(model.system()), "{place}");
            let oracle = brute_force(model.system(), 3, 200_000);
            assert!(!matches!(oracle, Findings::Broken { .. }), "{place}");
        }
    }
    // In the others some request waits for others, which no repair may spoil.
    assert!(repaired * 10 > broken * 5, "only {repaired} of {broken} repaired");
}
