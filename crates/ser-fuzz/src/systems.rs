//! Random network systems, with everything that programs never do: local states that both respond
//! and step on, responses without a step, several initial local states for one request, local
//! states shared by requests.

use crate::Random;
use ser_model::{NetworkSystem, SystemBuilder};

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
    }
    builder.finish()
}
