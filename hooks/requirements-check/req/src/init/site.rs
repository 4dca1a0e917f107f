//! Where the file is to lie, and what fits there: the levels, what is there already, and who may write it.

use std::path::{Path, PathBuf};

use shared::config::{LayerKind, SectionSpec, Sources};
use shared::hook::Hook;
use shared::host::display_path;
use shared::operator::{Caller, Standing};
use shared::run::configure;
use shared::switches::Position;

use super::found::{FALLBACK, Found, Hosting};
use super::look;
use super::template::{Begins, Draft};
use crate::command::arguments::{Init, Level, Preset};
use crate::desk::Desk;
use crate::machine::config::schema_file::{self, SchemaFile};
use requirements_check::RequirementsCheck;
use requirements_check::rule::Rule;
use requirements_check::settings::Settings;

/// So many changed lines of a branch are told, and so many refused.
pub(super) const THRESHOLDS: (u32, u32) = (250, 400);

/// The project and the user's folders.
pub(super) struct Site<'a> {
    pub(super) desk: &'a Desk,
    /// What the project shows.
    pub(super) found: Found,
    /// What the global file requires, by name.
    pub(super) required_globally: Vec<String>,
}

impl<'a> Site<'a> {
    pub(super) fn look(desk: &'a Desk) -> Self {
        let root = desk.places.root.as_deref();
        let found = root.map(|root| Found::of(&look::listing(root), look::repository(root).as_ref()));
        Self { desk, found: found.unwrap_or_default(), required_globally: required_globally(desk) }
    }

    /// The file of a level.
    pub(super) fn file(&self, level: LayerKind) -> Result<PathBuf, String> {
        let places = &self.desk.places;
        let folder = match level {
            LayerKind::Global => places.config_dir.as_ref(),
            _ => places.project_claude_dir.as_ref(),
        };
        let name = if level == LayerKind::Local { "requirements.local.yaml" } else { "requirements.yaml" };
        folder.map(|folder| folder.join(name)).ok_or_else(|| match level {
            LayerKind::Global => {
                "req: HOME is not set, so there is no folder for a file of yours; set HOME".to_owned()
            }
            _ => "req: this folder is your own configuration folder and no project; use --global".to_owned(),
        })
    }

    /// A file stands there already.
    pub(super) fn is_there(&self, level: LayerKind) -> bool {
        self.file(level).is_ok_and(|file| file.symlink_metadata().is_ok())
    }

    /// The folder a level's file must really lie in; none for the user's own.
    pub(super) fn inside(&self, level: LayerKind) -> Option<&Path> {
        self.desk.places.root.as_deref().filter(|_| level != LayerKind::Global)
    }

    /// The path as a person reads it, from the project's top where it lies in it.
    pub(super) fn shown(&self, file: &Path) -> String {
        let root = self.desk.places.root.as_deref();
        match root.and_then(|root| file.strip_prefix(root).ok()) {
            Some(inside) if self.desk.places.project_claude_dir.is_some() => inside.display().to_string(),
            _ => display_path(file, self.desk.host.environment.home.as_deref()),
        }
    }

    /// The level that fits the folder this is started in.
    pub(super) fn usual_level(&self) -> LayerKind {
        let places = &self.desk.places;
        let home = self.desk.host.environment.home.as_ref();
        let is_own = places.root.as_ref().is_some_and(|root| {
            let config = places.config_dir.as_ref();
            let is_below = config.is_some_and(|config| root.starts_with(config)) && self.found.git.is_none();
            is_below || [home, config].into_iter().flatten().any(|own| is_same(root, own))
        });
        if places.project_claude_dir.is_none() || is_own { LayerKind::Global } else { LayerKind::Project }
    }

    /// The preset that fits a level.
    pub(super) fn usual_preset(&self, level: LayerKind) -> Preset {
        match level {
            LayerKind::Global => Preset::Advanced,
            LayerKind::Local => Preset::Minimal,
            _ if self.required_globally.is_empty() => Preset::Relaxed,
            _ => Preset::Inherit,
        }
    }

    /// What the file says if nothing is corrected.
    pub(super) fn draft(&self, level: LayerKind, begins: Begins) -> Draft {
        let schema = SchemaFile::of(level, &self.desk.places);
        let schema = schema.map_or_else(|| format!("./{}", schema_file::NAME), |schema| schema.named);
        let empty = Draft {
            level,
            begins,
            schema,
            commands: Vec::new(),
            also_found: Vec::new(),
            paths: Vec::new(),
            has_git: true,
            branches: FALLBACK.map(ToOwned::to_owned).to_vec(),
            thresholds: THRESHOLDS,
            ci: None,
        };
        if level == LayerKind::Global {
            // What this one project is like says nothing of the others.
            return empty;
        }
        let git = self.found.git.as_ref();
        Draft {
            commands: self.found.commands.first().map(|command| command.line.clone()).into_iter().collect(),
            also_found: self
                .found
                .commands
                .iter()
                .skip(1)
                .cloned()
                .chain(self.found.commands_below())
                .collect(),
            paths: self.found.paths.clone(),
            has_git: git.is_some(),
            branches: git.map(|git| git.protected.clone()).unwrap_or_default(),
            ci: git.map(|git| git.hosting.unwrap_or(Hosting::Other).in_ci()),
            ..empty
        }
    }

    /// The settings that would be in force with a file of this text.
    pub(super) fn settings_with(&self, text: &str, level: LayerKind) -> Option<Settings> {
        let sources = self.desk.places.sources(self.desk.host.environment.home.as_deref());
        let sources = Sources { instead: Some((level, text.to_owned())), ..sources };
        let section =
            configure::<RequirementsCheck>(RequirementsCheck::section(), &sources, Position::default());
        section.map(|section| section.settings)
    }

    /// Whether the file may be written: what is there is replaced only on purpose, and by its owner.
    pub(super) fn may_write(&self, wanted: &Init, level: LayerKind) -> Result<(), String> {
        let (file, is_there) = (self.file(level)?, self.is_there(level));
        if is_there && !wanted.force {
            return Err(self.is_there_already(&file, level));
        }
        let caller = self.desk.caller;
        let why = match level {
            _ if caller.is_operator() => return Ok(()),
            _ if is_there => "what it replaces may be stricter",
            LayerKind::Global if caller == Caller::Shell(Standing::InsideClaude) => {
                "that file counts in every project"
            }
            _ => return Ok(()),
        };
        Err(self.refusal(wanted, level, why))
    }

    fn is_there_already(&self, file: &Path, level: LayerKind) -> String {
        let (shown, flag) = (self.shown(file), flag_of(level));
        format!(
            "req: {shown} is there already; nothing was written\n\
             To change a key of it: req config set KEY VALUE {flag}\n\
             To begin anew, with the old file kept beside it: req init {flag} --force"
        )
    }

    /// What somebody is told who is not the user.
    pub(super) fn refusal(&self, wanted: &Init, level: LayerKind, why: &str) -> String {
        let how = match self.desk.caller {
            Caller::Shell(Standing::NoTerminal) => "run it in a terminal of your own",
            _ => "they can type it in a terminal of their own",
        };
        format!("req: refused, because {why}. This is for the user to decide; {how}: {}", line(wanted, level))
    }
}

fn is_same(left: &Path, right: &Path) -> bool {
    left == right
        || matches!((left.canonicalize(), right.canonicalize()), (Ok(left), Ok(right)) if left == right)
}

/// The flag that names a level.
pub(super) fn flag_of(level: LayerKind) -> &'static str {
    match level {
        LayerKind::Global => "--global",
        LayerKind::Local => "--local",
        _ => "--project",
    }
}

/// The level a flag names.
pub(super) fn named(level: Level) -> Option<LayerKind> {
    match level {
        Level { global: true, .. } => Some(LayerKind::Global),
        Level { local: true, .. } => Some(LayerKind::Local),
        Level { project: true, .. } => Some(LayerKind::Project),
        Level { .. } => None,
    }
}

/// The command as it can be typed.
fn line(wanted: &Init, level: LayerKind) -> String {
    let preset = wanted.preset.map(|preset| format!(" --preset {}", word(preset))).unwrap_or_default();
    let force = if wanted.force { " --force" } else { "" };
    format!("req init {}{preset}{force}", flag_of(level))
}

/// A preset's word.
pub(super) fn word(preset: Preset) -> &'static str {
    match preset {
        Preset::Relaxed => "relaxed",
        Preset::Strict => "strict",
        Preset::Minimal => "minimal",
        Preset::Advanced => "advanced",
        Preset::Inherit => "inherit",
    }
}

fn required_globally(desk: &Desk) -> Vec<String> {
    let home = desk.host.environment.home.as_deref();
    let all = desk.places.sources(home);
    let sources = Sources { global: all.global, home: all.home, ..Sources::default() };
    let spec: SectionSpec = RequirementsCheck::section();
    let Some(section) = configure::<RequirementsCheck>(spec, &sources, Position::default()) else {
        return Vec::new();
    };
    Rule::all(&section.settings).map(|rule| rule.name.to_owned()).collect()
}
