//! `config/req/*.schema.json`: what `req` prints with `--json`, as `req schema` says it.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};

use super::Generated;

pub(super) fn schemas(req: &Path) -> anyhow::Result<Vec<Generated>> {
    let list = said(req, &["schema"])?;
    let names: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    ensure!(!names.is_empty(), "`req schema` lists no command");
    let schema = |name: &&str| {
        Ok(Generated { path: format!("config/req/{name}.schema.json"), text: said(req, &["schema", name])? })
    };
    names.iter().map(schema).collect()
}

/// The output of a program for these arguments.
pub(super) fn said(program: &Path, words: &[&str]) -> anyhow::Result<String> {
    let name = program.file_stem().unwrap_or_default().display();
    let output = Command::new(program).args(words).stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("starting {}", program.display()))?;
    ensure!(output.status.success(), "`{name} {}` ended with {}", words.join(" "), output.status);
    String::from_utf8(output.stdout).with_context(|| format!("what `{name} {}` prints", words.join(" ")))
}
