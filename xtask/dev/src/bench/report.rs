//! From samples to numbers, verdicts, a table and JSON. Pure: it prints nothing and measures nothing.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};
use serde_json::{Value, json};

use super::statistics::{Interval, Pair, bases, median, quantile, ratio, ratio_interval, subjects};

/// Every hook must be this many times faster than `python3 -c pass`, with which the tools it replaces begin.
pub(super) const PYTHON_FACTOR: f64 = 25.0;

/// A world with 10,000 sessions and a 200 MB transcript may cost this many times the small one: nothing but noise.
pub(super) const GROWTH_BUDGET: f64 = 1.15;

const HEADS: [&str; 8] = ["CASE", "MEDIAN us", "P95 us", "FLOOR us", "RATIO", "95 %", "PYTHON", "BIG/SMALL"];

/// One run in twenty of the empty binary takes so many times its median on a machine that is busy with something else.
const BUSY: f64 = 1.6;

/// In a cell of a column that was not asked for, or has no Python to compare with.
const NOT_MEASURED: &str = "-";

/// The samples of one case.
#[derive(Debug)]
pub(super) struct Measured {
    pub(super) hook: String,
    pub(super) case: &'static str,
    /// How many times the floor it may take.
    pub(super) budget: f64,
    /// The empty binary and the hook.
    pub(super) floor_and_hook: Vec<Pair>,
    /// The hook and Python; empty without Python.
    pub(super) hook_and_python: Vec<Pair>,
    /// The small world and the big one; empty unless asked for.
    pub(super) small_and_big: Vec<Pair>,
}

/// A ratio against its budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The whole interval lies within.
    Within,
    /// The budget lies inside the interval: measure more pairs, or on a quieter machine.
    Straddles,
    /// The whole interval lies above.
    Over,
}

/// Where an interval lies.
pub(super) fn verdict(interval: Interval, budget: f64) -> Verdict {
    if interval.low > budget {
        Verdict::Over
    } else if interval.high > budget {
        Verdict::Straddles
    } else {
        Verdict::Within
    }
}

impl Measured {
    /// How many times faster than Python it is; `None` without Python.
    pub(super) fn python_factor(&self) -> Option<f64> {
        (!self.hook_and_python.is_empty()).then(|| ratio(&self.hook_and_python))
    }

    /// The budgets that the case exceeds, as sentences.
    pub(super) fn failures(&self) -> Vec<String> {
        let mut failures = self.judged(Verdict::Over, "takes more than");
        if let Some(factor) = self.python_factor().filter(|factor| *factor <= PYTHON_FACTOR) {
            let name = self.name();
            failures.push(format!(
                "{name} is {factor:.1} times faster than Python, not more than {PYTHON_FACTOR}"
            ));
        }
        failures
    }

    /// The budgets that the interval straddles, as sentences.
    pub(super) fn warnings(&self) -> Vec<String> {
        self.judged(Verdict::Straddles, "cannot be told from")
    }

    /// The empty binary's own times vary: something else ran, and no number of this case is worth much.
    pub(super) fn was_disturbed(&self) -> bool {
        let floor = bases(&self.floor_and_hook);
        quantile(floor.clone(), 950) > BUSY * median(floor)
    }

    fn judged(&self, wanted: Verdict, words: &str) -> Vec<String> {
        let name = self.name();
        let mut lines = Vec::new();
        let interval = ratio_interval(&self.floor_and_hook);
        if verdict(interval, self.budget) == wanted {
            lines.push(format!("{name} {words} {} times the empty binary: {}", self.budget, range(interval)));
        }
        let interval = ratio_interval(&self.small_and_big);
        if verdict(interval, GROWTH_BUDGET) == wanted {
            lines.push(format!(
                "{name} in a big world {words} {GROWTH_BUDGET} times the small one: {}",
                range(interval)
            ));
        }
        lines
    }

    fn name(&self) -> String {
        format!("{}, {}", self.hook, self.case)
    }

    fn cells(&self) -> Vec<String> {
        let hook = subjects(&self.floor_and_hook);
        vec![
            self.name(),
            micros(median(hook.clone())),
            micros(quantile(hook, 950)),
            micros(median(bases(&self.floor_and_hook))),
            format!("{:.2}", ratio(&self.floor_and_hook)),
            range(ratio_interval(&self.floor_and_hook)),
            self.python_factor().map_or(NOT_MEASURED.to_owned(), |factor| format!("{factor:.0}x")),
            self.growth(),
        ]
    }

    fn growth(&self) -> String {
        if self.small_and_big.is_empty() {
            return NOT_MEASURED.to_owned();
        }
        format!("{:.2} {}", ratio(&self.small_and_big), range(ratio_interval(&self.small_and_big)))
    }

    fn json(&self) -> Value {
        let hook = subjects(&self.floor_and_hook);
        let interval = ratio_interval(&self.floor_and_hook);
        let mut fields = json!({
            "hook": self.hook,
            "case": self.case,
            "pairs": self.floor_and_hook.len(),
            "median_us": median(hook.clone()),
            "p95_us": quantile(hook, 950),
            "floor_median_us": median(bases(&self.floor_and_hook)),
            "ratio": ratio(&self.floor_and_hook),
            "ratio_low": interval.low,
            "ratio_high": interval.high,
            "budget": self.budget,
            "python_factor": self.python_factor(),
            "failures": self.failures(),
            "warnings": self.warnings(),
            "disturbed": self.was_disturbed(),
        });
        if !self.small_and_big.is_empty() {
            let interval = ratio_interval(&self.small_and_big);
            fields["growth"] = json!(ratio(&self.small_and_big));
            fields["growth_low"] = json!(interval.low);
            fields["growth_high"] = json!(interval.high);
        }
        fields
    }
}

/// All numbers as one JSON array; times in microseconds.
pub(super) fn to_json(measured: &[Measured]) -> Value {
    measured.iter().map(Measured::json).collect()
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

fn micros(value: f64) -> String {
    format!("{value:.0}")
}

fn range(interval: Interval) -> String {
    format!("[{:.2}, {:.2}]", interval.low, interval.high)
}

#[cfg(test)]
mod tests {
    use super::{Measured, Verdict, to_json, to_table, verdict};
    use crate::bench::statistics::{Interval, Pair};

    fn measured(base: f64, subject: f64, python: f64) -> Measured {
        Measured {
            hook: "a-hook".to_owned(),
            case: "passes",
            budget: 2.0,
            floor_and_hook: vec![Pair { base, subject }; 10],
            hook_and_python: vec![Pair { base: subject, subject: python }; 10],
            small_and_big: Vec::new(),
        }
    }

    #[test]
    fn a_budget_is_broken_only_when_the_whole_interval_lies_above_it() {
        for (low, high, expected) in [
            (1.5, 2.0, Verdict::Within),
            (1.9, 2.1, Verdict::Straddles),
            (2.0, 2.1, Verdict::Straddles),
            (2.01, 2.1, Verdict::Over),
        ] {
            assert_eq!(verdict(Interval { low, high }, 2.0), expected);
        }
    }

    #[test]
    fn nothing_measured_breaks_no_budget() {
        let none = Interval { low: f64::NAN, high: f64::NAN };
        assert_eq!(verdict(none, 2.0), Verdict::Within);
    }

    #[test]
    fn failures_name_hook_case_and_number() {
        assert_eq!(measured(400.0, 700.0, 20_000.0).failures(), Vec::<String>::new());
        let slow = measured(400.0, 900.0, 20_000.0).failures();
        assert_eq!(slow.len(), 2, "{slow:?}");
        assert!(slow[0].contains("a-hook, passes takes more than 2 times the empty binary: [2.25, 2.25]"));
        assert!(slow[1].contains("22.2 times faster than Python"));
    }

    #[test]
    fn the_table_leaves_out_what_was_not_asked_for() {
        assert_eq!(
            to_table(&[measured(400.0, 700.0, 20_000.0)]),
            " CASE            MEDIAN us  P95 us  FLOOR us  RATIO          95 %  PYTHON\n \
             a-hook, passes        700     700       400   1.75  [1.75, 1.75]     29x"
        );
        let grown = vec![Pair { base: 1.0, subject: 1.0 }];
        let grown = Measured { small_and_big: grown, ..measured(400.0, 700.0, 20_000.0) };
        assert!(to_table(&[grown]).contains("BIG/SMALL"));
    }

    #[test]
    fn a_busy_machine_is_told_from_its_own_floor() {
        let mut busy = measured(400.0, 700.0, 20_000.0);
        assert!(!busy.was_disturbed());
        busy.floor_and_hook[0].base = 4000.0;
        assert!(busy.was_disturbed());
    }

    #[test]
    fn json_has_the_numbers_of_the_table() {
        let json = to_json(&[measured(400.0, 700.0, 20_000.0)]);
        assert_eq!(json[0]["ratio"], 1.75);
        assert_eq!(json[0]["failures"].as_array().map(Vec::len), Some(0));
    }
}
