//! A long session takes a minute: whoever waits at a terminal is told that it goes on.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// Nobody wonders before that; and so often it is told again.
const QUIET: Duration = Duration::from_secs(4);

/// How far it is.
pub(super) struct Progress {
    /// When it was told last, or began; none: nobody watches.
    since: Option<Instant>,
    events: u64,
}

impl Progress {
    pub(super) fn start() -> Self {
        Self { since: io::stderr().is_terminal().then(Instant::now), events: 0 }
    }

    /// The hook has been handed one more.
    pub(super) fn event(&mut self) {
        self.events += 1;
        if self.since.is_some_and(|since| since.elapsed() >= QUIET) {
            self.since = Some(Instant::now());
            let _ = writeln!(io::stderr(), "{}", told(self.events));
        }
    }
}

fn told(events: u64) -> String {
    format!("req: {events} events of the session so far; Ctrl-C ends it")
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::{Progress, QUIET, told};

    #[test]
    fn it_is_told_again_only_after_a_while() {
        assert_eq!(told(1_200), "req: 1200 events of the session so far; Ctrl-C ends it");
        let before = Instant::now().checked_sub(QUIET);
        let mut progress = Progress { since: before, events: 0 };
        progress.event();
        let since = progress.since;
        assert_ne!(since, before, "it was told");
        progress.event();
        assert_eq!((progress.since, progress.events), (since, 2));
    }
}
