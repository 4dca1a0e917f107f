//! `req init`: a first file from a preset, with one guessed test command, shown before it is written.
//!
//! - `guess`: the command that runs the tests, and the default branch
//! - `preset`: a preset with its blanks filled in

mod guess;
mod preset;

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use requirements_check::RequirementsCheck;
use requirements_check::rule::Rule;
use requirements_check::view::quoted;
use serde_json::Value;
use shared::config::{LayerKind, Sources, read_text, read_typed};
use shared::hook::Hook as _;
use shared::host::Timestamp;
use shared::operator::{Caller, Standing};
use shared::run::configure;
use shared::switches::Position;

use crate::config::file::{OurFile, user_file};
use crate::config::ignore::{KEPT, LOCAL, ignore};
use crate::location::Location;
use crate::reply::Reply;
use crate::verb::{Init, Preset, flag};
use preset::Blanks;

/// A larger settings file of Claude Code is not searched, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

pub(crate) fn init(wanted: &Init, location: &Location) -> Result<Reply, String> {
    let plan = Plan::of(wanted, location)?;
    if wanted.dry_run {
        return Ok(Reply::yes(plan.text.trim_end()));
    }
    plan.may_write(wanted)?;
    let is_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if !wanted.yes && is_terminal {
        plan.confirm()?;
    } else if !wanted.yes && wanted.preset.is_none() {
        return Err(plan.nobody_to_ask());
    }
    plan.write()
}

/// The file that will be written.
struct Plan<'a> {
    location: &'a Location,
    preset: Preset,
    file: OurFile,
    /// The file's text now.
    before: Option<String>,
    /// The file only switched hooks on, which stays below the preset.
    is_joined: bool,
    text: String,
}

impl<'a> Plan<'a> {
    fn of(wanted: &Init, location: &'a Location) -> Result<Self, String> {
        let is_inherit = wanted.preset == Some(Preset::Inherit);
        let level = wanted.level.named().unwrap_or_else(|| usual_level(location, is_inherit));
        if is_inherit && level != LayerKind::Project {
            return Err("req: inherit is for a project's file, which then requires what your global one does; use --project".to_owned());
        }
        let preset = wanted.preset.unwrap_or_else(|| usual_preset(location, level));
        let file = OurFile::of(level, &location.asker())?;
        let root = file.root.as_deref();
        let blanks = Blanks {
            level,
            schema: &file.schema.named,
            test_command: root.and_then(guess::test_command),
            has_git: root.is_none_or(|root| root.join(".git").exists()),
            default_branch: root.and_then(guess::default_branch),
        };
        let filled = preset::filled(preset, &blanks);
        // A file that cannot be read is there all the same.
        let is_there = file.path.symlink_metadata().is_ok();
        let before = is_there.then(|| read_text(&file.path, root, MAX_BYTES).unwrap_or_default());
        let old = before.as_deref().filter(|_| !wanted.force);
        let joined = old.and_then(|text| preset::joined(&filled, text));
        let is_joined = joined.is_some();
        Ok(Self { location, preset, file, before, is_joined, text: joined.unwrap_or(filled) })
    }

    /// A file that may hold requirements would be replaced.
    fn replaces(&self) -> bool {
        self.before.is_some() && !self.is_joined
    }

    fn shown(&self) -> String {
        self.file.shown(&self.file.path)
    }

    /// The command as it is typed.
    fn line(&self, preset: Option<Preset>) -> String {
        let preset = preset.map(|preset| format!(" --preset {}", preset.word())).unwrap_or_default();
        format!("req init{}{preset}", flag(self.file.level))
    }

    /// Claude and scripts may write a first file. They may not replace one, set what counts in every project, or add a file
    /// that could loosen what is required already.
    fn may_write(&self, wanted: &Init) -> Result<(), String> {
        if self.replaces() && !wanted.force {
            return Err(format!(
                "req: {} is there already; nothing was written\n\
                 To change a key of it: req config set KEY VALUE{}\n\
                 To begin anew, with the old file kept beside it: {} --force",
                self.shown(),
                flag(self.file.level),
                self.line(wanted.preset)
            ));
        }
        let is_claude = self.location.caller == Caller::Shell(Standing::InsideClaude);
        let requires = Rule::all(&self.location.section.settings).next().is_some();
        let why = if self.location.caller.is_operator() {
            return Ok(());
        } else if self.replaces() {
            "the file it replaces may be stricter"
        } else if self.file.level == LayerKind::Global && is_claude {
            "that file counts in every project"
        } else if self.preset != Preset::Inherit && requires {
            "it may change what is required here already"
        } else {
            return Ok(());
        };
        let force = if wanted.force { " --force" } else { "" };
        Err(format!(
            "req: refused, because {why}. This is for the user to decide; run it in a terminal of your own: {}{force}",
            self.line(Some(self.preset))
        ))
    }

    fn nobody_to_ask(&self) -> String {
        let line = self.line(Some(self.preset));
        format!(
            "req: there is no terminal to ask on; nothing was written\n\
             What fits here: {line}\n\
             To see it first: {line} --dry-run; the other presets: req init --help"
        )
    }

    /// Shows the file on stderr and asks once.
    fn confirm(&self) -> Result<(), String> {
        let mut stderr = std::io::stderr();
        let question = format!("{}\nWrite this to {}? [Y/n] ", self.text, self.shown());
        let mut answer = String::new();
        let asked = stderr.write_all(question.as_bytes()).and_then(|()| stderr.flush());
        let read = asked.and_then(|()| std::io::stdin().read_line(&mut answer));
        let is_yes = matches!(answer.trim(), "" | "y" | "Y" | "yes") && read.is_ok_and(|bytes| bytes > 0);
        let no = || "req: nothing was written; the other presets: req init --help".to_owned();
        is_yes.then_some(()).ok_or_else(no)
    }

    fn write(&self) -> Result<Reply, String> {
        let kept = self.write_file()?;
        let mut lines = vec![format!("written: {}", self.shown())];
        lines.extend(self.is_joined.then(|| "what stood in it is kept at its end".to_owned()));
        lines.extend(kept.as_ref().map(|kept| format!("the old file is now {}", self.file.shown(kept))));
        let schema = &self.file.schema.path;
        let has_schema = self.file.schema.write();
        lines.extend(match &has_schema {
            Ok(true) => Some(format!(
                "written: {} (lets editors check the file as you type)",
                self.file.shown(schema)
            )),
            Ok(false) => None,
            Err(why) => Some(format!("the schema for editors was not written: {why}")),
        });
        let ignored = self.file.root.as_deref().map(|root| ignored(root, kept.as_deref()));
        let ignored = ignored.unwrap_or_default();
        lines.extend(ignored.iter().cloned());
        lines.push(String::new());
        lines.extend(self.required());
        lines.push(String::new());
        let mut team = vec![quoted(&self.shown())];
        team.extend(has_schema.is_ok().then(|| quoted(&self.file.shown(schema))));
        team.extend((!ignored.is_empty()).then(|| ".gitignore".to_owned()));
        lines.extend(self.next(&team));
        Ok(Reply::yes(lines.join("\n")))
    }

    /// Writes the file as a whole or not at all; an old one that it replaces is kept. Returns where.
    fn write_file(&self) -> Result<Option<PathBuf>, String> {
        let path = &self.file.path;
        let file = user_file(path, self.file.root.as_deref()).map_err(|why| format!("req: {why}"))?;
        let kept = self.replaces().then(|| name_of_old(path, self.location.host.now()));
        if let Some(kept) = &kept {
            // A copy keeps the mode; half of one would be taken for the old file.
            std::fs::copy(file.target(), kept).map_err(|error| {
                let _ = std::fs::remove_file(kept);
                let why = format!("the old file cannot be kept beside it ({error})");
                format!("req: {}: {why}; nothing was changed", path.display())
            })?;
        }
        let written = file.change(|there| {
            let is_other = !self.replaces() && there != self.before.as_deref();
            let refused = || file.refused("it was just written by another program; nothing was changed");
            if is_other { Err(refused()) } else { Ok(Some(self.text.clone())) }
        });
        written.map(|_| kept).map_err(|error| format!("req: {error}"))
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

    /// The next steps; `files` are those that the team should have.
    fn next(&self, files: &[String]) -> Vec<String> {
        let mut lines =
            vec!["Next:".to_owned(), "  req status    what is required here, satisfied or not".to_owned()];
        let is_of_team =
            |root: &&PathBuf| self.file.level == LayerKind::Project && root.join(".git").exists();
        if let Some(root) = self.file.root.as_ref().filter(is_of_team) {
            // From a folder below the top, git needs to know where the paths begin.
            let at = match self.location.host.cwd() {
                Some(cwd) if cwd == *root => String::new(),
                _ => format!(" -C {}", quoted(&root.display().to_string())),
            };
            lines.push(format!("  git{at} add {}    so that your team has it", files.join(" ")));
        }
        let name = RequirementsCheck::NAME;
        if !self.location.section.enabled {
            lines.push(format!("  {name} on    it is switched off now"));
        } else if !is_registered(self.location) {
            lines.push(format!("  req hooks enable {name}    Claude Code does not run it yet"));
        }
        lines
    }
}

/// `.before`, or with the time where that is taken.
fn name_of_old(path: &Path, now: Timestamp) -> PathBuf {
    let with = |ending: &str| PathBuf::from(format!("{}{ending}", path.display()));
    let first = with(".before");
    if first.symlink_metadata().is_err() { first } else { with(&format!(".before-{}", now.micros())) }
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

/// In the home directory the global file is meant, elsewhere the project's.
fn usual_level(location: &Location, is_inherit: bool) -> LayerKind {
    let (places, home) = (&location.places, &location.host.environment.home);
    let is_home = places.root.is_some() && places.root.as_ref() == home.as_ref();
    let is_global = places.project_claude_dir.is_none() || is_home;
    if is_global && !is_inherit { LayerKind::Global } else { LayerKind::Project }
}

fn usual_preset(location: &Location, level: LayerKind) -> Preset {
    match level {
        LayerKind::Global => Preset::Advanced,
        LayerKind::Local => Preset::Minimal,
        _ if requires_globally(location) => Preset::Inherit,
        _ => Preset::Relaxed,
    }
}

/// The user's own file requires something.
fn requires_globally(location: &Location) -> bool {
    let all = location.asker().sources();
    let sources = Sources { global: all.global, home: all.home, ..Sources::default() };
    let section = configure::<RequirementsCheck>(&sources, Position::default());
    section.is_some_and(|section| Rule::all(&section.settings).next().is_some())
}

/// A settings file of Claude Code names the hook, or the plugin it comes with.
fn is_registered(location: &Location) -> bool {
    let own = location.places.config_dir.iter().map(|dir| dir.join("settings.json"));
    let project = location.places.project_claude_dir.iter();
    let project = project.flat_map(|dir| [dir.join("settings.json"), dir.join("settings.local.json")]);
    own.chain(project).any(|file| {
        let text = read_text(&file, None, MAX_BYTES).unwrap_or_default();
        text.contains(RequirementsCheck::NAME) || text.contains("\"barbless")
    })
}
