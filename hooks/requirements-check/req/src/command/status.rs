//! `req status`: what is required here, satisfied or not, why, and how to satisfy it.

use schemars::JsonSchema;
use serde::Serialize;

use super::Reply;
use super::parse::Status;
use requirements_check::rule::Rule;
use requirements_check::settings::{Kind, Scope, Settings};
use requirements_check::strategy::{Remedy, Standing};
use requirements_check::view::View;
use requirements_check::wording::{self, Origins};

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
        match self.rule.remedy(view) {
            Remedy::Do(what) => what,
            Remedy::Mark { or } => {
                let whose = if self.unknown.is_some() { " --session ID" } else { "" };
                let nobody_is_here = view.session.is_none() && is_own(&self.rule, view) && whose.is_empty();
                let who = if nobody_is_here { "Claude types " } else { "" };
                let mark = format!("{who}{} satisfy {}{whose}", view.world.reader.req, self.rule.word());
                or.map_or(mark.clone(), |or| format!("{or}, or {mark}"))
            }
        }
    }
}

/// What is required here.
pub(super) fn status(wanted: &Status, settings: &Settings, view: &View<'_>, origin: &Origins<'_>) -> Reply {
    let lines: Vec<Line<'_>> = Rule::all(settings)
        .map(|rule| {
            let standing = standing(&rule, view);
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
        let notes = match view.world.notes.len() + view.world.skipped.len() {
            0 => String::new(),
            1 => "; something is wrong, see req status".to_owned(),
            more => format!("; {more} things are wrong, see req status"),
        };
        return Reply::yes(format!("{}{notes}", summary(&lines, view)));
    }
    Reply::yes(as_text(wanted, &lines, settings, view, origin))
}

/// Whether it is met now; where no session is live, for the next one to begin.
fn standing(rule: &Rule<'_>, view: &View<'_>) -> Standing {
    let standing = rule.standing(view);
    if depends_on_a_session(rule, &standing, view) && view.world.live.is_empty() {
        return Standing::Unmet("every new session begins without it".to_owned());
    }
    standing
}

/// Each session meets it for itself, and none is meant.
fn depends_on_a_session(rule: &Rule<'_>, standing: &Standing, view: &View<'_>) -> bool {
    let is_marked = matches!(rule.kind(), Kind::Blocking | Kind::Evidence);
    view.session.is_none() && is_own(rule, view) && is_marked && !standing.is_met()
}

fn is_own(rule: &Rule<'_>, view: &View<'_>) -> bool {
    matches!(view.scope(rule), Scope::Session | Scope::SingleUse)
}

/// What depends on a session where several may be meant, or on the files of a branch that is not checked out.
fn unknown(rule: &Rule<'_>, standing: &Standing, view: &View<'_>) -> Option<String> {
    let is_excepted = view.exception(rule).is_some();
    if view.world.is_turned && matches!(rule.kind(), Kind::Dynamic | Kind::Evidence) && !is_excepted {
        return Some(format!("{} is not checked out here", view.world.here.shown()));
    }
    let depends = depends_on_a_session(rule, standing, view) && !view.world.live.is_empty();
    depends.then(|| "each session satisfies it for itself, and none is named".to_owned())
}

fn summary(lines: &[Line<'_>], view: &View<'_>) -> String {
    let is_whole = view.world.skipped.is_empty();
    if lines.is_empty() {
        let unknown = "a file is skipped, so what is required here is not known";
        return if is_whole { "nothing is required here" } else { unknown }.to_owned();
    }
    let named = |state: State| {
        let names: Vec<&str> =
            lines.iter().filter(|line| line.state() == state).map(|line| line.rule.name).collect();
        if names.is_empty() { String::new() } else { format!("; {}: {}", state.word(), names.join(", ")) }
    };
    let met = lines.iter().filter(|line| line.is_met()).count();
    let met = if is_whole {
        format!("{met} of {} satisfied", lines.len())
    } else {
        // All of what is known is not all of it.
        format!("a file is skipped, so what it requires is not known; of the rest {met} satisfied")
    };
    format!("{met} {}{}{}", view.world.here.on(), named(State::Open), named(State::Unknown))
}

/// Whose marks count.
fn whose(view: &View<'_>) -> String {
    match (view.session, view.world.live_names().as_slice()) {
        (Some(id), _) => format!("session {}", id.chars().take(8).collect::<String>()),
        (None, []) => "no session is live here".to_owned(),
        (None, live) => format!("live here: {}; name one with --session", live.join(", ")),
    }
}

/// What to do where nothing is required.
fn first_step(settings: &Settings) -> String {
    match settings.requirements.len() {
        0 => "to begin: req init writes a first file".to_owned(),
        1 => "one requirement is described and switched off: req status --all".to_owned(),
        more => format!("{more} requirements are described and switched off: req status --all"),
    }
}

fn as_text(
    wanted: &Status,
    lines: &[Line<'_>],
    settings: &Settings,
    view: &View<'_>,
    origin: &Origins<'_>,
) -> String {
    let mut text = view.world.skipped.clone();
    text.push(match lines {
        [] => summary(lines, view),
        _ => format!("{} ({})", summary(lines, view), whose(view)),
    });
    text.extend((lines.is_empty() && text.len() == 1 && !wanted.all).then(|| first_step(settings)));
    let width = lines.iter().map(|line| line.rule.name.chars().count()).max().unwrap_or(0);
    for line in lines {
        let name = line.rule.name;
        let (state, when) = (line.state().word(), wording::when(&line.rule));
        text.push(format!("  {state:13}  {name:width$}  {}; checked {when}", line.why()));
        if !line.is_met() {
            text.push(format!("                 {:width$}  to satisfy it: {}", "", line.remedy(view)));
        }
        if wanted.all
            && let Some(origin) = origin(&line.rule.key())
        {
            text.push(format!("                 {:width$}  set in {origin}", ""));
        }
    }
    if wanted.all {
        text.extend(off(settings, origin).map(|(name, why)| format!("  off      {name:width$}  {why}")));
    }
    text.extend(view.world.notes.iter().cloned());
    text.join("\n")
}

/// What is described and not in force, and why.
fn off<'s>(settings: &'s Settings, origin: &Origins<'_>) -> impl Iterator<Item = (&'s str, String)> {
    settings.requirements.iter().filter_map(move |(name, set)| {
        let rule = Rule { name, set };
        match (set.is_on(), rule.lacks()) {
            (false, _) => Some((name.as_str(), not_enabled(&rule, origin))),
            (true, Some(why)) => Some((name.as_str(), why.to_owned())),
            (true, None) => None,
        }
    })
}

/// Where `enabled` is false, or where the requirement is described without it.
fn not_enabled(rule: &Rule<'_>, origin: &Origins<'_>) -> String {
    let place = |key: &str| origin(key).map(|origin| format!(" ({origin})")).unwrap_or_default();
    match place(&format!("{}.enabled", rule.key())) {
        none if none.is_empty() => format!("nothing sets its `enabled: true`{}", place(&rule.key())),
        place => format!("its `enabled` is not true{place}"),
    }
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
    /// When it is checked, in words: before which calls, at the end of a turn.
    checked: String,
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
    why: String,
}

/// How a requirement stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum State {
    /// It is met.
    Met,
    /// It is not; where no session is live, it is not for the next one.
    Open,
    /// Each session meets it for itself, several are live and none is named; or it depends on the files of a branch that is
    /// not checked out here.
    Unknown,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Met => "satisfied",
            Self::Open => "not satisfied",
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
            kind: line.rule.kind().word(),
            scope: wording::scope(line.rule.set.scope),
            enabled: true,
            state: line.state(),
            why: line.why().to_owned(),
            checked: wording::when(&line.rule),
            remedy: (!line.is_met()).then(|| line.remedy(view)),
            set_in: origin(&line.rule.key()).map(|origin| origin.to_string()),
        })
    };
    let off = off(settings, origin)
        .map(|(name, why)| Entry::Off(Off { name: name.to_owned(), enabled: false, state: "off", why }));
    StatusReport {
        version: 1,
        place: view.world.here.shown(),
        branch: view.world.here.branch().map(ToOwned::to_owned),
        session: view.session.map(ToOwned::to_owned),
        requirements: lines.iter().map(in_force).chain(off.filter(|_| wanted.all)).collect(),
        notes: [view.world.skipped.as_slice(), &view.world.notes].concat(),
    }
}
