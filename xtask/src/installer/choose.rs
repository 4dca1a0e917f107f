//! Which hooks an installation registers: those named, all, those ticked in a question, or the ticked defaults.

use std::io::IsTerminal;

use anyhow::Context as _;
use inquire::MultiSelect;
use shared::catalog::{Catalog, HookEntry};
use shared::config::edit;

use crate::installer::registration::find;

/// How the hooks are chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wish {
    /// These.
    Named(Vec<String>),
    /// All there are.
    All,
    /// The catalog's defaults, without a question.
    Defaults,
    /// Asked on a terminal; elsewhere the defaults.
    Ask,
}

/// The hooks to register. `registered` ones stay registered whatever is chosen and are not asked for again.
pub(crate) fn choose<'a>(
    catalog: &'a Catalog,
    registered: &[&'a HookEntry],
    wish: &Wish,
) -> anyhow::Result<Vec<&'a HookEntry>> {
    match wish {
        Wish::Named(names) => names.iter().map(|name| find(catalog, name)).collect(),
        Wish::All => Ok(catalog.hooks.iter().collect()),
        Wish::Ask if can_ask() => {
            let open = catalog.hooks.iter().filter(|hook| !registered.contains(hook)).collect();
            ask(open)
        }
        Wish::Ask | Wish::Defaults => Ok(catalog.hooks.iter().filter(|hook| hook.ticked).collect()),
    }
}

/// Where no hook is named and none is ticked in the catalog, those that cost nothing are registered all the same, switched off: a
/// process start per event, and they can be switched on without touching settings.json. Not those the user has
/// switched off in the global file (`requirements`).
pub(crate) fn registered_switched_off<'a>(
    catalog: &'a Catalog,
    wish: &Wish,
    requirements: Option<&str>,
) -> Vec<&'a HookEntry> {
    let names_none = matches!(wish, Wish::Defaults | Wish::Ask);
    if !names_none || catalog.hooks.iter().any(|hook| hook.ticked) {
        return Vec::new();
    }
    let is_off = |hook: &HookEntry| {
        requirements.is_some_and(|text| {
            edit::get(text, &hook.name, "enabled").is_ok_and(|set| set.as_deref() == Some("false"))
        })
    };
    catalog.hooks.iter().filter(|hook| !hook.costs_money && !is_off(hook)).collect()
}

fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

fn ask(open: Vec<&HookEntry>) -> anyhow::Result<Vec<&HookEntry>> {
    if open.is_empty() {
        return Ok(open);
    }
    let width = open.iter().map(|hook| hook.name.len()).max().unwrap_or_default();
    let lines: Vec<String> = open.iter().map(|hook| line(hook, width)).collect();
    let ticked: Vec<usize> = (0..open.len()).filter(|index| open[*index].ticked).collect();
    let question = MultiSelect::new(
        "Which hooks shall be switched on? (space ticks, Enter goes on; none is fine)",
        lines,
    )
    .with_default(&ticked);
    let chosen = question.raw_prompt().context("no answer; nothing was changed")?;
    Ok(chosen.iter().map(|option| open[option.index]).collect())
}

/// One honest line: what it does, and what it costs beside a millisecond.
fn line(hook: &HookEntry, width: usize) -> String {
    let price = match (hook.costs_money, hook.uses_network) {
        (true, _) => " (asks a model: costs money)",
        (false, true) => " (opens connections)",
        (false, false) => "",
    };
    format!("{:width$}  {}{price}", hook.name, hook.summary)
}

#[cfg(test)]
mod tests {
    use shared::catalog::{Catalog, HookEntry};

    use super::{Wish, choose, line, registered_switched_off};

    /// Three hooks, the second of them ticked.
    fn catalog() -> Catalog {
        let first = Catalog::built_in().unwrap().hooks.remove(0);
        let named = |name: &str| HookEntry { name: name.to_owned(), ticked: name == "b", ..first.clone() };
        Catalog { hooks: ["a", "b", "c"].map(named).to_vec() }
    }

    fn chosen(wish: &Wish) -> Vec<String> {
        choose(&catalog(), &[], wish).unwrap().iter().map(|hook| hook.name.clone()).collect()
    }

    #[test]
    fn named_all_or_the_ticked_ones() {
        assert_eq!(chosen(&Wish::Named(vec!["c".to_owned(), "a".to_owned()])), ["c", "a"]);
        assert_eq!(chosen(&Wish::All), ["a", "b", "c"]);
        assert_eq!(chosen(&Wish::Defaults), ["b"]);
        assert!(choose(&catalog(), &[], &Wish::Named(vec!["x".to_owned()])).is_err());
    }

    #[test]
    fn where_nothing_is_ticked_what_costs_nothing_is_registered_switched_off() {
        let mut catalog = catalog();
        let names = |catalog: &Catalog, wish, requirements| -> Vec<String> {
            registered_switched_off(catalog, &wish, requirements)
                .iter()
                .map(|hook| hook.name.clone())
                .collect()
        };
        assert_eq!(names(&catalog, Wish::Defaults, None), Vec::<String>::new(), "one is ticked");
        catalog.hooks[1].ticked = false;
        catalog.hooks[2].costs_money = true;
        assert_eq!(names(&catalog, Wish::Defaults, None), ["a", "b"]);
        assert_eq!(names(&catalog, Wish::Defaults, Some("a: {enabled: false}")), ["b"]);
        assert_eq!(names(&catalog, Wish::All, None), Vec::<String>::new());
        assert_eq!(names(&catalog, Wish::Named(vec!["a".to_owned()]), None), Vec::<String>::new());
    }

    #[test]
    fn a_line_names_the_price() {
        let mut hook = catalog().hooks.remove(0);
        hook.summary = "does".to_owned();
        assert_eq!(line(&hook, 3), "a    does");
        hook.costs_money = true;
        assert_eq!(line(&hook, 1), "a  does (asks a model: costs money)");
    }
}
