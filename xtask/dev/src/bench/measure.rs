//! One process from start to end, timed from outside, and two kinds of them in turn. This is the only place of the bench
//! that reads the clock; it does not know what is measured.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

use super::report::Pair;
use anyhow::Context as _;

/// Pairs before the first one that counts: page cache, branch predictors, the CPU's clock.
const WARM_UP: usize = 25;

/// A process to start, again and again in the same way.
#[derive(Debug)]
pub(super) struct Process<'a> {
    pub(super) program: &'a Path,
    pub(super) args: &'a [&'a str],
    pub(super) env: &'a [(String, String)],
    pub(super) cwd: &'a Path,
    pub(super) payload: &'a [u8],
}

#[derive(Debug)]
pub(super) struct Run {
    /// From before the start until its end was known and its output read, in microseconds.
    pub(super) micros: f64,
    pub(super) status: ExitStatus,
    pub(super) stdout: Vec<u8>,
}

impl Process<'_> {
    /// Runs it once. The payload, which must fit into a pipe, lies there before the start, so that the writer's pace is not measured.
    pub(super) fn run(&self) -> anyhow::Result<Run> {
        let (stdin, mut writer) = std::io::pipe().context("making a pipe")?;
        writer.write_all(self.payload).context("writing the payload")?;
        drop(writer);
        let mut command = Command::new(self.program);
        command.args(self.args).current_dir(self.cwd).env_clear().envs(self.env.iter().cloned());
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::null());
        let began = Instant::now();
        let child = command.spawn().with_context(|| format!("starting {}", self.program.display()))?;
        let output = child.wait_with_output().context("waiting for a process")?;
        let micros = began.elapsed().as_secs_f64() * 1e6;
        Ok(Run { micros, status: output.status, stdout: output.stdout })
    }
}

/// Runs base and subject `pairs` times, now one first and now the other, after a warm-up that does not count.
///
/// `prepare` comes before each pair, outside what is timed; `base` and `subject` answer with their microseconds.
pub(super) fn in_turn(
    pairs: usize,
    mut prepare: impl FnMut() -> anyhow::Result<()>,
    mut base: impl FnMut() -> anyhow::Result<f64>,
    mut subject: impl FnMut() -> anyhow::Result<f64>,
) -> anyhow::Result<Vec<Pair>> {
    let mut measured = Vec::with_capacity(pairs);
    for round in 0..WARM_UP + pairs {
        prepare()?;
        let pair = if round % 2 == 0 {
            let base = base()?;
            Pair { base, subject: subject()? }
        } else {
            let subject = subject()?;
            Pair { base: base()?, subject }
        };
        if round >= WARM_UP {
            measured.push(pair);
        }
    }
    Ok(measured)
}
