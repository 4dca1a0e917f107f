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
    in_profile(&profile(), root, hooks, helpers)
}

/// The same in another profile than the user's.
pub(crate) fn in_profile(
    profile: &str,
    root: &Path,
    hooks: &[&str],
    helpers: &[&str],
) -> anyhow::Result<Binaries> {
    let triple = host_triple()?;
    with_helpers(profile, root, hooks, helpers, [&triple, &triple])
}

/// What is installed is built in this profile. The tests under the real client name theirs, for the `install` that they type.
fn profile() -> String {
    std::env::var(PROFILE_VARIABLE).unwrap_or_else(|_| RELEASE.to_owned())
}

/// The same for any platform, and any machine of it: on Linux the helpers are linked with musl, if the compiler has it, whose names
/// are resolved without the machine's C library.
pub(crate) fn for_package(
    root: &Path,
    hooks: &[&str],
    helpers: &[&str],
    triple: &str,
) -> anyhow::Result<Binaries> {
    let musl = triple.replace("-linux-gnu", "-linux-musl");
    if musl == triple || has_target(&musl) {
        return with_helpers(RELEASE, root, hooks, helpers, [triple, &musl]);
    }
    let of = list(helpers);
    note(format_args!("{of} needs a C library as new as the one here: rustup target add {musl}, for any"));
    with_helpers(RELEASE, root, hooks, helpers, [triple, triple])
}

/// Hooks and helpers, each for their platform.
fn with_helpers(
    profile: &str,
    root: &Path,
    hooks: &[&str],
    helpers: &[&str],
    [triple, helpers_triple]: [&str; 2],
) -> anyhow::Result<Binaries> {
    let mut binaries = hooks_for_installation(profile, root, hooks, triple)?;
    if !helpers.is_empty() {
        let mut command = build_command(root, helpers);
        command.args(["--profile", profile, "--target", helpers_triple]);
        binaries.extend(run(command, helpers)?);
    }
    Ok(binaries)
}

/// The compiler has the standard library for it.
fn has_target(triple: &str) -> bool {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler).args(["--print", "target-libdir", "--target", triple]).output();
    output.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
}

fn hooks_for_installation(
    profile: &str,
    root: &Path,
    hooks: &[&str],
    triple: &str,
) -> anyhow::Result<Binaries> {
    let mut dynamic = build_command(root, hooks);
    dynamic.args(["--profile", profile, "--target", triple]);
    let mut with_static_runtime = build_command(root, hooks);
    with_static_runtime.args(["--profile", profile, "--target", triple]);
    link_statically(&mut with_static_runtime, triple);
    match run(with_static_runtime, hooks) {
        Err(error) if lacks_static_library(&error) => {
            note(
                "the static C library is not installed, so the hooks are linked dynamically: each start takes a little longer",
            );
            run(dynamic, hooks)
        }
        result => result,
    }
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
