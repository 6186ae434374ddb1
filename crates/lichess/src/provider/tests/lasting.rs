//! Several jobs, positions at which the user stays, and the end.

use std::time::Duration;

use serde_json::json;
use tokio::time::sleep;

use super::fake::{Scene, job};

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn a_new_job_of_the_same_board_ends_the_older_one() {
    let mut scene = Scene::new();
    scene.answer(Ok(Some(job("a", "one", "", json!({})))));
    let mut first = scene.asked().await;
    scene.answer(Ok(Some(job("b", "two", "", json!({})))));
    let mut beside = scene.asked().await;
    scene.answer(Ok(Some(job("c", "one", "e2e4", json!({})))));
    let mut second = scene.asked().await;
    sleep(SECOND).await;
    assert!(first.is_stopped() && !beside.is_stopped() && !second.is_stopped());
}

#[tokio::test(start_paused = true)]
async fn one_board_too_many_ends_the_oldest() {
    let mut scene = Scene::new();
    let mut all = Vec::new();
    for number in 0..5 {
        let id = format!("job{number}");
        scene.answer(Ok(Some(job(&id, &id, "", json!({})))));
        all.push(scene.asked().await);
    }
    sleep(SECOND).await;
    let stopped: Vec<bool> = all.iter_mut().map(super::fake::Asked::is_stopped).collect();
    assert_eq!(stopped, [true, false, false, false, false]);
}

#[tokio::test(start_paused = true)]
async fn a_position_at_which_somebody_stays_is_noted_once() {
    let mut scene = Scene::new();
    scene.answer(Ok(Some(job("a", "one", "e2e4", json!({})))));
    let passed = scene.asked().await;
    passed.tell(10, &[(1, "e7e5")]);
    sleep(SECOND * 4).await;
    scene.answer(Ok(Some(job("b", "one", "e2e4 e7e5", json!({})))));
    let stays = scene.asked().await;
    sleep(SECOND * 4).await;
    assert!(scene.stayed.try_recv().is_err());
    sleep(SECOND * 30).await;
    assert_eq!(scene.stayed.try_iter().collect::<Vec<_>>(), [stays.question.game]);
}

#[tokio::test(start_paused = true)]
async fn the_end_ends_everything_at_once() {
    let mut scene = Scene::new();
    scene.answer(Ok(Some(job("a", "one", "", json!({})))));
    let mut asked = scene.asked().await;
    asked.tell(10, &[(20, "e2e4")]);
    sleep(SECOND).await;
    let began = tokio::time::Instant::now();
    let (result, _) = scene.end().await;
    assert!(result.is_ok());
    assert_eq!(began.elapsed(), Duration::ZERO);
    tokio::task::yield_now().await;
    assert!(asked.is_stopped());
}
