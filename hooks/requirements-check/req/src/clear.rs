//! `req clear`: satisfactions are taken back, those of the scope that is named and nobody else's.

use crate::reply::{Reply, short};
use crate::satisfy::{RequestContext, is_own};
use crate::verb::Clear;
use requirements_check::change::{Change, Target};
use requirements_check::satisfactions::{Key, Requirement as Recorded};
use requirements_check::settings::{Kind, Scope};
use requirements_check::view::quoted;

/// Records to be taken back, and whose they are, in words.
type Cleared = (Vec<Target>, String);

impl RequestContext<'_> {
    pub(crate) fn clear(&self, wanted: &Clear) -> Result<Reply, String> {
        let (targets, whose) = match &wanted.reach.branch {
            Some(branch) => self.of_branch(wanted, branch.as_deref())?,
            None if wanted.all => self.all_of_session(wanted)?,
            None => {
                let each = wanted.names.iter().map(|name| self.of_requirement(name, wanted));
                let each = each.collect::<Result<Vec<Cleared>, String>>()?;
                let (targets, mut whose): (Vec<_>, Vec<_>) = each.into_iter().unzip();
                whose.dedup();
                (targets.concat(), whose.join("; "))
            }
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
        let named = wanted.names.iter().map(Some).chain(wanted.all.then_some(None));
        let targets = named.map(|name| self.target(&key, name.map(String::as_str), None)).collect();
        let place = branch.map_or_else(|| self.view.world.here.on(), |branch| format!("on {branch}"));
        Ok((targets, format!("every session {place}")))
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
        Ok((targets, format!("session {} {}", short(&session), here.on())))
    }

    /// The records that count for one requirement: the user's exceptions from it, else its satisfaction in its own scope; with
    /// `--session` only what is that session's. The end of a waiver takes no evidence away.
    fn of_requirement(&self, name: &str, wanted: &Clear) -> Result<Cleared, String> {
        let kind = self.described(name)?.kind();
        let session = self.session(wanted.reach.session.as_deref())?;
        let session = session.as_deref();
        let here = &self.view.world.here;
        let is_named = wanted.reach.session.is_some();
        let scope = if is_named { Scope::Session } else { here.scope(self.described(name)?.scope) };
        let has_exceptions_only = matches!(kind, Kind::Dynamic | Kind::Guard);
        if !self.caller.is_operator() {
            if has_exceptions_only || !is_own(scope) || self.is_of_others(session) {
                return Err(self.not_ones_own(wanted));
            }
        } else if kind != Kind::Blocking {
            let own = session.map(|session| self.target(&Key::Permanent, Some(name), Some(session)));
            let everyones = (!is_named).then(|| self.target(&Key::Permanent, Some(name), None));
            let exceptions: Vec<Target> = own.into_iter().chain(everyones).collect();
            // Without a session there is no evidence to take back.
            let has_no_evidence = session.is_none() && is_own(scope);
            let is_excepted = exceptions.iter().any(|target| self.may_be_there(target));
            if has_exceptions_only || is_excepted || has_no_evidence {
                let everyone = "every session of this repository".to_owned();
                let whose = if is_named {
                    format!("session {}", short(session.unwrap_or_default()))
                } else {
                    everyone
                };
                return Ok((exceptions, whose));
            }
        }
        let (key, holder, whose) = match scope {
            Scope::Permanent => (&Key::Permanent, None, "in this repository".to_owned()),
            Scope::Branch => (&here.key, None, format!("every session {}", here.on())),
            _ if session.is_none() => {
                return Err(self.no_session(&format!("each session satisfies {name} for itself"), "clear it"));
            }
            _ => {
                (&here.key, session, format!("session {} {}", short(session.unwrap_or_default()), here.on()))
            }
        };
        Ok((vec![self.target(key, Some(name), holder)], whose))
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
