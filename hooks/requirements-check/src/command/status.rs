//! `req status`: what is required here, met or not, why, and how to meet it.

use schemars::JsonSchema;
use serde::Serialize;

use super::Reply;
use super::parse::Status;
use crate::rule::Rule;
use crate::settings::{Kind, Scope, Settings};
use crate::strategy::{Remedy, Standing};
use crate::view::View;
use crate::wording::{self, Origins};

/// One requirement as it stands.
struct Line<'a> {
    rule: Rule<'a>,
    standing: Standing,
    /// Why it cannot be told how it stands.
    unknown: Option<String>,
}

impl Line<'_> {
    fn state(&self) -> State {
        match (&self.standing, &self.unknown) {
            (_, Some(_)) => State::Unknown,
            (Standing::Met(_), None) => State::Met,
            (Standing::Unmet(_), None) => State::Open,
        }
    }

    fn why(&self) -> &str {
        self.unknown.as_deref().unwrap_or_else(|| self.standing.words())
    }

    fn is_met(&self) -> bool {
        self.standing.is_met() && self.unknown.is_none()
    }

    fn remedy(&self, view: &View<'_>) -> String {
        match self.rule.strategy().remedy(&self.rule, view) {
            Remedy::Do(what) => what,
            Remedy::Mark { or } => {
                let whose = if self.unknown.is_some() { " --session ID" } else { "" };
                let mark = format!("{} satisfy {}{whose}", view.world.reader.req, self.rule.word());
                or.map_or(mark.clone(), |or| format!("{or}, or {mark}"))
            }
        }
    }
}

/// What is required here.
pub(super) fn status(wanted: &Status, settings: &Settings, view: &View<'_>, origin: &Origins<'_>) -> Reply {
    let lines: Vec<Line<'_>> = Rule::all(settings)
        .map(|rule| {
            let standing = rule.strategy().standing(&rule, view);
            let unknown = unknown(&rule, &standing, view);
            Line { rule, standing, unknown }
        })
        .collect();
    if wanted.json {
        return Reply::yes(
            serde_json::to_string_pretty(&report(wanted, &lines, settings, view, origin)).unwrap_or_default(),
        );
    }
    if wanted.summary {
        let notes = match view.world.notes.len() {
            0 => String::new(),
            1 => "; something is wrong, see req status".to_owned(),
            more => format!("; {more} things are wrong, see req status"),
        };
        return Reply::yes(format!("{}{notes}", summary(&lines, view)));
    }
    Reply::yes(as_text(wanted, &lines, settings, view, origin))
}

/// What depends on a session where there is none, or on the files of a branch that is not checked out.
fn unknown(rule: &Rule<'_>, standing: &Standing, view: &View<'_>) -> Option<String> {
    let set = rule.set;
    let is_excepted = view.exception(rule).is_some();
    if view.world.is_turned && matches!(set.kind, Kind::Dynamic | Kind::Evidence) && !is_excepted {
        return Some(format!("{} is not checked out here", view.world.here.shown()));
    }
    let is_own = matches!(view.scope(rule), Scope::Session | Scope::SingleUse);
    let is_marked = matches!(set.kind, Kind::Blocking | Kind::Evidence);
    let depends = view.session.is_none() && is_own && is_marked && !standing.is_met();
    depends.then(|| "it is met session by session, and it is not clear which one is meant".to_owned())
}

fn summary(lines: &[Line<'_>], view: &View<'_>) -> String {
    if lines.is_empty() {
        return "nothing is required here".to_owned();
    }
    let named = |state: State| {
        let names: Vec<&str> =
            lines.iter().filter(|line| line.state() == state).map(|line| line.rule.name).collect();
        if names.is_empty() { String::new() } else { format!("; {}: {}", state.word(), names.join(", ")) }
    };
    let met = lines.iter().filter(|line| line.is_met()).count();
    let place = view.world.here.shown();
    format!("{met} of {} met on {place}{}{}", lines.len(), named(State::Open), named(State::Unknown))
}

fn as_text(
    wanted: &Status,
    lines: &[Line<'_>],
    settings: &Settings,
    view: &View<'_>,
    origin: &Origins<'_>,
) -> String {
    let session = view.session.map_or_else(
        || "no session".to_owned(),
        |id| format!("session {}", id.chars().take(8).collect::<String>()),
    );
    let mut text = vec![format!("{} ({session})", summary(lines, view))];
    let width = lines.iter().map(|line| line.rule.name.chars().count()).max().unwrap_or(0);
    for line in lines {
        let name = line.rule.name;
        text.push(format!("  {:7}  {name:width$}  {}", line.state().word(), line.why()));
        if !line.is_met() {
            text.push(format!("           {:width$}  to meet it: {}", "", line.remedy(view)));
        }
        if wanted.all
            && let Some(origin) = origin(&line.rule.key())
        {
            text.push(format!("           {:width$}  set in {origin}", ""));
        }
    }
    if wanted.all {
        text.extend(off(settings).map(|(name, why)| format!("  off      {name:width$}  {why}")));
    }
    text.extend(view.world.notes.iter().cloned());
    text.join("\n")
}

/// What is described and not in force, and why.
fn off(settings: &Settings) -> impl Iterator<Item = (&str, &'static str)> {
    settings.requirements.iter().filter_map(|(name, set)| {
        let rule = Rule { name, set };
        match (set.enabled, rule.lacks()) {
            (false, _) => Some((name.as_str(), "its `enabled` is not true")),
            (true, Some(why)) => Some((name.as_str(), why)),
            (true, None) => None,
        }
    })
}

/// What is required in one place, and how it stands.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StatusReport {
    /// The form of this object: 1.
    version: u32,
    /// The place in words: a branch, a commit, or a project without git.
    place: String,
    /// The branch; null on a commit without one, and without git.
    branch: Option<String>,
    /// The session whose marks count; null outside of any.
    session: Option<String>,
    /// What is required, by name; with --all then what is described and switched off.
    requirements: Vec<Entry>,
    /// What the user should know of what was looked at.
    notes: Vec<String>,
}

/// A requirement.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum Entry {
    InForce(InForce),
    Off(Off),
}

/// A requirement in force.
#[derive(Debug, Serialize, JsonSchema)]
struct InForce {
    /// Its name: the key under `requirements`.
    name: String,
    /// How it is met.
    #[serde(rename = "type")]
    #[schemars(with = "Kind")]
    kind: &'static str,
    /// Where a mark of it counts.
    #[schemars(with = "Scope")]
    scope: &'static str,
    /// Always true.
    #[schemars(extend("const" = true))]
    enabled: bool,
    /// How it stands.
    state: State,
    /// Why it stands so.
    why: String,
    /// What would meet it: a command or a sentence; null where it is met.
    remedy: Option<String>,
    /// File and line that set it; null where no file does.
    set_in: Option<String>,
}

/// A requirement that is described and not in force; only with --all.
#[derive(Debug, Serialize, JsonSchema)]
struct Off {
    /// Its name: the key under `requirements`.
    name: String,
    /// Always false.
    #[schemars(extend("const" = false))]
    enabled: bool,
    /// Always `off`.
    #[schemars(extend("const" = "off"))]
    state: &'static str,
    /// Why it is not in force.
    why: &'static str,
}

/// How a requirement stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum State {
    /// It is met.
    Met,
    /// It is not.
    Open,
    /// It depends on a session, and it is not clear which, or on the files of a branch that is not checked out here.
    Unknown,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Open => "open",
            Self::Unknown => "unknown",
        }
    }
}

fn report(
    wanted: &Status,
    lines: &[Line<'_>],
    settings: &Settings,
    view: &View<'_>,
    origin: &Origins<'_>,
) -> StatusReport {
    let in_force = |line: &Line<'_>| {
        Entry::InForce(InForce {
            name: line.rule.name.to_owned(),
            kind: wording::kind(line.rule.set.kind),
            scope: wording::scope(line.rule.set.scope),
            enabled: true,
            state: line.state(),
            why: line.why().to_owned(),
            remedy: (!line.is_met()).then(|| line.remedy(view)),
            set_in: origin(&line.rule.key()).map(|origin| origin.to_string()),
        })
    };
    let off = off(settings)
        .map(|(name, why)| Entry::Off(Off { name: name.to_owned(), enabled: false, state: "off", why }));
    StatusReport {
        version: 1,
        place: view.world.here.shown(),
        branch: view.world.here.branch().map(ToOwned::to_owned),
        session: view.session.map(ToOwned::to_owned),
        requirements: lines.iter().map(in_force).chain(off.filter(|_| wanted.all)).collect(),
        notes: view.world.notes.clone(),
    }
}
