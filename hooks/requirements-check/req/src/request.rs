//! A question about requirements: the settings, the view that the hook has too, and the caller.
//!
//! Approvals, waivers and other sessions' satisfactions belong to the user: a person at a terminal of their own, or a prompt
//! that somebody typed. Claude's shell gets the line the user can type.

use shared::operator::Caller;

use crate::known::Known;
use crate::reply::{refusal, short, unknown};
use requirements_check::change::Target;
use requirements_check::rule::Rule;
use requirements_check::satisfactions::Key;
use requirements_check::settings::{Requirement, Scope, Settings};
use requirements_check::view::View;
use requirements_check::wording::Origins;

pub(crate) struct RequestContext<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) view: &'a View<'a>,
    pub(crate) known: &'a Known,
    pub(crate) caller: Caller,
    /// The command as it was typed.
    pub(crate) line: &'a str,
    /// Session of the caller's shell or prompt; the view may be another one's.
    pub(crate) own: Option<&'a str>,
    pub(crate) origin: &'a Origins<'a>,
    pub(crate) file: Option<String>,
    /// The pause in force, in words.
    pub(crate) pause: Option<String>,
}

impl RequestContext<'_> {
    pub(crate) fn session(&self, named: Option<&str>) -> Result<Option<String>, String> {
        self.known.session(named, self.view.session)
    }

    /// The branch's key; without a name that of the one that is checked out. A branch that does not exist is a slip.
    pub(crate) fn branch(&self, named: Option<&str>) -> Result<Key, String> {
        let Some(name) = named else { return Ok(self.view.world.key.clone()) };
        let key = Key::Branch(name.to_owned());
        if self.known.recorded.contains_key(&key)
            || self.known.heads.as_ref().is_none_or(|heads| heads.contains(&key))
        {
            return Ok(key);
        }
        let branches = self.known.heads.iter().flatten().filter_map(|key| match key {
            Key::Branch(name) => Some(name.as_str()),
            _ => None,
        });
        Err(unknown("branch", name, &branches.collect::<Vec<_>>(), " in this repository"))
    }

    pub(crate) fn in_force(&self, name: &str) -> Result<Rule<'_>, String> {
        self.described(name)?;
        Rule::named(self.settings, name)
            .ok_or_else(|| format!("req: {name} is switched off here; see req status --all"))
    }

    /// A requirement that is described, in force or not.
    pub(crate) fn described(&self, name: &str) -> Result<&Requirement, String> {
        let described = &self.settings.requirements;
        described.get(name).ok_or_else(|| {
            let known: Vec<&str> = described.keys().map(String::as_str).collect();
            let all = format!("; there are {}", known.join(", "));
            unknown("requirement", name, &known, if known.is_empty() { " here" } else { &all })
        })
    }

    /// The record of one requirement, or of all of them.
    pub(crate) fn target(&self, key: &Key, name: Option<&str>, session: Option<&str>) -> Target {
        Target {
            folder: self.view.world.folder.clone(),
            key: key.clone(),
            name: name.map(ToOwned::to_owned),
            session: session.map(ToOwned::to_owned),
        }
    }

    /// The record of a requirement in its scope, for this session.
    pub(crate) fn own_target(
        &self,
        name: &str,
        scope: Scope,
        session: Option<&str>,
    ) -> Result<Target, String> {
        let here = self.view.world;
        if session.is_none() && here.scope(scope).is_own() {
            return Err(self.no_session());
        }
        Ok(Target::new(here, name, scope, session))
    }

    /// Whose record it is, in words.
    pub(crate) fn whose(&self, target: &Target) -> String {
        let here = self.view.world;
        let place = match &target.key {
            Key::Permanent => "of this repository".to_owned(),
            Key::Branch(name) => format!("on {name}"),
            _ => here.on(),
        };
        match &target.session {
            Some(session) => format!("session {} {place}", short(session)),
            None => format!("every session {place}"),
        }
    }

    pub(crate) fn is_of_others(&self, session: Option<&str>) -> bool {
        !self.caller.is_operator() && (session.is_none() || session != self.view.session)
    }

    pub(crate) fn refusal(&self, why: &str) -> String {
        refusal(self.caller, self.line, why)
    }

    pub(crate) fn no_session(&self) -> String {
        let live = match self.known.live_names().as_slice() {
            [] => "none is live here".to_owned(),
            live => format!("live here: {}", live.join(", ")),
        };
        let place = if self.view.world.key == Key::NoGit { "of this project" } else { "on this branch" };
        format!(
            "req: each session has satisfactions of its own; name one with --session ID ({live}), or add --branch for \
             every session {place}"
        )
    }
}
