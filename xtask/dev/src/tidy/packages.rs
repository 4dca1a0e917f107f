//! How much the hooks pull in, and which compiler that needs. Tests may pull in what they like.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::Finding;
use super::manifests::{Workspace, list, texts};

/// All hooks together may be made of so many packages.
const MOST_PACKAGES: usize = 180;

/// The crate whose dependencies reach no user.
const TESTS: &str = "tests";

/// How many different packages end up in the hooks.
pub(super) fn of_hooks(workspace: &xtask::Workspace, hooks: &[String]) -> anyhow::Result<usize> {
    let mut tree = workspace.cargo();
    tree.args(["tree", "--edges=normal", "--prefix=none", "--format={p}"]);
    let output = tree
        .args(hooks.iter().flat_map(|hook| ["--package", hook]))
        .output()
        .context("starting cargo tree")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "cargo tree ended with {}:\n{}", output.status, said.trim());
    Ok(count(&String::from_utf8_lossy(&output.stdout)))
}

/// Name and version tell a package; what stands behind them does not.
fn count(tree: &str) -> usize {
    let package = |line: &str| -> Option<(String, String)> {
        let mut words = line.split_whitespace();
        Some((words.next()?.to_owned(), words.next()?.to_owned()))
    };
    tree.lines().filter_map(package).collect::<BTreeSet<_>>().len()
}

/// The hooks are made of few enough packages.
pub(super) fn check_count(packages: usize) -> Option<Finding> {
    let what = format!("the hooks are made of {packages} packages, more than {MOST_PACKAGES}");
    let todo = "find what was added with `cargo tree`, and do without it or without its features";
    (packages > MOST_PACKAGES).then(|| Finding::new("Cargo.lock", what, todo))
}

/// `rust-version` is no lower than what any package says it needs, tests aside.
pub(super) fn check_compiler(workspace: &Workspace) -> Option<Finding> {
    let packages = by_id(&workspace.metadata);
    let members: Vec<&str> = texts(&workspace.metadata["workspace_members"]).collect();
    let ours = |id: &&&str| packages.get(**id).is_some_and(|package| package["name"] != TESTS);
    let start: Vec<&str> = members.iter().filter(ours).copied().collect();
    let said = start.iter().filter_map(|id| version(&packages, id)).min()?;
    let reached = reachable(&workspace.metadata, start);
    let (needed, id) = reached.iter().filter_map(|id| Some((version(&packages, id)?, *id))).max()?;
    let name = packages.get(id).and_then(|package| package["name"].as_str()).unwrap_or(id);
    let (major, minor, _) = needed;
    let what = format!("says rust-version {}.{}, and {name} needs {major}.{minor}", said.0, said.1);
    let todo = format!("raise rust-version to {major}.{minor}");
    (needed > said).then(|| Finding::new("Cargo.toml", what, todo))
}

fn by_id(metadata: &Value) -> BTreeMap<&str, &Value> {
    list(&metadata["packages"]).filter_map(|package| Some((package["id"].as_str()?, package))).collect()
}

fn version(packages: &BTreeMap<&str, &Value>, id: &str) -> Option<(u32, u32, u32)> {
    parse(packages.get(id)?["rust_version"].as_str()?)
}

fn parse(version: &str) -> Option<(u32, u32, u32)> {
    let mut numbers = version.split('.').map(str::parse);
    Some((
        numbers.next()?.ok()?,
        numbers.next().unwrap_or(Ok(0)).ok()?,
        numbers.next().unwrap_or(Ok(0)).ok()?,
    ))
}

/// The packages built from `start` on, dependencies of their own tests aside.
fn reachable<'a>(metadata: &'a Value, start: Vec<&'a str>) -> BTreeSet<&'a str> {
    let is_built = |dependency: &&Value| list(&dependency["dep_kinds"]).any(|kind| kind["kind"] != "dev");
    let nodes: BTreeMap<&str, &Value> =
        list(&metadata["resolve"]["nodes"]).filter_map(|node| Some((node["id"].as_str()?, node))).collect();
    let mut reached = BTreeSet::new();
    let mut next = start;
    while let Some(id) = next.pop() {
        if reached.insert(id)
            && let Some(node) = nodes.get(id)
        {
            next.extend(
                list(&node["deps"]).filter(is_built).filter_map(|dependency| dependency["pkg"].as_str()),
            );
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{MOST_PACKAGES, check_compiler, check_count, count, parse};
    use crate::tidy::manifests::Workspace;

    #[test]
    fn a_package_counts_once_however_often_the_tree_shows_it() {
        let tree = "a v0.1.0 (/x/a)\nserde v1.0.0\nserde v1.0.0 (*)\nrand v0.9.0\nrand v0.10.0\n\nb v0.1.0 (/x/b)\nserde_derive v1.0.0 (proc-macro)\n";
        assert_eq!(count(tree), 6);
        assert_eq!(check_count(MOST_PACKAGES), None);
        assert!(check_count(MOST_PACKAGES + 1).is_some_and(|finding| finding.what.contains("181 packages")));
    }

    #[test]
    fn versions_compare_as_numbers() {
        assert_eq!(parse("1.88"), Some((1, 88, 0)));
        assert!(parse("1.100.1") > parse("1.88") && parse("1.x").is_none() && parse("").is_none());
    }

    /// A member that builds with `built` and tests with `tested`, beside the crate of tests.
    fn workspace(built: &str, tested: &str) -> Workspace {
        let metadata = json!({
            "workspace_members": ["m", "t"],
            "packages": [
                { "id": "m", "name": "a-hook", "rust_version": "1.88" },
                { "id": "t", "name": "tests", "rust_version": "1.88" },
                { "id": "b", "name": "built", "rust_version": built },
                { "id": "d", "name": "tested", "rust_version": tested },
                { "id": "n", "name": "silent", "rust_version": null },
            ],
            "resolve": { "nodes": [
                { "id": "m", "deps": [
                    { "pkg": "n", "dep_kinds": [{ "kind": null }] },
                    { "pkg": "d", "dep_kinds": [{ "kind": "dev" }] },
                ] },
                { "id": "n", "deps": [{ "pkg": "b", "dep_kinds": [{ "kind": "dev" }, { "kind": "build" }] }] },
                { "id": "t", "deps": [{ "pkg": "d", "dep_kinds": [{ "kind": null }] }] },
            ] },
        });
        Workspace { metadata, ..Workspace::default() }
    }

    #[test]
    fn the_compiler_is_as_new_as_what_is_built_needs_and_tests_do_not_count() {
        assert_eq!(check_compiler(&workspace("1.88.0", "1.99")), None);
        let finding = check_compiler(&workspace("1.90", "1.99")).expect("a finding");
        assert_eq!(
            finding.to_string(),
            "Cargo.toml: says rust-version 1.88, and built needs 1.90; raise rust-version to 1.90"
        );
    }
}
