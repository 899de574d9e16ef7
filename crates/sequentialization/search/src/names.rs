//! Readable names for members, messages in flight and bags of a sequential program.

use crate::simplify::{Reads, process_of};
use ser_sequentialization_checker::sequential::{Ghost, Place, Sequential, Term};
use ser_sequentialization_checker::{Bag, Slot, Symbol};
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{
    ExprKind, MessageId, ProcessId, SetId, SetKind, Stmt, StmtId, StmtKind, Type, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// Names for everything in a sequential program that the protocol does not name.
pub(crate) struct Names<'p> {
    pub protocol: &'p Protocol,
    /// The sets of all symbols.
    pub sets: BTreeMap<Symbol, SetId>,
    pub reads: Reads,
    ghosts: BTreeMap<Ghost, String>,
    bags: BTreeMap<Bag, String>,
    /// The types of messages in ghosts.
    messages: BTreeMap<Ghost, MessageId>,
    /// The types of messages in bags.
    contents: BTreeMap<Bag, MessageId>,
    /// Names of symbols in scope.
    symbols: BTreeMap<Symbol, String>,
    /// Loop variables that stand for symbols.
    loops: BTreeMap<(Slot, VarId), Symbol>,
    /// Loop variables of symbols, for their names.
    loop_names: BTreeMap<Symbol, String>,
}

impl<'p> Names<'p> {
    /// Names for this program.
    pub fn new(protocol: &'p Protocol, program: &[Sequential]) -> Names<'p> {
        let mut names = Names {
            protocol,
            sets: BTreeMap::new(),
            reads: Reads::default(),
            ghosts: BTreeMap::new(),
            bags: BTreeMap::new(),
            messages: BTreeMap::new(),
            contents: BTreeMap::new(),
            symbols: BTreeMap::new(),
            loops: BTreeMap::new(),
            loop_names: BTreeMap::new(),
        };
        names.reads.block(protocol, &mut names.sets, program);
        let sends = sends(protocol);
        let mut used = BTreeSet::new();
        Sequential::walk(program, &mut |stmt| names.note(&sends, &mut used, stmt));
        names
    }

    fn note(
        &mut self,
        sends: &BTreeMap<StmtId, MessageId>,
        used: &mut BTreeSet<(Option<ProcessId>, String)>,
        stmt: &Sequential,
    ) {
        match stmt {
            Sequential::Assign { place: Place::Ghost(who, ghost), value, from } => {
                let message = sends.get(from).copied().or_else(|| self.message_of(value));
                self.name_ghost(used, (*who, *ghost), message, "sent");
            }
            Sequential::Assign { place: Place::Variable(who, variable), value, .. } => {
                if let (Term::Symbol(symbol), Some(name)) =
                    (value, self.loop_variable(*who, *variable))
                {
                    let name = name.to_owned();
                    self.loop_names.entry(*symbol).or_insert(name);
                }
            }
            Sequential::Put { bag, value } => {
                let message = self.message_of(value);
                let name = format!("sent_{}", self.type_name(message));
                let name = unique(&name, |it| !used.insert((None, it.to_owned())));
                self.bags.entry(*bag).or_insert(name);
                self.contents.extend(message.map(|message| (*bag, message)));
            }
            Sequential::Take { bag, place: Place::Ghost(who, ghost) } => {
                let message = self.contents.get(bag).copied();
                self.name_ghost(used, (*who, *ghost), message, "got");
            }
            _ => {}
        }
    }

    fn name_ghost(
        &mut self,
        used: &mut BTreeSet<(Option<ProcessId>, String)>,
        (who, ghost): (Slot, Ghost),
        message: Option<MessageId>,
        verb: &str,
    ) {
        if self.ghosts.contains_key(&ghost) {
            return;
        }
        self.messages.extend(message.map(|message| (ghost, message)));
        let process = process_of(self.protocol, &self.sets, who);
        let variables = process.map(|it| self.protocol.process(it).variables.as_slice());
        let is_variable = |name: &str| {
            variables.unwrap_or_default().iter().any(|variable| variable.name.text == name)
        };
        let name = format!("{verb}_{}", self.type_name(message));
        let name = unique(&name, |it| is_variable(it) || !used.insert((process, it.to_owned())));
        self.ghosts.insert(ghost, name);
    }

    fn type_name(&self, message: Option<MessageId>) -> &'p str {
        message.map_or("message", |it| self.protocol.message(it).name.text.as_str())
    }

    /// The type of the message that a term is.
    fn message_of(&self, term: &Term) -> Option<MessageId> {
        match term {
            Term::Expr(who, expr) => match &expr.kind {
                ExprKind::Message(message, ..) => Some(*message),
                ExprKind::Variable(variable) => self.variable_message(*who, *variable),
                _ => None,
            },
            Term::Place(Place::Variable(who, variable)) => self.variable_message(*who, *variable),
            Term::Place(Place::Ghost(_, ghost)) => self.messages.get(ghost).copied(),
            Term::Symbol(_) | Term::Field(..) => None,
        }
    }

    fn variable_message(&self, who: Slot, variable: VarId) -> Option<MessageId> {
        match self.variable(who, variable)?.ty {
            Type::Message(message) => Some(message),
            _ => None,
        }
    }

    fn variable(&self, who: Slot, variable: VarId) -> Option<&'p ser_syntax::icet::ast::Variable> {
        let process = process_of(self.protocol, &self.sets, who)?;
        self.protocol.process(process).variables.get(variable.0 as usize)
    }

    /// The type of a variable, as it is written.
    pub fn type_of(&self, who: Slot, variable: VarId) -> &'p str {
        let Some(variable) = self.variable(who, variable) else { return "?" };
        match variable.ty {
            Type::Int => "int",
            Type::Bool => "bool",
            Type::Pid => "pid",
            Type::Member(set) => &self.protocol.set(set).name.text,
            Type::Enum(id) => {
                self.protocol.enums.get(id.0 as usize).map_or("?", |it| &it.name.text)
            }
            Type::Message(message) => &self.protocol.message(message).name.text,
        }
    }

    /// The name of the variable, if it is one of a loop.
    pub fn loop_variable(&self, who: Slot, variable: VarId) -> Option<&'p str> {
        let variable = self.variable(who, variable).filter(|it| it.of_loop)?;
        Some(variable.name.text.as_str())
    }

    /// The message type of a term whose constructor is asked for.
    pub fn constructor(&self, term: &Term, constructor: u32) -> Option<&'p str> {
        let message = self.protocol.message(self.message_of(term)?);
        message.constructors.get(constructor as usize).map(|it| it.name.text.as_str())
    }

    /// How many fields that constructor has.
    pub fn fields(&self, term: &Term, constructor: u32) -> usize {
        let message = self.message_of(term).map(|it| self.protocol.message(it));
        let constructor = message.and_then(|it| it.constructors.get(constructor as usize));
        constructor.map_or(0, |it| it.fields.len())
    }

    /// Gives a symbol its name, which it keeps until [`Names::leave`].
    pub fn enter(&mut self, symbol: Symbol, set: SetId) -> String {
        let members = self.protocol.members_of(set).map(|it| self.protocol.process(it));
        let own = members.and_then(|it| it.me.as_ref()).map(|it| it.text.as_str());
        let wanted = match self.protocol.set(set).kind {
            SetKind::Processes => own.unwrap_or("member"),
            SetKind::Indices => self.loop_names.get(&symbol).map_or("i", String::as_str),
        };
        let taken = |name: &str| {
            let is_process =
                |it: &ser_syntax::icet::ast::Process| it.set.is_none() && it.name.text == name;
            self.symbols.values().any(|it| it == name)
                || self.protocol.processes.iter().any(is_process)
        };
        let name = unique(wanted, taken);
        self.symbols.insert(symbol, name.clone());
        name
    }

    /// The symbol is not known any more.
    pub fn leave(&mut self, symbol: Symbol) {
        self.symbols.remove(&symbol);
        self.loops.retain(|_, it| *it != symbol);
    }

    /// From now on, this loop variable is that symbol.
    pub fn stand_for(&mut self, who: Slot, variable: VarId, symbol: Symbol) {
        self.loops.insert((who, variable), symbol);
    }

    /// The name of a symbol.
    pub fn symbol(&self, symbol: Symbol) -> String {
        self.symbols.get(&symbol).cloned().unwrap_or_else(|| format!("member{}", symbol.0))
    }

    /// The name of a process or member.
    pub fn who(&self, who: Slot) -> String {
        match who {
            Slot::Process(process) => self.protocol.process(ProcessId(process)).name.text.clone(),
            Slot::Member(symbol) => self.symbol(symbol),
        }
    }

    /// `queue.x`, or the symbol that a loop variable stands for.
    pub fn place(&self, place: Place) -> String {
        match place {
            Place::Variable(who, variable) => match self.loops.get(&(who, variable)) {
                Some(symbol) => self.symbol(*symbol),
                None => {
                    let name = self.variable(who, variable).map(|it| it.name.text.as_str());
                    format!("{}.{}", self.who(who), name.unwrap_or("?"))
                }
            },
            Place::Ghost(who, ghost) => {
                let name = self.ghosts.get(&ghost).map_or("message", String::as_str);
                format!("{}.{name}", self.who(who))
            }
        }
    }

    /// The name of a bag.
    pub fn bag(&self, bag: Bag) -> &str {
        self.bags.get(&bag).map_or("sent", String::as_str)
    }
}

/// `name`, or the first of `name2`, `name3`, ... that is not taken.
fn unique(name: &str, mut taken: impl FnMut(&str) -> bool) -> String {
    if !taken(name) {
        return name.to_owned();
    }
    let mut number = 2u32;
    loop {
        let longer = format!("{name}{number}");
        if !taken(&longer) {
            return longer;
        }
        number += 1;
    }
}

/// The types of all sends.
fn sends(protocol: &Protocol) -> BTreeMap<StmtId, MessageId> {
    let mut found = BTreeMap::new();
    let mut note = |stmt: &Stmt| {
        if let StmtKind::Send { message, .. } = stmt.kind {
            found.insert(stmt.id, message);
        }
    };
    for statement in protocol.processes.iter().flat_map(|it| &it.body) {
        statement.walk(&mut note);
    }
    found
}
