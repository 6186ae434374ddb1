//! Ports that stay a test's own while its server is away.

use std::net::{TcpListener, UdpSocket};
use std::sync::atomic::{AtomicU16, Ordering};

/// Below the ports that the system gives out itself: neither another server nor a connection of
/// another program can get one of them while its server starts or is away.
const FIRST: u16 = 20_000;
const COUNT: u16 = 10_000;

/// A port of this computer that no other test has.
pub struct OwnPort {
    pub number: u16,
    /// Tests, those in other processes too, know by it that the port is taken.
    _mark: UdpSocket,
}

impl OwnPort {
    /// A free one.
    pub fn take() -> OwnPort {
        static NEXT: AtomicU16 = AtomicU16::new(0);
        let from = u16::try_from(std::process::id() % u32::from(COUNT)).expect("a small number");
        let mut numbers = (0..COUNT)
            .map(|_| FIRST + (from + NEXT.fetch_add(1, Ordering::Relaxed) % COUNT) % COUNT);
        numbers.find_map(OwnPort::of).expect("a free port")
    }

    fn of(number: u16) -> Option<OwnPort> {
        let mark = UdpSocket::bind(("127.0.0.1", number)).ok()?;
        // Some program that is no test may listen there.
        TcpListener::bind(("127.0.0.1", number)).ok()?;
        Some(OwnPort { number, _mark: mark })
    }
}
