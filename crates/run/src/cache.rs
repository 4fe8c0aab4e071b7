//! A cache of replies: the same request is never paid for twice.
//!
//! The key of a reply covers everything that influences it: the system with its configuration, its version, the question with its extra
//! input, and the KB. Errors are not cached.

use crate::system::{System, SystemInput, Worker};
use crate::system_error::SystemError;
use crate::usage::answer_or_error;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::fs;
use std::path::{Path, PathBuf};
use touchstone_benchmark::{Gives, Prediction};
use touchstone_kb::output::replace_file;

/// What influences a reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CacheKey {
    /// The system, with its configuration.
    pub system: String,
    /// Its version, as named by the user.
    pub version: String,
    /// The version of this program.
    pub tool_version: String,
    /// The fingerprint of the KB.
    pub kb: String,
    /// The question, with its extra input.
    pub asked: SystemInput,
}

impl CacheKey {
    /// The cache key.
    pub(crate) fn hash(&self) -> String {
        let text = serde_json::to_vec(self).unwrap_or_default();
        blake3::hash(&text).to_hex()[..32].to_owned()
    }
}

/// A reply with its key.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CachedReply {
    /// What its key is made of.
    pub key: CacheKey,
    /// The prediction.
    pub reply: Prediction,
}

/// The file of a reply.
#[derive(Deserialize)]
struct CacheFile {
    key: CacheKey,
    /// Replies in files of 0.1 may have no `id`.
    reply: Json,
}

/// A folder of replies.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// A cache in a folder, which is created when the first reply is added.
    pub fn new(folder: &Path) -> Cache {
        Cache { folder: folder.to_owned() }
    }

    fn path(&self, hash: &str) -> PathBuf {
        self.folder.join(&hash[..2]).join(format!("{hash}.json"))
    }

    /// The reply with a key, if it is cached and complete.
    pub fn get(&self, hash: &str) -> Option<CachedReply> {
        if hash.len() != 32 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let CacheFile { key, reply } = serde_json::from_slice(&fs::read(self.path(hash)).ok()?).ok()?;
        let reply = Prediction::from_reply(&key.asked.id, reply).ok()?;
        Some(CachedReply { key, reply })
    }

    /// The folder, and the number and size of the replies.
    pub fn info(&self) -> CacheInfo {
        let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
        let files = entries(&self.folder).flat_map(|part| entries(&part.path()));
        let (replies, bytes) = files
            .fold((0, 0), |(n, bytes), file| (n + 1, bytes + file.metadata().map_or(0, |about| about.len())));
        CacheInfo { folder: self.folder.clone(), replies, bytes }
    }

    /// Adds a reply: writes a temporary file, then renames it.
    pub(crate) fn put(&self, kept: &CachedReply) -> std::io::Result<()> {
        let path = self.path(&kept.key.hash());
        let folder = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder)?;
        replace_file(&path, &serde_json::to_vec(kept)?, false).map_err(std::io::Error::other)
    }
}

/// What a cache holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CacheInfo {
    /// Its folder.
    pub folder: PathBuf,
    /// The number of replies.
    pub replies: u64,
    /// Their size in bytes.
    pub bytes: u64,
}

/// A system with a cache of its replies.
pub struct Cached<'s> {
    system: Box<dyn System + 's>,
    version: String,
    kb: String,
    cache: Cache,
}

impl<'s> Cached<'s> {
    /// A system with its version and its KB.
    pub fn new(system: Box<dyn System + 's>, version: &str, kb: &str, cache: Cache) -> Cached<'s> {
        Cached { system, version: version.to_owned(), kb: kb.to_owned(), cache }
    }
}

impl System for Cached<'_> {
    fn name(&self) -> String {
        match self.version.as_str() {
            "" => self.system.name(),
            version => format!("{}; version {version}", self.system.name()),
        }
    }

    /// The system measures the time itself: the time to read a cached reply is meaningless.
    fn is_timed(&self) -> bool {
        false
    }

    fn gives(&self) -> Option<Gives> {
        self.system.gives()
    }

    fn trained_on(&self) -> Option<String> {
        self.system.trained_on()
    }

    fn takes_side_information(&self) -> bool {
        self.system.takes_side_information()
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(CachingWorker { cached: self, name: self.name(), inner: self.system.worker() })
    }
}

struct CachingWorker<'c> {
    cached: &'c Cached<'c>,
    name: String,
    inner: Box<dyn Worker + 'c>,
}

impl Worker for CachingWorker<'_> {
    fn answer(&mut self, input: &SystemInput) -> Result<Prediction, SystemError> {
        let Cached { system, version, kb, cache } = self.cached;
        let key = CacheKey {
            system: self.name.clone(),
            version: version.clone(),
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            kb: kb.clone(),
            asked: input.clone(),
        };
        let hash = key.hash();
        if let Some(kept) = cache.get(&hash).filter(|kept| kept.key == key) {
            return Ok(Prediction { cache: Some(hash), ..kept.reply });
        }
        let reply = answer_or_error(&mut *self.inner, input, system.is_timed());
        let reply = reply.ok_or(SystemError::Stopped)?;
        if reply.error.is_none()
            && let Err(error) = cache.put(&CachedReply { key, reply: reply.clone() })
        {
            tracing::warn!(%error, "a reply cannot be kept");
        }
        Ok(Prediction { cache: Some(hash), ..reply })
    }
}
