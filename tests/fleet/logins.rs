//! Brokers that let in only those whom they know.

use crate::house::{House, ends_with_the_same_tree};
use crate::support::program::{Place, stderr};

const USERS: &str = "authorization { users: [{ user: me, password: secret }] }";

fn file(house: &House, name: &str, text: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = house.place.path(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_broker_that_demands_a_password_lets_in_who_has_it() {
    let Some(house) = House::with(USERS) else { return };
    let (right, wrong) = (file(&house, "right", "me:secret\n"), file(&house, "wrong", "me:guess"));
    let url = house.url();
    for more in [&[][..], &["--fleet-login", &wrong]] {
        let output = house.place.run(&[&["fleet", "--fleet", &url], more].concat());
        let said = stderr(&output);
        assert!(!output.status.success() && said.contains("refuses the connection"), "{said}");
        assert!(!said.contains("guess"), "{said}");
    }
    let place = Place::new();
    let _worker = house.worker(&[], &["--fleet-login", &right]);
    let more = ["--engines", "0", "--fleet-login", &right];
    ends_with_the_same_tree(house.grower(&place, &[], &more), &place);
}

#[test]
fn passwords_on_the_command_line_and_files_of_others_are_refused() {
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

/// The users of the guide's configuration, with a password.
fn users_of_the_guide() -> String {
    let guide = include_str!("../../docs/fleet.md");
    let from = guide.find("authorization {").unwrap();
    let users = guide[from..].split("```").next().unwrap();
    users.replace('…', "secret")
}

#[test]
fn the_guides_users_may_do_what_they_need_and_a_worker_may_not_touch_the_queues() {
    let Some(house) = House::with(&users_of_the_guide()) else { return };
    let [grower, worker] =
        ["grower", "worker"].map(|user| file(&house, user, &format!("{user}:secret")));
    let place = Place::new();
    let _worker = house.worker(&[], &["--fleet-login", &worker]);
    let more = ["--engines", "0", "--fleet-login", &grower];
    let said = ends_with_the_same_tree(house.grower(&place, &[], &more), &place);
    assert!(!said.contains("complains"), "{said}");
}

#[test]
fn an_nkey_lets_in_who_has_its_seed() {
    let public = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";
    let seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
    let Some(house) = House::with(&format!("authorization {{ users: [{{ nkey: {public} }}] }}"))
    else {
        return;
    };
    let place = Place::new();
    let seed = file(&house, "seed", seed);
    let _worker = house.worker(&[], &["--fleet-login", &seed]);
    let more = ["--engines", "0", "--fleet-login", &seed];
    ends_with_the_same_tree(house.grower(&place, &[], &more), &place);
}
