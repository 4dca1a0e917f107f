//! A program of ours that is started and listened to.

use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use shared::child::{self, ChildError, Limits};

/// An answer that is longer is none of ours, in bytes.
const MAX_ANSWER_BYTES: u64 = 1024 * 1024;

/// Starts the program with this input, and returns how it ended and what it printed.
pub(crate) fn heard(
    command: &mut Command,
    input: &[u8],
    within: Duration,
) -> anyhow::Result<(ExitStatus, Vec<u8>)> {
    let limits =
        Limits { deadline: Instant::now() + within, grace: Duration::ZERO, max_bytes: MAX_ANSWER_BYTES };
    match child::run(command.stderr(Stdio::null()), input, limits) {
        Ok(output) => Ok((output.status, output.stdout)),
        Err(ChildError::Late) => bail!("no answer within {} s", within.as_secs_f64()),
        Err(ChildError::NotStarted(error)) => {
            let name = command.get_program().to_string_lossy().into_owned();
            Err(error).with_context(|| format!("starting {name}"))
        }
    }
}
