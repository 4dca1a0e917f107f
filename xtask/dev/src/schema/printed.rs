//! `config/<program>/*.schema.json`: what `req` prints with `--json`, as `req schema` says it; and the files that a hook leaves
//! for others, as it says itself: config/hooks.yaml names them.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use installer::source::Binaries;
use shared::catalog::Catalog;

use super::Generated;

/// Parent of the folders, one per program.
const FOLDER: &str = "config";

/// How their names end.
const ENDING: &str = ".schema.json";

/// All of them.
pub(super) fn schemas(catalog: &Catalog, binaries: &Binaries) -> anyhow::Result<Vec<Generated>> {
    let req = binaries.get("req").context("no binary req was built")?;
    let list = said(req, &["schema"])?;
    let names: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    ensure!(!names.is_empty(), "`req schema` lists no command");
    let mut schemas = of_program("req", req, names)?;
    for hook in &catalog.hooks {
        let binary =
            binaries.get(&hook.name).with_context(|| format!("no binary {} was built", hook.name))?;
        schemas.extend(of_program(&hook.name, binary, hook.schemas.iter().map(String::as_str))?);
    }
    Ok(schemas)
}

fn of_program<'a>(
    name: &str,
    binary: &Path,
    schemas: impl IntoIterator<Item = &'a str>,
) -> anyhow::Result<Vec<Generated>> {
    let schema = |schema: &str| {
        let text = said(binary, &["schema", schema])?;
        Ok(Generated { path: format!("{FOLDER}/{name}/{schema}{ENDING}"), text })
    };
    schemas.into_iter().map(schema).collect()
}

/// The output of a program for these arguments.
///
/// # Errors
/// The program does not know them.
pub(super) fn said(program: &Path, words: &[&str]) -> anyhow::Result<String> {
    let name = program.file_stem().unwrap_or_default().display();
    let output = Command::new(program).args(words).stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("starting {}", program.display()))?;
    ensure!(output.status.success(), "`{name} {}` ended with {}", words.join(" "), output.status);
    String::from_utf8(output.stdout).with_context(|| format!("what `{name} {}` prints", words.join(" ")))
}
