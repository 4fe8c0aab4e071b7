use super::*;

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn anatomy(text: &str) -> Anatomy<'_> {
    Anatomy::of(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn clauses_are_found() {
    let text = "PREFIX select: <urn:where#> # SELECT {\nSELECT DISTINCT ?a (COUNT(?b) AS ?n) FROM <urn:g> FROM NAMED <urn:h>\n\
                WHERE { ?a ?b ?c { SELECT * { ?x ?y 'ORDER BY }' } LIMIT 5 } } GROUP BY ?a HAVING (COUNT(?b) < 3)\n\
                ORDER BY DESC(?n) ?a OFFSET 7 LIMIT 20 VALUES ?a { <urn:x> }";
    let a = anatomy(text);
    assert_eq!((a.form, a.limit, a.offset, a.is_distinct()), (Form::Select, Some(20), 7, true));
    assert_eq!(a.prologue, "PREFIX select: <urn:where#> # SELECT {\n");
    assert_eq!(a.head, "SELECT DISTINCT ?a (COUNT(?b) AS ?n)");
    assert_eq!(a.datasets, "FROM <urn:g> FROM NAMED <urn:h>");
    assert!(a.pattern.starts_with("{ ?a ?b ?c") && a.pattern.ends_with("LIMIT 5 } }"));
    assert_eq!(a.groups, "GROUP BY ?a HAVING (COUNT(?b) < 3)");
    assert_eq!(a.order, "DESC(?n) ?a");
    assert_eq!(a.values, "VALUES ?a { <urn:x> }");
}

#[test]
fn forms_are_distinguished() {
    for (text, form) in [
        ("ask{?s ?p ?o}", Form::Ask),
        ("define sql:select-option \"order\" SELECT * {}", Form::Select),
        ("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o } LIMIT 3", Form::Construct),
        ("construct where { ?s ?p ?o }", Form::Construct),
        ("DESCRIBE <urn:a>", Form::Describe),
        ("DESCRIBE ?x WHERE { ?x a <urn:c> }", Form::Describe),
        ("BASE <urn:ask> PREFIX ask: <urn:ask:> SELECT ?ask { ask:a ?ask 'ASK' }", Form::Select),
    ] {
        assert_eq!(anatomy(text).form, form, "{text}");
    }
    for text in [
        "",
        "INSERT DATA { <urn:a> <urn:b> <urn:c> }",
        "SELECT ?x",
        "SELECT * { } LIMIT ?x",
        "SELECT * {} SELECT",
        "DROP ALL",
    ] {
        assert!(Anatomy::of(text).is_err(), "{text}");
    }
}

#[test]
fn new_queries_are_made_of_the_clauses() {
    let variables = [Variable::new("s").expect("name"), Variable::new("n").expect("name")];
    let a = anatomy("PREFIX t: <urn:t:> SELECT ?s ?n FROM t:g { ?s t:n ?n } ORDER BY DESC(?n) LIMIT 50000");
    assert_eq!(
        squeezed(&a.page(&variables, 100, 200, true)),
        "PREFIX t: <urn:t:> SELECT ?s ?n FROM t:g WHERE { { SELECT ?s ?n WHERE { ?s t:n ?n } ORDER BY DESC(?n) ?s ?n } } LIMIT 100 OFFSET 200"
    );
    assert_eq!(
        squeezed(&a.page(&variables, 100, 200, false)),
        "PREFIX t: <urn:t:> SELECT ?s ?n FROM t:g WHERE { ?s t:n ?n } ORDER BY DESC(?n) ?s ?n LIMIT 100 OFFSET 200"
    );
    assert_eq!(
        squeezed(&a.counted(true)),
        "PREFIX t: <urn:t:> SELECT (COUNT(*) AS ?touchstone_count) FROM t:g WHERE { { SELECT DISTINCT ?s ?n WHERE { ?s t:n ?n } } }"
    );
    assert_eq!(
        squeezed(&a.sliced(10)),
        "PREFIX t: <urn:t:> SELECT ?s ?n FROM t:g WHERE { ?s t:n ?n } ORDER BY DESC(?n) LIMIT 10 OFFSET 0"
    );
    let reduced = anatomy("SELECT REDUCED ?s { ?s ?p ?o }");
    assert!(squeezed(&reduced.counted(true)).contains("{ SELECT DISTINCT ?s WHERE"));
    // Every one of them is a valid query for a real parser.
    for text in [
        a.page(&variables, 1, 2, true),
        a.page(&variables, 1, 2, false),
        a.counted(true),
        a.counted(false),
        a.sliced(3),
        a.columns(),
    ] {
        let parsed = spargebra::SparqlParser::new().parse_query(&text);
        assert!(parsed.is_ok(), "{text}: {parsed:?}");
    }
}

#[test]
fn a_construct_becomes_a_select() {
    let variables = [Variable::new("s").expect("name")];
    for (text, select) in [
        (
            "CONSTRUCT { ?s <urn:p> 1 } FROM <urn:g> WHERE { ?s ?p ?o } LIMIT 3",
            "SELECT ?s FROM <urn:g> WHERE { ?s ?p ?o } LIMIT 3",
        ),
        (
            "PREFIX t: <urn:t:> CONSTRUCT WHERE { ?s t:p t:o }",
            "PREFIX t: <urn:t:> SELECT ?s WHERE { ?s t:p t:o }",
        ),
    ] {
        assert_eq!(squeezed(&anatomy(text).selected(&variables)), select);
    }
}
