//! By which addresses others reach this computer.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

/// Somebody in each network that this computer may be in: the internet or the way there, private networks, those of VPNs.
const OTHERS: [IpAddr; 7] = [
    IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)),
    IpAddr::V4(Ipv4Addr::new(192, 168, 255, 254)),
    IpAddr::V4(Ipv4Addr::new(10, 255, 255, 254)),
    IpAddr::V4(Ipv4Addr::new(172, 31, 255, 254)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 100)),
    IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, 1)),
];

/// The addresses from which the system would speak to others, each once, those of version 6 where they are listened on,
/// too. Nothing is sent.
pub fn own_addresses(with_ipv6: bool) -> Vec<IpAddr> {
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
    // A datagram socket only looks the way up.
    socket.connect((other, 9)).ok()?;
    Some(socket.local_addr().ok()?.ip())
}
