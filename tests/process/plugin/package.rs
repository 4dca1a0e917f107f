//! What `cargo xtask package` leaves, with programs that are made up: the tools people have take it.

use installer::catalog::Catalog;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tests::binaries;
use tests::process::Invocation;
use tests::sandbox::{Sandbox, toolchain_env};

const LINUX: &str = "x86_64-unknown-linux-gnu";

/// A script per program, which says its name.
fn programs(sandbox: &Sandbox) -> PathBuf {
    let folder = sandbox.root().join("built");
    fs::create_dir_all(&folder).unwrap();
    let catalog = Catalog::built_in().unwrap();
    let hooks = catalog.hooks.iter().map(|hook| hook.name.as_str());
    for name in hooks.chain(catalog.helpers()).chain(["req"]) {
        for ending in ["", ".exe"] {
            fs::write(folder.join(format!("{name}{ending}")), format!("#!/bin/sh\necho {name}\n")).unwrap();
        }
    }
    folder
}

/// Packs for this platform; the folder that holds all of it.
fn packed(sandbox: &Sandbox, triple: &str, out: &Path) -> PathBuf {
    let words = ["package", "--target", triple, "--prebuilt"].map(str::to_owned);
    let folders = [programs(sandbox).display().to_string(), "--out".to_owned(), out.display().to_string()];
    let run = Invocation::new(binaries::developer(), sandbox).args(words).args(folders).envs(toolchain_env());
    let outcome = run.run();
    outcome.assert_exit(0);
    let said = outcome.stdout_text();
    let folder = out.join(env!("CARGO_PKG_VERSION"));
    assert!(said.contains("claude plugin install barbless@barbless"), "{said}");
    assert!(said.contains(&format!("marketplace add {}", folder.display())), "{said}");
    folder
}

#[cfg(target_os = "linux")]
#[track_caller]
fn run(folder: &Path, program: &str, words: &[&str]) -> String {
    let output = Command::new(program).args(words).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{program} {words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn the_archive_is_what_its_checksum_says_and_unpacks_to_programs_that_start() {
    let sandbox = Sandbox::new();
    let folder = packed(&sandbox, LINUX, &sandbox.root().join("dist"));
    let name = format!("barbless-{}-{LINUX}", env!("CARGO_PKG_VERSION"));
    assert_eq!(run(&folder, "sha256sum", &["-c", "SHA256SUMS"]), format!("{name}.tar.gz: OK\n"));
    let elsewhere = sandbox.root().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    let archive = folder.join(format!("{name}.tar.gz"));
    run(&elsewhere, "tar", &["-xzf", archive.to_str().unwrap()]);
    let unpacked = elsewhere.join(&name);
    assert_eq!(run(&unpacked, "./req", &[]), "req\n");
    assert_eq!(run(&unpacked, "bin/pace-maker", &[]), "credit-pacer\n");
    assert_eq!(run(&unpacked, "bin/stop-momentum", &[]), "stop-momentum\n");
    let tree = folder.join(&name);
    assert_eq!(run(&elsewhere, "diff", &["-r", unpacked.to_str().unwrap(), tree.to_str().unwrap()]), "");
}

#[test]
fn twice_the_same_is_the_same_and_another_platform_has_its_own() {
    let sandbox = Sandbox::new();
    let [one, two] = ["one", "two"].map(|name| packed(&sandbox, LINUX, &sandbox.root().join(name)));
    let sums = |folder: &Path| fs::read_to_string(folder.join("SHA256SUMS")).unwrap();
    assert_eq!(sums(&one), sums(&two));
    packed(&sandbox, "x86_64-pc-windows-msvc", &sandbox.root().join("two"));
    let both = sums(&two);
    assert!(both.contains(sums(&one).trim()) && both.contains("-windows-msvc.tar.gz\n"), "{both}");
}
