//! Every page with the World KB: it is there, whole, and has no inline script or style.

use super::client::{Response, Running, encoded, leaked, world};
use std::time::Duration;
use touchstone_engine::budget::Limits;
use touchstone_kb::NoProgress;
use touchstone_studio::{RouteKind, studio_routes};

/// Checks what holds for every page.
fn check_page(path: &str, page: &Response) {
    let body = &page.body;
    assert!(page.header("content-type").starts_with("text/html"), "{path}");
    assert!(body.starts_with("<!DOCTYPE html>") && body.trim_end().ends_with("</html>"), "{path}");
    for forbidden in [" style=", "<style", " onclick=", " onload=", " onerror=", "javascript:"] {
        assert!(!body.contains(forbidden), "{path} has {forbidden}");
    }
    for script in body.split("<script").skip(1) {
        let (attributes, rest) = script.split_once('>').unwrap();
        assert!(
            attributes.contains("src=\"/assets/") && rest.starts_with("</script>"),
            "{path}: an inline script"
        );
    }
    for tag in body.split('<').skip(1) {
        let attributes = tag.split('>').next().unwrap();
        assert!(attributes.matches(" class=\"").count() <= 1, "{path}: <{attributes}> has two classes");
    }
    for (tag, count) in [("<h1", 1), ("<main", 1), ("<title>", 1), ("class=\"skip\"", 1)] {
        let found = body.matches(tag).count();
        // Pictures have titles, too.
        assert!(found == count || (tag == "<title>" && found > count), "{path} has {found} {tag}");
    }
    let ids: Vec<&str> = body.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), ids.len(), "{path} has an id twice: {ids:?}");
    for address in body.split("href=\"").skip(1).chain(body.split("src=\"").skip(1)) {
        let address = address.split('"').next().unwrap();
        assert!(address.starts_with(['/', '#']), "{path} refers to {address}");
    }
}

#[test]
fn every_page_is_whole_and_also_json() {
    let studio = world();
    for route in studio_routes().into_iter().filter(|route| route.kind == RouteKind::Page) {
        // Nothing is stored yet.
        if route.path.contains('{') || route.path == "/ask" {
            continue;
        }
        let page = studio.get(route.example);
        assert_eq!(page.status, 200, "{}: {}", route.example, page.body);
        check_page(route.example, &page);
        for twin in [
            studio.get_json(route.example),
            studio.get(&format!(
                "{}{}format=json",
                route.example,
                if route.example.contains('?') { "&" } else { "?" }
            )),
        ] {
            assert_eq!(
                (twin.status, twin.header("content-type")),
                (200, "application/json"),
                "{}",
                route.example
            );
            assert!(twin.json().is_object(), "{}", route.example);
        }
        let head = studio.request("HEAD", route.example, &[], "");
        assert_eq!((head.status, head.body.as_str()), (200, ""), "{}", route.example);
    }
}

#[test]
fn links_of_pages_lead_to_pages() {
    let studio = world();
    let mut followed = std::collections::BTreeSet::new();
    for start in ["/", "/kb", "/kb/show?id=Paris", "/kb/find?q=paris", "/kb/property?id=director", "/query"] {
        let page = studio.get(start);
        let links = page.body.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
        for link in links.filter(|link| link.starts_with('/') && !link.starts_with("/ask")).take(60) {
            let link = link.replace("&amp;", "&");
            let address = link.split('#').next().unwrap().to_owned();
            if followed.insert(address.clone()) {
                let response = studio.get(&address);
                assert_eq!(response.status, 200, "{start} leads to {address}: {}", response.body);
            }
        }
    }
    assert!(followed.len() > 80, "{} links", followed.len());
}

#[test]
fn errors_are_pages_and_json_with_a_hint() {
    let studio = world();
    for (path, status, word) in [
        ("/nothing", 404, "not_found"),
        ("/kb/show?id=Pariss", 404, "not_found"),
        ("/kb/show", 400, "bad_request"),
        ("/kb/property?id=directr", 404, "not_found"),
        ("/kb/find?q=a&page=0", 400, "bad_request"),
        ("/kb/find?q=a&kind=planet", 400, "bad_request"),
        ("/kb?domain=flim", 404, "not_found"),
        ("/query?q=What()&time=0", 400, "bad_request"),
        ("/query?lang=prolog&q=x", 400, "bad_request"),
        ("/query/ffffffffffffffff", 404, "not_found"),
        ("/query/complete?at=x", 400, "bad_request"),
    ] {
        let page = studio.get(path);
        assert_eq!(page.status, status, "{path}");
        check_page(path, &page);
        let json = studio.get_json(path);
        assert_eq!(json.status, status, "{path}");
        assert_eq!(json.json()["error"], word, "{path}");
        assert!(!json.json()["message"].as_str().unwrap().is_empty(), "{path}");
    }
    let suggestions = studio.get_json("/kb/show?id=Christopher+Nolann").json();
    assert_eq!(suggestions["did_you_mean"][0]["label"], "Christopher Nolan");
    assert!(studio.get("/kbb").body.contains("Did you mean /kb?"));
}

#[test]
fn outcomes_of_queries_are_explained() {
    let studio = world();
    let query = |text: &str| studio.get(&format!("/query?q={}", encoded(text)));
    let wrong = query("Find(Paris) > Relate(country, forwrd) > What()");
    assert_eq!(wrong.status, 400);
    assert!(
        wrong.body.contains("cannot be read as KoPL") && wrong.body.contains("did you mean"),
        "{}",
        wrong.body
    );
    check_page("wrong", &wrong);
    let sexpr = query("(AND film (JOIN director");
    assert!(sexpr.body.contains("data-wrong-from="), "{}", sexpr.body);
    let nothing = query("Find(Christopher Nolan) > Relate(capital, forward) > What()");
    assert_eq!(nothing.status, 200);
    assert!(
        nothing.body.contains("Nothing found") && nothing.body.contains("The first step that finds nothing"),
        "{}",
        nothing.body
    );
    let unknown = query("Find(Parys of Nowhere) > What()");
    assert!(unknown.body.contains("the KB has no entity named"), "{}", unknown.body);
    let found = query("Find(Christopher Nolan) > Relate(director, backward) > What()");
    for part in
        ["Inception</a>", "In English", "<svg class=\"flow\"", "Shape", "Steps", "S-expression", "SPARQL"]
    {
        assert!(found.body.contains(part), "{part}");
    }
    check_page("found", &found);
}

#[test]
fn queries_have_a_budget() {
    let kb = leaked(touchstone_world::open(&NoProgress).unwrap());
    let limits = Limits { operations: 1_000, time: Duration::from_secs(2), ..Limits::default() };
    let studio = Running::start(kb, limits);
    let query = "SELECT * WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }";
    let page = studio.get(&format!("/query?engine=spareval&q={}", encoded(query)));
    assert_eq!(page.status, 200);
    assert!(page.body.contains("Stopped before there was an answer"), "{}", page.body);
    let twin = studio.get_json(&format!("/query?engine=spareval&q={}", encoded(query))).json();
    assert_eq!(twin["reply"]["outcome"], "over_budget");
    let file = studio.get(&format!("/query?engine=spareval&format=csv&q={}", encoded(query)));
    assert_eq!(file.status, 503);
}

#[test]
fn sent_queries_become_addresses() {
    let studio = world();
    let short = studio.post("/query", "lang=kopl&engine=auto&time=5&q=Find(Paris)+%3E+What()");
    assert_eq!(
        (short.status, short.header("location")),
        (303, "/query?lang=kopl&q=Find%28Paris%29+%3E+What%28%29&time=5")
    );
    let text = format!("Find(Paris) > What(){}", " ".repeat(10));
    let long = format!("{}ASK {{ ?a ?b ?c }}", "# A comment.\n".repeat(300));
    let stored = studio.post("/query", &format!("lang=sparql&q={}", encoded(&long)));
    let location = stored.header("location");
    assert!(stored.status == 303 && location.starts_with("/query/"), "{stored:?}");
    let page = studio.get(location);
    assert_eq!(page.status, 200, "{}", page.body);
    assert!(page.body.contains("?a ?b ?c") && page.body.contains("yes"), "{}", page.body);
    // Spaces at the ends do not matter.
    assert!(
        studio.post("/query", &format!("q={}", encoded(&text))).header("location").ends_with("What%28%29")
    );
}

#[test]
fn answers_are_files() {
    let studio = world();
    let query = encoded("FindAll() > FilterConcept(continent) > What()");
    let csv = studio.get(&format!("/query?q={query}&format=csv"));
    assert_eq!((csv.status, csv.header("content-type")), (200, "text/csv; charset=utf-8"));
    assert!(
        csv.header("content-disposition").contains("attachment") && csv.body.lines().count() > 5,
        "{}",
        csv.body
    );
    let tsv = studio.get(&format!("/query?q={query}&format=tsv"));
    assert_eq!(tsv.body.lines().count(), csv.body.lines().count());
}

#[test]
fn completions_and_suggestions() {
    let studio = world();
    let text = "é😀 Find(Pari";
    let completed = studio.get(&format!("/query/complete?q={}&at=13", encoded(text))).json();
    assert_eq!(completed["from"], 9, "{completed}");
    assert!(completed["words"].as_array().unwrap().iter().any(|word| word["text"] == "Paris"), "{completed}");
    let suggested = studio.get("/kb/suggest?q=pari").json();
    let suggested = suggested.as_array().unwrap();
    assert!(suggested.len() <= 10 && suggested.iter().any(|hit| hit["label"] == "Paris"), "{suggested:?}");
    let properties = studio.get("/kb/suggest?q=direc&kind=property").json();
    assert_eq!(properties[0]["what"], "relation", "{properties}");
    assert_eq!(studio.get("/kb/suggest?q=").json().as_array().unwrap().len(), 0);
}
