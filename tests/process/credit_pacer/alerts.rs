//! What is told without a delay: windows that are nearly used up, and what a session's start knows.

use super::Pacing;
use crate::driver::notice;

const NO_DELAYS: &str = "credit-pacer: { max_delay_secs: 0 }\n";

#[test]
fn a_window_that_is_nearly_used_up_is_told_once_per_mark() {
    let pacing = Pacing::new(NO_DELAYS);
    for (used, told) in [(79.0, ""), (80.0, "80 % used"), (94.0, ""), (95.0, "95 % used"), (99.0, "")] {
        pacing.used(used, 5.0);
        let answer = notice(pacing.ask(&pacing.call()).as_ref());
        assert!(if told.is_empty() { answer.is_empty() } else { answer.contains(told) }, "{used}: {answer}");
    }
}

#[test]
fn it_is_told_while_pacing_is_switched_off_but_not_where_the_files_have_it_off() {
    let pacing = Pacing::new("credit-pacer: {}\n");
    pacing.used(85.0, 5.0);
    pacing.switch_off();
    assert!(notice(pacing.ask(&pacing.call()).as_ref()).contains("85 % used"));
    assert_eq!(pacing.ask(&pacing.call()), None);
    assert!(pacing.sessions().is_empty(), "nothing is counted while it is off");
    let disabled = Pacing::new("credit-pacer: { enabled: false }\n");
    disabled.used(97.0, 97.0);
    assert_eq!(disabled.ask(&disabled.call()), None);
    let unwanted = Pacing::new("credit-pacer: { alerts: [], max_delay_secs: 0 }\n");
    unwanted.used(97.0, 97.0);
    assert_eq!(unwanted.ask(&unwanted.call()), None);
}

#[test]
fn a_sessions_start_tells_what_is_to_be_expected() {
    let pacing = Pacing::new("");
    let start = |pacing: &Pacing| notice(pacing.ask(&pacing.session.session_start("startup")).as_ref());
    assert_eq!(start(&pacing), "", "readings come with the first answer");
    pacing.used(10.0, 2.0);
    assert_eq!(start(&pacing), "");
    pacing.used(94.0, 2.0);
    let told = start(&pacing);
    assert!(told.contains("5-hour limit: 94 % used"), "{told}");
}
