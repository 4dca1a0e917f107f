//! The result: sections of findings, a line each, and one sentence at the end. The same is data for a program.

use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::Serialize;

use crate::places::Scope;

/// The version of [`Report`] as `--json` prints it.
pub const VERSION: u32 = 1;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It is as it should be.
    Ok,
    /// Good to know.
    Note,
    /// It works, or is somebody else's; something should be done about it.
    Warning,
    /// Something that is promised does not hold.
    Broken,
}

/// What one check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// What is there.
    pub what: String,
    /// The file it is about, as a person reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in that file, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The key in that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What to do, or to type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// `req doctor --fix` mends it.
    pub fixable: bool,
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) repair: Option<Repair>,
}

/// A repair without a question: it loosens nothing and touches nothing of somebody else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Repair {
    /// All commands are linked.
    Link,
    /// All installed programs are made executable again.
    MakeExecutable,
    /// The state folder is closed to others.
    CloseState,
    /// Our entries in the settings of this scope are put right.
    Register(Scope),
}

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

impl Severity {
    /// The first word of its line.
    const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Broken => "broken",
        }
    }
}

impl Finding {
    pub(crate) fn new(severity: Severity, what: impl Into<String>) -> Self {
        let what = what.into();
        Self { severity, what, file: None, line: None, key: None, next: None, fixable: false, repair: None }
    }

    pub(crate) fn ok(what: impl Into<String>) -> Self {
        Self::new(Severity::Ok, what)
    }

    pub(crate) fn note(what: impl Into<String>) -> Self {
        Self::new(Severity::Note, what)
    }

    pub(crate) fn warning(what: impl Into<String>) -> Self {
        Self::new(Severity::Warning, what)
    }

    pub(crate) fn broken(what: impl Into<String>) -> Self {
        Self::new(Severity::Broken, what)
    }

    /// In this file, and line where it is known.
    pub(crate) fn at(self, file: &str, line: Option<usize>) -> Self {
        Self { file: Some(file.to_owned()), line, ..self }
    }

    pub(crate) fn key(self, key: impl Into<String>) -> Self {
        Self { key: Some(key.into()), ..self }
    }

    pub(crate) fn next(self, next: impl Into<String>) -> Self {
        Self { next: Some(next.into()), ..self }
    }

    pub(crate) fn repair(self, repair: Repair) -> Self {
        Self { fixable: true, repair: Some(repair), ..self }
    }

    /// The finding on one line, with what to do.
    pub(crate) fn sentence(&self) -> String {
        let next = self.next.iter().map(|next| format!("; {next}"));
        [self.place_and_what()].into_iter().chain(next).collect()
    }

    fn place_and_what(&self) -> String {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        let place = self.file.iter().map(|file| format!("{file}{line}: "));
        let key = self.key.iter().map(|key| format!("{key}: "));
        place.chain(key).chain([self.what.clone()]).collect()
    }
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
        let but_for = self.summary.replacen("Everything", "but for that, everything", 1);
        let summary =
            if self.ok { format!("{what}; {but_for}") } else { format!("{what}. {}", self.summary) };
        Self { summary, ..self }
    }

    /// The result of this hook's proof.
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

impl Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "  {:8} {}", self.severity.word(), self.place_and_what())?;
        if let Some(next) = &self.next {
            write!(formatter, "\n           {next}")?;
        }
        if self.fixable {
            formatter.write_str("\n           mended by: req doctor --fix")?;
        }
        Ok(())
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
    use super::{Finding, Repair, Report, Section, summary};

    #[test]
    fn finding_names_severity_place_what_and_next() {
        let finding = Finding::broken("no such event")
            .at("~/.claude/settings.json", Some(7))
            .key("hooks.Stopp")
            .next("did you mean Stop?");
        assert_eq!(
            finding.to_string(),
            "  broken   ~/.claude/settings.json:7: hooks.Stopp: no such event\n           did you mean Stop?"
        );
        assert_eq!(Finding::ok("as it was").to_string(), "  ok       as it was");
        let mended = Finding::warning("no link").repair(Repair::CloseState).to_string();
        assert!(mended.ends_with("\n           mended by: req doctor --fix"), "{mended}");
    }

    #[test]
    fn summary_counts_what_is_wrong() {
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
    fn only_a_broken_finding_makes_the_answer_no_and_switches_stand_before_it() {
        for (finding, ok, expected) in [
            (Finding::ok("o"), true, "Every hook is off; but for that, everything that is promised holds."),
            (Finding::note("n"), true, "Every hook is off; but for that, everything that is promised holds."),
            (
                Finding::warning("w"),
                true,
                "Every hook is off; but for that, everything that is promised holds, with 1 warning.",
            ),
            (
                Finding::broken("b"),
                false,
                "Every hook is off. 1 thing is broken: not everything that is promised holds.",
            ),
        ] {
            let report = Report::new(vec![Section::new("X", vec![finding])]);
            assert_eq!(report.ok, ok);
            assert_eq!(report.but_for("Every hook is off").summary, expected);
        }
    }
}
