//! Fresh names.

use ser_syntax::inv::{FIELDS, FUNCTIONS, KEYWORDS};
use std::collections::BTreeSet;

/// The names that are taken.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// The name itself if it is free and not reserved, and otherwise one like
    /// it.
    pub fn fresh(&mut self, wanted: &str) -> String {
        self.fresh_where(wanted, |_| true)
    }

    /// The same for a function. In front of `(`, words of other languages are taken for what they
    /// mean there: `call(x)`.
    pub fn fresh_function(&mut self, wanted: &str) -> String {
        self.fresh_where(wanted, |name| {
            let calls =
                format!("set S_ process p_ for s_ in S_ {{ {name}(); }} fn {name}() {{ skip; }}");
            !ser_syntax::inv::parse(&calls).has_errors()
        })
    }

    fn fresh_where(&mut self, wanted: &str, fits: impl Fn(&str) -> bool) -> String {
        let words = [&KEYWORDS[..], &FUNCTIONS[..], &FIELDS[..]];
        let is_word = |name: &str| {
            matches!(name, "_" | "thread" | "self" | "Threads")
                || words.iter().any(|it| it.contains(&name))
        };
        let mut name = wanted.to_owned();
        let mut number = 2;
        while is_word(&name) || self.taken.contains(&name) || !fits(&name) {
            name = format!("{wanted}_{number}");
            number += 1;
        }
        self.taken.insert(name.clone());
        name
    }
}
