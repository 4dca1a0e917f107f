//! The page on what `req doctor` says, against the sources of its checks: each part of its report has its heading, each thing
//! it can complain of has an entry, and each entry is about something it says.

use std::fs;

use super::{Page, root};

const PAGE: &str = "config/manual/troubleshooting.md";

/// Where the checks are.
const CHECKS: &str = "shared/installer/src/doctor";

/// Texts of the checks that are no complaint of their own, by what they contain, and why.
const NO_COMPLAINT: [(&str, &str); 21] = [
    ("as it was installed", "all is well"),
    ("installed; a plugin brings its own", "all is well"),
    ("the commands are linked into", "all is well"),
    ("not run by doctor", "all is well"),
    ("no settings keep hooks from running", "all is well"),
    ("is private and can be written to", "all is well"),
    ("the files of settings can be read", "all is well"),
    (" and every registered hook is on", "all is well"),
    ("all proofs passed", "all is well"),
    ("are fresh, from", "all is well"),
    ("{} and {last} are off", "the sentence at the end, which a complaint stands for"),
    ("{one} is off", "the same"),
    ("Every hook is off", "the same"),
    ("the usage API", "where readings come from"),
    ("the status line", "the same"),
    ("elsewhere only from usage_api", "the same"),
    ("give it the kind of value", "what to do"),
    ("the events are named in", "what to do"),
    ("register the hooks for yourself", "what to do"),
    ("tell who made it", "what to do"),
    ("req hooks enable", "what to do"),
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

fn sources() -> Vec<(String, String)> {
    let entries = fs::read_dir(root().join(CHECKS)).unwrap();
    let files = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let named = files.map(|path| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, fs::read_to_string(path).unwrap())
    });
    // What a check says is in its own file; these put together and print.
    let not = ["tests", "report", "mend", "world", "finding"];
    let mut sources: Vec<(String, String)> =
        named.filter(|(name, _)| !not.contains(&name.as_str())).collect();
    sources.push(("doctor".to_owned(), fs::read_to_string(root().join(format!("{CHECKS}.rs"))).unwrap()));
    sources
}

/// What is said when something is wrong: a sentence, and no advice on what to do.
fn complaints() -> Vec<Literal> {
    let all = sources().into_iter().flat_map(|(name, source)| texts(&name, &source));
    let is_said = |text: &Literal| {
        let words = text.text.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
        let is_advice =
            [".next(", ".next(format!(", "next =", "Finding::ok(", "Finding::ok(format!(", "ORIGIN: &str ="]
                .iter()
                .any(|start| text.before.ends_with(start));
        words >= 3 && !is_advice && !NO_COMPLAINT.iter().any(|(known, _)| text.text.contains(known))
    };
    all.filter(is_said).collect()
}

/// What the entries of the page quote. A quotation may be broken over lines.
fn quoted(page: &str) -> Vec<String> {
    let text = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let parts: Vec<&str> = text.split('"').collect();
    parts.chunks(2).filter_map(|pair| pair.get(1)).map(|quoted| (*quoted).to_owned()).collect()
}

#[test]
fn each_part_of_the_report_has_its_heading() {
    let source = fs::read_to_string(root().join(format!("{CHECKS}.rs"))).unwrap();
    let names: Vec<&str> =
        source.split("Section::new(\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(names.len() >= 10, "{names:?}");
    let page = Page::read(PAGE);
    let mut headings: Vec<&str> = page.text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let mut names = names;
    names.sort_unstable();
    headings.sort_unstable();
    assert_eq!(headings, names, "{PAGE}");
}

#[test]
fn each_thing_doctor_can_complain_of_has_an_entry() {
    let quoted = quoted(&Page::read(PAGE).text);
    let complaints = complaints();
    assert!(complaints.len() > 50, "only {} were found", complaints.len());
    let missing: Vec<String> = complaints
        .iter()
        .filter(|text| !quoted.iter().any(|quoted| text.text.contains(quoted)))
        .map(|text| format!("{}.rs: {:?}", text.file, text.text))
        .collect();
    assert!(missing.is_empty(), "{PAGE} has no entry that quotes a part of these:\n{}", missing.join("\n"));
}

#[test]
fn each_entry_is_about_something_doctor_says() {
    let sources: Vec<String> = sources().into_iter().map(|(_, source)| source).collect();
    for quoted in quoted(&Page::read(PAGE).text) {
        assert!(
            sources.iter().any(|source| source.contains(&quoted)),
            "{PAGE}: doctor never says {quoted:?}"
        );
    }
    for (known, why) in NO_COMPLAINT {
        assert!(sources.iter().any(|source| source.contains(known)), "{known:?} ({why})");
    }
}
