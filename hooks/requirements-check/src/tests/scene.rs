//! A session as the rules see it, for tests: one event after the other, what each remembers and changes carried out in memory.

mod session;

use std::path::PathBuf;

use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use shared::cli::Reply;
use shared::hook::{Input, Memory, Outcome, Verdict};
use shared::protocol::{Call as Common, Event, Request, Stop as StopEvent, ToolCall};
use transcript::TurnWork;

use crate::call::Call;
use crate::change::Change;
use crate::decide::decide;
use crate::facts::{After, Before, Facts};
use crate::rule::Rule;
use crate::state::{Run, State};
use crate::world::World;
use session::origin;
pub(crate) use session::{OTHER, OWN, ROOT, SESSION, Scene, settings};

/// The facts of a project that `req` alone knows.
pub(crate) type Known = ();

fn known() {}

pub(crate) type Answer = Outcome<State, Change>;

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Succeeded,
    Failed,
    /// Interrupted, or gone into the background.
    Unfinished,
    /// Without the output that is asked for.
    WithoutOutput,
    /// Well, and files are others than before.
    ChangedFiles,
}

impl Scene {
    /// Decides about an event and carries the outcome out.
    pub(crate) fn decide(&mut self, event: Event, facts: impl FnOnce(World) -> Facts) -> Answer {
        let facts = facts(std::mem::take(&mut self.world));
        let call = Common {
            session_id: self.session.clone(),
            prompt_id: Some("p1".to_owned()),
            cwd: Some(PathBuf::from(ROOT)),
            ..Common::default()
        };
        let outcome = decide(&Input {
            request: &Request { call, event },
            facts: &facts,
            state: &self.state,
            state_is_usable: self.state_is_usable,
            settings: &self.settings,
            blocks: self.blocks,
            started: self.now,
            now: self.now,
            headless: self.headless,
            switched_off: false,
            origin: &origin,
        });
        self.world = match facts {
            Facts::Before(facts) => facts.worlds.into_iter().next().unwrap(),
            Facts::After(facts) => facts.world,
            Facts::Prompt(world, _) | Facts::Stop(world, _) | Facts::Start(world, _) | Facts::End(world) => {
                *world
            }
        };
        self.carry_out(&outcome.effects);
        match &outcome.memory {
            Memory::Keep => {}
            Memory::Save(state) | Memory::Note(state) => self.state = state.clone(),
            Memory::Drop => self.state = State::default(),
        }
        outcome
    }

    /// Before a call.
    pub(crate) fn before(&mut self, id: &str, tool: &str, input: &Value) -> Answer {
        self.before_with(id, tool, input, |_| {})
    }

    /// Before a call, with more facts.
    pub(crate) fn before_with(
        &mut self,
        id: &str,
        tool: &str,
        input: &Value,
        change: impl FnOnce(&mut Before),
    ) -> Answer {
        let tool = tool_call(id, tool, input);
        let call = Call::read(&tool, None);
        let is_judged = |rule: &Rule<'_>| rule.is_for_calls() && rule.is_triggered_by(&call);
        let judged = Rule::all(&self.settings).filter(is_judged).map(|rule| rule.name.to_owned()).collect();
        self.decide(Event::PreToolUse(tool), |world| {
            let worlds = vec![World { judged, ..world }];
            let mut facts = Before { call, worlds, breach: None, runs: Vec::new(), registers: false };
            change(&mut facts);
            Facts::Before(Box::new(facts))
        })
    }

    /// After a call.
    pub(crate) fn after(&mut self, id: &str, tool: &str, input: &Value, end: End) -> Answer {
        let tool = tool_call(id, tool, input);
        let call = Call::read(&tool, None);
        let all = |wanted: End| {
            let is_wanted = end == wanted;
            self.settings.requirements.keys().filter(|_| is_wanted).cloned().collect::<Vec<_>>()
        };
        let (without_output, changed) = (all(End::WithoutOutput), all(End::ChangedFiles));
        let satisfied = crate::observe::after::satisfied_by_line(&call);
        self.decide(Event::Other("PostToolUse".to_owned()), |world| {
            Facts::After(Box::new(After {
                call,
                world,
                succeeded: end != End::Failed,
                is_unfinished: end == End::Unfinished,
                changed: changed.into_iter().map(|name| (name, vec!["report.xml".to_owned()])).collect(),
                without_output,
                satisfied,
            }))
        })
    }

    /// Before an edit of a file of the work tree.
    pub(crate) fn edit(&mut self, id: &str) -> Answer {
        self.before(id, "Edit", &edit_of("src/a.rs"))
    }

    /// After an edit that succeeded.
    pub(crate) fn edited(&mut self, id: &str) -> Answer {
        self.after(id, "Edit", &edit_of("src/a.rs"), End::Succeeded)
    }

    pub(crate) fn bash(&mut self, id: &str, line: &str) -> Answer {
        self.before(id, "Bash", &json!({ "command": line }))
    }

    /// Before a line of Bash whose command may become evidence for `name`; `files` is the digest of the files.
    pub(crate) fn bash_for(&mut self, id: &str, line: &str, name: &str, files: &str) -> Answer {
        let [call, name, command, files] = [id, name, line, files].map(str::to_owned);
        let run = Run { call, name, command, files };
        self.before_with(id, "Bash", &json!({ "command": line }), |facts| facts.runs.push(run))
    }

    pub(crate) fn bash_ended(&mut self, id: &str, line: &str, end: End) -> Answer {
        self.after(id, "Bash", &json!({ "command": line }), end)
    }

    pub(crate) fn stop(&mut self, message: &str, work: TurnWork) -> Answer {
        let stop = StopEvent { last_assistant_message: Some(message.to_owned()), ..StopEvent::default() };
        self.decide(Event::Stop(stop), |world| Facts::Stop(Box::new(world), work))
    }

    pub(crate) fn start(&mut self, source: &str) -> Answer {
        self.start_with(source, Vec::new())
    }

    /// A session's start, with notices that no later one repeats.
    pub(crate) fn start_with(&mut self, source: &str, once: Vec<(String, PathBuf)>) -> Answer {
        let event = Event::SessionStart { source: source.to_owned(), model: None };
        self.decide(event, |world| Facts::Start(Box::new(world), once))
    }

    pub(crate) fn end(&mut self, reason: &str) -> Answer {
        let event = Event::SessionEnd { reason: reason.to_owned() };
        self.decide(event, |world| Facts::End(Box::new(world)))
    }

    /// A prompt, and what `req` answers to it.
    pub(crate) fn prompt(&mut self, prompt: &str, answer: Option<&str>) -> Answer {
        let answered = answer.map(Reply::yes);
        let event = Event::UserPromptSubmit { prompt: prompt.to_owned(), source: None };
        self.decide(event, |world| Facts::Prompt(Box::new(world), answered))
    }
}

pub(crate) fn tool_call(id: &str, tool: &str, input: &Value) -> ToolCall {
    ToolCall {
        tool_name: tool.to_owned(),
        tool_use_id: Some(id.to_owned()),
        tool_input: Some(to_raw_value(input).unwrap()),
    }
}

pub(crate) fn call(tool: &str, input: &Value) -> Call {
    Call::read(&tool_call("t", tool, input), None)
}

pub(crate) fn edit_of(file: &str) -> Value {
    json!({ "file_path": format!("{ROOT}/{file}") })
}

/// The reason with which a call is denied; fails if it is not.
#[track_caller]
pub(crate) fn denied(answer: &Answer) -> &str {
    match &answer.verdict {
        Verdict::Deny { reason, .. } => reason,
        other => panic!("not denied: {other:?}"),
    }
}

/// Nobody reads anything.
pub(crate) fn is_silent(answer: &Answer) -> bool {
    answer.verdict == Verdict::Pass && answer.notice.is_none()
}
