//! Random expressions, actions and programs of all kinds, over one set of variables.

use crate::Draw;
use fastrand::Rng;

/// The types, as they are written.
pub const TYPES: [&str; 9] = [
    "int",
    "Threads",
    "addr",
    "elem",
    "bool",
    "set of int",
    "set of addr",
    "set of elem",
    "set of Threads",
];

/// The variables that are declared: name, type, whether they are local.
pub const VARIABLES: [(&str, &str, bool); 17] = [
    ("n", "int", false),
    ("m", "int", false),
    ("k", "int", true),
    ("t", "Threads", false),
    ("o", "Threads", true),
    ("a", "addr", false),
    ("b", "addr", false),
    ("l", "addr", true),
    ("d", "elem", false),
    ("v", "elem", true),
    ("f", "bool", false),
    ("g", "bool", true),
    ("s", "set of int", false),
    ("r", "set of int", true),
    ("p", "set of addr", false),
    ("x", "set of elem", false),
    ("u", "set of Threads", false),
];

/// Who is meant by a local or by a thread.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The parameters of an invariant; nothing in statements.
    pub parameters: Option<&'a [&'a str]>,
    /// Names of locations for `at`.
    pub labels: &'a [&'a str],
    /// Whether there is a heap.
    pub heap: bool,
}

/// In statements.
pub const STATEMENT: Context<'static> = Context { parameters: None, labels: &[], heap: true };

impl Context<'_> {
    fn variable(&self, random: &mut Rng, ty: &str) -> Option<String> {
        let fitting: Vec<_> = VARIABLES.iter().filter(|it| it.1 == ty).collect();
        let (name, _, local) = **random.pick(&fitting[..]);
        match (local, self.parameters) {
            (true, Some([])) => fitting.iter().find(|it| !it.2).map(|it| it.0.to_owned()),
            (true, Some(parameters)) => Some(format!("{name}[{}]", random.pick(parameters))),
            _ => Some(name.to_owned()),
        }
    }

    fn thread(&self, random: &mut Rng) -> String {
        match self.parameters {
            None => "self".into(),
            Some([]) => "nobody".into(),
            Some(parameters) => (*random.pick(parameters)).to_owned(),
        }
    }

    /// An expression of a type, of about this size.
    pub fn expr(&self, random: &mut Rng, ty: &str, size: u32) -> String {
        let variable = |random: &mut Rng| match self.variable(random, ty) {
            Some(name) => name,
            None => Context { heap: self.heap, ..*self }.constant(random, ty),
        };
        if size == 0 {
            return match random.one_in(4) {
                true => self.constant(random, ty),
                false => variable(random),
            };
        }
        if let Some(of) = ty.strip_prefix("set of ") {
            return self.set(random, ty, of, size);
        }
        let less = size - 1;
        match (ty, random.below(6)) {
            ("bool", _) => self.formula(random, size),
            ("int", 0 | 1) => {
                let operator = random.pick(&["+", "-"]);
                let (l, r) = (self.expr(random, "int", less), self.expr(random, "int", less));
                format!("({l} {operator} {r})")
            }
            ("int", 2) => {
                let factor = random.pick(&["2", "(-1)", "3"]);
                format!("({factor} * {})", self.expr(random, "int", less))
            }
            ("int", 3) => {
                let function = random.pick(&["min", "max"]);
                format!("{function}({})", self.expr(random, "set of int", less))
            }
            ("addr", 0..=2) if self.heap => format!("{}.next", self.expr(random, "addr", less)),
            ("elem", 0..=2) if self.heap => format!("{}.data", self.expr(random, "addr", less)),
            ("Threads", 0 | 1) if self.heap => {
                format!("{}.lockid", self.expr(random, "addr", less))
            }
            _ => variable(random),
        }
    }

    fn constant(&self, random: &mut Rng, ty: &str) -> String {
        match ty {
            "int" => random.below(3).to_string(),
            "Threads" => match random.one_in(2) {
                true => "nobody".into(),
                false => self.thread(random),
            },
            "addr" => "null".into(),
            "elem" => (*random.pick(&["lowest", "highest"])).into(),
            "bool" => (*random.pick(&["true", "false"])).into(),
            _ => "{}".into(),
        }
    }

    fn set(&self, random: &mut Rng, ty: &str, of: &str, size: u32) -> String {
        let less = size - 1;
        match (random.below(6), of) {
            (0 | 1, _) => {
                let elements: Vec<String> =
                    (0..1 + random.below(2)).map(|_| self.expr(random, of, less)).collect();
                format!("{{{}}}", elements.join(", "))
            }
            (2 | 3, _) => {
                let operator = random.pick(&["+", "-", "*"]);
                // `{}` alone has no type on the left.
                let l = self.variable(random, ty).unwrap_or_default();
                format!("({l} {operator} {})", self.expr(random, ty, less))
            }
            (4, "addr") if self.heap => format!("addr2set({})", self.expr(random, "addr", less)),
            (4, "elem") if self.heap => {
                format!("set2elem({})", self.expr(random, "set of addr", less))
            }
            _ => self.variable(random, ty).unwrap_or_default(),
        }
    }

    fn formula(&self, random: &mut Rng, size: u32) -> String {
        let less = size - 1;
        let connective = |random: &mut Rng, operator: &str| {
            let (l, r) = (self.formula_or_atom(random, less), self.formula_or_atom(random, less));
            format!("({l} {operator} {r})")
        };
        match random.below(9) {
            0 => connective(random, "&&"),
            1 => connective(random, "||"),
            2 => connective(random, "->"),
            3 => connective(random, "<->"),
            4 => format!("!({})", self.formula_or_atom(random, less)),
            _ => self.atom(random, less),
        }
    }

    fn formula_or_atom(&self, random: &mut Rng, size: u32) -> String {
        if size == 0 { self.atom(random, 0) } else { self.formula(random, size) }
    }

    fn atom(&self, random: &mut Rng, size: u32) -> String {
        let two = |random: &mut Rng, ty: &str, operator: &str| {
            let l = self.variable(random, ty).unwrap_or_default();
            let (l, r) = match random.one_in(2) {
                true => (self.expr(random, ty, size), l),
                false => (l, self.expr(random, ty, size)),
            };
            // A constant set has no type by itself.
            let (l, r) = if l == "{}" { (r, l) } else { (l, r) };
            format!("({l} {operator} {r})")
        };
        match random.below(10) {
            0 => {
                let ty = *random.pick(&["int", "elem"]);
                let operator = *random.pick(&["<", "<=", ">", ">="]);
                two(random, ty, operator)
            }
            1 | 2 => {
                let ty = *random.pick(&TYPES);
                let operator = *random.pick(&["==", "!="]);
                two(random, ty, operator)
            }
            3 | 4 => {
                let of = *random.pick(&["int", "addr", "elem", "Threads"]);
                let set = self.set(random, &format!("set of {of}"), of, size.max(1));
                format!("({} in {set})", self.expr(random, of, size))
            }
            5 => {
                let ty =
                    *random.pick(&["set of int", "set of addr", "set of elem", "set of Threads"]);
                two(random, ty, "subset")
            }
            6 | 7 if self.heap => {
                let function = random.pick(&["reach", "ordered"]);
                let (l, r) = (self.expr(random, "addr", size), self.expr(random, "addr", size));
                format!("{function}({l}, {r})")
            }
            8 if !self.labels.is_empty() && self.parameters.is_some_and(|it| !it.is_empty()) => {
                let label = random.pick(self.labels);
                format!("at({}, {label})", self.thread(random))
            }
            _ => self.variable(random, "bool").unwrap_or("true".into()),
        }
    }
}

/// An action in `atomic`.
pub fn action(random: &mut Rng, size: u32) -> String {
    let c = STATEMENT;
    match random.below(16) {
        0..=4 => {
            let (name, ty, _) = *random.pick(&VARIABLES);
            format!("{name} := {};", c.expr(random, ty, size))
        }
        5 | 6 => {
            let (field, ty) = *random.pick(&[("next", "addr"), ("data", "elem")]);
            let address = c.variable(random, "addr").unwrap_or_default();
            format!("{address}.{field} := {};", c.expr(random, ty, size))
        }
        7 | 8 => {
            let (name, ty, _) = *random.pick(&VARIABLES);
            match random.one_in(2) {
                true => format!("{name} := choose({ty});"),
                false => format!("{name} := choose({ty}) where {};", c.expr(random, "bool", 1)),
            }
        }
        9 => {
            let target = random.pick(&["a", "l"]);
            let (data, next) = (c.expr(random, "elem", 1), c.expr(random, "addr", 1));
            format!("{target} := malloc({data}, {next});")
        }
        10 => format!("lock {};", c.expr(random, "addr", 1)),
        11 => format!("unlock {};", c.expr(random, "addr", 1)),
        12 => format!("await {};", c.expr(random, "bool", size)),
        13 => format!("assert {};", c.expr(random, "bool", size)),
        _ => {
            let condition = c.expr(random, "bool", 1);
            let (then, otherwise) = (action(random, 1), action(random, 1));
            format!("if {condition} {{ {then} }} else {{ {otherwise} }}")
        }
    }
}

/// The declarations of globals.
pub fn globals() -> String {
    let globals = VARIABLES.iter().filter(|it| !it.2);
    globals.map(|(name, ty, _)| format!("var {name}: {ty};\n")).collect()
}

/// The declarations of locals.
pub fn locals() -> String {
    let locals = VARIABLES.iter().filter(|it| it.2);
    locals.map(|(name, ty, _)| format!("var {name}: {ty};\n")).collect()
}

/// A program of all kinds of statements.
pub fn program(random: &mut Rng) -> String {
    let c = STATEMENT;
    let block = |random: &mut Rng| {
        let actions: Vec<String> = (0..1 + random.below(3)).map(|_| action(random, 3)).collect();
        let ghost = match random.one_in(3) {
            true => " ghost { h := h + 1; if h < n { h := n; } }",
            false => "",
        };
        format!("atomic {{ {} }}{ghost}\n", actions.join(" "))
    };
    let first = block(random);
    let (second, third) = (block(random), block(random));
    let (condition, other) = (c.expr(random, "bool", 3), c.expr(random, "bool", 3));
    let argument = c.expr(random, "int", 2);
    let result = random.pick(&["w + n", "min(s)", "i - max(s)", "i"]);
    let address = c.expr(random, "addr", 1);
    format!(
        "{}ghost var h: int\n\
         set Threads  process thread for self in Threads {{\n{}\
         loop {{\nfirst: {first}if {condition} ghost {{ h := 0; }} {{ second: {second} }} else {{ skip; }}\n\
         while {other} {{ third: {third} }}\n\
         choose {{ n := half({argument}); }} or {{ skip; }} or {{ half(k); }}\n\
         {address}.next := step(l);\n\
         }} }}\n\
         fn half(i: int): int {{ var w: int; w := i; return {result} ghost {{ h := h - 1; }} }}\n\
         fn step(y: addr): addr {{ y := y.next; return y; }}\n",
        globals(),
        locals(),
    )
}
