//! The server's own names. A foreign page whose name is made to lead here (DNS rebinding) names
//! itself in `Host`, and is refused. A numeric address is no name: if a connection came to it, it
//! is allowed.

use std::net::{IpAddr, SocketAddr};

/// The names, with ports, of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hosts {
    names: Vec<String>,
}

impl Hosts {
    /// Names of a listening address, and the user's names, with a port or without.
    pub fn new(address: SocketAddr, named: &[String]) -> Hosts {
        let port = address.port();
        let mut bare = vec!["127.0.0.1".to_owned(), "localhost".to_owned(), "[::1]".to_owned()];
        bare.extend(Some(address.ip()).filter(|ip| !ip.is_unspecified()).map(in_address));
        let mut names: Vec<String> = bare.iter().map(|name| format!("{name}:{port}")).collect();
        for name in named.iter().map(|name| name.trim().to_ascii_lowercase()) {
            if !has_port(&name) {
                names.push(format!("{name}:{port}"));
            }
            names.push(name);
        }
        if port == 80 {
            names.extend(bare);
        }
        Hosts { names }
    }

    /// True if a `Host` names the server, on a connection that came to this address of the
    /// computer.
    pub fn has(&self, host: &str, came_to: Option<SocketAddr>) -> bool {
        self.names.iter().any(|name| name.eq_ignore_ascii_case(host))
            || came_to.is_some_and(|address| is_literally(host, address))
    }

    /// True if an `Origin` is a page of the server.
    pub fn is_own_origin(&self, origin: &str, came_to: Option<SocketAddr>) -> bool {
        let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        host.is_some_and(|host| self.has(host, came_to))
    }
}

/// True if a `Host` is an address as it is written in a URL.
fn is_literally(host: &str, address: SocketAddr) -> bool {
    let ip = in_address(address.ip().to_canonical());
    host == format!("{ip}:{}", address.port()) || address.port() == 80 && host == ip
}

/// As written in a URL.
pub fn in_address(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}

fn has_port(name: &str) -> bool {
    let port = name.rsplit_once(':').map(|(_, port)| port);
    port.is_some_and(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(address: &str, named: &[&str]) -> Hosts {
        let named: Vec<String> = named.iter().map(|name| (*name).to_owned()).collect();
        Hosts::new(address.parse().unwrap(), &named)
    }

    #[test]
    fn loopback_and_named_hosts_are_known_and_no_others() {
        let hosts = hosts("127.0.0.1:7373", &["Chess.local", "tunnel:8000"]);
        for host in [
            "127.0.0.1:7373",
            "localhost:7373",
            "LOCALHOST:7373",
            "[::1]:7373",
            "chess.local:7373",
            "chess.local",
            "tunnel:8000",
        ] {
            assert!(hosts.has(host, None), "{host}");
        }
        for host in [
            "",
            "localhost",
            "localhost:80",
            "127.0.0.1:7374",
            "127.0.0.1.evil.example:7373",
            "evil.example:7373",
            "localhost:7373.evil.example",
            "tunnel:7373",
            "0.0.0.0:7373",
        ] {
            assert!(!hosts.has(host, None), "{host}");
        }
    }

    #[test]
    fn only_the_connected_address_is_known() {
        let hosts = hosts("0.0.0.0:7373", &[]);
        let came_to = |address: &str| Some(address.parse().unwrap());
        for (host, address) in [
            ("192.168.1.20:7373", "192.168.1.20:7373"),
            ("192.168.1.20:7373", "[::ffff:192.168.1.20]:7373"),
            ("[fd00::20]:7373", "[fd00::20]:7373"),
            ("10.0.0.2", "10.0.0.2:80"),
        ] {
            assert!(hosts.has(host, came_to(address)), "{host}");
            assert!(hosts.is_own_origin(&format!("http://{host}"), came_to(address)), "{host}");
            assert!(!hosts.has(host, None), "{host}");
        }
        for host in [
            "192.168.1.21:7373",
            "192.168.1.20",
            "192.168.1.20:80",
            "192.168.1.20.evil.example:7373",
            "evil.example:7373",
            "0.0.0.0:7373",
            "",
        ] {
            assert!(!hosts.has(host, came_to("192.168.1.20:7373")), "{host}");
        }
    }

    #[test]
    fn only_a_page_of_a_known_host_is_an_own_origin() {
        let hosts = hosts("0.0.0.0:7373", &["chess.local"]);
        assert!(hosts.is_own_origin("http://localhost:7373", None));
        assert!(hosts.is_own_origin("https://chess.local", None));
        for origin in [
            "null",
            "",
            "http://",
            "http://localhost",
            "file://",
            "ftp://localhost:7373",
            "http://evil.example:7373",
            "http://localhost:7373/",
            "localhost:7373",
        ] {
            assert!(!hosts.is_own_origin(origin, None), "{origin}");
        }
    }
}
