//! Our own commands: their names, and the Bash calls made only of them. No hook of ours gates or counts such a call, or
//! what a gate asks to be typed could not be typed while the gate is closed.
//!
//! The rule is narrow on purpose. The line holds plain words, quoted or not, joined by `&&`, `||`, `;` or line ends. Each command
//! is one of ours by its bare name or by its path in our folders, or a `cd` beside one. Anything that a shell could expand
//! (substitution, redirection, a pipe, an assignment) makes the call an ordinary one. So does an option that names a file to
//! write, because gates and rails guard files.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::claude_code::SHELL_TOOLS;
use crate::host::Places;
use crate::protocol::ToolCall;

/// The table of hooks, as it is compiled in. The installer reads it itself.
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

/// Longer lines are not looked at, in bytes.
const MAX_LINE: usize = 4096;

/// The options of our commands that name a file to write.
const FILES_TO_WRITE: &[&str] = &["--html"];

/// The call is a shell's, and runs nothing but our own commands.
pub fn is_own_call(call: &ToolCall, places: &Places) -> bool {
    own_line(call, places).is_some()
}

/// Our own commands of such a call that has come through, each with its bare name first and its arguments without their
/// quotes; `None` for any other call, and for a line with another joint than `&&`, in which a command may not have run.
pub fn own_command_lines(call: &ToolCall, places: &Places) -> Option<Vec<Vec<String>>> {
    own_line(call, places).and_then(|(commands, is_chain)| is_chain.then_some(commands))
}

/// The commands of a line, and whether `&&` alone joins them.
type Line = (Vec<Vec<String>>, bool);

fn own_line(call: &ToolCall, places: &Places) -> Option<Line> {
    #[derive(Deserialize)]
    struct ShellInput {
        command: String,
    }
    if !SHELL_TOOLS.contains(&call.tool_name.as_str()) {
        return None;
    }
    let raw = call.tool_input.as_ref().filter(|raw| raw.get().len() <= MAX_LINE)?;
    let input: ShellInput = serde_json::from_str(raw.get()).ok()?;
    let (commands, is_chain) = commands(&input.command)?;
    // Some of our texts say `cd there && ours`.
    let mut ours: Vec<Vec<String>> = commands.into_iter().filter(|command| command[0] != "cd").collect();
    let folders = own_folders(places);
    for command in &mut ours {
        command[0] = own_name(&command[0], &folders)?;
    }
    (!ours.is_empty()).then_some((ours, is_chain))
}

/// Folders of our programs: deployed, and beside this one. Our texts name no others, see [`crate::host::Host::own_command`].
fn own_folders(places: &Places) -> Vec<PathBuf> {
    let deployed = places.config_dir.as_ref().map(|dir| dir.join("hooks"));
    let beside = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.to_path_buf()));
    deployed.into_iter().chain(beside).collect()
}

/// A bare name may be the user's own program; a path must lead to our folders, or any script of that name would pass every gate.
fn own_name(program: &str, folders: &[PathBuf]) -> Option<String> {
    let parent = Path::new(program).parent()?;
    let is_bare = parent.as_os_str().is_empty();
    if !is_bare && !folders.iter().any(|folder| folder == parent) {
        return None;
    }
    let name = if is_bare { program } else { program.get(parent.as_os_str().len() + 1..)? };
    own_commands().any(|own| own == name).then(|| name.to_owned())
}

/// The words of each command; `None` where the line is more than plain words, or writes a file.
fn commands(line: &str) -> Option<Line> {
    let (mut commands, mut is_chain): Line = (vec![Vec::new()], true);
    let mut rest = line.trim_matches([' ', '\t', '\n']);
    while !rest.is_empty() {
        if let Some(joint) = JOINTS.into_iter().find(|joint| rest.starts_with(joint)) {
            is_chain &= joint == "&&";
            commands.push(Vec::new());
            rest = &rest[joint.len()..];
        } else {
            let (word, behind) = word(rest)?;
            let command = commands.last_mut()?;
            let option = word.split_once('=').map_or(word.as_str(), |(option, _)| option);
            if !command.is_empty() && FILES_TO_WRITE.contains(&option) {
                return None;
            }
            command.push(word);
            rest = behind;
        }
        rest = rest.trim_start_matches([' ', '\t']);
    }
    commands.retain(|command| !command.is_empty());
    Some((commands, is_chain))
}

const JOINTS: [&str; 4] = ["&&", "||", ";", "\n"];

/// The first word without its quotes, and what follows it.
fn word(line: &str) -> Option<(String, &str)> {
    let (mut word, mut rest) = (String::new(), line);
    while let Some(letter) = rest.chars().next() {
        let behind = &rest[letter.len_utf8()..];
        match letter {
            '\'' | '"' => {
                let (inside, behind) = behind.split_once(letter)?;
                if letter == '"' && inside.contains(['$', '`', '\\', '!']) {
                    return None;
                }
                word.push_str(inside);
                rest = behind;
            }
            letter if is_plain(letter) => {
                word.push(letter);
                rest = behind;
            }
            ' ' | '\t' => break,
            // A lone `&` or `|` joins nothing of ours.
            _ if JOINTS.iter().any(|joint| rest.starts_with(joint)) => break,
            _ => return None,
        }
    }
    Some((word, rest))
}

/// Means itself in every shell, wherever it stands in a word. `=` is left to arguments: `X=1 req` is refused as a program.
fn is_plain(letter: char) -> bool {
    letter.is_alphanumeric() || "_-./:,@%+=".contains(letter)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::{is_own_call, own_command_lines};
    use crate::host::Places;
    use crate::protocol::ToolCall;

    fn call(tool: &str, command: &str) -> ToolCall {
        ToolCall {
            tool_name: tool.to_owned(),
            tool_use_id: None,
            tool_input: Some(to_raw_value(&json!({ "command": command, "description": "x" })).unwrap()),
        }
    }

    fn places() -> Places {
        Places { config_dir: Some(PathBuf::from("/home/me/.claude")), ..Places::default() }
    }

    fn is_own(tool: &str, command: &str) -> bool {
        is_own_call(&call(tool, command), &places())
    }

    #[test]
    fn the_words_of_each_command_are_told_without_quotes_and_folders() {
        let line = "cd '/a b' && /home/me/.claude/hooks/stop-momentum x --note 'it'\"'\"'s' --of=\"a b\" && stop-momentum status";
        let expected =
            [&["stop-momentum", "x", "--note", "it's", "--of=a b"][..], &["stop-momentum", "status"]];
        assert_eq!(own_command_lines(&call("Bash", line), &places()).unwrap(), expected);
        assert_eq!(own_command_lines(&call("Bash", "ls"), &places()), None);
    }

    #[test]
    fn commands_that_may_not_have_run_are_not_told() {
        for (line, commands) in [
            ("stop-momentum a || stop-momentum b", None),
            ("stop-momentum a; stop-momentum b", None),
            ("stop-momentum a && stop-momentum b\nstop-momentum c", None),
            ("cd /there && stop-momentum a && stop-momentum b\n", Some(2)),
            ("stop-momentum a --note 'this || that'", Some(1)),
        ] {
            let told = own_command_lines(&call("Bash", line), &places());
            assert_eq!(told.map(|told| told.len()), commands, "{line:?}");
            assert!(is_own("Bash", line), "{line:?}");
        }
    }

    #[test]
    fn a_line_of_our_own_commands_is_ours() {
        for command in [
            "stop-momentum status",
            "  stop-momentum   status --json  ",
            "stop-momentum status && stop-momentum help",
            "stop-momentum satisfy --note 'it is done; really $x'",
            "stop-momentum x --note \"a b\" --key=value",
            "stop-momentum x html --html5",
            "/home/me/.claude/hooks/stop-momentum status",
            "'stop-momentum' status",
            "cd '/a folder' && stop-momentum status",
        ] {
            assert!(is_own("Bash", command), "{command:?}");
        }
        assert!(is_own("PowerShell", "stop-momentum status"));
    }

    #[test]
    fn anything_more_is_a_call_like_any_other() {
        for command in [
            " ",
            ";",
            "cd /tmp",
            "cd $(ls) && stop-momentum status",
            "cd /tmp && ls && stop-momentum status",
            "stop-momentum status && ls",
            "stop-momentum status | sh",
            "stop-momentum status & ls",
            "stop-momentum status > file",
            "stop-momentum `ls`",
            "stop-momentum \"$(ls)\"",
            "stop-momentum $HOME",
            "stop-momentum <(ls)",
            "stop-momentum {a,b}",
            "stop-momentum *",
            "stop-momentum \\\nls",
            "stop-momentum 'open",
            "X=1 stop-momentum status",
            "sudo stop-momentum status",
            "./stop-momentum status",
            "/tmp/stop-momentum status",
            "/home/me/.claude/hooks/../stop-momentum",
            "~/.claude/hooks/stop-momentum",
            "stop-momentum2",
            "stop-momentum status; # x\nls",
            "stop-momentum report --html=file.html",
            "stop-momentum report --days 3 '--ht'ml file.html",
            "stop-momentum status && stop-momentum report \"--html=file.html\"",
        ] {
            assert!(!is_own("Bash", command), "{command:?}");
        }
        assert!(!is_own("Edit", "stop-momentum status"));
    }
}
