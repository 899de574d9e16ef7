//! A source with everything that a certificate may be about, and the truth as far as it is known.

use super::order;
use crate::{Findings, brute_force};
use ser_base::Limits;
use ser_model::{
    ExploreError, NetworkSystem, ProgramModel, RuleSystem, RunBound, opaque_rules, program_rules,
    read_json,
};
use ser_serializability_checker::{
    Accepted, Certificate, Counterexample, Rejection, Scope, Slice, sliced,
};
use ser_syntax::core::Program;
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

/// The most requests of brute force.
const REQUESTS: usize = 3;

/// The most states of brute force.
const STATES: usize = 20_000;

/// A source.
#[derive(Debug)]
pub struct Subject {
    /// A program or a network system as JSON.
    pub text: String,
    /// What it means.
    pub whole: NetworkSystem,
    /// Without global states, if it is a program that has rules.
    pub rules: Option<RuleSystem>,
    /// What brute force says.
    pub oracle: Findings,
    parts: RefCell<BTreeMap<PartKey, Option<Rc<NetworkSystem>>>>,
    keeps_order: OnceCell<Option<bool>>,
}

/// Labels, requests, preemptions.
type PartKey = (BTreeSet<String>, u32, Option<u32>);

/// What the front end and the checker may cost here.
fn limits() -> Limits {
    Limits { max_states: 3_000, ..Limits::default() }.with_timeout(Duration::from_secs(20))
}

impl Subject {
    /// A subject; nothing if the source has errors or too many states.
    pub fn new(text: &str) -> Option<Subject> {
        let (whole, rules) = if text.trim_start().starts_with('{') {
            (read_json(text).ok()?, None)
        } else {
            let parse = ser_syntax::parse(text);
            if parse.has_errors() {
                return None;
            }
            let model = ProgramModel::new(&parse.program, text, &limits()).ok()?;
            (model.system().clone(), program_rules(&parse.program, text, &limits()).ok())
        };
        let oracle = brute_force(&whole, REQUESTS, STATES);
        let parts = RefCell::default();
        Some(Subject {
            text: text.to_owned(),
            whole,
            rules,
            oracle,
            parts,
            keeps_order: OnceCell::new(),
        })
    }

    /// Whether brute force has found an outcome that is not serial.
    pub fn is_broken(&self) -> bool {
        matches!(self.oracle, Findings::Broken { .. })
    }

    /// A part of the program.
    pub fn part(
        &self,
        labels: &BTreeSet<String>,
        bound: RunBound,
        limits: &Limits,
    ) -> Result<ProgramModel, ExploreError> {
        let program = ser_syntax::parse(&self.text).program;
        ProgramModel::part(&program, &self.text, labels, bound, limits)
    }

    /// The network system that a certificate is about; nothing if that is its rules.
    pub fn system_for(&self, scope: &Scope) -> Option<Rc<NetworkSystem>> {
        let Scope::Part(labels, bound) = scope else { return None };
        let key = (labels.clone(), bound.requests, bound.preemptions);
        let mut parts = self.parts.borrow_mut();
        if parts.len() > 200 {
            parts.clear();
        }
        let system = parts.entry(key).or_insert_with(|| {
            // A network system has no parts.
            self.rules.as_ref()?;
            let part = self.part(labels, *bound, &limits()).ok()?;
            Some(Rc::new(part.system().clone()))
        });
        system.clone()
    }

    /// The rules of the program where these variables are opaque.
    pub fn rules_where(&self, opaque: &BTreeSet<String>) -> Option<Cow<'_, RuleSystem>> {
        let plain = self.rules.as_ref()?;
        if opaque.is_empty() {
            return Some(Cow::Borrowed(plain));
        }
        let program = ser_syntax::parse(&self.text).program;
        opaque_rules(&program, &self.text, opaque, &limits()).ok().map(Cow::Owned)
    }

    /// A slice of the program, and its states.
    pub fn slice(&self, slice: &Slice) -> Option<(Program, ProgramModel)> {
        self.rules.as_ref()?;
        let program = ser_syntax::parse(&self.text).program;
        let program = sliced(&program, slice).ok()?;
        let model = ProgramModel::new(&program, &self.text, &limits()).ok()?;
        Some((program, model))
    }

    /// Whether all complete runs of few requests have a serial run that keeps real-time order;
    /// nothing if there are too many to tell.
    pub fn keeps_order(&self) -> Option<bool> {
        *self.keeps_order.get_or_init(|| order::keeps_order(&self.whole, REQUESTS))
    }

    /// That brute force does not contradict a counterexample.
    pub fn knows_of(&self, run: &Counterexample) -> Result<(), String> {
        let requests = run.outcome.iter().map(|entry| entry.count).sum::<u64>();
        match &self.oracle {
            Findings::Unbroken { requests: all } if requests <= *all as u64 => {
                Err(format!("nothing is broken with {requests} requests"))
            }
            _ => Ok(()),
        }
    }

    /// Shows a certificate to the checker; nothing if the front end has nothing to show it with.
    pub fn present(&self, cert: &Certificate) -> Option<Result<Accepted, Rejection>> {
        let (source, limits) = (self.text.as_bytes(), limits());
        match cert.scope() {
            Scope::Whole => {
                Some(ser_serializability_checker::check(cert, source, &self.whole, &limits))
            }
            Scope::Rules(opaque) => {
                let rules = self.rules_where(&opaque)?;
                Some(ser_serializability_checker::check_rules(cert, source, &rules, &limits))
            }
            Scope::Text => {
                self.rules.as_ref()?;
                let program = ser_syntax::parse(&self.text).program;
                Some(ser_serializability_checker::check_text(cert, source, &program, &limits))
            }
            Scope::Along(outline) => {
                self.rules.as_ref()?;
                let program = ser_syntax::parse(&self.text).program;
                let (part, _) =
                    ProgramModel::along(&program, &self.text, &outline, &limits).ok()?;
                let system = part.system();
                Some(ser_serializability_checker::check(cert, source, system, &limits))
            }
            scope @ Scope::Part(..) => {
                let system = self.system_for(&scope)?;
                Some(ser_serializability_checker::check(cert, source, &system, &limits))
            }
        }
    }
}
