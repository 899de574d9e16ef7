//! Expressions: an operand, then in a loop operators that bind at least as tightly as asked.

use super::Parser;
use crate::ast::Name;
use crate::cursor::Reported;
use crate::inv::syntax::{Expr, ExprKind, Operator, Range, Where};
use crate::inv::words::FUNCTIONS;
use crate::lexer::TokenKind;
use crate::parser::MAX_DEPTH;
use ser_base::{Diagnostic, Span};

/// An expression and the height of its tree: a chain like `1 + 1 + 1` makes the tree higher without
/// making the recursion deeper.
struct Tree {
    expr: Expr,
    height: usize,
    /// What it is without parentheses around it, if that cannot be chained.
    chain: Option<u8>,
}

impl Tree {
    fn new(kind: ExprKind, span: Span, height: usize) -> Tree {
        Tree { expr: Expr { span, kind }, height, chain: None }
    }
}

/// How tightly operators bind.
const IFF: u8 = 1;
const IMPLIES: u8 = 2;
const OR: u8 = 3;
const AND: u8 = 4;
const COMPARISON: u8 = 5;
const SUM: u8 = 6;
const PRODUCT: u8 = 7;
const UNARY: u8 = 8;

/// The operator that a single token stands for, and how tightly it binds.
fn operator(kind: TokenKind) -> Option<(Operator, u8)> {
    Some(match kind {
        TokenKind::OrOr | TokenKind::Or => (Operator::Or, OR),
        TokenKind::AndAnd | TokenKind::And => (Operator::And, AND),
        TokenKind::EqualEqual => (Operator::Equal, COMPARISON),
        TokenKind::NotEqual => (Operator::NotEqual, COMPARISON),
        TokenKind::Less => (Operator::Less, COMPARISON),
        TokenKind::LessEqual => (Operator::LessEqual, COMPARISON),
        TokenKind::Greater => (Operator::Greater, COMPARISON),
        TokenKind::GreaterEqual => (Operator::GreaterEqual, COMPARISON),
        TokenKind::In => (Operator::In, COMPARISON),
        TokenKind::Plus => (Operator::Add, SUM),
        TokenKind::Minus => (Operator::Subtract, SUM),
        TokenKind::Star => (Operator::Multiply, PRODUCT),
        _ => return None,
    })
}

/// An operator as it stands in the text.
struct Infix {
    operator: Operator,
    power: u8,
    /// How many tokens it has.
    tokens: usize,
}

impl Parser<'_> {
    /// An expression.
    pub(super) fn expression(&mut self) -> Result<Expr, Reported> {
        self.tree(0).map(|tree| tree.expr)
    }

    /// What can stand before `:=`: an operand without signs before it.
    pub(super) fn place_expression(&mut self) -> Result<Expr, Reported> {
        self.enter()?;
        let tree = match self.primary() {
            Ok(primary) => self.postfix(primary),
            Err(reported) => Err(reported),
        };
        self.leave();
        tree.map(|tree| tree.expr)
    }

    fn tree(&mut self, min_power: u8) -> Result<Tree, Reported> {
        self.enter()?;
        let tree = match self.operand() {
            Ok(left) => self.operators(left, min_power),
            Err(reported) => Err(reported),
        };
        self.leave();
        tree
    }

    fn operators(&mut self, mut left: Tree, min_power: u8) -> Result<Tree, Reported> {
        while self.peek().is_some() {
            let Some(infix) = self.infix()? else { break };
            let Infix { operator, power, tokens } = infix;
            if power < min_power {
                break;
            }
            if left.chain == Some(power) {
                return Err(self.chained(operator, left.expr.span, tokens));
            }
            let place = self.span_of(tokens);
            (0..tokens).for_each(|_| {
                self.bump();
            });
            // To the right: `a -> b -> c` is `a -> (b -> c)`.
            let right = self.tree(if power == IMPLIES { power } else { power + 1 })?;
            let below = left.height.max(right.height);
            if self.depth + below > MAX_DEPTH {
                return Err(self.nested_too_deeply());
            }
            let span = left.expr.span.to(right.expr.span);
            let kind = ExprKind::Binary(operator, place, Box::new(left.expr), Box::new(right.expr));
            left = Tree::new(kind, span, below + 1);
            left.chain = (power == COMPARISON || power == IFF).then_some(power);
        }
        Ok(left)
    }

    fn chained(&mut self, operator: Operator, left: Span, tokens: usize) -> Reported {
        let place = self.span_of(tokens);
        let diagnostic = match operator {
            Operator::Iff => {
                Diagnostic::error("chained-comparison", "`<->` cannot be chained", place)
                    .with_label("a second `<->`")
                    .with_secondary(left, "there is one here already")
                    .with_help("say what is meant with parentheses: `(a <-> b) && (b <-> c)`")
            }
            _ => Diagnostic::error("chained-comparison", "comparisons cannot be chained", place)
                .with_label("a second comparison")
                .with_secondary(left, "this is already a comparison")
                .with_help("to say both, write `a < b && b < c`"),
        };
        self.report(diagnostic)
    }

    /// The operator at the current token; also one that was meant to be one.
    fn infix(&mut self) -> Result<Option<Infix>, Reported> {
        use TokenKind::{Greater, Less, Minus};
        let some = |operator, power, tokens| Ok(Some(Infix { operator, power, tokens }));
        if self.together(&[Less, Minus, Greater]) {
            return some(Operator::Iff, IFF, 3);
        }
        if self.together(&[Minus, Greater]) {
            return some(Operator::Implies, IMPLIES, 2);
        }
        if self.at_word("subset") {
            return some(Operator::Subset, COMPARISON, 1);
        }
        match self.peek() {
            Some(TokenKind::Unknown) if !self.dot_at(0) => Err(self.unknown()),
            Some(TokenKind::Assign) => Err(self.assignment_to_expression()),
            Some(kind) => {
                self.mistaken_operator()?;
                match kind {
                    TokenKind::Equal => {
                        self.single_equal();
                        some(Operator::Equal, COMPARISON, 1)
                    }
                    kind => Ok(operator(kind).map(|(operator, power)| Infix {
                        operator,
                        power,
                        tokens: 1,
                    })),
                }
            }
            None => Ok(None),
        }
    }

    fn operand(&mut self) -> Result<Tree, Reported> {
        let start = self.here();
        match self.peek() {
            Some(TokenKind::Minus) => {
                self.bump();
                if self.at(TokenKind::Number) {
                    let mut number = self.number(true)?;
                    number.expr.span = self.since(start);
                    return Ok(number);
                }
                let operand = self.tree(UNARY)?;
                let kind = ExprKind::Negate(Box::new(operand.expr));
                Ok(Tree::new(kind, self.since(start), operand.height + 1))
            }
            Some(TokenKind::Bang | TokenKind::Not) => {
                self.bump();
                let operand = self.tree(UNARY)?;
                let kind = ExprKind::Not(Box::new(operand.expr));
                Ok(Tree::new(kind, self.since(start), operand.height + 1))
            }
            _ => {
                let primary = self.primary()?;
                self.postfix(primary)
            }
        }
    }

    /// An operand without signs before it and fields behind it.
    fn primary(&mut self) -> Result<Tree, Reported> {
        let start = self.here();
        match self.peek() {
            Some(TokenKind::Number) => return self.number(false),
            Some(TokenKind::LeftParenthesis) => {
                self.bump();
                let inside = self.tree(0)?;
                if !self.eat(TokenKind::RightParenthesis) {
                    return Err(self.unclosed_parenthesis(start));
                }
                // The parentheses belong to it, for messages and for edits.
                let span = self.since(start);
                return Ok(Tree::new(inside.expr.kind, span, inside.height));
            }
            Some(TokenKind::LeftBrace) if !self.block_follows() => return self.set(),
            _ => {}
        }
        let word = self.word_at(0);
        let kind = match word {
            Some("true") => ExprKind::Bool(true),
            Some("false") => ExprKind::Bool(false),
            Some("null") => ExprKind::Null,
            Some("nobody") => ExprKind::Nobody,
            Some("lowest") => ExprKind::Lowest,
            Some("highest") => ExprKind::Highest,
            Some("me") => ExprKind::Me,
            Some("at") => return self.at_places(),
            Some("forall" | "exists") => return Err(self.quantifier()),
            Some("thread") if self.dot_at(1) => {
                let name = Name { text: "thread".to_owned(), span: self.here() };
                ExprKind::Name(name)
            }
            Some(_) if self.is_name_at(0) => return self.name_or_call(),
            _ => return Err(self.mistaken_operand()),
        };
        Ok(Tree::new(kind, self.bump(), 1))
    }

    /// `.next`, `[i]` and `.x[i]` behind an operand.
    fn postfix(&mut self, mut tree: Tree) -> Result<Tree, Reported> {
        let start = tree.expr.span;
        loop {
            if self.at(TokenKind::LeftBracket) {
                let ExprKind::Name(name) = tree.expr.kind else {
                    return Err(self.index_of_expression(start));
                };
                tree = self.indexed(None, name, start)?;
            } else if self.eat_dot() {
                let field = self.name("a field")?;
                tree = match tree.expr.kind {
                    ExprKind::Name(procedure) if self.at(TokenKind::LeftBracket) => {
                        self.indexed(Some(procedure), field, start)?
                    }
                    kind => {
                        let span = tree.expr.span;
                        let inside = Box::new(Expr { span, kind });
                        let kind = ExprKind::Field(inside, field);
                        Tree::new(kind, self.since(start), tree.height + 1)
                    }
                };
            } else {
                return Ok(tree);
            }
            if self.depth + tree.height > MAX_DEPTH {
                return Err(self.nested_too_deeply());
            }
        }
    }

    /// `[i]` behind the name of a local.
    fn indexed(
        &mut self,
        procedure: Option<Name>,
        name: Name,
        start: Span,
    ) -> Result<Tree, Reported> {
        let open = self.bump();
        let index = self.tree(0)?;
        if !self.eat(TokenKind::RightBracket) {
            let message = format!("expected `]`, found {}", self.found());
            let diagnostic = Diagnostic::error("unclosed-bracket", message, self.here_or_gap())
                .with_label("expected `]` here")
                .with_secondary(open, "to close this");
            return Err(self.report(diagnostic));
        }
        let kind = ExprKind::Indexed { procedure, name, index: Box::new(index.expr) };
        Ok(Tree::new(kind, self.since(start), index.height + 1))
    }

    /// `{}`, `{a, b}`.
    fn set(&mut self) -> Result<Tree, Reported> {
        let open = self.bump();
        self.open_sets += 1;
        let mut elements = Vec::new();
        let mut height = 0;
        while !self.at(TokenKind::RightBrace) {
            let element = self.tree(0)?;
            height = height.max(element.height);
            elements.push(element.expr);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        if !self.eat(TokenKind::RightBrace) {
            let message = format!("expected `,` or `}}`, found {}", self.found());
            let diagnostic = Diagnostic::error("unclosed-set", message, self.here_or_gap())
                .with_label("expected `,` or `}` here")
                .with_secondary(open, "this is the start of a set");
            return Err(self.report(diagnostic));
        }
        self.open_sets = self.open_sets.saturating_sub(1);
        Ok(Tree::new(ExprKind::Set(elements), self.since(open), height + 1))
    }

    /// `x`, `min(s)`, `active(i)`.
    fn name_or_call(&mut self) -> Result<Tree, Reported> {
        let start = self.here();
        let name = self.name("a variable")?;
        let open = self.here();
        if !self.eat(TokenKind::LeftParenthesis) {
            return Ok(Tree::new(ExprKind::Name(name), start, 1));
        }
        let mut arguments = Vec::new();
        let mut height = 0;
        while !self.at(TokenKind::RightParenthesis) {
            let argument = self.tree(0)?;
            height = height.max(argument.height);
            arguments.push(argument.expr);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.close_list(open)?;
        let span = self.since(start);
        if arguments.is_empty() && !FUNCTIONS.contains(&name.text.as_str()) {
            // `inside()` is `inside`.
            return Ok(Tree::new(ExprKind::Call(name, arguments), span, 1));
        }
        Ok(Tree::new(ExprKind::Call(name, arguments), span, height + 1))
    }

    /// `at(i, places)`.
    fn at_places(&mut self) -> Result<Tree, Reported> {
        let start = self.bump();
        let open = self.here();
        if !self.eat(TokenKind::LeftParenthesis) {
            return Err(self.malformed_at());
        }
        let thread = self.tree(0)?;
        if !self.eat(TokenKind::Comma) {
            return Err(self.malformed_at());
        }
        let places = self.places()?;
        self.close_list(open)?;
        let kind = ExprKind::At(Box::new(thread.expr), places);
        Ok(Tree::new(kind, self.since(start), thread.height + 1))
    }

    /// `a, p.b, c..d`.
    pub(super) fn places(&mut self) -> Result<Vec<Range>, Reported> {
        let mut ranges = Vec::new();
        loop {
            let first = self.place()?;
            let last = match self.eat(TokenKind::DotDot) {
                true => Some(self.place()?),
                false => None,
            };
            ranges.push(Range { first, last });
            if !self.eat(TokenKind::Comma) {
                return Ok(ranges);
            }
        }
    }

    /// `link`, `insert.link`, `thread`.
    fn place(&mut self) -> Result<Where, Reported> {
        let first = self.place_name()?;
        if !self.eat_dot() {
            return Ok(Where { procedure: None, name: first });
        }
        Ok(Where { procedure: Some(first), name: self.place_name()? })
    }

    fn place_name(&mut self) -> Result<Name, Reported> {
        if self.at(TokenKind::Number) {
            return Err(self.number_as_place());
        }
        match self.at_word("thread") {
            true => Ok(Name { text: "thread".to_owned(), span: self.bump() }),
            false => self.name("a statement, a label or a procedure"),
        }
    }

    /// `42`; `negative` if a `-` stands before it.
    fn number(&mut self, negative: bool) -> Result<Tree, Reported> {
        let text = self.here_text();
        if !text.bytes().all(|b| b.is_ascii_digit()) {
            return Err(self.not_a_number());
        }
        let value = if negative { format!("-{text}").parse() } else { text.parse() };
        let kind = match value {
            Ok(value) => ExprKind::Number(value),
            Err(_) => {
                let message = "this number does not fit into 64 bits";
                let diagnostic = Diagnostic::error("number-out-of-range", message, self.here())
                    .with_label("too large")
                    .with_help(format!(
                        "numbers in the text go from {} to {}; variables can have any value",
                        i64::MIN,
                        i64::MAX
                    ));
                self.report(diagnostic);
                ExprKind::Error
            }
        };
        Ok(Tree::new(kind, self.bump(), 1))
    }
}
