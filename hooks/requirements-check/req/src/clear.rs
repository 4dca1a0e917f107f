//! `req clear`: satisfactions are taken back, those of the scope that is named and nobody else's.

use crate::reply::Reply;
use crate::satisfy::{Speaker, is_own, short};
use crate::verb::Clear;
use requirements_check::change::{Change, Target};
use requirements_check::satisfactions::{Key, Requirement as Recorded};
use requirements_check::settings::{Kind, Requirement, Scope};
use requirements_check::view::quoted;

/// Records to be taken back, and whose they are, in words.
type Cleared = (Vec<Target>, String);

const EVERYONES: &str = "every session of this repository";

impl Speaker<'_> {
    pub(crate) fn clear(&self, wanted: &Clear) -> Result<Reply, String> {
        let (targets, whose) = match &wanted.reach.branch {
            Some(branch) => self.of_branch(wanted, branch.as_deref())?,
            None if wanted.all => self.all_of_session(wanted)?,
            None => self.of_scope(wanted)?,
        };
        let what = if wanted.all { "all satisfactions".to_owned() } else { wanted.names.join(", ") };
        if !targets.iter().any(|target| self.may_be_there(target)) {
            return Ok(Reply::yes(format!("nothing to clear: {what} ({whose})")));
        }
        let is_exception = |name: &String| {
            self.described(name).is_ok_and(|set| set.kind() != Kind::Blocking) && self.caller.is_operator()
        };
        let mut ended: Vec<String> =
            targets.iter().filter_map(|target| target.name.clone()).filter(is_exception).collect();
        ended.dedup();
        let changes = targets.into_iter().map(Change::Clear).collect();
        Ok(Reply { changes, ended, ..Reply::yes(format!("cleared: {what} ({whose})")) })
    }

    /// There is such a record, or it stands where nobody looked.
    fn may_be_there(&self, target: &Target) -> bool {
        let world = &self.view.world;
        let records = match &target.key {
            Key::Permanent => &world.permanent,
            key if *key == world.here.key => &world.branch,
            _ => return true,
        };
        let is_of_holder = |recorded: &Recorded| match &target.session {
            Some(id) => recorded.sessions.contains_key(id),
            None => recorded.everyone.is_some(),
        };
        match &target.name {
            Some(name) => records.requirements.get(name).is_some_and(is_of_holder),
            None => records.requirements.values().any(is_of_holder),
        }
    }

    /// What counts for every session of a branch.
    fn of_branch(&self, wanted: &Clear, branch: Option<&str>) -> Result<Cleared, String> {
        wanted.names.iter().try_for_each(|name| self.described(name).map(drop))?;
        if !self.caller.is_operator() {
            return Err(self.not_ones_own(wanted));
        }
        let key = self.branch(branch)?;
        let named = wanted.names.iter().map(|name| self.target(&key, Some(name), None));
        let all = wanted.all.then(|| self.target(&key, None, None));
        let place = branch.map_or_else(|| self.view.world.here.on(), |branch| format!("on {branch}"));
        Ok((named.chain(all).collect(), format!("every session {place}")))
    }

    /// All that counts for one session here.
    fn all_of_session(&self, wanted: &Clear) -> Result<Cleared, String> {
        let session = self.session(wanted.reach.session.as_deref())?;
        if self.is_of_others(session.as_deref()) {
            return Err(self.not_ones_own(wanted));
        }
        let Some(session) = session else {
            return Err(self.no_session("each session has satisfactions of its own", "clear those"));
        };
        let here = &self.view.world.here;
        let exceptions = self.caller.is_operator().then_some(&Key::Permanent);
        let keys = std::iter::once(&here.key).chain(exceptions);
        let targets = keys.map(|key| self.target(key, None, Some(&session))).collect();
        Ok((targets, format!("session {} {}", short(Some(&session)), here.on())))
    }

    /// Each in the scope it has; with `--session` only what is that session's.
    fn of_scope(&self, wanted: &Clear) -> Result<Cleared, String> {
        let session = self.session(wanted.reach.session.as_deref())?;
        let (mut targets, mut whose) = (Vec::new(), Vec::new());
        for name in &wanted.names {
            let set = self.described(name)?;
            let (records, words) = match self.exceptions_of(name, set, wanted, session.as_deref())? {
                Some(exceptions) => exceptions,
                None => self.own_of(name, set, wanted, session.as_deref())?,
            };
            targets.extend(records);
            whose.push(words);
        }
        whose.dedup();
        Ok((targets, whose.join("; ")))
    }

    /// Approvals and waivers, which are the user's to take back. The end of a waiver takes no evidence away.
    fn exceptions_of(
        &self,
        name: &str,
        set: &Requirement,
        wanted: &Clear,
        session: Option<&str>,
    ) -> Result<Option<Cleared>, String> {
        let is_alone = matches!(set.kind(), Kind::Dynamic | Kind::Guard);
        if !self.caller.is_operator() && is_alone {
            return Err(self.not_ones_own(wanted));
        }
        if !self.caller.is_operator() || set.kind() == Kind::Blocking {
            return Ok(None);
        }
        let is_named = wanted.reach.session.is_some();
        let own = session.map(|session| self.target(&Key::Permanent, Some(name), Some(session)));
        let everyones = (!is_named).then(|| self.target(&Key::Permanent, Some(name), None));
        let targets: Vec<Target> = own.into_iter().chain(everyones).collect();
        let words = if is_named { format!("session {}", short(session)) } else { EVERYONES.to_owned() };
        let is_excepted = targets.iter().any(|target| self.may_be_there(target));
        // Without a session there is no evidence to take back.
        let is_all = is_alone || is_excepted || (session.is_none() && is_own(self.scope_of(set, wanted)));
        Ok(is_all.then_some((targets, words)))
    }

    fn scope_of(&self, set: &Requirement, wanted: &Clear) -> Scope {
        if wanted.reach.session.is_some() {
            return Scope::Session;
        }
        self.view.world.here.scope(set.scope)
    }

    /// The satisfaction in the requirement's scope.
    fn own_of(
        &self,
        name: &str,
        set: &Requirement,
        wanted: &Clear,
        session: Option<&str>,
    ) -> Result<Cleared, String> {
        let scope = self.scope_of(set, wanted);
        if !self.caller.is_operator() && (!is_own(scope) || self.is_of_others(session)) {
            return Err(self.not_ones_own(wanted));
        }
        let here = &self.view.world.here;
        let (key, holder, words) = match scope {
            Scope::Permanent => (&Key::Permanent, None, "in this repository".to_owned()),
            Scope::Branch => (&here.key, None, format!("every session {}", here.on())),
            _ if session.is_none() => {
                return Err(self.no_session(&format!("each session satisfies {name} for itself"), "clear it"));
            }
            _ => (&here.key, session, format!("session {} {}", short(session), here.on())),
        };
        Ok((vec![self.target(key, Some(name), holder)], words))
    }

    fn is_of_others(&self, session: Option<&str>) -> bool {
        !self.caller.is_operator() && (session.is_none() || session != self.view.session)
    }

    fn not_ones_own(&self, wanted: &Clear) -> String {
        let names: Vec<String> = wanted.names.iter().map(|name| quoted(name)).collect();
        let words = if wanted.all { "--all".to_owned() } else { names.join(" ") };
        let line = format!("clear {words}{}", wanted.reach);
        self.refusal(&line, "these are not the satisfactions of this session alone")
    }
}
