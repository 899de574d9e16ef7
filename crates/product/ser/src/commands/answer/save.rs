//! Writing what is known about files into files.

use super::{Ask, Pages};
use crate::commands::files::{create_whole, write_whole};
use crate::commands::targets::{Targets, used_at};
use ser_report::{Answer, Report};
use std::io::ErrorKind;
use std::path::Path;

/// Files that an option asks for.
#[derive(Clone, Debug)]
pub struct Files {
    /// The option: `--certificate`.
    pub option: &'static str,
    /// What it was given.
    pub path: Option<String>,
    /// How the names of the files end.
    pub extension: String,
    pub once: Once,
}

/// Whether a file that is there already is replaced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Once {
    /// It is: whatever is in it can be made again.
    Replace,
    /// It is not: it may have been edited since.
    Keep,
}

impl Files {
    pub fn new(option: &'static str, path: &Option<String>, extension: &str) -> Files {
        let (path, extension) = (path.clone(), extension.to_owned());
        Files { option, path, extension, once: Once::Replace }
    }
}

/// Where things are written, and what has been.
pub struct Saved<'a> {
    ask: &'a Ask,
    files: Vec<Files>,
    targets: Targets,
    pub pages: Pages<'a>,
}

impl<'a> Saved<'a> {
    /// Nothing written yet; or what is wrong with the names.
    pub fn new(ask: &'a Ask, files: Vec<Files>) -> Result<Saved<'a>, String> {
        let mut taken: Vec<(&str, &str)> = Vec::new();
        for Files { option, path, extension, .. } in &files {
            let Some(path) = path.as_deref() else { continue };
            let help = || format!("help: name a file, such as {option} answer.{extension}");
            if path == "-" || path.trim().is_empty() {
                return Err(format!(
                    "{option} {path}: this has to be a file, because standard output has the \
                     answer\n  {}",
                    help()
                ));
            }
            if ask.files.len() > 1 && Path::new(path).is_file() {
                return Err(format!("{option} {path}: with several files this must be a folder"));
            }
            let twin = taken.iter().find(|(_, other)| *other == path && !Path::new(path).is_dir());
            if let Some((other, _)) = twin
                && ask.files.len() == 1
            {
                return Err(format!(
                    "{other} and {option} would write the same file {path}\n  {}",
                    help()
                ));
            }
            taken.push((option, path));
        }
        let targets = Targets::new(&ask.files);
        targets.spare(&ask.files, &files)?;
        Ok(Saved { ask, files, targets, pages: Pages::new(ask) })
    }

    /// Writes what was asked for about one file. Gives notes and errors.
    pub fn write(&mut self, reports: &[Report]) -> (Vec<String>, Vec<String>) {
        let (mut notes, mut errors) = (Vec::new(), Vec::new());
        for (number, report) in reports.iter().enumerate() {
            // What a file asks as a whole has the name that was given.
            let is_whole = number == 0 && report.question.text.is_none();
            let number = (reports.len() > 1 && !is_whole).then_some(number + 1);
            for files in &self.files {
                let Some(path) = files.path.as_deref() else { continue };
                match self.text(report, files) {
                    None => {}
                    Some(Ok(text)) => match self.save(report, number, files, path, text) {
                        Ok(note) => notes.extend(note),
                        Err(message) => errors.push(message),
                    },
                    Some(Err(note)) => notes.push(note),
                }
            }
        }
        errors.extend(self.pages.write(&self.targets, reports).err());
        (notes, errors)
    }

    /// What there is to write, or a note why there is nothing.
    fn text<'r>(&self, report: &'r Report, files: &Files) -> Option<Result<&'r str, String>> {
        let is_alone = self.ask.files.len() == 1;
        match files.option {
            // Pages have their own way.
            "--html" => None,
            "--certificate" => match (&report.certificate, &report.answer) {
                (Some(text), _) => Some(Ok(text)),
                (None, Answer::Error(_)) => None,
                (None, _) => is_alone.then(|| {
                    Err("no certificate was written: there is nothing to certify".to_owned())
                }),
            },
            option => match &report.attachments.iter().find(|it| it.option == option)?.text {
                Ok(text) => Some(Ok(text)),
                Err(why) => is_alone.then(|| Err(format!("{option}: nothing was written: {why}"))),
            },
        }
    }

    fn save(
        &self,
        report: &Report,
        number: Option<usize>,
        files: &Files,
        path: &str,
        text: &str,
    ) -> Result<Option<String>, String> {
        let Files { option, extension, once, .. } = files;
        let target = self.targets.numbered(&report.file, path, extension, number)?;
        self.spare_inputs(&target)?;
        let shown = target.display();
        if *once == Once::Replace {
            write_whole(&target, text, &report.file)
                .map_err(|e| format!("{option}: cannot write {shown}: {e}"))?;
            return Ok(None);
        }
        match create_whole(&target, text) {
            Ok(()) => Ok(Some(format!("{shown} is written; go on with `ser prove {shown}`"))),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                match std::fs::read(&target).is_ok_and(|it| it == text.as_bytes()) {
                    true => Ok(Some(format!("{shown} already exists, with the same content"))),
                    false => Err(format!(
                        "{option}: {shown} already exists and is not overwritten\n  \
                         help: name another file, or remove this one"
                    )),
                }
            }
            Err(error) => Err(format!("{option}: cannot write {shown}: {error}")),
        }
    }

    /// With numbers for goals, names can coincide with those of inputs.
    fn spare_inputs(&self, target: &Path) -> Result<(), String> {
        let Ok(there) = std::fs::canonicalize(target) else { return Ok(()) };
        let is_input =
            |file: &&String| std::fs::canonicalize(file).is_ok_and(|input| input == there);
        let input = self.ask.files.iter().find(is_input).cloned();
        match input.or_else(|| used_at(&self.ask.files, &there)) {
            None => Ok(()),
            Some(input) => Err(format!(
                "{} would be written, but this is the input itself: {input}\n  \
                 help: name another file",
                target.display()
            )),
        }
    }
}
