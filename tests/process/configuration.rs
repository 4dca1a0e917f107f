//! The cascade through real processes: every file counts, a wrong one does nothing but give a notice, and a notice comes once. What
//! a layer may say is tested in the crate `config`.

use crate::driver::notice;
use crate::gate::{Gate, INSISTS, WORDS};
use serde_json::Value;
use tests::sandbox::Level;

const LEVELS: [Level; 3] = [Level::User, Level::Project, Level::Local];

/// Never to be seen in any text.
const SECRET: &str = "hunter2-the-value";

const UNHEARD_OF: &str = "stop-momentum: {enabled: true, max_blocks: 6, unheard_of: 1}\n";

/// The file as a notice names it.
fn shown(level: Level) -> &'static str {
    match level {
        Level::User => "~/.claude/requirements.yaml",
        Level::Project => ".claude/requirements.yaml",
        Level::Local => ".claude/requirements.local.yaml",
    }
}

#[test]
fn a_wrong_value_leaves_the_layers_below_and_its_notice_names_file_line_and_key() {
    for (level, blocks) in [(Level::User, 1), (Level::Project, 3), (Level::Local, 3)] {
        let gate = Gate::unconfigured();
        for below in LEVELS.into_iter().take_while(|below| *below != level) {
            gate.sandbox.requirements(below, INSISTS);
        }
        let wrong = format!("stop-momentum:\n  enabled: true\n  enforce_ack: {SECRET}\n");
        gate.sandbox.requirements(level, &wrong);
        let first = gate.stop(WORDS);
        let text = notice(first.as_ref());
        let problem = format!(
            "{}:3: stop-momentum.enforce_ack: expected true or false; the level below counts",
            shown(level)
        );
        assert!(text.contains(&problem), "{text}");
        assert!(!first.unwrap_or_default().to_string().contains(SECRET), "{level:?}: {text}");
        assert_eq!(1 + gate.blocks_in_a_row(), blocks, "{level:?}");
        assert!(!gate.journal().contains(SECRET), "{level:?}");
    }
}

/// Told to the user.
fn told(answer: Option<&Value>) -> bool {
    notice(answer).contains("stop-momentum.unheard_of: no such key")
}

#[test]
fn a_problem_is_told_once_over_the_many_processes_of_a_session() {
    let gate = Gate::new(UNHEARD_OF);
    let session = &gate.session;
    let events = [
        session.session_start("startup"),
        session.user_prompt_submit("go"),
        session.bash_succeeded("ls", ""),
        session.stop(WORDS),
        session.session_start("compact"),
    ];
    let times: Vec<bool> = events.iter().map(|event| told(gate.ask(event).as_ref())).collect();
    assert_eq!(times, [true, false, false, false, false]);
    let other = gate.session.clone().with_id("another-session");
    assert!(told(gate.ask(&other.session_start("startup")).as_ref()));
}
