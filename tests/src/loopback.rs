//! A test run again in a network namespace of its own, in which there is nothing but loopback. A client that believes in a
//! login may ask its maker's servers about it, with a made-up token: here nobody can hear it. Linux only, and only where
//! an ordinary user may make namespaces; elsewhere the test says loudly that nothing was tested.

use std::any;
use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::process::{Command, Output};

/// Set for the test that runs inside.
const INSIDE: &str = "BARBLESS_E2E_LOOPBACK_ONLY";

/// Makes the namespace, brings its loopback up and becomes the program given to it.
const ENTER: [&str; 7] =
    ["--user", "--map-root-user", "--net", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"];

/// Proof that this process sees no network but loopback.
#[derive(Debug)]
pub struct LoopbackOnly(());

/// Inside the namespace: the proof. Outside: runs `test`, which must be the caller, once more inside, fails as it fails, and
/// returns `None`: the caller has nothing left to do.
#[track_caller]
pub fn only_in_here<T: Fn()>(test: T) -> Option<LoopbackOnly> {
    if env::var_os(INSIDE).is_some() {
        assert_eq!(interfaces(), ["lo"], "{INSIDE} is set, but this is no namespace of its own");
        return Some(LoopbackOnly(()));
    }
    let name = name_of(&test);
    if let Err(why) = possible() {
        // Past the capture of the test harness: a test that could not run must not look like one that passed.
        drop(writeln!(io::stderr(), "SKIPPED, nothing was tested: {name}: no network namespace here: {why}"));
        return None;
    }
    let program = env::current_exe().expect("the path of the running test");
    let mut command = unshare();
    command.arg(program).args([name, "--exact", "--nocapture"]).env(INSIDE, "1");
    let output = command.output().expect("unshare starts");
    let said = said(&output);
    assert!(output.status.success(), "{name} failed in its namespace:\n{said}");
    assert!(said.contains("1 passed"), "{name} was not run in its namespace:\n{said}");
    None
}

/// As the test harness calls it: the path without the crate.
fn name_of<T>(_test: &T) -> &'static str {
    let path = any::type_name::<T>();
    path.split_once("::").map_or(path, |(_, name)| name)
}

fn possible() -> Result<(), String> {
    let output = unshare().arg("true").output().map_err(|error| format!("unshare: {error}"))?;
    if output.status.success() { Ok(()) } else { Err(said(&output).trim().to_owned()) }
}

fn unshare() -> Command {
    let mut command = Command::new("unshare");
    command.args(ENTER);
    command
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat()
}

/// The network interfaces this process sees.
fn interfaces() -> Vec<String> {
    let table = fs::read_to_string("/proc/net/dev").expect("the table of network interfaces");
    let names = table.lines().skip(2).filter_map(|line| line.split_once(':'));
    names.map(|(name, _)| name.trim().to_owned()).collect()
}
