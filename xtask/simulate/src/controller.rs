//! The controllers: each says how long a call on its machine waits.

use pacing::{Call, Learned, Question, Rules, Snapshot, Window, decide, is_clearly_within, newest};

use crate::original;
use crate::world::Sight;

pub(crate) trait Controller {
    /// The delay of a call, in seconds.
    fn delay_secs(&mut self, now: f64, snapshots: &[Snapshot]) -> f64;

    /// Shows the future to the one that knows it.
    fn see(&mut self, _sight: &Sight<'_>) {}

    fn called(&mut self, _call: Call) {}
}

/// No pacing.
pub(crate) struct Unpaced;

impl Controller for Unpaced {
    fn delay_secs(&mut self, _now: f64, _snapshots: &[Snapshot]) -> f64 {
        0.0
    }
}

pub(crate) struct Original;

impl Controller for Original {
    fn delay_secs(&mut self, now: f64, snapshots: &[Snapshot]) -> f64 {
        let readings = Window::ALL.map(|window| newest(snapshots, window).map(|(_, reading)| reading));
        original::delay_secs(now, readings)
    }
}

pub(crate) struct Pacer<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) learned: Learned,
}

impl Controller for Pacer<'_> {
    fn delay_secs(&mut self, now: f64, snapshots: &[Snapshot]) -> f64 {
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
