//! The commands: `declare` announces a change, in Claude's shell, and is recorded when its call has run; `status` reports the two
//! stages and the cost.

use std::path::Path;
use std::process::ExitCode;

use shared::claude_code::SHELL_TOOLS;
use shared::cli::{self, Asker, Reply, Verb};
use shared::hook::{Context, Hook};
use shared::host::{Host, Places};
use shared::messages::Texts;
use shared::own_commands::own_command_lines;
use shared::protocol::ToolResult;

use crate::IntentValidator;
use crate::form::{self, Form, Heard, Judgement, Lack, Part};
use crate::settings::{Settings, Stage1, Stage2};
use crate::source::{self, Kind, Location};
use crate::state::Recorded;
use crate::wording::{NOT_RECORDED, STATUS, filled};

const OWN: &str = IntentValidator::NAME;

const USAGE: &str = "declare --file F --changes C --goal G [--test T]";

pub(crate) const VERBS: &[Verb] = &[Verb { usage: USAGE, about: "announces a change before it is made" }];

const OPTIONS: [&str; 4] = ["--file", "--changes", "--goal", "--test"];

pub(crate) fn run(host: &Host, words: &[&str]) -> Option<ExitCode> {
    match words {
        ["declare", "--help" | "-h"] => Some(cli::say(&format!("{OWN} {USAGE}"))),
        ["declare", words @ ..] => Some(match parse(words) {
            Ok(declaration) => cli::in_shell(host, |asker| declared(&declaration, asker)),
            Err(why) => cli::wrong_usage(&format!("{OWN}: {why}")),
        }),
        _ => None,
    }
}

/// Reads the words after `declare`. Fails if a word is unknown or a value is missing.
fn parse(words: &[&str]) -> Result<Form, String> {
    let wrong = |what: String| format!("declare: {what}\n{OWN} {USAGE}");
    let mut values: [Option<String>; 4] = Default::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (option, value) = word.split_once('=').map_or((*word, None), |(option, it)| (option, Some(it)));
        let at = OPTIONS.iter().position(|known| *known == option);
        let at = at.ok_or_else(|| wrong(format!("unknown word {option}")))?;
        let value = value.or_else(|| words.next().copied()).unwrap_or_default();
        values[at] = Some(value.trim().to_owned());
    }
    if values[..3].iter().any(Option::is_none) {
        return Err(wrong("--file, --changes and --goal are needed".to_owned()));
    }
    Ok(Form::new(values))
}

/// The source files that a form may mean, from the folder it was written in and from the project's root. Fails with the form's fault.
fn meant(
    form: &Form,
    places: &Places,
    cwd: Option<&Path>,
    settings: &Settings,
) -> Result<Vec<String>, String> {
    let locations =
        form.files().flat_map(|file| [cwd, None].map(|folder| Location::find(places, folder, file)));
    let kinds = locations
        .flatten()
        .filter_map(|location| Some((source::kind(&location.file, settings)?, location.file)));
    let (kinds, names): (Vec<Kind>, Vec<String>) = kinds.unzip();
    let wants_test = settings.tdd && kinds.contains(&Kind::Core);
    fault(form, wants_test).filter(|_| !names.is_empty()).map_or(Ok(names), Err)
}

/// The fault of a form. A quote is looked for when the edit is made.
fn fault(form: &Form, wants_test: bool) -> Option<String> {
    let file = form.text(Part::File);
    if file.is_empty() || file.contains(['<', '>']) {
        return Some("declare: --file names no file".to_owned());
    }
    let heard = Heard { wants_test, ..Heard::default() };
    match form::judge_one(form, &heard, "") {
        Judgement::Lacks { lack: Lack::Parts(parts), .. } => {
            let parts = parts.iter().map(|part| format!("--{}", part.label().to_lowercase()));
            let parts = parts.collect::<Vec<_>>().join(" and ");
            Some(format!("declare: {parts} is empty, one word or a placeholder; write a few words"))
        }
        Judgement::Lacks { is_certain: true, .. } => Some(format!(
            "declare: {file} is core code. Name the test file or the test in --test, or quote the user there: 'none, the user said: \"...\"'"
        )),
        Judgement::Declared(_) | Judgement::Lacks { .. } => None,
    }
}

/// The answer to `declare` in a shell.
fn declared(form: &Form, asker: &Asker<'_>) -> Reply {
    let section = match asker.section_in_force::<IntentValidator>() {
        Ok(section) => section,
        Err(why) => return Reply::no(why),
    };
    let names = match meant(form, asker.places, asker.host.cwd().as_deref(), &section.settings) {
        Err(fault) => return Reply::no(format!("{OWN}: {fault}")),
        Ok(names) => names,
    };
    if names.is_empty() || !section.enabled {
        return Reply::yes(format!("{OWN}: {} needs no declaration here", form.text(Part::File)));
    }
    let (minutes, lines) = (section.settings.declaration_ttl_secs.get() / 60, form.lines());
    Reply::yes(format!(
        "{OWN}: the form is complete. Where Claude runs this line, it holds for {minutes} min in its session, or until a review finds \
         fault:\n{lines}\nA quote in TEST is looked up in the user's last five messages when the edit is made."
    ))
}

/// The declarations in Claude's shell: the lines of a call that has run. Fails if one is meant, but cannot be read.
pub(crate) fn after_call(
    context: &Context<'_, Settings>,
    result: &ToolResult,
) -> Option<Result<Vec<Recorded>, String>> {
    context.request.call.session_id.as_ref()?;
    // Most lines have nothing to do with us.
    let raw = result.call.tool_input.as_ref()?.get();
    if !raw.contains(OWN) || !raw.contains("declare") {
        return None;
    }
    let call = &context.request.call;
    let recorded = |words: &Vec<String>| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let [OWN, "declare", words @ ..] = words.as_slice() else { return None };
        let form = parse(words).ok()?;
        let names = meant(&form, context.places, call.cwd.as_deref(), context.settings).ok()?;
        Some(Recorded { names, agent: call.agent_id.clone(), form: form.masked(), at: context.host.now() })
    };
    let Some(lines) = own_command_lines(&result.call, context.places) else {
        let is_shell = SHELL_TOOLS.contains(&result.call.tool_name.as_str());
        let is_meant = is_shell && raw.contains("intent-validator declare ") && raw.contains("--file");
        return is_meant.then(|| Err(NOT_RECORDED.to_owned()));
    };
    let recorded: Vec<Recorded> = lines.iter().filter_map(recorded).collect();
    (!recorded.is_empty()).then_some(Ok(recorded))
}

pub(crate) fn status_lines(settings: &Settings, asker: &Asker<'_>) -> Vec<String> {
    let model = |name: &str| format!("by the model {name}");
    let stage1 = match settings.stage1 {
        Stage1::Local => "by the form".to_owned(),
        Stage1::Model => model(&settings.stage1_model),
        Stage1::LocalThenModel => format!("by the form, else {}", model(&settings.stage1_model)),
    };
    let is_reviewed = settings.stage2 == Stage2::Model;
    let stage2 = if is_reviewed { model(&settings.stage2_model) } else { "off".to_owned() };
    let tdd = if settings.tdd { "TEST is needed there" } else { "TEST is not needed" };
    let core_paths = settings.core_paths.join(", ");
    let values = [("stage1", &*stage1), ("stage2", &stage2), ("core_paths", &core_paths), ("tdd", tdd)];
    let mut texts = Texts::new(&settings.message_files, asker.host, asker.places);
    let own = filled(&mut texts, STATUS, &values);
    let judge = judge::status_lines(&settings.judge, asker.store, asker.host);
    std::iter::once(own).chain(judge).chain(texts.unusable).collect()
}

#[cfg(test)]
mod tests;
