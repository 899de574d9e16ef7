//! From the syntax tree to a plan: where lines may end, and where they must.
//!
//! The walk over the tree takes the tokens one by one from the text, in order, and the tree only
//! says what to put between them. So nothing can get lost, and what a person may write in several
//! ways (`and` or `&&`, parentheses, a final `;`) stays as it was.

use super::plan::{Blocks as _, Op, Plan, is_a_plan};
use super::seam::Seam;
use super::words::Words;
use ser_syntax::ast::{
    Argument, Arm, BinaryOp, Block, Claim, Conjunct, Declared, Else, Entry, Expr, ExprKind,
    Message, Pattern, PlaceRange, Process, Program, Proof, Relation, Type, TypeKind, Variable,
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

/// How much room there can be behind the name of a statement.
const WIDEST: usize = 32;

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
    Use,
    Constant(&'p Expr),
    Variable(&'p Variable),
    Enumeration(usize),
    Open,
    Record(&'p ser_syntax::ast::Record),
    Alias(&'p Type),
    Function(&'p ser_syntax::ast::Function),
    Request(&'p ser_syntax::ast::Request),
    Process(&'p Process),
    Message(&'p Message),
    Set,
    Assumption(&'p Expr),
    Claim(&'p Claim),
    Proof(&'p Proof),
}

impl Layout<'_, '_> {
    fn program(&mut self, program: &Program) {
        let mut items: Vec<(u32, Item<'_>)> = Vec::new();
        items.extend(program.uses.iter().map(|u| (u.span.start, Item::Use)));
        items.extend(program.constants.iter().map(|c| (c.span.start, Item::Constant(&c.value))));
        items.extend(program.globals.iter().map(|v| (v.span.start, Item::Variable(v))));
        let enumerations = program.enumerations.iter();
        items.extend(enumerations.map(|e| match e.open {
            true => (e.span.start, Item::Open),
            false => (e.span.start, Item::Enumeration(e.members.len())),
        }));
        items.extend(program.records.iter().map(|r| (r.span.start, Item::Record(r))));
        items.extend(program.aliases.iter().map(|a| (a.span.start, Item::Alias(&a.meaning))));
        items.extend(program.functions.iter().map(|f| (f.span.start, Item::Function(f))));
        items.extend(program.requests.iter().map(|r| (r.span.start, Item::Request(r))));
        items.extend(program.processes.iter().map(|p| (p.span.start, Item::Process(p))));
        items.extend(program.messages.iter().map(|m| (m.span.start, Item::Message(m))));
        items.extend(program.sets.iter().map(|s| (s.span.start, Item::Set)));
        items.extend(program.assumptions.iter().map(|a| (a.span.start, Item::Assumption(a))));
        items.extend(program.claims.iter().map(|c| (c.span.start, Item::Claim(c))));
        items.extend(program.proofs.iter().map(|p| (p.span.start, Item::Proof(p))));
        // Other files are not laid out.
        items.retain(|(start, _)| (*start as usize) < self.words.text.len());
        items.sort_by_key(|(start, _)| *start);
        let mut items = items.into_iter().map(|(_, item)| item);
        let has_block = |it: &Self| it.starts_block();
        self.items(has_block, |it, _| match items.next() {
            Some(Item::Use | Item::Open) => {
                it.apart(1);
                it.token();
            }
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
                if let Some(result) = &function.result {
                    it.glued();
                    it.seam(Seam::Space);
                    it.values(result);
                }
                match function.body.exprs.as_slice() {
                    [value] if function.is_shorthand => {
                        it.seam(Seam::Space);
                        it.token();
                        it.formula(value);
                    }
                    _ => it.body(&function.body),
                }
            }
            Some(Item::Request(request)) => it.request(request),
            Some(Item::Process(process)) => it.process(process),
            Some(Item::Message(message)) => it.message(message),
            Some(Item::Set) => it.set(),
            Some(Item::Assumption(condition)) => {
                it.apart(1);
                it.expression(condition, Around::Statement);
            }
            Some(Item::Claim(claim)) => it.claim(claim),
            Some(Item::Proof(proof)) => it.proof(proof),
            // Whatever is left, though there should be nothing.
            None => it.token(),
        });
    }

    /// Whether what starts here has a block, and so lines of its own.
    fn starts_block(&self) -> bool {
        let next = self.words.word(self.next + 1);
        match self.word() {
            "fn" => !self.is_shorthand(),
            "process" => true,
            "server" => next == "process",
            "proof" => next == "{" || next == "acyclic",
            "invariant" => self.words.kind(self.head_of_claim()) == Some(TokenKind::LeftBrace),
            _ => self.at(TokenKind::Request),
        }
    }

    /// Whether the function that starts here is `fn name(parameters) = value`.
    fn is_shorthand(&self) -> bool {
        let mut at = self.next;
        loop {
            match self.words.kind(at) {
                None | Some(TokenKind::LeftBrace) => return false,
                Some(TokenKind::Equal) => return true,
                _ => at += 1,
            }
        }
    }

    /// Where the parameters of the claim that starts here have ended.
    fn head_of_claim(&self) -> usize {
        let named = matches!(self.words.kind(self.next + 1), Some(TokenKind::Name));
        let mut at = self.next + if named { 2 } else { 1 };
        if self.words.kind(at) == Some(TokenKind::LeftParenthesis) {
            while !matches!(self.words.kind(at), None | Some(TokenKind::RightParenthesis)) {
                at += 1;
            }
            at += 1;
        }
        at
    }

    /// `server process name(parameters) for member in set { ... }`.
    fn process(&mut self, process: &Process) {
        self.apart(if process.server { 2 } else { 1 });
        self.token();
        if self.at(TokenKind::LeftParenthesis) {
            self.seam(Seam::Glue);
            self.parameters(&process.parameters);
        }
        if process.member.is_some() {
            self.seam(Seam::Space);
            self.apart(3);
            self.token();
        }
        self.body(&process.body);
    }

    /// `msg name = constructor(type) | constructor`.
    fn message(&mut self, message: &Message) {
        self.apart(3);
        self.group(|it| {
            for (at, (_, fields)) in message.constructors.iter().enumerate() {
                if at > 0 {
                    it.seam(Seam::Operator);
                    it.apart(1);
                }
                it.token();
                if it.at(TokenKind::LeftParenthesis) {
                    it.seam(Seam::Glue);
                    it.list(fields.len(), |it, at| {
                        if let Some(field) = fields.get(at) {
                            it.values(field);
                        }
                    });
                }
                if at == 0 {
                    it.push(Op::Indent);
                }
            }
            it.push(Op::Dedent);
        });
    }

    /// `set name`, `set name >= 1`.
    fn set(&mut self) {
        self.apart(1);
        self.token();
        if matches!(self.peek(), Some(TokenKind::GreaterEqual | TokenKind::EqualEqual)) {
            self.seam(Seam::Space);
            self.apart(1);
            self.token();
        }
    }

    /// What stands behind `:` or `=`; on a line of its own if it was there.
    fn formula(&mut self, formula: &Expr) {
        self.group(|it| {
            it.push(Op::Indent);
            it.seam(Seam::Value);
            it.expression(formula, Around::Parentheses);
            it.push(Op::Dedent);
        });
    }

    /// `reach "name": condition`, `invariant name(i): condition`, `deadlock`.
    fn claim(&mut self, claim: &Claim) {
        self.token();
        if claim.name.is_some() {
            self.seam(Seam::Space);
            self.token();
        }
        let has_parameters = !claim.parameters.is_empty();
        if self.at(TokenKind::LeftParenthesis) && (claim.name.is_some() || has_parameters) {
            self.seam(if claim.name.is_some() { Seam::Glue } else { Seam::Space });
            self.list(claim.parameters.len(), |it, _| it.token());
        }
        if self.at(TokenKind::LeftBrace) {
            self.seam(Seam::Flush);
            return self.group(|it| it.each_in_braces(&claim.conjuncts, Self::conjunct));
        }
        if claim.name.is_some() || has_parameters {
            self.glued();
        }
        if let [only] = claim.conjuncts.as_slice() {
            self.formula(&only.condition);
        }
    }

    /// `{ ... }` with things inside that end with `;`.
    fn each_in_braces<T>(&mut self, things: &[T], each: fn(&mut Self, &T)) {
        if self.empty_braces() {
            return;
        }
        self.token();
        for (at, thing) in things.iter().enumerate() {
            self.seam(if at == 0 { Seam::Open { brace: true } } else { Seam::Statement });
            each(self, thing);
            self.glued_if(TokenKind::Semicolon);
        }
        self.seam(Seam::Close { brace: true });
        self.token();
    }

    fn conjunct(&mut self, conjunct: &Conjunct) {
        if conjunct.name.is_some() {
            self.name();
        }
        self.expression(&conjunct.condition, Around::Statement);
    }

    /// `name:` before a statement or a conjunct. The room behind it stays as it is: where many
    /// statements have names, people write them like a table.
    fn name(&mut self) {
        self.token();
        self.glued();
        let colon = self.next.checked_sub(1).and_then(|colon| self.words.span(colon));
        let room = colon.zip(self.words.span(self.next)).and_then(|(colon, next)| {
            let between = self.words.text.get(colon.end as usize..next.start as usize)?;
            let blank = between.bytes().all(|byte| byte == b' ');
            (blank && (2..=WIDEST).contains(&between.len())).then_some(between.len() as u32)
        });
        match room {
            Some(room) => self.push(Op::Room(room)),
            None => self.seam(Seam::Space),
        }
    }

    /// `proof acyclic { ... }`.
    fn proof(&mut self, proof: &Proof) {
        self.apart(if proof.acyclic { 2 } else { 1 });
        self.group(|it| it.each_in_braces(&proof.entries, Self::entry));
    }

    /// `mutex follows from a, b`, `mutex { at wait self use a; }`.
    fn entry(&mut self, entry: &Entry) {
        self.group(|it| {
            it.words_up_to(&[TokenKind::Semicolon, TokenKind::LeftBrace, TokenKind::RightBrace]);
            if it.at(TokenKind::LeftBrace) {
                it.seam(Seam::Flush);
                it.each_in_braces(&entry.cases, |it, _| {
                    it.words_up_to(&[TokenKind::Semicolon, TokenKind::RightBrace]);
                });
            }
        });
    }

    /// Names with `,`, `.` and `..` between some of them, up to one of these: as many as fit go on
    /// one line.
    fn words_up_to(&mut self, ends: &[TokenKind]) {
        self.group(|it| {
            let start = it.next;
            if it.peek().is_some_and(|kind| !ends.contains(&kind)) {
                it.token();
            }
            it.push(Op::Indent);
            while it.peek().is_some_and(|kind| !ends.contains(&kind)) {
                let close = [TokenKind::Comma, TokenKind::Dot, TokenKind::DotDot];
                let before = it.next.checked_sub(1).and_then(|before| it.words.kind(before));
                let glued = it.peek().is_some_and(|kind| close.contains(&kind))
                    || matches!(before, Some(TokenKind::Dot | TokenKind::DotDot));
                if it.next > start {
                    let after_comma = before == Some(TokenKind::Comma);
                    it.seam(match glued {
                        true => Seam::Glue,
                        false if after_comma => Seam::Names,
                        false => Seam::Space,
                    });
                }
                it.token();
            }
            it.push(Op::Dedent);
        });
    }

    /// `a, p.b, c..d`.
    fn places(&mut self, places: &[PlaceRange]) {
        let tokens =
            |place: &ser_syntax::ast::ProofPlace| 1 + 2 * usize::from(place.procedure.is_some());
        for (at, range) in places.iter().enumerate() {
            if at > 0 {
                self.glued();
                self.seam(Seam::Names);
            }
            let last = range.last.as_ref().map_or(0, |last| 1 + tokens(last));
            self.token();
            (1..tokens(&range.first) + last).for_each(|_| self.glued());
        }
    }

    /// `Name := value`, `var name: type = value`, `lock name`.
    fn variable(&mut self, variable: &Variable) {
        if variable.ghost {
            self.apart(1);
        }
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
            TypeKind::Set(elements) => {
                self.apart(2);
                self.values(elements);
            }
            TypeKind::Queue(capacity, items) => {
                self.token();
                self.glued();
                self.seam(Seam::Glue);
                self.expression(capacity, Around::Statement);
                self.glued();
                self.seam(Seam::Space);
                self.apart(1);
                self.values(items);
            }
            TypeKind::Bits(bits) => {
                self.apart(1);
                self.expression(bits, Around::Statement);
            }
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
            | ExprKind::Skip
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
            ExprKind::Binary(..) | ExprKind::Relation(..) => {
                if let Some((of, ..)) = link(expr) {
                    self.chain(expr, of, around);
                }
            }
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
            ExprKind::Quantified(_, _, values, condition) => {
                self.apart(4);
                self.values(values);
                self.glued();
                self.seam(Seam::Space);
                self.expression(condition, Around::Statement);
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
                self.claimed(condition);
            }
            ExprKind::Await(condition, body) => {
                self.group(|it| {
                    it.token();
                    it.claimed(condition);
                    if it.at(TokenKind::LeftBrace) {
                        it.seam(Seam::Flush);
                        it.block(body);
                    }
                });
            }
            ExprKind::Atomic(body) => self.group(|it| {
                it.token();
                it.seam(Seam::Flush);
                it.block(body);
            }),
            ExprKind::Block(body) => self.group(|it| it.block(body)),
            ExprKind::Send(value, receiver) => {
                self.apart(1);
                self.expression(value, Around::Statement);
                self.seam(Seam::Space);
                self.apart(1);
                self.expression(receiver, Around::Statement);
            }
            ExprKind::Receive(_, from) => {
                self.apart(1);
                self.token();
                if let Some(from) = from {
                    self.seam(Seam::Space);
                    self.apart(1);
                    self.expression(from, Around::Statement);
                }
            }
            ExprKind::Acquire(cell) | ExprKind::Release(cell) => {
                self.apart(1);
                self.expression(cell, Around::Statement);
            }
            ExprKind::Named(_, inside) => {
                self.name();
                self.expression(inside, around);
            }
            ExprKind::Ghost(before, ghost) => {
                self.expression(before, around);
                self.seam(Seam::Flush);
                self.token();
                self.body(ghost);
            }
            ExprKind::Where(choice, condition) => {
                self.expression(choice, Around::Statement);
                self.seam(Seam::Space);
                self.apart(1);
                self.expression(condition, Around::Statement);
            }
            ExprKind::Range(low, high) => self.range(low, high),
            ExprKind::Elements(parts) => self.list(parts.len(), |it, at| {
                if let Some(part) = parts.get(at) {
                    it.expression(part, Around::Statement);
                }
            }),
            ExprKind::At(thread, places) => {
                self.token();
                self.seam(Seam::Glue);
                self.in_parentheses(|it| {
                    it.expression(thread, Around::Statement);
                    it.glued();
                    it.seam(Seam::Space);
                    it.places(places);
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

    /// A condition in parentheses, or without them.
    fn claimed(&mut self, condition: &Expr) {
        let start = self.words.span(self.next).map(|span| span.start);
        if start.is_some_and(|start| start < condition.span.start) {
            self.seam(Seam::Glue);
            return self.in_parentheses(|it| it.expression(condition, Around::Parentheses));
        }
        // Parentheses around all of it look like those of a call.
        let is_group = matches!(condition.kind, ExprKind::Group(_));
        self.seam(if is_group { Seam::Glue } else { Seam::Space });
        self.expression(condition, Around::Condition);
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
        while let Some((level, tokens, left, right)) = link(first)
            && level == of
        {
            operands.push((tokens, right));
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
        for (tokens, operand) in operands.into_iter().rev() {
            self.seam(Seam::Operator);
            self.token();
            (1..tokens).for_each(|_| self.glued());
            self.seam(Seam::Flush);
            self.expression(operand, Around::Statement);
        }
        (0..indentation).for_each(|_| self.push(Op::Dedent));
        self.push(Op::End);
    }
}

/// The level of the operator of an expression, its tokens, and its operands.
fn link(expr: &Expr) -> Option<(u8, usize, &Expr, &Expr)> {
    match &expr.kind {
        ExprKind::Binary(operator, left, right) => Some((level(*operator), 1, left, right)),
        ExprKind::Relation(relation, left, right) => {
            let (level, tokens) = match relation {
                Relation::Iff => (0, 3),
                Relation::Implies => (0, 2),
                Relation::In | Relation::Subset => (3, 1),
            };
            Some((level, tokens, left, right))
        }
        _ => None,
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
