//! How large things are, for measurements: nets before and after reductions, and semilinear sets.

use crate::prove::serial_outcomes::{limits as outcome_limits, serial_outcomes};
use ser_arith::{OutcomeOptions, TooLarge};
use ser_base::{Limits, Stop};
use ser_model::NetworkSystem;
use ser_net::{Net, PaperNet, Reductions, SerialAutomaton, normal_form, reduce};

/// Places and transitions of a net.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NetSize {
    /// Global states, in-flight places and sinks, as the SER paper counts places.
    pub places: usize,
    pub transitions: usize,
}

impl NetSize {
    /// The size of a net in normal form; global states and sinks count if it mentions them.
    pub fn of(net: &Net) -> NetSize {
        let places = net.globals().len() + net.places.len() + net.sinks().len();
        NetSize { places, transitions: net.transitions.len() }
    }
}

/// The sizes of the nets of one system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NetSizes {
    /// The paper's net, before anything is done about it.
    pub paper: NetSize,
    pub normal_form: NetSize,
    /// The normal form after slicing alone.
    pub sliced: NetSize,
    /// The net that the provers work on, after the given reductions.
    pub reduced: NetSize,
}

/// Measures the nets of a system.
///
/// ```
/// use ser_base::Limits;
/// use ser_model::ProgramModel;
/// use ser_net::Reductions;
/// let text = "request main { X := 1; yield; X := 0 }";
/// let model = ProgramModel::new(&ser_syntax::parse(text).program, text, &Limits::default()).unwrap();
/// let sizes =
///     ser_serializability_search::net_sizes(model.system(), Reductions::ALL, &Limits::default()).unwrap();
/// assert_eq!((sizes.paper.places, sizes.paper.transitions), (6, 6));
/// assert!(sizes.reduced.places < sizes.paper.places);
/// ```
pub fn net_sizes(
    system: &NetworkSystem,
    reductions: Reductions,
    limits: &Limits,
) -> Result<NetSizes, Stop> {
    let paper = PaperNet::new(system, limits)?;
    let raw = normal_form(system, limits)?;
    let slice = Reductions { slice: reductions.slice, ..Reductions::NONE };
    let after = |which| NetSize::of(&reduce(&raw, which, limits).net);
    Ok(NetSizes {
        paper: NetSize { places: paper.place_count(), transitions: paper.transitions.len() },
        normal_form: NetSize::of(&raw),
        sliced: after(slice),
        reduced: after(reductions),
    })
}

/// The size of a semilinear set of serial outcomes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OutcomeSizes {
    pub components: usize,
    /// The number of periods of each component.
    pub periods: Vec<usize>,
}

/// Sets larger than this are not measured.
const MAX_COMPONENTS: usize = 100_000;

/// Measures the semilinear set of serial outcomes, built with the given options. The system says
/// which outcomes there are.
pub fn outcome_sizes(
    automaton: &SerialAutomaton,
    system: &NetworkSystem,
    options: OutcomeOptions,
    limits: &Limits,
) -> Result<OutcomeSizes, TooLarge> {
    let sinks = PaperNet::new(system, limits).map_err(|_| TooLarge::Stopped)?.sinks;
    let set = serial_outcomes(automaton, &sinks, options, &outcome_limits(MAX_COMPONENTS, limits))?;
    let periods = set.maximal.iter().map(|at| set.components[*at].periods.len());
    Ok(OutcomeSizes { components: set.maximal.len(), periods: periods.collect() })
}
