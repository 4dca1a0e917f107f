//! `req satisfy`, `req approve`, `req waive`, `req clear`: records are set and taken back, those of the scope that is named and
//! nobody else's.

use std::time::Duration;

use anyhow::{anyhow, bail};

use crate::reply::{Answer, Reply};
use crate::request::RequestContext;
use crate::verb::{Clear, Exception, Reach, Satisfy};
use requirements_check::change::{Change, Target};
use requirements_check::rule::Rule;
use requirements_check::satisfactions::{By, Key, Satisfaction};
use requirements_check::settings::{Kind, Scope};
use requirements_check::strategy::Remedy;
use requirements_check::world::View;
use shared::journal::Record;
use shared::text::quoted;
use shared::text::{age, cut};

impl RequestContext<'_> {
    /// All or nothing: half of a line that was wrong is nobody's wish.
    pub(crate) fn satisfy(&self, wanted: &Satisfy) -> Answer {
        self.satisfied(wanted).map_err(|why| anyhow!("{why}\nNothing was satisfied."))
    }

    fn satisfied(&self, Satisfy { names, reach, note }: &Satisfy) -> Answer {
        let session = self.session(reach.session.as_deref())?;
        let branch = reach.branch.as_ref().map(|branch| self.branch(branch.as_deref())).transpose()?;
        let by = if self.location.caller.is_operator() { By::User } else { By::Agent };
        let (mut changes, mut lines) = (Vec::new(), Vec::new());
        for name in names {
            let rule = self.satisfied_by_hand(name, reach, session.as_deref())?;
            let target = match &branch {
                Some(key) if self.view.scope(&rule) != Scope::Permanent => self.target(key, Some(name), None),
                _ => self.own_target(name, rule.set.scope, session.as_deref())?,
            };
            lines.push(format!("satisfied: {name} ({})", self.whose(&target)));
            changes.push(Change::Set(target, Box::new(self.record(by, note.as_deref()))));
        }
        let is_recorded = reach.branch.is_none() && reach.session.is_none();
        Ok(Reply { changes, is_recorded, ..Reply::lines(lines) })
    }

    /// A requirement that this caller may satisfy by hand.
    fn satisfied_by_hand(
        &self,
        name: &str,
        reach: &Reach,
        session: Option<&str>,
    ) -> anyhow::Result<Rule<'_>> {
        let rule = self.in_force(name)?;
        if let (true, Remedy::Do(what)) = (rule.kind() != Kind::Blocking, rule.remedy(self.view)) {
            bail!("{name} is not satisfied by hand. To satisfy it: {what}");
        }
        let why = if reach.session.is_some() && self.is_of_others(session) {
            "that is another session's to satisfy"
        } else if rule.set.is_the_users() && !self.location.caller.is_operator() {
            &format!("{name} is the user's to satisfy")
        } else {
            return Ok(rule);
        };
        Err(self.location.refusal(why))
    }

    /// `req approve` or `req waive`, which is the verb.
    pub(crate) fn except(&self, wanted: &Exception, verb: &str) -> Answer {
        let rule = self.in_force(&wanted.name)?;
        let name = rule.word();
        let (fit, word, by, usual_secs) = match rule.kind() {
            Kind::Blocking => bail!("{name} cannot be approved or waived; type: req satisfy {name}"),
            Kind::Dynamic => {
                let secs = rule.set.dynamic().map_or(0, |dynamic| dynamic.approval_ttl.into());
                ("approve", "approved", By::Approval, secs)
            }
            Kind::Guard | Kind::Evidence => ("waive", "waived", By::Waiver, 30 * 60),
        };
        let has_note = wanted.note.as_ref().is_some_and(|note| !note.trim().is_empty());
        if fit != verb || (fit == "waive" && !has_note) {
            let note = if fit == "waive" { " --note \"the reason\"" } else { "" };
            bail!("to let {name} pass for a while, type: req {fit} {name}{note}");
        }
        if !self.location.caller.is_operator() {
            return Err(self.location.refusal("an exception is the user's to make"));
        }
        // Without --session an exception is everybody's.
        let session = wanted.session.as_ref().map(|named| self.session(Some(named))).transpose()?.flatten();
        let target = self.target(&Key::Permanent, Some(rule.name), session.as_deref());
        let secs = wanted.span.as_ref().map_or(usual_secs, Duration::as_secs);
        let reach = wanted.session.as_ref().map(|session| format!(" --session {}", quoted(session)));
        let text = format!(
            "{word} for {}: {} ({}); take it back with: req clear {name}{}",
            age(i64::try_from(secs).unwrap_or(i64::MAX)),
            rule.name,
            self.whose(&target),
            reach.unwrap_or_default()
        );
        let exception = self.record(by, wanted.note.as_deref()).for_secs(secs);
        let (what, note) = (verb.to_owned(), exception.metadata.note.clone());
        let record = Record { what, rule: Some(rule.key()), session, text: note, ..Record::default() };
        let changes = vec![Change::Set(target, Box::new(exception))];
        Ok(Reply { changes, record: Some(record), ..Reply::yes(text) })
    }

    fn record(&self, by: By, note: Option<&str>) -> Satisfaction {
        const MAX_NOTE: usize = 300;
        let mut satisfaction = Satisfaction::new(by, self.view.now);
        satisfaction.metadata.entrypoint.clone_from(&self.view.world.environment.entrypoint);
        satisfaction.metadata.note = note.map(|note| cut(&secrets::masked(note.trim()), MAX_NOTE));
        satisfaction
    }

    pub(crate) fn clear(&self, wanted: &Clear) -> Answer {
        let mut targets = self.to_clear(wanted)?;
        let is_others =
            |target: &Target| target.key == Key::Permanent || self.is_of_others(target.session.as_deref());
        if !self.location.caller.is_operator() && (targets.is_empty() || targets.iter().any(is_others)) {
            return Err(self.location.refusal("these are not the satisfactions of this session alone"));
        }
        targets.retain(|target| self.is_recorded(target));
        let line = |target: &Target| {
            let what = target.name.as_deref().unwrap_or("all satisfactions");
            format!("cleared: {what} ({})", self.whose(target))
        };
        let mut lines: Vec<String> = targets.iter().map(line).collect();
        lines.dedup();
        lines.extend(lines.is_empty().then(|| "nothing of that is recorded; nothing was cleared".to_owned()));
        Ok(Reply { changes: targets.into_iter().map(Change::Clear).collect(), ..Reply::lines(lines) })
    }

    fn is_recorded(&self, target: &Target) -> bool {
        let world = self.view.world;
        let kept = if target.key == Key::Permanent { &world.permanent } else { &world.branch };
        let mut kept = kept
            .requirements
            .iter()
            .filter(|(name, _)| target.name.as_ref().is_none_or(|wanted| wanted == *name));
        kept.any(|(_, of)| match &target.session {
            Some(session) => of.sessions.contains_key(session),
            None => of.everyone.is_some(),
        })
    }

    fn to_clear(&self, wanted: &Clear) -> anyhow::Result<Vec<Target>> {
        wanted.names.iter().try_for_each(|name| self.described(name).map(drop))?;
        let Reach { branch, session } = &wanted.reach;
        if let Some(branch) = branch {
            let key = self.branch(branch.as_deref())?;
            let names = wanted.names.iter().map(|name| Some(name.as_str())).chain(wanted.all.then_some(None));
            return Ok(names.map(|name| self.target(&key, name, None)).collect());
        }
        let id = self.session(session.as_deref())?;
        if !wanted.all {
            let each =
                wanted.names.iter().map(|name| self.records_of(name, id.as_deref(), session.is_some()));
            return Ok(each.collect::<anyhow::Result<Vec<_>>>()?.concat());
        }
        let id = id.ok_or_else(|| self.no_session())?;
        let exceptions = self.location.caller.is_operator().then_some(&Key::Permanent);
        let keys = std::iter::once(&self.view.world.key).chain(exceptions);
        Ok(keys.map(|key| self.target(key, None, Some(&id))).collect())
    }

    /// The records that count for one requirement: the exceptions from it, else its satisfaction. The end of a waiver takes no
    /// evidence away.
    fn records_of(&self, name: &str, session: Option<&str>, is_named: bool) -> anyhow::Result<Vec<Target>> {
        let set = self.described(name)?;
        let is_excepted = View { session, ..*self.view }.exception(&Rule { name, set }).is_some();
        if !matches!(set.kind(), Kind::Dynamic | Kind::Guard) && !is_excepted {
            let scope = if is_named { Scope::Session } else { set.scope };
            return Ok(vec![self.own_target(name, scope, session)?]);
        }
        let kept = self.view.world.permanent.requirements.get(name);
        let own = session.filter(|session| kept.is_some_and(|kept| kept.sessions.contains_key(*session)));
        let everyones = kept.filter(|kept| !is_named && kept.everyone.is_some()).map(|_| None);
        let whose = own.map(Some).into_iter().chain(everyones);
        Ok(whose.map(|session| self.target(&Key::Permanent, Some(name), session)).collect())
    }
}
