//! stop-momentum through real processes: a block and the way out of it, which guide is believed, which state folder is used,
//! who is left alone; and the command line that every hook has: its verbs, its exit statuses (never 2, which in a hook means
//! "block"), and who may switch the hook off. The rules are tables beside its `decide`; what the run loop promises is in
//! `robustness`.

use crate::driver::{block_reason, documented, names, notice};
use crate::gate::{GUIDANCE, Gate, INSISTS, ON, WORDS, token, worked};
use crate::typed::{PATIENCE, Typed, claude, shell};
use std::fs;
use std::path::Path;
use tests::binaries;
use tests::process::{Invocation, Outcome};
use tests::sandbox::{Level, Sandbox};
use tests::terminal::Terminal;
use tests::transcripts::Transcript;

/// The longest guide of a project, in bytes.
const MAX_GUIDE_BYTES: usize = 64 * 1024;

const GUIDE: &str = ".claude/momentum-guide.md";

fn blocks(gate: &Gate, hook: Invocation) -> bool {
    let outcome = hook.stdin(gate.session.stop(WORDS).to_bytes()).run();
    block_reason(documented(&outcome).as_ref()).is_some()
}

#[test]
fn stop_is_blocked_until_the_token_appears_and_each_block_names_its_rule() {
    let gate = Gate::new("version: \"1.0\"\n# on\nstop-momentum:\n  enabled: true\n");
    gate.sandbox.requirements(Level::Project, "stop-momentum:\n  enforce_ack: true\n");
    let reason = gate.blocked(WORDS);
    assert!(reason.starts_with(GUIDANCE), "{reason}");
    assert!(reason.ends_with("(stop-momentum.enabled: ~/.claude/requirements.yaml:4)"), "{reason}");
    let shown = token(&reason);
    let reason = gate.blocked(WORDS);
    assert!(reason.ends_with("(stop-momentum.enforce_ack: .claude/requirements.yaml:2)"), "{reason}");
    assert_eq!(token(&reason), shown);
    gate.passes(&format!("Everything is done: {shown}."));
    assert!(!gate.token_file().exists());
    assert!(gate.journal().contains("acknowledged"), "{}", gate.journal());
}

#[test]
fn words_alone_and_scripts_and_a_hook_that_nobody_enabled_are_left_alone() {
    let gate = Gate::new(INSISTS);
    Transcript::of(&gate.session).prompt("what is a hook?").text("A barbed or barbless one.").write();
    gate.passes(WORDS);
    worked(&gate.session);
    assert!(!blocks(&gate, gate.hook().env("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")));
    Gate::unconfigured().passes(WORDS);
}

#[test]
fn the_nonce_of_a_judge_counts_only_with_its_fresh_file_and_points_at_no_other() {
    let gate = Gate::new("stop-momentum: {enabled: true, max_blocks: 6}\n");
    fs::create_dir(gate.state("nonce")).unwrap();
    fs::write(gate.state("fresh"), "").unwrap();
    for nonce in ["a-nonce", "../fresh", ".", "..", "/"] {
        assert!(blocks(&gate, gate.hook().env("BARBLESS_NONCE", nonce)), "{nonce}");
    }
    fs::write(gate.state("nonce/a-nonce"), "").unwrap();
    assert!(!blocks(&gate, gate.hook().env("BARBLESS_NONCE", "a-nonce")));
}

#[test]
fn without_the_variable_state_lies_below_the_configuration_folder_and_is_private() {
    let gate = Gate::new(ON);
    assert!(blocks(&gate, gate.hook().unset("CLAUDE_HOOK_STATE_DIR")));
    let state = gate.sandbox.home().join(".claude/hook-state");
    assert!(names(&state).contains(&format!("stop-ack-{}", gate.session.id)));
    assert!(names(&gate.sandbox.state_dir()).is_empty());
    assert_private(&state);
}

fn assert_private(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(folder), 0o700);
    for name in names(folder) {
        let path = folder.join(name);
        assert_eq!(mode(&path) & 0o077, 0, "{} is for others too", path.display());
    }
}

#[test]
fn state_folder_inside_the_project_is_not_used_and_reported_once() {
    let gate = Gate::new("stop-momentum: {enabled: true, max_blocks: 6}\n");
    let inside = gate.sandbox.project().join("state");
    let hook = || gate.hook().env("CLAUDE_HOOK_STATE_DIR", inside.display().to_string());
    let stop = gate.session.stop(WORDS).to_bytes();
    let notices: Vec<String> =
        (0..3).map(|_| notice(documented(&hook().stdin(&stop).run()).as_ref())).collect();
    assert!(
        notices[0].contains("CLAUDE_HOOK_STATE_DIR") && notices[0].contains("inside the project"),
        "{notices:?}"
    );
    assert_eq!(notices[1..], ["", ""]);
    assert!(!inside.exists());
    assert!(gate.sandbox.home().join(".claude/hook-state").is_dir());
}

/// Makes a guide of a project.
type MakesGuide = fn(&Sandbox);

#[test]
fn guide_is_shown_and_an_unusable_one_gives_way_to_the_built_in_text() {
    let guides: [(&str, MakesGuide); 5] = [
        ("blank", |sandbox| drop(sandbox.write(GUIDE, " \n\n"))),
        ("too long", |sandbox| drop(sandbox.write(GUIDE, "x".repeat(MAX_GUIDE_BYTES + 1)))),
        ("a pipe", |sandbox| {
            fs::create_dir_all(sandbox.project().join(".claude")).unwrap();
            crate::driver::make_pipe(&sandbox.project().join(GUIDE));
        }),
        ("a link within the project", |sandbox| {
            sandbox.write(".env", "PRIVATE KEY");
            sandbox.write(".claude/x", "");
            std::os::unix::fs::symlink("../.env", sandbox.project().join(GUIDE)).unwrap();
        }),
        ("linked out of the project", |sandbox| {
            sandbox.write_home("elsewhere/momentum-guide.md", "PRIVATE KEY");
            std::os::unix::fs::symlink(sandbox.home().join("elsewhere"), sandbox.project().join(".claude"))
                .unwrap();
        }),
    ];
    for (what, make) in guides {
        let gate = Gate::new(ON);
        make(&gate.sandbox);
        let reason = gate.blocked(WORDS);
        assert!(reason.starts_with(GUIDANCE) && !reason.contains("PRIVATE"), "{what}: {reason}");
    }
    let gate = Gate::new(ON);
    gate.sandbox.write(GUIDE, "The team's words, password=a1B2c3D4e5F6.");
    assert!(gate.blocked(WORDS).starts_with("The team's words, password=[masked]"));
}

const USAGE: i32 = 64;

fn command(sandbox: &Sandbox, words: &[&str]) -> Outcome {
    Invocation::new(binaries::path("stop-momentum"), sandbox).args(words.iter().copied()).run()
}

#[track_caller]
fn says(sandbox: &Sandbox, words: &[&str]) -> String {
    let outcome = command(sandbox, words);
    outcome.assert_exit(0);
    assert_eq!(outcome.stderr_text(), "", "{words:?}");
    outcome.stdout_text().trim_end().to_owned()
}

#[test]
fn status_says_what_is_in_force_and_where_it_is_set() {
    let sandbox = Sandbox::new();
    assert_eq!(says(&sandbox, &["status"]), "stop-momentum: off, set by the defaults");
    sandbox.requirements(Level::User, "version: \"1.0\"\nstop-momentum:\n  enabled: true\n");
    assert_eq!(says(&sandbox, &["status"]), "stop-momentum: on, set by ~/.claude/requirements.yaml:3");
    sandbox.requirements(Level::Local, "stop-momentum: {enabled: false, unheard_of: 1}\n");
    let file = ".claude/requirements.local.yaml";
    let expected =
        format!("stop-momentum: off, set by {file}:1\n{file}:1: stop-momentum.unheard_of: no such key");
    assert_eq!(says(&sandbox, &["status"]), expected);
}

#[test]
fn help_and_version_go_well_and_wrong_usage_exits_with_64() {
    let sandbox = Sandbox::new();
    let help = says(&sandbox, &["help"]);
    assert!(help.contains("stop-momentum on|off|auto") && says(&sandbox, &["--help"]) == help, "{help}");
    assert_eq!(says(&sandbox, &["--version"]), format!("stop-momentum {}", env!("CARGO_PKG_VERSION")));
    for words in [&["statsu"][..], &[""], &["status", "--jsno"], &["off", "now"], &["help", "me"]] {
        let outcome = command(&sandbox, words);
        outcome.assert_exit(USAGE);
        assert_eq!(outcome.stdout_text(), "", "{words:?}");
        assert!(outcome.stderr_text().contains("stop-momentum help lists all"), "{words:?}: {outcome}");
    }
    let is_remembered = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name() != "heartbeat";
    assert!(!fs::read_dir(sandbox.state_dir()).unwrap().any(is_remembered), "and nothing is remembered");
}

#[test]
fn without_arguments_on_a_terminal_it_shows_its_help_and_exits_with_64() {
    let sandbox = Sandbox::new();
    let mut terminal =
        Terminal::start(&binaries::path("stop-momentum"), &[], &sandbox.env(), &sandbox.project());
    terminal.wait_for("stop-momentum status");
    assert_eq!(terminal.wait_for_exit(PATIENCE).code(), Some(64));
}

fn typed(sandbox: &Sandbox, program: &Path, words: &str, variables: &[(&str, &str)]) -> Typed {
    crate::typed::typed(&binaries::path("stop-momentum"), sandbox, program, words, variables)
}

#[test]
#[cfg(target_os = "linux")]
fn a_person_at_a_terminal_switches_it_off_for_good_or_for_a_session_and_gives_it_back() {
    let gate = Gate::new(ON);
    let typed = |words: &str| typed(&gate.sandbox, &shell(), words, &[]);
    let off = typed("off");
    assert_eq!(off.status, 0, "{}", off.screen);
    assert!(off.screen.contains("on again: stop-momentum auto"), "{}", off.screen);
    gate.passes(WORDS);
    assert_eq!(typed("auto").status, 0);
    assert_eq!(typed(&format!("off --session {}", gate.session.id)).status, 0);
    gate.passes(WORDS);
    let other = gate.session.clone().with_id("another-session");
    assert!(block_reason(gate.ask(&other.stop(WORDS)).as_ref()).is_some());
}

#[test]
#[cfg(target_os = "linux")]
fn claudes_shell_may_type_on_and_gets_the_line_for_off_and_auto() {
    let gate = Gate::new("stop-momentum: {enabled: true, max_blocks: 6}\n");
    let claude = claude(&gate.sandbox);
    for (program, variables) in [(&shell(), &[("CLAUDECODE", "1")][..]), (&claude, &[])] {
        let typed = |words| typed(&gate.sandbox, program, words, variables);
        for words in ["off", "auto"] {
            let refused = typed(words);
            assert_eq!(refused.status, 1, "{}", refused.screen);
            let line = format!("outside Claude Code, type: stop-momentum {words}");
            assert!(refused.screen.trim_end().ends_with(&line), "{}", refused.screen);
        }
        assert!(!gate.state("switches.json").exists());
        gate.blocked(WORDS);
        assert_eq!(typed("on").status, 0);
        fs::remove_file(gate.state("switches.json")).unwrap();
    }
}
