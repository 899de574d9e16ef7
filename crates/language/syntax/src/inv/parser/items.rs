//! What stands at top level.

use super::Parser;
use crate::ast::Name;
use crate::grammar::{Expr, Expressions, Grammar};
use crate::inv::ast::{Scalar, Type};
use crate::inv::syntax::{InvariantItem, Item, LetItem, ProcedureItem, Variables};
use crate::lexer::{Token, TokenKind};
use crate::report::{Messages as _, Reported, error};
use ser_base::Span;

const SETS: &str = "sets are `set<int>`, `set<tid>`, `set<addr>` and `set<elem>`";

impl Parser<'_> {
    pub(super) fn item(&mut self) -> Result<Item, Reported> {
        match self.word_at(0) {
            Some("system") => {
                self.bump();
                let name = self.name("the system")?;
                self.semicolon_of_item("the name of the system")?;
                Ok(Item::System(name))
            }
            Some("threads") => {
                self.bump();
                let (number, span) = self.thread_count()?;
                self.semicolon_of_item("the number of threads")?;
                Ok(Item::Threads(number, span))
            }
            Some("ghost") if self.word_at(1) == Some("global") => {
                self.bump();
                self.variables(true).map(Item::Global)
            }
            Some("global") => self.variables(false).map(Item::Global),
            Some("assume") => {
                self.bump();
                let formula = self.expression()?;
                self.semicolon_of_item("the assumption")?;
                Ok(Item::Assume(formula))
            }
            Some("thread") => self.thread().map(Item::Procedure),
            Some("proc") => self.procedure().map(Item::Procedure),
            Some("let") => self.shorthand().map(Item::Let),
            Some("invariant") => self.invariant().map(Item::Invariant),
            Some("proof") => self.proof().map(Item::Proof),
            _ => Err(self.mistaken_item()),
        }
    }

    /// The number behind `threads`.
    fn thread_count(&mut self) -> Result<(u32, Span), Reported> {
        let text = self.here_text();
        if self.at(TokenKind::Number) && text.bytes().all(|b| b.is_ascii_digit()) {
            // A number that does not fit is too large in any case.
            let number = text.parse().unwrap_or(u32::MAX);
            return Ok((number, self.bump()));
        }
        let help = [
            "for exactly two threads, write `threads 2;`",
            "for any number of threads, leave it out",
        ];
        let label = "expected how many threads there are";
        Err(self.expected("expected-number", "a number", label, &help))
    }

    /// `global a, b : int = 0;` or the same with `local`; the current token is that word.
    pub(super) fn variables(&mut self, ghost: bool) -> Result<Variables, Reported> {
        let word = self.here_text();
        self.bump();
        let mut names = vec![self.name("a variable")?];
        while self.eat(TokenKind::Comma) {
            names.push(self.name("a variable")?);
        }
        if !self.eat(TokenKind::Colon) {
            return Err(self.missing_type(word, &names));
        }
        let ty = self.type_name()?.0;
        if self.at(TokenKind::Assign) || self.at(TokenKind::EqualEqual) {
            let wrong = self.here_text();
            let message = format!("an initial value stands behind `=`, not behind `{wrong}`");
            self.write_instead("malformed-declaration", message, 1, "=");
        }
        let initial = match self.peek() {
            Some(TokenKind::Equal | TokenKind::Assign | TokenKind::EqualEqual) => {
                self.bump();
                Some(self.expression()?)
            }
            _ => None,
        };
        self.semicolon_of_item("the declaration")?;
        Ok(Variables { ghost, names, ty, initial })
    }

    fn missing_type(&mut self, word: &str, names: &[Name]) -> Reported {
        let name = names.last().map_or("x", |name| &name.text);
        let help = format!("it looks like `{word} {name} : int = 0;`");
        self.missing("malformed-declaration", "`:` and a type", ":", &[&help])
    }

    /// `int`, `set<addr>`, ..., with its place.
    pub(super) fn type_name(&mut self) -> Result<(Type, Span), Reported> {
        let start = self.here();
        if self.at_word("set") {
            self.bump();
            let open = self.here();
            if !self.eat(TokenKind::Less) {
                return Err(self.missing("expected-type", "`<` and a type", "<", &[SETS]));
            }
            let element = self.element_type()?;
            self.split_greater_equal();
            if !self.eat(TokenKind::Greater) {
                let message = format!("expected `>`, found {}", self.found());
                return Err(error("expected-type", message, self.gap(), "expected `>` here")
                    .with_secondary(open, "to close this")
                    .report(self));
            }
            return Ok((Type::Set(element), self.since(start)));
        }
        if self.at_word("bool") {
            return Ok((Type::Bool, self.bump()));
        }
        let scalar = self.scalar()?;
        Ok((Type::Scalar(scalar), self.since(start)))
    }

    /// What stands between `<` and `>`.
    fn element_type(&mut self) -> Result<Scalar, Reported> {
        if matches!(self.word_at(0), Some("bool" | "set")) {
            let what = if self.at_word("bool") { "truth values" } else { "sets" };
            let message = format!("there are no sets of {what}");
            return Err(self.wrong("expected-type", message, "not a type of elements", &[SETS]));
        }
        self.scalar()
    }

    fn scalar(&mut self) -> Result<Scalar, Reported> {
        let scalar = match self.word_at(0) {
            Some("int") => Scalar::Int,
            Some("tid") => Scalar::Tid,
            Some("addr") => Scalar::Addr,
            Some("elem") => Scalar::Elem,
            _ => return Err(self.not_a_type()),
        };
        self.bump();
        Ok(scalar)
    }

    /// `set<int>= {}`: the `>=` is a `>` and a `=`.
    fn split_greater_equal(&mut self) {
        if !self.at(TokenKind::GreaterEqual) {
            return;
        }
        let span = self.here();
        let middle = span.start + 1;
        let greater = Token { kind: TokenKind::Greater, span: Span::new(span.start, middle) };
        let equal = Token { kind: TokenKind::Equal, span: Span::new(middle, span.end) };
        let here = self.position;
        if let Some(token) = self.tokens.get_mut(here) {
            *token = greater;
            self.tokens.insert(here + 1, equal);
        }
    }

    /// `thread { ... }`.
    fn thread(&mut self) -> Result<ProcedureItem, Reported> {
        let name = Name { text: "thread".to_owned(), span: self.bump() };
        if !self.at(TokenKind::LeftBrace) {
            let help = [
                "all threads run the same code: `thread { ... }`",
                "for procedures, write `proc name() { ... }`",
            ];
            return Err(self.missing("expected-body", "`{` and a body", "{", &help));
        }
        let (locals, body) = self.body()?;
        let (parameters, result) = (Vec::new(), None);
        Ok(ProcedureItem { is_thread: true, name, parameters, result, locals, body })
    }

    /// `proc insert(e : elem) : bool { ... }`.
    fn procedure(&mut self) -> Result<ProcedureItem, Reported> {
        self.bump();
        let name = self.name("a procedure")?;
        let Some(parameters) = self.in_parentheses(Parser::parameter)? else {
            let help = [
                format!("without parameters, write `proc {}() {{ ... }}`", name.text),
                format!("with one, `proc {}(e : elem) {{ ... }}`", name.text),
            ];
            let help = help.each_ref().map(String::as_str);
            return Err(self.missing("expected-parameters", "`(` and parameters", "(", &help));
        };
        let result = match self.eat(TokenKind::Colon) {
            true => Some(self.type_name()?),
            false => None,
        };
        if !self.at(TokenKind::LeftBrace) {
            let help = format!("a procedure looks like `proc {}() {{ ... }}`", name.text);
            return Err(self.missing("expected-body", "`{` and a body", "{", &[&help]));
        }
        let (locals, body) = self.body()?;
        Ok(ProcedureItem { is_thread: false, name, parameters, result, locals, body })
    }

    /// `e : elem`.
    fn parameter(&mut self) -> Result<(Name, Type), Reported> {
        let name = self.name("a parameter")?;
        if !self.eat(TokenKind::Colon) {
            let help = format!("parameters have types: `{} : int`", name.text);
            return Err(self.missing("malformed-declaration", "`:` and a type", ":", &[&help]));
        }
        Ok((name, self.type_name()?.0))
    }

    /// `let active(i) = formula;`.
    fn shorthand(&mut self) -> Result<LetItem, Reported> {
        self.bump();
        let name = self.name("a shorthand")?;
        let parameters = self.in_parentheses(|it| it.name("a thread"))?.unwrap_or_default();
        self.equal_sign("let", &name)?;
        let value = self.expression()?;
        self.semicolon_of_item("the shorthand")?;
        Ok(LetItem { name, parameters, value })
    }

    /// `invariant mutex(i, j) = formula;`, `invariant order(i) { a: formula; }`.
    fn invariant(&mut self) -> Result<InvariantItem, Reported> {
        let start = self.bump();
        let name = self.name("an invariant")?;
        let Some(parameters) = self.in_parentheses(|it| it.name("a thread"))? else {
            let text = &name.text;
            let help = [
                format!("about every two threads: `invariant {text}(i, j) = ...;`"),
                format!("about globals only: `invariant {text}() = ...;`"),
            ];
            let help = help.each_ref().map(String::as_str);
            return Err(self.missing("expected-parameters", "`(` and threads", "(", &help));
        };
        let conjuncts = match self.at(TokenKind::LeftBrace) {
            true => self.conjuncts(&name)?,
            false => {
                self.equal_sign("invariant", &name)?;
                let formula = self.expression()?;
                self.semicolon_of_item("the invariant")?;
                vec![(None, formula)]
            }
        };
        Ok(InvariantItem { name, parameters, conjuncts, span: self.since(start) })
    }

    /// `{ a: formula; formula; }`.
    fn conjuncts(&mut self, invariant: &Name) -> Result<Vec<(Option<Name>, Expr)>, Reported> {
        let open = self.bump();
        let conjuncts = self.up_to_brace(open, Parser::conjunct).0;
        if conjuncts.is_empty() && !self.holes {
            let message = format!("the invariant `{}` says nothing", invariant.text);
            error("empty-invariant", message, self.since(open), "expected a formula here")
                .with_help(format!("it looks like `invariant {}() {{ x >= 0; }}`", invariant.text))
                .report(self);
        }
        self.eat(TokenKind::Semicolon);
        Ok(conjuncts)
    }

    fn conjunct(&mut self) -> Result<(Option<Name>, Expr), Reported> {
        let tag = self.tag("a conjunct")?;
        let formula = self.expression()?;
        let over = self.at(TokenKind::RightBrace);
        self.semicolon_after("the conjunct", over)?;
        Ok((tag, formula))
    }

    /// The `=` behind the head of a `let` or an invariant.
    fn equal_sign(&mut self, word: &str, name: &Name) -> Result<(), Reported> {
        if self.eat(TokenKind::Equal) {
            return Ok(());
        }
        if self.at(TokenKind::Assign) || self.at(TokenKind::EqualEqual) {
            let message = format!("expected `=`, found `{}`", self.here_text());
            self.write_instead("malformed-declaration", message, 1, "=");
            self.bump();
            return Ok(());
        }
        let help = format!("it looks like `{word} {}(i) = at(i, wait) -> x >= 0;`", name.text);
        Err(self.missing("malformed-declaration", "`=` and a formula", "=", &[&help]))
    }
}
