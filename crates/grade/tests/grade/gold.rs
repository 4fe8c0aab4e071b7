//! Gold and near-gold predictions: rewritten, broken, in other languages, with other claimed answers.

use super::{evaluated, form, grader, knowledge, quick};
use std::path::PathBuf;
use touchstone_benchmark::Answer;
use touchstone_benchmark::Prediction;
use touchstone_benchmark::PredictionOutcome as Outcome;
use touchstone_benchmark::{Forms, Question};
use touchstone_datasets::{DataSet, Records, kqapro};
use touchstone_engine::Words;
use touchstone_grade::degrade::without_bracket;
use touchstone_grade::{Family, GoldAnswers, Grader, Measure};
use touchstone_kb::NoProgress;
use touchstone_logic::{Language, ReadForm};

/// The gold forms of a question, in all languages.
fn gold_forms(question: &Question) -> Vec<(Language, &str)> {
    let forms = &question.forms;
    [
        (Language::Sexpr, &forms.sexpr),
        (Language::Kopl, &forms.program),
        (Language::Sparql, &forms.sparql),
        (Language::Sparql, &forms.sparql_kqapro),
    ]
    .into_iter()
    .filter_map(|(language, form)| Some((language, form.as_deref()?)))
    .collect()
}

/// Gold as prediction scores 1 in every measure and every language, although every form is parsed, compared and run like any other.
#[test]
fn gold_is_perfect() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let words = Words::new(&kb);
    let mut grader = grader(&kb, &words);
    grader.trusts_gold_text = false;
    let benchmark = quick(&kb, 300);
    let mut n = [0; 3];
    for question in evaluated(&benchmark) {
        for (language, text) in gold_forms(question) {
            let respaced = match language {
                Language::Sexpr => text.replace('(', " ( "),
                Language::Kopl => format!(" {text} "),
                Language::Sparql => text.replace('\n', "\n  "),
            };
            for text in [text, &respaced] {
                let prediction = form(text, language);
                let grade = grader.grade(question, Some(&prediction));
                assert_eq!(grade.outcome, Outcome::Answered, "{text}");
                for &measure in Measure::ALL {
                    let value = grade.values.get(measure);
                    assert!(value.is_none_or(|value| value == 1.0), "{} {value:?}: {text}", measure.name());
                }
                assert!(grade.products.iter().all(|value| *value == Some(1.0)));
            }
            n[language as usize] += 1;
        }
    }
    assert!(n.iter().all(|&n| n > 40), "{n:?}");
}

/// SPARQL with renamed variables, and the triples of each block in reverse order.
pub(super) fn renamed_and_reordered(sparql: &str) -> String {
    let mut lines: Vec<&str> = sparql.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let is_triple = |line: &str| line.trim_end().ends_with(" .") && !line.contains(['{', '}']);
    let mut from = 0;
    while from < lines.len() {
        let is_same = |line: &&&str| is_triple(line) && indent(line) == indent(lines[from]);
        let length = lines[from..].iter().take_while(is_same).count();
        lines[from..from + length].reverse();
        from += length.max(1);
    }
    lines.join("\n").replace('?', "?zz")
}

/// SPARQL with prefixes, and `a` for rdf:type.
pub(super) fn with_prefixes(sparql: &str, base: &str) -> String {
    let text = sparql.replace("<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "a");
    let property = format!("<{base}property:");
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find(&property) {
        let name_at = at + property.len();
        let end = name_at + rest[name_at..].find('>').unwrap();
        let name = &rest[name_at..end];
        out.push_str(&rest[..at]);
        match name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !name.is_empty() {
            true => out.push_str(&format!("p:{name}")),
            false => out.push_str(&rest[at..=end]),
        }
        rest = &rest[end + 1..];
    }
    format!("PREFIX p: <{base}property:>\n{out}{rest}")
}

/// Renaming, reordering or adding prefixes must not change any measure.
#[test]
fn gold_in_other_words_is_gold() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let words = Words::new(&kb);
    let grader = grader(&kb, &words);
    let benchmark = quick(&kb, 400);
    let of_structure = [
        Measure::EmCanonical,
        Measure::F1Sem,
        Measure::F1Tri,
        Measure::F1Aligned,
        Measure::F1Inverse,
        Measure::MrrForm,
        Measure::Exec,
        Measure::F1Exec,
        Measure::F1,
    ];
    let (mut n, mut n_outside) = (0, 0);
    for question in evaluated(&benchmark) {
        let Some(gold) = question.forms.sparql.as_deref() else { continue };
        let others =
            [with_prefixes(gold, &kb.manifest().base), renamed_and_reordered(gold), gold.replace('?', "$")];
        for other in others {
            let prediction = form(&other, Language::Sparql);
            let grade = grader.grade(question, Some(&prediction));
            for measure in of_structure {
                assert_eq!(grade.values.get(measure), Some(1.0), "{}\n{gold}\n{other}", measure.name());
            }
            assert_eq!(grade.products[1..], [Some(1.0), Some(1.0)], "{other}");
            n += 1;
            assert_eq!(grade.predicted_shape.as_deref(), Some(question.shape.as_str()), "{other}");
            let read = ReadForm::read(Language::Sparql, &other, &grader.knowledge);
            n_outside += usize::from(read.query().is_none());
        }
    }
    assert!(n > 300 && n_outside > 30, "{n} {n_outside}");
}

/// The scores of SPARQL against gold, without a KB.
fn scores(gold: &str, predicted: &str) -> [f64; 4] {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let words = Words::new(&kb);
    let mut question = quick(&kb, 30).questions.remove(0);
    question.forms = Forms { sparql: Some(gold.to_owned()), ..Forms::default() };
    let grader = Grader::new(knowledge(&kb, &words));
    let prediction = form(predicted, Language::Sparql);
    let grade = grader.grade(&question, Some(&prediction));
    [Measure::EmCanonical, Measure::F1Aligned, Measure::F1Sem, Measure::F1Tri]
        .map(|measure| grade.values.get(measure).unwrap())
}

#[test]
fn what_means_the_same_scores_the_same() {
    const W: &str = "urn:touchstone:world:";
    let gold = format!(
        "SELECT DISTINCT ?answer WHERE {{\n  ?answer <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{W}film> .\n  ?answer <{W}property:director> <{W}person/f-christopher-nolan> .\n}}"
    );
    let nolan = format!("<{W}person/f-christopher-nolan>");
    let same = [
        format!(
            "PREFIX w: <{W}>\nPREFIX p: <{W}property:>\nSELECT DISTINCT ?answer WHERE {{ ?answer a w:film . ?answer p:director {nolan} }}"
        ),
        gold.replace("<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "a"),
        gold.replace('?', "$"),
        format!("SELECT DISTINCT ?answer WHERE {{ ?answer a <{W}film> ; <{W}property:director> {nolan} }}"),
        gold.replace("SELECT DISTINCT", "select distinct").replace("WHERE", "where"),
        format!("# {{ ?x <urn:a> <urn:b> }}\n{gold}"),
        format!(
            "SELECT DISTINCT ?answer WHERE {{ ?answer a <{W}film> . {nolan} ^<{W}property:director> ?answer }}"
        ),
    ];
    for other in same {
        assert_eq!(scores(&gold, &other), [1.0; 4], "{other}");
    }
    let path = |text: &str| format!("SELECT DISTINCT ?x WHERE {{ {text} }}");
    // Nothing in common.
    for (gold, predicted) in [
        ("<urn:a> <urn:p>/<urn:q> ?x", "<urn:b> <urn:r>/<urn:s> ?x"),
        ("?x <urn:p>* <urn:a>", "?x <urn:r>* <urn:zzz>"),
        ("?x <urn:latitude> -5", "?x <urn:population>/<urn:density> -7"),
    ] {
        let [canonical, aligned, f1_sem, f1_tri] = scores(&path(gold), &path(predicted));
        assert_eq!((canonical, f1_sem, f1_tri), (0.0, 0.0, 0.0), "{gold} / {predicted}");
        assert!(aligned < 1.0, "{gold} / {predicted}");
    }
    // Literals are not IRIs, and lists are complete.
    assert_eq!(scores(&path("?x <urn:p> true"), &path("?x <urn:p> false"))[2..], [1.0, 0.0]);
    assert_eq!(scores(&path("?x <urn:p> <urn:a> , <urn:b>"), &path("?x <urn:p> <urn:a>"))[3], 2.0 / 3.0);
    assert_eq!(scores(&path("?x ?p ?y"), &path("?x ?b ?c"))[2..], [1.0, 1.0], "no IRI, and the same query");
    assert_eq!(scores(&path("?x ?p ?y"), &path("?y ?p ?x"))[2], 0.0, "no IRI, and another query");
}

/// `--compat gek` keeps the paper's literal definitions next to ours.
#[test]
fn literal_scores_are_those_of_the_paper() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let words = Words::new(&kb);
    let mut grader = grader(&kb, &words);
    grader.compat = Some(DataSet::Gek);
    let mut question =
        quick(&kb, 60).questions.into_iter().find(|question| question.forms.sparql.is_some()).unwrap();
    let gold = question.forms.sparql.clone().unwrap();
    let literal = |question: &Question, text: &str| -> Vec<f64> {
        let prediction = form(text, Language::Sparql);
        grader.grade(question, Some(&prediction)).official.into_iter().map(Option::unwrap).collect()
    };
    assert_eq!(literal(&question, &gold), [1.0; 5]);
    let [f1_sem, f1_tri, _, gek_2, gek_3] =
        literal(&question, &with_prefixes(&gold, &kb.manifest().base))[..]
    else {
        panic!("five scores");
    };
    assert!(f1_sem < 1.0 && f1_tri < 1.0 && gek_2 < 1.0 && gek_3 < 1.0, "{f1_sem} {f1_tri}");
    let broken = literal(&question, &without_bracket(&gold).unwrap());
    assert_eq!(broken[..2], [1.0, 1.0]);
    assert!((broken[4] - 1e-8).abs() < 1e-16);
    // Both sets are empty.
    question.forms.sparql = Some("SELECT ?x { <urn:a> <urn:p>/<urn:q> ?x }".to_owned());
    assert_eq!(literal(&question, "SELECT ?x { <urn:b> <urn:r>/<urn:s> ?x }")[..2], [1.0, 1.0]);
}

/// The queries of published data sets, as far as available.
fn real_queries() -> Vec<String> {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let mut found = Vec::new();
    for (file, keys) in [
        ("kqapro/train_sparql.jsonl", &["sparql"][..]),
        ("lcquad/train.json", &["sparql_query"]),
        ("cwq/test.json", &["sparql"]),
        ("human/dbpedia-qald9-train.jsonl", &["sparql", "query"]),
        ("human/wikidata-qald10-train.jsonl", &["sparql", "query"]),
    ] {
        let Ok(bytes) = std::fs::read(data.join(file)) else {
            eprintln!("skipped: there is no {file} in ../shared/data");
            continue;
        };
        let before = found.len();
        for record in Records::new(&bytes[..]).map(Result::unwrap) {
            let json: serde_json::Value = serde_json::from_str(&record.text).unwrap();
            found.extend(keys.iter().find_map(|key| json[*key].as_str()).map(str::to_owned));
        }
        assert!(found.len() > before, "no query in {file}");
    }
    found
}

/// T1 of the paper: a query without its last bracket still has its names and patterns.
#[test]
fn without_a_bracket_the_names_and_patterns_are_the_same() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let words = Words::new(&kb);
    let benchmark = quick(&kb, 600);
    let mut question = benchmark.questions[0].clone();
    let own = benchmark.questions.iter().flat_map(|question| {
        [question.forms.sparql.clone(), question.forms.sparql_kqapro.clone()].into_iter().flatten()
    });
    let grader = Grader::new(knowledge(&kb, &words));
    let (mut n, mut lost) = (0, Vec::new());
    for gold in own.chain(real_queries()) {
        let Some(broken) = without_bracket(&gold) else { continue };
        question.forms = match gold.contains("<pred:") {
            true => Forms { sparql_kqapro: Some(gold.clone()), ..Forms::default() },
            false => Forms { sparql: Some(gold.clone()), ..Forms::default() },
        };
        let prediction = form(&broken, Language::Sparql);
        let grade = grader.grade(&question, Some(&prediction));
        let values = [Measure::F1Sem, Measure::F1Tri].map(|measure| grade.values.get(measure).unwrap());
        if values != [1.0, 1.0] {
            lost.push(format!("{values:?} {gold}"));
        }
        n += 1;
    }
    assert!(n > 600, "{n}");
    assert!(lost.is_empty(), "{} of {n}:\n{}", lost.len(), lost[..lost.len().min(10)].join("\n"));
}

/// A system cannot choose the questions that it is scored on by the language of its forms.
#[test]
fn every_question_counts_in_every_language() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let words = Words::new(&kb);
    let grader = grader(&kb, &words);
    let benchmark = quick(&kb, 300);
    let (mut n, mut n_incomparable) = (0, 0);
    for question in evaluated(&benchmark) {
        for wrong in [
            form("(JOIN director film/tt0111161)", Language::Sexpr),
            form("Find(radium) > What()", Language::Kopl),
            form("SELECT ?x WHERE { ?x a <urn:touchstone:world:film> }", Language::Sparql),
            form("SELECT ?x WHERE { ?x <pred:name> \"radium\" }", Language::Sparql),
            Prediction::default(),
        ] {
            let grade = grader.grade(question, Some(&wrong));
            for &measure in Measure::ALL.iter().filter(|measure| measure.family() == Family::Query) {
                let is_measured = grade.values.get(measure).is_some();
                assert_eq!(is_measured, measure != Measure::EmOfficial, "{} {wrong:?}", measure.name());
            }
            assert!(grade.values.get(Measure::Exec).is_some() && grade.products.iter().all(Option::is_some));
            n += 1;
            n_incomparable += usize::from(grade.is_incomparable);
        }
    }
    assert!(n > 400, "{n} {n_incomparable}");
}

/// Gold without a form in the language of the prediction is translated, if that is exact.
#[test]
fn gold_is_translated() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let words = Words::new(&kb);
    let grader = grader(&kb, &words);
    let benchmark = quick(&kb, 300);
    let (mut n, mut n_pairs, mut n_texts) = (0, 0, 0);
    for question in evaluated(&benchmark) {
        let (Some(sexpr), Some(program)) = (&question.forms.sexpr, &question.forms.program) else { continue };
        let mut only_kopl = question.clone();
        only_kopl.forms = Forms { program: Some(program.clone()), ..Forms::default() };
        let prediction = form(sexpr, Language::Sexpr);
        let grade = grader.grade(&only_kopl, Some(&prediction));
        assert!(!grade.is_incomparable);
        // A program uses names; an ambiguous name remains a name.
        n += usize::from(grade.values.get(Measure::EmCanonical) == Some(1.0));
        n_pairs += 1;
        // Only SPARQL, predicted as S-expressions.
        let mut only_sparql = question.clone();
        only_sparql.forms = Forms { sparql: question.forms.sparql.clone(), ..Forms::default() };
        let prediction = form(sexpr, Language::Sexpr);
        n_texts += usize::from(
            grader.grade(&only_sparql, Some(&prediction)).values.get(Measure::EmString) == Some(1.0),
        );
    }
    assert!(n_pairs > 40 && n > 5 && n_texts > 20, "{n} and {n_texts} of {n_pairs}");
}

/// The answers in the paper are the results of the form, whatever is claimed.
#[test]
fn claimed_answers_do_not_stand_for_those_of_the_form() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let words = Words::new(&kb);
    let grader = grader(&kb, &words);
    let benchmark = quick(&kb, 60);
    let question = benchmark.questions.iter().find(|question| question.forms.sparql.is_some()).unwrap();
    let gold = question.forms.sparql.as_deref().unwrap();
    let answers: Vec<Answer> = question.answers.clone();
    let graded = |text: &str, claimed: Option<Vec<Answer>>| {
        let prediction = Prediction { answers: claimed, ..form(text, Language::Sparql) };
        let grade = grader.grade(question, Some(&prediction));
        let value = |measure| grade.values.get(measure).unwrap();
        ([value(Measure::F1), value(Measure::F1Exec), value(Measure::Exec)], grade.products[2].unwrap())
    };
    assert_eq!(graded(gold, None), ([1.0, 1.0, 1.0], 1.0));
    assert_eq!(graded(gold, Some(Vec::new())), ([0.0, 1.0, 1.0], 1.0));
    // It does not run: both factors are at the minimum.
    let (values, gek_3) = graded(&without_bracket(gold).unwrap(), Some(answers.clone()));
    assert_eq!(values, [1.0, 0.0, 0.0]);
    assert!((gek_3 - 1e-8).abs() < 1e-16, "{gek_3}");
    let (values, _) = graded("SELECT ?x WHERE { ?x a <urn:nothing> }", Some(answers));
    assert_eq!(values, [1.0, 0.0, 1.0]);
    // Without a KB the results of a form are unknown.
    let blind = Grader::new(knowledge(&kb, &words));
    let prediction = form(gold, Language::Sparql);
    let grade = blind.grade(question, Some(&prediction));
    assert_eq!((grade.values.get(Measure::F1Exec), grade.products[2]), (None, None));
}

/// Data sets without gold answers: the gold query is run; without a KB, answer measures are not computed.
#[test]
fn unknown_gold_answers_are_not_wrong() {
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let words = Words::new(&kb);
    let grader = grader(&kb, &words);
    let blind = Grader::new(knowledge(&kb, &words));
    let benchmark = quick(&kb, 100);
    for question in evaluated(&benchmark).into_iter().filter(|question| question.forms.sparql.is_some()) {
        let gold = question.forms.sparql.as_deref().unwrap();
        let mut unknown = question.clone();
        unknown.answers = Vec::new();
        let other = form(&gold.replace('?', "?other_"), Language::Sparql);
        let grade = grader.grade(&unknown, Some(&other));
        assert_eq!(grade.gold_answers, GoldAnswers::FromKb);
        assert_eq!(
            (grade.values.get(Measure::F1), grade.values.get(Measure::F1Exec)),
            (Some(1.0), Some(1.0))
        );
        let claims =
            Prediction { answers: Some(vec![Answer::plain("nothing like it")]), ..Prediction::default() };
        let grade = blind.grade(&unknown, Some(&claims));
        assert_eq!(grade.gold_answers, GoldAnswers::Unknown);
        for &measure in Measure::ALL.iter().filter(|measure| measure.family() == Family::Answer) {
            assert_eq!(grade.values.get(measure), None, "{}", measure.name());
        }
        // An empty set of gold answers is a different case.
        unknown.answers_empty = true;
        let grade = blind.grade(&unknown, Some(&claims));
        assert_eq!((grade.gold_answers, grade.values.get(Measure::F1)), (GoldAnswers::Given, Some(0.0)));
    }
}

/// The published comparison of KQA Pro on all pairs of a list.
#[test]
fn kqapro_is_reproduced() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/reviews/audit-scripts/kqapro_pairs.jsonl");
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: there is no kqapro_pairs.jsonl in ../shared");
        return;
    };
    let mut n = 0;
    for line in text.lines() {
        let pair: serde_json::Value = serde_json::from_str(line).unwrap();
        let same = kqapro::same_answer(pair["predicted"].as_str().unwrap(), pair["gold"].as_str().unwrap());
        assert_eq!(same, pair["equal"].as_bool().unwrap(), "{line}");
        n += 1;
    }
    assert_eq!(n, 3844);
}
