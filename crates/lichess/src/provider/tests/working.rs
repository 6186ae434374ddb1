//! A job's blocks, and their times.

use std::time::Duration;

use serde_json::json;
use tokio::time::sleep;

use super::fake::{Reading, Scene, job, status};

const SECOND: Duration = Duration::from_secs(1);
/// A moment in which only things already due happen.
const MOMENT: Duration = Duration::from_millis(1);

#[tokio::test(start_paused = true)]
async fn all_lines_are_sent_at_each_change_and_repeated() {
    let mut scene = Scene::new();
    scene.answer(Ok(Some(job("a", "one", "e2e4", json!({ "movetime": 86_400_000 })))));
    let asked = scene.asked().await;
    assert_eq!((asked.question.lines, asked.question.game.moves().len()), (2, 1));
    asked.tell(10, &[(20, "e7e5 g1f3"), (25, "c7c5")]);
    sleep(MOMENT).await;
    let first = scene.blocks("a");
    assert_eq!(first.len(), 1, "{first:?}");
    let ranks = |block: &str| block.lines().filter(|line| line.contains(" multipv ")).count();
    assert!(ranks(&first[0]) == 2 && first[0].ends_with(" pv c7c5\n"), "{first:?}");
    for depth in 11..=15 {
        asked.tell(depth, &[(20, "e7e5 g1f3"), (25, "c7c5")]);
        sleep(Duration::from_millis(10)).await;
    }
    sleep(SECOND).await;
    let blocks = scene.blocks("a");
    assert_eq!(blocks.len(), 2, "what changes quickly is told when it rests: {blocks:?}");
    assert!(blocks[1].starts_with("info depth 15 "));
    sleep(SECOND * 6).await;
    let moments = scene.moments("a");
    assert_eq!(moments, [0, 200, 3200, 6200]);
    assert!(!scene.has_ended("a"));
    assert!(scene.end().await.0.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_job_ends_when_its_time_is_over() {
    let mut scene = Scene::new();
    scene.answer(Ok(Some(job("a", "one", "", json!({ "movetime": 1000 })))));
    let mut asked = scene.asked().await;
    asked.tell(10, &[(20, "e2e4 e7e5")]);
    sleep(MOMENT * 999).await;
    assert!(!scene.has_ended("a") && !asked.is_stopped());
    sleep(MOMENT * 5).await;
    assert!(scene.has_ended("a") && asked.is_stopped());
    let blocks = scene.blocks("a");
    assert!(blocks.last().unwrap().ends_with("\nbestmove e2e4 ponder e7e5\n"), "{blocks:?}");
}

#[tokio::test(start_paused = true)]
async fn job_ends_at_depth_or_nodes_or_when_all_is_known() {
    for goal in [json!({ "depth": 12 }), json!({ "nodes": 12_000 }), json!({ "infinite": true })] {
        let mut scene = Scene::new();
        scene.answer(Ok(Some(job("a", "one", "", goal.clone()))));
        let asked = scene.asked().await;
        asked.tell(11, &[(20, "e2e4")]);
        sleep(SECOND).await;
        assert!(!scene.has_ended("a"), "{goal}");
        asked.tell(12, &[(20, "e2e4")]);
        if goal == json!({ "infinite": true }) {
            drop(asked.reports);
        }
        sleep(SECOND).await;
        assert!(scene.has_ended("a"), "{goal}");
        let last = scene.blocks("a").pop().unwrap();
        assert!(last.starts_with("info depth 12 ") && last.ends_with("bestmove e2e4\n"), "{last}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_analysis_that_finds_nothing_is_an_empty_answer() {
    let mut scene = Scene::new();
    scene.answer(Ok(Some(job("a", "one", "", json!({})))));
    drop(scene.asked().await.reports);
    sleep(MOMENT).await;
    assert!(scene.has_ended("a") && scene.blocks("a").is_empty());
}

#[tokio::test(start_paused = true)]
async fn when_the_broker_has_enough_the_analysis_ends() {
    let ends = [
        (Ok(()), None),
        (Err(status(404, None)), None),
        (Err(status(400, None)), Some("what was found was not taken: broker answers 400")),
    ];
    for (result, told) in ends {
        let mut scene = Scene::new();
        scene.reads("a", Reading::Until(1, result.clone()));
        scene.answer(Ok(Some(job("a", "one", "", json!({})))));
        let mut asked = scene.asked().await;
        asked.tell(10, &[(20, "e2e4")]);
        sleep(MOMENT).await;
        assert!(asked.is_stopped(), "{result:?}");
        assert_eq!(scene.told().get(1).map(String::as_str), told);
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_reader_gets_the_newest() {
    let mut scene = Scene::new();
    scene.reads("a", Reading::Every(SECOND * 10));
    scene.answer(Ok(Some(job("a", "one", "", json!({})))));
    let asked = scene.asked().await;
    for depth in 1..=300 {
        asked.tell(depth, &[(20, "e2e4")]);
        sleep(MOMENT * 100).await;
    }
    // One block may have waited for it meanwhile.
    sleep(SECOND * 15).await;
    let blocks = scene.blocks("a");
    assert!(blocks.len() <= 6, "{}", blocks.len());
    assert!(blocks.last().unwrap().starts_with("info depth 300 "), "{blocks:?}");
}

#[tokio::test(start_paused = true)]
async fn the_time_holds_for_a_reader_that_stands_still() {
    let mut scene = Scene::new();
    scene.reads("a", Reading::Every(SECOND * 1000));
    scene.answer(Ok(Some(job("a", "one", "", json!({ "movetime": 2000 })))));
    let mut asked = scene.asked().await;
    for depth in 1..=40 {
        asked.tell(depth, &[(20, "e2e4")]);
        sleep(MOMENT * 100).await;
    }
    assert!(asked.is_stopped());
}

#[tokio::test(start_paused = true)]
async fn impossible_jobs_are_answered_and_do_no_harm() {
    let mut scene = Scene::new();
    let other = json!({ "variant": "crazyhouse" });
    scene.answer(Ok(Some(job("a", "one", "", other))));
    scene.answer(Ok(Some(job("b", "one", "", json!({ "multiPv": "three" })))));
    scene.answer(Ok(Some(job("c", "one", "e2e5", json!({})))));
    scene.answer(Ok(Some(job("d", "one", "e2e4", json!({})))));
    let asked = scene.asked().await;
    assert_eq!(asked.question.game.moves().len(), 1);
    for id in ["a", "b", "c"] {
        assert!(scene.has_ended(id) && scene.blocks(id).is_empty(), "{id}");
    }
    let told = scene.told();
    assert!(told[0].contains("only chess") && told[1].contains("cannot be understood"));
    assert!(
        told[2].contains("illegal")
            && told[3].starts_with("analysing ")
            && told[3].ends_with(", 2 lines"),
        "{told:?}"
    );
}
