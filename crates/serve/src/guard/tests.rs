//! All refused ways in.

use super::*;

const HOST: &str = "127.0.0.1:7373";
const ORIGIN: &str = "http://127.0.0.1:7373";

fn guard() -> (Guard, String) {
    let token = AccessToken::random().unwrap();
    let word = token.word().to_owned();
    (Guard::new(HOST.parse().unwrap(), &["chess.local".to_owned()], token), word)
}

/// A changing request, as the page sends it.
fn write(word: &str) -> Claims<'_> {
    Claims {
        method: "POST",
        path: "/api/analyses",
        host: Some(HOST),
        origin: Some(ORIGIN),
        cookie: Some(word),
        content_type: Some("application/json"),
        content_length: Some(2),
        has_body: true,
        ..Claims::default()
    }
}

/// A request that reads.
fn read(word: &str) -> Claims<'_> {
    Claims {
        method: "GET",
        path: "/api/server",
        host: Some(HOST),
        cookie: Some(word),
        ..Claims::default()
    }
}

#[test]
fn who_is_let_in_and_who_is_not() {
    let (guard, word) = guard();
    let word = word.as_str();
    let (known, host, token, origin) = (
        Ok(Admission::Known),
        Err(NotAdmitted::Host),
        Err(NotAdmitted::NoToken),
        Err(NotAdmitted::Origin),
    );
    let none = None;
    let cases = [
        ("the page reads", read(word), known),
        ("a script reads", Claims { cookie: none, bearer: Some(word), ..read("") }, known),
        ("a stranger", Claims { cookie: none, ..read("") }, token),
        ("a wrong cookie", read("x"), token),
        ("a wrong bearer", Claims { cookie: none, bearer: Some("x"), ..read("") }, token),
        ("a wrong bearer beside the cookie", Claims { bearer: Some("x"), ..read(word) }, token),
        ("no host", Claims { host: none, ..read(word) }, host),
        ("a foreign host", Claims { host: Some("evil.example:7373"), ..read(word) }, host),
        ("a foreign host without a token", Claims { host: Some("evil.example"), ..read("") }, host),
        ("a foreign target", Claims { authority: Some("evil.example"), ..read(word) }, host),
        ("two hosts", Claims { is_odd: true, ..read(word) }, host),
        ("a named host", Claims { host: Some("chess.local"), ..read(word) }, known),
        (
            "a read from elsewhere",
            Claims { origin: Some("http://evil.example"), ..read(word) },
            known,
        ),
        ("the token in another target", Claims { query_token: Some(word), ..read("") }, token),
        ("the page writes", write(word), known),
        (
            "a foreign page writes",
            Claims { origin: Some("http://evil.example"), ..write(word) },
            origin,
        ),
        ("a page without a name writes", Claims { origin: Some("null"), ..write(word) }, origin),
        (
            "another port's page",
            Claims { origin: Some("http://127.0.0.1:80"), ..write(word) },
            origin,
        ),
        ("a cookie without an origin", Claims { origin: none, ..write(word) }, origin),
        (
            "a script writes",
            Claims { origin: none, cookie: none, bearer: Some(word), ..write("") },
            known,
        ),
        (
            "a foreign page with the token",
            Claims { origin: Some("http://evil.example"), bearer: Some(word), ..write("") },
            origin,
        ),
        ("any other method", Claims { method: "OPTIONS", origin: none, ..write(word) }, origin),
    ];
    let mut now = Instant::now();
    for (what, claims, right) in cases {
        now += std::time::Duration::from_secs(1);
        assert_eq!(guard.check(&claims, now), right, "{what}");
    }
}

#[test]
fn bodies_are_json_and_of_a_limited_size() {
    let (guard, word) = guard();
    let now = Instant::now();
    let check = |claims: Claims<'_>| guard.check(&claims, now);
    for kind in [
        None,
        Some("text/plain"),
        Some("application/x-www-form-urlencoded"),
        Some("multipart/form-data; boundary=x"),
        Some("application/jsonx"),
        Some(""),
    ] {
        let claims = Claims { content_type: kind, ..write(&word) };
        assert_eq!(check(claims), Err(NotAdmitted::NotJson), "{kind:?}");
    }
    let utf8 = Claims { content_type: Some("Application/JSON; charset=utf-8"), ..write(&word) };
    assert_eq!(check(utf8), Ok(Admission::Known));
    let sized = |path, length| Claims { path, content_length: Some(length), ..write(&word) };
    let directives = "/api/analyses/3/directives";
    assert_eq!(check(sized(directives, MOST)), Ok(Admission::Known));
    assert_eq!(check(sized(directives, MOST + 1)), Err(NotAdmitted::TooLarge(MOST)));
    assert_eq!(check(sized("/api/pgn", MOST + 1)), Ok(Admission::Known));
    assert_eq!(check(sized("/api/pgn", 20 << 20)), Ok(Admission::Known));
    assert_eq!(
        check(sized("/api/pgn", MOST_OF_FILE + 1)),
        Err(NotAdmitted::TooLarge(MOST_OF_FILE))
    );
    let game = sized("/api/analyses", MOST_OF_GAME + 1);
    assert_eq!(check(game), Err(NotAdmitted::TooLarge(MOST_OF_GAME)));
    let file = |path| Claims { content_type: Some(PGN), ..sized(path, 100) };
    assert_eq!(check(file("/api/pgn")), Ok(Admission::Known));
    assert_eq!(check(file("/api/analyses")), Err(NotAdmitted::NotJson));
    let foreign = Claims { origin: Some("http://evil.example"), ..file("/api/pgn") };
    assert_eq!(check(foreign), Err(NotAdmitted::Origin));
    let nothing = Claims {
        method: "DELETE",
        content_type: None,
        content_length: None,
        has_body: false,
        ..write(&word)
    };
    assert_eq!(check(nothing), Ok(Admission::Known));
    assert_eq!(check(Claims { has_body: true, ..nothing }), Err(NotAdmitted::NotJson));
}

#[test]
fn printed_address_opens_only_the_page() {
    let (guard, word) = guard();
    let now = Instant::now();
    let page = |word| Claims { path: "/", query_token: Some(word), ..read("") };
    assert_eq!(guard.check(&page(&word), now), Ok(Admission::ByAddress));
    assert_eq!(guard.check(&page("x"), now), Err(NotAdmitted::NoToken));
    let posted = Claims { method: "POST", ..page(&word) };
    assert_eq!(guard.check(&posted, now), Err(NotAdmitted::NoToken));
    let once = guard.open_once().unwrap();
    assert_eq!(guard.check(&page(once.word()), now), Ok(Admission::ByAddress));
    assert_eq!(guard.check(&page(once.word()), now), Err(NotAdmitted::NoToken), "once");
    assert!(!guard.set_cookie().contains(once.word()));
    let old = Claims { cookie: Some(&word), ..page("x") };
    assert_eq!(
        guard.check(&old, now),
        Ok(Admission::Known),
        "an old address, and a browser that is known"
    );
}

#[test]
fn a_first_visit_is_not_kept_out_by_strangers() {
    let (guard, word) = guard();
    let now = Instant::now();
    let once = guard.open_once().unwrap();
    let page = |word| Claims { path: "/", query_token: Some(word), ..read("") };
    let refused = (0..1000).filter(|_| guard.check(&page("x"), now) == Err(NotAdmitted::TooMany));
    assert_eq!(refused.count(), 1000 - STRANGERS.0 as usize);
    for word in [once.word(), &word] {
        assert_eq!(guard.check(&page(word), now), Ok(Admission::ByAddress));
    }
    assert_eq!(guard.check(&page(once.word()), now), Err(NotAdmitted::TooMany), "it opens once");
}

#[test]
fn strangers_leave_the_rate_of_token_holders() {
    let (guard, word) = guard();
    let now = Instant::now();
    let stranger = Claims { cookie: None, ..read("") };
    let refused = (0..1000).filter(|_| guard.check(&stranger, now) == Err(NotAdmitted::TooMany));
    assert_eq!(refused.count(), 1000 - STRANGERS.0 as usize);
    let known = (0..1000).filter(|_| guard.check(&read(&word), now).is_ok());
    assert_eq!(known.count(), RATE.0 as usize);
}

#[test]
fn a_burst_passes_and_then_a_number_per_second() {
    let began = Instant::now();
    let mut rate = Rate::new(3, 10, began);
    let mut taken = |ms: u64, tries: usize| {
        let now = began + std::time::Duration::from_millis(ms);
        (0..tries).filter(|_| rate.take(now)).count()
    };
    assert_eq!(taken(0, 5), 3);
    assert_eq!(taken(50, 5), 0);
    assert_eq!(taken(100, 5), 1);
    assert_eq!(taken(350, 5), 2);
    assert_eq!(taken(60_000, 9), 3, "no more than at once");
    assert_eq!(taken(59_000, 9), 0, "time that goes back gives nothing");
}
