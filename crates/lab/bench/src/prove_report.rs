//! Parametrized invariance beside Figure 7 of the paper: how many conditions, what they were proved with, and how long that took
//! with which tactics.

use crate::document::{Document, Section};
use crate::prove_paper::Published;
use crate::table::{Align, Table};
use serde_json::{Value, json};

/// Which tactics are used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Setting {
    /// All of them: the paper's column *Tactics*.
    All,
    /// Support where it is said to be needed, at offending transitions only: *Offend*.
    Offending,
    /// Support where it is said to be needed: *Supp*.
    Needed,
    /// All invariants for all conditions: *Full supp*.
    None,
    /// All but needed support.
    WithoutNeeded,
    /// All but offending transitions.
    WithoutOffending,
    /// All but lazy instances.
    WithoutLazy,
    /// All but simplification.
    WithoutSimplify,
}

impl Setting {
    /// All of them, in the order of the report.
    pub const ALL: [Setting; 8] = [
        Setting::All,
        Setting::Offending,
        Setting::Needed,
        Setting::None,
        Setting::WithoutNeeded,
        Setting::WithoutOffending,
        Setting::WithoutLazy,
        Setting::WithoutSimplify,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Setting::All => "all tactics",
            Setting::Offending => "needed and offending",
            Setting::Needed => "needed",
            Setting::None => "none",
            Setting::WithoutNeeded => "without needed",
            Setting::WithoutOffending => "without offending",
            Setting::WithoutLazy => "without lazy",
            Setting::WithoutSimplify => "without simplify",
        }
    }

    /// The paper's time for the same, if it has one.
    fn published(self, row: &Published) -> Option<Option<f64>> {
        match self {
            Setting::All => Some(Some(row.tactics)),
            Setting::Offending => Some(row.offending),
            Setting::Needed => Some(row.support),
            Setting::None => Some(row.full),
            _ => None,
        }
    }
}

/// What came of one measurement.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Outcome {
    /// All conditions were proved, in so many seconds.
    Proved(f64),
    /// Not within the time.
    Timeout,
    /// Some condition was not proved, though there was time.
    Open,
}

impl Outcome {
    fn text(self) -> String {
        match self {
            Outcome::Proved(seconds) => format!("{seconds:.4}"),
            Outcome::Timeout => "TO".to_owned(),
            Outcome::Open => "open".to_owned(),
        }
    }

    fn json(self) -> Value {
        match self {
            Outcome::Proved(seconds) => json!((seconds * 1e6).round() / 1e6),
            Outcome::Timeout => json!("TO"),
            Outcome::Open => json!("open"),
        }
    }
}

/// Everything about one row.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// What the paper says.
    pub paper: &'static Published,
    /// How many threads our formula speaks of.
    pub index: usize,
    /// How many conditions we have.
    pub conditions: usize,
    /// How many of them locations alone prove, and numbers, sets and lists.
    pub by: [usize; 4],
    /// What was measured.
    pub outcomes: Vec<(Setting, Outcome)>,
}

impl Row {
    fn outcome(&self, setting: Setting) -> Option<Outcome> {
        self.outcomes.iter().find(|(it, _)| *it == setting).map(|(_, outcome)| *outcome)
    }

    fn cell(&self, setting: Setting) -> String {
        self.outcome(setting).map(Outcome::text).unwrap_or_default()
    }

    fn paper_cell(&self, setting: Setting) -> String {
        match setting.published(self.paper) {
            None => String::new(),
            Some(None) => "TO".to_owned(),
            Some(Some(seconds)) => format!("{seconds:.2}"),
        }
    }

    /// Whether we have as many conditions as the paper.
    pub fn is_same_size(&self) -> bool {
        self.conditions == self.paper.conditions as usize
    }

    /// Whether all tactics together are slower than in the paper.
    pub fn is_slower(&self) -> bool {
        match self.outcome(Setting::All) {
            Some(Outcome::Proved(seconds)) => seconds > self.paper.tactics,
            _ => true,
        }
    }

    fn json(&self) -> Value {
        let [locations, numbers, sets, lists] = self.by;
        let times: serde_json::Map<String, Value> = self
            .outcomes
            .iter()
            .map(|(setting, outcome)| (setting.name().to_owned(), outcome.json()))
            .collect();
        let paper = self.paper;
        json!({
            "name": paper.name,
            "file": paper.file,
            "invariant": paper.invariant,
            "index": self.index,
            "conditions": self.conditions,
            "by": { "locations": locations, "numbers": numbers, "sets": sets, "lists": lists },
            "seconds": times,
            "paper": {
                "index": paper.index, "conditions": paper.conditions, "positions": paper.positions, "procedures": paper.procedures,
                "full": paper.full, "support": paper.support, "offending": paper.offending, "tactics": paper.tactics,
            },
        })
    }
}

/// Everything that was measured.
#[derive(Clone, Debug, Default)]
pub struct ProveReport {
    /// The rows, in the order of the paper.
    pub rows: Vec<Row>,
}

impl ProveReport {
    /// 0, or 1 if a row is not proved though there was time, or 3 if there was not.
    pub fn exit_code(&self) -> u8 {
        let any = |wanted: &dyn Fn(Outcome) -> bool| {
            self.rows.iter().any(|row| row.outcome(Setting::All).is_none_or(wanted))
        };
        match () {
            () if any(&|outcome| outcome == Outcome::Open) => 1,
            () if any(&|outcome| outcome == Outcome::Timeout) => 3,
            () => 0,
        }
    }

    /// The report.
    pub fn document(&self, facts: Vec<(String, String)>) -> Document {
        let sections = vec![
            Section::Table("Conditions".into(), self.conditions()),
            Section::Lines(self.summary()),
            Section::Table("Seconds, ours and those of the paper".into(), self.times()),
            Section::Table("Seconds with each tactic switched off".into(), self.without()),
        ];
        let json = json!({ "rows": self.rows.iter().map(Row::json).collect::<Vec<_>>() });
        let title = "Parametrized invariance".into();
        Document { title, facts, sections, table: self.everything(), json }
    }

    fn conditions(&self) -> Table {
        let mut table = Table::new(&[
            ("row", Align::Left),
            ("threads", Align::Right),
            ("conditions", Align::Right),
            ("paper: conditions", Align::Right),
            ("by locations", Align::Right),
            ("paper: by position", Align::Right),
            ("by numbers", Align::Right),
            ("by sets", Align::Right),
            ("by lists", Align::Right),
            ("paper: by procedures", Align::Right),
        ]);
        for row in &self.rows {
            let [locations, numbers, sets, lists] = row.by;
            table.row([
                row.paper.name.to_owned(),
                row.index.to_string(),
                row.conditions.to_string(),
                row.paper.conditions.to_string(),
                locations.to_string(),
                row.paper.positions.to_string(),
                numbers.to_string(),
                sets.to_string(),
                lists.to_string(),
                row.paper.procedures.to_string(),
            ]);
        }
        table
    }

    fn summary(&self) -> Vec<String> {
        let all = self.rows.len();
        let proved = self
            .rows
            .iter()
            .filter(|row| matches!(row.outcome(Setting::All), Some(Outcome::Proved(_))))
            .count();
        let same = self.rows.iter().filter(|row| row.is_same_size()).count();
        let slower: Vec<&str> =
            self.rows.iter().filter(|row| row.is_slower()).map(|row| row.paper.name).collect();
        let mut lines = vec![format!(
            "{proved} of {all} rows proved, {same} of them with as many conditions as in the paper"
        )];
        lines.push(match slower.as_slice() {
            [] => "no row takes longer than in the paper, with all tactics".to_owned(),
            names => format!("longer than in the paper, with all tactics: {}", names.join(", ")),
        });
        lines
    }

    fn times(&self) -> Table {
        let settings = [Setting::All, Setting::Offending, Setting::Needed, Setting::None];
        let mut columns = vec![("row".to_owned(), Align::Left)];
        for setting in settings {
            columns.push((setting.name().to_owned(), Align::Right));
            columns.push(("paper".to_owned(), Align::Right));
        }
        let columns: Vec<(&str, Align)> = columns.iter().map(|(n, a)| (n.as_str(), *a)).collect();
        let mut table = Table::new(&columns);
        for row in &self.rows {
            let mut cells = vec![row.paper.name.to_owned()];
            for setting in settings {
                cells.extend([row.cell(setting), row.paper_cell(setting)]);
            }
            table.row(cells);
        }
        table
    }

    fn without(&self) -> Table {
        let settings = [
            Setting::All,
            Setting::WithoutNeeded,
            Setting::WithoutOffending,
            Setting::WithoutLazy,
            Setting::WithoutSimplify,
        ];
        let mut columns = vec![("row", Align::Left)];
        columns.extend(settings.iter().map(|it| (it.name(), Align::Right)));
        let mut table = Table::new(&columns);
        for row in &self.rows {
            let name = [row.paper.name.to_owned()];
            table.row(name.into_iter().chain(settings.iter().map(|it| row.cell(*it))));
        }
        table.without_empty_columns()
    }

    /// A line for each measurement.
    fn everything(&self) -> Table {
        let mut table = Table::new(&[
            ("row", Align::Left),
            ("file", Align::Left),
            ("invariant", Align::Left),
            ("conditions", Align::Right),
            ("tactics", Align::Left),
            ("seconds", Align::Right),
            ("paper", Align::Right),
        ]);
        for row in &self.rows {
            for (setting, outcome) in &row.outcomes {
                table.row([
                    row.paper.name.to_owned(),
                    row.paper.file.to_owned(),
                    row.paper.invariant.to_owned(),
                    row.conditions.to_string(),
                    setting.name().to_owned(),
                    outcome.text(),
                    row.paper_cell(*setting),
                ]);
            }
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Format;
    use crate::prove_paper::published;

    fn row(all: Outcome) -> Row {
        let paper = published("list").expect("a row");
        let outcomes = vec![(Setting::All, all), (Setting::None, Outcome::Timeout)];
        Row { paper, index: 0, conditions: 61, by: [52, 0, 0, 9], outcomes }
    }

    #[test]
    fn what_is_not_proved_with_all_tactics_counts() {
        let code = |all| ProveReport { rows: vec![row(all)] }.exit_code();
        assert_eq!(code(Outcome::Proved(0.5)), 0);
        assert_eq!(code(Outcome::Open), 1);
        assert_eq!(code(Outcome::Timeout), 3);
    }

    #[test]
    fn the_report_has_both_sides() {
        let report = ProveReport { rows: vec![row(Outcome::Proved(0.5))] };
        let text = report.document(Vec::new()).text(Format::Markdown);
        assert!(text.contains("1 of 1 rows proved, 1 of them with as many conditions"), "{text}");
        assert!(text.contains("no row takes longer"), "{text}");
        assert!(text.contains("12.85") && text.contains("TO"), "{text}");
        assert!(row(Outcome::Proved(13.0)).is_slower());
    }
}
