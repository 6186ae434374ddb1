//! The listening address, and the addresses that open the page.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket};
use std::path::Path;

use deepanalyze_store::StoreError;

use super::guard::{AccessToken, Guard, in_address};

/// Reason why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Address {
        /// The address.
        address: SocketAddr,
        /// The error of the system.
        source: io::Error,
    },
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system gives no thread, no randomness, or the like.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl ServeError {
    /// True if the port is taken.
    pub fn is_taken(&self) -> bool {
        matches!(self, ServeError::Address { source, .. } if source.kind() == io::ErrorKind::AddrInUse)
    }
}

/// A listening address; no request is answered yet.
#[derive(Debug)]
pub struct Door {
    pub(super) listener: TcpListener,
    address: SocketAddr,
    pub(super) guard: Guard,
    token: AccessToken,
    hosts: Vec<String>,
}

impl Door {
    /// Listens on an address; `hosts` are further names for it. The token is stored in a file, so
    /// that open pages outlive the server.
    ///
    /// # Errors
    ///
    /// [`ServeError::Address`] if it fails, as when the port is taken.
    pub fn open(
        address: SocketAddr,
        hosts: Vec<String>,
        token_file: &Path,
    ) -> Result<Door, ServeError> {
        let failed = |source| ServeError::Address { address, source };
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let token = AccessToken::kept_in(token_file)?;
        let guard = Guard::new(address, &hosts, token.clone());
        Ok(Door { listener, address, guard, token, hosts })
    }

    /// The URL of the page, for the user.
    pub fn url(&self) -> String {
        self.url_with(&self.token)
    }

    /// A URL that opens the page once.
    ///
    /// # Errors
    ///
    /// If the system has no randomness.
    pub fn url_once(&self) -> io::Result<String> {
        Ok(self.url_with(&self.guard.open_once()?))
    }

    /// URLs for other devices of the network, if they can reach it: one for each address of this
    /// computer.
    pub fn urls_from_outside(&self) -> Vec<String> {
        let ip = self.address.ip();
        let ips = match ip {
            ip if ip.is_loopback() => Vec::new(),
            ip if ip.is_unspecified() => own_addresses(ip.is_ipv6()),
            ip => vec![ip],
        };
        ips.into_iter()
            .map(|ip| self.url_of(&self.with_port(&in_address(ip)), &self.token))
            .collect()
    }

    /// True if other computers can connect.
    pub fn is_open_to_others(&self) -> bool {
        !self.address.ip().is_loopback()
    }

    /// The port that is listened on.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    fn url_with(&self, token: &AccessToken) -> String {
        let ip = self.address.ip();
        let named = self.hosts.first().filter(|_| ip.is_unspecified());
        let host = match named {
            Some(name) if name.contains(':') => name.clone(),
            Some(name) => self.with_port(name),
            None if ip.is_unspecified() => self.with_port("127.0.0.1"),
            None => self.with_port(&in_address(ip)),
        };
        self.url_of(&host, token)
    }

    fn with_port(&self, host: &str) -> String {
        format!("{host}:{}", self.port())
    }

    fn url_of(&self, host: &str, token: &AccessToken) -> String {
        format!("http://{host}/?token={}", token.word())
    }
}

/// An address in each network that this computer may be in: the internet or the way there, private
/// networks, VPNs.
const OTHERS: [IpAddr; 7] = [
    IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)),
    IpAddr::V4(Ipv4Addr::new(192, 168, 255, 254)),
    IpAddr::V4(Ipv4Addr::new(10, 255, 255, 254)),
    IpAddr::V4(Ipv4Addr::new(172, 31, 255, 254)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 100)),
    IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, 1)),
];

/// The system's source addresses towards others, each once, with IPv6 if it is listened on. Nothing
/// is sent.
fn own_addresses(with_ipv6: bool) -> Vec<IpAddr> {
    let mut own: Vec<IpAddr> = Vec::new();
    for other in OTHERS.into_iter().filter(|other| with_ipv6 || other.is_ipv4()) {
        if let Some(address) = towards(other)
            && !address.is_loopback()
            && !address.is_unspecified()
            && !own.contains(&address)
        {
            own.push(address);
        }
    }
    own
}

fn towards(other: IpAddr) -> Option<IpAddr> {
    let any: IpAddr = match other {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((any, 0)).ok()?;
    // A datagram socket only looks up the route.
    socket.connect((other, 9)).ok()?;
    Some(socket.local_addr().ok()?.ip())
}
