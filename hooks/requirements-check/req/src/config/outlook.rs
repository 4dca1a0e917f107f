//! Every key of every section and of the top of the files, as it is in force, and what is wrong in the files. The section of
//! this hook is read by its types, those of the others by the schema that is generated from theirs.

use serde_json::Value;
use shared::catalog;
use shared::cli::Asker;
use shared::config::{
    Entry, Problem, Sources, load_by_schema, section_by_schema, sort, sort_problems, top_entries,
};
use shared::hook::Hook;
use shared::run::configure;

use requirements_check::RequirementsCheck;

/// What is in force.
pub(super) struct Outlook {
    /// In the order of config/defaults.yaml.
    pub(super) entries: Vec<Entry>,
    pub(super) problems: Vec<Problem>,
}

impl Outlook {
    /// As these files say.
    pub(super) fn of(asker: &Asker<'_>, sources: &Sources) -> Self {
        let switches = asker.switches();
        let mut outlook = Self { entries: top_entries(sources), problems: Vec::new() };
        for name in catalog::section_names() {
            let switch = switches.of(name, asker.session);
            if name == RequirementsCheck::NAME {
                let section = configure::<RequirementsCheck>(sources, switch);
                outlook.add(section.map(|section| (section.entries(), section.problems)));
            } else if let Some((spec, schema)) = section_by_schema(name) {
                let section = load_by_schema(spec, schema, sources, switch);
                outlook.add(section.map(|section| (section.entries(), section.problems)));
            }
        }
        sort(&mut outlook.entries);
        sort_problems(&mut outlook.problems);
        outlook
    }

    /// What several sections find wrong alike is one problem, and a key that several own is one entry.
    fn add(&mut self, section: Option<(Vec<Entry>, Vec<Problem>)>) {
        let (entries, problems) = section.unwrap_or_default();
        for entry in entries {
            if self.at(&entry.path).is_none() {
                self.entries.push(entry);
            }
        }
        for problem in problems {
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        }
    }

    /// The key, or the keys of the map that stands there.
    pub(super) fn below<'o>(&'o self, path: &'o [String]) -> impl Iterator<Item = &'o Entry> + Clone {
        self.entries.iter().filter(move |entry| entry.path.starts_with(path))
    }

    /// The key itself.
    pub(super) fn at(&self, path: &[String]) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.path == path)
    }

    /// The global file locks the key itself, or the map it is in.
    pub(super) fn locks(&self, path: &[String]) -> bool {
        let key = path.join(".");
        let locked = self.at(&["locked".to_owned()]).and_then(|entry| entry.value.as_array());
        locked
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .any(|lock| key.strip_prefix(lock).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
    }

    /// The requirements that are described, in force or not.
    pub(super) fn requirements(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .entries
            .iter()
            .filter(|entry| entry.path.first().is_some_and(|first| first == "requirements"))
            .filter_map(|entry| entry.path.get(1).map(String::as_str))
            .collect();
        names.dedup();
        names
    }

    /// What is wrong here and was not before. A problem that moved, because a line was added above it or because another file
    /// has the last word now, is none.
    pub(super) fn new_problems<'o>(&'o self, before: &Self) -> Vec<&'o Problem> {
        let same = |left: &Problem, right: &Problem| left.key == right.key && left.fault == right.fault;
        let mut old: Vec<&Problem> = before.problems.iter().collect();
        let mut new = Vec::new();
        for problem in &self.problems {
            match old.iter().position(|old| same(old, problem)) {
                Some(place) => drop(old.swap_remove(place)),
                None => new.push(problem),
            }
        }
        new
    }
}
