//! Which hooks an installation registers: those named, all, those ticked in a question, or the ticked defaults.

use std::io::IsTerminal;

use anyhow::Context as _;
use inquire::MultiSelect;
use shared::catalog::{Catalog, HookEntry};

use crate::registration::find;

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
        Wish::Ask if std::io::stdin().is_terminal() && std::io::stderr().is_terminal() => {
            let open = catalog.hooks.iter().filter(|hook| !registered.contains(hook)).collect();
            ask(open)
        }
        Wish::Ask | Wish::Defaults => Ok(catalog.hooks.iter().filter(|hook| hook.ticked).collect()),
    }
}

fn ask(open: Vec<&HookEntry>) -> anyhow::Result<Vec<&HookEntry>> {
    if open.is_empty() {
        return Ok(open);
    }
    let width = open.iter().map(|hook| hook.name.len()).max().unwrap_or_default();
    let lines: Vec<String> = open.iter().map(|hook| line(hook, width)).collect();
    let ticked: Vec<usize> = (0..open.len()).filter(|index| open[*index].ticked).collect();
    let question = MultiSelect::new("Which hooks shall be switched on?", lines).with_default(&ticked);
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

    use super::{Wish, choose, line};

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
    fn a_line_names_the_price() {
        let mut hook = catalog().hooks.remove(0);
        hook.summary = "does".to_owned();
        assert_eq!(line(&hook, 3), "a    does");
        hook.costs_money = true;
        assert_eq!(line(&hook, 1), "a  does (asks a model: costs money)");
    }
}
