//! Who is who: every name of a program, with all the places where it stands.
//!
//! The rules are those of the language. A constant hides everything else; then come the
//! parameters of the request at hand; any other name is a global variable if it starts with an
//! uppercase letter, and local to its request otherwise. Requests have names of their own that
//! nothing refers to; those of processes stand in `done(...)`. Trees with holes are fine: what was
//! understood has its place here.
//!
//! This is about requests, and about processes with shared variables. Files with messages and
//! models of threads have [`Names`](crate::Names).

use std::collections::BTreeMap;

use ser_base::Span;
use ser_syntax::ast::{
    Block, Declared, Expr, ExprKind, Name, Parameter, Program, Type, TypeKind, Variable,
};

/// What a name stands for. The number is the index of the body that a name belongs to: requests are
/// counted first, then functions, then processes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SymbolKind {
    /// `const N = 3`.
    Constant,
    /// `free` in `enum Seat { free, held }`.
    Member,
    /// An enumeration, a record or another type.
    Type,
    /// `paid` in `record Order { paid: bool }`; fields of one name count as one.
    Field,
    /// `fn first() { ... }`.
    Function,
    /// A variable that all requests share.
    Global,
    /// A request handler.
    Request,
    /// `process producer { ... }`.
    Process,
    /// `room` in `invariant room: ...`.
    Question,
    /// A parameter of a request, a function or a process.
    Parameter(usize),
    /// A variable of a request, a function or a process.
    Local(usize),
}

/// What happens to a name at one place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    /// The item that introduces it: a constant, a request, a parameter, an initial value.
    Definition,
    /// Its value is used.
    Read,
    /// It is assigned.
    Write,
}

/// A place where a name stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Occurrence {
    /// The place.
    pub span: Span,
    /// What happens there.
    pub role: Role,
}

/// A name and all the places where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    pub name: String,
    /// What it stands for.
    pub kind: SymbolKind,
    /// Where it stands, in the order of the text; never empty.
    pub occurrences: Vec<Occurrence>,
}

impl Symbol {
    /// Where it comes from: the item that introduces it; without one, its first assignment;
    /// without that, the first place at all.
    pub fn definition(&self) -> Option<Span> {
        let first = |role| self.occurrences.iter().find(|o| o.role == role);
        let place = first(Role::Definition).or_else(|| first(Role::Write));
        place.or(self.occurrences.first()).map(|o| o.span)
    }
}

/// The names of a program.
///
/// ```
/// use ser_editing::symbols::{SymbolKind, Symbols};
/// let text = "request main { x := X; yield; X := x + 1 }";
/// let symbols = Symbols::of(&ser_syntax::parse(text).tree);
/// let (symbol, _) = symbols.at(20).expect("the X that is read");
/// assert_eq!(symbol.kind, SymbolKind::Global);
/// assert_eq!(symbol.occurrences.len(), 2);
/// assert_eq!(symbol.definition().map(|span| span.start), Some(30), "the first assignment");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Symbols {
    /// By name and kind.
    all: Vec<Symbol>,
    /// Every place with the index of its symbol, in the order of the text.
    places: Vec<(Occurrence, usize)>,
    /// Every `yield` with the index of its request, in the order of the text.
    yields: Vec<(Span, usize)>,
}

impl Symbols {
    /// Finds the names of a program.
    pub fn of(program: &Program) -> Symbols {
        let mut finder = Finder::default();
        for constant in &program.constants {
            finder.add(&constant.name, SymbolKind::Constant, Role::Definition);
        }
        // A constant may use those before it; whatever else stands there is an error, and the
        // name means what it would mean elsewhere.
        for constant in &program.constants {
            finder.expr(&constant.value);
        }
        for item in &program.enumerations {
            finder.add(&item.name, SymbolKind::Type, Role::Definition);
            for member in &item.members {
                finder.add(member, SymbolKind::Member, Role::Definition);
            }
        }
        for item in &program.records {
            finder.add(&item.name, SymbolKind::Type, Role::Definition);
            for (field, values) in &item.fields {
                finder.add(field, SymbolKind::Field, Role::Definition);
                finder.values(values);
            }
        }
        for item in &program.aliases {
            finder.add(&item.name, SymbolKind::Type, Role::Definition);
            finder.values(&item.meaning);
        }
        for item in &program.functions {
            finder.add(&item.name, SymbolKind::Function, Role::Definition);
        }
        for item in &program.processes {
            finder.add(&item.name, SymbolKind::Process, Role::Definition);
        }
        for item in &program.globals {
            finder.variable(item);
        }
        let mut bodies = 0..;
        let mut next = || bodies.next().unwrap_or_default();
        for request in &program.requests {
            finder.add(&request.name, SymbolKind::Request, Role::Definition);
            finder.body(next(), &request.parameters, &request.body);
        }
        for function in &program.functions {
            finder.enter(next());
            for (name, values) in &function.parameters {
                values.iter().for_each(|values| finder.values(values));
                finder.parameter(name);
            }
            function.result.iter().for_each(|values| finder.values(values));
            finder.block(&function.body);
        }
        for process in &program.processes {
            finder.body(next(), &process.parameters, &process.body);
        }
        finder.enter(next());
        program.assumptions.iter().for_each(|expr| finder.expr(expr));
        finder.has_done = !program.processes.is_empty();
        for claim in &program.claims {
            // The name of a goal may be a text in quotes.
            let is_name = |name: &&Name| name.span.range().len() == name.text.len();
            if let Some(name) = claim.name.as_ref().filter(is_name) {
                finder.add(name, SymbolKind::Question, Role::Definition);
            }
            claim.conjuncts.iter().for_each(|it| finder.expr(&it.condition));
        }
        finder.finish()
    }

    /// The name at a byte offset, and which of its places that is. The end of a name counts,
    /// because that is where the cursor is after typing it.
    pub fn at(&self, offset: u32) -> Option<(&Symbol, Occurrence)> {
        let after = self.places.partition_point(|(o, _)| o.span.start <= offset);
        let (occurrence, index) = self.places.get(after.checked_sub(1)?)?;
        let symbol = self.all.get(*index)?;
        (offset <= occurrence.span.end).then_some((symbol, *occurrence))
    }

    /// All names, sorted by name.
    pub fn all(&self) -> &[Symbol] {
        &self.all
    }

    /// The name that stands for this, if there is one.
    pub fn find(&self, name: &str, kind: SymbolKind) -> Option<&Symbol> {
        self.all.iter().find(|s| s.kind == kind && s.name == name)
    }

    /// Every place of a name, in the order of the text.
    pub fn places(&self) -> impl Iterator<Item = (&Symbol, Occurrence)> {
        self.places.iter().filter_map(|(place, index)| Some((self.all.get(*index)?, *place)))
    }

    /// Every `yield` with the index of its request, in the order of the text.
    pub fn yields(&self) -> &[(Span, usize)] {
        &self.yields
    }
}

#[derive(Default)]
struct Finder {
    found: BTreeMap<(String, SymbolKind), Vec<Occurrence>>,
    parameters: Vec<String>,
    request: usize,
    /// Whether `done` is a word here.
    has_done: bool,
    yields: Vec<(Span, usize)>,
}

impl Finder {
    /// Whether there is such a thing.
    fn knows(&self, name: &Name, kind: SymbolKind) -> bool {
        self.found.contains_key(&(name.text.clone(), kind))
    }

    /// What follows stands in this body.
    fn enter(&mut self, body: usize) {
        self.request = body;
        self.parameters.clear();
    }

    fn parameter(&mut self, name: &Name) {
        self.parameters.push(name.text.clone());
        self.add(name, SymbolKind::Parameter(self.request), Role::Definition);
    }

    fn body(&mut self, index: usize, parameters: &[Parameter], body: &Block) {
        self.enter(index);
        parameters.iter().for_each(|it| self.values(&it.values));
        parameters.iter().for_each(|it| self.parameter(&it.name));
        self.block(body);
    }

    /// `P` or `P(1)` in `done(...)`.
    fn instance(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Read(name) => self.add(name, SymbolKind::Process, Role::Read),
            ExprKind::Call(name, arguments) => {
                self.add(name, SymbolKind::Process, Role::Read);
                arguments.iter().for_each(|it| self.expr(&it.value));
            }
            _ => self.expr(expr),
        }
    }

    fn kind(&self, name: &Name) -> SymbolKind {
        if self.knows(name, SymbolKind::Constant) {
            SymbolKind::Constant
        } else if self.knows(name, SymbolKind::Member) {
            SymbolKind::Member
        } else if self.parameters.contains(&name.text) {
            SymbolKind::Parameter(self.request)
        } else if name.is_global() {
            SymbolKind::Global
        } else {
            SymbolKind::Local(self.request)
        }
    }

    fn add(&mut self, name: &Name, kind: SymbolKind, role: Role) {
        let places = self.found.entry((name.text.clone(), kind)).or_default();
        places.push(Occurrence { span: name.span, role });
    }

    fn block(&mut self, block: &Block) {
        block.exprs.iter().for_each(|expr| self.expr(expr));
    }

    fn variable(&mut self, item: &Variable) {
        let kind = self.kind(&item.name);
        self.add(&item.name, kind, Role::Definition);
        match &item.declared {
            Declared::Var(Some(values)) => self.values(values),
            Declared::Lock(Some(index)) => self.values(&index.0),
            _ => {}
        }
        item.value.iter().for_each(|value| self.expr(value));
    }

    fn values(&mut self, values: &Type) {
        match &values.kind {
            TypeKind::Named(name) => self.add(name, SymbolKind::Type, Role::Read),
            TypeKind::Range(low, high) => {
                self.expr(low);
                self.expr(high);
            }
            TypeKind::Array(index, elements) => {
                self.values(&index.0);
                self.values(elements);
            }
            TypeKind::Tuple(parts) => parts.iter().for_each(|part| self.values(part)),
            TypeKind::Set(elements) => self.values(elements),
            TypeKind::Queue(capacity, items) => {
                self.expr(capacity);
                self.values(items);
            }
            TypeKind::Bits(bits) => self.expr(bits),
            TypeKind::Int | TypeKind::Bool | TypeKind::Error => {}
        }
    }

    /// The name of a place that is assigned to.
    fn written(&mut self, place: &Expr) {
        match &place.kind {
            ExprKind::Read(name) => self.add(name, self.kind(name), Role::Write),
            ExprKind::Index(of, index) => {
                self.written(of);
                self.expr(index);
            }
            ExprKind::Field(of, field) => {
                self.written(of);
                self.add(field, SymbolKind::Field, Role::Write);
            }
            ExprKind::Tuple(parts) => parts.iter().for_each(|part| self.written(part)),
            _ => self.expr(place),
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Store(place, value) => {
                self.written(place);
                return self.expr(value);
            }
            ExprKind::Var(item) => return self.variable(item),
            ExprKind::Choose(values) => return self.values(values),
            ExprKind::Quantified(_, name, values, condition) => {
                self.add(name, SymbolKind::Local(self.request), Role::Definition);
                self.values(values);
                return self.expr(condition);
            }
            ExprKind::For(name, values, body) => {
                self.add(name, SymbolKind::Local(self.request), Role::Definition);
                self.values(values);
                return self.block(body);
            }
            ExprKind::Field(of, field) => match &of.kind {
                ExprKind::Read(name) if self.knows(name, SymbolKind::Type) => {
                    self.add(name, SymbolKind::Type, Role::Read);
                    return self.add(field, SymbolKind::Member, Role::Read);
                }
                _ => self.add(field, SymbolKind::Field, Role::Read),
            },
            ExprKind::Read(name) if self.has_done && name.text == "done" => return,
            ExprKind::Call(name, arguments) if self.has_done && name.text == "done" => {
                return arguments.iter().for_each(|it| self.instance(&it.value));
            }
            // A queue that something is put into changes.
            ExprKind::Send(value, to) => {
                self.expr(value);
                return self.written(to);
            }
            ExprKind::Receive(queue, None) => self.add(queue, self.kind(queue), Role::Read),
            ExprKind::Call(name, arguments) => {
                for kind in [SymbolKind::Type, SymbolKind::Function] {
                    if self.knows(name, kind) {
                        self.add(name, kind, Role::Read);
                        break;
                    }
                }
                for field in arguments.iter().filter_map(|it| it.name.as_ref()) {
                    self.add(field, SymbolKind::Field, Role::Read);
                }
            }
            ExprKind::Yield => self.yields.push((expr.span, self.request)),
            ExprKind::Read(name) => self.add(name, self.kind(name), Role::Read),
            ExprKind::Assign(name, _) => self.add(name, self.kind(name), Role::Write),
            _ => {}
        }
        expr.for_each_child(&mut |child| self.expr(child));
    }

    fn finish(self) -> Symbols {
        let mut symbols = Symbols { yields: self.yields, ..Symbols::default() };
        for (index, ((name, kind), mut occurrences)) in self.found.into_iter().enumerate() {
            occurrences.sort_unstable();
            symbols.places.extend(occurrences.iter().map(|o| (*o, index)));
            symbols.all.push(Symbol { name, kind, occurrences });
        }
        symbols.places.sort_unstable();
        symbols.yields.sort_unstable();
        symbols
    }
}
