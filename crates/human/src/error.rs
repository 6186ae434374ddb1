//! Errors of reading nets.

use std::io;
use std::path::PathBuf;

/// Error of reading a net from a file. The message names the file.
#[derive(Debug, thiserror::Error)]
pub enum NetError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file's contents are no net of Maia.
    #[error("{} is no net of Maia: {fault}", path.display())]
    Fault {
        /// The file.
        path: PathBuf,
        /// The fault of its contents.
        fault: Fault,
    },
}

/// The fault of contents that are no net of Maia.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// More bytes than any net of Maia has, compressed or not.
    #[error("it has more than {} MiB", .0 >> 20)]
    Size(usize),
    /// No gzip, or a damaged one.
    #[error("it is no gzip file, cut short or damaged: {0}")]
    Gzip(io::Error),
    /// Its contents are no message of protobuf.
    #[error("it is no file of Lc0, or damaged: {0}")]
    Protobuf(#[from] prost::DecodeError),
    /// A net of another kind.
    #[error("its {field} is {}, not {wanted} ({meaning})", shown(*value))]
    Kind {
        /// The field that tells nets apart, in words.
        field: &'static str,
        /// Its value; None if it is not there.
        value: Option<u32>,
        /// The value that the nets of Maia have.
        wanted: u32,
        /// The meaning of that value.
        meaning: &'static str,
    },
    /// Another number of residual blocks.
    #[error("it has {found} residual blocks, not {wanted}")]
    Blocks {
        /// The number in the file.
        found: usize,
        /// The number that the nets of Maia have.
        wanted: usize,
    },
    /// A layer of another size.
    #[error("{layer} have {} numbers, not {}", numbers(*bytes), numbers(*wanted))]
    Shape {
        /// The layer, in words.
        layer: String,
        /// The bytes in the file, two for a number.
        bytes: usize,
        /// The bytes in nets of Maia.
        wanted: usize,
    },
    /// A layer with infinite numbers, or without a number where one should be.
    #[error("{layer} are not all finite numbers")]
    Infinite {
        /// The layer, in words.
        layer: String,
    },
}

fn shown(value: Option<u32>) -> String {
    value.map_or_else(|| "missing".to_owned(), |value| value.to_string())
}

/// The number of 16-bit numbers in bytes, with commas: `36,864`, or `0.5` for a single byte.
fn numbers(bytes: usize) -> String {
    let mut text = (bytes / 2).to_string();
    let mut place = text.len();
    while place > 3 {
        place -= 3;
        text.insert(place, ',');
    }
    if !bytes.is_multiple_of(2) {
        text.push_str(".5");
    }
    text
}
