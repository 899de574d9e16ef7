//! What each part of the encoding is good for: event tracing with one thing changed at a time.

use crate::event_run::{Censored, EventRun};
use crate::lost_updates::Instance;
use crate::report::Report;
use crate::statistics::{Summary, median};
use crate::table::{Table, fixed};
use crate::verdict::{REACHABILITY, Verdict};
use serde_json::json;

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
            both.contains(&Verdict::Yes) && both.contains(&Verdict::No)
        };
        self.rows
            .iter()
            .map(|(_, runs)| first.iter().zip(runs).filter(|p| differ(*p)).count())
            .sum()
    }

    pub fn report(&self) -> Report {
        type Row = (String, Vec<EventRun>);
        let cut = |runs: &[EventRun]| runs.iter().filter(|run| run.is_cut()).count();
        let times = |runs: &[EventRun]| runs.iter().map(Censored::time).collect::<Vec<_>>();
        let bound = |runs: &[EventRun], of: fn(Summary) -> f64| {
            let value = Summary::of(runs.iter().map(|run| run.milliseconds)).map(of)?;
            Some(Censored { value, at_least: cut(runs) > 0 })
        };
        let size = |of: fn(&EventRun) -> usize| {
            move |(_, runs): &Row| fixed(median(runs.iter().map(|run| of(run) as f64)), 0)
        };
        let summary = Table::of(&self.rows)
            .left("changed", |(name, _): &Row| name.clone())
            .right("instances", |(_, runs)| runs.len())
            .right("timeouts", |(_, runs)| cut(runs))
            .right("median ms", |(_, runs)| Censored::median(&times(runs)))
            .right("mean ms", |(_, runs)| bound(runs, |all| all.mean))
            .right("max ms", |(_, runs)| bound(runs, |all| all.max))
            .right("median slow-down", |(_, runs)| self.slow_down(runs))
            .right("variables", size(|run| run.sizes.variables))
            .right("clauses", size(|run| run.sizes.clauses))
            .end();
        let mut all = Vec::new();
        for (name, runs) in &self.rows {
            all.extend(
                self.instances.iter().zip(runs).map(|(instance, run)| (name, instance, run)),
            );
        }
        type Run<'a> = (&'a String, &'a Instance, &'a EventRun);
        let columns = Table::of(&all)
            .left("changed", |(name, ..): &Run<'_>| (*name).clone())
            .right("C", |(_, instance, _)| instance.c)
            .right("D", |(_, instance, _)| instance.d)
            .left("answer", |(.., run)| run.answer.name(REACHABILITY))
            .right("ms", |(.., run)| run.milliseconds)
            .right("variables", |(.., run)| run.sizes.variables)
            .right("clauses", |(.., run)| run.sizes.clauses)
            .left("reason", |(.., run)| run.reason.clone())
            .end();
        let mut report = Report {
            title: "What each part of the encoding is good for".into(),
            rows: columns.without_empty_columns(),
            code: u8::from(self.disagreements() > 0),
            ..Report::default()
        };
        report.numbers.insert("disagreements".into(), json!(self.disagreements()));
        report.table("changes", "Changes", summary);
        report.lines(vec![
            "runs that were cut count with the time until then; variables and clauses are medians"
                .to_owned(),
            format!("{} disagreements", self.disagreements()),
        ]);
        report
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::ReportFormat;
    use crate::event_run::tests::run;

    #[test]
    fn changes_are_compared_with_nothing_changed() {
        let instances = vec![Instance { c: 2, d: 0 }, Instance { c: 2, d: 6 }];
        let plain = vec![run(Verdict::No, 1.0), run(Verdict::Yes, 2.0)];
        let slow = vec![run(Verdict::No, 3.0), run(Verdict::Unknown, 10.0)];
        let rows = vec![("nothing".to_owned(), plain), ("lazy-order".to_owned(), slow)];
        let mut ablation = EventAblation { instances, rows };
        let text = ablation.report().text(ReportFormat::Markdown);
        assert!(text.contains("| nothing | 2 | 0 | 1.50 | 1.50 | 2.00 | 1.00 | 5 | 7 |"), "{text}");
        assert!(text.contains("| lazy-order | 2 | 1 | >= 6.50 | >= 6.50 | >= 10.0 | >= 4.00 |"));
        assert_eq!(ablation.disagreements(), 0);
        ablation.rows[1].1[0].answer = Verdict::Yes;
        assert_eq!(ablation.disagreements(), 1);
    }
}
