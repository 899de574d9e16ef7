//! Tables, and the ways to write them: aligned for people, Markdown, CSV.

use std::fmt::Write as _;

/// A table of texts. Rows are as long as the list of columns; what is missing is empty.
///
/// ```
/// use ser_bench::table::{Align, Table};
///
/// let mut table = Table::new(&[("name", Align::Left), ("ms", Align::Right)]);
/// table.row(["a \"quick\" one", "1"]);
/// assert_eq!(table.csv(), "name,ms\n\"a \"\"quick\"\" one\",1\n");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

/// On which side the texts of a column begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    /// For words.
    Left,
    /// For numbers.
    Right,
}

impl Table {
    /// A table without rows.
    pub fn new(columns: &[(&str, Align)]) -> Table {
        let columns = columns.iter().map(|(name, align)| ((*name).to_owned(), *align)).collect();
        Table { columns, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        let mut row: Vec<String> = cells.into_iter().map(Into::into).collect();
        row.resize(self.columns.len(), String::new());
        self.rows.push(row);
    }

    /// Leaves out the columns in which every row is empty.
    pub fn without_empty_columns(mut self) -> Table {
        let used: Vec<bool> =
            (0..self.columns.len()).map(|c| self.rows.iter().any(|r| !r[c].is_empty())).collect();
        let keep = |at: &mut std::slice::Iter<'_, bool>| at.next().copied().unwrap_or(true);
        let mut at = used.iter();
        self.columns.retain(|_| keep(&mut at));
        for row in &mut self.rows {
            let mut at = used.iter();
            row.retain(|_| keep(&mut at));
        }
        self
    }

    /// Comma-separated values after RFC 4180, with line feeds.
    pub fn csv(&self) -> String {
        let mut text = csv_line(self.columns.iter().map(|(name, _)| name.as_str()));
        for row in &self.rows {
            text.push_str(&csv_line(row.iter().map(String::as_str)));
        }
        text
    }

    /// A table in Markdown.
    pub fn markdown(&self) -> String {
        let escape = |cell: &str| cell.replace('|', "\\|").replace('\n', " ");
        let line = |cells: &mut dyn Iterator<Item = String>| {
            let cells: Vec<String> = cells.collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let mut text = line(&mut self.columns.iter().map(|(name, _)| escape(name)));
        text.push_str(&line(&mut self.columns.iter().map(|(_, align)| match align {
            Align::Left => "---".to_owned(),
            Align::Right => "---:".to_owned(),
        })));
        for row in &self.rows {
            text.push_str(&line(&mut row.iter().map(|cell| escape(cell))));
        }
        text
    }

    /// A table for a terminal.
    pub fn human(&self) -> String {
        let width = |text: &str| text.chars().count();
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|c| {
                let cells = self.rows.iter().map(|row| width(&row[c]));
                cells.max().unwrap_or(0).max(width(&self.columns[c].0))
            })
            .collect();
        let mut text = String::new();
        let names: Vec<String> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        for row in std::iter::once(&names).chain(&self.rows) {
            let mut line = String::new();
            for ((cell, (_, align)), width) in row.iter().zip(&self.columns).zip(&widths) {
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

fn csv_line<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let cells: Vec<String> = cells.map(csv_cell).collect();
    format!("{}\n", cells.join(","))
}

fn csv_cell(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

/// Reads comma-separated values: a list of rows. Quoted cells may have commas, line ends and doubled
/// quotation marks; empty lines are left out.
///
/// ```
/// assert_eq!(ser_bench::table::read_csv("a,\"b, c\"\r\n\n1,2\n"), [["a", "b, c"], ["1", "2"]]);
/// ```
pub fn read_csv(text: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut row: Vec<String> = Vec::new();
    let mut cell = String::new();
    let mut quoted = false;
    let mut characters = text.trim_start_matches('\u{feff}').chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' if quoted => quoted = false,
            _ if quoted => cell.push(c),
            '"' if cell.is_empty() => quoted = true,
            ',' => row.push(std::mem::take(&mut cell)),
            '\r' if characters.peek() == Some(&'\n') => {}
            '\n' => end_row(&mut rows, &mut row, &mut cell),
            _ => cell.push(c),
        }
    }
    end_row(&mut rows, &mut row, &mut cell);
    rows
}

fn end_row(rows: &mut Vec<Vec<String>>, row: &mut Vec<String>, cell: &mut String) {
    if row.is_empty() && cell.is_empty() {
        return;
    }
    row.push(std::mem::take(cell));
    rows.push(std::mem::take(row));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn odd() -> Table {
        let mut table = Table::new(&[("a|b", Align::Left), ("c", Align::Right)]);
        table.row(["x, \"y\"\nz", "1"]);
        table.row(["w"]);
        table
    }

    #[test]
    fn what_is_written_as_csv_is_read_back() {
        let csv = odd().csv();
        assert_eq!(csv, "a|b,c\n\"x, \"\"y\"\"\nz\",1\nw,\n");
        assert_eq!(read_csv(&csv), [vec!["a|b", "c"], vec!["x, \"y\"\nz", "1"], vec!["w", ""]]);
    }

    #[test]
    fn bars_and_line_ends_do_not_break_markdown() {
        assert_eq!(
            odd().markdown(),
            "| a\\|b | c |\n| --- | ---: |\n| x, \"y\" z | 1 |\n| w |  |\n"
        );
    }

    #[test]
    fn columns_are_aligned_for_people() {
        let mut table =
            Table::new(&[("name", Align::Left), ("n", Align::Right), ("", Align::Left)]);
        table.row(["a", "10", ""]);
        table.row(["longer", "1", ""]);
        let table = table.without_empty_columns();
        assert_eq!(table.human(), "  name     n\n  a       10\n  longer   1\n");
    }

    #[test]
    fn an_open_quotation_ends_with_the_text() {
        assert_eq!(read_csv("a,\"b\nc"), [["a", "b\nc"]]);
        assert!(read_csv("\n\r\n").is_empty());
    }
}
