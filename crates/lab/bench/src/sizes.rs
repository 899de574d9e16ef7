//! Sizes of nets and semilinear sets, for `ser-bench ablation`.

use crate::Bench;
use crate::ablation::{Ablation, NetSizes, SetSizes};
use crate::bar::Bar;
use crate::cli::AblationArgs;
use crate::suite::Entry;
use ser::cli::{LimitArgs, SwitchName, WithoutArgs};
use ser_base::Limits;
use ser_model::NetworkSystem;
use ser_net::{Reductions, SerialAutomaton};
use ser_serializability_search::{net_sizes, outcome_sizes};
use ser_session::source::Model;

/// The switches that say how semilinear sets are built, with their names.
const SETS: [(SwitchName, &str); 4] = [
    (SwitchName::Pruning, "pruning"),
    (SwitchName::FewerConstraints, "fewer-constraints"),
    (SwitchName::EliminationOrder, "elimination-order"),
    (SwitchName::MergeRule, "merge-rule"),
];

/// The sizes of all programs.
pub fn measure(
    args: &AblationArgs,
    entries: &[Entry],
    switches: &[String],
    bench: &Bench,
) -> Ablation {
    let mut ablation = Ablation::default();
    let bar = Bar::new(entries.len());
    // With the clock for one measurement running from now.
    let limits = || {
        let (timeout, memory) = (args.size_timeout, args.measure.memory);
        let max_states = Limits::default().max_states;
        LimitArgs { timeout, memory, max_states }.start(&bench.process)
    };
    let chosen: Vec<_> =
        SETS.into_iter().filter(|(_, name)| switches.iter().any(|s| s == name)).collect();
    let mut configurations: Vec<Vec<(SwitchName, &str)>> = vec![Vec::new()];
    configurations.extend(chosen.iter().map(|switch| vec![*switch]));
    if chosen.len() > 1 {
        configurations.push(chosen);
    }
    ablation.sets = configurations
        .iter()
        .map(|switches| SetSizes {
            without: switches.iter().map(|(_, name)| (*name).to_owned()).collect(),
            sets: Vec::new(),
        })
        .collect();
    let stages = ["the paper's", "normal form", "after slicing", "after all reductions"];
    ablation.nets =
        stages.map(|stage| NetSizes { stage: stage.to_owned(), nets: Vec::new() }).into();
    for entry in entries {
        if bench.is_interrupted() {
            break;
        }
        if let Err(reason) = measure_one(entry, &configurations, &limits, &mut ablation) {
            ablation.left_out.push(format!("without sizes: {}: {reason}", entry.name));
        }
        bar.step(entry.name.clone());
    }
    ablation
}

/// Adds the sizes of one program, or says why there are none.
fn measure_one(
    entry: &Entry,
    configurations: &[Vec<(SwitchName, &str)>],
    limits: &dyn Fn() -> Limits,
    ablation: &mut Ablation,
) -> Result<(), &'static str> {
    let source =
        ser_session::source::read(&entry.path, &Limits::default()).map_err(|_| "cannot be read")?;
    let (model, _) = ser_session::source::model(&source, &limits())
        .map_err(|_| "its states cannot be enumerated")?;
    if matches!(model, Model::Rules(_)) {
        return Err("its states are not enumerated");
    }
    let system = model.system();
    let sizes = net_sizes(system, Reductions::default(), &limits())
        .map_err(|_| "its nets cannot be built within the limits")?;
    let automaton = SerialAutomaton::new(system, &limits())
        .map_err(|_| "its serial automaton cannot be built within the limits")?;
    let nets = [sizes.paper, sizes.normal_form, sizes.sliced, sizes.reduced];
    for (list, net) in ablation.nets.iter_mut().zip(nets) {
        list.nets.push((net.places, net.transitions));
    }
    for (list, switches) in ablation.sets.iter_mut().zip(configurations) {
        list.sets.push(periods(&automaton, system, switches, &limits()));
    }
    Ok(())
}

/// The periods of each component of the semilinear set, unless it is too large.
fn periods(
    automaton: &SerialAutomaton,
    system: &NetworkSystem,
    switches: &[(SwitchName, &str)],
    limits: &Limits,
) -> Option<Vec<usize>> {
    let without = WithoutArgs { without: switches.iter().map(|(switch, _)| *switch).collect() };
    outcome_sizes(automaton, system, without.outcomes(), limits).ok().map(|sizes| sizes.periods)
}
