//! The questions on a terminal. Each has an answer that Enter takes, and leaving any of them writes nothing.

use std::fmt::Display;
use std::io::{IsTerminal, Write};

use inquire::validator::{ErrorMessage, Validation};
use inquire::{Confirm, CustomUserError, InquireError, MultiSelect, Select, Text};
use shared::config::LayerKind;

use super::site::{Site, named, word};
use super::template::{Begins, Draft, advanced, text_of};
use crate::command::arguments::{Init, Preset};
use requirements_check::settings::{CommandPattern, Glob};
use requirements_check::words::{is_hidden, plain};

/// What is said when a question is left.
const LEFT: &str = "req: nothing was written";

/// The levels as they are asked for.
const LEVELS: [LayerKind; 3] = [LayerKind::Project, LayerKind::Local, LayerKind::Global];

/// More changed lines than this are no limit.
const MOST_LINES: u32 = 100_000_000;

/// What is ticked where requirements are chosen one by one.
const TICKED: [&str; 3] = ["commit_plan", "protected_branch", "tests_green"];

/// Somebody is there to be asked: the questions are read from stdin and shown on stderr.
pub(super) fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks for everything that no flag has said.
pub(super) fn ask(wanted: &Init, site: &Site<'_>) -> Result<Draft, String> {
    show(site.found.told());
    let level = match named(wanted.level) {
        Some(level) => level,
        None => ask_level(wanted, site)?,
    };
    site.may_write(wanted, level)?;
    let begins = match wanted.preset {
        Some(preset) => Begins::With(preset),
        None => ask_preset(site, level)?,
    };
    details(site.draft(level, begins), site)
}

/// Shows the whole file and asks whether it shall be written.
pub(super) fn confirm(text: &str, shown: &str, replaces: bool) -> Result<(), String> {
    show(format!("\n{}", plain(text)));
    let question = if replaces {
        format!("Write this to {shown}, in place of what is there? The old file is kept beside it")
    } else {
        format!("Write this to {shown}?")
    };
    let is_yes = answer(Confirm::new(&question).with_default(!replaces).prompt())?;
    if is_yes { Ok(()) } else { Err(LEFT.to_owned()) }
}

fn ask_level(wanted: &Init, site: &Site<'_>) -> Result<LayerKind, String> {
    let levels: Vec<LayerKind> = LEVELS.into_iter().filter(|level| site.file(*level).is_ok()).collect();
    let is_free = |level: LayerKind| wanted.force || !site.is_there(level);
    let usual = site.usual_level();
    let free = [usual].into_iter().chain(levels.iter().copied()).find(|level| is_free(*level));
    let start = levels.iter().position(|level| Some(*level) == free).unwrap_or_default();
    let lines: Vec<String> = levels.iter().map(|level| level_line(*level, site)).collect();
    let question = Select::new("Which file shall be written?", lines).with_starting_cursor(start);
    let chosen = answer(question.without_filtering().raw_prompt())?.index;
    Ok(levels.get(chosen).copied().unwrap_or(usual))
}

fn level_line(level: LayerKind, site: &Site<'_>) -> String {
    let file = site.file(level).map(|file| site.shown(&file)).unwrap_or_default();
    let what = match level {
        LayerKind::Global => "yours, for every project",
        LayerKind::Local => "yours, for this project only; not in git",
        _ if site.found.git.is_some() => "the team's: in git, for everybody who works here",
        _ => "this project's",
    };
    let is_there = if site.is_there(level) { " (there is one already)" } else { "" };
    format!("{file}  {what}{is_there}")
}

/// What can be chosen to begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Preset(Preset),
    OneByOne,
}

fn ask_preset(site: &Site<'_>, level: LayerKind) -> Result<Begins, String> {
    let usual = Choice::Preset(site.usual_preset(level));
    let presets = [Preset::Relaxed, Preset::Strict, Preset::Minimal, Preset::Advanced].map(Choice::Preset);
    let inherit = (level == LayerKind::Project).then_some(Choice::Preset(Preset::Inherit));
    let choices: Vec<Choice> = presets.into_iter().chain(inherit).chain([Choice::OneByOne]).collect();
    let start = choices.iter().position(|choice| *choice == usual).unwrap_or_default();
    let lines: Vec<String> = choices.iter().map(|choice| preset_line(*choice, site)).collect();
    let question = Select::new("What shall be required to begin with?", lines).with_starting_cursor(start);
    let chosen = answer(question.without_filtering().raw_prompt())?.index;
    match choices.get(chosen).copied().unwrap_or(usual) {
        Choice::Preset(preset) => Ok(Begins::With(preset)),
        Choice::OneByOne => ask_one_by_one(),
    }
}

fn preset_line(choice: Choice, site: &Site<'_>) -> String {
    let Choice::Preset(preset) = choice else { return "one by one  you tick what you want".to_owned() };
    let what = match preset {
        Preset::Relaxed => "a plan before the first edit, nothing else".to_owned(),
        Preset::Strict => {
            "a plan, no edits on main and the like, tests passed before a commit and when a turn ends"
                .to_owned()
        }
        Preset::Minimal => "nothing yet; examples as comments, to be filled in by hand".to_owned(),
        Preset::Advanced => "one of every kind at once; you take out what you do not want".to_owned(),
        Preset::Inherit => match site.required_globally.as_slice() {
            [] => "what everybody's own global file requires; yours requires nothing yet".to_owned(),
            names => format!("what everybody's own global file requires; yours: {}", names.join(", ")),
        },
    };
    format!("{:10}  {what}", word(preset))
}

fn ask_one_by_one() -> Result<Begins, String> {
    let all = advanced();
    let lines = all.iter().map(|(name, what, _)| format!("{name:18} {what}")).collect();
    let ticked: Vec<usize> = (0..all.len()).filter(|at| TICKED.contains(&all[*at].0)).collect();
    let question = MultiSelect::new("What shall be required? (space ticks, Enter goes on)", lines)
        .with_default(&ticked)
        .with_page_size(all.len())
        .without_filtering();
    let chosen = answer(question.raw_prompt())?;
    if chosen.is_empty() {
        return Ok(Begins::With(Preset::Minimal));
    }
    Ok(Begins::OneByOne(chosen.iter().map(|option| all[option.index].0.to_owned()).collect()))
}

/// What was found, for correction, as far as the file speaks of it.
fn details(mut draft: Draft, site: &Site<'_>) -> Result<Draft, String> {
    let requires = |name: &str| match &draft.begins {
        Begins::With(preset) => text_of(*preset).contains(&format!("\n  {name}:\n")),
        Begins::OneByOne(chosen) => chosen.iter().any(|wanted| wanted == name),
    };
    let [tests, branch, limits] = ["tests_green", "protected_branch", "branch_size"].map(requires);
    if tests {
        ask_commands(&mut draft, site)?;
    }
    if branch && draft.has_git {
        draft.branches = ask_branches(&draft.branches)?;
    }
    if limits && draft.has_git {
        draft.thresholds = ask_thresholds(draft.thresholds)?;
    }
    Ok(draft)
}

fn ask_commands(draft: &mut Draft, site: &Site<'_>) -> Result<(), String> {
    let several = site.found.commands.as_slice();
    if several.len() < 2 || draft.level == LayerKind::Global {
        let found = draft.commands.first().cloned().unwrap_or_default();
        draft.commands = ask_command(&found)?.into_iter().collect();
        return Ok(());
    }
    let other = "another one".to_owned();
    let lines = several.iter().map(|command| format!("{} ({})", command.line, command.file)).chain([other]);
    let question =
        "Which commands run the tests? (space ticks; when one of the ticked has passed, that is enough)";
    let chosen = answer(
        MultiSelect::new(question, lines.collect()).with_default(&[0]).without_filtering().raw_prompt(),
    )?;
    let is_chosen = |at: usize| chosen.iter().any(|option| option.index == at);
    let (mut taken, mut left) = (Vec::new(), Vec::new());
    for (at, command) in several.iter().enumerate() {
        if is_chosen(at) { taken.push(command.line.clone()) } else { left.push(command.clone()) }
    }
    if is_chosen(several.len()) {
        taken.extend(ask_command("")?);
    }
    left.extend(site.found.commands_below());
    (draft.commands, draft.also_found) = (taken, left);
    Ok(())
}

fn ask_command(found: &str) -> Result<Option<String>, String> {
    let help = "as it is typed in the project's top folder; leave it empty to require no tests";
    let question =
        Text::new("Which command runs the tests?").with_initial_value(found).with_help_message(help);
    let command = answer(question.with_validator(|text: &str| judged(command_fault(text))).prompt())?;
    let command = command.trim();
    Ok((!command.is_empty()).then(|| command.to_owned()))
}

fn ask_branches(found: &[String]) -> Result<Vec<String>, String> {
    let found = found.join(", ");
    let help =
        "with commas between them; release/* is every branch that begins so; leave it empty to protect none";
    let question = Text::new("On which branches shall nothing be edited?")
        .with_initial_value(&found)
        .with_help_message(help);
    let branches = answer(question.with_validator(|text: &str| judged(branches_fault(text))).prompt())?;
    Ok(branches_of(&branches))
}

fn ask_thresholds((warn, block): (u32, u32)) -> Result<(u32, u32), String> {
    let found = format!("{warn}, {block}");
    let help = "two numbers of changed lines: Claude is told from the first on, edits are refused from the second on";
    let question =
        Text::new("How large may a branch become?").with_initial_value(&found).with_help_message(help);
    let limits = answer(question.with_validator(|text: &str| judged(thresholds_fault(text))).prompt())?;
    Ok(thresholds_of(&limits).unwrap_or((warn, block)))
}

fn command_fault(text: &str) -> Option<&'static str> {
    let text = text.trim();
    let is_right = !text.contains(is_hidden) && CommandPattern::try_from(text.to_owned()).is_ok();
    (!text.is_empty() && !is_right).then_some("one command, without ; && or |")
}

fn branches_of(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(ToOwned::to_owned).collect()
}

fn branches_fault(text: &str) -> Option<&'static str> {
    let is_right = |name: &String| {
        !name.contains(is_hidden) && !name.contains(' ') && Glob::try_from(name.clone()).is_ok()
    };
    (!branches_of(text).iter().all(is_right))
        .then_some("names of branches with commas between them: main, release/*")
}

fn thresholds_of(text: &str) -> Option<(u32, u32)> {
    let (warn, block) = text.split_once(',')?;
    let number =
        |text: &str| text.trim().parse::<u32>().ok().filter(|lines| (1..=MOST_LINES).contains(lines));
    number(warn).zip(number(block)).filter(|(warn, block)| warn < block)
}

fn thresholds_fault(text: &str) -> Option<&'static str> {
    thresholds_of(text).is_none().then_some("two numbers, the smaller one first: 250, 400")
}

#[expect(clippy::unnecessary_wraps, reason = "as the questions want it")]
fn judged(fault: Option<&'static str>) -> Result<Validation, CustomUserError> {
    Ok(fault.map_or(Validation::Valid, |why| Validation::Invalid(ErrorMessage::from(why))))
}

/// The answer; a question that is left, however, ends everything.
fn answer<T>(asked: Result<T, InquireError>) -> Result<T, String> {
    asked.map_err(|error| match error {
        InquireError::OperationCanceled | InquireError::OperationInterrupted => LEFT.to_owned(),
        error => format!(
            "{LEFT}: the terminal gave no answer ({error}); say what you want by flags: req init --help"
        ),
    })
}

/// Beside the questions, so that stdout is the answer alone.
fn show(text: impl Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::{
        TICKED, advanced, branches_fault, branches_of, command_fault, thresholds_fault, thresholds_of,
    };

    #[test]
    fn what_is_typed_is_judged_before_it_is_taken() {
        for (text, is_right) in [
            ("", true),
            ("  cargo test  ", true),
            ("go test ./...", true),
            ("pytest( .*)?", true),
            ("cargo test && echo done", false),
            ("cargo test; x", false),
            ("a (", false),
            ("echo \"open", false),
            ("x\u{1b}[2J", false),
        ] {
            assert_eq!(command_fault(text).is_none(), is_right, "{text}");
        }
        for (text, is_right) in
            [("", true), ("main", true), ("main, release/*,", true), ("main master", false), ("[a", false)]
        {
            assert_eq!(branches_fault(text).is_none(), is_right, "{text}");
        }
        for (text, limits) in [
            ("250, 400", Some((250, 400))),
            ("1,2", Some((1, 2))),
            ("400, 250", None),
            ("0, 5", None),
            ("5, 5", None),
            ("250", None),
            ("a, b", None),
            ("1, 100000001", None),
        ] {
            assert_eq!(thresholds_of(text), limits, "{text}");
            assert_eq!(thresholds_fault(text).is_none(), limits.is_some(), "{text}");
        }
        assert_eq!(branches_of(" main , ,release/* "), ["main", "release/*"]);
    }

    #[test]
    fn what_is_ticked_is_among_what_can_be() {
        let names: Vec<&str> = advanced().iter().map(|(name, _, _)| *name).collect();
        assert!(TICKED.iter().all(|name| names.contains(name)), "{names:?}");
    }
}
