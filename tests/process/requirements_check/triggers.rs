//! Which calls need a requirement: tools by name and glob, commands wherever a shell would run them.

use super::world::{World, command_in};
use crate::driver::{denial, notice};
use serde_json::json;

const PLAN: &str = "requirements: {plan: {enabled: true}}\n";

fn triggered_by(triggers: &str) -> World {
    World::of_team(&format!("requirements: {{plan: {{enabled: true, trigger_tools: {triggers}}}}}\n"))
}

#[test]
fn edits_of_every_kind_are_meant_where_nothing_is_set() {
    let world = World::of_team(PLAN);
    let claude = world.claude();
    let file = world.sandbox.project().join("a.rs");
    for call in [
        claude.edit("a.rs"),
        claude.call("Write", json!({ "file_path": file, "content": "" })),
        claude.call("MultiEdit", json!({ "file_path": file, "edits": [] })),
        claude.call("NotebookEdit", json!({ "notebook_path": file, "new_source": "" })),
    ] {
        claude.refused(&call);
    }
    for call in [
        claude.call("Read", json!({ "file_path": file })),
        claude.call("Grep", json!({ "pattern": "x" })),
        claude.bash("git commit -m x"),
        claude.call("mcp__files__write", json!({ "file_path": file })),
    ] {
        claude.passes(&call);
    }
}

#[test]
fn tools_are_meant_by_name_and_by_glob() {
    let world = triggered_by("['mcp__files__*', WebFetch, 'Notebook*']");
    let claude = world.claude();
    for (tool, is_meant) in [
        ("mcp__files__write", true),
        ("mcp__other__write", false),
        ("WebFetch", true),
        ("WebFetcher", false),
        ("NotebookEdit", true),
        ("Edit", false),
        ("Bash", false),
    ] {
        let answer = claude.before(&claude.call(tool, json!({})));
        assert_eq!(denial(answer.as_ref()).is_some(), is_meant, "{tool}");
    }
}

/// Lines of the shell that are refused, and lines that pass.
#[track_caller]
fn assert_lines(world: &World, refused: &[&str], passing: &[&str]) {
    let claude = world.claude();
    for line in refused {
        claude.refused(&claude.bash(line));
        let power = claude.call("PowerShell", json!({ "command": line }));
        claude.refused(&power);
    }
    for line in passing {
        claude.passes(&claude.bash(line));
    }
}

#[test]
fn a_command_is_meant_wherever_a_shell_would_run_it_and_not_where_it_is_text() {
    let world = triggered_by("[{tool: Bash, command_pattern: git commit}]");
    assert_lines(
        &world,
        &[
            "git commit -m x",
            "git -C . commit",
            "git -c user.name=x --no-pager commit -am y",
            "/usr/bin/git commit",
            "env X=1 git commit",
            "X=1 git commit",
            "sudo git commit",
            "timeout 5 git commit",
            "git add . && git commit -m x",
            "git status; git commit",
            "true || git commit",
            "echo y | git commit",
            "(git commit)",
            "if true; then git commit; fi",
            "sh -c 'git commit -m x'",
            "bash -lc \"cd . && git commit\"",
            "echo $(git commit)",
            "\"git\" 'commit'",
            "git \\\n commit",
            "git commit &",
            "echo 'never closed; git commit",
        ],
        &[
            "echo 'git commit'",
            "echo \"git commit\"",
            "git log --grep 'git commit'",
            "cat > notes.txt <<'EOF'\ngit commit\nEOF",
            "git commit-tree x",
            "git status",
            "# git commit",
            "mygit commit",
            "gh pr create --title \"git commit\"",
            "echo 'never closed; git status",
        ],
    );
}

#[test]
fn a_regular_expression_is_searched_in_each_command() {
    for trigger in ["command_regex: 'git\\s+(commit|push)'", "command_pattern: 'git\\s+(commit|push)'"] {
        let world = triggered_by(&format!("[{{tool: Bash, {trigger}}}]"));
        assert_lines(
            &world,
            &["git push", "git  commit -m x", "GIT push", "cd x && git push", "git -C /tmp push"],
            &["echo 'git push'", "git pull", "echo git; echo commit"],
        );
    }
}

#[test]
fn a_pattern_on_a_tool_that_is_no_shell_is_told_and_ignored() {
    let world = triggered_by("[{tool: Edit, command_pattern: git commit}, WebFetch]");
    let claude = world.claude();
    let told = notice(claude.ask(&claude.session.session_start("startup")).as_ref());
    assert!(told.contains("requirements.plan.trigger_tools"), "{told}");
    claude.passes(&claude.edit("a.rs"));
    claude.refused(&claude.call("WebFetch", json!({})));
}

#[test]
fn our_own_commands_are_never_refused() {
    let world = triggered_by("[Bash, Edit]");
    let claude = world.claude();
    claude.refused(&claude.bash("ls"));
    let path = world.sandbox.home().join(".claude/hooks/req");
    claude.passes(&claude.bash("req status && req satisfy plan"));
    claude.passes(&claude.bash(&format!("{} status", path.display())));
    claude.refused(&claude.bash("req status && ls"));
    claude.does(&command_in(&claude.refused(&claude.edit("a.rs"))));
    claude.passes(&claude.bash("ls"));
}

#[test]
fn what_names_our_command_elsewhere_is_not_refused_either() {
    let world = World::of_user("requirements: {plan: {enabled: true, trigger_tools: [Bash, Edit]}}\n");
    let other = world.repository("another one");
    let claude = world.claude();
    claude.starts("startup");
    claude.does(&command_in(&claude.refused(&claude.edit(other.join("a.rs")))));
    claude.passes(&claude.edit(other.join("a.rs")));
}
