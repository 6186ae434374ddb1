//! A queue that gives nothing to those who wait for it.

use super::house::{House, ends_with_the_same_tree};
use crate::support::program::Place;
use crate::support::wait_until;

#[test]
#[ignore = "slow: runs in .ci/run"]
fn stuck_queue_gets_new_readers() {
    let Some(house) = House::new() else { return };
    let place = Place::new();
    let mut grower = house.grower(&place, &[], &["--engines", "0"]);
    let mut engine = None;
    wait_until("the grower gives a sign of life", || {
        let seen = place.stdout(&["fleet", "--fleet", &house.url(), "--format", "json"]);
        let seen: serde_json::Value = serde_json::from_str(&seen).unwrap();
        engine = seen["growers"][0]["engine"].as_str().map(str::to_owned);
        engine.is_some()
    });
    // Readers of the workers' queue get the searches meant for an engine without a worker.
    let engine = engine.unwrap();
    let (stream, config) =
        ("deepanalyze-required", "\"ack_policy\":\"explicit\",\"max_waiting\":512");
    let subject = format!("$JS.API.CONSUMER.DURABLE.CREATE.{stream}.{engine}");
    let made = house.request(
        &subject,
        &format!(
            "{{\"stream_name\":\"{stream}\",\"config\":{{\"durable_name\":\"{engine}\",{config},\
              \"filter_subject\":\"deepanalyze.required.nobody.*\"}}}}"
        ),
    );
    assert!(made.contains("consumer_create_response") && !made.contains("\"error\""), "{made}");
    let _worker = house.worker(&[], &[]);
    grower.says(&["the server is not delivering jobs"]);
    ends_with_the_same_tree(grower, &place);
}
