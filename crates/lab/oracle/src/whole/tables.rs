//! What the declarations of a program say: types, constants, functions, and what each variable is.

use super::evaluate::constant;
use super::infer;
use super::value::Value;
use ser_syntax::ast::{self, Declared, Expr, TypeKind};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Which values a variable may have, as far as somebody has declared it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Any number.
    Int,
    Bool,
    /// These two numbers and all between them.
    Range(i64, i64),
    /// Which enumeration.
    Enumeration(usize),
    /// Which record.
    Record(usize),
    /// What the elements are counted by, and what they are.
    Array(Vec<Value>, Box<Kind>),
    Tuple(Vec<Kind>),
}

/// The variables of a handler or of a function: which of the two, and which one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Scope {
    Request(usize),
    Function(usize),
}

/// An expression, by the place where it is stored.
pub(super) type NodeId = usize;

/// The place of an expression. Trees are not changed or moved while somebody asks.
pub(super) fn node(expr: &Expr) -> NodeId {
    std::ptr::from_ref(expr) as usize
}

/// Everything that is known before anything runs.
pub(super) struct Tables {
    pub(super) tree: Rc<ast::Program>,
    /// Numbers and members with names.
    pub(super) constants: BTreeMap<String, Value>,
    /// The fields of each record.
    pub(super) records: Vec<Vec<(Rc<str>, Kind)>>,
    pub(super) globals: BTreeMap<Rc<str>, Kind>,
    pub(super) locals: BTreeMap<Scope, BTreeMap<Rc<str>, Kind>>,
    /// Comparisons and the like that give `false` or `true`, not 0 or 1.
    pub(super) truths: Vec<NodeId>,
    /// What the elements of written arrays are counted by.
    pub(super) lists: BTreeMap<NodeId, Vec<Value>>,
    /// What the global variables start with.
    pub(super) initial: BTreeMap<Rc<str>, Value>,
}

impl Tables {
    /// Reads all declarations; nothing if some constant has no value.
    pub(super) fn new(tree: Rc<ast::Program>) -> Option<Tables> {
        let mut tables = Tables {
            tree: Rc::clone(&tree),
            constants: BTreeMap::new(),
            records: Vec::new(),
            globals: BTreeMap::new(),
            locals: BTreeMap::new(),
            truths: Vec::new(),
            lists: BTreeMap::new(),
            initial: BTreeMap::new(),
        };
        for at in 0..tree.enumerations.len() {
            for value in tables.members(at) {
                // Of those with one name none is meant by the name alone.
                tables.constants.insert(value.to_string(), value);
            }
        }
        for item in &tree.constants {
            let value = constant(&tables, &item.value)?;
            tables.constants.insert(item.name.text.clone(), value);
        }
        for record in &tree.records {
            let field = |(name, kind): &(ast::Name, ast::Type)| {
                Some((name.text.as_str().into(), tables.kind(kind)?))
            };
            let fields = record.fields.iter().map(field).collect::<Option<_>>()?;
            tables.records.push(fields);
        }
        let found = infer::infer(&tables)?;
        (tables.globals, tables.locals) = (found.globals, found.locals);
        (tables.truths, tables.lists) = (found.truths, found.lists);
        tables.truths.sort_unstable();
        // Now it is known which comparisons are `false` or `true`.
        for item in &tree.constants {
            let value = constant(&tables, &item.value)?;
            tables.constants.insert(item.name.text.clone(), value);
        }
        for (name, kind) in &tables.globals {
            tables.initial.insert(Rc::clone(name), tables.start(kind));
        }
        for item in &tree.globals {
            if let Some(value) = &item.value {
                let value = constant(&tables, value)?;
                let name: Rc<str> = item.name.text.as_str().into();
                let value = tables.first(tables.globals.get(&name)?, value)?;
                tables.initial.insert(name, value);
            }
        }
        Some(tables)
    }

    /// All values of an enumeration.
    pub(super) fn members(&self, enumeration: usize) -> Vec<Value> {
        let item = &self.tree.enumerations[enumeration];
        if item.open {
            // Of any number of values, these few.
            let named = |at: usize| format!("{}#{}", item.name.text, at + 1);
            let value = |at| Value::Member { enumeration, at, name: named(at).into() };
            return (0..3).map(value).collect();
        }
        let members = item.members.iter().enumerate();
        members
            .map(|(at, name)| Value::Member { enumeration, at, name: name.text.as_str().into() })
            .collect()
    }

    /// `enumeration.member`.
    pub(super) fn member(&self, of: &Expr, name: &str) -> Option<Value> {
        let ast::ExprKind::Read(enumeration) = &of.kind else { return None };
        let at = self.tree.enumerations.iter().position(|e| e.name.text == enumeration.text)?;
        self.members(at).into_iter().find(|value| value.to_string() == name)
    }

    pub(super) fn record(&self, name: &str) -> Option<usize> {
        self.tree.records.iter().position(|record| record.name.text == name)
    }

    pub(super) fn function(&self, name: &str) -> Option<usize> {
        self.tree.functions.iter().position(|function| function.name.text == name)
    }

    /// What a type means.
    pub(super) fn kind(&self, written: &ast::Type) -> Option<Kind> {
        Some(match &written.kind {
            TypeKind::Int => Kind::Int,
            TypeKind::Bool => Kind::Bool,
            TypeKind::Range(low, high) => match (constant(self, low)?, constant(self, high)?) {
                (Value::Number(low), Value::Number(high)) => Kind::Range(low, high),
                _ => return None,
            },
            TypeKind::Named(name) => {
                let named = |other: &ast::Name| other.text == name.text;
                if let Some(at) = self.tree.enumerations.iter().position(|e| named(&e.name)) {
                    Kind::Enumeration(at)
                } else if let Some(at) = self.record(&name.text) {
                    Kind::Record(at)
                } else {
                    let alias = self.tree.aliases.iter().find(|alias| named(&alias.name))?;
                    self.kind(&alias.meaning)?
                }
            }
            TypeKind::Array(index, elements) => {
                Kind::Array(self.values(&self.kind(&index.0)?)?, Box::new(self.kind(elements)?))
            }
            TypeKind::Tuple(parts) => {
                Kind::Tuple(parts.iter().map(|part| self.kind(part)).collect::<Option<_>>()?)
            }
            // Requests have no others.
            _ => return None,
        })
    }

    /// How a variable is declared.
    pub(super) fn declared(&self, declared: &Declared) -> Option<Kind> {
        match declared {
            Declared::Initial | Declared::Var(None) => None,
            Declared::Var(Some(kind)) => self.kind(kind),
            Declared::Lock(None) => Some(Kind::Bool),
            Declared::Lock(Some(index)) => {
                Some(Kind::Array(self.values(&self.kind(&index.0)?)?, Box::new(Kind::Bool)))
            }
        }
    }

    /// All values, in order, if there are few.
    pub(super) fn values(&self, kind: &Kind) -> Option<Vec<Value>> {
        match kind {
            Kind::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
            Kind::Range(low, high) if high.saturating_sub(*low) <= 10_000 => {
                Some((*low..=*high).map(Value::Number).collect())
            }
            Kind::Enumeration(at) => Some(self.members(*at)),
            _ => None,
        }
    }

    /// What a variable starts with: 0, or the smallest value of its range, part by part.
    pub(super) fn start(&self, kind: &Kind) -> Value {
        match kind {
            Kind::Int => Value::Number(0),
            Kind::Bool => Value::Bool(false),
            Kind::Range(low, high) => {
                Value::Number(if (*low..=*high).contains(&0) { 0 } else { *low })
            }
            Kind::Enumeration(at) => self.members(*at).swap_remove(0),
            Kind::Record(at) => {
                let fields = self.records[*at].iter();
                let fields = fields.map(|(name, kind)| (Rc::clone(name), self.start(kind)));
                Value::Record(self.tree.records[*at].name.text.as_str().into(), fields.collect())
            }
            Kind::Array(keys, elements) => {
                let keys = keys.iter().cloned();
                Value::Array(keys.map(|key| (key, self.start(elements))).collect())
            }
            Kind::Tuple(parts) => Value::Tuple(parts.iter().map(|part| self.start(part)).collect()),
        }
    }

    /// The value as one of this kind; nothing if it is outside of a range.
    pub(super) fn fitted(&self, kind: &Kind, value: Value) -> Option<Value> {
        Some(match (kind, value) {
            (Kind::Range(low, high), Value::Number(number)) => {
                (*low..=*high).contains(&number).then_some(Value::Number(number))?
            }
            (Kind::Record(at), Value::Record(name, fields)) => {
                let fields = fields.into_iter().zip(&self.records[*at]);
                let fitted = |((name, value), (_, kind)): ((_, _), &(_, _))| {
                    Some((name, self.fitted(kind, value)?))
                };
                Value::Record(name, fields.map(fitted).collect::<Option<_>>()?)
            }
            (Kind::Array(keys, kind), Value::Array(elements)) => {
                let elements = keys.iter().zip(elements);
                let fitted =
                    |(key, (_, value)): (&Value, _)| Some((key.clone(), self.fitted(kind, value)?));
                Value::Array(elements.map(fitted).collect::<Option<_>>()?)
            }
            (Kind::Tuple(kinds), Value::Tuple(parts)) => {
                let parts = kinds.iter().zip(parts);
                let parts = parts.map(|(kind, value)| self.fitted(kind, value));
                Value::Tuple(parts.collect::<Option<_>>()?)
            }
            (_, value) => value,
        })
    }

    /// The same for a first value: what is no array counts for each element of one.
    pub(super) fn first(&self, kind: &Kind, value: Value) -> Option<Value> {
        match (kind, &value) {
            (_, Value::Array(_)) => self.fitted(kind, value),
            (Kind::Array(keys, kind), _) => {
                let value = self.first(kind, value)?;
                Some(Value::Array(keys.iter().map(|key| (key.clone(), value.clone())).collect()))
            }
            _ => self.fitted(kind, value),
        }
    }
}
