//! The allowed dependencies between crates. Pure; it reads the manifests line by line, as they are written in this repository.

use super::{Source, finding};

/// Checks the arrows between members: what each depends on, for whatever purpose.
pub(super) fn check(files: &[Source]) -> Vec<String> {
    let manifests =
        || files.iter().filter_map(|file| Some((file.path.strip_suffix("/Cargo.toml")?, &file.text)));
    let folder_of =
        |name: &str| manifests().find_map(|(folder, text)| (name_of(text) == Some(name)).then_some(folder));
    let todo = "turn it round: a crate below shared/ uses those before it in the list LIBRARIES, a hook those before the editor of settings.json; what two hooks need lives in shared";
    let arrows = manifests().flat_map(|(from, text)| {
        let targets = dependencies(text).filter_map(folder_of);
        targets.filter(move |to| !may_depend(from, to)).map(move |to| (from, to))
    });
    arrows.map(|(from, to)| finding(format!("{from}/Cargo.toml"), format!("depends on {to}"), todo)).collect()
}

fn name_of(manifest: &str) -> Option<&str> {
    manifest.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))
}

fn dependencies(manifest: &str) -> impl Iterator<Item = &str> {
    let tables = manifest.split("\n[").filter_map(|table| table.split_once("dependencies]\n"));
    let lines = tables.flat_map(|(_, lines)| lines.lines());
    lines.filter_map(|line| line.split(['.', ' ', '=']).next())
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

/// The reader of shell lines: requirements-check and the tests of `req` read by it. It masks secrets; its tests use `shared`.
const COMMAND_LINE: &str = "hooks/requirements-check/command-line";

/// The command line: it judges by the library of the hook and uses the installer. No hook depends on it.
const REQ: &str = "hooks/requirements-check/req";

/// The arrows of the house.
fn may_depend(from: &str, to: &str) -> bool {
    let place = |folder: &str| LIBRARIES.iter().position(|library| *library == folder);
    let is_library_before = |end: Option<usize>| place(to).is_some_and(|to| Some(to) < end);
    match from {
        "tests" => true,
        "xtask/dev" | "xtask/install" => place(to).is_some() || to == "xtask" && from == "xtask/dev",
        REQ => place(to).is_some() || to == "hooks/requirements-check" || to == COMMAND_LINE,
        PACING => false,
        COMMAND_LINE => matches!(to, "shared" | "shared/secrets"),
        _ if to == COMMAND_LINE => from == "hooks/requirements-check",
        _ if to == PACING => matches!(from, "hooks/credit-pacer" | "xtask/simulate"),
        from if from.starts_with("hooks/") => is_library_before(place(NOT_FOR_HOOKS)),
        from => is_library_before(place(from)),
    }
}

#[cfg(test)]
mod tests {
    use super::{check, may_depend};
    use crate::tidy::tests::given;

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
            ("hooks/requirements-check", "hooks/requirements-check/command-line", true),
            ("hooks/a", "hooks/requirements-check/command-line", false),
            ("hooks/requirements-check/command-line", "shared/config", false),
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
