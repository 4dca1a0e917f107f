//! The allowed dependencies between crates. `Workspace` is what cargo says of the members; the check is pure.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::Finding;

/// The workspace as cargo sees it.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    /// The crates that live here.
    pub(super) members: Vec<Member>,
}

/// A crate that lives here.
#[derive(Debug, Default)]
pub(super) struct Member {
    /// From the root, with `/`.
    pub(super) folder: String,
    /// The crate.
    pub(super) name: String,
    pub(super) binaries: Vec<String>,
    /// Everything it depends on, for whatever purpose.
    pub(super) dependencies: Vec<String>,
}

impl Workspace {
    /// Asks cargo.
    pub(super) fn read(workspace: &xtask::Workspace) -> anyhow::Result<Self> {
        let output = workspace
            .cargo()
            .args(["metadata", "--no-deps", "--format-version=1"])
            .output()
            .context("starting cargo metadata")?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "cargo metadata ended with {}:\n{}", output.status, said.trim());
        let metadata =
            serde_json::from_slice(&output.stdout).context("reading what cargo metadata prints")?;
        Ok(Self { members: members(&metadata, workspace.root()) })
    }
}

fn members(metadata: &Value, root: &Path) -> Vec<Member> {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    let ids: BTreeSet<&str> = texts(&metadata["workspace_members"]).collect();
    let is_member = |package: &&Value| package["id"].as_str().is_some_and(|id| ids.contains(id));
    list(&metadata["packages"]).filter(is_member).map(|package| member(package, &root)).collect()
}

fn member(package: &Value, root: &Path) -> Member {
    let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
    let folder = manifest.parent().and_then(|folder| folder.strip_prefix(root).ok()).unwrap_or(Path::new(""));
    let is_binary = |target: &&Value| texts(&target["kind"]).any(|kind| kind == "bin");
    let names = |values: &mut dyn Iterator<Item = &Value>| -> Vec<String> {
        values.filter_map(|value| value["name"].as_str()).map(ToOwned::to_owned).collect()
    };
    Member {
        folder: folder.display().to_string().replace('\\', "/"),
        name: package["name"].as_str().unwrap_or_default().to_owned(),
        binaries: names(&mut list(&package["targets"]).filter(is_binary)),
        dependencies: names(&mut list(&package["dependencies"])),
    }
}

/// The entries of a JSON list; none of anything else.
fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The texts of a JSON list.
fn texts(value: &Value) -> impl Iterator<Item = &str> {
    list(value).filter_map(Value::as_str)
}

/// Checks the arrows between members.
pub(super) fn check(workspace: &Workspace) -> Vec<Finding> {
    workspace.members.iter().flat_map(|member| arrows(member, workspace)).collect()
}

fn arrows(member: &Member, workspace: &Workspace) -> Vec<Finding> {
    let folder_of = |name: &String| {
        workspace.members.iter().find(|other| other.name == *name).map(|other| other.folder.as_str())
    };
    let wrong = |target: &&str| !may_depend(&member.folder, target);
    let todo = "turn it round: a crate below shared/ uses those before it in the list LIBRARIES, a hook those before the editor of settings.json; what two hooks need lives in shared";
    let place = format!("{}/Cargo.toml", member.folder);
    let targets = member.dependencies.iter().filter_map(folder_of).filter(wrong);
    targets.map(|target| Finding::new(&place, format!("depends on {target}"), todo)).collect()
}

/// The library crates below shared/. Each may use those before it.
const LIBRARIES: [&str; 10] = [
    "shared/secrets",
    "shared/config",
    "shared",
    "shared/transcript",
    "shared/git",
    "shared/judge",
    "shared/client-settings",
    "shared/config-edit",
    "shared/installer",
    "shared/doctor",
];

/// A hook may use the libraries before this one: an edit of settings.json rebuilds no hook.
const NOT_FOR_HOOKS: &str = "shared/client-settings";

/// The controller of the pacing hook: the hook paces by it, the simulator judges it. It depends on no member.
const PACING: &str = "hooks/credit-pacer/pacing";

/// The command line: it judges by the library of the hook and uses the installer. No hook depends on it.
const REQ: &str = "hooks/requirements-check/req";

/// The arrows of the house.
fn may_depend(from: &str, to: &str) -> bool {
    let place = |folder: &str| LIBRARIES.iter().position(|library| *library == folder);
    let is_library_before = |end: Option<usize>| place(to).is_some_and(|to| Some(to) < end);
    match from {
        "tests" => true,
        "xtask/dev" | "xtask/install" => place(to).is_some() || to == "xtask" && from == "xtask/dev",
        REQ => place(to).is_some() || to == "hooks/requirements-check",
        PACING => false,
        _ if to == PACING => matches!(from, "hooks/credit-pacer" | "xtask/simulate"),
        from if from.starts_with("hooks/") => is_library_before(place(NOT_FOR_HOOKS)),
        from => is_library_before(place(from)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Member, Workspace, check, may_depend};

    #[test]
    fn arrows_point_to_shared_and_tests_may_use_all() {
        for (from, to, expected) in [
            ("hooks/a", "shared/judge", true),
            ("shared/judge", "shared/transcript", true),
            ("shared/installer", "shared", true),
            ("xtask/dev", "xtask", true),
            ("hooks/requirements-check/req", "hooks/requirements-check", true),
            ("tests", "hooks/a", true),
            ("xtask/simulate", "hooks/credit-pacer/pacing", true),
            ("hooks/a", "hooks/b", false),
            ("shared", "hooks/a", false),
            ("shared", "shared/transcript", false),
            ("shared/courier", "shared", false),
            ("hooks/a", "shared/client-settings", false),
            ("hooks/requirements-check/req", "hooks/a", false),
            ("xtask/dev", "hooks/credit-pacer/pacing", false),
            ("xtask", "shared", false),
            ("hooks/a", "tests", false),
        ] {
            assert_eq!(may_depend(from, to), expected, "{from} -> {to}");
        }
    }

    #[test]
    fn finds_hook_that_depends_on_a_hook() {
        let member = |name: &str, dependencies: &[&str]| Member {
            folder: format!("hooks/{name}"),
            name: name.to_owned(),
            dependencies: dependencies.iter().map(|&name| name.to_owned()).collect(),
            ..Member::default()
        };
        let members = vec![member("a", &["b", "serde"]), member("b", &[])];
        let findings = check(&Workspace { members });
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(findings[0].to_string().starts_with("hooks/a/Cargo.toml: depends on hooks/b; "));
    }
}
