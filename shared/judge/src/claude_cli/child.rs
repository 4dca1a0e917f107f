//! The child's life: it ends when it has answered, at the deadline, or when a signal ends this process.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::silence::Silence;
use shared::child::{self, Limits};
#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// The most bytes that are read; a result has about 3,000 beside the answer.
const MAX_BYTES: u64 = 1024 * 1024;

/// The child gets SIGTERM so long before the deadline, and needs a third of it: killed, it leaves files in the user's folders.
const GRACE: Duration = Duration::from_millis(250);

pub(super) fn ask(command: &mut Command, text: &str, deadline: Instant) -> Result<Vec<u8>, Silence> {
    received();
    let last_call = deadline.checked_sub(GRACE).unwrap_or(deadline);
    let limits = Limits { deadline: last_call, grace: GRACE, max_bytes: MAX_BYTES };
    command.stderr(Stdio::null());
    match child::run_while(command, text.as_bytes(), limits, || received() == 0) {
        Ok(output) => Ok(output.stdout),
        Err(child::ChildError::NotStarted(_)) => Err(Silence::NotStarted),
        Err(child::ChildError::Late) => Err(Silence::Late),
    }
}

/// Lets the signal that came meanwhile end this process.
pub(super) fn follow_signal() {
    #[cfg(unix)]
    if received() != 0 {
        let _ = signal_hook::low_level::emulate_default_handler(received());
    }
}

/// The signal that was to end this process since the first question; 0: none. From then on it waits for [`follow_signal`], so
/// that this process does not end before its child.
fn received() -> i32 {
    static RECEIVED: OnceLock<Arc<AtomicUsize>> = OnceLock::new();
    let received = RECEIVED.get_or_init(|| {
        let received = Arc::new(AtomicUsize::new(0));
        #[cfg(unix)]
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            let number = usize::try_from(signal).unwrap_or(0);
            // Without its handler the signal ends this process at once.
            let _ = signal_hook::flag::register_usize(signal, Arc::clone(&received), number);
        }
        received
    });
    i32::try_from(received.load(Ordering::SeqCst)).unwrap_or(0)
}
