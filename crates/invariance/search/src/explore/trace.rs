//! From a state that was found back to a run.
//!
//! States are stored under new names, without the steps between them. So each step is looked for
//! once more: from the state before, some step leads, after renaming, to the state after it. The
//! run has names of its own, which stay the same from its first state to its last; `names` says
//! what the stored names mean in the run.

use super::choices::Oracle;
use super::eval::{Scene, eval};
use super::memory::{Word, tid};
use super::normal::{Normalizer, Renaming};
use super::search::{Attempt, Explorer, FoundFault, attempt};
use super::state::{state_of, value_of};
use super::store::StateId;
use ser_invariance_checker::run::{Run, RunStep, Shows, Value};
use ser_syntax::inv::ast::{InvId, LocalId, Scalar, Type};

/// What the names of a stored state mean in the run.
struct Names {
    threads: Vec<u32>,
    /// By address; 0 where no cell is in use, and for `null`.
    cells: Vec<u32>,
    /// All addresses from here on were never used.
    unused: u32,
}

impl Names {
    fn same(threads: usize, cells: usize) -> Names {
        let (threads, cells) = (threads as u32, cells as u32);
        Names { threads: (0..threads).collect(), cells: (0..=cells).collect(), unused: 1 }
    }

    fn thread(&self, word: Word) -> Word {
        match usize::try_from(word - 1).ok().and_then(|thread| self.threads.get(thread)) {
            Some(thread) => tid(*thread as usize),
            None => 0,
        }
    }

    fn cell(&self, word: Word) -> Word {
        usize::try_from(word)
            .ok()
            .and_then(|cell| self.cells.get(cell))
            .map_or(0, |cell| Word::from(*cell))
    }

    /// A new cell gets an address that was never used: some variable that does not matter any more
    /// may have an old one.
    fn add_cell(&mut self, cell: Word) {
        if let Some(name) = self.cells.get_mut(cell as usize) {
            *name = self.unused;
            self.unused = self.unused.saturating_add(1);
        }
    }

    /// What the names mean after a renaming.
    fn renamed(&self, renaming: &Renaming) -> Names {
        let threads = renaming.threads.iter().map(|old| self.threads[*old]).collect();
        let mut cells = vec![0; self.cells.len()];
        for (old, new) in renaming.cells.iter().enumerate() {
            if *new != 0 {
                cells[*new] = self.cells[old];
            }
        }
        Names { threads, cells, unused: self.unused }
    }
}

impl Explorer<'_> {
    /// The run to a state in which an invariant does not hold for these threads.
    pub(super) fn run_to_violation(
        &mut self,
        id: StateId,
        invariant: InvId,
        threads: &[u32],
    ) -> Option<Run> {
        let (mut run, names) = self.run_to(id)?;
        let name = &self.machine.system.invariants.get(invariant.0 as usize)?.name;
        let threads = threads.iter().map(|thread| names.threads.get(*thread as usize).copied());
        run.shows = Shows::Violated {
            invariant: name.text.clone(),
            threads: threads.collect::<Option<Vec<u32>>>()?,
        };
        Some(run)
    }

    /// The run that ends in a fault.
    pub(super) fn run_to_fault(&mut self, found: &FoundFault) -> Option<Run> {
        let (mut run, mut names) = self.run_to(found.from)?;
        let mut words = Vec::new();
        self.store.load(found.from, &mut words);
        self.drop_unused(&words, &mut names);
        let step = self.step_of(found.thread, found.path, &found.chosen, &mut names)?;
        run.steps.push(step);
        Some(run)
    }

    fn run_to(&mut self, id: StateId) -> Option<(Run, Names)> {
        let path = self.store.path_to(id);
        let mut words = Vec::new();
        self.store.load(*path.first()?, &mut words);
        self.restore(&mut words);
        let address = |word: Word| u32::try_from(word).unwrap_or(0);
        let start = state_of(&self.machine, &self.layout, &words, &address);
        let mut names = Names::same(self.layout.threads, self.layout.cells);
        self.drop_unused(&words, &mut names);
        names.unused = 1 + names.cells.iter().max().copied().unwrap_or(0);
        let mut steps = Vec::new();
        for pair in path.windows(2) {
            let (from, to) = (*pair.first()?, *pair.last()?);
            steps.push(self.step_between(from, to, &mut names)?);
        }
        let run = Run {
            threads: self.layout.threads as u32,
            globals: start.globals,
            locals: start.threads.into_iter().map(|thread| thread.locals).collect(),
            cells: start.cells,
            steps,
            shows: Shows::Error,
        };
        Some((run, names))
    }

    /// Gives locals their initial values, which may have been forgotten.
    fn restore(&mut self, words: &mut [Word]) {
        let system = self.machine.system;
        for thread in 0..self.layout.threads {
            for (id, local) in (0..).map(LocalId).zip(&system.locals) {
                let Some(initial) = &local.initial else {
                    continue;
                };
                let scene = Scene {
                    layout: &self.layout,
                    words,
                    me: thread,
                    threads: &[],
                    strict: false,
                    known: None,
                };
                if let Ok(word) = eval(&mut self.machine.sets, &scene, initial) {
                    words[self.layout.local(thread, id)] = word;
                }
            }
        }
    }

    /// The step from one stored state to the next one, in the names of the run.
    fn step_between(&mut self, from: StateId, to: StateId, names: &mut Names) -> Option<RunStep> {
        let mut words = Vec::new();
        self.store.load(from, &mut words);
        self.drop_unused(&words, names);
        let mut normalizer = Normalizer::default();
        let mut chosen = Vec::new();
        for thread in 0..self.layout.threads {
            let mut oracle = Oracle::every();
            loop {
                let mut next = words.clone();
                let Explorer { machine, layout, .. } = self;
                let Attempt { outcome, path } =
                    attempt(machine, layout, &mut next, thread, &mut oracle, &mut chosen);
                if outcome.is_ok() {
                    let renaming = normalizer.normalise(&mut self.machine, &self.layout, &mut next);
                    if self.store.is(&next, to) {
                        let renaming = renaming.clone();
                        let step = self.step_of(thread, path, &chosen, names);
                        *names = names.renamed(&renaming);
                        return step;
                    }
                }
                if !oracle.advance() {
                    break;
                }
            }
        }
        None
    }

    /// Cells that nobody can come to have no name in the run.
    fn drop_unused(&self, words: &[Word], names: &mut Names) {
        let machine = &self.machine;
        let alive = super::heap::alive(&machine.kinds, &self.layout, words, &machine.sets);
        for (name, alive) in names.cells.iter_mut().zip(alive) {
            if !alive {
                *name = 0;
            }
        }
    }

    fn step_of(
        &mut self,
        thread: usize,
        path: u64,
        chosen: &[(Type, Word)],
        names: &mut Names,
    ) -> Option<RunStep> {
        let mut values: Vec<Value> = Vec::new();
        for (ty, word) in chosen {
            if *ty == Type::Scalar(Scalar::Addr) && *word != 0 && names.cell(*word) == 0 {
                names.add_cell(*word);
            }
            let sets = &mut self.machine.sets;
            let word = match ty {
                Type::Scalar(Scalar::Tid) => names.thread(*word),
                Type::Scalar(Scalar::Addr) => names.cell(*word),
                Type::Set(Scalar::Tid) => sets.map(*word, |member| names.thread(member)),
                Type::Set(Scalar::Addr) => sets.map(*word, |member| names.cell(member)),
                _ => *word,
            };
            let address = |word: Word| u32::try_from(word).unwrap_or(0);
            values.push(value_of(sets, *ty, word, &address));
        }
        Some(RunStep {
            thread: *names.threads.get(thread)?,
            path: u32::try_from(path).ok()?,
            chosen: values,
        })
    }
}
