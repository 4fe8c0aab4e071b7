//! Which names are found first, on a KB with real names.
#![allow(missing_docs)]

use touchstone_kb::NoProgress;

fn first_names(query: &str, n: usize) -> Vec<String> {
    let kb = touchstone_world::open(&NoProgress).expect("World");
    kb.find_names(query, n).into_iter().map(|hit| kb.label(hit.node).to_owned()).collect()
}

#[test]
fn prominent_names_come_first() {
    assert_eq!(first_names("nolan", 1), ["Christopher Nolan"]);
    assert_eq!(first_names("einstein", 1), ["Albert Einstein"]);
    assert_eq!(first_names("spielberg", 1), ["Steven Spielberg"]);
    assert_eq!(first_names("tarantino", 1), ["Quentin Tarantino"]);
    // The full name comes first, and whole words before beginnings of words.
    assert_eq!(first_names("New York", 2), ["New York", "New York City"]);
    let einstein = first_names("einstein", 10);
    assert!(einstein.iter().take(3).all(|name| name.ends_with(" Einstein")), "{einstein:?}");
    // While the user types, names that only begin like this are found as well.
    assert!(first_names("christopher nol", 3).contains(&"Christopher Nolan".to_owned()));
}

#[test]
fn misspelled_names() {
    let kb = touchstone_world::open(&NoProgress).expect("World");
    let nearest = |wrong: &str| kb.nearest_named(wrong).map(|hit| kb.label(hit.node).to_owned());
    assert_eq!(nearest("Pariss").as_deref(), Some("Paris"));
    assert_eq!(nearest("Christofer Nolan").as_deref(), Some("Christopher Nolan"));
    assert_eq!(nearest("qqqqqqqqqqqq"), None);
}
