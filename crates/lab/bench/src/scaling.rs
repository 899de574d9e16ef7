//! How the cost grows: families of programs, larger and larger, until a budget is spent.

use crate::document::{Document, Section, count, number};
use crate::families::{Family, Variant};
use crate::measurement::Judgement;
use crate::plot::{Axis, Mark, Plot, Scale, Series};
use crate::process::Bounds;
use crate::statistics::exponent;
use crate::table::{Align, Table};
use crate::tool::{Sample, Tool, Verdict};
use serde_json::{Value, json};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The sizes that are tried, each about 1.6 times the one before.
pub const SIZES: [usize; 16] =
    [2, 3, 5, 8, 12, 20, 32, 50, 80, 120, 200, 320, 500, 800, 1_200, 2_000];

/// Times below this, without the start of the process, say nothing about growth.
const NOISE_MS: f64 = 5.0;

/// Growth is that of the largest sizes: small programs may be decided in another way.
const FITTED: usize = 5;

/// Memory below this is mostly the program itself.
const NOISE_KIB: u64 = 16 << 10;

/// How to measure growth.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The tool, with the budget as its time limit.
    pub tool: Tool,
    /// Bounds on each run.
    pub bounds: Bounds,
    /// The time for one program.
    pub budget: Duration,
    /// Not larger than this.
    pub max_n: usize,
    /// Set from another thread to stop.
    pub cancel: Arc<AtomicBool>,
}

/// What was measured about one family in one variant.
#[derive(Clone, Debug)]
pub struct Curve {
    /// The family.
    pub family: Family,
    /// The variant.
    pub variant: Variant,
    /// One run for each size; the last one may be over the budget, unknown or wrong.
    pub points: Vec<(usize, Sample)>,
    /// The budget for one run, in milliseconds.
    pub budget: f64,
}

/// Measures one curve. Programs are written to the folder.
pub fn measure(
    family: Family,
    variant: Variant,
    plan: &Plan,
    folder: &Path,
    mut each: impl FnMut(usize, &Sample),
) -> io::Result<Curve> {
    let budget = plan.budget.as_secs_f64() * 1e3;
    let mut curve = Curve { family, variant, points: Vec::new(), budget };
    for n in SIZES.into_iter().filter(|n| *n <= plan.max_n) {
        let Ok(source) = family.program(n, variant) else { break };
        let path = folder.join(family.file_name(n, variant));
        std::fs::write(&path, source)?;
        let sample = plan.tool.look_at(&path.to_string_lossy(), plan.bounds, &plan.cancel);
        std::fs::remove_file(&path)?;
        if plan.cancel.load(Ordering::Relaxed) {
            break;
        }
        each(n, &sample);
        let good = curve.is_good(&sample);
        curve.points.push((n, sample));
        if !good {
            break;
        }
    }
    Ok(curve)
}

impl Curve {
    fn judgement(&self, sample: &Sample) -> Judgement {
        Judgement::of(sample.verdict, Verdict::named(self.variant.verdict()))
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
                format!("n = {n}: WRONG, {}", sample.verdict.name())
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

/// Writes the report.
pub fn document(facts: Vec<(String, String)>, curves: &[Curve]) -> Document {
    let mut summary = Table::new(&[
        ("family", Align::Left),
        ("variant", Align::Left),
        ("largest n", Align::Right),
        ("ms there", Align::Right),
        ("MiB there", Align::Right),
        ("time grows as", Align::Left),
        ("memory grows as", Align::Left),
        ("then", Align::Left),
    ]);
    let mut table = Table::new(&[
        ("family", Align::Left),
        ("variant", Align::Left),
        ("n", Align::Right),
        ("verdict", Align::Left),
        ("ok", Align::Left),
        ("method", Align::Left),
        ("total_ms", Align::Right),
        ("peak_memory_kib", Align::Right),
        ("certificate_bytes", Align::Right),
        ("reason", Align::Left),
    ]);
    let power = |e: Option<f64>| e.map_or("(noise)".to_owned(), |e| format!("n^{e:.1}"));
    for curve in curves {
        let last = curve.good().last();
        let words = curve.end();
        let short: String = words.chars().take(70).collect();
        summary.row([
            curve.family.name.to_owned(),
            curve.variant.name().to_owned(),
            curve.largest().map_or("none".into(), |n| n.to_string()),
            number(last.map(|(_, s)| s.milliseconds)),
            number(last.and_then(|(_, s)| s.peak_kib).map(|kib| kib as f64 / 1024.0)),
            power(curve.time_exponent()),
            power(curve.memory_exponent()),
            if short.len() < words.len() { format!("{short}...") } else { words },
        ]);
        for (n, sample) in &curve.points {
            table.row([
                curve.family.name.to_owned(),
                curve.variant.name().to_owned(),
                n.to_string(),
                sample.verdict.name().to_owned(),
                curve.judgement(sample).name().to_owned(),
                sample.method.clone(),
                format!("{:.3}", sample.milliseconds),
                count(sample.peak_kib),
                count(sample.certificate_bytes),
                sample.reason.clone(),
            ]);
        }
    }
    let note = format!(
        "exponents are fitted to the {FITTED} largest sizes with times above {NOISE_MS} ms, and memory above {} MiB",
        NOISE_KIB >> 10
    );
    Document {
        title: "How the cost grows".into(),
        facts,
        sections: vec![Section::Table("Families".into(), summary), Section::Lines(vec![note])],
        table,
        json: json!({ "curves": curves.iter().map(curve_json).collect::<Vec<Value>>() }),
    }
}

fn curve_json(curve: &Curve) -> Value {
    let points: Vec<Value> = curve
        .points
        .iter()
        .map(|(n, sample)| {
            json!({
                "n": n,
                "verdict": sample.verdict.name(),
                "ok": curve.judgement(sample).name(),
                "method": sample.method,
                "total_ms": (sample.milliseconds * 1e3).round() / 1e3,
                "peak_memory_kib": sample.peak_kib,
                "certificate_bytes": sample.certificate_bytes,
                "reason": sample.reason,
            })
        })
        .collect();
    json!({
        "family": curve.family.name,
        "variant": curve.variant.name(),
        "expected": curve.variant.verdict(),
        "largest_n": curve.largest(),
        "time_exponent": curve.time_exponent(),
        "memory_exponent": curve.memory_exponent(),
        "points": points,
    })
}

/// Two plots for each variant: time and memory over n.
pub fn plots(curves: &[Curve]) -> Vec<(String, Plot)> {
    let mut plots = Vec::new();
    for variant in Variant::ALL {
        let curves: Vec<&Curve> = curves.iter().filter(|c| c.variant == variant).collect();
        if curves.is_empty() {
            continue;
        }
        let plot = |what: &str, of: fn(&Sample) -> Option<f64>| Plot {
            title: format!("{what} of {} programs", variant.name()),
            x: Axis { label: "n".into(), scale: Scale::Logarithmic },
            y: Axis { label: what.to_owned(), scale: Scale::Logarithmic },
            series: curves
                .iter()
                .map(|curve| Series {
                    name: curve.family.name.replace('_', " "),
                    points: curve.good().filter_map(|(n, s)| Some((*n as f64, of(s)?))).collect(),
                    line: true,
                    mark: Mark::Disc,
                })
                .collect(),
            diagonal: false,
        };
        let name = variant.name();
        plots.push((format!("time_{name}.svg"), plot("Time (ms)", |s| Some(s.milliseconds))));
        plots.push((
            format!("memory_{name}.svg"),
            plot("Memory (MiB)", |s| s.peak_kib.map(|kib| kib as f64 / 1024.0)),
        ));
    }
    plots
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Format;

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
        let no = Verdict::NotSerializable;
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
        let wrong = curve(&[(2, 3.0, Verdict::Serializable)]);
        assert!(wrong.is_wrong());
        assert_eq!((wrong.largest(), wrong.end().as_str()), (None, "n = 2: WRONG, serializable"));
        let unknown = curve(&[(2, 3.0, Verdict::NotSerializable), (3, 3.0, Verdict::Unknown)]);
        assert_eq!(unknown.end(), "n = 3: unknown, too many");
        let text = document(Vec::new(), &[wrong, unknown]).text(Format::Markdown);
        assert!(text.contains("| counter | broken | 3 | unknown | unknown |"), "{text}");
    }

    #[test]
    fn both_variants_have_their_plots() {
        let broken = curve(&[(2, 3.0, Verdict::NotSerializable)]);
        let other = Curve { variant: Variant::Serializable, ..broken.clone() };
        let names: Vec<String> = plots(&[broken, other]).into_iter().map(|(n, _)| n).collect();
        assert_eq!(names.len(), 4);
        assert!(names.contains(&"time_broken.svg".to_owned()));
    }
}
