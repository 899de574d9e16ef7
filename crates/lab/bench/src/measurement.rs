//! Running a suite: each program with one tool or two, as often as asked for.

use crate::process::Bounds;
use crate::suite::{Entry, Published};
use crate::tool::{Sample, Tool};
use crate::verdict::{Judgement, Verdict};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

/// How to measure.
#[derive(Clone, Debug)]
pub struct Plan {
    pub tool: Tool,
    /// Another tool, side by side.
    pub against: Option<Tool>,
    /// Bounds on each run.
    pub bounds: Bounds,
    /// How often each program is measured; the run with the middle time counts.
    pub repeat: usize,
    /// How often each program runs before that.
    pub warmup: usize,
    /// How many programs at a time. More than one disturbs the times.
    pub jobs: usize,
    /// Set from another thread to stop.
    pub cancel: Arc<AtomicBool>,
}

impl Plan {
    /// Whether it was called off.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
}

/// What was measured about one program.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The program.
    pub name: String,
    pub expected: Option<Verdict>,
    pub published: Published,
    /// The tool.
    pub ours: Sample,
    /// The other tool.
    pub other: Option<Sample>,
}

impl Row {
    /// How our verdict compares with what is expected.
    pub fn judgement(&self) -> Judgement {
        Judgement::of(self.ours.verdict, self.expected)
    }

    /// Whether there is a verdict that is not known to be wrong.
    pub fn solved(&self) -> bool {
        matches!(self.judgement(), Judgement::Right | Judgement::Unjudged)
    }
}

/// Measures all programs, and hands rows over in the order of the suite. If the plan is called off,
/// the rows that are complete are all there is.
pub fn measure(entries: &[Entry], plan: &Plan, mut each: impl FnMut(&Row)) -> Vec<Row> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let mut rows = Vec::new();
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs.clamp(1, entries.len().max(1)) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(entry) = entries.get(at) else { return };
                    let row = measure_one(entry, plan, at);
                    if plan.is_cancelled() || sender.send((at, row)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        for (at, row) in receiver {
            waiting.insert(at, row);
            while let Some(row) = waiting.remove(&rows.len()) {
                each(&row);
                rows.push(row);
            }
        }
        // Those after a program that was called off.
        rows.extend(waiting.into_values());
    });
    rows
}

/// Measures one program; `turn` says which tool goes first.
fn measure_one(entry: &Entry, plan: &Plan, turn: usize) -> Row {
    let mut ours = Vec::new();
    let mut others = Vec::new();
    for round in 0..plan.warmup + plan.repeat.max(1) {
        let counts = round >= plan.warmup;
        for second in [false, true] {
            if plan.is_cancelled() {
                break;
            }
            // Who goes first alternates, so that neither always finds a warm machine.
            let other_now = second != ((turn + round) % 2 == 1);
            let (tool, samples) = match (other_now, &plan.against) {
                (false, _) => (&plan.tool, &mut ours),
                (true, Some(tool)) => (tool, &mut others),
                (true, None) => continue,
            };
            let sample = tool.look_at(&entry.path, plan.bounds, &plan.cancel);
            if counts {
                samples.push(sample);
            }
        }
    }
    Row {
        name: entry.name.clone(),
        expected: entry.expected,
        published: entry.published,
        ours: middle(ours).unwrap_or_default(),
        other: middle(others),
    }
}

/// The sample with the middle time. If verdicts differ, there is no verdict.
fn middle(mut samples: Vec<Sample>) -> Option<Sample> {
    samples.sort_by(|a, b| a.milliseconds.total_cmp(&b.milliseconds));
    let verdicts: Vec<Verdict> = samples.iter().map(|s| s.verdict).collect();
    let mut sample = match samples.len() {
        0 => return None,
        n => samples.swap_remove((n - 1) / 2),
    };
    if verdicts.iter().any(|verdict| *verdict != sample.verdict) {
        sample.verdict = Verdict::Unknown;
        sample.reason = "the verdicts of several runs differ".into();
    }
    Some(sample)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(milliseconds: f64, verdict: Verdict) -> Sample {
        Sample { milliseconds, verdict, ..Sample::default() }
    }

    #[test]
    fn the_middle_run_counts() {
        let yes = Verdict::Yes;
        let chosen = middle(vec![sample(9.0, yes), sample(1.0, yes), sample(2.0, yes)]).unwrap();
        assert_eq!((chosen.milliseconds, chosen.verdict), (2.0, yes));
        assert_eq!(middle(Vec::new()), None);
    }

    #[test]
    fn verdicts_that_differ_are_no_verdict() {
        let runs = vec![sample(1.0, Verdict::Yes), sample(2.0, Verdict::No)];
        assert_eq!(middle(runs).unwrap().verdict, Verdict::Unknown);
    }
}
