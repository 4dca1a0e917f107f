//! `req init`: a first file from a preset, with one guessed test command, shown before it is written.

mod guess;
mod preset;

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use client_settings::FileError;
use installer::say::word_of;
use requirements_check::RequirementsCheck;
use requirements_check::rule::Rule;
use shared::cli::unregistered;
use shared::config::{LayerKind, read_text};
use shared::hook::Hook as _;
use shared::host::Timestamp;
use shared::operator::{Caller, Standing};

use crate::config::file::{KEPT, LOCAL, MAX_BYTES, OurFile, ignore, user_file};
use crate::location::Location;
use crate::reply::{Answer, Reply};
use crate::verb::{Init, Preset};
use preset::Blanks;

pub(crate) fn init(wanted: &Init, location: &Location) -> Answer {
    let plan = Plan::of(wanted, location)?;
    if wanted.dry_run {
        return Ok(Reply::yes(plan.text.trim_end()));
    }
    plan.may_write(wanted)?;
    let is_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if !wanted.yes && is_terminal {
        ensure!(plan.is_confirmed(), "nothing was written; the other presets: req init --help");
    } else if !wanted.yes && wanted.preset.is_none() {
        let line = plan.line();
        bail!(
            "there is no terminal to ask on; nothing was written\n\
             What fits here: {line}\n\
             To see it first: {line} --dry-run; the other presets: req init --help"
        );
    }
    plan.write()
}

/// The file that will be written.
struct Plan<'a> {
    location: &'a Location,
    preset: Preset,
    file: OurFile,
    text: String,
    /// A file that may hold requirements would be replaced.
    replaces: bool,
}

impl<'a> Plan<'a> {
    fn of(wanted: &Init, location: &'a Location) -> anyhow::Result<Self> {
        let is_inherit = wanted.preset == Some(Preset::Inherit);
        let level = wanted.level.named().unwrap_or_else(|| usual_level(location, is_inherit));
        if is_inherit && level != LayerKind::Project {
            bail!(
                "inherit is for a project's file, which then requires what your global one does; use --project"
            );
        }
        let preset = wanted.preset.unwrap_or(match level {
            LayerKind::Global => Preset::Advanced,
            LayerKind::Local => Preset::Minimal,
            _ => Preset::Relaxed,
        });
        let file = OurFile::of(level, location)?;
        let root = file.root.as_deref();
        let blanks = Blanks {
            level,
            schema: &file.schema_url(),
            test_command: root.and_then(guess::test_command),
            has_git: root.is_none_or(|root| root.join(".git").exists()),
            default_branch: root.and_then(guess::default_branch),
        };
        let filled = preset::filled(preset, &blanks);
        // A file that cannot be read is there all the same.
        let is_there = file.path.symlink_metadata().is_ok();
        let there = read_text(&file.path, root, MAX_BYTES).ok().filter(|_| !wanted.force);
        let joined = there.and_then(|text| preset::joined(&filled, &text));
        let replaces = is_there && joined.is_none();
        Ok(Self { location, preset, file, text: joined.unwrap_or(filled), replaces })
    }

    fn shown(&self) -> String {
        self.file.shown(&self.file.path)
    }

    fn line(&self) -> String {
        format!("req init --{} --preset {}", self.file.level.word(), word_of(&self.preset))
    }

    /// Claude and scripts may write a first file. They may not replace one, set what counts in every project, or add a file
    /// that could loosen what is required already.
    fn may_write(&self, wanted: &Init) -> anyhow::Result<()> {
        let (level, caller) = (self.file.level, self.location.caller);
        if self.replaces && !wanted.force {
            bail!(
                "{} is there already; nothing was written\n\
                 To change a key of it: req config set KEY VALUE --{}\n\
                 To begin anew, with the old file kept beside it: {} --force",
                self.shown(),
                level.word(),
                self.line()
            );
        }
        let requires = Rule::all(&self.location.section.settings).next().is_some();
        let why = if caller.is_operator() {
            return Ok(());
        } else if self.replaces {
            "the file it replaces may be stricter"
        } else if level == LayerKind::Global && caller == Caller::Shell(Standing::InsideClaude) {
            "that file counts in every project"
        } else if self.preset != Preset::Inherit && requires {
            "it may change what is required here already"
        } else {
            return Ok(());
        };
        let line = self.line() + if wanted.force { " --force" } else { "" };
        bail!("denied, because {}", caller.refusal_because(why, &line, false));
    }

    /// Shows the file on stderr and asks once.
    fn is_confirmed(&self) -> bool {
        let mut stderr = std::io::stderr();
        let question = format!("{}\nWrite this to {}? [Y/n] ", self.text, self.shown());
        let mut answer = String::new();
        let asked = stderr.write_all(question.as_bytes()).and_then(|()| stderr.flush());
        let read = asked.and_then(|()| std::io::stdin().read_line(&mut answer));
        read.is_ok_and(|bytes| bytes > 0) && matches!(answer.trim(), "" | "y" | "Y" | "yes")
    }

    fn write(&self) -> Answer {
        let (file, name) = (&self.file, RequirementsCheck::NAME);
        let kept = self.write_file()?;
        let mut lines = vec![format!("written: {}", self.shown())];
        lines.extend(kept.as_ref().map(|kept| format!("the old file is now {}", file.shown(kept))));
        lines.push(match file.write_schema() {
            Ok(()) => format!("for editors, which check it as you type: {}", file.shown(&file.schema)),
            Err(why) => format!("the schema for editors was not written: {why:#}"),
        });
        lines.extend(file.root.as_deref().map(|root| ignored(root, kept.is_some())).unwrap_or_default());
        let left_out = self.text.lines().filter_map(|line| line.trim_start().strip_prefix("# Left out: "));
        lines.extend(left_out.map(|what| format!("left out: {what}")));
        lines.extend(["Next:", "  req status    what is required here, satisfied or not"].map(str::to_owned));
        let has_git = file.root.as_deref().is_some_and(|root| root.join(".git").exists());
        let is_shared = file.level == LayerKind::Project && has_git;
        lines.extend(is_shared.then(|| "  commit these files, so that your team has them".to_owned()));
        lines.extend(if self.location.section.enabled {
            unregistered(&self.location.places, name).map(|next| format!("  {next}"))
        } else {
            Some(format!("  {name} on    it is switched off now"))
        });
        Ok(Reply::lines(lines))
    }

    /// Writes the file as a whole or not at all; an old one that it replaces is kept. Returns where.
    fn write_file(&self) -> anyhow::Result<Option<PathBuf>> {
        let path = &self.file.path;
        let file = user_file(path, self.file.root.as_deref())?;
        let kept = self.replaces.then(|| name_of_old(path, self.location.host.now()));
        if let Some(kept) = &kept {
            // A copy keeps the mode; half of one would be taken for the old file.
            std::fs::copy(file.target(), kept)
                .inspect_err(|_| drop(std::fs::remove_file(kept)))
                .with_context(|| format!("{}: not changed, the old file cannot be kept", path.display()))?;
        }
        file.change::<FileError>(|_| Ok(Some(self.text.clone())))?;
        Ok(kept)
    }
}

/// `.before`, or with the time where that is taken.
fn name_of_old(path: &Path, now: Timestamp) -> PathBuf {
    let with = |ending: &str| PathBuf::from(format!("{}{ending}", path.display()));
    let first = with(".before");
    if first.symlink_metadata().is_err() { first } else { with(&format!(".before-{}", now.micros())) }
}

/// The local file and the old files that are kept belong to one person, so git ignores them.
fn ignored(root: &Path, has_old: bool) -> Vec<String> {
    let all = std::iter::once(LOCAL).chain(has_old.then_some(KEPT));
    let added = all.filter_map(|line| match ignore(root, line) {
        Ok(false) => None,
        Ok(true) => Some(format!("added to .gitignore: {line}")),
        Err(why) => Some(format!("not added to .gitignore: {why:#}")),
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
