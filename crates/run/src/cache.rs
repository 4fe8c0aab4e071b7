//! Replies that are kept, so that the same thing is never paid for twice.
//!
//! A reply is found by everything that influences it: the system with its configuration, its version, the question with its side
//! information, and the KB. Errors are not kept.

use crate::system::{Asked, System, Worker};
use crate::usage::timed;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::fs;
use std::path::{Path, PathBuf};
use touchstone_benchmark::Gives;
use touchstone_benchmark::has_error;
use touchstone_kb::output::replace_file;

/// What influences a reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CacheKey {
    /// The system, with its configuration.
    pub system: String,
    /// Its version, as the user calls it.
    pub version: String,
    /// The version of this program.
    pub tool_version: String,
    /// The fingerprint of the KB.
    pub kb: String,
    /// What it is asked, with the side information.
    pub asked: Json,
}

impl CacheKey {
    /// Its name.
    pub fn hash(&self) -> String {
        let text = serde_json::to_vec(self).unwrap_or_default();
        blake3::hash(&text).to_hex()[..32].to_owned()
    }
}

/// A reply with its key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CachedReply {
    /// What it is found by.
    pub key: CacheKey,
    /// The prediction.
    pub reply: Json,
}

/// A folder of replies.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// In a folder, which is made when there is something to keep.
    pub fn new(folder: &Path) -> Cache {
        Cache { folder: folder.to_owned() }
    }

    fn path(&self, hash: &str) -> PathBuf {
        self.folder.join(&hash[..2]).join(format!("{hash}.json"))
    }

    /// The reply with a name, if it is kept and whole.
    pub fn get(&self, hash: &str) -> Option<CachedReply> {
        if hash.len() != 32 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        serde_json::from_slice(&fs::read(self.path(hash)).ok()?).ok()
    }

    /// Keeps a reply: written aside, then renamed.
    pub fn put(&self, kept: &CachedReply) -> std::io::Result<()> {
        let path = self.path(&kept.key.hash());
        let folder = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder)?;
        replace_file(&path, &serde_json::to_vec(kept)?, false).map_err(std::io::Error::other)
    }
}

/// A system whose replies are kept.
pub struct Cached<'s> {
    system: Box<dyn System + 's>,
    version: String,
    kb: String,
    cache: Cache,
}

impl<'s> Cached<'s> {
    /// A system with its version and the KB that it is asked about.
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

    fn is_timed(&self) -> bool {
        self.system.is_timed()
    }

    fn gives(&self) -> Option<Gives> {
        self.system.gives()
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(Rememberer { cached: self, name: self.name(), inner: self.system.worker() })
    }
}

struct Rememberer<'c> {
    cached: &'c Cached<'c>,
    name: String,
    inner: Box<dyn Worker + 'c>,
}

impl Worker for Rememberer<'_> {
    fn answer(&mut self, asked: &Asked) -> Option<Json> {
        let key = CacheKey {
            system: self.name.clone(),
            version: self.cached.version.clone(),
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            kb: self.cached.kb.clone(),
            asked: serde_json::to_value(asked).unwrap_or_default(),
        };
        let hash = key.hash();
        let mut reply = match self.cached.cache.get(&hash).filter(|kept| kept.key == key) {
            Some(kept) => {
                let mut reply = kept.reply;
                // How long it took then is not known of every reply; how long it takes to read it now is something else.
                if reply["usage"].is_null() {
                    reply["usage"] = serde_json::json!({ "seconds": null });
                }
                reply
            }
            None => {
                let reply = match self.cached.is_timed() {
                    true => timed(&mut *self.inner, asked)?,
                    false => self.inner.answer(asked)?,
                };
                if reply.is_object() && !has_error(&reply) {
                    let kept = CachedReply { key, reply: reply.clone() };
                    if let Err(error) = self.cached.cache.put(&kept) {
                        tracing::warn!(%error, "a reply cannot be kept");
                    }
                }
                reply
            }
        };
        if reply.is_object() {
            reply["cache"] = Json::String(hash);
        }
        Some(reply)
    }
}
