//! The controllers: each says how long a call on its machine waits. The fourth one is `clairvoyant`.

use pacing::{Call, Learned, Question, Rules, Snapshot, Window, decide, is_clearly_within, newest};

use crate::demand::Demand;
use crate::original;

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
    fn delay_secs(&mut self, now: f64, snapshots: &[Snapshot], sight: &Sight<'_>) -> f64;

    fn called(&mut self, call: Call);
}

pub(crate) struct Unpaced;

impl Controller for Unpaced {
    fn delay_secs(&mut self, _now: f64, _snapshots: &[Snapshot], _sight: &Sight<'_>) -> f64 {
        0.0
    }

    fn called(&mut self, _call: Call) {}
}

pub(crate) struct Original;

impl Controller for Original {
    fn delay_secs(&mut self, now: f64, snapshots: &[Snapshot], _sight: &Sight<'_>) -> f64 {
        let readings = Window::ALL.map(|window| newest(snapshots, window).map(|(_, reading)| reading));
        original::delay_secs(now, readings)
    }

    fn called(&mut self, _call: Call) {}
}

pub(crate) struct Pacer<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) learned: Learned,
}

impl Controller for Pacer<'_> {
    fn delay_secs(&mut self, now: f64, snapshots: &[Snapshot], _sight: &Sight<'_>) -> f64 {
        if let Some(snapshot) = snapshots.last() {
            self.learned.read(snapshot);
        }
        if is_clearly_within(snapshots, self.rules) {
            return 0.0;
        }
        decide(&Question { now, snapshots, learned: &self.learned }, self.rules).delay_secs
    }

    fn called(&mut self, call: Call) {
        self.learned.call(call);
    }
}
