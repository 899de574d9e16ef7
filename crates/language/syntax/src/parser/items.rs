//! The top level: `const`, initial values, requests.

use super::{Dialect, Parser, Reported};
use crate::ast::{Block, Constant, InitialValue, Name, Parameter, Program, Request};
use crate::lexer::TokenKind;
use ser_base::{Diagnostic, Span};

impl Parser<'_> {
    /// A whole file: items in any order, with `;` or `,` between them or not.
    pub(super) fn program(&mut self) -> Program {
        let mut program = Program::default();
        while let Some(kind) = self.peek() {
            let next = self.peek_at(1);
            let outcome = match kind {
                TokenKind::Semicolon | TokenKind::Comma => {
                    self.bump();
                    Ok(())
                }
                _ if kind.is_keyword() && next == Some(TokenKind::Assign) => {
                    self.initial_value().map(|item| program.initial_values.push(item))
                }
                TokenKind::Request => match self.request() {
                    Ok(item) => {
                        program.requests.push(item);
                        Ok(())
                    }
                    Err(Reported) => {
                        self.skip_to_item(false);
                        Ok(())
                    }
                },
                TokenKind::Const => self.constant().map(|item| program.constants.push(item)),
                TokenKind::Name if self.at_initial_value(!program.requests.is_empty()) => {
                    self.initial_value().map(|item| program.initial_values.push(item))
                }
                _ => {
                    self.not_an_item(program.requests.last().map(|last| (&last.name, last.span)));
                    self.bump();
                    self.skip_to_item(false);
                    Ok(())
                }
            };
            if let Err(Reported) = outcome {
                self.skip_to_item(true);
            }
        }
        program
    }

    /// Whether `Name :=` stands here. If a request ended too early, `x := 1` is not the mistake
    /// of giving an initial value to a local variable.
    fn at_initial_value(&self, after_request: bool) -> bool {
        let local = self.here_text().starts_with(|c: char| c.is_ascii_lowercase());
        matches!(self.peek_at(1), Some(TokenKind::Assign | TokenKind::Equal))
            && !(local && after_request && self.extra_closer)
    }

    /// `const name = value`.
    pub(super) fn constant(&mut self) -> Result<Constant, Reported> {
        let start = self.bump();
        let name = self.name("a constant")?;
        if self.eat(TokenKind::Equal).is_none() {
            let found = self.found();
            let diagnostic = match self.peek() {
                Some(TokenKind::Assign | TokenKind::EqualEqual) => {
                    let message = format!("a constant is defined with `=`, not with {found}");
                    Diagnostic::error("constant-needs-equal", message, self.here())
                        .with_label("expected `=`")
                        .with_fix("write `=`", self.here(), "=")
                }
                _ => {
                    let message = format!("expected `=` and a value, found {found}");
                    Diagnostic::error("constant-needs-equal", message, self.here())
                        .with_label("expected `=`")
                        .with_help(format!("a constant looks like `const {} = 3`", name.text))
                }
            };
            let reported = self.report(diagnostic);
            if !matches!(self.peek(), Some(TokenKind::Assign | TokenKind::EqualEqual)) {
                return Err(reported);
            }
            self.bump();
        }
        let value = self.expression(0)?.expr;
        let span = start.to(value.span);
        Ok(Constant { name, value, span })
    }

    /// `Name := value`.
    fn initial_value(&mut self) -> Result<InitialValue, Reported> {
        let is_keyword = self.peek().is_some_and(TokenKind::is_keyword);
        let name = self.name("a variable")?;
        if self.eat(TokenKind::Assign).is_none() {
            let text = &name.text;
            let message = "an initial value is given with `:=`, not with `=`";
            let diagnostic = Diagnostic::error("equals-for-assignment", message, self.here())
                .with_label("expected `:=`")
                .with_fix("write `:=`", self.here(), ":=")
                .with_help(format!("or make it a constant: `const {text} = ...`"));
            self.report(diagnostic);
            self.bump();
        }
        let value = self.expression(0)?.expr;
        if is_keyword {
            return Err(Reported);
        }
        let span = name.span.to(value.span);
        Ok(InitialValue { name, value, span })
    }

    /// `request name(parameters) { body }`.
    fn request(&mut self) -> Result<Request, Reported> {
        let start = self.bump();
        let name = self.name("a request")?;
        let parameters = match self.peek() {
            Some(TokenKind::LeftParenthesis) => self.parameters()?,
            _ => Vec::new(),
        };
        let body = self.body(&name)?;
        let span = start.to(body.span);
        Ok(Request { name, parameters, body, span })
    }

    fn body(&mut self, name: &Name) -> Result<Block, Reported> {
        match self.peek() {
            Some(TokenKind::LeftBrace) => Ok(self.block().0),
            Some(TokenKind::Colon) => Err(self.colon()),
            _ => {
                let found = self.found();
                let message = format!("expected `{{` and a body, found {found}");
                let diagnostic = Diagnostic::error("expected-body", message, self.gap())
                    .with_label("expected `{` here")
                    .with_help(format!("a request looks like `request {} {{ ... }}`", name.text));
                Err(self.report(diagnostic))
            }
        }
    }

    /// `(p in low..high, ...)`; also `()`, which is the same as nothing.
    pub(super) fn parameters(&mut self) -> Result<Vec<Parameter>, Reported> {
        let open = self.bump();
        let inside = self.parameter_list();
        let inside = self.close_parenthesis(open, inside, true);
        match inside {
            // The body is worth reading even if the parameters are not.
            Err(Reported) if self.at(TokenKind::LeftBrace) => Ok(Vec::new()),
            inside => inside,
        }
    }

    fn parameter_list(&mut self) -> Result<Vec<Parameter>, Reported> {
        let mut parameters = Vec::new();
        while !self.at(TokenKind::RightParenthesis) {
            parameters.push(self.parameter()?);
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
        }
        Ok(parameters)
    }

    fn parameter(&mut self) -> Result<Parameter, Reported> {
        let name = self.name("a parameter")?;
        if self.eat(TokenKind::In).is_none() {
            let text = &name.text;
            let message = format!("the parameter `{text}` needs a range of values");
            let diagnostic = Diagnostic::error("parameter-without-range", message, name.span)
                .with_label("its values are not known")
                .with_fix("for example, for 0 and 1", Span::empty(name.span.end), " in 0..1");
            return Err(self.report(diagnostic));
        }
        let (low, high) = self.range()?;
        let span = name.span.to(high.expr.span);
        Ok(Parameter { name, low: low.expr, high: high.expr, span })
    }

    /// A name for `what`. A keyword is reported and then taken for the name.
    pub(super) fn name(&mut self, what: &str) -> Result<Name, Reported> {
        let text = self.here_text();
        match self.peek() {
            Some(TokenKind::Name) => {}
            Some(kind) if kind.is_keyword() && !self.at_item() => {
                self.keyword_as_name(self.here());
            }
            Some(TokenKind::Unknown) => return Err(self.unknown()),
            _ => {
                let found = self.found();
                let message = format!("expected the name of {what}, found {found}");
                let diagnostic = Diagnostic::error("expected-name", message, self.here())
                    .with_label("expected a name")
                    .with_help(
                        "a name is made of letters, digits and `_`, and starts with no digit",
                    );
                return Err(self.report(diagnostic));
            }
        }
        Ok(Name { text: text.to_owned(), span: self.bump() })
    }

    /// Reports the keyword at `span` as no name for anything.
    pub(super) fn keyword_as_name(&mut self, span: Span) -> Reported {
        let text = self.text.get(span.range()).unwrap_or("");
        let message = format!("`{text}` is a keyword and cannot be a name");
        let diagnostic = Diagnostic::error("keyword-as-name", message, span)
            .with_label("a keyword")
            .with_fix("choose another name, for example", span, format!("{text}_"));
        self.report(diagnostic)
    }

    /// Reports what stands at top level and is no item; `last` is the name and the place of the item before
    /// that has a body.
    pub(super) fn not_an_item(&mut self, last: Option<(&Name, Span)>) {
        let here = self.here();
        let diagnostic = match self.peek() {
            Some(TokenKind::RightBrace) => {
                Diagnostic::error("stray-brace", "this `}` closes nothing", here)
                    .with_label("no `{` is open here")
            }
            Some(TokenKind::RightParenthesis) => {
                Diagnostic::error("stray-parenthesis", "this `)` closes nothing", here)
                    .with_label("no `(` is open here")
            }
            Some(TokenKind::Return) if self.dialect == Dialect::Requests => {
                Diagnostic::error("return-outside-request", "`return` outside a request", here)
                    .with_label("there is nothing to return from here")
            }
            Some(TokenKind::Unknown) => {
                self.unknown();
                return;
            }
            Some(TokenKind::Exit) => {
                self.exit();
                return;
            }
            _ => {
                let (expected, help) = match self.dialect {
                    Dialect::Requests | Dialect::Goal => (
                        "`request`, `const` or an initial value like `X := 1`",
                        "what a request does stands in its braces: `request main { ... }`",
                    ),
                    Dialect::Processes => (
                        "`process`, `reach`, or a variable like `X in 0..3`",
                        "what a process does stands in its braces: `process P { ... }`",
                    ),
                    Dialect::Unwinding => (
                        "`place`, `transition` or `target`",
                        "arcs stand in the braces of a transition: `transition t { in p }`",
                    ),
                };
                let message = format!("expected {expected}, found {}", self.found());
                Diagnostic::error("expected-item", message, here)
                    .with_label(format!("not expected outside a {}", self.dialect.item()))
                    .with_help(help)
            }
        };
        let diagnostic = match last {
            Some((name, span))
                if self.text.get(span.range()).is_some_and(|text| text.ends_with('}')) =>
            {
                let end = Span::new(span.end - 1, span.end);
                let (item, name) = (self.dialect.item(), &name.text);
                diagnostic.with_secondary(end, format!("the {item} `{name}` ended here"))
            }
            _ => diagnostic,
        };
        self.report(diagnostic);
    }
}
