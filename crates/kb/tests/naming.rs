//! Names of RDF: which property they come from, and how nodes without a name are shown and found.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::BTreeMap;
use touchstone_kb::import::{ImportRequest, Profile, Source, import};
use touchstone_kb::survey::Survey;
use touchstone_kb::{Kb, KbError, Match, NodeId, Property};

const PREFIXES: &str = "@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . \
    @prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix schema: <https://schema.org/> . \
    @prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix dct: <http://purl.org/dc/terms/> .\n";

fn try_import(turtle: &str, label_properties: &[&str], lang: &str) -> Result<Kb, KbError> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("kb.ttl");
    std::fs::write(&file, format!("{PREFIXES}{turtle}")).unwrap();
    let mut request = ImportRequest::new(Source::Rdf(Profile::Rdfs), vec![file]);
    request.label_properties = label_properties.iter().map(|&text| text.to_owned()).collect();
    request.lang = lang.to_owned();
    import(&request, &dir.path().join("kb"), &touchstone_kb::NoProgress)?;
    Kb::open(&dir.path().join("kb"))
}

fn imported(turtle: &str, label_properties: &[&str]) -> Kb {
    try_import(turtle, label_properties, "en").unwrap()
}

fn node(kb: &Kb, name: &str) -> NodeId {
    kb.node(&format!("http://e/{name}")).unwrap()
}

fn label(kb: &Kb, name: &str) -> Option<String> {
    kb.label_literal(node(kb, name)).map(|label| kb.literal_text(label).to_owned())
}

fn aliases(kb: &Kb, name: &str) -> Vec<String> {
    kb.aliases(node(kb, name)).map(|alias| kb.literal_text(alias).to_owned()).collect()
}

#[test]
fn common_name_properties_are_names_of_what_has_no_label() {
    let kb = imported(
        ":a foaf:name 'Ann'; :p :b . :b schema:name 'Bob', 'Bobby'; foaf:name 'Robert'; :p :c .
         :c rdfs:label 'Cy'; foaf:name 'Cyrus'; :p :d . :d dct:title 'Title'@de ; :p :a .",
        &[],
    );
    assert_eq!(label(&kb, "a").as_deref(), Some("Ann"));
    assert_eq!((label(&kb, "b").as_deref(), aliases(&kb, "b")), (Some("Bob"), vec!["Bobby".to_owned()]));
    assert_eq!((label(&kb, "c").as_deref(), aliases(&kb, "c")), (Some("Cy"), vec![]));
    assert_eq!(label(&kb, "d"), None, "a German title is no English name");
    // A value that is used as a label can still be queried.
    let name = kb.attribute("http://xmlns.com/foaf/0.1/name").unwrap();
    assert_eq!(kb.facts_with(Property::Attribute(name)).count(), 3);
    let kb = try_import(":d dct:title 'Titel'@de ; :p :a .", &[], "de").unwrap();
    assert_eq!(label(&kb, "d").as_deref(), Some("Titel"));
}

#[test]
fn sub_properties_of_labels_are_names_wherever_that_is_said() {
    let kb = imported(
        ":a :name 'Ann'; :p :b . :b :nick 'Bee'; foaf:name 'Bob' . :c rdfs:label 'Cy'; :name 'Cyrus' .
         :nick rdfs:subPropertyOf :name . :name rdfs:subPropertyOf rdfs:label . rdfs:label rdfs:subPropertyOf :nick .",
        &[],
    );
    let labels = ["a", "b", "c"].map(|name| label(&kb, name).unwrap());
    assert_eq!(labels, ["Ann", "Bee", "Cy"]);
}

#[test]
fn preferred_properties_go_first_in_their_order() {
    let turtle = ":a :code 'A1'; :name 'Ann'; rdfs:label 'Label A' . :b :code 'B1'; rdfs:label 'Label B' .
         :c rdfs:label 'Label C'; skos:prefLabel 'Pref C' . :d foaf:name 'Dee' . :e :number 7 .";
    let kb = imported(turtle, &["http://e/name", "<http://e/code>", "http://e/number"]);
    let labels = ["a", "b", "d", "e"].map(|name| label(&kb, name).unwrap());
    assert_eq!(labels, ["Ann", "B1", "Dee", "7"]);
    assert_eq!(
        (aliases(&kb, "a"), aliases(&kb, "b")),
        (vec!["Label A".to_owned()], vec!["Label B".to_owned()])
    );
    for (preferred, expected, other) in
        [("skos:prefLabel", "Pref C", "Label C"), ("rdfs:label", "Label C", "Pref C")]
    {
        let kb = imported(turtle, &[preferred]);
        assert_eq!((label(&kb, "c").as_deref(), aliases(&kb, "c")), (Some(expected), vec![other.to_owned()]));
        assert_eq!(label(&kb, "a").as_deref(), Some("Label A"));
    }
}

#[test]
fn a_property_that_is_not_there_is_an_error_with_the_nearest() {
    let wrong = |typed: &str| try_import(":a :name 'Ann' ; :p :b .", &[typed], "en").err().unwrap();
    for typed in ["foaf:name", "http://x/Name", "name", "http://e/nmae"] {
        match wrong(typed) {
            KbError::UnknownLabelProperty { property, nearest } => {
                assert_eq!((property.as_str(), nearest.as_deref()), (typed, Some("http://e/name")));
            }
            other => panic!("{other}"),
        }
    }
    assert!(wrong("http://e/entirelyDifferent").to_string().contains("give its whole IRI"));
}

#[test]
fn what_has_no_label_is_found_by_what_is_displayed() {
    let kb = imported(
        ":Bohemian_Rhapsody :by :Queen . <http://e/x#N404070> :by :Caf%C3%A9 . :x rdfs:label 'Queen' . :y :by :bad%0Aname .",
        &[],
    );
    for (shown, id) in [
        ("Bohemian_Rhapsody", "http://e/Bohemian_Rhapsody"),
        ("N404070", "http://e/x#N404070"),
        ("Café", "http://e/Caf%C3%A9"),
        ("bad%0Aname", "http://e/bad%0Aname"),
    ] {
        let node = kb.node(id).unwrap();
        assert_eq!(kb.label(node), shown);
        assert_eq!(kb.nodes_named(shown), [node]);
        assert_eq!(kb.find_names(shown, 3)[0].node, node);
        assert_eq!(kb.find_names(shown, 3)[0].matched, Match::Exact);
        // It is not a label: neither in the index of labels nor in RDF.
        assert_eq!(kb.label_literal(node), None);
        assert_eq!(kb.nodes_labelled(shown).count(), 0);
    }
    assert_eq!(kb.find_names("bohemian rhapsody", 1)[0].matched, Match::Folded);
    assert_eq!(kb.find_names("cafe", 1)[0].name, "Café");
    // A label ranks before a name that is only displayed.
    let queens: Vec<&str> = kb.nodes_named("Queen").into_iter().map(|node| kb.node_id(node)).collect();
    assert_eq!(queens.len(), 2);
    assert_eq!(kb.nodes_labelled("Queen").map(|node| kb.node_id(node)).collect::<Vec<_>>(), ["http://e/x"]);
    assert_eq!(kb.nodes_named("http://e/Bohemian_Rhapsody").len(), 1);
    assert_eq!(kb.manifest().counts.names, 1);
}

#[test]
fn a_survey_reports_names_languages_classes_and_name_like_properties() {
    let mut turtle = String::new();
    for i in 0..20 {
        turtle += &format!(
            ":p{i} a :Product ; :productName 'Product {i} of many' ; :maker :m{} ; :price {i} ; :phone '0{i} 555' ; :colour '{}' .\n",
            i % 5,
            ["red", "green"][i % 2]
        );
    }
    for i in 0..5 {
        turtle += &format!(
            ":m{i} a :Maker ; rdfs:label 'Maker {i}'@en-GB ; :motto 'We make things, number {i}' .\n"
        );
    }
    turtle += ":z rdfs:label 'Zed' ; :maker [ :price 3 ] .";
    let survey = Survey::of(&imported(&turtle, &[]));
    assert_eq!((survey.entities, survey.blank, survey.named, survey.with_class), (27, 1, 6, 25));
    assert_eq!(survey.languages, BTreeMap::from([(String::new(), 1), ("en-gb".to_owned(), 5)]));
    assert!(survey.lacks_names() && survey.unnamed() == 20);
    let like: Vec<&str> = survey.name_like.iter().map(|p| p.id.as_str()).collect();
    assert_eq!(like, ["http://e/productName"]);
    assert_eq!((survey.name_like[0].entities, survey.name_like[0].is_called_so), (20, true));
    let named = Survey::of(&imported(&turtle, &["http://e/productName"]));
    assert!(named.named == 26 && !named.lacks_names() && named.name_like.is_empty());
}

/// Restrictions and lists of classes are blank nodes that are kept in the graph but are not part of the model.
#[test]
fn owl_expressions_are_not_entities() {
    let turtle = "@prefix owl: <http://www.w3.org/2002/07/owl#> .
        :Pizza a owl:Class ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :base ; owl:someValuesFrom :Base ] ;
            owl:equivalentClass [ a owl:Class ; owl:unionOf ( :Thin [ a owl:Class ; owl:complementOf :Thick ] ) ; rdfs:label 'an expression' ] .
        [] a owl:AllDisjointClasses ; owl:members ( :Thin :Thick ) .
        :p1 a :Pizza, [ a owl:Restriction ; owl:onProperty :base ; owl:hasValue :b1 ] ; :base :b1 ; :address [ :street 'Main' ] ; :list ( 1 2 ) .";
    let kb = imported(turtle, &[]);
    let entities: Vec<&str> = kb.nodes().take(kb.n_entities()).map(|node| kb.node_id(node)).collect();
    let (blank, named): (Vec<&str>, Vec<&str>) = entities.iter().partition(|id| id.starts_with("_:"));
    assert_eq!(named.iter().filter(|id| id.ends_with("/p1") || id.ends_with("/b1")).count(), 2, "{named:?}");
    // The address, and the two cells of a list that is not part of an expression.
    assert_eq!(blank.len(), 3, "{blank:?}");
    assert!(kb.classes().all(|class| !kb.node_id(kb.class_node(class)).starts_with("_:")));
    assert!(kb.relation("http://www.w3.org/2002/07/owl#onProperty").is_none());
    // The graph has all of it.
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("kb.nt");
    let request = touchstone_kb::export::ExportRequest {
        format: touchstone_kb::export::ExportFormat::NTriples,
        view: touchstone_kb::export::ExportView::Direct,
        qualifiers: true,
    };
    let mut file = std::fs::File::create(&out).unwrap();
    touchstone_kb::export::export(&kb, &request, &mut file, &touchstone_kb::NoProgress).unwrap();
    let text = std::fs::read_to_string(&out).unwrap();
    assert_eq!(text.matches("owl#onProperty>").count(), 2, "{text}");
    assert_eq!(text.matches("rdf-syntax-ns#rest>").count(), 6, "{text}");
    assert!(text.contains("an expression") && text.contains("owl#AllDisjointClasses"), "{text}");
}
