//! Writing reports as HTML: one page for each file, and a list of them if there are several.

use super::answer::Ask;
use super::files::write_whole;
use super::targets::{LIST, Targets};
use ser_render::html::{self, About, Entry};
use ser_report::text::shell_word;
use ser_report::{Answer, Report, most_serious};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The pages of one command.
pub struct Pages<'a> {
    ask: &'a Ask,
    /// The places of each file on the command line.
    places: BTreeMap<String, Vec<usize>>,
    /// The words of the command line.
    words: Vec<String>,
    /// The lines of the list, by the places of the files on the command line.
    entries: BTreeMap<usize, Entry>,
    /// Each page in the form that it has when watching ends.
    last: BTreeMap<PathBuf, (String, String)>,
}

impl<'a> Pages<'a> {
    /// Nothing written yet.
    pub fn new(ask: &'a Ask) -> Pages<'a> {
        let words = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect();
        let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (place, file) in ask.files.iter().enumerate() {
            places.entry(file.clone()).or_default().push(place);
        }
        Pages { ask, places, words, entries: BTreeMap::new(), last: BTreeMap::new() }
    }

    /// How a report came about: the command line, without the other files.
    fn about(&self, file: &str, refreshes: bool) -> About {
        let other = |word: &String| *word != file && self.places.contains_key(word);
        let words = self.words.iter().filter(|w| !other(w)).map(|w| shell_word(w));
        let command = std::iter::once("ser".to_owned()).chain(words).collect::<Vec<_>>().join(" ");
        About { command, refreshes }
    }

    /// Writes the page of the reports about a file, if pages were asked for.
    pub fn write(&mut self, targets: &Targets, reports: &[Report]) -> Result<(), String> {
        let (Some(path), Some(first)) = (&self.ask.args.html, reports.first()) else {
            return Ok(());
        };
        // A page from before says more than one that says nothing.
        if matches!(&first.answer, Answer::Unknown(unknown) if unknown.not_begun) {
            self.enter(reports, None);
            return Ok(());
        }
        let (file, watch) = (&first.file, self.ask.args.watch);
        let written = targets.target(file, path, "html").and_then(|target| {
            put(&target, &html::page(reports, &self.about(file, watch)), file)?;
            Ok(target)
        });
        // Without a page there still is a verdict.
        let name = written.as_ref().ok().and_then(|target| target.file_name()?.to_str());
        self.enter(reports, name);
        let target = written?;
        if watch {
            let page = html::page(reports, &self.about(file, false));
            self.last.insert(target, (page, file.clone()));
        }
        Ok(())
    }

    /// Takes reports about a file into the list, with the name of their page if there is one.
    fn enter(&mut self, reports: &[Report], name: Option<&str>) {
        let Some(first) = reports.first() else { return };
        let Some(places) = self.places.get(&first.file) else { return };
        for place in places {
            // The list shows the most serious one of several.
            let code = most_serious(reports.iter().map(Report::exit_code));
            let worst = reports.iter().find(|it| it.exit_code() == code).unwrap_or(first);
            self.entries.insert(*place, Entry::new(worst, name));
        }
    }

    /// Writes the list of pages, if there are several.
    pub fn write_index(&self) -> Result<(), String> {
        let Some(path) = &self.ask.args.html else { return Ok(()) };
        if self.ask.files.len() < 2 {
            return Ok(());
        }
        let entries: Vec<Entry> = self.entries.values().cloned().collect();
        put(&Path::new(path).join(LIST), &html::index(&entries), "")
    }

    /// Watching ends: pages need not check for newer ones.
    pub fn finish(&self) -> Result<(), String> {
        self.last.iter().try_for_each(|(target, (page, input))| put(target, page, input))
    }
}

fn put(target: &Path, page: &str, input: &str) -> Result<(), String> {
    write_whole(target, page, input)
        .map_err(|e| format!("--html: cannot write {}: {e}", target.display()))
}
