//! A program in a pseudo-terminal, seen and used as a person would: text is typed, keys are pressed, the screen is read.
//! Waiting is always for something on the screen, under a deadline, and a failure prints the screen. The program is ended
//! when the value is dropped.

use crate::sandbox::Environment;
use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::Path;
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
    keyboard: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    // Held for its destructor: closing it hangs up.
    _line: Box<dyn MasterPty + Send>,
}

impl Terminal {
    /// Starts a program in a terminal of 140 columns and 45 rows.
    #[track_caller]
    pub fn start(program: &Path, args: &[String], env: &Environment, cwd: &Path) -> Self {
        let size = PtySize { rows: ROWS.get(), cols: COLUMNS.get(), ..PtySize::default() };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.cwd(cwd);
        command.env_clear();
        for (name, value) in env {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).expect("the program starts in the terminal");
        let screen = Arc::new((Mutex::new(Parser::new(ROWS, COLUMNS, SCROLLBACK_ROWS)), Condvar::new()));
        show(pair.master.try_clone_reader().expect("the terminal's output"), Arc::clone(&screen));
        let keyboard = pair.master.take_writer().expect("the terminal's input");
        Self { screen, keyboard, child, _line: pair.master }
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
        let sent = self.keyboard.write_all(bytes).and_then(|()| self.keyboard.flush());
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
fn show(mut output: impl Read + Send + 'static, screen: Arc<(Mutex<Parser>, Condvar)>) {
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = output.read(&mut bytes) {
            screen.0.lock().expect("the screen").process(&bytes[..count]);
            screen.1.notify_all();
        }
    });
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            end(self.child.as_mut());
            drop(self.child.wait());
        }
    }
}

/// The program leads the session of its terminal, so its process id names its group.
#[cfg(unix)]
fn end(child: &mut (dyn Child + Send + Sync)) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let group = child.process_id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    // An error says that it has ended by itself.
    let _ = group.map(|group| kill_process_group(group, Signal::KILL));
}

#[cfg(not(unix))]
fn end(child: &mut (dyn Child + Send + Sync)) {
    drop(child.kill());
}
