//! What protects every route, generated from the route table.

use super::client::{Running, world};
use touchstone_studio::{RouteKind, StudioRoute, studio_routes};

/// Whether requests with these headers may change something.
const MATRIX: [(&[(&str, &str)], bool); 14] = [
    (&[("Sec-Fetch-Site", "same-origin")], true),
    (&[("Sec-Fetch-Site", "none")], true),
    (&[("Sec-Fetch-Site", "same-origin"), ("Origin", "null")], true),
    // Browsers that send no Sec-Fetch-Site: over http and, behind a proxy, over https.
    (&[("Host", "localhost"), ("Origin", "http://localhost")], true),
    (&[("Host", "studio.example"), ("Origin", "https://studio.example")], true),
    // Programs that are no browsers.
    (&[], true),
    (&[("Sec-Fetch-Site", "cross-site")], false),
    (&[("Sec-Fetch-Site", "same-site")], false),
    (&[("Sec-Fetch-Site", "cross-site"), ("Origin", "http://evil.example")], false),
    (&[("Origin", "null")], false),
    (&[("Origin", "http://evil.example")], false),
    (&[("Host", "localhost:8080"), ("Origin", "http://localhost:8081")], false),
    (&[("Host", "evil.example"), ("Sec-Fetch-Site", "same-origin")], false),
    (&[("Host", "evil.example"), ("Origin", "http://evil.example")], false),
];

fn changes() -> Vec<StudioRoute> {
    studio_routes().into_iter().filter(|route| route.kind == RouteKind::Change).collect()
}

#[test]
fn only_the_studio_itself_changes_something() {
    let studio = world();
    assert!(changes().len() >= 2);
    for route in changes() {
        for (headers, allowed) in MATRIX {
            let response = studio.request("POST", route.path, headers, route.example);
            let refused = response.status == 403;
            assert_eq!(!refused, allowed, "{} with {headers:?}: {response:?}", route.path);
            if refused {
                assert!(
                    response.body.contains("Nothing was changed") || response.body.contains("localhost only")
                );
            }
        }
    }
}

#[test]
fn other_methods_are_refused_everywhere() {
    let studio = world();
    let routes = studio_routes();
    for route in &routes {
        let path = route.path.replace("{hash}", "0000000000000000");
        for method in ["PUT", "DELETE", "PATCH", "POST"] {
            if routes.iter().any(|other| other.path == route.path && other.method() == *method) {
                continue;
            }
            let response = studio.request(method, &path, &[("Sec-Fetch-Site", "same-origin")], "");
            assert_eq!(response.status, 405, "{method} {path}");
        }
        if route.kind == RouteKind::Change
            && routes.iter().all(|other| other.path != route.path || other.method() != "GET")
        {
            assert_eq!(studio.get(&path).status, 405, "GET {path}");
        }
    }
}

#[test]
fn foreign_hosts_read_nothing() {
    let studio = world();
    for route in studio_routes().into_iter().filter(|route| route.kind != RouteKind::Change) {
        let response = studio.request("GET", route.example, &[("Host", "evil.example")], "");
        assert_eq!(response.status, 403, "{}", route.path);
        assert!(!response.body.contains("Paris"), "{}", route.path);
    }
    assert_eq!(studio.send("GET / HTTP/1.0\r\n\r\n").status, 403, "without a host");
}

#[test]
fn every_response_has_the_headers() {
    let studio = world();
    let check = |studio: &Running, method: &str, path: &str, headers: &[(&str, &str)]| {
        let response = studio.request(method, path, headers, "");
        let policy = response.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'"),
            "{path}: {policy}"
        );
        assert!(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
        assert_eq!(response.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(response.header("referrer-policy"), "same-origin", "{path}");
        assert!(!response.header("content-type").is_empty(), "{path}");
    };
    for route in studio_routes() {
        let path = if route.kind == RouteKind::Change { route.path } else { route.example };
        check(studio, route.method().as_str(), path, &[]);
        check(studio, "HEAD", path, &[]);
    }
    for (method, path, headers) in [
        ("GET", "/nothing", &[][..]),
        ("DELETE", "/kb", &[("Sec-Fetch-Site", "same-origin")][..]),
        ("GET", "/", &[("Host", "evil.example")][..]),
        ("POST", "/query", &[("Sec-Fetch-Site", "cross-site")][..]),
    ] {
        check(studio, method, path, headers);
    }
}

#[test]
fn reading_changes_nothing() {
    let studio = world();
    let feedback = || std::fs::read(studio.studio_folder().join("feedback.jsonl")).unwrap();
    let queries = || std::fs::read_dir(studio.studio_folder().join("queries")).unwrap().count();
    let before = (queries(), feedback());
    for route in studio_routes() {
        let path = if route.kind == RouteKind::Change {
            format!("{}?{}", route.path, route.example)
        } else {
            route.example.to_owned()
        };
        studio.get(&path);
        studio.request("HEAD", &path, &[], "");
    }
    assert_eq!((queries(), feedback()), before);
}

#[test]
fn large_forms_are_refused() {
    let studio = world();
    // The size that is announced is enough: nothing of the form is sent.
    let request = "POST /query HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 3000000\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n";
    let response = studio.send(request);
    assert_eq!(response.status, 413);
    assert!(response.body.contains("larger than"), "{}", response.body);
}
