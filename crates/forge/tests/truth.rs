//! Questions say everything that their queries say, and claim nothing that the KB cannot know.
#![allow(missing_docs, clippy::unwrap_used)]

use touchstone_benchmark::english::inflect::value as said_value;
use touchstone_benchmark::english::{AttributeWords, Lexicon};
use touchstone_benchmark::{Benchmark, Function, Question, Split};
use touchstone_engine::QueryContext;
use touchstone_forge::refresh::{RefreshDrop, refresh};
use touchstone_forge::{Recipe, lint, make};
use touchstone_kb::import::{ImportRequest, Source, import};
use touchstone_kb::{Comparison, Completeness, Kb, NoProgress, NodeId, Property, Value};
use touchstone_logic::level::Level;
use touchstone_logic::{Ask, Extreme, Set, Word, with_ids};

fn built(kb: &Kb, name: &str, questions: usize) -> Benchmark {
    let mut recipe = Recipe::parse(Recipe::text(name).unwrap()).unwrap();
    recipe.questions = questions;
    make(kb, &recipe, &Lexicon::of(kb), &NoProgress).unwrap()
}

fn has_any(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|word| text.contains(word))
}

/// Reads a sentence back for the parts that it must contain: names, values, comparisons and functions.
#[test]
fn sentences_say_what_queries_say() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let context = QueryContext::new(Some(&kb), None).without_suggestions();
    let lexicon = Lexicon::of(&kb);
    for name in ["quick", "grailqa++", "kqapro", "hard"] {
        for question in &built(&kb, name, 600).questions {
            check_sentence(question, &kb, &context, &lexicon);
        }
    }
}

fn check_sentence(question: &Question, kb: &Kb, context: &QueryContext<'_>, lexicon: &Lexicon) {
    let text = &question.question;
    // SPARQL writes comparisons out as the values that satisfy them.
    if question.forms.sexpr.is_none() && question.forms.program.is_none() {
        return;
    }
    let query = with_ids(question.query(&context.knowledge()).unwrap(), kb);
    let chars: Vec<char> = text.chars().collect();
    for mention in &question.entities {
        let said: String = chars[mention.start..mention.end].iter().collect();
        assert_eq!(said, mention.text, "{text}");
    }
    let mut named = Vec::new();
    query.clone().words_mut(&mut |word| match word {
        Word::Entity(id) => named.push(id.to_string()),
        Word::Value(value) => {
            let said = said_value(&value.literal());
            let is_boolean = value.literal().as_bool().is_some();
            let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
            let is_said =
                text.contains(&said) || digits(text).contains(&digits(&said)) && !digits(&said).is_empty();
            assert!(is_said || is_boolean, "{said} is not in: {text}");
        }
        _ => {}
    });
    for id in named {
        assert!(question.entities.iter().any(|mention| mention.id == id), "{id} is not in: {text}");
    }
    check_words(question, &query.answer);
    let mut sets = Vec::new();
    query.sets(&mut |set| collect(set, &mut sets));
    let words = |attribute: &str| lexicon.attributes.get(attribute).unwrap();
    for set in sets {
        match set {
            Set::Relate(relate) => {
                let Set::Values(comparison, value) = &relate.from else { continue };
                let is_time = value.literal().as_time().is_some();
                check_comparison(text, *comparison, is_time, words(&relate.property));
            }
            Set::Superlative(superlative) => {
                let last = superlative.path.last().unwrap();
                check_extreme(text, superlative.extreme, words(&last.property));
            }
            _ => {}
        }
    }
    match &query.answer {
        Ask::Verify { attribute, comparison, value, .. } => {
            check_comparison(text, *comparison, value.literal().as_time().is_some(), words(attribute));
        }
        Ask::SelectAmong { attribute, extreme, .. } => check_extreme(text, *extreme, words(attribute)),
        Ask::SelectBetween { attribute, extreme, .. } => {
            let words = words(attribute);
            let (greater, less) = ([words.between_greater.clone()], [words.between_less.clone()]);
            match extreme {
                Extreme::Max => check_side(text, &[&greater], &[&less]),
                Extreme::Min => check_side(text, &[&less], &[&greater]),
            }
        }
        _ => {}
    }
}

/// A superlative says which end of the scale it means.
fn check_extreme(text: &str, extreme: Extreme, words: &AttributeWords) {
    let (most, least) = ([words.largest_before.clone()], [words.smallest_before.clone()]);
    let greatest: [&[String]; 3] = [&words.largest, &words.test_largest, &most];
    let smallest: [&[String]; 3] = [&words.smallest, &words.test_smallest, &least];
    match extreme {
        Extreme::Max => check_side(text, &greatest, &smallest),
        Extreme::Min => check_side(text, &smallest, &greatest),
    }
}

/// A text has all words of one of the phrases that none of the opposite phrases has.
fn check_side(text: &str, phrases: &[&[String]], opposite: &[&[String]]) {
    let text = text.to_lowercase();
    let words = |phrase: &str| -> Vec<String> {
        let words = phrase.split(|c: char| !c.is_alphanumeric() && c != '-');
        words.map(str::to_lowercase).filter(|word| !word.is_empty()).collect()
    };
    let others: Vec<String> =
        opposite.iter().flat_map(|phrases| phrases.iter()).flat_map(|p| words(p)).collect();
    let own: Vec<Vec<String>> = phrases
        .iter()
        .flat_map(|phrases| phrases.iter())
        .map(|phrase| words(phrase).into_iter().filter(|word| !others.contains(word)).collect())
        .collect();
    let spoken = words(&text);
    let is_said = |own: &Vec<String>| !own.is_empty() && own.iter().any(|word| spoken.contains(word));
    // Phrases that differ only in their order cannot be told apart by words.
    assert!(own.iter().any(is_said) || own.iter().all(Vec::is_empty), "none of {own:?} is in: {text}");
}

fn collect<'q>(set: &'q Set, found: &mut Vec<&'q Set>) {
    found.push(set);
    set.children(&mut |child| collect(child, found));
}

fn says(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// Words that show which way a comparison goes.
fn check_comparison(text: &str, comparison: Comparison, is_time: bool, of: &AttributeWords) {
    let greater: [&[String]; 3] = [&of.greater, &of.test_greater, &of.greater_after];
    let less: [&[String]; 3] = [&of.less, &of.test_less, &of.less_after];
    match (comparison, is_time) {
        // Some sentences compare with "above" or "under", whatever the attribute.
        (Comparison::Greater, false) if says(text, &["above", "over", "exceed", "beyond"]) => return,
        (Comparison::Less, false) if says(text, &["below", "under", "beneath"]) => return,
        (Comparison::Greater, false) => return check_side(text, &greater, &less),
        (Comparison::Less, false) => return check_side(text, &less, &greater),
        _ => {}
    }
    let words: &[&str] = match (comparison, is_time) {
        (Comparison::Less, true) => {
            &["before", "earlier", "prior", "older", "by the end", "preced", "predat"]
        }
        (Comparison::Greater, true) => &["after", "later", "since", "younger", "follow", "postdat"],
        (Comparison::LessOrEqual | Comparison::GreaterOrEqual, _) => &[
            "at most",
            "at least",
            "or before",
            "or after",
            "or earlier",
            "or later",
            "or more",
            "or less",
            "up to",
        ],
        (Comparison::NotEqual, _) => &["other than", "not "],
        _ => return,
    };
    assert!(has_any(text, words), "{comparison:?} is not in: {text}");
}

fn check_words(question: &Question, ask: &Ask) {
    let text = &question.question;
    let count = ["how many", "number of", "count", "total", "how often"];
    match (question.function, ask) {
        (Function::Count, _) => assert!(has_any(text, &count), "{text}"),
        (Function::Verify, _) => {
            let first = text.split(' ').next().unwrap_or_default().to_lowercase();
            let asks =
                ["is", "are", "was", "were", "does", "do", "did", "has", "have", "can", "would", "could"];
            assert!(
                asks.contains(&first.as_str())
                    || has_any(text, &[" is ", " does ", " true", " did ", " was "]),
                "{text}"
            );
        }
        (_, Ask::SelectBetween { .. }) => {
            assert!(has_any(text, &[" or ", " and ", "between"]), "{text}");
        }
        _ => {}
    }
}

/// Counts and superlatives are asked of complete facts only, "when" not of surveys, and limits are said.
#[test]
fn questions_claim_only_what_the_kb_knows() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let coverage = |id: &str| {
        let relation = kb.relation(id).map(Property::Relation);
        let property = relation.or_else(|| kb.attribute(id).map(Property::Attribute))?;
        kb.property_coverage(property)
    };
    let (mut limited, mut dated, mut listed, mut listed_only) = (0, 0, 0, 0);
    for name in ["quick", "kqapro", "grailqa++"] {
        let benchmark = built(&kb, name, 800);
        assert!(benchmark.manifest.as_of.is_some() && benchmark.manifest.completeness.contains("known for"));
        for question in &benchmark.questions {
            let text = &question.question;
            let known: Vec<_> = question.schema_items.iter().filter_map(|id| coverage(id)).collect();
            let is_sample = known.iter().any(|known| known.completeness == Completeness::Sample);
            let limits: Vec<&str> = known.iter().filter_map(|known| known.limit.as_deref()).collect();
            let is_limited = limits.iter().any(|limit| !limit.contains(", "));
            // Of "countries, territories and major lakes", nothing has to be said about countries.
            let is_listed = limits.iter().any(|limit| limit.contains(", "));
            listed_only += usize::from(is_listed && !text.contains(" only "));
            limited += usize::from(text.contains(" only "));
            dated += usize::from(text.contains("as of 2"));
            let says_sample = ["as far as the data show", "according to the data", "in this data"]
                .iter()
                .any(|limit| text.contains(limit));
            listed += usize::from(says_sample);
            match question.function {
                Function::Count | Function::Superlative => {
                    assert!(!is_sample, "{text}");
                    assert!(!is_limited || text.contains(" only "), "{text}");
                }
                Function::Qualifier => {
                    let is_survey = known.iter().any(|known| known.survey);
                    let is_when = question.answers.iter().all(|answer| answer.kind() == "time");
                    assert!(!(is_survey && is_when && question.schema_items.len() < 3), "{text}");
                }
                _ if question.answers.len() > 1 => {
                    assert!(!is_sample || says_sample, "{text}");
                }
                _ => {}
            }
        }
    }
    assert!(limited > 50 && dated > 50 && listed > 50, "{limited} {dated} {listed}");
    assert!(listed_only > 0);
}

/// A test set that is zero-shot against the training questions of another recipe.
#[test]
fn recipes_can_train_from_another() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let (rp, grailqa) = (built(&kb, "rp", 600), built(&kb, "grailqa", 600));
    assert_eq!(rp.manifest.held_out_items, grailqa.manifest.held_out_items);
    assert!(rp.manifest.held_out_items.len() > 40);
    let functions = |split: bool| rp.questions.iter().filter(move |q| (q.split == Split::Train) == split);
    assert!(functions(true).any(|question| question.function != Function::None));
    for question in functions(false) {
        assert_eq!((question.level, question.function), (Some(Level::ZeroShot), Function::None));
        let Some(sexpr) = &question.forms.sexpr else { continue };
        assert!(!sexpr.contains("^^"), "a value in {sexpr}");
    }
    assert!(lint::lint(&kb, &rp, &NoProgress).findings.is_empty());
    let error =
        Recipe::parse("name = \"x\"\nquestions = 10\ntrain_from = \"quick\"").unwrap_err().to_string();
    assert!(error.contains("zero-shot"), "{error}");
}

fn compiled(lines: &str, dir: &std::path::Path) -> Kb {
    let (file, out) = (dir.join("kb.jsonl"), dir.join("kb"));
    std::fs::write(&file, lines).unwrap();
    import(&ImportRequest::new(Source::Lines, vec![file]), &out, &NoProgress).unwrap();
    Kb::open(&out).unwrap()
}

/// The same questions on a newer KB: new answers under the same ids, and what has none is left out.
#[test]
fn benchmarks_are_refreshed() {
    let lines = |capital: &str, mayor: bool| {
        let mut lines = vec![
            r#"{"touchstone_kb":1,"name":"small"}"#.to_owned(),
            r#"{"class":"country","label":"country"}"#.to_owned(),
            r#"{"class":"city","label":"city"}"#.to_owned(),
            r#"{"relation":"capital","label":"capital","domain":"country","range":"city"}"#.to_owned(),
            r#"{"relation":"twin","label":"twin town","domain":"city","range":"city"}"#.to_owned(),
        ];
        for n in 0..8 {
            let city = if n == 0 { capital.to_owned() } else { format!("c{n}") };
            lines.push(format!(r#"{{"entity":"k{n}","label":"Country {n}","classes":["country"],"relations":[["capital","{city}"]]}}"#));
            let twins =
                if mayor { format!(r#","relations":[["twin","c{}"]]"#, (n + 1) % 8) } else { String::new() };
            lines.push(format!(r#"{{"entity":"c{n}","label":"City {n}","classes":["city"]{twins}}}"#));
        }
        lines.join("\n") + "\n"
    };
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let before = compiled(&lines("c0", true), dirs[0].path());
    let moved = compiled(&lines("c5", true), dirs[1].path());
    let lost = compiled(&lines("c0", false), dirs[2].path());
    let benchmark = built(&before, "quick", 60);
    assert!(benchmark.questions.len() > 5);
    let (same, report) = refresh(&benchmark, &before, &NoProgress).unwrap();
    assert_eq!(
        (report.unchanged, report.changed.len(), report.dropped.len()),
        (benchmark.questions.len(), 0, 0)
    );
    assert_eq!(same.questions, benchmark.questions);
    let (new, report) = refresh(&benchmark, &moved, &NoProgress).unwrap();
    assert!(!report.changed.is_empty(), "{report:?}");
    assert_eq!(new.manifest.kb.fingerprint, moved.manifest().fingerprint);
    for changed in &report.changed {
        let question = new.questions.iter().find(|question| question.id == changed.id).unwrap();
        let texts: Vec<String> = question.answers.iter().map(|answer| answer.text().into_owned()).collect();
        assert_eq!(texts, changed.after);
        assert_ne!(changed.before, changed.after);
    }
    assert!(lint::lint(&moved, &new, &NoProgress).findings.is_empty());
    let (_, report) = refresh(&benchmark, &lost, &NoProgress).unwrap();
    assert!(report.dropped.iter().any(|dropped| dropped.reason == RefreshDrop::Empty), "{report:?}");
}

/// `hard` asks for members of large classes that have others of their class nearby, and is evaluated on what is new.
#[test]
fn hard_answers_have_distractors() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let benchmark = built(&kb, "hard", 400);
    let (mut single, mut introduced) = (0, 0);
    for question in &benchmark.questions {
        assert_ne!(question.level, Some(Level::Iid), "{}", question.question);
        introduced +=
            usize::from(question.question.contains(" of those ") || question.question.contains(". "));
        let (Some(answer), [mention]) =
            (question.answers.first().and_then(|answer| kb.node(answer.id()?)), &question.entities[..])
        else {
            continue;
        };
        let class = kb.classes_of(answer).map(|class| kb.members(class).len()).min().unwrap();
        assert!(class >= 25, "{class}: {}", question.question);
        if question.proof.len() != question.answers.len() {
            continue;
        }
        // One relation to one named thing: it is related to something else of the class.
        let named = kb.node(&mention.id).unwrap();
        let answers: Vec<_> = question.answers.iter().filter_map(|answer| kb.node(answer.id()?)).collect();
        let members = kb.classes_of(answer).min_by_key(|&class| kb.members(class).len()).unwrap();
        let near = kb
            .facts_about(named)
            .filter_map(|fact| match fact.value {
                Value::Node(node) => Some(node),
                Value::Literal(_) => None,
            })
            .chain(kb.facts_to(named).map(|fact| fact.subject));
        let is_other =
            |node: NodeId| !answers.contains(&node) && kb.members(members).binary_search(&node.0).is_ok();
        assert!(near.into_iter().any(is_other), "{}", question.question);
        single += 1;
    }
    assert!(single >= 10 && introduced >= 10, "{single} {introduced}");
}
