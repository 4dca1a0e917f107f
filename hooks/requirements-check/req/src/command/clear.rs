//! `req clear`: marks are taken back, those of the scope that is named and nobody else's.

use std::sync::Arc;
use std::time::Duration;

use shared::host::{Places, Timestamp};

use super::Reply;
use super::answer::{Reach, Speaker, short};
use requirements_check::change::{Change, Deed, Target, audit};
use requirements_check::satisfactions::{Key, Requirement as MarkedRequirement};
use requirements_check::settings::{Kind, Requirement, Scope};
use requirements_check::view::quoted;

/// The user ended the approval or waiver of a requirement; only the journal changes.
#[derive(Debug)]
struct Ended(String);

impl Deed for Ended {
    fn carry_out(&self, _patience: Duration, places: &Places, now: Timestamp) -> Result<(), String> {
        audit::here("clear", self.0.clone()).write(places, now);
        Ok(())
    }
}

/// Marks to be taken back, and whose they are, in words.
type Cleared = (Vec<Target>, String);

impl Speaker<'_> {
    pub(super) fn clear(&self, names: &[String], all: bool, reach: Reach<'_>) -> Reply {
        let cleared = match reach.branch {
            Some(branch) => self.of_branch(names, all, reach, branch.as_deref()),
            None if all => self.all_of_session(reach),
            None => self.of_scope(names, reach),
        };
        let what = if all { "all marks".to_owned() } else { names.join(", ") };
        match cleared {
            Ok((targets, whose)) if !targets.iter().any(|target| self.may_be_there(target)) => {
                Reply::yes(format!("nothing to clear: there is no mark of {what} ({whose})"))
            }
            Ok((targets, whose)) => Reply {
                changes: self.with_audit(targets),
                ..Reply::yes(format!("cleared: {what} ({whose})"))
            },
            Err(why) => Reply::no(why),
        }
    }

    /// The changes, each end of an approval or waiver with its line for the journal.
    fn with_audit(&self, targets: Vec<Target>) -> Vec<Change> {
        let is_exception = |name: &String| {
            self.described(name).is_ok_and(|set| set.kind() != Kind::Blocking) && self.caller.is_operator()
        };
        let mut ended: Vec<String> =
            targets.iter().filter_map(|target| target.name.clone()).filter(is_exception).collect();
        ended.dedup();
        let lines = ended.into_iter().map(|name| Change::Do(Arc::new(Ended(name))));
        let lines: Vec<Change> = lines.collect();
        targets.into_iter().map(Change::Clear).chain(lines).collect()
    }

    /// There is such a mark, or it stands where was not looked.
    fn may_be_there(&self, target: &Target) -> bool {
        let world = &self.view.world;
        let marks = match &target.key {
            Key::Permanent => &world.permanent,
            key if *key == world.here.key => &world.branch,
            _ => return true,
        };
        let is_of_holder = |requirement: &MarkedRequirement| match &target.session {
            // The original tool's keys are shorter than ids.
            Some(id) => requirement.sessions.keys().any(|key| id.starts_with(key.as_str())),
            None => requirement.everyone.is_some(),
        };
        match &target.name {
            Some(name) => marks.requirements.get(name).is_some_and(is_of_holder),
            None => marks.requirements.values().any(is_of_holder),
        }
    }

    /// What counts for every session of a branch.
    fn of_branch(
        &self,
        names: &[String],
        all: bool,
        reach: Reach<'_>,
        branch: Option<&str>,
    ) -> Result<Cleared, String> {
        for name in names {
            self.described(name)?;
        }
        if !self.caller.is_operator() {
            return Err(self.not_ones_own(names, all, reach));
        }
        let key = self.branch(branch)?;
        let names = if all { vec![None] } else { names.iter().map(|name| Some(name.as_str())).collect() };
        let place = branch.map_or_else(|| self.view.world.here.on(), |branch| format!("on {branch}"));
        let targets = names.into_iter().map(|name| self.target(&key, name, None)).collect();
        Ok((targets, format!("every session {place}")))
    }

    /// All that counts for one session here.
    fn all_of_session(&self, reach: Reach<'_>) -> Result<Cleared, String> {
        let session = self.session(reach.session)?;
        if self.is_of_others(session.as_deref()) {
            return Err(self.not_ones_own(&[], true, reach));
        }
        let Some(session) = session else {
            return Err(self.no_session("marks are taken back session by session", "clear those"));
        };
        let here = &self.view.world.here;
        let mut targets = vec![self.target(&here.key, None, Some(&session))];
        if self.caller.is_operator() {
            targets.push(self.target(&Key::Permanent, None, Some(&session)));
        }
        Ok((targets, format!("session {} {}", short(Some(&session)), here.on())))
    }

    /// Each in the scope it has; with `--session` only what is that session's.
    fn of_scope(&self, names: &[String], reach: Reach<'_>) -> Result<Cleared, String> {
        let session = self.session(reach.session)?;
        let (mut targets, mut whose) = (Vec::new(), Vec::new());
        for name in names {
            let set = self.described(name)?;
            let exceptions = self.exceptions_of(name, set, reach, session.as_deref());
            // The end of a waiver takes no evidence away.
            let is_excepted = exceptions.iter().any(|target| self.may_be_there(target));
            if is_excepted || matches!(set.kind(), Kind::Dynamic | Kind::Guard) {
                if !self.caller.is_operator() {
                    return Err(self.not_ones_own(names, false, reach));
                }
                targets.extend(exceptions);
                whose.push(match reach.session {
                    Some(_) => format!("session {}", short(session.as_deref())),
                    None => "every session of this repository".to_owned(),
                });
                continue;
            }
            let scope =
                if reach.session.is_some() { Scope::Session } else { self.view.world.here.scope(set.scope) };
            let is_own = matches!(scope, Scope::Session | Scope::SingleUse);
            if !self.caller.is_operator() && (!is_own || self.is_of_others(session.as_deref())) {
                return Err(self.not_ones_own(names, false, reach));
            }
            let (key, holder, words) = self.place_of(scope, session.as_deref());
            if is_own && session.is_none() {
                // An exception for everybody needs no session to be taken back.
                if set.kind() == Kind::Blocking {
                    return Err(self.no_session(&format!("{name} is marked per session"), "clear it"));
                }
                whose.push("every session of this repository".to_owned());
                continue;
            }
            targets.push(self.target(key, Some(name), holder));
            whose.push(words);
        }
        whose.dedup();
        Ok((targets, whose.join("; ")))
    }

    /// Where the marks of a scope are, and whose they are in words.
    fn place_of<'b>(&'b self, scope: Scope, session: Option<&'b str>) -> (&'b Key, Option<&'b str>, String) {
        let here = &self.view.world.here;
        match scope {
            Scope::Permanent => (&Key::Permanent, None, "in this repository".to_owned()),
            Scope::Branch => (&here.key, None, format!("every session {}", here.on())),
            Scope::Session | Scope::SingleUse => {
                (&here.key, session, format!("session {} {}", short(session), here.on()))
            }
        }
    }

    /// Approvals and waivers, which are the user's to take back.
    fn exceptions_of(
        &self,
        name: &str,
        set: &Requirement,
        reach: Reach<'_>,
        session: Option<&str>,
    ) -> Vec<Target> {
        if set.kind() == Kind::Blocking || !self.caller.is_operator() {
            return Vec::new();
        }
        let own = session.map(|session| self.target(&Key::Permanent, Some(name), Some(session)));
        let everyones = reach.session.is_none().then(|| self.target(&Key::Permanent, Some(name), None));
        own.into_iter().chain(everyones).collect()
    }

    fn target(&self, key: &Key, name: Option<&str>, session: Option<&str>) -> Target {
        Target {
            here: self.view.world.here.clone(),
            key: key.clone(),
            name: name.map(ToOwned::to_owned),
            scope: Scope::Session,
            session: session.map(ToOwned::to_owned),
        }
    }

    fn is_of_others(&self, session: Option<&str>) -> bool {
        !self.caller.is_operator() && (session.is_none() || session != self.view.session)
    }

    fn not_ones_own(&self, names: &[String], all: bool, reach: Reach<'_>) -> String {
        let words: Vec<String> = names.iter().map(|name| quoted(name)).collect();
        let words = if all { "--all".to_owned() } else { words.join(" ") };
        self.refusal(&format!("clear {words}{reach}"), "these are not the marks of this session alone")
    }
}
