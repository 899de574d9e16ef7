//! What to say about things that other languages have, or that fingers do.
//!
//! Nothing here changes what is accepted: these functions run only after it is clear that something is
//! wrong, and find the words for it.

use super::Parser;
use crate::cursor::Reported;
use crate::inv::syntax::{Expr, ExprKind};
use crate::inv::words::{FIELDS, ITEMS, STATEMENTS};
use crate::lexer::TokenKind;
use crate::parser::{quote, unknown_character};
use ser_base::{Diagnostic, Span};

impl Parser<'_> {
    /// What stands at top level and is no item.
    pub(super) fn not_an_item(&mut self) -> Reported {
        let here = self.here();
        let word = self.word_at(0);
        let diagnostic = match (self.peek(), word) {
            (Some(TokenKind::RightBrace), _) => {
                Diagnostic::error("stray-brace", "this `}` closes nothing", here)
                    .with_label("no `{` is open here")
            }
            (Some(TokenKind::Semicolon), _) => {
                Diagnostic::error("stray-semicolon", "this `;` ends nothing", here)
                    .with_label("did not expect this")
                    .with_fix("remove it", here, "")
            }
            (Some(TokenKind::Unknown), _) => return self.unknown(),
            (
                _,
                Some("request" | "const" | "process" | "place" | "transition" | "procs" | "msg"),
            ) if self.word_at(1).is_some() => {
                return self.other_language(word.unwrap_or_default());
            }
            (_, Some("local")) => {
                let message = "locals stand at the start of `thread` or of a procedure";
                Diagnostic::error("expected-item", message, here)
                    .with_label("did not expect this outside a body")
                    .with_help("for a variable that all threads share, write `global`")
            }
            (_, Some("int" | "bool" | "tid" | "addr" | "elem" | "set" | "var")) => {
                return self.declared_as_elsewhere(word.unwrap_or_default());
            }
            _ if word.is_some() && self.peek_at(1) == Some(TokenKind::Assign) => {
                let message = "what is done stands in `thread` or in a procedure";
                Diagnostic::error("expected-item", message, here)
                    .with_label("did not expect this at top level")
                    .with_help("for an initial value, write `global x : int = 0;`")
            }
            _ => {
                let message = format!(
                    "expected `global`, `thread`, `proc`, `invariant` or `proof`, found {}",
                    self.found()
                );
                let diagnostic = Diagnostic::error("expected-item", message, here)
                    .with_label("did not expect this at top level");
                match word.and_then(|word| self.sink.closest(word, ITEMS.into_iter())) {
                    Some(right) if Some(right) != word => {
                        diagnostic.with_fix(format!("did you mean `{right}`?"), here, right)
                    }
                    _ => diagnostic.with_help("what threads do stands in `thread { ... }`"),
                }
            }
        };
        self.report(diagnostic)
    }

    /// `int x = 0;`: the type stands first, as in other languages.
    fn declared_as_elsewhere(&mut self, word: &str) -> Reported {
        let here = self.here();
        let ty = if word == "var" { "int" } else { word };
        let diagnostic = Diagnostic::error("expected-item", "variables begin with `global`", here)
            .with_label("did not expect this at top level");
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

    /// A file in another language; said once, and that is all.
    fn other_language(&mut self, word: &str) -> Reported {
        let (article, extension, command) = match word {
            "request" | "const" => ("a", ".ser", "check"),
            "place" | "transition" => ("a", ".unw", "trace"),
            "procs" | "msg" => ("an", ".icet", "sequentialize"),
            _ => ("an", ".events", "trace"),
        };
        let message =
            format!("this looks like {article} `{extension}` file, not like an `.inv` file");
        let diagnostic = Diagnostic::error("other-language", message, self.here())
            .with_label(format!("this is how `{extension}` files are written"))
            .with_help(format!(
                "give it a name that ends with `{extension}`, and run `ser {command}` on it"
            ))
            .with_help("the program of an `.inv` file looks like `thread { loop { critical; } }`");
        self.report(diagnostic);
        self.give_up()
    }

    /// What stands in a block and is no statement.
    pub(super) fn not_a_statement(&mut self) -> Reported {
        let here = self.here();
        let word = self.word_at(0);
        if self.at(TokenKind::Unknown) {
            return self.unknown();
        }
        if self.at(TokenKind::Semicolon) {
            let diagnostic =
                Diagnostic::error("stray-semicolon", "there is no statement before this `;`", here)
                    .with_label("did not expect this")
                    .with_fix("remove it", here, "")
                    .with_help("to do nothing, write `skip;`");
            return self.report(diagnostic);
        }
        if self.at(TokenKind::LeftBrace) {
            let message = "expected a statement, found `{`";
            let diagnostic = Diagnostic::error("expected-statement", message, here)
                .with_label("did not expect a block here")
                .with_help("blocks follow words like `if`, `loop` and `label NAME`");
            return self.report(diagnostic);
        }
        let diagnostic = match word {
            Some("else") => {
                Diagnostic::error("else-without-if", "this `else` belongs to no `if`", here)
                    .with_label("no `if` ends right before this")
            }
            Some("or") => {
                Diagnostic::error("or-without-choice", "this `or` belongs to no `choice`", here)
                    .with_label("no `choice` ends right before this")
            }
            Some("ghost") => {
                let message = "ghost code stands behind a statement, and is done in its step";
                Diagnostic::error("ghost-alone", message, here)
                    .with_label("there is no statement before it")
                    .with_help("for a step of its own, write `skip; ghost { ... }`")
            }
            Some("break" | "continue") => {
                let message = format!("there is no `{}`", self.here_text());
                Diagnostic::error("no-break", message, here)
                    .with_label("loops end by their condition")
                    .with_help("write `while c { ... }`, or leave a procedure with `return;`")
            }
            Some("assume") => {
                let message = "`assume` is about the start: it stands at top level";
                Diagnostic::error("assume-in-statements", message, here)
                    .with_label("did not expect this here")
                    .with_help("to wait until something holds, write `await c;`")
            }
            Some("let") => {
                let message = "`let` stands at top level";
                Diagnostic::error("let-in-statements", message, here)
                    .with_label("did not expect this here")
                    .with_help("declare `local x : int;` at the start of the body")
            }
            Some(ty @ ("int" | "bool" | "tid" | "addr" | "elem")) if self.word_at(1).is_some() => {
                let name = self.word_at(1).unwrap_or("x");
                Diagnostic::error("expected-statement", "locals begin with `local`", here)
                    .with_label("did not expect this")
                    .with_help(format!("declare `local {name} : {ty};` at the start of the body"))
            }
            Some("yield" | "repeat" | "send" | "recv") => {
                let message = format!("there is no `{}` in `.inv` files", self.here_text());
                Diagnostic::error("other-language", message, here)
                    .with_label("a word of other languages")
                    .with_help("every statement is one step: others run between any two of them")
            }
            Some("malloc" | "havoc") => {
                let word = self.here_text();
                let message = format!("`{word}` gives a value to a variable");
                Diagnostic::error("expected-statement", message, here)
                    .with_label("expected `x :=` before this")
                    .with_help(format!("write `x := {word}...;`"))
            }
            Some(word) => {
                let message = format!("expected a statement, found {}", self.found());
                let diagnostic = Diagnostic::error("expected-statement", message, here)
                    .with_label("did not expect this");
                match self.sink.closest(word, STATEMENTS.into_iter()) {
                    Some(right) if right != word => {
                        diagnostic.with_fix(format!("did you mean `{right}`?"), here, right)
                    }
                    _ => diagnostic
                        .with_help("statements look like `x := 1;`, `await x == 1;`, `call p(x);`"),
                }
            }
            None => {
                let message = format!("expected a statement, found {}", self.found());
                Diagnostic::error("expected-statement", message, here)
                    .with_label("did not expect this")
            }
        };
        self.report(diagnostic)
    }

    /// Something stands where an assignment could, and is none.
    pub(super) fn not_an_assignment(&mut self, target: &Expr, is_statement: bool) -> Reported {
        if self.at(TokenKind::Unknown) {
            return self.unknown();
        }
        if self.together(&[TokenKind::Minus, TokenKind::Greater])
            && self.word_at(2).is_some_and(|word| FIELDS.contains(&word))
        {
            let place = self.span_of(2);
            let diagnostic = Diagnostic::error("arrow-for-field", "fields stand behind `.`", place)
                .with_label("expected `.`")
                .with_fix("write `.`", place, ".");
            return self.report(diagnostic);
        }
        if let ExprKind::Call(name, _) = &target.kind
            && is_statement
        {
            let message = format!("{} is called with `call`", quote(&name.text));
            let start = Span::empty(target.span.start);
            let diagnostic = Diagnostic::error("missing-call", message, target.span)
                .with_label("looks like a call")
                .with_fix("write `call`", start, "call ");
            return self.report(diagnostic);
        }
        let message = format!("expected `:=`, found {}", self.found());
        let diagnostic = Diagnostic::error("expected-assignment", message, self.here_or_gap())
            .with_label("expected `:=` here")
            .with_help("statements look like `x := 1;`, `await x == 1;`, `call p(x);`");
        self.report(diagnostic)
    }

    /// Whether `x++`, `x += 1` or the like stands here.
    pub(super) fn at_compound_assignment(&self) -> bool {
        self.compound_sign().is_some()
    }

    /// The places of both characters of `++`, `+=` and the like, behind a name.
    fn compound_sign(&self) -> Option<(Span, &str)> {
        let first = self.tokens.get(self.position + 1)?;
        let second = self.tokens.get(self.position + 2)?;
        let sign = matches!(first.kind, TokenKind::Plus | TokenKind::Minus | TokenKind::Star);
        let doubled = second.kind == first.kind && first.kind != TokenKind::Star;
        let assigned = second.kind == TokenKind::Equal;
        let together = first.span.end == second.span.start;
        let fits = self.is_name_at(0) && sign && together && (doubled || assigned);
        let span = first.span.to(second.span);
        fits.then(|| (span, self.text.get(span.range()).unwrap_or("")))
    }

    pub(super) fn compound_assignment(&mut self) -> Reported {
        let name = self.here_text().to_owned();
        let Some((span, shown)) = self.compound_sign() else {
            return self.not_a_statement();
        };
        let sign = shown.chars().next().unwrap_or('+');
        let diagnostic =
            Diagnostic::error("compound-assignment", format!("there is no `{shown}`"), span)
                .with_label("did not expect this");
        let diagnostic = match shown.ends_with('=') {
            true => diagnostic.with_fix("write it out", span, format!(":= {name} {sign}")),
            false => diagnostic.with_fix("write it out", span, format!(" := {name} {sign} 1")),
        };
        self.report(diagnostic)
    }

    /// A declaration behind statements.
    pub(super) fn late_local(&mut self) -> Reported {
        let message = "locals are declared before the first statement";
        let diagnostic = Diagnostic::error("late-local", message, self.here())
            .with_label("did not expect a declaration here")
            .with_help("move it to the start of `thread` or of the procedure");
        self.report(diagnostic)
    }

    /// `a: label b { ... }`.
    pub(super) fn named_label(&mut self) -> Reported {
        let message = "a `label` has its name behind it, and no other";
        let diagnostic = Diagnostic::error("named-label", message, self.here())
            .with_label("did not expect `label` here")
            .with_help("write `label crit { ... }`");
        self.report(diagnostic)
    }

    /// `choice { ... }` without `or`.
    pub(super) fn single_choice(&mut self, choice: Span) -> Reported {
        let message = "a `choice` has at least two branches";
        let diagnostic = Diagnostic::error("single-choice", message, self.gap())
            .with_label("expected `or { ... }` here")
            .with_secondary(choice, "the choice")
            .with_help("to do it or nothing, write `choice { ... } or { skip; }`");
        self.report(diagnostic)
    }

    /// A statement that takes more than one step in `atomic` or `ghost`.
    pub(super) fn statement_in_action(&mut self) -> Reported {
        let word = self.here_text();
        let message = format!("`{word}` cannot stand in `atomic` or `ghost`");
        let diagnostic = Diagnostic::error("statement-in-atomic", message, self.here())
            .with_label("did not expect this here")
            .with_help("in one step there are assignments, `await`, `assert`, `lock`, `unlock`, `skip` and `if`");
        self.report(diagnostic)
    }

    /// `a: x := 1;` in `atomic`.
    pub(super) fn named_action(&mut self) -> Reported {
        let message = "what stands in `atomic` or `ghost` has no name";
        let diagnostic = Diagnostic::error("named-action", message, self.here())
            .with_label("did not expect a name here")
            .with_help("the whole step is one location: `take: atomic { ... }`");
        self.report(diagnostic)
    }

    pub(super) fn malformed_malloc(&mut self) -> Reported {
        let message = format!("expected `malloc(data, next)`, found {}", self.found());
        let diagnostic = Diagnostic::error("malformed-malloc", message, self.here_or_gap())
            .with_label("did not expect this here")
            .with_help("a new cell gets its data and its next cell: `a := malloc(e, null);`");
        self.report(diagnostic)
    }

    pub(super) fn malformed_at(&mut self) -> Reported {
        let message = format!("expected `at(thread, place)`, found {}", self.found());
        let diagnostic = Diagnostic::error("malformed-at", message, self.here_or_gap())
            .with_label("did not expect this here")
            .with_help("it looks like `at(i, crit)`: the thread `i` is at a place named `crit`");
        self.report(diagnostic)
    }

    /// `at(i, 5)`.
    pub(super) fn number_as_place(&mut self) -> Reported {
        let message = format!("places have names: {} is a number", quote(self.here_text()));
        let diagnostic = Diagnostic::error("number-as-place", message, self.here())
            .with_label("expected the name of a statement or a label")
            .with_help("name the statement: `wait: await x == 1;`, then write `at(i, wait)`")
            .with_help("numbers would change with every line; names do not");
        self.report(diagnostic)
    }

    /// `forall i . ...`.
    pub(super) fn quantifier(&mut self) -> Reported {
        let word = self.here_text();
        let message = format!("there is no `{word}`: invariants have no quantifiers");
        let diagnostic = Diagnostic::error("no-quantifiers", message, self.here())
            .with_label("not supported")
            .with_help("the parameters of an invariant stand for all threads: `invariant mutex(i, j) = i != j -> ...;`");
        let diagnostic = match word {
            "exists" => diagnostic.with_help(
                "for one certain thread, declare `global chosen : tid;`, and use `x[chosen]`",
            ),
            _ => diagnostic,
        };
        self.report(diagnostic)
    }

    /// `(a + b)[i]`.
    pub(super) fn index_of_expression(&mut self, operand: Span) -> Reported {
        let message = "only locals have an index";
        let diagnostic = Diagnostic::error("malformed-index", message, self.here())
            .with_label("did not expect `[` here")
            .with_secondary(operand, "this is not the name of a local")
            .with_help("the local `x` of the thread `i` is `x[i]`");
        self.report(diagnostic)
    }

    /// `=` where a comparison could stand. It stays the current token.
    pub(super) fn single_equal(&mut self) {
        let message = "`=` does not compare; `==` does";
        let diagnostic = Diagnostic::error("equals-for-comparison", message, self.here())
            .with_label("expected `==`")
            .with_fix("write `==` to compare", self.here(), "==");
        self.report(diagnostic);
    }

    pub(super) fn assignment_to_expression(&mut self) -> Reported {
        let message = "an assignment is a statement of its own";
        let diagnostic = Diagnostic::error("assignment-in-expression", message, self.here())
            .with_label("did not expect `:=` here")
            .with_help("to compare, write `==`");
        self.report(diagnostic)
    }

    /// Operators of other languages.
    pub(super) fn mistaken_operator(&mut self) -> Result<(), Reported> {
        use TokenKind::{Equal, EqualEqual, Greater, GreaterEqual, Less, LessEqual, Minus};
        let wrong: [(&[TokenKind], &str); 7] = [
            (&[Less, Equal, Greater], "<->"),
            (&[LessEqual, Greater], "<->"),
            (&[EqualEqual, Greater], "->"),
            (&[Equal, Greater], "->"),
            (&[Less, Greater], "!="),
            (&[Minus, GreaterEqual], "->"),
            (&[Equal, Less], "<="),
        ];
        let Some((kinds, right)) = wrong.into_iter().find(|(kinds, _)| self.together(kinds)) else {
            return Ok(());
        };
        let span = self.span_of(kinds.len());
        let shown = self.text.get(span.range()).unwrap_or("");
        let message = format!("`{shown}` is written `{right}`");
        let diagnostic = Diagnostic::error("unsupported-operator", message, span)
            .with_label(format!("expected `{right}`"))
            .with_fix(format!("write `{right}`"), span, right);
        Err(self.report(diagnostic))
    }

    /// Something that starts no expression stands where one should.
    pub(super) fn mistaken_operand(&mut self) -> Reported {
        if self.at(TokenKind::Unknown) {
            return self.unknown();
        }
        let message = format!("expected an expression, found {}", self.found());
        let diagnostic = Diagnostic::error("expected-expression", message, self.here_or_gap())
            .with_label("expected an expression here");
        let diagnostic = match (self.peek(), self.word_at(0)) {
            (_, Some(word @ ("havoc" | "malloc" | "call"))) => {
                diagnostic.with_help(format!("`{word}` stands alone behind `:=`"))
            }
            (Some(TokenKind::Star | TokenKind::Question), _) => {
                diagnostic.with_help("for any value, write `x := havoc;` before")
            }
            (Some(TokenKind::LeftBracket), _) => {
                diagnostic.with_help("sets are written with braces: `{a, b}`")
            }
            _ => diagnostic,
        };
        self.report(diagnostic)
    }

    pub(super) fn star_condition(&mut self, after: &str) -> Reported {
        let message = format!("`{after}` needs a condition");
        let diagnostic = Diagnostic::error("star-condition", message, self.here())
            .with_label("expected a condition")
            .with_help("if either may happen, write `choice { ... } or { ... }`");
        self.report(diagnostic)
    }

    /// A type that is none.
    pub(super) fn not_a_type(&mut self, here: Span) -> Reported {
        let found = self.found();
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
        let message = format!("expected a type, found {found}");
        let diagnostic = Diagnostic::error("expected-type", message, self.here_or_gap())
            .with_label("not a type");
        let diagnostic = match right {
            Some(right) => diagnostic.with_fix(format!("did you mean `{right}`?"), here, right),
            None => diagnostic.with_help(
                "types are `bool`, `int`, `tid`, `addr`, `elem`, and sets like `set<int>`",
            ),
        };
        self.report(diagnostic)
    }

    pub(super) fn unclosed_parenthesis(&mut self, open: Span) -> Reported {
        let message = format!("expected `)`, found {}", self.found());
        let diagnostic = Diagnostic::error("unclosed-parenthesis", message, self.here_or_gap())
            .with_label("expected `)` here")
            .with_secondary(open, "to close this");
        self.report(diagnostic)
    }

    pub(super) fn unclosed_brace(&mut self, open: Span) {
        let expected = match self.peek() {
            None => "expected `}` before the end of the file",
            Some(_) => "expected `}` before this",
        };
        let diagnostic = Diagnostic::error("unclosed-brace", "this `{` is never closed", open)
            .with_label("opened here")
            .with_secondary(self.here_or_gap(), expected)
            .with_help("add a `}`");
        self.report(diagnostic);
        self.holes = true;
    }

    pub(super) fn missing_braces(&mut self, after: &str) -> Reported {
        let what = match after {
            "if" | "while" => "the condition".to_owned(),
            "label" => "the name of the label".to_owned(),
            _ => format!("`{after}`"),
        };
        let message = format!("expected `{{` after {what}, found {}", self.found());
        let diagnostic = Diagnostic::error("expected-block", message, self.here_or_gap())
            .with_label("expected `{`")
            .with_help(match after {
                "if" | "while" => format!("write `{after} x == 1 {{ ... }}`"),
                "label" => "write `label crit { ... }`".to_owned(),
                _ => format!("write `{after} {{ ... }}`"),
            });
        self.report(diagnostic)
    }

    pub(super) fn at_misspelt_else_if(&self) -> bool {
        matches!(self.word_at(0), Some("elif" | "elseif" | "elsif"))
            && self.peek_at(1) != Some(TokenKind::Assign)
    }

    /// `elif`: reported. It stays the current token, where the `if` would stand.
    pub(super) fn misspelt_else_if(&mut self) {
        let message = format!("`{}` is written `else if`", self.here_text());
        let diagnostic = Diagnostic::error("misspelt-else-if", message, self.here())
            .with_label("expected `else if`")
            .with_fix("write `else if`", self.here(), "else if");
        self.report(diagnostic);
    }

    /// The `;` behind a statement. Where just the `;` is missing, one goes on as if it were there.
    pub(super) fn semicolon(&mut self) -> Result<(), Reported> {
        if self.eat(TokenKind::Semicolon) {
            return Ok(());
        }
        let starts = self.word_at(0).is_some_and(|word| {
            STATEMENTS.contains(&word) || word == "ghost" || self.is_name_at(0)
        });
        if starts || self.peek().is_none() || self.at(TokenKind::RightBrace) || self.at_item() {
            let message = "expected `;` after this statement";
            let diagnostic = Diagnostic::error("missing-semicolon", message, self.gap())
                .with_label("expected `;` here")
                .with_fix("add it", self.gap(), ";");
            self.report(diagnostic);
            return Ok(());
        }
        if self.at(TokenKind::Unknown) {
            return Err(self.unknown());
        }
        let message = format!("expected `;` after this statement, found {}", self.found());
        let diagnostic = Diagnostic::error("unexpected-token", message, self.here())
            .with_label("did not expect this here");
        Err(self.report(diagnostic))
    }

    pub(super) fn expected_name(&mut self, what: &str) -> Reported {
        if self.at(TokenKind::Unknown) {
            return self.unknown();
        }
        let message = format!("expected the name of {what}, found {}", self.found());
        let diagnostic = Diagnostic::error("expected-name", message, self.here_or_gap())
            .with_label("expected a name")
            .with_help("a name is made of letters, digits and `_`, and starts with no digit");
        self.report(diagnostic)
    }

    /// Digits with letters behind them.
    pub(super) fn not_a_number(&mut self) -> Reported {
        let message = format!("{} is not a number", quote(self.here_text()));
        let diagnostic = Diagnostic::error("not-a-number", message, self.here())
            .with_label("numbers are written with the digits 0 to 9 only");
        self.report(diagnostic)
    }

    /// Characters that are no part of the language.
    pub(super) fn unknown(&mut self) -> Reported {
        let here = self.here();
        let instead = |text: &str, right: &str| {
            Diagnostic::error(
                "unsupported-operator",
                format!("`{text}` is written `{right}`"),
                here,
            )
            .with_label(format!("expected `{right}`"))
            .with_fix(format!("write `{right}`"), here, right)
        };
        let diagnostic = match self.here_text() {
            text @ ("%" | "/" | "÷") => {
                let message = format!("`{text}` is not supported");
                Diagnostic::error("unsupported-operator", message, here)
                    .with_label("not supported")
                    .with_help("there are `+`, `-`, `*` by a number, and comparisons")
            }
            "." => {
                let message = "did not expect `.` here";
                Diagnostic::error("unexpected-token", message, here)
                    .with_label("fields stand behind addresses: `a.next`")
            }
            text @ ("→" | "⇒" | "⟶" | "⟹") => instead(text, "->"),
            text @ ("↔" | "⇔" | "⟷") => instead(text, "<->"),
            text @ "∈" => instead(text, "in"),
            text @ "⊆" => instead(text, "subset"),
            text @ "∪" => instead(text, "+"),
            text @ "∩" => instead(text, "*"),
            text @ "\\" => instead(text, "-"),
            text @ "/\\" => instead(text, "&&"),
            text @ "\\/" => instead(text, "||"),
            text @ "∅" => instead(text, "{}"),
            "∀" | "∃" => return self.quantifier(),
            "@" => {
                let message = "a statement is named without `@`";
                Diagnostic::error("unknown-character", message, here)
                    .with_label("did not expect this")
                    .with_fix("leave it out", here, "")
            }
            text => unknown_character(text, here),
        };
        self.report(diagnostic)
    }
}
