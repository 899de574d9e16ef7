//! Who runs, and what is asked about it.

use crate::term::Interval;
use crate::unwind::{Goal, Process, Task};
use ser_syntax::core::{Expr, Global, Program};
use std::collections::BTreeMap;

/// Processes over a program.
#[derive(Clone, Debug)]
pub struct Participants {
    pub program: Program,
    pub processes: Vec<Process>,
    /// The values of shared variables, where they are declared.
    pub ranges: BTreeMap<String, Interval>,
}

impl Participants {
    /// The processes of a file: each runs once.
    pub fn of_processes(program: &Program) -> Participants {
        let range = |global: &Global| {
            let (low, high) = global.range?;
            Some((global.name.text.clone(), Interval::new(low, high)))
        };
        Participants {
            program: program.clone(),
            processes: processes(program),
            ranges: program.globals.iter().filter_map(range).collect(),
        }
    }

    /// So many requests of each of these labels.
    pub fn of_requests(program: &Program, requests: &[(String, u32)]) -> Participants {
        let all = processes(program);
        let mut chosen = Vec::new();
        for (label, count) in requests {
            let Some(process) = all.iter().find(|p| p.label == *label) else { continue };
            for number in 0..*count {
                chosen.push(Process { name: format!("{label}[{number}]"), ..process.clone() });
            }
        }
        Participants { program: program.clone(), processes: chosen, ranges: BTreeMap::new() }
    }

    /// One goal, for these processes.
    pub fn task<'a>(&'a self, text: &'a str, goal: Goal) -> Task<'a> {
        Task {
            program: &self.program,
            text,
            processes: self.processes.clone(),
            ranges: self.ranges.clone(),
            goals: vec![goal],
            is_open: false,
        }
    }
}

/// One process for each handler and combination of arguments.
pub fn processes(program: &Program) -> Vec<Process> {
    let mut all = Vec::new();
    for request in &program.requests {
        let handler = request.name.text.clone();
        let mut lists: Vec<Vec<i64>> = vec![Vec::new()];
        for parameter in &request.parameters {
            let values = parameter.low..=parameter.high;
            let longer = |list: &Vec<i64>| {
                let list = list.clone();
                values.clone().map(move |v| list.iter().copied().chain([v]).collect())
            };
            lists = lists.iter().flat_map(longer).collect();
        }
        for arguments in lists {
            let label = request.label(&arguments);
            all.push(Process { name: label.clone(), label, handler: handler.clone(), arguments });
        }
    }
    all
}

/// A condition on the states of a program.
pub struct Condition<'a> {
    task: &'a Task<'a>,
    expr: &'a Expr,
    globals: Vec<String>,
}

impl<'a> Condition<'a> {
    /// The condition of a goal.
    pub fn new(task: &'a Task<'a>, goal: &'a Goal) -> Condition<'a> {
        let globals = ser_model::Code::new(task.program).globals;
        Condition { task, expr: &goal.condition, globals }
    }

    /// Whether it holds in a state: the values of the globals, and the responses so far.
    pub fn holds(&self, globals: &[i64], responses: &[Option<i64>]) -> bool {
        let mut names = self.task.program.constants.clone();
        for (process, response) in self.task.processes.iter().zip(responses) {
            names.insert(format!("Done {}", process.name), i64::from(response.is_some()));
            if let Some(response) = response {
                names.insert(process.name.clone(), *response);
            }
        }
        names.extend(self.globals.iter().cloned().zip(globals.iter().copied()));
        ser_syntax::evaluate(self.expr, &names).is_some_and(|value| value != 0)
    }
}
