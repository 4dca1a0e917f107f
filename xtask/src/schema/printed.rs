//! config/req/*.schema.json: what `req` prints with `--json`, as `req schema` says it; and
//! config/pause-recorder/snapshot.schema.json, as that hook says what it leaves behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};

use super::Generated;

/// Where they lie.
const FOLDER: &str = "config/req";

/// Where that of a snapshot lies.
const SNAPSHOT: &str = "config/pause-recorder/snapshot.schema.json";

/// How our programs end on words they do not know.
const WRONG_USAGE: i32 = 64;

/// The schema of each command that `req schema` lists.
pub(super) fn schemas(req: &Path) -> anyhow::Result<Vec<Generated>> {
    let list = said(req, &["schema"])?;
    let names = list.lines().filter_map(|line| line.split_whitespace().next());
    let schemas = names.map(|name| {
        let text = said(req, &["schema", name])?;
        Ok(Generated { path: format!("{FOLDER}/{name}.schema.json"), text })
    });
    let schemas: Vec<Generated> = schemas.collect::<anyhow::Result<_>>()?;
    ensure!(!schemas.is_empty(), "`req schema` lists no command");
    Ok(schemas)
}

/// The schema of a snapshot; none from a program that does not know the verb.
pub(super) fn of_snapshots(pause_recorder: &Path) -> anyhow::Result<Option<Generated>> {
    const WORDS: [&str; 2] = ["schema", "snapshot"];
    let output = Command::new(pause_recorder).args(WORDS).stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("starting {}", pause_recorder.display()))?;
    if output.status.code() == Some(WRONG_USAGE) {
        return Ok(None);
    }
    ensure!(output.status.success(), "`pause-recorder schema snapshot` ended with {}", output.status);
    let text = String::from_utf8(output.stdout).context("what `pause-recorder schema snapshot` prints")?;
    Ok(Some(Generated { path: SNAPSHOT.to_owned(), text }))
}

/// Files there of commands that are not listed any more.
pub(super) fn leftovers(root: &Path, schemas: &[Generated]) -> Vec<PathBuf> {
    let entries = fs::read_dir(root.join(FOLDER)).into_iter().flatten().flatten();
    let is_known = |path: &PathBuf| schemas.iter().any(|schema| root.join(&schema.path) == *path);
    entries.map(|entry| entry.path()).filter(|path| !is_known(path)).collect()
}

/// What `req` prints for these words.
pub(super) fn said(req: &Path, words: &[&str]) -> anyhow::Result<String> {
    let output = Command::new(req).args(words).stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("starting {}", req.display()))?;
    ensure!(output.status.success(), "`req {}` ended with {}", words.join(" "), output.status);
    String::from_utf8(output.stdout).with_context(|| format!("what `req {}` prints", words.join(" ")))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::Generated;
    use super::leftovers;

    #[test]
    fn a_schema_of_a_command_that_is_gone_is_a_leftover() {
        let root = tempfile::tempdir().unwrap();
        assert!(leftovers(root.path(), &[]).is_empty());
        let folder = root.path().join("config/req");
        fs::create_dir_all(&folder).unwrap();
        for name in ["status", "gone"] {
            fs::write(folder.join(format!("{name}.schema.json")), "{}").unwrap();
        }
        let status = Generated { path: "config/req/status.schema.json".to_owned(), text: String::new() };
        assert_eq!(leftovers(root.path(), &[status]), [folder.join("gone.schema.json")]);
    }
}
