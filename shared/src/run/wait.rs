//! Waiting, where that is the verdict.

use super::Invocation;
use crate::config::Section;
use crate::hook::{Hook, Verdict};
use crate::host::Timestamp;
use crate::journal::{Entry, Spent};
use crate::protocol::Answer;
use crate::sleep;
use crate::switches::{Position, Switches};

impl Invocation<'_> {
    /// Waits, keeps in the journal for how long, and gives the notice if it was not told to stop.
    pub(super) fn sleep<H: Hook>(
        &self,
        until: Timestamp,
        rule: &str,
        notice: Option<String>,
        section: &Section<H::Settings>,
    ) -> Answer {
        let is_still_wanted = || {
            self.store.as_ref().is_none_or(|store| {
                let switch = Switches::read(store).position(H::NAME, self.session());
                switch != Position::Off && !store.is_off(self.host.now())
            })
        };
        let slept = sleep::until(until, self.host.clock, is_still_wanted);
        H::slept(&self.places, self.session(), self.host.now());
        let (origin, key) = (section.origin(rule), section.in_file(rule));
        self.journal::<H>(&Entry {
            what: "sleep",
            rule: Some(&key),
            layer: origin.as_ref().map(|origin| origin.layer.word()),
            place: origin.map(|origin| origin.to_string()).as_deref(),
            text: slept.cut_short.map(sleep::CutShort::words).or(notice.as_deref()),
            spent: Spent { slept_ms: u64::try_from(slept.duration.as_millis()).ok(), ..Spent::default() },
            ..Entry::default()
        });
        Answer { verdict: Verdict::Pass, notice: notice.filter(|_| slept.cut_short.is_none()) }
    }
}
