//! What a command comes to: pure, from the same view the hook has.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use installer::hooks::Command;
use shared::config::nearest;
use shared::operator::{Caller, Standing};

use super::parse::{Asked, Exception, Status};
use super::status::status;
use super::{Reply, listing, refusal};
use requirements_check::change::{Change, Target};
use requirements_check::rule::Rule;
use requirements_check::satisfactions::{By, Key, Mark, Metadata, resolve_session};
use requirements_check::settings::{Kind, Requirement, Scope, Settings};
use requirements_check::strategy::Remedy;
use requirements_check::view::{View, quoted};
use requirements_check::wording::Origins;
use requirements_check::words::{age, cut, typed_time};

/// An approval holds so long where nothing else is set.
const APPROVAL: Duration = Duration::from_secs(300);

/// A waiver holds so long where nothing else is said.
const WAIVER: Duration = Duration::from_secs(30 * 60);

/// A note is kept up to this length, in characters.
const MAX_NOTE: usize = 300;

/// Answers a command. `check` is answered by the hook's own rules elsewhere.
pub(crate) fn answer(
    asked: &Asked,
    settings: &Settings,
    view: &View<'_>,
    caller: Caller,
    origin: &Origins<'_>,
) -> Reply {
    let speaker = Speaker { settings, view, caller };
    match asked {
        Asked::Status(wanted) => speaker.status(wanted, origin),
        Asked::Satisfy { names, branch, session, note } => speaker.satisfy(
            names,
            Reach { branch: branch.as_ref(), session: session.as_deref() },
            note.as_deref(),
        ),
        Asked::Approve(exception) => speaker.except(exception, Kind::Dynamic),
        Asked::Waive(exception) => speaker.except(exception, Kind::Guard),
        Asked::Clear { names, all, session, branch } => {
            speaker.clear(names, *all, Reach { branch: branch.as_ref(), session: session.as_deref() })
        }
        Asked::List { json } => listing::list(*json, view),
        Asked::Prune => listing::prune(view),
        Asked::Sessions { json } => listing::sessions(*json, view),
        _ if needs_a_terminal(asked) => Reply::no(
            "req: this is for a terminal of your own, outside of the session; here, with ! before it too, it is refused",
        ),
        _ => Reply::no("req: this works in a shell; type it in a terminal, or here with ! before it"),
    }
}

/// A line with `!` runs in Claude's shell, where none of these is taken for the user's.
fn needs_a_terminal(asked: &Asked) -> bool {
    match asked {
        Asked::Hooks { wanted } => !matches!(wanted, Command::Status(_)),
        Asked::Init(wanted) => wanted.force,
        Asked::Doctor(wanted) => wanted.fix,
        _ => false,
    }
}

/// For whom a command is meant: every session of a branch (this one where none is named), or one session.
#[derive(Clone, Copy)]
pub(super) struct Reach<'a> {
    pub(super) branch: Option<&'a Option<String>>,
    pub(super) session: Option<&'a str>,
}

/// As it is typed.
impl fmt::Display for Reach<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.branch {
            Some(Some(branch)) => write!(formatter, " --branch {}", quoted(branch))?,
            Some(None) => formatter.write_str(" --branch")?,
            None => {}
        }
        self.session.map_or(Ok(()), |session| write!(formatter, " --session {}", quoted(session)))
    }
}

/// Who asks, about what.
pub(super) struct Speaker<'a> {
    settings: &'a Settings,
    pub(super) view: &'a View<'a>,
    pub(super) caller: Caller,
}

impl Speaker<'_> {
    /// As the session sees it that is named.
    fn status(&self, wanted: &Status, origin: &Origins<'_>) -> Reply {
        let seen = self.session(wanted.session.as_deref()).and_then(|session| {
            self.branch(wanted.branch.as_deref())?;
            Ok(session)
        });
        match seen {
            Ok(session) => {
                let view = View { session: session.as_deref(), ..*self.view };
                status(wanted, self.settings, &view, origin)
            }
            Err(why) => Reply::no(why),
        }
    }

    fn satisfy(&self, names: &[String], reach: Reach<'_>, note: Option<&str>) -> Reply {
        // All or nothing: half of a line that was wrong is nobody's wish.
        match self.to_mark(names, reach, note) {
            Ok((changes, text)) => Reply { changes, ..Reply::yes(text) },
            Err(why) => Reply::no(format!("{why}\nNothing was marked.")),
        }
    }

    fn to_mark(
        &self,
        names: &[String],
        reach: Reach<'_>,
        note: Option<&str>,
    ) -> Result<(Vec<Change>, String), String> {
        let rule =
            |name: &String| self.named(name).and_then(|rule| self.may_mark(&rule, reach).map(|()| rule));
        let rules = names.iter().map(rule).collect::<Result<Vec<_>, _>>()?;
        let session = self.session(reach.session)?;
        let key = self.branch(reach.branch.and_then(|branch| branch.as_deref()))?;
        let mut changes = Vec::new();
        for rule in &rules {
            let scope = self.view.scope(rule);
            let is_own = matches!(scope, Scope::Session | Scope::SingleUse);
            let mut target = Target::new(&self.view.world.here, rule.name, scope, session.as_deref());
            if is_own && reach.branch.is_none() && session.is_none() {
                return Err(self.no_session(&format!("{} is marked per session", rule.name), "mark it"));
            }
            if reach.branch.is_some() && scope != Scope::Permanent {
                target = Target { session: None, key: key.clone(), ..target };
            }
            changes.push(Change::Set(target, Box::new(self.mark(self.by(), note))));
        }
        let shown: Vec<&str> = rules.iter().map(|rule| rule.name).collect();
        let whose = self.whose(&rules, reach.branch, session.as_deref());
        Ok((changes, format!("satisfied: {} ({whose})", shown.join(", "))))
    }

    fn whose(&self, rules: &[Rule<'_>], branch: Option<&Option<String>>, session: Option<&str>) -> String {
        let place = match branch {
            Some(Some(branch)) => format!("on {branch}"),
            _ => self.view.world.here.on(),
        };
        let scopes: BTreeSet<Scope> = rules.iter().map(|rule| self.view.scope(rule)).collect();
        let words = scopes.into_iter().map(|scope| match (scope, branch) {
            (Scope::Permanent, _) => "in this repository".to_owned(),
            (Scope::Branch, _) | (_, Some(_)) => format!("every session {place}"),
            (Scope::SingleUse, None) => format!("for one call of session {} {place}", short(session)),
            (Scope::Session, None) => format!("session {} {place}", short(session)),
        });
        words.collect::<Vec<_>>().join("; ")
    }

    /// Whose marks a branch's are: those of the one that is out where none is named. A branch there is not is a slip.
    pub(super) fn branch(&self, named: Option<&str>) -> Result<Key, String> {
        let world = &self.view.world;
        let Some(name) = named else { return Ok(world.here.key.clone()) };
        let key = Key::Branch(name.to_owned());
        let is_marked = world.marked.iter().any(|listed| listed.key == key);
        if world.heads.as_ref().is_none_or(|heads| heads.contains(&key)) || is_marked {
            return Ok(key);
        }
        let known: Vec<&str> = world
            .heads
            .iter()
            .flatten()
            .filter_map(|key| match key {
                Key::Branch(name) => Some(name.as_str()),
                _ => None,
            })
            .collect();
        let name = cut(name, 60);
        Err(match nearest(&name, &known) {
            Some(near) => format!("req: there is no branch {name}; did you mean {near}?"),
            None => format!("req: there is no branch {name} in this repository"),
        })
    }

    /// A requirement in force.
    fn named(&self, name: &str) -> Result<Rule<'_>, String> {
        match Rule::named(self.settings, name) {
            Some(rule) => Ok(rule),
            None if self.settings.requirements.contains_key(name) => {
                Err(format!("req: {name} is switched off here; see req status --all"))
            }
            None => Err(unknown(name, Rule::all(self.settings).map(|rule| rule.name))),
        }
    }

    /// A requirement that is described, in force or not.
    pub(super) fn described(&self, name: &str) -> Result<&Requirement, String> {
        let described = &self.settings.requirements;
        described.get(name).ok_or_else(|| unknown(name, described.keys().map(String::as_str)))
    }

    /// Only what is met by a mark can be marked, and some marks are the user's alone.
    fn may_mark(&self, rule: &Rule<'_>, reach: Reach<'_>) -> Result<(), String> {
        if rule.kind() != Kind::Blocking {
            let Remedy::Do(what) = rule.remedy(self.view) else { return Ok(()) };
            return Err(format!("req: {} is not satisfied by hand. To satisfy it: {what}", rule.name));
        }
        let is_claude = matches!(self.caller, Caller::Shell(Standing::InsideClaude) | Caller::Untyped);
        let is_others = reach
            .session
            .is_some_and(|named| is_claude && self.view.session.is_none_or(|own| !own.starts_with(named)));
        if is_others {
            return Err(self.refusal(
                &format!("satisfy {}{reach}", quoted(rule.name)),
                "that is another session's to meet",
            ));
        }
        if rule.set.is_the_users() && !self.caller.is_operator() {
            return Err(self.refusal(
                &format!("satisfy {}{reach}", quoted(rule.name)),
                &format!("{} is the user's to mark", rule.name),
            ));
        }
        Ok(())
    }

    /// What Claude, a script or a schedule is told instead.
    pub(super) fn refusal(&self, verb: &str, why: &str) -> String {
        refusal(self.caller, &format!("req {verb}"), why)
    }

    fn except(&self, wanted: &Exception, kind: Kind) -> Reply {
        let rule = match self.named(&wanted.name) {
            Ok(rule) => rule,
            Err(why) => return Reply::no(why),
        };
        let verb = if kind == Kind::Dynamic { "approve" } else { "waive" };
        let fits = match rule.kind() {
            Kind::Dynamic => kind == Kind::Dynamic,
            Kind::Guard | Kind::Evidence => kind != Kind::Dynamic,
            Kind::Blocking => false,
        };
        if !fits {
            let instead = match rule.kind() {
                Kind::Blocking => "satisfy",
                Kind::Dynamic => "approve",
                Kind::Guard | Kind::Evidence => "waive",
            };
            let name = rule.name;
            let note = if instead == "waive" { " --note \"the reason\"" } else { "" };
            return Reply::no(format!(
                "req: {name} takes no {verb}; type: req {instead} {}{note}",
                quoted(name)
            ));
        }
        let note = wanted.note.as_deref();
        if kind != Kind::Dynamic && note.is_none_or(|note| note.trim().is_empty()) {
            return Reply::no(format!(
                "req: a waiver needs its reason: req waive {} --note \"the reason\"",
                quoted(rule.name)
            ));
        }
        if !self.caller.is_operator() {
            let line = format!("{verb} {}{}", quoted(rule.name), as_typed(wanted));
            return Reply::no(self.refusal(&line, "an exception is the user's to make"));
        }
        let session = match wanted.session.as_deref().map(|session| self.session(Some(session))).transpose() {
            Ok(session) => session.flatten(),
            Err(why) => return Reply::no(why),
        };
        self.excepted(&rule, wanted, session)
    }

    fn excepted(&self, rule: &Rule<'_>, wanted: &Exception, session: Option<String>) -> Reply {
        let (by, word, default) = match rule.kind() {
            Kind::Dynamic => {
                let set = rule.set.dynamic().and_then(|dynamic| dynamic.approval_ttl);
                let set = set.map(|ttl| Duration::from_secs(ttl.into()));
                (By::Approval, "approved", set.unwrap_or(APPROVAL))
            }
            _ => (By::Waiver, "waived", WAIVER),
        };
        let span = wanted.span.unwrap_or(default).as_secs();
        let whose = match &session {
            Some(session) => format!("session {}", short(Some(session))),
            None => "every session of this repository".to_owned(),
        };
        let reach = Reach { branch: None, session: wanted.session.as_deref() };
        let target = Target {
            here: self.view.world.here.clone(),
            key: Key::Permanent,
            name: Some(rule.name.to_owned()),
            scope: Scope::Session,
            session,
        };
        let mark = self.mark(by, wanted.note.as_deref()).for_secs(span);
        let shown = age(i64::try_from(span).unwrap_or(i64::MAX));
        Reply {
            changes: vec![Change::Set(target, Box::new(mark))],
            ..Reply::yes(format!(
                "{word} for {shown}: {} ({whose}); take it back with: req clear {}{reach}",
                rule.name,
                quoted(rule.name)
            ))
        }
    }

    /// The session named, or the one that asks.
    pub(super) fn session(&self, named: Option<&str>) -> Result<Option<String>, String> {
        match named {
            None => Ok(self.view.session.map(ToOwned::to_owned)),
            Some(prefix) => {
                let known =
                    self.view.world.known_sessions.iter().map(String::as_str).chain(self.view.session);
                resolve_session(prefix, known).map(Some).map_err(|error| format!("req: {error}"))
            }
        }
    }

    /// What to say where it is not clear which session is meant; `what` is to be done.
    pub(super) fn no_session(&self, why: &str, what: &str) -> String {
        let live = match self.view.world.live_names().as_slice() {
            [] => "none is live here".to_owned(),
            live => format!("live here: {}", live.join(", ")),
        };
        let place = if self.view.world.here.key == Key::NoGit { "of this project" } else { "on this branch" };
        format!(
            "req: {why}, and it is not clear which session is meant; name it with --session ID ({live}), or {what} for \
             every session {place} with --branch"
        )
    }

    fn by(&self) -> By {
        if self.caller.is_operator() { By::User } else { By::Agent }
    }

    fn mark(&self, by: By, note: Option<&str>) -> Mark {
        let metadata = Metadata {
            who: Some(if self.caller.is_operator() { "user" } else { "agent" }.to_owned()),
            entrypoint: self.view.world.entrypoint.clone(),
            note: note.map(|note| cut(&secrets::masked(note.trim()), MAX_NOTE)),
            ..Metadata::default()
        };
        Mark { metadata: metadata.at(self.view.now), ..Mark::new(by, self.view.now) }
    }
}

/// What to say of a name that nobody knows.
fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let (name, known): (_, Vec<&str>) = (cut(name, 60), known.collect());
    match (known.as_slice(), nearest(&name, &known)) {
        ([], _) => format!("req: there is no requirement {name}, and none is in force here"),
        (_, Some(near)) => format!("req: there is no requirement {name}; did you mean {near}?"),
        (_, None) => format!("req: there is no requirement {name}; in force are {}", known.join(", ")),
    }
}

/// The rest of an exception's line.
fn as_typed(wanted: &Exception) -> String {
    let span = wanted.span.map(|span| format!(" --for {}", typed_time(span.as_secs())));
    let session = wanted.session.as_deref().map(|session| format!(" --session {}", quoted(session)));
    let note = wanted.note.as_deref().map(|note| format!(" --note {}", quoted(note)));
    [span, session, note].into_iter().flatten().collect()
}

/// A session as people know it.
pub(super) fn short(session: Option<&str>) -> String {
    session.unwrap_or_default().chars().take(8).collect()
}
