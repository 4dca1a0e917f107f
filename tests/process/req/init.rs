//! `req init`: what is written where, what it requires from then on, and who may write it.

use crate::driver::notice;
use crate::requirements_check::world::{World, json_of, no, yes};
use crate::typed::PATIENCE;
use std::fs;
use tests::binaries;
use tests::sandbox::Level;
use tests::terminal::{Key, Terminal};

/// The text of a level's file.
#[track_caller]
fn text(world: &World, level: Level) -> String {
    let file = world.sandbox.requirements_path(level);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

#[track_caller]
fn nothing_was_written(world: &World) {
    assert!(!world.sandbox.requirements_path(Level::User).exists());
    assert!(!world.sandbox.project().join(".claude").exists());
    assert!(!world.sandbox.project().join(".gitignore").exists());
}

#[test]
fn init_writes_a_plan_and_names_the_next_step() {
    let world = World::empty();
    let preview = world.script(&["init", "--dry-run"]).run();
    preview.assert_exit(0);
    nothing_was_written(&world);
    let said = yes(world.script(&["init", "--yes"]));
    assert_eq!(text(&world, Level::Project), preview.stdout_text());
    for line in [
        "written: .claude/requirements.yaml",
        "added to .gitignore: .claude/requirements.local.yaml",
        "  Claude Code does not run requirements-check yet; to register it, type: req hooks enable requirements-check",
    ] {
        assert!(said.lines().any(|said| said == line), "{line}\n---\n{said}");
    }
    let status = json_of(world.req(&["status", "--json"]));
    assert_eq!(status["requirements"][0]["name"], "commit_plan");
}

#[test]
fn each_level_has_its_own_file_and_preset() {
    for (flag, level, has) in [
        ("--project", Level::Project, "\n  commit_plan:\n"),
        ("--local", Level::Local, "\n# requirements:\n"),
        ("--global", Level::User, "\n  pre_commit_review:\n"),
    ] {
        let world = World::empty();
        yes(world.script(&["init", flag, "--yes"]));
        assert!(text(&world, level).contains(has), "{flag}");
    }
    let world = World::empty();
    yes(world.script(&["init", "--preset", "inherit"]));
    assert!(text(&world, Level::Project).contains("\ninherit: true\n"));
    yes(world.script(&["init", "--yes"]).cwd(world.sandbox.home()));
    assert!(text(&world, Level::User).contains("pre_commit_review"), "in the home directory");
    assert!(no(world.script(&["init", "--global", "--preset", "inherit"])).contains("use --project"));
    let world = World::empty();
    for command in [world.script(&["init"]), world.req(&["init"])] {
        assert!(no(command).contains("What fits here: req init --project --preset relaxed"));
    }
    nothing_was_written(&world);
}

#[test]
fn on_a_terminal_the_file_is_shown_and_one_answer_decides() {
    for (answer, is_written) in [("n", false), ("", true)] {
        let world = World::empty();
        let mut terminal = Terminal::start(
            &binaries::path("req"),
            &["init".to_owned()],
            &world.sandbox.env(),
            &world.sandbox.project(),
        );
        terminal.wait_for("Write this to .claude/requirements.yaml? [Y/n]");
        terminal.type_text(answer);
        terminal.press(Key::Enter);
        terminal.wait_for_exit(PATIENCE);
        assert_eq!(world.sandbox.requirements_path(Level::Project).exists(), is_written, "{answer}");
    }
}

#[test]
fn a_file_that_is_there_is_replaced_by_the_user_alone_and_kept() {
    let world = World::new("version: \"1.0\" # first\n");
    let said = no(world.script(&["init"]));
    assert!(
        said.contains("is there already") && said.contains("req init --project --preset relaxed --force"),
        "{said}"
    );
    // Claude writes a first file, but none that could loosen what is required.
    assert!(no(World::empty().req(&["init", "--global", "--yes"])).contains("every project"));
    yes(world.req(&["init", "--local", "--preset", "strict"]));
    let said = no(world.req(&["init", "--global", "--preset", "relaxed"]));
    assert!(said.contains("req: denied"), "{said}");
    let replace = ["init", "--force", "--preset", "minimal"];
    for said in [no(world.req(&replace)), no(world.script(&replace))] {
        assert!(
            said.contains("req: denied") && said.ends_with("req init --project --preset minimal --force"),
            "{said}"
        );
    }
    let typed = world.user("init --preset minimal --force --yes");
    assert_eq!(typed.status, 0, "{}", typed.screen);
    let before = world.sandbox.project().join(".claude/requirements.yaml.before");
    assert_eq!(fs::read_to_string(before).unwrap(), "version: \"1.0\" # first\n");
    let left = world.sandbox.git(&["status", "--porcelain", "--untracked-files=all"]);
    assert!(!left.contains("before"), "nobody commits it: {left}");
}

#[test]
fn no_link_leads_out_of_the_project() {
    let world = World::empty();
    let elsewhere = world.sandbox.root().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, world.sandbox.project().join(".claude")).unwrap();
    assert!(no(world.script(&["init", "--yes"])).contains("leads out of the project"));
    assert_eq!(fs::read_dir(elsewhere).unwrap().count(), 0);
}

/// The notice for the user when a session begins.
fn told(world: &World, source: &str) -> String {
    notice(world.ask(&world.session.session_start(source)).as_ref())
}

#[test]
fn hint_is_given_once_to_a_user_who_reads_it_in_a_clone_where_nothing_is_set_up() {
    assert_eq!(told(&World::empty(), "startup"), "", "no remote");
    let world = World::empty();
    world.sandbox.git(&["remote", "add", "origin", "git@github.com:owner/name.git"]);
    assert_eq!(told(&world, "resume"), "");
    let start = world.session.session_start("startup");
    let headless = world.hook().env("CLAUDE_CODE_ENTRYPOINT", "sdk-cli").stdin(start.to_bytes()).run();
    assert_eq!(headless.stdout_text(), "");
    let file = world.sandbox.requirements(Level::User, "requirements: {a: {enabled: false}}\n");
    assert_eq!(told(&world, "startup"), "", "something is set up");
    fs::remove_file(file).unwrap();
    let answer = world.ask(&start);
    let text = notice(answer.as_ref());
    assert!(text.contains("nothing is required") && text.contains("req init"), "{text}");
    assert!(answer.unwrap().get("hookSpecificOutput").is_none(), "Claude reads nothing of it");
    assert_eq!(told(&world, "startup"), "");
}
