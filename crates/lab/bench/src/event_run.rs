//! One question, answered once: what a row of a report about event tracing is made of.

use crate::lost_updates::Instance;
use crate::statistics::median;
use crate::table::{Cell, number};
use crate::verdict::Verdict;

/// How large a net and its formula were.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FormulaSizes {
    /// Transitions of the net.
    pub transitions: usize,
    /// Pairs of arcs that could be linked.
    pub links: usize,
    pub order_symbols: usize,
    /// Triangles of the order.
    pub triangles: usize,
    /// Variables of the formula.
    pub variables: usize,
    pub clauses: usize,
}

/// A question, answered once.
#[derive(Clone, Debug)]
pub struct EventRun {
    pub answer: Verdict,
    /// The time of the whole answer, without the check of a proof. If there is no answer, it would
    /// have taken longer.
    pub milliseconds: f64,
    /// The time of the check, if there was one.
    pub checking: Option<f64>,
    /// How much memory was in use at most, as far as somebody looked; of this run alone.
    pub peak_kib: u64,
    /// How large the formula was.
    pub sizes: FormulaSizes,
    /// Why there is no answer.
    pub reason: String,
}

impl EventRun {
    /// Whether there is no answer, so that the time is a lower bound.
    pub fn is_cut(&self) -> bool {
        self.answer == Verdict::Unknown
    }
}

/// An instance, answered in two ways.
#[derive(Clone, Debug)]
pub struct Trial {
    pub instance: Instance,
    /// By event tracing.
    pub events: EventRun,
    /// By bounded model checking, if it was asked.
    pub bmc: Option<EventRun>,
    /// What enumeration says, if it was asked.
    pub truth: Option<bool>,
}

impl Trial {
    /// Whether two answers contradict each other.
    pub fn is_disagreement(&self) -> bool {
        let bmc = self.bmc.as_ref().and_then(|run| run.answer.known());
        let answers = [self.events.answer.known(), bmc, self.truth];
        answers.contains(&Some(true)) && answers.contains(&Some(false))
    }

    /// How many times faster event tracing was, and whether it is at least that.
    pub fn speed_up(&self) -> Option<Censored> {
        let bmc = self.bmc.as_ref()?;
        let is_fair = !self.events.is_cut() && self.events.milliseconds > 0.0;
        is_fair.then(|| Censored {
            value: bmc.milliseconds / self.events.milliseconds,
            at_least: bmc.is_cut(),
        })
    }
}

/// A number, or a lower bound of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Censored {
    /// The number.
    pub value: f64,
    /// Whether the truth may be larger.
    pub at_least: bool,
}

impl Censored {
    /// The time of a run.
    pub fn time(run: &EventRun) -> Censored {
        Censored { value: run.milliseconds, at_least: run.is_cut() }
    }

    /// The median of numbers some of which are lower bounds. The median of the bounds is a lower
    /// bound of the median; it is the median itself unless some bound is not above it, because what
    /// lies above it may move further up without harm.
    ///
    /// ```
    /// use ser_bench::event_run::Censored;
    /// let exact = |value| Censored { value, at_least: false };
    /// let bound = |value| Censored { value, at_least: true };
    /// let median = Censored::median(&[exact(1.0), exact(2.0), bound(9.0)]).unwrap();
    /// assert_eq!(median, exact(2.0));
    /// let median = Censored::median(&[bound(1.0), exact(2.0), exact(9.0)]).unwrap();
    /// assert_eq!(median, bound(2.0));
    /// ```
    pub fn median(numbers: &[Censored]) -> Option<Censored> {
        let mut sorted: Vec<f64> = numbers.iter().map(|n| n.value).collect();
        sorted.sort_by(f64::total_cmp);
        // With an even number of them, the median is made of two.
        let middle = *sorted.get(sorted.len() / 2)?;
        let at_least = numbers.iter().any(|n| n.at_least && n.value <= middle);
        Some(Censored { value: median(sorted), at_least })
    }
}

impl From<Censored> for Cell {
    fn from(censored: Censored) -> Cell {
        match censored.at_least {
            true => Cell::Text(format!(">= {}", number(censored.value))),
            false => Cell::Number(censored.value),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A run with an answer.
    pub(crate) fn run(answer: Verdict, milliseconds: f64) -> EventRun {
        EventRun {
            answer,
            milliseconds,
            checking: None,
            peak_kib: 10,
            sizes: FormulaSizes { variables: 5, clauses: 7, ..FormulaSizes::default() },
            reason: String::new(),
        }
    }

    /// A trial by both methods.
    pub(crate) fn trial(c: u32, d: u32, events: EventRun, bmc: Option<EventRun>) -> Trial {
        Trial { instance: Instance { c, d }, events, bmc, truth: None }
    }

    #[test]
    fn answers_disagree_only_if_both_are_known() {
        let both = |events, bmc, truth| Trial {
            truth,
            ..trial(2, 0, run(events, 1.0), Some(run(bmc, 1.0)))
        };
        assert!(both(Verdict::Yes, Verdict::No, None).is_disagreement());
        assert!(both(Verdict::Yes, Verdict::Unknown, Some(false)).is_disagreement());
        assert!(both(Verdict::Unknown, Verdict::No, Some(true)).is_disagreement());
        assert!(!both(Verdict::Unknown, Verdict::No, None).is_disagreement());
        assert!(!both(Verdict::No, Verdict::No, Some(false)).is_disagreement());
    }

    #[test]
    fn speed_ups_of_runs_that_were_cut_are_lower_bounds() {
        let cut = trial(2, 0, run(Verdict::Yes, 2.0), Some(run(Verdict::Unknown, 30.0)));
        assert_eq!(cut.speed_up(), Some(Censored { value: 15.0, at_least: true }));
        let unfair = trial(2, 0, run(Verdict::Unknown, 2.0), Some(run(Verdict::No, 30.0)));
        assert_eq!(unfair.speed_up(), None);
    }

    #[test]
    fn the_median_is_a_bound_if_half_of_the_numbers_are() {
        let number = |value, at_least| Censored { value, at_least };
        let all = [number(3.0, false), number(4.0, true)];
        assert_eq!(Censored::median(&all), Some(number(3.5, true)), "it is made of both");
        let all = [number(3.0, true), number(3.0, true), number(1.0, false)];
        assert_eq!(Censored::median(&all).map(Cell::from), Some(Cell::Text(">= 3.00".into())));
        assert_eq!(Censored::median(&[]), None);
    }
}
