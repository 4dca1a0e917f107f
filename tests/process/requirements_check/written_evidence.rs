//! Evidence by a file: one that is there, new enough, and says what it must.

use super::world::World;
use crate::driver::denial;
use serde_json::json;
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
fn a_file_is_evidence_while_it_is_there_new_enough_and_says_what_it_must() {
    let good = "# Review\nverdict: good\n";
    for (content, secs, is_met) in [
        (None, 0, false),
        (Some("# Review\n"), 60, false),
        (Some("verdict: good\n"), 60, false),
        (Some("# Review\nverdict: bad\n"), 60, false),
        (Some(good), -60, false),
        (Some(good), 60, true),
    ] {
        let world = World::of_team(REVIEW);
        if let Some(content) = content {
            write_at(&world, "docs/review-1.md", content, secs);
        }
        let claude = world.claude();
        let answer = claude.before(&claude.bash("git push"));
        assert_eq!(denial(answer.as_ref()).is_none(), is_met, "{content:?} {secs} {answer:?}");
    }
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

#[test]
fn a_file_may_be_asked_for_by_its_age_and_beside_its_conditions() {
    let yaml = "\
requirements:
  notes: {enabled: true, type: evidence, enforce: tool, file: notes.md, newer_than: 30m, contains: [done], trigger_tools: [WebFetch]}
";
    for (secs, content, is_met) in [(-1700, "done", true), (-60, "open", false), (-1900, "done", false)] {
        let world = World::of_team(yaml);
        write_at(&world, "notes.md", content, secs);
        let claude = world.claude();
        let answer = claude.before(&claude.call("WebFetch", json!({ "url": "https://example.invalid" })));
        assert_eq!(denial(answer.as_ref()).is_none(), is_met, "{secs} {content}");
    }
}
