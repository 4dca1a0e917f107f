//! Switches: which are to be turned, what speaks against it, and what is in force then. Nothing is changed here.

use std::fmt::Write as _;

use shared::catalog::{Catalog, section_names};
use shared::cli::{Asker, off_file};
use shared::config::{Section, load_by_schema, section_by_schema};
use shared::switches::{Position, Switches, Turn, is_worded};

use super::Reply;
use super::grammar::{OWN, Switch};
use crate::CreditPacer;
use crate::effect::Change;
use crate::settings::Settings;

/// The answer to a switch, with the turns that carry it out.
pub(super) fn turned(switch: Switch, position: Position, asker: &Asker<'_>) -> Reply {
    let wanted = members(switch, |section| section == OWN || section_names().any(|known| known == section));
    let before = asker.switches();
    let is_turned = |each: &Switch| position_of(*each, switch, position, &before).is_some();
    let spends = wanted.iter().any(|each| is_turned(each) && costs_money(*each));
    let is_anybodys = position == Position::On && !spends;
    if !is_anybodys && !asker.caller.is_operator() {
        return Reply::no(asker.caller.refusal(&switch.line(position), true));
    }
    if wanted.is_empty() {
        let (section, _) = switch.section();
        return Reply::no(format!("{section} is not part of this version; nothing was changed"));
    }
    if asker.store.is_none() {
        return Reply::no(format!("{OWN}: there is no state folder to keep the switch in; set HOME"));
    }
    if switch == Switch::TempoHere && asker.session.is_none() {
        return Reply::no(
            "there is no session here; type it as a prompt of the session that is meant".to_owned(),
        );
    }
    let (mut turns, mut refused) = (Vec::new(), Vec::new());
    for each in &wanted {
        let Some(position) = position_of(*each, switch, position, &before) else { continue };
        let session = asker.session.filter(|_| switch == Switch::TempoHere).map(ToOwned::to_owned);
        let turn = Turn { session, ..Turn::everywhere(key(*each), position) };
        match obstacle(*each, &turn, &before, asker) {
            Some(why) => refused.push(why),
            None => turns.extend(out_of_the_way(*each, &turn, &before).into_iter().chain([turn])),
        }
    }
    if turns.is_empty() && !refused.is_empty() {
        return Reply::no(refused.join("\n"));
    }
    let after = turns.iter().fold(before, |switches, turn| switches.with(turn, asker.host.now()));
    let in_force = wanted.iter().filter_map(|each| in_force(*each, &after, asker));
    let lines =
        in_force.chain(refused).chain(alerts(switch, &after, asker)).chain([way_back(switch, position)]);
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    let effects = turns.into_iter().map(Change::Turn).collect();
    Reply { effects, ..Reply::yes(lines.join("\n")) }
}

/// What is switched on asks a model.
fn costs_money(switch: Switch) -> bool {
    let (section, _) = switch.section();
    Catalog::built_in().map_or(true, |catalog| catalog.hook(section).is_some_and(|hook| hook.costs_money))
}

/// What the switch is about, as far as this version has it.
fn members(switch: Switch, exists: impl Fn(&str) -> bool) -> Vec<Switch> {
    let all = [Switch::Pacing, Switch::TempoStop, Switch::IntentValidation, Switch::Reminder];
    let members = if switch == Switch::Everything { all.to_vec() } else { vec![switch] };
    members.into_iter().filter(|member| exists(member.section().0)).collect()
}

/// The switch's name in the file of switches.
fn key(switch: Switch) -> String {
    match switch.section() {
        (section, Some(key)) => format!("{section}.{key}"),
        (section, None) => section.to_owned(),
    }
}

/// Where it is to be turned; `None`: it stays. To switch everything on means pacing, and that nothing else is held off any
/// longer: what the files have off stays off, for it may cost money.
fn position_of(each: Switch, asked: Switch, position: Position, before: &Switches) -> Option<Position> {
    if asked != Switch::Everything || position != Position::On || each == Switch::Pacing {
        return Some(position);
    }
    (before.position(&key(each), None) == Position::Off).then_some(Position::Auto)
}

/// What is turned beside the word for `tempo`, so that it counts: where the whole hook is switched off, it is given back.
fn out_of_the_way(each: Switch, word: &Turn, before: &Switches) -> Option<Turn> {
    let (section, _) = each.section();
    let is_off = |session| before.position(section, session) == Position::Off;
    if !is_word(each) || word.position == Position::Off || !is_off(word.session.as_deref()) {
        return None;
    }
    // What is off in all sessions is lifted in one of them only by that one's own switch.
    let position = if word.session.is_some() && is_off(None) { Position::On } else { Position::Auto };
    Some(Turn { switch: section.to_owned(), position, ..word.clone() })
}

/// It keeps its word, `auto` as well.
pub(super) fn is_word(switch: Switch) -> bool {
    switch.section().1.is_some_and(is_worded)
}

/// Where the switch itself stands; `None`: it was never turned.
pub(super) fn stands(switch: Switch, switches: &Switches, session: Option<&str>) -> Option<Position> {
    let (section, key) = switch.section();
    let switches = switches.of(section, session);
    key.map_or(Some(switches.own), |key| switches.keys.get(key).copied())
}

/// What is in force of a switch.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Standing {
    position: Position,
    by: String,
    /// By what its section is off, if it is.
    section_off_by: Option<String>,
    /// The global file's lock counts, not the switch.
    is_overruled: bool,
}

fn look(switch: Switch, switches: &Switches, asker: &Asker<'_>) -> Option<Standing> {
    let (name, key) = switch.section();
    if name == OWN {
        return standing(&asker.section::<CreditPacer>(switches)?, key);
    }
    let (spec, schema) = section_by_schema(name)?;
    let section = load_by_schema(spec, schema, &asker.sources(), switches.of(name, asker.session))?;
    standing(&section, key)
}

fn standing<S>(section: &Section<S>, key: Option<&str>) -> Option<Standing> {
    let by = |key: &str| section.origin(key).map(|origin| origin.to_string()).unwrap_or_default();
    let Some(key) = key else {
        let (position, by) = (on_or_off(section.enabled), by("enabled"));
        return Some(Standing { position, by, section_off_by: None, is_overruled: section.overruled_switch });
    };
    let path = if is_worded(key) { key.to_owned() } else { format!("{key}.enabled") };
    let in_file = section.in_file(&path);
    let entry = section.entries().into_iter().find(|entry| entry.path.join(".") == in_file)?;
    Some(Standing {
        position: match entry.value.as_str() {
            Some(word) => Position::of_word(word)?,
            None => on_or_off(entry.value == true),
        },
        by: entry.origin.to_string(),
        section_off_by: (!section.enabled).then(|| by("enabled")),
        is_overruled: section.overruled_keys.iter().any(|overruled| overruled == key),
    })
}

const fn on_or_off(is_on: bool) -> Position {
    if is_on { Position::On } else { Position::Off }
}

/// Why it cannot be turned.
fn obstacle(switch: Switch, turn: &Turn, before: &Switches, asker: &Asker<'_>) -> Option<String> {
    let name = switch.name();
    let after = before.clone().with(turn, asker.host.now());
    if look(switch, &after, asker).is_some_and(|standing| standing.is_overruled) {
        return Some(format!("{name}: locked by your global requirements.yaml; nothing was changed"));
    }
    if let Some(older) = older_name(switch, turn.position, asker) {
        return Some(older);
    }
    let (section, _) = switch.section();
    let begins = turn.position == Position::On || is_word(switch) && turn.position == Position::Auto;
    (begins && costs_money(switch) && !is_on_by_files(section, asker)).then(|| paid(name, section))
}

/// A switch never begins to spend money: the user's own file does.
fn paid(name: &str, section: &str) -> String {
    format!(
        "{name}: {section} asks a model, which costs money, so only your global file can switch it on; nothing was changed; \
         type: req enable --hook {section}"
    )
}

fn is_on_by_files(section: &str, asker: &Asker<'_>) -> bool {
    let described = section_by_schema(section);
    let loaded =
        described.and_then(|(spec, schema)| load_by_schema(spec, schema, &asker.sources(), Position::Auto));
    loaded.is_some_and(|section| section.enabled)
}

/// The original tool's name of the key stands in a file and says otherwise: there it counts, before any switch.
fn older_name(switch: Switch, position: Position, asker: &Asker<'_>) -> Option<String> {
    let section = asker.section::<CreditPacer>(&asker.switches())?;
    let Settings { weekly_limit_enabled, five_hour_limit_enabled, .. } = section.settings;
    let (key, said) = match switch {
        Switch::Weekly => ("weekly_limit_enabled", weekly_limit_enabled?),
        Switch::FiveHour => ("five_hour_limit_enabled", five_hour_limit_enabled?),
        _ => return None,
    };
    let place = section.origin(key)?;
    let (_, own) = switch.section();
    (position != Position::Auto && said != (position == Position::On)).then(|| {
        format!(
            "{}: {place} says {}: {said}, the original tool's name, which counts before a switch; write {}.enabled there \
             instead; nothing was changed",
            switch.name(),
            section.in_file(key),
            section.in_file(own.unwrap_or_default()),
        )
    })
}

fn in_force(switch: Switch, after: &Switches, asker: &Asker<'_>) -> Option<String> {
    let standing = look(switch, after, asker)?;
    if switch == Switch::TempoStop && standing.position == Position::On {
        // The hook is on: what it does is the mode's to say.
        return in_force(Switch::Tempo, after, asker);
    }
    let Standing { position, by, section_off_by, .. } = standing;
    let mut line = format!("{}: {}, set by {by}", switch.name(), told(position));
    if let Some(session) = asker.session
        && stands(switch, after, asker.session) != stands(switch, after, None)
    {
        let _ = write!(line, " for this session ({} --session {session})", switch.section().0);
    }
    let (section, _) = switch.section();
    if let Some(by) = section_off_by.filter(|_| position != Position::Off) {
        let _ = write!(line, "; but {section} is off, set by {by}");
    }
    if let Some(file) = off_file(asker.host, asker.places) {
        let _ = write!(line, "; but every hook is off while {file} is there");
    }
    Some(line)
}

/// What is in force, as a person reads it; only of stops it can be auto.
pub(super) const fn told(position: Position) -> &'static str {
    match position {
        Position::On => "on",
        Position::Off => "off",
        Position::Auto => "auto (only while you are away)",
    }
}

/// What goes on while pacing is off.
fn alerts(switch: Switch, after: &Switches, asker: &Asker<'_>) -> Option<String> {
    if !matches!(switch, Switch::Everything | Switch::Pacing) {
        return None;
    }
    let section = asker.section::<CreditPacer>(after).filter(Section::is_switched_off)?;
    alerts_at(&section.settings)
}

/// "alerts at 80 and 95 % go on", if there are any.
pub(super) fn alerts_at(settings: &Settings) -> Option<String> {
    let mut percents: Vec<u32> = settings.alerts.iter().map(|percent| percent.get()).collect();
    percents.sort_unstable();
    percents.dedup();
    let percents: Vec<String> = percents.iter().map(ToString::to_string).collect();
    let (last, others) = percents.split_last()?;
    let listed = if others.is_empty() { last.clone() } else { format!("{} and {last}", others.join(", ")) };
    Some(format!("alerts at {listed} % go on"))
}

fn way_back(switch: Switch, position: Position) -> String {
    match position {
        Position::On => format!("off again: {}", switch.line(Position::Off)),
        Position::Off => format!("on again: {}", switch.line(Position::On)),
        Position::Auto => String::new(),
    }
}

#[cfg(test)]
mod tests;
