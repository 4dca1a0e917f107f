//! What an installation says at its end: each registered hook with its proof, how to silence it and how to be rid of it; what is
//! there beside them; and what the user should know. It changes nothing.

use std::collections::BTreeSet;

use shared::catalog::{Catalog, HookEntry};

use crate::client_settings::Settings;
use crate::enabled::Enabled;
use crate::git_ignore::is_ignored;
use crate::links;
use crate::places::{Installation, Scope};
use crate::prove::prove;
use crate::say::{blocks, note, say};

/// What a report came to.
pub(crate) struct Reported {
    /// Each of the registered hooks was proved.
    pub(crate) all_proved: bool,
    /// What is wrong in the configuration files: sentences, not told yet.
    pub(crate) problems: BTreeSet<String>,
}

/// The table at the end of an installation: what is registered and proved, and how each is silenced. All `hooks` are proved;
/// those in `shown` have their row, and any that fails.
///
/// # Errors
/// A file that cannot be read, or a hook that cannot be asked.
pub(crate) fn report(
    installation: &Installation,
    catalog: &Catalog,
    hooks: &[&HookEntry],
    shown: &[&HookEntry],
) -> anyhow::Result<Reported> {
    let entries = Settings::read(installation, catalog)?.present.hooks;
    let mut reported = Reported { all_proved: true, problems: BTreeSet::new() };
    let (mut rows, mut remarks) = (Vec::new(), Vec::new());
    for hook in hooks {
        let proof = prove(installation, hook, &entries);
        reported.all_proved &= proof.is_ok();
        if proof.is_err() || shown.contains(hook) {
            rows.push(row(installation, hook, proof)?);
            let about = Remarks::on(installation, hook)?;
            remarks.extend(about.switched_off);
            reported.problems.extend(about.problems);
        }
    }
    if !rows.is_empty() {
        say(blocks(&["hook", "registered", "proved", "first words", "silence", "off for good"], &rows));
    }
    remarks.iter().for_each(say);
    Ok(reported)
}

fn row(
    installation: &Installation,
    hook: &HookEntry,
    proof: anyhow::Result<String>,
) -> anyhow::Result<Vec<String>> {
    let events: Vec<&str> = hook.events.iter().map(|entry| entry.event.as_str()).collect();
    Ok(vec![
        hook.name.clone(),
        events.join(", "),
        proof.unwrap_or_else(|error| format!("NO: {error:#}")),
        hook.first_words.clone(),
        links::typed(installation, hook, &hook.silence)?,
        installation.line(format_args!("disable {}", hook.name)),
    ])
}

/// What the user should know of a hook that is registered: sentences.
#[derive(Debug, Default)]
pub(crate) struct Remarks {
    /// It does not act.
    pub(crate) switched_off: Option<String>,
    /// What is wrong in the configuration files.
    pub(crate) problems: Vec<String>,
}

impl Remarks {
    /// Asks the hook.
    ///
    /// # Errors
    /// It cannot be asked.
    pub(crate) fn on(installation: &Installation, hook: &HookEntry) -> anyhow::Result<Self> {
        let Some(enabled) = Enabled::ask(installation, &hook.name)? else { return Ok(Self::default()) };
        let off = || {
            let way_on = enabled.way_on(&hook.name, installation);
            format!("{} is registered, but switched off by {}; {way_on}", hook.name, enabled.set_by)
        };
        let switched_off = (!enabled.acts).then(off);
        Ok(Self { switched_off, problems: enabled.problems })
    }
}

/// What is there and was not chosen.
pub(crate) fn name_the_rest(installation: &Installation, catalog: &Catalog, hooks: &[&HookEntry]) {
    let rest: Vec<&HookEntry> = catalog.hooks.iter().filter(|hook| !hooks.contains(hook)).collect();
    if rest.is_empty() {
        return;
    }
    if hooks.is_empty() {
        say("No hook is registered. To register one:");
    } else {
        say("Not registered:");
    }
    let lines = rest.iter().map(|hook| installation.line(format_args!("enable {}", hook.name)));
    let lines: Vec<String> = lines.collect();
    let width = lines.iter().map(String::len).max().unwrap_or_default();
    for (hook, line) in rest.iter().zip(lines) {
        say(format_args!("  {line:width$}   {}", hook.summary));
    }
}

/// The local file names paths of this user's; in git it would break everybody else's sessions.
pub(crate) fn warn_of_a_shared_local_file(installation: &Installation) {
    let Installation { scope: Scope::Local, project: Some(project), settings, .. } = installation else {
        return;
    };
    if is_ignored(settings, project, &installation.home) == Some(false) {
        let name = installation.show(settings);
        note(format_args!("{name} names paths of yours and is not ignored by git: add it to .gitignore"));
    }
}
