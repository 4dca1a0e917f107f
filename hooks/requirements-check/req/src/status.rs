//! `req status`: what is required here, satisfied or not, why, and how to satisfy it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::location::Subject;
use crate::reply::{Reply, json, short};
use crate::satisfy::{RequestContext, is_own};
use crate::verb::Status;
use requirements_check::rule::Rule;
use requirements_check::settings::{Kind, Scope};
use requirements_check::strategy::Remedy;
use requirements_check::view::View;
use requirements_check::wording;

/// What is required in one place, and how it stands.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StatusReport {
    /// The form of this object: 1.
    version: u32,
    /// The place in words: a branch, a commit, or a project without git.
    place: String,
    /// The branch; null on a commit without one, and without git.
    branch: Option<String>,
    /// The session whose satisfactions count; null outside of any.
    session: Option<String>,
    /// What is required, by name; with --all then what is described and switched off.
    requirements: Vec<Entry>,
    /// What the user should know of what was looked at.
    notes: Vec<String>,
}

/// A requirement.
#[derive(Debug, Serialize, JsonSchema)]
struct Entry {
    /// Its name: the key under `requirements`.
    name: String,
    /// How it is satisfied.
    #[serde(rename = "type")]
    #[schemars(with = "Kind")]
    kind: &'static str,
    /// Where a satisfaction of it counts.
    #[schemars(with = "Scope")]
    scope: &'static str,
    /// It is in force; false only with --all.
    enabled: bool,
    /// How it stands.
    state: State,
    /// Why it stands so.
    why: String,
    /// When it is checked, in words: before which calls, at the end of a turn; null where it is off.
    checked: Option<String>,
    /// What would satisfy it: a command or a sentence; null where it is satisfied or off.
    remedy: Option<String>,
    /// File and line that set it; null where no file does.
    set_in: Option<String>,
}

/// How a requirement stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// It is satisfied.
    Met,
    /// It is not; where no session is live, it is not for the next one.
    Open,
    /// Each session satisfies it for itself, several are live and none is named; or it depends on the files of a branch that is
    /// not checked out here.
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

impl Status {
    pub(crate) fn subject(&self) -> Subject<'_> {
        Subject { branch: self.branch.as_deref(), session: self.session.as_deref() }
    }
}

impl RequestContext<'_> {
    pub(crate) fn status(&self, wanted: &Status) -> Result<Reply, String> {
        let session = self.session(wanted.session.as_deref())?;
        self.branch(wanted.branch.as_deref())?;
        let view = View { session: session.as_deref(), ..*self.view };
        let entries: Vec<Entry> = Rule::all(self.settings).map(|rule| self.in_force(&rule, &view)).collect();
        Ok(Reply::yes(if wanted.json {
            let off = self.off().filter(|_| wanted.all);
            json(&StatusReport {
                version: 1,
                place: view.world.here.shown(),
                branch: view.world.here.branch().map(ToOwned::to_owned),
                session: view.session.map(ToOwned::to_owned),
                requirements: entries.into_iter().chain(off).collect(),
                notes: [view.world.skipped.as_slice(), &view.world.notes].concat(),
            })
        } else if wanted.summary {
            let notes = match view.world.notes.len() + view.world.skipped.len() {
                0 => String::new(),
                1 => "; something is wrong, see req status".to_owned(),
                more => format!("; {more} things are wrong, see req status"),
            };
            format!("{}{notes}", summary(&entries, &view))
        } else {
            self.as_text(wanted, &entries, &view)
        }))
    }

    fn entry(&self, rule: &Rule<'_>, state: State, why: String) -> Entry {
        Entry {
            name: rule.name.to_owned(),
            kind: rule.kind().word(),
            scope: rule.set.scope.word(),
            enabled: state != State::Off,
            state,
            why,
            checked: None,
            remedy: None,
            set_in: self.set_in(&rule.key()),
        }
    }

    fn in_force(&self, rule: &Rule<'_>, view: &View<'_>) -> Entry {
        let (state, why) = standing(rule, view);
        Entry {
            checked: Some(wording::when(rule)),
            remedy: (state != State::Met).then(|| remedy(rule, state, view)),
            ..self.entry(rule, state, why)
        }
    }

    /// What is described and not in force, and why.
    fn off(&self) -> impl Iterator<Item = Entry> {
        self.settings.requirements.iter().filter_map(|(name, set)| {
            let rule = Rule { name, set };
            let enabled = self.set_in(&format!("{}.enabled", rule.key()));
            let described = self.set_in(&rule.key()).map(|place| format!(" ({place})")).unwrap_or_default();
            let why = match (set.is_on(), rule.lacks(), enabled) {
                (true, lacks, _) => lacks?.to_owned(),
                (false, _, Some(place)) => format!("its `enabled` is not true ({place})"),
                (false, _, None) => format!("nothing sets its `enabled: true`{described}"),
            };
            Some(self.entry(&rule, State::Off, why))
        })
    }

    fn set_in(&self, key: &str) -> Option<String> {
        (self.origin)(key).map(|origin| origin.to_string())
    }

    fn as_text(&self, wanted: &Status, entries: &[Entry], view: &View<'_>) -> String {
        let mut text = view.world.skipped.clone();
        text.push(match entries {
            [] => summary(entries, view),
            _ => format!("{} ({})", summary(entries, view), whose(view)),
        });
        text.extend((entries.is_empty() && text.len() == 1 && !wanted.all).then(|| self.first_step()));
        let width = entries.iter().map(|entry| entry.name.chars().count()).max().unwrap_or(0);
        for Entry { name, state, why, checked, remedy, set_in, .. } in entries {
            let checked = checked.as_deref().unwrap_or_default();
            text.push(format!("  {:13}  {name:width$}  {why}; checked {checked}", state.word()));
            let below = |line: String| format!("{:width$}  {line}", "", width = width + 17);
            text.extend(remedy.as_ref().map(|remedy| below(format!("to satisfy it: {remedy}"))));
            let set_in = set_in.as_ref().filter(|_| wanted.all);
            text.extend(set_in.map(|place| below(format!("set in {place}"))));
        }
        if wanted.all {
            text.extend(self.off().map(|off| format!("  off      {:width$}  {}", off.name, off.why)));
        }
        text.extend(view.world.notes.iter().cloned());
        text.join("\n")
    }

    /// What to do where nothing is required.
    fn first_step(&self) -> String {
        match (self.settings.requirements.len(), &self.examples) {
            (0, None) => "to begin: req init writes a first file".to_owned(),
            (0, Some(file)) => {
                format!(
                    "to begin: take the `# ` away in {file} where you want something; req docs requirements"
                )
            }
            (1, _) => "one requirement is described and switched off: req status --all".to_owned(),
            (more, _) => format!("{more} requirements are described and switched off: req status --all"),
        }
    }
}

/// How a requirement stands now, and why; where no session is live, how it stands for the next one.
fn standing(rule: &Rule<'_>, view: &View<'_>) -> (State, String) {
    let is_of_files = matches!(rule.kind(), Kind::Dynamic | Kind::Evidence);
    if view.world.is_turned && is_of_files && view.exception(rule).is_none() {
        return (State::Unknown, format!("{} is not checked out here", view.world.here.shown()));
    }
    // Each session satisfies it for itself, and none is meant.
    let has_record = matches!(rule.kind(), Kind::Blocking | Kind::Evidence);
    let is_of_sessions = view.session.is_none() && is_own(view.scope(rule)) && has_record;
    match rule.standing(view) {
        Ok(how) => (State::Met, how),
        Err(_) if is_of_sessions && view.world.live.is_empty() => {
            (State::Open, "every new session begins without it".to_owned())
        }
        Err(_) if is_of_sessions => {
            (State::Unknown, "each session satisfies it for itself, and none is named".to_owned())
        }
        Err(why) => (State::Open, why),
    }
}

fn remedy(rule: &Rule<'_>, state: State, view: &View<'_>) -> String {
    let or = match rule.remedy(view) {
        Remedy::Do(what) => return what,
        Remedy::Satisfy { or } => or,
    };
    let is_unknown = state == State::Unknown;
    let whose = if is_unknown { " --session ID" } else { "" };
    let nobody_is_here = view.session.is_none() && is_own(view.scope(rule)) && !is_unknown;
    let who = if nobody_is_here { "Claude types " } else { "" };
    let line = format!("{who}{} satisfy {}{whose}", view.world.reader.req, rule.word());
    or.map_or(line.clone(), |or| format!("{or}, or {line}"))
}

fn summary(entries: &[Entry], view: &View<'_>) -> String {
    let is_whole = view.world.skipped.is_empty();
    if entries.is_empty() {
        let unknown = "a file is skipped, so what is required here is not known";
        return if is_whole { "nothing is required here" } else { unknown }.to_owned();
    }
    let named = |state: State| {
        let names = entries.iter().filter(|entry| entry.state == state).map(|entry| entry.name.as_str());
        let names: Vec<&str> = names.collect();
        if names.is_empty() { String::new() } else { format!("; {}: {}", state.word(), names.join(", ")) }
    };
    let met = entries.iter().filter(|entry| entry.state == State::Met).count();
    let met = if is_whole {
        format!("{met} of {} satisfied", entries.len())
    } else {
        // All of what is known is not all of it.
        format!("a file is skipped, so what it requires is not known; of the rest {met} satisfied")
    };
    format!("{met} {}{}{}", view.world.here.on(), named(State::Open), named(State::Unknown))
}

/// Whose satisfactions count.
fn whose(view: &View<'_>) -> String {
    match (view.session, view.world.live_names().as_slice()) {
        (Some(id), _) => format!("session {}", short(id)),
        (None, []) => "no session is live here".to_owned(),
        (None, live) => format!("live here: {}; name one with --session", live.join(", ")),
    }
}
