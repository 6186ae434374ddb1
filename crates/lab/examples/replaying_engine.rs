//! A wrapper for measurements: runs another UCI engine behind a cache of its answers, and holds
//! each answer back until a given time after `go`.
//!
//! `replaying_engine --delay-ms 50 --cache FOLDER -- stockfish`: repeated searches are answered
//! from the folder, so that two cores can play sixteen engines. Without `--cache` every search is
//! the engine's own, and `--delay-ms` is added to it.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::io::{BufRead, BufReader, Lines, StdinLock, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

#[derive(Debug, clap::Parser)]
struct Args {
    /// Until the answer is given away.
    #[arg(long, default_value_t = 50)]
    delay_ms: u64,
    /// Where answers are kept.
    #[arg(long)]
    cache: Option<PathBuf>,
    /// The engine.
    #[arg(required = true, last = true)]
    engine: Vec<String>,
}

/// The engine behind, started at its first search that is not in the cache.
struct Engine {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Engine {
    fn start(command: &[String]) -> std::io::Result<Engine> {
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().ok_or(std::io::ErrorKind::BrokenPipe)?;
        let output = child.stdout.take().ok_or(std::io::ErrorKind::BrokenPipe)?;
        Ok(Engine { child, input, output: BufReader::new(output).lines() })
    }

    /// Sends lines and returns the output up to a line that begins with `last`.
    fn ask(&mut self, text: &str, last: &str) -> std::io::Result<String> {
        self.input.write_all(text.as_bytes())?;
        let mut answer = String::new();
        for line in self.output.by_ref() {
            let line = line?;
            answer += &line;
            answer.push('\n');
            if line.starts_with(last) {
                return Ok(answer);
            }
        }
        Err(std::io::ErrorKind::UnexpectedEof.into())
    }
}

struct Wrapper {
    args: Args,
    engine: Option<Engine>,
    /// The options, to be repeated to an engine that starts late.
    options: String,
    position: String,
}

impl Wrapper {
    fn engine(&mut self) -> std::io::Result<&mut Engine> {
        if self.engine.is_none() {
            let mut engine = Engine::start(&self.args.engine)?;
            engine.ask("uci\n", "uciok")?;
            engine.input.write_all(self.options.as_bytes())?;
            self.engine = Some(engine);
        }
        self.engine.as_mut().ok_or_else(|| std::io::ErrorKind::NotFound.into())
    }

    /// The answer of the engine, from the cache if there.
    fn search(&mut self, go: &str) -> std::io::Result<String> {
        let ask = format!("ucinewgame\n{}\n{go}\n", self.position);
        let Some(folder) = self.args.cache.clone() else {
            return self.engine()?.ask(&ask, "bestmove");
        };
        let mut hasher = DefaultHasher::new();
        (&self.options, &self.args.engine, &ask).hash(&mut hasher);
        let file = folder.join(format!("{:016x}", hasher.finish()));
        if let Ok(answer) = std::fs::read_to_string(&file) {
            return Ok(answer);
        }
        let answer = self.engine()?.ask(&ask, "bestmove")?;
        let half = folder.join(format!("{:016x}.{}", hasher.finish(), std::process::id()));
        std::fs::write(&half, &answer)?;
        std::fs::rename(half, file)?;
        Ok(answer)
    }

    /// The engine's introduction; a start takes it a third of a second.
    fn introduce(&self) -> std::io::Result<String> {
        let file = self.args.cache.as_ref().map(|folder| folder.join("uci"));
        if let Some(answer) = file.as_ref().and_then(|f| std::fs::read_to_string(f).ok()) {
            return Ok(answer);
        }
        let mut engine = Engine::start(&self.args.engine)?;
        let answer = engine.ask("uci\n", "uciok")?;
        engine.child.kill()?;
        engine.child.wait()?;
        if let Some(file) = file {
            std::fs::write(file, &answer)?;
        }
        Ok(answer)
    }

    fn go(&mut self, go: &str) -> std::io::Result<String> {
        let delay = Duration::from_millis(self.args.delay_ms);
        let began = Instant::now();
        let answer = self.search(go)?;
        let rest = match self.args.cache {
            Some(_) => delay.saturating_sub(began.elapsed()),
            None => delay,
        };
        std::thread::sleep(rest);
        Ok(answer)
    }

    fn serve(&mut self, input: Lines<StdinLock<'_>>) -> std::io::Result<()> {
        for line in input {
            let line = line?;
            let answer = match line.split(' ').next() {
                Some("uci") => self.introduce()?,
                Some("isready") => "readyok\n".to_owned(),
                Some("setoption") => {
                    self.options += &format!("{line}\n");
                    continue;
                }
                Some("position") => {
                    self.position = line;
                    continue;
                }
                Some("go") => self.go(&line)?,
                Some("quit") => break,
                _ => continue,
            };
            let mut output = std::io::stdout().lock();
            output.write_all(answer.as_bytes())?;
            output.flush()?;
        }
        Ok(())
    }
}

fn main() -> std::io::Result<()> {
    let args: Args = clap::Parser::parse();
    if let Some(folder) = &args.cache {
        std::fs::create_dir_all(folder)?;
    }
    let mut wrapper =
        Wrapper { args, engine: None, options: String::new(), position: String::new() };
    let served = wrapper.serve(std::io::stdin().lock().lines());
    if let Some(mut engine) = wrapper.engine {
        engine.child.kill()?;
        engine.child.wait()?;
    }
    served
}
