//! Numbers that look random and are the same for the same seed: `SplitMix64` (Steele, Lea and Flood, "Fast splittable
//! pseudorandom number generators", 2014). Ten lines, so that a release of a library does not change what is printed.

use std::f64::consts::TAU;

/// A generator.
#[derive(Debug, Clone)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    /// One that is known by two numbers.
    pub(crate) fn of(first: u64, second: u64) -> Self {
        let mut random = Self { state: first };
        let state = random.next().wrapping_add(second);
        Self { state }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// From 0, less than 1.
    pub(crate) fn unit(&mut self) -> f64 {
        let high = u32::try_from(self.next() >> 32).unwrap_or(u32::MAX);
        f64::from(high) / (f64::from(u32::MAX) + 1.0)
    }

    /// From `low`, less than `high`.
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// True so often.
    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// How long one waits for what happens once in `mean`.
    pub(crate) fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.unit()).ln()
    }

    /// Positive, 1 in the mean, mostly less and now and then much more.
    pub(crate) fn skewed(&mut self, sigma: f64) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        let normal = radius * (TAU * self.unit()).cos();
        (sigma * normal - sigma * sigma / 2.0).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_generator_is_the_published_one() {
        // The first outputs for the state 1234567, as in the reference implementation.
        let mut random = Random { state: 1_234_567 };
        assert_eq!([random.next(), random.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn means_are_what_they_are_said_to_be() {
        let mut random = Random::of(1, 2);
        let mut mean = |draw: &dyn Fn(&mut Random) -> f64| {
            (0..20_000).map(|_| draw(&mut random)).sum::<f64>() / 20_000.0
        };
        for (name, found, expected) in [
            ("unit", mean(&Random::unit), 0.5),
            ("between", mean(&|random| random.between(3.0, 5.0)), 4.0),
            ("exponential", mean(&|random| random.exponential(7.0)), 7.0),
            ("skewed", mean(&|random| random.skewed(0.6)), 1.0),
            ("chance", mean(&|random| f64::from(u8::from(random.chance(0.3)))), 0.3),
        ] {
            assert!((found / expected - 1.0).abs() < 0.03, "{name}: {found}, not {expected}");
        }
    }
}
