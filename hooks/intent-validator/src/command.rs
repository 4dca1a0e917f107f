//! The commands, in a shell and as a prompt: `declare` announces a change, `rules` lists the rules in force, `status` reports how
//! stages 1 and 2 decide and what the models have cost.

use std::process::ExitCode;

use shared::cli::{self, Asker, Commands, Line, Reply, Verb};
use shared::config::Section;
use shared::hook::{Context, Hook};
use shared::host::Host;
use shared::messages::Texts;

use crate::IntentValidator;
use crate::declare;
use crate::form::Form;
use crate::observe::Spot;
use crate::prompts::{STATUS, filled};
use crate::review::rule_lines;
use crate::settings::{Settings, Stage1, Stage2};
use crate::source::{self, Kind};

const OWN: &str = IntentValidator::NAME;

/// Its verbs beside the common ones.
pub(crate) const VERBS: &[Verb] = &[
    Verb { usage: declare::USAGE, about: "announces a change before it is made" },
    Verb { usage: "rules", about: "what a change is held against" },
];

/// The command `rules`.
#[derive(Debug)]
pub(crate) struct Rules;

impl Commands for IntentValidator {
    type Asked = Rules;

    fn asked(line: &Line<'_>) -> Option<Rules> {
        matches!(line.words, ["rules"]).then_some(Rules)
    }

    fn answer(_: &Rules, asker: &Asker<'_>, _: Option<&Context<'_, Settings>>) -> Reply {
        asker.section_in_force::<Self>().map_or_else(Reply::no, |section| Reply::yes(rules_text(&section)))
    }
}

/// Runs a verb of ours in a shell; `None`: it is none of ours.
pub(crate) fn run(host: &Host, words: &[&str]) -> Option<ExitCode> {
    match words {
        ["declare", "--help" | "-h"] => Some(cli::say(&format!("{OWN} {}", VERBS[0].usage))),
        ["declare", words @ ..] => Some(match declare::parse(words) {
            Ok(declaration) => cli::in_shell(host, |asker| declared(&declaration, asker)),
            Err(why) => cli::wrong_usage(&format!("{OWN}: {why}")),
        }),
        _ => cli::run::<IntentValidator>(host, OWN, words),
    }
}

/// Reports the declaration and its time. The hook, which sees the call, records it.
fn declared(form: &Form, asker: &Asker<'_>) -> Reply {
    let section = match asker.section_in_force::<IntentValidator>() {
        Ok(section) => section,
        Err(why) => return Reply::no(why),
    };
    let settings = &section.settings;
    let kinds: Vec<Kind> = form.files().flat_map(|file| kinds(file, settings, asker)).collect();
    if kinds.is_empty() {
        return Reply::yes(format!("{OWN}: {} needs no declaration", form.file));
    }
    if let Some(fault) = declare::fault(form, settings.tdd && kinds.contains(&Kind::Core)) {
        return Reply::no(format!("{OWN}: {fault}"));
    }
    let minutes = settings.declaration_ttl_secs.get() / 60;
    let off = if section.enabled { "" } else { "\nintent-validator is off here: nothing asks for it." };
    let done = if asker.host.environment.inside_claude {
        format!("declared for {minutes} min in this session, or until a review finds fault:")
    } else {
        "the form is complete, but only Claude declares; nothing was recorded:".to_owned()
    };
    Reply::yes(format!(
        "{OWN}: {done}\n{}\n\
         A quote in TEST is looked up in the user's last five messages when the edit is made.{off}",
        form.lines()
    ))
}

/// The kinds of the files that may be meant, from here or from the project's root.
fn kinds(file: &str, settings: &Settings, asker: &Asker<'_>) -> Vec<Kind> {
    let spots = Spot::meant(asker.places, asker.host.cwd().as_deref(), file);
    spots.iter().filter_map(|spot| source::kind(&spot.file, settings)).collect()
}

/// The rules of a change, and where each is set.
fn rules_text(section: &Section<Settings>) -> String {
    let Settings { checks, core_paths, exclude_paths, tdd, stage2, .. } = &section.settings;
    let by = |key: &str| section.origin(key).map_or_else(String::new, |origin| format!(" ({origin})"));
    let word = |on: bool| if on { "on" } else { "off" };
    let most = |most: Option<u32>| most.map_or_else(|| "any".to_owned(), |most| most.to_string());
    let checks = format!(
        "secrets {}, commented_out_code {}, max_function_lines {}, max_nesting {}",
        word(checks.secrets),
        word(checks.commented_out_code),
        most(checks.max_function_lines.get()),
        most(checks.max_nesting.get())
    );
    let judge = match stage2 {
        Stage2::Model => "held against by a model:",
        Stage2::Off => "held against by nobody (stage2: off):",
    };
    let tdd = if *tdd { "core code needs TEST" } else { "TEST is not needed" };
    let head = [
        format!("form: FILE, CHANGES, GOAL{}", by("stage1")),
        format!("tdd: {tdd}{}", by("tdd")),
        format!("core_paths: {}{}", core_paths.join(", "), by("core_paths")),
        format!("exclude_paths: {}{}", exclude_paths.join(", "), by("exclude_paths")),
        format!("checks: {checks}{}", by("checks")),
        format!("rules, {judge}{}", by("stage2")),
    ];
    let rules = rule_lines(&section.settings).into_iter();
    let rules = rules.map(|(name, line)| format!("{line}{}", by(&format!("rules.{name}"))));
    head.into_iter().chain(rules).collect::<Vec<_>>().join("\n")
}

/// The lines of `status` beside those of every hook.
pub(crate) fn status_lines(settings: &Settings, asker: &Asker<'_>) -> Vec<String> {
    let mut texts = Texts::new(&settings.message_files, asker.host, asker.places);
    let own = status_text(&mut texts, settings);
    let judge = judge::status_lines(&settings.judge, asker.store, asker.host);
    let unusable = texts.unusable.iter().map(|text| format!("message_files.{} {}", text.name, text.why));
    std::iter::once(own).chain(judge).chain(unusable).collect()
}

fn status_text(texts: &mut Texts<'_>, settings: &Settings) -> String {
    let stage1 = match settings.stage1 {
        Stage1::Local => "by the form".to_owned(),
        Stage1::Model => format!("{} is asked", settings.stage1_model),
        Stage1::LocalThenModel => {
            format!("by the form; without one, {} is asked", settings.stage1_model)
        }
    };
    let stage2 = match settings.stage2 {
        Stage2::Off => "off".to_owned(),
        Stage2::Model => format!("{} is asked", settings.stage2_model),
    };
    let values = [
        ("stage1", stage1.as_str()),
        ("stage2", stage2.as_str()),
        ("core_paths", &settings.core_paths.join(", ")),
        ("tdd", if settings.tdd { "TEST is needed there" } else { "TEST is not needed" }),
    ];
    filled(texts, STATUS, &values)
}

#[cfg(test)]
mod tests;
