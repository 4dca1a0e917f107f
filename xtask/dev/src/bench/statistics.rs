//! Medians, percentiles and the interval around a ratio of medians. Pure: no clock, no process, and the same numbers for
//! the same samples, because the random choice behind the interval starts from a fixed seed.

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

/// How often the samples are drawn again for the interval: enough for two stable digits.
const RESAMPLES: usize = 2000;

/// Any number does; a fixed one makes two reports of the same samples agree.
const SEED: u64 = 0x0BA5_EBA1;

/// Two runs made next to each other, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair {
    /// The reference: the empty binary, the small world, or the hook beside Python.
    pub(super) base: f64,
    /// The run under test.
    pub(super) subject: f64,
}

/// The middle 95 % of what a number could have been.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Interval {
    /// One in forty resamples lies below.
    pub(super) low: f64,
    /// One in forty resamples lies above.
    pub(super) high: f64,
}

/// The value below or at which `per_mille` thousandths of the values lie (nearest rank); NaN of nothing.
pub(super) fn quantile(mut values: Vec<f64>, per_mille: usize) -> f64 {
    if values.is_empty() {
        return f64::NAN;
    }
    let rank = (values.len() * per_mille).div_ceil(1000).clamp(1, values.len());
    *values.select_nth_unstable_by(rank - 1, f64::total_cmp).1
}

/// The middle value.
pub(super) fn median(values: Vec<f64>) -> f64 {
    quantile(values, 500)
}

/// Median of the subjects over median of the bases.
pub(super) fn ratio(pairs: &[Pair]) -> f64 {
    median(subjects(pairs)) / median(bases(pairs))
}

/// The 95 % interval of [`ratio`], by drawing whole pairs again: what disturbs the machine hits both runs of a pair.
pub(super) fn ratio_interval(pairs: &[Pair]) -> Interval {
    if pairs.is_empty() {
        return Interval { low: f64::NAN, high: f64::NAN };
    }
    let mut random = StdRng::seed_from_u64(SEED);
    let mut redraw =
        || -> Vec<Pair> { pairs.iter().map(|_| pairs[random.random_range(0..pairs.len())]).collect() };
    let ratios: Vec<f64> = (0..RESAMPLES).map(|_| ratio(&redraw())).collect();
    Interval { low: quantile(ratios.clone(), 25), high: quantile(ratios, 975) }
}

/// The measured runs alone.
pub(super) fn subjects(pairs: &[Pair]) -> Vec<f64> {
    pairs.iter().map(|pair| pair.subject).collect()
}

/// The runs compared with alone.
pub(super) fn bases(pairs: &[Pair]) -> Vec<f64> {
    pairs.iter().map(|pair| pair.base).collect()
}

#[cfg(test)]
mod tests {
    use super::{Interval, Pair, median, quantile, ratio, ratio_interval};

    fn one_to(last: u32) -> Vec<f64> {
        (1..=last).rev().map(f64::from).collect()
    }

    #[track_caller]
    fn check(actual: f64, expected: f64) {
        assert!((actual - expected).abs() < 1e-9, "{actual} is not {expected}");
    }

    #[test]
    fn quantiles_are_values_that_were_measured() {
        for (per_mille, expected) in [(0, 1.0), (10, 1.0), (11, 2.0), (500, 50.0), (950, 95.0), (1000, 100.0)]
        {
            check(quantile(one_to(100), per_mille), expected);
        }
        check(median(one_to(1)), 1.0);
        check(median(one_to(3)), 2.0);
        check(median(one_to(4)), 2.0);
        assert!(median(Vec::new()).is_nan());
    }

    #[test]
    fn one_slow_run_moves_neither_ratio_nor_interval_much() {
        let mut pairs = vec![Pair { base: 10.0, subject: 20.0 }; 300];
        pairs[7].subject = 1e6;
        check(ratio(&pairs), 2.0);
        assert_eq!(ratio_interval(&pairs), Interval { low: 2.0, high: 2.0 });
    }
}
