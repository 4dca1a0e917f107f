//! The page on what `req doctor` says, against the sources of its checks, heading by heading: each part of the report has its
//! heading, each thing a check of that part can complain of has an entry there, and each entry quotes one check of that part.
//! A check is a file of `doctor/`. What other files of ours say through it is not read here: `ELSEWHERE` names them, with the
//! entry that stands for all of it.

use std::fs;

use super::{Page, root};

const PAGE: &str = "config/manual/troubleshooting.md";

/// Where the checks are.
const CHECKS: &str = "shared/installer/src/doctor";

/// A piece that is shorter would be found where it is not meant, in words.
const MIN_QUOTED: usize = 3;

/// A text that is shorter is no sentence and stands in one, in words that are no placeholders.
const MIN_SAID: usize = 2;

/// The parts of the report, and the files whose checks stand in each. `doctor` is what puts them together.
const PARTS: [(&str, &[&str]); 10] = [
    ("Binaries", &["binaries"]),
    ("Registrations", &["doctor", "shapes", "matchers", "events", "ours", "strangers", "twice", "level"]),
    ("In force", &["in_force"]),
    ("Proofs", &["proofs"]),
    ("Configuration", &["configuration"]),
    ("State", &["memory", "environment"]),
    ("Last firing", &["heartbeats"]),
    ("Client", &["client"]),
    ("Credits", &["credits"]),
    ("Start-up", &["start_up"]),
];

/// Files that are no check, and why.
const NO_CHECKS: [(&str, &str); 7] = [
    ("tests", "tests of all of it"),
    ("brought", "what `status` shows of plugins, in its own words"),
    ("plugins", "where plugins lie: what is found there is judged by the checks of registrations"),
    ("world", "what is read once, and where"),
    ("finding", "how a line is put together"),
    ("report", "the sentence at the end"),
    ("mend", "what --fix has done: process::req::doctor::mends"),
];

/// What else is said through a check: by whom, in which part, and what stands for all of it on the page.
const ELSEWHERE: [(&str, &str, &str); 3] = [
    ("shared/installer/src/prove.rs", "Proofs", "A hook's name and what it did"),
    ("shared/src/host/places.rs", "State", "the folder is not private, or lies in the project"),
    ("shared/config/src/problem.rs", "Configuration", "A line of a file, a key and what was expected"),
];

/// Texts of the checks that are no complaint of their own: file, text, and why.
const NO_COMPLAINT: [(&str, &str, &str); 20] = [
    ("matchers", "; did you mean {near}?", "ends a sentence that has its entry"),
    ("shapes", "did you mean {near}?", "what to do"),
    ("shapes", "give it the kind of value it needs, or remove it", "what to do"),
    ("shapes", "the events are named in the client's documentation of hooks", "what to do"),
    ("shapes", "hooks.{}, matcher `{}`", "the key a finding is at"),
    ("strangers", "update the plugin, or tell who made it", "what to do"),
    ("strangers", "req hooks enable {name}; then remove this entry", "what to do"),
    ("strangers", "req hooks enable {name}", "what to do"),
    ("configuration", ", and every registered hook is on", "ends a sentence of what is well"),
    ("configuration", "the defaults", "what a hook says, to be compared with"),
    (
        "configuration",
        "Every hook is off",
        "the sentence at the end of the report; the finding has its entry",
    ),
    ("configuration", "{one} is off", "the sentence at the end of the report; the finding has its entry"),
    (
        "configuration",
        "{} and {last} are off",
        "the sentence at the end of the report; the finding has its entry",
    ),
    ("client", "all proofs passed again just now", "ends a sentence that has its entry"),
    ("client", "not all proofs passed just now", "ends a sentence that has its entry"),
    (
        "credits",
        "they come from the status line of the client in a terminal, with a Pro or Max login",
        "what to do",
    ),
    (
        "credits",
        "; elsewhere only from usage_api, which your global requirements.yaml switches on",
        "what to do",
    ),
    ("credits", "{ORIGIN}, or from the usage API, which is on: {command} says how it went", "what to do"),
    ("credits", "the usage API", "where readings come from, in a sentence that has its entry"),
    ("credits", "the status line", "where readings come from, in a sentence that has its entry"),
];

/// What stands before a text that is advice, says that all is well, or is a heading.
const ADVICE: [&str; 7] = [
    ".next(",
    ".next(format!(",
    "next =",
    "next = format!(",
    "Finding::ok(",
    "Finding::ok(format!(",
    "Section::new(",
];

/// A text in the source of a check.
struct Literal {
    file: String,
    text: String,
    /// What stands before it on its line and the one above.
    before: String,
}

/// The texts of a source, without its tests. Doctor's sources have neither raw strings with quotes nor quotes as characters,
/// but for those that are cut out here.
fn texts(file: &str, source: &str) -> Vec<Literal> {
    let source = source.split("#[cfg(test)]\nmod tests").next().unwrap();
    let kept: Vec<&str> = source
        .lines()
        .filter(|line| {
            !line.trim_start().starts_with("//") && !line.contains("r#\"") && !line.contains("reason = ")
        })
        .collect();
    let source = kept.join("\n").replace("'\"'", "' '").replace("\\\"", "''");
    let parts: Vec<&str> = source.split('"').collect();
    let texts = parts.chunks(2).filter_map(|pair| Some((pair.first()?, pair.get(1)?)));
    texts
        .map(|(before, text)| Literal {
            file: file.to_owned(),
            text: (*text).to_owned(),
            before: before.trim_end().chars().rev().take(40).collect::<Vec<_>>().into_iter().rev().collect(),
        })
        .collect()
}

/// The sources of the checks, by the name of the file.
fn sources() -> Vec<(String, String)> {
    let entries = fs::read_dir(root().join(CHECKS)).unwrap();
    let files = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let files = files.chain([root().join(format!("{CHECKS}.rs"))]);
    files
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .filter(|(name, _)| !NO_CHECKS.iter().any(|(file, _)| file == name))
        .collect()
}

/// Words that are no placeholders.
fn words(text: &str) -> usize {
    let outside = text.split('{').filter_map(|part| part.rsplit('}').next());
    outside.flat_map(str::split_whitespace).filter(|word| word.chars().any(char::is_alphabetic)).count()
}

/// What is said when something is wrong: a sentence, and no advice on what to do.
fn complaints(part: &str) -> Vec<Literal> {
    let (_, files) = PARTS.iter().find(|(name, _)| *name == part).unwrap();
    let of_part = sources().into_iter().filter(|(name, _)| files.contains(&name.as_str()));
    let all = of_part.flat_map(|(name, source)| texts(&name, &source));
    let is_said = |text: &Literal| {
        let is_advice = ADVICE.iter().any(|start| text.before.ends_with(start));
        words(&text.text) >= MIN_SAID && !is_advice
    };
    all.filter(is_said).collect()
}

/// It is one of the texts that are no complaint.
fn is_exempt(text: &Literal) -> bool {
    NO_COMPLAINT.iter().any(|(file, known, _)| *file == text.file && *known == text.text)
}

/// What stands below a heading.
fn below<'a>(page: &'a str, heading: &str) -> &'a str {
    let (_, below) = page.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("{heading}"));
    below.split("\n## ").next().unwrap()
}

/// What the entries of a part quote. A quotation may be broken over lines.
fn quoted(part: &str) -> Vec<String> {
    let text = part.split_whitespace().collect::<Vec<_>>().join(" ");
    let parts: Vec<&str> = text.split('"').collect();
    parts.chunks(2).filter_map(|pair| pair.get(1)).map(|quoted| (*quoted).to_owned()).collect()
}

#[test]
fn each_part_of_the_report_has_its_heading() {
    let source = fs::read_to_string(root().join(format!("{CHECKS}.rs"))).unwrap();
    let names: Vec<&str> =
        source.split("Section::new(\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(names.len(), PARTS.len(), "{names:?}");
    assert!(PARTS.iter().all(|(part, _)| names.contains(part)), "{names:?}");
    let page = Page::read(PAGE);
    let mut headings: Vec<&str> = page.text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let mut names = names;
    names.sort_unstable();
    headings.sort_unstable();
    assert_eq!(headings, names, "{PAGE}");
}

#[test]
fn each_file_of_the_checks_belongs_to_a_part_or_says_why_not() {
    let mut files: Vec<&str> = PARTS.iter().flat_map(|(_, files)| *files).copied().collect();
    let there: Vec<String> = sources().into_iter().map(|(name, _)| name).collect();
    let mut there: Vec<&str> = there.iter().map(String::as_str).collect();
    files.sort_unstable();
    there.sort_unstable();
    assert_eq!(files, there, "a file of {CHECKS} stands in one of PARTS, or in NO_CHECKS with its reason");
    for (file, why) in NO_CHECKS {
        assert!(root().join(format!("{CHECKS}/{file}.rs")).is_file(), "{file} ({why})");
    }
}

#[test]
fn each_thing_doctor_can_complain_of_has_an_entry_in_its_part() {
    let page = Page::read(PAGE).text;
    let (mut count, mut missing) = (0, Vec::new());
    for (part, _) in PARTS {
        let quoted = quoted(below(&page, part));
        for text in complaints(part).into_iter().filter(|text| !is_exempt(text)) {
            count += 1;
            if !quoted.iter().any(|quoted| text.text.contains(quoted)) {
                missing.push(format!("{part}, {}.rs: {:?}", text.file, text.text));
            }
        }
    }
    assert!(missing.is_empty(), "{PAGE} has no entry that quotes a part of these:\n{}", missing.join("\n"));
    assert!(count >= 80, "only {count} were found");
}

#[test]
fn each_entry_quotes_one_check_of_its_part() {
    let page = Page::read(PAGE).text;
    let mut wrong = Vec::new();
    for (part, _) in PARTS {
        let said = complaints(part);
        for quoted in quoted(below(&page, part)) {
            let mut files: Vec<&str> = said
                .iter()
                .filter(|text| text.text.contains(&quoted) && !is_exempt(text))
                .map(|text| text.file.as_str())
                .collect();
            files.dedup();
            if files.len() != 1 || words(&quoted) < MIN_QUOTED {
                wrong.push(format!("{part}: {quoted:?} is said by {files:?}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{PAGE}: a quotation has {MIN_QUOTED} words and is of one check:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn what_is_left_out_is_there_and_stands_on_the_page_where_it_is_said() {
    let said: Vec<Literal> = PARTS.iter().flat_map(|(part, _)| complaints(part)).collect();
    for (file, known, why) in NO_COMPLAINT {
        let count = said.iter().filter(|text| text.file == file && text.text == known).count();
        assert_eq!(count, 1, "{file}: {known:?} ({why})");
    }
    let page = Page::read(PAGE).text;
    for (source, part, entry) in ELSEWHERE {
        assert!(root().join(source).is_file(), "{source}");
        let below = below(&page, part).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(below.contains(entry), "{PAGE}, {part}: {entry}");
    }
}
