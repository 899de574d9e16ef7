//! Sequentialization against Spin: our times for any number of processes, and the sizes at which Spin gives up; beside
//! both, what the paper publishes.

use crate::document::{Document, Section, count, number};
use crate::sequence_paper::{Published, published};
use crate::spin::{SpinEnd, SpinRun};
use crate::spin_wall::{Search, Wall};
use crate::statistics::Summary;
use crate::table::{Align, Table};
use serde_json::{Value, json};

/// What is known about a protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// Nothing goes wrong, whatever the sizes.
    Verified,
    /// Something goes wrong.
    Refuted,
    /// Neither is known.
    Unknown,
}

impl Known {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Known::Verified => "verified",
            Known::Refuted => "refuted",
            Known::Unknown => "unknown",
        }
    }

    /// What the first line of a protocol expects.
    ///
    /// ```
    /// use ser_bench::sequence_report::Known;
    /// assert_eq!(Known::expected("// expect: refuted, race, line 2\n"), Some(Known::Refuted));
    /// assert_eq!(Known::expected("proc p { skip; }"), None);
    /// ```
    pub fn expected(text: &str) -> Option<Known> {
        let words = text.lines().next()?.strip_prefix("// expect: ")?;
        match words.split(',').next()?.trim() {
            "verified" => Some(Known::Verified),
            "refuted" => Some(Known::Refuted),
            "not sequentializable" => Some(Known::Unknown),
            _ => None,
        }
    }
}

/// What we say about a protocol, and how long it takes.
#[derive(Clone, PartialEq, Debug)]
pub struct Ours {
    /// The answer.
    pub known: Known,
    /// How many sets there are.
    pub parameters: usize,
    /// The size of the protocol as a term.
    pub terms: usize,
    /// From the text to the answer, in milliseconds, in one process.
    pub answer: Option<Summary>,
    /// The check of its certificate, if there is one.
    pub check: Option<Summary>,
    /// A whole process, from its start to its end.
    pub process: Option<Summary>,
}

/// Runs of Spin on one protocol.
#[derive(Clone, Debug)]
pub struct Series {
    /// Which sizes.
    pub sizing: Sizing,
    /// The names of the sets.
    pub sets: Vec<String>,
    /// The runs by size, each with the sizes of all sets; and where Spin gives up.
    pub search: Search<(Vec<u32>, SpinRun)>,
}

/// How large the sets are in a series.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sizing {
    /// All sets have n members, as in the paper.
    Equal,
    /// Sets of processes have n members, index sets one more.
    LongerIndices,
    /// One run, with the sizes of our own run that goes wrong, or without sets.
    Once,
}

impl Sizing {
    fn name(self) -> &'static str {
        match self {
            Sizing::Equal => "equal",
            Sizing::LongerIndices => "index sets n + 1",
            Sizing::Once => "once",
        }
    }
}

impl Series {
    /// The largest size that Spin finished, with its run.
    fn largest(&self) -> Option<&(Vec<u32>, SpinRun)> {
        self.search.runs.values().rev().find(|(_, run)| !run.gave_up())
    }

    /// Where Spin gives up, and why.
    fn wall(&self) -> String {
        match self.search.wall {
            Wall::At(size) => {
                let end = self.search.runs.get(&size).map(|(_, run)| run.end.name());
                format!("{size} ({})", end.unwrap_or_default())
            }
            wall => wall.text(),
        }
    }

    fn answers(&self) -> impl Iterator<Item = &(Vec<u32>, SpinRun)> {
        self.search.runs.values().filter(|(_, run)| !run.gave_up())
    }

    /// Sizes in words.
    fn sizes(&self, sizes: &[u32]) -> String {
        let each = self.sets.iter().zip(sizes).map(|(name, size)| format!("{name}={size}"));
        each.collect::<Vec<_>>().join(" ")
    }
}

/// Everything about one protocol.
#[derive(Clone, Debug)]
pub struct Protocol {
    /// The name of its file.
    pub file: String,
    /// What it should be.
    pub expected: Option<Known>,
    /// What we say.
    pub ours: Ours,
    /// What Spin says.
    pub spin: Vec<Series>,
    /// Why there is nothing from Spin, or not all, if something failed.
    pub trouble: Option<String>,
}

impl Protocol {
    fn published(&self) -> Option<&'static Published> {
        let stem = self.file.rsplit('/').next()?.strip_suffix(".icet")?;
        published(stem)
    }

    fn series(&self, sizing: Sizing) -> Option<&Series> {
        self.spin.iter().find(|series| series.sizing == sizing)
    }

    /// Runs of Spin that say something else than we do. If we say that all is well, then it is for all sizes; if we have a run that goes
    /// wrong, then Spin must see something at the same sizes, and may see nothing at others.
    pub fn contradictions(&self) -> Vec<String> {
        let mut all = Vec::new();
        for series in &self.spin {
            for (sizes, run) in series.answers() {
                let wrong = match (self.ours.known, &run.end) {
                    (Known::Verified, SpinEnd::Error(words)) => Some(words.as_str()),
                    (Known::Refuted, SpinEnd::Clean) if series.sizing == Sizing::Once => {
                        Some("nothing is wrong")
                    }
                    _ => None,
                };
                let sizes = Some(series.sizes(sizes)).filter(|it| !it.is_empty());
                let sizes = sizes.map(|it| format!(" with {it}")).unwrap_or_default();
                all.extend(wrong.map(|words| {
                    let (file, known) = (&self.file, self.ours.known.name());
                    format!("{file}{sizes}: we say {known}, Spin says: {words}")
                }));
            }
        }
        all
    }

    /// How many runs of Spin can be compared with our answer.
    pub fn compared(&self) -> usize {
        let comparable = |series: &&Series| match self.ours.known {
            Known::Verified => true,
            Known::Refuted => series.sizing == Sizing::Once,
            Known::Unknown => false,
        };
        self.spin.iter().filter(comparable).map(|series| series.answers().count()).sum()
    }

    /// Whether our answer is not the expected one.
    pub fn is_unexpected(&self) -> bool {
        self.expected.is_some_and(|expected| expected != self.ours.known)
    }

    fn json(&self) -> Value {
        let summary = |times: Option<Summary>| {
            times.map(|it| json!({ "median_ms": thousandths(it.median), "max_ms": thousandths(it.max), "runs": it.count }))
        };
        let series = |series: &Series| {
            let run = |(size, (sizes, run)): (&u32, &(Vec<u32>, SpinRun))| {
                let mut object = run.json();
                object["n"] = json!(size);
                object["sizes"] = json!(sizes);
                object
            };
            let wall = match series.search.wall {
                Wall::At(size) => json!({ "at": size }),
                Wall::Above(size) => json!({ "above": size }),
                Wall::Unfinished => Value::Null,
            };
            let runs: Vec<Value> = series.search.runs.iter().map(run).collect();
            let wall = if series.sizing == Sizing::Once { Value::Null } else { wall };
            json!({ "sizes": series.sizing.name(), "sets": series.sets, "wall": wall, "runs": runs })
        };
        let paper = self.published().map(|row| {
            json!({
                "name": row.name, "parameters": row.parameters, "spin": row.spin, "terms": row.terms, "ms": row.milliseconds,
            })
        });
        json!({
            "file": self.file,
            "verdict": self.ours.known.name(),
            "expected": self.expected.map(Known::name),
            "parameters": self.ours.parameters,
            "terms": self.ours.terms,
            "answer": summary(self.ours.answer),
            "check": summary(self.ours.check),
            "process": summary(self.ours.process),
            "paper": paper,
            "spin": self.spin.iter().map(series).collect::<Vec<_>>(),
            "compared": self.compared(),
            "contradictions": self.contradictions(),
            "trouble": self.trouble,
        })
    }
}

fn thousandths(x: f64) -> f64 {
    (x * 1e3).round() / 1e3
}

/// Everything that was measured.
#[derive(Clone, Debug, Default)]
pub struct SequenceReport {
    /// The protocols, in order.
    pub protocols: Vec<Protocol>,
}

impl SequenceReport {
    /// 0, or 1 if an answer is not the expected one or contradicts Spin, or 3 if there is none and none was expected or Spin had trouble.
    pub fn exit_code(&self) -> u8 {
        let any = |is: &dyn Fn(&Protocol) -> bool| self.protocols.iter().any(is);
        if any(&|it| it.is_unexpected() || !it.contradictions().is_empty()) {
            1
        } else if any(&|it| {
            it.trouble.is_some() || it.expected.is_none() && it.ours.known == Known::Unknown
        }) {
            3
        } else {
            0
        }
    }

    /// The report.
    pub fn document(&self, facts: Vec<(String, String)>) -> Document {
        let mut sections = vec![
            Section::Table("Our times and those of the paper".into(), self.times()),
            Section::Lines(self.summary()),
        ];
        if self.protocols.iter().any(|it| !it.spin.is_empty()) {
            sections.push(Section::Table("Where Spin gives up".into(), self.walls()));
            sections.push(Section::Lines(self.comparison()));
        }
        let json = json!({
            "protocols": self.protocols.iter().map(Protocol::json).collect::<Vec<_>>(),
        });
        let title = "Sequentialization and Spin".into();
        Document { title, facts, sections, table: self.everything(), json }
    }

    fn times(&self) -> Table {
        let mut table = Table::new(&[
            ("protocol", Align::Left),
            ("verdict", Align::Left),
            ("sets", Align::Right),
            ("terms", Align::Right),
            ("paper: terms", Align::Right),
            ("answer ms", Align::Right),
            ("check ms", Align::Right),
            ("process ms", Align::Right),
            ("paper: ms", Align::Right),
        ]);
        for it in &self.protocols {
            let (ours, paper) = (&it.ours, it.published());
            let wrong = if it.is_unexpected() { " (WRONG)" } else { "" };
            table.row([
                it.file.clone(),
                format!("{}{wrong}", ours.known.name()),
                ours.parameters.to_string(),
                ours.terms.to_string(),
                count(paper.map(|row| u64::from(row.terms))),
                number(ours.answer.map(|it| it.median)),
                number(ours.check.map(|it| it.median)),
                number(ours.process.map(|it| it.median)),
                count(paper.map(|row| u64::from(row.milliseconds))),
            ]);
        }
        table.without_empty_columns()
    }

    fn summary(&self) -> Vec<String> {
        let known = |known| self.protocols.iter().filter(|it| it.ours.known == known).count();
        let unexpected = self.protocols.iter().filter(|it| it.is_unexpected()).count();
        let mut lines = vec![format!(
            "{} verified, {} refuted, {} unknown; {unexpected} not as expected",
            known(Known::Verified),
            known(Known::Refuted),
            known(Known::Unknown)
        )];
        let both = |it: &Protocol| {
            let answer = it.ours.answer?;
            Some(answer.median + it.ours.check.map_or(0.0, |check| check.median))
        };
        if let Some(all) = Summary::of(self.protocols.iter().filter_map(both)) {
            lines.push(format!(
                "answer and check: {} ms in the middle, {} ms at most",
                number(all.median),
                number(all.max)
            ));
        }
        lines
    }

    fn walls(&self) -> Table {
        let mut table = Table::new(&[
            ("protocol", Align::Left),
            ("Spin gives up at n", Align::Right),
            ("with index sets n + 1", Align::Right),
            ("paper: n", Align::Right),
            ("largest finished", Align::Left),
            ("Spin says", Align::Left),
            ("states", Align::Right),
            ("MiB", Align::Right),
            ("pan s", Align::Right),
            ("compile s", Align::Right),
            ("compared", Align::Right),
            ("contradictions", Align::Right),
        ]);
        for it in self.protocols.iter().filter(|it| !it.spin.is_empty()) {
            let wall = |sizing| it.series(sizing).map(Series::wall).unwrap_or_default();
            let shown = it.series(Sizing::Equal).or(it.series(Sizing::Once));
            let largest = shown.and_then(|series| Some((series, series.largest()?)));
            let run = largest.map(|(_, (_, run))| run);
            let sizes = largest.map(|(series, (sizes, _))| series.sizes(sizes));
            table.row([
                it.file.clone(),
                wall(Sizing::Equal),
                wall(Sizing::LongerIndices),
                count(it.published().and_then(|row| row.spin).map(u64::from)),
                sizes.unwrap_or_default(),
                run.map_or(String::new(), |run| run.end.name().to_owned()),
                count(run.and_then(|run| run.states)),
                number(run.and_then(|run| run.memory_mib)),
                number(run.and_then(|run| run.pan_seconds)),
                number(run.map(|run| run.compile_seconds)),
                it.compared().to_string(),
                it.contradictions().len().to_string(),
            ]);
        }
        table.without_empty_columns()
    }

    fn comparison(&self) -> Vec<String> {
        let compared: usize = self.protocols.iter().map(Protocol::compared).sum();
        let contradictions: Vec<String> =
            self.protocols.iter().flat_map(Protocol::contradictions).collect();
        let mut lines = vec![format!(
            "{compared} runs of Spin compared, {} contradictions",
            contradictions.len()
        )];
        lines.extend(contradictions.into_iter().take(10));
        let trouble = |it: &Protocol| Some(format!("{}: {}", it.file, it.trouble.as_ref()?));
        lines.extend(self.protocols.iter().filter_map(trouble));
        lines
    }

    /// A line for each run of Spin, or for each protocol without any.
    fn everything(&self) -> Table {
        let mut table = Table::new(&[
            ("protocol", Align::Left),
            ("verdict", Align::Left),
            ("answer ms", Align::Right),
            ("check ms", Align::Right),
            ("process ms", Align::Right),
            ("series", Align::Left),
            ("n", Align::Right),
            ("sizes", Align::Left),
            ("spin", Align::Left),
            ("states", Align::Right),
            ("MiB", Align::Right),
            ("depth", Align::Right),
            ("pan s", Align::Right),
            ("compile s", Align::Right),
            ("capacity", Align::Right),
            ("reason", Align::Left),
        ]);
        for it in &self.protocols {
            let median = |times: Option<Summary>| number(times.map(|it| it.median));
            let ours = [
                it.file.clone(),
                it.ours.known.name().to_owned(),
                median(it.ours.answer),
                median(it.ours.check),
                median(it.ours.process),
            ];
            if it.spin.iter().all(|series| series.search.runs.is_empty()) {
                table.row(ours.clone());
            }
            for series in &it.spin {
                for (size, (sizes, run)) in &series.search.runs {
                    let reason = match &run.end {
                        SpinEnd::Error(words) | SpinEnd::Refused(words) => words.clone(),
                        _ => String::new(),
                    };
                    let spin = [
                        series.sizing.name().to_owned(),
                        size.to_string(),
                        series.sizes(sizes),
                        run.end.name().to_owned(),
                        count(run.states),
                        number(run.memory_mib),
                        count(run.depth),
                        number(run.pan_seconds),
                        number(run.compile_seconds),
                        run.capacity.to_string(),
                        reason,
                    ];
                    table.row(ours.iter().cloned().chain(spin));
                }
            }
        }
        table.without_empty_columns()
    }
}

#[cfg(test)]
mod tests;
