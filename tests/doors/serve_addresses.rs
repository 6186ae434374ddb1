//! By which addresses `deepanalyze serve` is reached.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

#[cfg(target_os = "linux")]
use std::io::{BufRead, BufReader, Write};

use crate::support::program::Place;
use crate::support::serving::Server;
#[cfg(target_os = "linux")]
use crate::support::serving::read_answer;

use super::serve::SMALL;

#[cfg(target_os = "linux")]
#[test]
fn own_addresses_reach_a_server_on_all() {
    let place = Place::new();
    let server = Server::start(&place, &[], &[SMALL, &["--listen", "0.0.0.0"]].concat());
    let port = server.port;
    let bearer = format!("Bearer {}", server.token);
    // Every address of this block is this computer's.
    let status = |address: &str, host: &str| {
        let mut stream = std::net::TcpStream::connect((address, port)).unwrap();
        let head = format!(
            "GET /api/server HTTP/1.1\r\nHost: {host}\r\nAuthorization: {bearer}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        read_answer(&mut BufReader::new(stream)).unwrap().status
    };
    assert_eq!(status("127.0.0.2", &format!("127.0.0.2:{port}")), 200);
    assert_eq!(status("127.0.0.2", &format!("127.0.0.3:{port}")), 403, "it came to another");
    assert_eq!(status("127.0.0.2", &format!("evil.example:{port}")), 403);
    assert_eq!(status("127.0.0.2", "127.0.0.2:1"), 403);
}

#[cfg(target_os = "linux")]
#[test]
fn listening_on_all_prints_addresses_and_needs() {
    let place = Place::new();
    let engine = crate::support::scripted(&[]);
    let told = |listen: &str, lines: usize| -> Vec<String> {
        let words = ["serve", "--port", "0", "--engine", &engine, "--listen", listen];
        let mut child = place.command(&words).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let told = out.lines().take(lines).map(Result::unwrap).collect();
        child.kill().unwrap();
        child.wait().unwrap();
        told
    };
    assert!(told("127.0.0.1", 1)[0].starts_with("deepanalyze serve: http://127.0.0.1:"));
    // The address by which the system speaks to the way out, where there is one.
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").unwrap();
    let own = socket.connect("192.0.2.1:9").and_then(|()| socket.local_addr());
    let own = own.ok().map(|own| own.ip().to_string());
    let told = told("0.0.0.0", 2);
    match own.filter(|own| own != "127.0.0.1") {
        Some(own) => {
            let outside = format!("on other devices: http://{own}:");
            assert!(told[1].starts_with(&outside) && told[1].contains("/?token="), "{told:?}");
        }
        None => assert!(told[1].contains("`--host NAME`"), "{told:?}"),
    }
}

#[test]
fn a_port_that_is_taken_is_told_with_what_helps() {
    let place = Place::new();
    let server = Server::start(&place, &[], SMALL);
    let port = server.port.to_string();
    let engine = crate::support::scripted(&[]);
    let second = place.run(&["serve", "--port", &port, "--engine", &engine]);
    let told = String::from_utf8_lossy(&second.stderr).into_owned();
    assert_eq!(second.status.code(), Some(1), "{told}");
    assert!(told.contains("cannot listen on") && told.contains("--port 0"), "{told}");
}
