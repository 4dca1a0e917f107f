//! When less is believed than is known of a window. Its usage may have been reset early, or more of it bought; but a
//! session that has waited tells less as well.

use serde::{Deserialize, Serialize};

use super::super::{Sight, Usage, Window};

/// So often the server itself must have told less.
const SIGHTS: u32 = 3;

/// From the first of these sights to the last, in seconds: longer than one reply takes, during which the others go on.
const SPAN_SECS: i64 = 10 * 60;

/// Less than is known, told by the server itself while nobody told as much.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Lower {
    /// The highest value reported since.
    pub used_percent: f64,
    /// Time of the first report, in whole seconds since the epoch.
    pub since: i64,
    /// Time of the last report, in whole seconds since the epoch.
    pub last: i64,
    /// How often.
    pub sights: u32,
}

impl Lower {
    fn of(told: Window) -> Self {
        let Window { used_percent, observed_at, .. } = told;
        Self { used_percent, since: observed_at, last: observed_at, sights: 1 }
    }

    /// With one more sight. One of the same second, or of before, is none.
    fn and(self, told: Window) -> Self {
        if told.observed_at <= self.last {
            return self;
        }
        Self {
            used_percent: self.used_percent.max(told.used_percent),
            last: told.observed_at,
            sights: self.sights.saturating_add(1),
            ..self
        }
    }

    const fn is_believed(&self) -> bool {
        self.sights >= SIGHTS && self.last.saturating_sub(self.since) >= SPAN_SECS
    }
}

impl Usage {
    /// Value of a window after a new report: `after`, or a lower one once it is believed. Then older readings above it go, because
    /// a reader takes the highest of all readings.
    pub(super) fn lowered(
        &mut self,
        name: &str,
        before: Window,
        after: Window,
        told: Window,
        sight: Sight,
    ) -> Window {
        let doubt = self.lower.remove(name);
        if told.used_percent >= before.used_percent {
            // A report from before the first doubt does not answer it.
            let stays = doubt.filter(|doubt| told.observed_at < doubt.since);
            stays.map(|doubt| self.lower.insert(name.to_owned(), doubt));
            return after;
        }
        let is_newest = sight == Sight::Answered && told.observed_at >= before.observed_at;
        let lower = match doubt {
            Some(doubt) if is_newest => doubt.and(told),
            None if is_newest => Lower::of(told),
            Some(doubt) => doubt,
            None => return after,
        };
        if !lower.is_believed() {
            self.lower.insert(name.to_owned(), lower);
            return after;
        }
        let lowered = Window { used_percent: lower.used_percent, ..after };
        self.forget_above(name, &lowered);
        lowered
    }

    fn forget_above(&mut self, name: &str, window: &Window) {
        for earlier in &mut self.earlier {
            earlier.windows.retain(|kept, was| {
                kept != name || !was.is_same_window(window) || was.used_percent <= window.used_percent
            });
        }
        self.earlier.retain(|earlier| !earlier.windows.is_empty());
    }
}
