//! Brokers that speak TLS, and who is let in there.

use super::house::{House, ends_with_the_same_tree};
use crate::support::program::{Place, stderr};

/// The files of `tests/fleet/keys`, readable by their owner only.
struct Keys(Place);

impl Keys {
    fn new() -> Keys {
        let place = Place::new();
        for (name, text) in [
            ("ca.pem", include_str!("keys/ca.pem")),
            ("server.pem", include_str!("keys/server.pem")),
            ("server.key", include_str!("keys/server.key")),
            ("client.pem", include_str!("keys/client.pem")),
            ("client.key", include_str!("keys/client.key")),
        ] {
            super::logins::write_secret(&place.path(name), text);
        }
        Keys(place)
    }

    fn path(&self, name: &str) -> String {
        self.0.path(name).to_str().unwrap().to_owned()
    }

    /// A broker with the certificate, and more lines about TLS.
    fn broker(&self, more: &str) -> Option<House> {
        let [certificate, key] = ["server.pem", "server.key"].map(|name| self.path(name));
        House::with(&format!("tls {{ cert_file: {certificate:?}\nkey_file: {key:?}\n{more} }}"))
    }
}

/// Error of `deepanalyze fleet`.
fn refused(house: &House, more: &[&str]) -> String {
    let url = house.url();
    let output = house.place.run(&[&["fleet", "--fleet", &url], more].concat());
    assert!(!output.status.success());
    stderr(&output)
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn known_authority_gives_tls_to_fleet() {
    let keys = Keys::new();
    let Some(house) = keys.broker("") else { return };
    let said = refused(&house, &[]);
    assert!(said.contains("refuses the connection"), "its authority is unknown: {said}");
    let (ca, place) = (keys.path("ca.pem"), Place::new());
    let _worker = house.worker(&[], &["--fleet-ca", &ca]);
    let more = ["--engines", "0", "--fleet-ca", &ca];
    ends_with_the_same_tree(house.grower(&place, &[], &more), &place);
}

#[test]
#[ignore = "slow: runs in .ci/run"]
fn client_certificate_opens_the_broker() {
    let keys = Keys::new();
    let ca = keys.path("ca.pem");
    let Some(house) = keys.broker(&format!("ca_file: {ca:?}\nverify: true")) else { return };
    let said = refused(&house, &["--fleet-ca", &ca]);
    assert!(said.contains("error:"), "{said}");
    let [certificate, key] = ["client.pem", "client.key"].map(|name| keys.path(name));
    let mine = ["--fleet-ca", &ca, "--fleet-cert", &certificate, "--fleet-key", &key];
    let (_worker, place) = (house.worker(&[], &mine), Place::new());
    let more = [&["--engines", "0"][..], &mine].concat();
    ends_with_the_same_tree(house.grower(&place, &[], &more), &place);
}

#[test]
fn named_authority_refuses_a_broker_without_tls() {
    let (keys, Some(house)) = (Keys::new(), House::new()) else { return };
    let said = refused(&house, &["--fleet-ca", &keys.path("ca.pem")]);
    assert!(said.contains("refuses the connection"), "{said}");
}
