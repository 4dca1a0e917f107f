//! The allowed dependencies between crates. Pure; it reads the manifests line by line, as they are written in this repository.

use super::{Source, finding};

/// A crate of this workspace.
struct Member<'a> {
    folder: &'a str,
    name: &'a str,
    /// Everything it depends on, for whatever purpose.
    dependencies: Vec<&'a str>,
}

impl<'a> Member<'a> {
    fn of(file: &'a Source) -> Option<Self> {
        let folder = file.path.strip_suffix("/Cargo.toml").filter(|_| !file.is_recorded())?;
        let name = file.text.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))?;
        let tables = file.text.split("\n[").filter_map(|table| table.split_once("dependencies]\n"));
        let lines = tables.flat_map(|(_, lines)| lines.lines());
        let key = |line: &'a str| line.split(['.', ' ', '=']).next().filter(|key| !key.is_empty());
        Some(Self { folder, name, dependencies: lines.filter_map(key).collect() })
    }
}

/// Checks the arrows between members.
pub(super) fn check(files: &[Source]) -> Vec<String> {
    let members: Vec<Member<'_>> = files.iter().filter_map(Member::of).collect();
    members.iter().flat_map(|member| arrows(member, &members)).collect()
}

fn arrows(member: &Member<'_>, members: &[Member<'_>]) -> Vec<String> {
    let folder_of = |name: &&str| members.iter().find(|other| other.name == *name).map(|other| other.folder);
    let wrong = |target: &&str| !may_depend(member.folder, target);
    let todo = "turn it round: a crate below shared/ uses those before it in the list LIBRARIES, a hook those before the editor of settings.json; what two hooks need lives in shared";
    let place = format!("{}/Cargo.toml", member.folder);
    let targets = member.dependencies.iter().filter_map(folder_of).filter(wrong);
    targets.map(|target| finding(&place, format!("depends on {target}"), todo)).collect()
}

/// The library crates below shared/. Each may use those before it.
const LIBRARIES: [&str; 9] = [
    "shared/secrets",
    "shared/config",
    "shared",
    "shared/transcript",
    "shared/git",
    "shared/judge",
    "shared/client-settings",
    "shared/config-edit",
    "shared/installer",
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
    use super::{check, may_depend};
    use crate::tidy::given;

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
        let manifest = |name: &str, table: &str| format!("[package]\nname = \"{name}\"\n\n[{table}]\n");
        let a = manifest("a", "dependencies") + "# why\nserde.workspace = true\n\n[lints]\nb = 1\n";
        let b = manifest("b", "target.'cfg(unix)'.dependencies") + "a = { workspace = true }\n";
        let findings = check(&given(&[("hooks/a/Cargo.toml", &a), ("hooks/b/Cargo.toml", &b)]));
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(findings[0].starts_with("hooks/b/Cargo.toml: depends on hooks/a; "));
    }
}
