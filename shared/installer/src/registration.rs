//! The entries of a hook, as config/hooks.yaml has them.
//!
//! A project's own settings are everybody's who works on it. Their entries are shell lines that name nobody's home, do nothing where
//! a hook is not installed, step back for the user's own entry, and report a missing hook once per session.

use crate::catalog::{Catalog, HookEntry};
use anyhow::{Context as _, bail};
use client_settings::{Program, Registration, SHELL_MARK};
use shared::config::nearest;

use crate::places::{Installation, Scope};

/// The name of the line that reports missing hooks.
pub(crate) const NOTICE: &str = "notice";

/// The configuration folder of the user who runs the line.
const CONFIG_DIR: &str = r#""${CLAUDE_CONFIG_DIR:-$HOME/.claude}""#;

pub fn find(catalog: &'static Catalog, name: &str) -> anyhow::Result<&'static HookEntry> {
    if let Some(hook) = catalog.hook(name) {
        return Ok(hook);
    }
    let names = catalog.names();
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    match nearest(name, &known) {
        Some(near) => bail!("there is no hook {name}; did you mean {near}?"),
        None => bail!("there is no hook {name}; there are: {}", known.join(", ")),
    }
}

pub(crate) fn entries(
    installation: &Installation,
    hooks: &[&HookEntry],
) -> anyhow::Result<Vec<Registration>> {
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

pub(crate) fn program(installation: &Installation, hook: &str) -> anyhow::Result<Program> {
    match installation.scope {
        Scope::Project => Ok(shared_line(hook)),
        Scope::User | Scope::Local => path_of(installation, hook).map(Program::Path),
    }
}

fn path_of(installation: &Installation, hook: &str) -> anyhow::Result<String> {
    let path = installation.installed(hook);
    Ok(path.to_str().with_context(|| format!("{} is not readable text", path.display()))?.to_owned())
}

/// Both start the same: one file may have several paths, as where the home is a link.
pub(crate) fn is_same_program(left: &Program, right: &Program) -> bool {
    let real = |program: &Program| match program {
        Program::Path(path) => std::fs::canonicalize(path).ok(),
        Program::Shell(_) => None,
    };
    left == right || real(left).is_some_and(|left| real(right) == Some(left))
}

/// The hook among these that prints a status line, and the shell line that starts it.
pub(crate) fn status_line<'a>(
    installation: &Installation,
    hooks: &[&'a HookEntry],
) -> anyhow::Result<Option<(&'a HookEntry, String)>> {
    let Some((hook, printed)) = hooks.iter().find_map(|hook| Some((*hook, hook.status_line.as_ref()?)))
    else {
        return Ok(None);
    };
    let path = path_of(installation, &hook.name)?;
    Ok(Some((hook, client_settings::status_line_command(&path, &printed.arguments))))
}

/// A script of the user's that starts the status line of one of these hooks. Chained, each would start the other.
pub(crate) fn starts_ours(command: &str, hooks: &[&HookEntry]) -> bool {
    let printers = hooks.iter().filter_map(|hook| Some((&hook.name, hook.status_line.as_ref()?)));
    let mut lines = printers.flat_map(|(name, printed)| {
        ["", "\"", "'", ".exe"].map(|end| format!("{name}{end} {}", printed.arguments))
    });
    lines.any(|line| command.contains(&line))
}

/// The line of a project's settings that starts a hook. Claude Code adds up the hooks of all levels, and a hook that runs twice
/// counts twice: where the user's own settings register it, the line does nothing.
fn shared_line(hook: &str) -> Program {
    let own = r#""$d/settings.json" "$CLAUDE_PROJECT_DIR/.claude/settings.local.json""#;
    Program::Shell(format!(
        r#"{SHELL_MARK}{hook}; d={CONFIG_DIR}; h="$d/hooks/{hook}"; [ -x "$h" ] || exit 0; grep -qsF '/hooks/{hook}"' {own} && exit 0; exec "$h""#
    ))
}

/// The entry that tells a teammate without these hooks, when a session begins.
pub(crate) fn notice(hooks: &[String]) -> Registration {
    let names = hooks.join(" ");
    // Inside single quotes in the line: no apostrophes.
    let way = "They stay silent for you. To install them, in an unpacked archive of Barbless: ./req hooks install --hooks";
    let or = "; or in its source tree: cargo xtask install --hooks";
    let line = format!(
        r#"{SHELL_MARK}{NOTICE}; m=; for n in {names}; do [ -x {CONFIG_DIR}/hooks/$n ] || m="$m,$n"; done; [ -z "$m" ] || printf '{{"systemMessage":"Barbless: this project uses hooks that you have not installed (%s). {way} %s{or} %s"}}' "${{m#,}}" "${{m#,}}" "${{m#,}}""#
    );
    Registration {
        event: "SessionStart".to_owned(),
        matcher: Some("startup|resume".to_owned()),
        program: Program::Shell(line),
        timeout_secs: Some(5.into()),
        status_message: None,
    }
}

#[cfg(test)]
mod tests;
