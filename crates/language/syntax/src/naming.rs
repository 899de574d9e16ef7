//! What names stand for, for languages whose names are declared.

use crate::Occurrence;
use crate::ast::Name;
use crate::report::{Messages as _, Report, Reported, error};
use ser_base::{Diagnostic, Sink, Span};
use std::collections::HashMap;
use std::fmt::Display;

/// What a file declares at top level, and where names stand.
pub(crate) struct Naming<'f, 's, T, S> {
    pub(crate) sink: &'s mut Sink,
    pub(crate) things: HashMap<&'f str, (T, Span)>,
    pub(crate) occurrences: Vec<Occurrence<S>>,
}

impl<T, S> Report for Naming<'_, '_, T, S> {
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.sink.report(diagnostic)
    }
}

impl<'f, 's, T: Copy, S> Naming<'f, 's, T, S> {
    pub(crate) fn new(sink: &'s mut Sink) -> Naming<'f, 's, T, S> {
        Naming { sink, things: HashMap::new(), occurrences: Vec::new() }
    }

    /// A name stands here for `symbol`.
    pub(crate) fn occurs(&mut self, span: Span, symbol: S, defines: bool) {
        self.occurrences.push(Occurrence { span, symbol, defines });
    }

    /// What a name stands for, and where it is declared.
    pub(crate) fn thing(&self, name: &str) -> Option<(T, Span)> {
        self.things.get(name).copied()
    }

    pub(crate) fn declare_thing(&mut self, name: &'f Name, thing: T) {
        match self.thing(&name.text) {
            None => {
                self.things.insert(&name.text, (thing, name.span));
            }
            Some((_, first)) => self.name_clash(name, first),
        }
    }

    pub(crate) fn name_clash(&mut self, name: &Name, first: Span) {
        let message = format!("the name `{}` is taken", name.text);
        error("name-clash", message, name.span, "used again here")
            .with_secondary(first, "first used here")
            .with_help("choose another name")
            .report(self);
    }

    /// The names of some things, in no order.
    pub(crate) fn names_of(&self, fits: impl Fn(T) -> bool) -> impl Iterator<Item = &'f str> {
        self.things.iter().filter(move |(_, (thing, _))| fits(*thing)).map(|(name, _)| *name)
    }

    /// The message about a name that stands for nothing; one of `known` was probably meant.
    pub(crate) fn unknown<'a>(
        &self,
        code: &'static str,
        what: impl Display,
        name: &Name,
        known: impl Iterator<Item = &'a str>,
        help: &str,
    ) -> Diagnostic {
        let diagnostic = error(code, format!("there is no {what}"), name.span, "not known here");
        // Whoever sees no more messages needs no help.
        let mut known: Vec<&str> = if self.sink.is_full() { Vec::new() } else { known.collect() };
        known.sort_unstable();
        match self.sink.closest(&name.text, known.into_iter()) {
            Some(right) => diagnostic.meant(right),
            None => diagnostic.with_help(help),
        }
    }
}

/// Makes a resolver, which has a field `naming`, one that knows names.
macro_rules! knows_names {
    ($thing:ty, $symbol:ty) => {
        impl<'f, 's> std::ops::Deref for Resolver<'f, 's> {
            type Target = crate::naming::Naming<'f, 's, $thing, $symbol>;

            fn deref(&self) -> &Self::Target {
                &self.naming
            }
        }

        impl std::ops::DerefMut for Resolver<'_, '_> {
            fn deref_mut(&mut self) -> &mut Self::Target {
                &mut self.naming
            }
        }

        impl crate::report::Report for Resolver<'_, '_> {
            fn report(&mut self, diagnostic: ser_base::Diagnostic) -> crate::report::Reported {
                self.naming.report(diagnostic)
            }
        }
    };
}

pub(crate) use knows_names;
