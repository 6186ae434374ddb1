//! Claims about the trees of the vectors, with their answers (`tests/vectors/claims`).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use deepanalyze_core::claims::{Claim, Judge};
use serde::Deserialize;

use super::vectors::{game, grow, read};

#[derive(Deserialize)]
struct Answered {
    #[serde(flatten)]
    claim: Claim<String>,
    answer: String,
}

#[derive(Deserialize)]
struct File {
    vector: String,
    claims: Vec<Answered>,
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
    let folder = format!("{}/tests/vectors/claims", env!("CARGO_MANIFEST_DIR"));
    let mut answered = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let File { vector, claims } = serde_json::from_str(&text).unwrap();
        let name = vector.trim_end_matches(".json").to_owned();
        let vector = read(&name);
        let (growth, game) = (grow(&vector), game(&vector));
        let mut judge = Judge::new(&growth, &game);
        for Answered { claim, answer } in claims {
            let judged = judge.answer(&claim.read(&game).unwrap());
            assert_eq!(word(judged.answer), answer, "{name}: {claim:?}: {judged:?}");
            assert_eq!(judged.unknown.is_some(), judged.answer.is_none(), "{claim:?}");
            answered += 1;
        }
    }
    assert_eq!(answered, 1080);
}
