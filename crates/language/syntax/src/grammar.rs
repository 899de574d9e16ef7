//! What parsers of several languages do in the same way: lists, blocks, items, expressions.

use crate::ast::{BinaryOp, Name, Node};
use crate::cursor::Cursor;
use crate::lexer::TokenKind;
use crate::parser::MAX_DEPTH;
use crate::report::{Report as _, Reported, error};
use ser_base::Span;
use std::ops::DerefMut;

/// Lists, blocks and items, for whoever walks over tokens.
pub(crate) trait Grammar<'t>: DerefMut<Target = Cursor<'t>> + Sized {
    fn file<T>(mut self, item: fn(&mut Self) -> Result<T, Reported>) -> File<T> {
        let mut items = Vec::new();
        while self.peek().is_some() {
            let before = self.position;
            match item(&mut self) {
                Ok(item) => items.push(item),
                Err(Reported) => {
                    self.holes = true;
                    if self.position == before {
                        self.bump();
                    }
                    self.skip_to_item();
                }
            }
        }
        File { items, holes: self.holes }
    }

    /// What stands up to the `}` that closes `open`, and the place of that `}`. Errors inside are
    /// dealt with.
    fn up_to_brace<T>(
        &mut self,
        open: Span,
        element: fn(&mut Self) -> Result<T, Reported>,
    ) -> (Vec<T>, Span) {
        let mut elements = Vec::new();
        loop {
            let close = self.here();
            if self.eat(TokenKind::RightBrace) {
                return (elements, close);
            }
            if self.peek().is_none() || self.at_item() {
                self.unclosed(open, TokenKind::RightBrace, None);
                return (elements, self.gap());
            }
            let before = self.position;
            match element(self) {
                // What was read as nothing is in the way.
                Ok(element) if self.position > before => elements.push(element),
                _ => self.skip_part(before),
            }
        }
    }

    /// Elements with `,` between them, up to a closing bracket, which stays the current token if it
    /// is there.
    fn list<T>(
        &mut self,
        closer: TokenKind,
        mut element: impl FnMut(&mut Self) -> Result<T, Reported>,
    ) -> Result<Vec<T>, Reported> {
        let mut elements = Vec::new();
        while !self.at(closer) {
            elements.push(element(self)?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        Ok(elements)
    }

    /// A block with what `after` says before it; with the place of its `}`.
    fn block_of<T>(
        &mut self,
        after: &str,
        element: fn(&mut Self) -> Result<T, Reported>,
    ) -> Result<(Vec<T>, Span), Reported> {
        if !self.at(TokenKind::LeftBrace) {
            return Err(self.missing_braces(after));
        }
        self.deeper(|parser| {
            let open = parser.bump();
            Ok(parser.up_to_brace(open, element))
        })
    }

    /// What stands behind the block of an `if`: nothing, a block, or another `if`.
    fn alternative<T>(
        &mut self,
        block: fn(&mut Self) -> Result<T, Reported>,
        another: fn(&mut Self) -> Result<T, Reported>,
    ) -> Result<Option<T>, Reported> {
        if !self.misspelt_else_if() {
            if !self.eat_word("else") {
                return Ok(None);
            }
            if !self.at_word("if") {
                return block(self).map(Some);
            }
        }
        self.one_more()?;
        self.deeper(another).map(Some)
    }

    /// `enum Colour { red, green }`, from `enum`.
    fn names_of_enumeration(&mut self) -> Result<(Name, Vec<Name>), Reported> {
        const CODE: &str = "malformed-enum";
        self.bump();
        let name = self.name("an enumeration")?;
        let help = format!("it looks like `enum {} {{ red, green }}`", name.text);
        let Some(open) = self.accept(TokenKind::LeftBrace) else {
            return Err(self.missing(CODE, "`{` and names", "{", &[&help]));
        };
        let mut members = Vec::new();
        while !self.eat(TokenKind::RightBrace) {
            if self.item_follows() {
                self.unclosed(open, TokenKind::RightBrace, None);
                break;
            }
            match self.name("a member of the enumeration") {
                Ok(member) => members.push(member),
                Err(Reported) => self.skip_member(),
            }
            if self.eat(TokenKind::Comma) || self.at(TokenKind::RightBrace) || self.item_follows() {
                continue;
            }
            let message = format!("expected `,` or `}}`, found {}", self.found());
            let diagnostic = error(CODE, message, self.gap(), "expected `,` here");
            if self.is_name_at(0) {
                let diagnostic = diagnostic.with_fix("add it", self.gap(), ",");
                self.report(diagnostic);
            } else {
                self.report(diagnostic);
                self.skip_member();
                self.eat(TokenKind::Comma);
            }
        }
        if members.is_empty() {
            let message = format!("the enumeration {name} has no members");
            let span = self.since(open);
            self.report(error("empty-enum", message, span, "expected names here").with_help(help));
        }
        Ok((name, members))
    }

    /// Skips what is no member of an enumeration.
    fn skip_member(&mut self) {
        self.holes = true;
        self.skip_to(&[TokenKind::Comma]);
    }

    /// Whether nothing more of an item can follow.
    fn item_follows(&self) -> bool {
        self.peek().is_none() || self.at_item() || self.at_loose_item()
    }

    /// `(a, b)`, from the `(` at the current token; nothing if there is none.
    fn in_parentheses<T>(
        &mut self,
        element: impl FnMut(&mut Self) -> Result<T, Reported>,
    ) -> Result<Option<Vec<T>>, Reported> {
        let open = self.here();
        if !self.eat(TokenKind::LeftParenthesis) {
            return Ok(None);
        }
        let elements = self.list(TokenKind::RightParenthesis, element)?;
        self.close(open, TokenKind::RightParenthesis, "`,` or ")?;
        Ok(Some(elements))
    }

    /// Reads something one level deeper, unless that is too deep.
    fn deeper<T>(
        &mut self,
        inside: impl FnOnce(&mut Self) -> Result<T, Reported>,
    ) -> Result<T, Reported> {
        self.enter()?;
        let outcome = inside(self);
        self.leave();
        outcome
    }
}

impl<'t, P: DerefMut<Target = Cursor<'t>>> Grammar<'t> for P {}

/// The items of a file.
pub(crate) struct File<T> {
    pub(crate) items: Vec<T>,
    /// Whether an item or a statement was not understood, and is missing.
    pub(crate) holes: bool,
}

/// An expression as it is written.
pub(crate) type Expr = Node<ExprKind>;

/// Kinds of expressions.
pub(crate) enum ExprKind {
    Number(i64),
    Bool(bool),
    /// `self`.
    Me,
    Name(Name),
    /// A message with fields.
    Call(Name, Vec<Expr>),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    Binary(Operator, Span, Box<Expr>, Box<Expr>),
    /// Reported.
    Error,
}

/// Operators as they are written.
#[derive(Clone, Copy)]
pub(crate) enum Operator {
    /// One that all languages have.
    Common(BinaryOp),
    In,
}

/// How tightly operators bind.
pub(crate) mod power {
    pub(crate) const IFF: u8 = 1;
    pub(crate) const IMPLIES: u8 = 2;
    pub(crate) const OR: u8 = 3;
    pub(crate) const AND: u8 = 4;
    pub(crate) const COMPARISON: u8 = 5;
    pub(crate) const SUM: u8 = 6;
    pub(crate) const PRODUCT: u8 = 7;
    pub(crate) const UNARY: u8 = 8;
}

/// An operator as it stands in the text.
pub(crate) struct Infix {
    pub(crate) operator: Operator,
    pub(crate) power: u8,
    /// How many tokens it has.
    pub(crate) tokens: usize,
}

impl Infix {
    /// The operator that a single token stands for; a `=` is meant to be a `==`.
    pub(crate) fn of(kind: TokenKind) -> Option<Infix> {
        let (operator, power) = match kind {
            TokenKind::In => (Operator::In, power::COMPARISON),
            TokenKind::Equal => (Operator::Common(BinaryOp::Equal), power::COMPARISON),
            _ => common(kind).map(|(operator, power)| (Operator::Common(operator), power))?,
        };
        Some(Infix { operator, power, tokens: 1 })
    }
}

/// The operator of all languages that a token stands for, and how tightly it binds.
pub(crate) fn common(kind: TokenKind) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        TokenKind::OrOr | TokenKind::Or => (BinaryOp::Or, power::OR),
        TokenKind::AndAnd | TokenKind::And => (BinaryOp::And, power::AND),
        TokenKind::EqualEqual => (BinaryOp::Equal, power::COMPARISON),
        TokenKind::NotEqual => (BinaryOp::NotEqual, power::COMPARISON),
        TokenKind::Less => (BinaryOp::Less, power::COMPARISON),
        TokenKind::LessEqual => (BinaryOp::LessEqual, power::COMPARISON),
        TokenKind::Greater => (BinaryOp::Greater, power::COMPARISON),
        TokenKind::GreaterEqual => (BinaryOp::GreaterEqual, power::COMPARISON),
        TokenKind::Plus => (BinaryOp::Add, power::SUM),
        TokenKind::Minus => (BinaryOp::Subtract, power::SUM),
        TokenKind::Star => (BinaryOp::Multiply, power::PRODUCT),
        TokenKind::Slash => (BinaryOp::Divide, power::PRODUCT),
        TokenKind::Percent => (BinaryOp::Remainder, power::PRODUCT),
        _ => return None,
    })
}

/// An expression and the height of its tree: a chain like `1 + 1 + 1` makes the tree higher without
/// making the recursion deeper.
pub(crate) struct Tree {
    pub(crate) expr: Expr,
    pub(crate) height: usize,
    /// How tightly its operator binds, if it has no parentheses around it and cannot be chained.
    chain: Option<u8>,
}

impl Tree {
    pub(crate) fn new(kind: ExprKind, span: Span, height: usize) -> Tree {
        Tree { expr: Expr { span, kind }, height, chain: None }
    }
}

/// Expressions: an operand, then in a loop operators that bind at least as tightly as asked.
pub(crate) trait Expressions<'t>: Grammar<'t> {
    /// An operand without signs before it.
    fn primary(&mut self) -> Result<Tree, Reported>;

    /// The operator at the current token; also one that was meant to be one.
    fn infix(&mut self) -> Result<Option<Infix>, Reported>;

    fn expression(&mut self) -> Result<Expr, Reported> {
        self.tree(0).map(|tree| tree.expr)
    }

    /// An expression whose operators bind at least so tightly.
    fn tree(&mut self, min_power: u8) -> Result<Tree, Reported> {
        self.deeper(|parser| {
            let mut left = parser.operand()?;
            while let Some(infix) = parser.infix()?.filter(|infix| infix.power >= min_power) {
                left = parser.with_right_side(left, &infix)?;
            }
            Ok(left)
        })
    }

    /// An operator at the current token, and what stands behind it.
    fn with_right_side(&mut self, left: Tree, infix: &Infix) -> Result<Tree, Reported> {
        let power = infix.power;
        if left.chain == Some(power) {
            let middle = match &left.expr.kind {
                ExprKind::Binary(_, _, _, right) => right.span,
                _ => left.expr.span,
            };
            return Err(self.chained_comparison(left.expr.span, middle, infix.tokens));
        }
        let place = self.bump_all(infix.tokens);
        // To the right: `a -> b -> c` is `a -> (b -> c)`.
        let right = self.tree(if power == power::IMPLIES { power } else { power + 1 })?;
        let below = left.height.max(right.height);
        if self.depth + below > MAX_DEPTH {
            return Err(self.nested_too_deeply());
        }
        let span = left.expr.span.to(right.expr.span);
        let (left, right) = (Box::new(left.expr), Box::new(right.expr));
        let mut tree =
            Tree::new(ExprKind::Binary(infix.operator, place, left, right), span, below + 1);
        tree.chain = matches!(power, power::COMPARISON | power::IFF).then_some(power);
        Ok(tree)
    }

    /// An operand with the signs before it.
    fn operand(&mut self) -> Result<Tree, Reported> {
        let start = self.here();
        let make = match self.peek() {
            Some(TokenKind::Minus) => ExprKind::Negate,
            Some(TokenKind::Bang | TokenKind::Not) => ExprKind::Not,
            _ => return self.primary(),
        };
        let negative = self.at(TokenKind::Minus);
        self.bump();
        if negative && self.at(TokenKind::Number) {
            let mut number = self.number(true)?;
            number.expr.span = self.since(start);
            return Ok(number);
        }
        let operand = self.tree(power::UNARY)?;
        Ok(Tree::new(make(Box::new(operand.expr)), self.since(start), operand.height + 1))
    }

    /// `(a + b)`; the current token is the `(`.
    fn parenthesised(&mut self) -> Result<Tree, Reported> {
        let open = self.bump();
        let inside = self.tree(0)?;
        self.close(open, TokenKind::RightParenthesis, "")?;
        // The parentheses belong to it, for messages and for edits.
        Ok(Tree::new(inside.expr.kind, self.since(open), inside.height))
    }

    /// Trees with `,` between them, up to a closing bracket; with the height of the highest.
    fn trees(&mut self, closer: TokenKind) -> Result<(Vec<Expr>, usize), Reported> {
        let mut height = 0;
        let trees = self.list(closer, |parser| {
            let tree = parser.tree(0)?;
            height = height.max(tree.height);
            Ok(tree.expr)
        })?;
        Ok((trees, height))
    }

    /// `x`, `min(s)`, `Task(a, b)`.
    fn name_or_call(&mut self) -> Result<Tree, Reported> {
        let start = self.here();
        let name = self.name("a variable")?;
        let open = self.here();
        if !self.eat(TokenKind::LeftParenthesis) {
            return Ok(Tree::new(ExprKind::Name(name), start, 1));
        }
        let (arguments, height) = self.trees(TokenKind::RightParenthesis)?;
        self.close(open, TokenKind::RightParenthesis, "`,` or ")?;
        Ok(Tree::new(ExprKind::Call(name, arguments), self.since(start), height + 1))
    }

    /// `42`; `negative` if a `-` stands before it.
    fn number(&mut self, negative: bool) -> Result<Tree, Reported> {
        let value = self.number_value(negative)?;
        Ok(Tree::new(value.map_or(ExprKind::Error, ExprKind::Number), self.bump(), 1))
    }
}
