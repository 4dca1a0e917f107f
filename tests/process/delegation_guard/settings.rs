//! Where nobody watches.

use super::Said::{Advice, Denial, Nothing};
use super::{Guard, ON, Said, said};
use crate::driver::documented;
use tests::payloads::Payload;

fn headless(guard: &Guard, event: &Payload) -> Said {
    let hook = guard.hook().env("CLAUDE_CODE_ENTRYPOINT", "sdk-cli").stdin(event.to_bytes());
    said(documented(&hook.run()).as_ref())
}

#[test]
fn headless_it_says_nothing_and_counts_nothing_unless_it_may() {
    let guard = Guard::new(ON);
    for _ in 0..6 {
        assert_eq!(headless(&guard, &guard.before("Bash")), Nothing);
        assert_eq!(headless(&guard, &guard.after("Bash")), Nothing);
    }
    assert!(!guard.file().exists());

    let guard = Guard::new("delegation-guard: {enabled: true, headless: true}\n");
    let said: Vec<Said> = (0..3).map(|_| headless(&guard, &guard.before("Bash"))).collect();
    assert_eq!(said, [Denial, Nothing, Advice(2)]);
}
