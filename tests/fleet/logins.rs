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
