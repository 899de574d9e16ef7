//! Expressions of a kind that is wanted.

use super::{Kind, Local, Writer};

impl Writer {
    /// An expression of this kind. Numbers are small: whatever they are assigned to stays small.
    pub(super) fn expression(&mut self, kind: &Kind, depth: usize) -> String {
        self.fuel = self.fuel.saturating_sub(1);
        if depth == 0 || self.fuel == 0 {
            return self.leaf(kind);
        }
        let depth = depth - 1;
        match self.rng.usize(..26) {
            0..=7 => self.leaf(kind),
            8 => {
                let condition = self.condition(depth);
                let (a, b) = (self.expression(kind, depth), self.expression(kind, depth));
                format!("(if ({condition}) {{ {a} }} else {{ {b} }})")
            }
            9 => format!("(yield; {})", self.expression(kind, depth)),
            10 if self.chance(50) => {
                let statement = self.effect(depth);
                format!("({statement}; {})", self.expression(kind, depth))
            }
            11 => match self.place(Some(kind), depth) {
                Some((place, found)) => format!("({place} := {})", self.assigned(&found, depth)),
                None => self.leaf(kind),
            },
            12 | 13 => match self.call(kind, depth) {
                Some(call) => call,
                None => self.leaf(kind),
            },
            14 => self.matching(kind, depth),
            15 if self.chance(50) => {
                let (a, b) = (self.expression(kind, depth), self.expression(kind, depth));
                format!("(choose {{ {a} }} or {{ {b} }})")
            }
            16 if self.chance(40) => match self.lock(depth) {
                Some(lock) => {
                    let value = self.expression(kind, depth);
                    self.held.pop();
                    format!("(with {lock} {{ {value} }})")
                }
                None => self.leaf(kind),
            },
            17 => match self.leave(depth) {
                Some(leave) => {
                    let condition = self.condition(0);
                    let value = self.expression(kind, depth);
                    format!("(if ({condition}) {{ {leave} }} else {{ {value} }})")
                }
                None => self.leaf(kind),
            },
            _ => self.composed(kind, depth),
        }
    }

    /// A number that may be somewhat larger, for what has a range; or any other expression.
    pub(super) fn assigned(&mut self, kind: &Kind, depth: usize) -> String {
        match kind {
            Kind::Range(low, high) if depth > 0 && self.chance(30) => {
                let a = self.expression(kind, depth - 1);
                match self.rng.usize(..4) {
                    0 => format!("{a} + 1"),
                    1 => format!("{a} - 1"),
                    2 => format!("{high} + {low} - {a}"),
                    _ => {
                        let b = self.expression(kind, depth - 1);
                        let op = self.pick(&["+", "-", "*", "/", "%"]);
                        format!("{a} {op} {b}")
                    }
                }
            }
            kind => self.expression(kind, depth),
        }
    }

    /// What is special to a kind.
    fn composed(&mut self, kind: &Kind, depth: usize) -> String {
        match kind {
            Kind::Int | Kind::Range(..) => match self.rng.usize(..7) {
                0 => {
                    let (a, b) = (self.number(depth), self.number(depth));
                    format!("{}({a}, {b})", self.pick(&["min", "max"]))
                }
                1 => {
                    let (a, b) = (self.number(depth), self.number(depth));
                    format!(
                        "(({a}) {} ({b})) % {}",
                        self.pick(&["+", "-", "*"]),
                        self.pick(&[2, 3])
                    )
                }
                2 => {
                    let (a, b) = (self.number(depth), self.number(depth));
                    format!("(({a}) {} ({b}))", self.pick(&["/", "%"]))
                }
                3 => format!("({})", self.truth(depth)),
                4 => "choose(0..1)".to_owned(),
                5 => format!("(-({}))", self.number(depth)),
                _ => self.leaf(kind),
            },
            Kind::Bool | Kind::Truth => match self.rng.usize(..4) {
                0 if *kind == Kind::Bool => "choose(bool)".to_owned(),
                1 if *kind == Kind::Bool => {
                    let a = self.expression(&Kind::Bool, depth);
                    format!("({a} == ({}))", self.truth(depth))
                }
                _ => format!("({})", self.truth(depth)),
            },
            Kind::Enum(at) => format!("choose({})", self.world.enums[*at].0),
            Kind::Record(at) => {
                let (name, fields) = self.world.records[*at].clone();
                let is_named = self.chance(50);
                let mut given = Vec::new();
                for (field, kind) in fields {
                    if is_named && self.chance(25) || !is_named && self.chance(10) {
                        // What comes after it is left out, too, if there are no names.
                        if is_named { continue } else { break }
                    }
                    let value = self.assigned(&kind, depth);
                    given.push(if is_named { format!("{field}: {value}") } else { value });
                }
                if is_named && self.chance(30) {
                    given.reverse();
                }
                format!("{name}({})", given.join(", "))
            }
            Kind::Array(key, element) => {
                let length = self.world.length(key);
                let all: Vec<String> =
                    (0..length).map(|_| self.expression(element, depth)).collect();
                format!("[{}]", all.join(", "))
            }
            Kind::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|p| self.expression(p, depth)).collect();
                format!("({})", parts.join(", "))
            }
        }
    }

    pub(super) fn number(&mut self, depth: usize) -> String {
        self.expression(&Kind::Int, depth)
    }

    /// What is true or false: of any kind that a condition may have.
    pub(super) fn condition(&mut self, depth: usize) -> String {
        match self.rng.usize(..6) {
            0 => self.number(depth),
            1 => self.expression(&Kind::Bool, depth),
            2 if self.world.locks.iter().any(|(_, key)| key.is_none()) => "L".to_owned(),
            _ => self.truth(depth),
        }
    }

    /// A comparison or the like, without parentheses around it.
    pub(super) fn truth(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.readable(&Kind::Truth).as_slice() {
                [] => "?".to_owned(),
                // The variable itself is not said to be a number, nor a `bool`.
                all => format!("!{}", self.pick(all)),
            };
        }
        let depth = depth - 1;
        match self.rng.usize(..9) {
            0 => "?".to_owned(),
            2 => format!("({}) && ({})", self.condition(depth), self.condition(depth)),
            3 => format!("({}) || ({})", self.condition(depth), self.condition(depth)),
            1 if self.chance(40) => {
                let (name, word) = (self.fresh("i"), self.pick(&["all", "some"]));
                let values = self.pick(&["0..1", "bool", "1..2"]);
                let kind = if values == "bool" { Kind::Bool } else { Kind::Int };
                self.locals.push(Local { name: name.clone(), kind, is_fixed: true });
                let condition = self.condition(depth);
                self.locals.pop();
                format!("for {word} {name} in {values}: {condition}")
            }
            1 => format!("!({})", self.condition(depth)),
            4 if self.chance(30) => {
                let (a, low, high) = (self.number(depth), self.number(0), self.number(0));
                format!("({a}) in ({low})..({high})")
            }
            5 if self.chance(40) => {
                let kind = self.world.small(&mut self.rng);
                let (a, b, c) = (
                    self.expression(&kind, depth),
                    self.expression(&kind, 0),
                    self.expression(&kind, 0),
                );
                match (&kind, self.chance(50)) {
                    (Kind::Enum(_), true) => {
                        format!("({a}) {} ({b})", self.pick(&["<", "<=", ">", ">="]))
                    }
                    _ => format!("({a}) in {{{b}, {c}}}"),
                }
            }
            4 | 5 => {
                let (a, b) = (self.number(depth), self.number(depth));
                let op = self.pick(&["==", "!=", "<", "<=", ">", ">="]);
                format!("({a}) {op} ({b})")
            }
            _ => {
                let kind = if self.chance(70) {
                    self.world.small(&mut self.rng)
                } else {
                    self.world.any(&mut self.rng)
                };
                let (a, b) = (self.expression(&kind, depth), self.expression(&kind, 0));
                format!("({a}) {} ({b})", self.pick(&["==", "!="]))
            }
        }
    }

    /// A constant or a variable.
    pub(super) fn leaf(&mut self, kind: &Kind) -> String {
        let mut all = self.readable(kind);
        if all.is_empty() || self.chance(30) {
            return match kind {
                Kind::Truth => "?".to_owned(),
                kind => self.world.first(&mut self.rng, kind),
            };
        }
        all.swap_remove(self.rng.usize(..all.len()))
    }

    /// Everything of this kind that can be read without effort.
    fn readable(&mut self, kind: &Kind) -> Vec<String> {
        let mut all = Vec::new();
        for (name, of, value) in &self.world.constants {
            let is_inside = match kind {
                Kind::Range(low, high) => {
                    value.parse().is_ok_and(|it| (*low..=*high).contains(&it))
                }
                _ => true,
            };
            if of.fits(kind) && is_inside {
                all.push((*name).to_owned());
            }
        }
        let globals = self.world.globals.iter().map(|it| (it.name.to_owned(), it.kind.clone()));
        let locals = self.locals.iter().map(|it| (it.name.clone(), it.kind.clone()));
        for (name, of) in globals.chain(locals).collect::<Vec<_>>() {
            all.extend(
                self.parts(name, &of, 0)
                    .into_iter()
                    .filter_map(|(name, of)| of.fits(kind).then_some(name)),
            );
        }
        all
    }

    /// A variable with all its parts.
    pub(super) fn parts(&mut self, name: String, of: &Kind, depth: usize) -> Vec<(String, Kind)> {
        let mut all = vec![(name.clone(), of.clone())];
        match of {
            Kind::Record(at) => {
                for (field, kind) in self.world.records[*at].1.clone() {
                    all.extend(self.parts(format!("{name}.{field}"), &kind, depth));
                }
            }
            Kind::Array(key, element) => {
                let index = self.index(key, depth);
                all.extend(self.parts(format!("{name}[{index}]"), element, depth));
            }
            _ => {}
        }
        all
    }

    fn index(&mut self, key: &Kind, depth: usize) -> String {
        if depth == 0 {
            if self.chance(60) {
                return self.world.first(&mut self.rng, key);
            }
            let locals: Vec<_> = self
                .locals
                .iter()
                .filter(|it| it.kind.fits(key))
                .map(|it| it.name.clone())
                .collect();
            if locals.is_empty() {
                return self.world.first(&mut self.rng, key);
            }
            return self.pick(&locals);
        }
        self.assigned(key, depth)
    }

    /// Something that can be assigned, of a kind that fits or of any.
    pub(super) fn place(&mut self, wanted: Option<&Kind>, depth: usize) -> Option<(String, Kind)> {
        let index_depth = if self.chance(40) { depth } else { 0 };
        let globals = self.world.globals.iter().map(|it| (it.name.to_owned(), it.kind.clone()));
        let locals = self.locals.iter().filter(|it| !it.is_fixed);
        let locals = locals.map(|it| (it.name.clone(), it.kind.clone()));
        let mut all = Vec::new();
        for (name, of) in globals.chain(locals).collect::<Vec<_>>() {
            all.extend(self.parts(name, &of, index_depth));
        }
        if let Some(wanted) = wanted {
            all.retain(|(_, kind)| kind.fits(wanted));
        }
        if all.is_empty() {
            return None;
        }
        Some(self.pick(&all))
    }

    /// A call of a function that gives this.
    fn call(&mut self, kind: &Kind, depth: usize) -> Option<String> {
        let mut fitting = self.callable();
        fitting.retain(|it| it.result.fits(kind));
        if fitting.is_empty() {
            return None;
        }
        let function = self.pick(&fitting);
        Some(self.called(&function, depth))
    }

    pub(super) fn called(&mut self, function: &super::world::Function, depth: usize) -> String {
        self.locks.extend(&function.locks);
        let arguments: Vec<String> =
            function.parameters.iter().map(|(kind, _)| self.assigned(kind, depth)).collect();
        format!("{}({})", function.name, arguments.join(", "))
    }

    fn matching(&mut self, kind: &Kind, depth: usize) -> String {
        let of = self.world.small(&mut self.rng);
        let value = self.expression(&of, depth);
        let arms = self.patterns(&of);
        let arms: Vec<String> = arms
            .into_iter()
            .map(|pattern| format!("{pattern} => {}", self.expression(kind, depth)))
            .collect();
        format!("(match ({value}) {{ {} }})", arms.join(", "))
    }

    /// Patterns that together cover everything.
    pub(super) fn patterns(&mut self, of: &Kind) -> Vec<String> {
        match of {
            Kind::Bool if self.chance(50) => vec!["true".to_owned(), "false".to_owned()],
            Kind::Enum(at) if self.chance(60) => {
                let (name, members) = self.world.enums[*at].clone();
                let all: Vec<String> = members
                    .iter()
                    .map(|member| self.world.member_written(&mut self.rng, name, member))
                    .collect();
                if all.len() > 2 && self.chance(50) {
                    return vec![format!("{} | {}", all[2], all[0]), all[1].clone()];
                }
                all
            }
            Kind::Int | Kind::Range(..) if self.chance(40) => {
                vec!["0..1".to_owned(), "-1 | 2".to_owned(), "_".to_owned()]
            }
            kind => {
                let first = self.world.first(&mut self.rng, kind);
                vec![first, "_".to_owned()]
            }
        }
    }

    /// A lock that is not held here, if there is one; from here on it is.
    pub(super) fn lock(&mut self, depth: usize) -> Option<String> {
        let mut locks = self.world.locks.clone();
        locks.retain(|(name, _)| !self.held.contains(name));
        if locks.is_empty() {
            return None;
        }
        let lock = self.pick(&locks);
        let text = match lock.clone() {
            (name, None) => name.to_owned(),
            (name, Some(key)) => {
                let depth = if self.chance(30) { depth } else { 0 };
                format!("{name}[{}]", self.index(&key, depth))
            }
        };
        // One of several may be taken together with another one.
        let is_one_of_several = lock.1.is_some() && self.chance(50);
        self.held.push(if is_one_of_several { "" } else { lock.0 });
        self.locks.push(lock.0);
        Some(text)
    }
}
