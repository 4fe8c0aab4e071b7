//! A journal that fails, and many records at once.
#![allow(clippy::unwrap_used, unreachable_pub)]

use super::*;
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;

crate::record::events! {
    /// For tests.
    Number, Opened, {
        /// Not used.
        Opened(crate::people::PeopleOpened) => "opened",
        /// A number.
        Add(u32) => "add",
    }
}

/// The sum of numbers below 100.
#[derive(Debug, Clone, Default)]
struct Sum {
    total: u32,
}

#[derive(Debug, thiserror::Error)]
#[error("{0} is too large")]
struct TooLarge(u32);

impl Derived for Sum {
    type Event = Number;
    type Refusal = TooLarge;

    fn check(&self, record: &NewRecord<Number>, _: Moment) -> Result<(), TooLarge> {
        match record.event {
            Number::Add(number) if number >= 100 => Err(TooLarge(number)),
            _ => Ok(()),
        }
    }

    fn apply(&mut self, record: StoredRecord<Number>) -> bool {
        if let Number::Add(number) = record.event {
            self.total += number;
        }
        false
    }
}

/// What the next writes give, the last one first; then they succeed.
#[derive(Clone, Default)]
struct Hook {
    outcomes: Arc<Mutex<Vec<Outcome>>>,
    appended: Arc<AtomicUsize>,
}

#[derive(Clone, Copy)]
enum Outcome {
    DiskFull,
    NotDurable,
}

impl Log for Hook {
    fn append(&mut self, lines: &[Box<RawValue>]) -> Result<(), JournalError> {
        let path = PathBuf::from("journal.jsonl");
        match self.outcomes.lock().unwrap().pop() {
            Some(Outcome::DiskFull) => Err(JournalError::Io {
                action: "write",
                path,
                source: std::io::ErrorKind::StorageFull.into(),
            }),
            Some(Outcome::NotDurable) => {
                let source = std::io::Error::other("input/output error");
                Err(JournalError::NotDurable { path, source })
            }
            None => {
                self.appended.fetch_add(lines.len(), Ordering::Relaxed);
                Ok(())
            }
        }
    }
}

fn store(outcomes: Vec<Outcome>) -> (Store<Sum>, Hook) {
    let hook = Hook { outcomes: Arc::new(Mutex::new(outcomes)), ..Hook::default() };
    let kept = Replay::new(Path::new("journal.jsonl"), Sum::default()).finish().unwrap();
    (Store::start(kept, hook.clone()).unwrap(), hook)
}

fn add(number: u32) -> NewRecord<Number> {
    NewRecord::about("p1", &number.to_string(), Number::Add(number))
}

#[test]
fn a_full_disk_refuses_and_goes_on() {
    let (store, hook) = store(vec![Outcome::DiskFull]);
    let now = Moment::now();
    let refused = store.submit(add(1), now);
    assert!(matches!(refused, Err(SubmitError::NotWritten { .. })), "{refused:?}");
    assert_eq!(store.records(), 0);
    assert_eq!(store.state().total, 0, "what is not on disk is not in the state");
    // There is space again.
    assert_eq!(store.submit(add(2), now).unwrap(), Ack { n: 1, repeated: false, surplus: false });
    assert_eq!((store.state().total, hook.appended.load(Ordering::Relaxed)), (2, 1));
}

#[test]
fn without_durability_nothing_is_acknowledged() {
    let (store, hook) = store(vec![Outcome::NotDurable]);
    let now = Moment::now();
    let refused = store.submit(add(1), now);
    assert!(matches!(refused, Err(SubmitError::ReadOnly(ReadOnly::Failed { .. }))), "{refused:?}");
    // It is never tried again, and what is known can be read.
    let refused = store.submit(add(2), now);
    assert!(matches!(refused, Err(SubmitError::ReadOnly(ReadOnly::Failed { .. }))), "{refused:?}");
    assert_eq!((store.state().total, hook.appended.load(Ordering::Relaxed)), (0, 0));
}

/// A log that waits until the test lets it go on.
struct Gate {
    open: Receiver<()>,
    sizes: Sender<usize>,
}

impl Log for Gate {
    fn append(&mut self, lines: &[Box<RawValue>]) -> Result<(), JournalError> {
        let _ = self.sizes.send(lines.len());
        let _ = self.open.recv();
        Ok(())
    }
}

#[test]
fn all_that_wait_are_written_together() {
    let (opener, open) = channel();
    let (sizes, written) = channel();
    let kept = Replay::new(Path::new("journal.jsonl"), Sum::default()).finish().unwrap();
    let store = Store::start(kept, Gate { open, sizes }).unwrap();
    let now = Moment::now();
    std::thread::scope(|scope| {
        scope.spawn(|| store.submit(add(0), now).unwrap());
        assert_eq!(written.recv().unwrap(), 1);
        // The first is being written: these wait, and so does a second record about a task.
        let requests = store.requests.as_ref().unwrap();
        let (reply, replies) = channel();
        for number in (1..=40).chain([7]) {
            let attempt = format!("attempt {number}");
            let record = if number == 40 { add(500) } else { add(number) };
            let record = if number == 7 { record } else { record.with_attempt(&attempt) };
            requests.send(Request { record, now, reply: reply.clone() }).unwrap();
        }
        (0..3).for_each(|_| opener.send(()).unwrap());
        assert_eq!(written.recv().unwrap(), 39);
        assert_eq!(written.recv().unwrap(), 1, "two records about one task are not written together");
        drop(reply);
        let outcomes: Vec<_> = replies.iter().collect();
        assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 40);
        assert_eq!(
            outcomes.iter().filter(|outcome| matches!(outcome, Err(SubmitError::Refused(_)))).count(),
            1
        );
    });
    assert_eq!((store.batches(), store.records()), (3, 41));
    assert_eq!(store.state().total, (1..40).sum::<u32>() + 7);
}

#[test]
fn an_attempt_has_one_effect() {
    let (store, hook) = store(Vec::new());
    let now = Moment::now();
    let first = store.submit(add(5).with_attempt("x"), now).unwrap();
    let again = store.submit(add(5).with_attempt("x"), now).unwrap();
    assert_eq!(again, Ack { repeated: true, ..first });
    let other = store.submit(add(6).with_attempt("x"), now);
    assert!(matches!(other, Err(SubmitError::AttemptUsed { n: 1, .. })), "{other:?}");
    // Two tabs at once.
    let acks = std::thread::scope(|scope| {
        let tabs: Vec<_> =
            (0..8).map(|_| scope.spawn(|| store.submit(add(7).with_attempt("y"), now).unwrap())).collect();
        tabs.into_iter().map(|tab| tab.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(acks.iter().filter(|ack| !ack.repeated).count(), 1);
    assert!(acks.iter().all(|ack| ack.n == 2));
    assert_eq!((store.state().total, hook.appended.load(Ordering::Relaxed)), (12, 2));
}
