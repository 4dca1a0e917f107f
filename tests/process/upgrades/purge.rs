//! After every hook has worked, a purge takes what it says and leaves what is the user's own: in a home as it mostly is, and
//! in one where the environment has led the hooks' memory elsewhere for a while.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use tests::binaries;
use tests::process::{Invocation, Outcome};
use tests::sandbox::{Level, Sandbox};
use tests::small_programs;

use super::{Day, files_below};
use crate::driver::tree;
use crate::typed::{shell, typed};

const SETTINGS: &str = "{ \"model\": \"opus\",\r\n\t\"hooks\": { } }\r\n";

/// Types a line where nothing names the folder of the hooks' memory.
#[track_caller]
fn types(sandbox: &Sandbox, line: &str) -> Outcome {
    ends_well(req(sandbox, line).unset("CLAUDE_HOOK_STATE_DIR"))
}

fn req(sandbox: &Sandbox, line: &str) -> Invocation {
    let req = Invocation::new(binaries::path("req"), sandbox).args(line.split_whitespace());
    req.deadline(Duration::from_secs(120))
}

#[track_caller]
fn ends_well(line: Invocation) -> Outcome {
    let outcome = line.run();
    outcome.assert_exit(0);
    outcome
}

/// Writes another global file over the one that is there, at a terminal: nobody else may.
#[track_caller]
fn replaces_the_file(sandbox: &Sandbox) {
    let words = "init --global --force --preset relaxed --yes";
    let typed = typed(&binaries::path("req"), sandbox, &shell(), words, &[]);
    assert_eq!(typed.status, 0, "{}", typed.screen);
    for file in ["said", "done"] {
        fs::remove_file(sandbox.temporary_dir().join(file)).unwrap();
    }
}

/// Every hook installed, worked with for two days, and changed about.
fn a_used_home() -> Day {
    let sandbox = Sandbox::new();
    fs::write(sandbox.settings_path(Level::User), SETTINGS).unwrap();
    types(&sandbox, "hooks install --all --allow-rules --statusline --yes");
    let hooks = sandbox.home().join(".claude/hooks");
    let day = Day::with(sandbox, hooks);
    day.is_proved();
    day.works(1);
    types(&day.sandbox, "hooks disable tempo-stop --yes");
    types(&day.sandbox, "hooks enable tempo-stop");
    let local = format!("--scope local --project {}", day.sandbox.project().display());
    types(&day.sandbox, &format!("hooks install --hooks rate-awareness {local} --yes"));
    types(&day.sandbox, &format!("hooks uninstall {local} --yes"));
    day.works(2);
    for _ in 0..3 {
        replaces_the_file(&day.sandbox);
    }
    day.sandbox.write_home(".claude/hook-state/1-old.json.tmp", "left by a killed process");
    day.sandbox.write_home(".claude/CLAUDE.md", "mine");
    day.sandbox.write_home(".claude/requirements.yaml.beforehand", "mine");
    day
}

#[test]
fn a_purge_takes_what_it_says_and_leaves_what_is_the_users() {
    let day = a_used_home();
    let home = day.sandbox.home();
    let (before, project) = (tree(&home), tree(&day.sandbox.project()));
    let told = types(&day.sandbox, "hooks uninstall --purge --dry-run").stdout_text();
    assert_eq!((tree(&home), tree(&day.sandbox.project())), (before.clone(), project.clone()), "a dry run");
    let said = types(&day.sandbox, "hooks uninstall --purge --yes").stdout_text();

    assert_eq!(tree(&day.sandbox.project()), project, "what lies in a project stays");
    for place in [".git/requirements", ".claude/sessions"] {
        let is_there = project.keys().any(|path| path.starts_with(day.sandbox.project().join(place)));
        assert!(is_there && told.contains(place) && said.contains(place), "{place}: {told}\n{said}");
    }
    let after = tree(&home);
    let left: BTreeSet<String> = after.keys().map(|path| below(&home, path)).collect();
    let own = [
        ".claude",
        ".claude/.credentials.json",
        ".claude/CLAUDE.md",
        ".claude/projects",
        ".claude/projects/-project",
        ".claude/projects/-project/5e55104e-0000-4000-8000-000000000001.jsonl",
        ".claude/requirements.yaml.beforehand",
        ".claude/settings.json",
        ".gitconfig",
        ".local",
        ".local/bin",
    ];
    assert_eq!(left, own.map(str::to_owned).into(), "{said}");
    assert!(said.contains("~/.local/bin is empty now and stays"), "{said}");
    assert_eq!(fs::read_to_string(day.sandbox.settings_path(Level::User)).unwrap(), SETTINGS);
    for gone in before.keys().filter(|path| !after.contains_key(*path)) {
        let gone = below(&home, gone);
        assert!(is_told(&told, &gone) && is_told(&said, &gone), "{gone}: {told}\n{said}");
    }
    assert_eq!(types(&day.sandbox, "hooks uninstall --dry-run").stdout_text(), "nothing is installed\n");
    assert_eq!(files_below(&day.sandbox.temporary_dir()), [""; 0].map(PathBuf::from), "nor beside it");
}

#[test]
fn a_folder_that_the_environment_names_is_named_and_stays_and_the_usual_one_goes() {
    let sandbox = Sandbox::new();
    let programs = small_programs::folder().display();
    types(&sandbox, &format!("hooks install --hooks rate-awareness --from {programs} --yes"));
    let (usual, named) = (sandbox.home().join(".claude/hook-state"), sandbox.state_dir());
    sandbox.write_home(".claude/hook-state/journal.jsonl", "{}\n");
    fs::write(named.join("journal.jsonl"), "{}\n").unwrap();
    let stays =
        format!("{} was named by CLAUDE_HOOK_STATE_DIR and stays; remove it yourself", named.display());
    for (line, goes) in [
        ("hooks uninstall --dry-run", "would stay: "),
        ("hooks uninstall --purge --dry-run", "would remove for good: "),
        ("hooks uninstall --purge --yes", "removed for good: "),
    ] {
        let said = ends_well(req(&sandbox, line)).stdout_text();
        let goes =
            said.lines().find(|told| told.starts_with(goes)).unwrap_or_else(|| panic!("{line}: {said}"));
        assert!(goes.contains("~/.claude/hook-state"), "{line}: {said}");
        assert!(!goes.contains(&named.display().to_string()), "{line}: {said}");
        assert_eq!(said.lines().filter(|told| *told == stays).count(), 1, "{line}: {said}");
    }
    assert!(!usual.exists());
    assert!(named.join("journal.jsonl").exists());
    assert_eq!(types(&sandbox, "hooks uninstall --dry-run").stdout_text(), "nothing is installed\n");
}

fn below(home: &std::path::Path, path: &std::path::Path) -> String {
    path.strip_prefix(home).unwrap().display().to_string()
}

/// The file or a folder above it is named, a program by its name and its folder.
fn is_told(said: &str, gone: &str) -> bool {
    let path = PathBuf::from(gone);
    let is_named = path.ancestors().any(|above| {
        let above = format!("~/{}", above.display());
        above.len() > "~/.claude".len()
            && said.lines().any(|line| line.contains("for good") && line.contains(&above))
    });
    let name = path.file_name().unwrap().to_str().unwrap();
    let folder = format!("~/{}", path.parent().unwrap().display());
    let is_removed = |line: &str| line.contains("remove") && line.contains(name) && line.contains(&folder);
    let is_backup = name.starts_with("settings.json.barbless-backup");
    // What goes with the last of what it was for.
    let is_ours_alone = [".claude/hooks", ".claude/hooks/manifest.json"].contains(&gone);
    is_named
        || said.lines().any(is_removed)
        || (is_backup && said.contains("the backups beside settings.json"))
        || is_ours_alone
}
