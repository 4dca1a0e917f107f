//! Who says how long a call waits.

use pacing::{Call, Learned, Question, Rules, Snapshot, Window, decide, is_clearly_within, newest};

use crate::original;
use crate::world::Sight;

/// Whoever says it, for one machine.
pub(crate) trait Controller {
    fn delay_secs(&mut self, now: f64, snapshots: &[Snapshot]) -> f64;

    /// Shows the future, for who can make use of it.
    fn see(&mut self, _sight: &Sight<'_>) {}

    fn called(&mut self, _call: Call) {}
}

pub(crate) struct None;

impl Controller for None {
    fn delay_secs(&mut self, _now: f64, _snapshots: &[Snapshot]) -> f64 {
        0.0
    }
}

pub(crate) struct Original;

impl Controller for Original {
    fn delay_secs(&mut self, now: f64, snapshots: &[Snapshot]) -> f64 {
        let of = |window| newest(snapshots, window).map(|(_, reading)| reading);
        original::delay_secs(now, of(Window::FiveHour), of(Window::SevenDay))
    }
}

pub(crate) struct Pacer<'a> {
    rules: &'a Rules,
    learned: Learned,
}

impl<'a> Pacer<'a> {
    pub(crate) fn new(rules: &'a Rules) -> Self {
        Self { rules, learned: Learned::default() }
    }
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
