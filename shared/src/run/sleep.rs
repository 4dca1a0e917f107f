//! Waiting on purpose, after a tool has run. It ends at its time, at SIGTERM, or when nobody wants it any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::host::{Clock, Timestamp};

/// Somebody who switches it off waits so long at most.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A signal is noticed after this time.
const STEP: Duration = Duration::from_millis(50);

/// Nobody waits longer, whatever a clock or a file says: the client gives a hook 360 s.
const LONGEST: Duration = Duration::from_secs(350);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slept {
    pub(super) duration: Duration,
    pub(super) cut_short: Option<&'static str>,
}

/// Waits until `end`. A time that was set back cannot make it longer; a machine that was asleep does not make up for it.
pub(super) fn until(end: Timestamp, clock: Clock, is_still_wanted: impl Fn() -> bool) -> Slept {
    let began = Instant::now();
    let whole = end.since(clock.now()).min(LONGEST);
    let told_to_end = signals();
    let mut next_look = Duration::ZERO;
    loop {
        let elapsed = began.elapsed();
        let left = whole.saturating_sub(elapsed).min(end.since(clock.now()));
        let is_due = elapsed >= next_look;
        let cut_short = match () {
            () if left.is_zero() => None,
            // The user pressed Esc, or the session is over.
            () if told_to_end.load(Ordering::Relaxed) => Some("cut short by the client"),
            () if is_due && !is_still_wanted() => Some("cut short: switched off"),
            () => {
                next_look = if is_due { elapsed + LOOK_EVERY } else { next_look };
                thread::sleep(left.min(STEP));
                continue;
            }
        };
        return Slept { duration: elapsed, cut_short };
    }
}

/// True once a signal has told this process to end. Without the flag a signal ends it at once, and the journal does not know.
fn signals() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT, signal_hook::consts::SIGHUP] {
        let _ = signal_hook::flag::register(signal, Arc::clone(&flag));
    }
    flag
}
