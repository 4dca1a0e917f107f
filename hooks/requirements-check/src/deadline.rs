//! Work that cannot be stopped: libgit2, regular expressions of users, searches of large folders.

use std::sync::mpsc;
use std::thread;
use std::time::Instant;

/// The result of the work; `None` if it is not done by the deadline. The work goes on in its thread until the process ends.
pub(crate) fn within<T: Send + 'static>(
    deadline: Option<Instant>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let Some(deadline) = deadline else { return Some(work()) };
    let left = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
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
