//! Writing reports as HTML: one page for each file, and a list of them if there are several.

use super::files::write_whole;
use super::targets::{LIST, Targets};
use crate::cli::CheckArgs;
use crate::report::html::{self, About, Entry};
use crate::shell::quoted;
use ser_session::{Report, Verdict};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The pages of one command.
pub struct Pages<'a> {
    /// Where to write.
    pub targets: Targets,
    args: &'a CheckArgs,
    /// The places of each file on the command line.
    places: BTreeMap<String, Vec<usize>>,
    /// The words of the command line.
    words: Vec<String>,
    /// The lines of the list, by the places of the files on the command line.
    entries: BTreeMap<usize, Entry>,
    /// Each page in the form that it has when nobody watches any more.
    last: BTreeMap<PathBuf, (String, String)>,
}

impl<'a> Pages<'a> {
    /// Nothing written yet.
    pub fn new(args: &'a CheckArgs) -> Pages<'a> {
        let words = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect();
        let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (place, file) in args.files.iter().enumerate() {
            places.entry(file.clone()).or_default().push(place);
        }
        Pages {
            places,
            targets: Targets::new(&args.files),
            args,
            words,
            entries: BTreeMap::new(),
            last: BTreeMap::new(),
        }
    }

    /// How a report came about: the command line, without the other files.
    fn about(&self, report: &Report, refreshes: bool) -> About {
        let other = |word: &String| *word != report.name && self.places.contains_key(word);
        let words = self.words.iter().filter(|w| !other(w)).map(|w| quoted(w));
        let command = std::iter::once("ser".to_owned()).chain(words).collect::<Vec<_>>().join(" ");
        About { command, refreshes }
    }

    /// Writes the page of a report, if pages are wanted.
    pub fn write(&mut self, report: &Report) -> Result<(), String> {
        let Some(path) = &self.args.html else { return Ok(()) };
        // A page from before says more than one that says nothing.
        if matches!(report.verdict, Verdict::NotChecked) {
            self.enter(report, None);
            return Ok(());
        }
        let written = self.targets.target(&report.name, path, "html").and_then(|target| {
            put(&target, &html::page(report, &self.about(report, self.args.watch)), &report.name)?;
            Ok(target)
        });
        // Without a page there still is a verdict.
        let name = written.as_ref().ok().and_then(|target| target.file_name()?.to_str());
        self.enter(report, name);
        let target = written?;
        if self.args.watch {
            let page = html::page(report, &self.about(report, false));
            self.last.insert(target, (page, report.name.clone()));
        }
        Ok(())
    }

    /// Takes a report into the list, with the name of its page if there is one.
    fn enter(&mut self, report: &Report, name: Option<&str>) {
        let Some(places) = self.places.get(&report.name) else { return };
        for place in places {
            self.entries.insert(*place, Entry::new(report, name));
        }
    }

    /// Writes the list of pages, if there are several.
    pub fn write_index(&self) -> Result<(), String> {
        let Some(path) = &self.args.html else { return Ok(()) };
        if self.args.files.len() < 2 {
            return Ok(());
        }
        let entries: Vec<Entry> = self.entries.values().cloned().collect();
        put(&Path::new(path).join(LIST), &html::index(&entries), "")
    }

    /// Nobody watches any more: pages need not look for newer ones.
    pub fn finish(&self) -> Result<(), String> {
        self.last.iter().try_for_each(|(target, (page, input))| put(target, page, input))
    }
}

fn put(target: &Path, page: &str, input: &str) -> Result<(), String> {
    write_whole(target, page, input)
        .map_err(|e| format!("cannot write the report {}: {e}", target.display()))
}
