//! Tables: columns that say what they have of a row, cells that are data, and the ways to write
//! them.

use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// A table. What is a number stays one until somebody reads it.
///
/// ```
/// use ser_bench::table::Table;
///
/// let rows = [("a \"quick\" one", 1.23456), ("a slow one", 123.456)];
/// let table = Table::of(&rows).left("name", |row| row.0).right("ms", |row| row.1).end();
/// assert_eq!(table.csv(), "name,ms\n\"a \"\"quick\"\" one\",1.23456\na slow one,123.456\n");
/// assert_eq!(table.human(), "  name             ms\n  a \"quick\" one  1.23\n  a slow one      123\n");
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<Cell>>,
}

/// On which side the texts of a column begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    /// For words.
    Left,
    /// For numbers.
    Right,
}

/// What is in a place of a table.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    Empty,
    Text(String),
    Count(u64),
    /// People see three digits that mean something, programs six behind the point.
    Number(f64),
    /// A number with so many digits behind the point, for people.
    Fixed(f64, usize),
}

/// A number with so many digits behind the point.
pub fn fixed(x: f64, digits: usize) -> Cell {
    Cell::Fixed(x, digits)
}

macro_rules! cell_from {
    ($($from:ty => |$x:ident| $cell:expr;)*) => {
        $(impl From<$from> for Cell {
            fn from($x: $from) -> Cell {
                $cell
            }
        })*
    };
}

cell_from! {
    &str => |x| Cell::from(x.to_owned());
    String => |x| if x.is_empty() { Cell::Empty } else { Cell::Text(x) };
    usize => |x| Cell::Count(x as u64);
    u32 => |x| Cell::Count(x.into());
    u64 => |x| Cell::Count(x);
    f64 => |x| if x.is_finite() { Cell::Number(x) } else { Cell::Empty };
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(x: Option<T>) -> Cell {
        x.map_or(Cell::Empty, Into::into)
    }
}

impl Cell {
    fn for_people(&self) -> String {
        match self {
            Cell::Empty => String::new(),
            Cell::Text(text) => text.clone(),
            Cell::Count(n) => n.to_string(),
            Cell::Number(x) => number(*x),
            Cell::Fixed(x, digits) => format!("{x:.digits$}"),
        }
    }

    fn for_programs(&self) -> String {
        match self {
            Cell::Number(x) | Cell::Fixed(x, _) => rounded(*x).to_string(),
            _ => self.for_people(),
        }
    }

    fn json(&self) -> Value {
        match self {
            Cell::Empty => Value::Null,
            Cell::Text(text) => json!(text),
            Cell::Count(n) => json!(n),
            Cell::Number(x) | Cell::Fixed(x, _) => json!(rounded(*x)),
        }
    }
}

/// A number with three digits that mean something.
pub fn number(x: f64) -> String {
    match x.abs() {
        0.0 => "0".into(),
        size if size >= 100.0 => format!("{x:.0}"),
        size if size >= 10.0 => format!("{x:.1}"),
        size if size >= 0.01 => format!("{x:.2}"),
        _ => format!("{x:.1e}"),
    }
}

fn rounded(x: f64) -> f64 {
    (x * 1e6).round() / 1e6
}

/// Rows of which a table is made, column by column.
#[derive(Debug)]
pub struct Rows<'r, R> {
    rows: &'r [R],
    table: Table,
}

impl<R> Rows<'_, R> {
    /// A column of words: its name, and what it has of a row.
    pub fn left<T: Into<Cell>>(self, name: &str, cell: impl Fn(&R) -> T) -> Self {
        self.column(name, Align::Left, cell)
    }

    /// A column of numbers.
    pub fn right<T: Into<Cell>>(self, name: &str, cell: impl Fn(&R) -> T) -> Self {
        self.column(name, Align::Right, cell)
    }

    fn column<T: Into<Cell>>(mut self, name: &str, align: Align, cell: impl Fn(&R) -> T) -> Self {
        self.table.columns.push((name.to_owned(), align));
        for (cells, row) in self.table.rows.iter_mut().zip(self.rows) {
            cells.push(cell(row).into());
        }
        self
    }

    /// The table with all columns so far.
    pub fn end(self) -> Table {
        self.table
    }
}

impl Table {
    /// A row for each of these, without columns as yet.
    pub fn of<R>(rows: &[R]) -> Rows<'_, R> {
        let table = Table { columns: Vec::new(), rows: vec![Vec::new(); rows.len()] };
        Rows { rows, table }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Some columns by name, under other names.
    pub fn select(&self, names: &[(&str, &str)]) -> Table {
        let at = |name: &str| self.columns.iter().position(|(column, _)| column == name);
        let chosen: Vec<(usize, &str)> =
            names.iter().filter_map(|(name, new)| Some((at(name)?, *new))).collect();
        let columns =
            chosen.iter().map(|(at, name)| ((*name).to_owned(), self.columns[*at].1)).collect();
        let cells = |row: &Vec<Cell>| chosen.iter().map(|(at, _)| row[*at].clone()).collect();
        Table { columns, rows: self.rows.iter().map(cells).collect() }
    }

    /// Leaves out the columns in which every row is empty.
    pub fn without_empty_columns(self) -> Table {
        let used = |at: usize| self.rows.iter().any(|row| row[at] != Cell::Empty);
        let used: Vec<bool> = (0..self.columns.len()).map(used).collect();
        let columns = kept(self.columns, &used);
        Table { columns, rows: self.rows.into_iter().map(|row| kept(row, &used)).collect() }
    }

    /// Comma-separated values after RFC 4180, with line feeds.
    pub fn csv(&self) -> String {
        let cell = |text: String| match text.contains([',', '"', '\n', '\r']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text,
        };
        let line = |cells: &mut dyn Iterator<Item = String>| {
            let cells: Vec<String> = cells.map(cell).collect();
            format!("{}\n", cells.join(","))
        };
        let mut text = line(&mut self.columns.iter().map(|(name, _)| name.clone()));
        for row in &self.rows {
            text.push_str(&line(&mut row.iter().map(Cell::for_programs)));
        }
        text
    }

    /// An object for each row, without what is empty.
    pub fn json(&self) -> Value {
        let row = |row: &Vec<Cell>| {
            let cells = self.columns.iter().zip(row).map(|((name, _), cell)| (key(name), cell));
            let filled = cells.filter(|(_, cell)| **cell != Cell::Empty);
            Value::Object(filled.map(|(name, cell)| (name, cell.json())).collect::<Map<_, _>>())
        };
        self.rows.iter().map(row).collect()
    }

    /// A table in Markdown.
    pub fn markdown(&self) -> String {
        let escape = |cell: &str| cell.replace('|', "\\|").replace('\n', " ");
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = line(self.columns.iter().map(|(name, _)| escape(name)).collect());
        let rule = |align| if align == Align::Left { "---" } else { "---:" };
        text += &line(self.columns.iter().map(|(_, align)| rule(*align).to_owned()).collect());
        for row in &self.rows {
            text += &line(row.iter().map(|cell| escape(&cell.for_people())).collect());
        }
        text
    }

    /// A table for a terminal.
    pub fn human(&self) -> String {
        let mut lines: Vec<Vec<String>> =
            vec![self.columns.iter().map(|(name, _)| name.clone()).collect()];
        lines.extend(self.rows.iter().map(|row| row.iter().map(Cell::for_people).collect()));
        let width = |at: usize| lines.iter().map(|line| line[at].chars().count()).max();
        let widths: Vec<usize> = (0..self.columns.len()).map(|at| width(at).unwrap_or(0)).collect();
        let mut text = String::new();
        for cells in lines {
            let mut line = String::new();
            for ((cell, (_, align)), width) in cells.iter().zip(&self.columns).zip(&widths) {
                let _ = match align {
                    Align::Left => write!(line, "  {cell:<width$}"),
                    Align::Right => write!(line, "  {cell:>width$}"),
                };
            }
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }
}

fn kept<T>(list: Vec<T>, used: &[bool]) -> Vec<T> {
    list.into_iter().zip(used).filter(|(_, used)| **used).map(|(it, _)| it).collect()
}

/// The name of a column as programs write names.
fn key(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn odd() -> Table {
        let rows = [("x, \"y\"\nz", Some(1_u32)), ("w", None)];
        Table::of(&rows).left("a|b", |row| row.0).right("c", |row| row.1).end()
    }

    #[test]
    fn numbers_have_three_digits_for_people_and_more_for_programs() {
        let all = [0.0, 0.00123, 0.123, 1.239, 12.39, 123.9, 12_345.6].map(number);
        assert_eq!(all, ["0", "1.2e-3", "0.12", "1.24", "12.4", "124", "12346"]);
        assert_eq!(Cell::from(f64::NAN), Cell::Empty);
        assert_eq!(Cell::from(123.456_789_1).for_programs(), "123.456789");
        assert_eq!(fixed(1.0, 2).for_people(), "1.00");
    }

    #[test]
    fn what_is_written_as_csv_is_read_back() {
        let csv = odd().csv();
        assert_eq!(csv, "a|b,c\n\"x, \"\"y\"\"\nz\",1\nw,\n");
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows, [vec!["x, \"y\"\nz", "1"], vec!["w", ""]]);
    }

    #[test]
    fn bars_and_line_ends_do_not_break_markdown() {
        assert_eq!(
            odd().markdown(),
            "| a\\|b | c |\n| --- | ---: |\n| x, \"y\" z | 1 |\n| w |  |\n"
        );
    }

    #[test]
    fn objects_have_names_for_programs_and_nothing_that_is_empty() {
        assert_eq!(odd().json(), json!([{ "a_b": "x, \"y\"\nz", "c": 1 }, { "a_b": "w" }]));
    }

    #[test]
    fn columns_are_aligned_for_people() {
        let rows = [("a", 10_u32), ("longer", 1)];
        let table = Table::of(&rows).left("name", |row| row.0).right("n", |row| row.1);
        let table = table.left("", |_| "").end().without_empty_columns();
        assert_eq!(table.human(), "  name     n\n  a       10\n  longer   1\n");
        let chosen = table.select(&[("n", "count"), ("nothing", "x")]);
        assert_eq!(chosen.csv(), "count\n10\n1\n");
    }
}
