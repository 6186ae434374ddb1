//! A broker, workers and growers of one test.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::support::ports::OwnPort;
use crate::support::program::{Place, signal, stderr};
use crate::support::readers::installed;
use crate::support::{scripted, wait_until};

/// Arguments of all growers: they grow the same tree everywhere.
const TREE: [&str; 6] = ["--engine-depth", "5", "--depth", "3", "--distance", "20"];

/// A process that ends with its test.
pub struct Running(pub Child);

impl Running {
    /// Sends a signal.
    pub fn signal(&self, name: &str) {
        signal(self.0.id().into(), name);
    }

    /// Ends it as a power cut does.
    pub fn kill(mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }

    /// Waits until it has said all of this; what it said until then.
    pub fn says(&mut self, words: &[&str]) -> String {
        let mut said = String::new();
        let pipe = self.0.stderr.as_mut().unwrap();
        // Nothing of what comes later is taken.
        let mut line = Vec::new();
        while !words.iter().all(|word| said.contains(word)) {
            let mut byte = [0];
            assert_ne!(std::io::Read::read(pipe, &mut byte).unwrap(), 0, "{said}");
            line.push(byte[0]);
            if byte == *b"\n" {
                said.push_str(&String::from_utf8_lossy(&line));
                line.clear();
            }
        }
        said
    }

    /// Waits for its own end; what it has said then.
    pub fn ends(mut self) -> (bool, String) {
        let mut said = String::new();
        if let Some(mut pipe) = self.0.stderr.take() {
            std::io::Read::read_to_string(&mut pipe, &mut said).unwrap();
        }
        (self.0.wait().unwrap().success(), said)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A stopped process hears nothing else.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A broker and its folder.
pub struct House {
    pub place: Place,
    port: OwnPort,
    settings: String,
    server: Option<Running>,
}

impl House {
    /// A broker that lets everybody in; nothing where none is installed.
    pub fn new() -> Option<House> {
        House::with("")
    }

    /// A broker with these lines in its configuration.
    pub fn with(settings: &str) -> Option<House> {
        if !installed("nats-server", &["--version"]) {
            return None;
        }
        let (place, port, settings) = (Place::new(), OwnPort::take(), settings.to_owned());
        let mut house = House { place, port, settings, server: None };
        house.start_server();
        Some(house)
    }

    /// Starts the broker where it was.
    pub fn start_server(&mut self) {
        let (store, file) = (self.storage(), self.place.path("nats.conf"));
        let text = format!(
            "listen: \"127.0.0.1:{}\"\njetstream {{ store_dir: {store:?} }}\n{}\n",
            self.port.number, self.settings
        );
        std::fs::write(&file, text).unwrap();
        let mut command = Command::new("nats-server");
        command.arg("-c").arg(file).stdin(Stdio::null()).stdout(Stdio::null());
        let log = std::fs::File::create(self.place.path("nats.log")).unwrap();
        self.server = Some(Running(command.stderr(log).spawn().unwrap()));
        let address = ("127.0.0.1", self.port.number);
        wait_until("the broker listens", || TcpStream::connect(address).is_ok());
    }

    /// Ends the broker as a power cut does.
    pub fn kill_server(&mut self) {
        self.server.take().into_iter().for_each(Running::kill);
    }

    /// The broker's process.
    pub fn server(&self) -> &Running {
        self.server.as_ref().unwrap()
    }

    /// Where the broker keeps its queues.
    pub fn storage(&self) -> PathBuf {
        self.place.path("jetstream")
    }

    /// A connection to the broker.
    pub fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port.number)).unwrap()
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port.number)
    }

    /// Publishes as any client could.
    pub fn publish(&self, subject: &str, payload: &[u8]) {
        self.speak(&format!("PUB {subject}"), payload, "PONG");
    }

    /// Asks the broker itself; what it says.
    pub fn request(&self, subject: &str, payload: &str) -> String {
        let asked = format!("SUB answer 1\r\nPUB {subject} answer");
        self.speak(&asked, payload.as_bytes(), "\"type\"")
    }

    /// Says something to the broker, and hears what it says until a word comes.
    fn speak(&self, what: &str, payload: &[u8], until: &str) -> String {
        let mut stream = self.connect();
        let head = format!("CONNECT {{\"verbose\":false}}\r\n{what} {}\r\n", payload.len());
        stream.write_all(&[head.as_bytes(), payload, b"\r\nPING\r\n"].concat()).unwrap();
        let mut said = String::new();
        let mut reader = BufReader::new(stream);
        while !said.contains(until) {
            assert_ne!(reader.read_line(&mut said).unwrap(), 0, "{said}");
        }
        said
    }

    /// A worker with two scripted engines with these flags, and more arguments.
    pub fn worker(&self, flags: &[&str], more: &[&str]) -> Running {
        let (engine, url) = (scripted(flags), self.url());
        let args = ["worker", "--fleet", &url, "--engine", &engine, "--engines", "2"];
        let mut command = self.place.command(&[&args, more].concat());
        command.stderr(Stdio::piped()).stdout(Stdio::null());
        Running(command.spawn().unwrap())
    }

    /// A grower in another place, with these flags of its scripted engine, and more arguments.
    pub fn grower(&self, place: &Place, flags: &[&str], more: &[&str]) -> Running {
        self.grower_with(place, &scripted(flags), more)
    }

    /// A grower with this engine.
    pub fn grower_with(&self, place: &Place, engine: &str, more: &[&str]) -> Running {
        let url = self.url();
        let args = ["grow", "--engine", engine, "--fleet", &url];
        let mut command = place.command(&[&args, &TREE[..], more].concat());
        command.stdout(Stdio::null());
        Running(command.spawn().unwrap())
    }

    /// A grower with an engine of its own, and no fleet.
    pub fn grower_alone(&self, place: &Place, more: &[&str]) -> Running {
        let args = ["grow", "--engine", &scripted(&[]), "--engines", "1"];
        let mut command = place.command(&[&args, &TREE[..], more].concat());
        command.stdout(Stdio::null());
        Running(command.spawn().unwrap())
    }
}

/// The tree of a root of a place, whatever was needed to grow it.
fn tree(place: &Place, root: &[&str]) -> String {
    let verified = place.run(&["verify"]);
    assert!(verified.status.success(), "{}", stderr(&verified));
    place.stdout(&[&["show", "--format", "csv"], root].concat())
}

/// The tree of a root must be the one that one engine grows alone.
pub fn same_tree(place: &Place, root: &[&str]) {
    let alone = Place::new();
    alone.grow(&[&TREE[2..], root].concat());
    assert_eq!(tree(place, root), tree(&alone, root));
}

/// How many answers a place has.
pub fn answers(place: &Place) -> usize {
    place.stored().len()
}

/// Waits for the end of a grower; its tree must equal that of one engine.
pub fn ends_with_the_same_tree(grower: Running, place: &Place) -> String {
    let (success, said) = grower.ends();
    assert!(success, "{said}");
    println!("{said}");
    same_tree(place, &[]);
    said
}
