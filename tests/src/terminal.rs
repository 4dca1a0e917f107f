//! A program in a pseudo-terminal, seen and used as a person would: text is typed, keys are pressed, the screen is read.
//! Waiting is always for something on the screen, under a deadline, and a failure prints the screen. The program is ended
//! when the value is dropped.

use crate::sandbox::Environment;
use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{Read as _, Write as _};
use std::num::NonZeroU16;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use vt100::Parser;

/// How long to wait for something on the screen unless a test says otherwise.
pub const DEADLINE: Duration = Duration::from_secs(30);

const ROWS: NonZeroU16 = NonZeroU16::new(45).unwrap();
const COLUMNS: NonZeroU16 = NonZeroU16::new(140).unwrap();
const SCROLLBACK_ROWS: usize = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Enter,
    Escape,
    Tab,
    Down,
    /// Control and a letter: `Ctrl('c')`.
    Ctrl(char),
}

impl Key {
    fn bytes(self) -> Vec<u8> {
        match self {
            Self::Enter => b"\r".to_vec(),
            Self::Escape => b"\x1b".to_vec(),
            Self::Tab => b"\t".to_vec(),
            Self::Down => b"\x1b[B".to_vec(),
            // A terminal sends a control letter as its place in the alphabet.
            Self::Ctrl(letter) => vec![u8::try_from(letter).expect("an ASCII letter") & 0x1f],
        }
    }
}

/// A running program and its screen.
pub struct Terminal {
    screen: Arc<(Mutex<Parser>, Condvar)>,
    line: Arc<Pty>,
    child: Child,
}

impl Terminal {
    /// Starts a program in a terminal of 140 columns and 45 rows.
    #[track_caller]
    pub fn start(program: &Path, args: &[String], env: &Environment, cwd: &Path) -> Self {
        let (line, program_end) = open().expect("a pseudo-terminal");
        line.resize(Size::new(ROWS.get(), COLUMNS.get())).expect("the size of the terminal");
        let command = Command::new(program).args(args).current_dir(cwd).env_clear().envs(env);
        let child = command.spawn(program_end).expect("the program starts in the terminal");
        let screen = Arc::new((Mutex::new(Parser::new(ROWS, COLUMNS, SCROLLBACK_ROWS)), Condvar::new()));
        let line = Arc::new(line);
        show(Arc::clone(&line), Arc::clone(&screen));
        Self { screen, line, child }
    }

    pub fn screen(&self) -> String {
        text(&self.screen.0.lock().expect("the screen"))
    }

    /// Types text, character by character as a person would: a terminal program may take a lump for a paste.
    pub fn type_text(&mut self, text: &str) {
        for character in text.chars() {
            self.send(character.to_string().as_bytes());
        }
    }

    pub fn press(&mut self, key: Key) {
        self.send(&key.bytes());
    }

    fn send(&mut self, bytes: &[u8]) {
        let sent = (&*self.line).write_all(bytes);
        sent.expect("the program reads its keyboard");
    }

    /// Waits until the screen contains a text; fails after [`DEADLINE`] and prints the screen.
    #[track_caller]
    pub fn wait_for(&self, text: &str) {
        self.wait_until(&format!("`{text}`"), DEADLINE, |screen| screen.contains(text));
    }

    /// Waits until the screen fulfils a condition; fails after `deadline`, names `what` and prints the screen.
    #[track_caller]
    pub fn wait_until(&self, what: &str, deadline: Duration, fulfilled: impl Fn(&str) -> bool) {
        if let Err(screen) = self.fulfils_within(deadline, fulfilled) {
            panic!("waited {deadline:?} for {what} on the screen; there is:\n{screen}");
        }
    }

    /// Waits for a condition; returns the screen that does not fulfil it when the time is over.
    pub fn fulfils_within(&self, time: Duration, fulfilled: impl Fn(&str) -> bool) -> Result<(), String> {
        let until = Instant::now() + time;
        let mut parser = self.screen.0.lock().expect("the screen");
        loop {
            let screen = text(&parser);
            if fulfilled(&screen) {
                return Ok(());
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(screen);
            }
            parser = self.screen.1.wait_timeout(parser, left).expect("the screen").0;
        }
    }

    /// Presses a key after each wait until the screen fulfils a condition; fails after [`DEADLINE`]. For dialogs, which let keys
    /// pass for a moment after they open, so that nobody answers one by accident.
    #[track_caller]
    pub fn press_until(&mut self, key: Key, every: Duration, fulfilled: impl Fn(&str) -> bool) {
        let until = Instant::now() + DEADLINE;
        while self.fulfils_within(every, &fulfilled).is_err() {
            assert!(Instant::now() < until, "pressed {key:?} in vain; there is:\n{}", self.screen());
            self.press(key);
        }
    }

    /// Waits for the program's end; fails after `deadline` and prints the screen.
    #[track_caller]
    pub fn wait_for_exit(&mut self, deadline: Duration) -> ExitStatus {
        let until = Instant::now() + deadline;
        loop {
            if let Some(status) = self.child.try_wait().expect("the program's status") {
                return status;
            }
            assert!(
                Instant::now() < until,
                "the program has not ended within {deadline:?}:\n{}",
                self.screen()
            );
            thread::sleep(Duration::from_millis(10));
        }
    }
}

fn text(parser: &Parser) -> String {
    let contents = parser.screen().contents();
    let rows: Vec<&str> = contents.lines().map(str::trim_end).collect();
    rows.join("\n").trim_end().to_owned()
}

/// Feeds what the program prints to the screen until the program is gone.
fn show(line: Arc<Pty>, screen: Arc<(Mutex<Parser>, Condvar)>) {
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = (&*line).read(&mut bytes) {
            screen.0.lock().expect("the screen").process(&bytes[..count]);
            screen.1.notify_all();
        }
    });
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            // It leads the session of its terminal, so its process id names its group. An error says that it has ended by itself.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            drop(self.child.wait());
        }
    }
}
