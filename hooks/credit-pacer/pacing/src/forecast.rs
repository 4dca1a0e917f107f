//! How many calls come until a reset, if nothing is delayed.

use crate::calendar::Calendar;
use crate::habit::{DAY_SLOTS, Day, Habit, SLOT_SECS, place};
use crate::learned::Learned;
use crate::line::Rules;
use crate::{Window, seconds, whole_seconds};

const WINDOW_SLOTS: usize = 20;
const FIVE_HOURS: i64 = Window::FiveHour.length_secs();
const WEEK: i64 = Window::SevenDay.length_secs();

/// Calls by 5-hour window until the weekly reset.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Forecast {
    /// In the current window.
    pub now: f64,
    /// In later windows.
    pub later: Vec<f64>,
    /// Expected calls by time: the end of each slot and the calls in it.
    pub slots: Vec<(i64, f64)>,
}

struct Past<'a> {
    days: Vec<Day>,
    calendar: &'a Calendar,
}

impl Forecast {
    /// The forecast at `now`, until the resets of both windows. `so_far` are the calls of the current 5-hour window and its
    /// seconds. Before a day is known the week brings `again`.
    pub(crate) fn of(
        learned: &Learned,
        rules: &Rules,
        now: f64,
        (so_far, again): ((f64, f64), f64),
        [five_hour, seven_day]: [Option<i64>; 2],
    ) -> Self {
        let end = five_hour.unwrap_or(whole_seconds(now) + FIVE_HOURS);
        let end = seven_day.map_or(end, |seven_day| end.min(seven_day));
        let week_end = seven_day.unwrap_or(end);
        let (habit, calendar) = (&learned.habit, &rules.calendar);
        let past = Past { days: habit.by_day(calendar, now), calendar };
        let mut forecast = Self::default();
        forecast.current(&past, so_far, now, end);
        if habit.days() > 1 {
            forecast.add_later(&past, end, week_end);
        } else {
            forecast.spread(again, end, week_end);
        }
        if seven_day.is_some() && habit.days() > 14 {
            forecast.cap(habit, week_end - WEEK);
        }
        forecast
    }

    /// Until the 5-hour reset, by days with calls around this time of day. In the same time come as many calls again as so far, at most.
    fn current(&mut self, past: &Past<'_>, so_far: (f64, f64), now: f64, end: i64) {
        let again = |secs: f64| so_far.0 * secs / (so_far.1 + secs);
        let (_, of_day) = place(past.calendar, whole_seconds(now));
        let around = of_day.saturating_sub(1)..=(of_day + 1).min(DAY_SLOTS - 1);
        for (from, to) in slots(now, end) {
            let (calls, days) =
                past.calls(from, to, |day| day.calls[around.clone()].iter().any(|calls| *calls > 0.0));
            let pseudo = again(to - now) - again(from - now);
            let expected = (calls + pseudo) / (days + 1.0);
            self.now += expected;
            self.slots.push((whole_seconds(to), expected));
        }
    }

    /// From one reset to the other, by 5-hour windows; each begins with a call.
    fn add_later(&mut self, past: &Past<'_>, from: i64, to: i64) {
        let mut left = 0;
        for (from, to) in slots(seconds(from), to) {
            let (calls, days) = past.calls(from, to, |_| true);
            let expected = calls / (days + 1.0);
            if left == 0 && expected > 0.0 {
                self.later.push(0.0);
                left = WINDOW_SLOTS;
            }
            if left > 0 {
                left -= 1;
                if let Some(window) = self.later.last_mut() {
                    *window += expected;
                }
                self.slots.push((whole_seconds(to), expected));
            }
        }
    }

    /// When so many calls are made, if that is before the reset.
    pub(crate) fn ends_at(&self, fitting: f64, resets_at: i64) -> Option<i64> {
        let mut calls = 0.0;
        let mut within = self.slots.iter().take_while(|(end, _)| *end <= resets_at);
        let exceeds = |(_, expected): &&(i64, f64)| {
            calls += expected;
            calls > fitting
        };
        within.find(exceeds).map(|(end, _)| *end)
    }

    /// Later windows bring no more than is missing for the largest of the three weeks before: a burst that was does not come again.
    fn cap(&mut self, habit: &Habit, began: i64) {
        let week = |back: i64| habit.between(began - back * WEEK, began - (back - 1) * WEEK);
        let largest = (1..=3).map(week).fold(0.0, f64::max);
        let later: f64 = self.later.iter().sum();
        let missing = (largest - week(0) - self.now).max(0.0);
        if later > missing {
            self.later.iter_mut().for_each(|calls| *calls *= missing / later);
        }
    }

    /// So many calls, evenly by 5-hour windows.
    fn spread(&mut self, calls: f64, from: i64, to: i64) {
        let to = to.min(from.saturating_add(WEEK));
        let each = calls / (seconds(to - from) / seconds(FIVE_HOURS)).max(1.0);
        let mut end = from;
        while end < to {
            end += FIVE_HOURS;
            self.later.push(each);
            self.slots.push((end, each));
        }
    }
}

impl Past<'_> {
    /// The calls in a part of a slot over the days of its kind, and the number of these days.
    fn calls(&self, from: f64, to: f64, counts: impl Fn(&Day) -> bool) -> (f64, f64) {
        let (day, of_day) = place(self.calendar, whole_seconds(from));
        let is_workday = self.calendar.is_workday(day);
        let days = self.days.iter().filter(|day| day.is_workday == is_workday && counts(day));
        let known = days.map(|day| day.calls[of_day]).filter(|calls| !calls.is_nan());
        let (calls, days) = known.fold((0.0, 0.0), |(sum, days), calls| (sum + calls, days + 1.0));
        (calls * (to - from) / seconds(SLOT_SECS), days)
    }
}

/// The slots between two moments, cut where those are, in seconds.
fn slots(from: f64, to: i64) -> impl Iterator<Item = (f64, f64)> {
    let first = whole_seconds(from).div_euclid(SLOT_SECS);
    // A week and a day, however far away a reset is said to be.
    let last = (to - 1).div_euclid(SLOT_SECS).min(first + 8 * 96);
    (first..=last).filter_map(move |slot| {
        let start = seconds(slot * SLOT_SECS).max(from);
        let end = seconds((slot + 1) * SLOT_SECS).min(seconds(to));
        (end > start).then_some((start, end))
    })
}
