//! S-expressions: the reader, the parser, the printer, the algebra and back, and GrailQA's matcher. The input is two forms, one per line.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use touchstone_logic::equal::{Canonical, OfficialMatcher};
use touchstone_logic::graph::draw;
use touchstone_logic::sexpr::read::SexprTree;
use touchstone_logic::{Form, Ontology, QueryGraph, Spelling};

fuzz_target!(|data: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(data) else { return Corpus::Reject };
    let (gold, predicted) = text.split_once('\n').unwrap_or((text, ""));
    read(text);
    one(gold);
    one(predicted);
    compare(gold, predicted);
    Corpus::Keep
});

/// Items lie inside the list that holds them, one after the other.
fn read(text: &str) {
    let mut tree = SexprTree::default();
    let Ok(root) = tree.read(text) else { return };
    let mut open = vec![root];
    while let Some(item) = open.pop() {
        let span = tree.span(item);
        assert!(!span.of(text).is_empty());
        let mut at = span.start;
        for child in tree.children(item) {
            assert!(tree.is_list(item) && at <= tree.span(child).start);
            at = tree.span(child).end;
            open.push(child);
        }
        assert!(at <= span.end);
    }
}

fn one(text: &str) {
    let form = match Form::parse(text, &Spelling) {
        Ok(form) => form,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    // Quotes and control characters are our own extension: such texts are only exercised.
    let plain = !text.contains(['"', '\\']) && !text.contains(char::is_control);
    if plain {
        reread(&form);
    }
    let Ok(query) = form.to_query() else { return };
    let gold = Canonical::of(&query, &());
    let graph = QueryGraph::of(&query);
    graph.shape();
    draw(&graph);
    let Ok((again, lost)) = Form::from_query(&query) else { return };
    if plain && lost.is_empty() {
        reread(&again);
        let query = again.to_query().expect("what was printed can be read");
        assert_eq!(gold.compare(&Canonical::of(&query, &())).why, None, "{form}\n{again}");
    }
}

fn reread(form: &Form) {
    let printed = form.to_string();
    let again = Form::parse(&printed, &Spelling).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(again, *form, "{printed}");
}

fn compare(gold: &str, predicted: &str) {
    let ontology = Ontology::default();
    for legacy in [false, true] {
        let mut matcher = OfficialMatcher::new(&ontology).legacy(legacy);
        let equal = matcher.equal(gold, predicted);
        assert_eq!(matcher.explain(gold, predicted).equal, equal, "legacy: {legacy}");
        if !legacy {
            assert_eq!(matcher.equal(predicted, gold), equal);
            assert_eq!(matcher.equal(gold, gold), matcher.explain(gold, gold).equal);
        }
    }
}
