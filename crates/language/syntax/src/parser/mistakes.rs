//! What to say about things that other languages have, or that fingers do.
//!
//! Nothing here changes what is accepted: these functions run only after it is clear that
//! something is wrong, and find the words for it.

use super::expressions::{Infix, power, starts_expression};
use super::{Dialect, Parser, Reported};
use crate::ast::{Block, Expr, ExprKind};
use crate::complaints::{quote, unknown_character};
use crate::lexer::TokenKind;
use ser_base::{Diagnostic, Span};

impl Parser<'_> {
    /// Something that is no operator stands where an operator could. `Ok(None)` if it may well
    /// be right for somebody else, like a `;`.
    pub(super) fn mistaken_operator(
        &mut self,
        kind: TokenKind,
        left: &Expr,
        min_power: u8,
    ) -> Result<Option<(Infix, u8)>, Reported> {
        let next = self.peek_at(1);
        match kind {
            TokenKind::Equal => match &left.kind {
                ExprKind::Read(name) if !self.in_condition => {
                    if min_power > 0 {
                        return Ok(None);
                    }
                    let message = "`=` does not assign; `:=` does";
                    let diagnostic =
                        Diagnostic::error("equals-for-assignment", message, self.here())
                            .with_label("expected `:=`")
                            .with_fix("write `:=` to assign", self.here(), ":=")
                            .with_help("write `==` to compare");
                    self.report(diagnostic);
                    Ok(Some((Infix::Assign(name.clone()), 0)))
                }
                _ if power::COMPARISON < min_power => Ok(None),
                _ => {
                    self.single_equal(next);
                    Ok(Some((Infix::Unsupported, power::COMPARISON)))
                }
            },
            TokenKind::Assign if min_power == 0 => Err(self.assignment_to_expression(left)),
            TokenKind::Unknown => {
                let Some(power) = foreign_operator(self.here_text()) else {
                    return Err(self.unknown());
                };
                if power < min_power {
                    return Ok(None);
                }
                self.unknown();
                Ok(Some((Infix::Unsupported, power)))
            }
            TokenKind::LeftParenthesis if matches!(left.kind, ExprKind::Read(_)) => {
                let ExprKind::Read(name) = &left.kind else {
                    return Ok(None);
                };
                let name = &name.text;
                let message = format!("`{name}` is not a function: there are none");
                let diagnostic =
                    Diagnostic::error("no-functions", message, left.span.to(self.here()))
                        .with_label("looks like a call")
                        .with_help("if these are two expressions, put a `;` between them");
                Err(self.report(diagnostic))
            }
            TokenKind::Question if next.is_some_and(starts_expression) => {
                let message = "there is no `? :`; `if` has a value itself";
                let diagnostic = Diagnostic::error("no-ternary", message, self.here())
                    .with_label("unexpected `?` after an expression")
                    .with_help("write `if (a) { b } else { c }`");
                Err(self.report(diagnostic))
            }
            _ => Ok(None),
        }
    }

    /// `=`, `=>` or `=<` where a comparison could stand. Leaves the last token current.
    fn single_equal(&mut self, next: Option<TokenKind>) {
        let here = self.here();
        let swapped = match next {
            Some(TokenKind::Greater) if self.touching(0) => Some(("=>", ">=")),
            Some(TokenKind::Less) if self.touching(0) => Some(("=<", "<=")),
            _ => None,
        };
        match swapped {
            Some((wrong, right)) => {
                let span = Span::new(here.start, here.end + 1);
                let message = format!("`{wrong}` is written `{right}`");
                let diagnostic = Diagnostic::error("unsupported-operator", message, span)
                    .with_label(format!("expected `{right}`"))
                    .with_fix(format!("write `{right}`"), span, right);
                self.report(diagnostic);
                self.bump();
                self.last_error = Some(self.position);
            }
            None => {
                let message = "`=` does not compare; `==` does";
                let diagnostic = Diagnostic::error("equals-for-comparison", message, here)
                    .with_label("expected `==`")
                    .with_fix("write `==` to compare", here, "==");
                self.report(diagnostic);
            }
        }
    }

    /// Two operators without a blank between them that mean something elsewhere.
    pub(super) fn mistaken_pair(&mut self, kind: TokenKind, left: &Expr) -> Result<(), Reported> {
        let here = self.here();
        let span = Span::new(here.start, here.end + 1);
        let next = self.peek_at(1);
        let operand_follows = self.peek_at(2).is_some_and(starts_expression);
        let variable = match &left.kind {
            ExprKind::Read(name) => Some(&*name.text),
            _ => None,
        };
        match (kind, next) {
            (TokenKind::Plus, Some(TokenKind::Plus)) => {}
            (TokenKind::Minus, Some(TokenKind::Minus)) if !operand_follows => {}
            (TokenKind::Plus | TokenKind::Minus | TokenKind::Star, Some(TokenKind::Equal)) => {
                let op = self.here_text();
                let message = format!("there is no `{op}=`");
                let x = variable.unwrap_or("x");
                let mut diagnostic = Diagnostic::error("compound-assignment", message, span)
                    .with_label("unexpected");
                diagnostic = match variable {
                    Some(_) => diagnostic.with_fix("write it out", span, format!(":= {x} {op}")),
                    None => diagnostic.with_help(format!("write `{x} := {x} {op} 1`")),
                };
                return Err(self.report(diagnostic));
            }
            (TokenKind::EqualEqual | TokenKind::NotEqual, Some(TokenKind::Equal)) => {
                let right = self.here_text();
                let message = format!("`{right}=` is written `{right}`");
                let diagnostic = Diagnostic::error("unsupported-operator", message, span)
                    .with_label(format!("expected `{right}`"))
                    .with_fix(format!("write `{right}`"), span, right);
                self.report(diagnostic);
                self.bump();
                return Ok(());
            }
            (TokenKind::Less, Some(TokenKind::Greater)) => {
                let message = "`<>` is written `!=`";
                let diagnostic = Diagnostic::error("unsupported-operator", message, span)
                    .with_label("expected `!=`")
                    .with_fix("write `!=`", span, "!=");
                self.report(diagnostic);
                self.bump();
                return Ok(());
            }
            (TokenKind::Star, Some(TokenKind::Star)) => {
                let message = "there is no operator for powers";
                let diagnostic = Diagnostic::error("unsupported-operator", message, span)
                    .with_label("unexpected `**`")
                    .with_help("write the product out: `x * x`");
                self.report(diagnostic);
                self.bump();
                return Ok(());
            }
            _ => return Ok(()),
        }
        let op = self.here_text();
        let message = format!("there is no `{op}{op}`");
        let mut diagnostic = Diagnostic::error("increment", message, span).with_label("unexpected");
        diagnostic = match variable {
            Some(x) => {
                let whole = left.span.to(span);
                diagnostic.with_fix("write it out", whole, format!("{x} := {x} {op} 1"))
            }
            None => diagnostic.with_help(format!("write `x := x {op} 1`")),
        };
        Err(self.report(diagnostic))
    }

    /// `a == b == c`.
    pub(super) fn chained_comparison(&mut self, left: &Expr) {
        const LONGEST: usize = 40;
        let text = |span: Span| self.text.get(span.range()).unwrap_or("");
        let ordered = matches!(
            self.peek(),
            Some(
                TokenKind::Less
                    | TokenKind::LessEqual
                    | TokenKind::Greater
                    | TokenKind::GreaterEqual
            )
        );
        let mut diagnostic =
            Diagnostic::error("chained-comparison", "comparisons cannot be chained", self.here())
                .with_label("a second comparison")
                .with_secondary(left.span, "this is already a comparison");
        diagnostic = match &left.kind {
            ExprKind::Binary(_, _, middle) if ordered && left.span.range().len() <= LONGEST => {
                let first = text(left.span);
                let middle = text(middle.span);
                let op = text(self.here());
                diagnostic.with_help(format!("to say both, write `{first} && {middle} {op} ...`"))
            }
            _ => diagnostic.with_help("say which one comes first with parentheses"),
        };
        self.report(diagnostic);
    }

    /// `a + b := c`.
    fn assignment_to_expression(&mut self, left: &Expr) -> Reported {
        let message = "only a variable can be assigned to";
        let diagnostic = Diagnostic::error("not-assignable", message, left.span)
            .with_label("this is not a variable")
            .with_secondary(self.here(), "assigned here");
        let diagnostic = match &left.kind {
            ExprKind::Binary(..) | ExprKind::Unary(..) => diagnostic
                .with_help("an assignment inside an expression needs parentheses: `1 + (x := 2)`"),
            ExprKind::Group(_) => diagnostic.with_help("leave the parentheses out: `x := 1`"),
            _ => diagnostic.with_help("an assignment looks like `x := 1`"),
        };
        self.report(diagnostic)
    }

    /// Something that starts no expression stands where one should.
    pub(super) fn mistaken_operand(&mut self, kind: TokenKind) -> Reported {
        let here = self.here();
        let diagnostic = match kind {
            TokenKind::Unknown => return self.unknown(),
            TokenKind::Exit => return self.exit(),
            TokenKind::Else => return self.stray_else(),
            TokenKind::Const => {
                let message = match self.dialect {
                    Dialect::Processes => "a constant is defined outside of the processes",
                    _ => "a constant is defined outside of the requests",
                };
                Diagnostic::error("const-in-request", message, here)
                    .with_label("unexpected `const` here")
                    .with_help("move it to the top of the file")
            }
            TokenKind::Plus if self.touching(0) && self.peek_at(1) == Some(TokenKind::Plus) => {
                Diagnostic::error("increment", "there is no `++`", here)
                    .with_label("unexpected")
                    .with_help("write `x := x + 1`")
            }
            TokenKind::Plus => {
                Diagnostic::error("expected-expression", "there is no `+` with one operand", here)
                    .with_label("expected an expression before it")
            }
            TokenKind::LeftBrace => {
                Diagnostic::error("expected-expression", "expected an expression, found `{`", here)
                    .with_label("unexpected block here")
                    .with_help(match self.dialect {
                        Dialect::Processes => "braces follow words like `if`, `while` and `atomic`",
                        _ => "braces follow `if`, `else`, `while` and the name of a request",
                    })
                    .with_help("to put expressions together, use parentheses: `(a; b)`")
            }
            _ => return self.expected_expression(),
        };
        self.report(diagnostic)
    }

    pub(super) fn expected_expression(&mut self) -> Reported {
        let message = format!("expected an expression, found {}", self.found());
        let place = if self.peek().is_some() { self.here() } else { self.gap() };
        let diagnostic = Diagnostic::error("expected-expression", message, place)
            .with_label("expected an expression here");
        self.report(diagnostic)
    }

    /// An expression is over, and something follows that cannot.
    pub(super) fn unexpected(&mut self, kind: TokenKind, closer: TokenKind) {
        let here = self.here();
        match kind {
            TokenKind::Else => {
                self.stray_else();
                return;
            }
            TokenKind::Colon => {
                self.colon();
                return;
            }
            _ => {}
        }
        let closer = if closer == TokenKind::RightBrace { "}" } else { ")" };
        let message = format!("expected `;` or `{closer}`, found {}", self.found());
        let mut diagnostic =
            Diagnostic::error("unexpected-token", message, here).with_label("not expected here");
        if kind == TokenKind::Comma {
            diagnostic = diagnostic.with_fix("separate expressions with `;`", here, ";");
        }
        self.report(diagnostic);
    }

    pub(super) fn stray_parenthesis(&mut self) {
        let diagnostic =
            Diagnostic::error("stray-parenthesis", "this `)` closes nothing", self.here())
                .with_label("no `(` is open here");
        self.report(diagnostic);
    }

    /// `else` without an `if` before it.
    fn stray_else(&mut self) -> Reported {
        let before = self.position.checked_sub(1).and_then(|index| self.tokens.get(index));
        let mut diagnostic =
            Diagnostic::error("else-without-if", "this `else` belongs to no `if`", self.here())
                .with_label("no `if` ends right before this");
        if let Some(before) = before.filter(|token| token.kind == TokenKind::Semicolon) {
            diagnostic = diagnostic
                .with_secondary(before.span, "the `if` ends with this `;`")
                .with_fix("remove the `;` before `else`", before.span, "");
        }
        self.report(diagnostic)
    }

    /// `elif`, `elseif`, `elsif`: reported and taken for `else if`. The word stays the current
    /// token; it stands where the `if` would.
    pub(super) fn misspelt_else_if(&mut self) -> bool {
        let text = self.here_text();
        if !matches!(text, "elif" | "elseif" | "elsif") {
            return false;
        }
        let diagnostic = Diagnostic::error(
            "misspelt-else-if",
            format!("`{text}` is written `else if`"),
            self.here(),
        )
        .with_label("expected `else if`")
        .with_fix("write `else if`", self.here(), "else if");
        self.report(diagnostic);
        true
    }

    /// A `:` where a `{` should be.
    pub(super) fn colon(&mut self) -> Reported {
        if self.colon_seen {
            // Said once; the whole file is probably like this.
            self.last_error = Some(self.position);
            return Reported;
        }
        self.colon_seen = true;
        let message = "a block stands in braces, it does not start with `:`";
        let diagnostic = Diagnostic::error("colon-for-braces", message, self.here())
            .with_label("expected `{`")
            .with_help(match self.dialect {
                Dialect::Processes => "write `process P { x := 1; while (X == 1) { skip } }`",
                _ => "write `request main { x := 1; while (X == 1) { yield }; x }`",
            });
        self.report(diagnostic)
    }

    /// What follows `if`, `else` or `while` does not start with `{`. It is reported; where there is
    /// one expression, the caller takes it for the body.
    pub(super) fn missing_braces(&mut self, after: &str) -> Reported {
        let what = match after {
            "else" | "or" => format!("`{after}`"),
            "repeat" => "how often".to_owned(),
            _ => "the condition".to_owned(),
        };
        let message = format!("expected `{{` after {what}, found {}", self.found());
        let place = if self.peek().is_some() { self.here() } else { self.gap() };
        let diagnostic = Diagnostic::error("expected-block", message, place)
            .with_label("expected `{`")
            .with_help(match after {
                "else" | "or" => format!("write `{after} {{ ... }}`"),
                "repeat" => "write `repeat 3 { ... }`".to_owned(),
                _ => format!("write `{after} (...) {{ ... }}`"),
            });
        let reported = self.report(diagnostic);
        if matches!(self.here_text(), "then" | "do") {
            self.bump();
        }
        reported
    }

    /// The same where expressions stand in the braces.
    pub(super) fn branch_without_braces(
        &mut self,
        after: &str,
    ) -> Result<(Block, usize), Reported> {
        let reported = self.missing_braces(after);
        match self.peek() {
            Some(TokenKind::LeftBrace) => Ok(self.block()),
            Some(kind) if starts_expression(kind) => {
                let before = std::mem::replace(&mut self.in_condition, false);
                let body = self.expression(0);
                self.in_condition = before;
                let body = body?;
                let span = body.expr.span;
                Ok((Block { exprs: vec![body.expr], span }, body.height))
            }
            _ => Err(reported),
        }
    }

    pub(super) fn exit(&mut self) -> Reported {
        let message = "`exit` is not part of the language";
        let diagnostic =
            Diagnostic::error("exit", message, self.here()).with_label("not supported").with_fix(
                match self.dialect {
                    Dialect::Processes => "to end the process, write `return`",
                    _ => "to respond and end the request, write `return`",
                },
                self.here(),
                "return",
            );
        self.report(diagnostic)
    }

    /// Digits with letters behind them.
    pub(super) fn not_a_number(&mut self) -> Reported {
        let text = self.here_text();
        let here = self.here();
        let mut diagnostic =
            Diagnostic::error("not-a-number", format!("{} is not a number", quote(text)), here)
                .with_label("numbers are written with the digits 0 to 9 only");
        let digits = text.replace('_', "");
        if digits.bytes().all(|b| b.is_ascii_digit()) {
            diagnostic = diagnostic.with_fix("leave the `_` out", here, digits);
        }
        self.report(diagnostic)
    }

    /// Characters that are no part of the language.
    pub(super) fn unknown(&mut self) -> Reported {
        let diagnostic = unknown_character(self.here_text(), self.here());
        self.report(diagnostic)
    }
}

/// How tightly an operator of other languages binds; `None` if it is no operator.
fn foreign_operator(text: &str) -> Option<u8> {
    Some(match text {
        "%" | "/" | "×" | "·" | "÷" => power::PRODUCT,
        "−" => power::SUM,
        "≠" | "≤" | "≥" | "≡" => power::COMPARISON,
        "&" | "∧" | "^" => power::AND,
        "|" | "∨" => power::OR,
        _ => return None,
    })
}
