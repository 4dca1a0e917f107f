//! Tools that name a file.

use super::*;

#[test]
fn tools_that_change_a_protected_file_are_refused() {
    let files = [
        "/srv/app/.claude/requirements.yaml",
        "/srv/app/.claude/requirements.local.yaml",
        "/srv/app/.claude/settings.json",
        "/srv/app/.claude/settings.local.json",
        "/srv/app/packages/web/.claude/settings.local.json",
        "/srv/app/.claude/worktrees/x/.claude/requirements.yaml",
        "/srv/app/src/../.claude/./requirements.yaml",
        "/srv/app/.Claude/Requirements.YAML",
        ".claude/requirements.yaml",
        "./src/../.claude/settings.json",
        "../app/.claude/settings.json",
        "/home/me/.claude/requirements.yaml",
        "/home/me/.claude/settings.json",
        "/home/me/.claude/settings.local.json",
        "/home/me/.claude/hooks/req",
        "/home/me/.claude/hooks/sub/x",
        "/home/me/.claude/hook-state/switches.json",
        "/home/me/.claude/hook-state/OFF",
        "/var/me/state/journal.jsonl",
        "/srv/app/.git/requirements/main.json",
        "/srv/app/.git/requirements/permanent.json",
    ];
    for file in files {
        for tool in ["Edit", "Write", "MultiEdit", "mcp__files__write"] {
            assert!(of_file(tool, file).is_some(), "{tool} {file}");
        }
    }
    let notebook = call("NotebookEdit", &json!({ "notebook_path": "/var/me/state/x.ipynb" }));
    assert!(breach_on(&Plain, &notebook, &guarded("/srv/app")).is_some());
}

#[test]
fn tools_that_read_one_pass() {
    for tool in ["Read", "Glob", "Grep", "LS", "NotebookRead"] {
        assert_eq!(of_file(tool, "/srv/app/.claude/requirements.yaml"), None, "{tool}");
        assert_eq!(of_file(tool, "/var/me/state/x"), None, "{tool}");
    }
}

#[test]
fn other_files_pass() {
    let files = [
        "/srv/app/src/main.rs",
        "/srv/app/src/requirements.yaml.rs",
        "/srv/app/docs/requirements.yaml",
        "/srv/app/requirements.yaml",
        "/srv/app/requirements.txt",
        "/srv/app/requirements/main.json",
        "/srv/app/hooks/req",
        "/srv/app/.vscode/settings.json",
        "/srv/app/settings.json",
        "/srv/app/.claude/agents/reviewer.md",
        "/srv/app/.claude/CLAUDE.md",
        "/srv/app/.claude/hooks/own.sh",
        "/srv/app/.claude/requirements.yaml.md",
        "/srv/app/.claude/docs/requirements.yaml",
        "/srv/app/.git/info/exclude",
        "/srv/app/.github/workflows/ci.yml",
        "/srv/app/.claude/../requirements.yaml",
        "/home/me/.claude/CLAUDE.md",
        "/home/me/.claude/hooks.md",
        "/home/me/.claude/plans/settings.json",
        "/home/me/other/.claude/requirements.yaml",
        "/var/me/state2/x",
        "/var/me/notes",
        "/tmp/x/.claude/settings.json",
        "",
        "/",
    ];
    for file in files {
        for tool in ["Edit", "Write"] {
            assert_eq!(of_file(tool, file), None, "{tool} {file}");
        }
    }
}

#[test]
fn without_any_folder_known_the_project_is_where_the_call_is_made() {
    let unknown = Guarded {
        config_dir: None,
        root: None,
        state_dirs: Vec::new(),
        common_dir: None,
        home: None,
        cwd: Path::new("/srv/app"),
    };
    let of = |file: &str| breach_on(&Plain, &call("Edit", &json!({ "file_path": file })), &unknown);
    assert!(of(".claude/requirements.yaml").is_some());
    assert_eq!(of("/home/me/.claude/requirements.yaml"), None);
    assert_eq!(of("src/main.rs"), None);
}

#[test]
fn from_a_linked_work_tree_the_main_one_is_protected_as_well() {
    let linked = Guarded { root: Some(Path::new("/srv/feature")), ..guarded("/srv/feature") };
    let of = |file: &str| breach_on(&Plain, &call("Edit", &json!({ "file_path": file })), &linked);
    assert!(of("/srv/app/.claude/requirements.yaml").is_some());
    assert!(of(".claude/requirements.yaml").is_some());
    assert_eq!(of("/srv/app/requirements.yaml"), None);
}
