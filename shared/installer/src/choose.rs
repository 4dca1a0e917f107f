//! What an installation registers: hooks that are named, all, ticked in a question, or the ticked defaults; and, as questions
//! of their own, their permission rules and the status line.

use client_settings::StatusLineThere;
use inquire::MultiSelect;
use shared::catalog::{Catalog, HookEntry};

use crate::ask::{answered, can_ask, confirmed};
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

/// The hooks to register. `registered` ones stay registered whatever is chosen and are not asked for again; what the user
/// has switched off in a file of theirs (`is_off`) comes back only by name.
pub(crate) fn choose<'a>(
    catalog: &'a Catalog,
    registered: &[&'a HookEntry],
    is_off: impl Fn(&HookEntry) -> bool,
    wish: &Wish,
) -> anyhow::Result<Vec<&'a HookEntry>> {
    let is_ticked = |hook: &HookEntry| hook.ticked && !is_off(hook);
    match wish {
        Wish::Named(names) => names.iter().map(|name| find(catalog, name)).collect(),
        Wish::All => Ok(catalog.hooks.iter().collect()),
        Wish::Ask if can_ask() => {
            let open = catalog.hooks.iter().filter(|hook| !registered.contains(hook)).collect();
            ask(open, is_ticked)
        }
        Wish::Ask | Wish::Defaults => Ok(catalog.hooks.iter().filter(|hook| is_ticked(hook)).collect()),
    }
}

/// Whether these permission rules are added: they loosen what the client asks about, so nobody gets them unasked.
pub(crate) fn wants_rules(missing: &[String], is_given: bool, may_ask: bool) -> anyhow::Result<bool> {
    if missing.is_empty() || is_given || !(may_ask && can_ask()) {
        return Ok(is_given);
    }
    let question = format!("Shall Claude run these without asking you? {}", missing.join(", "));
    confirmed(&question, false)
}

/// Whether the status line is set. It is where nothing stands yet, because hooks learn from it what they cannot learn
/// elsewhere; where there is another one, which then is printed below, only when asked for.
pub(crate) fn wants_status_line(
    there: Option<&StatusLineThere>,
    is_given: bool,
    may_ask: bool,
) -> anyhow::Result<bool> {
    if is_given || there.is_some_and(|there| there.is_ours) {
        return Ok(true);
    }
    match there {
        None if may_ask && can_ask() => confirmed("Shall Barbless print the client's status line?", true),
        None => Ok(true),
        Some(_) if may_ask && can_ask() => confirmed(
            "There is a status line already. Shall Barbless print its own, and yours below it? Uninstalling gives it back",
            false,
        ),
        Some(_) => Ok(false),
    }
}

fn ask(open: Vec<&HookEntry>, is_ticked: impl Fn(&HookEntry) -> bool) -> anyhow::Result<Vec<&HookEntry>> {
    if open.is_empty() {
        return Ok(open);
    }
    let width = open.iter().map(|hook| hook.name.len()).max().unwrap_or_default();
    let lines: Vec<String> = open.iter().map(|hook| line(hook, width)).collect();
    let ticked: Vec<usize> = (0..open.len()).filter(|index| is_ticked(open[*index])).collect();
    let question = MultiSelect::new(
        "Which hooks shall be switched on? (space ticks, Enter goes on; none is fine)",
        lines,
    )
    .with_default(&ticked);
    let chosen = answered(question.raw_prompt())?;
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

    use client_settings::StatusLineThere;

    use super::{Wish, choose, line, wants_rules, wants_status_line};

    /// Three hooks, the second of them ticked.
    fn catalog() -> Catalog {
        let first = Catalog::built_in().unwrap().hooks.remove(0);
        let named = |name: &str| HookEntry { name: name.to_owned(), ticked: name == "b", ..first.clone() };
        Catalog { hooks: ["a", "b", "c"].map(named).to_vec() }
    }

    fn chosen(wish: &Wish) -> Vec<String> {
        choose(&catalog(), &[], |_| false, wish).unwrap().iter().map(|hook| hook.name.clone()).collect()
    }

    #[test]
    fn named_all_or_the_ticked_ones() {
        assert_eq!(chosen(&Wish::Named(vec!["c".to_owned(), "a".to_owned()])), ["c", "a"]);
        assert_eq!(chosen(&Wish::All), ["a", "b", "c"]);
        assert_eq!(chosen(&Wish::Defaults), ["b"]);
        assert!(choose(&catalog(), &[], |_| false, &Wish::Named(vec!["x".to_owned()])).is_err());
        assert_eq!(
            choose(&catalog(), &[], |_| true, &Wish::Defaults).unwrap().len(),
            0,
            "switched off by hand"
        );
    }

    #[test]
    fn rules_come_only_when_they_are_asked_for_and_the_status_line_where_there_is_none() {
        let rules = ["Bash(a status*)".to_owned()];
        for (is_given, may_ask) in [(false, false), (true, false)] {
            assert_eq!(wants_rules(&rules, is_given, may_ask).unwrap(), is_given);
        }
        let line =
            |is_ours| StatusLineThere { raw: String::new(), command: None, is_command: false, is_ours };
        for (there, is_given, wanted) in [
            (None, false, true),
            (Some(line(false)), false, false),
            (Some(line(false)), true, true),
            (Some(line(true)), false, true),
        ] {
            assert_eq!(wants_status_line(there.as_ref(), is_given, false).unwrap(), wanted, "{there:?}");
        }
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
