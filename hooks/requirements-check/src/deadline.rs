//! Work that cannot be stopped: libgit2, regular expressions of users, searches of large folders.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use shared::protocol::Event;

const BEFORE_CALL: Duration = Duration::from_millis(100);
/// At any other event, which takes 1 s at most in all.
const AT_LEISURE: Duration = Duration::from_millis(900);
/// On a command line. A typed `req` is waited for 10 s.
const COMMAND_LINE: Duration = Duration::from_secs(8);

/// One deadline for everything that is measured.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Deadlines {
    pub(crate) all: Option<Instant>,
    /// For the files of evidence the long one before a call, too: a run whose files nobody looked at proves nothing.
    pub(crate) of_files: Option<Instant>,
}

impl Deadlines {
    pub(crate) fn of(event: &Event) -> Self {
        let begun = Instant::now();
        let (all, of_files) = match event {
            Event::Other(_) => (COMMAND_LINE, COMMAND_LINE),
            Event::PreToolUse(_) => (BEFORE_CALL, AT_LEISURE),
            _ => (AT_LEISURE, AT_LEISURE),
        };
        Self { all: Some(begun + all), of_files: Some(begun + of_files) }
    }
}

/// The result of the work; `None` if it is not done by the deadline. The work goes on in its thread until the process ends.
pub(crate) fn within<T: Send + 'static>(
    deadline: Option<Instant>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let Some(deadline) = deadline else { return Some(work()) };
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return None;
    }
    let (answer, answered) = mpsc::sync_channel(1);
    thread::Builder::new().spawn(move || answer.send(work())).ok()?;
    answered.recv_timeout(left).ok()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::{Duration, Instant};

    use super::within;

    #[test]
    fn work_that_does_not_end_is_left_behind() {
        let soon = || Some(Instant::now() + Duration::from_millis(5));
        let (never, end) = mpsc::channel::<()>();
        assert_eq!(within(soon(), move || end.recv().is_ok()), None);
        drop(never);
        assert_eq!(within(None, || 1), Some(1));
        assert_eq!(within(Some(Instant::now() + Duration::from_secs(60)), || 1), Some(1));
        assert_eq!(within(Some(Instant::now()), || 1), None, "none is begun when the time is up");
    }
}
