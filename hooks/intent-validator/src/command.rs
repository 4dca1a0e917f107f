//! The commands: `declare` announces a change, `status` reports the two stages and the cost.

use std::process::ExitCode;

use shared::cli::{self, Asker, Reply, Verb};
use shared::hook::Hook;
use shared::host::Host;
use shared::messages::Texts;

use crate::IntentValidator;
use crate::declare;
use crate::form::Form;
use crate::observe::Spot;
use crate::prompts::{STATUS, filled};
use crate::settings::{Settings, Stage1, Stage2};
use crate::source::{self, Kind};

const OWN: &str = IntentValidator::NAME;

pub(crate) const VERBS: &[Verb] =
    &[Verb { usage: declare::USAGE, about: "announces a change before it is made" }];

pub(crate) fn run(host: &Host, words: &[&str]) -> Option<ExitCode> {
    match words {
        ["declare", "--help" | "-h"] => Some(cli::say(&format!("{OWN} {}", VERBS[0].usage))),
        ["declare", words @ ..] => Some(match declare::parse(words) {
            Ok(declaration) => cli::in_shell(host, |asker| declared(&declaration, asker)),
            Err(why) => cli::wrong_usage(&format!("{OWN}: {why}")),
        }),
        _ => None,
    }
}

fn declared(form: &Form, asker: &Asker<'_>) -> Reply {
    let section = match asker.section_in_force::<IntentValidator>() {
        Ok(section) => section,
        Err(why) => return Reply::no(why),
    };
    let settings = &section.settings;
    let cwd = asker.host.cwd();
    let spots = form.files().flat_map(|file| Spot::meant(asker.places, cwd.as_deref(), file));
    let kinds: Vec<Kind> = spots.filter_map(|spot| source::kind(&spot.file, settings)).collect();
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

pub(crate) fn status_lines(settings: &Settings, asker: &Asker<'_>) -> Vec<String> {
    let mut texts = Texts::new(&settings.message_files, asker.host, asker.places);
    let own = status_text(&mut texts, settings);
    let judge = judge::status_lines(&settings.judge, asker.store, asker.host);
    std::iter::once(own).chain(judge).chain(texts.unusable).collect()
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
