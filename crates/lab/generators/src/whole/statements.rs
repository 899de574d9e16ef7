//! Statements, functions and requests.

use super::world::Function;
use super::world::{has_parts, without_ranges};
use super::{Around, Kind, Local, Writer};

/// Requests that may respond `false` or `true`, and with comparisons, of a hundred.
const WITH_TRUTHS: u32 = 0;

impl Writer {
    /// The functions that may be called here. A function calls those before it, and nobody waits for
    /// a lock that is held.
    pub(super) fn callable(&self) -> Vec<Function> {
        let all = self.world.functions.len();
        let functions = self.world.functions[..self.in_function().unwrap_or(all)].iter();
        let free = |it: &&Function| !it.locks.iter().any(|lock| self.held.contains(lock));
        functions.filter(free).cloned().collect()
    }

    fn in_function(&self) -> Option<usize> {
        self.around.contains(&Around::Function).then_some(self.named_function)
    }

    pub(super) fn function(&mut self, at: usize) -> String {
        let function = self.world.functions[at].clone();
        self.named_function = at;
        self.locks.clear();
        self.around = vec![Around::Function];
        self.locals.clear();
        self.fuel = self.rng.usize(4..14);
        let mut parameters = Vec::new();
        for (kind, is_written) in &function.parameters {
            let name = self.fresh("p");
            self.locals.push(Local { name: name.clone(), kind: kind.clone(), is_fixed: false });
            let written = self.world.written(kind);
            parameters.push(if *is_written { format!("{name}: {written}") } else { name });
        }
        let mut body = self.prologue();
        self.statements(&mut body, 2);
        body.push(self.expression(&function.result, 2));
        self.world.functions[at].locks = self.locks.clone();
        format!("fn {}({}) {{ {} }}\n", function.name, parameters.join(", "), body.join("; "))
    }

    pub(super) fn request(&mut self, at: usize) -> String {
        self.around.clear();
        self.locals.clear();
        self.fuel = self.rng.usize(6..36);
        self.with_truths = self.chance(WITH_TRUTHS);
        let mut parameters = Vec::new();
        for _ in 0..[0, 0, 0, 1, 1, 2][self.rng.usize(..6)] {
            let (name, kind) = (self.fresh("q"), self.world.small(&mut self.rng));
            parameters.push(format!("{name} in {}", self.world.written(&kind)));
            self.locals.push(Local { name, kind, is_fixed: true });
        }
        let parameters = match &parameters[..] {
            [] => String::new(),
            all => format!("({})", all.join(", ")),
        };
        let mut body = self.prologue();
        self.statements(&mut body, 3);
        if self.chance(90) {
            body.push(self.response(2));
        }
        format!("request r{at}{parameters} {{\n  {}\n}}", body.join(";\n  "))
    }

    /// Local variables: those with parts get a value at once, others when their turn comes.
    fn prologue(&mut self) -> Vec<String> {
        let mut body = Vec::new();
        for _ in 0..self.rng.usize(0..=2) {
            let name = self.fresh("v");
            let kind = match self.rng.usize(..8) {
                0 => Kind::Truth,
                1 | 2 => self.world.any(&mut self.rng),
                _ => self.world.small(&mut self.rng),
            };
            let is_composite = has_parts(&kind);
            let kind = match self.rng.usize(..3) {
                0 if kind != Kind::Truth => {
                    let written = self.world.written(&kind);
                    let first = match self.rng.usize(..3) {
                        0 => String::new(),
                        1 => match &kind {
                            Kind::Array(_, element) if !has_parts(element) => {
                                format!(" = {}", self.leaf(element))
                            }
                            kind => format!(" = {}", self.leaf(kind)),
                        },
                        _ => format!(" = {}", self.assigned(&kind, 1)),
                    };
                    body.push(format!("var {name}: {written}{first}"));
                    kind
                }
                1 if !is_composite => {
                    // It starts at 0, or with what is assigned first.
                    without_ranges(kind)
                }
                _ => {
                    let kind = without_ranges(kind);
                    let first = self.expression(&kind, 1);
                    // Elements of written arrays are counted from 0 unless somebody says more.
                    let var = if self.chance(30) { "var " } else { "" };
                    if let Kind::Array(key, _) = &kind
                        && **key != Kind::Range(0, 1)
                    {
                        let written = self.world.written(&kind);
                        body.push(format!("var {name}: {written} = {first}"));
                    } else {
                        let op = if var.is_empty() { ":=" } else { "=" };
                        body.push(format!("{var}{name} {op} {first}"));
                    }
                    kind
                }
            };
            self.locals.push(Local { name, kind, is_fixed: false });
        }
        body
    }

    fn statements(&mut self, body: &mut Vec<String>, depth: usize) {
        for _ in 0..self.rng.usize(1..=3) {
            body.push(self.statement(depth));
            if self.chance(40) {
                body.push("yield".to_owned());
            }
        }
    }

    fn block(&mut self, depth: usize) -> String {
        let mut body = Vec::new();
        for _ in 0..self.rng.usize(1..=2) {
            body.push(self.statement(depth));
        }
        format!("{{ {} }}", body.join("; "))
    }

    fn statement(&mut self, depth: usize) -> String {
        self.fuel = self.fuel.saturating_sub(1);
        if depth == 0 || self.fuel == 0 {
            return self.effect(1);
        }
        let inner = depth - 1;
        match self.rng.usize(..24) {
            22 | 23 => self.update(),
            0 | 1 => {
                let (condition, then) = (self.condition(inner), self.block(inner));
                match self.rng.usize(..4) {
                    0 => format!("if ({condition}) {then} else {}", self.block(inner)),
                    1 => {
                        let (other, second) = (self.condition(inner), self.block(inner));
                        let last = self.block(inner);
                        format!("if ({condition}) {then} else if ({other}) {second} else {last}")
                    }
                    _ => format!("if ({condition}) {then}"),
                }
            }
            2 | 3 => {
                let condition = self.condition(inner);
                format!("while ({condition}) {}", self.looped(inner, None))
            }
            4 => format!("loop {}", self.looped(inner, None)),
            5 | 6 => {
                let name = self.fresh("i");
                let (values, kind) = match self.rng.usize(..4) {
                    0 if !self.world.enums.is_empty() => {
                        (self.world.enums[0].0.to_owned(), Kind::Enum(0))
                    }
                    1 => ("bool".to_owned(), Kind::Bool),
                    2 => {
                        let high = self.leaf(&Kind::Int);
                        (format!("0..{high}"), Kind::Int)
                    }
                    3 if self.chance(40) => {
                        let (low, high) = (self.number(1), self.number(1));
                        (format!("{low}..{high}"), Kind::Int)
                    }
                    _ => ("0..1".to_owned(), Kind::Int),
                };
                let local = Local { name: name.clone(), kind, is_fixed: true };
                format!("for {name} in {values} {}", self.looped(inner, Some(local)))
            }
            7 | 8 => match self.lock(inner) {
                Some(lock) => {
                    let body = self.block(inner);
                    self.held.pop();
                    format!("with {lock} {body}")
                }
                None => self.effect(inner),
            },
            9 => format!("choose {} or {}", self.block(inner), self.block(inner)),
            10 => {
                let of = self.world.small(&mut self.rng);
                let value = self.expression(&of, inner);
                let mut arms = Vec::new();
                for pattern in self.patterns(&of) {
                    arms.push(match self.rng.usize(..2) {
                        0 => format!("{pattern} => {}", self.effect(inner)),
                        _ => format!("{pattern} => {}", self.block(inner)),
                    });
                }
                format!("match ({value}) {{ {} }}", arms.join(", "))
            }
            11 | 12 => match self.leave(inner) {
                Some(leave) => format!("if ({}) {{ {leave} }}", self.condition(inner)),
                None => self.effect(inner),
            },
            _ => self.effect(inner + 1),
        }
    }

    /// The block of a loop: mostly one that pauses or changes something.
    fn looped(&mut self, depth: usize, local: Option<Local>) -> String {
        let count = self.locals.len();
        self.locals.extend(local);
        self.around.push(Around::Loop);
        let mut body = vec![self.statement(depth)];
        match self.rng.usize(..5) {
            0 | 1 => body.push("yield".to_owned()),
            2 => body.insert(0, "yield".to_owned()),
            3 => body.push(self.effect(1)),
            _ => {
                let condition = self.condition(1);
                body.push(format!("if ({condition}) {{ break }}"));
            }
        }
        self.around.pop();
        self.locals.truncate(count);
        format!("{{ {} }}", body.join("; "))
    }

    /// A simple statement.
    pub(super) fn effect(&mut self, depth: usize) -> String {
        let depth = depth.min(2);
        match self.rng.usize(..14) {
            0 | 1 => "yield".to_owned(),
            2 if self.chance(60) => format!("assume({})", self.condition(depth)),
            3 if self.chance(50) => format!("assert({})", self.condition(depth)),
            4 => match self.leave(depth) {
                Some(leave) if self.chance(30) => leave,
                _ => "yield".to_owned(),
            },
            5 | 6 => match &self.callable()[..] {
                [] => "yield".to_owned(),
                all => {
                    let function = self.pick(all);
                    self.called(&function, depth)
                }
            },
            7 => {
                let (Some((a, of_a)), Some((b, of_b))) =
                    (self.place(None, depth), self.place(None, depth))
                else {
                    return "yield".to_owned();
                };
                let value = self.expression(&Kind::Tuple(vec![of_a, of_b]), depth);
                format!("({a}, {b}) := {value}")
            }
            8 => self.update(),
            _ => match self.place(None, depth) {
                Some((place, kind)) => format!("{place} := {}", self.assigned(&kind, depth)),
                None => "yield".to_owned(),
            },
        }
    }

    /// What everybody sees changes, and depends on what it was.
    fn update(&mut self) -> String {
        let globals: Vec<(String, Kind)> = self
            .world
            .globals
            .iter()
            .map(|global| (global.name.to_owned(), global.kind.clone()))
            .collect();
        let (name, of) = self.pick(&globals);
        let parts = self.parts(name, &of, 0);
        let (place, kind) = self.pick(&parts);
        let pause = if self.chance(50) { "yield; " } else { "" };
        match &kind {
            Kind::Bool => format!("{place} := ({pause}!{place})"),
            Kind::Range(low, high) => {
                format!(
                    "if ({place} == {high}) {{ {pause}{place} := {low} }} else {{ {place} := {place} + ({pause}1) }}"
                )
            }
            Kind::Int => format!("{place} := ({place} + ({pause}1)) % 3"),
            kind => format!("{place} := ({pause}{})", self.expression(kind, 1)),
        }
    }

    /// A way out of whatever is around.
    pub(super) fn leave(&mut self, depth: usize) -> Option<String> {
        Some(match self.rng.usize(..6) {
            0 | 1 if self.around.contains(&Around::Loop) => {
                self.pick(&["break", "continue"]).to_owned()
            }
            2 => "abort".to_owned(),
            3 | 4 => match self.in_function() {
                Some(at) => {
                    let result = self.world.functions[at].result.clone();
                    format!("return {}", self.expression(&result, depth))
                }
                None => format!("return {}", self.response(depth)),
            },
            _ => return None,
        })
    }

    /// Any value.
    fn response(&mut self, depth: usize) -> String {
        let kind = match self.rng.usize(..12) {
            6.. => {
                // What others have done.
                let globals = &self.world.globals;
                let at = self.rng.usize(..globals.len());
                let (name, kind) = (globals[at].name.to_owned(), globals[at].kind.clone());
                if self.chance(60) {
                    let parts = self.parts(name, &kind, 0);
                    return self.pick(&parts).0;
                }
                kind
            }
            0 => self.world.any(&mut self.rng),
            1 => Kind::Tuple(vec![self.world.small(&mut self.rng), Kind::Int]),
            _ => self.world.small(&mut self.rng),
        };
        if !self.with_truths {
            // No comparison is responded together with a `bool`.
            match &kind {
                Kind::Bool => {
                    return match self.place(Some(&kind), depth) {
                        Some((place, _)) if self.chance(50) => {
                            format!("({place} := {})", self.expression(&kind, depth))
                        }
                        _ => self.leaf(&kind),
                    };
                }
                Kind::Int | Kind::Range(..) => {
                    return format!("0 + {}", self.expression(&kind, depth));
                }
                _ => {}
            }
        }
        self.expression(&kind, depth)
    }
}
