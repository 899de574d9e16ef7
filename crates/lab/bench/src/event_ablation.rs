//! What each part of the encoding is good for: event tracing with one thing changed at a time.

use crate::document::{Document, Section, number};
use crate::event_run::{Censored, EventRun, Reached};
use crate::lost_updates::Instance;
use crate::statistics::{Summary, median};
use crate::table::{Align, Table};
use serde_json::{Value, json};

/// All runs, by what was changed.
#[derive(Clone, Debug, Default)]
pub struct EventAblation {
    /// What was asked.
    pub instances: Vec<Instance>,
    /// What was changed, and one run for each instance. The first one is without changes.
    pub rows: Vec<(String, Vec<EventRun>)>,
}

impl EventAblation {
    /// How often an answer is not that of the first row.
    pub fn disagreements(&self) -> usize {
        let Some((_, first)) = self.rows.first() else { return 0 };
        let differ = |(ours, theirs): (&EventRun, &EventRun)| {
            let both = [ours.answer, theirs.answer];
            both.contains(&Reached::Yes) && both.contains(&Reached::No)
        };
        self.rows
            .iter()
            .map(|(_, runs)| first.iter().zip(runs).filter(|p| differ(*p)).count())
            .sum()
    }

    /// The report.
    pub fn document(&self, facts: Vec<(String, String)>) -> Document {
        let mut summary = Table::new(&[
            ("changed", Align::Left),
            ("instances", Align::Right),
            ("timeouts", Align::Right),
            ("median ms", Align::Right),
            ("mean ms", Align::Right),
            ("max ms", Align::Right),
            ("median slow-down", Align::Right),
            ("variables", Align::Right),
            ("clauses", Align::Right),
        ]);
        let mut table = Table::new(&[
            ("changed", Align::Left),
            ("C", Align::Right),
            ("D", Align::Right),
            ("answer", Align::Left),
            ("ms", Align::Right),
            ("variables", Align::Right),
            ("clauses", Align::Right),
            ("reason", Align::Left),
        ]);
        for (name, runs) in &self.rows {
            let cut = runs.iter().filter(|run| run.is_cut()).count();
            let times: Vec<Censored> = runs.iter().map(Censored::time).collect();
            let all = Summary::of(times.iter().map(|t| t.value));
            let bound = |of: fn(Summary) -> f64| {
                let value = all.map(of)?;
                Some(Censored { value, at_least: cut > 0 }.text())
            };
            summary.row([
                name.clone(),
                runs.len().to_string(),
                cut.to_string(),
                Censored::median(&times).map(Censored::text).unwrap_or_default(),
                bound(|s| s.mean).unwrap_or_default(),
                bound(|s| s.max).unwrap_or_default(),
                self.slow_down(runs).map(Censored::text).unwrap_or_default(),
                format!("{:.0}", median(runs.iter().map(|run| run.sizes.variables as f64))),
                format!("{:.0}", median(runs.iter().map(|run| run.sizes.clauses as f64))),
            ]);
            for (instance, run) in self.instances.iter().zip(runs) {
                table.row([
                    name.clone(),
                    instance.c.to_string(),
                    instance.d.to_string(),
                    run.answer.name().to_owned(),
                    number(run.milliseconds),
                    run.sizes.variables.to_string(),
                    run.sizes.clauses.to_string(),
                    run.reason.clone(),
                ]);
            }
        }
        let lines = vec![
            "runs that were cut count with the time until then; variables and clauses are medians"
                .to_owned(),
            format!("{} disagreements", self.disagreements()),
        ];
        Document {
            title: "What each part of the encoding is good for".into(),
            facts,
            sections: vec![Section::Table("Changes".into(), summary), Section::Lines(lines)],
            table: table.without_empty_columns(),
            json: self.json(),
        }
    }

    /// How many times longer these runs take than those without changes.
    fn slow_down(&self, runs: &[EventRun]) -> Option<Censored> {
        let (_, first) = self.rows.first()?;
        let pairs = first.iter().zip(runs).filter(|(base, _)| !base.is_cut());
        let ratios = pairs.map(|(base, run)| Censored {
            value: run.milliseconds / base.milliseconds,
            at_least: run.is_cut(),
        });
        Censored::median(&ratios.collect::<Vec<_>>())
    }

    fn json(&self) -> Value {
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|(name, runs)| {
                let runs: Vec<Value> = self
                    .instances
                    .iter()
                    .zip(runs)
                    .map(|(instance, run)| {
                        json!({ "c": instance.c, "d": instance.d, "run": run.json() })
                    })
                    .collect();
                json!({ "changed": name, "runs": runs })
            })
            .collect();
        json!({ "disagreements": self.disagreements(), "rows": rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Format;
    use crate::event_run::tests::run;

    #[test]
    fn changes_are_compared_with_nothing_changed() {
        let instances = vec![Instance { c: 2, d: 0 }, Instance { c: 2, d: 6 }];
        let plain = vec![run(Reached::No, 1.0), run(Reached::Yes, 2.0)];
        let slow = vec![run(Reached::No, 3.0), run(Reached::Unknown, 10.0)];
        let rows = vec![("nothing".to_owned(), plain), ("lazy-order".to_owned(), slow)];
        let mut ablation = EventAblation { instances, rows };
        let text = ablation.document(Vec::new()).text(Format::Markdown);
        assert!(text.contains("| nothing | 2 | 0 | 1.50 | 1.50 | 2.00 | 1.00 | 5 | 7 |"), "{text}");
        assert!(text.contains("| lazy-order | 2 | 1 | >= 6.50 | >= 6.50 | >= 10.0 | >= 4.00 |"));
        assert_eq!(ablation.disagreements(), 0);
        ablation.rows[1].1[0].answer = Reached::Yes;
        assert_eq!(ablation.disagreements(), 1);
    }
}
