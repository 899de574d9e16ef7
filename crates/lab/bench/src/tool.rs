//! Tools that decide serializability: `ser` itself, and others to compare it with.

use crate::Failure;
use crate::process::{Bounds, Call, Ended, Run, run};
use crate::verdict::{SERIALIZABILITY, Verdict};
use regex::Regex;
use serde_json::Value;
use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How to call a tool and how to understand it.
#[derive(Clone, Debug)]
pub struct Tool {
    program: OsString,
    /// Arguments, in which `{file}` stands for the program to look at.
    arguments: Vec<String>,
    reading: Reading,
}

#[derive(Clone, Debug)]
enum Reading {
    /// The JSON of `ser check --statistics`.
    Ser,
    /// A pattern for each verdict.
    Patterns { serializable: Regex, not_serializable: Regex },
}

/// What `ser` prints in its JSON for the two verdicts; other tools may print the same.
pub const SERIALIZABLE: &str = r#""verdict":\s*"serializable""#;
/// See [`SERIALIZABLE`].
pub const NOT_SERIALIZABLE: &str = r#""verdict":\s*"not_serializable""#;

impl Tool {
    /// `ser` itself, with limits and further options of `ser check`.
    pub fn ser(program: &Path, timeout: f64, memory_mib: u64, options: Option<&str>) -> Tool {
        let mut arguments: Vec<String> =
            ["check", "--format", "json", "--statistics", "--no-warnings", "--jobs", "1"]
                .map(str::to_owned)
                .into();
        arguments.extend(["--timeout".into(), timeout.to_string()]);
        arguments.extend(["--memory".into(), memory_mib.to_string()]);
        arguments.extend(options.unwrap_or_default().split_whitespace().map(str::to_owned));
        arguments.extend(["--".into(), "{file}".into()]);
        Tool { program: program.into(), arguments, reading: Reading::Ser }
    }

    /// Another tool: a command with `{file}` in it, and patterns that tell its verdicts. The
    /// pattern for "not serializable" is tried first, because such words often contain the other
    /// ones.
    ///
    /// ```
    /// use ser_bench::tool::Tool;
    /// assert!(Tool::other("prover 'a b' {file}", "SAFE", "BUG").is_ok());
    /// assert!(Tool::other("prover", "SAFE", "BUG").is_err());
    /// ```
    pub fn other(
        command: &str,
        serializable: &str,
        not_serializable: &str,
    ) -> Result<Tool, Failure> {
        let example = "for example: --against 'tool --quiet {file}'";
        let Some(words) = shlex::split(command) else {
            let message =
                format!("the command `{command}` has a quotation mark that is not closed");
            return Err(Failure::new(message));
        };
        let Some((program, arguments)) =
            words.split_first().filter(|(_, rest)| rest.iter().any(|w| w.contains("{file}")))
        else {
            let message =
                format!("the command `{command}` has no `{{file}}`, where the program's name goes");
            return Err(Failure::new(message).help(example));
        };
        let pattern = |text: &str| {
            Regex::new(text).map_err(|error| {
                let error = error.to_string().replace('\n', " ");
                Failure::new(format!("the pattern `{text}` is not a regular expression: {error}"))
            })
        };
        let reading = Reading::Patterns {
            serializable: pattern(serializable)?,
            not_serializable: pattern(not_serializable)?,
        };
        Ok(Tool { program: program.into(), arguments: arguments.to_vec(), reading })
    }

    /// Runs the tool on a file. That it cannot be started is an answer, too.
    pub fn look_at(&self, file: &str, bounds: Bounds, cancel: &AtomicBool) -> Sample {
        let arguments = self.arguments.iter().map(|a| a.replace("{file}", file).into()).collect();
        let starts_others = !matches!(self.reading, Reading::Ser);
        let call = Call { starts_others, ..Call::new(self.program.clone(), arguments) };
        match run(&call, bounds, cancel) {
            Ok(run) => match &self.reading {
                Reading::Ser => Sample::of_ser(&run),
                Reading::Patterns { serializable, not_serializable } => {
                    let text = format!("{}\n{}", run.stdout, run.stderr);
                    let verdict = match run.ended {
                        Ended::OutOfTime | Ended::OutOfMemory | Ended::Cancelled => {
                            Verdict::Unknown
                        }
                        _ if not_serializable.is_match(&text) => Verdict::No,
                        _ if serializable.is_match(&text) => Verdict::Yes,
                        _ => Verdict::Unknown,
                    };
                    Sample::of_run(verdict, &run)
                }
            },
            Err(error) => Sample {
                reason: format!("cannot be started: {error}"),
                milliseconds: f64::NAN,
                ..Sample::default()
            },
        }
    }
}

/// What one run of a tool told.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sample {
    pub verdict: Verdict,
    /// Why there is none, if there is none.
    pub reason: String,
    /// Wall time of the whole process.
    pub milliseconds: f64,
    /// The most memory that was seen.
    pub peak_kib: Option<u64>,
    pub method: String,
    /// Requests of the counterexample.
    pub requests: Option<u64>,
    /// States searched.
    pub states: Option<u64>,
    /// Nodes of the trees of an arithmetic proof, or triples of an inclusion proof.
    pub nodes: Option<u64>,
    /// Times of the stages in milliseconds, as in [`STAGES`].
    pub stages: [Option<f64>; STAGES.len()],
    /// Size of the certificate.
    pub certificate_bytes: Option<u64>,
}

/// The stages that `ser` tells the times of.
pub const STAGES: [&str; 8] =
    ["parse", "explore", "net", "search", "prove", "certify", "check", "explain"];

impl Sample {
    fn of_run(verdict: Verdict, run: &Run) -> Sample {
        let last = |text: &str| text.trim().lines().last().unwrap_or_default().trim().to_owned();
        let reason = match (run.ended, verdict) {
            (Ended::OutOfTime, _) => "out of time".to_owned(),
            (Ended::OutOfMemory, _) => "out of memory".to_owned(),
            (Ended::Cancelled, _) => "interrupted".to_owned(),
            (Ended::Signal, _) => "crashed".to_owned(),
            (Ended::Code(code), Verdict::Unknown) => {
                let words = if run.stderr.trim().is_empty() { &run.stdout } else { &run.stderr };
                format!("exit code {code}: {}", last(words).chars().take(200).collect::<String>())
            }
            (Ended::Code(_), _) => String::new(),
        };
        let milliseconds = Duration::as_secs_f64(&run.time) * 1e3;
        Sample { verdict, reason, milliseconds, peak_kib: run.peak_kib, ..Sample::default() }
    }

    fn of_ser(run: &Run) -> Sample {
        let Ok(answer) = serde_json::from_str::<Value>(run.stdout.trim()) else {
            return Sample::of_run(Verdict::Unknown, run);
        };
        let verdict = answer["verdict"].as_str().and_then(|it| Verdict::named(it, SERIALIZABILITY));
        let mut sample = Sample::of_run(verdict.unwrap_or(Verdict::Unknown), run);
        if let Some(reason) = answer["reason"].as_str() {
            sample.reason = reason.to_owned();
        }
        let statistics = &answer["statistics"];
        sample.method = match sample.verdict {
            Verdict::No => "search".to_owned(),
            _ => answer["proof"]["method"].as_str().unwrap_or_default().to_owned(),
        };
        sample.requests = answer["counterexample"]["requests"].as_u64();
        sample.states = statistics["states_searched"].as_u64();
        sample.nodes = statistics["tree_nodes"].as_u64().or_else(|| statistics["triples"].as_u64());
        sample.certificate_bytes = statistics["certificate_bytes"].as_u64();
        sample.stages = STAGES.map(|stage| statistics["stages_ms"][stage].as_f64());
        // What a process knows about itself is newer than what we saw of it.
        sample.peak_kib = statistics["peak_memory_kib"].as_u64().max(sample.peak_kib);
        sample
    }

    /// The time of a stage in milliseconds.
    pub fn stage(&self, name: &str) -> Option<f64> {
        let at = STAGES.iter().position(|stage| *stage == name)?;
        self.stages[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_commands_and_patterns_are_told() {
        let message = |command, pattern| Tool::other(command, pattern, "b").unwrap_err().message;
        for command in ["", "{file}", "x {file"] {
            assert!(message(command, "a").contains("has no `{file}`"), "{command}");
        }
        assert!(message("x \"{file}", "a").contains("quotation mark"));
        assert!(message("x {file}", "(").contains("not a regular expression"));
    }

    #[test]
    #[cfg(unix)]
    fn patterns_tell_the_verdict_and_no_wins_over_yes() {
        let bounds = Bounds { time: Duration::from_secs(30), memory_kib: u64::MAX };
        let verdict = |words: &str| {
            let tool = Tool::other("echo {file}", "serializable", "NOT serializable").unwrap();
            tool.look_at(words, bounds, &AtomicBool::new(false)).verdict
        };
        assert_eq!(verdict("it is serializable"), Verdict::Yes);
        assert_eq!(verdict("it is NOT serializable"), Verdict::No);
        assert_eq!(verdict("who knows"), Verdict::Unknown);
    }

    #[test]
    fn a_tool_that_cannot_start_says_so() {
        let bounds = Bounds { time: Duration::from_secs(1), memory_kib: u64::MAX };
        let tool = Tool::other("no-such-tool {file}", "a", "b").unwrap();
        let sample = tool.look_at("x", bounds, &AtomicBool::new(false));
        assert_eq!(sample.verdict, Verdict::Unknown);
        assert!(sample.reason.contains("cannot be started"), "{}", sample.reason);
    }
}
