//! `req init`: a first file from a preset, with one guessed test command, shown before it is written.
//!
//! - `guess`: the command that runs the tests, and the default branch
//! - `preset`: a preset with its blanks filled in
//! - `write`: the file on the disk

mod guess;
mod preset;
mod write;

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use requirements_check::RequirementsCheck;
use requirements_check::rule::Rule;
use requirements_check::view::quoted;
use serde_json::Value;
use shared::config::{LayerKind, Sources, read_text, read_typed};
use shared::hook::Hook as _;
use shared::host::display_path;
use shared::operator::{Caller, Standing};
use shared::run::configure;
use shared::switches::Position;

use crate::command::Reply;
use crate::command::arguments::{Init, Preset};
use crate::desk::Desk;
use crate::machine::config::ignore::{KEPT, LOCAL, ignore};
use crate::machine::config::key::{flag, named};
use crate::machine::config::schema_file::{NAME, SchemaFile};
use preset::Blanks;

/// A larger settings file of Claude Code is not searched, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// Runs `req init`.
pub(super) fn init(wanted: &Init, desk: &Desk) -> Result<Reply, String> {
    let plan = Plan::of(wanted, desk)?;
    if wanted.dry_run {
        return Ok(Reply::yes(plan.text.trim_end()));
    }
    plan.may_write(wanted)?;
    if !wanted.yes && wanted.preset.is_none() && !is_terminal() {
        return Err(plan.nobody_to_ask());
    }
    if !wanted.yes && is_terminal() {
        plan.confirm()?;
    }
    plan.write(wanted)
}

/// The file that will be written.
struct Plan<'a> {
    desk: &'a Desk,
    level: LayerKind,
    preset: Preset,
    file: PathBuf,
    text: String,
}

impl<'a> Plan<'a> {
    fn of(wanted: &Init, desk: &'a Desk) -> Result<Self, String> {
        let is_inherit = wanted.preset == Some(Preset::Inherit);
        let level = named(wanted.level).unwrap_or_else(|| usual_level(desk, is_inherit));
        if is_inherit && level != LayerKind::Project {
            return Err("req: inherit is for a project's file, which then requires what your global one does; use --project".to_owned());
        }
        let preset = wanted.preset.unwrap_or_else(|| usual_preset(desk, level));
        let root = desk.places.root.as_deref().filter(|_| level != LayerKind::Global);
        let blanks = Blanks {
            level,
            schema: SchemaFile::of(level, &desk.places)
                .map_or_else(|| format!("./{NAME}"), |schema| schema.named),
            test_command: root.and_then(guess::test_command),
            has_git: root.is_none_or(|root| root.join(".git").exists()),
            default_branch: root.and_then(guess::default_branch),
        };
        let file = file(level, desk)?;
        Ok(Self { desk, level, preset, file, text: preset::filled(preset, &blanks) })
    }

    fn is_there(&self) -> bool {
        self.file.symlink_metadata().is_ok()
    }

    /// The path from the project's top, or from the home directory.
    fn shown(&self, file: &Path) -> String {
        let root = self.desk.places.root.as_deref().filter(|_| self.desk.places.project_claude_dir.is_some());
        match root.and_then(|root| file.strip_prefix(root).ok()) {
            Some(inside) => inside.display().to_string(),
            None => display_path(file, self.desk.host.environment.home.as_deref()),
        }
    }

    /// Claude and scripts may write a first file. They may not replace one, set what counts in every project, or add a file
    /// that could loosen what is required already.
    fn may_write(&self, wanted: &Init) -> Result<(), String> {
        let (shown, flag) = (self.shown(&self.file), flag(self.level));
        if self.is_there() && !wanted.force {
            return Err(format!(
                "req: {shown} is there already; nothing was written\n\
                 To change a key of it: req config set KEY VALUE{flag}\n\
                 To begin anew, with the old file kept beside it: req init{flag} --force"
            ));
        }
        let why = match self.level {
            _ if self.desk.caller.is_operator() => return Ok(()),
            _ if self.is_there() => "the file it replaces may be stricter",
            LayerKind::Global if self.desk.caller == Caller::Shell(Standing::InsideClaude) => {
                "that file counts in every project"
            }
            _ if self.preset != Preset::Inherit
                && Rule::all(&self.desk.section.settings).next().is_some() =>
            {
                "it may change what is required here already"
            }
            _ => return Ok(()),
        };
        let force = if wanted.force { " --force" } else { "" };
        Err(format!(
            "req: refused, because {why}. This is for the user to decide; run it in a terminal of your own: \
             req init{flag} --preset {}{force}",
            self.preset.word()
        ))
    }

    fn nobody_to_ask(&self) -> String {
        let line = format!("req init{} --preset {}", flag(self.level), self.preset.word());
        format!(
            "req: there is no terminal to ask on; nothing was written\n\
             What fits here: {line}\n\
             To see it first: {line} --dry-run; the other presets: req init --help"
        )
    }

    /// Shows the file on stderr and asks once.
    fn confirm(&self) -> Result<(), String> {
        let mut stderr = std::io::stderr();
        let question = format!("{}\nWrite this to {}? [Y/n] ", self.text, self.shown(&self.file));
        let mut answer = String::new();
        let asked = stderr.write_all(question.as_bytes()).and_then(|()| stderr.flush());
        let read = asked.and_then(|()| std::io::stdin().read_line(&mut answer));
        let is_yes = matches!(answer.trim(), "" | "y" | "Y" | "yes") && read.is_ok_and(|bytes| bytes > 0);
        is_yes
            .then_some(())
            .ok_or_else(|| "req: nothing was written; the other presets: req init --help".to_owned())
    }

    fn write(&self, wanted: &Init) -> Result<Reply, String> {
        let places = &self.desk.places;
        let root = places.root.as_deref().filter(|_| self.level != LayerKind::Global);
        let kept = write::write(&self.file, root, &self.text, wanted.force, self.desk.host.now())?;
        let mut lines = vec![format!("written: {}", self.shown(&self.file))];
        lines.extend(kept.as_ref().map(|kept| format!("the old file is now {}", self.shown(kept))));
        let schema = SchemaFile::of(self.level, places);
        let written = schema.as_ref().map_or(Ok(false), SchemaFile::write);
        let schema = schema.filter(|_| written == Ok(true)).map(|schema| schema.path);
        lines.extend(
            schema.as_ref().map(|path| {
                format!("written: {} (lets editors check the file as you type)", self.shown(path))
            }),
        );
        lines.extend(written.err().map(|why| format!("the schema for editors was not written: {why}")));
        let is_ignored = root.map(|root| ignored(root, kept.as_deref())).unwrap_or_default();
        lines.extend(is_ignored.iter().cloned());
        lines.push(String::new());
        lines.extend(self.required());
        lines.push(String::new());
        lines.extend(self.next(root, schema.as_deref(), !is_ignored.is_empty()));
        Ok(Reply::yes(lines.join("\n")))
    }

    fn required(&self) -> Vec<String> {
        if self.preset == Preset::Inherit {
            return vec!["It requires what everybody's own global file does.".to_owned()];
        }
        let file: Value = read_typed(&self.text).unwrap_or_default();
        let entries = file["requirements"].as_object().into_iter().flatten();
        let lines = entries
            .filter(|(_, set)| set["enabled"] == true)
            .map(|(name, set)| format!("  {name}: {}", set["description"].as_str().unwrap_or_default()));
        let lines: Vec<String> = lines.collect();
        if lines.is_empty() {
            return vec!["It requires nothing yet; examples stand in it as comments.".to_owned()];
        }
        let left_out = self.text.lines().filter_map(|line| line.split_once("# Left out: "));
        let left_out = left_out.map(|(_, why)| format!("  left out: {why}"));
        std::iter::once("It requires:".to_owned()).chain(lines).chain(left_out).collect()
    }

    fn next(&self, root: Option<&Path>, schema: Option<&Path>, is_ignored: bool) -> Vec<String> {
        let mut lines =
            vec!["Next:".to_owned(), "  req status    what is required here, satisfied or not".to_owned()];
        if let Some(root) = root.filter(|root| self.level == LayerKind::Project && root.join(".git").exists())
        {
            let files = [Some(self.file.as_path()), schema].into_iter().flatten();
            let files = files.map(|file| quoted(&self.shown(file)));
            let files: Vec<String> = files.chain(is_ignored.then(|| ".gitignore".to_owned())).collect();
            // From a folder below the top, git needs to know where the paths begin.
            let at = match self.desk.host.cwd() {
                Some(cwd) if cwd == root => String::new(),
                _ => format!(" -C {}", quoted(&root.display().to_string())),
            };
            lines.push(format!("  git{at} add {}    so that your team has it", files.join(" ")));
        }
        if !self.desk.section.enabled {
            lines.push(format!("  {} on    it is switched off now", RequirementsCheck::NAME));
        } else if !is_registered(self.desk) {
            let name = RequirementsCheck::NAME;
            lines.push(format!("  req hooks enable {name}    Claude Code does not run it yet"));
        }
        lines
    }
}

/// The local file and the old files that are kept belong to one person, so git ignores them.
fn ignored(root: &Path, kept: Option<&Path>) -> Vec<String> {
    let kept = kept.and_then(|kept| kept.strip_prefix(root).ok());
    let kept = kept.map(|kept| (kept.to_string_lossy().replace('\\', "/"), KEPT));
    let all = [(LOCAL.to_owned(), LOCAL)].into_iter().chain(kept);
    let added = all.filter_map(|(path, line)| match ignore(root, &path, line) {
        Ok(false) => None,
        Ok(true) => Some(format!("added to .gitignore: {line}")),
        Err(why) => Some(format!("not added to .gitignore: {why}")),
    });
    added.collect()
}

fn is_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

fn file(level: LayerKind, desk: &Desk) -> Result<PathBuf, String> {
    let places = &desk.places;
    let folder = if level == LayerKind::Global { &places.config_dir } else { &places.project_claude_dir };
    let name = if level == LayerKind::Local { "requirements.local.yaml" } else { "requirements.yaml" };
    folder.as_ref().map(|folder| folder.join(name)).ok_or_else(|| match level {
        LayerKind::Global => {
            "req: HOME is not set, so there is no folder for a file of yours; set HOME".to_owned()
        }
        _ => "req: this folder is your own configuration folder and no project; use --global".to_owned(),
    })
}

/// In the home directory the global file is meant, elsewhere the project's.
fn usual_level(desk: &Desk, is_inherit: bool) -> LayerKind {
    let (places, home) = (&desk.places, &desk.host.environment.home);
    let is_home = places.root.is_some() && places.root.as_ref() == home.as_ref();
    let is_global = places.project_claude_dir.is_none() || is_home;
    if is_global && !is_inherit { LayerKind::Global } else { LayerKind::Project }
}

fn usual_preset(desk: &Desk, level: LayerKind) -> Preset {
    match level {
        LayerKind::Global => Preset::Advanced,
        LayerKind::Local => Preset::Minimal,
        _ if requires_globally(desk) => Preset::Inherit,
        _ => Preset::Relaxed,
    }
}

/// The user's own file requires something.
fn requires_globally(desk: &Desk) -> bool {
    let all = desk.places.sources(desk.host.environment.home.as_deref());
    let sources = Sources { global: all.global, home: all.home, ..Sources::default() };
    let section = configure::<RequirementsCheck>(&sources, Position::default());
    section.is_some_and(|section| Rule::all(&section.settings).next().is_some())
}

/// A settings file of Claude Code names the hook, or the plugin it comes with.
fn is_registered(desk: &Desk) -> bool {
    let own = desk.places.config_dir.iter().map(|dir| dir.join("settings.json"));
    let project = desk.places.project_claude_dir.iter();
    let project = project.flat_map(|dir| [dir.join("settings.json"), dir.join("settings.local.json")]);
    own.chain(project).any(|file| {
        let text = read_text(&file, None, MAX_BYTES).unwrap_or_default();
        text.contains(RequirementsCheck::NAME) || text.contains("\"barbless")
    })
}
