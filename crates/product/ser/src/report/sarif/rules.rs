//! The kinds of results.

use serde_json::{Value, json};

struct Rule {
    id: &'static str,
    name: &'static str,
    short: &'static str,
    full: &'static str,
    help: &'static str,
    level: &'static str,
}

const RULES: [Rule; 4] = [
    Rule {
        id: "not-serializable",
        name: "NotSerializable",
        short: "Responses that no serial order of the requests gives",
        full: "Requests that run concurrently can end with a combination of responses that no order of \
               running them one after the other gives. The code flow is a run with few requests, steps \
               and context switches that shows it.",
        help: "Follow the code flow: each step says which request runs, what it reads and writes and what \
               others have changed meanwhile. The result is placed at a pause that lets it happen. Keep \
               what is read and what is written because of it in one step, or hold a lock in between; \
               or check again after the pause. `ser check --html` shows the run step by step.",
        level: "error",
    },
    Rule {
        id: "unknown",
        name: "Unknown",
        short: "Neither a proof of serializability nor a counterexample",
        full: "Within its limits, ser has found neither a proof of serializability nor a counterexample.",
        help: "The message names the limit to raise. Programs with fewer states are easier: bound \
               variables, and leave out what does not touch shared state.",
        level: "note",
    },
    Rule {
        id: "input",
        name: "Input",
        short: "The source cannot be understood",
        full: "The source has errors, so there is nothing to decide.",
        help: "The message says what is wrong and what to write instead.",
        level: "error",
    },
    Rule {
        id: "warning",
        name: "Warning",
        short: "The source has a meaning, but perhaps not the intended one",
        full: "The source has a meaning, but something in it is probably not what was meant.",
        help: "The message says what is odd; the verdict is about the program as it is written.",
        level: "warning",
    },
];

/// What is told about protocols: the same kinds, but for the first two.
const PROTOCOL_RULES: [Rule; 2] = [
    Rule {
        id: "protocol",
        name: "Protocol",
        short: "A process may wait for ever, fail, or send what nobody receives",
        full: "With some number of processes, a process waits for ever for a message, an assertion fails, or \
               a message is never received. The code flow is a shortest run that shows it.",
        help: "The message says what to change. `ser sequentialize` tells the run step by step and what was \
               sequentialized before.",
        level: "error",
    },
    Rule {
        id: "unknown",
        name: "Unknown",
        short: "Neither a sequential program nor a run that goes wrong",
        full: "The protocol could not be turned into a sequential program, or an assertion could not be \
               proved, and no small instance goes wrong.",
        help: "The protocol may be fine. The message says what is in the way.",
        level: "note",
    },
];

/// What is told about invariants: the same kinds, but for the first two, and one more.
const INVARIANT_RULES: [Rule; 3] = [
    Rule {
        id: "invariant",
        name: "Invariant",
        short: "An invariant is violated, or a step is an error",
        full: "With some number of threads there is a run after which an invariant does not hold, or whose last \
               step is an error: `null` is used, a lock of somebody else is unlocked, an assertion fails. The code \
               flow is a shortest run that shows it.",
        help: "Follow the code flow: each step says which thread runs and what changes. `ser prove` shows the \
               values at the end.",
        level: "error",
    },
    Rule {
        id: "unknown",
        name: "Unknown",
        short: "Neither a proof nor a run that violates an invariant",
        full: "Some conditions were neither proved nor refuted within the limits.",
        help: "The message says what to try.",
        level: "note",
    },
    Rule {
        id: "not-inductive",
        name: "NotInductive",
        short: "A step may break an invariant",
        full: "There is a state in which everything that the proof assumes holds, and a step after which the \
               invariant does not. No run was found that gets there: the proof lacks support, or the invariant is \
               wrong for more threads or larger values.",
        help: "Say in the proof which invariants exclude the state, strengthen the invariant, or let \
               `ser prove --infer` look for support. `ser prove` shows the state.",
        level: "warning",
    },
];

/// All that is told about programs, as reporting descriptors.
pub fn all() -> Vec<Value> {
    RULES.iter().map(|rule| describe(rule, &["concurrency", "serializability"])).collect()
}

/// All that is told about protocols.
pub fn of_protocols() -> Vec<Value> {
    let rules = PROTOCOL_RULES.iter().chain(RULES.iter().skip(PROTOCOL_RULES.len()));
    rules.map(|rule| describe(rule, &["concurrency", "deadlock"])).collect()
}

/// All that is told about invariants.
pub fn of_invariants() -> Vec<Value> {
    let [violated, unknown, not_inductive] = &INVARIANT_RULES;
    let rules = [violated, unknown].into_iter().chain(RULES.iter().skip(2)).chain([not_inductive]);
    rules.map(|rule| describe(rule, &["concurrency", "invariants"])).collect()
}

fn describe(rule: &Rule, tags: &[&str]) -> Value {
    let mut object = json!({
        "id": rule.id,
        "name": rule.name,
        "shortDescription": { "text": rule.short },
        "fullDescription": { "text": rule.full },
        "help": { "text": rule.help },
        "defaultConfiguration": { "level": rule.level },
        "properties": { "tags": tags },
    });
    // An address has to be absolute, so there is one only if the project has a home.
    if !HOME.is_empty() {
        object["helpUri"] = json!(format!("{HOME}/blob/main/docs/reports.md#sarif"));
    }
    object
}

/// Where the project lives.
const HOME: &str = env!("CARGO_PKG_REPOSITORY");

/// The place of a rule among all.
pub fn index(id: &str) -> usize {
    let place = RULES.iter().position(|rule| rule.id == id);
    // What comes behind all others is told about invariants alone.
    place.unwrap_or(if id == "not-inductive" { RULES.len() } else { 0 })
}
