//! The built-in manual, as the binary prints it. That what it shows can be typed and pasted is in `crate::manual`.

use super::desk::{Desk, json_of, no, yes};

/// Every topic and its page.
fn pages(desk: &Desk) -> Vec<(String, String)> {
    let all = json_of(desk.script(&["docs", "--json"]));
    let names = all["topics"].as_array().expect("topics").iter().map(|topic| topic["name"].as_str().unwrap());
    names.map(|name| (name.to_owned(), yes(desk.script(&["docs", name])))).collect()
}

#[test]
fn a_page_names_no_topic_and_no_file_of_the_manual_that_is_not_there() {
    let (pages, mut count) = (pages(&Desk::empty()), 0);
    for (topic, page) in &pages {
        // A line may break between the words.
        let words: Vec<&str> = page.split_whitespace().collect();
        for at in words.windows(3).filter(|at| at[0].ends_with("`req") && at[1] == "docs") {
            let named = at[2].split('`').next().unwrap();
            let is_there = named.contains("TOPIC") || pages.iter().any(|(name, _)| name == named);
            assert!(is_there, "{topic} names `req docs {named}`");
            count += 1;
        }
    }
    assert!(count >= 10, "only {count} were found");
}

#[test]
fn an_unknown_topic_is_a_no_with_the_nearest_one_and_a_known_word_names_its_pages() {
    let desk = Desk::empty();
    assert_eq!(
        no(desk.script(&["docs", "evidnce"])),
        "req: the manual has no page evidnce; did you mean evidence?"
    );
    assert!(no(desk.script(&["docs", "evidnce", "--json"])).contains("did you mean evidence"));
    let found = yes(desk.script(&["docs", "single_use"]));
    assert!(
        found.contains("No page is called single_use") && found.contains("\n  satisfactions "),
        "{found}"
    );
    desk.script(&["docs", "one", "two"]).run().assert_exit(64);
}

#[test]
fn typed_as_a_prompt_it_is_answered_without_claude() {
    let desk = Desk::empty();
    let reply = |prompt: &str| {
        let answer = desk.ask(&desk.session.user_prompt_submit(prompt)).expect("an answer");
        answer.to_string()
    };
    assert!(reply("req docs trust").contains("A guard rail, not a wall"));
    assert!(reply("req docs").contains("from nothing") || reply("req docs").contains("From nothing"));
    assert!(reply("req docs evidnce").contains("did you mean evidence"));
}
