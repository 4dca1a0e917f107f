//! Messages without a delay: a window that is nearly used up, and a session's start.

use super::Pacing;
use crate::driver::notice;

#[test]
fn an_alert_comes_while_pacing_is_switched_off_but_not_where_the_files_have_it_off() {
    let pacing = Pacing::new("credit-pacer: {}\n");
    pacing.used(85.0, 5.0);
    pacing.switch_off();
    assert!(notice(pacing.ask(&pacing.call()).as_ref()).contains("85 % used"));
    assert_eq!(pacing.ask(&pacing.call()), None);
    assert!(pacing.sessions().is_empty(), "nothing is counted while it is off");
    let disabled = Pacing::new("credit-pacer: { enabled: false }\n");
    disabled.used(97.0, 97.0);
    assert_eq!(disabled.ask(&disabled.call()), None);
}

#[test]
fn a_sessions_start_reports_delays_that_will_come() {
    let pacing = Pacing::new("");
    let start = || notice(pacing.ask(&pacing.session.session_start("startup")).as_ref());
    assert_eq!(start(), "", "readings come with the first answer");
    pacing.used(94.0, 2.0);
    assert!(start().contains("5-hour limit: 94 % used"), "{}", start());
}
