//! Semilinear sets that know their words.
//!
//! A *component* is the set `base + N*period_1 + ... + N*period_n` of vectors. Here it also carries
//! the reason why each of its vectors is the letter count (Parikh image) of a real word: a base
//! word with cycle words anchored on it. Wherever the base word is read along a path, the cycles
//! are closed paths at the states they are anchored at, so each can be repeated any number of
//! times. A checker replays the words and needs to believe nothing else.
//!
//! Sets are built bottom up, letter by letter (SER paper, section 3.2), and kept small by pruning:
//! periods that others generate, components that another contains. What is left at the end is
//! merged further ([`crate::Outcomes`]).

use crate::cone::{GaveUp, combination, quick_combination};

/// A letter: in an automaton, the number of an edge.
pub type Letter = u32;

/// A word that is closed at its anchor: it may be read there any number of times.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cycle {
    /// How many letters of the base word are read before it: `0..=word.len()`.
    pub at: usize,
    /// The cycle.
    pub word: Vec<Letter>,
}

/// Why the vectors of a component are counts of words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Origin {
    /// The base word and the cycles say so.
    Word,
    /// `Merge(i, j, q)`: contained in the union of the components `i` and `j` of the same list,
    /// both earlier. With `b` and `P` of `i`, component `j` has the base `b + q`, and its periods
    /// are `q` and some of `P`; `q` is given as an index into the periods of `j`, and the periods
    /// here are those of `j`, in the same order. The base word and the cycles are empty.
    Merge(usize, usize, usize),
}

/// A linear set of vectors, with the words that make it one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Component {
    /// The base word.
    pub word: Vec<Letter>,
    /// The cycles on it, one for each period; none for a merged component.
    pub cycles: Vec<Cycle>,
    /// The counts of the base word.
    pub base: Vec<i64>,
    /// The counts of the cycles, in the same order.
    pub periods: Vec<Vec<i64>>,
    /// Where it comes from.
    pub origin: Origin,
}

impl Component {
    /// The empty word alone.
    pub fn epsilon(dimension: usize) -> Component {
        Component {
            word: Vec::new(),
            cycles: Vec::new(),
            base: vec![0; dimension],
            periods: Vec::new(),
            origin: Origin::Word,
        }
    }

    /// Numbers `lambda >= 0` with `vector = base + sum(lambda_i * period_i)`, if there are any.
    ///
    /// ```
    /// use ser_arith::{Alphabet, Limits, Semilinear};
    /// let alphabet = Alphabet::new(2, vec![0, 1]);
    /// let limits = Limits::default();
    /// // (ab)* b
    /// let a = Semilinear::letter(&alphabet, 0);
    /// let b = Semilinear::letter(&alphabet, 1);
    /// let cycle = a.concat(&b, &limits).unwrap().star(&limits).unwrap();
    /// let set = cycle.concat(&b, &limits).unwrap();
    /// assert_eq!(set.components()[0].contains(&[3, 4]), Ok(Some(vec![3])));
    /// assert_eq!(set.components()[0].contains(&[3, 3]), Ok(None));
    /// ```
    pub fn contains(&self, vector: &[i64]) -> Result<Option<Vec<i64>>, GaveUp> {
        match difference(vector, &self.base) {
            Some(rest) => combination(&self.periods, &rest),
            None => Ok(None),
        }
    }

    /// The vector `base + sum(lambda_i * period_i)`; nothing if an entry does not fit a word.
    pub fn member(&self, lambda: &[i64]) -> Option<Vec<i64>> {
        let mut vector = self.base.clone();
        for (period, times) in self.periods.iter().zip(lambda) {
            for (entry, p) in vector.iter_mut().zip(period) {
                *entry = entry.checked_add(p.checked_mul(*times)?)?;
            }
        }
        Some(vector)
    }

    /// A sufficient test for inclusion: the other's periods generate the difference of the bases
    /// and every period.
    pub fn is_within(&self, other: &Component) -> bool {
        difference(&self.base, &other.base)
            .is_some_and(|rest| quick_combination(&other.periods, &rest))
            && self.periods.iter().all(|p| quick_combination(&other.periods, p))
    }

    /// How many letters it takes to write down.
    fn letters(&self) -> usize {
        self.word.len() + self.cycles.iter().map(|c| c.word.len()).sum::<usize>()
    }

    fn total(&self) -> i64 {
        self.base.iter().sum()
    }

    /// The word of this one, then that of the other.
    fn then(&self, other: &Component) -> Component {
        let shift = self.word.len();
        let mut word = self.word.clone();
        word.extend(&other.word);
        let mut cycles = self.cycles.clone();
        cycles
            .extend(other.cycles.iter().map(|c| Cycle { at: c.at + shift, word: c.word.clone() }));
        let base = self.base.iter().zip(&other.base).map(|(a, b)| a + b).collect();
        let mut periods = self.periods.clone();
        periods.extend(other.periods.iter().cloned());
        Component { word, cycles, base, periods, origin: Origin::Word }
    }

    fn add_cycle(&mut self, word: &[Letter], period: &[i64]) {
        self.cycles.push(Cycle { at: 0, word: word.to_vec() });
        self.periods.push(period.to_vec());
    }

    /// Reads each cycle so many times as part of the base word.
    pub(crate) fn insert_cycles(&mut self, lambda: &[i64]) {
        let mut word = Vec::new();
        let mut starts = Vec::new();
        for at in 0..=self.word.len() {
            for (cycle, times) in self.cycles.iter().zip(lambda).filter(|(c, _)| c.at == at) {
                for _ in 0..*times {
                    word.extend(&cycle.word);
                }
            }
            starts.push(word.len());
            word.extend(self.word.get(at));
        }
        for cycle in &mut self.cycles {
            cycle.at = starts.get(cycle.at).copied().unwrap_or(0);
        }
        if let Some(base) = self.member(lambda) {
            self.base = base;
        }
        self.word = word;
    }

    /// Sorts the periods and removes those that the others generate; without pruning only zeros and
    /// those that are there already.
    fn tidy(&mut self, prune: bool) {
        let cycles = std::mem::take(&mut self.cycles);
        let periods = std::mem::take(&mut self.periods);
        let mut pairs: Vec<(i64, Vec<i64>, Cycle)> =
            periods.into_iter().zip(cycles).map(|(p, c)| (p.iter().sum(), p, c)).collect();
        pairs.sort_by(|a, b| {
            (a.0, &a.1, a.2.word.len(), &a.2).cmp(&(b.0, &b.1, b.2.word.len(), &b.2))
        });
        // In this order a period can only be generated by earlier ones.
        for (total, period, cycle) in pairs {
            let known = self.periods.last() == Some(&period)
                || prune && quick_combination(&self.periods, &period);
            if total > 0 && !known {
                self.periods.push(period);
                self.cycles.push(cycle);
            }
        }
    }
}

/// `left - right`, if no entry is negative.
pub(crate) fn difference(left: &[i64], right: &[i64]) -> Option<Vec<i64>> {
    if left.len() != right.len() {
        return None;
    }
    left.iter().zip(right).map(|(a, b)| (a >= b).then(|| a - b)).collect()
}

/// Which coordinate each letter counts for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alphabet {
    dimension: usize,
    coordinates: Vec<usize>,
}

impl Alphabet {
    /// Letter `i` counts for coordinate `coordinates[i]`. The dimension grows if it must.
    pub fn new(dimension: usize, coordinates: Vec<usize>) -> Alphabet {
        let least = coordinates.iter().map(|d| d + 1).max().unwrap_or(0);
        Alphabet { dimension: dimension.max(least), coordinates }
    }

    /// How many coordinates vectors have.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The counts of a word; letters that do not exist count for nothing.
    pub fn count(&self, word: &[Letter]) -> Vec<i64> {
        let mut counts = vec![0; self.dimension];
        for &letter in word {
            if let Some(&d) = self.coordinates.get(letter as usize) {
                counts[d] += 1;
            }
        }
        counts
    }
}

/// How large sets may become, and how long it may take.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Components of any set on the way.
    pub components: usize,
    /// Letters of a component: its base word and its cycles together.
    pub letters: usize,
    /// When to stop.
    pub clock: ser_base::Limits,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { components: 2_000, letters: 100_000, clock: ser_base::Limits::default() }
    }
}

impl Limits {
    /// Whether work may go on.
    pub(crate) fn check_clock(&self) -> Result<(), TooLarge> {
        self.clock.check_clock().map_err(|_| TooLarge::Stopped)
    }
}

/// A set passed a limit on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TooLarge {
    /// Too many components.
    #[error("a semilinear set needs more than {0} components")]
    Components(usize),
    /// Too long words.
    #[error("a component of a semilinear set needs more than {0} letters")]
    Letters(usize),
    /// Time is up, memory is, or the work was called off.
    #[error("building a semilinear set was stopped")]
    Stopped,
}

ser_base::switches! {
    /// How sets are built and kept small: each way has a switch, for experiments. The set of
    /// vectors is the same with any of them.
    pub struct OutcomeOptions {
        /// Drop periods that others generate, and components that another one contains (SER paper,
        /// section 3.2, (2)).
        pub prune: bool,
        /// Shortcuts for the star: components that add only periods (section 3.2, (3)).
        pub shortcuts: bool,
        /// Remove states with few paths through them first (section 3.2, (4)); without it, in the
        /// order of their numbers.
        pub lowest_degree_first: bool,
        /// The merge rule of [`crate::Outcomes`].
        pub merge: bool,
    }
}

/// A union of components.
///
/// ```
/// use ser_arith::{Alphabet, Limits, Semilinear};
/// let alphabet = Alphabet::new(2, vec![0, 1]);
/// let limits = Limits::default();
/// let a = Semilinear::letter(&alphabet, 0);
/// let b = Semilinear::letter(&alphabet, 1);
/// // (a | b)* is everything, and one component.
/// let all = a.union(&b, &limits).unwrap().star(&limits).unwrap();
/// assert_eq!(all.components().len(), 1);
/// assert_eq!(all.contains(&[2, 5]), Ok(Some((0, vec![5, 2]))));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Semilinear {
    pub(crate) dimension: usize,
    pub(crate) options: OutcomeOptions,
    components: Vec<Component>,
}

impl Semilinear {
    /// No word at all.
    pub fn empty(dimension: usize) -> Semilinear {
        Semilinear { dimension, options: OutcomeOptions::default(), components: Vec::new() }
    }

    /// The empty word.
    pub fn epsilon(dimension: usize) -> Semilinear {
        Semilinear::one(Component::epsilon(dimension))
    }

    pub fn letter(alphabet: &Alphabet, letter: Letter) -> Semilinear {
        let mut component = Component::epsilon(alphabet.dimension());
        component.word.push(letter);
        component.base = alphabet.count(&component.word);
        Semilinear::one(component)
    }

    fn one(component: Component) -> Semilinear {
        Semilinear {
            components: vec![component.clone()],
            ..Semilinear::empty(component.base.len())
        }
    }

    /// The same set; whatever is made of it is built in this way. Where two sets meet, the first
    /// one decides.
    pub fn with_options(self, options: OutcomeOptions) -> Semilinear {
        Semilinear { options, ..self }
    }

    /// The components, in a fixed order: small bases first.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// Is there no word?
    pub fn is_empty(&self) -> bool {
        self.components.is_empty()
    }

    /// A component that contains the vector, by its index, and the lambdas.
    #[allow(clippy::type_complexity)]
    pub fn contains(&self, vector: &[i64]) -> Result<Option<(usize, Vec<i64>)>, GaveUp> {
        find(self.components.iter().enumerate(), vector)
    }

    /// The words of either.
    pub fn union(&self, other: &Semilinear, limits: &Limits) -> Result<Semilinear, TooLarge> {
        let all = self.components.iter().chain(&other.components).cloned().collect();
        self.pruned(all, limits)
    }

    /// A word of this set, then one of the other: the Minkowski sum.
    pub fn concat(&self, other: &Semilinear, limits: &Limits) -> Result<Semilinear, TooLarge> {
        let mut all = Vec::new();
        for left in &self.components {
            for right in &other.components {
                limits.check_clock()?;
                all.push(self.shaped(left.then(right), limits)?);
            }
            if all.len() > limits.components {
                all = self.pruned(all, limits)?.components;
            }
        }
        self.pruned(all, limits)
    }

    /// Any number of words of this set. They must all be closed at one and the same state.
    ///
    /// The textbook union over all sets `I` of components, `sum of bases + N*(bases and periods)`,
    /// built one component at a time and pruned on the way. Components that add only periods are
    /// not part of `I`: those without periods, those with an empty base word, and those whose
    /// periods are generated by what such components already gave.
    pub fn star(&self, limits: &Limits) -> Result<Semilinear, TooLarge> {
        let (always, rest) = self.periods_of_star();
        let mut all = vec![self.shaped(always, limits)?];
        for component in rest {
            let mut more = Vec::with_capacity(all.len());
            for chosen in &all {
                limits.check_clock()?;
                let mut larger = chosen.then(component);
                larger.add_cycle(&component.word, &component.base);
                more.push(self.shaped(larger, limits)?);
            }
            all.extend(more);
            all = self.pruned(all, limits)?.components;
        }
        self.pruned(all, limits)
    }

    /// The part of the star that needs no choice of components, as one component, and the
    /// components that have to be chosen from.
    fn periods_of_star(&self) -> (Component, Vec<&Component>) {
        let mut always = Component::epsilon(self.dimension);
        if !self.options.shortcuts {
            return (always, self.components.iter().collect());
        }
        let mut rest: Vec<&Component> = Vec::new();
        for component in &self.components {
            if component.word.is_empty() {
                // All its cycles are anchored at the only position there is.
                for (cycle, period) in component.cycles.iter().zip(&component.periods) {
                    always.add_cycle(&cycle.word, period);
                }
            } else {
                rest.push(component);
            }
        }
        loop {
            always.tidy(self.options.prune);
            let (free, bound): (Vec<&Component>, Vec<&Component>) = rest
                .iter()
                .partition(|c| c.periods.iter().all(|p| quick_combination(&always.periods, p)));
            if free.is_empty() {
                return (always, rest);
            }
            for component in free {
                always.add_cycle(&component.word, &component.base);
            }
            rest = bound;
        }
    }

    /// A component with its periods in order, if it is not too long.
    fn shaped(&self, mut component: Component, limits: &Limits) -> Result<Component, TooLarge> {
        component.tidy(self.options.prune);
        if component.letters() > limits.letters {
            return Err(TooLarge::Letters(limits.letters));
        }
        Ok(component)
    }

    fn pruned(&self, all: Vec<Component>, limits: &Limits) -> Result<Semilinear, TooLarge> {
        let components = tidy(all, self.options.prune, limits)?;
        if components.len() > limits.components {
            return Err(TooLarge::Components(limits.components));
        }
        Ok(Semilinear { components, ..Semilinear::empty(self.dimension) }
            .with_options(self.options))
    }
}

/// Sorts, and drops components that another one contains; without pruning only those that are there
/// already.
fn tidy(mut all: Vec<Component>, prune: bool, limits: &Limits) -> Result<Vec<Component>, TooLarge> {
    limits.check_clock()?;
    all.sort_by_cached_key(|c| {
        (c.total(), c.base.clone(), c.periods.clone(), c.letters(), c.word.clone())
    });
    if !prune {
        all.dedup_by(|a, b| a.base == b.base && a.periods == b.periods);
        return Ok(all);
    }
    let mut kept: Vec<Component> = Vec::new();
    for component in all {
        limits.check_clock()?;
        if kept.iter().any(|other| component.is_within(other)) {
            continue;
        }
        // Only one with the same base can be contained in this one: its base is not smaller.
        kept.retain(|other| other.base != component.base || !other.is_within(&component));
        kept.push(component);
    }
    Ok(kept)
}

pub(crate) fn find<'a>(
    components: impl Iterator<Item = (usize, &'a Component)>,
    vector: &[i64],
) -> Result<Option<(usize, Vec<i64>)>, GaveUp> {
    let mut gave_up = false;
    for (at, component) in components {
        match component.contains(vector) {
            Ok(Some(lambda)) => return Ok(Some((at, lambda))),
            Ok(None) => {}
            Err(GaveUp) => gave_up = true,
        }
    }
    if gave_up { Err(GaveUp) } else { Ok(None) }
}
