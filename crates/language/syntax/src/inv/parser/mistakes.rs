//! What to say about things that other languages have, or that fingers do, in `.inv` files only.

use super::Parser;
use crate::complaints::quote;
use crate::grammar::{Expr, ExprKind};
use crate::inv::words::FIELDS;
use crate::lexer::TokenKind;
use crate::report::{Messages as _, Report as _, Reported, error};
use ser_base::Span;

impl Parser<'_> {
    /// What stands at top level and is no item.
    pub(super) fn mistaken_item(&mut self) -> Reported {
        if let Some(reported) = self.stray_sign() {
            return reported;
        }
        let label = "not expected at top level";
        let word = self.word_at(0).unwrap_or_default();
        let foreign = !matches!(word, "reach" | "in") && self.word_at(1).is_some();
        if foreign && let Some(reported) = self.other_language(word) {
            return reported;
        }
        match word {
            "local" => {
                let message = "locals stand at the start of `thread` or of a procedure";
                let help = "for a variable that all threads share, write `global`";
                self.wrong("expected-item", message, "not expected outside a body", &[help])
            }
            "int" | "bool" | "tid" | "addr" | "elem" | "set" | "var" => {
                self.declared_as_elsewhere(word, label)
            }
            _ if !word.is_empty() && self.peek_at(1) == Some(TokenKind::Assign) => {
                let message = "what is done stands in `thread` or in a procedure";
                let help = "for an initial value, write `global x : int = 0;`";
                self.wrong("expected-item", message, label, &[help])
            }
            _ => {
                let items = "`global`, `thread`, `proc`, `invariant` or `proof`";
                self.not_an_item(items, label, "what threads do stands in `thread { ... }`")
            }
        }
    }

    /// `int x = 0;`: the type stands first, as in other languages.
    fn declared_as_elsewhere(&mut self, word: &str, label: &str) -> Reported {
        let here = self.here();
        let ty = if word == "var" { "int" } else { word };
        let diagnostic = error("expected-item", "variables begin with `global`", here, label);
        let name = self.word_at(1).unwrap_or("x");
        // Only for `int x ...`, so that the edit says what was meant.
        let diagnostic = match (word != "set" && word != "var", self.word_at(1), self.peek_at(2)) {
            (true, Some(name), Some(TokenKind::Semicolon | TokenKind::Equal)) => {
                let edit = self.span_of(2);
                diagnostic.with_fix(
                    format!("the type stands behind the name: `global {name} : {ty} ...;`"),
                    edit,
                    format!("global {name} : {ty}"),
                )
            }
            _ => diagnostic.with_help(format!(
                "the type stands behind the name: `global {name} : {ty} = ...;`"
            )),
        };
        self.report(diagnostic)
    }

    /// What stands in a block and is no statement.
    pub(super) fn mistaken_statement(&mut self) -> Reported {
        match (self.word_at(0), self.word_at(1)) {
            (Some(ty @ ("int" | "bool" | "tid" | "addr" | "elem")), Some(name)) => {
                let help = format!("declare `local {name} : {ty};` at the start of the body");
                let message = "locals begin with `local`";
                self.wrong("expected-statement", message, "unexpected", &[&help])
            }
            _ => self.not_a_statement(),
        }
    }

    /// Something stands where an assignment could, and is none.
    pub(super) fn not_an_assignment(&mut self, target: &Expr, is_statement: bool) -> Reported {
        if self.at(TokenKind::Unknown) {
            return self.unknown();
        }
        if self.together(&[TokenKind::Minus, TokenKind::Greater])
            && self.word_at(2).is_some_and(|word| FIELDS.contains(&word))
        {
            return self.write_instead("arrow-for-field", "fields stand behind `.`", 2, ".");
        }
        if let ExprKind::Call(name, _) = &target.kind
            && is_statement
        {
            let message = format!("{} is called with `call`", quote(&name.text));
            let start = Span::empty(target.span.start);
            return error("missing-call", message, target.span, "looks like a call")
                .with_fix("write `call`", start, "call ")
                .report(self);
        }
        let help = self.language.statement_help;
        self.expected("expected-assignment", "`:=`", "expected `:=` here", &[help])
    }

    /// A declaration behind statements.
    pub(super) fn late_local(&mut self) -> Reported {
        let message = "locals are declared before the first statement";
        let help = "move it to the start of `thread` or of the procedure";
        self.wrong("late-local", message, "unexpected declaration here", &[help])
    }

    /// `a: label b { ... }`.
    pub(super) fn named_label(&mut self) -> Reported {
        let message = "a `label` has its name behind it, and no other";
        let help = "write `label crit { ... }`";
        self.wrong("named-label", message, "unexpected `label` here", &[help])
    }

    /// `choice { ... }` without `or`.
    pub(super) fn single_choice(&mut self, choice: Span) -> Reported {
        let message = "a `choice` has at least two branches";
        error("single-choice", message, self.gap(), "expected `or { ... }` here")
            .with_secondary(choice, "the choice")
            .with_help("to do it or nothing, write `choice { ... } or { skip; }`")
            .report(self)
    }

    /// A statement that takes more than one step in `atomic` or `ghost`.
    pub(super) fn statement_in_action(&mut self) -> Reported {
        let message = format!("`{}` cannot stand in `atomic` or `ghost`", self.here_text());
        let help = "in one step there are assignments, `await`, `assert`, `lock`, `unlock`, \
                    `skip` and `if`";
        self.wrong("statement-in-atomic", message, "not expected here", &[help])
    }

    /// `a: x := 1;` in `atomic`.
    pub(super) fn named_action(&mut self) -> Reported {
        let message = "what stands in `atomic` or `ghost` has no name";
        let help = "the whole step is one location: `take: atomic { ... }`";
        self.wrong("named-action", message, "unexpected name here", &[help])
    }

    pub(super) fn malformed_malloc(&mut self) -> Reported {
        let help = "a new cell gets its data and its next cell: `a := malloc(e, null);`";
        let label = "not expected here";
        self.expected("malformed-malloc", "`malloc(data, next)`", label, &[help])
    }

    pub(super) fn malformed_at(&mut self) -> Reported {
        let help = "it looks like `at(i, crit)`: the thread `i` is at a place named `crit`";
        let label = "not expected here";
        self.expected("malformed-at", "`at(thread, place)`", label, &[help])
    }

    /// `at(i, 5)`.
    pub(super) fn number_as_place(&mut self) -> Reported {
        let message = format!("places have names: {} is a number", quote(self.here_text()));
        let help = [
            "name the statement: `wait: await x == 1;`, then write `at(i, wait)`",
            "numbers would change with every line; names do not",
        ];
        let label = "expected the name of a statement or a label";
        self.wrong("number-as-place", message, label, &help)
    }

    /// `(a + b)[i]`.
    pub(super) fn index_of_expression(&mut self, operand: Span) -> Reported {
        let message = "only locals have an index";
        error("malformed-index", message, self.here(), "unexpected `[` here")
            .with_secondary(operand, "this is not the name of a local")
            .with_help("the local `x` of the thread `i` is `x[i]`")
            .report(self)
    }

    /// Something that starts no expression stands where one should.
    pub(super) fn mistaken_operand(&mut self) -> Reported {
        let help = match (self.peek(), self.word_at(0)) {
            (Some(TokenKind::Unknown), _) => return self.unknown(),
            (_, Some(word @ ("havoc" | "malloc" | "call"))) => {
                format!("`{word}` stands alone behind `:=`")
            }
            (Some(TokenKind::Star | TokenKind::Question), _) => {
                "for any value, write `x := havoc;` before".to_owned()
            }
            (Some(TokenKind::LeftBracket), _) => {
                "sets are written with braces: `{a, b}`".to_owned()
            }
            _ => String::new(),
        };
        let help: &[&str] = if help.is_empty() { &[] } else { &[&help] };
        let label = "expected an expression here";
        self.expected("expected-expression", "an expression", label, help)
    }

    pub(super) fn star_condition(&mut self, after: &str) -> Reported {
        let message = format!("`{after}` needs a condition");
        let help = "if either may happen, write `choice { ... } or { ... }`";
        self.wrong("star-condition", message, "expected a condition", &[help])
    }

    /// A type that is none.
    pub(super) fn not_a_type(&mut self) -> Reported {
        let right = match self.word_at(0) {
            Some("integer" | "nat" | "number" | "Int" | "i64") => Some("int"),
            Some("boolean" | "Bool") => Some("bool"),
            Some("address" | "ptr" | "pointer" | "cell" | "node") => Some("addr"),
            Some("element" | "value") => Some("elem"),
            Some("pid" | "process" | "thread") => Some("tid"),
            word => word.and_then(|word| {
                self.sink.closest(word, ["int", "bool", "tid", "addr", "elem", "set"].into_iter())
            }),
        };
        let message = format!("expected a type, found {}", self.found());
        let diagnostic = error("expected-type", message, self.here_or_gap(), "not a type");
        self.report(match right {
            Some(right) => diagnostic.meant(right),
            None => diagnostic.with_help(
                "types are `bool`, `int`, `tid`, `addr`, `elem`, and sets like `set<int>`",
            ),
        })
    }
}
