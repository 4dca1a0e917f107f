//! From samples to numbers, broken budgets and a table. Pure: it prints nothing and measures nothing.

/// Every hook must be this many times faster than `python3 -c pass`, with which the tools it replaces begin.
const PYTHON_FACTOR: f64 = 25.0;

/// A world with 10,000 sessions and a 200 MB transcript may cost this many times the small one: nothing but noise.
const GROWTH_BUDGET: f64 = 1.15;

const HEADS: [&str; 7] = ["CASE", "MEDIAN us", "P95 us", "FLOOR us", "RATIO", "PYTHON", "BIG/SMALL"];

const NOT_MEASURED: &str = "-";

/// Two runs made next to each other, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair {
    /// The reference: the empty binary, or the small world.
    pub(super) base: f64,
    pub(super) subject: f64,
}

#[derive(Debug)]
pub(super) struct Measured {
    pub(super) name: String,
    /// How many times the floor it may take.
    pub(super) budget: f64,
    pub(super) floor_and_hook: Vec<Pair>,
    /// How many times the floor Python takes; `None` without Python.
    pub(super) python: Option<f64>,
    /// Empty unless asked for.
    pub(super) small_and_big: Vec<Pair>,
}

impl Measured {
    /// The budgets that the case exceeds, as sentences.
    pub(super) fn failures(&self) -> Vec<String> {
        let Self { name, budget, .. } = self;
        let (floor, growth) = (ratio(&self.floor_and_hook), ratio(&self.small_and_big));
        let factor = self.times_faster_than_python().unwrap_or(f64::INFINITY);
        let rules = [
            (floor > *budget, format!("takes {floor:.2} times the empty binary, more than {budget}")),
            (
                growth > GROWTH_BUDGET,
                format!("takes {growth:.2} times the small world, more than {GROWTH_BUDGET}"),
            ),
            (
                factor <= PYTHON_FACTOR,
                format!("is {factor:.1} times faster than Python, not {PYTHON_FACTOR}"),
            ),
        ];
        let broken = rules.into_iter().filter(|(is_broken, _)| *is_broken);
        broken.map(|(_, sentence)| format!("{name} {sentence}")).collect()
    }

    fn times_faster_than_python(&self) -> Option<f64> {
        Some(self.python? / ratio(&self.floor_and_hook))
    }

    fn cells(&self) -> [String; 7] {
        let (bases, subjects) = split(&self.floor_and_hook);
        let python = self.times_faster_than_python().map(|factor| format!("{factor:.0}x"));
        let growth = (!self.small_and_big.is_empty()).then(|| format!("{:.2}", ratio(&self.small_and_big)));
        [
            self.name.clone(),
            format!("{:.0}", quantile(subjects.clone(), 500)),
            format!("{:.0}", quantile(subjects, 950)),
            format!("{:.0}", quantile(bases, 500)),
            format!("{:.2}", ratio(&self.floor_and_hook)),
            python.unwrap_or_else(|| NOT_MEASURED.to_owned()),
            growth.unwrap_or_else(|| NOT_MEASURED.to_owned()),
        ]
    }
}

/// The value below or at which `per_mille` thousandths of the values lie (nearest rank); NaN of nothing.
fn quantile(mut values: Vec<f64>, per_mille: usize) -> f64 {
    if values.is_empty() {
        return f64::NAN;
    }
    let rank = (values.len() * per_mille).div_ceil(1000).clamp(1, values.len());
    *values.select_nth_unstable_by(rank - 1, f64::total_cmp).1
}

pub(super) fn ratio(pairs: &[Pair]) -> f64 {
    let (bases, subjects) = split(pairs);
    quantile(subjects, 500) / quantile(bases, 500)
}

fn split(pairs: &[Pair]) -> (Vec<f64>, Vec<f64>) {
    pairs.iter().map(|pair| (pair.base, pair.subject)).unzip()
}

/// The table, as wide as it has to be: its lines are there to be compared.
pub(super) fn to_table(measured: &[Measured]) -> String {
    let rows = [HEADS.map(str::to_owned)].into_iter().chain(measured.iter().map(Measured::cells));
    let rows: Vec<[String; 7]> = rows.collect();
    let width = rows.iter().map(|row| row[0].len()).max().unwrap_or_default();
    let line = |row: &[String; 7]| {
        let numbers = row[1..].iter().map(|cell| format!("  {cell:>9}"));
        format!("{:width$}", row[0]) + &numbers.collect::<String>()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{Measured, Pair, quantile, to_table};

    #[test]
    fn quantiles_are_values_that_were_measured() {
        for (per_mille, expected) in [(0, 1.0), (10, 1.0), (11, 2.0), (500, 50.0), (950, 95.0), (1000, 100.0)]
        {
            let values = (1..=100_u32).rev().map(f64::from).collect();
            assert!((quantile(values, per_mille) - expected).abs() < 1e-9, "{per_mille}");
        }
    }

    #[test]
    fn failures_name_hook_case_and_number() {
        let measured = |base: f64, subject: f64, python: f64| Measured {
            name: "a-hook, passes".to_owned(),
            budget: 2.0,
            floor_and_hook: vec![Pair { base, subject }; 10],
            python: Some(python / base),
            small_and_big: Vec::new(),
        };
        assert_eq!(measured(400.0, 800.0, 22_000.0).failures(), Vec::<String>::new());
        let expected = [
            "a-hook, passes takes 2.25 times the empty binary, more than 2",
            "a-hook, passes is 22.2 times faster than Python, not 25",
        ];
        assert_eq!(measured(400.0, 900.0, 20_000.0).failures(), expected);
        let table = to_table(&[measured(400.0, 700.0, 20_000.0)]);
        assert!(table.contains("1.75") && table.ends_with(" -"), "{table}");
    }
}
