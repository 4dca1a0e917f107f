//! Evidence by a file: one that is there, new enough, and says what it must.

use super::world::World;
use std::fs::File;
use std::time::{Duration, SystemTime};

const REVIEW: &str = "\
requirements:
  reviewed:
    enabled: true
    type: evidence
    enforce: both
    file: {file: 'docs/review*.md', newer_than: HEAD, contains: ['^# Review', 'verdict: (good|fair)']}
    trigger_tools: [{tool: Bash, command_pattern: git push}]
";

/// Writes the file as if it had been done so many seconds from now; before now if negative.
fn write_at(world: &World, file: &str, content: &str, secs: i64) {
    let path = world.sandbox.write(file, content);
    let span = Duration::from_secs(secs.unsigned_abs());
    let then = if secs < 0 { SystemTime::now() - span } else { SystemTime::now() + span };
    File::options().write(true).open(path).unwrap().set_modified(then).unwrap();
}

#[test]
fn the_refusal_says_what_the_file_must_be_like_and_one_of_several_is_enough() {
    let world = World::of_team(REVIEW);
    let claude = world.claude();
    let text = claude.refused(&claude.bash("git push"));
    for words in ["docs/review*.md", "newer than the last commit", "^# Review", "verdict: (good|fair)"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    write_at(&world, "docs/review-old.md", "# Review\nverdict: fair\n", -60);
    claude.refused(&claude.bash("git push"));
    write_at(&world, "docs/review-new.md", "# Review\nverdict: fair\n", 60);
    claude.passes(&claude.bash("git push"));
}
