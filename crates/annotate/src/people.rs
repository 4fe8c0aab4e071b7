//! The people of a studio: the only place with their names. Their personal links are known by hashes only.

use crate::moment::Moment;
use crate::record::{NewRecord, StoredRecord, events};
use crate::rules::Role;
use crate::store::{Ack, Derived, ReadOnly, StateGuard, Store, StoreError, SubmitError};
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

events! {
    /// What can happen to people.
    PeopleEvent, Opened, {
        /// The file was made, or opened by another version of the program.
        Opened(PeopleOpened) => "opened",
        /// A person was added, or has another role or language.
        Person(PersonRecord) => "person",
        /// A personal link was made.
        Token(TokenRecord) => "token",
        /// All personal links of a person are void.
        Revoked(PersonRevoked) => "revoked",
        /// A person has another name.
        Renamed(PersonRenamed) => "renamed",
    }
}

/// The body of `opened` in the file of people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeopleOpened {
    /// The version of the program.
    pub version: String,
}

/// The body of `person`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonRecord {
    /// The id: `p1`, `p2` and so on. Projects know people by their ids only.
    pub id: String,
    /// The name.
    pub name: String,
    /// What the person may do where a project says nothing else.
    pub role: Role,
    /// The language of the person, as in BCP 47.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub language: String,
}

/// The body of `token`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenRecord {
    /// The person.
    pub person: String,
    /// The BLAKE3 hash of the token.
    pub hash: String,
    /// The epoch in which it is valid.
    pub epoch: u32,
    /// When it expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Moment>,
}

/// The body of `revoked`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonRevoked {
    /// The person.
    pub person: String,
    /// The new epoch: what was given out before it is void.
    pub epoch: u32,
}

/// The body of `renamed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonRenamed {
    /// The person.
    pub person: String,
    /// The new name.
    pub name: String,
}

/// A person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Person {
    /// The id.
    pub id: String,
    /// The name.
    pub name: String,
    /// What the person may do where a project says nothing else.
    pub role: Role,
    /// The language of the person.
    pub language: String,
    /// Raised whenever links and cookies of the person become void.
    pub epoch: u32,
}

/// Everything that is known about people.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PeopleState {
    people: BTreeMap<String, Person>,
    tokens: HashMap<String, TokenRecord>,
    version: String,
}

/// Why a record about people is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PeopleRefusal {
    /// The person does not exist.
    #[error("unknown person `{person}`")]
    NoPerson {
        /// The id.
        person: String,
    },
    /// A person needs a name.
    #[error("a name must have at least one character, and no control characters")]
    Name,
    /// Only an owner changes people.
    #[error("only an owner can do this")]
    NotAnOwner,
    /// The epoch of a token is not the current one.
    #[error("the epoch of `{person}` is {epoch}")]
    Epoch {
        /// The person.
        person: String,
        /// The current epoch.
        epoch: u32,
    },
    /// There would be no owner.
    #[error("the last owner must stay one")]
    LastOwner,
}

/// Why the people cannot be changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PeopleError {
    /// It was refused or not written.
    #[error(transparent)]
    Submit(#[from] SubmitError<PeopleRefusal>),
    /// The system gives no random numbers.
    #[error("the system gives no random numbers: {0}")]
    Random(getrandom::Error),
}

impl Derived for PeopleState {
    type Event = PeopleEvent;
    type Refusal = PeopleRefusal;

    fn check(&self, record: &NewRecord<PeopleEvent>, _: Moment) -> Result<(), PeopleRefusal> {
        if matches!(record.event, PeopleEvent::Opened(_)) {
            return Ok(());
        }
        let is_owner = |id: &str| self.people.get(id).is_some_and(|person| person.role == Role::Owner);
        if !self.people.is_empty() && !is_owner(&record.by) {
            // A person may change the own name.
            let is_own_name =
                matches!(&record.event, PeopleEvent::Renamed(renamed) if renamed.person == record.by);
            if !is_own_name {
                return Err(PeopleRefusal::NotAnOwner);
            }
        }
        let known = |person: &str| {
            let unknown = || PeopleRefusal::NoPerson { person: person.to_owned() };
            self.people.get(person).ok_or_else(unknown)
        };
        let is_name = |name: &str| !name.trim().is_empty() && !name.contains(char::is_control);
        let epoch = |person: &Person, given: u32, expected: u32| match given == expected {
            true => Ok(()),
            false => Err(PeopleRefusal::Epoch { person: person.id.clone(), epoch: person.epoch }),
        };
        match &record.event {
            PeopleEvent::Person(person) if !is_name(&person.name) => Err(PeopleRefusal::Name),
            PeopleEvent::Person(person) => {
                let others = self.people.values().filter(|other| other.id != person.id);
                let mut owners = others.filter(|other| other.role == Role::Owner);
                match person.role == Role::Owner || owners.next().is_some() {
                    true => Ok(()),
                    false => Err(PeopleRefusal::LastOwner),
                }
            }
            PeopleEvent::Renamed(renamed) => {
                known(&renamed.person)?;
                if is_name(&renamed.name) { Ok(()) } else { Err(PeopleRefusal::Name) }
            }
            PeopleEvent::Token(token) => {
                let person = known(&token.person)?;
                epoch(person, token.epoch, person.epoch)
            }
            PeopleEvent::Revoked(revoked) => {
                let person = known(&revoked.person)?;
                epoch(person, revoked.epoch, person.epoch + 1)
            }
            PeopleEvent::Opened(_) => Ok(()),
        }
    }

    fn apply(&mut self, record: StoredRecord<PeopleEvent>) -> bool {
        match record.event {
            PeopleEvent::Opened(opened) => self.version = opened.version,
            PeopleEvent::Person(PersonRecord { id, name, role, language }) => {
                let epoch = self.people.get(&id).map_or(0, |person| person.epoch);
                self.people.insert(id.clone(), Person { id, name, role, language, epoch });
            }
            PeopleEvent::Token(token) => {
                self.tokens.insert(token.hash.clone(), token);
            }
            PeopleEvent::Revoked(PersonRevoked { person, epoch }) => {
                self.tokens.retain(|_, token| token.person != person);
                if let Some(person) = self.people.get_mut(&person) {
                    person.epoch = epoch;
                }
            }
            PeopleEvent::Renamed(PersonRenamed { person, name }) => {
                if let Some(person) = self.people.get_mut(&person) {
                    person.name = name;
                }
            }
        }
        false
    }
}

impl PeopleState {
    /// A person.
    pub fn get(&self, id: &str) -> Option<&Person> {
        self.people.get(id)
    }

    /// All people, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &Person> {
        self.people.values()
    }

    /// The person of a token that is valid. Unknown, expired and void tokens are not told apart.
    pub fn of_token(&self, token: &str, now: Moment) -> Option<&Person> {
        let record = self.tokens.get(&hash_of(token))?;
        let person = self.people.get(&record.person)?;
        let is_valid = record.epoch == person.epoch && record.until.is_none_or(|until| now < until);
        is_valid.then_some(person)
    }
}

/// What is stored of a token. It has 128 random bits, so a slow hash would protect nothing.
fn hash_of(token: &str) -> String {
    blake3::hash(token.as_bytes()).to_hex().to_string()
}

/// The people of a studio.
///
/// ```
/// use touchstone_annotate::{Moment, People, Role};
/// let folder = tempfile::tempdir()?;
/// let people = People::open(&folder.path().join("people.jsonl"))?;
/// let now = Moment::now();
/// let owner = people.add("Grace", Role::Owner, "en", "", now)?;
/// let ada = people.add("Ada", Role::Annotator, "en", &owner, now)?;
/// let token = people.issue_token(&ada, None, &owner, now)?;
/// assert_eq!(people.state().of_token(&token, now).map(|person| person.name.as_str()), Some("Ada"));
/// people.revoke(&ada, &owner, now)?;
/// assert!(people.state().of_token(&token, now).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct People {
    store: Store<PeopleState>,
    /// Held while an id or an epoch is chosen.
    choosing: Mutex<()>,
}

impl People {
    /// Opens the file of people, or creates one.
    pub fn open(file: &Path) -> Result<People, StoreError> {
        Ok(People { store: Store::open(file, PeopleState::default())?, choosing: Mutex::new(()) })
    }

    /// Reads the file of people, which another process may be writing.
    pub fn open_read_only(file: &Path) -> Result<People, StoreError> {
        Ok(People { store: Store::open_read_only(file, PeopleState::default())?, choosing: Mutex::new(()) })
    }

    /// All people.
    pub fn state(&self) -> StateGuard<'_, PeopleState> {
        self.store.state()
    }

    /// Why nothing can be changed.
    pub fn read_only(&self) -> Option<ReadOnly> {
        self.store.read_only()
    }

    /// Adds a person and returns the id. The first one is added by nobody and is an owner.
    pub fn add(
        &self,
        name: &str,
        role: Role,
        language: &str,
        by: &str,
        now: Moment,
    ) -> Result<String, PeopleError> {
        let _held = self.choosing.lock().unwrap_or_else(PoisonError::into_inner);
        self.note_version(now)?;
        let id = format!("p{}", self.state().people.len() + 1);
        let (name, language) = (name.trim().to_owned(), language.to_owned());
        let person = PersonRecord { id: id.clone(), name, role, language };
        self.store.submit(NewRecord::new(by, PeopleEvent::Person(person)), now)?;
        Ok(id)
    }

    /// Writes the version of the program, if the file does not name it.
    fn note_version(&self, now: Moment) -> Result<(), PeopleError> {
        let version = env!("CARGO_PKG_VERSION");
        if self.state().version != version {
            let opened = PeopleOpened { version: version.to_owned() };
            self.store.submit(NewRecord::new("", PeopleEvent::Opened(opened)), now)?;
        }
        Ok(())
    }

    /// Gives a person another role.
    pub fn set_role(&self, person: &str, role: Role, by: &str, now: Moment) -> Result<Ack, PeopleError> {
        let found = self.state().get(person).cloned();
        let found = found
            .ok_or_else(|| SubmitError::Refused(PeopleRefusal::NoPerson { person: person.to_owned() }))?;
        let Person { id, name, language, .. } = found;
        let record = PersonRecord { id, name, role, language };
        Ok(self.store.submit(NewRecord::new(by, PeopleEvent::Person(record)), now)?)
    }

    /// Gives a person another name.
    pub fn rename(&self, person: &str, name: &str, by: &str, now: Moment) -> Result<Ack, PeopleError> {
        let renamed = PersonRenamed { person: person.to_owned(), name: name.trim().to_owned() };
        Ok(self.store.submit(NewRecord::new(by, PeopleEvent::Renamed(renamed)), now)?)
    }

    /// Makes a token of 128 random bits for a personal link. It is returned once; only its hash is stored.
    pub fn issue_token(
        &self,
        person: &str,
        until: Option<Moment>,
        by: &str,
        now: Moment,
    ) -> Result<String, PeopleError> {
        let _held = self.choosing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(PeopleError::Random)?;
        let token = format!("{:032x}", u128::from_be_bytes(bytes));
        let epoch = self.state().get(person).map_or(0, |person| person.epoch);
        let record = TokenRecord { person: person.to_owned(), hash: hash_of(&token), epoch, until };
        self.store.submit(NewRecord::new(by, PeopleEvent::Token(record)), now)?;
        Ok(token)
    }

    /// Voids all links and cookies of a person.
    pub fn revoke(&self, person: &str, by: &str, now: Moment) -> Result<Ack, PeopleError> {
        let _held = self.choosing.lock().unwrap_or_else(PoisonError::into_inner);
        let epoch = self.state().get(person).map_or(0, |person| person.epoch) + 1;
        let revoked = PersonRevoked { person: person.to_owned(), epoch };
        Ok(self.store.submit(NewRecord::new(by, PeopleEvent::Revoked(revoked)), now)?)
    }
}
