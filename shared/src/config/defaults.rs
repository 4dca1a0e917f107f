//! The lowest layer: config/defaults.yaml, compiled in. The only place where a default stands.

/// The whole file, comments and all.
pub const ALL_DEFAULTS: &str = include_str!("../../../config/defaults.yaml");

/// The lines of the sections of these names, in the file's form; a line's number is none of the file's.
pub(super) fn defaults_of<'n>(sections: impl IntoIterator<Item = &'n str>) -> String {
    sections.into_iter().map(section_defaults).collect()
}

/// The lines of one top-level section, its own first line included; empty if there is none.
///
/// A hook needs its own section only, and cutting the text is cheaper than parsing everybody's.
#[must_use]
pub fn section_defaults(section: &str) -> &'static str {
    let mut start = None;
    let mut offset = 0;
    for line in ALL_DEFAULTS.split_inclusive('\n') {
        let is_top_level = line.starts_with(|first: char| !first.is_whitespace() && first != '#');
        match start {
            None if line.strip_prefix(section).is_some_and(|rest| rest.starts_with(':')) => {
                start = Some(offset);
            }
            Some(start) if is_top_level => return &ALL_DEFAULTS[start..offset],
            _ => {}
        }
        offset += line.len();
    }
    start.map_or("", |start| &ALL_DEFAULTS[start..])
}

#[cfg(test)]
mod tests {
    use super::{ALL_DEFAULTS, section_defaults};
    use crate::config::yaml;

    #[test]
    fn a_sections_cut_is_the_sections_value_in_the_whole_file() {
        let whole = yaml::parse(ALL_DEFAULTS).unwrap().values;
        for (section, value) in &whole {
            let cut = yaml::parse(section_defaults(section)).unwrap().values;
            assert_eq!(cut.get(section), Some(value), "{section}");
            assert_eq!(cut.len(), 1, "{section}");
        }
        assert_eq!(section_defaults("no-such-section"), "");
        assert_eq!(section_defaults("enable"), "");
    }
}
