//! `ser check --watch`: a child process that checks again whenever a file is saved. Nothing here
//! waits for a fixed time: every step waits for the next line of output.
use crate::common::{file, folder, generated, ser, text};
use ser_generators::families::Variant;
use serde_json::Value;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(60);
const RACY: &str = "request a { X := 1; yield; y := X; X := 0; y }\n";
const ATOMIC: &str = "request a { X := 1 - X; X }\n";

/// A running `ser check --watch --format json`.
struct Watch {
    child: Child,
    lines: Receiver<String>,
}

impl Watch {
    fn start(arguments: &[&str]) -> Watch {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ser"))
            .args(["check", "--watch", "--format", "json"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the binary starts");
        let stdout = BufReader::new(child.stdout.take().expect("standard output"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Watch { child, lines }
    }

    /// The next report.
    fn next(&self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("another report");
        serde_json::from_str(&line).expect("a JSON object")
    }

    /// Reports come until one has this verdict: a slow machine may show a file half written.
    fn until(&self, verdict: &str) -> Value {
        loop {
            let report = self.next();
            if report["verdict"] == verdict {
                return report;
            }
        }
    }

    /// Ctrl-C; the exit code.
    fn interrupt(mut self) -> Option<i32> {
        let id = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw);
        rustix::process::kill_process(id.expect("a process"), rustix::process::Signal::INT)
            .expect("a signal can be sent");
        self.child.wait().expect("the child can be waited for").code()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn saving_a_file_checks_it_again() {
    let folder = folder("watch_saving");
    let path = file(&folder, "a.ser", RACY);
    let watch = Watch::start(&[&path]);
    assert_eq!(watch.next()["verdict"], "not_serializable");
    file(&folder, "a.ser", ATOMIC);
    watch.until("serializable");
    // Half of a program is an error, and no reason to give up.
    file(&folder, "a.ser", &RACY[..20]);
    watch.until("error");
    file(&folder, "a.ser", RACY);
    watch.until("not_serializable");
    assert_eq!(watch.interrupt(), Some(1), "the last answer counts");
}

#[test]
fn editors_may_rename_and_files_may_vanish() {
    let folder = folder("watch_renaming");
    let path = file(&folder, "a.ser", RACY);
    let watch = Watch::start(&[&path]);
    assert_eq!(watch.next()["verdict"], "not_serializable");
    let new = file(&folder, "a.ser.new", ATOMIC);
    std::fs::rename(&new, &path).expect("renamed");
    watch.until("serializable");
    std::fs::remove_file(&path).expect("removed");
    let report = watch.until("error");
    assert_eq!(report["reason"], "there is no such file");
    file(&folder, "a.ser", ATOMIC);
    watch.until("serializable");
    assert_eq!(watch.interrupt(), Some(0));
}

#[test]
fn only_the_file_that_changed_is_checked_again() {
    let folder = folder("watch_several");
    let (a, b) = (file(&folder, "a.ser", RACY), file(&folder, "b.ser", RACY));
    let watch = Watch::start(&[&a, &b]);
    assert_eq!(
        [watch.next()["file"].clone(), watch.next()["file"].clone()],
        [a.as_str(), b.as_str()]
    );
    file(&folder, "b.ser", ATOMIC);
    assert_eq!(watch.until("serializable")["file"], b.as_str());
    file(&folder, "a.ser", ATOMIC);
    assert_eq!(watch.until("serializable")["file"], a.as_str());
    assert_eq!(watch.interrupt(), Some(0));
}

#[test]
fn the_page_is_written_again_and_stops_looking_at_the_end() {
    let folder = folder("watch_html");
    let path = file(&folder, "a.ser", RACY);
    let page = text(&folder.join("a.html"));
    let read = || std::fs::read_to_string(Path::new(&page)).expect("the page is there");
    let watch = Watch::start(&["--html", &page, &path]);
    watch.next();
    assert!(read().contains("Not serializable") && read().contains("\"refreshes\":true"));
    file(&folder, "a.ser", ATOMIC);
    watch.until("serializable");
    assert!(!read().contains("Not serializable") && read().contains("\"refreshes\":true"));
    assert_eq!(watch.interrupt(), Some(0));
    assert!(read().contains("\"refreshes\":false"));
}

/// Options under which a program with very many runs keeps the search busy for an hour.
const FOR_AN_HOUR: [&str; 6] =
    ["--timeout", "3600", "--only", "refute", "--search-states", "1000000000"];

/// A serializable program with more runs than anybody can look at.
fn endless() -> String {
    generated("counter", 5, Variant::Serializable)
}

#[test]
fn a_check_is_called_off_when_its_file_is_saved() {
    let folder = folder("watch_called_off");
    let (light, heavy) = (file(&folder, "a.ser", RACY), file(&folder, "b.ser", endless()));
    let watch = Watch::start(&[&FOR_AN_HOUR[..], &["--jobs", "1", &light, &heavy]].concat());
    assert_eq!(watch.next()["file"], light.as_str());
    // Now the other one is being checked, and would be for an hour.
    file(&folder, "b.ser", RACY);
    assert_eq!(watch.until("not_serializable")["file"], heavy.as_str());
    assert_eq!(watch.interrupt(), Some(1), "what was called off is not told");
}

#[test]
fn a_file_that_was_just_saved_does_not_wait_for_others() {
    let folder = folder("watch_no_wait");
    let (light, heavy) = (file(&folder, "a.ser", RACY), file(&folder, "b.ser", endless()));
    let watch = Watch::start(&[&FOR_AN_HOUR[..], &["--jobs", "1", &light, &heavy]].concat());
    assert_eq!(watch.next()["file"], light.as_str());
    file(&folder, "a.ser", format!("\n{RACY}"));
    let report = watch.until("not_serializable");
    assert_eq!(report["file"], light.as_str());
    assert_eq!(watch.interrupt(), Some(1));
}

#[test]
fn a_file_after_one_that_takes_long_is_told_when_it_is_saved() {
    let folder = folder("watch_order");
    let files = [("a.ser", RACY), ("b.ser", &endless()), ("c.ser", RACY)];
    let files = files.map(|(name, content)| file(&folder, name, content));
    let arguments = ["--jobs", "2", &files[0], &files[1], &files[2]];
    let watch = Watch::start(&[&FOR_AN_HOUR[..], &arguments].concat());
    assert_eq!(watch.next()["file"], files[0].as_str());
    // The first answers come in order, so that about the last file waits. A new text does not.
    file(&folder, "c.ser", format!("\n{RACY}"));
    assert_eq!(watch.until("not_serializable")["file"], files[2].as_str());
}

#[test]
fn what_cannot_be_watched_is_refused() {
    let path = file(&folder("watch_refused"), "a.ser", ATOMIC);
    for (arguments, word) in [
        (["check", "--watch", "-", "--no-warnings"], "cannot be watched"),
        (["check", "--watch", "--format=sarif", &path], "--format human or json"),
    ] {
        let output = ser(&arguments);
        assert_eq!(output.code, Some(2), "{arguments:?}");
        assert!(output.stderr.contains(word), "{output:?}");
    }
}
