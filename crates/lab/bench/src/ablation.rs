//! What each optimisation is good for: the counterparts of Table 5 and Figures 15 and 16 of the SER
//! paper.

use crate::bar::Bar;
use crate::cli::AblationArgs;
use crate::measurement::Row;
use crate::plot::cactus;
use crate::report::Report;
use crate::statistics::Summary;
use crate::suite::Entry;
use crate::suite_report::{entries, limits, measure_all, plan};
use crate::table::{Table, fixed};
use crate::verdict::{Judgement, SERIALIZABILITY};
use crate::{Bench, Failure, sizes};
use clap::ValueEnum as _;
use ser::cli::SwitchName;

/// Measures with everything on, and with each option off.
pub fn run(args: &AblationArgs, bench: &Bench) -> Result<Report, Failure> {
    let switches = switches(&args.without)?;
    let entries = entries(&args.programs.paths, args.expected.as_deref())?;
    let mut ablation = sizes::measure(args, &entries, &switches, bench);
    if !args.sizes_only {
        ablation.configurations = configurations(args, &entries, switches, bench)?;
    }
    let done = ablation.configurations.iter().map(|c| c.rows.len()).min().unwrap_or(0);
    let mut report = report(&ablation);
    report.facts.push(("limits", limits(&args.measure)));
    report.interrupted(bench, done, entries.len(), "programs");
    Ok(report)
}

/// Measures all configurations. A program takes its turns in all of them before the next one, so
/// that a machine that is slower for a while is slower for all.
fn configurations(
    args: &AblationArgs,
    entries: &[Entry],
    switches: Vec<String>,
    bench: &Bench,
) -> Result<Vec<Configuration>, Failure> {
    let mut configurations = Vec::new();
    let mut plans = Vec::new();
    for without in std::iter::once(Vec::new()).chain(switches.into_iter().map(|s| vec![s])) {
        let options: String = without.iter().map(|switch| format!("--without {switch} ")).collect();
        plans.push(plan(&args.measure, Some(&options), bench)?);
        configurations.push(Configuration { without, rows: Vec::new() });
    }
    let bar = Bar::new(entries.len() * plans.len());
    for some in entries.chunks(args.measure.jobs.max(1) as usize) {
        for (plan, configuration) in plans.iter().zip(&mut configurations) {
            configuration.rows.extend(measure_all(some, plan, &bar));
        }
    }
    Ok(configurations)
}

/// The options to switch off: those named, or all that `ser check --without` knows.
fn switches(names: &[String]) -> Result<Vec<String>, Failure> {
    let known: Vec<String> = SwitchName::value_variants().iter().map(|it| name_of(*it)).collect();
    match names.iter().find(|name| !known.contains(name)) {
        Some(name) => {
            let help = format!("there are {}", known.join(", "));
            Err(Failure::new(format!("there is no option `{name}`")).help(help))
        }
        None if names.is_empty() => Ok(known),
        None => Ok(names.to_vec()),
    }
}

/// A value of the command line, as it is written there.
pub fn name_of(value: impl clap::ValueEnum) -> String {
    value.to_possible_value().map_or(String::new(), |it| it.get_name().to_owned())
}

/// What was measured with some optimisations switched off.
#[derive(Clone, PartialEq, Debug)]
pub struct Configuration {
    /// What is switched off; empty if nothing is.
    pub without: Vec<String>,
    /// The suite.
    pub rows: Vec<Row>,
}

impl Configuration {
    /// The name in tables.
    pub fn name(&self) -> String {
        name(&self.without)
    }

    /// Times of the solved programs.
    fn times(&self) -> Vec<f64> {
        let solved = self.rows.iter().filter(|row| row.solved());
        solved.map(|row| row.ours.milliseconds).collect()
    }

    fn judged(&self, what: Judgement) -> usize {
        self.rows.iter().filter(|row| row.judgement() == what).count()
    }
}

fn name(without: &[String]) -> String {
    match without {
        [] => "all on".into(),
        some => format!("without {}", some.join(", ")),
    }
}

/// Sizes of the semilinear sets of a suite with some optimisations switched off; `None` for a set
/// that was too large.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetSizes {
    /// What is switched off.
    pub without: Vec<String>,
    /// For each program the number of periods of each component.
    pub sets: Vec<Option<Vec<usize>>>,
}

/// Sizes of the nets of a suite at one stage: places and transitions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetSizes {
    /// The stage.
    pub stage: String,
    /// For each program the number of places and transitions.
    pub nets: Vec<(usize, usize)>,
}

/// Everything that was measured.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Ablation {
    /// Solved over time.
    pub configurations: Vec<Configuration>,
    /// Semilinear sets.
    pub sets: Vec<SetSizes>,
    /// Nets.
    pub nets: Vec<NetSizes>,
    /// Programs without sizes, and why.
    pub left_out: Vec<String>,
}

fn report(ablation: &Ablation) -> Report {
    let Ablation { configurations, sets, nets, left_out } = ablation;
    let wrong = configurations.iter().any(|it| it.judged(Judgement::Wrong) > 0);
    let mut report = Report {
        title: "What each optimisation is good for".into(),
        rows: run_table(configurations),
        code: u8::from(wrong),
        ..Report::default()
    };
    report.table(
        "semilinear_sets",
        "Semilinear sets of serial outcomes (Table 5)",
        set_table(sets),
    );
    if !sets.is_empty() {
        let (common, all) = common(sets);
        report.lines(vec![format!(
            "the first four numbers are over the {} of {all} programs whose sets could be built in every row",
            common.len()
        )]);
    }
    report.table("nets", "Nets before and after reductions (Figure 16)", net_table(nets));
    let solved = solved_table(configurations);
    report.table("configurations", "Solved, with each option off (Figure 15)", solved);
    report.lines(left_out.clone());
    if !configurations.is_empty() {
        let series: Vec<_> = configurations.iter().map(|it| (it.name(), it.times())).collect();
        let plot = cactus("Solved over time, with each option off", &series);
        report.plots.push(("ablation.svg".into(), plot));
    }
    report
}

/// The programs whose sets are known with every option, so that averages are about the same
/// programs, as in the paper.
fn common(sets: &[SetSizes]) -> (Vec<usize>, usize) {
    let all = sets.iter().map(|s| s.sets.len()).max().unwrap_or(0);
    let known = |at: &usize| sets.iter().all(|s| s.sets.get(*at).is_some_and(Option::is_some));
    ((0..all).filter(known).collect(), all)
}

/// Averages and maxima: components, then periods for each component.
fn set_numbers(sets: &SetSizes, common: &[usize]) -> [f64; 4] {
    let chosen: Vec<&Vec<usize>> =
        common.iter().filter_map(|at| sets.sets.get(*at)?.as_ref()).collect();
    let components = Summary::of(chosen.iter().map(|set| set.len() as f64));
    let periods = Summary::of(chosen.iter().flat_map(|set| set.iter().map(|n| *n as f64)));
    let both = |s: Option<Summary>| s.map_or([0.0, 0.0], |s| [s.mean, s.max]);
    let ([a, b], [c, d]) = (both(components), both(periods));
    [a, b, c, d]
}

fn set_table(sets: &[SetSizes]) -> Table {
    let (common, all) = common(sets);
    let all: Vec<usize> = (0..all).collect();
    let of = |at: usize, digits: usize| {
        let common = &common;
        move |it: &SetSizes| fixed(set_numbers(it, common)[at], digits)
    };
    let of_all = |at: usize, digits: usize| {
        let all = &all;
        move |it: &SetSizes| fixed(set_numbers(it, all)[at], digits)
    };
    Table::of(sets)
        .left("options", |it: &SetSizes| name(&it.without))
        .right("components, average", of(0, 2))
        .right("components, max", of(1, 0))
        .right("periods a component, average", of(2, 2))
        .right("periods, max", of(3, 0))
        .right("built", |it| it.sets.iter().flatten().count())
        .right("components of all built, average", of_all(0, 2))
        .right("components of all built, max", of_all(1, 0))
        .end()
}

fn net_numbers(nets: &NetSizes) -> [f64; 4] {
    let summary = |of: fn(&(usize, usize)) -> usize| {
        let summary = Summary::of(nets.nets.iter().map(|net| of(net) as f64));
        summary.map_or((0.0, 0.0), |s| (s.mean, s.max))
    };
    let ((places, most_places), (transitions, most_transitions)) =
        (summary(|n| n.0), summary(|n| n.1));
    [places, most_places, transitions, most_transitions]
}

fn net_table(nets: &[NetSizes]) -> Table {
    let of = |at: usize, digits: usize| move |it: &NetSizes| fixed(net_numbers(it)[at], digits);
    Table::of(nets)
        .left("net", |it: &NetSizes| it.stage.clone())
        .right("programs", |it| it.nets.len())
        .right("places, average", of(0, 2))
        .right("places, max", of(1, 0))
        .right("transitions, average", of(2, 2))
        .right("transitions, max", of(3, 0))
        .end()
}

/// How many times as long as with everything on: the geometric mean over the programs that are
/// solved both ways.
fn slowdown(configuration: &Configuration, base: &Configuration) -> Option<f64> {
    let ratios = configuration.rows.iter().zip(&base.rows).filter_map(|(row, base)| {
        let both = row.solved() && base.solved() && row.name == base.name;
        both.then(|| row.ours.milliseconds / base.ours.milliseconds)
    });
    Summary::of(ratios).map(|s| s.geometric_mean)
}

fn solved_table(configurations: &[Configuration]) -> Table {
    let Some(base) = configurations.first() else { return Table::default() };
    let lost = |it: &Configuration| {
        let pairs = it.rows.iter().zip(&base.rows);
        let lost = pairs.filter(|(row, base)| !row.solved() && base.solved());
        lost.map(|(row, _)| row.name.as_str()).collect::<Vec<_>>().join(" ")
    };
    Table::of(configurations)
        .left("options", Configuration::name)
        .right("solved", |it| it.times().len())
        .right("wrong", |it| it.judged(Judgement::Wrong))
        .right("unknown", |it| it.judged(Judgement::Unknown))
        .right("sum ms", |it| Summary::of(it.times()).map(|s| s.sum))
        .right("median ms", |it| Summary::of(it.times()).map(|s| s.median))
        .right("slower, geometric mean", |it| slowdown(it, base))
        .left("lost", lost)
        .end()
}

fn run_table(configurations: &[Configuration]) -> Table {
    type Run<'a> = (&'a Configuration, &'a Row);
    let runs: Vec<Run<'_>> =
        configurations.iter().flat_map(|it| it.rows.iter().map(move |row| (it, row))).collect();
    Table::of(&runs)
        .left("without", |(it, _): &Run<'_>| it.without.join(" "))
        .left("file", |(_, row)| row.name.clone())
        .left("verdict", |(_, row)| row.ours.verdict.name(SERIALIZABILITY))
        .left("ok", |(_, row)| row.judgement().name())
        .left("method", |(_, row)| row.ours.method.clone())
        .right("total_ms", |(_, row)| row.ours.milliseconds)
        .end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::ReportFormat;
    use crate::suite::Published;
    use crate::tool::Sample;
    use crate::verdict::Verdict;

    #[test]
    fn averages_are_about_the_same_programs() {
        let all_on = SetSizes { without: vec![], sets: vec![Some(vec![1, 3]), Some(vec![2; 9])] };
        let off = SetSizes { without: vec!["pruning".into()], sets: vec![Some(vec![1; 6]), None] };
        let (common, all) = common(&[all_on.clone(), off.clone()]);
        assert_eq!((common.as_slice(), all), (&[0][..], 2));
        assert_eq!(set_numbers(&all_on, &common), [2.0, 2.0, 2.0, 3.0]);
        assert_eq!(set_numbers(&off, &common), [6.0, 6.0, 1.0, 1.0]);
    }

    #[test]
    fn averages_of_nets_are_plain() {
        let nets = NetSizes { stage: "sliced".into(), nets: vec![(2, 4), (4, 5)] };
        assert_eq!(net_numbers(&nets), [3.0, 4.0, 4.5, 5.0]);
    }

    fn row(name: &str, verdict: Verdict, milliseconds: f64) -> Row {
        Row {
            name: name.into(),
            expected: Some(Verdict::Yes),
            published: Published::default(),
            ours: Sample { verdict, milliseconds, ..Sample::default() },
            other: None,
        }
    }

    #[test]
    fn what_an_option_costs_and_loses_is_told() {
        let yes = Verdict::Yes;
        let configurations = vec![
            Configuration {
                without: vec![],
                rows: vec![row("a", yes, 1.0), row("b", yes, 1.0), row("c", yes, 5.0)],
            },
            Configuration {
                without: vec!["movers".into()],
                rows: vec![row("a", yes, 2.0), row("b", yes, 8.0), row("c", Verdict::Unknown, 9.0)],
            },
        ];
        let slower = slowdown(&configurations[1], &configurations[0]).unwrap();
        assert!((slower - 4.0).abs() < 1e-9);
        let ablation = Ablation { configurations, ..Ablation::default() };
        let report = report(&ablation);
        let text = report.text(ReportFormat::Markdown);
        assert!(text.contains("| without movers | 2 | 0 | 1 | 10.0 | 5.00 | 4.00 | c |"), "{text}");
        assert_eq!(report.plots[0].1.series.len(), 2);
    }
}
