//! Random network systems, with everything that programs never do: local states that both respond
//! and step on, responses without a step, several initial local states for one request, local
//! states shared by requests.

use crate::Random;
use ser_base::Limits;
use ser_model::{NetworkSystem, ProgramModel, SystemBuilder, read_json, write_json};
use serde_json::Value;

/// A random network system.
pub fn system(random: &mut Random) -> NetworkSystem {
    let globals = random.between(2, 3);
    let locals = random.between(2, 5);
    let requests = random.between(1, 3);
    let mut builder = SystemBuilder::with_state_names("G0");
    let globals: Vec<_> = (0..globals).map(|g| builder.named_global(&format!("G{g}"))).collect();
    let locals: Vec<_> = (0..locals).map(|l| builder.local(&format!("L{l}"))).collect();
    for request in 0..requests {
        let name = format!("r{request}");
        builder.spawn(&name, *random.pick(&locals));
        if random.chance(20) {
            builder.spawn(&name, *random.pick(&locals));
        }
    }
    let steps = random.between(2, globals.len() * locals.len() * 2);
    for _ in 0..steps {
        let (from, to) = (*random.pick(&locals), *random.pick(&locals));
        let (before, after) = (*random.pick(&globals), *random.pick(&globals));
        builder.named_step(from, before, to, after);
    }
    let replies = random.between(1, 3);
    for _ in 0..replies {
        let response = format!("{}", random.below(3));
        builder.reply(*random.pick(&locals), &response);
        if random.chance(15) {
            builder.uncounted(&response);
        }
    }
    builder.finish()
}

/// The network system of a random program, with a few transitions, requests or responses changed:
/// close to what handlers do, and yet nothing that a program could be.
pub fn edited(random: &mut Random) -> Option<NetworkSystem> {
    let text = if random.chance(50) { super::program(random) } else { super::locking(random) };
    let program = ser_syntax::parse(&text).program;
    let limits = Limits { max_states: 300, ..Limits::default() };
    let model = ProgramModel::new(&program, &text, &limits).ok()?;
    let mut json = write_json(model.system());
    for _ in 0..random.between(1, 4) {
        let key =
            *random.pick(&["transitions", "transitions", "transitions", "requests", "responses"]);
        let list = json.get_mut(key)?.as_array_mut()?;
        if list.is_empty() {
            continue;
        }
        let (at, other) = (random.below(list.len()), random.below(list.len()));
        match random.below(4) {
            0 if list.len() > 1 => drop(list.remove(at)),
            0 | 1 => {
                // One entry gets a part of another one.
                let part = random.below(list[at].as_array()?.len());
                list[at][part] = list[other][part].clone();
            }
            _ => {
                let mut more = list[at].clone();
                let part = random.below(more.as_array()?.len());
                more[part] = list[other][part].clone();
                list.push(more);
            }
        }
    }
    // Lists of all states are not needed, and would be wrong where a state is not mentioned any
    // more.
    let object = json.as_object_mut()?;
    object.retain(|key, _| {
        ["initial_global", "requests", "responses", "transitions"].contains(&key.as_str())
    });
    // Some responses do not count.
    let pairs = object["responses"].as_array()?;
    let mut given: Vec<Value> = pairs.iter().filter_map(|pair| pair.get(1).cloned()).collect();
    given.sort_by_key(Value::to_string);
    given.dedup();
    given.retain(|response| random.chance(if response == "abort" { 90 } else { 10 }));
    object.insert("uncounted".to_owned(), Value::Array(given));
    read_json(&json.to_string()).ok()
}
