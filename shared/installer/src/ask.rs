//! Questions on a terminal. One that gets no answer changes nothing, and says so in those words.

use std::io::IsTerminal;

use anyhow::{Context as _, anyhow, ensure};
use inquire::{Confirm, InquireError, MultiSelect, Select};
use shared::catalog::HookEntry;

use crate::requirements::Judge;
use crate::say::names_of;

const LEFT: &str = "no answer; nothing was changed";

/// The ways to a model, as a person reads them.
const WAYS: [(Judge, &str); 2] = [
    (Judge::MessagesApi, "Anthropic's API, paid by the token: with the key in ANTHROPIC_API_KEY"),
    (
        Judge::ClaudeCli,
        "your own `claude -p`, with your login: it counts toward your usage limits, and is slower",
    ),
];

/// A person can be asked.
pub(crate) fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// The answer to a question of yes or no.
pub(crate) fn confirmed(question: &str, default: bool) -> anyhow::Result<bool> {
    answered(Confirm::new(question).with_default(default).prompt())
}

/// Goes on only with a yes.
pub(crate) fn agreed(question: &str, default: bool) -> anyhow::Result<()> {
    ensure!(confirmed(question, default)?, "nothing was changed");
    Ok(())
}

/// The hooks to switch on, out of these.
pub(crate) fn chosen_hooks(
    open: Vec<&HookEntry>,
    is_ticked: impl Fn(&HookEntry) -> bool,
) -> anyhow::Result<Vec<&HookEntry>> {
    if open.is_empty() {
        return Ok(open);
    }
    let width = open.iter().map(|hook| hook.name.len()).max().unwrap_or_default();
    let lines: Vec<String> = open.iter().map(|hook| line(hook, width)).collect();
    let ticked: Vec<usize> = (0..open.len()).filter(|index| is_ticked(open[*index])).collect();
    let question = "Which hooks shall be switched on? (space ticks, Enter goes on; none is fine)";
    let chosen = answered(MultiSelect::new(question, lines).with_default(&ticked).raw_prompt())?;
    Ok(chosen.iter().map(|option| open[option.index]).collect())
}

/// Purpose and price of a hook.
fn line(hook: &HookEntry, width: usize) -> String {
    let price = match (hook.costs_money, hook.uses_network) {
        (true, _) => " (asks a model: costs money)",
        (false, true) => " (opens connections)",
        (false, false) => "",
    };
    format!("{:width$}  {}{price}", hook.name, hook.summary)
}

/// The way to a model for these hooks.
pub(crate) fn chosen_judge(hooks: &[&HookEntry]) -> anyhow::Result<Judge> {
    let question = format!("How shall {} ask a model? Either costs", names_of(hooks));
    let lines = WAYS.map(|(_, line)| line).to_vec();
    let answer = answered(Select::new(&question, lines).raw_prompt())?;
    WAYS.get(answer.index).map(|(way, _)| *way).context("no such choice")
}

/// Leaving with a key is an answer, too.
fn answered<T>(answer: Result<T, InquireError>) -> anyhow::Result<T> {
    answer.map_err(|error| match error {
        InquireError::OperationCanceled | InquireError::OperationInterrupted => anyhow!(LEFT),
        error => anyhow!("{LEFT}: the terminal gave none ({error})"),
    })
}
