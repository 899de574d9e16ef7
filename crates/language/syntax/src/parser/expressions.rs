//! Everything inside a handler.
//!
//! [`Parser::expression`] reads an operand and then, in a loop, operators that bind at least as
//! tightly as asked. The height of what was read travels along, because a chain like
//! `1 + 1 + 1` makes the tree higher without making the recursion deeper.

use super::operators::{common, power};
use super::sequence::Sequence;
use super::{Dialect, MAX_DEPTH, Parser};
use crate::ast::{
    Argument, Arm, BinaryOp, Block, Else, Expr, ExprKind, Name, Pattern, Quantifier, Relation,
    Type, TypeKind, UnaryOp,
};
use crate::lexer::TokenKind;
use crate::report::{Messages as _, Reported, error};
use ser_base::Span;

/// An expression and the height of its tree.
pub(super) struct Tree {
    pub(super) expr: Expr,
    pub(super) height: usize,
}

impl Tree {
    pub(super) fn leaf(kind: ExprKind, span: Span) -> Tree {
        Tree { expr: Expr { kind, span }, height: 1 }
    }

    pub(super) fn node(kind: ExprKind, span: Span, below: usize) -> Tree {
        Tree { expr: Expr { kind, span }, height: below + 1 }
    }
}

/// What stands between two operands.
pub(super) enum Infix {
    Binary(BinaryOp),
    /// A `=` that should have been a `:=`; reported.
    Assign(Name),
    /// `:=` behind something else than a name, or a `=` that should have been one; reported.
    Store,
    Relation(Relation),
    /// An operator that the language does not have; reported.
    Unsupported,
}

/// Taken for the height of what has a type in it: types are constant, and low.
const MAX_VALUE_HEIGHT: usize = 16;

/// What a range looks like.
pub(super) const RANGE: &str = "a range is written `0..2`, which is 0, 1 and 2";

/// Whether an expression can start with this token.
pub(super) fn starts_expression(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Number
            | TokenKind::Name
            | TokenKind::If
            | TokenKind::While
            | TokenKind::Yield
            | TokenKind::Return
            | TokenKind::Abort
            | TokenKind::Assume
            | TokenKind::Choose
            | TokenKind::Not
            | TokenKind::Exit
            | TokenKind::LeftParenthesis
            | TokenKind::LeftBracket
            | TokenKind::Question
            | TokenKind::Minus
            | TokenKind::Bang
    )
}

/// If this is a comparison, which cannot be chained: how tightly it binds, and its right side.
fn comparison(expr: &Expr) -> Option<(u8, Span)> {
    match &expr.kind {
        ExprKind::Binary(op, _, right) if op.is_comparison() => {
            Some((power::COMPARISON, right.span))
        }
        ExprKind::Relation(Relation::Iff, _, right) => Some((power::IFF, right.span)),
        ExprKind::Relation(Relation::In | Relation::Subset, _, right) => {
            Some((power::COMPARISON, right.span))
        }
        _ => None,
    }
}

impl Parser<'_> {
    /// An expression whose operators bind at least as tightly as `min_power`.
    pub(super) fn expression(&mut self, min_power: u8) -> Result<Tree, Reported> {
        self.deeper(|parser| {
            let left = parser.operand(min_power)?;
            parser.operators(left, min_power)
        })
    }

    fn operators(&mut self, mut left: Tree, min_power: u8) -> Result<Tree, Reported> {
        let mut chain_reported = false;
        loop {
            let place = self.here();
            let Some((infix, power)) = self.operator(&left.expr, min_power)? else { break };
            if let Some((of, middle)) = comparison(&left.expr)
                && power == of
                && !chain_reported
            {
                let place = place.to(self.here());
                self.chained_comparison(left.expr.span, middle, place);
                chain_reported = true;
            }
            self.bump();
            let right = match infix {
                Infix::Assign(_) | Infix::Store => self.expression(0)?,
                // To the right: `a -> b -> c` is `a -> (b -> c)`.
                Infix::Relation(Relation::Implies) => self.expression(power)?,
                Infix::Relation(Relation::In) => self.what_it_is_in(power + 1)?,
                _ => self.expression(power + 1)?,
            };
            left = self.combine(left, infix, right)?;
        }
        Ok(left)
    }

    /// What stands behind `in`: a range, `{a, b}`, or a set of threads.
    fn what_it_is_in(&mut self, power: u8) -> Result<Tree, Reported> {
        if self.at(TokenKind::LeftBrace) && !self.in_processes {
            return self.elements();
        }
        let low = self.expression(power)?;
        if !self.at(TokenKind::DotDot) {
            return Ok(low);
        }
        let (low, high) = self.range_after(low, power)?;
        let span = low.expr.span.to(high.expr.span);
        let below = low.height.max(high.height);
        let kind = ExprKind::Range(Box::new(low.expr), Box::new(high.expr));
        Ok(Tree::node(kind, span, below))
    }

    /// The operator at the current token, if it binds tightly enough. The current token is then
    /// the last one of the operator.
    fn operator(&mut self, left: &Expr, min_power: u8) -> Result<Option<(Infix, u8)>, Reported> {
        let Some(kind) = self.peek() else { return Ok(None) };
        if let Some(infix) = self.arrow_before_receive(left, min_power) {
            return Ok(Some((infix, 0)));
        }
        if let Some((relation, power, tokens)) = self.relation() {
            if power < min_power {
                return Ok(None);
            }
            self.bump_all(tokens - 1);
            return Ok(Some((Infix::Relation(relation), power)));
        }
        let Some((op, power)) = common(kind) else {
            return self.mistaken_operator(kind, left, min_power);
        };
        if power < min_power {
            return Ok(None);
        }
        self.mistaken_pair(left)?;
        Ok(Some((Infix::Binary(op), power)))
    }

    fn combine(&mut self, left: Tree, infix: Infix, right: Tree) -> Result<Tree, Reported> {
        let below = left.height.max(right.height);
        if self.depth + below > MAX_DEPTH {
            return Err(self.nested_too_deeply());
        }
        let span = left.expr.span.to(right.expr.span);
        let kind = match infix {
            Infix::Binary(op) => ExprKind::Binary(op, Box::new(left.expr), Box::new(right.expr)),
            Infix::Assign(name) => ExprKind::Assign(name, Box::new(right.expr)),
            Infix::Store => ExprKind::Store(Box::new(left.expr), Box::new(right.expr)),
            Infix::Relation(relation) => {
                ExprKind::Relation(relation, Box::new(left.expr), Box::new(right.expr))
            }
            Infix::Unsupported => ExprKind::Error,
        };
        Ok(Tree::node(kind, span, below))
    }

    /// An atom, or a prefix operator or assignment with what follows it.
    fn operand(&mut self, min_power: u8) -> Result<Tree, Reported> {
        let Some(kind) = self.peek() else { return Err(self.expected_expression()) };
        let next = self.peek_at(1);
        if kind.is_keyword() && next == Some(TokenKind::Assign) {
            let reported = self.keyword_as_name();
            self.bump_all(2);
            self.expression(0)?;
            return Err(reported);
        }
        match kind {
            TokenKind::Number => self.number(false),
            TokenKind::Name if next == Some(TokenKind::Assign) && min_power == 0 => {
                self.assignment()
            }
            TokenKind::Name if self.dialect != Dialect::Requests => match self.at_call() {
                true => self.call(),
                false => Ok(self.variable_here()),
            },
            TokenKind::Name => self.word(),
            TokenKind::LeftBracket if self.dialect == Dialect::Requests => self.list_of_values(),
            TokenKind::LeftBrace if self.in_processes => self.elements(),
            TokenKind::Question => Ok(Tree::leaf(ExprKind::Coin, self.bump())),
            TokenKind::Yield => Ok(Tree::leaf(ExprKind::Yield, self.bump())),
            TokenKind::LeftParenthesis if self.tuple_follows() => {
                let tuple = self.tuple()?;
                self.parts_of(tuple)
            }
            TokenKind::LeftParenthesis => {
                let group = self.group()?;
                self.parts_of(group)
            }
            TokenKind::If => self.if_expression(),
            TokenKind::While => self.while_expression(),
            TokenKind::Return => self.return_expression(),
            TokenKind::Abort => self.abort_expression(),
            TokenKind::Assume => self.assume(),
            TokenKind::Choose => self.choose(),
            TokenKind::Minus => self.unary(UnaryOp::Negate),
            TokenKind::Bang | TokenKind::Not => self.unary(UnaryOp::Not),
            _ => Err(self.mistaken_operand(kind)),
        }
    }

    pub(super) fn variable_here(&mut self) -> Tree {
        let name = Name { text: self.here_text().to_owned(), span: self.here() };
        Tree::leaf(ExprKind::Read(name), self.bump())
    }

    /// What starts with a word that is no keyword of all languages.
    fn word(&mut self) -> Result<Tree, Reported> {
        let next = self.peek_at(1);
        let named = next == Some(TokenKind::Name);
        if let Some(tree) = self.word_of_processes()? {
            return Ok(tree);
        }
        let leaf = match self.here_text() {
            "true" => ExprKind::Bool(true),
            "false" => ExprKind::Bool(false),
            "break" => ExprKind::Break,
            "continue" => ExprKind::Continue,
            "for" => return self.for_expression(),
            "loop" => return self.loop_expression(),
            "match" => return self.match_expression(),
            "with" => return self.with_expression(),
            "assert" => return self.assert(),
            "var" if named => {
                let variable = self.deeper(Parser::declared)?;
                let span = variable.span;
                return Ok(Tree::node(ExprKind::Var(Box::new(variable)), span, MAX_VALUE_HEIGHT));
            }
            _ => {
                self.foreign_word()?;
                let tree = match next {
                    Some(TokenKind::LeftParenthesis) => self.function_call()?,
                    _ => self.variable_here(),
                };
                return self.parts_of(tree);
            }
        };
        Ok(Tree::leaf(leaf, self.bump()))
    }

    /// `name(value, name: value)`.
    pub(super) fn function_call(&mut self) -> Result<Tree, Reported> {
        let name = Name { text: self.here_text().to_owned(), span: self.bump() };
        let open = self.bump();
        let mut height = 0;
        let arguments = self.in_condition(false, |parser| {
            parser.list(TokenKind::RightParenthesis, |parser| {
                let named = parser.at(TokenKind::Name)
                    && matches!(parser.peek_at(1), Some(TokenKind::Colon | TokenKind::Equal));
                let name = if named { Some(parser.argument_name()?) } else { None };
                let value = parser.expression(0)?;
                height = height.max(value.height);
                Ok(Argument { name, value: value.expr })
            })
        });
        let arguments = self.close_parenthesis(open, arguments, false)?;
        let span = self.since(name.span);
        Ok(Tree::node(ExprKind::Call(name, arguments), span, height))
    }

    fn argument_name(&mut self) -> Result<Name, Reported> {
        let name = self.name("a field")?;
        if self.at(TokenKind::Equal) {
            self.write_instead("malformed-call", "a field is given with `:`, not with `=`", 1, ":");
        }
        self.bump();
        Ok(name)
    }

    /// `[index]` and `.field` behind something.
    pub(super) fn parts_of(&mut self, mut tree: Tree) -> Result<Tree, Reported> {
        if self.dialect != Dialect::Requests {
            return Ok(tree);
        }
        loop {
            let (kind, height) = match self.peek() {
                Some(TokenKind::LeftBracket) => {
                    let open = self.bump();
                    let index = self.in_condition(false, |parser| parser.expression(0))?;
                    if !self.eat(TokenKind::RightBracket) {
                        let message = format!("expected `]`, found {}", self.found());
                        return Err(error("unexpected-token", message, self.gap(), "expected `]`")
                            .with_secondary(open, "to close this")
                            .with_fix("close it", self.gap(), "]")
                            .report(self));
                    }
                    let height = tree.height.max(index.height);
                    (ExprKind::Index(Box::new(tree.expr), Box::new(index.expr)), height)
                }
                Some(TokenKind::Dot) if self.is_name_at(1) => {
                    self.bump();
                    let field = self.name("a field")?;
                    self.foreign_method(&field)?;
                    (ExprKind::Field(Box::new(tree.expr), field), tree.height)
                }
                _ => return Ok(tree),
            };
            if self.depth + height >= MAX_DEPTH {
                return Err(self.nested_too_deeply());
            }
            let start = match &kind {
                ExprKind::Index(of, _) | ExprKind::Field(of, _) => of.span,
                _ => self.gap(),
            };
            tree = Tree::node(kind, self.since(start), height);
        }
    }

    /// `[a, b]`; the current token is the `[`.
    fn list_of_values(&mut self) -> Result<Tree, Reported> {
        let open = self.bump();
        let mut height = 0;
        let parts = self.list(TokenKind::RightBracket, |parser| {
            let part = parser.expression(0)?;
            height = height.max(part.height);
            Ok(part.expr)
        })?;
        if !self.eat(TokenKind::RightBracket) {
            let message = format!("expected `,` or `]`, found {}", self.found());
            return Err(error("unexpected-token", message, self.gap(), "expected `]` here")
                .with_secondary(open, "to close this")
                .report(self));
        }
        Ok(Tree::node(ExprKind::List(parts), self.since(open), height))
    }

    /// Whether the parenthesis here has a `,` right inside, and no `;`.
    fn tuple_follows(&self) -> bool {
        use TokenKind::{
            Comma, LeftBrace, LeftBracket, LeftParenthesis, RightBrace, RightBracket,
            RightParenthesis, Semicolon,
        };
        if self.dialect != Dialect::Requests {
            return false;
        }
        let (mut open, mut comma) = (0usize, false);
        for token in self.tokens.iter().skip(self.position) {
            match token.kind {
                LeftParenthesis | LeftBrace | LeftBracket => open += 1,
                RightParenthesis | RightBrace | RightBracket => {
                    open -= 1;
                    if open == 0 {
                        return comma;
                    }
                }
                Comma if open == 1 => comma = true,
                Semicolon if open == 1 => return false,
                TokenKind::Request => return false,
                _ => {}
            }
        }
        false
    }

    /// `(a, b)`.
    fn tuple(&mut self) -> Result<Tree, Reported> {
        let open = self.bump();
        let mut height = 0;
        let parts = self.in_condition(false, |parser| {
            parser.list(TokenKind::RightParenthesis, |parser| {
                let part = parser.expression(0)?;
                height = height.max(part.height);
                Ok(part.expr)
            })
        });
        let parts = self.close_parenthesis(open, parts, false)?;
        Ok(Tree::node(ExprKind::Tuple(parts), self.since(open), height))
    }

    /// `for name in values { body }`.
    fn for_expression(&mut self) -> Result<Tree, Reported> {
        let start = self.bump();
        self.foreign_for()?;
        let quantifier = match self.word_at(0) {
            Some("all") => Some(Quantifier::All),
            Some("some") => Some(Quantifier::Some),
            _ => None,
        };
        // `for all in 0..2 { }` is a loop whose variable is called `all`.
        if let Some(quantifier) = quantifier.filter(|_| self.is_name_at(1)) {
            self.bump();
            return self.quantified(start, quantifier);
        }
        let name = self.name("a variable")?;
        if !self.eat(TokenKind::In) {
            let help = "a loop over 0, 1 and 2 is `for i in 0..2 { ... }`";
            return Err(self.expected(
                "malformed-for",
                "`in` and a range",
                "expected `in`",
                &[help],
            ));
        }
        let values = self.a_type()?;
        let (body, height) = self.block_after("for")?;
        let span = start.to(body.span);
        let below = height.max(MAX_VALUE_HEIGHT);
        Ok(Tree::node(ExprKind::For(name, values, body), span, below))
    }

    /// `name in values: condition`, behind `for all` or `for some`.
    fn quantified(&mut self, start: Span, quantifier: Quantifier) -> Result<Tree, Reported> {
        const EXAMPLE: &str = "it looks like `for all i in 0..2: A[i] > 0`";
        let name = self.name("a variable")?;
        if !self.eat(TokenKind::In) {
            let what = "`in` and a range";
            return Err(self.expected("malformed-for", what, "expected `in`", &[EXAMPLE]));
        }
        let values = self.a_type()?;
        if !self.eat(TokenKind::Colon) {
            return Err(self.missing("malformed-for", "`:` and a condition", ":", &[EXAMPLE]));
        }
        let condition = self.in_condition(true, |parser| parser.expression(power::IFF))?;
        let below = condition.height.max(MAX_VALUE_HEIGHT);
        let kind = ExprKind::Quantified(quantifier, name, values, Box::new(condition.expr));
        Ok(Tree::node(kind, self.since(start), below))
    }

    /// `loop { body }`.
    fn loop_expression(&mut self) -> Result<Tree, Reported> {
        let start = self.bump();
        let (body, height) = self.block_after("loop")?;
        let span = start.to(body.span);
        Ok(Tree::node(ExprKind::Loop(body), span, height))
    }

    /// `with lock { body }`.
    fn with_expression(&mut self) -> Result<Tree, Reported> {
        let start = self.bump();
        if !self.is_name_at(0) {
            let help = "declare a lock with `lock L`, and hold it with `with L { ... }`";
            return Err(self.expected(
                "malformed-with",
                "the name of a lock",
                "expected a lock",
                &[help],
            ));
        }
        let lock = self.variable_here();
        let lock = self.parts_of(lock)?;
        let (body, height) = self.block_after("with")?;
        let span = start.to(body.span);
        let below = height.max(lock.height);
        Ok(Tree::node(ExprKind::With(Box::new(lock.expr), body), span, below))
    }

    /// `match value { patterns => body, ... }`.
    fn match_expression(&mut self) -> Result<Tree, Reported> {
        const CODE: &str = "malformed-match";
        let start = self.bump();
        let value = self.expression(0)?;
        let open = self.here();
        if !self.eat(TokenKind::LeftBrace) {
            let help = "it looks like `match x { 0 => a, 1 | 2 => b, _ => c }`";
            return Err(self.missing(CODE, "`{` and cases", "{", &[help]));
        }
        let mut arms = Vec::new();
        let mut height = value.height;
        while !self.eat(TokenKind::RightBrace) {
            if self.peek().is_none() || self.at_item() {
                self.unclosed(open, TokenKind::RightBrace, None);
                break;
            }
            let arm = self.in_condition(false, |parser| parser.deeper(Parser::arm));
            let Ok((arm, below)) = arm else {
                // Where an arm is not understood, the rest of them are not, either.
                self.skip_to(&[]);
                self.eat(TokenKind::RightBrace);
                return Err(Reported);
            };
            height = height.max(below);
            let ends_with_brace = self.previous().is_some_and(|t| t.kind == TokenKind::RightBrace);
            arms.push(arm);
            if self.at(TokenKind::Semicolon) {
                self.write_instead(CODE, "the cases of a `match` are separated by `,`", 1, ",");
                self.bump();
            } else if !self.eat(TokenKind::Comma)
                && !self.at(TokenKind::RightBrace)
                && !ends_with_brace
            {
                let message = format!("expected `,` or `}}`, found {}", self.found());
                return Err(error(CODE, message, self.gap(), "expected `,` here")
                    .with_fix("add it", self.gap(), ",")
                    .report(self));
            }
        }
        let span = self.since(start);
        Ok(Tree::node(ExprKind::Match(Box::new(value.expr), arms), span, height))
    }

    /// `pattern | pattern => body`, with its height.
    fn arm(&mut self) -> Result<(Arm, usize), Reported> {
        let mut patterns = vec![self.pattern()?];
        loop {
            if self.at(TokenKind::Or) || self.at(TokenKind::OrOr) {
                self.write_instead("malformed-match", "alternatives are separated by `|`", 1, "|");
                self.bump();
            } else if !self.eat(TokenKind::Bar) {
                break;
            }
            patterns.push(self.pattern()?);
        }
        if !self.together(&[TokenKind::Equal, TokenKind::Greater]) {
            let is_other =
                self.at(TokenKind::Colon) || self.together(&[TokenKind::Minus, TokenKind::Greater]);
            if !is_other {
                let help = "a case looks like `0 => { ... }`";
                return Err(self.expected("malformed-match", "`=>`", "expected `=>`", &[help]));
            }
            let tokens = if self.at(TokenKind::Colon) { 1 } else { 2 };
            self.write_instead("malformed-match", "a case is written with `=>`", tokens, "=>");
            self.bump_all(tokens);
        } else {
            self.bump_all(2);
        }
        let body = if self.at(TokenKind::LeftBrace) {
            let (block, height) = self.block();
            let span = block.span;
            Tree::node(ExprKind::Group(block), span, height)
        } else {
            if self.in_processes {
                self.one_more()?;
            }
            self.expression(0)?
        };
        Ok((Arm { patterns, body: body.expr }, body.height + 1))
    }

    fn pattern(&mut self) -> Result<Pattern, Reported> {
        if self.at(TokenKind::Name) && matches!(self.here_text(), "_" | "default")
            || self.at(TokenKind::Else)
        {
            if self.here_text() != "_" {
                self.write_instead("malformed-match", "everything else is `_`", 1, "_");
            }
            return Ok(Pattern::Anything(self.bump()));
        }
        let low = self.expression(power::SUM)?;
        if self.at(TokenKind::DotDot) {
            let (low, high) = self.range_after(low, power::SUM)?;
            return Ok(Pattern::Range(low.expr, high.expr));
        }
        Ok(Pattern::Value(low.expr))
    }

    /// `assert(e)`.
    fn assert(&mut self) -> Result<Tree, Reported> {
        let start = self.bump();
        let condition = self.claimed("assert(X >= 0)")?;
        let span = self.since(start);
        Ok(Tree::node(ExprKind::Assert(Box::new(condition.expr)), span, condition.height))
    }

    fn number(&mut self, negative: bool) -> Result<Tree, Reported> {
        let value = self.number_value(negative)?;
        Ok(Tree::leaf(value.map_or(ExprKind::Error, ExprKind::Number), self.bump()))
    }

    /// `name := value`.
    fn assignment(&mut self) -> Result<Tree, Reported> {
        if self.is_reserved(self.here_text()) {
            let reported = self.keyword_as_name();
            self.bump_all(2);
            self.expression(0)?;
            return Err(reported);
        }
        let name = Name { text: self.here_text().to_owned(), span: self.bump() };
        self.bump();
        let value = self.expression(0)?;
        let span = name.span.to(value.expr.span);
        Ok(Tree::node(ExprKind::Assign(name, Box::new(value.expr)), span, value.height))
    }

    /// `-e`, `!e`, `not e`.
    fn unary(&mut self, op: UnaryOp) -> Result<Tree, Reported> {
        const SMALLEST: &str = "9223372036854775808";
        let start = self.bump();
        if op == UnaryOp::Negate && self.here_text() == SMALLEST {
            let mut number = self.number(true)?;
            number.expr.span = start.to(number.expr.span);
            return Ok(number);
        }
        let operand = self.expression(power::UNARY)?;
        let span = start.to(operand.expr.span);
        Ok(Tree::node(ExprKind::Unary(op, Box::new(operand.expr)), span, operand.height))
    }

    /// `(e; ...; e)`.
    fn group(&mut self) -> Result<Tree, Reported> {
        let Sequence { elements: exprs, span, height } =
            self.sequence(TokenKind::RightParenthesis)?;
        let block = Block { exprs, span };
        if block.exprs.is_empty() {
            let message = "there is nothing between these parentheses";
            error("empty-parentheses", message, block.span, "expected an expression inside")
                .with_fix("if nothing is meant, write 0", block.span, "0")
                .report(self);
            return Ok(Tree::leaf(ExprKind::Error, block.span));
        }
        Ok(Tree::node(ExprKind::Group(block), span, height))
    }

    /// `{ e; ...; e }`; the current token is the `{`.
    pub(super) fn block(&mut self) -> (Block, usize) {
        let inside = self.in_braces();
        (Block { exprs: inside.elements, span: inside.span }, inside.height)
    }

    /// A condition: an expression in which a `=` is a mistaken `==`.
    pub(super) fn condition(&mut self) -> Result<Tree, Reported> {
        self.condition_after("")
    }

    fn condition_after(&mut self, after: &str) -> Result<Tree, Reported> {
        self.in_condition(true, |parser| {
            if parser.at(TokenKind::LeftBrace) && !parser.set_follows() {
                let help = match parser.in_processes {
                    false => "for a condition that is always true, write `(1)`",
                    true => "if either may happen, write `if ? { ... }`",
                };
                parser.missing_condition(after, help);
                return Ok(Tree::leaf(ExprKind::Error, parser.gap()));
            }
            if parser.star_for_coin() {
                return Ok(Tree::leaf(ExprKind::Error, parser.bump()));
            }
            parser.expression(0)
        })
    }

    /// The condition of an `if` or `while`, perhaps with ghost code behind it.
    fn test(&mut self, after: &str) -> Result<Tree, Reported> {
        let condition = self.condition_after(after)?;
        self.with_ghost(condition)
    }

    /// `if condition { then } else ...`.
    fn if_expression(&mut self) -> Result<Tree, Reported> {
        let start = self.bump();
        let condition = self.test("if")?;
        let (then, then_height) = self.block_after("if")?;
        let (otherwise, else_height) = self.else_part()?;
        let end = match &otherwise {
            None => then.span,
            Some(Else::Block(block)) => block.span,
            Some(Else::If(expr)) => expr.span,
        };
        let below = condition.height.max(then_height).max(else_height);
        let kind = ExprKind::If(Box::new(condition.expr), then, otherwise);
        Ok(Tree::node(kind, start.to(end), below))
    }

    /// What stands behind the block of an `if`, and its height.
    fn else_part(&mut self) -> Result<(Option<Else>, usize), Reported> {
        match self.otherwise() {
            None => Ok((None, 0)),
            Some(false) => {
                let (block, height) = self.block_after("else")?;
                Ok((Some(Else::Block(block)), height))
            }
            Some(true) => {
                let tree = self.deeper(Parser::if_expression)?;
                Ok((Some(Else::If(Box::new(tree.expr))), tree.height))
            }
        }
    }

    /// `while condition { body }`.
    fn while_expression(&mut self) -> Result<Tree, Reported> {
        let start = self.bump();
        let condition = self.test("while")?;
        let (body, height) = self.block_after("while")?;
        let span = start.to(body.span);
        let below = condition.height.max(height);
        Ok(Tree::node(ExprKind::While(Box::new(condition.expr), body), span, below))
    }

    /// The block of `if`, `else` or `while`.
    fn block_after(&mut self, after: &str) -> Result<(Block, usize), Reported> {
        let inside = self.branch(after)?;
        Ok((Block { exprs: inside.elements, span: inside.span }, inside.height))
    }

    /// `return` or `return e`.
    fn return_expression(&mut self) -> Result<Tree, Reported> {
        let start = self.bump();
        match self.peek() {
            Some(kind) if starts_expression(kind) => {
                let value = self.expression(0)?;
                let span = start.to(value.expr.span);
                let kind = ExprKind::Return(Some(Box::new(value.expr)));
                Ok(Tree::node(kind, span, value.height))
            }
            // A string is no value, which the message about it says.
            Some(TokenKind::Quoted) => self.expression(0),
            _ => Ok(Tree::leaf(ExprKind::Return(None), start)),
        }
    }

    /// `abort`.
    fn abort_expression(&mut self) -> Result<Tree, Reported> {
        let start = self.bump();
        self.aborted_value(start)?;
        Ok(Tree::leaf(ExprKind::Abort, start))
    }

    /// `assume(e)`.
    fn assume(&mut self) -> Result<Tree, Reported> {
        let start = self.bump();
        let condition = self.claimed("assume(X == 1)")?;
        let span = self.since(start);
        Ok(Tree::node(ExprKind::Assume(Box::new(condition.expr)), span, condition.height))
    }

    /// `choose(low..high)`, `choose(type)`, `choose { a } or { b }`.
    fn choose(&mut self) -> Result<Tree, Reported> {
        let start = self.bump();
        if self.dialect == Dialect::Requests && self.at(TokenKind::LeftBrace) {
            let (first, mut height) = self.block();
            let mut blocks = vec![first];
            while self.eat(TokenKind::Or) {
                let (block, below) = self.block_after("or")?;
                height = height.max(below);
                blocks.push(block);
            }
            return Ok(Tree::node(ExprKind::Either(blocks), self.since(start), height));
        }
        let open = self.open_parenthesis("choose(0..2)")?;
        let inside = self.chosen();
        let values = self.close_parenthesis(open, inside, false)?;
        let chosen = Tree::node(ExprKind::Choose(values), self.since(start), MAX_VALUE_HEIGHT);
        self.restricted(chosen)
    }

    /// The values of a `choose`.
    fn chosen(&mut self) -> Result<Type, Reported> {
        let alone = self.peek_at(1) == Some(TokenKind::RightParenthesis) || self.at_word("set");
        if self.dialect == Dialect::Requests && self.at(TokenKind::Name) && alone {
            return self.a_type();
        }
        let start = self.here();
        let (low, high) = self.range()?;
        let kind = TypeKind::Range(Box::new(low.expr), Box::new(high.expr));
        Ok(Type { kind, span: self.since(start) })
    }

    pub(super) fn open_parenthesis(&mut self, example: &str) -> Result<Span, Reported> {
        if let Some(open) = self.accept(TokenKind::LeftParenthesis) {
            return Ok(open);
        }
        let help = format!("it is written like `{example}`");
        Err(self.expected("unexpected-token", "`(`", "expected `(`", &[&help]))
    }

    /// `low..high`.
    pub(super) fn range(&mut self) -> Result<(Tree, Tree), Reported> {
        let low = self.expression(0)?;
        self.range_after(low, 0)
    }

    /// `..high`, where the operators of `high` bind at least as tightly as `min_power`.
    pub(super) fn range_after(
        &mut self,
        low: Tree,
        min_power: u8,
    ) -> Result<(Tree, Tree), Reported> {
        match self.peek() {
            Some(TokenKind::DotDot) => {
                if self.together(&[TokenKind::DotDot, TokenKind::Equal]) {
                    let message = "`..=` is not needed: a range has both of its ends";
                    self.write_instead("malformed-range", message, 2, "..");
                    self.bump();
                }
            }
            Some(TokenKind::Comma) => {
                let message = "the ends of a range are separated by `..`";
                self.write_instead("malformed-range", message, 1, "..");
            }
            _ => {
                let (what, help) = ("`..` and the end of the range", RANGE);
                return Err(self.expected("malformed-range", what, "expected `..`", &[help]));
            }
        }
        self.bump();
        let high = self.expression(min_power)?;
        Ok((low, high))
    }
}
