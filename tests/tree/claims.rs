//! Claims about the trees of the vectors, with their answers (`tests/vectors/claims`).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use deepanalyze_core::claims::{Claim, Judge};
use serde_json::Value;

use super::vectors::{Vector, game, grow, read};

/// Each vector with its claims.
pub fn worked_claims() -> Vec<(Vector, Vec<Value>)> {
    let folder = format!("{}/tests/vectors/claims", env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(folder).unwrap().map(|file| {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let file: Value = serde_json::from_str(&text).unwrap();
        let vector = read(file["vector"].as_str().unwrap().trim_end_matches(".json"));
        (vector, file["claims"].as_array().unwrap().clone())
    });
    files.collect()
}

fn word(answer: Option<bool>) -> &'static str {
    match answer {
        Some(true) => "true",
        Some(false) => "false",
        None => "unknown",
    }
}

#[test]
fn every_worked_claim_has_its_answer() {
    let mut answered = 0;
    for (vector, claims) in worked_claims() {
        let (growth, game) = (grow(&vector), game(&vector));
        let mut judge = Judge::new(&growth, &game);
        for value in claims {
            let claim: Claim<String> = serde_json::from_value(value.clone()).unwrap();
            let judged = judge.answer(&claim.read(&game).unwrap());
            assert_eq!(word(judged.answer), value["answer"], "{claim:?}: {judged:?}");
            assert_eq!(judged.unknown.is_some(), judged.answer.is_none(), "{claim:?}");
            answered += 1;
        }
    }
    assert_eq!(answered, 1080);
}
