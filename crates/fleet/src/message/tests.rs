use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;
use deepanalyze_core::chess::{Score, parse_fen, parse_uci};
use deepanalyze_core::search::{Answer, Limit, Search, WinDrawLoss};
use deepanalyze_engine::{LongEnd, LongSearch};

fn token(text: &str) -> Token {
    Token::try_from(text.to_owned()).unwrap()
}

fn asked() -> LimitedSearch {
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";
    let excluded = ["g8f6", "f8c5"].map(|word| parse_uci(word).unwrap()).to_vec();
    LimitedSearch {
        search: Search { position: parse_fen(fen).unwrap(), excluded },
        limit: Limit::Nodes(9),
    }
}

fn job() -> Job {
    let (id, grower, engine) = (token("run-1"), token("g"), token("e"));
    Job { id, grower, engine, asked: asked(), long: None }
}

fn reply() -> JobReply {
    let pv = ["f8e7", "e1g1"].map(|word| parse_uci(word).unwrap()).to_vec();
    let (best, score, time) = (pv[0], Score::Cp(-12), Duration::from_micros(1234));
    let wdl = WinDrawLoss::new(120, 810, 70);
    let answer = Answer { best, score, wdl, depth: 3, seldepth: 5, nodes: 9, time, pv };
    let outcome = Outcome::Answered(answer);
    JobReply { id: token("run-1"), engine: token("e"), worker: token("w"), asked: asked(), outcome }
}

#[test]
fn what_is_written_is_read_again() {
    assert_eq!(decode::<Job>(&encode(&job())), Ok(job()));
    assert_eq!(decode::<JobReply>(&encode(&reply())), Ok(reply()));
    let order = Order::Cancel { grower: token("g"), jobs: vec![token("run-1")] };
    assert_eq!(decode::<Order>(&encode(&order)), Ok(order));
    assert!(encode(&job()).len() < 400, "messages are small");
}

#[test]
fn long_search_round_trips_without_clock() {
    let (now, minute) = (Instant::now(), Duration::from_secs(60));
    let end = LongEnd::Until(now + minute);
    let until = LongSearch { search: asked().search, end, threads: 1 };
    let of = Job { long: Some(LongPart::of(&until, now)), ..job() };
    let bytes = encode(&of);
    assert_eq!(decode::<Job>(&bytes), Ok(of.clone()));
    let read = of.long.unwrap().search(asked(), now + 5 * minute);
    let LongEnd::Until(end) = read.end else { panic!() };
    assert!(end > now + 5 * minute && end < now + 6 * minute, "a bit before its time");
    let text = String::from_utf8(bytes).unwrap();
    for (part, other) in [
        ("\"for\":59750", "\"for\":18446744073709551615"),
        ("\"for\":59750", "\"at\":{\"depth\":0}"),
        ("\"end\":", "\"rehearsal\":[],\"end\":"),
    ] {
        assert!(text.contains(part), "{text}");
        assert!(decode::<Job>(text.replace(part, other).as_bytes()).is_err(), "{other}");
    }
}

#[test]
fn other_version_and_excess_length_are_named_errors() {
    let text = String::from_utf8(encode(&job())).unwrap();
    let newer = text.replace("\"v\":5", "\"v\":6,\"more\":{}");
    assert_eq!(decode::<Job>(newer.as_bytes()), Err(MessageError::Version(6)));
    let long = vec![b' '; 10_000_000];
    assert_eq!(decode::<Job>(&long), Err(MessageError::TooLong(10_000_000)));
}

#[test]
fn jobs_that_cannot_be_searched_are_refused() {
    let text = String::from_utf8(encode(&job())).unwrap();
    for (part, other) in [
        ("\"nodes\":9", "\"nodes\":0"),
        ("\"nodes\":9", "\"depth\":0"),
        ("\"nodes\":9", "\"depth\":256"),
        ("g8f6", "g8f5"),
        ("KQkq", "XXxx"),
        ("run-1", "run.1"),
        ("run-1", "deepanalyze.>"),
        ("\"g\"", "\"\""),
        ("\"id\"", "\"run\":\"rm -rf /\",\"id\""),
    ] {
        assert!(text.contains(part), "{part}");
        let message = text.replace(part, other);
        assert!(decode::<Job>(message.as_bytes()).is_err(), "{message}");
    }
    let over = text.replace("g8f6 f8c5", "").replace(
        "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq",
        "7k/5KQ1/8/8/8/8/8/8 b -",
    );
    assert!(matches!(decode::<Job>(over.as_bytes()), Err(MessageError::Garbage(_))), "{over}");
}

#[test]
fn names_like_a_text_can_stand_in_a_subject() {
    for text in ["big.home", "ü >*", "", &"x".repeat(500)] {
        let like = Token::like(text).unwrap();
        assert_eq!(Token::try_from(like.as_str().to_owned()), Ok(like));
    }
    assert_ne!(Token::digest(["ab", "c"]), Token::digest(["a", "bc"]));
}

fn state() -> WorkerState {
    let said = r#"{"worker":"w","name":"big","engine":"e","engine_name":"Engine","options":{"Hash":"64"},
        "engines":4,"takes":5,"busy":3,"jobs":["run-1"],"answered":1,"failed":0,"faults":0,"nodes":9,"seconds":3}"#;
    serde_json::from_str(said).unwrap()
}

#[test]
fn bad_numbers_are_refused_and_texts_are_printable() {
    let text = String::from_utf8(encode(&state())).unwrap();
    for (part, other) in [
        ("\"takes\":5", "\"takes\":1000000000000"),
        ("\"takes\":5", "\"takes\":18446744073709551615"),
        ("\"engines\":4", "\"engines\":1025"),
        ("\"busy\":3", "\"busy\":-1"),
    ] {
        assert!(text.contains(part), "{text}");
        assert!(decode::<WorkerState>(text.replace(part, other).as_bytes()).is_err(), "{other}");
    }
    let options: Vec<String> = (0..2000).map(|n| format!("\"{n}\":\"1\"")).collect();
    let many = text.replace("\"Hash\":\"64\"", &options.join(","));
    assert!(decode::<WorkerState>(many.as_bytes()).is_err());
    let many = format!("[{}]", vec!["\"run-1\""; 5000].join(","));
    assert!(decode::<WorkerState>(text.replace("[\"run-1\"]", &many).as_bytes()).is_err());
    let rude = text.replace("big", &format!("\\u001b[2J{}", "x".repeat(10_000)));
    let name = decode::<WorkerState>(rude.as_bytes()).unwrap().name;
    assert!(name.starts_with(" [2Jx") && name.chars().count() == 500, "{name}");
    let error = decode::<WorkerState>(b"{\"v\":1,\"m\":{\"\\u001b[2J\":1}}").unwrap_err();
    assert!(!error.to_string().contains('\u{1b}'), "{error}");
}

proptest! {
    #[test]
    fn mangled_messages_are_read_or_refused(
        at in 0_usize..400, with in any::<u8>(), cut in 0_usize..400,
    ) {
        for mut bytes in [encode(&job()), encode(&reply()), encode(&state())] {
            let length = bytes.len();
            if let Some(byte) = bytes.get_mut(at % length) {
                *byte = with;
            }
            bytes.truncate(length - cut.min(length) % 3);
            let _ = (decode::<Job>(&bytes), decode::<JobReply>(&bytes), decode::<Order>(&bytes));
            let _ = decode::<WorkerState>(&bytes);
        }
    }
}
