//! A report: tables and lines, the four ways to write them, and where they go.

use crate::cli::{ReportArgs, ReportFormat};
use crate::machine::{Machine, today};
use crate::plot::Plot;
use crate::table::Table;
use crate::{Bench, Failure};
use serde_json::{Map, Value, json};
use std::io::Write as _;
use std::path::Path;

/// What every measurement ends in.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub title: String,
    /// Where, when and how it was measured.
    pub facts: Vec<(&'static str, String)>,
    pub parts: Vec<Part>,
    /// The table that has everything.
    pub rows: Table,
    /// What programs want to know besides tables.
    pub numbers: Map<String, Value>,
    /// By the names of their files.
    pub plots: Vec<(String, Plot)>,
    /// How the process should end.
    pub code: u8,
}

/// A part of a report.
#[derive(Clone, Debug)]
pub enum Part {
    /// A table with its name for programs and its heading.
    Table(&'static str, &'static str, Table),
    /// A table for terminals only, because documents have the one with everything.
    Short(&'static str, Table),
    Lines(Vec<String>),
}

impl Report {
    /// Adds a table, unless it has no rows.
    pub fn table(&mut self, name: &'static str, heading: &'static str, table: Table) {
        if !table.is_empty() {
            self.parts.push(Part::Table(name, heading, table.without_empty_columns()));
        }
    }

    /// Adds lines.
    pub fn lines(&mut self, lines: Vec<String>) {
        if !lines.is_empty() {
            self.parts.push(Part::Lines(lines));
        }
    }

    /// Says that not everything was measured, and exits with 3 unless something is wrong.
    pub fn interrupted(&mut self, bench: &Bench, done: usize, all: usize, what: &str) {
        if bench.is_interrupted() {
            self.facts.push(("interrupted", format!("after {done} of {all} {what}")));
            self.code = if self.code == 0 { 3 } else { self.code };
        }
    }

    /// Writes the report and its plots where they belong, and gives the exit code.
    pub fn publish(mut self, args: &ReportArgs) -> Result<u8, Failure> {
        let version = format!("ser {}", env!("CARGO_PKG_VERSION"));
        let date = (!args.no_date).then(|| ("date", today()));
        let machine = [("machine", Machine::this().line())].into_iter();
        let facts = machine.chain(date).chain([("version", version)]);
        self.facts.splice(0..0, facts.collect::<Vec<_>>());
        let failed = |path: &Path, e| Failure::new(format!("cannot write {}: {e}", path.display()));
        if let Some(folder) = &args.plot {
            let folder = Path::new(folder);
            std::fs::create_dir_all(folder).map_err(|e| failed(folder, e))?;
            for (name, plot) in &self.plots {
                let path = folder.join(name);
                std::fs::write(&path, plot.svg()).map_err(|e| failed(&path, e))?;
            }
        }
        let text = self.text(args.format);
        let path = Path::new(args.output.as_deref().unwrap_or("standard output"));
        let written = match &args.output {
            Some(path) => std::fs::write(path, text),
            None => std::io::stdout().write_all(text.as_bytes()),
        };
        written.map_err(|e| failed(path, e))?;
        Ok(self.code)
    }

    /// The report as text.
    pub fn text(&self, format: ReportFormat) -> String {
        match format {
            ReportFormat::Human => self.human(),
            ReportFormat::Csv => self.rows.csv(),
            ReportFormat::Json => self.json(),
            ReportFormat::Markdown => self.markdown(),
        }
    }

    fn json(&self) -> String {
        let mut object = json!({ "title": self.title });
        for (name, value) in &self.facts {
            object[name] = json!(value);
        }
        for (name, value) in &self.numbers {
            object[name] = value.clone();
        }
        for part in &self.parts {
            if let Part::Table(name, _, table) = part {
                object[name] = table.json();
            }
        }
        object["rows"] = self.rows.json();
        format!("{object:#}\n")
    }

    fn human(&self) -> String {
        let mut text = format!("{}\n", self.title);
        let facts = self.facts.iter().map(|(name, value)| format!("  {name}: {value}\n"));
        text.extend(facts);
        for part in &self.parts {
            text.push('\n');
            match part {
                Part::Table(_, heading, table) | Part::Short(heading, table) => {
                    text += &format!("{heading}\n{}", table.human());
                }
                Part::Lines(lines) => text.extend(lines.iter().map(|line| format!("  {line}\n"))),
            }
        }
        text
    }

    fn markdown(&self) -> String {
        let item = |line: &String| format!("- {line}\n");
        let section =
            |heading: &str, table: &Table| format!("## {heading}\n\n{}", table.markdown());
        let mut text = format!("# {}\n\n", self.title);
        text.extend(self.facts.iter().map(|(name, value)| item(&format!("{name}: {value}"))));
        for part in &self.parts {
            text.push('\n');
            match part {
                Part::Table(_, heading, table) => text += &section(heading, table),
                Part::Short(heading, _) => text += &section(heading, &self.rows),
                Part::Lines(lines) => text.extend(lines.iter().map(item)),
            }
        }
        if !self.parts.iter().any(|part| matches!(part, Part::Short(..))) {
            text += &format!("\n{}", section("All numbers", &self.rows));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_have_everything_where_people_see_the_short_table() {
        let table = |name| Table::of(&["cell"]).left(name, |cell| *cell).end();
        let report = Report {
            title: "T".into(),
            facts: vec![("date", "today".into())],
            parts: vec![Part::Short("H", table("short"))],
            rows: table("long"),
            ..Report::default()
        };
        assert!(report.text(ReportFormat::Human).contains("  short\n"));
        assert!(report.text(ReportFormat::Markdown).contains("| long |"));
        assert!(!report.text(ReportFormat::Markdown).contains("short"));
        assert_eq!(report.text(ReportFormat::Csv), "long\ncell\n");
        let value: Value = serde_json::from_str(&report.text(ReportFormat::Json)).unwrap();
        assert_eq!(value, json!({ "title": "T", "date": "today", "rows": [{ "long": "cell" }] }));
    }
}
