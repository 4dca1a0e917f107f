//! What a newer version wrote: this one neither overwrites it nor sets it aside nor removes it, goes on, and says so.

use super::{Day, files_below};

#[test]
fn look() {
    let day = Day::new();
    day.works(1);
    for file in files_below(&day.state()).into_iter().chain(files_below(&day.sandbox.project())) {
        println!("{}", file.display());
    }
    println!("{}", std::fs::read_to_string(day.state().join("journal.jsonl")).unwrap());
}
