//! The page on what `req doctor` says, against the sources of its checks: each part of the report has its heading, and a check
//! still says what the page quotes.

use std::fs;

use super::{Page, root};

const PAGE: &str = "config/manual/troubleshooting.md";

/// The checks: this file and those of the folder.
const CHECKS: &str = "shared/installer/src/doctor";

/// Texts that a hook says through doctor.
const OF_HOOKS: [&str; 3] = ["the file is skipped", "it is off", "it holds none of its calls"];

/// The sources of the checks, without tests.
fn sources() -> String {
    let files = fs::read_dir(root().join(CHECKS)).unwrap().map(|entry| entry.unwrap().path());
    let files = files.chain([root().join(format!("{CHECKS}.rs"))]).filter(|path| path.is_file());
    let texts = files.map(|path| fs::read_to_string(path).unwrap());
    texts.map(|text| text.split("#[cfg(test)]").next().unwrap().to_owned()).collect()
}

#[test]
fn each_part_of_the_report_has_its_heading() {
    let sources = sources();
    let parts = sources.split("Section::new(\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    let mut parts: Vec<&str> = parts.collect();
    let page = Page::read(PAGE);
    let mut headings: Vec<&str> = page.text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    parts.sort_unstable();
    headings.sort_unstable();
    assert_eq!(headings, parts, "{PAGE}");
}

#[test]
fn each_quotation_is_said_by_a_check() {
    let text = Page::read(PAGE).text.split_whitespace().collect::<Vec<_>>().join(" ");
    let quotations: Vec<&str> = text.split('"').skip(1).step_by(2).collect();
    assert!(quotations.len() >= 35, "{}", quotations.len());
    let sources = sources();
    let is_said = |quoted: &&&str| sources.contains(**quoted) || OF_HOOKS.contains(*quoted);
    let unsaid: Vec<&&str> = quotations.iter().filter(|quoted| !is_said(quoted)).collect();
    assert!(unsaid.is_empty(), "{PAGE} quotes what no check says: {unsaid:#?}");
}
