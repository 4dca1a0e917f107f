//! Snapshots are written repeatably. Process tests look at what is written.

use std::fs;

use serde_json::json;

use super::{End, Ending, Step};
use crate::record::{JSON, Kind, MARKDOWN};
use crate::registry::digest_of;
use crate::snapshot::tests::noon;
use crate::tests::World;

impl World {
    fn finish(&self, ending: Ending, seconds: i64) -> Result<(), String> {
        let path = self.sessions().active_path("s");
        let end = End { path, ending, at: noon(seconds), commit: false };
        self.does(Step::Finish(end))
    }

    fn json(&self) -> Vec<u8> {
        fs::read(self.sessions().file(&self.entry().id, JSON)).unwrap()
    }

    fn is_active(&self) -> bool {
        self.sessions().active("s").is_some()
    }
}

#[test]
fn failed_snapshot_keeps_the_record_and_is_repeated_with_the_same_result() {
    let world = World::new(noon(0));
    world.begins("s");
    world.appends("s", Kind::ToolCall, json!({}));
    let markdown = world.sessions().file(&world.entry().id, MARKDOWN);
    fs::create_dir(&markdown).unwrap();
    assert!(world.finish(Ending::Full, 300).unwrap_err().contains("cannot be written"));
    assert!(world.is_active());
    let before = world.json();
    fs::remove_dir(markdown).unwrap();
    world.finish(Ending::Full, 900).unwrap();
    assert_eq!((world.json(), world.is_active()), (before, false));
    assert_eq!(digest_of(&world.json()), world.entry().digest);
    assert_eq!(world.finish(Ending::Full, 950), Ok(()), "it is gone, and nothing happens");
}
