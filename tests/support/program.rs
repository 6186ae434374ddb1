//! The built program in a sealed place of its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex, OnceLock};

pub use super::SEALED;

/// A folder for one test: database, logs, home. Gone with the value.
pub struct Place {
    folder: tempfile::TempDir,
}

/// Databases by the arguments of `grow`.
type Grown = BTreeMap<Vec<String>, Arc<OnceLock<Arc<[u8]>>>>;

static GROWN: Mutex<Grown> = Mutex::new(BTreeMap::new());

/// A database with the tree of these arguments.
fn grown(args: &[&str]) -> Arc<[u8]> {
    let key = args.iter().map(|arg| (*arg).to_owned()).collect();
    let cell = GROWN.lock().expect("no test panics here").entry(key).or_default().clone();
    let grow = || {
        let place = Place::new();
        place.grow_here(args);
        assert_eq!(place.files(), ["tree.db"]);
        std::fs::read(place.db()).expect("a database").into()
    };
    Arc::clone(cell.get_or_init(grow))
}

impl Place {
    /// A new one.
    pub fn new() -> Place {
        Place { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The database that the program uses here.
    pub fn db(&self) -> PathBuf {
        self.path("tree.db")
    }

    /// The program with arguments, nothing of the caller's environment but PATH.
    pub fn command(&self, args: &[&str]) -> Command {
        self.command_of(Path::new(super::PROGRAM), args)
    }

    /// A command of another program in this place.
    pub fn command_of(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).env_clear().current_dir(self.folder.path());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("DEEPANALYZE_CONFIG", SEALED);
        command.env("HOME", self.folder.path()).env("DEEPANALYZE_DB", self.db());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the program to its end.
    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("the program runs")
    }

    /// Runs the program, which must succeed, and gives what it printed.
    pub fn stdout(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Grows a tree with a scripted engine at engine depth 5 and one process. A tree is a function of its arguments: in a
    /// place where there is nothing yet, those that several tests want are grown once.
    pub fn grow(&self, args: &[&str]) {
        if self.files().is_empty() {
            std::fs::write(self.db(), &*grown(args)).expect("a database")
        } else {
            self.grow_here(args)
        }
    }

    fn grow_here(&self, args: &[&str]) {
        let output = self.run_grow(args);
        assert!(output.status.success(), "grow {args:?}: {}", stderr(&output));
    }

    /// Grows as [`Place::grow`] does, whatever comes of it.
    pub fn run_grow(&self, args: &[&str]) -> Output {
        let engine = super::scripted(&[]);
        let always = ["grow", "--engine", &engine, "--engine-depth", "5", "--engines", "1"];
        self.run(&[&always, args].concat())
    }

    /// Runs statements on the database, behind the program's back.
    pub fn sql(&self, statements: &str) {
        let db = rusqlite::Connection::open(self.db()).expect("the database");
        db.execute_batch(statements).expect("the statements");
    }

    /// The names of all files here, in order.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).expect("the folder");
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<String> =
            entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Starts the program in a process group of its own, as a shell does.
    pub fn start(&self, args: &[&str]) -> Child {
        let mut command = self.command(args);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.stdout(Stdio::null());
        command.spawn().expect("the program starts")
    }

    /// Every stored answer: its position's EPD and its rank.
    pub fn stored(&self) -> std::collections::HashSet<(String, usize)> {
        if !self.db().exists() {
            return Default::default();
        }
        let db = rusqlite::Connection::open(self.db()).expect("the database");
        let tables = "SELECT count(*) FROM sqlite_schema WHERE name = 'search'";
        if db.query_row(tables, [], |row| row.get::<_, u32>(0)).expect("its schema") == 0 {
            return Default::default();
        }
        let sql = "SELECT epd, rank FROM search JOIN position ON position.id = search.position";
        let mut query = db.prepare(sql).expect("the query");
        let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.map(Result::unwrap).collect()
    }
}

/// Text on standard error.
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A standard error that takes no jobs more, and its other end.
#[cfg(unix)]
pub fn full() -> (std::os::fd::OwnedFd, std::os::unix::net::UnixStream) {
    use std::io::{ErrorKind, Write};
    let (reader, mut writer) = std::os::unix::net::UnixStream::pair().expect("a pair of sockets");
    writer.set_nonblocking(true).expect("a socket");
    // Where no large piece fits, a small one may.
    for piece in [&[b'.'; 4096][..], b"."] {
        while writer.write(piece).is_ok() {}
    }
    assert_eq!(writer.write(b".").expect_err("it is full").kind(), ErrorKind::WouldBlock);
    writer.set_nonblocking(false).expect("a socket");
    (writer.into(), reader)
}

/// Sends a signal to a process, or, with a negative number, to its group.
pub fn signal(pid: i64, name: &str) {
    let status = Command::new("kill").args(["-s", name, "--", &pid.to_string()]).status();
    assert!(status.expect("kill runs").success(), "kill -s {name} {pid}");
}

/// The whole lines of a scripted engine's log, without the sign in front; none without a file. A
/// line may be under way, and a kill may have cut one: the next begins right behind such a piece.
pub fn log_lines(log: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let ended = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
    ended.filter_map(|line| Some(line.rsplit_once('|')?.1.to_owned())).collect()
}

/// How many searches a scripted engine's log has.
pub fn searches(log: &Path) -> usize {
    log_lines(log).len()
}

/// Waits until a scripted engine's log has this many searches; false if the program has ended
/// before.
pub fn wait_for_searches(child: &mut Child, log: &Path, count: usize) -> bool {
    let mut ended = false;
    super::wait_until("searches", || {
        ended = child.try_wait().expect("its state").is_some();
        ended || searches(log) >= count
    });
    !ended
}

/// Waits for the program's end.
pub fn wait(child: &mut Child) -> std::process::ExitStatus {
    let mut status = None;
    super::wait_until("the program's end", || {
        status = child.try_wait().expect("its state");
        status.is_some()
    });
    status.expect("it has ended")
}

/// The `go`s in a scripted engine's log: the position's EPD, and the rank that the answer gets.
pub fn asked(log: &Path) -> Vec<(String, usize)> {
    log_lines(log)
        .into_iter()
        .map(|line| {
            let mut fields = line.split('\t');
            let epd = fields.next().expect("an EPD").to_owned();
            let searched = fields.nth(1).unwrap_or_default().split_whitespace().count();
            let position = deepanalyze_core::chess::parse_fen(&epd).expect("a legal position");
            let legal = deepanalyze_core::chess::legal_uci(&position).len();
            (epd, if searched == 0 { 0 } else { legal - searched })
        })
        .collect()
}
