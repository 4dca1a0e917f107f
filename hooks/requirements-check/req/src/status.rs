//! `req status`: what is required, satisfied or not, why, and how to satisfy it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::known::Known;
use crate::reply::{Reply, json, short};
use crate::request::RequestContext;
use crate::standing::{Standing, State};
use crate::verb::Status;
use requirements_check::rule::Rule;
use requirements_check::settings::Kind;
use requirements_check::strategy::Remedy;
use requirements_check::view::View;
use requirements_check::wording;

/// What is required here and how it stands.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StatusReport {
    /// The form of this object: 1.
    version: u32,
    /// Where this is, in words: a branch, a commit, a project without git.
    place: String,
    /// The branch; null on a commit without one, and without git.
    branch: Option<String>,
    /// The session it was judged for; null where none is named and not exactly one is live.
    session: Option<String>,
    /// The requirements; with --all those that are off, too.
    requirements: Vec<Standing>,
    /// What the user should know of what was looked at.
    notes: Vec<String>,
}

impl RequestContext<'_> {
    pub(crate) fn status(&self, wanted: &Status) -> Result<Reply, String> {
        self.branch(wanted.branch.as_deref())?;
        let (view, world) = (self.view, self.view.world);
        let mut all: Vec<Standing> = Rule::all(self.settings).map(|rule| self.standing(&rule)).collect();
        let first = self.pause.iter().chain(&self.known.skipped).cloned();
        let notes: Vec<String> = first.clone().chain(world.notes.iter().cloned()).collect();
        let summary = self.summary(&all);
        if wanted.summary {
            let more = if notes.is_empty() { "" } else { "; something is wrong, see req status" };
            return Ok(Reply::yes(format!("{summary}{more}")));
        }
        let is_empty = all.is_empty();
        if wanted.all {
            all.extend(self.off());
        }
        if wanted.json {
            return Ok(Reply::yes(json(&StatusReport {
                version: 1,
                place: world.shown(),
                branch: world.branch().map(ToOwned::to_owned),
                session: view.session.map(ToOwned::to_owned),
                requirements: all,
                notes,
            })));
        }
        let mut text: Vec<String> = first.collect();
        text.push(if is_empty { summary } else { format!("{summary} ({})", self.whose_count()) });
        text.extend((is_empty && self.known.skipped.is_empty() && !wanted.all).then(|| self.first_step()));
        text.extend(Standing::lines(&all, wanted.all));
        text.extend(world.notes.iter().cloned());
        Ok(Reply::yes(text.join("\n")))
    }

    fn standing(&self, rule: &Rule<'_>) -> Standing {
        let (state, why) = judged(rule, self.view, self.known);
        let mut standing = Standing::new(rule, (state, why), self.origin);
        standing.checked = Some(wording::when(rule));
        standing.remedy = (state != State::Met).then(|| remedy(rule, state, self.view));
        standing
    }

    /// Requirements that are described and not in force.
    fn off(&self) -> impl Iterator<Item = Standing> {
        self.settings.requirements.iter().filter_map(|(name, set)| {
            let rule = Rule { name, set };
            let why = if set.is_on() { rule.lacks()? } else { "its `enabled` is not true" };
            Some(Standing::new(&rule, (State::Off, why.to_owned()), self.origin))
        })
    }

    fn summary(&self, all: &[Standing]) -> String {
        let named = |state: State| {
            let names: Vec<&str> =
                all.iter().filter(|one| one.state == state).map(|one| one.name.as_str()).collect();
            if names.is_empty() { String::new() } else { format!("; {}: {}", state.word(), names.join(", ")) }
        };
        let met = all.iter().filter(|one| one.state == State::Met).count();
        let met = match (self.known.skipped.is_empty(), all) {
            (true, []) => return "nothing is required here".to_owned(),
            (false, []) => return "a file is skipped, so what is required here is not known".to_owned(),
            (true, _) => format!("{met} of {} satisfied", all.len()),
            // All of what is known is not all of it.
            (false, _) => {
                format!("a file is skipped, so what it requires is not known; of the rest {met} satisfied")
            }
        };
        format!("{met} {}{}{}", self.view.world.on(), named(State::Open), named(State::Unknown))
    }

    /// The session whose satisfactions count.
    fn whose_count(&self) -> String {
        match (self.view.session, self.known.live_names().as_slice()) {
            (Some(id), _) => format!("session {}", short(id)),
            (None, []) => "no session is live here".to_owned(),
            (None, live) => format!("live here: {}; name one with --session", live.join(", ")),
        }
    }

    fn first_step(&self) -> String {
        match (self.settings.requirements.len(), &self.file) {
            (0, None) => "to begin: req init writes a first file".to_owned(),
            (0, Some(file)) => {
                format!("to begin: write requirements into {file}; req docs requirements shows how")
            }
            (number, _) => format!("described and switched off: {number}; req status --all lists them"),
        }
    }
}

/// How a requirement stands now, and why; where no session is live, how it stands for the next one.
fn judged(rule: &Rule<'_>, view: &View<'_>, known: &Known) -> (State, String) {
    let is_of_files = matches!(rule.kind(), Kind::Dynamic | Kind::Evidence);
    if known.is_turned && is_of_files && view.exception(rule).is_none() {
        return (State::Unknown, format!("{} is not checked out here", view.world.shown()));
    }
    let has_record = matches!(rule.kind(), Kind::Blocking | Kind::Evidence);
    let needs_session = view.session.is_none() && view.scope(rule).is_own() && has_record;
    match rule.standing(view) {
        Ok(how) => (State::Met, how),
        Err(_) if needs_session && known.live.is_empty() => {
            (State::Open, "every new session begins without it".to_owned())
        }
        Err(_) if needs_session => {
            (State::Unknown, "each session satisfies it for itself, and none is named".to_owned())
        }
        Err(why) => (State::Open, why),
    }
}

fn remedy(rule: &Rule<'_>, state: State, view: &View<'_>) -> String {
    let or = match rule.remedy(view) {
        Remedy::Do(what) => return what,
        Remedy::Satisfy { or } => or.map(|or| format!("{or}, or ")).unwrap_or_default(),
    };
    let is_unknown = state == State::Unknown;
    let whose = if is_unknown { " --session ID" } else { "" };
    let is_next = view.session.is_none() && view.scope(rule).is_own() && !is_unknown;
    let who = if is_next { "Claude types " } else { "" };
    format!("{or}{who}{} satisfy {}{whose}", view.world.req(), rule.word())
}
