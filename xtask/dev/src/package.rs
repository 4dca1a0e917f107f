//! `cargo xtask package`: a complete plugin for one platform, in a folder that is its own marketplace, and the same as an archive
//! with its checksum. The same input gives the same bytes.

mod tree;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use installer::catalog::Catalog;
use installer::files::hash;
use installer::say::say;
use installer::source::{Binaries, prebuilt};
use xtask::{Linking, Workspace};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The platform, as the compiler calls it; else this one
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
    /// The folder of the result; else dist/ in the source tree
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Take the binaries from this folder instead of building them
    #[arg(long, value_name = "DIR", hide = true)]
    prebuilt: Option<PathBuf>,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

const SUMS: &str = "SHA256SUMS";

/// The ending of program names on this platform.
fn ending(triple: &str) -> &'static str {
    if triple.contains("-windows-") { ".exe" } else { "" }
}

/// Writes `<out>/<version>/barbless-<version>-<target>/`, its archive beside it, and the checksums of all archives there.
pub(crate) fn run(workspace: &Workspace, arguments: &Arguments) -> anyhow::Result<()> {
    let root = workspace.root();
    let triple = match &arguments.target {
        Some(triple) => triple.clone(),
        None => xtask::host_triple()?,
    };
    let catalog = Catalog::built_in()?;
    let binaries = binaries(workspace, catalog, arguments, &triple)?;
    let folder = arguments.out.clone().unwrap_or_else(|| root.join("dist")).join(VERSION);
    fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    let folder = folder.canonicalize().with_context(|| format!("finding {}", folder.display()))?;
    let name = format!("barbless-{VERSION}-{triple}");
    let (tree, archive) = (folder.join(&name), folder.join(format!("{name}.tar.gz")));
    tree::write(&tree, root, catalog, &binaries, &triple)
        .with_context(|| format!("writing {}", tree.display()))?;
    let bytes = tree::pack(&tree)?;
    fs::write(&archive, bytes).with_context(|| format!("writing {}", archive.display()))?;
    fs::write(folder.join(SUMS), sums(&folder)?).with_context(|| format!("writing {SUMS}"))?;
    let (tree, archive) = (tree.display(), archive.display());
    say(format_args!("the plugin is in {tree}"));
    say(format_args!("its archive is {archive}, its checksum in {SUMS} beside it"));
    say("to load it into Claude Code:");
    say(format_args!("  claude plugin marketplace add {tree}"));
    say("  claude plugin install barbless@barbless");
    Ok(())
}

/// The hooks of an archive must start on any machine of its platform, so they are linked statically. On Linux the helpers are linked
/// with musl where the compiler has it, because musl resolves names without the machine's C library.
fn binaries(
    workspace: &Workspace,
    catalog: &Catalog,
    arguments: &Arguments,
    triple: &str,
) -> anyhow::Result<Binaries> {
    if let Some(folder) = &arguments.prebuilt {
        return prebuilt(folder, &catalog.hooks);
    }
    ensure!(
        Linking::of_this_machine(workspace, triple)? == Linking::Static,
        "an archive's hooks are linked with a static C library, and there is none here; install it \
         (libc6-dev on Debian and Ubuntu, glibc-static on Fedora), and package again"
    );
    let folder = workspace.release_hooks(triple, Linking::Static, &[])?;
    let musl = triple.replace("-linux-gnu", "-linux-musl");
    let helpers = workspace.release_helpers(if xtask::has_target(&musl) { &musl } else { triple })?;
    let mut binaries = prebuilt(&folder, &catalog.hooks)?;
    binaries.extend(catalog.helpers().into_iter().map(|name| {
        let file = helpers.join(format!("{name}{}", ending(triple)));
        (name.to_owned(), file)
    }));
    Ok(binaries)
}

/// A line per archive, as `sha256sum -c` takes it.
fn sums(folder: &Path) -> anyhow::Result<String> {
    let entries = fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let is_archive = |name: &String| Path::new(name).extension().is_some_and(|ending| ending == "gz");
    let mut names: Vec<String> = names.filter(is_archive).collect();
    names.sort();
    let line = |name: &String| {
        let bytes = fs::read(folder.join(name)).with_context(|| format!("reading {name}"))?;
        Ok(format!("{}  {name}\n", hash(&bytes)))
    };
    names.iter().map(line).collect()
}

#[cfg(test)]
mod tests;
