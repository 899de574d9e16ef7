//! Random sequential programs: what is proved must not fail in any run of a small instance.
//!
//! Programs that derivations make have few shapes. These have all: loops inside loops over the same
//! set, picked members that may be those of a loop, ghosts and bags, values that go from member to
//! member.

use crate::finals::finals;
use fastrand::Rng;
use ser_base::Limits;
use ser_sequentialization_checker::assertions::prove;
use ser_sequentialization_checker::sequential::{Ghost, Place, Sequential, Term};
use ser_sequentialization_checker::{Bag, Slot, Symbol};
use ser_syntax::icet::ast::{
    ConstructorId, Expr, MessageId, ProcessId, Protocol, SetId, StmtId, StmtKind, VarId,
};

/// Three processes with the same variables; their statements are what random programs are made of.
/// The first six give values to all variables.
const WORLD: &str = "
    set Q >= 1; set R; index I; enum D { A, B } msg M = X(int) | Y(Q) | Z;
    process p { x := 0; y := 1; b := true; d := A; m := Z; a := choose(Q); BODY }
    process q for s in Q { x := 0; y := 1; b := true; d := A; m := Z; a := self; BODY }
    process r for s in R { x := 0; y := 1; b := true; d := A; m := Z; a := choose(Q); BODY }
";
const BODY: &str = "
    x := x + 1; y := x; x := 2; y := y - x; b := x == y; b := b && x < 2; b := !b; d := B; d := A; b := false;
    m := X(x); m := Y(a); m := Z; m := X(1); x := choose(int); b := choose(bool); d := choose(D); y := choose(int);
    assert x == y; assert x != y; assert b; assert !b || x == 1; assert d == A; assert m == X(x); assert m == Y(a);
    assert m != Z; assert x <= 1; assert d == A || b; assert x == 0 || x == 1; assert b || x == y; assert m == Z && b;
";
const ONLY_Q: &str = "a := self; assert a == self; assert a != self; assert m == Y(self);";

/// The number of a variable: those of the first statements.
const VARIABLES: [VarId; 6] = [VarId(0), VarId(1), VarId(2), VarId(3), VarId(4), VarId(5)];
const X: VarId = VarId(0);
const Y: VarId = VarId(1);
const M: VarId = VarId(4);
const A: VarId = VarId(5);
const Q: SetId = SetId(0);
const R: SetId = SetId(1);
const I: SetId = SetId(2);

struct Writer<'p> {
    protocol: &'p Protocol,
    rng: Rng,
    /// Names of members in scope, with their sets.
    scope: Vec<(Symbol, SetId)>,
    /// Names of indices in scope.
    indices: Vec<Symbol>,
    symbols: u32,
    statements: u32,
    ghosts: u32,
}

impl Writer<'_> {
    fn symbol(&mut self) -> Symbol {
        self.symbols += 1;
        Symbol(self.symbols)
    }

    fn id(&mut self) -> StmtId {
        self.statements += 1;
        StmtId(self.statements)
    }

    /// Somebody in scope.
    fn who(&mut self) -> (Slot, ProcessId) {
        match self.rng.usize(..self.scope.len() * 2 + 1) {
            0 => (Slot::Process(0), ProcessId(0)),
            it => {
                let (symbol, SetId(set)) = self.scope[(it - 1) / 2];
                (Slot::Member(symbol), ProcessId(set + 1))
            }
        }
    }

    fn conditions(&self, process: ProcessId) -> Vec<Expr> {
        let body = &self.protocol.process(process).body;
        let condition = |kind: &StmtKind| match kind {
            StmtKind::Assert { condition } => Some(condition.clone()),
            _ => None,
        };
        body.iter().filter_map(|it| condition(&it.kind)).collect()
    }

    fn condition(&mut self) -> (Slot, Expr) {
        let (who, process) = self.who();
        let all = self.conditions(process);
        let chosen = self.rng.usize(..all.len());
        (who, all[chosen].clone())
    }

    /// The first values of all variables.
    fn start(&mut self, who: Slot, process: ProcessId, to: &mut Vec<Sequential>) {
        for stmt in self.protocol.process(process).body.iter().take(6) {
            let from = self.id();
            match &stmt.kind {
                StmtKind::Assign { variable, value } => to.push(Sequential::Assign {
                    place: Place::Variable(who, *variable),
                    value: Term::Expr(who, value.clone()),
                    from,
                }),
                StmtKind::Pick { variable, set } => {
                    let symbol = self.symbol();
                    to.push(Sequential::Pick { symbol, set: *set });
                    to.push(Sequential::Assign {
                        place: Place::Variable(who, *variable),
                        value: Term::Symbol(symbol),
                        from,
                    });
                }
                _ => {}
            }
        }
    }

    fn program(&mut self) -> Vec<Sequential> {
        let mut program = Vec::new();
        self.start(Slot::Process(0), ProcessId(0), &mut program);
        self.scope.clear();
        for set in [Q, R] {
            let (symbol, mut body) = (self.symbol(), Vec::new());
            self.start(Slot::Member(symbol), ProcessId(set.0 + 1), &mut body);
            program.push(Sequential::For { symbol, set, body });
        }
        let count = 2 + self.rng.usize(..4);
        program.extend(self.block(count, 3));
        program
    }

    fn block(&mut self, count: usize, depth: usize) -> Vec<Sequential> {
        let (members, indices) = (self.scope.len(), self.indices.len());
        let mut block = Vec::new();
        for _ in 0..count {
            self.stmt(depth, &mut block);
        }
        self.scope.truncate(members);
        self.indices.truncate(indices);
        block
    }

    fn inner(&mut self, depth: usize) -> Vec<Sequential> {
        let count = 1 + self.rng.usize(..3);
        self.block(count, depth - 1)
    }

    fn stmt(&mut self, depth: usize, to: &mut Vec<Sequential>) {
        let from = self.id();
        let choices = if depth == 0 { 9 } else { 14 };
        match self.rng.usize(..choices) {
            0..3 => {
                let (who, process) = self.who();
                let body = &self.protocol.process(process).body;
                let stmt = &body[6 + self.rng.usize(..body.len() - 6)];
                match &stmt.kind {
                    StmtKind::Assign { variable, value } => to.push(Sequential::Assign {
                        place: Place::Variable(who, *variable),
                        value: Term::Expr(who, value.clone()),
                        from,
                    }),
                    StmtKind::Any { variable } => {
                        to.push(Sequential::Any { who, variable: *variable, from });
                    }
                    StmtKind::Assert { condition } => {
                        let condition = Some(condition.clone());
                        to.push(Sequential::Assert { who, condition, from, holds: false });
                    }
                    _ => {}
                }
            }
            3 => {
                let (who, condition) = self.condition();
                let condition = Some(condition);
                to.push(Sequential::Assert { who, condition, from, holds: false });
            }
            4 => {
                let ((to_whom, _), (of, _)) = (self.who(), self.who());
                let variable = VARIABLES[self.rng.usize(..VARIABLES.len())];
                let value = Term::Place(Place::Variable(of, variable));
                to.push(Sequential::Assign {
                    place: Place::Variable(to_whom, variable),
                    value,
                    from,
                });
            }
            5 => {
                let ((who, _), (of, _)) = (self.who(), self.who());
                self.ghosts += 1;
                let ghost = Place::Ghost(of, Ghost(self.ghosts));
                let value = Term::Place(Place::Variable(of, M));
                to.push(Sequential::Assign { place: ghost, value, from });
                if depth > 0 {
                    self.stmt(depth - 1, to);
                }
                let place = Place::Variable(who, M);
                to.push(Sequential::Assign { place, value: Term::Place(ghost), from });
            }
            6 => {
                let (who, _) = self.who();
                if let Some((symbol, _)) = self.scope.iter().rev().find(|(_, set)| *set == Q) {
                    let (place, value) = (Place::Variable(who, A), Term::Symbol(*symbol));
                    to.push(Sequential::Assign { place, value, from });
                }
                if let Some(symbol) = self.indices.last() {
                    let (place, value) = (Place::Variable(who, Y), Term::Symbol(*symbol));
                    to.push(Sequential::Assign { place, value, from });
                }
            }
            7 => {
                let set = [Q, R, I, Q][self.rng.usize(..4)];
                let symbol = self.symbol();
                to.push(Sequential::Pick { symbol, set });
                self.bind(symbol, set);
            }
            8 => {
                let (who, _) = self.who();
                let (bag, place) = (Bag(self.rng.usize(..2) as u32), Place::Variable(who, M));
                to.push(if self.rng.usize(..3) > 0 {
                    Sequential::Put { bag, value: Term::Place(place) }
                } else {
                    Sequential::Take { bag, place }
                });
            }
            9 => {
                let (who, condition) = self.condition();
                let condition = (self.rng.usize(..4) > 0).then_some(condition);
                let (then, otherwise) = (self.inner(depth), self.inner(depth));
                to.push(Sequential::If { who, condition, then, otherwise, from });
            }
            10 => {
                let (who, _) = self.who();
                let field = |place, constructor| Sequential::Assign {
                    place: Place::Variable(who, place),
                    value: Term::Field(
                        Box::new(Term::Place(Place::Variable(who, M))),
                        ConstructorId(constructor),
                        0,
                    ),
                    from,
                };
                let mut cases = Vec::new();
                for constructor in 0..3 {
                    let mut body = Vec::new();
                    match constructor {
                        0 => body.push(field(X, 0)),
                        1 => body.push(field(A, 1)),
                        _ => {}
                    }
                    body.extend(self.inner(depth));
                    cases.push((ConstructorId(constructor), body));
                }
                to.push(Sequential::Match { who, variable: M, message: MessageId(0), cases, from });
            }
            _ => {
                let set = [Q, R, I, Q][self.rng.usize(..4)];
                let symbol = self.symbol();
                let (members, indices) = (self.scope.len(), self.indices.len());
                self.bind(symbol, set);
                let body = self.inner(depth);
                self.scope.truncate(members);
                self.indices.truncate(indices);
                to.push(Sequential::For { symbol, set, body });
            }
        }
    }

    fn bind(&mut self, symbol: Symbol, set: SetId) {
        if set == I { self.indices.push(symbol) } else { self.scope.push((symbol, set)) }
    }
}

fn world() -> Protocol {
    let [start, p, q, r, ..] = WORLD.split("BODY").collect::<Vec<_>>()[..] else {
        return Protocol::default();
    };
    let text = format!("{start}{BODY}{p}{BODY}{ONLY_Q}{q}{BODY}{r}");
    let parsed = ser_syntax::icet::parse(&text);
    assert!(!parsed.has_errors(), "{:#?}", parsed.diagnostics);
    parsed.protocol
}

fn compare(seeds: std::ops::Range<u64>) -> (usize, usize, usize, usize) {
    let protocol = world();
    let limits = Limits { max_states: 200, ..Limits::default() };
    let (mut held, mut failed, mut compared, mut incomplete) = (0, 0, 0, 0);
    for seed in seeds {
        let mut writer = Writer {
            protocol: &protocol,
            rng: Rng::with_seed(seed),
            scope: Vec::new(),
            indices: Vec::new(),
            symbols: 0,
            statements: 0,
            ghosts: 0,
        };
        let program = writer.program();
        let proof = prove(&protocol, &program, 5_000, &Limits::default());
        held += proof.holds.len();
        incomplete += usize::from(!proof.complete);
        for sizes in [[1, 0, 0], [1, 1, 1], [2, 0, 1], [2, 1, 0], [3, 0, 0], [2, 0, 2]] {
            let Ok(finals) = finals(&protocol, &program, &sizes, &limits) else { continue };
            compared += 1;
            failed += finals.failing.len();
            let wrong: Vec<_> = finals.failing.intersection(&proof.holds).collect();
            assert!(wrong.is_empty(), "seed {seed} {sizes:?}: {wrong:?}\n{program:#?}");
        }
    }
    (held, failed, compared, incomplete)
}

#[test]
fn what_is_proved_never_fails_in_random_programs() {
    let (held, failed, compared, incomplete) = compare(0..400);
    assert!(
        held > 700 && failed > 700 && compared > 2000 && incomplete < 60,
        "{held} {failed} {compared} {incomplete}"
    );
}
