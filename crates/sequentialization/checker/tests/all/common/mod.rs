//! Derivations and certificates written by hand.

#![allow(dead_code, unused_macros)]

pub mod known;

use ser_base::Limits;
use ser_sequentialization_checker::{
    Advance, Bag, Cell, Certificate, Claim, Leave, Loop, Outcome, Rejection, Slot, Step, Symbol,
    replay,
};
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::StmtKind;

/// One steps after the other.
#[macro_export]
macro_rules! seq {
    ($($part:expr),* $(,)?) => { [$($part),*].concat() };
}

pub fn protocol(text: &str) -> Protocol {
    let parse = ser_syntax::icet::parse(text);
    assert!(!parse.has_errors(), "{:#?}", parse.diagnostics);
    parse.protocol
}

pub fn p(process: u32) -> Slot {
    Slot::Process(process)
}

pub fn m(symbol: u32) -> Slot {
    Slot::Member(Symbol(symbol))
}

/// Several steps of one slot.
pub fn run(slot: Slot, times: usize) -> Vec<Step> {
    vec![Step::Run(slot); times]
}

pub fn take(slot: Slot, from: u32) -> Vec<Step> {
    vec![Step::Take { slot, from: Symbol(from) }]
}

pub fn draw(slot: Slot, bag: u32) -> Vec<Step> {
    vec![Step::Draw { slot, bag: Bag(bag) }]
}

pub fn pick(slot: Slot, symbol: u32) -> Vec<Step> {
    vec![Step::Pick { slot, symbol: Symbol(symbol) }]
}

pub fn fork(slot: Slot, arms: Vec<Vec<Step>>) -> Vec<Step> {
    vec![Step::Fork { slot, arms }]
}

/// By its name.
pub fn unfold(set: u32, symbol: u32) -> Vec<Step> {
    vec![Step::Unfold { set, symbol: Symbol(symbol), sender_to: None }]
}

/// As the sender of the next message.
pub fn sender(set: u32, symbol: u32, to: Slot) -> Vec<Step> {
    vec![Step::Unfold { set, symbol: Symbol(symbol), sender_to: Some(to) }]
}

pub fn fold(symbol: u32) -> Vec<Step> {
    vec![Step::Fold(Symbol(symbol))]
}

/// A loop of one slot.
pub fn each_of(
    slot: Slot,
    symbol: u32,
    advance: Advance,
    havoc: Vec<(Cell, u32)>,
    steps: Vec<Step>,
) -> Loop {
    let (slots, symbols) = (vec![slot], vec![Symbol(symbol)]);
    Loop { slots, symbols, advance, havoc, draws: Vec::new(), leaves: Vec::new(), steps }
}

pub fn named(slot: Slot, symbol: u32, havoc: Vec<(Cell, u32)>, steps: Vec<Step>) -> Vec<Step> {
    vec![Step::Loop(each_of(slot, symbol, Advance::Named, havoc, steps))]
}

pub fn by_sender(
    slot: Slot,
    symbol: u32,
    sender: u32,
    havoc: Vec<(Cell, u32)>,
    steps: Vec<Step>,
) -> Vec<Step> {
    vec![Step::Loop(each_of(slot, symbol, Advance::Sender(Symbol(sender)), havoc, steps))]
}

pub fn nobody(slot: Slot, symbol: u32, havoc: Vec<(Cell, u32)>, steps: Vec<Step>) -> Vec<Step> {
    vec![Step::Loop(each_of(slot, symbol, Advance::Nobody, havoc, steps))]
}

pub fn leave(bag: u32, from: Slot, to: u32, message: u32) -> Leave {
    Leave { bag: Bag(bag), from, to, message }
}

pub fn turns(set: u32, symbol: u32, havoc: Vec<(Cell, u32)>, steps: Vec<Step>) -> Vec<Step> {
    vec![Step::Each { set, symbol: Symbol(symbol), havoc, steps }]
}

/// All variables of a single process may change.
pub fn all_of(protocol: &Protocol, process: u32) -> Vec<(Cell, u32)> {
    let it = &protocol.processes[process as usize];
    let cell = match it.set {
        Some(set) => Cell::Set(set.0),
        None => Cell::Process(process),
    };
    (0..it.variables.len() as u32).map(|variable| (cell, variable)).collect()
}

pub fn certificate(source: &str, derivation: Vec<Step>, unproved: Vec<u32>) -> Certificate {
    let claim = Claim::Sequentialized { derivation, unproved };
    Certificate { source: source.to_owned(), claim }
}

/// The numbers of all assertions.
pub fn assertions(protocol: &Protocol) -> Vec<u32> {
    let mut found = Vec::new();
    for statement in protocol.processes.iter().flat_map(|it| &it.body) {
        statement.walk(&mut |it| {
            if matches!(it.kind, StmtKind::Assert { .. } | StmtKind::Fail) {
                found.push(it.id.0);
            }
        });
    }
    found
}

#[track_caller]
pub fn accepted(protocol: &Protocol, steps: &[Step]) -> Outcome {
    match replay(protocol, steps, &Limits::default()) {
        Ok(outcome) => outcome,
        Err(rejection) => panic!("rejected: {rejection}"),
    }
}

#[track_caller]
pub fn rejected(protocol: &Protocol, steps: &[Step], because: &str) -> Rejection {
    match replay(protocol, steps, &Limits::default()) {
        Ok(_) => panic!("accepted, but {because}"),
        Err(rejection) => {
            let text = rejection.to_string();
            assert!(text.contains(because), "{text}\nis not about: {because}");
            rejection
        }
    }
}
