//! A fleet's state, as a table or as JSON.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::trust::{EngineSaid, difference};
use crate::{FleetSnapshot, GrowerState, WorkerState, decode};

/// Workers and growers, as last heard.
#[derive(Debug, Serialize)]
pub struct FleetReport {
    workers: Vec<WorkerReport>,
    growers: Vec<GrowerState>,
    queue: QueueLengths,
    /// Unreadable messages.
    refused: usize,
}

/// A worker.
#[derive(Debug, Serialize)]
struct WorkerReport {
    #[serde(flatten)]
    state: WorkerState,
    /// How its engine differs from the growers', or from most workers'.
    #[serde(skip_serializing_if = "Option::is_none")]
    differs: Option<String>,
}

/// Jobs that the broker has, with those that workers have.
#[derive(Debug, Serialize)]
struct QueueLengths {
    required: Option<u64>,
    guesses: Option<u64>,
}

impl FleetReport {
    /// Of a snapshot.
    pub fn of(seen: &FleetSnapshot) -> FleetReport {
        let (mut workers, mut growers) = (BTreeMap::new(), BTreeMap::new());
        let mut refused = 0;
        for message in &seen.workers {
            match decode::<WorkerState>(message) {
                Ok(state) => drop(workers.insert(state.worker.clone(), state)),
                Err(_) => refused += 1,
            }
        }
        for message in &seen.growers {
            match decode::<GrowerState>(message) {
                Ok(state) => drop(growers.insert(state.grower.clone(), state)),
                Err(_) => refused += 1,
            }
        }
        workers.retain(|_, worker: &mut WorkerState| !worker.leaves);
        let [required, guesses] = seen.queued;
        let growers: Vec<GrowerState> = growers.into_values().collect();
        let all: Vec<WorkerState> = workers.into_values().collect();
        let differ: Vec<_> = all.iter().map(|worker| differs(worker, &all, &growers)).collect();
        let workers = all.into_iter().zip(differ);
        FleetReport {
            workers: workers.map(|(state, differs)| WorkerReport { state, differs }).collect(),
            growers,
            queue: QueueLengths { required, guesses },
            refused,
        }
    }

    /// One JSON object.
    ///
    /// # Errors
    ///
    /// Never, as far as is known: it has no map.
    pub fn json(&self) -> std::io::Result<String> {
        serde_json::to_string_pretty(self).map_err(std::io::Error::from)
    }

    /// For people.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.workers.is_empty() {
            lines.push("no workers found".to_owned());
        } else {
            lines.push(row(["worker", "engine", "busy", "answered", "rate", "faults", "state"]));
            lines.extend(self.workers.iter().map(worker_row));
        }
        for grower in &self.growers {
            let GrowerState { name, engine_name, waiting, away, answered, .. } = grower;
            lines.push(format!(
                "grower    {name}: {engine_name}; {waiting} waiting, {away} with the fleet, \
                 {answered} answered, {} sent again, {} refused, {} compared",
                grower.sent_again, grower.refused, grower.doubled
            ));
            let out = grower.quarantined.iter();
            lines.extend(out.map(|(worker, why)| format!("quarantine {worker}: {why}")));
        }
        let QueueLengths { required, guesses } = &self.queue;
        if let (Some(required), Some(guesses)) = (required, guesses) {
            lines.push(format!("queue     {required} required, {guesses} guesses"));
        }
        if self.refused > 0 {
            lines.push(format!("{} messages of another version or none", self.refused));
        }
        lines
    }
}

/// How a worker's engine differs from the first grower's, or from most workers' without growers.
/// `None` if it is that of any grower.
fn differs(worker: &WorkerState, all: &[WorkerState], growers: &[GrowerState]) -> Option<String> {
    if let Some(grower) = growers.first() {
        if growers.iter().any(|grower| grower.engine == worker.engine) {
            return None;
        }
        let like = all.iter().find(|other| other.engine == grower.engine);
        let options = grower.options.as_ref().or(like.map(|like| &like.options));
        let options = options.unwrap_or(&worker.options);
        let theirs = EngineSaid { name: &grower.engine_name, options };
        return Some(format!("not used by {}: {}", grower.name, difference(said(worker), theirs)));
    }
    let alike = |of: &WorkerState| all.iter().filter(|other| other.engine == of.engine).count();
    let most = all.iter().rev().max_by_key(|other| alike(other))?;
    let is_other = alike(worker) < alike(most);
    is_other
        .then(|| format!("differs from {}: {}", most.name, difference(said(worker), said(most))))
}

fn said(worker: &WorkerState) -> EngineSaid<'_> {
    EngineSaid { name: &worker.engine_name, options: &worker.options }
}

fn worker_row(WorkerReport { state, differs }: &WorkerReport) -> String {
    let rate = state.answered.saturating_mul(60) / state.seconds.max(1);
    let busy = format!("{}/{}", state.busy, state.engines);
    let doing =
        differs.clone().or_else(|| state.rests.clone()).unwrap_or_else(|| "works".to_owned());
    let (answered, rate) = (state.answered.to_string(), format!("{rate}/min"));
    let faults = state.faults.saturating_add(state.failed).to_string();
    row([&state.name, &state.engine_name, &busy, &answered, &rate, &faults, &doing])
}

fn row([name, engine, busy, answered, rate, faults, state]: [&str; 7]) -> String {
    format!("{name:20} {engine:24} {busy:>7} {answered:>9} {rate:>10} {faults:>6}  {state}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Token, encode};

    fn worker(name: &str, answered: u64, leaves: bool) -> Vec<u8> {
        let token = |text: &str| Token::try_from(text.to_owned()).unwrap();
        encode(&WorkerState {
            worker: token(name),
            name: name.to_owned(),
            engine: token("e"),
            engine_name: "Engine 1".to_owned(),
            options: BTreeMap::new(),
            engines: 4,
            takes: 5,
            busy: 3,
            jobs: Vec::new(),
            answered,
            failed: 0,
            faults: 2,
            nodes: 0,
            seconds: 60,
            rests: None,
            leaves,
        })
    }

    #[test]
    fn a_worker_with_another_engine_does_not_work() {
        let token = |text: &str| Token::try_from(text.to_owned()).unwrap();
        let of = |name: &str, engine: &str, hash: &str| {
            let state: WorkerState = decode(&worker(name, 1, false)).unwrap();
            let options = BTreeMap::from([("Hash".to_owned(), hash.to_owned())]);
            encode(&WorkerState { engine: token(engine), options, ..state })
        };
        let workers = vec![of("a", "e", "16"), of("b", "f", "64"), of("c", "e", "16")];
        let lines = |growers: Vec<Vec<u8>>| {
            let seen = FleetSnapshot { workers: workers.clone(), growers, queued: [None; 2] };
            let report = FleetReport::of(&seen);
            assert_eq!(report.json().unwrap().matches("\"differs\"").count(), 1);
            report.lines()
        };
        let state = |line: &str| line.rsplit("  ").next().unwrap().trim().to_owned();
        let alone = lines(Vec::new());
        assert_eq!(
            alone[1..4].iter().map(|line| state(line)).collect::<Vec<_>>(),
            ["works", "differs from a: Hash is 64, not 16", "works"]
        );
        let grower = encode(&GrowerState {
            grower: token("g"),
            name: "house".to_owned(),
            engine: token("f"),
            engine_name: "Engine 1".to_owned(),
            options: None,
            waiting: 0,
            away: 0,
            answered: 0,
            sent_again: 0,
            refused: 0,
            doubled: 0,
            quarantined: Vec::new(),
        });
        let seen =
            FleetSnapshot { workers: workers.clone(), growers: vec![grower], queued: [None; 2] };
        let told = FleetReport::of(&seen).lines();
        assert_eq!(state(&told[1]), "not used by house: Hash is 16, not 64");
        assert_eq!(state(&told[2]), "works");
    }

    #[test]
    fn last_sign_of_life_counts_and_the_departed_are_gone() {
        let workers = vec![
            worker("a", 1, false),
            worker("b", 1, false),
            worker("a", 120, false),
            worker("b", 1, true),
            b"garbage".to_vec(),
        ];
        let seen = FleetSnapshot { workers, growers: Vec::new(), queued: [Some(5), Some(0)] };
        let report = FleetReport::of(&seen);
        let lines = report.lines().join("\n");
        assert!(lines.contains("120/min") && lines.contains("3/4"), "{lines}");
        assert!(!lines.contains("\nb ") && lines.contains("5 required, 0 guesses"), "{lines}");
        assert!(lines.contains("1 messages of another version"), "{lines}");
        assert!(report.json().unwrap().contains("\"answered\": 120"));
        assert!(FleetReport::of(&FleetSnapshot::default()).lines().join("").contains("no worker"));
    }
}
