//! A network system as it stands in a JSON file: section 10 of `docs/language.md`, read a second
//! time.

use crate::network::{Network, TooMuch};
use crate::program::Numbered;
use rustc_hash::FxHashMap;
use serde_json::Value;
use thiserror::Error;

/// Why a text is no network system. A reader for tests: it says no more than that.
#[derive(Debug, Error)]
pub enum SystemError {
    /// No JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// JSON of another shape.
    #[error("not a network system: {0}")]
    Shape(&'static str),
}

/// A network system.
pub struct SystemNetwork {
    requests: Numbered<String>,
    responses: Numbered<String>,
    req: Vec<(usize, usize)>,
    g0: usize,
    resp: FxHashMap<usize, Vec<usize>>,
    uncounted: Vec<usize>,
    delta: FxHashMap<(usize, usize), Vec<(usize, usize)>>,
}

impl SystemNetwork {
    /// Reads a network system.
    ///
    /// ```
    /// use ser_oracle::{Network, SystemNetwork};
    /// let text = r#"{ "initial_global": "Free", "requests": [["take", "Start"]],
    ///     "responses": [["Done", "ok"]], "transitions": [["Start", "Free", "Done", "Busy"]] }"#;
    /// let mut system = SystemNetwork::read(text).unwrap();
    /// let (_, start) = system.req()[0];
    /// let free = system.g0();
    /// let steps = system.delta(start, free).unwrap();
    /// assert_eq!(steps.len(), 1);
    /// assert_eq!(system.resp(steps[0].0).len(), 1);
    /// ```
    pub fn read(text: &str) -> Result<SystemNetwork, SystemError> {
        let json: Value = serde_json::from_str(text)?;
        let (mut locals, mut globals) = (Numbered::default(), Numbered::default());
        let initial = json["initial_global"].as_str();
        let initial = initial.ok_or(SystemError::Shape("the initial global state"))?;
        let mut system = SystemNetwork {
            requests: Numbered::default(),
            responses: Numbered::default(),
            req: Vec::new(),
            g0: globals.number(initial.to_owned()),
            resp: FxHashMap::default(),
            uncounted: Vec::new(),
            delta: FxHashMap::default(),
        };
        for [label, local] in tuples(&json["requests"])? {
            let spawn = (system.requests.number(label), locals.number(local));
            if !system.req.contains(&spawn) {
                system.req.push(spawn);
            }
        }
        for [local, label] in tuples(&json["responses"])? {
            let responses = system.resp.entry(locals.number(local)).or_default();
            responses.push(system.responses.number(label));
        }
        for name in json["uncounted"].as_array().into_iter().flatten() {
            let name = name.as_str().ok_or(SystemError::Shape("a response"))?;
            system.uncounted.push(system.responses.number(name.to_owned()));
        }
        for [from, before, to, after] in tuples(&json["transitions"])? {
            let from = (locals.number(from), globals.number(before));
            let to = (locals.number(to), globals.number(after));
            system.delta.entry(from).or_default().push(to);
        }
        Ok(system)
    }
}

fn tuples<const N: usize>(list: &Value) -> Result<Vec<[String; N]>, SystemError> {
    let list = list.as_array().ok_or(SystemError::Shape("a list"))?;
    let tuple = |entry: &Value| {
        let texts = entry.as_array()?.iter().map(|v| v.as_str().map(str::to_owned));
        <[String; N]>::try_from(texts.collect::<Option<Vec<String>>>()?).ok()
    };
    let all: Option<Vec<[String; N]>> = list.iter().map(tuple).collect();
    all.ok_or(SystemError::Shape("an entry"))
}

impl Network for SystemNetwork {
    fn req(&self) -> &[(usize, usize)] {
        &self.req
    }

    fn g0(&self) -> usize {
        self.g0
    }

    fn delta(&mut self, local: usize, global: usize) -> Result<Vec<(usize, usize)>, TooMuch> {
        Ok(self.delta.get(&(local, global)).cloned().unwrap_or_default())
    }

    fn resp(&mut self, local: usize) -> Vec<usize> {
        self.resp.get(&local).cloned().unwrap_or_default()
    }

    fn request_name(&self, label: usize) -> String {
        self.requests.get(label).clone()
    }

    fn counts(&self, response: usize) -> bool {
        !self.uncounted.contains(&response)
    }

    fn response_name(&self, response: usize) -> String {
        self.responses.get(response).clone()
    }
}
