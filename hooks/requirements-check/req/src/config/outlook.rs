//! Every key of every section and of the top of the files, as it is in force, and what is wrong in the files. The section of
//! this hook is read by its types, those of the others by the schema that is generated from theirs.

use shared::cli::Asker;
use shared::config::{
    Entry, Problem, Section, Sources, load_by_schema, section_by_schema, sort, sort_problems, top_entries,
};
use shared::hook::Hook;
use shared::own_commands::section_names;
use shared::run::configure;

use requirements_check::RequirementsCheck;

pub(super) struct Outlook {
    /// In the order of config/defaults.yaml.
    pub(super) entries: Vec<Entry>,
    pub(super) problems: Vec<Problem>,
}

impl Outlook {
    /// The outcome of these files.
    pub(super) fn of(asker: &Asker<'_>, sources: &Sources) -> Self {
        let switches = asker.switches();
        let mut outlook = Self { entries: top_entries(sources), problems: Vec::new() };
        for name in section_names() {
            let switch = switches.of(name, asker.session);
            if name == RequirementsCheck::NAME {
                outlook.add(configure::<RequirementsCheck>(sources, switch));
            } else if let Some((spec, schema)) = section_by_schema(name) {
                outlook.add(load_by_schema(spec, schema, sources, switch));
            }
        }
        sort(&mut outlook.entries);
        sort_problems(&mut outlook.problems);
        outlook
    }

    /// What several sections find wrong alike is one problem, and a key that several own is one entry.
    fn add<S>(&mut self, section: Option<Section<S>>) {
        let Some(section) = section else { return };
        for entry in section.entries() {
            if self.at(&entry.path).is_none() {
                self.entries.push(entry);
            }
        }
        for problem in section.problems {
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        }
    }

    /// The key, or the keys of the map that stands there.
    pub(super) fn below(&self, path: &[String]) -> impl Iterator<Item = &Entry> + Clone {
        self.entries.iter().filter(move |entry| entry.path.starts_with(path))
    }

    pub(super) fn at(&self, path: &[String]) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.path == path)
    }
}
