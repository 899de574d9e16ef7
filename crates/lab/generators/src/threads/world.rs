//! The variables of a random system.

use crate::Draw;
use fastrand::Rng;

/// A type, as far as it matters here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    Int,
    Bool,
    Tid,
    Ints,
    Tids,
    Addr,
    Elem,
    Addrs,
    Elems,
}

impl Sort {
    /// The types to choose from, numbers twice.
    pub const MIX: [Sort; 10] = [
        Sort::Int,
        Sort::Int,
        Sort::Bool,
        Sort::Tid,
        Sort::Ints,
        Sort::Tids,
        Sort::Addr,
        Sort::Elem,
        Sort::Addrs,
        Sort::Elems,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Sort::Int => "int",
            Sort::Bool => "bool",
            Sort::Tid => "Threads",
            Sort::Ints => "set of int",
            Sort::Tids => "set of Threads",
            Sort::Addr => "addr",
            Sort::Elem => "elem",
            Sort::Addrs => "set of addr",
            Sort::Elems => "set of elem",
        }
    }

    /// The type of the members of a set.
    pub fn member(self) -> Option<Sort> {
        match self {
            Sort::Ints => Some(Sort::Int),
            Sort::Tids => Some(Sort::Tid),
            Sort::Addrs => Some(Sort::Addr),
            Sort::Elems => Some(Sort::Elem),
            _ => None,
        }
    }
}

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub name: String,
    pub sort: Sort,
    pub ghost: bool,
    /// Whose it is: nobody's (a global), `thread`, or the procedure.
    pub owner: Owner,
    /// Whether it may be assigned.
    pub assigned: bool,
    initial: Option<String>,
}

/// Whose a variable is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Owner {
    Global,
    Thread,
    Procedure,
}

/// What a procedure does with the rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    /// Whether there is a procedure `p`, with a parameter of this type.
    pub parameter: Option<Sort>,
    /// Whether it gives a number back.
    pub result: bool,
}

/// The variables, and what comes of the statements.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub variables: Vec<Variable>,
    pub heap: bool,
    pub shape: Shape,
    /// A global for a thread that nobody assigns, as a thread.
    pub anchor: Option<String>,
    /// The names of the statements of `thread` and of `p`, in their order; a name of `p` has `p.`
    /// before it.
    pub places: Vec<String>,
    assumptions: Vec<String>,
    threads: Option<usize>,
}

impl World {
    fn empty(heap: bool) -> World {
        World {
            variables: Vec::new(),
            heap,
            shape: Shape { parameter: None, result: false },
            anchor: None,
            places: Vec::new(),
            assumptions: Vec::new(),
            threads: None,
        }
    }

    fn add(&mut self, owner: Owner, sort: Sort, name: &str, initial: Option<&str>) {
        self.variables.push(Variable {
            name: name.into(),
            sort,
            ghost: false,
            owner,
            assigned: true,
            initial: initial.map(String::from),
        });
    }

    /// Numbers, truth values, sets of numbers, threads.
    pub fn numbers(rng: &mut Rng) -> World {
        let mut world = World::empty(false);
        for name in ["x", "y"].iter().take(1 + rng.below(2)) {
            let open = rng.chance(15);
            world.add(Owner::Global, Sort::Int, name, if open { None } else { Some("0") });
            if open {
                let bound = rng.word(&[">= 0", "<= 1", "!= 0", "== 1"]);
                world.assumptions.push(format!("{name} {bound}"));
            }
        }
        if rng.chance(40) {
            world.add(Owner::Global, Sort::Bool, "flag", Some(rng.word(&["false", "true"])));
        }
        if rng.chance(50) {
            world.add(Owner::Global, Sort::Tid, "owner", Some("nobody"));
        }
        if rng.chance(35) {
            world.add(Owner::Global, Sort::Ints, "bag", Some("{}"));
        }
        if rng.chance(25) {
            world.add(Owner::Global, Sort::Tids, "crowd", Some("{}"));
        }
        world.add(Owner::Thread, Sort::Int, "a", if rng.chance(80) { Some("0") } else { None });
        if rng.chance(40) {
            world.add(Owner::Thread, Sort::Int, "b", Some(rng.word(&["0", "x"])));
        }
        if rng.chance(30) {
            world.add(Owner::Thread, Sort::Bool, "done", Some("false"));
        }
        if rng.chance(20) {
            world.add(Owner::Thread, Sort::Tid, "friend", Some(rng.word(&["self", "nobody"])));
        }
        world.extras(rng, Sort::Int);
        world
    }

    /// Cells of a heap.
    pub fn cells(rng: &mut Rng) -> World {
        let mut world = World::empty(true);
        match rng.below(3) {
            0 => world.add(Owner::Global, Sort::Addr, "head", Some("null")),
            1 => {
                world.add(Owner::Global, Sort::Addr, "head", None);
                world.assumptions.push("head != null && head.next == null".into());
                world.assumptions.push("head.lockid == nobody && head.data == lowest".into());
            }
            _ => {
                world.add(Owner::Global, Sort::Addr, "head", None);
                world.add(Owner::Global, Sort::Addr, "tail", None);
                world.assumptions.push("head != null && tail != null && head != tail".into());
                world.assumptions.push("head.next == tail && tail.next == null".into());
                world.assumptions.push("head.data == lowest && tail.data == highest".into());
                world.assumptions.push("head.lockid == nobody && tail.lockid == nobody".into());
            }
        }
        if rng.chance(50) {
            world.add(Owner::Global, Sort::Addrs, "reg", None);
            world.assumptions.push("reg == addr2set(head)".into());
            world.ghost(rng);
        }
        if rng.chance(30) {
            world.add(Owner::Global, Sort::Elems, "elems", Some("{}"));
            world.ghost(rng);
        }
        if rng.chance(20) {
            world.add(Owner::Global, Sort::Tid, "owner", Some("nobody"));
        }
        world.add(Owner::Thread, Sort::Addr, "n", Some("null"));
        if rng.chance(60) {
            world.add(Owner::Thread, Sort::Addr, "c", Some(rng.word(&["null", "head"])));
        }
        if rng.chance(50) {
            world.add(Owner::Thread, Sort::Elem, "e", Some("lowest"));
        }
        if rng.chance(20) {
            world.add(Owner::Thread, Sort::Bool, "done", Some("false"));
        }
        world.extras(rng, Sort::Addr);
        world
    }

    /// Makes the last variable a ghost, more often than not.
    fn ghost(&mut self, rng: &mut Rng) {
        if let Some(last) = self.variables.last_mut() {
            last.ghost = rng.chance(70);
        }
    }

    fn extras(&mut self, rng: &mut Rng, parameter: Sort) {
        if rng.chance(20) {
            self.add(Owner::Global, Sort::Int, "g", Some("0"));
            if let Some(last) = self.variables.last_mut() {
                last.ghost = true;
            }
        }
        if rng.chance(15) {
            self.add(Owner::Global, Sort::Tid, "boss", None);
            self.anchor = Some("boss".into());
            if let Some(last) = self.variables.last_mut() {
                last.assigned = false;
            }
        }
        if rng.chance(30) {
            let result = !self.heap && rng.chance(50);
            self.shape = Shape { parameter: Some(parameter), result };
            self.add(Owner::Procedure, parameter, "q", None);
            if rng.chance(50) {
                let initial = if parameter == Sort::Int { "0" } else { "null" };
                self.add(Owner::Procedure, parameter, "r", Some(initial));
            }
        }
        if rng.chance(10) {
            self.threads = Some(1 + rng.below(3));
        }
    }

    /// The variables of a type, as a statement of this owner sees them.
    pub fn seen(&self, owner: Owner, sort: Sort, ghosts: bool) -> Vec<&Variable> {
        let is_seen = |variable: &&Variable| {
            variable.sort == sort
                && (variable.owner == Owner::Global || variable.owner == owner)
                && (ghosts || !variable.ghost)
        };
        self.variables.iter().filter(is_seen).collect()
    }

    /// All items before the program.
    pub fn declarations(&self) -> String {
        let mut text = String::new();
        match self.threads {
            Some(threads) => text.push_str(&format!("set Threads == {threads}\n")),
            None => text.push_str("set Threads\n"),
        }
        for variable in &self.variables {
            if variable.owner == Owner::Global {
                text.push_str(&declaration(variable));
            }
        }
        for assumption in &self.assumptions {
            text.push_str(&format!("assume {assumption};\n"));
        }
        text
    }

    /// The locals of an owner, without parameters.
    pub fn locals(&self, owner: Owner) -> String {
        let is_local = |variable: &&Variable| variable.owner == owner && variable.name != "q";
        let locals = self.variables.iter().filter(is_local);
        locals.map(|variable| format!("    {}", declaration(variable))).collect()
    }
}

fn declaration(variable: &Variable) -> String {
    let ghost = if variable.ghost { "ghost " } else { "" };
    let initial = variable.initial.as_ref().map_or(String::new(), |value| format!(" = {value}"));
    format!("{ghost}var {}: {}{initial};\n", variable.name, variable.sort.name())
}
