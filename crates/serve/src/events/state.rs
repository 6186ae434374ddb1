//! The public state, each part of it with the step of its last change. From any step, a reader gets
//! the changes since, and the newest of each, however slow it was. Pure.

use std::collections::{BTreeMap, HashSet, VecDeque};

use serde::Serialize;
use serde_json::{Map, Value, json};

/// An object as its keys and values.
pub type Object = Map<String, Value>;

/// Messages kept for slow readers.
const MESSAGES: usize = 500;
/// Removed roots kept for slow readers.
const REMOVED: usize = 500;
/// The other key.
const ENGINES: &str = "engines";

/// A message for one delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "MessageEvent"))]
pub struct NewsMessage {
    /// Its root.
    pub id: Option<i64>,
    /// Milliseconds since 1970, UTC.
    pub at: i64,
    /// Its kind.
    pub kind: NewsKind,
    /// Its text.
    pub text: String,
}

/// The kind of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum NewsKind {
    /// A depth is complete.
    Settled,
    /// Another verdict.
    Verdict,
    /// An engine or its tables failed.
    Fault,
    /// Directives, or other inputs of a tree.
    Directed,
    /// The engines search deeper from now on.
    Stage,
    /// A run ended.
    Ended,
    /// A merge ended.
    Merge,
}

/// Changed analyses, removed ones, and their order if that has changed.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RootsEvent {
    /// Of each only the keys that have changed.
    #[cfg_attr(test, schemars(with = "Vec<ChangedRoot>"))]
    changed: Vec<Object>,
    removed: Vec<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<Vec<i64>>,
}

/// Keys of a root.
#[cfg(test)]
#[derive(schemars::JsonSchema)]
#[schemars(inline, extend("additionalProperties" = true))]
struct ChangedRoot {
    #[expect(dead_code, reason = "a schema alone")]
    id: i64,
}

/// An event of the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamEvent {
    /// Its type.
    pub kind: &'static str,
    /// Its data.
    pub data: Value,
}

/// A value and the step of its last change.
#[derive(Debug, Clone, Default)]
struct SteppedValue {
    step: u64,
    value: Value,
}

impl SteppedValue {
    fn set(&mut self, step: u64, value: Value) -> bool {
        let is_new = self.value != value;
        if is_new {
            *self = SteppedValue { step, value };
        }
        is_new
    }
}

/// A root as its keys.
#[derive(Debug, Clone, Default)]
struct Root {
    /// A removed key is null.
    keys: BTreeMap<String, SteppedValue>,
    /// Progress of its tree.
    tree: SteppedValue,
}

/// The public state.
#[derive(Debug, Default)]
pub struct PublicState {
    step: u64,
    roots: BTreeMap<i64, Root>,
    order: Vec<i64>,
    ordered: u64,
    removed: VecDeque<(u64, i64)>,
    /// Removals up to this step are forgotten.
    forgotten: u64,
    engines: SteppedValue,
    messages: VecDeque<(u64, NewsMessage)>,
}

impl PublicState {
    /// The number of the newest change.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Sets all roots, in their order; a root without an object is unchanged. Removals are found by
    /// comparison, and an equal value is no change.
    pub fn set_roots(&mut self, roots: Vec<(i64, Option<Object>)>) {
        let step = self.step + 1;
        let mut is_changed = false;
        let order: Vec<i64> = roots.iter().map(|(id, _)| *id).collect();
        let there: HashSet<i64> = order.iter().copied().collect();
        let gone: Vec<i64> = self.roots.keys().copied().filter(|id| !there.contains(id)).collect();
        for id in gone {
            self.roots.remove(&id);
            self.removed.push_back((step, id));
            is_changed = true;
        }
        while self.removed.len() > REMOVED {
            self.forgotten = self.removed.pop_front().map_or(self.forgotten, |(step, _)| step);
        }
        for (id, object) in roots {
            if let Some(object) = object {
                is_changed |= self.roots.entry(id).or_default().set(step, object);
            }
        }
        if self.order != order {
            (self.order, self.ordered, is_changed) = (order, step, true);
        }
        self.end_step(is_changed);
    }

    /// Sets the progress of a root's tree.
    pub fn set_tree(&mut self, id: i64, tree: Value) {
        let step = self.step + 1;
        let is_changed = self.roots.get_mut(&id).is_some_and(|root| root.tree.set(step, tree));
        self.end_step(is_changed);
    }

    /// Sets the state of the engines.
    pub fn set_engines(&mut self, engines: Value) {
        let is_changed = self.engines.set(self.step + 1, engines);
        self.end_step(is_changed);
    }

    /// Adds a message.
    pub fn tell(&mut self, message: NewsMessage) {
        self.messages.push_back((self.step + 1, message));
        if self.messages.len() > MESSAGES {
            self.messages.pop_front();
        }
        self.end_step(true);
    }

    fn end_step(&mut self, is_changed: bool) {
        self.step += u64::from(is_changed);
    }

    /// All roots, in their order.
    pub fn roots(&self) -> Vec<Object> {
        self.order.iter().filter_map(|id| self.root(*id)).collect()
    }

    /// The state of the engines.
    pub fn engines(&self) -> Value {
        self.engines.value.clone()
    }

    /// A root.
    pub fn root(&self, id: i64) -> Option<Object> {
        let root = self.roots.get(&id)?;
        Some(root.keys.iter().map(|(key, dated)| (key.clone(), dated.value.clone())).collect())
    }

    /// True if the changes since a step are still known.
    pub fn is_known(&self, step: u64) -> bool {
        (self.forgotten..=self.step).contains(&step)
    }

    /// The changes since a step.
    pub fn since(&self, step: u64) -> Vec<StreamEvent> {
        let mut events = Vec::new();
        events.extend(self.roots_since(step));
        let trees = self.roots.values().filter(|root| root.tree.step > step);
        events
            .extend(trees.map(|root| StreamEvent { kind: "tree", data: root.tree.value.clone() }));
        if self.engines.step > step {
            events.push(StreamEvent { kind: ENGINES, data: self.engines.value.clone() });
        }
        let told = self.messages.iter().filter(|(told, _)| *told > step);
        events
            .extend(told.map(|(_, message)| StreamEvent { kind: "message", data: json!(message) }));
        events
    }

    fn roots_since(&self, step: u64) -> Option<StreamEvent> {
        let changed: Vec<Object> =
            self.roots.iter().filter_map(|(id, root)| root.since(*id, step)).collect();
        let removed = self.removed.iter().filter(|(at, id)| *at > step && !self.has(*id));
        let removed: Vec<i64> = removed.map(|(_, id)| *id).collect();
        let is_ordered = self.ordered > step;
        if changed.is_empty() && removed.is_empty() && !is_ordered {
            return None;
        }
        let order = is_ordered.then(|| self.order.clone());
        Some(StreamEvent { kind: "roots", data: json!(RootsEvent { changed, removed, order }) })
    }

    fn has(&self, id: i64) -> bool {
        self.roots.contains_key(&id)
    }
}

impl Root {
    /// Sets the root's keys; a removed key becomes null.
    fn set(&mut self, step: u64, object: Object) -> bool {
        let mut is_changed = false;
        let gone = self.keys.iter_mut().filter(|(key, _)| !object.contains_key(*key));
        for (_, dated) in gone {
            is_changed |= dated.set(step, Value::Null);
        }
        for (key, value) in object {
            let dated = self.keys.entry(key).or_insert_with(|| {
                is_changed = true;
                SteppedValue { step, value: Value::Null }
            });
            is_changed |= dated.set(step, value);
        }
        is_changed
    }

    fn since(&self, id: i64, step: u64) -> Option<Object> {
        let changed = self.keys.iter().filter(|(_, dated)| dated.step > step);
        let mut changed: Object =
            changed.map(|(key, dated)| (key.clone(), dated.value.clone())).collect();
        if changed.is_empty() {
            return None;
        }
        changed.insert("id".to_owned(), json!(id));
        Some(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(id: i64, value: i64, run: i64) -> (i64, Option<Object>) {
        let object = json!({ "id": id, "name": "x", "value": value, "run": { "waiting": run } });
        (id, object.as_object().cloned())
    }

    fn data(events: &[StreamEvent]) -> Vec<(&str, String)> {
        events.iter().map(|event| (event.kind, event.data.to_string())).collect()
    }

    #[test]
    fn only_what_changed_is_told_and_the_newest_of_it() {
        let mut state = PublicState::default();
        state.set_roots(vec![root(1, 10, 0), root(2, 20, 0)]);
        let seen = state.step();
        for run in 1..=5 {
            state.set_roots(vec![root(1, 10, run), root(2, 20, 0)]);
        }
        assert_eq!(
            data(&state.since(seen)),
            [("roots", r#"{"changed":[{"id":1,"run":{"waiting":5}}],"removed":[]}"#.to_owned())]
        );
        let step = state.step();
        state.set_roots(vec![root(1, 10, 5), root(2, 20, 0)]);
        state.set_roots(vec![(1, None), (2, None)]);
        assert_eq!(state.step(), step, "nothing has changed");
        assert!(state.since(step).is_empty());
    }

    #[test]
    fn who_resumes_gets_what_was_removed_and_the_order() {
        let mut state = PublicState::default();
        state.set_roots(vec![root(1, 0, 0), root(2, 0, 0), root(3, 0, 0)]);
        let seen = state.step();
        state.set_roots(vec![root(3, 0, 0), root(1, 0, 0)]);
        let told = r#"{"changed":[],"order":[3,1],"removed":[2]}"#.to_owned();
        assert_eq!(data(&state.since(seen)), [("roots", told)]);
        state.set_roots(vec![root(3, 0, 0), root(1, 0, 0), root(2, 0, 0)]);
        let told = state.since(seen)[0].data.clone();
        assert_eq!(told["removed"], json!([]), "it is back");
        assert_eq!(told["changed"][0]["name"], "x", "with all of its keys");
    }

    #[test]
    fn a_key_that_is_gone_becomes_null() {
        let mut state = PublicState::default();
        state.set_roots(vec![root(1, 0, 0)]);
        let seen = state.step();
        let mut other = root(1, 0, 0);
        other.1.as_mut().unwrap().remove("name");
        state.set_roots(vec![other]);
        assert_eq!(state.since(seen)[0].data["changed"][0], json!({ "id": 1, "name": null }));
    }

    #[test]
    fn trees_engines_and_messages_are_told_once() {
        let mut state = PublicState::default();
        state.set_roots(vec![root(1, 0, 0)]);
        let seen = state.step();
        state.set_tree(1, json!({ "id": 1, "passes": 4 }));
        state.set_tree(1, json!({ "id": 1, "passes": 9 }));
        state.set_tree(7, json!({ "id": 7 }));
        state.set_engines(json!({ "up": 2 }));
        let text = "<b>".to_owned();
        state.tell(NewsMessage { id: Some(1), at: 5, kind: NewsKind::Settled, text });
        let told: Vec<&str> = state.since(seen).iter().map(|event| event.kind).collect();
        assert_eq!(told, ["tree", "engines", "message"]);
        assert_eq!(state.since(seen)[0].data["passes"], 9);
        assert!(state.since(state.step()).is_empty());
    }

    #[test]
    fn old_and_future_steps_are_unknown() {
        let mut state = PublicState::default();
        for id in 0..=REMOVED as i64 + 1 {
            state.set_roots(vec![root(id, 0, 0)]);
        }
        assert!(!state.is_known(1), "what was removed first is forgotten");
        assert!(state.is_known(state.step()) && !state.is_known(state.step() + 1));
    }
}
