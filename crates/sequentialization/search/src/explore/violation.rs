//! The smallest instance of a protocol that goes wrong.

use super::{Coverage, Stop, explore_with};
use ser_base::Limits;
use ser_sequentialization_checker::run::Run;
use ser_syntax::icet::ast::Protocol;

/// The sizes that are tried, beyond what a set has at least.
const SMALL: u32 = 2;
/// The sizes that are tried last.
const LARGE: u32 = 3;
/// How many instances are tried at most.
const INSTANCES: usize = 400;

/// What trying small instances gave.
#[derive(Clone, Debug, Default)]
pub struct SmallestViolation {
    /// A run of the smallest instance that goes wrong.
    pub run: Option<Run>,
    /// The sizes of the instances that were looked at completely and where nothing is wrong.
    pub searched: Vec<Vec<u32>>,
}

/// Tries instances of increasing size until one goes wrong: first with up to 2 members in each set,
/// then with up to 3, each set on its own. The limit on states is one for each instance; the
/// deadline is one for all.
///
/// A deadlock or failure is preferred, the shorter one; then a message that nobody receives.
///
/// ```
/// use ser_base::Limits;
/// use ser_sequentialization_search::explore::smallest_violation;
/// let text = "set Q; msg A = A; process p { for x in Q { send A to x; } } process w for q in Q { skip; }";
/// let found = smallest_violation(&ser_syntax::icet::parse(text).protocol, &Limits::default());
/// assert_eq!(found.run.map(|run| run.sizes), Some(vec![1]));
/// assert_eq!(found.searched, [[0]]);
/// ```
pub fn smallest_violation(protocol: &Protocol, limits: &Limits) -> SmallestViolation {
    let coverage = Coverage { stop_at_violation: true, ..Coverage::default() };
    let mut found = SmallestViolation::default();
    for sizes in instances(protocol) {
        let exploration = explore_with(protocol, &sizes, coverage, limits);
        let findings = exploration.findings;
        let worse = match (findings.failure, findings.deadlock) {
            (Some(failure), Some(deadlock)) if deadlock.steps.len() < failure.steps.len() => {
                Some(deadlock)
            }
            (failure, deadlock) => failure.or(deadlock),
        };
        if let Some(run) = worse.or(findings.orphan) {
            found.run = Some(run);
            break;
        }
        match exploration.stopped {
            None => found.searched.push(sizes),
            Some(Stop::Limit(stop)) if !matches!(stop, ser_base::Stop::States { .. }) => break,
            Some(_) => {}
        }
    }
    found
}

/// The sizes to try, in their order.
fn instances(protocol: &Protocol) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for set in &protocol.sets {
        let sizes = set.at_least..=set.at_least.max(LARGE);
        all = all
            .iter()
            .flat_map(|start| {
                sizes.clone().map(|size| {
                    let mut longer = start.clone();
                    longer.push(size);
                    longer
                })
            })
            .take(INSTANCES)
            .collect();
    }
    let large = |sizes: &Vec<u32>| {
        sizes.iter().zip(&protocol.sets).any(|(&size, set)| size > SMALL.max(set.at_least))
    };
    all.sort_by_key(|sizes| (large(sizes), sizes.iter().sum::<u32>(), sizes.clone()));
    all
}
