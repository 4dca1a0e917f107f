//! A model that works by a plan, and takes a refusal or a held stop as a good one does: it does what the text asks for.

use super::account::{Account, context};
use super::scene::SESSIONS;
use crate::intent_validator::declaration_for;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tests::messages_api::{Answer, Recorded, Reply, Script};
use tests::sandbox::Sandbox;

/// The file a session works on.
pub(super) fn file(session: usize) -> String {
    format!("src/part{session}.py")
}

/// So many were made: each raises the value in its file by one.
pub(super) fn edits(sandbox: &Sandbox) -> usize {
    let value = |path: std::path::PathBuf| -> usize {
        let text = std::fs::read_to_string(path).expect("the file");
        let value = text.strip_prefix("VALUE = ").and_then(|text| text.split_whitespace().next());
        value.and_then(|value| value.parse().ok()).expect("a value")
    };
    (0..SESSIONS).map(|session| value(sandbox.project().join(file(session)))).sum()
}

/// What the refusal of a requirement asks for.
pub(super) const SATISFY: &str = "req satisfy commit_plan";

/// What a session is to do.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    session: usize,
    pub(super) prompts: Vec<Prompt>,
}

/// One prompt and what is done for it.
#[derive(Clone, Debug)]
pub(super) struct Prompt {
    pub(super) moves: Vec<Move>,
    /// What its turn ends with.
    pub(super) end: String,
}

/// One call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    Look(usize),
    Read,
    Edit,
    Delegate,
    Commit,
}

impl Plan {
    /// Ten prompts, two of them answered without a call; 150 calls, 30 of them edits; 25 delegations and ten commits over the
    /// four sessions.
    pub(super) fn of(session: usize) -> Self {
        const WORKING: [usize; 8] = [0, 1, 2, 4, 5, 6, 8, 9];
        let mut moves: Vec<Vec<Move>> = vec![Vec::new(); 10];
        let delegations = if session == 0 { 7 } else { 6 };
        let commits = if session < 2 { 3 } else { 2 };
        moves[0].push(Move::Read);
        let deal = |moves: &mut Vec<Vec<Move>>, what: Move, count: usize, offset: usize| {
            for turn in 0..count {
                moves[WORKING[(turn + offset) % WORKING.len()]].push(what);
            }
        };
        deal(&mut moves, Move::Delegate, delegations, session);
        deal(&mut moves, Move::Edit, 30, 0);
        let looks = 150 - 1 - delegations - 30 - commits;
        for look in 0..looks {
            let turn = &mut moves[WORKING[look % WORKING.len()]];
            let place = turn.len() / 2 + usize::from(turn.first() == Some(&Move::Read));
            turn.insert(place.min(turn.len()), Move::Look(look));
        }
        deal(&mut moves, Move::Commit, commits, 3);
        let end = |number| format!("End of turn {session}-{number}.");
        let prompts = moves.into_iter().enumerate().map(|(number, moves)| Prompt { moves, end: end(number) });
        Self { session, prompts: prompts.collect() }
    }

    /// What the user types.
    pub(super) fn words(&self, number: usize) -> String {
        format!("[[prompt {number}]] Raise the value in {} step by step", file(self.session))
    }

    /// Requests of the main loop, if nobody interrupts.
    pub(super) fn requests(&self) -> usize {
        self.prompts.iter().map(|prompt| prompt.moves.len() + 1).sum()
    }
}

/// The prompt whose turn a request belongs to.
pub(super) fn newest_prompt(request: &Recorded) -> Option<usize> {
    let texts = request.shown_texts();
    let text = texts.iter().rev().find(|text| text.contains("[[prompt "))?;
    let (_, number) = text.rsplit_once("[[prompt ")?;
    number.split(']').next()?.parse().ok()
}

/// A request that nobody but the client is behind: to tell that a subagent is done, when nothing else is going on.
pub(super) fn is_notice(request: &Recorded) -> bool {
    let words = newest(request).words;
    let is_else =
        |words: &str| ["[[prompt ", "tool_result", "Stop hook"].iter().any(|mark| words.contains(mark));
    words.contains("<task-notification>") && !is_else(&words)
}

/// The model.
pub(super) struct Worker {
    plan: Plan,
    account: Arc<Account>,
    path: String,
    declaration: String,
    /// The prompt that is worked on, and how many of its moves are done.
    at: (usize, usize),
    /// So many answers were given.
    answered: usize,
    file: File,
    /// It has learnt that edits are to be declared.
    declares: bool,
    /// The move in hand is to be made again.
    again: bool,
}

/// The file it edits, as it believes it to be.
struct File {
    value: usize,
    line: String,
    /// The same, if the edit in hand is made.
    next: String,
    /// What a reviewer wanted to read beside it.
    comment: String,
    /// So many edits were begun.
    edits: usize,
}

/// At this edit of a session it forgets to name a test.
const FORGETFUL: usize = 15;

impl Worker {
    pub(super) fn new(sandbox: &Sandbox, plan: Plan, account: Arc<Account>) -> Self {
        let path = sandbox.project().join(file(plan.session)).display().to_string();
        let line = "VALUE = 0\n".to_owned();
        Self {
            plan,
            account,
            path,
            declaration: String::new(),
            at: (usize::MAX, 0),
            answered: 0,
            file: File { value: 0, next: line.clone(), line, comment: String::new(), edits: 0 },
            declares: false,
            again: false,
        }
    }

    pub(super) fn script(self, script: Script) -> Script {
        let worker = Arc::new(Mutex::new(self));
        let helped = (0..20).flat_map(|_| [Reply::bash("true"), Reply::text("looked")]);
        let main = Answer::made_by(move |request| worker.lock().expect("the worker").charged(request));
        script.route("sub", helped).otherwise(main)
    }

    fn charged(&mut self, request: &Recorded) -> Reply {
        let reply = self.answer(request);
        self.answered += 1;
        let used = context(self.plan.session, self.answered, self.plan.requests());
        self.account.charged(reply.usage(used))
    }

    fn answer(&mut self, request: &Recorded) -> Reply {
        let newest = newest(request);
        if let Some(result) = newest.refusal {
            return self.obey(&result);
        }
        if !self.again {
            self.file.line.clone_from(&self.file.next);
        }
        if newest.words.contains("Stop hook feedback") {
            return self.acknowledge(&newest.words);
        }
        let prompt = newest_prompt(request).unwrap_or_default();
        if prompt != self.at.0 {
            self.at = (prompt, 0);
        } else if std::mem::take(&mut self.again) {
            return self.make(self.plan.prompts[prompt].moves[self.at.1 - 1]);
        }
        match self.plan.prompts[prompt].moves.get(self.at.1).copied() {
            Some(next) => {
                self.at.1 += 1;
                if next == Move::Edit {
                    self.file.value += 1;
                    self.file.edits += 1;
                }
                self.make(next)
            }
            None => Reply::text(&self.plan.prompts[prompt].end.clone()),
        }
    }

    /// Does what a refusal asks for.
    fn obey(&mut self, refusal: &str) -> Reply {
        let current = self.plan.prompts[self.at.0].moves[self.at.1 - 1];
        if refusal.contains("found fault with it") {
            self.file.comment = format!("  # step {}", self.file.value);
        } else if refusal.contains("intent-validator") {
            self.declares = true;
            self.declaration = declaration_for(refusal);
            self.file.edits += 1;
        }
        if refusal.contains("requirements-check") {
            self.again = true;
            return Reply::bash(SATISFY);
        }
        self.make(current)
    }

    /// Ends the turn as a held stop asks for.
    fn acknowledge(&self, feedback: &str) -> Reply {
        let end = &self.plan.prompts[self.at.0].end;
        let token = feedback.rfind("ACK-").map(|at| feedback[at..].chars().take(8).collect::<String>());
        let value = self.file.value;
        Reply::text(&format!("The value is {value} now. {} {end}", token.unwrap_or_default()))
    }

    fn make(&mut self, what: Move) -> Reply {
        match what {
            Move::Look(number) => Reply::bash(&format!("echo {number} && cat {}", file(self.plan.session))),
            Move::Read => Reply::tool("Read", json!({ "file_path": self.path })),
            Move::Delegate => Reply::agent("sub", "look around"),
            // Another session may hold git's lock.
            Move::Commit => Reply::bash(&format!(
                "(for try in 1 2 3 4 5 6; do git commit --quiet --message step -- {} && exit; sleep 0.3; done; exit 1)",
                file(self.plan.session)
            )),
            Move::Edit => self.edit(),
        }
    }

    fn edit(&mut self) -> Reply {
        self.file.next = format!("VALUE = {}{}\n", self.file.value, self.file.comment);
        let input =
            json!({ "file_path": self.path, "old_string": self.file.line, "new_string": self.file.next });
        if !self.declares {
            return Reply::tool("Edit", input);
        }
        let is_forgetful = self.file.edits == FORGETFUL;
        let said = self.declaration.lines().filter(|line| !(is_forgetful && line.starts_with("TEST:")));
        Reply::text(&said.collect::<Vec<_>>().join("\n")).and_tool("Edit", input)
    }
}

/// What the newest message of the client's holds.
struct Newest {
    /// The text of a call that was refused by one of ours.
    refusal: Option<String>,
    /// All of it, as JSON.
    words: String,
}

fn newest(request: &Recorded) -> Newest {
    let messages = request.body["messages"].as_array().cloned().unwrap_or_default();
    let last = messages.iter().rev().take_while(|message| message["role"] != "assistant").collect::<Vec<_>>();
    let words: String = last.iter().rev().map(|message| message["content"].to_string()).collect();
    let results = || last.iter().flat_map(|message| message["content"].as_array().into_iter().flatten());
    let is_refused = |block: &&Value| block["type"] == "tool_result" && block["is_error"] == json!(true);
    let refusal = results().find(is_refused).map(|block| match &block["content"] {
        Value::String(text) => text.clone(),
        blocks => blocks[0]["text"].as_str().unwrap_or_default().to_owned(),
    });
    Newest { refusal, words }
}
