//! Random choices of opaque variables.

use crate::Random;
use ser_base::Limits;
use ser_model::{Code, RuleSystem, opaque_rules};
use ser_syntax::core::Program;
use std::collections::BTreeSet;

/// The rules of a program where some random variables are opaque, at least one; nothing if none was
/// chosen, or if the rules are too many.
///
/// ```
/// let text = "request main(n in 1..9) { X := X + n; yield; n }";
/// let program = ser_syntax::parse(text).program;
/// let random = &mut ser_fuzz::Random::new(1);
/// let mut choices = (0..20).filter_map(|_| ser_fuzz::some_opaque(&program, text, random));
/// assert!(choices.any(|rules| rules.opaque().contains("main.n")));
/// ```
pub fn some_opaque(program: &Program, text: &str, random: &mut Random) -> Option<RuleSystem> {
    let limits = Limits { max_states: 5_000, ..Limits::default() };
    let code = Code::new(program);
    let mut names = code.globals;
    for handler in code.handlers {
        let parameters = handler.slots.iter().take(handler.parameters.len());
        names.extend(parameters.map(|name| format!("{}.{name}", handler.name)));
    }
    let percent = *random.pick(&[20, 50, 80]);
    let mut chosen = BTreeSet::new();
    for name in names {
        // Where nobody sees who holds a lock, little can be proved.
        let percent = if name.starts_with('L') { percent / 5 } else { percent };
        if random.chance(percent) {
            chosen.insert(name);
        }
    }
    let rules = opaque_rules(program, text, &chosen, &limits).ok()?;
    (!rules.opaque().is_empty()).then_some(rules)
}
