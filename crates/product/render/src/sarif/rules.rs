//! The kinds of results, as SARIF's reporting descriptors.

use ser_report::{Level, Rule};
use serde_json::{Value, json};

/// What SARIF says about a rule.
pub struct Description {
    rule: Rule,
    name: &'static str,
    short: &'static str,
    full: &'static str,
    help: &'static str,
    pub level: Level,
    tags: &'static [&'static str],
}

const DESCRIPTIONS: [Description; 10] = [
    Description {
        rule: Rule::NotSerializable,
        name: "NotSerializable",
        short: "Responses that no serial order of the requests gives",
        full: "Requests that run concurrently can end with a combination of responses that no \
               order of running them one after the other gives. The code flow is a run with few \
               requests, steps and context switches that shows it.",
        help: "Follow the code flow: each step says which request runs, what it reads and writes, \
               and what others have changed meanwhile. The result is placed at a yield point that \
               lets it happen. Keep what is read and what is written because of it in one step, \
               hold a lock in between, or check again after the yield point. `ser check --html` \
               shows the run step by step.",
        level: Level::Error,
        tags: &["concurrency", "serializability"],
    },
    Description {
        rule: Rule::Reachable,
        name: "Reachable",
        short: "A goal can be reached",
        full: "There is a run that ends in a state in which the goal holds. The code flow is such \
               a run.",
        help: "Follow the code flow: each step says which process runs, and what it reads and writes. \
               `ser trace --html` shows the run step by step.",
        level: Level::Error,
        tags: &["concurrency", "reachability"],
    },
    Description {
        rule: Rule::Fails,
        name: "Fails",
        short: "An assertion, a range, an index or a division fails",
        full: "There is a run after which an assertion does not hold, a variable would leave its \
               declared range, an array has no such element, or something is divided by 0. The \
               code flow is a run with few requests.",
        help: "Follow the code flow: each step says which request runs, what it reads and writes, \
               and what others have changed meanwhile.",
        level: Level::Error,
        tags: &["concurrency", "assertion"],
    },
    Description {
        rule: Rule::Deadlock,
        name: "Deadlock",
        short: "A request can wait forever",
        full: "There is a run after which a request can never complete, whatever happens then and \
               whoever comes. The code flow is a run with few requests.",
        help: "Follow the code flow to the place where the request waits, and look for what could \
               still make its condition true.",
        level: Level::Error,
        tags: &["concurrency", "deadlock"],
    },
    Description {
        rule: Rule::Protocol,
        name: "Protocol",
        short: "A process may wait forever, fail, or send a message that is never received",
        full: "With some number of processes, a process waits forever for a message, an assertion \
               fails, or a message is never received. The code flow is a shortest run that shows \
               it.",
        help: "The message says what to change. `ser sequentialize` shows the run step by step, \
               and what was sequentialized before.",
        level: Level::Error,
        tags: &["concurrency", "deadlock"],
    },
    Description {
        rule: Rule::Invariant,
        name: "Invariant",
        short: "An invariant is violated, or a step is an error",
        full: "With some number of threads there is a run after which an invariant does not hold, \
               or whose last step is an error: `null` is used, a lock of another thread is \
               unlocked, an assertion fails. The code flow is a shortest run that shows it.",
        help: "Follow the code flow: each step says which thread runs and what changes. \
               `ser prove` shows the values at the end.",
        level: Level::Error,
        tags: &["concurrency", "invariants"],
    },
    Description {
        rule: Rule::NotInductive,
        name: "NotInductive",
        short: "A step may break an invariant",
        full: "There is a state in which everything that the proof assumes holds, and a step \
               after which the invariant does not. No run was found that gets there: the proof \
               lacks support, or the invariant is wrong for more threads or larger values.",
        help: "Say in the proof which invariants exclude the state, strengthen the invariant, or \
               let `ser prove --infer` look for support. `ser prove` shows the state.",
        level: Level::Warning,
        tags: &["concurrency", "invariants"],
    },
    Description {
        rule: Rule::Unknown,
        name: "Unknown",
        short: "Neither a proof nor a counterexample",
        full: "Within its limits, ser has found neither a proof nor a counterexample.",
        help: "The message names the limit to raise, or what is in the way. Programs with fewer \
               states are easier: bound variables, and leave out what does not touch shared \
               state.",
        level: Level::Note,
        tags: &["concurrency"],
    },
    Description {
        rule: Rule::Input,
        name: "Input",
        short: "The source cannot be understood",
        full: "The source has errors, so there is nothing to decide.",
        help: "The message says what is wrong and what to write instead.",
        level: Level::Error,
        tags: &["syntax"],
    },
    Description {
        rule: Rule::Warning,
        name: "Warning",
        short: "The source has a meaning, but perhaps not the intended one",
        full: "The source has a meaning, but something in it is probably not what was meant.",
        help: "The message says what is odd; the verdict is about the program as it is written.",
        level: Level::Warning,
        tags: &["syntax"],
    },
];

/// All rules, as reporting descriptors.
pub fn all() -> Vec<Value> {
    DESCRIPTIONS.iter().map(described).collect()
}

fn described(it: &Description) -> Value {
    let mut object = json!({
        "id": it.rule.id(),
        "name": it.name,
        "shortDescription": { "text": it.short },
        "fullDescription": { "text": it.full },
        "help": { "text": it.help },
        "defaultConfiguration": { "level": level_name(it.level) },
        "properties": { "tags": it.tags },
    });
    // An address has to be absolute, so there is one only if the project has a home.
    let home = env!("CARGO_PKG_REPOSITORY");
    if !home.is_empty() {
        object["helpUri"] = json!(format!("{home}/blob/main/docs/reports.md#sarif"));
    }
    object
}

/// The place of a rule among all.
pub fn index(rule: Rule) -> usize {
    // Every rule is in the table; a test says so.
    DESCRIPTIONS.iter().position(|it| it.rule == rule).unwrap_or_default()
}

pub fn description(rule: Rule) -> &'static Description {
    &DESCRIPTIONS[index(rule)]
}

pub fn level_name(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_described() {
        for rule in [
            Rule::NotSerializable,
            Rule::Reachable,
            Rule::Fails,
            Rule::Deadlock,
            Rule::Protocol,
            Rule::Invariant,
            Rule::NotInductive,
            Rule::Unknown,
            Rule::Input,
            Rule::Warning,
        ] {
            assert_eq!(description(rule).rule, rule);
        }
    }
}
