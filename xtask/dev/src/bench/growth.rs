//! The same case in a world that has been used for years: 10,000 sessions of old state, a 200 MB transcript and, where git
//! counts, 50,000 more files in the repository. What a call costs must not depend on any of them.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};

use anyhow::Context as _;

use super::world::World;

const SESSIONS: usize = 10_000;

/// So many more files are tracked.
pub(super) const FILES: usize = 50_000;

const TRANSCRIPT_BYTES: usize = 200 * 1024 * 1024;

/// Makes a small world big. The transcript ends as before: what came earlier is the same lines over and over.
pub(super) fn grow(world: &World<'_>) -> anyhow::Result<()> {
    world.add_sessions(SESSIONS)?;
    let path = world.transcript();
    let lines = fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
    let file = File::create(&path).with_context(|| format!("writing {}", path.display()))?;
    let mut writer = BufWriter::new(file);
    for _ in 0..TRANSCRIPT_BYTES.div_ceil(lines.len().max(1)) {
        writer.write_all(&lines).with_context(|| format!("writing {}", path.display()))?;
    }
    writer.flush().with_context(|| format!("writing {}", path.display()))
}
