//! A stand-in for lichess.org and its broker: what it is asked comes to the test, which answers.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use super::LONG;

/// A server on this computer.
pub struct Mock {
    address: SocketAddr,
    requests: Receiver<Request>,
}

/// Somebody asks, and waits.
pub struct Request {
    pub method: String,
    pub path: String,
    headers: Vec<(String, String)>,
    reader: BufReader<TcpStream>,
    is_chunked: bool,
    /// The part of a body of a known length received so far.
    pub body: Vec<u8>,
}

impl Mock {
    /// Listens.
    pub fn start() -> Mock {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address");
        let (sender, requests) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let sender = sender.clone();
                std::thread::spawn(move || {
                    // A connection without a request is ignored.
                    if let Some(request) = Request::read(stream) {
                        let _ = sender.send(request);
                    }
                });
            }
        });
        Mock { address, requests }
    }

    /// Its address, for the site and for the broker.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The next request.
    pub fn next(&self) -> Request {
        self.requests.recv_timeout(LONG).expect("a request in time")
    }

    /// The next request, which must be this one.
    pub fn expect(&self, method: &str, path: &str) -> Request {
        let request = self.next();
        assert_eq!((request.method.as_str(), request.path.as_str()), (method, path));
        request
    }

    /// The next request of this kind; polls before it get the answer that there is no work.
    pub fn wait_for(&self, method: &str, path: &str) -> Request {
        loop {
            let request = self.next();
            if request.method == method && request.path == path {
                return request;
            }
            assert_eq!(request.path, WORK, "{} is not expected", request.path);
            request.answer(204, &[], "");
        }
    }

    /// Takes the registration of an engine that is not there yet; gives what it is registered with. A poll of a
    /// provider that has ended may still be waiting.
    pub fn register(&self) -> Value {
        self.wait_for("GET", ENGINES).answer(200, &[], "[]");
        let form = self.wait_for("POST", ENGINES);
        let sent = form.json();
        form.answer(200, &[], &json!({ "id": "eei_1", "name": sent["name"] }).to_string());
        sent
    }

    /// Hands out a job to the next poll, and returns the stream of its answer.
    pub fn hand_out(&self, id: &str, session: &str, moves: &str, more: &Value) -> Request {
        let job = job(id, session, moves, more);
        self.wait_for("POST", WORK).answer(200, &[], &job.to_string());
        self.wait_for("POST", &format!("{WORK}/{id}"))
    }
}

pub const ENGINES: &str = "/api/external-engine";
pub const WORK: &str = "/api/external-engine/work";

/// A job as the broker has it; `more` becomes a part of its work.
pub fn job(id: &str, session: &str, moves: &str, more: &Value) -> Value {
    let mut work = json!({
        "sessionId": session, "threads": 4, "hash": 128, "multiPv": 3, "variant": "chess",
        "initialFen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "moves": moves.split_whitespace().collect::<Vec<_>>(), "movetime": 86_400_000,
    });
    for (key, value) in more.as_object().expect("an object") {
        work[key] = value.clone();
    }
    let engine = json!({ "id": "eei_1", "name": "deepanalyze", "clientSecret": "ees_1",
        "userId": "mary", "maxThreads": 4, "maxHash": 16, "variants": ["chess"] });
    json!({ "id": id, "work": work, "engine": engine })
}

impl Request {
    fn read(stream: TcpStream) -> Option<Request> {
        stream.set_read_timeout(Some(LONG)).ok()?;
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let mut words = line.split(' ').map(str::to_owned);
        let (method, path) = (words.next()?, words.next()?);
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            headers.push((name.to_lowercase(), value.trim().to_owned()));
        }
        let mut request =
            Request { method, path, headers, reader, is_chunked: false, body: Vec::new() };
        request.is_chunked = request.header("transfer-encoding") == Some("chunked");
        let length = request.header("content-length").and_then(|length| length.parse().ok());
        if let Some(length) = length {
            request.body = vec![0; length];
            request.reader.read_exact(&mut request.body).ok()?;
        }
        Some(request)
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    /// The next piece of a body that comes in pieces; none at its end, or where the connection is closed.
    pub fn piece(&mut self) -> Option<String> {
        assert!(self.is_chunked, "a body in pieces");
        let mut line = String::new();
        self.reader.read_line(&mut line).ok()?;
        let length = usize::from_str_radix(line.trim(), 16).ok().filter(|length| *length > 0)?;
        let mut piece = vec![0; length + 2];
        self.reader.read_exact(&mut piece).ok()?;
        piece.truncate(length);
        Some(String::from_utf8(piece).expect("UTF-8"))
    }

    /// Answers, and goes on reading nothing.
    pub fn answer(mut self, status: u16, headers: &[(&str, &str)], body: &str) {
        self.answer_early(status, headers, body);
    }

    /// Answers, while the body may still be coming.
    pub fn answer_early(&mut self, status: u16, headers: &[(&str, &str)], body: &str) {
        let mut text = format!("HTTP/1.1 {status} Said\r\nConnection: close\r\n");
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if status != 204 {
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        let text = text + "\r\n" + body;
        // The client may have left.
        let _ = self.reader.get_mut().write_all(text.as_bytes());
    }

    /// Sends bytes as they are, and closes the connection.
    pub fn answer_raw(mut self, bytes: &[u8]) {
        let _ = self.reader.get_mut().write_all(bytes);
    }
}
