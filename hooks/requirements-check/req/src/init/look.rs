//! The only place of `req init` that looks at a project: names in its top folder, a few small files, and the repository's
//! branches and remote. Nothing is run and nothing is asked over a network.

use std::fs;
use std::path::Path;

use shared::config::read_text;

use super::found::{DEEPER, Listing, READ, Repository, may_be_a_project};
use requirements_check::git;

/// A larger file is none of those meant, in bytes.
const MAX_BYTES: u64 = 256 * 1024;

/// So many names of the top folder are looked at.
const MAX_NAMES: usize = 5_000;

/// So many folders below the top are looked at.
const MAX_BELOW: usize = 200;

/// What lies in the top folder, and in folders one and two levels below it that may be projects of their own. What cannot be
/// read is not there.
pub(super) fn listing(root: &Path) -> Listing {
    let mut listing = folder(root, root);
    let mut below: Vec<String> = projects_in(root, &listing, "").collect();
    below.truncate(MAX_BELOW);
    for name in below.clone() {
        let inner = folder(&root.join(&name), root);
        below.extend(projects_in(&root.join(&name), &inner, &format!("{name}/")));
        listing.below.insert(name, inner);
    }
    let deeper = below.into_iter().take(MAX_BELOW).filter(|name| name.contains('/'));
    listing.below.extend(deeper.map(|name| (name.clone(), folder(&root.join(&name), root))));
    listing
}

/// The folders in it that may be projects of their own, by their path from the top. Links are not followed.
fn projects_in(at: &Path, listing: &Listing, above: &str) -> impl Iterator<Item = String> {
    let is_folder = |name: &String| at.join(name).symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    let names = listing.folders.iter().filter(|name| may_be_a_project(name)).filter(|name| is_folder(name));
    names.map(|name| format!("{above}{name}")).collect::<Vec<_>>().into_iter()
}

/// What lies in one folder of the project at `top`.
fn folder(root: &Path, top: &Path) -> Listing {
    let mut listing = Listing::default();
    for entry in fs::read_dir(root).into_iter().flatten().flatten().take(MAX_NAMES) {
        let Ok(name) = entry.file_name().into_string() else { continue };
        // A link counts as what it leads to: `Makefile -> build/Makefile`.
        match fs::metadata(entry.path()) {
            Ok(metadata) if metadata.is_dir() => drop(listing.folders.insert(name)),
            Ok(_) => drop(listing.files.insert(name)),
            Err(_) => {}
        }
    }
    listing.files.extend(DEEPER.into_iter().filter(|file| root.join(file).is_file()).map(ToOwned::to_owned));
    let there = READ.into_iter().filter(|file| listing.files.contains(*file));
    let texts = there.filter_map(|file| {
        let text = read_text(&root.join(file), Some(top), MAX_BYTES).ok()?;
        Some((file.to_owned(), text))
    });
    listing.texts = texts.collect();
    listing
}

/// What the repository tells; none where there is none. Of one that libgit2 cannot read nothing is known but that it is there.
pub(super) fn repository(root: &Path) -> Option<Repository> {
    let is_read = || git::Worktree::find(root).is_ok();
    root.join(".git").exists().then(|| is_read().then(|| read(root).ok()).flatten().unwrap_or_default())
}

fn read(root: &Path) -> Result<Repository, git2::Error> {
    let none: [&std::ffi::OsStr; 0] = [];
    let repository = git2::Repository::open_ext(root, git2::RepositoryOpenFlags::NO_SEARCH, none)?;
    let remote = git::remote(repository.commondir());
    let prefix = format!("{}/", remote.as_ref().map_or("origin", |remote| &remote.name));
    let mut found = Repository { remote: remote.map(|remote| remote.url), ..Repository::default() };
    for branch in repository.branches(None)?.flatten() {
        let (branch, kind) = branch;
        let Ok(Some(name)) = branch.name() else { continue };
        let own = if kind == git2::BranchType::Local { Some(name) } else { name.strip_prefix(&prefix) };
        found.branches.extend(own.map(ToOwned::to_owned));
    }
    found.branches.remove("HEAD");
    found.default =
        target(&repository, &format!("refs/remotes/{prefix}HEAD"), &format!("refs/remotes/{prefix}"));
    // Before the first commit there is no branch yet but the one that is out.
    found.branches.extend(target(&repository, "HEAD", "refs/heads/"));
    Ok(found)
}

/// Where a symbolic reference leads, without `prefix`.
fn target(repository: &git2::Repository, name: &str, prefix: &str) -> Option<String> {
    let reference = repository.find_reference(name).ok()?;
    reference.symbolic_target().ok().flatten()?.strip_prefix(prefix).map(ToOwned::to_owned)
}
