//! The programs in `docs/language.md` are programs, and its grammar knows every keyword.

use ser_syntax::lexer::{TokenKind, lex};

const LANGUAGE: &str = include_str!("../../../../../docs/language.md");

/// The fenced blocks of a kind, in order, except for those that are meant to be wrong.
fn fenced(kind: &str) -> Vec<&'static str> {
    let blocks = LANGUAGE.split("```").skip(1).step_by(2);
    let lines = blocks.filter_map(|block| block.split_once('\n'));
    lines
        .filter(|(info, _)| info.split(',').next() == Some(kind))
        .filter(|(info, _)| !info.split(',').any(|option| option == "error"))
        .map(|(_, text)| text)
        .collect()
}

#[test]
fn every_program_in_the_documentation_parses_without_a_message() {
    let programs = fenced("ser");
    assert!(programs.len() >= 5);
    for program in programs {
        assert_eq!(ser_editing::parse(program).diagnostics, [], "{program}");
    }
}

#[test]
fn the_grammar_in_the_documentation_has_every_keyword_and_operator() {
    let grammar = fenced("ebnf");
    let [grammar] = grammar[..] else { panic!("one grammar") };
    let terminals: Vec<&str> = grammar.split('"').skip(1).step_by(2).collect();
    let words = "request const if else while yield return assume assert choose in and or not true \
                 false break continue for loop match with var lock enum record type fn int bool of \
                 process reach invariant deadlock bits queue skip atomic await send to recv set index msg \
                 server ghost proof acyclic malloc where unlock subset at null nobody lowest highest \
                 follows from use self other all some";
    let symbols = "{ } ( ) [ ] ; , ? . .. : := == != < <= > >= + - * / % ! && || | =";
    for symbol in words.split(' ').chain(symbols.split(' ')) {
        assert!(terminals.contains(&symbol), "`{symbol}` is not in the grammar");
    }
    for terminal in terminals {
        if matches!(terminal, "->" | "<->" | "=>") {
            continue;
        }
        let kinds: Vec<TokenKind> = lex(terminal).iter().map(|token| token.kind).collect();
        let [kind] = kinds[..] else { panic!("`{terminal}` is not one token") };
        let known = kind != TokenKind::Name || words.split(' ').any(|word| word == terminal);
        assert!(terminal == "_" || known && kind != TokenKind::Unknown, "`{terminal}`");
    }
}
