//! From samples to numbers, broken budgets and a table. Pure: it prints nothing and measures nothing.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};

use super::statistics::{Interval, Pair, bases, median, quantile, ratio, ratio_interval, subjects};

/// Every hook must be this many times faster than `python3 -c pass`, with which the tools it replaces begin.
const PYTHON_FACTOR: f64 = 25.0;

/// A world with 10,000 sessions and a 200 MB transcript may cost this many times the small one: nothing but noise.
const GROWTH_BUDGET: f64 = 1.15;

const HEADS: [&str; 8] = ["CASE", "MEDIAN us", "P95 us", "FLOOR us", "RATIO", "95 %", "PYTHON", "BIG/SMALL"];

/// In a cell of a column that was not measured.
const NOT_MEASURED: &str = "-";

/// The samples of one case.
#[derive(Debug)]
pub(super) struct Measured {
    /// Hook and case.
    pub(super) name: String,
    /// How many times the floor it may take.
    pub(super) budget: f64,
    pub(super) floor_and_hook: Vec<Pair>,
    /// Empty without Python.
    pub(super) hook_and_python: Vec<Pair>,
    /// Empty unless asked for.
    pub(super) small_and_big: Vec<Pair>,
}

impl Measured {
    /// The budgets that the case exceeds, as sentences.
    pub(super) fn failures(&self) -> Vec<String> {
        let floor = (&self.floor_and_hook, self.budget, "the empty binary");
        let growth = (&self.small_and_big, GROWTH_BUDGET, "the small world");
        let ratios = [floor, growth].map(|(pairs, budget, base)| (ratio_interval(pairs), budget, base));
        let exceeded = ratios.into_iter().filter(|(interval, budget, _)| interval.low > *budget);
        let sentence = |(interval, budget, base): (Interval, f64, &str)| {
            format!("{} takes more than {budget} times {base}: {}", self.name, range(interval))
        };
        let mut failures: Vec<String> = exceeded.map(sentence).collect();
        let factor = ratio(&self.hook_and_python);
        if factor <= PYTHON_FACTOR {
            failures
                .push(format!("{} is {factor:.1} times faster than Python, not {PYTHON_FACTOR}", self.name));
        }
        failures
    }

    fn cells(&self) -> Vec<String> {
        let hook = subjects(&self.floor_and_hook);
        let where_measured = |pairs: &[Pair], cell: String| {
            if pairs.is_empty() { NOT_MEASURED.to_owned() } else { cell }
        };
        let python = format!("{:.0}x", ratio(&self.hook_and_python));
        let growth =
            format!("{:.2} {}", ratio(&self.small_and_big), range(ratio_interval(&self.small_and_big)));
        vec![
            self.name.clone(),
            format!("{:.0}", median(hook.clone())),
            format!("{:.0}", quantile(hook, 950)),
            format!("{:.0}", median(bases(&self.floor_and_hook))),
            format!("{:.2}", ratio(&self.floor_and_hook)),
            range(ratio_interval(&self.floor_and_hook)),
            where_measured(&self.hook_and_python, python),
            where_measured(&self.small_and_big, growth),
        ]
    }
}

/// The table, as wide as it has to be: its lines are there to be compared. A column nobody asked for is left out.
pub(super) fn to_table(measured: &[Measured]) -> String {
    let rows: Vec<_> = measured.iter().map(Measured::cells).collect();
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(HEADS).add_rows(&rows);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_cell_alignment(if index == 0 { CellAlignment::Left } else { CellAlignment::Right });
        if rows.iter().all(|row| row[index] == NOT_MEASURED) {
            column.set_constraint(ColumnConstraint::Hidden);
        }
    }
    table.trim_fmt()
}

fn range(interval: Interval) -> String {
    format!("[{:.2}, {:.2}]", interval.low, interval.high)
}

#[cfg(test)]
mod tests {
    use super::{Measured, to_table};
    use crate::bench::statistics::Pair;

    fn measured(base: f64, subject: f64, python: f64) -> Measured {
        Measured {
            name: "a-hook, passes".to_owned(),
            budget: 2.0,
            floor_and_hook: vec![Pair { base, subject }; 10],
            hook_and_python: vec![Pair { base: subject, subject: python }; 10],
            small_and_big: Vec::new(),
        }
    }

    #[test]
    fn failures_name_hook_case_and_number() {
        assert_eq!(measured(400.0, 800.0, 22_000.0).failures(), Vec::<String>::new());
        let slow = measured(400.0, 900.0, 20_000.0).failures();
        assert_eq!(
            slow,
            [
                "a-hook, passes takes more than 2 times the empty binary: [2.25, 2.25]",
                "a-hook, passes is 22.2 times faster than Python, not 25"
            ]
        );
    }

    #[test]
    fn the_table_leaves_out_what_was_not_asked_for() {
        assert_eq!(
            to_table(&[measured(400.0, 700.0, 20_000.0)]),
            " CASE            MEDIAN us  P95 us  FLOOR us  RATIO          95 %  PYTHON\n \
             a-hook, passes        700     700       400   1.75  [1.75, 1.75]     29x"
        );
    }
}
