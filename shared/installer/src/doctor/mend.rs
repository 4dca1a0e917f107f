//! `--fix`: what is safe is put right, through the same engine that put it there. Nothing is loosened, and nothing of anybody else's is
//! touched.

use std::collections::BTreeSet;

use anyhow::Context as _;
use shared::operator::refusal;

use super::report::{Repair, Report};
use super::world::World;
use crate::programs::link_all;
use crate::say::{is_claude, list};
use crate::settings::{Choice, Settings};

/// Puts right what the report says can be. Returns a sentence for each thing that was done, or could not be.
pub(super) fn mend(world: &World<'_>, report: &Report) -> Vec<String> {
    let repairs: BTreeSet<Repair> = report.findings().filter_map(|finding| finding.repair).collect();
    let one = |repair: &Repair| match repair {
        // Only the user changes Claude Code's settings.
        Repair::Register(_) if is_claude(world.host) => {
            format!("not mended: settings; {}", refusal("req doctor --fix"))
        }
        repair => match mended(world, *repair) {
            Ok(done) => format!("mended: {done}"),
            Err(error) => format!("not mended: {error:#}"),
        },
    };
    let mut said: Vec<String> = repairs.iter().map(one).collect();
    said.dedup();
    said
}

fn mended(world: &World<'_>, repair: Repair) -> anyhow::Result<String> {
    let user = world.user();
    match repair {
        Repair::Link => {
            let made = link_all(user)?;
            Ok(format!("linked {} into {}", list(&made), user.show(&user.bin)))
        }
        Repair::Register(scope) => {
            let mut places = world.places.iter();
            let place = places.find(|place| place.scope == scope).context("these settings are gone")?;
            place.alone(|| {
                let settings = Settings::read(place)?;
                let choice = Choice { hooks: settings.hooks(), ..Choice::default() };
                settings.put(world.host, &settings.to(&choice)?)
            })?;
            Ok(format!("the entries in {} are as they should be", place.show(&place.settings)))
        }
    }
}
