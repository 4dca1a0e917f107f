//! `req enable`, `req disable`: one requirement, or a whole hook.

use shared::catalog::{Catalog, HookEntry};
use shared::cli::Asker;
use shared::config::{LayerKind, dotted, nearest, spelled};
use shared::hook::Hook;

use super::key::{flag, named, typed_flag};
use super::outlook::Outlook;
use super::plan::Planned;
use crate::command::arguments::{Level, Turn};
use crate::command::{Reply, refusal};
use requirements_check::RequirementsCheck;
use requirements_check::view::quoted;
use requirements_check::words::cut;

pub(crate) fn enable(wanted: &Turn, asker: &Asker<'_>) -> Reply {
    turned(wanted, true, asker).unwrap_or_else(Reply::no)
}

pub(crate) fn disable(wanted: &Turn, asker: &Asker<'_>) -> Reply {
    turned(wanted, false, asker).unwrap_or_else(Reply::no)
}

fn turned(wanted: &Turn, on: bool, asker: &Asker<'_>) -> Result<Reply, String> {
    if !on {
        operator(wanted, on, "switching something off is the user's to do", asker)?;
    }
    let before = Outlook::of(asker, &asker.sources());
    let catalog = Catalog::built_in().map_err(|error| format!("req: {error}"))?;
    let (path, level) = match (&wanted.hook, &wanted.name) {
        (Some(hook), _) => {
            let hook = hook_named(hook, &catalog)?;
            let level = if on && hook.costs_money { paid(wanted, hook, asker)? } else { wanted.level };
            (vec![hook.name.clone(), "enabled".to_owned()], level)
        }
        (None, name) => {
            let name = name.as_deref().unwrap_or_default();
            described(name, on, &before, &catalog)?;
            (vec!["requirements".to_owned(), name.to_owned(), "enabled".to_owned()], wanted.level)
        }
    };
    if let Some(already) = already(&path, on, level, &before) {
        return Ok(already);
    }
    let is_requirement = wanted.hook.is_none();
    let mut reply = Planned { path, value: Some(on.into()), level }.carry(&before, asker)?;
    if on && is_requirement && before.is(&[RequirementsCheck::NAME, "enabled"], false) {
        let hook = RequirementsCheck::NAME;
        let off =
            format!("{hook} is switched off here, so nothing of this is enforced; req enable --hook {hook}");
        reply.text = [reply.text, off].join("\n");
    }
    Ok(reply)
}

fn operator(wanted: &Turn, on: bool, why: &str, asker: &Asker<'_>) -> Result<(), String> {
    if asker.caller.is_operator() {
        return Ok(());
    }
    let verb = if on { "enable" } else { "disable" };
    let what = match (&wanted.hook, &wanted.name) {
        (Some(hook), _) => format!("--hook {}", quoted(hook)),
        (None, name) => quoted(name.as_deref().unwrap_or_default()),
    };
    Err(refusal(asker.caller, &format!("req {verb} {what}{}", typed_flag(wanted.level)), why))
}

/// What asks a model is switched on by its payer, and nowhere but in their own file.
fn paid(wanted: &Turn, hook: &HookEntry, asker: &Asker<'_>) -> Result<Level, String> {
    operator(wanted, true, "this hook asks a model, which costs money", asker)?;
    match named(wanted.level) {
        None | Some(LayerKind::Global) => Ok(Level { global: true, ..Level::default() }),
        Some(_) => Err(format!(
            "req: {} asks a model, which costs money, so only your global file can switch it on; type: req enable --hook {}{}",
            hook.name,
            hook.name,
            flag(LayerKind::Global)
        )),
    }
}

fn hook_named<'c>(name: &str, catalog: &'c Catalog) -> Result<&'c HookEntry, String> {
    let known: Vec<&str> = catalog.hooks.iter().map(|hook| hook.name.as_str()).collect();
    catalog.hook(name).ok_or_else(|| {
        let name = cut(name, 60);
        match nearest(&name, &known) {
            Some(near) => format!("req: there is no hook {name}; did you mean {near}?"),
            None => format!("req: there is no hook {name}; there are {}", known.join(", ")),
        }
    })
}

/// Some file describes the requirement: switched on without that, it would be one that nobody meant.
fn described(name: &str, on: bool, before: &Outlook, catalog: &Catalog) -> Result<(), String> {
    let known = before.requirements();
    if known.contains(&name) {
        return Ok(());
    }
    let shown = cut(name, 60);
    if catalog.hook(name).is_some() {
        let verb = if on { "enable" } else { "disable" };
        return Err(format!("req: {shown} is a hook, not a requirement; type: req {verb} --hook {shown}"));
    }
    Err(match nearest(&shown, &known) {
        Some(near) => format!("req: there is no requirement {shown}; did you mean {near}?"),
        None => format!(
            "req: no file describes a requirement {shown}. req init writes a file with some to choose from; one of your own: \
             req config set {} '{{ enabled: true, type: blocking }}'",
            quoted(&dotted(&["requirements".to_owned(), shown.clone()]))
        ),
    })
}

/// It stands so already, and no file was named that should say so itself.
fn already(path: &[String], on: bool, level: Level, before: &Outlook) -> Option<Reply> {
    let entry = before.at(path).filter(|entry| entry.value == on && named(level).is_none())?;
    let is_file = !matches!(entry.origin.layer, LayerKind::Switch);
    is_file.then(|| {
        Reply::yes(format!(
            "{}: {}  ({}); nothing was changed",
            dotted(path),
            spelled(&entry.value),
            entry.origin
        ))
    })
}

#[cfg(test)]
mod tests {
    use shared::catalog::{Catalog, HookEntry};
    use shared::cli::Asker;
    use shared::host::{Clock, Environment, Host, Places, Timestamp};
    use shared::operator::{Caller, Standing};

    use super::paid;
    use crate::command::arguments::{Level, Turn};

    fn asked(level: Level, caller: Caller) -> Result<Level, String> {
        let now = Timestamp::from_secs(1);
        let host = Host { started: now, clock: Clock::Fixed(now), environment: Environment::default() };
        let places = Places::default();
        let asker = Asker { host: &host, places: &places, store: None, session: None, caller };
        let any = Catalog::built_in().unwrap().hooks.remove(0);
        let hook = HookEntry { name: "a-judge".to_owned(), costs_money: true, ..any };
        paid(&Turn { hook: Some(hook.name.clone()), level, ..Turn::default() }, &hook, &asker)
    }

    #[test]
    fn what_costs_money_is_switched_on_by_the_user_and_in_the_global_file_alone() {
        let none = Level::default();
        let (global, local) = (Level { global: true, ..none }, Level { local: true, ..none });
        for level in [none, global] {
            assert_eq!(asked(level, Caller::Typed), Ok(global));
            let refused = asked(level, Caller::Shell(Standing::InsideClaude)).unwrap_err();
            assert!(
                refused.contains("costs money") && refused.contains("req enable --hook a-judge"),
                "{refused}"
            );
        }
        let refused = asked(local, Caller::Typed).unwrap_err();
        assert!(refused.ends_with("type: req enable --hook a-judge --global"), "{refused}");
    }
}
