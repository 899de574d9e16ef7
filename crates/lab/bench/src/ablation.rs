//! What each optimisation is good for: the counterparts of Table 5 and Figures 15 and 16 of the SER
//! paper.

use crate::document::{Document, Section, number};
use crate::measurement::{Judgement, Row};
use crate::plot::{Plot, cactus};
use crate::statistics::Summary;
use crate::table::{Align, Table};
use serde_json::{Value, json};

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

/// Writes the report.
pub fn document(facts: Vec<(String, String)>, ablation: &Ablation) -> Document {
    let mut sections = Vec::new();
    if !ablation.sets.is_empty() {
        let heading = "Semilinear sets of serial outcomes (Table 5)";
        sections.push(Section::Table(heading.into(), set_table(&ablation.sets)));
        let (common, all) = common(&ablation.sets);
        sections.push(Section::Lines(vec![format!(
            "the first four numbers are over the {} of {all} programs whose sets could be built in every row",
            common.len()
        )]));
    }
    if !ablation.nets.is_empty() {
        let heading = "Nets before and after reductions (Figure 16)";
        sections.push(Section::Table(heading.into(), net_table(&ablation.nets)));
    }
    if !ablation.configurations.is_empty() {
        let heading = "Solved, with each option off (Figure 15)";
        sections.push(Section::Table(heading.into(), solved_table(&ablation.configurations)));
    }
    if !ablation.left_out.is_empty() {
        sections.push(Section::Lines(ablation.left_out.clone()));
    }
    Document {
        title: "What each optimisation is good for".into(),
        facts,
        sections,
        table: run_table(&ablation.configurations),
        json: json(ablation),
    }
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
    let mut table = Table::new(&[
        ("options", Align::Left),
        ("components, average", Align::Right),
        ("max", Align::Right),
        ("periods a component, average", Align::Right),
        ("max", Align::Right),
        ("built", Align::Right),
        ("components of all built, average", Align::Right),
        ("max", Align::Right),
    ]);
    let (common, all) = common(sets);
    let all: Vec<usize> = (0..all).collect();
    for one in sets {
        let [mean, max, periods, most] = set_numbers(one, &common);
        let [own_mean, own_max, ..] = set_numbers(one, &all);
        table.row([
            name(&one.without),
            format!("{mean:.2}"),
            format!("{max:.0}"),
            format!("{periods:.2}"),
            format!("{most:.0}"),
            one.sets.iter().flatten().count().to_string(),
            format!("{own_mean:.2}"),
            format!("{own_max:.0}"),
        ]);
    }
    table
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
    let mut table = Table::new(&[
        ("net", Align::Left),
        ("programs", Align::Right),
        ("places, average", Align::Right),
        ("max", Align::Right),
        ("transitions, average", Align::Right),
        ("max", Align::Right),
    ]);
    for one in nets {
        let [places, most_places, transitions, most_transitions] = net_numbers(one);
        table.row([
            one.stage.clone(),
            one.nets.len().to_string(),
            format!("{places:.2}"),
            format!("{most_places:.0}"),
            format!("{transitions:.2}"),
            format!("{most_transitions:.0}"),
        ]);
    }
    table
}

/// Times of the solved programs.
fn times(configuration: &Configuration) -> Vec<f64> {
    let solved = configuration.rows.iter().filter(|row| row.solved());
    solved.map(|row| row.ours.milliseconds).collect()
}

fn judged(configuration: &Configuration, what: Judgement) -> usize {
    configuration.rows.iter().filter(|row| row.judgement() == what).count()
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
    let mut table = Table::new(&[
        ("options", Align::Left),
        ("solved", Align::Right),
        ("wrong", Align::Right),
        ("unknown", Align::Right),
        ("sum ms", Align::Right),
        ("median ms", Align::Right),
        ("slower, geometric mean", Align::Right),
        ("lost", Align::Left),
    ]);
    for configuration in configurations {
        let summary = Summary::of(times(configuration));
        let lost: Vec<&str> = configuration
            .rows
            .iter()
            .zip(configurations.first().map_or(&[][..], |base| &base.rows))
            .filter(|(row, base)| !row.solved() && base.solved())
            .map(|(row, _)| row.name.as_str())
            .collect();
        let base = configurations.first();
        table.row([
            configuration.name(),
            times(configuration).len().to_string(),
            judged(configuration, Judgement::Wrong).to_string(),
            judged(configuration, Judgement::Unknown).to_string(),
            number(summary.map(|s| s.sum)),
            number(summary.map(|s| s.median)),
            number(base.and_then(|base| slowdown(configuration, base))),
            lost.join(" "),
        ]);
    }
    table.without_empty_columns()
}

fn run_table(configurations: &[Configuration]) -> Table {
    let mut table = Table::new(&[
        ("without", Align::Left),
        ("file", Align::Left),
        ("verdict", Align::Left),
        ("ok", Align::Left),
        ("method", Align::Left),
        ("total_ms", Align::Right),
    ]);
    for configuration in configurations {
        for row in &configuration.rows {
            table.row([
                configuration.without.join(" "),
                row.name.clone(),
                row.ours.verdict.name().to_owned(),
                row.judgement().name().to_owned(),
                row.ours.method.clone(),
                format!("{:.3}", row.ours.milliseconds),
            ]);
        }
    }
    table
}

fn json(ablation: &Ablation) -> Value {
    let configurations: Vec<Value> = ablation
        .configurations
        .iter()
        .map(|c| {
            let rows: Vec<Value> = c
                .rows
                .iter()
                .map(|row| {
                    json!({
                        "file": row.name,
                        "verdict": row.ours.verdict.name(),
                        "ok": row.judgement().name(),
                        "method": row.ours.method,
                        "total_ms": (row.ours.milliseconds * 1e3).round() / 1e3,
                    })
                })
                .collect();
            json!({ "without": c.without, "solved": times(c).len(), "rows": rows })
        })
        .collect();
    let (common, all) = common(&ablation.sets);
    let sets: Vec<Value> = ablation
        .sets
        .iter()
        .map(|sets| {
            let [mean, max, periods, most] = set_numbers(sets, &common);
            let every: Vec<usize> = (0..all).collect();
            let [own_mean, own_max, own_periods, own_most] = set_numbers(sets, &every);
            json!({
                "built": sets.sets.iter().flatten().count(),
                "built_components_average": own_mean,
                "built_components_max": own_max,
                "built_periods_average": own_periods,
                "built_periods_max": own_most,
                "without": sets.without,
                "programs": common.len(),
                "programs_in_all": all,
                "components_average": mean,
                "components_max": max,
                "periods_average": periods,
                "periods_max": most,
                "periods": sets.sets,
            })
        })
        .collect();
    let nets: Vec<Value> = ablation
        .nets
        .iter()
        .map(|nets| {
            let [places, most_places, transitions, most_transitions] = net_numbers(nets);
            json!({
                "net": nets.stage,
                "programs": nets.nets.len(),
                "places_average": places,
                "places_max": most_places,
                "transitions_average": transitions,
                "transitions_max": most_transitions,
            })
        })
        .collect();
    json!({
        "semilinear_sets": sets,
        "nets": nets,
        "configurations": configurations,
        "left_out": ablation.left_out,
    })
}

/// Solved over time, a line for each configuration.
pub fn plot(ablation: &Ablation) -> Plot {
    let series: Vec<(String, Vec<f64>)> =
        ablation.configurations.iter().map(|c| (c.name(), times(c))).collect();
    cactus("Solved over time, with each option off", &series)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Format;
    use crate::suite::Published;
    use crate::tool::{Sample, Verdict};

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
            expected: Some(Verdict::Serializable),
            published: Published::default(),
            ours: Sample { verdict, milliseconds, ..Sample::default() },
            other: None,
        }
    }

    #[test]
    fn what_an_option_costs_and_loses_is_told() {
        let yes = Verdict::Serializable;
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
        let text = document(Vec::new(), &ablation).text(Format::Markdown);
        assert!(text.contains("| without movers | 2 | 0 | 1 | 10.0 | 5.00 | 4.00 | c |"), "{text}");
        assert_eq!(plot(&ablation).series.len(), 2);
    }
}
