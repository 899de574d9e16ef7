//! Numbers about numbers: means, quantiles, and the exponent of growth.

/// A summary of a sample.
///
/// ```
/// use ser_bench::statistics::Summary;
///
/// let summary = Summary::of([4.0, 1.0, 2.0]).unwrap();
/// assert_eq!((summary.median, summary.max), (2.0, 4.0));
/// assert!((summary.geometric_mean - 2.0).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Summary {
    /// How many numbers.
    pub count: usize,
    pub sum: f64,
    pub mean: f64,
    /// The geometric mean, of those above zero.
    pub geometric_mean: f64,
    /// The one in the middle.
    pub median: f64,
    /// Quantiles, as in [`Summary::QUANTILES`].
    pub quantiles: [f64; 5],
    /// The largest.
    pub max: f64,
}

impl Summary {
    /// Which quantiles a summary has, in percent.
    pub const QUANTILES: [u32; 5] = [10, 25, 75, 90, 99];

    /// The summary of some numbers, unless there are none. What is not a finite number is left out.
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Option<Summary> {
        let mut sorted: Vec<f64> = numbers.into_iter().filter(|x| x.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let max = *sorted.last()?;
        let count = sorted.len();
        let sum: f64 = sorted.iter().sum();
        let logarithms: Vec<f64> = sorted.iter().filter(|x| **x > 0.0).map(|x| x.ln()).collect();
        let geometric_mean = match logarithms.len() {
            0 => 0.0,
            n => (logarithms.iter().sum::<f64>() / n as f64).exp(),
        };
        Some(Summary {
            count,
            sum,
            mean: sum / count as f64,
            geometric_mean,
            median: quantile(&sorted, 0.5),
            quantiles: Self::QUANTILES.map(|percent| quantile(&sorted, f64::from(percent) / 100.0)),
            max,
        })
    }

    /// The names of the values, in the order of reports.
    pub const NAMES: [&str; 10] =
        ["median", "mean", "geometric mean", "p10", "p25", "p75", "p90", "p99", "max", "sum"];

    pub fn values(&self) -> [f64; 10] {
        let [p10, p25, p75, p90, p99] = self.quantiles;
        let Summary { median, mean, geometric_mean, max, sum, .. } = *self;
        [median, mean, geometric_mean, p10, p25, p75, p90, p99, max, sum]
    }
}

/// The quantile of a sorted, non-empty sample: between two numbers, on the line between them.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let at = q * (sorted.len() - 1) as f64;
    let (below, above) = (at.floor() as usize, at.ceil() as usize);
    sorted[below] + (sorted[above] - sorted[below]) * (at - at.floor())
}

/// The middle one of some numbers; 0 if there are none.
pub fn median(numbers: impl IntoIterator<Item = f64>) -> f64 {
    Summary::of(numbers).map_or(0.0, |summary| summary.median)
}

/// The exponent e of y = c * x^e that fits the points best: least squares on logarithms. `None`
/// with fewer than two different x, or with numbers that have no logarithm.
pub fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    let logarithms: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    if logarithms.len() < 2 || logarithms.iter().any(|(x, y)| !x.is_finite() || !y.is_finite()) {
        return None;
    }
    let n = logarithms.len() as f64;
    let mean_x = logarithms.iter().map(|p| p.0).sum::<f64>() / n;
    let mean_y = logarithms.iter().map(|p| p.1).sum::<f64>() / n;
    let square: f64 = logarithms.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let product: f64 = logarithms.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    (square > 1e-9).then(|| product / square)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_of_one_to_one_hundred_and_one_is_known() {
        let summary = Summary::of((1..=101).rev().map(f64::from)).unwrap();
        assert_eq!(summary.count, 101);
        assert_eq!(summary.mean, 51.0);
        assert_eq!(summary.median, 51.0);
        assert_eq!(summary.quantiles, [11.0, 26.0, 76.0, 91.0, 100.0]);
        assert_eq!(summary.max, 101.0);
    }

    #[test]
    fn quantiles_lie_between_numbers() {
        let summary = Summary::of([1.0, 2.0]).unwrap();
        assert_eq!(summary.median, 1.5);
        assert_eq!(summary.quantiles[0], 1.1);
    }

    #[test]
    fn zeros_do_not_ruin_the_geometric_mean() {
        assert_eq!(Summary::of([0.0]).unwrap().geometric_mean, 0.0);
        let summary = Summary::of([0.0, 10.0, 1000.0]).unwrap();
        assert!((summary.geometric_mean - 100.0).abs() < 1e-9);
        assert_eq!(Summary::of([]), None);
        assert_eq!(Summary::of([f64::NAN]), None);
    }

    #[test]
    fn the_exponent_of_a_cube_is_three() {
        let cubes: Vec<(f64, f64)> =
            (2..9).map(|n| (f64::from(n), 0.5 * f64::from(n).powi(3))).collect();
        assert!((exponent(&cubes).unwrap() - 3.0).abs() < 1e-9);
        assert!(exponent(&[(2.0, 7.0), (4.0, 7.0)]).unwrap().abs() < 1e-9);
        assert_eq!(exponent(&cubes[..1]), None);
        assert_eq!(exponent(&[(2.0, 1.0), (2.0, 3.0)]), None);
        assert_eq!(exponent(&[(2.0, 1.0), (3.0, 0.0)]), None);
    }
}
