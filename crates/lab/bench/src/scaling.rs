//! How the cost grows: families of programs, larger and larger, until a budget is spent.

use crate::bar::Bar;
use crate::cli::ScalingArgs;
use crate::plot::{Mark, Plot, Series};
use crate::process::Bounds;
use crate::report::Report;
use crate::statistics::exponent;
use crate::table::{Table, number};
use crate::tool::{Sample, Tool};
use crate::verdict::{Judgement, SERIALIZABILITY, Verdict};
use crate::{Bench, Failure};
use ser_generators::families::{ALL, Family, Variant};
use std::io;
use std::path::Path;

/// The sizes that are tried, each about 1.6 times the one before.
pub const SIZES: [usize; 16] =
    [2, 3, 5, 8, 12, 20, 32, 50, 80, 120, 200, 320, 500, 800, 1_200, 2_000];

/// Times below this, without the start of the process, say nothing about growth.
const NOISE_MS: f64 = 5.0;

/// Growth is that of the largest sizes: small programs may be decided in another way.
const FITTED: usize = 5;

/// Memory below this is mostly the program itself.
const NOISE_KIB: u64 = 16 << 10;

/// What was measured about one family in one variant.
#[derive(Clone, Debug)]
pub struct Curve {
    pub family: Family,
    pub variant: Variant,
    /// One run for each size; the last one may be over the budget, unknown or wrong.
    pub points: Vec<(usize, Sample)>,
    /// The budget for one run, in milliseconds.
    pub budget: f64,
}

/// Measures how the cost grows.
pub fn run(args: &ScalingArgs, bench: &Bench) -> Result<Report, Failure> {
    let named = args.families.iter().map(|name| Family::named(name));
    let mut families = named.collect::<Result<Vec<_>, _>>()?;
    if families.is_empty() {
        families = ALL.to_vec();
    }
    let tool = Tool::ser(&bench.ser()?, args.budget, args.memory, args.options.check.as_deref());
    let folder = tempfile::Builder::new().prefix("ser-scaling-").tempdir();
    let failed = |error: io::Error| Failure::new(format!("cannot write a program: {error}"));
    let folder = folder.map_err(failed)?;
    let count = families.len() * Variant::ALL.len();
    let bar = Bar::new(count);
    let mut curves: Vec<Curve> = Vec::new();
    for family in families {
        for variant in Variant::ALL {
            if bench.is_interrupted() {
                break;
            }
            let mut curve =
                Curve { family, variant, points: Vec::new(), budget: args.budget * 1e3 };
            curve.measure(&tool, args, folder.path(), bench, &bar).map_err(failed)?;
            bar.step(curve.name());
            curves.push(curve);
        }
    }
    drop(bar);
    let mut report = report(&curves);
    let (budget, memory, max_n) = (args.budget, args.memory, args.max_n);
    let limits = format!("{budget} s and {memory} MiB for each program, n up to {max_n}");
    report.facts.push(("limits", limits));
    report.facts.extend(args.options.check.clone().map(|options| ("options", options)));
    report.interrupted(bench, curves.len(), count, "curves, the last one in part");
    Ok(report)
}

impl Curve {
    fn name(&self) -> String {
        format!("{}, {}", self.family.name, self.variant.name())
    }

    /// Measures larger and larger programs, which are written to the folder.
    fn measure(
        &mut self,
        tool: &Tool,
        args: &ScalingArgs,
        folder: &Path,
        bench: &Bench,
        bar: &Bar,
    ) -> io::Result<()> {
        let bounds = Bounds::with_grace(args.budget, args.memory);
        for n in SIZES.into_iter().filter(|n| *n <= args.max_n) {
            let Ok(source) = self.family.program(n, self.variant) else { break };
            let path = folder.join(self.family.file_name(n, self.variant));
            std::fs::write(&path, source)?;
            let sample = tool.look_at(&path.to_string_lossy(), bounds, &bench.process.interrupt);
            std::fs::remove_file(&path)?;
            if bench.is_interrupted() {
                break;
            }
            bar.say(format!("{}: n = {n}, {:.0} ms", self.name(), sample.milliseconds));
            let good = self.is_good(&sample);
            self.points.push((n, sample));
            if !good {
                break;
            }
        }
        Ok(())
    }

    fn judgement(&self, sample: &Sample) -> Judgement {
        Judgement::of(sample.verdict, Verdict::named(self.variant.verdict(), SERIALIZABILITY))
    }

    /// Whether the verdict is right and came within the budget.
    fn is_good(&self, sample: &Sample) -> bool {
        self.judgement(sample) == Judgement::Right && sample.milliseconds <= self.budget
    }

    fn good(&self) -> impl Iterator<Item = &(usize, Sample)> {
        self.points.iter().filter(|(_, sample)| self.is_good(sample))
    }

    /// The largest size within the budget.
    pub fn largest(&self) -> Option<usize> {
        self.good().map(|(n, _)| *n).max()
    }

    /// Whether some verdict is wrong.
    pub fn is_wrong(&self) -> bool {
        self.points.iter().any(|(_, sample)| self.judgement(sample) == Judgement::Wrong)
    }

    /// The exponent of the growth of time.
    pub fn time_exponent(&self) -> Option<f64> {
        let points: Vec<(f64, f64)> = self
            .good()
            .map(|(n, sample)| (*n as f64, work(sample)))
            .filter(|(_, milliseconds)| *milliseconds > NOISE_MS)
            .collect();
        exponent(largest(&points))
    }

    /// The exponent of the growth of memory.
    pub fn memory_exponent(&self) -> Option<f64> {
        let points: Vec<(f64, f64)> = self
            .good()
            .filter_map(|(n, sample)| Some((*n, sample.peak_kib.filter(|k| *k > NOISE_KIB)?)))
            .map(|(n, kib)| (n as f64, kib as f64))
            .collect();
        exponent(largest(&points))
    }

    /// What came after the largest size within the budget.
    pub fn end(&self) -> String {
        match self.points.last() {
            Some((n, sample)) if self.judgement(sample) == Judgement::Wrong => {
                format!("n = {n}: WRONG, {}", sample.verdict.name(SERIALIZABILITY))
            }
            Some((n, sample)) if sample.verdict == Verdict::Unknown => {
                format!("n = {n}: unknown, {}", sample.reason)
            }
            Some((n, sample)) if !self.is_good(sample) => {
                format!("n = {n}: {} s", number(sample.milliseconds / 1e3))
            }
            _ => String::new(),
        }
    }
}

/// The time of all stages where it is known: the start of a process does not grow.
fn work(sample: &Sample) -> f64 {
    let stages: f64 = sample.stages.iter().flatten().sum();
    if stages > 0.0 { stages } else { sample.milliseconds }
}

/// The last points.
fn largest(points: &[(f64, f64)]) -> &[(f64, f64)] {
    &points[points.len().saturating_sub(FITTED)..]
}

fn report(curves: &[Curve]) -> Report {
    let power = |e: Option<f64>| e.map_or("(noise)".to_owned(), |e| format!("n^{e:.1}"));
    let last = |curve: &Curve| curve.good().last().map(|(_, sample)| sample.clone());
    let summary = Table::of(curves)
        .left("family", |curve: &Curve| curve.family.name)
        .left("variant", |curve| curve.variant.name())
        .right("largest n", |curve| curve.largest().map_or("none".into(), |n| n.to_string()))
        .right("ms there", |curve| last(curve).map(|sample| sample.milliseconds))
        .right("MiB there", |curve| last(curve).and_then(|sample| mebibytes(&sample)))
        .left("time grows as", |curve| power(curve.time_exponent()))
        .left("memory grows as", |curve| power(curve.memory_exponent()))
        .left("then", |curve| shortened(&curve.end()))
        .end();
    let points: Vec<(&Curve, usize, &Sample)> = curves
        .iter()
        .flat_map(|curve| curve.points.iter().map(move |(n, sample)| (curve, *n, sample)))
        .collect();
    type Point<'a> = (&'a Curve, usize, &'a Sample);
    let rows = Table::of(&points)
        .left("family", |(curve, ..): &Point<'_>| curve.family.name)
        .left("variant", |(curve, ..)| curve.variant.name())
        .right("n", |(_, n, _)| *n)
        .left("verdict", |(.., sample)| sample.verdict.name(SERIALIZABILITY))
        .left("ok", |(curve, _, sample)| curve.judgement(sample).name())
        .left("method", |(.., sample)| sample.method.clone())
        .right("total_ms", |(.., sample)| sample.milliseconds)
        .right("peak_memory_kib", |(.., sample)| sample.peak_kib)
        .right("certificate_bytes", |(.., sample)| sample.certificate_bytes)
        .left("reason", |(.., sample)| sample.reason.clone())
        .end();
    let mut report = Report {
        title: "How the cost grows".into(),
        rows,
        plots: plots(curves),
        code: u8::from(curves.iter().any(Curve::is_wrong)),
        ..Report::default()
    };
    report.table("curves", "Families", summary);
    report.lines(vec![format!(
        "exponents are fitted to the {FITTED} largest sizes with times above {NOISE_MS} ms, and memory above {} MiB",
        NOISE_KIB >> 10
    )]);
    report
}

fn mebibytes(sample: &Sample) -> Option<f64> {
    sample.peak_kib.map(|kib| kib as f64 / 1024.0)
}

fn shortened(words: &str) -> String {
    let short: String = words.chars().take(70).collect();
    if short.len() < words.len() { format!("{short}...") } else { short }
}

/// Two plots for each variant: time and memory over n.
fn plots(curves: &[Curve]) -> Vec<(String, Plot)> {
    let mut plots = Vec::new();
    for variant in Variant::ALL {
        let curves: Vec<&Curve> = curves.iter().filter(|c| c.variant == variant).collect();
        if curves.is_empty() {
            continue;
        }
        let plot = |what: &str, of: fn(&Sample) -> Option<f64>| Plot {
            title: format!("{what} of {} programs", variant.name()),
            x: "n".into(),
            y: what.to_owned(),
            series: curves
                .iter()
                .map(|curve| Series {
                    name: curve.family.name.replace('_', " "),
                    points: curve.good().filter_map(|(n, s)| Some((*n as f64, of(s)?))).collect(),
                    line: true,
                    mark: Mark::Disc,
                })
                .collect(),
            ..Plot::default()
        };
        let name = variant.name();
        plots.push((format!("time_{name}.svg"), plot("Time (ms)", |s| Some(s.milliseconds))));
        plots.push((format!("memory_{name}.svg"), plot("Memory (MiB)", mebibytes)));
    }
    plots
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::ReportFormat;

    fn curve(points: &[(usize, f64, Verdict)]) -> Curve {
        let sample = |ms: f64, verdict| Sample {
            verdict,
            milliseconds: ms,
            peak_kib: Some((ms * 1024.0) as u64),
            reason: if verdict == Verdict::Unknown { "too many".into() } else { String::new() },
            ..Sample::default()
        };
        Curve {
            family: Family::named("counter").unwrap(),
            variant: Variant::Broken,
            points: points.iter().map(|(n, ms, v)| (*n, sample(*ms, *v))).collect(),
            budget: 1_000.0,
        }
    }

    #[test]
    fn the_exponent_ignores_noise_and_what_is_over_the_budget() {
        let no = Verdict::No;
        let curve =
            curve(&[(2, 3.0, no), (3, 2.0, no), (10, 100.0, no), (20, 400.0, no), (40, 5e5, no)]);
        assert!((curve.time_exponent().unwrap() - 2.0).abs() < 1e-9);
        assert!((curve.memory_exponent().unwrap() - 2.0).abs() < 1e-9);
        assert_eq!(curve.largest(), Some(20));
        assert_eq!(curve.end(), "n = 40: 500 s");
        assert!(!curve.is_wrong());
    }

    #[test]
    fn wrong_and_unknown_verdicts_are_told() {
        let wrong = curve(&[(2, 3.0, Verdict::Yes)]);
        assert!(wrong.is_wrong());
        assert_eq!((wrong.largest(), wrong.end().as_str()), (None, "n = 2: WRONG, serializable"));
        let unknown = curve(&[(2, 3.0, Verdict::No), (3, 3.0, Verdict::Unknown)]);
        assert_eq!(unknown.end(), "n = 3: unknown, too many");
        let text = report(&[wrong, unknown]).text(ReportFormat::Markdown);
        assert!(text.contains("| counter | broken | 3 | unknown | unknown |"), "{text}");
    }

    #[test]
    fn both_variants_have_their_plots() {
        let broken = curve(&[(2, 3.0, Verdict::No)]);
        let other = Curve { variant: Variant::Serializable, ..broken.clone() };
        let names: Vec<String> = plots(&[broken, other]).into_iter().map(|(n, _)| n).collect();
        assert_eq!(names.len(), 4);
        assert!(names.contains(&"time_broken.svg".to_owned()));
    }
}
