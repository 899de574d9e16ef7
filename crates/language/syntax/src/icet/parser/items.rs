//! Declarations: sets, enumerations, messages, processes.

use super::Parser;
use crate::ast::Name;
use crate::grammar::Grammar;
use crate::icet::ast::{EnumDecl, SetDecl, SetKind};
use crate::icet::syntax::{
    ConstructorItem, Item, MessageItem, ProcessItem, TypeName, TypeNameKind,
};
use crate::lexer::TokenKind;
use crate::report::{Messages as _, Report as _, Reported, error};

impl Parser<'_> {
    pub(super) fn item(&mut self) -> Result<Item, Reported> {
        match self.word_at(0) {
            Some("procs") => self.set(SetKind::Processes).map(Item::Set),
            Some("index") => self.set(SetKind::Indices).map(Item::Set),
            Some("enum") => self.enumeration().map(Item::Enum),
            Some("msg") => self.message().map(Item::Message),
            Some("proc") => self.process(false).map(Item::Process),
            Some("server") if self.word_at(1) == Some("proc") => {
                self.process(true).map(Item::Process)
            }
            _ => Err(self.mistaken_item()),
        }
    }

    /// `procs Q;`, `index I >= 1;`.
    fn set(&mut self, kind: SetKind) -> Result<SetDecl, Reported> {
        self.bump();
        let name = self.name("a set")?;
        let at_least = match self.eat(TokenKind::GreaterEqual) {
            true => self.size(&name)?,
            false => 0,
        };
        self.semicolon_of_item("the set")?;
        Ok(SetDecl { name, kind, at_least })
    }

    /// The number behind `>=`.
    fn size(&mut self, set: &Name) -> Result<u32, Reported> {
        let text = self.here_text();
        let digits = self.at(TokenKind::Number) && text.bytes().all(|b| b.is_ascii_digit());
        if digits && let Ok(size) = text.parse() {
            self.bump();
            return Ok(size);
        }
        let (code, message) = match digits {
            true => ("number-out-of-range", "this number does not fit into 32 bits".to_owned()),
            false => ("expected-size", format!("expected a number, found {}", self.found())),
        };
        Err(error(code, message, self.here(), "expected how many members there are at least")
            .with_help(format!("it looks like `procs {} >= 1;`", set.text))
            .report(self))
    }

    /// `enum Colour { Red, Green }`.
    fn enumeration(&mut self) -> Result<EnumDecl, Reported> {
        let (name, values) = self.names_of_enumeration()?;
        self.eat(TokenKind::Semicolon);
        Ok(EnumDecl { name, values })
    }

    /// `msg Work = Task(pid, int) | None;`.
    fn message(&mut self) -> Result<MessageItem, Reported> {
        self.bump();
        let name = self.name("a message type")?;
        if self.at(TokenKind::Assign) {
            let message = "a message type is declared with `=`";
            self.write_instead("malformed-msg", message, 1, "=");
            self.bump();
        } else if !self.eat(TokenKind::Equal) {
            let text = &name.text;
            let message = format!("expected `=` and constructors, found {}", self.found());
            let mut diagnostic = error("malformed-msg", message, self.gap(), "expected `=` here")
                .with_help(format!("it looks like `msg {text} = {text};`"))
                .with_help(format!("with fields: `msg {text} = {text}(pid, int);`"));
            if self.at(TokenKind::Semicolon) {
                diagnostic = diagnostic.with_fix("add it", self.gap(), format!(" = {text}"));
            }
            return Err(self.report(diagnostic));
        }
        let mut constructors = vec![self.constructor()?];
        while self.at_character("|") {
            self.bump();
            constructors.push(self.constructor()?);
        }
        if self.at(TokenKind::OrOr) || self.at(TokenKind::Comma) || self.at_word("or") {
            let message =
                format!("constructors are separated by `|`, not by `{}`", self.here_text());
            return Err(self.write_instead("malformed-msg", message, 1, "|"));
        }
        self.semicolon_of_item("the message type")?;
        Ok(MessageItem { name, constructors })
    }

    /// `Task(pid, int)`.
    fn constructor(&mut self) -> Result<ConstructorItem, Reported> {
        let name = self.name("a constructor")?;
        let fields = self.in_parentheses(Parser::type_name)?.unwrap_or_default();
        Ok(ConstructorItem { name, fields })
    }

    /// `int`, `bool`, `pid`, `pid in Q`, `Colour`.
    pub(super) fn type_name(&mut self) -> Result<TypeName, Reported> {
        let start = self.here();
        let kind = match self.word_at(0) {
            Some("int") => TypeNameKind::Int,
            Some("bool") => TypeNameKind::Bool,
            Some("pid") => TypeNameKind::Pid,
            Some("integer" | "nat" | "number" | "boolean") => {
                let right = if self.here_text() == "boolean" { "bool" } else { "int" };
                let message = format!("`{}` is written `{right}`", self.here_text());
                error("misspelt-type", message, start, "not a type")
                    .with_fix(format!("write `{right}`"), start, right)
                    .report(self);
                if right == "bool" { TypeNameKind::Bool } else { TypeNameKind::Int }
            }
            Some(_) if self.is_name_at(0) => TypeNameKind::Named(self.name("a type")?),
            _ => {
                let help =
                    "types are `int`, `bool`, `pid`, `pid in SET` and the names of enumerations";
                let label = "expected a type here";
                return Err(self.expected("expected-type", "a type", label, &[help]));
            }
        };
        if matches!(kind, TypeNameKind::Named(_)) {
            return Ok(TypeName { span: start, kind });
        }
        self.bump();
        let kind = match kind {
            TypeNameKind::Pid if self.eat_word("in") => TypeNameKind::Member(self.name("a set")?),
            kind => kind,
        };
        Ok(TypeName { span: self.since(start), kind })
    }

    /// `proc p { ... }`, `server proc worker for w in W { ... }`.
    fn process(&mut self, server: bool) -> Result<ProcessItem, Reported> {
        self.bump();
        if server {
            self.bump();
        }
        let name = self.name("a process")?;
        let member = if self.eat_word("for") {
            let me = self.name("a member of the set")?;
            self.expect_in(&me)?;
            Some((me, self.name("a set")?))
        } else {
            None
        };
        if !self.at(TokenKind::LeftBrace) {
            let help = [
                format!("a process looks like `proc {} {{ ... }}`", name.text),
                format!("one for each member of a set: `proc {} for q in Q {{ ... }}`", name.text),
            ];
            let help = help.each_ref().map(String::as_str);
            return Err(self.missing("expected-body", "`{` and a body", "{", &help));
        }
        let body = self.block_after("proc")?;
        Ok(ProcessItem { server, name, member, body })
    }

    /// The `in` between a variable and its set.
    pub(super) fn expect_in(&mut self, name: &Name) -> Result<(), Reported> {
        if self.eat_word("in") {
            return Ok(());
        }
        let help = format!("it looks like `for {} in Q {{ ... }}`", name.text);
        Err(self.missing("expected-in", "`in` and a set", "in", &[&help]))
    }
}
