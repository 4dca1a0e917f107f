//! Who is told: the user, the model or both; what is refused with `mode: deny`; and what a script sees.

use super::{Calls, ONLY_LOOPS, only_capacity};
use crate::driver::{context, denial, documented, notice};
use serde_json::Value;
use tests::sandbox::Level;

/// Text for the user, text for the model.
fn parts(answer: Option<&Value>) -> (bool, bool) {
    (!notice(answer).is_empty(), context(answer).is_some())
}

#[test]
fn the_audience_is_a_setting_and_no_call_is_refused() {
    for (audience, expected) in [("user", (true, false)), ("model", (false, true)), ("both", (true, true))] {
        let calls = Calls::new(&format!("{}  audience: {audience}\n", only_capacity(1)));
        assert_eq!(calls.call("a"), None);
        let answer = calls.call("b");
        assert_eq!(parts(answer.as_ref()), expected, "{audience}: {answer:?}");
        assert_eq!(denial(answer.as_ref()), None);
    }
}

#[test]
fn the_model_reads_what_to_do_and_no_way_to_switch_it_off() {
    let calls = Calls::new(&format!("{}  audience: both\n", only_capacity(1)));
    calls.call("a");
    let answer = calls.call("b");
    let text = context(answer.as_ref()).unwrap();
    assert!(
        text.starts_with("rate-awareness.global_default: ") && text.contains("The call goes on."),
        "{text}"
    );
    assert!(!text.contains("rate-awareness off") && !text.contains("requirements.yaml"), "{text}");
    assert!(notice(answer.as_ref()).contains("`rate-awareness off`"));
}

#[test]
fn deny_refuses_every_call_without_a_token_and_names_the_line_that_says_so() {
    let calls = Calls::new(&format!("{}  mode: deny\n", only_capacity(2)));
    assert_eq!(calls.silent_calls(), 2);
    // That was the first refused call and this is the second.
    let mut notices = Vec::new();
    for number in 2..10 {
        let answer = calls.call(&format!("again {number}"));
        let reason =
            denial(answer.as_ref()).unwrap_or_else(|| panic!("call {number} is refused: {answer:?}"));
        assert!(
            reason.starts_with("rate-awareness.global_default: the bucket `ungated` is empty"),
            "{reason}"
        );
        assert!(
            reason.ends_with("(rate-awareness.global_default: ~/.claude/requirements.yaml:2)"),
            "{reason}"
        );
        if !notice(answer.as_ref()).is_empty() {
            notices.push(number);
        }
    }
    assert_eq!(notices, [2, 4, 8]);
}

#[test]
fn deny_refuses_a_circle_until_another_call_ends_it() {
    let calls = Calls::new(&format!("{ONLY_LOOPS}  mode: deny\n"));
    let denied = |letters: &str| -> Vec<bool> {
        letters.chars().map(|letter| denial(calls.call(&letter.to_string()).as_ref()).is_some()).collect()
    };
    assert_eq!(denied("xxxxxyx"), [false, false, false, true, true, false, false]);
    assert_eq!(denied("abababababcab")[7..], [true, true, true, false, false, false]);
}

#[test]
fn a_denied_skill_call_takes_no_effect() {
    let calls =
        Calls::new(&format!("{}  mode: deny\n  per_skill: {{a: {{capacity: 100}}}}\n", only_capacity(1)));
    assert_eq!(calls.call("x"), None);
    assert!(denial(calls.skill("a").as_ref()).is_some());
    assert!(denial(calls.call("y").as_ref()).is_some());
}

#[test]
fn a_script_sees_a_notice_at_most_unless_it_opts_in_or_a_limit_refuses() {
    let headless = |calls: &Calls, text: &str| {
        let hook = calls.hook().env("CLAUDE_CODE_ENTRYPOINT", "sdk-cli");
        documented(&hook.stdin(calls.bash(text).to_bytes()).run())
    };
    for audience in ["user", "model", "both"] {
        let calls = Calls::new(&format!("{}  audience: {audience}\n", only_capacity(1)));
        assert_eq!(headless(&calls, "a"), None);
        let answer = headless(&calls, "b").unwrap();
        assert_eq!(answer.as_object().unwrap().keys().collect::<Vec<_>>(), ["systemMessage"], "{audience}");
    }
    let calls = Calls::new(&format!("{}  audience: model\n  headless: true\n", only_capacity(1)));
    headless(&calls, "a");
    assert_eq!(parts(headless(&calls, "b").as_ref()), (false, true));
    let calls = Calls::new(&format!("{}  mode: deny\n", only_capacity(1)));
    headless(&calls, "a");
    assert!(denial(headless(&calls, "b").as_ref()).is_some(), "a gate holds in a script, too");
}

#[test]
fn a_disabled_hook_is_silent_and_remembers_nothing() {
    for level in [Level::User, Level::Project, Level::Local] {
        let calls = Calls::new(&format!("{}  mode: deny\n", only_capacity(1)));
        let below = if level == Level::User { only_capacity(1) } else { "rate-awareness:\n".to_owned() };
        calls.sandbox.requirements(level, &format!("{below}  enabled: false\n"));
        assert_eq!(calls.told_at(5), [0; 0], "{level:?}");
        assert!(!calls.state(&calls.file()).exists());
    }
}

#[test]
fn the_switch_that_a_notice_names_ends_the_messages() {
    use shared::switches::{Position, Reach, turn};
    let calls = Calls::new(&only_capacity(1));
    assert_eq!(calls.told_at(3), [2, 3]);
    let store = shared::state::Store::open(&calls.sandbox.state_dir()).unwrap();
    turn(&store, "rate-awareness", Reach::Machine, Position::Off, shared::host::Clock::System.now()).unwrap();
    assert_eq!(calls.told_at(3), [0; 0]);
}

#[test]
fn the_key_that_a_notice_names_raises_the_limit() {
    let calls = Calls::new(&only_capacity(1));
    calls.skill("deep-research");
    let text = (0..2).map(|number| notice(calls.call(&number.to_string()).as_ref())).collect::<String>();
    let key = text.split("To change that set ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    let path: Vec<&str> = key.split('.').collect();
    assert_eq!(path[..2], ["rate-awareness", "per_skill"], "{text}");
    let yaml = format!("{}:\n  {}: {{{}: {{capacity: 7}}}}\n", path[0], path[1], path[2]);
    calls.sandbox.requirements(Level::Project, &yaml);
    let other = calls.session.clone().with_id("another-session");
    let ask = |tool: &str, input| calls.ask(&other.pre_tool_use(tool, input));
    ask("Skill", serde_json::json!({ "skill": "deep-research" }));
    let silent =
        (0..9).take_while(|number| ask("Bash", serde_json::json!({ "command": number })).is_none()).count();
    assert_eq!(silent, 7);
}
