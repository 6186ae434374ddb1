//! Members of a fleet that name subjects for others to publish at: these are ignored.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use super::house::{House, ends_with_the_same_tree};
use crate::support::program::Place;
use crate::support::{LONG, wait_until};

/// A client that says what it likes.
pub struct Client {
    stream: TcpStream,
    reader: BufReader<TcpStream>,
}

impl Client {
    /// One that the broker knows by these words of its CONNECT.
    pub fn new(house: &House, login: &str) -> Client {
        let stream = house.connect();
        stream.set_read_timeout(Some(LONG)).unwrap();
        let reader = BufReader::new(stream.try_clone().unwrap());
        let mut client = Client { stream, reader };
        client.say(&format!("CONNECT {{\"verbose\":false{login}}}"));
        client
    }

    pub fn say(&mut self, line: &str) {
        self.stream.write_all(format!("{line}\r\n").as_bytes()).unwrap();
    }

    /// Publishes garbage that is to be answered there.
    fn asks(&mut self, subject: &str, answer_to: &str) {
        self.say(&format!("PUB {subject} {answer_to} 7\r\ngarbage"));
    }

    /// All lines until one has these words.
    pub fn until(&mut self, words: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            assert_ne!(self.reader.read_line(&mut line).unwrap(), 0, "{lines:?}");
            lines.push(line.trim_end().to_owned());
            if line.contains(words) {
                return lines;
            }
        }
    }
}

/// Makes a stream that is not the fleet's.
fn make_other_stream(house: &House) {
    let config = "{\"name\":\"other\",\"subjects\":[\"other.>\"]}";
    let made = house.request("$JS.API.STREAM.CREATE.other", config);
    assert!(!made.contains("\"error\""), "{made}");
}

#[test]
fn grower_confirms_only_to_the_sender_s_inbox() {
    let Some(house) = House::new() else { return };
    make_other_stream(&house);
    let place = Place::new();
    let (log, gate) = (house.place.path("log"), house.place.path("gate"));
    // The tree is not done before the hostile worker has spoken.
    let flags = ["--log", log.to_str().unwrap(), "--fault", "held:logged=20", "--gate"];
    let _worker = house.worker(&[&flags[..], &[gate.to_str().unwrap()]].concat(), &[]);
    let mut grower = house.grower(&place, &[], &["--engines", "0"]);
    wait_until("searches", || crate::support::program::searches(&log) >= 20);
    let seen = place.stdout(&["fleet", "--fleet", &house.url(), "--format", "json"]);
    let seen: serde_json::Value = serde_json::from_str(&seen).unwrap();
    let name = seen["growers"][0]["grower"].as_str().unwrap();
    let subject = format!("deepanalyze.answer.{name}.w");

    let mut hostile = Client::new(&house, "");
    let victims = ["_INBOX.grower.x", "_INBOX.worker.other.x", "_INBOX.x", "deepanalyze.order"];
    ["_INBOX.worker.w.>"].iter().chain(&victims).enumerate().for_each(|(number, subject)| {
        hostile.say(&format!("SUB {subject} {number}"));
    });
    let of_streams = ["other", "deepanalyze-required", "deepanalyze-guess"].into_iter();
    let deletes = of_streams.flat_map(|stream| {
        ["DELETE", "PURGE"].map(|what| format!("$JS.API.STREAM.{what}.{stream}"))
    });
    for answer_to in deletes.chain(victims.map(str::to_owned)) {
        hostile.asks(&subject, &answer_to);
    }
    // Answers are taken in their order: with this one all are.
    hostile.asks(&subject, "_INBOX.worker.w.last");
    let heard = hostile.until("MSG _INBOX.worker.w.last");
    let empty: Vec<&String> =
        heard.iter().filter(|line| line.starts_with("MSG") && line.ends_with(" 0")).collect();
    assert_eq!(empty, ["MSG _INBOX.worker.w.last 0 0"]);

    let said = grower.says(&["a message of the fleet is refused", "is to be confirmed at"]);
    std::fs::write(&gate, "").unwrap();
    let said = said + &ends_with_the_same_tree(grower, &place);
    assert!(!said.contains("the server takes no searches"), "{said}");
    let other = house.request("$JS.API.STREAM.INFO.other", "");
    assert!(!other.contains("\"error\""), "{other}");
}

#[test]
fn worker_acknowledges_only_its_queues() {
    let Some(house) = House::new() else { return };
    let mut hostile = Client::new(&house, "");
    let asks_for_jobs = "$JS.API.CONSUMER.MSG.NEXT.deepanalyze-required.*";
    hostile.say(&format!("SUB {asks_for_jobs} 0"));
    hostile.say("SUB victim 1");
    let mut worker = house.worker(&[], &[]);
    let asked = hostile.until("MSG $JS.API.CONSUMER.MSG.NEXT");
    let inbox = asked.last().unwrap().split(' ').nth(3).unwrap().to_owned();
    hostile.asks(&inbox, "victim");
    // It asks for another job when it has done with this one.
    let heard = hostile.until("MSG $JS.API.CONSUMER.MSG.NEXT");
    assert!(!heard.iter().any(|line| line.starts_with("MSG victim")), "{heard:?}");
    worker.says(&["a job that does not come from its queue"]);
}
