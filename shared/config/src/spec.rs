//! The part of the files that a hook reads.

pub(crate) const TOP_KEYS: [&str; 5] = ["version", "requires", "inherit", "enabled", "locked"];

/// The keys every section has beside its own, both true or false, with their meaning.
pub const COMMON_KEYS: [(&str, &str); 2] =
    [("enabled", "The hook is switched on."), ("headless", HEADLESS_MEANS)];

/// Meaning of `headless`, unless a hook says something else.
pub const HEADLESS_MEANS: &str = "It also acts in sessions nobody watches (`claude -p`, SDK).";

#[derive(Debug, Clone, Copy, Default)]
pub struct SectionSpec {
    pub name: &'static str,
    /// Keys of its settings that stand at the top of the file instead of in the section.
    pub root_keys: &'static [&'static str],
    pub global_only: &'static [&'static str],
    /// Older names of keys and the names that hold now, as dotted paths.
    pub renamed: &'static [(&'static str, &'static str)],
    /// Only the global file may switch it on, see `COSTS_MONEY` of the hook.
    pub costs_money: bool,
}

impl SectionSpec {
    /// The keys at the top of a file that hold its settings.
    pub(crate) fn top_keys(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.root_keys.iter().copied())
    }

    /// A path of the settings as it is in a file; the empty one is the section itself.
    pub(crate) fn in_file<K: AsRef<str>>(&self, path: &[K]) -> Vec<String> {
        let is_root = path.first().is_some_and(|key| self.root_keys.contains(&key.as_ref()));
        let section = (!is_root).then(|| self.name.to_owned());
        section.into_iter().chain(path.iter().map(|key| key.as_ref().to_owned())).collect()
    }

    /// A dotted path of the settings as it is in a file.
    pub(crate) fn dotted_in_file(&self, path: &str) -> String {
        self.in_file(&path.split('.').collect::<Vec<_>>()).join(".")
    }

    /// The name that holds now of a dotted path of the settings.
    pub(crate) fn present_name<'p>(&self, path: &'p str) -> &'p str {
        self.renamed.iter().find(|(old, _)| *old == path).map_or(path, |(_, new)| new)
    }

    /// A dotted path of a file as it is in the settings; `None` if it leads elsewhere.
    pub(crate) fn in_settings<'p>(&self, path: &'p str) -> Option<&'p str> {
        match path.split_once('.').unwrap_or((path, "")) {
            (first, rest) if first == self.name => Some(rest),
            (first, _) => self.root_keys.contains(&first).then_some(path),
        }
    }
}
