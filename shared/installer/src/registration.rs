//! What registering a hook means: its entries, as config/hooks.yaml has them, and its `enabled` in requirements.yaml.

use anyhow::{Context as _, bail};
use client_settings::{Program, Registration};
use config_edit::Refused;
use shared::catalog::{Catalog, HookEntry};
use shared::config::nearest;

use crate::places::{Installation, Scope};
use crate::team;

/// The hook of that name, or an error that names the nearest one.
pub fn find<'a>(catalog: &'a Catalog, name: &str) -> anyhow::Result<&'a HookEntry> {
    if let Some(hook) = catalog.hook(name) {
        return Ok(hook);
    }
    let names = names(catalog);
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    match nearest(name, &known) {
        Some(near) => bail!("there is no hook {name}; did you mean {near}?"),
        None => bail!("there is no hook {name}; there are: {}", known.join(", ")),
    }
}

/// All hooks' names, which are their binaries' too.
pub fn names(catalog: &Catalog) -> Vec<String> {
    catalog.hooks.iter().map(|hook| hook.name.clone()).collect()
}

/// The entries of these hooks for their deployed binaries.
pub fn entries(installation: &Installation, hooks: &[&HookEntry]) -> anyhow::Result<Vec<Registration>> {
    let mut entries = Vec::new();
    for hook in hooks {
        let program = program(installation, &hook.name)?;
        entries.extend(hook.events.iter().map(|entry| Registration {
            event: entry.event.clone(),
            matcher: entry.matcher.clone(),
            program: program.clone(),
            timeout_secs: Some(entry.timeout_secs.into()),
            status_message: entry.status_message.clone(),
        }));
    }
    Ok(entries)
}

/// How a hook is started from the settings of this scope.
pub fn program(installation: &Installation, hook: &str) -> anyhow::Result<Program> {
    if installation.scope == Scope::Project {
        return Ok(team::hook_line(hook));
    }
    let path = installation.deployed(hook);
    let path = path.to_str().with_context(|| format!("{} is not readable text", path.display()))?;
    Ok(Program::Path(path.to_owned()))
}

/// Both start the same: one file may have several paths, as where the home is a link.
pub fn is_same_program(left: &Program, right: &Program) -> bool {
    let real = |program: &Program| match program {
        Program::Path(path) => std::fs::canonicalize(path).ok(),
        Program::Shell(_) => None,
    };
    left == right || real(left).is_some_and(|left| real(right) == Some(left))
}

/// The one of these hooks that prints a status line, and the shell line that starts it.
pub fn status_line<'a>(
    installation: &Installation,
    hooks: &[&'a HookEntry],
) -> anyhow::Result<Option<(&'a HookEntry, String)>> {
    let Some((hook, printed)) = hooks.iter().find_map(|hook| Some((*hook, hook.status_line.as_ref()?)))
    else {
        return Ok(None);
    };
    let path = installation.deployed(&hook.name);
    let path = path.to_str().with_context(|| format!("{} is not readable text", path.display()))?;
    Ok(Some((hook, client_settings::status_line_command(path, &printed.arguments))))
}

/// Another command that starts the status line of one of these hooks, as a script of the user's does. Chained, each would start the
/// other.
pub fn starts_ours(command: &str, hooks: &[&HookEntry]) -> bool {
    let mut printed =
        hooks.iter().filter_map(|hook| Some((&hook.name, &hook.status_line.as_ref()?.arguments)));
    printed.any(|(name, arguments)| {
        ["", "\"", "'", ".exe"].iter().any(|end| command.contains(&format!("{name}{end} {arguments}")))
    })
}

/// The configuration says of this hook that it is off.
pub fn is_switched_off(text: Option<&str>, hook: &HookEntry) -> bool {
    enabled(text, hook).as_deref() == Some("false")
}

fn enabled(text: Option<&str>, hook: &HookEntry) -> Option<String> {
    text.and_then(|text| config_edit::get(text, &hook.name, "enabled").ok().flatten())
}

/// The configuration with these hooks switched on; a hook that is on by default needs no line.
pub fn switched_on(text: Option<&str>, hooks: &[&HookEntry]) -> Result<Option<String>, Refused> {
    let mut text = text.map(str::to_owned);
    for hook in hooks {
        let line = config_edit::get(text.as_deref().unwrap_or_default(), &hook.name, "enabled")?;
        if line.as_deref() != Some("true") && !(hook.enabled && line.is_none()) {
            text =
                Some(config_edit::set(text.as_deref().unwrap_or_default(), &hook.name, "enabled", "true")?);
        }
    }
    Ok(text)
}

/// The configuration with this hook switched off.
pub fn switched_off(text: Option<&str>, hook: &HookEntry) -> Result<Option<String>, Refused> {
    config_edit::set(text.unwrap_or_default(), &hook.name, "enabled", "false").map(Some)
}

#[cfg(test)]
mod tests {
    use shared::catalog::{Catalog, HookEntry};

    use super::{find, switched_off, switched_on};

    fn hook(enabled: bool) -> HookEntry {
        let mut hook = Catalog::built_in().unwrap().hooks.remove(0);
        hook.name = "a-gate".to_owned();
        hook.enabled = enabled;
        hook
    }

    #[test]
    fn only_a_hook_that_would_stay_off_gets_a_line() {
        let (off, on) = (hook(false), hook(true));
        let text = |before: Option<&str>, hook: &HookEntry| switched_on(before, &[hook]).unwrap();
        assert_eq!(text(None, &off).as_deref(), Some("a-gate:\n  enabled: true\n"));
        assert_eq!(text(None, &on), None);
        assert_eq!(text(Some("# x\n"), &on).as_deref(), Some("# x\n"));
        assert_eq!(text(Some("a-gate: {enabled: false}"), &on).as_deref(), Some("a-gate: {enabled: true}"));
        assert_eq!(text(Some("a-gate: {enabled: true}"), &off).as_deref(), Some("a-gate: {enabled: true}"));
        assert_eq!(switched_off(None, &on).unwrap().as_deref(), Some("a-gate:\n  enabled: false\n"));
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        let catalog = Catalog::built_in().unwrap();
        let name = &catalog.hooks[0].name;
        let error = find(&catalog, &name[..name.len() - 1]).unwrap_err().to_string();
        assert!(error.ends_with(&format!("did you mean {name}?")), "{error}");
        assert!(find(&catalog, "zzz").unwrap_err().to_string().contains("there are: "));
    }
}
