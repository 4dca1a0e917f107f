//! `credit-pacer report`: one page in one file, with all that is needed to read it: what was used against the safe line, and
//! what was delayed.

mod file;
mod page;

use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use shared::host::{Host, Places};
use shared::operator::{Standing, refusal, standing};

use crate::history::looking_back::LookingBack;
use crate::history::{USAGE, complain};

/// So many days without being asked for others.
const DAYS: u32 = 30;

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
struct Asked<'a> {
    file: &'a str,
    days: Option<&'a str>,
    /// A file that is no report of ours is overwritten.
    force: bool,
}

/// Writes the report; `words` are those after `report`.
pub(crate) fn run(host: &Host, words: &[&str]) -> ExitCode {
    let asked = match parse(words) {
        Ok(asked) => asked,
        Err(why) => return complain("report", &why, ExitCode::from(USAGE)),
    };
    if asked.force && standing(host) != Standing::Operator {
        let why = format!("--force overwrites what is none of ours; {}", refusal(&line(words)));
        return complain("report", &why, ExitCode::FAILURE);
    }
    let looking_back = match LookingBack::open(host) {
        Ok(looking_back) => looking_back,
        Err(why) => return complain("report", &why, ExitCode::FAILURE),
    };
    let days = match looking_back.days(asked.days, DAYS) {
        Ok(days) => days,
        Err(why) => return complain("report", &why, ExitCode::from(USAGE)),
    };
    let page = looking_back.past(days).map(|(past, safe)| page::page(&past, &safe, looking_back.asks_api()));
    let places = Places::resolve(&host.environment, host.cwd().as_deref());
    match page.and_then(|page| file::write(Path::new(asked.file), &page, asked.force, &places)) {
        Ok(path) => {
            // A closed stdout is the reader's choice, not an error.
            let _ = writeln!(io::stdout(), "{}", path.display());
            ExitCode::SUCCESS
        }
        Err(why) => complain("report", &why, ExitCode::FAILURE),
    }
}

/// What can be typed in a shell to ask for the same.
fn line(words: &[&str]) -> String {
    let is_plain =
        |word: &str| word.chars().all(|letter| letter.is_alphanumeric() || "_-./=".contains(letter));
    let spelled = words.iter().map(|word| match word {
        word if is_plain(word) => (*word).to_owned(),
        word => format!("'{}'", word.replace('\'', r"'\''")),
    });
    ["credit-pacer report".to_owned()].into_iter().chain(spelled).collect::<Vec<_>>().join(" ")
}

fn parse<'a>(words: &[&'a str]) -> Result<Asked<'a>, String> {
    const TAKES: &str = "it takes --html FILE, and perhaps --days N and --force";
    let (mut file, mut days, mut force) = (None, None, false);
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        let (option, attached) =
            word.split_once('=').map_or((word, None), |(option, value)| (option, Some(value)));
        let value = match option {
            "--html" | "--days" => attached.or_else(|| words.next()),
            "--force" if attached.is_none() => {
                force = true;
                continue;
            }
            _ => return Err(format!("{word} is unknown; {TAKES}")),
        };
        let value = value
            .filter(|value| !value.is_empty())
            .ok_or_else(|| format!("{option} needs a value; {TAKES}"))?;
        if option == "--html" { file = Some(value) } else { days = Some(value) }
    }
    let file = file.ok_or(TAKES)?;
    Ok(Asked { file, days, force })
}

#[cfg(test)]
mod tests;
