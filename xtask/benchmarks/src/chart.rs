//! Draws bars on a logarithmic axis, as SVG.

use std::collections::BTreeSet;

use anyhow::{Result, anyhow};
use plotters::{coord::Shift, prelude::*};

use crate::{
    comparison::Comparison,
    measurement::{Unit, three_digits},
};

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

const WIDTH: u32 = 900;
const LABELS: u32 = 400;
const FIGURES: u32 = 90;
const BAR: u32 = 18;
const TITLE: u32 = 36;
const AXIS: u32 = 30;

const OURS: RGBColor = RGBColor(31, 119, 80);
const MISSED: RGBColor = RGBColor(200, 60, 50);
const OTHERS: RGBColor = RGBColor(150, 155, 165);
const INK: RGBColor = RGBColor(40, 40, 45);
const FRAME: RGBColor = RGBColor(215, 218, 222);

struct Bar {
    label: String,
    value: f64,
    figure: String,
    colour: RGBColor,
}

struct Chart<'a> {
    title: &'a str,
    bars: Vec<Bar>,
    from: f64,
    /// The value at which a line is drawn.
    mark: Option<f64>,
}

/// `None` if no line has a target.
pub(crate) fn targets(lines: &[Comparison]) -> Result<Option<String>> {
    let mut shown = BTreeSet::new();
    // A fixed limit appears once, whatever the other side is.
    let distinct = lines.iter().filter(|line| line.is_ratio || shown.insert(&line.measured));
    let with_target = distinct.filter_map(|line| Some((line, line.reached?)));
    let bar = |(line, reached): (&Comparison, f64)| {
        let other = line.other.as_ref().filter(|_| line.is_ratio);
        let beside = other.map_or_else(String::new, |other| format!(", {}", other.by));
        Bar {
            label: plain(&format!("{} {}{beside}{}", line.line, line.work, line.mark())),
            value: reached.clamp(0.1, 1_000.0),
            figure: format!("{} ×", three_digits(reached)),
            colour: if line.is_met() == Some(true) { OURS } else { MISSED },
        }
    };
    let bars = with_target.map(bar).collect();
    let title = "How many times over each target is reached (met from 1 on)";
    Chart { title, bars, from: 1.0, mark: Some(1.0) }.draw()
}

/// For lines that compare times: our figure and the other side's.
pub(crate) fn throughput(lines: &[Comparison]) -> Result<Option<String>> {
    let mut bars = Vec::new();
    let mut last = "";
    let timed = lines.iter().filter(|line| line.unit == Unit::Seconds);
    for (line, other) in timed.filter_map(|line| Some((line, line.other.as_ref()?))) {
        // Lines of the same work share our figure.
        if line.measured != last {
            let label = format!("{} {}{}", line.line, line.work, line.mark());
            bars.push(rate(&label, line.ours, OURS));
            last = &line.measured;
        }
        bars.push(rate(&other.by, other.value, OTHERS));
    }
    let min = bars.iter().map(|bar| bar.value).fold(f64::INFINITY, f64::min);
    let from = 10_f64.powf(min.log10().floor());
    Chart { title: "Calls a second: this project (green) and others", bars, from, mark: None }
        .draw()
}

fn rate(label: &str, seconds: f64, colour: RGBColor) -> Bar {
    let value = 1.0 / seconds.max(f64::MIN_POSITIVE);
    Bar { label: plain(label), value, figure: grouped(value), colour }
}

fn plain(text: &str) -> String {
    text.replace('`', "")
}

/// Three digits, and commas between thousands.
fn grouped(value: f64) -> String {
    if value < 999.5 {
        return three_digits(value);
    }
    let size = 10_f64.powf(value.log10().floor() - 2.0);
    with_commas(&format!("{:.0}", (value / size).round() * size))
}

fn with_commas(digits: &str) -> String {
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

impl Chart<'_> {
    /// `None` if there is nothing to draw.
    fn draw(&self) -> Result<Option<String>> {
        if self.bars.is_empty() {
            return Ok(None);
        }
        let mut text = String::new();
        let height = TITLE + AXIS + BAR * self.bars.len() as u32;
        {
            let area = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
            self.draw_on(&area).map_err(|error| anyhow!("the chart was not drawn: {error}"))?;
            area.present().map_err(|error| anyhow!("the chart was not drawn: {error}"))?;
        }
        Ok(Some(text))
    }

    fn draw_on(&self, area: &Area<'_>) -> Result<(), Box<dyn std::error::Error>> {
        area.fill(&WHITE)?;
        area.draw_text(self.title, &font(16), (12, 8))?;
        let bars = area.margin(TITLE, AXIS, LABELS, FIGURES);
        let (low, high) = self.range();
        let rows = self.bars.len() as f64;
        let mut chart =
            ChartBuilder::on(&bars).build_cartesian_2d((low..high).log_scale(), rows..0.0)?;
        for power in low.log10().round() as i32..=high.log10().round() as i32 {
            let value = 10_f64.powi(power);
            chart.draw_series([PathElement::new([(value, 0.0), (value, rows)], FRAME)])?;
            let (x, y) = chart.backend_coord(&(value, rows));
            area.draw_text(&scale(value), &font(11), (x - 8, y + 8))?;
        }
        for (row, bar) in self.bars.iter().enumerate() {
            let top = row as f64;
            let corners = [(self.from, top + 0.15), (bar.value, top + 0.85)];
            chart.draw_series([Rectangle::new(corners, bar.colour.filled())])?;
            let (x, y) = chart.backend_coord(&(bar.value.max(self.from), top + 0.15));
            let indent = if bar.colour == OTHERS { 24 } else { 0 };
            area.draw_text(&bar.label, &font(12), (12 + indent, y))?;
            area.draw_text(&bar.figure, &font(12), (x + 5, y))?;
        }
        if let Some(value) = self.mark {
            chart.draw_series([PathElement::new([(value, 0.0), (value, rows)], INK)])?;
        }
        Ok(())
    }

    fn range(&self) -> (f64, f64) {
        let values = || self.bars.iter().map(|bar| bar.value).chain([self.from]);
        let low = values().fold(f64::INFINITY, f64::min).log10().floor();
        let high = values().fold(0.0, f64::max).log10().ceil();
        (10_f64.powf(low), 10_f64.powf(high.max(low + 1.0)))
    }
}

fn font(size: i32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}

fn scale(value: f64) -> String {
    if value < 1.0 { value.to_string() } else { with_commas(&format!("{value:.0}")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::Figure;

    fn comparison(reached: f64) -> Comparison {
        Comparison {
            line: "X1".to_owned(),
            work: "render `{{a}}` & more".to_owned(),
            measured: "work".to_owned(),
            ours: 1e-6,
            unit: Unit::Seconds,
            other: Some(Figure { by: "peer 1.0".to_owned(), value: 1e-3 }),
            ratio: Some(1_000.0),
            is_ratio: true,
            target: String::new(),
            reached: Some(reached),
            turns: 1,
            is_old: false,
        }
    }

    #[test]
    fn each_target_has_a_bar_colored_by_verdict() {
        let drawing = targets(&[comparison(0.5), comparison(20.0)]).unwrap().unwrap();
        assert!(drawing.starts_with("<svg"));
        assert_eq!(drawing.matches("X1 render {{a}} &amp; more, peer 1.0").count(), 2);
        assert!(drawing.contains("#C83C32") && drawing.contains("#1F7750"), "{drawing}");
    }

    #[test]
    fn a_limit_has_one_bar() {
        let limit = || Comparison { is_ratio: false, ..comparison(2.0) };
        let drawing = targets(&[limit(), limit()]).unwrap().unwrap();
        assert_eq!(drawing.matches("X1 render").count(), 1);
        assert!(!drawing.contains("peer 1.0"), "{drawing}");
    }

    #[test]
    fn lines_of_the_same_work_share_our_bar() {
        let drawing = throughput(&[comparison(1.0), comparison(1.0)]).unwrap().unwrap();
        assert_eq!(drawing.matches("1,000,000").count(), 2, "the figure and the axis\n{drawing}");
        assert_eq!(drawing.matches("peer 1.0").count(), 2);
    }

    #[test]
    fn no_lines_draw_no_chart() {
        assert_eq!(throughput(&[]).unwrap(), None);
    }

    #[test]
    fn thousands_are_grouped_and_rounded_to_three_digits() {
        assert_eq!(grouped(1_234_567.0), "1,230,000");
        assert_eq!(grouped(999.6), "1,000");
        assert_eq!(grouped(12.34), "12.3");
    }
}
