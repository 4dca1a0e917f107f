//! The controllers: each says how long a call on its machine waits. The one that knows the future is `clairvoyant`.

use pacing::{Call, Learned, Readings, Rules, decide, is_clearly_within};

use crate::demand::Demand;

/// A thread's place in its work.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) shift: usize,
    pub(crate) batch: usize,
    /// The end of the thread's next batch; infinite, if there is none.
    pub(crate) next: f64,
}

/// The view of a controller that knows the future.
pub(crate) struct Sight<'a> {
    pub(crate) demand: &'a Demand,
    pub(crate) places: &'a [Place],
    /// The usage of both windows in percent, and when they reset.
    pub(crate) used: [(f64, f64); 2],
}

pub(crate) trait Controller {
    /// The delay of a call, in seconds.
    fn delay_secs(&mut self, now: f64, readings: &Readings, sight: &Sight<'_>) -> f64;

    fn called(&mut self, _call: Call) {}
}

/// A formula without memory.
impl<F: Fn(f64, &Readings) -> f64> Controller for F {
    fn delay_secs(&mut self, now: f64, readings: &Readings, _sight: &Sight<'_>) -> f64 {
        self(now, readings)
    }
}

/// No delay at all.
pub(crate) const fn unpaced(_now: f64, _readings: &Readings) -> f64 {
    0.0
}

pub(crate) struct Pacer<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) learned: Learned,
}

impl Controller for Pacer<'_> {
    fn delay_secs(&mut self, now: f64, readings: &Readings, _sight: &Sight<'_>) -> f64 {
        self.learned.read(readings);
        if is_clearly_within(readings, self.rules) {
            return 0.0;
        }
        decide(now, readings, &self.learned, self.rules).delay_secs
    }

    fn called(&mut self, call: Call) {
        self.learned.call(call);
    }
}
