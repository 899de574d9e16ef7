//! Plots as SVG.
//!
//! Colours follow the reader: dark on light, or light on dark where the reader prefers that.

use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;
use std::error::Error;
use std::ops::Range;

/// A series of points.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    pub points: Vec<(f64, f64)>,
    /// Whether they are joined by lines.
    pub line: bool,
    pub mark: Mark,
}

/// What a point looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mark {
    #[default]
    Disc,
    Circle,
    Cross,
}

/// A plot. Its axes are logarithmic, and what is not above zero is not drawn.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Plot {
    pub title: String,
    /// What the axis to the right shows, with the unit.
    pub x: String,
    /// What the axis upwards shows, with the unit.
    pub y: String,
    pub series: Vec<Series>,
    /// Whether the axis to the right divides its numbers evenly.
    pub linear: bool,
    /// Whether to draw the line where both numbers are the same.
    pub diagonal: bool,
}

/// A number on an axis.
fn mark(x: f64) -> String {
    if x != 0.0 && (x.abs() >= 1e5 || x.abs() < 1e-3) {
        format!("{x:e}")
    } else {
        let text = format!("{x:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

/// One of the two numbers of a point.
type Coordinate = fn((f64, f64)) -> f64;

impl Plot {
    /// The plot as an SVG document.
    pub fn svg(&self) -> String {
        let mut svg = String::new();
        let (mut x, mut y) = (self.powers(&[|p| p.0]), self.powers(&[|p| p.1]));
        if self.diagonal {
            // The same on both axes, so that distances from the diagonal mean something.
            (x, y) = (self.powers(&[|p| p.0, |p| p.1]), self.powers(&[|p| p.0, |p| p.1]));
        }
        let drawn = match self.linear {
            true => self.draw(&mut svg, 0.0..self.shown().map(|p| p.0).fold(1.0, f64::max), y),
            false => self.draw(&mut svg, x.log_scale(), y),
        };
        // Drawing in memory cannot fail; what is there by then would be shown.
        drop(drawn);
        let svg = svg.replace("#FFFFFF", "Canvas").replace("#000000", "CanvasText");
        svg.replacen("<svg ", "<svg style=\"color-scheme: light dark\" role=\"img\" ", 1)
    }

    fn shown(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let is_shown = |x: f64| x.is_finite() && x > 0.0;
        let all = self.series.iter().flat_map(|series| series.points.iter().copied());
        all.filter(move |(x, y)| is_shown(*x) && is_shown(*y))
    }

    /// The powers of ten around some coordinates of all points.
    fn powers(&self, of: &[Coordinate]) -> Range<f64> {
        let all = || self.shown().flat_map(|point| of.iter().map(move |of| of(point)));
        let low = all().fold(f64::INFINITY, f64::min).log10().floor();
        let high = all().fold(f64::NEG_INFINITY, f64::max).log10().ceil();
        let (low, high) = if low <= high { (low, high.max(low + 1.0)) } else { (0.0, 1.0) };
        10f64.powf(low)..10f64.powf(high)
    }

    fn draw<X>(&self, svg: &mut String, x: X, y: Range<f64>) -> Result<(), Box<dyn Error>>
    where
        X: AsRangedCoord<Value = f64>,
        X::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let root = SVGBackend::with_string(svg, (860, 520)).into_drawing_area();
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&root)
            .caption(&self.title, ("sans-serif", 17))
            .margin(15)
            .x_label_area_size(45)
            .y_label_area_size(65)
            .build_cartesian_2d(x, y.clone().log_scale())?;
        let numbers = |x: &f64| mark(*x);
        let mut mesh = chart.configure_mesh();
        mesh.x_desc(&self.x).y_desc(&self.y).x_label_formatter(&numbers);
        mesh.y_label_formatter(&numbers).light_line_style(TRANSPARENT).draw()?;
        if self.diagonal {
            let ends = [(y.start, y.start), (y.end, y.end)];
            chart.draw_series(LineSeries::new(ends, BLACK.mix(0.6)))?;
        }
        for (number, series) in self.series.iter().enumerate() {
            let colour = Palette99::pick(number).to_rgba();
            let alone = Plot { series: vec![series.clone()], ..Plot::default() };
            let points: Vec<(f64, f64)> = alone.shown().collect();
            if series.line {
                let style = colour.stroke_width(2);
                chart.draw_series(LineSeries::new(points.iter().copied(), style))?;
            }
            let shape = series.mark;
            let marks = points.into_iter().map(|point| match shape {
                Mark::Disc => Circle::new(point, 3, colour.filled()).into_dyn(),
                Mark::Circle => Circle::new(point, 3, colour).into_dyn(),
                Mark::Cross => Cross::new(point, 3, colour).into_dyn(),
            });
            chart.draw_series(marks)?.label(&series.name).legend(move |at| match shape {
                Mark::Disc => Circle::new(at, 3, colour.filled()).into_dyn(),
                Mark::Circle => Circle::new(at, 3, colour).into_dyn(),
                Mark::Cross => Cross::new(at, 3, colour).into_dyn(),
            });
        }
        let mut legend = chart.configure_series_labels();
        legend.position(SeriesLabelPosition::UpperLeft).background_style(WHITE.mix(0.8)).draw()?;
        root.present()?;
        Ok(())
    }
}

/// A cactus plot: how many programs are solved within a time each. A series is a name and the times
/// of the solved ones in milliseconds.
pub fn cactus(title: &str, series: &[(String, Vec<f64>)]) -> Plot {
    let series = series.iter().map(|(name, times)| {
        let mut times = times.clone();
        times.sort_by(f64::total_cmp);
        let points = times.iter().enumerate().map(|(at, time)| ((at + 1) as f64, *time)).collect();
        Series { name: format!("{name} ({})", times.len()), points, line: true, mark: Mark::Disc }
    });
    Plot {
        title: title.to_owned(),
        x: "programs solved".into(),
        y: "time for each at most (ms)".into(),
        series: series.collect(),
        linear: true,
        diagonal: false,
    }
}

/// A scatter plot of times in milliseconds: one tool against another.
pub fn scatter(title: &str, x: &str, y: &str, series: Vec<Series>) -> Plot {
    let (title, x, y) = (title.to_owned(), format!("{x} (ms)"), format!("{y} (ms)"));
    Plot { title, x, y, series, linear: false, diagonal: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_logarithm_is_not_drawn() {
        let points = vec![(0.003, 7.0), (1.0, 1.0), (90_000.0, 0.2), (0.0, 5.0), (f64::NAN, 1.0)];
        let series =
            |mark| Series { name: "a < b & c".into(), points: points.clone(), line: false, mark };
        let svg = scatter("t", "x", "y", vec![series(Mark::Disc), series(Mark::Cross)]).svg();
        // Three points, and one in the legend.
        assert_eq!(svg.matches("<circle").count(), 4, "{svg}");
        assert_eq!(svg.matches("a &lt; b &amp; c").count(), 2, "{svg}");
        assert!(svg.contains("Canvas") && !svg.contains("NaN"), "{svg}");
    }

    #[test]
    fn axes_have_whole_powers_of_ten() {
        let series = vec![Series {
            name: "s".into(),
            points: vec![(2.0, 30.0), (700.0, 40.0)],
            line: true,
            mark: Mark::Disc,
        }];
        let plot = Plot { series, ..Plot::default() };
        assert_eq!(plot.powers(&[|p| p.0]), 1.0..1000.0);
        assert_eq!(plot.powers(&[|p| p.1]), 10.0..100.0);
    }

    #[test]
    fn a_plot_of_nothing_is_a_plot() {
        let svg = cactus("nothing", &[("none".into(), Vec::new())]).svg();
        assert!(
            svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>") && !svg.contains("NaN"),
            "{svg}"
        );
    }

    #[test]
    fn marks_are_round_and_short() {
        assert_eq!([1.0, 0.01, 250.0, 1e6].map(mark), ["1", "0.01", "250", "1e6"]);
    }
}
