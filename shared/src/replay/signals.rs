//! Ending early: a signal that ends processes becomes a wish first, so that the scratch folder goes. The second one ends.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How long stdin is waited for before the wish is looked at again. A signal interrupts the wait, except just before it.
#[cfg(unix)]
const LOOK: std::time::Duration = std::time::Duration::from_millis(200);

/// True once a signal has come.
#[cfg(unix)]
pub(super) fn told_to_end() -> Arc<AtomicBool> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::flag;
    let is_told = Arc::new(AtomicBool::new(false));
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        // In this order: the first signal finds the wish unspoken.
        let _ = flag::register_conditional_default(signal, Arc::clone(&is_told));
        let _ = flag::register(signal, Arc::clone(&is_told));
    }
    is_told
}

/// Whoever ends it leaves the folder behind.
#[cfg(not(unix))]
pub(super) fn told_to_end() -> Arc<AtomicBool> {
    Arc::default()
}

/// Why it has not read on.
pub(super) fn ended() -> io::Error {
    io::Error::other("a signal has ended it")
}

/// Stdin, until a signal comes.
pub(super) struct Events(pub(super) Arc<AtomicBool>);

impl Read for Events {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while !self.0.load(Ordering::Relaxed) {
            if let Some(length) = read_soon(into)? {
                return Ok(length);
            }
        }
        Err(ended())
    }
}

/// Past the buffer of [`io::stdin`], which would hold what a look at the descriptor cannot see; `None`: not yet.
#[cfg(unix)]
fn read_soon(into: &mut [u8]) -> io::Result<Option<usize>> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::{Errno, read};
    let stdin = rustix::stdio::stdin();
    let timeout = Timespec::try_from(LOOK).ok();
    let ready = poll(&mut [PollFd::new(&stdin, PollFlags::IN)], timeout.as_ref());
    let length = ready.and_then(|ready| if ready > 0 { read(stdin, into).map(Some) } else { Ok(None) });
    match length {
        Err(Errno::INTR | Errno::AGAIN) => Ok(None),
        length => Ok(length?),
    }
}

#[cfg(not(unix))]
fn read_soon(into: &mut [u8]) -> io::Result<Option<usize>> {
    io::stdin().read(into).map(Some)
}
