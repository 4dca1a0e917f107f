//! What came of a day, as it was seen: by the API, by the client's transcripts, by our journal, by git.

use super::scene::Day;
use super::worker::{self, Plan};
use super::{ALL, twice};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use tests::messages_api::{MessagesApi, Recorded};

type Counts = BTreeMap<String, usize>;

/// What came of it.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) prompts: usize,
    pub(super) calls: usize,
    pub(super) edits: usize,
    pub(super) delegations: usize,
    pub(super) commits: usize,
    /// Refusals, held stops, questions and delays, by hook and rule, as the journal has them.
    pub(super) interruptions: Counts,
    /// Refused calls and held stops, by hook, as the client shows them: of two refusals of one call it shows one.
    pub(super) shown: Counts,
    /// Notices to the user, by hook, as the client has shown them.
    pub(super) notices: Counts,
    /// Texts to the model that ask for nothing at once, by hook and event.
    pub(super) advice: Counts,
    /// Requests of the main loop that the plan does not have.
    pub(super) extra_requests: usize,
    /// Requests to judges.
    pub(super) judged: usize,
    /// Changes that nobody was asked about, because what was said of them was not written down in time.
    pub(super) unseen: usize,
    /// What should not be.
    pub(super) wrong: Vec<String>,
}

/// All of them together.
pub(super) fn sum(counts: &Counts) -> usize {
    counts.values().sum()
}

impl Tally {
    pub(super) fn of(day: &Day) -> Self {
        let commits = day.commits();
        let mut tally = Self { commits, edits: worker::edits(&day.sandbox), ..Self::default() };
        let transcripts = day.transcripts();
        let said = transcripts.iter().flat_map(|transcript| twice::said(transcript)).collect();
        for (plan, api) in &day.sessions {
            tally.add_session(plan, api, &said);
        }
        for transcript in &transcripts {
            tally.add_transcript(transcript);
        }
        for line in day.journal() {
            tally.add_journal(&line);
        }
        tally
    }

    /// Interruptions by one of these.
    pub(super) fn interrupted_by(&self, who: &[&str]) -> usize {
        let those = self.interruptions.iter().filter(|(by, _)| who.contains(&by.as_str()));
        those.map(|(_, count)| count).sum()
    }

    fn add_session(&mut self, plan: &Plan, api: &MessagesApi, said: &BTreeSet<String>) {
        let mut requests = api.main_requests();
        // What the client asks by itself when a subagent is done costs the user something, but it is none of ours.
        requests.retain(|request| !worker::is_notice(request));
        self.extra_requests += requests.len() - plan.requests();
        self.judged += api.judge_requests().len();
        let last = requests.last().expect("the model was asked");
        self.add_calls(last);
        self.wrong.extend(twice::in_request(last, said).iter().map(|line| format!("read twice: {line}")));
        for (number, prompt) in plan.prompts.iter().enumerate().filter(|(_, prompt)| prompt.moves.is_empty())
        {
            let asked =
                requests.iter().filter(|request| worker::newest_prompt(request) == Some(number)).count();
            if asked != 1 {
                self.wrong.push(format!("a message followed an answer without tools: {}", prompt.end));
            }
        }
    }

    /// The whole conversation is in its last request.
    fn add_calls(&mut self, last: &Recorded) {
        let blocks = last.body["messages"].as_array().into_iter().flatten();
        let blocks = blocks.flat_map(|message| message["content"].as_array().into_iter().flatten());
        let made = blocks.filter(|block| block["type"] == "tool_use");
        let made: BTreeMap<&str, &Value> =
            made.filter_map(|call| Some((call["id"].as_str()?, call))).collect();
        for result in last.tool_results() {
            let call = made[result.tool_use_id.as_str()];
            let is_ours = call["input"]["command"] == worker::SATISFY;
            if !result.is_error {
                self.calls += usize::from(!is_ours);
                self.delegations += usize::from(call["name"] == "Agent");
            } else if let (true, Some(hook)) = (result.text.contains(" hook error: "), hook_in(&result.text))
            {
                add(&mut self.shown, format!("{hook}: refused call"));
            } else {
                self.wrong.push(format!("a call failed: {}", result.text));
            }
        }
    }

    fn add_transcript(&mut self, lines: &[Value]) {
        self.prompts += lines.iter().filter(|line| line["promptSource"] == "typed").count();
        self.wrong.extend(twice::in_transcript(lines).iter().map(|line| format!("kept twice: {line}")));
        for told in lines.iter().map(|line| &line["attachment"]) {
            let event = told["hookEvent"].as_str().unwrap_or_default();
            let by = |text: &Value| hook_in(text.as_str().unwrap_or_default()).unwrap_or("one of ours");
            match told["type"].as_str().unwrap_or_default() {
                "hook_system_message" => add(&mut self.notices, by(&told["content"]).to_owned()),
                "hook_additional_context" => {
                    for text in told["content"].as_array().into_iter().flatten() {
                        add(&mut self.advice, format!("{} ({event})", by(text)));
                    }
                }
                "hook_blocking_error" => {
                    let hook = by(&told["blockingError"]["blockingError"]);
                    add(&mut self.shown, format!("{hook}: held stop"));
                }
                kind if kind.contains("hook") && kind.contains("error") => {
                    self.wrong.push(format!("a hook failed: {told}"));
                }
                _ => {}
            }
        }
    }

    fn add_journal(&mut self, line: &Value) {
        let field = |name: &str| line[name].as_str().unwrap_or_default();
        let (hook, what, text) = (field("hook"), field("what"), field("text"));
        match what {
            "deny" | "block" | "ask" | "sleep" => {
                add(&mut self.interruptions, format!("{hook}: {what} ({})", field("rule")));
            }
            "judge" if text.ends_with(": answered") => {}
            "let-go" if text == "declaration not seen" => self.unseen += 1,
            "let-go" if NOT_ASKED.iter().all(|why| !text.contains(why)) => {}
            "judge" | "let-go" | "problem" | "error" => self.wrong.push(format!("{hook}: {text}")),
            _ => {}
        }
    }

    /// What is printed.
    pub(super) fn lines(&self, name: &str) -> String {
        let Self { prompts, calls, edits, delegations, commits, extra_requests, judged, unseen, .. } = self;
        let mut text = format!(
            "\n{name}: {prompts} prompts, {calls} calls, {edits} edits, {delegations} delegations, {commits} commits:\n\
             {} interruptions, {extra_requests} extra requests, {judged} questions to a judge ({unseen} changes went \
             unasked), {} notices to the user, \
             {} texts to the model beside\n",
            sum(&self.interruptions),
            sum(&self.notices),
            sum(&self.advice)
        );
        for (counts, what) in [
            (&self.interruptions, "interruption by"),
            (&self.shown, "shown by the client, by"),
            (&self.notices, "notice to the user by"),
            (&self.advice, "text to the model by"),
        ] {
            for (who, count) in counts {
                let _ = writeln!(text, "  {count:3} x {what} {who}");
            }
        }
        text
    }
}

/// Nobody was asked, for want of calls, of money, or of credits.
const NOT_ASKED: [&str; 3] =
    ["enough questions in an hour", "could cost more than is left", "faster than they last"];

fn add(counts: &mut Counts, who: String) {
    *counts.entry(who).or_default() += 1;
}

/// The hook of ours that a text names first.
fn hook_in(text: &str) -> Option<&'static str> {
    let named = ALL.into_iter().filter_map(|name| Some((text.find(name)?, name)));
    named.min().map(|(_, name)| name)
}
