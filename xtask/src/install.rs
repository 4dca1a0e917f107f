//! `cargo xtask install` and `enable`: the installer's, with hooks that are built here or were built before. What is done with
//! them is `installer::install`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::ensure;
use installer::judge::Judge;
use installer::places::Where;
use installer::source::{self, Binaries};
use installer::voice::Voice;
use shared::catalog::HookEntry;
use shared::host::Host;

use crate::artifacts;

/// Where the binaries come from.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Source {
    /// Take the binaries from this folder instead of building them
    #[arg(long, value_name = "DIR")]
    prebuilt: Option<PathBuf>,
}

/// What is asked for on the command line.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    wanted: installer::install::Wanted,
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    manner: installer::install::Manner,
}

/// `cargo xtask install`.
pub(crate) fn run(root: &Path, host: &Host, arguments: &Arguments) -> anyhow::Result<()> {
    let Arguments { wanted, source, manner } = arguments;
    let make = |hooks: &[HookEntry]| source.binaries(root, hooks);
    installer::install::run(host, wanted, manner, &source::Source::Whole(&make), Voice::Xtask)
}

/// `cargo xtask enable HOOK`.
pub(crate) fn enable(
    root: &Path,
    host: &Host,
    hook: String,
    place: &Where,
    judge: Option<Judge>,
    source: &Source,
) -> anyhow::Result<()> {
    let make = |hooks: &[HookEntry]| source.binaries(root, hooks);
    installer::install::enable(host, hook, place, judge, &source::Source::Whole(&make), Voice::Xtask)
}

impl Source {
    /// The programs of these hooks, all of them: built, or as they lie in the folder that was given.
    pub(crate) fn binaries(&self, root: &Path, hooks: &[HookEntry]) -> anyhow::Result<Binaries> {
        if let Some(folder) = &self.prebuilt {
            return source::prebuilt(folder, hooks);
        }
        let names: Vec<&str> = hooks.iter().map(|hook| hook.name.as_str()).collect();
        for name in &names {
            let folder = root.join("hooks").join(name);
            ensure!(folder.is_dir(), "config/hooks.yaml names {name}, but there is no {}", folder.display());
        }
        let helpers: BTreeSet<&str> =
            hooks.iter().flat_map(|hook| &hook.helpers).map(String::as_str).collect();
        artifacts::for_installation(root, &names, &helpers.into_iter().collect::<Vec<_>>())
    }
}
