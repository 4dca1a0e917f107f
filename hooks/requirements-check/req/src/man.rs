//! `req man`: the manual page of `req` and one of each verb, from the definition of the command line. What no definition knows,
//! files and variables, stands here.

use std::io;
use std::path::{Path, absolute};

use clap::Command;
use clap_mangen::Man as Page;
use clap_mangen::roff::{Roff, bold, roman};

use crate::command::arguments::Man;
use crate::command::{Reply, clap_command, examples};

/// What an exit status means.
const STATUSES: [(&str, &str); 3] = [
    ("0", "Done, or the answer is yes."),
    (
        "1",
        "The answer is no: not satisfied, not found, refused, or it could not be done. The reason is on standard error.",
    ),
    ("64", "Wrong usage; nothing was done."),
];

const FILES: [(&str, &str); 8] = [
    ("~/.claude/requirements.yaml", "Yours, for every project. It may lock keys against the others."),
    ("<project>/.claude/requirements.yaml", "The team's, in git."),
    ("<project>/.claude/requirements.local.yaml", "Yours, for this project; not in git."),
    ("<git folder>/requirements/", "What was satisfied, by branch."),
    ("~/.claude/hook-state/journal.jsonl", "What the hooks did and why: req log reads it."),
    ("~/.claude/hook-state/OFF", "While it is there, every hook is off: req pause writes it."),
    ("~/.claude/hooks/", "The hooks themselves, and req."),
    ("~/.claude/settings.json", "Where Claude Code finds which hooks to start."),
];

const ENVIRONMENT: [(&str, &str); 5] = [
    ("CLAUDE_CONFIG_DIR", "Stands for ~/.claude; refused where a project could have filled it."),
    (
        "CLAUDE_HOOK_STATE_DIR",
        "Stands for ~/.claude/hook-state, if it is yours alone and outside of the project.",
    ),
    ("CLAUDE_CODE_SESSION_ID", "The session that is meant where none is named; set in Claude's own shell."),
    ("CLAUDECODE", "Set in Claude's shell, where what belongs to the user is refused."),
    ("NO_COLOR", "No colours."),
];

/// Prints the page of `req`, or writes all of them into a folder.
pub(super) fn man(wanted: &Man) -> Result<Reply, String> {
    // `req help` is no page of its own.
    let mut command = clap_command().disable_help_subcommand(true);
    command.build();
    match &wanted.dir {
        None => of_req(&command).map(Reply::yes).map_err(|error| format!("req: {error}")),
        Some(dir) => write_all(&command, dir),
    }
}

fn write_all(command: &Command, dir: &Path) -> Result<Reply, String> {
    let failed = |path: &Path, error: &io::Error| format!("req: {}: {error}", path.display());
    std::fs::create_dir_all(dir).map_err(|error| failed(dir, &error))?;
    let mut count = 0;
    for (name, page) in pages(command).map_err(|error| failed(dir, &error))? {
        let path = dir.join(format!("{name}.1"));
        std::fs::write(&path, page).map_err(|error| failed(&path, &error))?;
        count += 1;
    }
    let first = absolute(dir).unwrap_or_else(|_| dir.to_owned()).join("req.1");
    Ok(Reply::yes(format!(
        "wrote {count} pages into {}\nman {} shows the first",
        dir.display(),
        first.display()
    )))
}

/// Every page by its name: that of `req`, and those of its verbs and of theirs.
fn pages(command: &Command) -> io::Result<Vec<(String, String)>> {
    let mut pages = vec![("req".to_owned(), of_req(command)?)];
    let mut verbs: Vec<&Command> = shown(command).collect();
    while let Some(verb) = verbs.pop() {
        pages.push((page_name(verb), of_verb(verb)?));
        verbs.extend(shown(verb));
    }
    Ok(pages)
}

/// The verbs that help shows, too.
fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|verb| !verb.is_hide_set())
}

fn page_name(verb: &Command) -> String {
    verb.get_display_name().unwrap_or_else(|| verb.get_name()).to_owned()
}

fn of_req(command: &Command) -> io::Result<String> {
    let everyday = ["status", "satisfy", "why", "doctor"].into_iter();
    let examples: Vec<String> =
        everyday.filter_map(|verb| command.find_subcommand(verb)).flat_map(examples).collect();
    let mut roff = Roff::new();
    listed(&mut roff, "EXIT STATUS", &STATUSES);
    listed(&mut roff, "FILES", &FILES);
    listed(&mut roff, "ENVIRONMENT", &ENVIRONMENT);
    lines(&mut roff, "EXAMPLES", &examples);
    let verbs = shown(command).map(|verb| format!("{}(1)", page_name(verb)));
    section(&mut roff, "SEE ALSO", &format!("{}. The manual is built in: req docs.", join(verbs)));
    whole(command, &roff)
}

fn of_verb(verb: &Command) -> io::Result<String> {
    let mut roff = Roff::new();
    listed(&mut roff, "EXIT STATUS", &STATUSES);
    let examples = examples(verb);
    if !examples.is_empty() {
        lines(&mut roff, "EXAMPLES", &examples);
    }
    let below = shown(verb).map(|verb| format!("{}(1)", page_name(verb)));
    section(&mut roff, "SEE ALSO", &join(["req(1)".to_owned()].into_iter().chain(below)));
    whole(verb, &roff)
}

/// What the definition of the command line says, and these sections.
fn whole(command: &Command, sections: &Roff) -> io::Result<String> {
    let source = format!("req {}", env!("CARGO_PKG_VERSION"));
    let page = Page::new(command.clone()).source(source).manual("Barbless");
    let mut text = Vec::new();
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    page.render_options_section(&mut text)?;
    if command.has_subcommands() {
        page.render_subcommands_section(&mut text)?;
    }
    let text = String::from_utf8_lossy(&text).into_owned() + &sections.render();
    // Each section was rendered as a page of its own, with what a page begins with.
    let preamble = text.find(".TH").map_or("", |title| &text[..title]);
    Ok(if preamble.is_empty() { text } else { preamble.to_owned() + &text.replace(preamble, "") })
}

/// A section that explains words.
fn listed(roff: &mut Roff, heading: &str, entries: &[(&str, &str)]) {
    roff.control("SH", [heading]);
    for (word, meaning) in entries {
        roff.control("TP", []);
        roff.text([bold(*word)]);
        roff.text([roman(*meaning)]);
    }
}

/// A section of lines that are typed.
fn lines(roff: &mut Roff, heading: &str, lines: &[String]) {
    roff.control("SH", [heading]);
    roff.control("nf", []);
    for line in lines {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
}

fn section(roff: &mut Roff, heading: &str, text: &str) {
    roff.control("SH", [heading]);
    roff.text([roman(text)]);
}

fn join(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::pages;
    use crate::command::clap_command;

    /// The pages and their headings.
    fn built() -> Vec<(String, String)> {
        let mut command = clap_command().disable_help_subcommand(true);
        command.build();
        pages(&command).unwrap()
    }

    fn headings(page: &str) -> Vec<&str> {
        let headings = page.lines().filter_map(|line| line.strip_prefix(".SH "));
        headings.map(|heading| heading.trim_matches('"')).collect()
    }

    #[test]
    fn the_page_of_req_has_the_sections_of_a_manual_page_in_their_usual_order() {
        let pages = built();
        assert_eq!(
            headings(&pages[0].1),
            [
                "NAME",
                "SYNOPSIS",
                "DESCRIPTION",
                "OPTIONS",
                "SUBCOMMANDS",
                "EXIT STATUS",
                "FILES",
                "ENVIRONMENT",
                "EXAMPLES",
                "SEE ALSO"
            ]
        );
    }

    #[test]
    fn each_verb_and_each_of_its_own_verbs_has_a_page_with_an_example() {
        let pages = built();
        let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        for verb in clap_command().get_subcommands() {
            let name = format!("req-{}", verb.get_name());
            assert!(names.contains(&name.as_str()), "{name} in {names:?}");
            assert!(pages[0].1.contains(&format!("{}(1)", name.replace('-', "\\-"))), "{name} in SEE ALSO");
        }
        assert!(names.contains(&"req-config-set"), "{names:?}");
        let definition = clap_command();
        for verb in definition.find_subcommand("hooks").unwrap().get_subcommands() {
            let name = format!("req-hooks-{}", verb.get_name());
            assert_eq!(names.contains(&&*name), !verb.is_hide_set(), "{name}");
        }
        for (name, page) in &pages[1..] {
            let headings = headings(page);
            assert!(headings.contains(&"EXIT STATUS") && headings.contains(&"SEE ALSO"), "{name}");
            assert!(headings.contains(&"EXAMPLES"), "{name} has no example: {headings:?}");
        }
    }

    #[test]
    fn a_page_begins_once() {
        for (name, page) in built() {
            assert_eq!(page.matches(".TH ").count(), 1, "{name}");
            assert_eq!(page.matches(".ie ").count(), 1, "{name}");
        }
    }

    #[test]
    fn no_line_of_text_is_taken_for_a_request() {
        // roff reads a line that begins with a dot or an apostrophe as a request.
        let known = ["TH", "SH", "TP", "nf", "fi", "ie", "el", "RS", "RE", "IP", "PP", "br"];
        for (name, page) in built() {
            for line in page.lines().filter(|line| line.starts_with(['.', '\''])) {
                let request = line[1..].split([' ', '\\']).next().unwrap();
                assert!(known.contains(&request), "{name}: {line}");
            }
        }
    }
}
