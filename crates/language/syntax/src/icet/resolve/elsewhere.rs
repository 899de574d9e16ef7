//! What the language has and processes that send messages do not: said, and how it is said here.

use super::Resolver;
use crate::ast::{self, Declared, Expr, ExprKind, Program, Size, TypeKind};
use crate::complaints::quote;
use crate::report::{Messages as _, error};
use ser_base::{Diagnostic, Span};

const SHARED: &str = "processes share nothing but messages: leave it out";

impl<'f> Resolver<'f, '_> {
    /// Items that mean something elsewhere only.
    pub(super) fn other_items(&mut self, program: &'f Program) {
        let mut said: Vec<(Span, &str, &str)> = Vec::new();
        for request in &program.requests {
            let help = "requests that share variables are a file of their own";
            said.push((request.name.span, "there are no requests beside messages", help));
        }
        for global in &program.globals {
            let message = match global.declared {
                Declared::Lock(_) => "there are no locks: processes share nothing but messages",
                _ => "a variable belongs to a process, and gets its value there",
            };
            let help = match global.declared {
                Declared::Lock(_) => "a process of its own can hand out a lock: with messages",
                _ => "move it into the braces of a process",
            };
            said.push((global.name.span, message, help));
        }
        for function in &program.functions {
            let message = "processes that send messages have no functions";
            let help = "write the statements out where they are needed";
            said.push((function.name.span, message, help));
        }
        for record in &program.records {
            let help = "a message has fields: `msg Order = Order(int, bool)`";
            said.push((record.name.span, "there are no records beside messages", help));
        }
        for alias in &program.aliases {
            said.push((alias.name.span, "types have no other names here", super::TYPES));
        }
        for assumption in &program.assumptions {
            let message = "processes that send messages share nothing to assume something of";
            let help = "what a process starts with is said in its first statements";
            said.push((assumption.span, message, help));
        }
        for claim in &program.claims {
            let help = "what has to hold is said with `assert` in a process; whether somebody can \
                        wait forever is asked of every file with messages";
            let message = match claim.kind {
                // This is what is asked anyway.
                ast::ClaimKind::Deadlock => continue,
                ast::ClaimKind::Reach => "goals are for processes that share variables",
                ast::ClaimKind::Invariant => "invariants are for threads that share variables",
            };
            said.push((claim.span, message, help));
        }
        for proof in &program.proofs {
            let message = "there is nothing to prove by hand here";
            said.push((proof.span, message, "leave it out"));
        }
        for process in &program.processes {
            for parameter in &process.parameters {
                let message = "processes that send messages have no parameters";
                let help =
                    "for any number of processes, write `set Q` and `process p for q in Q { ... }`";
                said.push((parameter.span, message, help));
            }
        }
        for set in &program.sets {
            let (message, help, span) = match set.size {
                Size::Exactly(_, span) => (
                    "sets have any number of members here",
                    "what holds is shown for all sizes; at least one is written `>= 1`",
                    span,
                ),
                Size::AtLeast(u32::MAX, span) => {
                    let message = "this number does not fit into 32 bits";
                    (message, "at least one is written `>= 1`", span)
                }
                _ => continue,
            };
            said.push((span, message, help));
        }
        for (span, message, help) in said {
            let label = "not supported here";
            error("not-for-messages", message, span, label).with_help(help).report(self);
        }
    }

    /// `ghost var`.
    pub(super) fn no_ghosts<T>(&mut self, span: Span) -> Option<T> {
        let place = Span::new(span.start, span.start + "ghost".len() as u32);
        error("not-for-messages", "there are no ghost variables here", place, "not supported here")
            .with_help("an ordinary variable does the same")
            .none(self)
    }

    /// A loop over something that is no set.
    pub(super) fn for_over_no_set<T>(&mut self, values: &ast::Type) -> Option<T> {
        if matches!(values.kind, TypeKind::Error) {
            return None;
        }
        let message = "a loop goes over a set";
        error("for-over-no-set", message, values.span, "expected the name of a set")
            .with_help("for numbers, declare `index I` at top level and write `for i in I { ... }`")
            .with_help("for processes, declare `set Q` and write `for q in Q { ... }`")
            .none(self)
    }

    /// A type of other models.
    pub(super) fn not_a_type<T>(&mut self, written: &ast::Type) -> Option<T> {
        let help = match &written.kind {
            TypeKind::Error => return None,
            TypeKind::Range(..) => "numbers have no bounds here: write `int`",
            TypeKind::Tuple(_) => "write the fields of a message one by one",
            _ => super::TYPES,
        };
        let message = "messages do not carry values of this type";
        error("not-for-messages", message, written.span, "not supported here")
            .with_help(help)
            .none(self)
    }

    /// Something that does nothing, or does something that processes here cannot do.
    pub(super) fn not_a_statement<T>(&mut self, expr: &'f Expr) -> Option<T> {
        match &expr.kind {
            ExprKind::Error => None,
            ExprKind::Call(name, _) if name.text.starts_with(char::is_uppercase) => {
                let message = format!("{} alone does nothing", quote(&name.text));
                error("no-procedures", message, expr.span, "looks like a call")
                    .with_help(format!("to send a message, write `send {}(...) to p`", name.text))
                    .with_help(format!("to receive one, write `{0}(x) := recv {0}`", name.text))
                    .none(self)
            }
            ExprKind::Call(name, _) => {
                let message =
                    format!("{} cannot be called: there are no procedures", quote(&name.text));
                let help =
                    "write the statements out where they are needed; repeat with `loop { ... }`";
                error("no-procedures", message, expr.span, "looks like a call")
                    .with_help(help)
                    .none(self)
            }
            ExprKind::Read(name) => {
                let text = name.text.as_str();
                let instead = match text {
                    "fail" => Some("assert false"),
                    "pass" | "noop" | "nop" => Some("skip"),
                    "stop" | "halt" | "exit" | "leave" => Some("break"),
                    _ => None,
                };
                if let Some(right) = instead {
                    let message = format!("`{text}` is written `{right}`");
                    return error(
                        "other-language",
                        message,
                        expr.span,
                        format!("expected `{right}`"),
                    )
                    .with_right(right)
                    .none(self);
                }
                self.expr(expr)?;
                self.does_nothing(expr)
            }
            ExprKind::Number(_)
            | ExprKind::Bool(_)
            | ExprKind::Coin
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Choose(_)
            | ExprKind::Field(..)
            | ExprKind::Group(_) => {
                if !matches!(expr.kind, ExprKind::Coin | ExprKind::Choose(_)) {
                    self.expr(expr)?;
                }
                self.does_nothing(expr)
            }
            _ => self.unsupported(expr),
        }
    }

    fn does_nothing<T>(&mut self, expr: &Expr) -> Option<T> {
        error("no-effect", "this does nothing", expr.span, "a value that nobody uses")
            .with_help("statements look like `x := 1`, `send Ping to p`, `v := recv Ping`")
            .none(self)
    }

    /// Something that has no value here.
    pub(super) fn not_a_value<T>(&mut self, expr: &'f Expr) -> Option<T> {
        let help = match &expr.kind {
            ExprKind::Error => return None,
            ExprKind::Choose(_) => "`choose` stands alone behind `:=`, as in `x := choose(int)`",
            ExprKind::Coin => "for any truth value, write `x := ?` before; alone, `if ? { ... }`",
            ExprKind::Receive(..) => "to receive is a statement of its own: `v := recv Ping`",
            ExprKind::Assign(..) | ExprKind::Store(..) => {
                "write `x := 1` before it; to compare, write `==`"
            }
            ExprKind::If(..) | ExprKind::Match(..) => {
                "assign in its blocks: `if c { x := 1 } else { x := 2 }`"
            }
            _ => return self.unsupported(expr),
        };
        let message = format!("{} has no value here", expr.kind.described());
        let place = self.first_word(expr);
        error("statement-as-value", message, place, "a statement of its own")
            .with_help(help)
            .none(self)
    }

    /// The word that an expression starts with, or all of it.
    fn first_word(&self, expr: &Expr) -> Span {
        let word = expr.kind.described().trim_matches('`');
        let text = self.text.get(expr.span.range()).unwrap_or_default();
        match text.starts_with(word) {
            true => Span::new(expr.span.start, expr.span.start + word.len() as u32),
            false => expr.span,
        }
    }

    fn unsupported<T>(&mut self, expr: &Expr) -> Option<T> {
        let place = self.first_word(expr);
        let (code, message, label, help) = match &expr.kind {
            ExprKind::Return(_) => {
                let label = "a process ends where its block ends";
                ("no-return", "there is no `return`", label, "to leave a loop, write `break`")
            }
            kind => {
                let help = match kind {
                    ExprKind::Yield
                    | ExprKind::Atomic(_)
                    | ExprKind::Assume(_)
                    | ExprKind::With(..)
                    | ExprKind::Acquire(_)
                    | ExprKind::Release(_) => SHARED,
                    ExprKind::Await(..) => "to wait for a message, write `recv Ping`",
                    ExprKind::Abort => "a process ends where its block ends",
                    ExprKind::Continue => "put the rest of the round into an `if`",
                    ExprKind::Named(..) | ExprKind::Block(_) => {
                        "statements need no names: leave it out"
                    }
                    ExprKind::Ghost(..) | ExprKind::At(..) => "this is for proofs: leave it out",
                    ExprKind::Where(..) => "choose first, and look at the value with `if`",
                    ExprKind::Index(..) | ExprKind::List(_) => {
                        "for any number of values, use one process for each: `set Q`"
                    }
                    ExprKind::Tuple(_) | ExprKind::Field(..) => {
                        "a message has fields: `msg Order = Order(int, bool)`"
                    }
                    ExprKind::Relation(..) | ExprKind::Elements(_) => {
                        "there are `==`, `!=`, `<`, `<=`, `>`, `>=`, `&&`, `||` and `!`"
                    }
                    _ => "statements look like `x := 1`, `send Ping to p`, `v := recv Ping`",
                };
                let message =
                    format!("processes that send messages do not have {}", kind.described());
                let diagnostic =
                    Diagnostic::error("not-for-messages", message, place).with_help(help);
                return diagnostic.with_label("not supported here").none(self);
            }
        };
        error(code, message, place, label).with_help(help).none(self)
    }
}
