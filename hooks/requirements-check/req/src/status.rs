//! `req status`: what is required, satisfied or not, why, and how to satisfy it.

use serde::Serialize;
use serde_json::json;

use crate::location::Location;
use crate::pause;
use crate::reply::{Answer, Reply, short};
use crate::request::{Known, RequestContext};
use crate::verb::Status;
use requirements_check::rule::Rule;
use requirements_check::settings::{Kind, Scope};
use requirements_check::strategy::Remedy;
use requirements_check::wording::when;
use requirements_check::world::View;

/// A requirement, as `req status` and `req ci` report it.
#[derive(Serialize)]
pub(crate) struct Standing {
    name: String,
    #[serde(rename = "type")]
    kind: Kind,
    scope: Scope,
    pub(crate) state: State,
    why: String,
    checked: Option<String>,
    remedy: Option<String>,
    set_in: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    Met,
    /// Without a live session it is not satisfied for the next one.
    Open,
    /// Nobody can know it here.
    Unknown,
    /// It is described and not in force.
    Off,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Met => "satisfied",
            Self::Open => "not satisfied",
            Self::Unknown => "unknown",
            Self::Off => "off",
        }
    }
}

impl Standing {
    pub(crate) fn new(rule: &Rule<'_>, (state, why): (State, String), location: &Location) -> Self {
        Self {
            name: rule.name.to_owned(),
            kind: rule.kind(),
            scope: rule.set.scope,
            state,
            why,
            checked: None,
            remedy: None,
            set_in: location.section.origin(&rule.key()).map(|origin| origin.to_string()),
        }
    }

    /// Each as a line and what belongs below it.
    pub(crate) fn lines(all: &[Self], with_places: bool) -> Vec<String> {
        let width = all.iter().map(|one| one.name.chars().count()).max().unwrap_or(0);
        let mut lines = Vec::new();
        for Self { name, state, why, checked, remedy, set_in, .. } in all {
            let checked = checked.as_ref().map(|checked| format!("; checked {checked}")).unwrap_or_default();
            lines.push(format!("  {:13}  {name:width$}  {why}{checked}", state.word()));
            let remedy = remedy.as_ref().map(|remedy| format!("to satisfy it: {remedy}"));
            let place = set_in.as_ref().filter(|_| with_places).map(|place| format!("set in {place}"));
            let below = |line| format!("{:width$}  {line}", "", width = width + 17);
            lines.extend(remedy.into_iter().chain(place).map(below));
        }
        lines
    }
}

impl RequestContext<'_> {
    pub(crate) fn status(&self, wanted: &Status) -> Answer {
        self.branch(wanted.branch.as_deref())?;
        let (view, world) = (self.view, self.view.world);
        let mut all: Vec<Standing> = Rule::all(self.settings()).map(|rule| self.standing(&rule)).collect();
        let first = pause::note(self.location).into_iter().chain(self.known.skipped.iter().cloned());
        let first: Vec<String> = first.collect();
        let summary = self.summary(&all);
        if wanted.summary {
            let is_fine = first.is_empty() && world.notes.is_empty();
            let more = if is_fine { "" } else { "; something is wrong, see req status" };
            return Ok(Reply::yes(format!("{summary}{more}")));
        }
        let is_empty = all.is_empty();
        if wanted.all {
            all.extend(self.off());
        }
        if wanted.output.json {
            let notes = [first, world.notes.clone()].concat();
            return Ok(Reply::json(&json!({
                "place": world.shown(),
                "branch": world.branch(),
                "session": view.session,
                "requirements": all,
                "notes": notes,
            })));
        }
        let head = if is_empty { summary } else { format!("{summary} ({})", self.whose_count()) };
        let begins = is_empty && self.known.skipped.is_empty() && !wanted.all;
        let next = begins.then(|| self.first_step());
        let lines = first.into_iter().chain([head]).chain(next).chain(Standing::lines(&all, wanted.all));
        // Without a requirement there is nothing to enforce.
        let unregistered = self.location.unregistered().filter(|_| !is_empty);
        Ok(Reply::lines(lines.chain(world.notes.iter().cloned()).chain(unregistered)))
    }

    fn standing(&self, rule: &Rule<'_>) -> Standing {
        let (state, why) = judged(rule, self.view, self.known);
        let remedy = (state != State::Met).then(|| remedy(rule, state, self.view));
        let checked = Some(when(rule));
        Standing { checked, remedy, ..Standing::new(rule, (state, why), self.location) }
    }

    fn off(&self) -> impl Iterator<Item = Standing> {
        self.settings().requirements.iter().filter_map(|(name, set)| {
            let rule = Rule { name, set };
            let why = "its `enabled` is not true".to_owned();
            (!set.is_on()).then(|| Standing::new(&rule, (State::Off, why), self.location))
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

    fn whose_count(&self) -> String {
        match (self.view.session, self.known.live_names().as_slice()) {
            (Some(id), _) => format!("session {}", short(id)),
            (None, []) => "no session is live here".to_owned(),
            (None, live) => format!("live here: {}; name one with --session", live.join(", ")),
        }
    }

    fn first_step(&self) -> String {
        const MISNAMED: [&str; 4] =
            [".claude/requirements.yml", ".claude/requirement.yaml", "requirements.yaml", "requirements.yml"];
        let root = self.location.places.root.as_ref();
        let misnamed = root.and_then(|root| MISNAMED.into_iter().find(|name| root.join(name).is_file()));
        match (self.settings().requirements.len(), self.location.file(), misnamed) {
            (0, None, Some(name)) => {
                format!("to begin: req init writes .claude/requirements.yaml ({name} is not read)")
            }
            (0, None, None) => "to begin: req init writes a first file".to_owned(),
            (0, Some(file), _) => {
                format!("to begin: write requirements into {file}; req docs requirements shows how")
            }
            (number, ..) => format!("described and switched off: {number}; req status --all lists them"),
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
        Remedy::Do(what) if state == State::Unknown && rule.set.is_the_users() => {
            return format!("{what} --session ID");
        }
        Remedy::Do(what) => return what,
        Remedy::Satisfy(or) => or.map(|or| format!("{or}, or ")).unwrap_or_default(),
    };
    let is_unknown = state == State::Unknown;
    let whose = if is_unknown { " --session ID" } else { "" };
    let is_next = view.session.is_none() && view.scope(rule).is_own() && !is_unknown;
    let who = if is_next { "Claude types " } else { "" };
    format!("{or}{who}{} satisfy {}{whose}", view.world.req(), rule.word())
}
