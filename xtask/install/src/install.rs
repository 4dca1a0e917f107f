//! `cargo xtask install` and `enable`: `installer::install` with programs from one folder.

use std::path::PathBuf;

use anyhow::Context as _;
use installer::judge::Judge;
use installer::places::Where;
use installer::source::{self, Binaries};
use installer::voice::Voice;
use shared::catalog::HookEntry;
use shared::host::Host;

/// The source of the binaries.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Source {
    /// Take the binaries from this folder instead of building them
    #[arg(long, value_name = "DIR")]
    prebuilt: Option<PathBuf>,
}

/// The command line.
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
pub(crate) fn run(host: &Host, arguments: &Arguments) -> anyhow::Result<()> {
    let Arguments { wanted, source, manner } = arguments;
    let make = |hooks: &[HookEntry]| source.binaries(hooks);
    installer::install::run(host, wanted, manner, &source::Source::Whole(&make), Voice::Xtask)
}

/// `cargo xtask enable HOOK`.
pub(crate) fn enable(
    host: &Host,
    hook: String,
    place: &Where,
    judge: Option<Judge>,
    source: &Source,
) -> anyhow::Result<()> {
    let make = |hooks: &[HookEntry]| source.binaries(hooks);
    installer::install::enable(host, hook, place, judge, &source::Source::Whole(&make), Voice::Xtask)
}

impl Source {
    /// The programs of these hooks.
    pub(crate) fn binaries(&self, hooks: &[HookEntry]) -> anyhow::Result<Binaries> {
        let folder = self.prebuilt.as_ref().context("no folder of programs is given: --prebuilt DIR")?;
        source::prebuilt(folder, hooks)
    }
}
