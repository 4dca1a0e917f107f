//! A satisfaction for one call lets one call through, whatever happens around it.

use std::time::Duration;

use proptest::prelude::*;
use shared::hook::Verdict;

use crate::satisfactions::By;
use crate::scene::{End, OWN, Scene, denied, is_silent};

const PR: &str = "pr: {scope: single_use, trigger_tools: [{tool: Bash, command_pattern: gh pr create}]}\n";
const LINE: &str = "gh pr create --fill";

#[test]
fn a_call_holds_the_satisfaction_as_long_as_it_runs_or_till_the_next_prompt_and_uses_it_up() {
    let mut scene = Scene::new(PR);
    scene.satisfy("pr", OWN, By::Agent);
    scene.wait(Duration::from_micros(1));
    scene.bash("t1", LINE);
    scene.wait(Duration::from_secs(3600));
    denied(&scene.bash("t2", LINE));
    scene.prompt("go on", None);
    assert!(is_silent(&scene.bash("t3", LINE)));
    scene.bash_ended("t3", LINE, End::Succeeded);
    assert!(scene.world.branch.requirements.is_empty(), "it is used up");
    denied(&scene.bash("t4", LINE));
}

/// The next step of a session.
#[derive(Debug, Clone)]
enum Step {
    /// The requirement is satisfied for its next call.
    Satisfy,
    /// A call asks.
    Ask,
    /// A call that was let through ends.
    End(u8, bool),
    /// Time passes, in milliseconds.
    Wait(u16),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        1 => Just(Step::Satisfy),
        4 => Just(Step::Ask),
        3 => (0_u8..4, any::<bool>()).prop_map(|(call, succeeded)| Step::End(call, succeeded)),
        1 => (0_u16..400).prop_map(Step::Wait),
    ];
    proptest::collection::vec(step, 0..60)
}

proptest! {
    /// As long as no call runs for a minute: no more calls run or have succeeded than there were satisfactions.
    #[test]
    fn a_satisfaction_lets_at_most_one_call_through(steps in steps()) {
        let mut scene = Scene::new(PR);
        let (mut satisfied, mut succeeded) = (0, 0);
        let mut running: Vec<String> = Vec::new();
        for (number, step) in steps.into_iter().enumerate() {
            scene.wait(Duration::from_micros(1));
            match step {
                Step::Satisfy => {
                    satisfied += 1;
                    scene.satisfy("pr", OWN, By::Agent);
                }
                Step::Ask if running.len() > 3 => {}
                Step::Ask => {
                    let id = number.to_string();
                    if scene.bash(&id, LINE).verdict == Verdict::Pass {
                        running.push(id);
                    }
                }
                Step::End(call, went_well) => {
                    let Some(place) = usize::from(call).checked_rem(running.len()) else { continue };
                    let id = running.remove(place);
                    scene.bash_ended(&id, LINE, if went_well { End::Succeeded } else { End::Failed });
                    succeeded += usize::from(went_well);
                }
                Step::Wait(millis) => scene.wait(Duration::from_millis(millis.into())),
            }
            prop_assert!(succeeded + running.len() <= satisfied, "{succeeded} of {satisfied}");
        }
    }
}
