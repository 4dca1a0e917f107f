//! A terminal's screen as a picture: what a program printed, with its colours, as SVG whose text is text. It has its own dark
//! ground, so it can be read on a dark page and on a light one.

use std::fmt::Write as _;

use vt100::{Cell, Color, Parser};

const CELL_WIDTH: f64 = 8.4;
const LINE_HEIGHT: f64 = 20.0;
const MARGIN: f64 = 16.0;
/// Baseline, as a part of the line's height.
const BASELINE: f64 = 0.72;

const GROUND: &str = "#16181c";
const INK: &str = "#e6e8eb";

/// The sixteen colours programs name by number.
const NAMED: [&str; 16] = [
    "#5d6570", "#f0756b", "#6cc48f", "#e3b341", "#7db4f0", "#cf8ee6", "#56c2c9", "#e6e8eb", "#9aa3ae",
    "#ff9492", "#8ddb8c", "#f2cc60", "#a5d6ff", "#e2c5ff", "#76e3ea", "#ffffff",
];

/// The picture of what was printed on a screen of so many columns; `title` is for those who do not see it.
pub fn svg(title: &str, printed: &str, columns: u16) -> String {
    let rows = u16::try_from(printed.lines().count().max(1)).expect("a screen of so many rows");
    let mut parser = Parser::new(rows.try_into().expect("a row"), columns.try_into().expect("a column"), 0);
    parser.process(printed.trim_end().replace('\n', "\r\n").as_bytes());
    let width = f64::from(columns) * CELL_WIDTH + 2.0 * MARGIN;
    let height = f64::from(rows) * LINE_HEIGHT + 2.0 * MARGIN;
    let mut picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
         role=\"img\">\n<title>{}</title>\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{GROUND}\"/>\n\
         <g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"14\">\n",
        escaped(title)
    );
    for row in 0..rows {
        for run in runs(&parser, row, columns) {
            run.draw(row, &mut picture);
        }
    }
    picture + "</g>\n</svg>\n"
}

/// Letters side by side that look alike.
struct Run {
    column: u16,
    columns: u16,
    text: String,
    colour: String,
    is_bold: bool,
}

impl Run {
    fn draw(&self, row: u16, picture: &mut String) {
        let text = self.text.trim_end();
        if text.is_empty() {
            return;
        }
        let x = MARGIN + f64::from(self.column) * CELL_WIDTH;
        let y = MARGIN + (f64::from(row) + BASELINE) * LINE_HEIGHT;
        let kept = u16::try_from(text.chars().count()).unwrap_or(self.columns).min(self.columns);
        // Whatever the font, the columns stay where they are.
        let length = f64::from(kept) * CELL_WIDTH;
        let weight = if self.is_bold { " font-weight=\"600\"" } else { "" };
        writeln!(
            picture,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{length:.1}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{}\"{weight} \
             xml:space=\"preserve\">{}</text>",
            self.colour,
            escaped(text)
        )
        .expect("a text can be written to");
    }
}

fn runs(parser: &Parser, row: u16, columns: u16) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for column in 0..columns {
        let Some(cell) = parser.screen().cell(row, column) else { continue };
        let text = if cell.contents().is_empty() { " " } else { cell.contents() };
        let (colour, is_bold) = (colour(cell), cell.bold());
        // A blank has no colour: it belongs to what stands before it.
        match runs.last_mut() {
            // A gap starts a column, so that the font does not matter.
            Some(run)
                if text == " "
                    || !run.text.ends_with("  ") && run.colour == colour && run.is_bold == is_bold =>
            {
                run.text.push_str(text);
                run.columns += 1;
            }
            None if text == " " => {}
            _ => runs.push(Run { column, columns: 1, text: text.to_owned(), colour, is_bold }),
        }
    }
    runs
}

fn colour(cell: &Cell) -> String {
    match cell.fgcolor() {
        Color::Idx(index) => NAMED.get(usize::from(index)).map_or(INK, |named| named).to_owned(),
        Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
        Color::Default if cell.dim() => NAMED[8].to_owned(),
        Color::Default => INK.to_owned(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
