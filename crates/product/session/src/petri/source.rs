//! Place/transition nets as sources, and queries about them.

use crate::source::{SourceError, read_bytes, text_of};
use ser_base::Limits;
use ser_petri::{Names, PetriNet, Query, ReadError, read_net, read_pnml, read_properties};
use std::path::Path;

/// A net as it was read.
#[derive(Clone, Debug)]
pub struct NetSource {
    /// How the user calls it.
    pub name: String,
    pub text: String,
    pub net: PetriNet,
    /// Its names and identifiers.
    pub names: Names,
}

/// Why there is no net or no query.
#[derive(Clone, Debug)]
pub enum NetError {
    /// A file cannot be read at all: its name, a sentence, and a way out.
    Unreadable(String, String, Option<String>),
    /// A text has a mistake: what it is called, and the mistake.
    Wrong(String, ReadError),
    /// A query file does not have this property: its name, and a way out.
    NoSuchProperty(String, Option<String>),
}

impl NetError {
    /// The sentence, where, and the way out.
    pub fn parts(&self) -> (String, String, Option<&str>) {
        match self {
            NetError::Unreadable(name, message, help) => {
                (message.clone(), name.clone(), help.as_deref())
            }
            NetError::Wrong(name, error) => (
                error.message.clone(),
                format!("{name}:{}:{}", error.line, error.column),
                error.help.as_deref(),
            ),
            NetError::NoSuchProperty(name, help) => {
                (format!("there is no property `{name}`"), "--property".into(), help.as_deref())
            }
        }
    }
}

fn read_text(name: &str, limits: &Limits) -> Result<String, NetError> {
    read_bytes(name, limits).and_then(text_of).map_err(|error| match error {
        SourceError::Unreadable { message, help } => {
            NetError::Unreadable(name.to_owned(), message, help)
        }
        // Nothing else happens before the text is read.
        _ => NetError::Unreadable(name.to_owned(), "cannot read it".into(), None),
    })
}

impl NetSource {
    /// Reads a net; `-` is standard input.
    pub fn read(name: &str, limits: &Limits) -> Result<NetSource, NetError> {
        NetSource::from_text(name, read_text(name, limits)?)
    }

    /// Makes a source of a text. The extension says which format, and where it does not, the first
    /// character: `<` begins PNML.
    pub fn from_text(name: &str, text: String) -> Result<NetSource, NetError> {
        let extension = Path::new(name).extension().and_then(|e| e.to_str()).unwrap_or_default();
        let is_pnml = match extension.to_ascii_lowercase().as_str() {
            "pnml" => true,
            "net" => false,
            _ => text.trim_start_matches('\u{feff}').trim_start().starts_with('<'),
        };
        let wrong = |error| NetError::Wrong(name.to_owned(), error);
        let (net, names) = if is_pnml {
            let read = read_pnml(&text).map_err(wrong)?;
            (read.net, read.names)
        } else {
            let net = read_net(&text).map_err(wrong)?;
            let names = Names::of(&net);
            (net, names)
        };
        Ok(NetSource { name: name.to_owned(), text, net, names })
    }

    /// A query in the text syntax.
    pub fn query(&self, text: &str) -> Result<Query, NetError> {
        ser_petri::read_query_with(text, &self.net, &self.names)
            .map_err(|error| NetError::Wrong("query".into(), error))
    }

    /// The queries of a file in the contest's XML: all of them, or the one of this name.
    pub fn queries(
        &self,
        file: &str,
        property: Option<&str>,
        limits: &Limits,
    ) -> Result<Vec<Query>, NetError> {
        let text = read_text(file, limits)?;
        let all = read_properties(&text, &self.net, &self.names)
            .map_err(|error| NetError::Wrong(file.to_owned(), error))?;
        let Some(wanted) = property else { return Ok(all) };
        let help = ser_base::did_you_mean(wanted, all.iter().map(|q| q.name.as_str()));
        match all.into_iter().find(|q| q.name == wanted) {
            Some(query) => Ok(vec![query]),
            None => Err(NetError::NoSuchProperty(wanted.to_owned(), help)),
        }
    }
}
