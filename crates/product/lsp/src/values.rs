//! The values that variables can take, for hovering.
//!
//! Of a program with few states all of them are looked at; otherwise its rules bound the values of
//! its globals, if they have an end at all. There are no others; some of these may occur in no run.

use ser_base::Limits;
use ser_model::{Action, ProgramModel, program_rules};
use ser_syntax::Span;
use ser_syntax::core::Program;
use std::collections::{BTreeMap, BTreeSet};

/// So many steps are looked at for what they assign to local variables.
const MAX_STEPS: usize = 3000;

/// So many values are listed.
const SHOWN: usize = 12;

/// Values of variables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Values {
    /// Of globals, by name.
    pub globals: BTreeMap<String, BTreeSet<i64>>,
    /// Of locals, by the handler's name and their own. They start at 0.
    pub locals: BTreeMap<(String, String), BTreeSet<i64>>,
}

impl Values {
    /// The values in a program without errors, as far as they are found within the limits.
    pub fn of(program: &Program, text: &str, limits: &Limits) -> Values {
        match ProgramModel::small(program, text, limits) {
            Some(model) => Values::explored(program, &model, limits),
            None => Values::bounded(program, text, limits),
        }
    }

    fn explored(program: &Program, model: &ProgramModel, limits: &Limits) -> Values {
        let system = model.system();
        let mut values = Values::default();
        for (i, variable) in system.variables().iter().enumerate() {
            let all = system.globals().filter_map(|g| system.valuation(g).get(i).copied());
            values.globals.insert(variable.name.clone(), all.collect());
        }
        if system.steps().len() > MAX_STEPS {
            return values;
        }
        for step in system.steps() {
            if limits.check_clock().is_err() {
                values.locals.clear();
                return values;
            }
            for event in model.step_events(step) {
                if let Action::WriteLocal(name, value) = event.action
                    && let Some(handler) = handler_at(program, event.span)
                {
                    let key = (handler.to_owned(), name);
                    values.locals.entry(key).or_insert_with(|| [0].into()).insert(value);
                }
            }
        }
        values
    }

    fn bounded(program: &Program, text: &str, limits: &Limits) -> Values {
        let mut values = Values::default();
        let Ok(rules) = program_rules(program, text, limits) else { return values };
        if rules.is_partial() {
            return values;
        }
        for (variable, list) in rules.frame().variables().iter().zip(rules.values()) {
            values.globals.insert(variable.name.clone(), list.iter().copied().collect());
        }
        values
    }
}

fn handler_at(program: &Program, span: Span) -> Option<&str> {
    let inside = |outer: Span| outer.start <= span.start && span.end <= outer.end;
    program.requests.iter().find(|r| inside(r.span)).map(|r| r.name.text.as_str())
}

impl Values {
    /// Those of a global with all its parts: what stands behind its name (`.paid`, without
    /// indices), and the values of that.
    pub fn parts(&self, name: &str) -> BTreeMap<String, BTreeSet<i64>> {
        let mut parts: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
        for (part, values) in &self.globals {
            let Some(rest) = part.strip_prefix(name) else { continue };
            if rest.is_empty() || rest.starts_with(['[', '.']) {
                parts.entry(without_indices(rest)).or_default().extend(values);
            }
        }
        parts
    }
}

fn without_indices(path: &str) -> String {
    let pieces = path.split('[').enumerate().map(|(at, piece)| match at {
        0 => piece,
        _ => piece.split_once(']').map_or("", |(_, rest)| rest),
    });
    pieces.collect()
}

/// `0, 1, 2`, or the names that the values have; long lists are cut, and numbers in a row become
/// ranges.
pub fn in_words(values: &BTreeSet<i64>, name: &dyn Fn(i64) -> Option<String>) -> String {
    if let Some(names) = values.iter().map(|value| name(*value)).collect::<Option<Vec<String>>>() {
        let mut shown: Vec<String> = names.iter().take(SHOWN).cloned().collect();
        if names.len() > SHOWN {
            shown.push(format!("... ({} values)", names.len()));
        }
        return shown.join(", ");
    }
    let mut runs: Vec<(i64, i64)> = Vec::new();
    for value in values {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(*value) => *last = *value,
            _ => runs.push((*value, *value)),
        }
    }
    let mut words: Vec<String> = Vec::new();
    for (first, last) in runs.iter().take(SHOWN) {
        match last.abs_diff(*first) {
            0 => words.push(first.to_string()),
            1 => words.extend([first.to_string(), last.to_string()]),
            _ => words.push(format!("{first}..{last}")),
        }
    }
    if runs.len() > SHOWN {
        words.push(format!("... ({} values)", values.len()));
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Values {
        Values::of(&ser_syntax::parse(text).program, text, &Limits::default())
    }

    #[test]
    fn values_of_a_small_program_are_looked_at() {
        let values = values("request main { x := X; yield; if (x < 2) { X := x + 1 }; x }");
        assert_eq!(values.globals["X"], [0, 1, 2].into());
        assert_eq!(values.locals[&("main".to_owned(), "x".to_owned())], [0, 1, 2].into());
    }

    #[test]
    fn values_of_a_large_program_are_bounded() {
        let cells: Vec<String> =
            (0..40).map(|i| format!("request r{i} {{ X{i} := 1; yield; X{i} := 0 }}")).collect();
        let values = values(&cells.join("\n"));
        assert_eq!(values.globals["X7"], [0, 1].into());
    }

    #[test]
    fn numbers_in_a_row_are_ranges() {
        let number = |_| None;
        assert_eq!(in_words(&[0, 1, 2, 3, 7, 9, 10].into(), &number), "0..3, 7, 9, 10");
        let even = (0..40).map(|n| 2 * n).collect();
        assert_eq!(in_words(&even, &number).matches(", ").count(), 12);
        let named =
            |value: i64| Some(["free", "held"].get(usize::try_from(value).ok()?)?.to_string());
        assert_eq!(in_words(&[0, 1].into(), &named), "free, held");
    }

    #[test]
    fn values_of_parts_are_put_together() {
        let values = values(
            "record Order { paid: bool, amount: 0..3 } var All: [0..1] of Order
            request pay(i in 0..1) { All[i].amount := 2; All[i].paid := true; All[0].amount }",
        );
        let parts = values.parts("All");
        assert_eq!(parts.keys().collect::<Vec<_>>(), [".amount", ".paid"]);
        assert_eq!(parts[".amount"], [0, 2].into());
    }
}
