//! Random systems of one theory, as the text of a file.
//!
//! Every system has a thread with a few locations, one of which (`go`) is a random atomic block, an
//! invariant `goal`, whose condition is asked, and an invariant `support`, which may be used.
//! Formulas are mostly conjunctions of clauses over few variables, so that with and without models
//! are about as frequent.

use fastrand::Rng;
use ser_generators::Draw;

/// What formulas speak of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Theory {
    /// Where threads are, and which threads are the same.
    Locations,
    /// Numbers, booleans.
    Numbers,
    /// Sets of numbers with minimum and maximum.
    Sets,
    /// Cells, elements, threads, sets of them, reachability.
    Lists,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Int,
    Tid,
    Addr,
    Elem,
}

const SETS: [(Kind, &str); 4] =
    [(Kind::Int, "int"), (Kind::Tid, "tid"), (Kind::Addr, "addr"), (Kind::Elem, "elem")];

/// Where an expression stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scope {
    /// In a formula about so many threads.
    Invariant(usize),
    /// In a statement.
    Statement,
    /// At the start: globals only.
    Start,
}

/// The global variables of programs with lists.
pub const LISTS: &str = "var a: addr; var b: addr; var c: addr;\nvar d: elem; var e: elem;\nvar owner: Threads;\n\
    var cells: set of addr;\nvar elems: set of elem;\nvar many: set of Threads;\n";
/// The names of the parameters of invariants.
const PARAMETERS: [&str; 3] = ["i", "j", "k"];
/// The names of locations.
const PLACES: [&str; 5] = ["first", "second", "go", "done", "last"];

/// The text of a system, and how many threads its goal is about.
pub fn system(theory: Theory, random: &mut Rng) -> String {
    let mut make = Maker { theory, random, room: 0, anchored: false };
    make.system()
}

struct Maker<'r> {
    theory: Theory,
    random: &'r mut Rng,
    /// How many more operators there may be.
    room: usize,
    /// Whether the global `chosen` is used as an index.
    anchored: bool,
}

impl Maker<'_> {
    fn system(&mut self) -> String {
        let globals = match self.theory {
            Theory::Locations => {
                "var owner: Threads; var turn: Threads;\nvar chosen: Threads;\nvar flag: bool;\nvar many: set of Threads;\n"
            }
            Theory::Numbers => {
                "var x: int; var y: int; var z: int;\nvar flag: bool; var mark: bool;\n"
            }
            Theory::Sets => "var x: int; var y: int;\nvar s: set of int; var t: set of int;\n",
            Theory::Lists => LISTS,
        };
        let locals = match self.theory {
            Theory::Locations => "var mine: Threads; var up: bool;",
            Theory::Numbers => "var n: int; var up: bool;",
            Theory::Sets => "var n: int; var own: set of int;",
            Theory::Lists => "var p: addr; var v: elem;",
        };
        self.anchored = self.theory == Theory::Locations && self.random.chance(30);
        let most = if self.theory == Theory::Lists { 2 } else { 3 };
        let parameters = match self.theory {
            Theory::Locations => 1 + self.random.below(most),
            _ => self.random.below(most),
        };
        let body = self.actions();
        let goal = self.goal(parameters);
        let others = self.random.below(parameters.max(1) + 1).min(2);
        let support = if self.random.chance(50) {
            let clauses = 1 + self.random.below(2);
            self.clauses(Scope::Invariant(others), clauses)
        } else {
            "true".to_owned()
        };
        let assume = match self.random.chance(50) {
            true => {
                self.anchored = false;
                self.clauses(Scope::Start, 2)
            }
            false => "true".to_owned(),
        };
        let names = |count: usize| PARAMETERS[..count].join(", ");
        // What is never assigned is a thread for ever; these may be `nobody`.
        let fixed = match self.theory {
            Theory::Locations => "atomic { owner := owner; turn := turn; }",
            Theory::Lists => "owner := owner;",
            Theory::Numbers | Theory::Sets => "skip;",
        };
        format!(
            "{globals}assume {assume};\nset Threads  process thread for self in Threads {{\n    {locals}\n    first: {fixed}\n    second: skip;\n    \
             go: atomic {{ {body}}}\n    done: skip;\n    last: skip;\n}}\n\
             invariant goal({}): {goal};\ninvariant support({}): {support};\n",
            names(parameters),
            names(others),
        )
    }

    /// What does not hold if the condition fails; often about the state after the block alone.
    fn goal(&mut self, parameters: usize) -> String {
        let scope = Scope::Invariant(parameters);
        let clauses = match self.theory {
            Theory::Locations | Theory::Numbers => 3 + self.random.below(6),
            Theory::Sets => 2 + self.random.below(5),
            Theory::Lists => 2 + self.random.below(6),
        };
        let inner = if self.random.chance(15) {
            self.room = 6;
            self.formula(scope)
        } else {
            self.clauses(scope, clauses)
        };
        if parameters > 0 && self.random.chance(50) {
            format!("at(i, done) -> !({inner})")
        } else {
            format!("!({inner})")
        }
    }

    fn clauses(&mut self, scope: Scope, count: usize) -> String {
        let mut all = Vec::new();
        for _ in 0..count {
            let length = match self.random.below(10) {
                0..6 => 1,
                6..9 => 2,
                _ => 3,
            };
            let literals: Vec<String> = (0..length)
                .map(|_| {
                    self.room = 3;
                    let atom = self.atom(scope);
                    if self.random.chance(40) { format!("!({atom})") } else { format!("({atom})") }
                })
                .collect();
            all.push(format!("({})", literals.join(" || ")));
        }
        all.join(" && ")
    }

    fn formula(&mut self, scope: Scope) -> String {
        if self.room == 0 || self.random.chance(15) {
            self.room = self.room.min(2);
            return format!("({})", self.atom(scope));
        }
        self.room -= 1;
        let operator = self.random.word(&["&&", "||", "->", "<->", "!", "=="]);
        match operator {
            "!" => format!("!({})", self.formula(scope)),
            _ => {
                let (left, right) = (self.formula(scope), self.formula(scope));
                format!("({left} {operator} {right})")
            }
        }
    }

    /// The thread of an index, if there is one.
    fn index(&mut self, scope: Scope) -> Option<&'static str> {
        match scope {
            Scope::Invariant(_) if self.anchored && self.random.chance(30) => Some("chosen"),
            Scope::Invariant(0) => self.anchored.then_some("chosen"),
            Scope::Invariant(count) => Some(PARAMETERS[self.random.below(count)]),
            _ => None,
        }
    }

    /// A local variable.
    fn local(&mut self, scope: Scope, name: &str) -> Option<String> {
        match scope {
            Scope::Statement => Some(name.to_owned()),
            Scope::Start => None,
            Scope::Invariant(_) => self.index(scope).map(|index| format!("{name}[{index}]")),
        }
    }

    fn atom(&mut self, scope: Scope) -> String {
        match self.theory {
            Theory::Locations => self.place_atom(scope),
            Theory::Numbers => match self.random.below(10) {
                0 => self.random.word(&["flag", "mark", "flag == mark", "true"]).to_owned(),
                1 => self.local(scope, "up").unwrap_or_else(|| "flag".to_owned()),
                2 => match self.index(scope) {
                    Some(index) => self.at(index),
                    None => self.compare(scope),
                },
                _ => self.compare(scope),
            },
            Theory::Sets => match self.random.below(10) {
                0..3 => self.compare(scope),
                3..6 => self.member(scope, Kind::Int),
                6 | 7 => self.inclusion(scope, Kind::Int),
                _ => self.same_sets(scope, Kind::Int),
            },
            Theory::Lists => match self.random.below(20) {
                0..4 => self.equality(scope, Kind::Addr),
                4 | 5 => self.equality(scope, Kind::Tid),
                6 => self.equality(scope, Kind::Elem),
                7..10 => self.order(scope),
                10..13 => {
                    let [from, to] = [(); 2].map(|()| self.term(scope, Kind::Addr));
                    format!("reach({from}, {to})")
                }
                13 | 14 => {
                    let [from, to] = [(); 2].map(|()| self.term(scope, Kind::Addr));
                    format!("ordered({from}, {to})")
                }
                15 | 16 => {
                    let kind = self.set_kind();
                    self.member(scope, kind)
                }
                17 => {
                    let kind = self.set_kind();
                    self.inclusion(scope, kind)
                }
                _ => {
                    let kind = self.set_kind();
                    self.same_sets(scope, kind)
                }
            },
        }
    }

    fn set_kind(&mut self) -> Kind {
        SETS[1 + [0, 1, 1, 2][self.random.below(4)]].0
    }

    fn place_atom(&mut self, scope: Scope) -> String {
        match self.random.below(10) {
            0..5 => match self.index(scope) {
                Some(index) => self.at(index),
                None => "flag".to_owned(),
            },
            5..8 => self.equality(scope, Kind::Tid),
            8 => self.member(scope, Kind::Tid),
            _ => match self.random.chance(50) {
                true => "flag".to_owned(),
                false => self.local(scope, "up").unwrap_or_else(|| "flag".to_owned()),
            },
        }
    }

    fn at(&mut self, index: &str) -> String {
        let first = self.random.below(PLACES.len());
        let last = first + self.random.below(PLACES.len() - first);
        match self.random.below(4) {
            0 => format!("at({index}, {}, {})", PLACES[first], PLACES[last]),
            _ => format!("at({index}, {}..{})", PLACES[first], PLACES[last]),
        }
    }

    fn compare(&mut self, scope: Scope) -> String {
        let [left, right] = [(); 2].map(|()| self.term(scope, Kind::Int));
        let operator = self.random.word(&["<", "<=", ">", ">=", "==", "!=", "=="]);
        format!("{left} {operator} {right}")
    }

    fn order(&mut self, scope: Scope) -> String {
        let [left, right] = [(); 2].map(|()| self.term(scope, Kind::Elem));
        let operator = self.random.word(&["<", "<=", ">", ">="]);
        format!("{left} {operator} {right}")
    }

    fn equality(&mut self, scope: Scope, kind: Kind) -> String {
        let [left, right] = [(); 2].map(|()| self.term(scope, kind));
        format!("{left} == {right}")
    }

    fn member(&mut self, scope: Scope, kind: Kind) -> String {
        let (one, set) = (self.term(scope, kind), self.set(scope, kind));
        format!("{one} in {set}")
    }

    fn inclusion(&mut self, scope: Scope, kind: Kind) -> String {
        let (left, right) = (self.variable_set(scope, kind), self.set(scope, kind));
        match self.random.chance(50) {
            true => format!("{left} subset {right}"),
            false => format!("{right} subset {left}"),
        }
    }

    fn same_sets(&mut self, scope: Scope, kind: Kind) -> String {
        let (left, right) = (self.variable_set(scope, kind), self.set(scope, kind));
        let operator = self.random.word(&["==", "==", "!="]);
        format!("{left} {operator} {right}")
    }

    /// A term that is no set.
    fn term(&mut self, scope: Scope, kind: Kind) -> String {
        match kind {
            Kind::Int => self.number(scope),
            Kind::Tid => match self.random.below(8) {
                0..3 => match (scope, self.index(scope)) {
                    (Scope::Statement, _) => "self".to_owned(),
                    (_, Some(index)) => index.to_owned(),
                    _ => "owner".to_owned(),
                },
                3 => "nobody".to_owned(),
                4 if self.theory == Theory::Locations => {
                    self.local(scope, "mine").unwrap_or_else(|| "turn".to_owned())
                }
                4..7 if self.theory == Theory::Lists && self.room > 0 => {
                    self.room -= 1;
                    format!("{}.lockid", self.term(scope, Kind::Addr))
                }
                5 if self.theory == Theory::Locations => "turn".to_owned(),
                6 if self.theory == Theory::Locations => "chosen".to_owned(),
                _ => "owner".to_owned(),
            },
            Kind::Addr => match self.random.below(10) {
                0 => "null".to_owned(),
                1..4 if self.room > 0 => {
                    self.room -= 1;
                    format!("{}.next", self.term(scope, Kind::Addr))
                }
                4 => self.local(scope, "p").unwrap_or_else(|| "b".to_owned()),
                _ => self.random.word(&["a", "b", "c"]).to_owned(),
            },
            Kind::Elem => match self.random.below(10) {
                0 => self.random.word(&["lowest", "highest"]).to_owned(),
                1..6 if self.room > 0 => {
                    self.room -= 1;
                    format!("{}.data", self.term(scope, Kind::Addr))
                }
                6 => self.local(scope, "v").unwrap_or_else(|| "e".to_owned()),
                _ => self.random.word(&["d", "e"]).to_owned(),
            },
        }
    }

    fn number(&mut self, scope: Scope) -> String {
        if self.room > 0 && self.random.chance(35) {
            self.room -= 1;
            return match self.random.below(if self.theory == Theory::Sets { 8 } else { 4 }) {
                0 => format!("({} + {})", self.number(scope), self.number(scope)),
                1 => format!("({} - {})", self.number(scope), self.number(scope)),
                2 => format!("{} * ({})", self.random.between(-3, 3), self.number(scope)),
                3 => format!("({} + {})", self.number(scope), self.random.between(1, 2)),
                4 | 5 => format!("min({})", self.set(scope, Kind::Int)),
                _ => format!("max({})", self.set(scope, Kind::Int)),
            };
        }
        match self.random.below(8) {
            0 => self.random.between(-2, 3).to_string(),
            1 | 2 => self.local(scope, "n").unwrap_or_else(|| "y".to_owned()),
            3 if self.theory == Theory::Numbers => "z".to_owned(),
            4 | 5 => "y".to_owned(),
            _ => "x".to_owned(),
        }
    }

    /// A set that is not just `{}`: its type is known.
    fn variable_set(&mut self, scope: Scope, kind: Kind) -> String {
        match kind {
            Kind::Int => match self.random.below(3) {
                0 => self.local(scope, "own").unwrap_or_else(|| "s".to_owned()),
                1 => "s".to_owned(),
                _ => "t".to_owned(),
            },
            Kind::Tid => "many".to_owned(),
            Kind::Addr if self.random.chance(50) => {
                format!("addr2set({})", self.term(scope, Kind::Addr))
            }
            Kind::Addr => "cells".to_owned(),
            Kind::Elem if self.room > 0 && self.random.chance(50) => {
                self.room -= 1;
                format!("set2elem({})", self.variable_set(scope, Kind::Addr))
            }
            Kind::Elem => "elems".to_owned(),
        }
    }

    fn set(&mut self, scope: Scope, kind: Kind) -> String {
        if self.room > 0 && self.random.chance(45) {
            self.room -= 1;
            let operator = self.random.word(&["+", "-", "*"]);
            let (left, right) = (self.variable_set(scope, kind), self.set(scope, kind));
            return format!("({left} {operator} {right})");
        }
        match self.random.below(6) {
            0 | 1 => format!("{{{}}}", self.term(scope, kind)),
            2 => format!("{{{}, {}}}", self.term(scope, kind), self.term(scope, kind)),
            3 if self.random.chance(30) => "{}".to_owned(),
            _ => self.variable_set(scope, kind),
        }
    }

    /// What the block does.
    fn actions(&mut self) -> String {
        let count = self.random.below(4);
        let mut text = String::new();
        for _ in 0..count {
            let action = self.action(true);
            text.push_str(&action);
        }
        if text.is_empty() { "skip; ".to_owned() } else { text }
    }

    fn action(&mut self, may_branch: bool) -> String {
        let scope = Scope::Statement;
        self.room = 1;
        if may_branch && self.random.chance(12) {
            let test = self.guard();
            let [then, otherwise] = [(); 2].map(|()| self.action(false));
            return format!("if {test} {{ {then}}} else {{ {otherwise}}} ");
        }
        if self.random.chance(10) {
            return format!("await {}; ", self.guard());
        }
        match self.theory {
            Theory::Locations => match self.random.below(5) {
                0 => format!("owner := {}; ", self.term(scope, Kind::Tid)),
                1 => "mine := owner; ".to_owned(),
                2 => "many := many + {self}; ".to_owned(),
                3 => format!(
                    "turn := choose(Threads) where turn != {}; ",
                    self.term(scope, Kind::Tid)
                ),
                _ => "up := flag; ".to_owned(),
            },
            Theory::Numbers => match self.random.below(6) {
                0 => format!("x := {}; ", self.number(scope)),
                1 => format!("n := {}; ", self.number(scope)),
                2 => "y := y + 1; ".to_owned(),
                3 => format!("z := choose(int) where z <= {}; ", self.number(scope)),
                4 => "flag := choose(bool); ".to_owned(),
                _ => format!("up := {}; ", self.compare(scope)),
            },
            Theory::Sets => {
                self.room = 0;
                match self.random.below(6) {
                    0 => "s := s + {n}; ".to_owned(),
                    1 => "s := s - {n}; ".to_owned(),
                    2 => "own := s * t; ".to_owned(),
                    3 => format!("n := choose(int) where n in {}; ", self.set(scope, Kind::Int)),
                    4 => "x := x + 1; ".to_owned(),
                    _ => "t := t - {x + 1}; ".to_owned(),
                }
            }
            Theory::Lists => self.list_action(),
        }
    }

    fn list_action(&mut self) -> String {
        let scope = Scope::Statement;
        let at = self.random.word(&["a", "b", "p"]);
        match self.random.below(14) {
            0..4 => format!("{at}.next := {}; ", self.term(scope, Kind::Addr)),
            4..6 => format!("{at}.data := {}; ", self.term(scope, Kind::Elem)),
            6 => format!("lock {at}; "),
            7 => format!("unlock {at}; "),
            8 => {
                let (data, next) = (self.term(scope, Kind::Elem), self.term(scope, Kind::Addr));
                format!("p := malloc({data}, {next}); ")
            }
            9 => "cells := cells + {p}; ".to_owned(),
            10 => "elems := elems - {e}; ".to_owned(),
            11 => format!("p := {}; ", self.term(scope, Kind::Addr)),
            12 => "v := choose(elem) where v < highest; ".to_owned(),
            _ => "p := choose(addr) where p in cells; ".to_owned(),
        }
    }

    /// A condition in a statement: no places, no threads but the one that does it.
    fn guard(&mut self) -> String {
        let scope = Scope::Statement;
        match self.theory {
            Theory::Locations => self.equality(scope, Kind::Tid),
            Theory::Numbers => self.compare(scope),
            Theory::Sets => match self.random.chance(50) {
                true => self.compare(scope),
                false => self.member(scope, Kind::Int),
            },
            Theory::Lists => match self.random.below(3) {
                0 => self.order(scope),
                1 => self.equality(scope, Kind::Addr),
                _ => {
                    let [from, to] = [(); 2].map(|()| self.term(scope, Kind::Addr));
                    format!("reach({from}, {to})")
                }
            },
        }
    }
}
