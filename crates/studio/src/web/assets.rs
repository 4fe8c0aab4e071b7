//! The style, the scripts and the icon: the only files that pages load.

use super::Studio;
use super::problem::Problem;
use super::request::PageRequest;
use super::response::Reply;
use super::routes::{RouteKind, StudioRoute};

const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

/// Name, media type and content of each file.
const FILES: [(&str, &str, &str); 6] = [
    ("/assets/studio.css", "text/css; charset=utf-8", include_str!("assets/studio.css")),
    ("/assets/icon.svg", "image/svg+xml", include_str!("assets/icon.svg")),
    ("/assets/studio.js", JAVASCRIPT, include_str!("assets/studio.js")),
    ("/assets/suggest.js", JAVASCRIPT, include_str!("assets/suggest.js")),
    ("/assets/show.js", JAVASCRIPT, include_str!("assets/show.js")),
    ("/assets/query.js", JAVASCRIPT, include_str!("assets/query.js")),
];

const fn route(path: &'static str) -> StudioRoute {
    StudioRoute { path, kind: RouteKind::Data, example: path, runs_queries: false, handler: file }
}

pub(super) const ROUTES: [StudioRoute; 6] = [
    route(FILES[0].0),
    route(FILES[1].0),
    route(FILES[2].0),
    route(FILES[3].0),
    route(FILES[4].0),
    route(FILES[5].0),
];

fn file(_: &Studio, request: &PageRequest) -> Result<Reply, Problem> {
    let file = FILES.iter().find(|(path, ..)| *path == request.path);
    let (_, media, content) = file.ok_or_else(|| Problem::not_found("there is no such file"))?;
    Ok(Reply::asset(media, content))
}

#[cfg(test)]
mod tests {
    use super::FILES;

    #[test]
    fn scripts_are_small() {
        let scripts = FILES.iter().filter(|(path, ..)| path.ends_with(".js"));
        let bytes: usize = scripts.map(|(_, _, content)| content.len()).sum();
        assert!(bytes <= 40 << 10, "the scripts have {bytes} bytes");
    }

    #[test]
    fn files_load_nothing_from_elsewhere() {
        for (path, _, content) in FILES {
            let content = content.replace("http://www.w3.org/2000/svg", "");
            assert!(!content.contains("://"), "{path} names another host");
            assert!(
                !content.contains("innerHTML") && !content.contains("eval("),
                "{path} makes markup from text"
            );
        }
    }
}
