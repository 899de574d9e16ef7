//! `ser new`: a program to start from.

use super::files::{create_whole, write_whole};
use super::streams::{err, out, plain_out};
use crate::cli::{NewArgs, Template};
use clap::ValueEnum as _;
use ser_report::text::shell_file;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

impl Template {
    /// The program.
    fn text(self) -> &'static str {
        match self {
            Template::Bank => include_str!("../templates/bank.ser"),
            Template::Lock => include_str!("../templates/lock.ser"),
            Template::Cache => include_str!("../templates/cache.ser"),
            Template::Firewall => include_str!("../templates/firewall.ser"),
            Template::Queue => include_str!("../templates/queue.ser"),
        }
    }

    /// How it is called.
    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// What it is about: the first line of the program.
    fn story(self) -> &'static str {
        self.text()
            .lines()
            .next()
            .unwrap_or("")
            .trim_start_matches(['/', ' '])
            .trim_end_matches('.')
    }

    /// Whether it is meant to be broken.
    fn is_broken(self) -> bool {
        self.text().contains("// Verdict: not serializable")
    }
}

pub fn run(args: &NewArgs) -> io::Result<u8> {
    if args.list {
        return list();
    }
    let template = args.template.unwrap_or_else(|| template_for(args.name.as_deref()));
    let name = args.name.clone().unwrap_or_else(|| template.name());
    if name == "-" {
        let mut out = plain_out();
        out.write_all(template.text().as_bytes())?;
        out.flush()?;
        return Ok(0);
    }
    match path_for(&name).and_then(|path| write(&path, template, args.force).map(|()| path)) {
        Ok(path) => written(&path, template),
        Err((message, help)) => {
            writeln!(err(), "error: {message}\n  help: {help}")?;
            Ok(2)
        }
    }
}

fn list() -> io::Result<u8> {
    let mut out = out();
    for template in Template::value_variants() {
        let mark = if template.is_broken() { " (broken on purpose, to be repaired)" } else { "" };
        writeln!(out, "{:<10}{}{mark}", template.name(), template.story())?;
    }
    writeln!(out, "\nser new NAME --template TEMPLATE writes NAME.ser")?;
    out.flush()?;
    Ok(0)
}

/// A program that is called `lock` starts from the template `lock`.
fn template_for(name: Option<&str>) -> Template {
    let stem = name.map(|name| name.strip_suffix(".ser").unwrap_or(name));
    let stem = stem.and_then(|stem| stem.rsplit(['/', '\\']).next());
    stem.and_then(|stem| Template::from_str(stem, false).ok()).unwrap_or(Template::Bank)
}

/// A sentence, and a way out.
type Problem = (String, String);

/// The file that a name stands for.
fn path_for(name: &str) -> Result<PathBuf, Problem> {
    let example = "for example: `ser new my_program`".to_owned();
    if name.trim().is_empty() {
        return Err(("the name of the program is empty".into(), example));
    }
    if name.contains(char::is_control) {
        return Err(("the name has characters that no name may have".into(), example));
    }
    let path = Path::new(name);
    let last = path.file_name().filter(|_| !name.ends_with(['/', '\\']));
    let Some(last) = last.and_then(|last| last.to_str()) else {
        return Err((format!("`{name}` is not a file name"), example));
    };
    if last.to_ascii_lowercase().ends_with(".json") {
        let help = format!("leave out `.json`: `ser new {}`", shell_file(&name[..name.len() - 5]));
        return Err(("a program is a `.ser` file, not a `.json` file".into(), help));
    }
    if last == ".ser" {
        return Err((format!("`{name}` cannot be the name of a program"), example));
    }
    let path = match last.ends_with(".ser") {
        true => path.to_path_buf(),
        false => path.with_file_name(format!("{last}.ser")),
    };
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            let folder = folder.display().to_string();
            let help = format!("make it first: `mkdir -p {}`", shell_file(&folder));
            Err((format!("there is no folder {folder}"), help))
        }
        _ => Ok(path),
    }
}

fn write(path: &Path, template: Template, force: bool) -> Result<(), Problem> {
    let result = if force {
        write_whole(path, template.text(), "")
    } else {
        create_whole(path, template.text())
    };
    let name = path.display();
    result.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists if !force => {
            let help = "choose another name, or replace it with --force";
            (format!("{name} already exists"), help.into())
        }
        _ => (format!("cannot write {name}: {error}"), "choose another name or folder".into()),
    })
}

/// Says what was done, and what to do next.
fn written(path: &Path, template: Template) -> io::Result<u8> {
    let name = shell_file(&path.display().to_string());
    let mut out = out();
    writeln!(out, "{}: {}\n\nNext:", path.display(), template.story())?;
    let (check, repair) = (format!("ser check {name}"), format!("ser repair {name}"));
    if template.is_broken() {
        writeln!(out, "  {check}    what goes wrong, step by step")?;
        writeln!(out, "  {repair}   the smallest changes that are proved to be right")?;
    } else {
        writeln!(out, "  {check}   a proof; the first lines of the program say how to break it")?;
    }
    out.flush()?;
    Ok(0)
}
