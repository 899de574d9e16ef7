//! When a response is read: with a request's last step, or as soon as it is decided.
//!
//! A *label* commits a place to a response. Every transition that takes from a labelled place
//! must put into a place with the same label or complete with that response.
//!
//! *Theorem.* In a complete run, reading a letter at each transition as [`Labels::read`] says
//! gives a word with the letters of the outcome. *Proof.* Follow one request. Until it enters a
//! labelled place nothing is read for it; if it never does, its letter is read when it responds.
//! If it enters one, that label's letter is read there; from then on it stays in places with the
//! same label, where nothing more is read, and responds as the label says. ∎

use crate::format::Label;
use crate::names::{Letter, Names, Place};
use crate::net::{Effect, Net, Transition};
use crate::reject::At;
use crate::{Reason, Rejection};
use rustc_hash::FxHashMap;

/// The labelled places, each with its entry in the certificate.
pub(crate) struct Labels {
    labels: FxHashMap<Place, (Letter, usize)>,
}

impl Labels {
    /// The labels of a certificate: places of the net, each once, and all of them kept.
    pub(crate) fn new(list: &[Label], net: &Net, names: &Names<'_>) -> Result<Labels, Rejection> {
        let places = net.places();
        let mut labels = FxHashMap::default();
        for (i, label) in list.iter().enumerate() {
            let at = || format!("labels[{i}]");
            let place = names.place(&label.request, &label.local).at(at)?;
            let letter = names.letter(&label.request, &label.response).at(at)?;
            let shown = names.show_place(place);
            if places.binary_search(&place).is_err() {
                return Err(Reason::NotAPlace { place: shown }.at(at()));
            }
            if labels.insert(place, (letter, i)).is_some() {
                return Err(Reason::Repeated { what: shown }.at(at()));
            }
        }
        let labels = Labels { labels };
        for t in net.transitions() {
            labels.check_kept(t, names)?;
        }
        Ok(labels)
    }

    /// The letter that a request is committed to, or that it completes with, after `t`.
    fn after(&self, t: &Transition) -> Option<Letter> {
        match t.effect {
            Effect::Outcome(letter) => Some(letter),
            Effect::Place(place) => self.labels.get(&place).map(|(letter, _)| *letter),
        }
    }

    fn before(&self, t: &Transition) -> Option<(Letter, usize)> {
        t.take.and_then(|place| self.labels.get(&place).copied())
    }

    fn check_kept(&self, t: &Transition, names: &Names<'_>) -> Result<(), Rejection> {
        match self.before(t) {
            Some((letter, i)) if self.after(t) != Some(letter) => Err(Reason::LabelNotKept {
                label: names.show_letter(letter),
                transition: names.show_transition(t),
            }
            .at(format!("labels[{i}]"))),
            _ => Ok(()),
        }
    }

    /// The letter that is read when `t` fires.
    pub(crate) fn read(&self, t: &Transition) -> Option<Letter> {
        match self.before(t) {
            Some(_) => None,
            None => self.after(t),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::tests::net_of;

    /// `q` responds 0 if it goes by `a` and then `b`, anything by `c`.
    const SYSTEM: &str = r#"{"initial_global": "0", "requests": [["q", "s"]],
        "responses": [["x", "0"], ["y", "1"]],
        "transitions": [["s", "0", "a", "0"], ["a", "0", "b", "0"], ["b", "0", "x", "0"],
            ["s", "0", "c", "0"], ["c", "0", "x", "0"], ["c", "0", "y", "0"],
            ["c", "0", "b", "0"]]}"#;

    fn labels(list: &[(&str, &str)]) -> Vec<Label> {
        let label = |(local, response): &(&str, &str)| Label {
            request: "q".into(),
            local: (*local).into(),
            response: (*response).into(),
        };
        list.iter().map(label).collect()
    }

    #[test]
    fn labels_must_be_kept() {
        let (system, net) = net_of(SYSTEM);
        let names = Names::new(&system);
        let table: [(&[(&str, &str)], &str); 9] = [
            (&[], "ok"),
            (&[("b", "0")], "ok"),
            (&[("a", "0"), ("b", "0")], "ok"),
            (
                &[("a", "0")],
                "labels[0]: the label `q/0` is not kept by the transition 0 + q@a -> 0 + q@b",
            ),
            (
                &[("b", "0"), ("a", "1")],
                "labels[1]: the label `q/1` is not kept by the transition 0 + q@a -> 0 + q@b",
            ),
            (
                &[("b", "0"), ("c", "0")],
                "labels[1]: the label `q/0` is not kept by the transition 0 + q@c -> 0 + q/1",
            ),
            (&[("b", "0"), ("b", "0")], "labels[1]: `q@b` is listed twice"),
            (
                &[("x", "0")],
                "labels[0]: the net has no place `q@x` here (it is removed, merged, or never marked)",
            ),
            (&[("b", "7")], "labels[0]: there is no response `7`"),
        ];
        for (list, expected) in table {
            let message = match Labels::new(&labels(list), &net, &names) {
                Ok(_) => "ok".to_owned(),
                Err(rejection) => rejection.to_string(),
            };
            assert_eq!(message, expected, "{list:?}");
        }
    }

    #[test]
    fn each_letter_is_read_once() {
        let (system, net) = net_of(SYSTEM);
        let names = Names::new(&system);
        let Ok(labels) = Labels::new(&labels(&[("a", "0"), ("b", "0")]), &net, &names) else {
            panic!("these labels are kept");
        };
        let mut found: Vec<String> = net
            .transitions()
            .iter()
            .map(|t| {
                let read = labels.read(t).map(|l| names.show_letter(l));
                format!(
                    "{} reads {}",
                    names.show_transition(t),
                    read.as_deref().unwrap_or("nothing")
                )
            })
            .collect();
        found.sort();
        assert_eq!(
            found,
            [
                "0 + q@a -> 0 + q@b reads nothing",
                "0 + q@b -> 0 + q/0 reads nothing",
                "0 + q@c -> 0 + q/0 reads q/0",
                "0 + q@c -> 0 + q/1 reads q/1",
                "0 + q@c -> 0 + q@b reads q/0",
                "0 -> 0 + q@a reads q/0",
                "0 -> 0 + q@c reads nothing",
            ]
        );
    }
}
