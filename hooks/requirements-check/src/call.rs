//! A tool call as far as requirements look at it: which tool, which file, which commands, which skill.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use shared::claude_code::SHELL_TOOLS;
use shared::protocol::ToolCall;

use crate::settings::Glob;
use command_line::{self, Line, Pattern, Simple, is_in, is_one_of, is_plain};

/// With one of these, `git add` stages nothing, or what only git knows.
const NOT_STAGING: &str = "-n -N --dry-run --intent-to-add --refresh --pathspec-from-file";

#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) tool: String,
    pub(crate) id: Option<String>,
    pub(crate) file: Option<PathBuf>,
    pub(crate) line: Option<Line>,
    pub(crate) skill: Option<String>,
    /// The line runs on while the session goes on.
    pub(crate) in_background: bool,
}

/// The inputs of the tools we know, in one.
#[derive(Default, Deserialize)]
struct Fields {
    file_path: Option<String>,
    notebook_path: Option<String>,
    command: Option<String>,
    run_in_background: Option<bool>,
    skill: Option<String>,
}

impl Call {
    /// Reads a call. Folders of its line that begin with `~` lie below `home`.
    pub(crate) fn read(tool: &ToolCall, home: Option<&Path>) -> Self {
        let input = tool.tool_input.as_ref().map_or("{}", |raw| raw.get());
        let fields: Fields = serde_json::from_str(input).unwrap_or_default();
        let file = fields.file_path.or(fields.notebook_path);
        let line = fields.command.filter(|_| SHELL_TOOLS.contains(&tool.tool_name.as_str()));
        Self {
            tool: tool.tool_name.clone(),
            id: tool.tool_use_id.clone(),
            file: file.filter(|file| !file.is_empty()).map(PathBuf::from),
            line: line.map(|line| command_line::parse(&line).at_home(home)),
            skill: fields.skill.filter(|_| tool.tool_name == "Skill"),
            in_background: fields.run_in_background.unwrap_or(false),
        }
    }

    pub(crate) fn is_edit(&self) -> bool {
        matches!(self.tool.as_str(), "Edit" | "Write" | "MultiEdit" | "NotebookEdit")
    }

    /// The tool is meant; `Bash` stands for every shell.
    pub(crate) fn is_tool(&self, glob: &Glob) -> bool {
        glob.is_name(&self.tool) || (SHELL_TOOLS.contains(&self.tool.as_str()) && glob.is_name("Bash"))
    }

    /// A command of its line is meant; of a line that is not understood, its words.
    pub(crate) fn runs(&self, pattern: &Pattern) -> bool {
        self.line.as_ref().is_some_and(|line| pattern.may_match(line))
    }

    /// The commands of its line, if it is understood.
    pub(crate) fn commands(&self) -> &[Simple] {
        self.line.as_ref().and_then(|line| line.commands.as_deref()).unwrap_or_default()
    }

    pub(crate) fn only_reads(&self) -> bool {
        let commands = self.line.as_ref().and_then(|line| line.commands.as_ref());
        commands.is_some_and(|commands| commands.iter().all(Simple::reads))
    }

    /// The paths that its line stages before it commits them. `None`: it commits nothing, or the work tree (`-a`, `git add -A`).
    pub(crate) fn staged_for_commit(&self, cwd: &Path) -> Option<Vec<PathBuf>> {
        let mut staged = Vec::new();
        for command in self.commands() {
            match command.git() {
                Some(("commit", rest)) => return (!rest.iter().any(takes_work_tree)).then_some(staged),
                Some(("add" | "stage", rest)) if !rest.iter().any(|word| is_one_of(word, NOT_STAGING)) => {
                    let mut paths = rest.iter().filter(|word| !word.starts_with('-')).peekable();
                    // Options alone take everything.
                    paths.peek()?;
                    let folder = command.place(cwd);
                    // A pattern stages what it matches: what is staged otherwise has to be staged again by name.
                    let is_exact = !rest.iter().any(|word| word.starts_with(':'));
                    let named = paths.filter(|path| is_exact && is_plain(path));
                    staged.extend(named.map(|path| folder.join(path)));
                }
                _ => {}
            }
        }
        None
    }

    /// The folder its first command acts in, else `cwd`.
    pub(crate) fn place(&self, cwd: &Path) -> PathBuf {
        let first = self.commands().iter().find(|one| !is_in("cd pushd popd set export", one.program()));
        first.map_or_else(|| cwd.to_path_buf(), |command| command.place(cwd))
    }

    /// The first of the commands in question whose folder the line does not name.
    pub(crate) fn unplaced(&self, is_in_question: impl Fn(&Simple) -> bool) -> Option<&Simple> {
        // A variable that is exported counts for what comes later.
        let is_elsewhere = self.commands().iter().any(Simple::names_repository);
        let is_lost = |one: &Simple| one.acts_in().is_none() || (is_elsewhere && one.git().is_some());
        self.commands().iter().find(|one| is_in_question(one) && is_lost(one))
    }
}

/// `git commit` with this argument takes what is in the work tree: `-a`, alone or among others, or paths behind `--`.
fn takes_work_tree(argument: &String) -> bool {
    // Behind these letters stands a value, attached.
    let letters = argument.strip_prefix('-').and_then(|rest| rest.split(|c| "CFScmtu".contains(c)).next());
    let is_all = |letters: &str| letters.contains('a') && letters.chars().all(char::is_alphabetic);
    letters.is_some_and(is_all) || argument == "--all" || argument == "--"
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::{Call, Pattern};
    use crate::scene::{call, tool_call};

    #[test]
    fn names_what_a_line_stages_before_it_commits_the_index() {
        for (line, expected) in [
            ("git commit -m x", Some("")),
            ("git -C sub commit --amend", Some("")),
            ("git commit -m'fix a parser'", Some("")),
            ("git commit -qFnotes/a.txt", Some("")),
            ("git commit -mfast", Some("")),
            ("git commit -qam x", None),
            ("git commit -am x", None),
            ("git commit --all -m x", None),
            ("git commit -m x -- src/a.rs", None),
            ("git commit -m x src/a.rs", Some("")),
            ("git commit -m '- a bullet' --author a", Some("")),
            ("timeout --kill-after=5 60 git commit -m x", Some("")),
            ("git add -A && git commit -m x", None),
            ("git add -A docs '*.rs' && git commit -m x", Some("/r/docs")),
            ("git add . ':!docs' && git commit -m x", Some("")),
            ("git add -f -- a b && git commit -m x", Some("/r/a /r/b")),
            ("git add -n . && git add --refresh a && git commit -m x", Some("")),
            ("cd sub && git add . && git commit -m x", Some("/r/sub/.")),
            ("git commit -m x && git add -A", Some("")),
            ("git status", None),
        ] {
            let staged = call("Bash", &json!({ "command": line })).staged_for_commit(Path::new("/r"));
            let staged =
                staged.map(|paths| paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>());
            assert_eq!(staged.map(|paths| paths.join(" ")).as_deref(), expected, "{line}");
        }
    }

    const FOLDERS: &[(&str, &str)] = &[
        (
            "/a/b",
            "git commit ¦ git -C ../feature log && git commit ¦ pytest -C ../x; git commit ¦ git -c user.name=x commit",
        ),
        (
            "/a/b/.",
            "cd \"$(git rev-parse --show-toplevel)\" && git commit ¦ git -C $PWD commit ¦ cd $PWD && git commit",
        ),
        ("/a/b/../main", "ls && git -C ../main commit ¦ echo x; cd ../main && git commit"),
        (
            "/h/main",
            "cd ~/main && git commit ¦ cd \"$HOME/main\" && git commit ¦ git -C ~/main commit ¦ sudo git -C ~ -C main commit",
        ),
        (
            "",
            "cd $X && git commit ¦ cd \"$X\" && git -C sub commit ¦ for d in a b; do cd $d; git commit; done ¦ git -C \"$X\" commit",
        ),
        (
            "",
            "git --git-dir=../main/.git commit ¦ git --git-dir x --work-tree ../main commit ¦ git -c core.worktree=../main commit",
        ),
        (
            "",
            "GIT_DIR=../main/.git git commit ¦ export GIT_DIR=../main/.git; git commit ¦ env GIT_WORK_TREE=../main git commit",
        ),
        (
            "",
            "env --chdir=../main git commit ¦ sudo -D ../main git commit ¦ sudo --chdir=../main git commit ¦ exec git -C ../main commit ¦ find . -execdir git commit ;",
        ),
    ];

    #[test]
    fn a_program_below_the_home_folder_keeps_its_name() {
        let tool = tool_call("t", "Bash", &json!({ "command": "~/bin/check -q" }));
        let pattern = Pattern::parse_pattern("~/bin/check").unwrap();
        assert!(Call::read(&tool, Some(Path::new("/h"))).runs(&pattern));
    }

    #[test]
    fn each_command_acts_in_its_own_folder_and_git_in_the_one_it_names() {
        for (expected, lines) in FOLDERS {
            for line in lines.split(" ¦ ") {
                let tool = tool_call("t", "Bash", &json!({ "command": line }));
                let call = Call::read(&tool, Some(Path::new("/h")));
                let commit = call.commands().iter().find(|simple| simple.text.contains("commit")).unwrap();
                let lost = call.unplaced(|simple| simple.text.contains("commit"));
                assert_eq!(lost.is_some(), expected.is_empty(), "{line}");
                let expected =
                    if expected.is_empty() { commit.place(Path::new("/a/b")) } else { expected.into() };
                assert_eq!(commit.place(Path::new("/a/b")), expected, "{line}");
            }
        }
    }
}
