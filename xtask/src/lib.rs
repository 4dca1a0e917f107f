//! Building the programs of this workspace with cargo, for `cargo xtask` and for `xtask-dev`.

use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Debug, Clone)]
pub struct Workspace {
    root: PathBuf,
    target: PathBuf,
}

/// How hooks come by the C library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Linking {
    /// They bring it along, at a fixed address: a start costs about half as much above an empty process.
    Static,
    /// They load the machine's.
    Dynamic,
}

impl Workspace {
    pub fn here() -> io::Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
        // <target>/<profile>/<program>; a test lies in <target>/<profile>/deps
        let program = env::current_exe()?;
        let mut folders = program.ancestors().skip(1).filter(|folder| !folder.ends_with("deps"));
        let target =
            folders.nth(1).ok_or_else(|| io::Error::other("this program lies in no target folder"))?;
        Ok(Self { root: root.to_owned(), target: target.to_owned() })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn cargo(&self) -> Command {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(&self.root).stdin(Stdio::null()).env("CARGO_TARGET_DIR", &self.target);
        // Cargo sets these for the program it runs; build scripts that read them would run once more.
        let set_by_cargo = ["CARGO_MANIFEST_", "CARGO_PKG_"];
        let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        for name in names.filter(|name| set_by_cargo.iter().any(|start| name.starts_with(start))) {
            command.env_remove(name);
        }
        command
    }

    /// Builds these targets (`--bins`, `--bin NAME`) in the dev profile and returns the folder of the programs.
    pub fn debug(&self, targets: &[&str]) -> io::Result<PathBuf> {
        let mut command = self.cargo();
        // The whole workspace, whatever the targets: another selection would give the dependencies other features.
        run(command.args(["build", "--quiet", "--workspace"]).args(targets))?;
        Ok(self.target.join("debug"))
    }

    /// Builds these packages as they are installed and returns the folder of the programs.
    pub fn release(&self, triple: &str, linking: Linking, packages: &[&str]) -> io::Result<PathBuf> {
        let mut command = self.cargo();
        command.args(["build", "--release", "--bins", "--target", triple]);
        command.args(packages.iter().flat_map(|package| ["--package", package]));
        if linking == Linking::Static {
            add_flags(&mut command, triple, static_flags(triple));
        }
        run(&mut command)?;
        Ok(self.target.join(triple).join("release"))
    }

    /// Builds every hook, the command line `req`, and these packages, as they are installed.
    pub fn release_hooks(&self, triple: &str, linking: Linking, more: &[&str]) -> io::Result<PathBuf> {
        let hooks = self.hooks()?;
        let packages: Vec<&str> =
            hooks.iter().map(String::as_str).chain(["req"]).chain(more.iter().copied()).collect();
        self.release(triple, linking, &packages)
    }

    /// Builds the programs that hooks start. They open connections, and a static glibc resolves names badly.
    pub fn release_helpers(&self, triple: &str) -> io::Result<PathBuf> {
        self.release(triple, Linking::Dynamic, &["courier"])
    }

    pub fn hooks(&self) -> io::Result<Vec<String>> {
        let entries = fs::read_dir(self.root.join("hooks"))?.filter_map(Result::ok);
        let packages = entries.filter(|entry| entry.path().join("Cargo.toml").is_file());
        let mut names: Vec<String> =
            packages.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        Ok(names)
    }
}

impl Linking {
    /// Static where this machine has a static C library.
    pub fn of_this_machine(workspace: &Workspace, triple: &str) -> io::Result<Self> {
        if !triple.contains("-linux-gnu") {
            return Ok(Self::Static);
        }
        let program = workspace.target.join("links-statically");
        let mut command = compiler();
        command.args(["--target", triple, "-o"]).arg(&program).args(static_flags(triple)).arg("-");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        if let Some(mut source) = child.stdin.take() {
            source.write_all(b"fn main() {}")?;
        }
        let is_linked = child.wait()?.success();
        Ok(if is_linked { Self::Static } else { Self::Dynamic })
    }
}

pub fn host_triple() -> io::Result<String> {
    let output = compiler().arg("-vV").output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| io::Error::other("rustc -vV names no host"))
}

/// Whether the compiler has the standard library for this platform.
pub fn has_target(triple: &str) -> bool {
    let output = compiler().args(["--print", "target-libdir", "--target", triple]).output();
    output.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
}

pub fn executable(name: &str) -> String {
    format!("{name}{}", env::consts::EXE_SUFFIX)
}

fn compiler() -> Command {
    Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}

/// A fixed address saves the relocations at each start, a static C library the loading of the machine's. No code unwinds, so
/// the tables for it would only make the programs larger (a twentieth).
fn static_flags(triple: &str) -> &'static [&'static str] {
    match triple {
        _ if triple.contains("-linux-gnu") || triple.contains("-linux-musl") => {
            &["-Ctarget-feature=+crt-static", "-Crelocation-model=static", "-Cforce-unwind-tables=no"]
        }
        _ if triple.ends_with("-windows-msvc") => &["-Ctarget-feature=+crt-static"],
        _ => &[],
    }
}

/// Adds the flags where cargo reads them: the user's own RUSTFLAGS hide those of a configuration.
fn add_flags(command: &mut Command, triple: &str, flags: &[&str]) {
    if flags.is_empty() {
        return;
    }
    let own = ["CARGO_ENCODED_RUSTFLAGS", "RUSTFLAGS"].into_iter().zip(["\u{1f}", " "]);
    let mut own = own.filter_map(|(name, space)| Some((name, env::var(name).ok()?, space)));
    match own.find(|(_, value, _)| !value.is_empty()) {
        Some((name, value, space)) => command.env(name, [&[value.as_str()], flags].concat().join(space)),
        None => command.arg("--config").arg(format!("target.{triple}.rustflags={flags:?}")),
    };
}

fn run(command: &mut Command) -> io::Result<()> {
    if command.status()?.success() {
        Ok(())
    } else {
        Err(io::Error::other("cargo could not build; its messages stand above"))
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::{add_flags, static_flags};

    #[test]
    fn adds_flags_only_where_a_platform_needs_them() {
        let added = |triple| {
            let mut command = Command::new("cargo");
            add_flags(&mut command, triple, static_flags(triple));
            command.get_args().count() + command.get_envs().count()
        };
        assert_eq!(added("aarch64-apple-darwin"), 0);
        for triple in ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-musl", "x86_64-pc-windows-msvc"] {
            assert!(added(triple) > 0, "{triple}");
        }
    }
}
