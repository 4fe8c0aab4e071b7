//! Good paraphrases are kept, bad ones are caught: 300 written for this test, served by a local server.
//!
//! `data/paraphrases.jsonl` has the text, its fault (`null`: good) and, where it passes the checks that need no reader, which sentence a reader picked
//! for it without knowing the fault.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use touchstone_annotate::{Fault, ParaphraseConfig, paraphrase};
use touchstone_benchmark::Question;
use touchstone_benchmark::english::Lexicon;
use touchstone_engine::QueryContext;
use touchstone_kb::NoProgress;
use touchstone_run::{Contract, HttpSystem, SystemInput, WebSettings};

#[derive(Deserialize, Clone)]
struct Written {
    id: String,
    text: String,
    fault: Option<String>,
    picked: Option<String>,
}

fn lines<T: for<'d> Deserialize<'d>>(text: &str) -> Vec<T> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Replies to requests for paraphrases with all that are written, and to choices with what the reader picked.
fn reply(input: &SystemInput, written: &[Written], questions: &[Question]) -> String {
    let own = || written.iter().filter(|written| written.id == input.id);
    let Some(choices) = &input.choices else {
        let texts: Vec<&str> = own().map(|written| written.text.as_str()).collect();
        return serde_json::json!({ "answers": texts }).to_string();
    };
    let asked =
        own().find(|written| input.question.contains(&format!("Question: {}\n", written.text))).unwrap();
    let gold = &questions.iter().find(|question| question.id == input.id).unwrap().question;
    let at = match asked.picked.as_deref() {
        // Nobody read it, because another check catches it: here it is taken for good.
        Some("question") | None => choices.iter().position(|choice| choice == gold).unwrap(),
        Some(_) => choices.len() - 1,
    };
    let letter = char::from(b'A' + u8::try_from(at).unwrap());
    serde_json::json!({ "answers": [letter.to_string()] }).to_string()
}

/// A server of one request a connection; it ends with the test.
fn serve(written: Vec<Written>, questions: Vec<Question>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            let (mut length, mut line) = (0, String::new());
            while stream.read_line(&mut line).unwrap_or(0) > 2 {
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            stream.read_exact(&mut body).unwrap();
            let input: SystemInput = serde_json::from_slice(&body).unwrap();
            let body = reply(&input, &written, &questions);
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close";
            write!(stream.get_mut(), "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        }
    });
    address
}

#[test]
fn bad_paraphrases_are_caught_and_good_ones_kept() {
    let written: Vec<Written> = lines(include_str!("data/paraphrases.jsonl"));
    let mut questions: Vec<Question> = lines(include_str!("data/questions.jsonl"));
    assert_eq!((questions.len(), written.len()), (60, 300));
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let context = QueryContext::new(Some(&kb), None).without_suggestions();
    let url = serve(written.clone(), questions.clone());
    let system = HttpSystem::new(&url, Contract::Ours, WebSettings::default());
    let config = ParaphraseConfig {
        system: &system,
        kb: &kb,
        lexicon: &Lexicon::of(&kb),
        knowledge: &context.knowledge(),
        wanted: 5,
        min_distance: 0.25,
        near_misses: 6,
        workers: 2,
    };
    let report = paraphrase(&mut questions, &config, &NoProgress).unwrap();
    assert_eq!((report.questions, report.written, report.errors), (60, 300, 0));

    let caught = |written: &Written| {
        report.rejections.iter().find(|rejected| rejected.id == written.id && rejected.text == written.text)
    };
    // By kind of fault: how many there are, and how many each check catches.
    let mut table: BTreeMap<&str, (usize, BTreeMap<Fault, usize>)> = BTreeMap::new();
    for written in &written {
        let (n, checks) = table.entry(written.fault.as_deref().unwrap_or("good")).or_default();
        *n += 1;
        if let Some(rejected) = caught(written) {
            *checks.entry(rejected.fault).or_default() += 1;
        }
    }
    for (kind, (n, checks)) in &table {
        println!("{kind}: {n}, caught {checks:?}");
    }
    let (mut bad, mut bad_caught) = (0, 0);
    for (_, (n, checks)) in table.iter().filter(|(kind, _)| **kind != "good") {
        bad += n;
        bad_caught += checks.values().sum::<usize>();
    }
    let (good, good_lost) = (table["good"].0, table["good"].1.values().sum::<usize>());
    println!("bad caught {bad_caught} of {bad}, good kept {} of {good}", good - good_lost);
    assert!(bad_caught * 100 >= bad * 95, "{bad_caught} of {bad} bad ones are caught");
    assert!((good - good_lost) * 100 >= good * 80, "{good_lost} of {good} good ones are lost");

    // What is kept names its author and its entities, and the question itself stays.
    let kept = questions.iter().flat_map(|question| question.paraphrases.iter().map(move |p| (question, p)));
    for (question, paraphrase) in kept {
        assert_eq!(paraphrase.system, format!("http:{url}"));
        assert_eq!(paraphrase.entities.len(), question.entities.len());
        let chars: Vec<char> = paraphrase.text.chars().collect();
        for mention in &paraphrase.entities {
            assert_eq!(chars[mention.start..mention.end].iter().collect::<String>(), mention.text);
        }
        assert!(paraphrase.distance >= 0.25 && paraphrase.text != question.question);
    }
}

/// A server that cannot be reached is an error with its cause, after a few questions.
#[test]
fn unreachable_servers_are_errors() {
    let mut questions: Vec<Question> = lines(include_str!("data/questions.jsonl"));
    let kb = touchstone_world::open(&NoProgress).unwrap();
    let context = QueryContext::new(Some(&kb), None).without_suggestions();
    // The port of a listener that is closed again.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let settings = WebSettings { retries: 0, ..WebSettings::default() };
    let system = HttpSystem::new(&format!("http://{address}"), Contract::Ours, settings);
    let config = ParaphraseConfig {
        system: &system,
        kb: &kb,
        lexicon: &Lexicon::of(&kb),
        knowledge: &context.knowledge(),
        wanted: 5,
        min_distance: 0.25,
        near_misses: 6,
        workers: 1,
    };
    let error = paraphrase(&mut questions, &config, &NoProgress).unwrap_err().to_string();
    assert!(error.contains("first questions") && error.contains("check that it runs"), "{error}");
    assert!(questions.iter().all(|question| question.paraphrases.is_empty()));
}
