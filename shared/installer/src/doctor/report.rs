//! The result: sections of findings, a line each, and one sentence at the end. The same is data for a program.

use std::fmt::{self, Display};

use serde::Serialize;

use crate::places::Scope;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
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

/// The finding of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// The state that was found.
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
    /// The next step, or the line to type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// `req doctor --fix` mends it.
    pub fixable: bool,
    /// A repair without a question: our entries in the settings of this scope are put right.
    #[serde(skip)]
    pub(crate) repair: Option<Scope>,
}

/// Everything that was looked at.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// The version of this form: 1.
    pub version: u32,
    /// Nothing is broken: every promise holds.
    pub ok: bool,
    /// The sentence at the end.
    pub summary: String,
    /// Sentences about what `--fix` did.
    pub mended: Vec<String>,
    /// The checks, in the order of the report.
    pub sections: Vec<Section>,
}

/// The checks of one kind.
#[derive(Debug, Clone, Serialize)]
pub struct Section {
    /// The subject of these findings.
    pub name: String,
    /// One per check.
    pub findings: Vec<Finding>,
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

    pub(crate) fn at(self, file: &str, line: Option<usize>) -> Self {
        Self { file: Some(file.to_owned()), line, ..self }
    }

    pub(crate) fn key(self, key: impl Into<String>) -> Self {
        Self { key: Some(key.into()), ..self }
    }

    pub(crate) fn next(self, next: impl Into<String>) -> Self {
        Self { next: Some(next.into()), ..self }
    }

    pub(crate) fn repair(self, scope: Scope) -> Self {
        Self { fixable: true, repair: Some(scope), ..self }
    }

    /// The text about this hook, without its name; `None`: it is about something else.
    pub(crate) fn about(&self, hook: &str) -> Option<&str> {
        let rest = self.what.strip_prefix(hook)?;
        rest.strip_prefix(": ").or_else(|| rest.strip_prefix(' '))
    }

    pub(crate) fn sentence(&self) -> String {
        let what = self.place_and_what();
        self.next.as_ref().map_or_else(|| what.clone(), |next| format!("{what}; {next}"))
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
        let mut report = Self { version: 1, ok: true, summary: String::new(), mended: Vec::new(), sections };
        let count = |severity| report.findings().filter(|finding| finding.severity == severity).count();
        let (broken, warnings) = (count(Severity::Broken), count(Severity::Warning));
        let summary = summary(broken, warnings, report.findings().any(|finding| finding.fixable));
        (report.ok, report.summary) = (broken == 0, summary);
        report
    }

    pub(crate) fn proof_of(&self, hook: &str) -> String {
        let proofs = self.sections.iter().filter(|section| section.name == "Proofs");
        let mut of_hook = proofs.flat_map(|section| &section.findings).filter_map(|finding| {
            let no = if finding.severity == Severity::Ok { "" } else { "NO: " };
            Some(format!("{no}{}", finding.about(hook)?))
        });
        of_hook.next().unwrap_or_else(|| "-".to_owned())
    }

    pub(crate) fn wrong(&self) -> impl Iterator<Item = &Finding> {
        self.findings().filter(|finding| finding.severity >= Severity::Warning)
    }

    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.sections.iter().flat_map(|section| &section.findings)
    }
}

fn summary(broken: usize, warnings: usize, fixable: bool) -> String {
    let things = match broken {
        0 => "nothing is broken".to_owned(),
        1 => "1 thing is broken".to_owned(),
        broken => format!("{broken} things are broken"),
    };
    let with = match warnings {
        0 => String::new(),
        1 => ", with 1 warning".to_owned(),
        warnings => format!(", with {warnings} warnings"),
    };
    let way = if fixable { "; to mend what can be mended safely, type: req doctor --fix" } else { "" };
    format!(
        "Programs, registrations, switches, configuration, proofs and state were checked: {things}{with}{way}."
    )
}

impl Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = format!("{:?}", self.severity).to_lowercase();
        write!(formatter, "  {severity:8} {}", self.place_and_what())?;
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
    use super::{Finding, Report, Section, summary};
    use crate::places::Scope;

    #[test]
    fn finding_names_severity_place_what_and_next() {
        let finding =
            Finding::broken("no such event").at("~/.claude/settings.json", Some(7)).key("hooks.Stopp");
        assert_eq!(
            finding.next("did you mean Stop?").to_string(),
            "  broken   ~/.claude/settings.json:7: hooks.Stopp: no such event\n           did you mean Stop?"
        );
        let mended = Finding::warning("no entry").repair(Scope::User).to_string();
        assert!(mended.ends_with("\n           mended by: req doctor --fix"), "{mended}");
    }

    #[test]
    fn summary_counts_what_is_wrong_and_only_a_broken_finding_makes_the_answer_no() {
        for (broken, warnings, expected) in [
            (0, 0, "nothing is broken."),
            (0, 1, "nothing is broken, with 1 warning."),
            (1, 0, "1 thing is broken."),
            (2, 3, "2 things are broken, with 3 warnings."),
        ] {
            let said = summary(broken, warnings, false);
            assert_eq!(said.split_once(" were checked: ").unwrap().1, expected);
        }
        assert!(summary(1, 0, true).ends_with("type: req doctor --fix."));
        let ok = |finding| Report::new(vec![Section::new("X", vec![finding])]).ok;
        assert!(ok(Finding::warning("w")) && !ok(Finding::broken("b")));
    }
}
