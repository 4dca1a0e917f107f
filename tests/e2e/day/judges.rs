//! Judges that mostly approve: of ten reviews they refuse one, of six stops too; and who forgets to name a test, is told so.

use serde_json::json;
use std::sync::Mutex;
use tests::messages_api::{Recorded, Reply};

/// One of so many reviews finds fault.
const REVIEWS: usize = 10;

/// One of so many stops is too early.
const STOPS: usize = 6;

/// Those of one session, and how often each was asked.
#[derive(Default)]
pub(super) struct Judges {
    reviews: usize,
    stops: usize,
}

impl Judges {
    pub(super) fn script(self) -> impl Fn(&Recorded) -> Reply + Send + Sync + 'static {
        let judges = Mutex::new(self);
        move |request| Reply::json(&judges.lock().expect("the judges").answer(request))
    }

    fn answer(&mut self, request: &Recorded) -> serde_json::Value {
        let material = request.body["messages"][0]["content"].as_str().unwrap_or_default();
        let approved = json!({ "verdict": "APPROVED", "findings": [], "feedback": "" });
        let nth = |count: &mut usize, of: usize| {
            *count += 1;
            *count % of == of / 2
        };
        if material.contains("\n\nlast_message:\n") {
            let told =
                json!({ "verdict": "BLOCKED", "feedback": "Say in a sentence what the value is now." });
            return if nth(&mut self.stops, STOPS) { told } else { approved };
        }
        if !material.contains("\n\ndiff:\n") {
            return json!({ "verdict": "NO_TDD", "missing": [] });
        }
        let fix = "Say in a comment what is counted.";
        let finding = json!({ "rule": "magic-numbers", "line": 1, "why": "It says nothing.", "fix": fix });
        let fault = json!({ "verdict": "BLOCKED", "findings": [finding] });
        if nth(&mut self.reviews, REVIEWS) { fault } else { approved }
    }
}
