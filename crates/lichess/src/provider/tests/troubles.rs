//! A broker that fails in every way.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep};

use super::super::{Troubles, patiently, wait};
use super::fake::{Scene, job, status};
use crate::{LichessError, Say};

#[tokio::test(start_paused = true)]
async fn without_work_the_next_poll_waits_a_minimum() {
    let scene = Scene::new();
    sleep(Duration::from_secs(25)).await;
    assert_eq!(scene.between_polls(), [10.0, 10.0], "a long poll is its own rest");
    for _ in 0..5 {
        scene.answer(Ok(None));
    }
    sleep(Duration::from_secs(10)).await;
    let hasty = scene.between_polls();
    assert!(hasty[2..].iter().all(|pause| *pause >= 1.0), "{hasty:?}");
    assert!(scene.told().is_empty());
}

#[tokio::test(start_paused = true)]
async fn failures_wait_longer_and_longer_and_are_told_once() {
    let scene = Scene::new();
    let lost = LichessError::Unreachable { host: "broker".to_owned(), why: "reset".to_owned() };
    for error in [status(502, None), status(502, None), status(502, None), lost.clone(), lost] {
        scene.answer(Err(error));
    }
    scene.answer(Ok(None));
    sleep(Duration::from_secs(60)).await;
    let waits = scene.between_polls();
    for (wait, whole) in waits.iter().zip([1.0, 2.0, 4.0, 8.0, 16.0]) {
        assert!((whole / 2.0..=whole).contains(wait), "{waits:?}");
    }
    assert_eq!(
        scene.told(),
        [
            "broker answers 502; trying again in 1 s".to_owned(),
            format!("broker cannot be reached: reset; trying again in {} s", waits[3] as u64),
            "Lichess answers again".to_owned(),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn too_many_requests_are_followed_by_the_asked_rest() {
    let scene = Scene::new();
    scene.answer(Err(status(429, Some(30))));
    scene.answer(Err(status(429, None)));
    scene.answer(Ok(None));
    sleep(Duration::from_secs(120)).await;
    let waits = scene.between_polls();
    assert!((30.0..=31.0).contains(&waits[0]) && (60.0..=61.0).contains(&waits[1]), "{waits:?}");
}

#[tokio::test(start_paused = true)]
async fn what_will_not_pass_ends_the_provider() {
    for number in [400, 401, 403, 422] {
        let scene = Scene::new();
        scene.answer(Err(status(number, None)));
        assert_eq!(scene.ended().await, Err(status(number, None)));
    }
}

#[tokio::test(start_paused = true)]
async fn garbage_is_retried_and_work_under_way_goes_on() {
    let mut scene = Scene::new();
    scene.answer(Ok(Some(job("a", "one", "", json!({})))));
    let mut asked = scene.asked().await;
    let (host, why) = ("broker".to_owned(), "no JSON".to_owned());
    scene.answer(Err(LichessError::Garbage { host, why }));
    scene.answer(Err(status(500, None)));
    asked.tell(10, &[(20, "e2e4")]);
    sleep(Duration::from_secs(30)).await;
    assert!(!asked.is_stopped() && scene.blocks("a").len() > 5);
    scene.answer(Ok(Some(job("b", "one", "e2e4", json!({})))));
    assert_eq!(scene.asked().await.question.game.moves().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn patient_retry_ends_in_success_or_lasting_failure() {
    let told = Arc::new(Mutex::new(0));
    let say: Say = {
        let told = Arc::clone(&told);
        Arc::new(move |_| *told.lock().unwrap() += 1)
    };
    let mut results = vec![Ok(7), Err(status(503, None)), Err(status(503, None))];
    let began = Instant::now();
    let seven = patiently(&say, || std::future::ready(results.pop().unwrap())).await;
    assert_eq!((seven, *told.lock().unwrap()), (Ok(7), 2), "trouble, and its end");
    assert!(began.elapsed() >= Duration::from_millis(1500));
    let refused = patiently(&say, || std::future::ready(Err::<(), _>(status(401, None)))).await;
    assert_eq!(refused, Err(status(401, None)));
}

fn seconds(failures: u32, wanted: Option<u64>, share: f64) -> f64 {
    wait(failures, wanted.map(Duration::from_secs), share).as_secs_f64()
}

#[test]
fn waits_double_up_to_a_minute() {
    let waits: Vec<f64> = (0..9).map(|failures| seconds(failures, None, 0.0)).collect();
    assert_eq!(waits, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]);
    assert_eq!(seconds(u32::MAX, None, 0.0), 60.0);
    assert_eq!(seconds(3, None, 1.0), 4.0);
}

#[test]
fn what_is_asked_for_is_kept_up_to_an_hour() {
    assert_eq!(seconds(0, Some(30), 0.0), 30.0);
    assert_eq!(seconds(0, Some(30), 1.0), 31.0);
    assert_eq!(seconds(6, Some(3), 0.0), 60.0);
    assert_eq!(seconds(0, Some(u64::MAX), 0.0), 3600.0);
}

#[test]
fn a_success_begins_anew() {
    let said = Arc::new(Mutex::new(Vec::new()));
    let say: Say = {
        let said = Arc::clone(&said);
        Arc::new(move |words| said.lock().unwrap().push(words))
    };
    let mut troubles = Troubles::new(&say);
    troubles.are_over();
    assert_eq!(said.lock().unwrap().len(), 0, "there were none");
    for _ in 0..10 {
        troubles.come(&status(500, None));
    }
    assert!(troubles.come(&status(500, None)) >= Duration::from_secs(30));
    troubles.are_over();
    assert_eq!(said.lock().unwrap().len(), 2, "each kind once, and the end");
    assert!(troubles.come(&status(500, None)) <= Duration::from_secs(1));
}
