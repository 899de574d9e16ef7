//! From the names in a certificate to the states of the network system, and back for messages.
//!
//! Nothing rests on names being unique: whatever a name resolves to is a state of the system,
//! and the rules are checked on that state.

use crate::format::LetterName;
use crate::net::{Effect, Transition};
use crate::reject::At;
use crate::rules;
use crate::{Reason, Rejection};
use rustc_hash::FxHashMap;
use ser_model::{GlobalId, LocalId, NetworkSystem, RequestId, ResponseId, VariableId};

/// A request with its response: what an outcome is a multiset of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Letter {
    pub(crate) request: RequestId,
    pub(crate) response: ResponseId,
}

/// A request in flight in a local state: what the net counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Place {
    pub(crate) request: RequestId,
    pub(crate) local: LocalId,
    /// How its requests end, after a prophecy.
    pub(crate) foresight: Option<Foresight>,
}

/// What is known of requests in a place because of how they end: see `prophecy`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Foresight {
    pub(crate) response: ResponseId,
    pub(crate) committed: bool,
}

/// How foresight is written behind a local state: `l1 -> ok`, or `l1 => ok` once committed.
const SIGNS: [(&str, bool); 2] = [(" -> ", false), (" => ", true)];

/// The names of a network system.
pub(crate) struct Names<'a> {
    system: &'a NetworkSystem,
    globals: FxHashMap<String, GlobalId>,
    locals: FxHashMap<&'a str, LocalId>,
    requests: FxHashMap<&'a str, RequestId>,
    responses: FxHashMap<&'a str, ResponseId>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(system: &'a NetworkSystem) -> Names<'a> {
        let strings = |list: &'a [String]| list.iter().map(String::as_str).enumerate();
        let locals = (0..system.local_count()).map(LocalId::from_index);
        Names {
            system,
            globals: system.globals().map(|g| (system.global_name(g), g)).collect(),
            locals: locals.map(|l| (system.local_name(l), l)).collect(),
            requests: strings(system.requests())
                .map(|(i, name)| (name, RequestId::from_index(i)))
                .collect(),
            responses: strings(system.responses())
                .map(|(i, name)| (name, ResponseId::from_index(i)))
                .collect(),
        }
    }

    pub(crate) fn system(&self) -> &'a NetworkSystem {
        self.system
    }

    pub(crate) fn global(&self, name: &str) -> Result<GlobalId, Reason> {
        find(&self.globals, "global state", name)
    }

    pub(crate) fn local(&self, name: &str) -> Result<LocalId, Reason> {
        find(&self.locals, "local state", name)
    }

    pub(crate) fn request(&self, name: &str) -> Result<RequestId, Reason> {
        find(&self.requests, "request", name)
    }

    pub(crate) fn response(&self, name: &str) -> Result<ResponseId, Reason> {
        find(&self.responses, "response", name)
    }

    pub(crate) fn variable(&self, name: &str) -> Result<VariableId, Reason> {
        let found = self.system.variables().iter().position(|v| v.name == name);
        let unknown = || Reason::Unknown { kind: "variable", name: name.to_owned() };
        found.map(VariableId::from_index).ok_or_else(unknown)
    }

    pub(crate) fn letter(&self, request: &str, response: &str) -> Result<Letter, Reason> {
        Ok(Letter { request: self.request(request)?, response: self.response(response)? })
    }

    /// Letters, sorted.
    pub(crate) fn letters(&self, list: &[LetterName], at: &str) -> Result<Vec<Letter>, Rejection> {
        let mut letters = Vec::new();
        for (i, LetterName(request, response)) in list.iter().enumerate() {
            letters.push(self.letter(request, response).at(|| format!("{at}[{i}]"))?);
        }
        letters.sort_unstable();
        Ok(letters)
    }

    pub(crate) fn place(&self, request: &str, local: &str) -> Result<Place, Reason> {
        let request = self.request(request)?;
        let unknown = match self.local(local) {
            Ok(local) => return Ok(Place { request, local, foresight: None }),
            Err(unknown) => unknown,
        };
        let split = SIGNS.into_iter().find_map(|(sign, committed)| {
            let (local, response) = local.rsplit_once(sign)?;
            let (local, response) = (self.local(local).ok()?, self.response(response).ok()?);
            Some(Place { request, local, foresight: Some(Foresight { response, committed }) })
        });
        split.ok_or(unknown)
    }

    /// The local state, with what is foreseen.
    pub(crate) fn show_local(&self, place: Place) -> String {
        let local = self.system.local_name(place.local);
        let Some(Foresight { response, committed }) = place.foresight else {
            return local.to_owned();
        };
        let sign = if committed { " => " } else { " -> " };
        format!("{local}{sign}{}", self.system.response_name(response))
    }

    /// `main/0`.
    pub(crate) fn show_letter(&self, letter: Letter) -> String {
        let request = self.system.request_name(letter.request);
        format!("{request}/{}", self.system.response_name(letter.response))
    }

    /// `main@l1`.
    pub(crate) fn show_place(&self, place: Place) -> String {
        let request = self.system.request_name(place.request);
        let local = self.show_local(place);
        // Local states of programs carry the name of their handler already.
        match local.strip_prefix(request) {
            Some(rest) if rest.starts_with('@') => local,
            _ => format!("{request}@{local}"),
        }
    }

    /// `X=0 + main@l1 -> X=1 + main/0`.
    pub(crate) fn show_transition(&self, t: &Transition) -> String {
        let (before, after) = (self.system.global_name(t.before), self.system.global_name(t.after));
        let take = t.take.map_or(String::new(), |p| {
            let place = self.show_place(p);
            format!(" + {place}")
        });
        let effect = match t.effect {
            Effect::Place(p) => self.show_place(p),
            Effect::Outcome(l) => self.show_letter(l),
        };
        format!("{before}{take} -> {after} + {effect}")
    }
}

impl Names<'_> {
    /// `main@l1 (X=0) -> main/0 (X:=1)`.
    pub(crate) fn show_rule(&self, t: &rules::Transition) -> String {
        let values = |list: &rules::Values, sign: &str| {
            let shown = |(v, x): (&VariableId, &i64)| {
                let name = &self.system.variables()[v.index()].name;
                format!("{name}{sign}{}", self.system.value_name(*v, *x))
            };
            let shown: Vec<String> = list.iter().map(shown).collect();
            if shown.is_empty() { String::new() } else { format!(" ({})", shown.join(", ")) }
        };
        let take = t.take.map_or("arrival".into(), |p| self.show_place(p));
        let effect = match t.effect {
            Effect::Place(p) => self.show_place(p),
            Effect::Outcome(l) => self.show_letter(l),
        };
        format!("{take}{} -> {effect}{}", values(&t.reads, "="), values(&t.writes, ":="))
    }
}

fn find<K, V>(table: &FxHashMap<K, V>, kind: &'static str, name: &str) -> Result<V, Reason>
where
    K: std::borrow::Borrow<str> + std::hash::Hash + Eq,
    V: Copy,
{
    table.get(name).copied().ok_or_else(|| Reason::Unknown { kind, name: name.to_owned() })
}
