//! `install` and `enable`: copy, link, register, switch on, prove. Each step leaves alone what is right already. Nothing is copied
//! before the user's settings were read and understood.

use shared::catalog::Catalog;
use shared::host::Host;

use crate::choose::Wish;
use crate::judge::{self, Judge};
use crate::manifest::Manifest;
use crate::places::{Installation, Where};
use crate::plan::{Extras, Plan};
use crate::prune::{orphans, prune};
use crate::rail::{is_claude, not_for_claude};
use crate::source::Source;
use crate::voice::Voice;

/// The hooks and extras to register.
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub struct Wanted {
    /// Register these hooks, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "HOOK", conflicts_with = "all")]
    hooks: Vec<String>,
    /// Register every hook
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    place: Where,
    /// Set the client's status line; one that is there is printed below it
    #[arg(long)]
    statusline: bool,
    /// Let Claude run the hooks' harmless commands without asking
    #[arg(long)]
    allow_rules: bool,
    /// How hooks that ask a model do it
    #[arg(long, value_enum)]
    judge: Option<Judge>,
}

/// The manner of the installation.
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub struct Manner {
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Ask nothing: take the ticked defaults
    #[arg(long)]
    yes: bool,
}

/// Installs what is wanted and ends with a report.
pub fn run(
    host: &Host,
    wanted: &Wanted,
    manner: &Manner,
    source: &Source<'_>,
    voice: Voice,
) -> anyhow::Result<()> {
    let wish = match wanted {
        Wanted { all: true, .. } => Wish::All,
        Wanted { hooks, .. } if !hooks.is_empty() => Wish::Named(hooks.clone()),
        _ if manner.yes => Wish::Defaults,
        _ => Wish::Ask,
    };
    let installation = Installation::at(host, &wanted.place, voice)?;
    if !manner.dry_run {
        wanted.ensure_allowed(host, &installation, source)?;
    }
    let may_ask = !manner.yes && !is_claude(host);
    let extras =
        Extras { rules: wanted.allow_rules, status_line: wanted.statusline, judge: wanted.judge, may_ask };
    let catalog = Catalog::built_in()?;
    let plan = Plan::make(&catalog, &installation, &wish, &extras, source)?;
    if manner.dry_run {
        return plan.show(source);
    }
    plan.ensure_payer(host, source)?;
    if !manner.yes {
        plan.agree()?;
    }
    plan.carry_out(host, source)
}

impl Wanted {
    /// Only the user gives permission rules and the status line away.
    fn ensure_allowed(
        &self,
        host: &Host,
        installation: &Installation,
        source: &Source<'_>,
    ) -> anyhow::Result<()> {
        if !self.allow_rules && !self.statusline {
            return Ok(());
        }
        let hooks = format!(" --hooks {}", self.hooks.join(","));
        let words = [
            (true, "install"),
            (!self.hooks.is_empty(), hooks.as_str()),
            (self.all, " --all"),
            (self.statusline, " --statusline"),
            (self.allow_rules, " --allow-rules"),
        ];
        let words: String = words.iter().filter(|(is_said, _)| *is_said).map(|(_, word)| *word).collect();
        not_for_claude(host, &source.line(installation, &words))
    }
}

/// Installs like [`run`], and then removes deployed files that no hook owns, with their registration.
pub fn run_and_prune(
    host: &Host,
    wanted: &Wanted,
    manner: &Manner,
    source: &Source<'_>,
    voice: Voice,
) -> anyhow::Result<()> {
    run(host, wanted, manner, source, voice)?;
    if manner.dry_run {
        return Ok(());
    }
    let catalog = Catalog::built_in()?;
    let installation = Installation::of_this_user(host, voice)?;
    let orphans = orphans(&Manifest::read(&installation)?, &catalog);
    prune(host, &installation, &catalog, &orphans)
}

/// Registers one hook and switches it on; its files are brought up to date first.
pub fn enable(
    host: &Host,
    hook: String,
    place: &Where,
    judge: Option<Judge>,
    source: &Source<'_>,
    voice: Voice,
) -> anyhow::Result<()> {
    let catalog = Catalog::built_in()?;
    let installation = Installation::at(host, place, voice)?;
    let judge = match judge {
        None => judge::wanted(&catalog, &hook, &installation, host)?,
        given => given,
    };
    let wish = Wish::Named(vec![hook]);
    let plan = Plan::make(&catalog, &installation, &wish, &Extras { judge, ..Extras::default() }, source)?;
    plan.ensure_payer(host, source)?;
    plan.carry_out_briefly(host, source)
}
