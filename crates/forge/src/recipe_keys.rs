//! The keys of recipes, and suggestions for unknown keys.

use crate::recipe::{ByAsking, ByShape, Filters, Recipe, RecipeError, Splits, WordingKeys};
use crate::sample::shapes::ShapeFunction;
use serde_json::Value as Json;
use touchstone_benchmark::QuestionType;
use touchstone_kb::{Kb, nearest_name};

/// All keys; keys in sections as `section.key`.
pub(crate) fn keys() -> Vec<String> {
    let complete = Recipe {
        name: String::new(),
        description: String::new(),
        seed: 1,
        questions: 1,
        shapes: ByShape::default(),
        asking: ByAsking::default(),
        splits: Splits::default(),
        filters: Filters { illegal: Some(Vec::new()), ..Filters::default() },
        wording: WordingKeys::default(),
        train_from: Some(String::new()),
        check: std::collections::BTreeMap::from([(ANY.to_owned(), 1.0)]),
    };
    let mut keys = Vec::new();
    for (key, value) in serde_json::to_value(complete).unwrap_or_default().as_object().into_iter().flatten() {
        match value {
            Json::Object(section) => keys.extend(section.keys().map(|inner| format!("{key}.{inner}"))),
            _ => keys.push(key.clone()),
        }
    }
    keys
}

/// Any key: the attacks are not known here.
const ANY: &str = "ATTACK";

/// Rejects unknown keys and suggests the nearest known one.
pub(crate) fn check(text: &str) -> Result<(), RecipeError> {
    let table: toml::Table = toml::from_str(text)?;
    let known = keys();
    let sections = || known.iter().filter_map(|key| key.split_once('.').map(|(section, _)| section));
    let top = || known.iter().filter(|key| !key.contains('.')).map(String::as_str).chain(sections());
    for (key, value) in &table {
        if !top().any(|known| known == key) {
            return Err(unknown(key, top()));
        }
        let Some(section) = value.as_table().filter(|_| sections().any(|section| section == key)) else {
            continue;
        };
        let prefix = format!("{key}.");
        let inside = || known.iter().filter_map(|known| known.strip_prefix(prefix.as_str()));
        for (inner, value) in section {
            if !inside().any(|known| known == inner || known == ANY) {
                return Err(match unknown(inner, inside()) {
                    RecipeError::UnknownKey { key: wrong, known, nearest, .. } => {
                        RecipeError::UnknownKey { section: format!("[{key}] "), key: wrong, known, nearest }
                    }
                    other => other,
                });
            }
            let words: Vec<&str> = match (key.as_str(), inner.as_str()) {
                ("shapes", "functions") => {
                    ShapeFunction::ALL.iter().map(|function| function.name()).collect()
                }
                ("asking", "types") => QuestionType::ALL.iter().map(|kind| kind.name()).collect(),
                _ => continue,
            };
            for word in value.as_table().into_iter().flat_map(toml::Table::keys) {
                if !words.contains(&word.as_str()) {
                    return Err(unknown(word, words.iter().copied()));
                }
            }
        }
    }
    Ok(())
}

fn unknown<'k>(key: &str, known: impl Iterator<Item = &'k str>) -> RecipeError {
    let mut known: Vec<&str> = known.collect();
    known.dedup();
    let nearest = nearest_name(key, known.iter().copied()).map(str::to_owned);
    RecipeError::UnknownKey { section: String::new(), key: key.to_owned(), known: known.join(", "), nearest }
}

/// Rejects names in `[filters] illegal` that the KB does not have: they would have no effect.
pub(crate) fn check_illegal(kb: &Kb, illegal: &[String]) -> Result<(), RecipeError> {
    let relations = || kb.relations().flat_map(|r| [kb.relation_id(r), kb.relation_label(r)]);
    let attributes = || kb.attributes().flat_map(|a| [kb.attribute_id(a), kb.attribute_label(a)]);
    for name in illegal {
        if !relations().chain(attributes()).any(|known| known == name) {
            let nearest = nearest_name(name, relations().chain(attributes())).map(str::to_owned);
            return Err(RecipeError::UnknownProperty { name: name.clone(), nearest });
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_page_about_recipes_has_all_keys() {
        let page =
            std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/recipes.md")).unwrap();
        let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
        let mut documented: Vec<&str> = rows.collect();
        documented.sort_unstable();
        let mut known = keys();
        known.sort_unstable();
        assert_eq!(documented, known);
        for word in ShapeFunction::ALL
            .iter()
            .map(|f| f.name())
            .chain(QuestionType::ALL.iter().map(|kind| kind.name()))
        {
            assert!(page.contains(&format!("`{word}`")), "{word}");
        }
        // The example can be followed.
        let example = page.split("```toml").nth(1).unwrap().split("```").next().unwrap();
        let rest = example.split_once('\n').unwrap().1;
        Recipe::parse(rest).unwrap();
    }

    #[test]
    fn typing_errors_get_the_nearest_key() {
        let whole = "name = \"x\"\nquestions = 10\n[shapes]\nweight = 1\nshapes = { Iso-1 = 1 }\nfunctions = { none = 1 }\n";
        Recipe::parse(whole).unwrap();
        for (from, to, expected) in [
            ("questions", "qestions", "there is no key `qestions`; did you mean `questions`?"),
            ("[shapes]", "[shape]", "did you mean `shapes`?"),
            ("weight", "wieght", "[shapes] has no key `wieght`; did you mean `weight`?"),
            ("none = 1", "cuont = 1", "did you mean `count`?"),
            ("functions = { none = 1 }\n", "", "[shapes] has no `functions`"),
            ("shapes = { Iso-1 = 1 }\n", "", "[shapes] has no `shapes`"),
        ] {
            let wrong = whole.replacen(from, to, 1);
            let error = Recipe::parse(&wrong).unwrap_err().to_string();
            assert!(error.contains(expected), "{wrong}: {error}");
        }
        let error = Recipe::parse(&format!("{whole}[filters]\nilegal = []\n")).unwrap_err().to_string();
        assert!(error.contains("[filters] has no key `ilegal`; did you mean `illegal`?"), "{error}");
    }

    #[test]
    fn properties_that_are_ruled_out_are_properties() {
        let world = touchstone_world::open(&touchstone_kb::NoProgress).unwrap();
        check_illegal(&world, &["director".to_owned(), "IMDb ID".to_owned()]).unwrap();
        let error = check_illegal(&world, &["directr".to_owned()]).unwrap_err().to_string();
        assert!(error.contains("`directr`; did you mean `director`?"), "{error}");
    }
}
