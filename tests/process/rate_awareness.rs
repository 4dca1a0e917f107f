//! rate-awareness through real processes: what a call costs and who is told, what goes in a circle, whose bucket pays, and
//! what the state folder holds afterwards. Where a test must not depend on how fast the machine is, no token comes back.

use crate::driver::{Driver, context, denial, documented, notice, tree};
use serde_json::{Value, json};
use std::ops::Deref;
use std::time::Instant;
use tests::payloads::Payload;
use tests::sandbox::Level;

/// Nothing goes in a circle and no token comes back: only the capacity counts.
fn only_capacity(capacity: u32) -> String {
    format!(
        "rate-awareness:\n  global_default: {{capacity: {capacity}, refill_per_sec: 0}}\n  repeat: 0\n  ping_pong: 0\n"
    )
}

/// No bucket is ever empty: only circles count.
const ONLY_LOOPS: &str = "rate-awareness:\n  global_default: {capacity: 1000000, refill_per_sec: 0}\n";

/// The driver of rate-awareness, and calls to drive it with.
struct Calls(Driver);

impl Deref for Calls {
    type Target = Driver;

    fn deref(&self) -> &Driver {
        &self.0
    }
}

impl Calls {
    fn new(global: &str) -> Self {
        Self(Driver::new("rate-awareness", global))
    }

    fn unconfigured() -> Self {
        Self(Driver::unconfigured("rate-awareness"))
    }

    /// The input of a call that differs from all with another text.
    fn bash(&self, text: &str) -> Payload {
        self.session.pre_tool_use("Bash", json!({ "command": format!("echo {text}"), "description": text }))
    }

    /// The answer to such a call.
    #[track_caller]
    fn call(&self, text: &str) -> Option<Value> {
        self.ask(&self.bash(text))
    }

    /// The answer to a call that starts a skill.
    #[track_caller]
    fn skill(&self, name: &str) -> Option<Value> {
        self.ask(&self.session.pre_tool_use("Skill", json!({ "skill": name, "args": "" })))
    }

    /// The numbers, counted from 1, of so many different calls of which the user is told; the others are silent.
    #[track_caller]
    fn told_at(&self, calls: usize) -> Vec<usize> {
        told(&(0..calls).map(|number| self.call(&number.to_string())).collect::<Vec<_>>())
    }

    /// How many different calls are silent before the user is told.
    #[track_caller]
    fn silent_calls(&self) -> usize {
        (0..1000).take_while(|number| self.call(&number.to_string()).is_none()).count()
    }

    /// The session's state file.
    fn file(&self) -> String {
        format!("{}-buckets.json", self.session.id)
    }

    /// The bucket of that name, as it is remembered.
    #[track_caller]
    fn bucket(&self, name: &str) -> Value {
        self.state_of(&self.file())["state"]["_buckets"][name].clone()
    }
}

/// The numbers, counted from 1, of the answers with a notice; the others are silence.
#[track_caller]
fn told(answers: &[Option<Value>]) -> Vec<usize> {
    let mut told = Vec::new();
    for (index, answer) in answers.iter().enumerate().filter(|(_, answer)| answer.is_some()) {
        assert_ne!(notice(answer.as_ref()), "", "{answer:?}");
        told.push(index + 1);
    }
    told
}

#[test]
fn sixty_calls_at_once_are_silent_and_the_sixty_first_is_told_with_the_numbers() {
    let calls = Calls::new(&only_capacity(60));
    for number in 1..=60 {
        assert_eq!(calls.call(&number.to_string()), None, "call {number}");
    }
    let text = notice(calls.call("61").as_ref());
    assert!(
        text.starts_with(
            "rate-awareness.global_default: the bucket `ungated` is empty: 61 calls in the last minute; \
             allowed are 60 at once and 0 a minute in the long run. No token comes back,"
        ),
        "{text}"
    );
    assert_eq!(calls.call("62").map(|_| ()), Some(()), "the second of the spell is told, too");
    let journal = calls.journal();
    let is_advice = journal.contains(r#""what":"advise","rule":"rate-awareness.global_default""#);
    assert!(is_advice && journal.contains("the bucket `ungated` is empty"), "{journal}");
}

#[test]
fn without_any_configuration_sixty_calls_in_a_second_are_the_limit_and_one_a_second_comes_back() {
    let calls = Calls::unconfigured();
    let began = Instant::now();
    let (mut silent, mut answer) = (0_u64, None);
    while answer.is_none() && silent < 1000 {
        answer = calls.call(&silent.to_string());
        silent += u64::from(answer.is_none());
    }
    // On a slow machine some tokens come back meanwhile.
    assert!((60..=60 + began.elapsed().as_secs()).contains(&silent), "{silent} in {:?}", began.elapsed());
    let text = notice(answer.as_ref());
    assert!(
        text.contains(" allowed are 60 at once and 60 a minute in the long run. The next token is back in "),
        "{text}"
    );
    assert!(answer.unwrap()["hookSpecificOutput"].is_null(), "the call goes on");
}

#[test]
fn eighty_calls_at_once_pay_one_token_each() {
    const COPIES: u64 = 80;
    let calls = Calls::new(&only_capacity(50));
    let payloads: Vec<_> = (0..COPIES).map(|number| calls.bash(&number.to_string())).collect();
    let answers = calls.ask_at_once(&payloads);
    // On a loaded machine a copy may not get the lock in its second: then it passes and says so.
    let busy = calls.journal().matches("held by another process").count() as u64;
    assert!(busy < COPIES / 4, "{busy} copies gave up");
    let bucket = calls.bucket("main::ungated");
    let refused = COPIES - busy - 50;
    assert_eq!((&bucket["tokens"], &bucket["refused"]), (&0.0.into(), &refused.into()), "{bucket}");
    let powers = (1..=refused).filter(|number| number.is_power_of_two()).count();
    assert_eq!(told(&answers).len(), powers, "each number of the spell is told once");
}

/// The answers to these calls, each letter a call of its own.
fn answers(calls: &Calls, letters: &str) -> Vec<Option<Value>> {
    letters.chars().map(|letter| calls.call(&letter.to_string())).collect()
}

#[test]
fn the_same_call_in_a_row_is_told_at_the_fourth_and_at_doublings() {
    let calls = Calls::unconfigured();
    let answers = answers(&calls, &"x".repeat(20));
    assert_eq!(told(&answers), [4, 5, 7, 11, 19]);
    let text = notice(answers[3].as_ref());
    assert!(
        text.starts_with(
            "rate-awareness.repeat: the main session called Bash 4 times in a row with the same input."
        ),
        "{text}"
    );
    assert!(text.contains("set rate-awareness.repeat in requirements.yaml"), "{text}");
}

#[test]
fn two_calls_in_turn_are_told_when_the_fourth_round_is_complete_and_a_third_ends_it() {
    let calls = Calls::new(ONLY_LOOPS);
    let answers_in_turn = answers(&calls, &"xy".repeat(8));
    assert_eq!(told(&answers_in_turn), [8, 10, 14]);
    let text = notice(answers_in_turn[7].as_ref());
    assert!(
        text.starts_with("rate-awareness.ping_pong: the main session went back and forth between Bash and one other call for 4 rounds"),
        "{text}"
    );
    assert!(text.contains("Any other call ends it."), "{text}");
    assert_eq!(told(&answers(&calls, "zxyxyxy")), [0; 0]);
}

#[test]
fn polling_is_no_circle_and_which_tools_poll_is_a_setting() {
    let poll =
        |calls: &Calls, tool: &str| calls.ask(&calls.session.pre_tool_use(tool, json!({ "task_id": "b1" })));
    let calls = Calls::new(ONLY_LOOPS);
    for tool in ["TaskOutput", "BashOutput", "AgentOutputTool"] {
        assert_eq!((0..9).filter(|_| poll(&calls, tool).is_some()).count(), 0, "{tool}");
    }
    for _ in 0..9 {
        assert_eq!((calls.call("sleep"), poll(&calls, "TaskOutput")), (None, None), "waiting and looking");
    }
    let calls = Calls::new(&format!("{ONLY_LOOPS}  polling_tools: [mcp__ci__status]\n"));
    assert_eq!((0..9).filter(|_| poll(&calls, "mcp__ci__status").is_some()).count(), 0);
    assert_eq!((0..4).filter(|_| poll(&calls, "TaskOutput").is_some()).count(), 1);
}

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
fn the_switch_that_a_notice_names_ends_the_messages() {
    use shared::switches::{Position, Reach, turn};
    let calls = Calls::new(&only_capacity(1));
    assert_eq!(calls.told_at(3), [2, 3]);
    let store = shared::state::Store::open(&calls.sandbox.state_dir()).unwrap();
    turn(&store, "rate-awareness", Reach::Machine, Position::Off, shared::host::Clock::System.now()).unwrap();
    assert_eq!(calls.told_at(3), [0; 0]);
}

#[test]
fn the_end_of_the_session_forgets_its_buckets() {
    let calls = Calls::new(&only_capacity(1));
    assert_eq!(calls.told_at(2), [2]);
    assert!(calls.state(&calls.file()).exists());
    assert_eq!(calls.ask(&calls.session.session_end("other")), None);
    assert!(
        !calls.state_names().iter().any(|name| name.contains(&calls.session.id)),
        "{:?}",
        calls.state_names()
    );
    assert_eq!(calls.call("x"), None, "a new bucket is full");
}

#[test]
fn nothing_of_what_is_called_is_ever_written_down() {
    let secret = "hunter2-the-input";
    let calls = Calls::new(
        "rate-awareness: {mode: deny, audience: both, global_default: {capacity: 2, refill_per_sec: 0}}\n",
    );
    for _ in 0..6 {
        let answer = calls.call(secret);
        assert!(!answer.unwrap_or_default().to_string().contains(secret));
    }
    let written = tree(&calls.sandbox.state_dir());
    assert!(written.keys().any(|path| path.ends_with(calls.file())), "{:?}", written.keys());
    for (path, content) in written {
        assert!(!content.contains(secret), "{}: {content}", path.display());
    }
}

/// What the first call tells of a file with this line at line 3 of the project's.
#[track_caller]
fn told_of(line: &str) -> (Calls, String) {
    let calls = Calls::new(&only_capacity(3));
    calls.sandbox.requirements(Level::Project, &format!("rate-awareness:\n  ping_pong: 2\n  {line}\n"));
    let text = notice(calls.call("first").as_ref());
    (calls, text)
}

#[test]
fn a_wrong_entry_of_a_skill_leaves_its_neighbours() {
    let (calls, text) = told_of(
        "per_skill: {a: {capacity: 5, refill_per_sec: -1}, b: {capacity: none}, c: {capactiy: 9}, d: {capacity: 6}, e: }",
    );
    for problem in [
        "per_skill.a.refill_per_sec: expected a number from 0 to 1000000",
        "per_skill.b.capacity: expected a number from 1 to 1000000",
        "per_skill.c.capactiy: no such key; did you mean capacity?",
        "per_skill.e: expected a map of settings",
    ] {
        assert!(text.contains(&format!(":3: rate-awareness.{problem}")), "no `{problem}` in {text}");
    }
    for (skill, capacity) in [("a", 5), ("b", 3), ("c", 3), ("d", 6), ("e", 3)] {
        let session = calls.session.clone().with_id(&format!("session-{skill}"));
        calls.ask(&session.pre_tool_use("Skill", serde_json::json!({ "skill": skill })));
        let call = |number: usize| session.pre_tool_use("Bash", serde_json::json!({ "command": number }));
        let silent = (0..9).take_while(|number| calls.ask(&call(*number)).is_none()).count();
        assert_eq!(silent, capacity, "{skill}");
    }
}

/// One call for everybody, five under `deep-research`.
fn with_entry() -> Calls {
    Calls::new(&format!("{}  per_skill: {{deep-research: {{capacity: 5}}}}\n", only_capacity(1)))
}

#[test]
fn a_skill_has_a_bucket_of_its_own_which_the_call_that_starts_it_does_not_pay_from() {
    let calls = with_entry();
    assert_eq!(calls.skill("deep-research"), None);
    assert_eq!(calls.silent_calls(), 5);
    let text = notice(calls.call("x").as_ref());
    assert!(
        text.starts_with(
            "rate-awareness.per_skill.deep-research: the bucket `deep-research` is empty: 7 calls"
        ),
        "{text}"
    );
    assert!(text.contains("allowed are 5 at once and 0 a minute"), "{text}");
    let other = calls.session.clone().with_prompt_id("9c0fe5a1-0000-4000-8000-000000000002");
    let text = notice(calls.ask(&other.pre_tool_use("Bash", json!({ "command": "x" }))).as_ref());
    assert!(text.contains("the bucket `ungated` is empty: 2 calls"), "a skill holds for its prompt: {text}");
}

#[test]
fn the_recorded_skill_call_is_understood_and_a_plugins_skill_found_by_its_own_name() {
    let calls = Calls::new(&format!("{}  per_skill: {{demo-skill: {{capacity: 3}}}}\n", only_capacity(1)));
    assert_eq!(calls.ask(&calls.session.replay("PreToolUse-Skill")), None);
    assert_eq!(calls.silent_calls(), 3);
    let calls = with_entry();
    assert_eq!(calls.skill("tools:deep-research"), None);
    assert_eq!(calls.silent_calls(), 5);
}

#[test]
fn the_folder_names_the_skill_where_no_call_did() {
    let calls = with_entry();
    let inside = calls.sandbox.project().join(".claude/skills/deep-research/scripts");
    let there = |text: &str| calls.ask(&calls.bash(text).with("cwd", inside.to_str().unwrap()));
    assert_eq!((0..6).take_while(|number| there(&number.to_string()).is_none()).count(), 5);
    assert!(!inside.exists(), "paths are looked at, not the disk");
}
