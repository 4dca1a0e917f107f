//! Command lines as a person types them: in a terminal of their own, with no Claude above it, or below one.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tests::sandbox::Sandbox;
use tests::terminal::{Key, Terminal};

/// How long a command in a terminal may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// What came of a command line in a terminal of its own.
pub(crate) struct Typed {
    pub(crate) status: i32,
    /// What it printed, to both outputs.
    pub(crate) screen: String,
}

/// Runs the shell `shell` in a terminal of its own, which runs `program` with these words. Its ancestors end with that
/// shell: the tests themselves may run below a Claude.
pub(crate) fn typed(
    program: &Path,
    sandbox: &Sandbox,
    shell: &Path,
    words: &str,
    variables: &[(&str, &str)],
) -> Typed {
    let (said, done) = (sandbox.temporary_dir().join("said"), sandbox.temporary_dir().join("done"));
    for file in [&said, &done] {
        let _ = fs::remove_file(file);
    }
    // The shell in the middle ends at once, so that the one that runs the command has no ancestor but process 1.
    let run = format!("'{}' {words} >'{}' 2>&1; echo $? >'{1}.status'", program.display(), said.display());
    let inner = format!("{run}; mv '{}.status' '{}'", said.display(), done.display());
    let script = format!("( '{}' -c \"$0\" & ); read wait", shell.display());
    let mut env = sandbox.env();
    env.extend(variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    let args = ["-c".to_owned(), script, inner];
    let mut terminal = Terminal::start(Path::new("/bin/sh"), &args, &env, &sandbox.project());
    let until = Instant::now() + PATIENCE;
    while !done.exists() {
        assert!(Instant::now() < until, "the command has not ended: {}", terminal.screen());
        std::thread::sleep(Duration::from_millis(5));
    }
    terminal.press(Key::Enter);
    terminal.wait_for_exit(PATIENCE);
    let status = fs::read_to_string(done).unwrap().trim().parse().unwrap();
    Typed { status, screen: fs::read_to_string(said).unwrap() }
}

pub(crate) fn shell() -> PathBuf {
    PathBuf::from("/bin/sh")
}

/// A shell that is called like the client.
pub(crate) fn claude(sandbox: &Sandbox) -> PathBuf {
    let copy = sandbox.temporary_dir().join("claude");
    // A process of an earlier call may still run it: then it cannot be written again.
    if !copy.exists() {
        fs::copy(fs::canonicalize("/bin/sh").unwrap(), &copy).unwrap();
    }
    copy
}
