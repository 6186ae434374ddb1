//! Parallel work on many items, with its results in their order: a tree of a million moves takes
//! more than a second to put into words.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::thread::{self, ScopedJoinHandle};

use crossbeam_channel::bounded;

/// Bytes of an item, nearly always.
const ROOM: usize = 64;
/// Items of a batch.
const BATCH: usize = 2048;
/// More threads would wait for the writer.
const MOST_THREADS: usize = 8;

/// Writes items to `out`, in order; `put` writes one of them.
///
/// # Errors
///
/// If `out` cannot be written.
pub fn write_in_order<T: Send>(
    things: impl Iterator<Item = T>,
    put: impl Fn(&T, &mut dyn Write) -> io::Result<()> + Sync,
    out: &mut dyn Write,
) -> io::Result<()> {
    let text = |batch: Vec<T>| {
        let mut text = Vec::with_capacity(batch.len() * ROOM);
        batch.iter().try_for_each(|thing| put(thing, &mut text)).map(|()| text)
    };
    in_order(things, text, |text| out.write_all(&text?))
}

/// Passes on the results of batches in order. A few items are not worth a thread.
///
/// # Errors
///
/// The first error of `take`.
pub fn in_order<T: Send, R: Send>(
    mut things: impl Iterator<Item = T>,
    work: impl Fn(Vec<T>) -> R + Sync,
    mut take: impl FnMut(R) -> io::Result<()>,
) -> io::Result<()> {
    let mut batches = std::iter::from_fn(|| {
        let batch: Vec<T> = things.by_ref().take(BATCH).collect();
        (!batch.is_empty()).then_some(batch)
    });
    let Some(first) = batches.next() else {
        return Ok(());
    };
    if first.len() < BATCH {
        return take(work(first));
    }
    let threads = thread::available_parallelism().map_or(1, |count| count.get().min(MOST_THREADS));
    let work = &work;
    thread::scope(|scope| {
        let mut busy = VecDeque::new();
        for batch in std::iter::once(first).chain(batches) {
            if busy.len() >= threads
                && let Some(oldest) = busy.pop_front()
            {
                take_from(oldest, &mut take)?;
            }
            // The batch stays here until a thread is free.
            let (give, given) = bounded(1);
            let thread = move || given.recv().ok().map(work);
            match thread::Builder::new().spawn_scoped(scope, thread) {
                Ok(thread) => {
                    let _ = give.send(batch);
                    busy.push_back(thread);
                }
                Err(_) => {
                    busy.drain(..).try_for_each(|oldest| take_from(oldest, &mut take))?;
                    take(work(batch))?;
                }
            }
        }
        busy.into_iter().try_for_each(|oldest| take_from(oldest, &mut take))
    })
}

/// Takes a thread's result for its batch; a thread without a batch has none.
fn take_from<R>(
    thread: ScopedJoinHandle<'_, Option<R>>,
    take: &mut impl FnMut(R) -> io::Result<()>,
) -> io::Result<()> {
    join(thread).map_or(Ok(()), take)
}

/// Joins a thread. A panic in it goes on here.
pub fn join<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(count: usize) -> String {
        let mut out = Vec::new();
        write_in_order(0..count, |number, out| write!(out, "{number},"), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn many_things_are_written_in_their_order() {
        for count in [0, 1, BATCH - 1, BATCH, BATCH + 1, 50 * BATCH + 7] {
            let right: String = (0..count).map(|number| format!("{number},")).collect();
            assert!(written(count) == right, "{count}");
        }
    }

    #[test]
    fn an_output_that_cannot_be_written_ends_the_work() {
        struct Full(usize);
        impl Write for Full {
            fn write(&mut self, text: &[u8]) -> io::Result<usize> {
                self.0 = self.0.checked_sub(text.len()).ok_or(io::ErrorKind::StorageFull)?;
                Ok(text.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        // Without a stop, this would go on for ever.
        let put = |number: &usize, out: &mut dyn Write| write!(out, "{number}");
        let error = write_in_order(0.., put, &mut Full(100 * BATCH)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
