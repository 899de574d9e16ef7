//! Certificates under attack: mutants of genuine certificates, shown to the checker for their own
//! source and for siblings of it that have another verdict.
//!
//! A mutant may be accepted only if an argument that does not rest on the checker shows that it
//! still proves its verdict: see [`Class`]. Everything is a function of the seed, except how far
//! the engine gets in its time with making genuine certificates.
//!
//! An attack on a sibling climbs: of several mutants the next ones are made from the one that the
//! checker got furthest with before it said no.

mod census;
mod claims;
mod genuine;
mod judge;
mod mutate;
mod net;
mod order;
mod report;
mod runs;
mod subject;
mod weaken;

pub use census::{KINDS, kinds};
pub use genuine::{Genuine, certificates, examples, source, stored};
pub use judge::{Class, judge, judge_order};
pub use mutate::{Change, mutate};
pub use report::{Report, Scandal, Target};
pub use subject::Subject;
pub use weaken::{changed, roomy, sibling};

use crate::Random;
use ser_serializability_checker::{Rejection, Verdict};
use serde_json::Value;

/// How much to do with each genuine certificate.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How many mutants are made of it for its own source, and for each sibling.
    pub mutants: usize,
    /// How many siblings of its source are attacked.
    pub siblings: usize,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { mutants: 100, siblings: 3 }
    }
}

/// How many siblings are looked at for each that is attacked.
const ATTEMPTS: usize = 6;

/// Attacks the checker with at least so many mutants, and adds what has come of it to the report.
///
/// ```
/// let mut report = ser_fuzz::forgery::Report::default();
/// ser_fuzz::forgery::campaign(1, 200, &mut report);
/// assert!(report.tried >= 200 && report.scandals.is_empty());
/// ```
pub fn campaign(seed: u64, mutants: usize, report: &mut Report) {
    let goal = report.tried + mutants;
    let mut random = Random::new(seed ^ 0x666f_7267);
    let (stored, examples) = (stored(), examples());
    let mut donor = Value::Null;
    let mut round = 0;
    while report.tried < goal {
        let mut attack =
            Attack { effort: Effort::default(), donor: &mut donor, random: &mut random, report };
        // What is stored and the examples come first, then every now and then again.
        if let Some((text, genuine)) = stored.get(round) {
            attack.on_stored(text, genuine);
        } else if let Some(text) = examples.get(round - stored.len()) {
            attack.on_source(text);
        } else if !stored.is_empty() && attack.random.chance(15) {
            let (text, genuine) = &stored[attack.random.below(stored.len())];
            attack.on_stored(text, genuine);
        } else if !examples.is_empty() && attack.random.chance(5) {
            let text = attack.random.pick(&examples).clone();
            attack.on_source(&text);
        } else {
            let text = source(attack.random);
            attack.on_source(&text);
        }
        round += 1;
    }
}

/// Attacks sources one by one.
#[derive(Debug)]
pub struct Attack<'a> {
    /// How much to do.
    pub effort: Effort,
    /// The certificate before, for parts from elsewhere.
    pub donor: &'a mut Value,
    /// Where chance comes from.
    pub random: &'a mut Random,
    /// What has come of it.
    pub report: &'a mut Report,
}

impl Attack<'_> {
    /// Attacks with all certificates that the engine finds for a source.
    pub fn on_source(&mut self, text: &str) {
        let Some(subject) = Subject::new(text) else { return };
        for genuine in certificates(&subject, self.random) {
            self.on(&subject, &genuine);
        }
    }

    /// Attacks with a certificate of a source.
    pub fn on_stored(&mut self, text: &str, genuine: &Genuine) {
        if let Some(subject) = Subject::new(text) {
            self.on(&subject, genuine);
        }
    }

    fn on(&mut self, subject: &Subject, genuine: &Genuine) {
        self.report.genuine += 1;
        let (random, report) = (&mut *self.random, &mut *self.report);
        let mut campaign = Campaign { genuine, donor: self.donor, random, report };
        for _ in 0..self.effort.mutants {
            campaign.try_mutant(&genuine.value, subject, Target::Own);
        }
        let proves = matches!(genuine.cert.verdict, Verdict::Serializable(_));
        let mut left = self.effort.siblings;
        for _ in 0..ATTEMPTS * self.effort.siblings {
            if left == 0 {
                break;
            }
            let Some(text) = sibling(&subject.text, campaign.random) else { continue };
            let Some(sibling) = Subject::new(&text) else { continue };
            let opposite = sibling.is_broken() == proves;
            if !opposite && campaign.random.chance(85) {
                continue;
            }
            left -= 1;
            let target = if opposite { Target::Opposite } else { Target::Sibling };
            campaign.climb(&sibling, target, self.effort.mutants);
        }
        *self.donor = genuine.value.clone();
    }
}

/// Mutants of one genuine certificate.
struct Campaign<'a> {
    genuine: &'a Genuine,
    donor: &'a Value,
    random: &'a mut Random,
    report: &'a mut Report,
}

impl Campaign<'_> {
    /// Changes a certificate for a sibling until it is accepted, or for long enough.
    fn climb(&mut self, sibling: &Subject, target: Target, mutants: usize) {
        let mut base = self.genuine.value.clone();
        base["source"]["sha256"] =
            Value::from(ser_serializability_checker::digest(sibling.text.as_bytes()));
        // First as it is.
        let mut best = self.show(&base, Vec::new(), sibling, target);
        for _ in 0..mutants {
            let Some((mutant, changes)) = self.mutant(&base) else { continue };
            let height = self.show(&mutant, changes, sibling, target);
            if height > best || height == best && self.random.chance(30) {
                (base, best) = (mutant, height);
            }
        }
    }

    fn try_mutant(&mut self, base: &Value, subject: &Subject, target: Target) {
        if let Some((mutant, changes)) = self.mutant(base) {
            self.show(&mutant, changes, subject, target);
        }
    }

    fn mutant(&mut self, base: &Value) -> Option<(Value, Vec<Change>)> {
        let mut mutant = base.clone();
        let mut changes = Vec::new();
        let many = if self.random.chance(70) { 1 } else { self.random.between(2, 4) };
        for _ in 0..many {
            changes.extend(mutate(&mut mutant, self.donor, self.random));
        }
        (mutant != *base).then_some((mutant, changes))
    }

    /// Shows a mutant to reader and checker; how far they got.
    fn show(
        &mut self,
        mutant: &Value,
        changes: Vec<Change>,
        subject: &Subject,
        target: Target,
    ) -> (usize, usize) {
        let report = &mut *self.report;
        report.tried += 1;
        *report.targets.entry(target).or_insert(0) += 1;
        for kind in kinds(&self.genuine.value) {
            *report.kinds.entry(kind).or_insert(0) += 1;
        }
        for change in &changes {
            *report.fields.entry(change.field.clone()).or_insert(0) += 1;
            *report.changes.entry(change.what).or_insert(0) += 1;
        }
        let text = mutant.to_string();
        let shown = ser_serializability_checker::read(&text)
            .ok()
            .and_then(|cert| subject.present(&cert).map(|answer| (cert, answer)));
        let Some((cert, answer)) = shown else {
            report.unread += 1;
            return (0, 0);
        };
        match answer {
            Err(rejection) => {
                let place = rejection.place.split(['[', '.']).next().unwrap_or_default();
                let word = place.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ');
                *report.rejected.entry(word.to_owned()).or_insert(0) += 1;
                height(&rejection)
            }
            Ok(accepted) => {
                let order = judge_order(subject, &accepted);
                match order.and_then(|()| judge(subject, &cert, &self.genuine.cert)) {
                    Ok(class) => *report.accepted.entry((class, target)).or_insert(0) += 1,
                    Err(words) => report.scandals.push(Scandal {
                        words,
                        source: subject.text.clone(),
                        certificate: cert.to_text(),
                        changes,
                    }),
                }
                (usize::MAX, 0)
            }
        }
    }
}

/// How far the checker got: the stage, and the numbers in the place.
fn height(rejection: &Rejection) -> (usize, usize) {
    let stages = [
        "source",
        "normal form",
        "reductions",
        "transitions",
        "labels",
        "components",
        "step",
        "end of run",
        "part",
        "after",
        "invariant",
        "effects",
        "cases",
        "outcome",
    ];
    let stage = stages.iter().position(|s| rejection.place.starts_with(s)).unwrap_or(0) + 1;
    let digits: String = rejection
        .place
        .chars()
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(char::is_ascii_digit)
        .collect();
    (stage, digits.parse::<usize>().unwrap_or(0) * 100 + rejection.place.matches('.').count())
}
