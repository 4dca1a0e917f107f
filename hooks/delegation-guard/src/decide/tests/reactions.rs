//! The reaction to a denial or an advice: the next call delegates, or it does not. It is reported once, and never of a call that was
//! made beside the refused one.

use std::time::Duration;

use shared::hook::{Reaction, ReactionKind};

use super::{Facts, Session, tool};
use crate::settings::FirstCall;
use shared::protocol::Event;

/// The reaction that the journal records at the next event, some seconds later.
fn told(session: &mut Session, facts: &Facts) -> Vec<Reaction> {
    session.later(10);
    told_at_once(session, facts)
}

fn told_at_once(session: &mut Session, facts: &Facts) -> Vec<Reaction> {
    let reactions = session.outcome(facts, Event::PreToolUse(tool("toolu"))).audit.reactions;
    match facts {
        Facts::Call(_) => drop(session.call("toolu")),
        _ => session.delegates(),
    }
    reactions
}

fn call(session: &Session) -> Facts {
    Facts::Call(session.own.clone())
}

#[test]
fn a_refusal_is_followed_by_a_delegation_or_overridden_by_the_next_call_once() {
    for first_call in [FirstCall::Deny, FirstCall::Advise] {
        let refused = || {
            let mut session = Session::new(|settings| settings.first_call = first_call);
            session.call("toolu_1");
            session
        };
        let mut session = refused();
        assert_eq!(told(&mut session, &Facts::Delegation), [ReactionKind::Followed.of("first_call")]);
        let mut session = refused();
        let own = call(&session);
        assert_eq!(told(&mut session, &own), [ReactionKind::Overridden.of("first_call")]);
    }
    let mut session = Session::new(|_| ());
    let own = call(&session);
    session.calls(1);
    told(&mut session, &own);
    session.state.streak = 10;
    assert_eq!(told(&mut session, &own), []);
}

#[test]
fn a_call_made_beside_the_refused_one_decides_nothing() {
    let mut session = Session::new(|_| ());
    let own = call(&session);
    session.calls(1);
    session.now = session.now.plus(Duration::from_millis(499));
    assert_eq!(told_at_once(&mut session, &own), []);
    session.now = session.now.plus(Duration::from_millis(1));
    assert_eq!(told_at_once(&mut session, &own), [ReactionKind::Overridden.of("first_call")]);
}
