//! Ways into `deepanalyze serve` that are none, over the network as an attacker has it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::io::{BufReader, Read, Write};

use serde_json::json;

use crate::support::program::Place;
use crate::support::serving::{Server, read_answer};

const JSON: (&str, &str) = ("Content-Type", "application/json");

fn server(place: &Place) -> Server {
    Server::start(place, &[], &["--engines", "1", "--engine-depth", "5"])
}

#[test]
fn who_has_no_token_gets_nothing() {
    let place = Place::new();
    let server = server(&place);
    for path in ["/", "/app.js", "/api/server", "/api/analyses", "/api/events", "/no/such/thing"] {
        let cookie = format!("deepanalyze_{}=0123456789abcdef", server.port);
        for headers in [
            &[][..],
            &[("Authorization", "Bearer 0123456789abcdef")],
            &[("Authorization", "Basic eDp5")],
            &[("Cookie", cookie.as_str())],
        ] {
            let answer = server.request("GET", path, headers, None);
            assert_eq!(answer.status, 401, "{path} {headers:?}");
            assert!(!answer.text().contains(&server.token));
        }
    }
    let wrong = server.request("GET", "/?token=0123", &[], None);
    assert_eq!((wrong.status, wrong.header("set-cookie")), (401, None));
}

#[test]
fn printed_address_sets_a_cookie_of_this_server() {
    let place = Place::new();
    let server = server(&place);
    let path = format!("/?token={}", server.token);
    let welcome = server.request("GET", &path, &[], None);
    // No redirection: a browser that comes from another site would follow it without the cookie.
    assert_eq!((welcome.status, welcome.header("location")), (200, None));
    let refresh = "<meta http-equiv=\"refresh\" content=\"0;url=/\">";
    assert!(welcome.text().contains(refresh) && !welcome.text().contains(&server.token));
    assert_eq!(welcome.header("content-type"), Some("text/html; charset=utf-8"));
    let cookie = welcome.header("set-cookie").unwrap().to_owned();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let cookie = cookie.split(';').next().unwrap();
    let page = server.request("GET", "/", &[("Cookie", cookie)], None);
    assert_eq!(page.status, 200);
    let old = server.request("GET", "/?token=0123", &[("Cookie", cookie)], None);
    assert_eq!((old.status, old.text()), (200, page.text()), "an old address");
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
    assert_eq!(page.header("access-control-allow-origin"), None);
    let own = format!("http://{}", server.host());
    let body = json!({ "start": false }).to_string();
    let write = |headers: &[(&str, &str)]| {
        server
            .request("POST", "/api/analyses", &[&[JSON][..], headers].concat(), Some(&body))
            .status
    };
    assert_eq!(write(&[("Cookie", cookie), ("Origin", &own)]), 201);
    for origin in ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"] {
        assert_eq!(write(&[("Cookie", cookie), ("Origin", origin)]), 403, "{origin}");
    }
    assert_eq!(write(&[("Cookie", cookie)]), 403, "a cookie without an origin");
    let bearer = format!("Bearer {}", server.token);
    assert_eq!(write(&[("Authorization", &bearer)]), 200, "a script");
    assert_eq!(write(&[("Authorization", &bearer), ("Origin", "http://evil.example")]), 403);
}

#[test]
fn who_calls_it_by_another_name_is_turned_away() {
    let place = Place::new();
    let server = server(&place);
    let bearer = format!("Bearer {}", server.token);
    let own = [format!("localhost:{}", server.port), format!("[::1]:{}", server.port)];
    for host in &own {
        let headers = [("Host", host.as_str()), ("Authorization", &bearer)];
        assert_eq!(server.request("GET", "/api/server", &headers, None).status, 200, "{host}");
    }
    let rebound = format!("evil.example:{}", server.port);
    for host in [rebound.as_str(), "evil.example", "127.0.0.1", "", "localhost:1"] {
        let headers = [("Host", host), ("Authorization", &bearer)];
        assert_eq!(server.request("GET", "/api/server", &headers, None).status, 403, "{host}");
    }
    let absolute = format!(
        "GET http://evil.example/api/server HTTP/1.1\r\nHost: {}\r\nAuthorization: {bearer}\r\n\
         Connection: close\r\n\r\n",
        server.host()
    );
    assert_eq!(server.raw(absolute.as_bytes()).status, 403);
    let twice = format!(
        "GET /api/server HTTP/1.1\r\nHost: {0}\r\nHost: {0}\r\nAuthorization: {bearer}\r\n\
         Connection: close\r\n\r\n",
        server.host()
    );
    assert!([400, 403].contains(&server.raw(twice.as_bytes()).status));
    let none = format!("GET /api/server HTTP/1.0\r\nAuthorization: {bearer}\r\n\r\n");
    assert_eq!(server.raw(none.as_bytes()).status, 403);
}

#[test]
fn forms_and_large_bodies_are_refused() {
    let place = Place::new();
    let server = server(&place);
    let bearer = format!("Bearer {}", server.token);
    let post = |kind: &str, body: &str| {
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", kind)];
        server.request("POST", "/api/analyses", &headers, Some(body)).status
    };
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        assert_eq!(post(kind, "{\"start\":false}"), 415, "{kind}");
    }
    assert_eq!(post("application/json", "{\"start\":"), 400);
    assert_eq!(post("application/json", "[]"), 400);
    assert_eq!(post("application/json", &"[".repeat(100_000)), 400, "deeply nested");
    let declared = |path: &str, length: u64| {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: {bearer}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n",
            server.host()
        );
        server.raw(head.as_bytes()).status
    };
    assert_eq!(declared("/api/analyses/1/directives", (1 << 20) + 1), 413);
    assert_eq!(declared("/api/pgn", (64 << 20) + 1), 413);
    // Nor where it does not say how long it is.
    let mut stream = server.connect();
    let head = format!(
        "POST /api/analyses/1/run HTTP/1.1\r\nHost: {}\r\nAuthorization: {bearer}\r\n\
         Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        server.host()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let piece = format!("10000\r\n{{{}\r\n", " ".repeat(0xffff));
    // The server may close the connection while this is sent.
    let _ = (0..20).try_for_each(|_| stream.write_all(piece.as_bytes()));
    let answer = read_answer(&mut BufReader::new(stream));
    assert!(answer.is_none_or(|answer| answer.status == 413));
}

#[test]
fn no_request_names_a_program_or_a_file() {
    let place = Place::new();
    let server = server(&place);
    for key in ["engine", "command", "engines", "option", "options", "file", "db", "path", "log"] {
        let body = json!({ key: "touch /tmp/x", "start": false });
        let answer = server.ask("POST", "/api/analyses", Some(&body));
        assert_eq!(answer.status, 400, "{key}");
        assert!(answer.text().contains(&format!("unknown field `{key}`")), "{}", answer.text());
    }
    let answer = server.ask("GET", "/api/analyses/1/export?format=json&output=/tmp/x", None);
    assert_eq!(answer.status, 400);
    assert!(!place.db().with_extension("json").exists());
    let shown = server.get("/api/server").to_string();
    assert!(!shown.contains(place.path("").to_str().unwrap()), "{shown}");
}

#[test]
fn there_is_no_way_to_the_file_system() {
    let place = Place::new();
    let server = server(&place);
    for path in [
        "/../Cargo.toml",
        "/../../../../etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/app.js/../openapi.json",
        "//etc/passwd",
        "/api/../../etc/passwd",
        "/tree.db",
        "/tree.db-token",
        "/%00",
    ] {
        let answer = server.ask("GET", path, None);
        assert!([400, 404].contains(&answer.status), "{path}: {}", answer.status);
    }
    for (method, path) in [("PUT", "/app.js"), ("DELETE", "/"), ("POST", "/api/server")] {
        assert_eq!(server.ask(method, path, Some(&json!({}))).status, 405, "{method} {path}");
    }
    let trace = server.ask("TRACE", "/api/server", None);
    assert!([405, 415].contains(&trace.status), "{}", trace.status);
}

#[test]
fn names_and_notes_are_text() {
    let place = Place::new();
    let server = server(&place);
    let name = "<img src=x onerror=alert(1)>\u{1b}[31m\"";
    let new = json!({ "name": name, "start": false });
    let root = server.send("POST", "/api/analyses", &new);
    assert_eq!(root["name"], "<img src=x onerror=alert(1)> [31m\"");
    let id = root["id"].as_i64().unwrap();
    let note = "</script><script>alert(1)</script>\nid: 9\nevent: reset\n\n";
    let said = json!({ "line": "e4", "action": "note", "text": note });
    server.send("POST", &format!("/api/analyses/{id}/directives"), &said);
    let answer = server.ask("GET", &format!("/api/analyses/{id}/directives"), None);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.json()["directives"][0]["text"], note.trim());
    let html = server.ask("GET", &format!("/api/analyses/{id}/export?format=html"), None);
    assert_eq!(html.status, 200, "{}", html.text());
    assert!(html.header("content-disposition").unwrap().starts_with("attachment"));
}

#[test]
fn idle_connections_lock_no_client_out() {
    let place = Place::new();
    let server = server(&place);
    let idle: Vec<_> = (0..50).map(|_| server.connect()).collect();
    assert_eq!(server.ask("GET", "/api/server", None).status, 200);
    // Heads that never end.
    let slow: Vec<_> = (0..150)
        .map(|_| {
            let mut stream = server.connect();
            stream.write_all(b"GET /api/server HTTP/1.1\r\nHost: ").unwrap();
            stream
        })
        .collect();
    assert_eq!(server.ask("GET", "/api/server", None).status, 200);
    drop((idle, slow));
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn a_connection_without_a_request_is_closed() {
    let place = Place::new();
    let server = server(&place);
    let mut stream = server.connect();
    let mut nothing = [0; 1];
    assert_eq!(stream.read(&mut nothing).unwrap_or(0), 0, "the server closes it");
}

#[test]
fn excess_requests_are_refused_strangers_first() {
    let place = Place::new();
    let server = server(&place);
    let mut stream = server.connect();
    let head = |bearer: &str| {
        format!(
            "GET /api/server HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {bearer}\r\n\r\n",
            server.host()
        )
    };
    // One behind the other without a pause, however busy the machine is.
    let mut refused = |bearer: &str, count: usize| {
        stream.write_all(head(bearer).repeat(count).as_bytes()).unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let statuses = (0..count).map(|_| read_answer(&mut reader).unwrap().status);
        statuses.filter(|status| *status == 429).count()
    };
    let token = server.token.clone();
    assert!(refused("wrong", 300) > 0, "strangers");
    assert_eq!(refused(&token, 20), 0, "nobody else pays for that");
    assert!(refused(&token, 300) > 0, "but there is a bound for all");
}

#[test]
fn streams_are_few() {
    let place = Place::new();
    let server = server(&place);
    let streams: Vec<_> = (0..16).map(|_| server.events(None)).collect();
    assert_eq!(server.ask("GET", "/api/events", None).status, 429);
    drop(streams);
}

#[cfg(unix)]
#[test]
fn stuck_readers_do_not_delay_the_end() {
    let place = Place::new();
    let mut server = server(&place);
    let mut listening = server.events(None);
    assert_eq!(listening.next().unwrap().kind, "hello");
    let mut slow = server.connect();
    let bearer = format!("Bearer {}", server.token);
    let head = format!(
        "POST /api/analyses HTTP/1.1\r\nHost: {}\r\nAuthorization: {bearer}\r\n\
         Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{",
        server.host()
    );
    slow.write_all(head.as_bytes()).unwrap();
    let began = std::time::Instant::now();
    assert_eq!(server.interrupt().code(), Some(130));
    // Two seconds, and what a busy machine adds to them.
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
    while listening.next().is_some() {}
}

#[test]
fn bodies_that_trickle_in_leave_room_for_others() {
    let kinds = [
        ("/api/analyses", "application/json", 1_000_000),
        ("/api/pgn", "application/x-chess-pgn", 60_000_000),
        ("/api/merges?name=a.db", "application/vnd.sqlite3", 60_000_000_u64),
    ];
    for (path, kind, length) in kinds {
        let place = Place::new();
        let server = server(&place);
        let slow: Vec<_> = (0..70)
            .map(|_| {
                let mut stream = server.connect();
                let head = format!(
                    "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: {kind}\r\n\
                     Content-Length: {length}\r\n\r\n{{",
                    server.host(),
                    server.token
                );
                // Connections beyond the limit get an answer, and are closed.
                let _ = stream.write_all(head.as_bytes());
                stream
            })
            .collect();
        server.get("/api/server");
        drop(slow);
    }
}
