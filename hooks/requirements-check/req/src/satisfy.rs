//! `req satisfy`, `req approve`, `req waive`: pure, from the same view the hook has.
//!
//! Approvals, waivers and other sessions' satisfactions belong to the user: a person at a terminal of their own, or a prompt
//! that somebody typed. Claude's shell gets the line the user can type.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use shared::operator::{Caller, Standing};

use crate::reply::{Reply, refusal, short, unknown};
use crate::verb::{Exception, Reach, Satisfy};
use requirements_check::change::{Change, Target};
use requirements_check::rule::Rule;
use requirements_check::satisfactions::{By, Key, Metadata, Satisfaction, resolve_session};
use requirements_check::settings::{Guard, Kind, Requirement, Scope, Settings, Terms};
use requirements_check::strategy::Remedy;
use requirements_check::view::{View, quoted};
use requirements_check::wording::Origins;
use requirements_check::words::{age, cut, typed_time};

/// Who asks, about what.
pub(crate) struct RequestContext<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) view: &'a View<'a>,
    pub(crate) caller: Caller,
    pub(crate) origin: &'a Origins<'a>,
    /// A file that describes requirements in comments alone.
    pub(crate) examples: Option<String>,
}

/// As it is typed.
impl fmt::Display for Reach {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.branch {
            Some(Some(branch)) => write!(formatter, " --branch {}", quoted(branch))?,
            Some(None) => formatter.write_str(" --branch")?,
            None => {}
        }
        self.session.as_ref().map_or(Ok(()), |session| write!(formatter, " --session {}", quoted(session)))
    }
}

impl RequestContext<'_> {
    /// All or nothing: half of a line that was wrong is nobody's wish.
    pub(crate) fn satisfy(&self, wanted: &Satisfy) -> Result<Reply, String> {
        self.satisfied(wanted).map_err(|why| format!("{why}\nNothing was satisfied."))
    }

    fn satisfied(&self, wanted: &Satisfy) -> Result<Reply, String> {
        let Satisfy { names, reach, note } = wanted;
        let rules = names.iter().map(|name| self.to_satisfy(name, reach)).collect::<Result<Vec<_>, _>>()?;
        let session = self.session(reach.session.as_deref())?;
        let branch = reach.branch.as_ref().map(|branch| self.branch(branch.as_deref())).transpose()?;
        let mut changes = Vec::new();
        for rule in &rules {
            let scope = self.view.scope(rule);
            let mut target = Target::new(&self.view.world.here, rule.name, scope, session.as_deref());
            if is_own(scope) && branch.is_none() && session.is_none() {
                let why = format!("each session satisfies {} for itself", rule.name);
                return Err(self.no_session(&why, "satisfy it"));
            }
            if let Some(key) = branch.clone().filter(|_| scope != Scope::Permanent) {
                target = Target { session: None, key, ..target };
            }
            let by = if self.caller.is_operator() { By::User } else { By::Agent };
            changes.push(Change::Set(target, Box::new(self.mark(by, note.as_deref()))));
        }
        let shown: Vec<&str> = rules.iter().map(|rule| rule.name).collect();
        let whose = self.whose(&rules, reach, session.as_deref());
        let lines = [format!("satisfied: {} ({whose})", shown.join(", "))];
        let text = lines.into_iter().chain(self.protected(reach)).collect::<Vec<_>>().join("\n");
        let is_recorded = reach.branch.is_none() && reach.session.is_none();
        Ok(Reply { changes, is_recorded, ..Reply::yes(text) })
    }

    /// The branch is protected, so edits stay denied, and a new branch begins without this satisfaction.
    fn protected(&self, reach: &Reach) -> Option<String> {
        let is_guard = |rule: &Rule<'_>| matches!(rule.set.terms, Terms::Guard(Guard::ProtectedBranch(_)));
        let guard = Rule::all(self.settings).filter(is_guard).find(|_| reach.branch.is_none())?;
        let why = guard.standing(self.view).err()?;
        Some(format!(
            "{why}, so {} still denies; this satisfaction does not count on a new branch: git switch -c my-change, then \
             satisfy it there",
            guard.name
        ))
    }

    fn whose(&self, rules: &[Rule<'_>], reach: &Reach, session: Option<&str>) -> String {
        let place = match &reach.branch {
            Some(Some(branch)) => format!("on {branch}"),
            _ => self.view.world.here.on(),
        };
        let scopes: BTreeSet<Scope> = rules.iter().map(|rule| self.view.scope(rule)).collect();
        let session = short(session.unwrap_or_default());
        let words = scopes.into_iter().map(|scope| match scope {
            Scope::Permanent => "in this repository".to_owned(),
            _ if scope == Scope::Branch || reach.branch.is_some() => format!("every session {place}"),
            Scope::SingleUse => format!("for one call of session {session} {place}"),
            _ => format!("session {session} {place}"),
        });
        words.collect::<Vec<_>>().join("; ")
    }

    /// A requirement that this caller may satisfy by hand.
    fn to_satisfy(&self, name: &str, reach: &Reach) -> Result<Rule<'_>, String> {
        let rule = self.named(name)?;
        if let (true, Remedy::Do(what)) = (rule.kind() != Kind::Blocking, rule.remedy(self.view)) {
            return Err(format!("req: {name} is not satisfied by hand. To satisfy it: {what}"));
        }
        let is_claude = matches!(self.caller, Caller::Shell(Standing::InsideClaude) | Caller::Untyped);
        let own = self.view.session;
        let is_others = |named: &String| own.is_none_or(|own| !own.starts_with(named));
        let why = if is_claude && reach.session.as_ref().is_some_and(is_others) {
            "that is another session's to satisfy"
        } else if rule.set.is_the_users() && !self.caller.is_operator() {
            &format!("{name} is the user's to satisfy")
        } else {
            return Ok(rule);
        };
        Err(self.refusal(&format!("satisfy {}{reach}", quoted(name)), why))
    }

    pub(crate) fn approve(&self, wanted: &Exception) -> Result<Reply, String> {
        let rule = self.excepted_by(wanted, "approve")?;
        let set = rule.set.dynamic().and_then(|dynamic| dynamic.approval_ttl);
        self.except(&rule, wanted, ("approve", "approved"), By::Approval, set.map_or(5 * 60, u64::from))
    }

    pub(crate) fn waive(&self, wanted: &Exception) -> Result<Reply, String> {
        let rule = self.excepted_by(wanted, "waive")?;
        if wanted.note.as_deref().is_none_or(|note| note.trim().is_empty()) {
            let name = quoted(rule.name);
            return Err(format!("req: a waiver needs its reason: req waive {name} --note \"the reason\""));
        }
        self.except(&rule, wanted, ("waive", "waived"), By::Waiver, 30 * 60)
    }

    /// The requirement, if this verb is for its type.
    fn excepted_by(&self, wanted: &Exception, verb: &str) -> Result<Rule<'_>, String> {
        let rule = self.named(&wanted.name)?;
        let (fit, note) = match rule.kind() {
            Kind::Blocking => ("satisfy", ""),
            Kind::Dynamic => ("approve", ""),
            Kind::Guard | Kind::Evidence => ("waive", " --note \"the reason\""),
        };
        let name = rule.name;
        if fit == verb {
            return Ok(rule);
        }
        let noun = if verb == "approve" { "approval" } else { "waiver" };
        Err(format!("req: {name} takes no {noun}; type: req {fit} {}{note}", quoted(name)))
    }

    fn except(
        &self,
        rule: &Rule<'_>,
        wanted: &Exception,
        (verb, word): (&str, &str),
        by: By,
        usual_secs: u64,
    ) -> Result<Reply, String> {
        let name = quoted(rule.name);
        if !self.caller.is_operator() {
            let line = format!("{verb} {name}{}", as_typed(wanted));
            return Err(self.refusal(&line, "an exception is the user's to make"));
        }
        let session = match &wanted.session {
            Some(session) => self.session(Some(session))?,
            None => None,
        };
        let whose = match &session {
            Some(session) => format!("session {}", short(session)),
            None => "every session of this repository".to_owned(),
        };
        let secs = wanted.span.as_ref().map_or(usual_secs, Duration::as_secs);
        let shown = age(i64::try_from(secs).unwrap_or(i64::MAX));
        let reach = Reach { branch: None, session: wanted.session.clone() };
        let rule = rule.name;
        let text =
            format!("{word} for {shown}: {rule} ({whose}); take it back with: req clear {name}{reach}");
        let mark = self.mark(by, wanted.note.as_deref()).for_secs(secs);
        let target = self.target(&Key::Permanent, Some(rule), session.as_deref());
        Ok(Reply { changes: vec![Change::Set(target, Box::new(mark))], ..Reply::yes(text) })
    }

    /// The record of one requirement, or of all of them.
    pub(crate) fn target(&self, key: &Key, name: Option<&str>, session: Option<&str>) -> Target {
        Target {
            here: self.view.world.here.clone(),
            key: key.clone(),
            name: name.map(ToOwned::to_owned),
            scope: Scope::Session,
            session: session.map(ToOwned::to_owned),
        }
    }

    /// The branch's key; without a name that of the one that is checked out. A branch that does not exist is a slip.
    pub(crate) fn branch(&self, named: Option<&str>) -> Result<Key, String> {
        let world = &self.view.world;
        let Some(name) = named else { return Ok(world.here.key.clone()) };
        let key = Key::Branch(name.to_owned());
        let has_record = world.recorded.iter().any(|listed| listed.key == key);
        if has_record || world.heads.as_ref().is_none_or(|heads| heads.contains(&key)) {
            return Ok(key);
        }
        let branches = world.heads.iter().flatten().filter_map(|key| match key {
            Key::Branch(name) => Some(name.as_str()),
            _ => None,
        });
        Err(unknown("branch", name, &branches.collect::<Vec<_>>(), " in this repository"))
    }

    /// A requirement in force.
    fn named(&self, name: &str) -> Result<Rule<'_>, String> {
        match Rule::named(self.settings, name) {
            Some(rule) => Ok(rule),
            None if self.settings.requirements.contains_key(name) => {
                Err(format!("req: {name} is switched off here; see req status --all"))
            }
            None => Err(no_requirement(name, Rule::all(self.settings).map(|rule| rule.name))),
        }
    }

    /// A requirement that is described, in force or not.
    pub(crate) fn described(&self, name: &str) -> Result<&Requirement, String> {
        let described = &self.settings.requirements;
        described.get(name).ok_or_else(|| no_requirement(name, described.keys().map(String::as_str)))
    }

    /// Text for Claude, a script or a schedule.
    pub(crate) fn refusal(&self, line: &str, why: &str) -> String {
        refusal(self.caller, &format!("req {line}"), why)
    }

    /// The session named, or the one that asks.
    pub(crate) fn session(&self, named: Option<&str>) -> Result<Option<String>, String> {
        let own = self.view.session;
        let Some(prefix) = named else { return Ok(own.map(ToOwned::to_owned)) };
        let known = self.view.world.known_sessions.iter().map(String::as_str).chain(own);
        resolve_session(prefix, known).map(Some).map_err(|error| format!("req: {error}"))
    }

    /// What to say where no session is meant; `what` is to be done.
    pub(crate) fn no_session(&self, why: &str, what: &str) -> String {
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

    fn mark(&self, by: By, note: Option<&str>) -> Satisfaction {
        const MAX_NOTE: usize = 300;
        let metadata = Metadata {
            who: Some(if self.caller.is_operator() { "user" } else { "agent" }.to_owned()),
            entrypoint: self.view.world.entrypoint.clone(),
            note: note.map(|note| cut(&secrets::masked(note.trim()), MAX_NOTE)),
            ..Metadata::default()
        };
        Satisfaction { metadata: metadata.at(self.view.now), ..Satisfaction::new(by, self.view.now) }
    }
}

fn no_requirement<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    let in_force = format!("; in force are {}", known.join(", "));
    unknown(
        "requirement",
        name,
        &known,
        if known.is_empty() { ", and none is in force here" } else { &in_force },
    )
}

/// The rest of an exception's line.
fn as_typed(wanted: &Exception) -> String {
    let span = wanted.span.map(|span| format!(" --for {}", typed_time(span.as_secs())));
    let session = wanted.session.as_deref().map(|session| format!(" --session {}", quoted(session)));
    let note = wanted.note.as_deref().map(|note| format!(" --note {}", quoted(note)));
    [span, session, note].into_iter().flatten().collect()
}

/// Sessions of this scope have a satisfaction each.
pub(crate) fn is_own(scope: Scope) -> bool {
    matches!(scope, Scope::Session | Scope::SingleUse)
}
