//! The real file system: links, and other work trees.

use std::fs;

use super::*;

/// A project `app` with git folder, a user's `me/.claude`, and an empty `elsewhere`.
fn scratch() -> tempfile::TempDir {
    let top = tempfile::tempdir().unwrap();
    for folder in [
        "app/.claude",
        "app/.git/requirements",
        "app/.git/worktrees/feature",
        "me/.claude/hook-state",
        "elsewhere",
    ] {
        fs::create_dir_all(top.path().join(folder)).unwrap();
    }
    top
}

fn is_refused(top: &Path, tool: &str, input: &serde_json::Value) -> bool {
    let [config_dir, root, state, common] =
        ["me/.claude", "app", "me/.claude/hook-state", "app/.git"].map(|folder| top.join(folder));
    let guarded = Guarded {
        config_dir: Some(&config_dir),
        root: Some(&root),
        state_dirs: vec![&state],
        common_dir: Some(&common),
        home: None,
        cwd: &root,
    };
    breach(&call(tool, input), &guarded, "requirements.a", Why::Locked).is_some()
}

fn edit(top: &Path, file: &str) -> bool {
    is_refused(top, "Edit", &json!({ "file_path": top.join(file) }))
}

#[test]
#[cfg(unix)]
fn links_are_followed_on_both_sides() {
    use std::os::unix::fs::symlink;
    let top = scratch();
    let at = |path: &str| top.path().join(path);
    symlink(at("app/.claude"), at("elsewhere/linked")).unwrap();
    symlink(at("app/.git/requirements"), at("app/requirements")).unwrap();
    fs::rename(at("me/.claude"), at("elsewhere/dotfiles")).unwrap();
    symlink(at("elsewhere/dotfiles"), at("me/.claude")).unwrap();
    for file in [
        "elsewhere/linked/requirements.yaml",
        "app/requirements/main.json",
        "me/.claude/settings.json",
        "elsewhere/dotfiles/settings.json",
        "elsewhere/dotfiles/hook-state/new/file",
        "elsewhere/linked/../.claude/settings.json",
    ] {
        assert!(edit(top.path(), file), "{file}");
    }
    for file in ["elsewhere/settings.json", "elsewhere/linked/CLAUDE.md", "elsewhere/requirements/main.json"]
    {
        assert!(!edit(top.path(), file), "{file}");
    }
    let line = format!("rm {}", at("elsewhere/linked/requirements.yaml").display());
    assert!(is_refused(top.path(), "Bash", &json!({ "command": line })));
}

#[test]
fn another_work_tree_of_the_repository_counts_and_another_repository_does_not() {
    let top = scratch();
    let at = |path: &str| top.path().join(path);
    for tree in ["feature", "other"] {
        fs::create_dir_all(at(tree).join("sub/.claude")).unwrap();
    }
    fs::create_dir_all(at("other/.git/worktrees/x")).unwrap();
    let pointer = format!("gitdir: {}\n", at("app/.git/worktrees/feature").display());
    fs::write(at("feature/.git"), pointer).unwrap();
    assert!(edit(top.path(), "feature/.claude/requirements.yaml"));
    assert!(edit(top.path(), "feature/sub/.claude/settings.json"));
    assert!(!edit(top.path(), "feature/requirements.yaml"));
    assert!(!edit(top.path(), "other/.claude/requirements.yaml"));
    assert!(!edit(top.path(), "elsewhere/.claude/requirements.yaml"));
    fs::write(at("feature/.git"), "no pointer").unwrap();
    assert!(!edit(top.path(), "feature/.claude/requirements.yaml"));
}
