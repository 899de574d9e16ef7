//! Where the time goes: the stages of a check, each with the time it took.

use ser_serializability_search::Progress;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The stages of a check, in the order in which data walks through them. Search and proof take
/// turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StageName {
    /// From the file to a syntax tree; for JSON, to the system.
    Parse,
    /// From the syntax tree to all states.
    Explore,
    /// From states to the reduced net and the serial automaton.
    Net,
    /// The search for a counterexample.
    Search,
    /// Attempts at a proof.
    Prove,
    /// From the answer to its certificate.
    Certify,
    /// The independent check of the certificate.
    Check,
    /// The answer in words.
    Explain,
}

impl StageName {
    /// All stages, in order.
    pub const ALL: [StageName; 8] = [
        StageName::Parse,
        StageName::Explore,
        StageName::Net,
        StageName::Search,
        StageName::Prove,
        StageName::Certify,
        StageName::Check,
        StageName::Explain,
    ];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            StageName::Parse => "parse",
            StageName::Explore => "explore",
            StageName::Net => "net",
            StageName::Search => "search",
            StageName::Prove => "prove",
            StageName::Certify => "certify",
            StageName::Check => "check",
            StageName::Explain => "explain",
        }
    }
}

/// What was measured in one check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stages {
    spent: [Duration; StageName::ALL.len()],
    /// States that the search for a counterexample has reported.
    pub states_searched: usize,
}

impl Stages {
    pub fn time(&self, stage: StageName) -> Duration {
        self.spent[stage as usize]
    }
}

/// Divides time among stages: at any time it runs for one of them.
#[derive(Debug)]
pub struct Stopwatch(Mutex<Running>);

#[derive(Debug)]
struct Running {
    stages: Stages,
    stage: StageName,
    since: Instant,
}

impl Stopwatch {
    /// Runs for the first stage, from the given time.
    pub fn start(since: Instant) -> Stopwatch {
        let stage = StageName::Parse;
        Stopwatch(Mutex::new(Running { stages: Stages::default(), stage, since }))
    }

    /// From now on it runs for another stage.
    pub fn enter(&self, stage: StageName) {
        self.update(stage, 0);
    }

    /// The engine reports what it does.
    pub fn progress(&self, progress: Progress) {
        match progress {
            Progress::Exploring => self.update(StageName::Explore, 0),
            Progress::Reducing => self.update(StageName::Net, 0),
            Progress::Searching { states, .. } => self.update(StageName::Search, states),
            Progress::Proving { .. } | Progress::Counting => self.update(StageName::Prove, 0),
        }
    }

    /// What it has measured until now.
    pub fn read(&self) -> Stages {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        running.flush();
        running.stages
    }

    fn update(&self, stage: StageName, states: usize) {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        running.flush();
        running.stage = stage;
        running.stages.states_searched = running.stages.states_searched.max(states);
    }
}

impl Running {
    fn flush(&mut self) {
        let now = Instant::now();
        self.stages.spent[self.stage as usize] += now.duration_since(self.since);
        self.since = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_time_belongs_to_some_stage() {
        let started = Instant::now();
        let watch = Stopwatch::start(started);
        watch.enter(StageName::Explore);
        watch.progress(Progress::Searching { requests: 2, in_flight: 1, states: 7 });
        std::thread::sleep(Duration::from_millis(5));
        watch.progress(Progress::Counting);
        watch.progress(Progress::Searching { requests: 1, in_flight: 2, states: 3 });
        let stages = watch.read();
        let sum: Duration = StageName::ALL.iter().map(|s| stages.time(*s)).sum();
        assert!(stages.time(StageName::Search) >= Duration::from_millis(5));
        assert!(sum <= started.elapsed());
        assert_eq!(stages.states_searched, 7);
    }

    #[test]
    fn stages_are_counted_in_their_order() {
        for (at, stage) in StageName::ALL.into_iter().enumerate() {
            assert_eq!(stage as usize, at);
        }
    }
}
