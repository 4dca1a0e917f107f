//! The names in the table of hooks, config/hooks.yaml. The installer reads the table itself.

/// The table, as it is compiled in.
pub const TABLE: &str = include_str!("../../config/hooks.yaml");

/// The names of our commands, straight from the text. Hooks ask before tool calls, where parsing YAML costs too much.
/// The lines `- name: X` and `commands: [X, Y]` are all it knows of the file's form.
pub fn own_commands() -> impl Iterator<Item = &'static str> {
    TABLE.lines().flat_map(|line| {
        let list = line.strip_prefix("  - name: ").or_else(|| {
            line.strip_prefix("    commands: [").and_then(|list| list.trim_end().strip_suffix(']'))
        });
        list.into_iter().flat_map(|list| list.split(',')).map(str::trim)
    })
}

/// The names of the hooks, which are those of their sections, straight from the text as well.
pub fn section_names() -> impl Iterator<Item = &'static str> {
    TABLE.lines().filter_map(|line| line.strip_prefix("  - name: ")).map(str::trim)
}
