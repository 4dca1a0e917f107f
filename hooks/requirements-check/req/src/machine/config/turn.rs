//! `req enable`, `req disable`: one requirement, or a whole hook.

use shared::catalog::Catalog;
use shared::cli::Asker;
use shared::config::{LayerKind, dotted, nearest, spelled};

use super::key::{named, typed_flag};
use super::outlook::Outlook;
use super::plan::Planned;
use crate::command::arguments::{Level, Turn};
use crate::command::{Reply, refusal};
use crate::machine::journal::known_hook;
use requirements_check::view::quoted;
use requirements_check::words::cut;

/// Switches it on or off.
pub(crate) fn turn(wanted: &Turn, on: bool, asker: &Asker<'_>) -> Reply {
    turned(wanted, on, asker).unwrap_or_else(Reply::no)
}

fn turned(wanted: &Turn, on: bool, asker: &Asker<'_>) -> Result<Reply, String> {
    let catalog = Catalog::built_in().map_err(|error| format!("req: {error}"))?;
    let costs_money = |hook: &String| catalog.hook(hook).is_some_and(|hook| hook.costs_money);
    let is_paid = on && wanted.hook.as_ref().is_some_and(costs_money);
    let line = typed(wanted, on);
    if !asker.caller.is_operator() && (!on || is_paid) {
        let why = if on {
            "this hook asks a model, which costs money"
        } else {
            "switching something off is the user's to do"
        };
        return Err(refusal(asker.caller, &line, why));
    }
    let before = Outlook::of(asker, &asker.sources());
    let path = match (&wanted.hook, &wanted.name) {
        (Some(hook), _) => vec![known_hook(hook)?, "enabled".to_owned()],
        (None, name) => {
            let name = name.clone().unwrap_or_default();
            described(&name, &before, &catalog)?;
            vec!["requirements".to_owned(), name, "enabled".to_owned()]
        }
    };
    let level = match named(wanted.level) {
        None | Some(LayerKind::Global) if is_paid => Level { global: true, ..Level::default() },
        Some(_) if is_paid => {
            let hook = &path[0];
            return Err(format!(
                "req: {hook} asks a model, which costs money, so only your global file can switch it on; type: req enable --hook {hook} --global"
            ));
        }
        _ => wanted.level,
    };
    // It stands so already, and no file was named that should say so itself.
    let same = before.at(&path).filter(|entry| entry.value == on && entry.origin.layer != LayerKind::Switch);
    if let (Some(entry), None) = (same, named(level)) {
        let (key, value) = (dotted(&path), spelled(&entry.value));
        return Ok(Reply::yes(format!("{key}: {value}  ({}); nothing was changed", entry.origin)));
    }
    Planned { path, value: Some(on.into()), level }.carry(&before, asker)
}

/// The line as it was typed.
fn typed(wanted: &Turn, on: bool) -> String {
    let verb = if on { "enable" } else { "disable" };
    let what = match (&wanted.hook, &wanted.name) {
        (Some(hook), _) => format!("--hook {}", quoted(hook)),
        (None, name) => quoted(name.as_deref().unwrap_or_default()),
    };
    format!("req {verb} {what}{}", typed_flag(wanted.level))
}

/// Some file describes the requirement: switched on without that, it would be one that nobody meant.
fn described(name: &str, before: &Outlook, catalog: &Catalog) -> Result<(), String> {
    let known = before.requirements();
    if known.contains(&name) {
        return Ok(());
    }
    let shown = cut(name, 60);
    if catalog.hook(name).is_some() {
        return Err(format!("req: {shown} is a hook, not a requirement; type: req enable --hook {shown}"));
    }
    Err(match nearest(&shown, &known) {
        Some(near) => format!("req: there is no requirement {shown}; did you mean {near}?"),
        None => format!(
            "req: no file describes a requirement {shown}; req init writes a file with some to choose from"
        ),
    })
}
