//! What a command comes to: pure, from the same view the hook has.

use std::time::Duration;

use shared::config::nearest;
use shared::operator::Standing as Caller;

use super::parse::{Asked, Exception};
use super::status::status;
use super::{Reply, Standpoint, listing};
use crate::change::{Change, Target};
use crate::marks::{By, Key, Mark, Metadata, resolve_session};
use crate::rule::Rule;
use crate::settings::{Kind, SatisfiedBy, Scope, Settings};
use crate::strategy::Remedy;
use crate::view::{View, quoted};
use crate::wording::Origins;
use crate::words::{age, cut};

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
    standpoint: Standpoint,
    origin: &Origins<'_>,
) -> Reply {
    let speaker = Speaker { settings, view, standpoint };
    match asked {
        Asked::Status(wanted) => status(wanted, settings, view, origin),
        Asked::Satisfy { names, branch, session, note } => {
            speaker.satisfy(names, branch.as_ref(), session.as_deref(), note.as_deref())
        }
        Asked::Approve(exception) => speaker.except(exception, Kind::Dynamic),
        Asked::Waive(exception) => speaker.except(exception, Kind::Guard),
        Asked::Clear { names, all, session, branch } => {
            speaker.clear(names, *all, session.as_deref(), branch.as_ref())
        }
        Asked::List { json } => listing::list(*json, view),
        Asked::Prune => listing::prune(view),
        Asked::Sessions { json } => listing::sessions(*json, view),
        Asked::Check(_) => Reply::no("req: check looks at a call; type it in a shell"),
    }
}

/// Who asks, about what.
struct Speaker<'a> {
    settings: &'a Settings,
    view: &'a View<'a>,
    standpoint: Standpoint,
}

impl Speaker<'_> {
    fn satisfy(
        &self,
        names: &[String],
        branch: Option<&Option<String>>,
        session: Option<&str>,
        note: Option<&str>,
    ) -> Reply {
        let mut rules = Vec::new();
        for name in names {
            match self.named(name).and_then(|rule| self.may_mark(&rule).map(|()| rule)) {
                Ok(rule) => rules.push(rule),
                // All or nothing: half of a line that was wrong is nobody's wish.
                Err(why) => return Reply::no(format!("{why}\nNothing was marked.")),
            }
        }
        let session = match self.session(session) {
            Ok(session) => session,
            Err(why) => return Reply::no(why),
        };
        let mut changes = Vec::new();
        for rule in &rules {
            let is_own = matches!(rule.set.scope, Scope::Session | Scope::SingleUse);
            let mut target =
                Target::new(&self.view.world.here, rule.name, rule.set.scope, session.as_deref());
            if is_own && branch.is_none() && session.is_none() {
                return Reply::no(self.no_session(rule));
            }
            if let (true, Some(branch)) = (is_own, branch) {
                target.session = None;
                target.key = branch.clone().map_or(target.key, Key::Branch);
            }
            changes.push(Change::Set(target, self.mark(self.by(), note)));
        }
        let shown: Vec<&str> = rules.iter().map(|rule| rule.name).collect();
        let whose = self.reach(&rules, branch, session.as_deref());
        Reply { changes, ..Reply::yes(format!("marked as met: {} ({whose})", shown.join(", "))) }
    }

    fn reach(&self, rules: &[Rule<'_>], branch: Option<&Option<String>>, session: Option<&str>) -> String {
        let place = match branch {
            Some(Some(branch)) => branch.clone(),
            _ => self.view.world.here.shown(),
        };
        let scopes: std::collections::BTreeSet<Scope> = rules.iter().map(|rule| rule.set.scope).collect();
        let words = scopes.into_iter().map(|scope| match (scope, branch) {
            (Scope::Permanent, _) => "in this repository".to_owned(),
            (Scope::Branch, _) | (_, Some(_)) => format!("every session on {place}"),
            (Scope::SingleUse, None) => format!("for one call of session {} on {place}", short(session)),
            (Scope::Session, None) => format!("session {} on {place}", short(session)),
        });
        words.collect::<Vec<_>>().join("; ")
    }

    fn named(&self, name: &str) -> Result<Rule<'_>, String> {
        if let Some(rule) = Rule::named(self.settings, name) {
            return Ok(rule);
        }
        if self.settings.requirements.contains_key(name) {
            return Err(format!("req: {name} is switched off here; see req status --all"));
        }
        let known: Vec<&str> = Rule::all(self.settings).map(|rule| rule.name).collect();
        let name = cut(name, 60);
        Err(match (known.as_slice(), nearest(&name, &known)) {
            ([], _) => format!("req: there is no requirement {name}, and none is in force here"),
            (_, Some(near)) => format!("req: there is no requirement {name}; did you mean {near}?"),
            (_, None) => format!("req: there is no requirement {name}; in force are {}", known.join(", ")),
        })
    }

    /// Only what is met by a mark can be marked, and some marks are the user's alone.
    fn may_mark(&self, rule: &Rule<'_>) -> Result<(), String> {
        if rule.set.kind != Kind::Blocking {
            let Remedy::Do(what) = rule.strategy().remedy(rule, self.view) else { return Ok(()) };
            return Err(format!("req: {} is not met by a mark. To meet it: {what}", rule.name));
        }
        if rule.set.satisfied_by == SatisfiedBy::User && !self.standpoint.is_operator() {
            return Err(self.refusal(
                &format!("satisfy {}", quoted(rule.name)),
                &format!("{} is the user's to mark", rule.name),
            ));
        }
        Ok(())
    }

    /// What Claude, a script or a schedule is told instead.
    fn refusal(&self, verb: &str, why: &str) -> String {
        let how = match self.standpoint {
            Standpoint::Shell(Caller::NoTerminal) => "run it in a terminal of your own",
            Standpoint::UntypedPrompt => {
                "nobody typed this prompt, or Claude has scheduled the same; run it in a terminal of your own"
            }
            _ => "they can type it as a prompt, or in a terminal of their own",
        };
        format!("req: refused, because {why}. This is for the user to decide; {how}: req {verb}")
    }

    fn except(&self, wanted: &Exception, kind: Kind) -> Reply {
        let rule = match self.named(&wanted.name) {
            Ok(rule) => rule,
            Err(why) => return Reply::no(why),
        };
        let verb = if kind == Kind::Dynamic { "approve" } else { "waive" };
        let fits = match rule.set.kind {
            Kind::Dynamic => kind == Kind::Dynamic,
            Kind::Guard | Kind::Evidence => kind != Kind::Dynamic,
            Kind::Blocking => false,
        };
        if !fits {
            let instead = match rule.set.kind {
                Kind::Blocking => "satisfy",
                Kind::Dynamic => "approve",
                Kind::Guard | Kind::Evidence => "waive",
            };
            return Reply::no(
                format!(
                    "req: {} cannot be {verb}d; it takes: req {instead} {}",
                    rule.name,
                    quoted(rule.name)
                )
                .replace("approved", "approved")
                .replace("waived", "waived"),
            );
        }
        let note = wanted.note.as_deref();
        if kind != Kind::Dynamic && note.is_none_or(|note| note.trim().is_empty()) {
            return Reply::no(format!(
                "req: a waiver needs its reason: req waive {} --note \"the reason\"",
                quoted(rule.name)
            ));
        }
        if !self.standpoint.is_operator() {
            let note = if kind == Kind::Dynamic { "" } else { " --note \"the reason\"" };
            return Reply::no(self.refusal(
                &format!("{verb} {}{note}", quoted(rule.name)),
                "an exception is the user's to make",
            ));
        }
        let session = match wanted.session.as_deref().map(|session| self.session(Some(session))).transpose() {
            Ok(session) => session.flatten(),
            Err(why) => return Reply::no(why),
        };
        self.excepted(&rule, wanted, session)
    }

    fn excepted(&self, rule: &Rule<'_>, wanted: &Exception, session: Option<String>) -> Reply {
        let (by, word, default) = match rule.set.kind {
            Kind::Dynamic => {
                let set = rule.set.approval_ttl.map(|ttl| Duration::from_secs(ttl.get().into()));
                (By::Approval, "approved", set.unwrap_or(APPROVAL))
            }
            _ => (By::Waiver, "waived", WAIVER),
        };
        let span = wanted.span.unwrap_or(default).as_secs();
        let whose = match &session {
            Some(session) => format!("session {}", short(Some(session))),
            None => "every session of this repository".to_owned(),
        };
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
            changes: vec![Change::Set(target, mark)],
            ..Reply::yes(format!(
                "{word} for {shown}: {} ({whose}); take it back with: req clear {}",
                rule.name,
                quoted(rule.name)
            ))
        }
    }

    fn clear(
        &self,
        names: &[String],
        all: bool,
        session: Option<&str>,
        branch: Option<&Option<String>>,
    ) -> Reply {
        for name in names {
            if !self.settings.requirements.contains_key(name)
                && let Err(why) = self.named(name)
            {
                return Reply::no(why);
            }
        }
        let own = match self.session(session) {
            Ok(session) => session,
            Err(why) => return Reply::no(why),
        };
        let is_own = branch.is_none() && own.is_some() && own.as_deref() == self.view.session;
        if !is_own && !self.standpoint.is_operator() {
            let words: Vec<String> = names.iter().map(|name| quoted(name)).collect();
            let words = if all { "--all".to_owned() } else { words.join(" ") };
            return Reply::no(
                self.refusal(&format!("clear {words}"), "these are not the marks of this session alone"),
            );
        }
        if branch.is_none() && own.is_none() {
            return Reply::no(
                "req: there is no session here; name it with --session, or a branch with --branch",
            );
        }
        let wanted: Vec<Option<&str>> =
            if all { vec![None] } else { names.iter().map(|name| Some(name.as_str())).collect() };
        let here = &self.view.world.here;
        let key = branch.cloned().flatten().map_or_else(|| here.key.clone(), Key::Branch);
        let holder = own.filter(|_| branch.is_none());
        let mut changes = Vec::new();
        for name in wanted {
            let of = |key: &Key, session: Option<String>| {
                let name = name.map(ToOwned::to_owned);
                Change::Clear(Target {
                    here: here.clone(),
                    key: key.clone(),
                    name,
                    scope: Scope::Session,
                    session,
                })
            };
            changes.push(of(&key, holder.clone()));
            if self.standpoint.is_operator() {
                changes.push(of(&Key::Permanent, holder.clone()));
                if name.is_some() {
                    changes.push(of(&Key::Permanent, None));
                }
            }
        }
        let what = if all { "all marks".to_owned() } else { names.join(", ") };
        let whose = match (&holder, branch) {
            (Some(session), _) => format!("session {} on {}", short(Some(session)), here.shown()),
            (None, Some(Some(branch))) => format!("every session on {branch}"),
            (None, _) => format!("every session on {}", here.shown()),
        };
        Reply { changes, ..Reply::yes(format!("cleared: {what} ({whose})")) }
    }

    /// The session named, or the one that asks.
    fn session(&self, named: Option<&str>) -> Result<Option<String>, String> {
        match named {
            None => Ok(self.view.session.map(ToOwned::to_owned)),
            Some(prefix) => {
                let known =
                    self.view.world.known_sessions.iter().map(String::as_str).chain(self.view.session);
                resolve_session(prefix, known).map(Some).map_err(|error| format!("req: {error}"))
            }
        }
    }

    fn no_session(&self, rule: &Rule<'_>) -> String {
        let known = &self.view.world.known_sessions;
        let live: Vec<&str> = known.iter().map(|id| &id[..id.len().min(8)]).collect();
        let live = if live.is_empty() {
            "none is live here".to_owned()
        } else {
            format!("live here: {}", live.join(", "))
        };
        format!(
            "req: {} is marked per session, and it is not clear which; name it with --session ID ({live}), or mark it for \
             every session on this branch with --branch. Nothing was marked.",
            rule.name
        )
    }

    fn by(&self) -> By {
        if self.standpoint.is_operator() { By::User } else { By::Agent }
    }

    fn mark(&self, by: By, note: Option<&str>) -> Mark {
        let metadata = Metadata {
            who: Some(if self.standpoint.is_operator() { "user" } else { "agent" }.to_owned()),
            entrypoint: self.view.world.entrypoint.clone(),
            note: note.map(|note| cut(&shared::secrets::masked(note.trim()), MAX_NOTE)),
            ..Metadata::default()
        };
        Mark { metadata: metadata.at(self.view.now), ..Mark::new(by, self.view.now) }
    }
}

fn short(session: Option<&str>) -> String {
    session.unwrap_or_default().chars().take(8).collect()
}
