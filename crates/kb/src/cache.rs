//! The folder for files that can be rebuilt: the compiled World KB, the list of imported KBs, cached replies.

use std::path::PathBuf;

/// The cache folder: `$TOUCHSTONE_CACHE`, `$XDG_CACHE_HOME/touchstone` or `~/.cache/touchstone`; without a home folder,
/// `touchstone` in the system's temporary folder. It need not exist yet.
pub fn cache_dir() -> PathBuf {
    let from_env = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    from_env("TOUCHSTONE_CACHE")
        .or_else(|| from_env("XDG_CACHE_HOME").map(|dir| dir.join("touchstone")))
        .or_else(|| from_env("HOME").map(|home| home.join(".cache/touchstone")))
        .unwrap_or_else(|| std::env::temp_dir().join("touchstone"))
}
