//! The progress of a reader, and its return. Pure.

use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::json;

use super::state::{PublicState, StreamEvent};

/// Least time between deliveries to one reader: at most four a second.
pub const PACE: Duration = Duration::from_millis(250);

/// The first event of a stream.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HelloEvent<'a> {
    step: u64,
    /// Another one at each start of the server.
    instance: &'a str,
}

/// The progress of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamCursor {
    step: u64,
    /// True if it is to be greeted first.
    greets: bool,
    /// True if it must ask for everything again.
    resets: bool,
    /// Time of the last delivery.
    told: Option<Instant>,
}

impl StreamCursor {
    /// A new reader, or one with its last step: `INSTANCE-STEP`, or a step of this instance. A
    /// forgotten step, or another instance's, begins anew.
    pub fn begin(state: &PublicState, instance: &str, after: Option<&str>) -> StreamCursor {
        let known =
            after.map(|after| step_of(after, instance).filter(|step| state.is_known(*step)));
        let (step, resets) = match known {
            None => (state.step(), false),
            Some(Some(step)) => (step, false),
            Some(None) => (state.step(), true),
        };
        StreamCursor { step, greets: true, resets, told: None }
    }

    /// Time of the next delivery.
    pub fn due(&self) -> Option<Instant> {
        self.told.map(|told| told + PACE)
    }

    /// The text of the event stream to send now; `None` if nothing is new.
    pub fn deliver(&mut self, state: &PublicState, instance: &str, now: Instant) -> Option<String> {
        let mut events = Vec::new();
        if self.greets {
            let data = json!(HelloEvent { step: state.step(), instance });
            events.push(StreamEvent { kind: "hello", data });
        }
        if self.resets {
            events.push(StreamEvent { kind: "reset", data: json!({}) });
        }
        events.extend(state.since(self.step));
        let before = std::mem::replace(&mut self.step, state.step());
        (self.greets, self.resets) = (false, false);
        if events.is_empty() {
            return None;
        }
        self.told = Some(now);
        Some(text(&events, instance, before, self.step))
    }
}

/// Events as text. A reader has seen the step with the last of them.
fn text(events: &[StreamEvent], instance: &str, before: u64, now: u64) -> String {
    let mut text = String::new();
    for (index, StreamEvent { kind, data }) in events.iter().enumerate() {
        let step = if index + 1 == events.len() { now } else { before };
        text.push_str(&format!("id: {instance}-{step}\nevent: {kind}\ndata: {data}\n\n"));
    }
    text
}

fn step_of(after: &str, instance: &str) -> Option<u64> {
    let step = match after.rsplit_once('-') {
        Some((of, step)) => (of == instance).then_some(step)?,
        None => after,
    };
    step.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(value: i64) -> PublicState {
        let mut state = PublicState::default();
        change(&mut state, value);
        state
    }

    fn change(state: &mut PublicState, value: i64) {
        let root = json!({ "id": 1, "value": value }).as_object().cloned();
        state.set_roots(vec![(1, root)]);
    }

    fn kinds(text: Option<&str>) -> Vec<&str> {
        let lines = text.unwrap_or_default().lines();
        lines.filter_map(|line| line.strip_prefix("event: ")).collect()
    }

    #[test]
    fn new_reader_is_greeted_then_gets_changes_only() {
        let (mut state, now) = (state(1), Instant::now());
        let mut seen = StreamCursor::begin(&state, "abc", None);
        assert_eq!(seen.due(), None);
        let hello = seen.deliver(&state, "abc", now).unwrap();
        assert_eq!(hello, "id: abc-1\nevent: hello\ndata: {\"instance\":\"abc\",\"step\":1}\n\n");
        assert_eq!(seen.deliver(&state, "abc", now), None);
        assert_eq!(seen.due(), Some(now + PACE));
        change(&mut state, 2);
        let told = seen.deliver(&state, "abc", now).unwrap();
        assert_eq!(kinds(Some(&told)), ["roots"]);
        assert!(told.starts_with("id: abc-2\n"));
    }

    #[test]
    fn returning_reader_catches_up_stranger_starts_anew() {
        let (mut state, now) = (state(1), Instant::now());
        for value in 2..=4 {
            change(&mut state, value);
        }
        for (after, right) in [
            ("abc-1", ["hello", "roots"]),
            ("1", ["hello", "roots"]),
            ("xyz-1", ["hello", "reset"]),
            ("abc-5", ["hello", "reset"]),
            ("nonsense", ["hello", "reset"]),
            ("abc--1", ["hello", "reset"]),
        ] {
            let mut seen = StreamCursor::begin(&state, "abc", Some(after));
            let told = seen.deliver(&state, "abc", now);
            assert_eq!(kinds(told.as_deref()), right, "{after}");
        }
    }

    #[test]
    fn a_step_is_seen_with_the_last_event_of_it() {
        let mut state = state(1);
        change(&mut state, 2);
        let mut seen = StreamCursor::begin(&state, "abc", Some("abc-1"));
        let told = seen.deliver(&state, "abc", Instant::now()).unwrap();
        let ids: Vec<&str> = told.lines().filter_map(|line| line.strip_prefix("id: ")).collect();
        assert_eq!(ids, ["abc-1", "abc-2"]);
    }
}
