//! Driving a hook that asks a model, and playing the model: what the hook is told, what it asks, what it leaves behind. What
//! is the same for every hook is in [`crate::driver`].

use std::ops::Deref;

use serde_json::{Value, json};
use tests::payloads::{Payload, Session};
use tests::transcripts::Transcript;

use crate::driver::{Driver, block_reason, denial, tree};
use crate::endpoint::Manner;
use crate::judge_api::{self, Asked, JudgeApi};
use crate::privacy::secrets::{Secret, holder};

pub(crate) const KEY: &str = "sk-ant-very-secret";

/// So much time nobody needs who is answered at once, on the busiest machine.
pub(crate) const PATIENT: &str = "deadline_secs: 30";

pub(crate) const HOOKS: [&str; 2] = ["intent-validator", "tempo-stop"];

/// A file of the project that wants no test.
pub(crate) const FILE: &str = "tools/greet.py";

pub(crate) const DECLARATION: &str =
    "FILE: tools/greet.py\nCHANGES: add a function that greets\nGOAL: visitors are greeted";

pub(crate) const REQUEST: &str = "Have the visitors greeted.";

pub(crate) struct Judged {
    driver: Driver,
    pub(crate) name: &'static str,
    pub(crate) api: JudgeApi,
}

impl Deref for Judged {
    type Target = Driver;

    fn deref(&self) -> &Driver {
        &self.driver
    }
}

impl Judged {
    /// With these settings of its own and of the judge, as in a YAML map.
    pub(crate) fn new(
        name: &'static str,
        own: &str,
        judge: &str,
        manners: impl IntoIterator<Item = Manner>,
    ) -> Self {
        Self::with_global(name, &global(name, own, judge), manners)
    }

    pub(crate) fn with_global(
        name: &'static str,
        global: &str,
        manners: impl IntoIterator<Item = Manner>,
    ) -> Self {
        let mut driver = Driver::new(name, global);
        let api = JudgeApi::start(manners);
        driver.variables.insert("ANTHROPIC_BASE_URL".to_owned(), api.url());
        driver.variables.insert("ANTHROPIC_API_KEY".to_owned(), KEY.to_owned());
        Self { driver, name, api }
    }

    pub(crate) fn another(&self, number: usize) -> Session {
        self.session.clone().with_id(&format!("5e55104e-0000-4000-8000-{:012}", 1_000 + number))
    }

    /// An event of that session in which a model is asked, with a transcript that makes it so. Another number, another one.
    pub(crate) fn question_of(&self, session: &Session, number: usize) -> Payload {
        if self.name == "tempo-stop" {
            worked(session, REQUEST);
            return session.stop(&format!("It is done, as far as I see ({number})."));
        }
        says(session, REQUEST, DECLARATION);
        write(session, FILE, &format!("def greet():\n    return {number}\n"))
    }

    pub(crate) fn question(&self, number: usize) -> Payload {
        self.question_of(&self.session, number)
    }

    /// Of each of these secrets nothing is in its own requests, which came in this order and so many for each, nor in the
    /// state folder.
    #[track_caller]
    pub(crate) fn assert_kept_back(&self, secrets: &[Secret], requests_each: usize) {
        let asked = self.api.requests();
        assert_eq!(asked.len(), requests_each * secrets.len(), "{}", self.journal());
        for (secret, own) in secrets.iter().zip(asked.chunks(requests_each)) {
            let out = holder(std::slice::from_ref(secret), own.iter().map(|asked| asked.text.as_str()));
            assert_eq!(out, None, "a piece of {} went out", secret.text);
        }
        let kept = tree(&self.sandbox.state_dir());
        assert_eq!(holder(secrets, kept.values().map(String::as_str)), None, "a piece is kept");
    }
}

/// A global file in which the hook is on and has a way to a model.
pub(crate) fn global(name: &str, own: &str, judge: &str) -> String {
    let deadline = if judge.contains("deadline_secs") { "" } else { "deadline_secs: 1, " };
    let backend = if judge.contains("backend") { "" } else { "backend: messages_api, " };
    format!("{name}: {{ enabled: true, {own} }}\njudge: {{ {backend}{deadline}{judge} }}\n")
}

pub(crate) fn approves() -> Manner {
    judge_api::verdict(&approval())
}

pub(crate) fn approval() -> Value {
    json!({ "verdict": "APPROVED", "findings": [], "feedback": "" })
}

/// The call goes on, and nobody is asked about it.
#[track_caller]
pub(crate) fn assert_goes_on(answer: Option<&Value>) {
    let Some(there) = answer else { return };
    let decision = &there["hookSpecificOutput"]["permissionDecision"];
    assert!(denial(answer).is_none() && block_reason(answer).is_none() && decision.is_null(), "{there}");
}

/// A turn in which the user said this and a tool was called.
pub(crate) fn worked(session: &Session, request: &str) {
    let bash = json!({ "command": "make greeting" });
    Transcript::of(session).prompt(request).tool_call("Bash", &bash).text("It is done.").write();
}

/// A turn in which the user said this, and the model says that in the message that makes the call.
pub(crate) fn says(session: &Session, request: &str, prose: &str) {
    let said = Transcript::of(session).prompt(request).message("msg_own").text(prose);
    said.call(CALL, "Write", &json!({})).write();
}

pub(crate) const CALL: &str = "toolu_judged";

pub(crate) fn write(session: &Session, file: &str, content: &str) -> Payload {
    let input = json!({ "file_path": session.cwd.join(file), "content": content });
    session.pre_tool_use("Write", input).with("tool_use_id", CALL)
}

pub(crate) fn told(answers: &[Option<Value>], cause: &str) -> usize {
    answers.iter().filter(|answer| crate::driver::notice(answer.as_ref()).contains(cause)).count()
}

/// A question's material: its parts by name, each as it was before it was quoted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Material(pub(crate) Vec<(String, String)>);

impl Material {
    /// Reads it; fails on anything that has not the form of a question.
    #[track_caller]
    pub(crate) fn of(asked: &Asked) -> Self {
        let messages = asked.body["messages"].as_array().unwrap_or_else(|| panic!("no message: {asked:?}"));
        assert_eq!((messages.len(), &messages[0]["role"]), (1, &json!("user")), "{asked:?}");
        let text = messages[0]["content"].as_str().expect("the material is a text");
        let lines: Vec<&str> = text.split('\n').collect();
        let first = lines.iter().find_map(|line| line.strip_prefix("BEGIN ")).expect("a boundary");
        assert!(first.len() == 32 && first.bytes().all(|byte| byte.is_ascii_hexdigit()), "{first}");
        let (begin, end) = (format!("BEGIN {first}"), format!("END {first}"));
        let begins: Vec<usize> = (0..lines.len()).filter(|at| lines[*at] == begin).collect();
        assert_eq!(text.matches(first).count(), 2 * begins.len(), "{text}");
        let part = |at: &usize| {
            assert_eq!(lines[at + 2], end, "one line stands between: {text}");
            let name = lines[at - 1].strip_suffix(':').expect("a name").to_owned();
            let shown = serde_json::from_str(lines[at + 1]);
            (name, shown.unwrap_or_else(|error| panic!("{error}: {}", lines[at + 1])))
        };
        let parts: Vec<_> = begins.iter().map(part).collect();
        // A head, and of each part a blank line, its name and three lines; a line end at the end.
        assert_eq!(lines.len(), 2 + 5 * parts.len(), "{text}");
        Self(parts)
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        self.0.iter().map(|(name, _)| name.as_str()).collect()
    }

    #[track_caller]
    pub(crate) fn part(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(there, _)| there == name);
        &found.unwrap_or_else(|| panic!("no part {name}: {self:?}")).1
    }
}
