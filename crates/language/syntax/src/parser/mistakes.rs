//! What to say about things that other languages have, or that fingers do.
//!
//! Nothing here changes what is accepted: these functions run only after it is clear that
//! something is wrong, and find the words for it.

use super::Parser;
use super::expressions::{Infix, starts_expression};
use super::operators::power;
use crate::ast::{Expr, ExprKind, Name};
use crate::lexer::TokenKind;
use crate::report::{Messages as _, Report as _, Reported, error};
use ser_base::Span;

impl Parser<'_> {
    /// Something that is no operator of the language stands where one could. If it was probably
    /// meant to be one, it is taken for one.
    pub(super) fn mistaken_operator(
        &mut self,
        kind: TokenKind,
        left: &Expr,
        min_power: u8,
    ) -> Result<Option<(Infix, u8)>, Reported> {
        match (kind, &left.kind) {
            (TokenKind::Equal, ExprKind::Read(name)) if !self.in_condition => {
                if min_power > 0 {
                    return Ok(None);
                }
                self.equals_for_assignment(&["write `==` to compare"]);
                Ok(Some((Infix::Assign(name.clone()), 0)))
            }
            (TokenKind::Equal, ExprKind::Index(..) | ExprKind::Field(..) | ExprKind::Tuple(_))
                if !self.in_condition =>
            {
                if min_power > 0 {
                    return Ok(None);
                }
                self.equals_for_assignment(&["write `==` to compare"]);
                Ok(Some((Infix::Store, 0)))
            }
            (TokenKind::Equal, _) if power::COMPARISON < min_power => Ok(None),
            (TokenKind::Equal, _) => {
                self.mistaken_comparison();
                Ok(Some((Infix::Unsupported, power::COMPARISON)))
            }
            (TokenKind::Assign, ExprKind::Index(..) | ExprKind::Field(..) | ExprKind::Tuple(_))
                if min_power == 0 =>
            {
                Ok(Some((Infix::Store, 0)))
            }
            // `Task(x) := recv Work`.
            (TokenKind::Assign, ExprKind::Call(..)) if min_power == 0 && self.in_processes => {
                Ok(Some((Infix::Store, 0)))
            }
            (TokenKind::Assign, _) if min_power == 0 => Err(self.assignment_to_expression(left)),
            (TokenKind::Bar, _) if power::OR >= min_power => {
                self.write_instead("unsupported-operator", "`|` is written `||`", 1, "||");
                Ok(Some((Infix::Unsupported, power::OR)))
            }
            (TokenKind::Unknown, _) => {
                let Some(power) = foreign_operator(self.here_text()) else {
                    return Err(self.unknown());
                };
                if power < min_power {
                    return Ok(None);
                }
                self.unknown();
                Ok(Some((Infix::Unsupported, power)))
            }
            (TokenKind::Dot, ExprKind::Number(_)) if self.peek_at(1) == Some(TokenKind::Number) => {
                let message = "numbers are whole: there are no decimals";
                let help = "count in a smaller unit, such as cents";
                Err(self.wrong("no-decimals", message, "unexpected `.`", &[help]))
            }
            (TokenKind::LeftParenthesis, ExprKind::Read(name)) => {
                let message = format!("`{}` is not a function: there are none", name.text);
                Err(error("no-functions", message, left.span.to(self.here()), "looks like a call")
                    .with_help("if these are two expressions, put a `;` between them")
                    .report(self))
            }
            (TokenKind::Question, _) if self.peek_at(1).is_some_and(starts_expression) => {
                let message = "there is no `? :`; `if` has a value itself";
                let help = "write `if (a) { b } else { c }`";
                let label = "unexpected `?` after an expression";
                Err(self.wrong("no-ternary", message, label, &[help]))
            }
            _ => Ok(None),
        }
    }

    /// `=` where only a comparison can be meant, `=>`, `=<`.
    fn mistaken_comparison(&mut self) {
        let swapped = [(TokenKind::Greater, ">="), (TokenKind::Less, "<=")];
        let swapped = swapped.iter().find(|(kind, _)| self.together(&[TokenKind::Equal, *kind]));
        match swapped {
            Some((_, right)) => {
                self.written_differently(right);
                self.last_error = Some(self.position);
            }
            None => self.single_equal(),
        }
    }

    /// Two tokens that are an operator elsewhere; the second stays the current one.
    fn written_differently(&mut self, right: &str) {
        let wrong = self.text.get(self.span_of(2).range()).unwrap_or("");
        self.write_instead(
            "unsupported-operator",
            format!("`{wrong}` is written `{right}`"),
            2,
            right,
        );
        self.bump();
    }

    /// Two operators without a blank between them that mean something elsewhere.
    pub(super) fn mistaken_pair(&mut self, left: &Expr) -> Result<(), Reported> {
        use TokenKind::{
            Equal, EqualEqual, Greater, Less, Minus, NotEqual, Percent, Plus, Slash, Star,
        };
        let span = self.span_of(2);
        let sign = self.here_text();
        let variable = match &left.kind {
            ExprKind::Read(name) => Some(&*name.text),
            _ => None,
        };
        let is = |parser: &Self, pairs: &[[TokenKind; 2]]| {
            pairs.iter().any(|pair| parser.together(pair))
        };
        let operand_follows = self.peek_at(2).is_some_and(starts_expression);
        if is(self, &[[Plus, Plus]]) || is(self, &[[Minus, Minus]]) && !operand_follows {
            let message = format!("there is no `{sign}{sign}`");
            let diagnostic = error("increment", message, span, "unexpected");
            let right = |x: &str| format!("{x} := {x} {sign} 1");
            return Err(self.report(match variable {
                Some(x) => diagnostic.with_fix("write it out", left.span.to(span), right(x)),
                None => diagnostic.with_help(format!("write `{}`", right("x"))),
            }));
        }
        let compound = [Plus, Minus, Star, Slash, Percent].map(|sign| [sign, Equal]);
        if is(self, &compound) {
            let message = format!("there is no `{sign}=`");
            let diagnostic = error("compound-assignment", message, span, "unexpected");
            return Err(self.report(match variable {
                Some(x) => diagnostic.with_fix("write it out", span, format!(":= {x} {sign}")),
                None => diagnostic.with_help(format!("write `x := x {sign} 1`")),
            }));
        }
        if is(self, &[[EqualEqual, Equal], [NotEqual, Equal]]) {
            self.written_differently(sign);
        } else if is(self, &[[Less, Greater]]) {
            self.written_differently("!=");
        } else if is(self, &[[Star, Star]]) {
            let message = "there is no operator for powers";
            error("unsupported-operator", message, span, "unexpected `**`")
                .with_help("write the product out: `x * x`")
                .report(self);
            self.bump();
        }
        Ok(())
    }

    /// `a + b := c`.
    fn assignment_to_expression(&mut self, left: &Expr) -> Reported {
        let help = match &left.kind {
            ExprKind::Binary(..) | ExprKind::Unary(..) => {
                "an assignment inside an expression needs parentheses: `1 + (x := 2)`"
            }
            ExprKind::Group(_) => "leave the parentheses out: `x := 1`",
            _ => "an assignment looks like `x := 1`",
        };
        let message = "only a variable can be assigned to";
        error("not-assignable", message, left.span, "this is not a variable")
            .with_secondary(self.here(), "assigned here")
            .with_help(help)
            .report(self)
    }

    /// Something that starts no expression stands where one should.
    pub(super) fn mistaken_operand(&mut self, kind: TokenKind) -> Reported {
        const CODE: &str = "expected-expression";
        match kind {
            TokenKind::Unknown | TokenKind::Quoted => self.unknown(),
            TokenKind::Exit => self.exit(),
            TokenKind::Else => self.stray_else(),
            TokenKind::Const => {
                let message = "a constant is defined at top level";
                let help = "move it to the top of the file";
                self.wrong("const-in-request", message, "unexpected `const` here", &[help])
            }
            TokenKind::Plus if self.together(&[TokenKind::Plus, TokenKind::Plus]) => {
                self.wrong("increment", "there is no `++`", "unexpected", &["write `x := x + 1`"])
            }
            TokenKind::Plus => {
                let label = "expected an expression before it";
                self.wrong(CODE, "there is no `+` with one operand", label, &[])
            }
            TokenKind::LeftBrace => {
                let together = "to put expressions together, use parentheses: `(a; b)`";
                let mut help = [self.language.block_help, together];
                let is_field = matches!(self.peek_at(2), Some(TokenKind::Colon));
                if self.is_name_at(1) && is_field {
                    help[0] = "a record is written with its name: `Order(amount: 1, paid: true)`";
                }
                let message = "expected an expression, found `{`";
                self.wrong(CODE, message, "unexpected block here", &help)
            }
            _ => self.expected_expression(),
        }
    }

    pub(super) fn expected_expression(&mut self) -> Reported {
        let label = "expected an expression here";
        self.expected("expected-expression", "an expression", label, &[])
    }

    /// An expression is over, and something follows that cannot.
    pub(super) fn unexpected(&mut self, kind: TokenKind, closer: TokenKind) -> Reported {
        match kind {
            TokenKind::Else => return self.stray_else(),
            TokenKind::Colon => return self.colon(),
            _ => {}
        }
        let here = self.here();
        let closer = if closer == TokenKind::RightBrace { "}" } else { ")" };
        let message = format!("expected `;` or `{closer}`, found {}", self.found());
        let diagnostic = error("unexpected-token", message, here, "not expected here");
        self.report(match kind {
            TokenKind::Comma => diagnostic
                .with_fix("separate expressions with `;`", here, ";")
                .with_help("several values in one stand in parentheses: `(a, b)`"),
            TokenKind::LeftBrace if self.previous().is_some_and(|it| it.kind == TokenKind::Name) => {
                diagnostic.with_help("a record is written `Order(amount: 1)`; blocks stand behind `if`, `while`, `for`, `loop`, `with`, `match` and `choose`")
            }
            _ => diagnostic,
        })
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
        let help = self.language.file_help;
        self.wrong("colon-for-braces", message, "expected `{`", &[help])
    }

    /// What follows `if`, `else` or `while` does not start with `{`. It is reported; where there is
    /// one expression, the caller takes it for the body.
    pub(super) fn missing_body(&mut self, after: &str) -> Reported {
        let (what, help) = match after {
            "else" | "or" => (format!("`{after}`"), format!("write `{after} {{ ... }}`")),
            "repeat" => ("how often".to_owned(), "write `repeat 3 { ... }`".to_owned()),
            "for" => ("the range".to_owned(), "write `for i in 0..2 { ... }`".to_owned()),
            "with" => ("the lock".to_owned(), "write `with L { ... }`".to_owned()),
            "loop" => ("`loop`".to_owned(), "write `loop { ... }`".to_owned()),
            _ => ("the condition".to_owned(), format!("write `{after} (...) {{ ... }}`")),
        };
        let what = format!("`{{` after {what}");
        let reported = self.expected("expected-block", &what, "expected `{`", &[&help]);
        if matches!(self.here_text(), "then" | "do") {
            self.bump();
        }
        reported
    }

    pub(super) fn exit(&mut self) -> Reported {
        let message = "`exit` is not part of the language";
        let fix = format!("to end the {}, write `return`", self.language.item);
        error("exit", message, self.here(), "not supported")
            .with_fix(fix, self.here(), "return")
            .report(self)
    }

    /// What stands behind `abort` on its line and looks like a response, or like arguments. It is
    /// reported and skipped.
    pub(super) fn aborted_value(&mut self, abort: Span) -> Result<(), Reported> {
        let between = Span::new(abort.end, self.here().start);
        let same_line = self.text.get(between.range()).is_some_and(|gap| !gap.contains('\n'));
        // A `-` could be the operator.
        let starts = |kind| kind != TokenKind::Minus && starts_expression(kind);
        if !same_line || !self.peek().is_some_and(starts) {
            return Ok(());
        }
        let parentheses = [TokenKind::LeftParenthesis, TokenKind::RightParenthesis];
        let (span, label) = if self.together(&parentheses) {
            let open = self.bump();
            (open.to(self.bump()), "not needed")
        } else {
            (self.expression(0)?.expr.span, "nobody gets this value")
        };
        let message = "`abort` stands alone: the request ends without a response";
        error("abort-with-value", message, span, label)
            .with_fix("leave it out", abort.to(span), "abort")
            .with_help("to respond with a value, write `return`")
            .report(self);
        Ok(())
    }

    /// What stands at top level and is no item; `last` is the item with a body before it.
    pub(super) fn mistaken_item(
        &mut self,
        last: Option<(&str, &Name, Span)>,
        expected: &str,
        help: &str,
    ) -> Reported {
        let (here, item) = (self.here(), self.language.item);
        let diagnostic = match self.peek() {
            Some(TokenKind::Unknown | TokenKind::Exit) => {
                let exits = self.at(TokenKind::Exit);
                let reported = if exits { self.exit() } else { self.unknown() };
                self.bump();
                return reported;
            }
            Some(TokenKind::RightParenthesis) => {
                let label = "no `(` is open here";
                error("stray-parenthesis", "this `)` closes nothing", here, label)
            }
            Some(TokenKind::RightBrace) => {
                error("stray-brace", "this `}` closes nothing", here, "no `{` is open here")
            }
            Some(TokenKind::Return) if item == "request" => {
                let label = "there is nothing to return from here";
                error("return-outside-request", "`return` outside a request", here, label)
            }
            Some(TokenKind::Abort) if item == "request" => {
                let label = "there is nothing to abort here";
                error("abort-outside-request", "`abort` outside a request", here, label)
            }
            _ => {
                let message = format!("expected {expected}, found {}", self.found());
                let label = format!("not expected outside a {item}");
                let diagnostic = error("expected-item", message, here, label);
                let known: &[&str] = match item {
                    "request" => {
                        &["request", "const", "enum", "record", "type", "var", "lock", "fn"]
                    }
                    "process" => &[
                        "process",
                        "const",
                        "enum",
                        "msg",
                        "set",
                        "index",
                        "var",
                        "fn",
                        "reach",
                        "invariant",
                    ],
                    _ => &[],
                };
                let known = known.iter().copied();
                let word = self.word_at(0);
                let meant = word.and_then(|it| self.sink.closest(&it.to_lowercase(), known));
                match meant.filter(|meant| Some(*meant) != word) {
                    Some(meant) => diagnostic.meant(meant),
                    None => diagnostic.with_help(help),
                }
            }
        };
        let ended =
            |span: Span| self.text.get(span.range()).is_some_and(|text| text.ends_with('}'));
        let diagnostic = match last {
            Some((item, Name { text, .. }, span)) if ended(span) => diagnostic.with_secondary(
                Span::new(span.end - 1, span.end),
                format!("the {item} `{text}` ended here"),
            ),
            _ => diagnostic,
        };
        let reported = self.report(diagnostic);
        self.bump();
        reported
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
