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

/// Proof that this process sees no network but loopback.
#[derive(Debug)]
pub struct LoopbackOnly(());

/// Inside the namespace: the proof. Outside: runs `test`, which must be the caller, once more inside, fails as it fails, and
/// returns `None`: the caller has nothing left to do.
#[track_caller]
pub fn only_in_here<T: Fn()>(_test: T) -> Option<LoopbackOnly> {
    if env::var_os(INSIDE).is_some() {
        let table = fs::read_to_string("/proc/net/dev").expect("the table of network interfaces");
        let mut names = table.lines().skip(2).filter_map(|line| Some(line.split_once(':')?.0.trim()));
        assert!(names.all(|name| name == "lo"), "{INSIDE} is set, but this is no namespace of its own");
        return Some(LoopbackOnly(()));
    }
    // As the test harness calls it: the path without the crate.
    let name = any::type_name::<T>().split_once("::").expect("a path").1;
    let possible = unshared(&["true"]);
    if !possible.status.success() {
        // Past the capture of the test harness: a test that could not run must not look like one that passed.
        drop(writeln!(io::stderr(), "SKIPPED, nothing was tested: {name}: {}", said(&possible)));
        return None;
    }
    let program = env::current_exe().expect("the path of the running test").display().to_string();
    let output = unshared(&[&program, name, "--exact", "--nocapture"]);
    let said = said(&output);
    assert!(output.status.success() && said.contains("1 passed"), "{name} in its namespace:\n{said}");
    None
}

/// Makes the namespace, brings its loopback up and becomes the program given to it.
fn unshared(program: &[&str]) -> Output {
    let mut command = Command::new("unshare");
    command.args([
        "--user",
        "--map-root-user",
        "--net",
        "sh",
        "-c",
        "ip link set lo up && exec \"$@\"",
        "sh",
    ]);
    command.args(program).env(INSIDE, "1").output().expect("unshare starts")
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat()
}
