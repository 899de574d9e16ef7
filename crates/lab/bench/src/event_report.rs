//! Event tracing against bounded model checking on the family of lost updates: tables for each C and the scatter plot
//! of the paper's Figure 4.

use crate::document::{Document, Section, number};
use crate::event_run::{Censored, EventRun, FormulaSizes, Reached, Trial};
use crate::plot::{Mark, Plot, Series, scatter};
use crate::statistics::{Summary, exponent, median};
use crate::table::{Align, Table};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Everything that was measured.
#[derive(Clone, Debug, Default)]
pub struct EventReport {
    /// All trials, by C.
    pub trials: Vec<Trial>,
    /// For each C, the formula of an instance encoded as in the paper: without static order and without values.
    pub as_in_the_paper: Vec<(u32, FormulaSizes)>,
}

/// The trials of one C.
struct Group<'a> {
    c: u32,
    trials: Vec<&'a Trial>,
}

/// One of the sizes of a formula.
type SizeOf = fn(&FormulaSizes) -> usize;

impl Group<'_> {
    fn count(&self, answer: Reached) -> usize {
        self.trials.iter().filter(|t| t.events.answer == answer).count()
    }

    fn events(&self) -> Option<Summary> {
        Summary::of(self.trials.iter().map(|t| t.events.milliseconds))
    }

    fn bmc(&self) -> Vec<&EventRun> {
        self.trials.iter().filter_map(|t| t.bmc.as_ref()).collect()
    }

    fn bmc_median(&self) -> Option<Censored> {
        let times: Vec<Censored> = self.bmc().into_iter().map(Censored::time).collect();
        Censored::median(&times)
    }

    fn cut(&self) -> usize {
        self.bmc().iter().filter(|run| run.is_cut()).count()
    }

    fn speed_up(&self) -> Option<Censored> {
        let all: Vec<Censored> = self.trials.iter().filter_map(|t| t.speed_up()).collect();
        Censored::median(&all)
    }

    fn enumerated(&self) -> usize {
        self.trials.iter().filter(|t| t.truth.is_some()).count()
    }

    fn disagreements(&self) -> usize {
        self.trials.iter().filter(|t| t.is_disagreement()).count()
    }

    /// The middle one of some size, over all instances.
    fn size(&self, of: impl Fn(&FormulaSizes) -> usize) -> f64 {
        median(self.trials.iter().map(|t| of(&t.events.sizes) as f64))
    }
}

/// The largest memory of some runs, in MiB.
fn peak<'a>(runs: impl Iterator<Item = &'a EventRun>) -> Option<f64> {
    runs.map(|run| run.peak_kib).max().map(|kib| kib as f64 / 1024.0)
}

impl EventReport {
    fn groups(&self) -> Vec<Group<'_>> {
        let all: BTreeSet<u32> = self.trials.iter().map(|t| t.instance.c).collect();
        let of =
            |c| Group { c, trials: self.trials.iter().filter(|t| t.instance.c == c).collect() };
        all.into_iter().map(of).collect()
    }

    /// How many trials contradict each other.
    pub fn disagreements(&self) -> usize {
        self.trials.iter().filter(|t| t.is_disagreement()).count()
    }

    /// How often event tracing had no answer.
    pub fn unknown(&self) -> usize {
        self.trials.iter().filter(|t| t.events.is_cut()).count()
    }

    fn has_bmc(&self) -> bool {
        self.trials.iter().any(|t| t.bmc.is_some())
    }

    /// The report.
    pub fn document(&self, facts: Vec<(String, String)>) -> Document {
        Document {
            title: "Event tracing and bounded model checking".into(),
            facts,
            sections: vec![
                Section::Table("Times".into(), self.times()),
                Section::Lines(self.summary()),
                Section::Table("Formulas".into(), self.formulas()),
                Section::Lines(self.growth()),
            ],
            table: self.everything(),
            json: self.json(),
        }
    }

    fn times(&self) -> Table {
        let mut table = Table::new(&[
            ("C", Align::Right),
            ("instances", Align::Right),
            ("reachable", Align::Right),
            ("unreachable", Align::Right),
            ("unknown", Align::Right),
            ("events median ms", Align::Right),
            ("mean ms", Align::Right),
            ("max ms", Align::Right),
            ("total s", Align::Right),
            ("bmc median ms", Align::Right),
            ("bmc cut", Align::Right),
            ("median speed-up", Align::Right),
            ("enumerated", Align::Right),
            ("disagreements", Align::Right),
        ]);
        let some = |n: usize| if n > 0 { n.to_string() } else { String::new() };
        for group in self.groups() {
            let events = group.events();
            table.row([
                group.c.to_string(),
                group.trials.len().to_string(),
                group.count(Reached::Yes).to_string(),
                group.count(Reached::No).to_string(),
                some(group.count(Reached::Unknown)),
                number(events.map(|e| e.median)),
                number(events.map(|e| e.mean)),
                number(events.map(|e| e.max)),
                number(events.map(|e| e.sum / 1e3)),
                group.bmc_median().map(Censored::text).unwrap_or_default(),
                if group.bmc().is_empty() { String::new() } else { group.cut().to_string() },
                group.speed_up().map(Censored::text).unwrap_or_default(),
                some(group.enumerated()),
                group.disagreements().to_string(),
            ]);
        }
        table.without_empty_columns()
    }

    fn summary(&self) -> Vec<String> {
        let of = |runs: &[&EventRun]| Summary::of(runs.iter().map(|run| run.milliseconds));
        let events: Vec<&EventRun> = self.trials.iter().map(|t| &t.events).collect();
        let mut lines = Vec::new();
        if let Some(all) = of(&events) {
            lines.push(format!(
                "events: {} instances in {} s, {} ms at most",
                all.count,
                number(all.sum / 1e3),
                number(all.max)
            ));
        }
        let checks: Vec<f64> = events.iter().filter_map(|run| run.checking).collect();
        if let Some(checks) = Summary::of(checks) {
            lines.push(format!(
                "{} proofs checked in {} s, {} ms at most; not part of the times above",
                checks.count,
                number(checks.sum / 1e3),
                number(checks.max)
            ));
        }
        let bmc: Vec<&EventRun> = self.trials.iter().filter_map(|t| t.bmc.as_ref()).collect();
        if let Some(all) = of(&bmc) {
            let cut = bmc.iter().filter(|run| run.is_cut()).count();
            let at_least = if cut > 0 { "at least " } else { "" };
            lines.push(format!(
                "bmc: {at_least}{} s; {cut} of {} were cut, and count with the time until then",
                number(all.sum / 1e3),
                all.count
            ));
        }
        let enumerated = self.trials.iter().filter(|t| t.truth.is_some()).count();
        let disagreements = self.disagreements();
        lines.push(format!(
            "{disagreements} disagreements; {enumerated} instances compared with enumeration"
        ));
        for trial in self.trials.iter().filter(|t| t.is_disagreement()).take(10) {
            let bmc = trial.bmc.as_ref().map_or("not asked", |run| run.answer.name());
            let truth = match trial.truth {
                None => "not asked",
                Some(true) => "reachable",
                Some(false) => "unreachable",
            };
            let (c, d) = (trial.instance.c, trial.instance.d);
            let events = trial.events.answer.name();
            lines
                .push(format!("C = {c}, D = {d}: events {events}, bmc {bmc}, enumeration {truth}"));
        }
        lines
    }

    fn formulas(&self) -> Table {
        let mut table = Table::new(&[
            ("C", Align::Right),
            ("transitions", Align::Right),
            ("links", Align::Right),
            ("order symbols", Align::Right),
            ("triangles", Align::Right),
            ("variables", Align::Right),
            ("clauses", Align::Right),
            ("MiB", Align::Right),
            ("links as in the paper", Align::Right),
            ("order symbols as in the paper", Align::Right),
            ("triangles as in the paper", Align::Right),
            ("clauses as in the paper", Align::Right),
            ("bmc variables", Align::Right),
            ("bmc clauses", Align::Right),
            ("bmc MiB", Align::Right),
        ]);
        for group in self.groups() {
            let paper = self.as_in_the_paper.iter().find(|(c, _)| *c == group.c);
            let paper = |of: fn(&FormulaSizes) -> usize| {
                paper.map(|(_, sizes)| of(sizes).to_string()).unwrap_or_default()
            };
            let bmc = group.bmc();
            let of_bmc = |of: fn(&FormulaSizes) -> usize| match bmc.is_empty() {
                true => String::new(),
                false => whole(median(bmc.iter().map(|run| of(&run.sizes) as f64))),
            };
            table.row([
                group.c.to_string(),
                whole(group.size(|s| s.transitions)),
                whole(group.size(|s| s.links)),
                whole(group.size(|s| s.order_symbols)),
                whole(group.size(|s| s.triangles)),
                whole(group.size(|s| s.variables)),
                whole(group.size(|s| s.clauses)),
                number(peak(group.trials.iter().map(|t| &t.events))),
                paper(|s| s.links),
                paper(|s| s.order_symbols),
                paper(|s| s.triangles),
                paper(|s| s.clauses),
                of_bmc(|s| s.variables),
                of_bmc(|s| s.clauses),
                number(peak(bmc.iter().copied())),
            ]);
        }
        table.without_empty_columns()
    }

    /// How the sizes grow with C, against the bounds of the paper.
    fn growth(&self) -> Vec<String> {
        let groups = self.groups();
        let fitted = |points: Vec<(f64, f64)>| exponent(&points).map(|e| format!("C^{e:.1}"));
        let ours = |of: fn(&FormulaSizes) -> usize| {
            fitted(groups.iter().map(|g| (f64::from(g.c), g.size(of))).collect())
        };
        let paper = |of: fn(&FormulaSizes) -> usize| {
            let points = self.as_in_the_paper.iter();
            fitted(points.map(|(c, sizes)| (f64::from(*c), of(sizes) as f64)).collect())
        };
        let mut lines = vec![
            "sizes are medians over the instances; MiB is the most that was in use for one of them"
                .to_owned(),
        ];
        let names: [(&str, SizeOf); 4] = [
            ("links", |s| s.links),
            ("order symbols", |s| s.order_symbols),
            ("triangles", |s| s.triangles),
            ("clauses", |s| s.clauses),
        ];
        let words = |of: &dyn Fn(fn(&FormulaSizes) -> usize) -> Option<String>| {
            let all =
                names.iter().filter_map(|(name, size)| Some(format!("{name} {}", of(*size)?)));
            all.collect::<Vec<_>>().join(", ")
        };
        let (with, without) = (words(&ours), words(&paper));
        if !with.is_empty() {
            lines.push(format!("growth: {with}"));
        }
        if !without.is_empty() {
            lines.push(format!(
                "growth as in the paper, without static order and values: {without}; its bound is C^3 \
                 for the clauses about X, which is written 2C + 1 times, taken 2C times and tested 2C + 1 times"
            ));
        }
        lines
    }

    fn everything(&self) -> Table {
        let mut table = Table::new(&[
            ("C", Align::Right),
            ("D", Align::Right),
            ("events", Align::Left),
            ("bmc", Align::Left),
            ("enumeration", Align::Left),
            ("events_ms", Align::Right),
            ("bmc_ms", Align::Right),
            ("checking_ms", Align::Right),
            ("events_kib", Align::Right),
            ("bmc_kib", Align::Right),
            ("events_variables", Align::Right),
            ("events_clauses", Align::Right),
            ("bmc_variables", Align::Right),
            ("bmc_clauses", Align::Right),
        ]);
        for trial in &self.trials {
            let Trial { instance, events, bmc, truth } = trial;
            let of = |of: &dyn Fn(&EventRun) -> String| bmc.as_ref().map(of).unwrap_or_default();
            let truth = truth.map(|yes| if yes { Reached::Yes } else { Reached::No });
            table.row([
                instance.c.to_string(),
                instance.d.to_string(),
                events.answer.name().to_owned(),
                of(&|run| run.answer.name().to_owned()),
                truth.map_or("", Reached::name).to_owned(),
                format!("{:.3}", events.milliseconds),
                of(&|run| format!("{:.3}", run.milliseconds)),
                events.checking.map(|ms| format!("{ms:.3}")).unwrap_or_default(),
                events.peak_kib.to_string(),
                of(&|run| run.peak_kib.to_string()),
                events.sizes.variables.to_string(),
                events.sizes.clauses.to_string(),
                of(&|run| run.sizes.variables.to_string()),
                of(&|run| run.sizes.clauses.to_string()),
            ]);
        }
        table.without_empty_columns()
    }

    fn json(&self) -> Value {
        let median_of = |c: Option<Censored>| {
            c.map_or(Value::Null, |c| json!({ "value": c.value, "at_least": c.at_least }))
        };
        let groups: Vec<Value> = self
            .groups()
            .iter()
            .map(|group| {
                let events = group.events();
                json!({
                    "c": group.c,
                    "instances": group.trials.len(),
                    "reachable": group.count(Reached::Yes),
                    "unreachable": group.count(Reached::No),
                    "unknown": group.count(Reached::Unknown),
                    "events_median_ms": events.map(|e| e.median),
                    "events_mean_ms": events.map(|e| e.mean),
                    "events_max_ms": events.map(|e| e.max),
                    "events_total_ms": events.map(|e| e.sum),
                    "bmc_median_ms": median_of(group.bmc_median()),
                    "bmc_cut": group.cut(),
                    "speed_up_median": median_of(group.speed_up()),
                    "enumerated": group.enumerated(),
                    "disagreements": group.disagreements(),
                })
            })
            .collect();
        let trials: Vec<Value> = self
            .trials
            .iter()
            .map(|trial| {
                json!({
                    "c": trial.instance.c,
                    "d": trial.instance.d,
                    "events": trial.events.json(),
                    "bmc": trial.bmc.as_ref().map(EventRun::json),
                    "enumeration": trial.truth,
                })
            })
            .collect();
        json!({ "disagreements": self.disagreements(), "groups": groups, "trials": trials })
    }

    /// The scatter plot: bmc to the right, events upwards. What was cut is on the right border.
    pub fn plots(&self) -> Vec<(&'static str, Plot)> {
        if !self.has_bmc() {
            return Vec::new();
        }
        let bmc_times = self.trials.iter().filter_map(|t| t.bmc.as_ref()).map(|r| r.milliseconds);
        let times = self.trials.iter().map(|t| t.events.milliseconds).chain(bmc_times);
        let longest = times.fold(1.0, f64::max);
        let border = 10f64.powf(longest.log10().ceil());
        let series = |name: &str, answer: Reached, is_cut: bool, mark: Mark| {
            let points = self.trials.iter().filter(|t| t.events.answer == answer).filter_map(|t| {
                let bmc = t.bmc.as_ref().filter(|run| run.is_cut() == is_cut)?;
                let x = if is_cut { border } else { bmc.milliseconds };
                Some((x, t.events.milliseconds))
            });
            let points: Vec<(f64, f64)> = points.collect();
            let name = format!("{name} ({})", points.len());
            Series { name, points, line: false, mark }
        };
        let all = vec![
            series("reachable", Reached::Yes, false, Mark::Circle),
            series("unreachable", Reached::No, false, Mark::Cross),
            series("reachable, bmc cut", Reached::Yes, true, Mark::Circle),
            series("unreachable, bmc cut", Reached::No, true, Mark::Cross),
        ];
        let all = all.into_iter().filter(|series| !series.points.is_empty()).collect();
        vec![(
            "events.svg",
            scatter(
                "Each instance by both methods",
                "bounded model checking",
                "event tracing",
                all,
            ),
        )]
    }
}

/// A whole number for a table.
fn whole(x: f64) -> String {
    format!("{x:.0}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Format;
    use crate::event_run::tests::{run, trial};

    fn report() -> EventReport {
        let trials = vec![
            trial(2, 0, run(Reached::No, 1.0), Some(run(Reached::No, 20.0))),
            trial(2, 6, run(Reached::Yes, 2.0), Some(run(Reached::Yes, 10.0))),
            trial(3, 0, run(Reached::No, 4.0), Some(run(Reached::Unknown, 100.0))),
        ];
        EventReport { trials, as_in_the_paper: Vec::new() }
    }

    #[test]
    fn each_c_has_a_row_and_cut_runs_are_told() {
        let text = report().document(Vec::new()).text(Format::Markdown);
        assert!(
            text.contains("| 2 | 2 | 1 | 1 | 1.50 | 1.50 | 2.00 | 3.0e-3 | 15.0 | 0 | 12.5 | 0 |")
        );
        assert!(text.contains("| >= 100 | 1 | >= 25.0 | 0 |"), "{text}");
        assert!(text.contains("bmc: at least 0.13 s; 1 of 3 were cut"), "{text}");
    }

    #[test]
    fn disagreements_are_named() {
        let mut report = report();
        report.trials[1].truth = Some(false);
        assert_eq!(report.disagreements(), 1);
        let text = report.document(Vec::new()).text(Format::Human);
        let line = "C = 2, D = 6: events reachable, bmc reachable, enumeration unreachable";
        assert!(text.contains(line), "{text}");
    }

    #[test]
    fn what_was_cut_is_on_the_border_of_the_plot() {
        let plots = report().plots();
        let series = &plots[0].1.series;
        let cut = series.iter().find(|s| s.name == "unreachable, bmc cut (1)").unwrap();
        assert_eq!(cut.points, [(100.0, 4.0)]);
        assert_eq!(series.len(), 3, "there is no reachable one that was cut");
        let mut alone = report();
        alone.trials.iter_mut().for_each(|t| t.bmc = None);
        assert!(alone.plots().is_empty());
    }
}
