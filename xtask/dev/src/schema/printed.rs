//! `config/<program>/*.schema.json`: what `req` prints with `--json`, as `req schema` says it; and the files that a hook leaves
//! for others, as it says itself: config/hooks.yaml names them.

use std::fs;
use std::path::{Path, PathBuf};
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

/// Files of the kind that nobody prints any more.
pub(super) fn leftovers(root: &Path, schemas: &[Generated]) -> Vec<PathBuf> {
    let below =
        |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = below(&root.join(FOLDER)).flat_map(|folder| below(&folder).collect::<Vec<_>>());
    let is_schema = |path: &PathBuf| path.to_string_lossy().ends_with(ENDING);
    let is_known = |path: &PathBuf| schemas.iter().any(|schema| root.join(&schema.path) == *path);
    let mut files: Vec<PathBuf> = files.filter(|path| is_schema(path) && !is_known(path)).collect();
    files.sort();
    files
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::Generated;
    use super::leftovers;

    #[test]
    fn a_schema_of_what_nobody_prints_any_more_is_a_leftover() {
        let root = tempfile::tempdir().unwrap();
        assert!(leftovers(root.path(), &[]).is_empty());
        for (folder, name) in [
            ("req", "status.schema.json"),
            ("req", "gone.schema.json"),
            ("a-hook", "gone.schema.json"),
            ("manual", "page.md"),
        ] {
            fs::create_dir_all(root.path().join("config").join(folder)).unwrap();
            fs::write(root.path().join("config").join(folder).join(name), "{}").unwrap();
        }
        let status = Generated { path: "config/req/status.schema.json".to_owned(), text: String::new() };
        let config = root.path().join("config");
        let expected = ["a-hook/gone.schema.json", "req/gone.schema.json"].map(|path| config.join(path));
        assert_eq!(leftovers(root.path(), &[status]), expected);
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_does_not_know_a_schema_it_shall_print_is_an_error() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("a-hook");
        fs::write(&program, "#!/bin/sh\n[ \"$2\" = snapshot ] && echo known || exit 64\n").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let of = |schema| super::of_program("a-hook", &program, [schema]).map(|all| all[0].text.clone());
        assert_eq!(of("snapshot").unwrap(), "known\n");
        let error = of("other").unwrap_err().to_string();
        assert!(error.starts_with("`a-hook schema other` ended with ") && error.contains("64"), "{error}");
    }
}
