//! The client of Lichess against a server that does everything that servers do.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::time::Duration;

use deepanalyze_lichess::{
    Addresses, Broker, Http, LichessBroker, LichessError, Registration, api, register,
};
use serde_json::json;
use tokio::sync::mpsc;

use crate::support::lichess::{ENGINES, Mock, Request, WORK, job};
use crate::support::ports::OwnPort;

const SECRET: &str = "a secret of many letters";

fn broker(mock: &Mock) -> LichessBroker {
    let url = mock.url();
    let addresses = Addresses::new(Some(&url), Some(&url)).unwrap();
    LichessBroker::new(Http::default(), addresses, SECRET.to_owned())
}

/// Result of a poll with this answer.
fn poll(
    answer: impl FnOnce(Request) + Send + 'static,
) -> Result<Option<api::BoardJob>, LichessError> {
    let mock = Mock::start();
    let broker = broker(&mock);
    let server = std::thread::spawn(move || answer(mock.expect("POST", WORK)));
    let result = runtime().block_on(broker.acquire());
    server.join().unwrap();
    result
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

#[test]
fn a_poll_has_the_secret_and_brings_a_job_or_nothing() {
    let job = poll(|request| {
        assert_eq!(request.json(), json!({ "providerSecret": SECRET }));
        assert_eq!(request.header("content-type"), Some("application/json"));
        assert_eq!(request.header("authorization"), None, "the token is not for the broker");
        request.answer(200, &[], &job("job1", "one", "e2e4", &json!({})).to_string());
    });
    assert_eq!(job.unwrap().unwrap().id.as_str(), "job1");
    assert!(poll(|request| request.answer(204, &[], "")).unwrap().is_none());
}

#[test]
fn refusals_say_what_they_are_and_when_to_come_again() {
    let refused = |status: u16, headers: &'static [(&str, &str)], body: &'static str| {
        poll(move |request| request.answer(status, headers, body)).unwrap_err()
    };
    let error = refused(429, &[("Retry-After", "7")], r#"{"error": "Too many requests"}"#);
    assert_eq!(error.wants_rest(), Some(Duration::from_secs(7)));
    assert!(error.to_string().ends_with("answers 429 (Too many requests)"), "{error}");
    let error = refused(503, &[], "<html>busy</html>");
    assert!(error.may_pass() && error.to_string().ends_with("answers 503"), "{error}");
    let error = refused(302, &[("Location", "http://127.0.0.1:1/")], "");
    assert_eq!(error.status(), Some(302), "nobody is followed with a secret");
    assert!(!refused(403, &[], "no").may_pass());
}

#[test]
fn broken_answers_are_errors_that_may_pass() {
    let mut errors = vec![
        poll(|request| request.answer(200, &[], "no JSON")),
        poll(|request| request.answer(200, &[], r#"{"id": "../x", "work": {}}"#)),
        poll(|request| request.answer(200, &[], &format!("\"{}\"", "x".repeat(1 << 20)))),
        poll(|request| request.answer_raw(b"")),
        poll(|request| request.answer_raw(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{")),
        poll(|request| request.answer_raw(b"what is this?\r\n\r\n")),
    ];
    // A port without a listener.
    let closed = OwnPort::take();
    let url = format!("http://127.0.0.1:{}", closed.number);
    let addresses = Addresses::new(None, Some(&url)).unwrap();
    let nobody = LichessBroker::new(Http::default(), addresses, SECRET.to_owned());
    errors.push(runtime().block_on(nobody.acquire()));
    for error in errors {
        let error = error.unwrap_err();
        assert!(error.may_pass() && error.status().is_none(), "{error}");
        assert!(error.to_string().contains("127.0.0.1"), "{error}");
        assert!(!error.to_string().contains(SECRET), "{error}");
    }
}

#[test]
fn answer_starts_before_and_ends_with_its_lines() {
    let (mock, runtime) = (Mock::start(), runtime());
    let broker = broker(&mock);
    let (lines, pieces) = mpsc::channel(1);
    let server = std::thread::spawn(move || {
        // The head is here before there is any line.
        let mut stream = mock.expect("POST", &format!("{WORK}/job1"));
        lines.blocking_send("info one\n".to_owned()).unwrap();
        assert_eq!(stream.piece().as_deref(), Some("info one\n"));
        lines.blocking_send("info two\n".to_owned()).unwrap();
        assert_eq!(stream.piece().as_deref(), Some("info two\n"));
        drop(lines);
        assert_eq!(stream.piece(), None);
        stream.answer(200, &[], "");
    });
    let id = serde_json::from_value(json!("job1")).unwrap();
    assert_eq!(runtime.block_on(broker.answer(&id, pieces)), Ok(()));
    server.join().unwrap();
}

#[test]
fn brokers_early_end_is_noticed_while_sending() {
    for (status, ends_well) in [(Some(200), true), (Some(404), false), (None, false)] {
        let (mock, runtime) = (Mock::start(), runtime());
        let broker = broker(&mock);
        let (lines, pieces) = mpsc::channel(1);
        let server = std::thread::spawn(move || {
            let mut stream = mock.expect("POST", &format!("{WORK}/job1"));
            match status {
                // It reads no more, and leaves the connection open.
                Some(status) => {
                    stream.answer_early(status, &[], "enough");
                    Some(stream)
                }
                None => None,
            }
        });
        let id = serde_json::from_value(json!("job1")).unwrap();
        let result = runtime.block_on(broker.answer(&id, pieces));
        assert_eq!(result.is_ok(), ends_well, "{result:?}");
        drop((lines, server.join().unwrap()));
    }
}

/// Result of registering at a server that does this.
fn registration(serve: impl FnOnce(&Mock) + Send + 'static) -> Result<(), LichessError> {
    let mock = Mock::start();
    let addresses = Addresses::new(Some(&mock.url()), None).unwrap();
    let server = std::thread::spawn(move || serve(&mock));
    let what = Registration {
        name: "my tree".to_owned(),
        threads: 8,
        hash: 16,
        secret: SECRET.to_owned(),
    };
    let result = runtime().block_on(register(&Http::default(), &addresses, "lip_token", &what));
    server.join().unwrap();
    result
}

#[test]
fn an_engine_is_registered_once_under_its_name() {
    let form = json!({ "name": "my tree", "maxThreads": 8, "maxHash": 16, "variants": ["chess"],
        "providerSecret": SECRET });
    let new = registration({
        let form = form.clone();
        move |mock| {
            let list = mock.expect("GET", ENGINES);
            assert_eq!(list.header("authorization"), Some("Bearer lip_token"));
            let other = json!([{ "id": "eei_0", "name": "another", "maxThreads": 1 }]);
            list.answer(200, &[], &other.to_string());
            let post = mock.expect("POST", ENGINES);
            assert_eq!(post.header("authorization"), Some("Bearer lip_token"));
            assert_eq!(post.json(), form);
            post.answer(201, &[], r#"{"id": "eei_1"}"#);
        }
    });
    assert_eq!(new, Ok(()));
    let known = registration(move |mock| {
        let list = json!([{ "id": "eei_1", "name": "my tree" }]).to_string();
        mock.expect("GET", ENGINES).answer(200, &[], &list);
        let put = mock.expect("PUT", &format!("{ENGINES}/eei_1"));
        assert_eq!(put.json(), form);
        put.answer(200, &[], "{}");
    });
    assert_eq!(known, Ok(()));
}

#[test]
fn deleted_engine_is_registered_again() {
    let again = registration(|mock| {
        let list = json!([{ "id": "eei_1", "name": "my tree" }]).to_string();
        mock.expect("GET", ENGINES).answer(200, &[], &list);
        mock.expect("PUT", &format!("{ENGINES}/eei_1")).answer(404, &[], "");
        mock.expect("POST", ENGINES).answer(200, &[], "{}");
    });
    assert_eq!(again, Ok(()));
    for status in [400, 401, 403, 409] {
        let refused = registration(move |mock| {
            mock.expect("GET", ENGINES).answer(200, &[], "[]");
            mock.expect("POST", ENGINES).answer(status, &[], r#"{"error": "No such token"}"#);
        });
        let error = refused.unwrap_err();
        assert!(!error.may_pass() && error.to_string().contains("No such token"), "{error}");
    }
}
