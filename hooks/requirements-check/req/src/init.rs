//! `req init`: a first file, from a preset and from what the project shows of itself. Asked for on a terminal, said by flags
//! elsewhere.
//!
//! - `found`: what a project shows, as tables; `look`: the looking
//! - `template`: a preset with what is filled in
//! - `site`: which file, what fits there, who may write it; `wizard`: the questions
//! - `write`: the file on the disk; `told`: what it means

mod found;
mod look;
mod site;
mod template;
mod told;
mod wizard;
mod write;

use std::io::Write as _;
use std::path::Path;

use shared::config::LayerKind;

use super::desk::Desk;
use crate::command::Reply;
use crate::command::arguments::{Init, Preset};
use crate::machine::config::ignore::{KEPT, ignore, ignore_local_file};
use crate::machine::config::schema_file::SchemaFile;
use site::Site;
use template::{Begins, Draft, render};
use told::{Done, Sketch};
use write::Writing;

pub(super) fn init(wanted: &Init, desk: &Desk) -> Result<Reply, String> {
    let site = Site::look(desk);
    fits(wanted)?;
    let asks = !wanted.yes && !wanted.dry_run && wizard::can_ask();
    let draft = if asks { wizard::ask(wanted, &site)? } else { by_flags(wanted, &site)? };
    let text = render(&draft);
    let file = site.file(draft.level)?;
    if wanted.dry_run {
        return Ok(Reply::yes(dry_run(&text, &file, draft.level, &site)));
    }
    if !desk.caller.is_operator()
        && let Some(why) = Sketch::read(&text).changes(&text, draft.level, &site)
    {
        return Err(site.refusal(wanted, draft.level, &why));
    }
    let replaces = site.is_there(draft.level);
    if asks {
        wizard::confirm(&text, &site.shown(&file), replaces)?;
    }
    let (level, inside, now) = (draft.level, site.inside(draft.level), desk.host.now());
    let kept =
        Writing { file: &file, inside, text: &text, replaces: replaces && wanted.force, now }.write()?;
    Ok(Reply::yes(finish(level, &file, kept.as_deref(), &text, &site)))
}

/// What cannot be, whatever is found.
fn fits(wanted: &Init) -> Result<(), String> {
    let is_projects = wanted.level.project || site::named(wanted.level).is_none();
    if wanted.preset == Some(Preset::Inherit) && !is_projects {
        return Err("req: inherit is for a project's file, which then requires what your global one does; use --project".to_owned());
    }
    Ok(())
}

fn by_flags(wanted: &Init, site: &Site<'_>) -> Result<Draft, String> {
    let is_inherit = wanted.preset == Some(Preset::Inherit);
    let usual = || if is_inherit { LayerKind::Project } else { site.usual_level() };
    let level = site::named(wanted.level).unwrap_or_else(usual);
    if !wanted.dry_run {
        site.may_write(wanted, level)?;
    }
    let usual = site.usual_preset(level);
    if wanted.preset.is_none() && !wanted.yes && !wanted.dry_run {
        return Err(unsaid(usual, level));
    }
    Ok(site.draft(level, Begins::With(wanted.preset.unwrap_or(usual))))
}

/// A file for a whole team is not written because nobody could be asked.
fn unsaid(usual: Preset, level: LayerKind) -> String {
    let (usual, flag) = (site::word(usual), site::flag_of(level));
    format!(
        "req: there is no terminal to ask on, so say what the file shall begin with; nothing was written\n\
         What fits here: req init {flag} --preset {usual}\n\
         To see it first: req init {flag} --preset {usual} --dry-run; the other presets: req init --help"
    )
}

/// The file as it would be. Whether it could be written is told beside it, so that stdout holds the file alone.
fn dry_run(text: &str, file: &Path, level: LayerKind, site: &Site<'_>) -> String {
    let shown = site.shown(file);
    let what = if site.is_there(level) {
        format!("{shown} is there already and stays as it is; --force would replace it with this")
    } else {
        format!("{shown} would be this; nothing was written")
    };
    let _ = writeln!(std::io::stderr(), "req: {what}");
    text.trim_end().to_owned()
}

/// An old file that is kept is nobody's but its owner's.
fn ignore_kept(root: &Path, kept: &Path) -> Result<bool, String> {
    let path = kept.strip_prefix(root).map(|path| path.to_string_lossy().replace('\\', "/"));
    path.map_or(Ok(false), |path| ignore(root, &path, KEPT))
}

/// What belongs to the file: its schema, and what keeps the local one out of git. Neither is worth failing for.
fn finish(level: LayerKind, file: &Path, kept: Option<&Path>, text: &str, site: &Site<'_>) -> String {
    let places = &site.desk.places;
    let schema = SchemaFile::of(level, places);
    let written = schema.as_ref().map_or(Ok(false), SchemaFile::write);
    let path = schema.as_ref().map(|schema| schema.path.as_path());
    let root = places.root.as_deref().filter(|_| level != LayerKind::Global);
    let done = Done {
        level,
        file,
        kept,
        schema: written.map(|is_new| path.filter(|_| is_new)),
        ignored: root.map_or(Ok(false), ignore_local_file),
        kept_ignored: root.zip(kept).map_or(Ok(false), |(root, kept)| ignore_kept(root, kept)),
    };
    told::report(&done, text, site)
}
