//! What only processes and threads have: their items, and what they do.
//!
//! Words like `send` and `atomic` are recognised by where they stand, in the body of a process or
//! of a function: they are names like others in requests.

use super::Parser;
use super::expressions::{Tree, starts_expression};
use super::operators::power;
use crate::ast::{Argument, Block, ExprKind, Message, Name, Process, Program, Set, Size};
use crate::lexer::TokenKind;
use crate::report::{Messages as _, Report as _, Reported, error};
use ser_base::Span;

/// Words that processes and claims may use as they are, although requests have no such thing.
const ADMITTED: [&str; 9] =
    ["null", "nobody", "lowest", "highest", "self", "me", "malloc", "lock", "unlock"];

impl Parser<'_> {
    /// An item about processes, or what is asked of them; whether there was one.
    pub(super) fn item_of_processes(
        &mut self,
        word: &str,
        program: &mut Program,
    ) -> Result<bool, Reported> {
        use TokenKind::{Assign, Colon, Equal, In};
        // What does not look like a variable is meant to be an item, with a name or not.
        let named = !matches!(self.peek_at(1), Some(Assign | Colon | Equal | In) | None);
        match word {
            "set" | "index" if named => program.sets.push(self.set_of_processes()?),
            "msg" if named => program.messages.push(self.message()?),
            "process" if named => program.processes.push(self.process_of_world()?),
            "server" if self.word_at(1) == Some("process") => {
                program.processes.push(self.process_of_world()?);
            }
            "ghost" if self.word_at(1) == Some("var") => {
                let variable = self.in_processes(Parser::declared)?;
                program.globals.push(variable);
            }
            _ => return self.claim_item(word, program),
        }
        Ok(true)
    }

    /// `set name`, `set name >= 1`, `set name == 2`, `index name`.
    fn set_of_processes(&mut self) -> Result<Set, Reported> {
        let is_index = self.at_word("index");
        let start = self.bump();
        let name = self.name("a set")?;
        let size = match self.peek() {
            Some(TokenKind::GreaterEqual) => {
                self.bump();
                let (number, span) = self.size_of_set()?;
                Size::AtLeast(number, span)
            }
            Some(TokenKind::EqualEqual) => {
                self.bump();
                let (number, span) = self.size_of_set()?;
                Size::Exactly(number, span)
            }
            _ => Size::Any,
        };
        Ok(Set { name, is_index, size, span: self.since(start) })
    }

    fn size_of_set(&mut self) -> Result<(u32, Span), Reported> {
        let text = self.here_text();
        if self.at(TokenKind::Number) && text.bytes().all(|it| it.is_ascii_digit()) {
            // A number that does not fit is too large in any case.
            return Ok((text.parse().unwrap_or(u32::MAX), self.bump()));
        }
        let help = ["at least one: `set W >= 1`", "exactly two: `set W == 2`"];
        Err(self.expected("expected-number", "a number", "expected how many there are", &help))
    }

    /// `msg name = constructor(type, ...) | ...`.
    fn message(&mut self) -> Result<Message, Reported> {
        let start = self.bump();
        let name = self.name("a message type")?;
        if self.at(TokenKind::Assign) {
            let message = "a message type is declared with `=`";
            self.write_instead("malformed-msg", message, 1, "=");
            self.bump();
        } else if !self.eat(TokenKind::Equal) {
            let help = format!("it looks like `msg {} = Job(int) | Done`", name.text);
            return Err(self.missing("malformed-msg", "`=` and constructors", "=", &[&help]));
        }
        let mut constructors = Vec::new();
        loop {
            let constructor = self.name("a constructor")?;
            let fields = self.in_parentheses(Parser::a_type)?.unwrap_or_default();
            constructors.push((constructor, fields));
            if matches!(self.peek(), Some(TokenKind::OrOr | TokenKind::Or)) {
                let message =
                    format!("constructors are separated by `|`, not by `{}`", self.here_text());
                self.write_instead("malformed-msg", message, 1, "|");
                self.bump();
            } else if !self.eat(TokenKind::Bar) {
                break;
            }
        }
        Ok(Message { name, constructors, span: self.since(start) })
    }

    /// `server process name(parameters) for member in set { body }`.
    fn process_of_world(&mut self) -> Result<Process, Reported> {
        let start = self.here();
        let server = self.eat_word("server");
        self.bump();
        let name = self.name("a process")?;
        let parameters = self.parameters()?;
        let member = if self.eat_word("for") {
            let member = self.name("a member of the set")?;
            if !self.eat(TokenKind::In) {
                let help =
                    format!("it looks like `process {} for w in Workers {{ ... }}`", name.text);
                return Err(self.missing("malformed-process", "`in` and a set", "in", &[&help]));
            }
            Some((member, self.name("a set")?))
        } else {
            None
        };
        self.process_body_follows(&name)?;
        let body = self.block_of_any_world().0;
        Ok(Process { server, name, parameters, member, body, span: self.since(start) })
    }

    fn process_body_follows(&mut self, name: &Name) -> Result<(), Reported> {
        if self.at(TokenKind::LeftBrace) {
            return Ok(());
        }
        let help = format!("a process looks like `process {} {{ ... }}`", name.text);
        if self.at(TokenKind::Colon) {
            let message = "a block stands in braces, it does not start with `:`";
            return Err(self.wrong("colon-for-braces", message, "expected `{`", &[&help]));
        }
        Err(self.missing("expected-body", "`{` and a body", "{", &[&help]))
    }

    /// A block in which the words of processes mean something.
    pub(super) fn block_of_any_world(&mut self) -> (Block, usize) {
        self.in_processes(Parser::block)
    }

    /// An expression of a block: perhaps with a name before it, or with ghost code behind it.
    pub(super) fn statement_or_value(&mut self) -> Result<Tree, Reported> {
        if !self.in_processes {
            return self.expression(0);
        }
        self.one_more()?;
        // In parentheses, it is a set.
        let in_parentheses =
            self.previous().is_some_and(|it| it.kind == TokenKind::LeftParenthesis);
        if self.at(TokenKind::LeftBrace) && !in_parentheses {
            let message = "expected a statement, found `{`";
            error("expected-statement", message, self.here(), "unexpected block here")
                .with_fix("if it is one step, write `atomic {`", self.here(), "atomic {")
                .report(self);
            let (block, height) = self.deeper(|parser| Ok(parser.block()))?;
            let span = block.span;
            return Ok(Tree::node(ExprKind::Atomic(block), span, height));
        }
        let named = self.is_name_at(0) && self.peek_at(1) == Some(TokenKind::Colon);
        if !named {
            let statement = self.expression(0)?;
            return self.with_ghost(statement);
        }
        let name = self.name("a statement")?;
        self.bump();
        let inside = if self.at(TokenKind::LeftBrace) {
            let (block, height) = self.deeper(|parser| Ok(parser.block()))?;
            let span = block.span;
            Tree::node(ExprKind::Block(block), span, height)
        } else {
            let inside = self.expression(0)?;
            self.with_ghost(inside)?
        };
        let span = name.span.to(inside.expr.span);
        Ok(Tree::node(ExprKind::Named(name, Box::new(inside.expr)), span, inside.height))
    }

    /// `ghost { ... }` behind something, if it is there.
    pub(super) fn with_ghost(&mut self, before: Tree) -> Result<Tree, Reported> {
        let ghost = self.in_processes
            && self.at_word("ghost")
            && self.peek_at(1) == Some(TokenKind::LeftBrace);
        if !ghost {
            return Ok(before);
        }
        self.bump();
        let (block, height) = self.block();
        let span = before.expr.span.to(block.span);
        let below = height.max(before.height);
        Ok(Tree::node(ExprKind::Ghost(Box::new(before.expr), block), span, below))
    }

    /// `where condition` behind a choice, if it is there.
    pub(super) fn restricted(&mut self, chosen: Tree) -> Result<Tree, Reported> {
        if !self.in_processes || !self.eat_word("where") {
            return Ok(chosen);
        }
        let condition = self.expression(0)?;
        let span = chosen.expr.span.to(condition.expr.span);
        let below = chosen.height.max(condition.height);
        let kind = ExprKind::Where(Box::new(chosen.expr), Box::new(condition.expr));
        Ok(Tree::node(kind, span, below))
    }

    /// What stands behind `assert`, `assume` or `await`: in parentheses, and in processes also
    /// without.
    pub(super) fn claimed(&mut self, example: &str) -> Result<Tree, Reported> {
        if self.in_processes {
            return self.condition();
        }
        let open = self.open_parenthesis(example)?;
        let inside = self.condition();
        self.close_parenthesis(open, inside, false)
    }

    /// What starts with a word that means something in processes and claims alone.
    pub(super) fn word_of_processes(&mut self) -> Result<Option<Tree>, Reported> {
        if !self.in_processes {
            return Ok(None);
        }
        let start = self.here();
        let next = self.peek_at(1);
        let word = if self.misspelt_receive() { "recv" } else { self.here_text() };
        let named = self.is_name_at(1);
        let tree = match word {
            _ if next == Some(TokenKind::Assign) => return Ok(None),
            "ghost" if self.word_at(1) == Some("var") => {
                let variable = self.deeper(Parser::declared)?;
                let span = variable.span;
                Tree::node(ExprKind::Var(Box::new(variable)), span, 1)
            }
            "skip"
                if next.is_none_or(|kind| !starts_expression(kind))
                    || self.word_at(1) == Some("ghost") =>
            {
                Tree::leaf(ExprKind::Skip, self.bump())
            }
            "atomic" if next == Some(TokenKind::LeftBrace) => {
                self.bump();
                let (block, height) = self.block();
                Tree::node(ExprKind::Atomic(block), self.since(start), height)
            }
            "await"
                if next.is_some_and(starts_expression) || next == Some(TokenKind::LeftBrace) =>
            {
                self.bump();
                let condition = self.claimed("await(X == 1)")?;
                let (block, height) = match self.at(TokenKind::LeftBrace) {
                    true => self.block(),
                    false => (Block { exprs: Vec::new(), span: self.gap() }, 0),
                };
                let below = height.max(condition.height);
                let kind = ExprKind::Await(Box::new(condition.expr), block);
                Tree::node(kind, self.since(start), below)
            }
            "send" if next.is_some_and(starts_expression) => self.send_to()?,
            "recv" if named => {
                self.bump();
                let message = self.name("a message type or a queue")?;
                if self.at(TokenKind::LeftParenthesis) {
                    return Err(self.receive_with_fields(&message));
                }
                let (from, height) = match self.eat_word("from") {
                    true if self.at(TokenKind::Star) => {
                        let message = "a message from anybody is received without `from`";
                        return Err(self.wrong("from-anybody", message, "not needed", &[]));
                    }
                    true => {
                        let from = self.expression(power::SUM)?;
                        (Some(Box::new(from.expr)), from.height)
                    }
                    false => (None, 0),
                };
                Tree::node(ExprKind::Receive(message, from), self.since(start), height)
            }
            "lock" | "unlock" if self.word_at(1).is_some() => {
                self.bump();
                let cell = self.expression(power::UNARY)?;
                let inside = Box::new(cell.expr);
                let kind = match word {
                    "lock" => ExprKind::Acquire(inside),
                    _ => ExprKind::Release(inside),
                };
                Tree::node(kind, self.since(start), cell.height)
            }
            "at" if next == Some(TokenKind::LeftParenthesis) => self.at_places()?,
            _ if ADMITTED.contains(&word) && next != Some(TokenKind::LeftParenthesis) => {
                let variable = self.variable_here();
                self.parts_of(variable)?
            }
            "malloc" => self.function_call()?,
            _ => {
                self.other_word_of_messages()?;
                return Ok(None);
            }
        };
        Ok(Some(tree))
    }

    /// `send value to receiver`.
    fn send_to(&mut self) -> Result<Tree, Reported> {
        let start = self.bump();
        let value = self.expression(0)?;
        if !self.eat_word("to") {
            if let ExprKind::Call(queue, arguments) = &value.expr.kind
                && let [Argument { name: None, value: item }] = arguments.as_slice()
            {
                let item = self.text.get(item.span.range()).unwrap_or("1");
                let right = format!("send {item} to {}", queue.text);
                let message = "what is sent stands before `to`, and the receiver behind it";
                return Err(error("expected-to", message, self.since(start), "sent to nobody")
                    .with_fix("write it like this", self.since(start), right)
                    .report(self));
            }
            let message = format!("expected `to` and a receiver, found {}", self.found());
            let mut diagnostic = error("expected-to", message, self.gap(), "expected `to` here")
                .with_help("it looks like `send Ping to p` or `send 1 to Q`");
            if self.at(TokenKind::Comma) {
                diagnostic = diagnostic.with_fix("write `to`", self.here(), " to");
            }
            return Err(self.report(diagnostic));
        }
        let to = self.expression(power::SUM)?;
        let below = value.height.max(to.height);
        let kind = ExprKind::Send(Box::new(value.expr), Box::new(to.expr));
        Ok(Tree::node(kind, self.since(start), below))
    }

    /// Whether what starts with the `{` here is a set that is compared with something, and no
    /// block.
    pub(super) fn set_follows(&self) -> bool {
        use TokenKind::{
            EqualEqual, In, LeftBrace, Minus, Name, NotEqual, Plus, RightBrace, Semicolon, Star,
        };
        let (mut open, mut tokens) = (0_usize, self.tokens.iter().skip(self.position));
        let inside = tokens.by_ref().map_while(|token| {
            match token.kind {
                LeftBrace => open += 1,
                RightBrace => open -= 1,
                Semicolon | TokenKind::Assign => return None,
                _ => {}
            }
            (open > 0).then_some(())
        });
        let closed = inside.count();
        let behind = self.tokens.get(self.position + closed + 1);
        self.in_processes
            && self.tokens.get(self.position + closed).is_some_and(|it| it.kind == RightBrace)
            && behind.is_some_and(|behind| match behind.kind {
                Name => self.text.get(behind.span.range()) == Some("subset"),
                kind => matches!(kind, EqualEqual | NotEqual | In | Plus | Minus | Star),
            })
    }

    /// `{a, b}`; the current token is the `{`.
    pub(super) fn elements(&mut self) -> Result<Tree, Reported> {
        let open = self.bump();
        let mut height = 0;
        let parts = self.list(TokenKind::RightBrace, |parser| {
            let part = parser.expression(0)?;
            height = height.max(part.height);
            Ok(part.expr)
        });
        let parts = match parts {
            Ok(parts) if self.eat(TokenKind::RightBrace) => parts,
            Ok(_) => {
                let message = format!("expected `,` or `}}`, found {}", self.found());
                let reported =
                    error("unclosed-set", message, self.gap(), "expected `,` or `}` here")
                        .with_secondary(open, "this is the start of a set")
                        .report(self);
                self.skip_elements();
                return Err(reported);
            }
            Err(reported) => {
                self.skip_elements();
                return Err(reported);
            }
        };
        let tree = Tree::node(ExprKind::Elements(parts), self.since(open), height);
        self.parts_of(tree)
    }

    /// Goes behind the `}` of a set that was not understood. Where a condition stands, what looks
    /// like a set may be a block.
    fn skip_elements(&mut self) {
        match self.in_condition {
            true => self.skip_to(&[]),
            false => self.skip_to(&[TokenKind::Semicolon]),
        }
        self.eat(TokenKind::RightBrace);
    }
}
