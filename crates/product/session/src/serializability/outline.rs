//! The outline of a program: its blocks, their statements, and the yield points in them.
//!
//! Causes and repairs speak of statements and yield points, not of expressions. An outline lists
//! them with their places, what they touch, and whether their value is used: all that is needed to
//! take a `yield` out, to put one in, or to hold a lock around statements, without changing what a
//! request alone does.

use ser_syntax::Span;
use ser_syntax::core::{Block, Expr, ExprKind, Program};
use std::collections::{BTreeMap, BTreeSet};

/// The outline of a program.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// All blocks, outer before inner.
    pub blocks: Vec<BlockOutline>,
    /// All yield points, in the order of the source.
    pub pauses: Vec<Pause>,
    /// The block of each request's body.
    pub bodies: Vec<usize>,
}

/// Expressions in sequence.
#[derive(Clone, Debug)]
pub struct BlockOutline {
    /// Which request it belongs to.
    pub request: usize,
    /// The whole block, with its braces or parentheses.
    pub span: Span,
    /// Its statements, in order.
    pub statements: Vec<Statement>,
    /// Whether the value of its last statement is used.
    pub is_used: bool,
    /// The block and the statement around it.
    pub parent: Option<(usize, usize)>,
}

/// One expression of a block.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The expression.
    pub span: Span,
    /// What it does.
    pub effects: Effects,
    /// Its form.
    pub shape: Shape,
}

/// The form of a statement, as far as edits care.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    Yield,
    /// `name := value`.
    Assignment,
    /// `while ...`: its value is 0.
    Loop,
    /// `return ...`, or `abort`.
    Return,
    /// A number or a local variable: its value is the same at any later time.
    Settled,
    /// Anything else.
    Other,
}

/// What an expression touches and can do, with everything inside it.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// Global variables that it may read.
    pub reads: BTreeSet<String>,
    /// Global variables that it may write.
    pub writes: BTreeSet<String>,
    /// Local variables that it may read.
    locals_read: BTreeSet<String>,
    /// Local variables that it may assign, each with the globals that its value is made from.
    locals_from: BTreeMap<String, BTreeSet<String>>,
    /// Whether it may yield.
    pub pauses: bool,
    /// Whether it may wait for others: an `assume`, or a loop that only others can end.
    pub waits: bool,
    /// The `return`s and `abort`s in it.
    pub returns: Vec<Return>,
}

/// Where a request ends early: a `return`, or an `abort`.
#[derive(Clone, Debug)]
pub struct Return {
    /// The expression.
    pub span: Span,
    /// What it responds, unless that is left out, or it is an `abort`.
    pub value: Option<(Span, Shape)>,
    /// Whether it is a statement of a block; otherwise it is an operand.
    pub is_statement: bool,
}

impl Effects {
    /// Whether it touches a global variable.
    pub fn touches(&self) -> bool {
        !self.reads.is_empty() || !self.writes.is_empty()
    }

    /// Both, one after the other.
    pub fn add(&mut self, other: &Effects) {
        self.reads.extend(other.reads.iter().cloned());
        self.writes.extend(other.writes.iter().cloned());
        self.locals_read.extend(other.locals_read.iter().cloned());
        for (local, globals) in &other.locals_from {
            self.locals_from.entry(local.clone()).or_default().extend(globals.iter().cloned());
        }
        self.pauses |= other.pauses;
        self.waits |= other.waits;
        self.returns.extend(other.returns.iter().cloned());
    }
}

/// A `yield`.
#[derive(Clone, Debug)]
pub struct Pause {
    /// The expression.
    pub span: Span,
    /// Which request it belongs to.
    pub request: usize,
    /// The block and the statement that it is, unless it is an operand.
    pub place: Option<(usize, usize)>,
    /// Whether its value, which is 0, is used.
    pub is_used: bool,
    /// Whether it seems to be there for waiting only: it stands in a loop that ends when others
    /// change something.
    pub waits: bool,
}

impl Outline {
    /// Reads a program.
    pub fn new(program: &Program) -> Outline {
        let mut outline = Outline::default();
        for (request, item) in program.requests.iter().enumerate() {
            let mut walk = Walk { outline: &mut outline, request };
            let (body, _) = walk.block(&item.body, true, None);
            outline.bodies.push(body);
        }
        outline.pauses.sort_by_key(|p| p.span);
        outline
    }

    /// The number of the yield point at this place.
    pub fn pause_at(&self, span: Span) -> Option<usize> {
        self.pauses.iter().position(|p| p.span == span)
    }
}

struct Walk<'a> {
    outline: &'a mut Outline,
    request: usize,
}

impl Walk<'_> {
    fn block(
        &mut self,
        block: &Block,
        is_used: bool,
        parent: Option<(usize, usize)>,
    ) -> (usize, Effects) {
        let id = self.outline.blocks.len();
        let request = self.request;
        let empty = BlockOutline { request, span: block.span, statements: vec![], is_used, parent };
        self.outline.blocks.push(empty);
        let mut all = Effects::default();
        for (index, expr) in block.exprs.iter().enumerate() {
            let is_used = is_used && index + 1 == block.exprs.len();
            let mut effects = self.expr(expr, is_used, (id, index));
            if let ExprKind::Yield = expr.kind
                && let Some(pause) = self.outline.pauses.last_mut()
            {
                pause.place = Some((id, index));
            }
            if let ExprKind::Return(_) | ExprKind::Abort = expr.kind
                && let Some(last) = effects.returns.last_mut()
            {
                last.is_statement = true;
            }
            all.add(&effects);
            let shape = self.shape(expr);
            let statement = Statement { span: expr.span, effects, shape };
            self.outline.blocks[id].statements.push(statement);
        }
        (id, all)
    }

    fn shape(&self, expr: &Expr) -> Shape {
        match &expr.kind {
            ExprKind::Yield => Shape::Yield,
            ExprKind::Assign(..) => Shape::Assignment,
            ExprKind::While(..) => Shape::Loop,
            ExprKind::Return(_) | ExprKind::Abort => Shape::Return,
            ExprKind::Number(_) => Shape::Settled,
            ExprKind::Read(name) if !self.is_global(&name.text) => Shape::Settled,
            _ => Shape::Other,
        }
    }

    fn is_global(&self, name: &str) -> bool {
        name.starts_with(char::is_uppercase)
    }

    /// What an expression does. `at` is the block and statement that it belongs to.
    fn expr(&mut self, expr: &Expr, is_used: bool, at: (usize, usize)) -> Effects {
        let mut all = Effects::default();
        match &expr.kind {
            ExprKind::Number(_) | ExprKind::Choose(..) | ExprKind::Fail(_) | ExprKind::Error => {}
            ExprKind::Read(name) => {
                if self.is_global(&name.text) {
                    all.reads.insert(name.text.clone());
                } else {
                    all.locals_read.insert(name.text.clone());
                }
            }
            ExprKind::Assign(name, value) => {
                all.add(&self.expr(value, true, at));
                if self.is_global(&name.text) {
                    all.writes.insert(name.text.clone());
                } else {
                    let from = all.locals_from.entry(name.text.clone()).or_default();
                    from.extend(all.reads.iter().cloned());
                }
            }
            ExprKind::Unary(_, operand) => all.add(&self.expr(operand, true, at)),
            ExprKind::Binary(_, left, right) => {
                all.add(&self.expr(left, true, at));
                all.add(&self.expr(right, true, at));
            }
            ExprKind::If(condition, then, otherwise) => {
                all.add(&self.expr(condition, true, at));
                all.add(&self.block(then, is_used, Some(at)).1);
                all.add(&self.block(otherwise, is_used, Some(at)).1);
            }
            ExprKind::While(condition, body) => {
                let first = self.outline.pauses.len();
                let asked = self.expr(condition, true, at);
                let done = self.block(body, false, Some(at)).1;
                if only_others_end(&asked, &done) {
                    all.waits = true;
                    self.outline.pauses[first..].iter_mut().for_each(|p| p.waits = true);
                }
                all.add(&asked);
                all.add(&done);
            }
            ExprKind::Yield => {
                all.pauses = true;
                let request = self.request;
                let pause = Pause { span: expr.span, request, place: None, is_used, waits: false };
                self.outline.pauses.push(pause);
            }
            ExprKind::Return(response) => {
                let shape = match response.parts.as_slice() {
                    // Left out in the source.
                    [only] if only.span == expr.span => None,
                    [only] => Some((only.span, self.shape(only))),
                    _ => None,
                };
                for part in &response.parts {
                    all.add(&self.expr(part, true, at));
                }
                let found = Return { span: expr.span, value: shape, is_statement: false };
                all.returns.push(found);
            }
            ExprKind::Abort => {
                all.returns.push(Return { span: expr.span, value: None, is_statement: false });
            }
            ExprKind::Assume(condition) => {
                all.add(&self.expr(condition, true, at));
                all.waits = true;
            }
            ExprKind::Leave(_, value) => all.add(&self.expr(value, true, at)),
            ExprKind::Labelled(_, block) | ExprKind::Group(block) => {
                all.add(&self.block(block, is_used, Some(at)).1);
            }
        }
        all
    }
}

/// Whether a loop goes on for as long as others leave some global variable as it is: its condition
/// depends on one that the loop itself does not write.
fn only_others_end(asked: &Effects, done: &Effects) -> bool {
    let foreign = |globals: &BTreeSet<String>| {
        globals.iter().any(|v| !done.writes.contains(v) && !asked.writes.contains(v))
    };
    // Directly, or through a local: `seen := X` in the body, and the condition asks for `seen`.
    let through = |local: &String| done.locals_from.get(local).is_some_and(foreign);
    foreign(&asked.reads) || asked.locals_read.iter().any(through)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn outline(text: &str) -> Outline {
        let parse = ser_syntax::parse(text);
        assert!(!parse.has_errors(), "{:?}", parse.diagnostics);
        Outline::new(&parse.program)
    }

    #[test]
    fn a_pause_in_a_loop_that_others_end_waits() {
        let waits = |text: &str| outline(text).pauses.iter().map(|p| p.waits).collect::<Vec<_>>();
        assert_eq!(
            waits("request a { while (L == 1) { yield }; L := 1; yield; L := 0 }"),
            [true, false]
        );
        assert_eq!(waits("request a { while (N > 0) { N := N - 1; yield } }"), [false]);
        assert_eq!(waits("request a { i := 3; while (i > 0) { yield; i := i - 1 } }"), [false]);
        assert_eq!(waits("request a { x := 1; while (x == 1) { yield; x := L }; L := 1 }"), [true]);
        assert_eq!(
            waits("const N = 3 request a { i := 0; while (i < N) { i := i + 1; yield } }"),
            [false]
        );
    }

    #[test]
    fn the_value_of_a_pause_is_used_only_where_it_can_be_seen() {
        let used = |text: &str| outline(text).pauses.iter().map(|p| p.is_used).collect::<Vec<_>>();
        assert_eq!(used("request a { X := 1; yield }"), [true]);
        assert_eq!(used("request a { if (X) { yield }; 1 }"), [false]);
        assert_eq!(used("request a { if (X) { yield } else { 1 } }"), [true]);
        assert_eq!(used("request a { while (?) { yield } }"), [false]);
        assert_eq!(used("request a { x := yield; x }"), [true]);
        assert_eq!(used("request a { yield; 1 }"), [false]);
    }

    #[test]
    fn statements_know_what_they_touch() {
        let text = "const C = 1 request a { x := X + C; if (x) { Y := 1; return Z }; x }";
        let outline = outline(text);
        let body = &outline.blocks[outline.bodies[0]];
        let touched: Vec<bool> = body.statements.iter().map(|s| s.effects.touches()).collect();
        assert_eq!(touched, [true, true, false]);
        let effects = &body.statements[1].effects;
        assert!(effects.reads.contains("Z") && effects.writes.contains("Y"));
        assert_eq!(effects.returns.len(), 1);
        assert!(effects.returns[0].is_statement);
        assert!(!body.statements[0].effects.reads.contains("C"));
    }
}
