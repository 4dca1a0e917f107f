//! Waiting on purpose, after a tool has run. It ends at its time, at SIGTERM, or when nobody wants it any more.

use std::time::{Duration, Instant};

use crate::host::{Clock, Timestamp};

/// Somebody who switches it off waits so long at most.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Nobody waits longer, whatever a clock or a file says: the client gives a hook 360 s.
const LONGEST: Duration = Duration::from_secs(350);

/// Result of a sleep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slept {
    /// For so long.
    pub(crate) duration: Duration,
    /// Reason for an early end.
    pub(crate) cut_short: Option<CutShort>,
}

/// Reasons for an early end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CutShort {
    /// The client told the process to end: the user pressed Esc, or the session is over.
    Signal,
    /// The hook was switched off meanwhile.
    SwitchedOff,
}

impl CutShort {
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Signal => "cut short by the client",
            Self::SwitchedOff => "cut short: switched off",
        }
    }
}

/// Waits until `end`. A time that was set back cannot make it longer; a machine that was asleep does not make up for it.
pub(crate) fn until(end: Timestamp, clock: Clock, is_still_wanted: impl Fn() -> bool) -> Slept {
    let began = Instant::now();
    let whole = end.since(clock.now()).min(LONGEST);
    let signal = signal::Watch::new();
    loop {
        let left = whole.saturating_sub(began.elapsed()).min(end.since(clock.now()));
        let cut_short = if left.is_zero() {
            None
        } else if !is_still_wanted() {
            Some(CutShort::SwitchedOff)
        } else if signal.arrives_within(left.min(LOOK_EVERY)) {
            Some(CutShort::Signal)
        } else {
            continue;
        };
        return Slept { duration: began.elapsed(), cut_short };
    }
}

#[cfg(unix)]
mod signal {
    use std::os::unix::net::UnixStream;
    use std::thread;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::low_level::pipe;

    /// Hears the signals that end a process. Without it they end the process at once, which is right too, only that the
    /// journal does not know.
    pub(super) struct Watch(Option<UnixStream>);

    impl Watch {
        pub(super) fn new() -> Self {
            let watched = || {
                let (ours, theirs) = UnixStream::pair().ok()?;
                for signal in [SIGTERM, SIGINT, SIGHUP] {
                    pipe::register(signal, theirs.try_clone().ok()?).ok()?;
                }
                Some(ours)
            };
            Self(watched())
        }

        pub(super) fn arrives_within(&self, time: Duration) -> bool {
            let Some(ours) = &self.0 else {
                thread::sleep(time);
                return false;
            };
            let limit = Timespec::try_from(time).ok();
            let mut descriptors = [PollFd::new(ours, PollFlags::IN)];
            match poll(&mut descriptors, limit.as_ref()) {
                Ok(ready) => ready > 0,
                // The signal itself interrupts the wait; its byte is read next time round.
                Err(_) => false,
            }
        }
    }
}

#[cfg(not(unix))]
mod signal {
    use std::thread;
    use std::time::Duration;

    /// Ending a process ends it at once.
    pub(super) struct Watch;

    impl Watch {
        pub(super) const fn new() -> Self {
            Self
        }

        pub(super) fn arrives_within(&self, time: Duration) -> bool {
            thread::sleep(time);
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Duration;

    use super::{CutShort, until};
    use crate::host::{Clock, Timestamp};

    const NOW: Timestamp = Timestamp::from_secs(1_000_000);

    #[test]
    fn it_lasts_until_its_end() {
        let slept = until(NOW.plus(Duration::from_millis(20)), Clock::Fixed(NOW), || true);
        assert_eq!(slept.cut_short, None);
        assert!(slept.duration >= Duration::from_millis(20), "{slept:?}");
    }

    #[test]
    fn an_end_that_has_passed_is_no_wait_and_nobody_is_asked() {
        for end in [NOW, NOW.minus(Duration::from_secs(1))] {
            let asked = Cell::new(0);
            let slept = until(end, Clock::Fixed(NOW), || {
                asked.set(asked.get() + 1);
                true
            });
            assert_eq!((slept.cut_short, asked.get()), (None, 0));
        }
    }

    #[test]
    fn it_ends_when_nobody_wants_it_any_more() {
        let slept = until(NOW.plus(Duration::from_secs(300)), Clock::Fixed(NOW), || false);
        assert_eq!(slept.cut_short, Some(CutShort::SwitchedOff));
        assert!(slept.duration < Duration::from_secs(10), "{slept:?}");
    }
}
