//! A program of ours that is started and listened to: it gets its time and no more, and what it leaves running is not
//! waited for.

use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

/// An answer that is longer is none of ours, in bytes.
const MAX_ANSWER_BYTES: u64 = 1024 * 1024;

/// How often it is looked whether it has ended, once it has said everything: short, because starts are timed.
const LOOK_AGAIN: Duration = Duration::from_micros(100);

/// Starts the program with this input, and returns how it ended and what it printed.
pub(crate) fn heard(
    command: &mut Command,
    input: &[u8],
    within: Duration,
) -> anyhow::Result<(ExitStatus, Vec<u8>)> {
    let deadline = Instant::now() + within;
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("starting {name}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read its input may still answer.
        let _ = stdin.write_all(input);
    }
    let said = child.stdout.take().map(listen).context("it has no stdout")?;
    let ended = said.recv_timeout(within).ok().and_then(|said| Some((wait(&mut child, deadline)?, said)));
    let Some((status, said)) = ended else {
        // It may have ended by itself in this moment.
        let _ = child.kill();
        let _ = child.wait();
        bail!("no answer within {} s", within.as_secs_f64());
    };
    Ok((status?, said.context("reading the answer")?))
}

/// Read by a thread of its own: something that it started may keep the pipe open.
fn listen(stdout: ChildStdout) -> Receiver<std::io::Result<Vec<u8>>> {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let mut said = Vec::new();
        let read = stdout.take(MAX_ANSWER_BYTES).read_to_end(&mut said);
        // Nobody may be waiting any more.
        let _ = tell.send(read.map(|_| said));
    });
    told
}

/// `None` if it does not end in time.
fn wait(child: &mut Child, deadline: Instant) -> Option<std::io::Result<ExitStatus>> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(Ok(status)),
            Err(error) => return Some(Err(error)),
            Ok(None) if Instant::now() >= deadline => return None,
            Ok(None) => thread::sleep(LOOK_AGAIN),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::Command;
    use std::time::{Duration, Instant};

    use super::heard;

    fn shell(line: &str, within: Duration) -> Result<(bool, String), String> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", line]);
        let (status, said) = heard(&mut command, b"in", within).map_err(|error| format!("{error:#}"))?;
        Ok((status.success(), String::from_utf8_lossy(&said).into_owned()))
    }

    #[test]
    fn what_it_says_and_how_it_ends() {
        let long = Duration::from_secs(30);
        assert_eq!(shell("cat; echo put", long), Ok((true, "input\n".to_owned())));
        assert_eq!(shell("echo out; exit 3", long), Ok((false, "out\n".to_owned())));
        let error = heard(&mut Command::new("/nowhere/at-all"), b"", long).unwrap_err();
        assert!(error.downcast_ref::<std::io::Error>().is_some(), "{error:#}");
    }

    #[test]
    fn nothing_keeps_it_beyond_its_time() {
        let began = Instant::now();
        for line in ["exec sleep 60", "exec sleep 60 >&-", "sleep 2 &"] {
            let error = shell(line, Duration::from_millis(100)).unwrap_err();
            assert_eq!(error, "no answer within 0.1 s", "{line}");
        }
        assert!(began.elapsed() < Duration::from_secs(30));
    }
}
