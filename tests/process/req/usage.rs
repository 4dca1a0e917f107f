//! Exit statuses, wrong usage, and the harm that a command must not do. Never 2: in a hook that means "block". Completions and
//! manual pages know every verb.

use crate::requirements_check::world::{TEAM, World, no, yes};
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;

#[test]
fn wrong_usage_exits_with_64_and_nothing_on_stdout() {
    let world = World::new(TEAM);
    for words in [&["satisy", "commit_plan"][..], &["check"], &["docs", "one", "two"], &[""], &["\u{1b}[31m"]]
    {
        let outcome = world.req(words).run();
        outcome.assert_exit(64);
        assert_eq!(outcome.stdout_text(), "", "{words:?}");
        let said = outcome.stderr_text();
        assert!(!said.is_empty() && !said.contains('\u{1b}'), "{words:?}: {said:?}");
    }
    assert!(!world.sandbox.project().join(".git/requirements").exists(), "and nothing is stored");
    let words = [OsString::from_vec(vec![0xff])];
    world.script(&[]).args(words).run().assert_exit(64);
}

#[test]
fn reader_that_is_gone_does_no_harm() {
    let world = World::new(TEAM);
    for words in [&["status"][..], &["--help"]] {
        world.req(words).stdout_without_reader().run().assert_exit(0);
        world.req(words).stdout_closed().run().assert_exit(0);
    }
    world.req(&["satisfy", "commit_plan"]).stdout_without_reader().run().assert_exit(0);
    assert_eq!(world.standing("commit_plan"), "met", "the order is carried out");
}

#[test]
fn question_leaves_the_project_and_the_repository_as_they_were() {
    let world = World::new(TEAM);
    let before = crate::driver::tree(&world.sandbox.project());
    for words in
        [&["status", "--all"][..], &["list"], &["sessions"], &["check", "--tool", "Edit"], &["docs", "x"]]
    {
        drop(world.req(words).run());
    }
    assert_eq!(crate::driver::tree(&world.sandbox.project()), before);
}

#[test]
#[cfg(target_os = "linux")]
fn answer_that_could_not_be_written_is_no_success() {
    let world = World::new(TEAM);
    for words in [&["status", "--json"][..], &["completions", "bash"], &["--help"]] {
        let outcome = world.script(words).stdout_on_full_disk().run();
        outcome.assert_exit(1);
        assert!(outcome.stderr_text().contains("req: the answer could not be written: "), "{words:?}");
    }
}

#[test]
fn exit_status_of_check_is_the_answer() {
    let world = World::new(
        "requirements: {commit_plan: {enabled: true}, pr_review: {enabled: true, trigger_tools: [{tool: Bash, command_pattern: git push}]}}\n",
    );
    for (words, status) in [
        (&["check", "--tool", "Edit", "--file", "src/a.rs"][..], 1),
        (&["check", "--tool", "Read", "--file", "src/a.rs"], 0),
        (&["check", "--bash", "cd sub && git push"], 1),
        (&["check", "--bash", "req satisfy commit_plan"], 0),
        (&["satisfy", "commit_plan", "pr_review"], 0),
        (&["check", "--tool", "Edit"], 0),
        (&["check", "--bash", "git push"], 0),
    ] {
        let outcome = world.req(words).run();
        outcome.assert_exit(status);
        assert_eq!(outcome.stderr_text(), "", "{words:?}");
    }
    let unknown = yes(world.req(&["check", "--tool", "Edt"]));
    assert!(unknown.ends_with("\nClaude Code has no tool `Edt`; did you mean Edit?"), "{unknown}");
}

#[test]
fn status_and_check_report_a_hook_that_nobody_runs_and_a_file_that_nobody_reads() {
    let world = World::new("requirements: {commit_plan: {enabled: true}}\n");
    let line = "Claude Code does not run requirements-check yet; to register it, type: req hooks enable requirements-check";
    let commands: [&[&str]; 2] = [&["status"], &["check", "--tool", "Edit"]];
    let reports = |words: &[&str]| world.req(words).run().stdout_text().lines().any(|said| said == line);
    assert!(commands.iter().all(|words| reports(words)));
    let settings = world.sandbox.home().join(".claude/settings.json");
    fs::write(settings, r#"{"enabledPlugins": {"barbless@barbless": true}}"#).unwrap();
    assert!(!commands.iter().any(|words| reports(words)));
    let world = World::empty();
    world.sandbox.write(".claude/requirements.yml", "requirements: {}\n");
    let text = yes(world.req(&["status"]));
    assert!(text.contains(".claude/requirements.yml is not read"), "{text}");
}

#[test]
fn each_shell_and_the_manual_pages_know_each_verb() {
    let world = World::empty();
    let folder = world.sandbox.temporary_dir().join("share/man1");
    yes(world.script(&["man", "--dir", folder.to_str().unwrap()]));
    assert!(yes(world.script(&["man"])).contains(".TH req 1"));
    let scripts =
        ["bash", "zsh", "fish", "powershell"].map(|shell| yes(world.script(&["completions", shell])));
    let help = yes(world.script(&["--help"]));
    let listed = help.lines().take_while(|line| *line != "Options:");
    for verb in listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next()) {
        assert!(scripts.iter().all(|script| script.contains(verb)), "{verb}");
        let page = fs::read_to_string(folder.join(format!("req-{verb}.1"))).unwrap();
        assert!(page.contains("Example"), "{verb}: {page}");
    }
    let file = world.sandbox.write("file", "mine");
    let said = no(world.script(&["man", "--dir", file.to_str().unwrap()]));
    assert!(said.contains(&file.display().to_string()), "{said}");
}
