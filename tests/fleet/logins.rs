//! Brokers that let in only those whom they know.

use std::path::Path;
use std::process::Command;

use super::hostile::Client;
use super::house::{House, ends_with_the_same_tree};
use crate::support::program::{Place, stderr};
use crate::support::readers::installed;
use crate::support::scripted;

const USERS: &str = "authorization { users: [{ user: me, password: secret }] }";

/// Writes a file that only its owner can read.
pub fn write_secret(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o600)).unwrap();
}

fn file(house: &House, name: &str, text: &str) -> String {
    let path = house.place.path(name);
    write_secret(&path, text);
    path.to_str().unwrap().to_owned()
}

/// A worker and a grower with these credentials grow a tree.
fn lets_in(house: &House, text: &str) {
    let (login, place) = (file(house, "login", text), Place::new());
    let _worker = house.worker(&[], &["--fleet-login", &login]);
    let more = ["--engines", "0", "--fleet-login", &login];
    ends_with_the_same_tree(house.grower(&place, &[], &more), &place);
}

#[test]
fn password_opens_the_broker() {
    let Some(house) = House::with(USERS) else { return };
    let (wrong, url) = (file(&house, "wrong", "me:guess\n"), house.url());
    for more in [&[][..], &["--fleet-login", &wrong]] {
        let output = house.place.run(&[&["fleet", "--fleet", &url], more].concat());
        let said = stderr(&output);
        assert!(!output.status.success() && said.contains("refuses the connection"), "{said}");
        assert!(!said.contains("guess"), "{said}");
    }
    lets_in(&house, "me:secret");
}

#[test]
fn open_passwords_and_readable_files_are_refused() {
    let Some(house) = House::new() else { return };
    let open = house.place.path("open");
    std::fs::write(&open, "me:secret").unwrap();
    let run = |url: &str, more: &[&str]| {
        let output = house.place.run(&[&["fleet", "--fleet", url], more].concat());
        assert!(!output.status.success());
        stderr(&output)
    };
    let said = run("nats://me:secret@127.0.0.1", &[]);
    assert!(said.contains("password") && !said.contains("secret"), "{said}");
    let said = run(&house.url(), &["--fleet-login", open.to_str().unwrap()]);
    assert!(said.contains("others can read"), "{said}");
}

/// The guide's configuration, with a password.
fn configuration_of_the_guide() -> String {
    let guide = include_str!("../../docs/fleet.md");
    let from = guide.find("listen: ").unwrap();
    guide[from..].split("```").next().unwrap().replace('…', "secret")
}

/// Its users.
fn users_of_the_guide() -> String {
    let whole = configuration_of_the_guide();
    whole[whole.find("authorization {").unwrap()..].to_owned()
}

#[test]
fn the_guides_configuration_loads() {
    if !installed("nats-server", &["--version"]) {
        return;
    }
    let place = Place::new();
    // The server looks into the files of its certificate.
    let mut text = configuration_of_the_guide();
    for (of_guide, of_tests) in
        [("/etc/nats/cert.pem", "server.pem"), ("/etc/nats/key.pem", "server.key")]
    {
        assert!(text.contains(of_guide), "{text}");
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fleet/keys/");
        text = text.replace(of_guide, &format!("{file}{of_tests}"));
    }
    std::fs::write(place.path("nats.conf"), text).unwrap();
    let output = Command::new("nats-server")
        .arg("-t")
        .arg("-c")
        .arg(place.path("nats.conf"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn a_login_without_rights_is_told_which_it_lacks() {
    let Some(house) = House::with(&users_of_the_guide()) else { return };
    let [grower, worker] =
        ["grower", "worker"].map(|user| file(&house, user, &format!("{user}:secret")));
    let (url, engine) = (house.url(), scripted(&[]));
    let fleet = ["fleet", "--fleet", &url];
    let grow = ["grow", "--fleet", &url, "--engine", &engine, "--engines", "0", "--for", "1m"];
    let work = ["worker", "--fleet", &url, "--engine", &engine, "--engines", "1"];
    for (command, login, subject) in [
        (&fleet[..], &worker, "deepanalyze.worker.*"),
        (&grow, &worker, "deepanalyze.worker.*"),
        (&work, &grower, "deepanalyze.order"),
    ] {
        let output = house.place.run(&[command, &["--fleet-login", login]].concat());
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{command:?}: {said}");
        let right = format!("does not permit this login to subscribe to \"{subject}\"\n");
        assert!(said.contains(&right) && said.contains("hint: "), "{command:?}: {said}");
        assert!(output.stdout.is_empty(), "{command:?}");
    }
}

#[test]
fn guide_s_users_have_just_the_rights_they_need() {
    let Some(house) = House::with(&users_of_the_guide()) else { return };
    let [grower, worker] =
        ["grower", "worker"].map(|user| file(&house, user, &format!("{user}:secret")));
    let place = Place::new();
    let _worker = house.worker(&[], &["--fleet-login", &worker]);
    let more = ["--engines", "0", "--fleet-login", &grower];
    let said = ends_with_the_same_tree(house.grower(&place, &[], &more), &place);
    assert!(!said.contains("the fleet's server reports"), "{said}");
    for (user, subject) in [
        ("grower", "$JS.API.STREAM.DELETE.deepanalyze-required"),
        ("grower", "$JS.API.STREAM.PURGE.other"),
        ("grower", "_INBOX.grower.x"),
        ("worker", "$JS.API.STREAM.PURGE.deepanalyze-required"),
        ("worker", "_INBOX.worker.x"),
    ] {
        let mut client = Client::new(&house, &format!(",\"user\":\"{user}\",\"pass\":\"secret\""));
        client.say(&format!("PUB {subject} 0\r\n"));
        client.until(&format!("Permissions Violation for Publish to \"{subject}\""));
    }
}

#[test]
fn an_nkey_lets_in_who_has_its_seed() {
    let public = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";
    let seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
    let Some(house) = House::with(&format!("authorization {{ users: [{{ nkey: {public} }}] }}"))
    else {
        return;
    };
    lets_in(&house, seed);
}

#[test]
fn a_token_lets_in_who_has_it() {
    let Some(house) = House::with("authorization { token: s3cr3t }") else { return };
    lets_in(&house, "s3cr3t\n");
}

#[test]
fn a_credentials_file_lets_in_whom_the_account_knows() {
    let Some(house) = House::with(include_str!("keys/accounts.conf")) else { return };
    let output = house.place.run(&["fleet", "--fleet", &house.url()]);
    assert!(stderr(&output).contains("refuses the connection"), "{}", stderr(&output));
    lets_in(&house, include_str!("keys/user.creds"));
}
