//! A report as data, and the four ways to write it.

use crate::machine::Machine;
use crate::table::Table;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// How to write a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people at a terminal.
    Human,
    /// One table, for spreadsheets.
    Csv,
    /// Everything, for programs.
    Json,
    /// For documents.
    Markdown,
}

/// A report.
#[derive(Clone, Debug)]
pub struct Document {
    /// What it is about.
    pub title: String,
    /// Where, when and how it was measured.
    pub facts: Vec<(String, String)>,
    /// Its parts, in order.
    pub sections: Vec<Section>,
    /// The table that has everything.
    pub table: Table,
    /// Everything else for programs: an object.
    pub json: Value,
}

/// A part of a report.
#[derive(Clone, Debug)]
pub enum Section {
    /// A table with a heading.
    Table(String, Table),
    /// A table for terminals only, because documents have the one with everything.
    Short(String, Table),
    /// Lines of text.
    Lines(Vec<String>),
}

/// When, where and with which limits something was measured.
pub fn facts(date: Option<String>, limits: String) -> Vec<(String, String)> {
    let mut facts = vec![("machine".to_owned(), Machine::this().line())];
    facts.extend(date.map(|date| ("date".to_owned(), date)));
    facts.push(("version".to_owned(), format!("ser {}", env!("CARGO_PKG_VERSION"))));
    facts.push(("limits".to_owned(), limits));
    facts
}

impl Document {
    /// The report as text.
    pub fn text(&self, format: Format) -> String {
        match format {
            Format::Human => self.human(),
            Format::Csv => self.table.csv(),
            Format::Json => self.json(),
            Format::Markdown => self.markdown(),
        }
    }

    fn json(&self) -> String {
        let mut object = json!({ "title": self.title });
        for (name, value) in &self.facts {
            object[name] = json!(value);
        }
        if let Value::Object(rest) = &self.json {
            for (name, value) in rest {
                object[name] = value.clone();
            }
        }
        format!("{object:#}\n")
    }

    fn human(&self) -> String {
        let mut text = format!("{}\n", self.title);
        for (name, value) in &self.facts {
            let _ = writeln!(text, "  {name}: {value}");
        }
        for section in &self.sections {
            text.push('\n');
            match section {
                Section::Table(heading, table) | Section::Short(heading, table) => {
                    let _ = write!(text, "{heading}\n{}", table.human());
                }
                Section::Lines(lines) => {
                    for line in lines {
                        let _ = writeln!(text, "  {line}");
                    }
                }
            }
        }
        text
    }

    fn markdown(&self) -> String {
        let mut text = format!("# {}\n\n", self.title);
        for (name, value) in &self.facts {
            let _ = writeln!(text, "- {name}: {value}");
        }
        let mut whole = false;
        for section in &self.sections {
            text.push('\n');
            match section {
                Section::Table(heading, table) => {
                    let _ = write!(text, "## {heading}\n\n{}", table.markdown());
                }
                Section::Short(heading, _) => {
                    whole = true;
                    let _ = write!(text, "## {heading}\n\n{}", self.table.markdown());
                }
                Section::Lines(lines) => {
                    for line in lines {
                        let _ = writeln!(text, "- {line}");
                    }
                }
            }
        }
        if !whole {
            let _ = write!(text, "\n## All numbers\n\n{}", self.table.markdown());
        }
        text
    }
}

/// A number for a table: three digits that mean something, empty if there is none.
pub fn number(x: impl Into<Option<f64>>) -> String {
    match x.into().filter(|x| x.is_finite()) {
        None => String::new(),
        Some(0.0) => "0".into(),
        Some(x) if x.abs() >= 100.0 => format!("{x:.0}"),
        Some(x) if x.abs() >= 10.0 => format!("{x:.1}"),
        Some(x) if x.abs() >= 0.01 => format!("{x:.2}"),
        Some(x) => format!("{x:.1e}"),
    }
}

/// A count for a table, empty if there is none.
pub fn count(n: Option<u64>) -> String {
    n.map(|n| n.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Align;

    #[test]
    fn numbers_have_three_digits() {
        let all = [0.0, 0.00123, 0.123, 1.239, 12.39, 123.9, 12_345.6].map(number);
        assert_eq!(all, ["0", "1.2e-3", "0.12", "1.24", "12.4", "124", "12346"]);
        assert_eq!(number(None), "");
        assert_eq!(number(f64::NAN), "");
    }

    #[test]
    fn documents_have_everything_where_people_see_the_short_table() {
        let table = |name| {
            let mut table = Table::new(&[(name, Align::Left)]);
            table.row(["cell"]);
            table
        };
        let document = Document {
            title: "T".into(),
            facts: vec![("date".into(), "today".into())],
            sections: vec![Section::Short("H".into(), table("short"))],
            table: table("long"),
            json: json!({ "rows": [1] }),
        };
        assert!(document.text(Format::Human).contains("  short\n"));
        assert!(document.text(Format::Markdown).contains("| long |"));
        assert!(!document.text(Format::Markdown).contains("short"));
        assert_eq!(document.text(Format::Csv), "long\ncell\n");
        let value: Value = serde_json::from_str(&document.text(Format::Json)).unwrap();
        assert_eq!(value, json!({ "title": "T", "date": "today", "rows": [1] }));
    }
}
