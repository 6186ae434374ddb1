//! A running `deepanalyze serve`, and a client that sends any bytes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::LONG;
use super::contract::{check_answer, check_event};
use super::program::{Place, signal, wait};

/// A server in a place of its own; it is killed when this is dropped.
pub struct Server {
    child: Child,
    pub port: u16,
    pub token: String,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| {
            panic!("{} {error}: {}", self.status, String::from_utf8_lossy(&self.body))
        })
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

impl Server {
    /// Starts a server with a scripted engine of these flags, and waits for its address.
    pub fn start(place: &Place, engine: &[&str], more: &[&str]) -> Server {
        Server::start_with(place, engine, more, |_| ())
    }

    /// Starts a command that is changed before.
    pub fn start_with(
        place: &Place,
        engine: &[&str],
        more: &[&str],
        change: impl FnOnce(&mut Command),
    ) -> Server {
        let engine = super::scripted(engine);
        let always = ["serve", "--port", "0", "--engine", &engine];
        let mut command = place.command(&[&always, more].concat());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        change(command.stderr(Stdio::inherit()));
        let mut child = command.spawn().expect("the server starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("its output");
        BufReader::new(out).read_line(&mut line).expect("its address");
        let url = line.trim().strip_prefix("deepanalyze serve: ").expect("an address");
        let (host, token) = url.split_once("/?token=").expect("a token");
        let port = host.rsplit_once(':').expect("a port").1.parse().expect("a number");
        Server { child, port, token: token.to_owned() }
    }

    /// A new connection.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        stream.set_read_timeout(Some(LONG)).expect("a timeout");
        stream
    }

    /// Its own name.
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Sends bytes as they are, and gives the answer.
    pub fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = self.connect();
        stream.write_all(request).expect("it is sent");
        read_answer(&mut BufReader::new(stream)).expect("an answer")
    }

    /// Sends a request with these headers and no others but `Host`, if they have none. The answer is held against the
    /// contract.
    pub fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) -> Answer {
        let answer = self.raw(self.head(method, path, headers, body).as_bytes());
        check_answer(method, path, &answer);
        answer
    }

    /// Sends a file with these headers.
    pub fn send_bytes(&self, path: &str, headers: &[(&str, &str)], file: &[u8]) -> Answer {
        let length = file.len().to_string();
        let headers = [headers, &[("Content-Length", length.as_str())]].concat();
        let head = self.head("POST", path, &headers, None);
        let answer = self.raw(&[head.as_bytes(), file].concat());
        check_answer("POST", path, &answer);
        answer
    }

    fn head(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) -> String {
        let mut text = format!("{method} {path} HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text.push_str(&format!("Host: {}\r\n", self.host()));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(body) = body {
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        text.push_str("Connection: close\r\n\r\n");
        text + body.unwrap_or_default()
    }

    /// Sends a script's request: the token, and JSON.
    pub fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let bearer = format!("Bearer {}", self.token);
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        let text = body.map(Value::to_string);
        self.request(method, path, &headers, text.as_deref())
    }

    /// Reads something that is there.
    pub fn get(&self, path: &str) -> Value {
        let answer = self.ask("GET", path, None);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.json()
    }

    /// Sends something that is taken.
    pub fn send(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.ask(method, path, Some(body));
        assert!([200, 201].contains(&answer.status), "{path}: {}", answer.text());
        answer.json()
    }

    /// Listens to the stream of events.
    pub fn events(&self, after: Option<&str>) -> Events {
        let path = match after {
            Some(after) => format!("/api/events?after={after}"),
            None => "/api/events".to_owned(),
        };
        let bearer = format!("Bearer {}", self.token);
        let head = self.head("GET", &path, &[("Authorization", &bearer)], None);
        let mut stream = self.connect();
        stream.write_all(head.as_bytes()).expect("it is sent");
        let mut reader = BufReader::new(stream);
        let (status, _) = read_head(&mut reader).expect("a head");
        assert_eq!(status, 200);
        Events { reader, text: String::new() }
    }

    /// Waits until something holds of a root.
    pub fn wait_for(&self, id: i64, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let mut root = json!(null);
        super::wait_until(what, || {
            std::thread::sleep(Duration::from_millis(50));
            root = self.get(&format!("/api/analyses/{id}"));
            holds(&root)
        });
        root
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its standard error, if piped.
    pub fn errors(&mut self) -> ChildStderr {
        self.child.stderr.take().expect("a pipe")
    }

    /// Presses Ctrl-C, and waits for the end.
    #[cfg(unix)]
    pub fn interrupt(&mut self) -> ExitStatus {
        signal(i64::from(self.child.id()), "INT");
        wait(&mut self.child)
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> ExitStatus {
        wait(&mut self.child)
    }

    /// Kills it at once.
    pub fn kill(&mut self) -> ExitStatus {
        self.child.kill().expect("it is killed");
        wait(&mut self.child)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A stream of events.
pub struct Events {
    reader: BufReader<TcpStream>,
    text: String,
}

/// An event.
#[derive(Debug, Clone)]
pub struct Event {
    pub id: String,
    pub kind: String,
    pub data: Value,
}

impl Events {
    /// The next event; none where the stream has ended.
    pub fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let field = |name: &str| {
                    let line = block.lines().find_map(|line| line.strip_prefix(name));
                    line.map(str::to_owned)
                };
                let event = field("event: ").map(|kind| Event {
                    id: field("id: ").expect("an id"),
                    kind,
                    data: serde_json::from_str(&field("data: ").expect("data")).expect("JSON"),
                });
                self.text = rest.to_owned();
                match &event {
                    Some(Event { kind, data, .. }) => check_event(kind, data),
                    None => continue,
                }
                return event;
            }
            let chunk = read_chunk(&mut self.reader)?;
            self.text.push_str(&String::from_utf8(chunk).expect("UTF-8"));
        }
    }

    /// The next event of a kind that is as wanted.
    pub fn wait(&mut self, kind: &str, holds: impl Fn(&Value) -> bool) -> Event {
        loop {
            let event = self.next().expect("the stream goes on");
            if event.kind == kind && holds(&event.data) {
                return event;
            }
        }
    }
}

/// Reads a whole answer; none where the connection ends before it.
pub fn read_answer(reader: &mut impl BufRead) -> Option<Answer> {
    let (status, headers) = read_head(reader)?;
    let header = |name: &str| {
        let found = headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.clone())
    };
    let mut body = Vec::new();
    if header("transfer-encoding").is_some() {
        while let Some(chunk) = read_chunk(reader) {
            body.extend(chunk);
        }
    } else if let Some(length) = header("content-length").and_then(|n| n.parse::<u64>().ok()) {
        reader.take(length).read_to_end(&mut body).ok()?;
    }
    Some(Answer { status, headers, body })
}

fn read_head(reader: &mut impl BufRead) -> Option<(u16, Vec<(String, String)>)> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let status = line.split(' ').nth(1)?.parse().ok()?;
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            return Some((status, headers));
        };
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
}

/// A piece of a body that comes in pieces; none at its end.
fn read_chunk(reader: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let length = u64::from_str_radix(line.trim(), 16).ok().filter(|length| *length > 0)?;
    let mut chunk = Vec::new();
    reader.by_ref().take(length).read_to_end(&mut chunk).ok()?;
    reader.read_line(&mut line).ok()?;
    Some(chunk)
}
