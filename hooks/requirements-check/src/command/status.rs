//! `req status`: what is required here, met or not, why, and how to meet it.

use serde_json::{Value, json};

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
    fn word(&self) -> &'static str {
        match (&self.standing, &self.unknown) {
            (_, Some(_)) => "unknown",
            (Standing::Met(_), None) => "met",
            (Standing::Unmet(_), None) => "open",
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
            serde_json::to_string_pretty(&as_json(wanted, &lines, settings, view, origin))
                .unwrap_or_default(),
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
    let named = |word: &str| {
        let names: Vec<&str> =
            lines.iter().filter(|line| line.word() == word).map(|line| line.rule.name).collect();
        if names.is_empty() { String::new() } else { format!("; {word}: {}", names.join(", ")) }
    };
    let met = lines.iter().filter(|line| line.is_met()).count();
    let place = view.world.here.shown();
    format!("{met} of {} met on {place}{}{}", lines.len(), named("open"), named("unknown"))
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
        text.push(format!("  {:7}  {name:width$}  {}", line.word(), line.why()));
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

/// The form is documented in the README and only ever grows.
fn as_json(
    wanted: &Status,
    lines: &[Line<'_>],
    settings: &Settings,
    view: &View<'_>,
    origin: &Origins<'_>,
) -> Value {
    let requirement = |line: &Line<'_>| {
        json!({
            "name": line.rule.name,
            "type": wording::kind(line.rule.set.kind),
            "scope": wording::scope(line.rule.set.scope),
            "enabled": true,
            "state": line.word(),
            "why": line.why(),
            "remedy": (!line.is_met()).then(|| line.remedy(view)),
            "set_in": origin(&line.rule.key()).map(|origin| origin.to_string()),
        })
    };
    let mut all: Vec<Value> = lines.iter().map(requirement).collect();
    if wanted.all {
        all.extend(
            off(settings)
                .map(|(name, why)| json!({ "name": name, "enabled": false, "state": "off", "why": why })),
        );
    }
    json!({
        "version": 1,
        "place": view.world.here.shown(),
        "branch": view.world.here.branch(),
        "session": view.session,
        "requirements": all,
        "notes": view.world.notes,
    })
}
