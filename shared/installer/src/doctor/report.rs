//! The verdict: sections of findings, a line each, and one sentence at the end.

use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::Serialize;

use super::finding::{Finding, Severity};

/// The version of [`Report`] as `--json` prints it.
pub const VERSION: u32 = 1;

/// Everything that was looked at.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Report {
    /// Of this form: 1.
    pub version: u32,
    /// Nothing is broken: every promise holds.
    pub ok: bool,
    /// The sentence at the end.
    pub summary: String,
    /// What `--fix` did: sentences.
    pub mended: Vec<String>,
    /// The checks, in the order of the report.
    pub sections: Vec<Section>,
}

/// The checks of one kind.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Section {
    /// What they are about.
    pub name: String,
    /// One per check.
    pub findings: Vec<Finding>,
}

impl Section {
    pub(crate) fn new(name: &str, findings: Vec<Finding>) -> Self {
        Self { name: name.to_owned(), findings }
    }
}

impl Report {
    pub(crate) fn new(sections: Vec<Section>) -> Self {
        let count = |severity: Severity| {
            let findings = sections.iter().flat_map(|section| &section.findings);
            findings.filter(|finding| finding.severity == severity).count()
        };
        let (broken, warnings) = (count(Severity::Broken), count(Severity::Warning));
        let fixable = sections.iter().flat_map(|section| &section.findings).any(|finding| finding.fixable);
        let summary = summary(broken, warnings, fixable);
        Self { version: VERSION, ok: broken == 0, summary, mended: Vec::new(), sections }
    }

    /// The same, where nothing is there that could hold or break.
    pub(crate) fn of_nothing(self) -> Self {
        Self { summary: "Nothing is installed here, so nothing is promised.".to_owned(), ..self }
    }

    /// The same, where something is switched off, `what`: it does not hold what it promises, though nothing is broken.
    pub(crate) fn but_for(self, what: &str) -> Self {
        let summary = self.summary.replacen("Everything", "but for that, everything", 1);
        let summary =
            if self.ok { format!("{what}; {summary}") } else { format!("{what}. {}", self.summary) };
        Self { summary, ..self }
    }

    /// What the proof of this hook came to.
    pub(crate) fn proof_of(&self, hook: &str) -> String {
        let of = |finding: &Finding| {
            let rest = finding.what.strip_prefix(hook)?;
            let no = rest.strip_prefix(": ").map(|why| format!("NO: {why}"));
            no.or_else(|| rest.strip_prefix(' ').map(str::to_owned))
        };
        let proofs = self.sections.iter().filter(|section| section.name == "Proofs");
        proofs.flat_map(|section| &section.findings).find_map(of).unwrap_or_else(|| "-".to_owned())
    }

    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.sections.iter().flat_map(|section| &section.findings)
    }
}

fn summary(broken: usize, warnings: usize, fixable: bool) -> String {
    let counted = |count: usize, one: &str, many: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    };
    let things = counted(broken, "thing is broken", "things are broken");
    let warned = counted(warnings, "warning", "warnings");
    let way = if fixable { "; to mend what can be mended safely, type: req doctor --fix" } else { "" };
    match (broken, warnings) {
        (0, 0) => format!("Everything that is promised holds{way}."),
        (0, _) => format!("Everything that is promised holds, with {warned}{way}."),
        (_, 0) => format!("{things}: not everything that is promised holds{way}."),
        _ => {
            let is = if warnings == 1 { "is" } else { "are" };
            format!("{things}, and there {is} {warned}: not everything that is promised holds{way}.")
        }
    }
}

impl Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for done in &self.mended {
            writeln!(formatter, "{done}")?;
        }
        for section in self.sections.iter().filter(|section| !section.findings.is_empty()) {
            writeln!(formatter, "{}", section.name)?;
            for finding in &section.findings {
                writeln!(formatter, "{finding}")?;
            }
        }
        write!(formatter, "{}", self.summary)
    }
}

#[cfg(test)]
mod tests {
    use super::{Report, Section, summary};
    use crate::doctor::finding::Finding;

    #[test]
    fn the_last_sentence_counts_what_is_wrong() {
        for (broken, warnings, expected) in [
            (0, 0, "Everything that is promised holds."),
            (0, 1, "Everything that is promised holds, with 1 warning."),
            (1, 0, "1 thing is broken: not everything that is promised holds."),
            (2, 1, "2 things are broken, and there is 1 warning: not everything that is promised holds."),
            (2, 3, "2 things are broken, and there are 3 warnings: not everything that is promised holds."),
        ] {
            assert_eq!(summary(broken, warnings, false), expected);
        }
        assert!(summary(1, 0, true).ends_with("type: req doctor --fix."));
    }

    #[test]
    fn only_what_is_broken_makes_the_answer_no() {
        let report = |finding| Report::new(vec![Section::new("X", vec![finding])]);
        assert!(report(Finding::warning("w")).ok);
        assert!(report(Finding::note("n")).ok);
        assert!(!report(Finding::broken("b")).ok);
        assert_eq!(
            report(Finding::ok("fine")).to_string(),
            "X\n  ok       fine\nEverything that is promised holds."
        );
    }

    #[test]
    fn what_is_off_stands_before_what_holds() {
        let summary = |finding| {
            let report = Report::new(vec![Section::new("X", vec![finding])]);
            report.but_for("Every hook is off").summary
        };
        for (finding, expected) in [
            (Finding::ok("fine"), "Every hook is off; but for that, everything that is promised holds."),
            (
                Finding::warning("w"),
                "Every hook is off; but for that, everything that is promised holds, with 1 warning.",
            ),
            (
                Finding::broken("b"),
                "Every hook is off. 1 thing is broken: not everything that is promised holds.",
            ),
        ] {
            assert_eq!(summary(finding), expected);
        }
    }
}
