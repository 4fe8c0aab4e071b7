//! Projects on disk: every acknowledged record survives, damage is found and named, one process writes, an attempt has one effect.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use support::question;
use touchstone_annotate::{
    Ack, Activity, AnswerRules, AnswerTools, AnsweredQuestion, Comment, Event, JudgedText, Moment,
    NewProject, NewRecord, NextTask, ParaphrasedText, Preset, Project, ProjectError, ProjectPlan,
    ProjectRules, ReadOnly, Refusal, Role, SameMeaning, Store, StoreError, SubmitError, TaskSource,
    TaskVerdict, TextFault, verify_project,
};
use touchstone_benchmark::{Answer, Benchmark, BenchmarkManifest};

fn benchmark(n: usize) -> Benchmark {
    let one = |n: usize| {
        let text = format!("What is the answer to question {n} of the test?");
        question(&format!("q{n}"), ["chain", "star"][n % 2], &text, &["multihop"])
    };
    Benchmark::new(BenchmarkManifest::named("small"), (0..n).map(one).collect())
}

fn members(n: usize) -> BTreeMap<String, Role> {
    let people = (1..=n).map(|n| (format!("p{n}"), Role::Annotator));
    people.chain([("p0".to_owned(), Role::Owner)]).collect()
}

fn create(folder: &Path, plan: &ProjectPlan, n: usize, people: usize) -> Project {
    let benchmark = benchmark(n);
    let new = NewProject {
        plan,
        source: TaskSource::new(&benchmark),
        members: members(people),
        guidelines: "# Write well",
    };
    Project::create(folder, new, "p0", Moment::now()).unwrap()
}

fn paraphrasing() -> ProjectPlan {
    ProjectPlan { name: "test".to_owned(), control_share: 0.0, ..Preset::ParaphraseAndValidate.plan() }
}

fn answering() -> ProjectPlan {
    let answer = AnswerRules { overlap: 1, tools: AnswerTools::Browse, choices: false };
    let rules = ProjectRules { answer: Some(answer), ..ProjectRules::default() };
    ProjectPlan { name: "test".to_owned(), rules, ..ProjectPlan::default() }
}

fn paraphrased(text: &str) -> Event {
    Event::Paraphrased(ParaphrasedText { text: text.to_owned(), seconds: 9.0, ..ParaphrasedText::default() })
}

fn judged(of: u64, same: SameMeaning) -> Event {
    Event::Judged(JudgedText { of, same, fluency: 4, differs: Vec::new(), seconds: 5.0 })
}

fn answered(text: &str) -> Event {
    Event::Answered(AnsweredQuestion { answers: vec![Answer::plain(text)], ..AnsweredQuestion::default() })
}

/// Works through one task: a paraphrase and five judges.
fn work(project: &Project, number: usize, same: SameMeaning) -> String {
    let now = Moment::now();
    let writer = format!("p{}", number % 6 + 1);
    let NextTask::Task(assignment) = project.lease_next(&writer, Activity::Paraphrase, now).unwrap() else {
        panic!("nothing to do for {writer}");
    };
    let text = format!("Could you please tell us the solution of item {number}?");
    let record = NewRecord::about(&writer, &assignment.task, paraphrased(&text));
    let of = project.submit(record, now).unwrap().n;
    for judge in (1..=6).map(|n| format!("p{n}")).filter(|judge| *judge != writer) {
        let record = NewRecord::about(&judge, &assignment.task, judged(of, same));
        project.submit(record, now).unwrap();
    }
    assignment.task
}

#[test]
fn a_project_from_its_plan_to_its_verdicts() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("films");
    let project = create(&folder, &paraphrasing(), 4, 6);
    assert_eq!((project.tasks().len(), project.guidelines(1).unwrap().as_str()), (4, "# Write well"));
    let now = Moment::now();
    let good = work(&project, 0, SameMeaning::Yes);
    assert_eq!(project.verdict(&good), Some(TaskVerdict::Approved));
    // A rejected text is replaced by that of somebody else, once.
    let bad = work(&project, 1, SameMeaning::No);
    assert_eq!(project.verdict(&bad), Some(TaskVerdict::Waiting));
    let other = ["p1", "p3", "p4", "p5", "p6"];
    let again =
        NewRecord::about(other[0], &bad, paraphrased("Which solution does item one have, do you know?"));
    let of = project.submit(again, now).unwrap().n;
    for judge in &other[1..] {
        project.submit(NewRecord::about(judge, &bad, judged(of, SameMeaning::No)), now).unwrap();
    }
    assert_eq!(project.verdict(&bad), Some(TaskVerdict::Waiting), "five judges are needed");
    let last = project.submit(NewRecord::about("p2", &bad, judged(of, SameMeaning::No)), now).unwrap();
    assert!(!last.surplus);
    assert_eq!(project.verdict(&bad), Some(TaskVerdict::Rejected));
    let (records, progress) = (project.records(), project.progress());
    assert_eq!(
        (progress.verdicts.approved, progress.verdicts.rejected, progress.verdicts.waiting),
        (1, 1, 2)
    );
    // Everything is on disk.
    drop(project);
    assert_eq!(verify_project(&folder).unwrap(), records);
    let again = Project::open(&folder, now).unwrap();
    assert_eq!((again.records(), again.progress()), (records, progress));
}

#[test]
fn what_is_refused_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let project = create(&dir.path().join("films"), &paraphrasing(), 3, 6);
    let now = Moment::now();
    let refusal = |record| match project.submit(record, now) {
        Err(SubmitError::Refused(refusal)) => refusal,
        other => panic!("{other:?}"),
    };
    let close = "What is the answer to question 1 of the test";
    let close = refusal(NewRecord::about("p1", "t1", paraphrased(close)));
    assert!(matches!(close, Refusal::Text { fault: TextFault::TooClose { .. } }), "{close}");
    let stranger = refusal(NewRecord::about("p9", "t1", paraphrased("How is it to be said?")));
    assert_eq!(stranger.to_string(), "`p9` is not a member of this project; the owner adds members");
    let unknown = refusal(NewRecord::about("p1", "t33", paraphrased("How is it to be said?")));
    assert!(unknown.to_string().starts_with("there is no task `t33`"), "{unknown}");
    let text = "Which reply would you give here, please?";
    let of = project.submit(NewRecord::about("p1", "t1", paraphrased(text)), now).unwrap().n;
    let own = refusal(NewRecord::about("p1", "t1", judged(of, SameMeaning::Yes)));
    assert_eq!(own, Refusal::OwnText);
    assert_eq!(refusal(NewRecord::about("p1", "t1", paraphrased("Again, what is it?"))), Refusal::DoneBefore);
    let same = refusal(NewRecord::about("p2", "t2", paraphrased(text)));
    assert!(matches!(same, Refusal::Text { fault: TextFault::OfAnotherTask { .. } }), "{same}");
    let owner_only = refusal(NewRecord::new("p1", Event::Closed(Comment::default())));
    assert_eq!(owner_only, Refusal::Role { role: Role::Annotator, needed: "owner" });
    project.submit(NewRecord::new("p0", Event::Closed(Comment::default())), now).unwrap();
    assert_eq!(refusal(NewRecord::about("p2", "t1", judged(of, SameMeaning::Yes))), Refusal::Closed);
    let plan = ProjectPlan { name: "test".to_owned(), ..Preset::ParaphraseAndValidate.plan() };
    let benchmark = benchmark(3);
    let fault = plan.summary(&TaskSource::new(&benchmark), &members(4)).unwrap_err().to_string();
    assert_eq!(fault, "with 4 people a text has 3 judges who did not write it; you asked for 5");
}

/// A folder that need not survive a crash of the machine, so that 20,000 journals are opened in seconds.
fn volatile_folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}

#[test]
fn a_journal_cut_anywhere_opens_with_its_whole_lines() {
    let dir = volatile_folder();
    let folder = dir.path().join("films");
    let project = create(&folder, &answering(), 96, 3);
    for n in 1..=96 {
        let record = NewRecord::about("p1", &format!("t{n}"), answered(&format!("guess {n}")));
        project.submit(record, Moment::from_millis(1_794_853_201_000)).unwrap();
    }
    drop(project);
    let path = folder.join("journal.jsonl");
    let whole = std::fs::read(&path).unwrap();
    assert_eq!(whole.iter().filter(|byte| **byte == b'\n').count(), 99);
    let tasks = std::sync::Arc::new(Project::open_read_only(&folder).unwrap().tasks().to_vec());
    let start = touchstone_annotate::ProjectState::new(answering().rules, tasks);
    // Debug builds take too long for every byte; they try both sides of each line's end, and every seventh byte.
    let is_tried = |cut: &usize| {
        let near = &whole[cut.saturating_sub(2)..(cut + 2).min(whole.len())];
        !cfg!(debug_assertions) || cut.is_multiple_of(7) || near.contains(&b'\n')
    };
    for cut in (0..=whole.len()).filter(is_tried) {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let lines = whole[..cut].iter().filter(|byte| **byte == b'\n').count() as u64;
        let store = Store::open(&path, start.clone()).unwrap();
        assert_eq!(store.records(), lines, "cut at {cut}");
        let answered = usize::try_from(lines.saturating_sub(3)).unwrap();
        assert_eq!(store.state().progress().verdicts.approved, answered, "cut at {cut}");
        drop(store);
        let left = std::fs::read(&path).unwrap();
        assert!(whole.starts_with(&left) && left.last().is_none_or(|byte| *byte == b'\n'), "cut at {cut}");
    }
}

#[test]
fn a_changed_or_missing_line_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("films");
    let project = create(&folder, &answering(), 12, 3);
    for n in 1..=12 {
        project.submit(NewRecord::about("p1", &format!("t{n}"), answered("guess")), Moment::now()).unwrap();
    }
    drop(project);
    let path = folder.join("journal.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let opened = |lines: Vec<String>| {
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        Project::open(&folder, Moment::now()).err()
    };
    let owned = || lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    for at in 3..lines.len() - 1 {
        let number = at as u64 + 1;
        let mut changed = owned();
        changed[at] = changed[at].replace("guess", "Guess");
        let error = opened(changed).expect("a changed line");
        let is_named =
            matches!(error, ProjectError::Store(StoreError::Changed { line, .. }) if line == number);
        assert!(is_named, "line {number}: {error}");
        let mut missing = owned();
        missing.remove(at);
        let error = opened(missing).expect("a missing line");
        let is_named = matches!(
            error,
            ProjectError::Store(StoreError::Missing { line, expected, found, .. })
                if line == number && expected == number && found == number + 1
        );
        assert!(is_named, "line {number}: {error}");
        let mut swapped = owned();
        swapped.swap(at, at - 1);
        assert!(opened(swapped).is_some(), "line {number}");
        let mut damaged = owned();
        damaged[at].truncate(20);
        let error = opened(damaged).expect("a damaged line").to_string();
        assert!(error.contains(&format!("line {number}")), "{error}");
    }
    assert!(opened(owned()).is_none(), "nothing was changed by opening it");
    // A file that is written once.
    std::fs::write(folder.join("tasks.jsonl"), "").unwrap();
    assert!(matches!(opened(owned()), Some(ProjectError::Changed { .. })));
}

#[test]
fn records_of_a_newer_version_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("films");
    let project = create(&folder, &answering(), 2, 1);
    project.submit(NewRecord::about("p1", "t1", answered("guess")), Moment::now()).unwrap();
    drop(project);
    let path = folder.join("journal.jsonl");
    let mut text = std::fs::read_to_string(&path).unwrap();
    let mut add = |kind: &str, body: &str| {
        let n = text.lines().count() + 1;
        let after = &blake3::hash(text.lines().last().unwrap().as_bytes()).to_hex()[..16];
        let at = "2026-11-17T13:20:01.123Z";
        text += &format!(
            "{{\"n\":{n},\"at\":\"{at}\",\"by\":\"p1\",\"kind\":\"{kind}\",\"body\":{body},\"after\":\"{after}\"}}\n"
        );
    };
    add("opened", r#"{"version":"9.1.0","project":"","tasks":""}"#);
    add("sang", r#"{"song":"la"}"#);
    add("commented", r#"{"text":"hello"}"#);
    std::fs::write(&path, &text).unwrap();
    let project = Project::open(&folder, Moment::now()).unwrap();
    let reason = project.read_only().unwrap();
    assert!(matches!(&reason, ReadOnly::Newer { kind, .. } if kind == "sang"), "{reason:?}");
    assert!(reason.to_string().contains("a newer version of Touchstone (9.1.0)"), "{reason}");
    assert!(reason.to_string().contains("`sang`"), "{reason}");
    let refused = project.submit(NewRecord::about("p1", "t2", answered("guess")), Moment::now());
    assert!(matches!(refused, Err(SubmitError::ReadOnly(_))));
    assert_eq!(project.progress().verdicts.approved, 1, "it can be read");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn one_process_writes_and_others_read() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("films");
    let project = create(&folder, &answering(), 2, 1);
    let error = Project::open(&folder, Moment::now()).err().unwrap();
    assert!(error.is_busy(), "{error}");
    let reader = Project::open_read_only(&folder).unwrap();
    project.submit(NewRecord::about("p1", "t1", answered("guess")), Moment::now()).unwrap();
    let refused = reader.submit(NewRecord::about("p1", "t2", answered("guess")), Moment::now());
    assert!(matches!(refused, Err(SubmitError::ReadOnly(ReadOnly::Requested))), "{refused:?}");
    assert_eq!(Project::open_read_only(&folder).unwrap().records(), project.records());
    assert_eq!(reader.records() + 1, project.records());
}

#[test]
fn a_double_submit_has_one_effect() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("films");
    let project = create(&folder, &answering(), 2, 3);
    let record = || NewRecord::about("p1", "t1", answered("guess")).with_attempt("9f3a");
    let acks: Vec<Ack> = std::thread::scope(|scope| {
        let tabs: Vec<_> =
            (0..10).map(|_| scope.spawn(|| project.submit(record(), Moment::now()).unwrap())).collect();
        tabs.into_iter().map(|tab| tab.join().unwrap()).collect()
    });
    assert_eq!(acks.iter().filter(|ack| !ack.repeated).count(), 1);
    let n = acks[0].n;
    assert!(acks.iter().all(|ack| ack.n == n));
    // The connection was cut, and the page sends it again after a restart.
    drop(project);
    let project = Project::open(&folder, Moment::now()).unwrap();
    assert_eq!(project.submit(record(), Moment::now()).unwrap(), Ack { n, repeated: true, surplus: false });
    let other = NewRecord::about("p2", "t1", answered("guess")).with_attempt("9f3a");
    assert!(matches!(project.submit(other, Moment::now()), Err(SubmitError::AttemptUsed { .. })));
    // Late work is kept and said to be beyond what was wanted.
    let late = project.submit(NewRecord::about("p2", "t1", answered("guess")), Moment::now()).unwrap();
    assert!(late.surplus);
}

#[test]
fn many_records_share_the_disk() {
    let dir = tempfile::tempdir().unwrap();
    let project = create(&dir.path().join("films"), &answering(), 400, 20);
    std::thread::scope(|scope| {
        for person in 1..=20 {
            let project = &project;
            scope.spawn(move || {
                let person = format!("p{person}");
                while let NextTask::Task(next) =
                    project.lease_next(&person, Activity::Answer, Moment::now()).unwrap()
                {
                    let record = NewRecord::about(&person, &next.task, answered("guess"));
                    project.submit(record, Moment::now()).unwrap();
                }
            });
        }
    });
    let progress = project.progress();
    assert_eq!((progress.verdicts.approved, progress.activities[&Activity::Answer].surplus), (400, 0));
    assert!(project.batches() < project.records(), "{} of {}", project.batches(), project.records());
}

/// What the process that is killed prints: acknowledged numbers with their attempts.
const INNER: &str = "TOUCHSTONE_ANNOTATE_INNER";

/// Number of kills: each starts a process.
const KILLS: usize = if cfg!(debug_assertions) { 25 } else { 100 };

/// Twenty clients of this process submit until it is killed.
fn submit_until_killed(folder: &Path) {
    let project = Project::open(folder, Moment::now()).unwrap();
    let start = project.records();
    std::thread::scope(|scope| {
        for client in 1..=20 {
            let project = &project;
            scope.spawn(move || {
                for number in 0.. {
                    let attempt = format!("{start}-{client}-{number}");
                    let comment = Comment { text: format!("comment {attempt}") };
                    let record = NewRecord::about("p1", &format!("t{client}"), Event::Commented(comment));
                    let ack = project.submit(record.with_attempt(&attempt), Moment::now()).unwrap();
                    // One write, so that lines are whole.
                    let mut out = std::io::stdout().lock();
                    out.write_all(format!("acknowledged {} {attempt}\n", ack.n).as_bytes()).unwrap();
                    out.flush().unwrap();
                }
            });
        }
    });
}

#[test]
fn what_was_acknowledged_survives_a_kill() {
    if let Some(folder) = std::env::var_os(INNER) {
        submit_until_killed(&PathBuf::from(folder));
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("films");
    drop(create(&folder, &answering(), 20, 1));
    let mut random = touchstone_benchmark::Random::new(1, "kill");
    let mut acknowledged: BTreeMap<String, u64> = BTreeMap::new();
    for _ in 0..KILLS {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "what_was_acknowledged_survives_a_kill", "--nocapture"])
            .env(INNER, &folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut n = 0;
        let until = 1 + random.below(60);
        while n < until
            && let Some(Ok(line)) = lines.next()
        {
            n += usize::from(line.starts_with("acknowledged"));
            note(&line, &mut acknowledged);
        }
        std::thread::sleep(Duration::from_micros(random.below(3000) as u64));
        child.kill().unwrap();
        for line in lines.map_while(Result::ok) {
            note(&line, &mut acknowledged);
        }
        child.wait().unwrap();
    }
    assert!(acknowledged.len() > KILLS, "{} records were acknowledged", acknowledged.len());
    // Opening it cuts off what the last kill left of a line.
    drop(Project::open(&folder, Moment::now()).unwrap());
    let records = verify_project(&folder).unwrap();
    let text = std::fs::read_to_string(folder.join("journal.jsonl")).unwrap();
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    let mut numbers = BTreeSet::new();
    for line in text.lines() {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        let n = json["n"].as_u64().unwrap();
        assert!(numbers.insert(n));
        if let Some(attempt) = json["try"].as_str() {
            assert_eq!(found.insert(attempt.to_owned(), n), None, "{attempt} is there twice");
        }
    }
    assert_eq!(numbers.len() as u64, records);
    for (attempt, n) in &acknowledged {
        assert_eq!(found.get(attempt), Some(n), "{attempt} was acknowledged");
    }
}

/// Notes a whole line; the last one may be cut off.
fn note(line: &str, acknowledged: &mut BTreeMap<String, u64>) {
    let mut words = line.split(' ');
    if let (Some("acknowledged"), Some(n), Some(attempt)) = (words.next(), words.next(), words.next())
        && let Ok(n) = n.parse()
        && attempt.split('-').count() == 3
        && !attempt.ends_with('-')
    {
        acknowledged.insert(attempt.to_owned(), n);
    }
}
