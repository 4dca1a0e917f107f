//! What an installation says at its end: each registered hook with its proof, how to silence it and how to be rid of it; what is
//! there beside them; and what the user should know. It changes nothing.

use std::process::{Command, Stdio};

use shared::catalog::{Catalog, HookEntry};

use crate::client_settings::Settings;
use crate::enabled::Enabled;
use crate::links;
use crate::places::{Installation, Scope};
use crate::prove::prove;
use crate::say::{blocks, note, say};

/// The table at the end of an installation: what is registered and proved, and how each is silenced. Returns whether each of
/// these hooks was proved.
///
/// # Errors
/// A file that cannot be read, or a hook that cannot be asked.
pub(crate) fn report(
    installation: &Installation,
    catalog: &Catalog,
    hooks: &[&HookEntry],
) -> anyhow::Result<bool> {
    let entries = Settings::read(installation, catalog)?.present.hooks;
    let mut all_proved = true;
    let mut rows = Vec::new();
    let mut remarks = Vec::new();
    for hook in hooks {
        let events: Vec<&str> = hook.events.iter().map(|entry| entry.event.as_str()).collect();
        let proof = prove(installation, hook, &entries);
        all_proved &= proof.is_ok();
        rows.push(vec![
            hook.name.clone(),
            events.join(", "),
            proof.unwrap_or_else(|error| format!("NO: {error:#}")),
            hook.first_words.clone(),
            links::typed(installation, hook, &hook.silence)?,
            installation.line(format_args!("disable {}", hook.name)),
        ]);
        remarks.extend(remarks_on(installation, hook)?);
    }
    if !rows.is_empty() {
        say(blocks(&["hook", "registered", "proved", "first words", "silence", "off for good"], &rows));
    }
    remarks.dedup();
    remarks.iter().for_each(say);
    Ok(all_proved)
}

/// What the user should know of a hook that is registered.
pub(crate) fn remarks_on(installation: &Installation, hook: &HookEntry) -> anyhow::Result<Vec<String>> {
    let Some(enabled) = Enabled::ask(installation, &hook.name)? else { return Ok(Vec::new()) };
    let mut remarks = Vec::new();
    if !enabled.acts {
        let (name, set_by) = (&hook.name, &enabled.set_by);
        let way_on = enabled.way_on(name, installation);
        remarks.push(format!("{name} is registered, but switched off by {set_by}; {way_on}"));
    }
    remarks.extend(enabled.problems);
    Ok(remarks)
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
    for hook in rest {
        let line = installation.line(format_args!("enable {}", hook.name));
        say(format_args!("  {line}   {}", hook.summary));
    }
}

/// The local file names paths of this user's; in git it would break everybody else's sessions.
pub(crate) fn warn_of_a_shared_local_file(installation: &Installation) {
    let Installation { scope: Scope::Local, project: Some(project), settings, .. } = installation else {
        return;
    };
    let mut git = Command::new("git");
    git.args(["check-ignore", "--quiet"]).arg(settings).current_dir(project);
    let status = git.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    // 1: not ignored; anything else: no repository, or no git.
    if status.is_ok_and(|status| status.code() == Some(1)) {
        let name = installation.show(settings);
        note(format_args!("{name} names paths of yours and is not ignored by git: add it to .gitignore"));
    }
}
