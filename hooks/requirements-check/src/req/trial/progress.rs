//! A long session takes a minute: whoever waits at a terminal is told that it goes on.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::Duration;

use shared::host::{Clock, Timestamp};

/// Nobody wonders before that; and so often it is told again.
const QUIET: Duration = Duration::from_secs(4);

/// How far it is.
pub(super) struct Progress {
    /// When it was told last, or began; none: nobody watches.
    since: Option<Timestamp>,
    clock: Clock,
    events: u64,
}

impl Progress {
    pub(super) fn start(clock: Clock) -> Self {
        Self { since: io::stderr().is_terminal().then(|| clock.now()), clock, events: 0 }
    }

    /// The hook has been handed one more.
    pub(super) fn event(&mut self) {
        self.events += 1;
        if self.since.is_some_and(|since| self.clock.now().since(since) >= QUIET) {
            self.since = Some(self.clock.now());
            let _ = writeln!(io::stderr(), "{}", told(self.events));
        }
    }
}

fn told(events: u64) -> String {
    format!("req: {events} events of the session so far; Ctrl-C ends it")
}

#[cfg(test)]
mod tests {
    use shared::host::{Clock, Timestamp};

    use super::{Progress, QUIET, told};

    #[test]
    fn it_is_told_again_only_after_a_while() {
        assert_eq!(told(1_200), "req: 1200 events of the session so far; Ctrl-C ends it");
        let began = Timestamp::from_secs(1_000);
        let now = began.plus(QUIET);
        let mut progress = Progress { since: Some(began), clock: Clock::Fixed(began), events: 0 };
        progress.event();
        assert_eq!(progress.since, Some(began), "not yet");
        progress.clock = Clock::Fixed(now);
        progress.event();
        assert_eq!((progress.since, progress.events), (Some(now), 2), "it was told");
    }
}
