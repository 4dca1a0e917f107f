//! The child's life: it is over when it has spoken, at the deadline, or when we are told to end; and then nothing of it is
//! left, neither it nor what it has started.

use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::model::AskError;
use shared::courier::{end, in_a_group_of_its_own, talk};

pub(super) use signal::Watch;

/// So much of what it says is read, in bytes; a result has about 3,000 besides the answer.
const MAX_BYTES: u64 = 1024 * 1024;

/// We end so much after we are told to.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// So much before the deadline it is asked to end, in which it needs a third: killed, it leaves files in the user's folders.
const GRACE: Duration = Duration::from_millis(250);

/// How it ended without having spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// It never began.
    NotStarted,
    /// The deadline has passed.
    Late,
    /// We are to end, and nobody wants an answer any more: the user pressed Esc, or the session is over.
    Told,
}

impl Ended {
    pub(super) const fn error(self) -> AskError {
        match self {
            Self::NotStarted => AskError::NotStarted,
            Self::Late | Self::Told => AskError::Late,
        }
    }
}

/// Starts it, gives it `text` on stdin and takes what it says.
///
/// # Errors
/// How it ended otherwise.
pub(super) fn ask(
    mut command: Command,
    text: &str,
    deadline: Instant,
    watch: &Watch,
) -> Result<Vec<u8>, Ended> {
    // What it says on stderr is for nobody: it could hold what it was given.
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    in_a_group_of_its_own(&mut command);
    let mut child = command.spawn().map_err(|_| Ended::NotStarted)?;
    let talk = talk(&mut child, text.into(), MAX_BYTES);
    let said = hear(&talk, deadline.checked_sub(GRACE).unwrap_or(deadline), watch);
    if said.is_err() {
        ask_to_end(&child);
        // Whatever it says now is none of what was asked.
        let _ = talk.recv_timeout(GRACE);
    }
    end(&mut child);
    said
}

#[cfg(unix)]
fn ask_to_end(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let _ = kill_process_group(Pid::from_child(child), Signal::TERM);
}

#[cfg(not(unix))]
fn ask_to_end(_child: &Child) {}

fn hear(said: &Receiver<Vec<u8>>, deadline: Instant, watch: &Watch) -> Result<Vec<u8>, Ended> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match said.recv_timeout(left.min(LOOK_EVERY)) {
            Ok(said) => return Ok(said),
            Err(RecvTimeoutError::Disconnected) => return Ok(Vec::new()),
            Err(RecvTimeoutError::Timeout) if watch.is_told_to_end() => return Err(Ended::Told),
            Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(Ended::Late),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

#[cfg(unix)]
mod signal {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use signal_hook::SigId;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::flag::register_usize;
    use signal_hook::low_level::{emulate_default_handler, unregister};

    /// Hears the signals that end a process, and so keeps them from ending this one before its child.
    pub(in crate::claude_cli) struct Watch {
        heard: Arc<AtomicUsize>,
        registered: Vec<SigId>,
    }

    impl Watch {
        pub(in crate::claude_cli) fn new() -> Self {
            let heard = Arc::new(AtomicUsize::new(0));
            let register = |signal: i32| {
                let value = usize::try_from(signal).ok()?;
                register_usize(signal, Arc::clone(&heard), value).ok()
            };
            let registered = [SIGTERM, SIGINT, SIGHUP].into_iter().filter_map(register).collect();
            Self { heard, registered }
        }

        pub(super) fn is_told_to_end(&self) -> bool {
            self.heard.load(Ordering::SeqCst) != 0
        }

        /// Does what the signal would have done without us.
        pub(in crate::claude_cli) fn follow(&self) {
            if let Ok(signal) = i32::try_from(self.heard.load(Ordering::SeqCst)) {
                let _ = emulate_default_handler(signal);
            }
        }
    }

    impl Drop for Watch {
        fn drop(&mut self) {
            // The system's own way with the signal does not come back by this; what is left to do takes no time.
            for id in self.registered.drain(..) {
                unregister(id);
            }
        }
    }
}

#[cfg(not(unix))]
mod signal {
    /// Ending a process ends it at once.
    pub(in crate::claude_cli) struct Watch;

    impl Watch {
        pub(in crate::claude_cli) const fn new() -> Self {
            Self
        }

        pub(super) const fn is_told_to_end(&self) -> bool {
            false
        }

        pub(in crate::claude_cli) const fn follow(&self) {}
    }
}
