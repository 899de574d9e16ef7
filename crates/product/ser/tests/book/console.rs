//! A terminal that knows `ser` (also as `cargo run --release --`), `ser-bench generate`, `cat FILE`
//! and `echo $?`, quotes, `#`, `<` and `>`.

use crate::common;
use ser_generators::families::Variant;
use std::path::{Path, PathBuf};

/// A folder with the examples in it, and the exit code of the last command.
pub struct Session {
    pub folder: PathBuf,
    last: Option<i32>,
}

/// A command line, taken apart.
#[derive(Default, PartialEq, Eq, Debug)]
pub struct Line {
    pub words: Vec<String>,
    pub input: Option<String>,
    pub output: Option<String>,
}

impl Session {
    pub fn new(name: &str) -> Session {
        let folder = common::folder(&format!("book-{name}"));
        copy(&common::examples(), &folder.join("examples"));
        std::fs::create_dir(folder.join("pictures")).expect("a folder for pictures");
        Session { folder, last: None }
    }

    /// Runs a command; what it prints on both streams.
    pub fn run(&mut self, command: &str) -> Result<String, String> {
        let line = split(command)?;
        let words: Vec<&str> = line.words.iter().map(String::as_str).collect();
        let (code, stdout, stderr) = match words[..] {
            ["ser", ref args @ ..] | ["cargo", "run", "--release", "--", ref args @ ..] => {
                let input = match &line.input {
                    Some(name) => self.read(name)?.into_bytes(),
                    None => Vec::new(),
                };
                let output = common::ser_in(&self.folder, args, &input, &[("NO_COLOR", "1")]);
                (output.code, output.stdout, output.stderr)
            }
            [
                "cargo",
                "run",
                "--release",
                "-p",
                "ser-bench",
                "--",
                "generate",
                family,
                "--n",
                n,
                ref more @ ..,
            ] => {
                let variant = match more {
                    ["--broken"] => Variant::Broken,
                    _ => Variant::Serializable,
                };
                let n = n.parse().map_err(|_| format!("{n} is no number"))?;
                (Some(0), common::generated(family, n, variant), String::new())
            }
            ["cat", name] => (Some(0), self.read(name)?, String::new()),
            ["echo", "$?"] => {
                let code = self.last.ok_or("nothing has run yet")?;
                (Some(0), format!("{code}\n"), String::new())
            }
            _ => return Err(format!("the book's terminal does not know this command: {command}")),
        };
        self.last = code;
        match &line.output {
            Some(name) => {
                let path = self.folder.join(name);
                std::fs::write(path, stdout).map_err(|e| format!("{name}: {e}"))?;
                Ok(stderr)
            }
            None => Ok(stdout + &stderr),
        }
    }

    fn read(&self, name: &str) -> Result<String, String> {
        std::fs::read_to_string(self.folder.join(name)).map_err(|e| format!("{name}: {e}"))
    }
}

/// Words, and where input comes from and output goes to. A `#` after a blank starts a comment.
pub fn split(command: &str) -> Result<Line, String> {
    let mut line = Line::default();
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for c in command.chars() {
        match (quote, c) {
            (Some(q), _) if c == q => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, ' ') => words.extend(word.take()),
            (None, '|' | '&' | ';' | '*') => return Err(format!("`{c}` is not supported")),
            (None, _) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err("a quote is not closed".into());
    }
    words.extend(word);
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "<" => line.input = Some(words.next().ok_or("nothing after <")?),
            ">" => line.output = Some(words.next().ok_or("nothing after >")?),
            _ => line.words.push(word),
        }
    }
    Ok(line)
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder for examples");
    for entry in std::fs::read_dir(from).expect("the examples can be read") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("an example can be copied");
        }
    }
}
