//! Plots as SVG, drawn by hand: axes, points, lines, a legend.
//!
//! Colours follow the reader: dark on light, or light on dark where the reader prefers that.

/// How an axis divides its numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By their logarithms. What is not above zero is not drawn.
    Logarithmic,
}

/// An axis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Axis {
    /// What it shows, with the unit.
    pub label: String,
    /// How.
    pub scale: Scale,
}

/// A series of points.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The points.
    pub points: Vec<(f64, f64)>,
    /// Whether they are joined by lines.
    pub line: bool,
    /// What a point looks like.
    pub mark: Mark,
}

/// What a point looks like. Open marks are for very many points: they are drawn as one path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mark {
    /// A small disc.
    #[default]
    Disc,
    /// An open circle.
    Circle,
    /// A cross.
    Cross,
}

impl Mark {
    /// The outline of an open mark at a point.
    fn outline(self, x: f64, y: f64) -> Option<String> {
        match self {
            Mark::Disc => None,
            Mark::Circle => {
                Some(format!("M{:.1} {y:.1}a3 3 0 1 0 6 0a3 3 0 1 0-6 0", x - OPEN_RADIUS))
            }
            Mark::Cross => {
                let (left, top) = (x - OPEN_RADIUS, y - OPEN_RADIUS);
                Some(format!("M{left:.1} {top:.1}l6 6m0-6l-6 6"))
            }
        }
    }
}

/// A plot.
#[derive(Clone, PartialEq, Debug)]
pub struct Plot {
    /// What it shows.
    pub title: String,
    /// The axis to the right.
    pub x: Axis,
    /// The axis upwards.
    pub y: Axis,
    /// What is drawn.
    pub series: Vec<Series>,
    /// Whether to draw the line where both numbers are the same.
    pub diagonal: bool,
}

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 520.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 230.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 65.0;

/// Half the width of an open mark.
const OPEN_RADIUS: f64 = 3.0;

/// Colours that can be told apart, also by those who see few, on light and on dark.
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#a6761d", "#56b4e9", "#7570b3", "#e6ab02"];
const DASHES: [&str; 3] = ["", " stroke-dasharray=\"7 4\"", " stroke-dasharray=\"2 3\""];

/// The part of an axis that is drawn, and its marks.
struct Span {
    low: f64,
    high: f64,
    scale: Scale,
    marks: Vec<f64>,
}

impl Span {
    fn new(numbers: impl Iterator<Item = f64>, scale: Scale) -> Span {
        let shown = |x: &f64| x.is_finite() && (scale == Scale::Linear || *x > 0.0);
        let numbers: Vec<f64> = numbers.filter(shown).collect();
        let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = if low <= high { (low, high) } else { (1.0, 10.0) };
        match scale {
            Scale::Logarithmic => {
                let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
                let last = last.max(first + 1);
                // Few powers of ten leave room for numbers between them.
                let between: &[f64] = if last - first <= 2 { &[1.0, 2.0, 5.0] } else { &[1.0] };
                let marks = (first..=last)
                    .flat_map(|e| between.iter().map(move |k| k * 10f64.powi(e)))
                    .filter(|x| *x <= 10f64.powi(last))
                    .collect();
                Span { low: 10f64.powi(first), high: 10f64.powi(last), scale, marks }
            }
            Scale::Linear => {
                let low = low.min(0.0);
                let step = step((high - low).max(1e-9) / 6.0);
                let last = (high / step).ceil().max(1.0) as i32;
                let first = (low / step).floor() as i32;
                let marks: Vec<f64> = (first..=last).map(|k| f64::from(k) * step).collect();
                Span { low: f64::from(first) * step, high: f64::from(last) * step, scale, marks }
            }
        }
    }

    /// Where a number lies, from 0 to 1.
    fn place(&self, x: f64) -> Option<f64> {
        let part = match self.scale {
            Scale::Linear => (x - self.low) / (self.high - self.low),
            Scale::Logarithmic if x <= 0.0 => return None,
            Scale::Logarithmic => (x / self.low).ln() / (self.high / self.low).ln(),
        };
        part.is_finite().then_some(part)
    }
}

/// A round number of at least this size: 1, 2 or 5 times a power of ten.
fn step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|k| k * power).find(|s| *s >= least).unwrap_or(power)
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

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A straight line between two points.
fn line(from: (f64, f64), to: (f64, f64), rest: &str) -> String {
    format!(
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" {rest}/>\n",
        from.0, from.1, to.0, to.1
    )
}

/// A text that begins, ends or has its middle at a point.
fn label(at: (f64, f64), anchor: &str, text: &str) -> String {
    let (x, y) = at;
    let text = escape(text);
    format!(
        "<text class=\"ink\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>\n"
    )
}

const STYLE: &str = "<style>
  .paper { fill: #ffffff } .ink { fill: #1f2328 } .axis { stroke: #1f2328 } .grid { stroke: #d0d7de }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117 } .ink { fill: #e6edf3 } .axis { stroke: #e6edf3 } .grid { stroke: #30363d }
  }
</style>";

impl Plot {
    /// The plot as an SVG document.
    pub fn svg(&self) -> String {
        let all = || self.series.iter().flat_map(|s| &s.points);
        let (mut x, mut y) = (
            Span::new(all().map(|p| p.0), self.x.scale),
            Span::new(all().map(|p| p.1), self.y.scale),
        );
        if self.diagonal {
            // The same on both axes, so that distances from the diagonal mean something.
            let both = || all().flat_map(|p| [p.0, p.1]);
            (x, y) = (Span::new(both(), self.x.scale), Span::new(both(), self.y.scale));
        }
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        let at_x = |v: f64| x.place(v).map(|p| LEFT + p * (right - LEFT));
        let at_y = |v: f64| y.place(v).map(|p| bottom - p * (bottom - TOP));

        let title = escape(&self.title);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             role=\"img\" aria-label=\"{title}\" font-family=\"system-ui, sans-serif\" font-size=\"13\">\n\
             {STYLE}\n<rect class=\"paper\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n\
             <text class=\"ink\" x=\"{LEFT}\" y=\"28\" font-size=\"17\" font-weight=\"600\">{title}</text>\n"
        );
        for value in &x.marks {
            let Some(px) = at_x(*value) else { continue };
            svg += &line((px, TOP), (px, bottom), "class=\"grid\"");
            svg += &label((px, bottom + 20.0), "middle", &mark(*value));
        }
        for value in &y.marks {
            let Some(py) = at_y(*value) else { continue };
            svg += &line((LEFT, py), (right, py), "class=\"grid\"");
            svg += &label((LEFT - 8.0, py + 4.5), "end", &mark(*value));
        }
        svg += &line((LEFT, bottom), (right, bottom), "class=\"axis\"");
        svg += &line((LEFT, TOP), (LEFT, bottom), "class=\"axis\"");
        svg += &label(((LEFT + right) / 2.0, HEIGHT - 18.0), "middle", &self.x.label);
        let upwards = label((0.0, 0.0), "middle", &self.y.label);
        let middle = (TOP + bottom) / 2.0;
        svg += &format!("<g transform=\"translate(22 {middle:.1}) rotate(-90)\">{upwards}</g>\n");
        if self.diagonal {
            let rest = "class=\"axis\" stroke-dasharray=\"4 4\" opacity=\"0.6\"";
            svg += &line((LEFT, bottom), (right, TOP), rest);
        }
        for (number, series) in self.series.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let dash = DASHES[number / COLOURS.len() % DASHES.len()];
            let points = series.points.iter().filter_map(|(px, py)| Some((at_x(*px)?, at_y(*py)?)));
            let points: Vec<(f64, f64)> = points.collect();
            svg += &series.drawn(&points, colour, dash);
            // A legend of a plot with very many series is longer than the plot; the first will do.
            let (left, row) = (right + 16.0, TOP + 8.0 + 19.0 * number as f64);
            if row < HEIGHT - 10.0 {
                svg += &match series.mark.outline(left + 9.0, row) {
                    Some(outline) => path(colour, &outline),
                    None => {
                        let rest = format!("stroke=\"{colour}\" stroke-width=\"3\"{dash}");
                        line((left, row), (left + 18.0, row), &rest)
                    }
                };
                svg += &label((left + 25.0, row + 4.5), "start", &series.name);
            }
        }
        svg.push_str("</svg>\n");
        svg
    }
}

fn path(colour: &str, outline: &str) -> String {
    format!("<path fill=\"none\" stroke=\"{colour}\" d=\"{outline}\"/>\n")
}

impl Series {
    fn drawn(&self, points: &[(f64, f64)], colour: &str, dash: &str) -> String {
        let mut svg = String::new();
        if self.line {
            let corners: Vec<String> =
                points.iter().map(|(px, py)| format!("{px:.1},{py:.1}")).collect();
            let corners = corners.join(" ");
            svg += &format!(
                "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"{dash} points=\"{corners}\"/>\n"
            );
        }
        let outlines: String =
            points.iter().filter_map(|(px, py)| self.mark.outline(*px, *py)).collect();
        if !outlines.is_empty() {
            svg += &path(colour, &outlines);
        }
        for (px, py) in points.iter().filter(|_| self.mark == Mark::Disc) {
            svg += &format!(
                "<circle cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"3.2\" fill=\"{colour}\" fill-opacity=\"0.85\"/>\n"
            );
        }
        svg
    }
}

/// A cactus plot: how many programs are solved within a time each. A series is a name and the times of
/// the solved ones in milliseconds.
pub fn cactus(title: &str, series: &[(String, Vec<f64>)]) -> Plot {
    let series = series.iter().map(|(name, times)| {
        let mut times = times.clone();
        times.sort_by(f64::total_cmp);
        let points = times.iter().enumerate().map(|(at, time)| ((at + 1) as f64, *time)).collect();
        Series { name: format!("{name} ({})", times.len()), points, line: true, mark: Mark::Disc }
    });
    Plot {
        title: title.to_owned(),
        x: Axis { label: "programs solved".into(), scale: Scale::Linear },
        y: Axis { label: "time for each at most (ms)".into(), scale: Scale::Logarithmic },
        series: series.collect(),
        diagonal: false,
    }
}

/// A scatter plot of times in milliseconds: one tool against another.
pub fn scatter(title: &str, x: &str, y: &str, series: Vec<Series>) -> Plot {
    Plot {
        title: title.to_owned(),
        x: Axis { label: format!("{x} (ms)"), scale: Scale::Logarithmic },
        y: Axis { label: format!("{y} (ms)"), scale: Scale::Logarithmic },
        series,
        diagonal: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_inside_the_frame() {
        let points = vec![(0.003, 7.0), (1.0, 1.0), (90_000.0, 0.2), (0.0, 5.0), (f64::NAN, 1.0)];
        let series =
            vec![Series { name: "a < b & c".into(), points, line: false, mark: Mark::Disc }];
        let svg = scatter("t", "x", "y", series).svg();
        let number = |text: &str, name: &str| -> f64 {
            let rest = &text[text.find(name).unwrap() + name.len()..];
            rest[..rest.find('"').unwrap()].parse().unwrap()
        };
        let circles: Vec<&str> = svg.lines().filter(|l| l.starts_with("<circle")).collect();
        // What has no logarithm is not drawn.
        assert_eq!(circles.len(), 3);
        for circle in circles {
            let (x, y) = (number(circle, "cx=\""), number(circle, "cy=\""));
            assert!((LEFT..=WIDTH - RIGHT).contains(&x), "{circle}");
            assert!((TOP..=HEIGHT - BOTTOM).contains(&y), "{circle}");
        }
        assert!(svg.contains("a &lt; b &amp; c"));
    }

    #[test]
    fn open_marks_are_one_path_for_all_points() {
        let series = |mark| Series {
            name: "s".into(),
            points: vec![(1.0, 1.0), (10.0, 5.0), (100.0, 0.0)],
            line: false,
            mark,
        };
        let svg = scatter("t", "x", "y", vec![series(Mark::Circle), series(Mark::Cross)]).svg();
        assert!(!svg.contains("<circle"), "{svg}");
        // Two points that have logarithms, and one in the legend.
        assert_eq!(svg.matches("a3 3 0 1 0 6 0").count(), 3);
        assert_eq!(svg.matches("l6 6m0-6l-6 6").count(), 3);
        assert_eq!(svg.matches("<path").count(), 4);
    }

    #[test]
    fn more_is_further_right_and_further_up() {
        let span = Span::new([1.0, 1000.0].into_iter(), Scale::Logarithmic);
        assert_eq!(span.place(1.0), Some(0.0));
        assert!((span.place(10.0).unwrap() - 1.0 / 3.0).abs() < 1e-9);
        let span = Span::new([3.0, 47.0].into_iter(), Scale::Linear);
        assert_eq!(span.marks, [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]);
    }

    #[test]
    fn a_plot_of_nothing_is_a_plot() {
        let svg = cactus("nothing", &[("none".into(), Vec::new())]).svg();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && !svg.contains("NaN"));
    }

    #[test]
    fn marks_are_round_and_short() {
        assert_eq!([1.0, 0.01, 250.0, 1e6].map(mark), ["1", "0.01", "250", "1e6"]);
    }
}
