//! How shared variables are shown to people.
//!
//! A system of processes has variables that no source has: a queue is its length and the parts of
//! its slots (`Q.len`, `Q.0`, `Q.1.field`), `Done P` says that a process has ended, and names with
//! a blank say which processes have begun. People see a queue as one list, members of enumerations
//! by their names, and do not see the others.

use crate::trace::TraceStep;
use ser_model::{GlobalId, NetworkSystem, VariableId};
use ser_report::Value;
use std::collections::BTreeMap;

/// The shared variables as people know them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Shown {
    /// What there is to see, in the order of the source.
    pub columns: Vec<Column>,
}

/// Something to see: a variable, or a queue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// What it is called.
    pub name: String,
    what: What,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum What {
    Variable { variable: VariableId, names: Vec<String> },
    Queue { length: VariableId, slots: Vec<Slot> },
}

/// The parts of one slot of a queue, with what their values are called.
type Slot = Vec<(VariableId, Vec<String>)>;

/// Whether no source has this name.
pub fn is_hidden(name: &str) -> bool {
    name.starts_with('.')
}

impl Shown {
    /// All variables of a system, with names for the values of some of them, by variable. Only
    /// processes have queues, and ends that others may ask for.
    ///
    /// ```
    /// use ser_session::shown::Shown;
    /// use ser_model::{SystemBuilder, Variable};
    /// let variable = |name: &str| Variable { name: name.to_owned(), symbols: None };
    /// let variables = ["X", "Q.len", "Q.0", "Q.1", "Done len"].map(variable).to_vec();
    /// let mut builder = SystemBuilder::new(variables, &[7, 0, 0, 0, 0]);
    /// let full = builder.global(&[7, 2, 3, 1, 1]);
    /// let system = builder.finish();
    /// let shown = Shown::new(&system, &Default::default(), true);
    /// assert_eq!(shown.all(&system, system.initial_global()), "X=7, Q=[]");
    /// assert_eq!(shown.all(&system, full), "X=7, Q=[3,1]");
    /// ```
    pub fn new(
        system: &NetworkSystem,
        names: &BTreeMap<String, Vec<String>>,
        has_queues: bool,
    ) -> Shown {
        let mut columns: Vec<Column> = Vec::new();
        for (index, v) in system.variables().iter().enumerate() {
            let variable = VariableId::from_index(index);
            let symbols = names.get(&v.name).cloned();
            let names = symbols.or_else(|| v.symbols.clone()).unwrap_or_default();
            if has_queues && (v.name.starts_with("Done ") || v.name.contains(' ')) {
                continue;
            }
            let part = has_queues.then(|| v.name.split_once('.')).flatten();
            // The first slot of a queue stands behind its length; no field is called 0.
            let next = system.variables().get(index + 1).map(|it| it.name.as_str());
            let is_queue = |queue: &str| next.is_some_and(|it| starts(it, &format!("{queue}.0")));
            let of = part.map(|(queue, _)| queue);
            if let Some(column) = columns.iter_mut().find(|it| Some(it.name.as_str()) == of)
                && let What::Queue { slots, .. } = &mut column.what
            {
                let slot = format!("{}.{}", column.name, slots.len().saturating_sub(1));
                match slots.last_mut() {
                    Some(last) if starts(&v.name, &slot) => last.push((variable, names)),
                    _ => slots.push(vec![(variable, names)]),
                }
                continue;
            }
            let (name, what) = match part {
                Some((queue, "len")) if is_queue(queue) => {
                    (queue, What::Queue { length: variable, slots: Vec::new() })
                }
                _ => (v.name.as_str(), What::Variable { variable, names }),
            };
            columns.push(Column { name: name.to_owned(), what });
        }
        Shown { columns }
    }

    /// `X=0, Q=[1]`.
    pub fn all(&self, system: &NetworkSystem, global: GlobalId) -> String {
        let values = system.valuation(global);
        let words: Vec<String> = self.columns.iter().map(|c| c.assignment(values)).collect();
        words.join(", ")
    }

    /// The same for those that differ from before.
    pub fn changes(&self, system: &NetworkSystem, before: GlobalId, after: GlobalId) -> String {
        let (old, new) = (system.valuation(before), system.valuation(after));
        let changed = self.columns.iter().filter(|c| c.value(old) != c.value(new));
        changed.map(|c| c.assignment(new)).collect::<Vec<String>>().join(", ")
    }

    /// What others changed since a request last ran, and this step of it reads or writes: the name,
    /// the value that it left behind, and the value that it finds.
    pub fn changed_meanwhile(
        &self,
        system: &NetworkSystem,
        step: &TraceStep,
    ) -> Vec<(&str, Value, Value)> {
        // What the step itself did is not of interest: parts of a queue that others did not change
        // are as the step found them.
        let now = system.valuation(step.before);
        let mut then = now.to_vec();
        for (variable, old, _) in &step.changed_meanwhile {
            if let Some(slot) = then.get_mut(variable.index()) {
                *slot = *old;
            }
        }
        let both = self.columns.iter().map(|c| (c.name.as_str(), c.value(&then), c.value(now)));
        both.filter(|(_, then, now)| then != now).collect()
    }

    /// Where a variable, or a part of a queue, is shown.
    pub fn column_of(&self, variable: VariableId) -> Option<&Column> {
        self.columns.iter().find(|c| c.shows(variable))
    }

    /// The same for the name of a variable.
    pub fn column_named(&self, system: &NetworkSystem, name: &str) -> Option<&Column> {
        let index = system.variables().iter().position(|v| v.name == name)?;
        self.column_of(VariableId::from_index(index))
    }

    /// How a value of a variable is shown, and under which name. A queue is shown as it is in
    /// `values`.
    pub fn value_of(
        &self,
        variable: VariableId,
        value: i64,
        values: &[i64],
    ) -> Option<(&str, Value)> {
        let column = self.column_of(variable)?;
        let value = match &column.what {
            What::Variable { names, .. } => named(names, value),
            What::Queue { .. } => column.value(values),
        };
        Some((&column.name, value))
    }
}

impl Column {
    /// What it shows of the values of all variables.
    pub fn value(&self, values: &[i64]) -> Value {
        let get = |v: &VariableId| values.get(v.index()).copied().unwrap_or(0);
        match &self.what {
            What::Variable { variable, names } => named(names, get(variable)),
            What::Queue { length, slots } => {
                let length = usize::try_from(get(length)).unwrap_or(0);
                let item = |slot: &Slot| {
                    let value = |(part, names): &(VariableId, Vec<String>)| named(names, get(part));
                    if let [only] = slot.as_slice() {
                        return value(only);
                    }
                    let parts: Vec<String> = slot.iter().map(|it| value(it).to_string()).collect();
                    Value::Name(format!("({})", parts.join(", ")))
                };
                Value::List(slots.iter().take(length).map(item).collect())
            }
        }
    }

    /// How one value is shown, of a variable or of an item of a queue.
    pub fn value_named(&self, value: i64) -> Value {
        match &self.what {
            What::Variable { names, .. } => named(names, value),
            What::Queue { slots, .. } => {
                let part = slots.first().and_then(|slot| slot.first());
                named(part.map_or(&[], |(_, names)| names), value)
            }
        }
    }

    /// Whether it is a queue.
    pub fn is_queue(&self) -> bool {
        matches!(self.what, What::Queue { .. })
    }

    fn assignment(&self, values: &[i64]) -> String {
        format!("{}={}", self.name, self.value(values))
    }

    fn shows(&self, variable: VariableId) -> bool {
        match &self.what {
            What::Variable { variable: v, .. } => *v == variable,
            What::Queue { length, slots } => {
                *length == variable || slots.iter().flatten().any(|(part, _)| *part == variable)
            }
        }
    }
}

/// Whether a variable is this one or a part of it.
fn starts(name: &str, whole: &str) -> bool {
    let rest = name.strip_prefix(whole);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// A value by its name, if it has one.
fn named(names: &[String], value: i64) -> Value {
    match usize::try_from(value).ok().and_then(|index| names.get(index)) {
        Some(name) => Value::Name(name.clone()),
        None => Value::Number(value),
    }
}
