//! Building the hooks and finding what was built. Paths are read from cargo's own messages, never guessed.
//!
//! What is installed is linked statically where that is possible: it saves a quarter of a millisecond of every start.
//! The flag for it is given with an explicit `--target`, because without one it would reach procedural macros too.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use indicatif::{ProgressBar, ProgressStyle};
use installer::places::executable as file_name;
use installer::say::{list, note};
use installer::source::Binaries;
use serde_json::Value;

/// The profile of what users install.
pub(crate) const RELEASE: &str = "release";

/// Names another profile for what is installed.
pub(crate) const PROFILE_VARIABLE: &str = "BARBLESS_E2E_PROFILE";

/// The root of the source tree this command was built from.
pub(crate) fn root() -> anyhow::Result<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned);
    let root = root.filter(|root| root.join("hooks").is_dir());
    root.with_context(|| format!("the source tree is no longer at {}", env!("CARGO_MANIFEST_DIR")))
}

/// The programs of these hooks as they are installed: release profile, static C runtime. Their helpers keep the dynamic one:
/// they open connections, and a static glibc resolves names badly.
pub(crate) fn for_installation(root: &Path, hooks: &[&str], helpers: &[&str]) -> anyhow::Result<Binaries> {
    let (profile, triple) = (profile(), host_triple()?);
    let programs = match linked_statically(&profile, root, hooks, &triple) {
        Err(error) if lacks_static_library(&error) => {
            note(
                "the static C library is not installed, so the hooks are linked dynamically: each start takes a little longer",
            );
            run(build_for(&profile, root, hooks, &triple), hooks)
        }
        result => result,
    };
    with_helpers(programs?, &profile, root, helpers, &triple)
}

/// What is installed is built in this profile. The tests under the real client name theirs, for the `install` that they type.
fn profile() -> String {
    std::env::var(PROFILE_VARIABLE).unwrap_or_else(|_| RELEASE.to_owned())
}

/// The same for any platform, and any machine of it: hooks that cannot be linked statically are none, and on Linux the helpers
/// are linked with musl, if the compiler has it, whose names are resolved without the machine's C library. The tests under the
/// real client are run with the same, in a profile of theirs.
pub(crate) fn for_package(
    profile: &str,
    root: &Path,
    hooks: &[&str],
    helpers: &[&str],
    triple: &str,
) -> anyhow::Result<Binaries> {
    let musl = musl(triple);
    let programs = linked_statically(profile, root, hooks, triple).map_err(with_what_to_install)?;
    let helpers_triple = if has_target(&musl) { &musl } else { triple };
    with_helpers(programs, profile, root, helpers, helpers_triple)
}

/// The platform with musl in place of the machine's C library, where there is such a one.
pub(crate) fn musl(triple: &str) -> String {
    triple.replace("-linux-gnu", "-linux-musl")
}

fn with_what_to_install(error: anyhow::Error) -> anyhow::Error {
    const REMEDY: &str = "an archive's hooks are linked with a static C library, and there is none here; install it \
        (libc6-dev on Debian and Ubuntu, glibc-static on Fedora), and package again";
    if lacks_static_library(&error) { error.context(REMEDY) } else { error }
}

/// The programs of the hooks, and the helpers for their own platform.
fn with_helpers(
    mut programs: Binaries,
    profile: &str,
    root: &Path,
    helpers: &[&str],
    triple: &str,
) -> anyhow::Result<Binaries> {
    if !helpers.is_empty() {
        programs.extend(run(build_for(profile, root, helpers, triple), helpers)?);
    }
    Ok(programs)
}

/// The compiler has the standard library for it.
fn has_target(triple: &str) -> bool {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler).args(["--print", "target-libdir", "--target", triple]).output();
    output.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
}

fn linked_statically(profile: &str, root: &Path, hooks: &[&str], triple: &str) -> anyhow::Result<Binaries> {
    let mut command = build_for(profile, root, hooks, triple);
    link_statically(&mut command, triple);
    run(command, hooks)
}

fn build_for(profile: &str, root: &Path, packages: &[&str], triple: &str) -> Command {
    let mut command = build_command(root, packages);
    command.args(["--profile", profile, "--target", triple]);
    command
}

/// The programs of these hooks in the profile tests use.
pub(crate) fn for_tests(root: &Path, hooks: &[&str]) -> anyhow::Result<Binaries> {
    run(build_command(root, hooks), hooks)
}

/// Where an installation's build leaves a program, whether it was built or not.
pub(crate) fn installable(root: &Path, binary: &str) -> anyhow::Result<PathBuf> {
    let output =
        cargo(root).args(["metadata", "--no-deps", "--format-version=1"]).stderr(Stdio::null()).output();
    let metadata: Value = serde_json::from_slice(&output.context("starting cargo metadata")?.stdout)
        .context("reading what cargo metadata prints")?;
    let target = metadata["target_directory"].as_str().context("cargo metadata names no target_directory")?;
    Ok(Path::new(target).join(host_triple()?).join(profile()).join(file_name(binary)))
}

/// Cargo, started in the source tree.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root).stdin(Stdio::null());
    // What cargo tells a program it runs is not meant for another cargo: build scripts that read it would run once more.
    let told = ["CARGO_MANIFEST_", "CARGO_PKG_"];
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for name in names.filter(|name| told.iter().any(|start| name.starts_with(start))) {
        command.env_remove(name);
    }
    command
}

/// `-p` for each hook: nothing that only other crates ask for gets into a hook.
fn build_command(root: &Path, hooks: &[&str]) -> Command {
    let mut command = cargo(root);
    command.args(["build", "--bins", "--message-format=json-render-diagnostics"]);
    command.args(hooks.iter().flat_map(|hook| ["--package", hook]));
    command
}

/// Adds the flag where cargo looks for it: the user's own RUSTFLAGS would hide what stands in a configuration.
fn link_statically(command: &mut Command, triple: &str) {
    const FLAG: &str = "-Ctarget-feature=+crt-static";
    if !triple.contains("-linux-gnu") && !triple.ends_with("-windows-msvc") {
        return;
    }
    let own = ["CARGO_ENCODED_RUSTFLAGS", "RUSTFLAGS"].into_iter().zip(["\u{1f}", " "]);
    let mut own = own.filter_map(|(name, space)| Some((name, std::env::var(name).ok()?, space)));
    match own.find(|(_, flags, _)| !flags.is_empty()) {
        Some((name, flags, space)) => command.env(name, format!("{flags}{space}{FLAG}")),
        None => command.arg("--config").arg(format!("target.{triple}.rustflags=[\"{FLAG}\"]")),
    };
}

fn lacks_static_library(error: &anyhow::Error) -> bool {
    let said = error.to_string();
    ["cannot find -lc", "cannot find -lgcc_eh", "unable to find library -lc"]
        .iter()
        .any(|sign| said.contains(sign))
}

/// The platform this command runs on, as the compiler calls it.
pub(crate) fn host_triple() -> anyhow::Result<String> {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler).arg("-vV").output().context("starting rustc")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc -vV names no host")?.to_owned())
}

fn run(mut command: Command, hooks: &[&str]) -> anyhow::Result<Binaries> {
    let bar = progress(hooks.len());
    let began = Instant::now();
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child =
        command.spawn().with_context(|| format!("starting {}", command.get_program().display()))?;
    let (binaries, said) = follow(&mut child, &bar);
    let status = child.wait().context("waiting for cargo")?;
    bar.finish_and_clear();
    if !status.success() {
        bail!("cargo could not build {}:\n{}", list(hooks), said.trim_end());
    }
    if began.elapsed() > Duration::from_secs(2) {
        note(format_args!("built in {} s", began.elapsed().as_secs()));
    }
    Ok(binaries)
}

/// Reads both of cargo's streams to their ends: what was built, and what was said beside "Compiling ...".
fn follow(child: &mut Child, bar: &ProgressBar) -> (Binaries, String) {
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        let said = scope.spawn(|| stderr.map(|stream| keep_words(stream, bar)).unwrap_or_default());
        let lines = stdout.map(|stream| BufReader::new(stream).lines().map_while(Result::ok));
        let binaries = lines.into_iter().flatten().filter_map(|line| executable(&line)).collect();
        (binaries, said.join().unwrap_or_default())
    })
}

/// Shows cargo's progress in the bar and keeps the rest.
fn keep_words(stream: impl Read, bar: &ProgressBar) -> String {
    let mut kept = String::new();
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        match line.trim_start().split_once(' ') {
            Some(("Compiling" | "Downloading" | "Downloaded" | "Blocking" | "Updating" | "Locking", _)) => {
                bar.set_message(line.trim().to_owned());
                bar.inc(1);
            }
            _ => kept.extend([line.as_str(), "\n"]),
        }
    }
    kept
}

fn progress(programs: usize) -> ProgressBar {
    let what = if programs == 1 { "1 program".to_owned() } else { format!("{programs} programs") };
    let bar = ProgressBar::new_spinner();
    if bar.is_hidden() {
        note(format_args!("building {what}"));
        return bar;
    }
    let template = format!("{{spinner}} building {what}, {{elapsed}}: {{wide_msg}}");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// Name and path of the program that one of cargo's messages announces.
fn executable(line: &str) -> Option<(String, PathBuf)> {
    let message: Value = serde_json::from_str(line).ok()?;
    let path = message["executable"].as_str()?;
    Some((message["target"]["name"].as_str()?.to_owned(), PathBuf::from(path)))
}

#[cfg(test)]
mod tests;
