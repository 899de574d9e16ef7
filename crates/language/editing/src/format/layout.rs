//! From the syntax tree to a plan: where lines may end, and where they must.
//!
//! The walk over the tree takes the tokens one by one from the text, in order, and the tree only
//! says what to put between them. So nothing can get lost, and what a person may write in several
//! ways (`and` or `&&`, parentheses, a final `;`) stays as it was.

use super::plan::{Blocks as _, Op, Plan, is_a_plan};
use super::seam::Seam;
use super::words::Words;
use ser_syntax::ast::{
    Argument, Arm, BinaryOp, Block, Declared, Else, Expr, ExprKind, Pattern, Program, Type,
    TypeKind, Variable,
};
use ser_syntax::lexer::TokenKind;

/// Around an expression: how far its operators are indented when they start lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    /// In parentheses: not at all.
    Parentheses,
    Statement,
    /// After `if` or `while`: further than the block that follows.
    Condition,
}

/// The plan for a program, which is the meaning of these words and has no errors.
pub fn plan(program: &Program, words: &Words<'_>) -> Vec<Op> {
    let mut layout = Layout { plan: Plan::new(words) };
    layout.program(program);
    layout.plan.ops
}

struct Layout<'w, 't> {
    plan: Plan<'w, 't>,
}

is_a_plan!(Layout);

/// Things at top level.
enum Item<'p> {
    Constant(&'p Expr),
    Variable(&'p Variable),
    Enumeration(usize),
    Record(&'p ser_syntax::ast::Record),
    Alias(&'p Type),
    Function(&'p ser_syntax::ast::Function),
    Request(&'p ser_syntax::ast::Request),
}

impl Layout<'_, '_> {
    fn program(&mut self, program: &Program) {
        let mut items: Vec<(u32, Item<'_>)> = Vec::new();
        items.extend(program.constants.iter().map(|c| (c.span.start, Item::Constant(&c.value))));
        items.extend(program.globals.iter().map(|v| (v.span.start, Item::Variable(v))));
        let enumerations = program.enumerations.iter();
        items.extend(enumerations.map(|e| (e.span.start, Item::Enumeration(e.members.len()))));
        items.extend(program.records.iter().map(|r| (r.span.start, Item::Record(r))));
        items.extend(program.aliases.iter().map(|a| (a.span.start, Item::Alias(&a.meaning))));
        items.extend(program.functions.iter().map(|f| (f.span.start, Item::Function(f))));
        items.extend(program.requests.iter().map(|r| (r.span.start, Item::Request(r))));
        items.sort_by_key(|(start, _)| *start);
        let mut items = items.into_iter().map(|(_, item)| item);
        let has_block = |it: &Self| it.at(TokenKind::Request) || it.word() == "fn";
        self.items(has_block, |it, _| match items.next() {
            Some(Item::Constant(value)) => {
                it.apart(3);
                it.expression(value, Around::Statement);
            }
            Some(Item::Variable(variable)) => it.variable(variable),
            Some(Item::Enumeration(members)) => {
                it.apart(2);
                it.members(members, |it, _| it.token());
            }
            Some(Item::Record(record)) => {
                it.apart(2);
                it.members(record.fields.len(), |it, at| {
                    it.named_type(record.fields.get(at).map(|(_, values)| values));
                });
            }
            Some(Item::Alias(meaning)) => {
                it.apart(3);
                it.values(meaning);
            }
            Some(Item::Function(function)) => {
                it.apart(1);
                it.token();
                if it.at(TokenKind::LeftParenthesis) {
                    it.seam(Seam::Glue);
                    it.list(function.parameters.len(), |it, at| {
                        it.named_type(function.parameters.get(at).and_then(|(_, ty)| ty.as_ref()));
                    });
                }
                it.body(&function.body);
            }
            Some(Item::Request(request)) => it.request(request),
            // Whatever is left, though there should be nothing.
            None => it.token(),
        });
    }

    /// `Name := value`, `var name: type = value`, `lock name`.
    fn variable(&mut self, variable: &Variable) {
        match &variable.declared {
            Declared::Initial => {}
            Declared::Var(values) => {
                self.apart(1);
                match values {
                    Some(values) => self.named_type(Some(values)),
                    None => self.token(),
                }
            }
            Declared::Lock(index) => {
                self.apart(1);
                self.token();
                if let Some(index) = index {
                    self.glued();
                    self.seam(Seam::Space);
                    self.token();
                    self.seam(Seam::Glue);
                    self.values(&index.0);
                    self.glued();
                }
                return;
            }
        }
        let Some(value) = &variable.value else { return };
        match variable.declared {
            Declared::Initial => self.apart(2),
            _ => {
                self.seam(Seam::Space);
                self.apart(1);
            }
        }
        self.expression(value, Around::Statement);
    }

    /// `name: type`, `name in type`, `name`.
    fn named_type(&mut self, values: Option<&Type>) {
        self.token();
        let Some(values) = values else { return };
        match self.at(TokenKind::Colon) {
            true => self.glued(),
            false => {
                self.seam(Seam::Space);
                self.token();
            }
        }
        self.seam(Seam::Space);
        self.values(values);
    }

    /// A type.
    fn values(&mut self, values: &Type) {
        match &values.kind {
            TypeKind::Range(low, high) => self.range(low, high),
            TypeKind::Array(index, elements) => {
                self.token();
                self.seam(Seam::Glue);
                self.values(&index.0);
                self.glued();
                self.seam(Seam::Space);
                self.apart(1);
                self.values(elements);
            }
            TypeKind::Tuple(parts) => self.list(parts.len(), |it, at| {
                if let Some(part) = parts.get(at) {
                    it.values(part);
                }
            }),
            TypeKind::Int | TypeKind::Bool | TypeKind::Named(_) | TypeKind::Error => self.token(),
        }
    }

    /// `{ a, b }`, behind a seam.
    fn members(&mut self, count: usize, mut each: impl FnMut(&mut Self, usize)) {
        self.push(Op::Begin);
        self.token();
        for at in 0..count {
            self.seam(if at == 0 { Seam::Open { brace: true } } else { Seam::List });
            each(self, at);
            self.glued_if(TokenKind::Comma);
        }
        self.seam(if count == 0 { Seam::Glue } else { Seam::Close { brace: true } });
        self.token();
        self.push(Op::End);
    }

    /// `(a, b)` or `[a, b]`.
    fn list(&mut self, count: usize, mut each: impl FnMut(&mut Self, usize)) {
        self.push(Op::Begin);
        self.token();
        for at in 0..count {
            self.seam(if at == 0 { Seam::Open { brace: false } } else { Seam::List });
            each(self, at);
            self.glued_if(TokenKind::Comma);
        }
        self.seam(if count == 0 { Seam::Glue } else { Seam::Close { brace: false } });
        self.token();
        self.push(Op::End);
    }

    fn arguments(&mut self, arguments: &[Argument]) {
        self.list(arguments.len(), |it, at| {
            let Some(argument) = arguments.get(at) else { return };
            if argument.name.is_some() {
                it.token();
                it.glued();
                it.seam(Seam::Space);
            }
            it.expression(&argument.value, Around::Statement);
        });
    }

    /// The cases of a `match`, each on a line of its own.
    fn arms(&mut self, arms: &[Arm]) {
        self.token();
        for (at, arm) in arms.iter().enumerate() {
            self.seam(if at == 0 { Seam::Open { brace: true } } else { Seam::Statement });
            for (index, pattern) in arm.patterns.iter().enumerate() {
                if index > 0 {
                    self.seam(Seam::Space);
                    self.apart(1);
                }
                match pattern {
                    Pattern::Value(value) => self.expression(value, Around::Statement),
                    Pattern::Range(low, high) => self.range(low, high),
                    Pattern::Anything(_) => self.token(),
                }
            }
            self.seam(Seam::Space);
            self.token();
            self.seam(Seam::Glue);
            self.token();
            self.seam(Seam::Space);
            self.expression(&arm.body, Around::Statement);
            self.glued_if(TokenKind::Comma);
        }
        self.seam(Seam::Close { brace: true });
        self.token();
    }

    /// A block behind a head.
    fn body(&mut self, block: &Block) {
        self.seam(Seam::Flush);
        self.push(Op::Begin);
        self.block(block);
        self.push(Op::End);
    }

    fn request(&mut self, request: &ser_syntax::ast::Request) {
        self.token();
        self.seam(Seam::Space);
        self.token();
        if self.peek() == Some(TokenKind::LeftParenthesis) {
            self.seam(Seam::Glue);
            self.parameters(&request.parameters);
        }
        self.body(&request.body);
    }

    fn parameters(&mut self, parameters: &[ser_syntax::ast::Parameter]) {
        self.list(parameters.len(), |it, at| {
            it.named_type(parameters.get(at).map(|parameter| &parameter.values));
        });
    }

    /// So many tokens, with a space behind each.
    fn apart(&mut self, tokens: usize) {
        for _ in 0..tokens {
            self.token();
            self.seam(Seam::Space);
        }
    }

    /// `low..high`.
    fn range(&mut self, low: &Expr, high: &Expr) {
        self.expression(low, Around::Statement);
        self.glued();
        self.seam(Seam::Glue);
        self.expression(high, Around::Statement);
    }

    /// `{ ... }`, within a group of the caller's.
    fn block(&mut self, block: &Block) {
        if self.empty_braces() {
            return;
        }
        self.token();
        self.seam(Seam::Open { brace: true });
        self.sequence(block, Around::Statement);
        self.seam(Seam::Close { brace: true });
        self.token();
    }

    /// Expressions with `;` between them, up to the bracket that closes them.
    fn sequence(&mut self, block: &Block, around: Around) {
        let mut exprs = block.exprs.iter();
        let mut is_first = true;
        loop {
            match self.peek() {
                Some(TokenKind::Semicolon) => {
                    if !is_first {
                        self.seam(Seam::Glue);
                    }
                    self.token();
                }
                None | Some(TokenKind::RightBrace | TokenKind::RightParenthesis) => return,
                Some(_) => {
                    let Some(expr) = exprs.next() else { return };
                    if !is_first {
                        self.seam(Seam::Statement);
                    }
                    self.expression(expr, around);
                }
            }
            is_first = false;
        }
    }

    fn expression(&mut self, expr: &Expr, around: Around) {
        match &expr.kind {
            ExprKind::Number(_)
            | ExprKind::Bool(_)
            | ExprKind::Coin
            | ExprKind::Read(_)
            | ExprKind::Break
            | ExprKind::Continue
            | ExprKind::Yield
            | ExprKind::Abort => {
                // The smallest number has a sign of its own, which is a token of its own.
                if self.peek() == Some(TokenKind::Minus) {
                    self.token();
                    self.seam(Seam::Glue);
                }
                self.token();
            }
            ExprKind::Assign(_, value) => {
                self.apart(2);
                self.expression(value, Around::Statement);
            }
            ExprKind::Store(place, value) => {
                self.expression(place, Around::Statement);
                self.seam(Seam::Space);
                self.apart(1);
                self.expression(value, Around::Statement);
            }
            ExprKind::Var(variable) => self.variable(variable),
            ExprKind::Index(of, index) => {
                self.expression(of, Around::Statement);
                self.glued();
                self.seam(Seam::Glue);
                self.expression(index, Around::Statement);
                self.glued();
            }
            ExprKind::Field(of, _) => {
                self.expression(of, Around::Statement);
                self.glued();
                self.glued();
            }
            ExprKind::Call(_, arguments) => {
                self.token();
                self.seam(Seam::Glue);
                self.arguments(arguments);
            }
            ExprKind::Tuple(parts) | ExprKind::List(parts) => {
                self.list(parts.len(), |it, at| {
                    if let Some(part) = parts.get(at) {
                        it.expression(part, Around::Statement);
                    }
                });
            }
            ExprKind::Unary(_, operand) => {
                let operator = self.peek();
                self.token();
                let next = self.peek();
                // `--x` looks like a decrement.
                let apart = operator == Some(TokenKind::Not)
                    || operator == Some(TokenKind::Minus) && next == operator;
                self.seam(if apart { Seam::Space } else { Seam::Glue });
                self.expression(operand, Around::Statement);
            }
            ExprKind::Binary(operator, ..) => self.chain(expr, level(*operator), around),
            ExprKind::If(..) => {
                self.push(Op::Begin);
                self.conditional(expr);
                self.push(Op::End);
            }
            ExprKind::While(condition, body) => {
                self.push(Op::Begin);
                self.apart(1);
                self.expression(condition, Around::Condition);
                self.seam(Seam::Flush);
                self.block(body);
                self.push(Op::End);
            }
            ExprKind::For(_, values, body) => {
                self.push(Op::Begin);
                self.apart(3);
                self.values(values);
                self.seam(Seam::Flush);
                self.block(body);
                self.push(Op::End);
            }
            ExprKind::Loop(body) => {
                self.push(Op::Begin);
                self.token();
                self.seam(Seam::Flush);
                self.block(body);
                self.push(Op::End);
            }
            ExprKind::With(lock, body) => {
                self.push(Op::Begin);
                self.apart(1);
                self.expression(lock, Around::Statement);
                self.seam(Seam::Flush);
                self.block(body);
                self.push(Op::End);
            }
            ExprKind::Either(blocks) => {
                self.push(Op::Begin);
                for (at, block) in blocks.iter().enumerate() {
                    if at > 0 {
                        self.seam(Seam::Flush);
                    }
                    self.token();
                    self.seam(Seam::Flush);
                    self.block(block);
                }
                self.push(Op::End);
            }
            ExprKind::Match(value, arms) => {
                self.push(Op::Begin);
                self.apart(1);
                self.expression(value, Around::Condition);
                self.seam(Seam::Flush);
                self.arms(arms);
                self.push(Op::End);
            }
            ExprKind::Group(block) if self.at(TokenKind::LeftBrace) => {
                self.push(Op::Begin);
                self.block(block);
                self.push(Op::End);
            }
            ExprKind::Return(value) => {
                self.token();
                if let Some(value) = value {
                    self.seam(Seam::Space);
                    self.expression(value, Around::Statement);
                }
            }
            ExprKind::Assume(condition) | ExprKind::Assert(condition) => {
                self.token();
                self.seam(Seam::Glue);
                self.in_parentheses(|layout| {
                    layout.expression(condition, Around::Parentheses);
                });
            }
            ExprKind::Choose(values) => {
                self.token();
                self.seam(Seam::Glue);
                self.in_parentheses(|layout| layout.values(values));
            }
            ExprKind::Group(block) => {
                let around = match block.exprs.len() {
                    1 => Around::Parentheses,
                    _ => Around::Statement,
                };
                self.in_parentheses(|layout| layout.sequence(block, around));
            }
            ExprKind::Error => {}
        }
    }

    /// `if ... { } else if ... { } else { }`: all of its blocks are on one line, or none.
    fn conditional(&mut self, mut expr: &Expr) {
        while let ExprKind::If(condition, then, otherwise) = &expr.kind {
            self.apart(1);
            self.expression(condition, Around::Condition);
            self.seam(Seam::Flush);
            self.block(then);
            let Some(otherwise) = otherwise else { return };
            self.seam(Seam::Flush);
            self.token();
            self.seam(Seam::Flush);
            match otherwise {
                Else::If(next) => expr = next,
                Else::Block(block) => return self.block(block),
            }
        }
    }

    /// `a + b - c`: operators of the same level, all at the start of a line, or none.
    fn chain(&mut self, expr: &Expr, of: u8, around: Around) {
        let mut operands = Vec::new();
        let mut first = expr;
        while let ExprKind::Binary(operator, left, right) = &first.kind
            && level(*operator) == of
        {
            operands.push(right);
            first = left;
        }
        let indentation = match around {
            Around::Parentheses => 0,
            Around::Statement => 1,
            Around::Condition => 2,
        };
        self.push(Op::Begin);
        self.expression(first, Around::Statement);
        (0..indentation).for_each(|_| self.push(Op::Indent));
        for operand in operands.into_iter().rev() {
            self.seam(Seam::Operator);
            self.token();
            self.seam(Seam::Flush);
            self.expression(operand, Around::Statement);
        }
        (0..indentation).for_each(|_| self.push(Op::Dedent));
        self.push(Op::End);
    }
}

/// Operators that can stand in one chain have the same level.
fn level(operator: BinaryOp) -> u8 {
    match operator {
        BinaryOp::Or => 1,
        BinaryOp::And => 2,
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => 5,
        BinaryOp::Add | BinaryOp::Subtract => 4,
        _ => 3,
    }
}
