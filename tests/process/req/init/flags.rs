//! Without a terminal nothing is asked: flags say what is wanted, and what fits is taken where they say so.

use super::super::desk::{Desk, json_of, no, yes};
use super::{nothing_was_written, schema_of_the_project, text};
use serde_json::Value;
use std::fs;
use tests::binaries;
use tests::sandbox::Level;

#[test]
fn by_default_a_project_gets_a_plan_and_is_told_what_to_do_next() {
    let desk = Desk::empty();
    let said = yes(desk.script(&["init", "--yes"]));
    for line in [
        "written: .claude/requirements.yaml",
        "written: .claude/requirements.schema.json (lets editors check the file as you type)",
        "added to .gitignore: .claude/requirements.local.yaml",
        "It requires:",
        "  commit_plan: the change is cut into commits before it begins",
        "  req status    what is required here, satisfied or not",
        "  git add .claude/requirements.yaml .claude/requirements.schema.json .gitignore    so that your team has it",
        "  req hooks enable requirements-check    Claude Code does not run it yet",
    ] {
        assert!(said.lines().any(|said| said == line), "{line}\n---\n{said}");
    }
    desk.sandbox.git(&["add", ".claude/requirements.yaml", ".claude/requirements.schema.json", ".gitignore"]);
    let status = json_of(desk.claude(&["status", "--json"]));
    assert_eq!(status["requirements"][0]["name"], "commit_plan");
    let schema: Value = serde_json::from_slice(&fs::read(schema_of_the_project(&desk)).unwrap()).unwrap();
    assert_eq!(schema["title"], "Barbless: requirements.yaml");
    assert!(
        text(&desk, Level::Project)
            .starts_with("# yaml-language-server: $schema=./requirements.schema.json\n")
    );
}

#[test]
fn without_a_terminal_and_without_a_word_on_what_is_wanted_nothing_is_written() {
    let desk = Desk::empty();
    for (words, fits) in [
        (&["init"][..], "req init --project --preset relaxed"),
        (&["init", "--local"], "req init --local --preset minimal"),
    ] {
        for command in [desk.script(words), desk.claude(words)] {
            let said = no(command);
            assert!(said.starts_with("req: there is no terminal to ask on"), "{said}");
            assert!(said.lines().any(|line| line == format!("What fits here: {fits}")), "{said}");
        }
        nothing_was_written(&desk);
    }
    yes(desk.claude(&["init", "--project", "--preset", "relaxed"]));
}

#[test]
fn each_level_has_its_own_file_and_default() {
    for (flag, level, has) in [
        ("--project", Level::Project, "\n  commit_plan:\n"),
        ("--local", Level::Local, "\n# requirements:\n"),
        ("--global", Level::User, "\n  pre_commit_review:\n"),
    ] {
        let desk = Desk::empty();
        yes(desk.script(&["init", flag, "--yes"]));
        let text = text(&desk, level);
        assert!(text.contains(has), "{flag}\n{text}");
    }
}

#[test]
fn in_the_home_the_global_file_is_meant() {
    let desk = Desk::empty();
    let home = desk.sandbox.home();
    let said = yes(desk.script(&["init", "--yes"]).cwd(&home));
    assert!(said.contains("written: ~/.claude/requirements.yaml"), "{said}");
    assert!(!home.join(".gitignore").exists());
    let said = no(desk.script(&["init", "--project"]).cwd(&home));
    assert!(said.contains("your own configuration folder") && said.contains("--global"), "{said}");
    let said = no(desk.script(&["init", "--global"]).unset("HOME"));
    assert!(said.contains("set HOME"), "{said}");
}

#[test]
fn below_the_top_of_a_repository_the_file_is_written_at_its_top() {
    let desk = Desk::empty();
    let below = desk.sandbox.project().join("a/b");
    fs::create_dir_all(&below).unwrap();
    let said = yes(desk.script(&["init", "--yes"]).cwd(&below));
    let top = desk.sandbox.project().display().to_string();
    assert!(said.contains(&format!("git -C {top} add .claude/requirements.yaml")), "{said}");
    assert!(text(&desk, Level::Project).contains("commit_plan"));
}

#[test]
fn without_git_there_are_no_branches_and_no_list_of_what_is_ignored() {
    let desk = Desk::empty();
    let plain = desk.sandbox.root().join("plain");
    fs::create_dir_all(&plain).unwrap();
    let said = yes(desk.script(&["init", "--preset", "strict"]).cwd(&plain));
    assert!(!said.contains("git") && !plain.join(".gitignore").exists(), "{said}");
    let text = fs::read_to_string(plain.join(".claude/requirements.yaml")).unwrap();
    assert!(text.contains("# protected_branch is left out: there is no git repository here"), "{text}");
    assert!(!text.contains("req ci"), "{text}");
}

#[test]
fn a_dry_run_prints_the_file_alone_and_writes_nothing() {
    let desk = Desk::empty();
    let outcome = desk.script(&["init", "--preset", "relaxed", "--dry-run"]).run();
    outcome.assert_exit(0);
    assert!(outcome.stderr_text().contains(".claude/requirements.yaml would be this"), "{outcome}");
    nothing_was_written(&desk);
    yes(desk.script(&["init", "--preset", "relaxed"]));
    assert_eq!(text(&desk, Level::Project), outcome.stdout_text());
    let again = desk.claude(&["init", "--preset", "minimal", "--dry-run"]).run();
    again.assert_exit(0);
    assert!(again.stderr_text().contains("stays as it is"), "{again}");
    assert_eq!(text(&desk, Level::Project), outcome.stdout_text(), "it is as it was");
}

#[test]
fn a_file_that_is_there_is_an_error_that_says_how() {
    let desk = Desk::new("version: \"1.0\"\n");
    let said = no(desk.script(&["init"]));
    for part in [
        "req: .claude/requirements.yaml is there already; nothing was written",
        "req config set KEY VALUE --project",
        "req init --project --force",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    assert_eq!(text(&desk, Level::Project), "version: \"1.0\"\n");
}

#[test]
fn by_force_the_user_replaces_it_and_the_old_ones_are_kept() {
    let desk = Desk::new("version: \"1.0\" # first\n");
    let typed = desk.user("init --preset minimal --force --yes");
    assert_eq!(typed.status, 0, "{}", typed.screen);
    assert!(
        typed.screen.contains("the old file is now .claude/requirements.yaml.before")
            && typed.screen.contains("added to .gitignore: .claude/requirements*.before*"),
        "{}",
        typed.screen
    );
    let before = desk.sandbox.project().join(".claude/requirements.yaml.before");
    assert_eq!(fs::read_to_string(&before).unwrap(), "version: \"1.0\" # first\n");
    let typed = desk.user("init --preset relaxed --force --yes");
    assert_eq!(typed.status, 0, "{}", typed.screen);
    assert!(typed.screen.contains("requirements.yaml.before-"), "{}", typed.screen);
    assert_eq!(fs::read_to_string(&before).unwrap(), "version: \"1.0\" # first\n");
    assert!(text(&desk, Level::Project).contains("commit_plan"));
    let left = desk.sandbox.git(&["status", "--porcelain", "--untracked-files=all"]);
    assert!(!left.contains("before"), "nobody commits them: {left}");
}

#[test]
fn where_the_old_file_cannot_be_kept_nothing_is_left_of_it_but_itself() {
    let desk = Desk::new("version: \"1.0\" # first\n");
    let req = binaries::path("req");
    let full = "trap '' XFSZ; ulimit -f 0";
    let typed = desk.user(&format!(
        "--version; ({full}; '{}' init --preset minimal --force --yes 2>&1) | cat",
        req.display()
    ));
    assert!(typed.screen.contains("nothing was changed"), "{}", typed.screen);
    assert_eq!(text(&desk, Level::Project), "version: \"1.0\" # first\n");
    let files = fs::read_dir(desk.sandbox.project().join(".claude")).unwrap();
    let names: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
    assert_eq!(names, ["requirements.yaml"]);
}

#[test]
fn replacing_and_the_global_file_are_the_users_own() {
    let desk = Desk::new("requirements: {house_rule: {enabled: true}}\n");
    let before = text(&desk, Level::Project);
    for (said, how) in [
        (no(desk.claude(&["init", "--force", "--preset", "minimal"])), "terminal of their own"),
        (no(desk.script(&["init", "--force", "--preset", "minimal"])), "terminal of your own"),
    ] {
        assert!(said.contains("refused") && said.contains(how), "{said}");
        assert!(said.ends_with("req init --project --preset minimal --force"), "{said}");
    }
    assert_eq!(text(&desk, Level::Project), before);
    let said = no(desk.claude(&["init", "--global"]));
    assert!(said.contains("every project") && said.ends_with("req init --global"), "{said}");
    assert!(!desk.sandbox.requirements_path(Level::User).exists());
    let typed = desk.user("init --project --preset minimal --force --yes");
    assert_eq!(typed.status, 0, "{}", typed.screen);
}

#[test]
fn claude_may_write_a_first_file_but_none_that_changes_what_is_required() {
    let desk = Desk::empty();
    yes(desk.claude(&["init", "--preset", "strict"]));
    yes(desk.claude(&["init", "--local", "--yes"]));
    let stricter =
        "requirements: {commit_plan: {enabled: true, type: blocking, trigger_tools: [Edit, Write, Bash]}}\n";
    let desk = Desk::new(stricter);
    let said = no(desk.claude(&["init", "--local", "--preset", "relaxed"]));
    assert!(said.contains("it would change what is required already: commit_plan"), "{said}");
    let desk = Desk::empty();
    let all = "hooks: {stop: {verify_scopes: [session, branch, permanent]}}\n";
    desk.sandbox.requirements(Level::User, all);
    let said = no(desk.claude(&["init", "--preset", "strict"]));
    assert!(said.contains("look at less when a turn ends"), "{said}");
}

#[test]
fn what_the_global_file_requires_too_is_no_change_unless_less_of_it_is_left() {
    let guard = |branches: &str| {
        format!(
            "requirements: {{protected_branch: {{enabled: true, type: guard, guard_type: protected_branch, \
             protected_branches: [{branches}]}}}}\n"
        )
    };
    let desk = Desk::empty();
    desk.sandbox.requirements(Level::User, &guard("main"));
    yes(desk.claude(&["init", "--preset", "strict"]));
    let desk = Desk::empty();
    desk.sandbox.requirements(Level::User, &guard("main, 'release/*'"));
    let said = no(desk.claude(&["init", "--preset", "strict"]));
    assert!(said.contains("it would change what is required already: protected_branch"), "{said}");
}

#[test]
fn inherit_is_a_projects() {
    let desk = Desk::empty();
    for flag in ["--global", "--local"] {
        assert!(no(desk.script(&["init", flag, "--preset", "inherit"])).contains("--project"), "{flag}");
    }
    nothing_was_written(&desk);
}

#[test]
fn the_local_file_is_kept_out_of_git_and_the_rest_of_the_list_stays() {
    let desk = Desk::empty();
    desk.sandbox.write(".gitignore", "target\r\n# mine");
    yes(desk.script(&["init", "--local", "--yes"]));
    let ignored = fs::read(desk.sandbox.project().join(".gitignore")).unwrap();
    assert_eq!(ignored, b"target\r\n# mine\r\n.claude/requirements.local.yaml\r\n");
    assert_eq!(desk.sandbox.git(&["status", "--porcelain", "--untracked-files=all"]), "?? .gitignore");
    let first = text(&desk, Level::Local);
    let own = desk.sandbox.home().join(".claude/requirements.schema.json");
    assert!(
        first.starts_with(&format!("# yaml-language-server: $schema=file://{}\n", own.display())),
        "{first}"
    );
    assert!(own.exists() && !schema_of_the_project(&desk).exists());
}

#[test]
fn a_team_file_that_git_ignores_is_told() {
    let desk = Desk::empty();
    desk.sandbox.write(".gitignore", ".claude/\n");
    let said = yes(desk.script(&["init", "--yes"]));
    assert!(said.contains("git ignores .claude/requirements.yaml"), "{said}");
    assert!(!said.contains("git add"), "{said}");
}

#[test]
fn a_schema_that_is_somebody_elses_stays_and_a_link_is_not_followed_out_of_the_project() {
    let desk = Desk::empty();
    desk.sandbox.write(".claude/requirements.schema.json", "{}");
    let said = yes(desk.script(&["init", "--yes"]));
    assert!(said.contains("the schema for editors was not written"), "{said}");
    assert_eq!(fs::read_to_string(schema_of_the_project(&desk)).unwrap(), "{}");
    let desk = Desk::empty();
    let elsewhere = desk.sandbox.root().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, desk.sandbox.project().join(".claude")).unwrap();
    assert!(no(desk.script(&["init", "--yes"])).contains("leads out of the project"));
    assert_eq!(fs::read_dir(elsewhere).unwrap().count(), 0);
}

#[test]
fn what_git_and_the_files_tell_stands_in_the_file() {
    let desk = Desk::empty();
    desk.sandbox.git(&["remote", "add", "origin", "https://me:secret@gitlab.example.com/a/b.git"]);
    desk.sandbox.git(&["branch", "release/1.0"]);
    desk.sandbox.git(&["branch", "develop"]);
    desk.sandbox.write("go.mod", "module x\n");
    desk.sandbox.write("package.json", r#"{"scripts": {"test": "jest"}}"#);
    yes(desk.script(&["init", "--preset", "strict"]));
    let text = text(&desk, Level::Project);
    for said in [
        "    protected_branches: [main, develop, \"release/*\"]\n",
        "    command: [go test ./..., go test]   # of several commands one is enough\n",
        "    # found as well: npm test (package.json)\n",
        "# In a GitLab job, with the variable GIT_DEPTH: 0, run: req ci\n",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
    assert!(!text.contains("secret"), "{text}");
}

#[test]
fn what_a_folder_below_is_written_in_stands_as_a_comment_wherever_it_is_started() {
    let desk = Desk::empty();
    desk.sandbox.write("package.json", r#"{"scripts": {"test": "jest"}}"#);
    desk.sandbox.write("packages/api/pyproject.toml", "[tool.pytest.ini_options]\n");
    desk.sandbox.write("packages/node_modules/x/go.mod", "module x\n");
    let api = desk.sandbox.project().join("packages/api");
    yes(desk.script(&["init", "--preset", "strict"]).cwd(&api));
    let text = text(&desk, Level::Project);
    assert!(
        text.contains("    command: [npm test, npm run test]   # of several commands one is enough\n"),
        "{text}"
    );
    assert!(text.contains("    # found as well: pytest (packages/api/pyproject.toml)\n"), "{text}");
}
