//! Systems by name, as `touchstone run` takes them.

/// A system by name.
///
/// ```
/// use touchstone_run::SystemSpec;
/// assert_eq!(SystemSpec::parse("oracle")?, SystemSpec::Oracle);
/// assert_eq!(SystemSpec::parse("command:python3 mine.py")?, SystemSpec::Command("python3 mine.py".to_owned()));
/// assert!(SystemSpec::parse("http:localhost").is_err());
/// # Ok::<(), touchstone_run::InvalidSystemSpec>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SystemSpec {
    /// `oracle`: gold.
    Oracle,
    /// `nearest`: the query of the most similar training question.
    Nearest,
    /// `file:PATH`: predictions that were made elsewhere.
    File(String),
    /// `command:PROGRAM ARGUMENTS`: a program.
    Command(String),
    /// `http:URL`, or only the URL: a server.
    Http(String),
    /// `gerbil:URL`: a server with GERBIL's protocol.
    Gerbil(String),
    /// `llm:MODEL`: a language model.
    Llm(String),
    /// Any other name: a system of the caller's [`SystemRegistry`](crate::SystemRegistry).
    Registered {
        /// The part before the first colon.
        kind: String,
        /// The part after it; empty if there is no colon.
        argument: String,
    },
}

/// Why a text is not a valid system name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidSystemSpec {
    /// There is no address.
    #[error("write the system like {kind}:http://127.0.0.1:8080/ask")]
    NotAUrl {
        /// The part before the colon.
        kind: String,
    },
    /// The address would show a password in `run.json`.
    #[error(
        "the address contains a user or password, and addresses are written to run.json; use a server that needs none"
    )]
    Password,
}

impl SystemSpec {
    /// The built-in systems, as messages list them.
    pub(crate) const BUILT_IN: [&str; 7] = [
        "oracle",
        "nearest",
        "command:PROGRAM ARGUMENTS",
        "http:URL",
        "gerbil:URL",
        "llm:MODEL",
        "file:PATH",
    ];

    /// The system with a name.
    pub fn parse(name: &str) -> Result<SystemSpec, InvalidSystemSpec> {
        let (kind, argument) = name.split_once(':').unwrap_or((name, ""));
        Ok(match (kind, argument) {
            ("oracle", "") => SystemSpec::Oracle,
            ("nearest", "") => SystemSpec::Nearest,
            ("file", path) if !path.is_empty() => SystemSpec::File(path.to_owned()),
            ("command", command) if !command.is_empty() => SystemSpec::Command(command.to_owned()),
            ("llm", model) if !model.is_empty() => SystemSpec::Llm(model.to_owned()),
            ("http" | "https", rest) if rest.starts_with("//") => SystemSpec::Http(without_password(name)?),
            ("http", url) if is_url(url) => SystemSpec::Http(without_password(url)?),
            ("gerbil", url) if is_url(url) => SystemSpec::Gerbil(without_password(url)?),
            ("http" | "https" | "gerbil", _) => {
                return Err(InvalidSystemSpec::NotAUrl { kind: kind.to_owned() });
            }
            _ => SystemSpec::Registered { kind: kind.to_owned(), argument: argument.to_owned() },
        })
    }

    /// Whether it neither runs a program nor sends anything to a server. Registered systems are asked for it.
    pub(crate) fn is_harmless(&self) -> Option<bool> {
        match self {
            SystemSpec::Oracle | SystemSpec::Nearest | SystemSpec::File(_) => Some(true),
            SystemSpec::Command(_) | SystemSpec::Http(_) | SystemSpec::Gerbil(_) | SystemSpec::Llm(_) => {
                Some(false)
            }
            SystemSpec::Registered { .. } => None,
        }
    }
}

impl std::fmt::Display for SystemSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SystemSpec::Oracle => f.write_str("oracle"),
            SystemSpec::Nearest => f.write_str("nearest"),
            SystemSpec::File(path) => write!(f, "file:{path}"),
            SystemSpec::Command(command) => write!(f, "command:{command}"),
            SystemSpec::Http(url) => write!(f, "http:{url}"),
            SystemSpec::Gerbil(url) => write!(f, "gerbil:{url}"),
            SystemSpec::Llm(model) => write!(f, "llm:{model}"),
            SystemSpec::Registered { kind, argument } if argument.is_empty() => f.write_str(kind),
            SystemSpec::Registered { kind, argument } => write!(f, "{kind}:{argument}"),
        }
    }
}

pub(crate) fn is_url(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

/// The address, unless it contains a password: addresses are written to `run.json`.
pub(crate) fn without_password(url: &str) -> Result<String, InvalidSystemSpec> {
    let authority = url.split("//").nth(1).and_then(|rest| rest.split('/').next()).unwrap_or_default();
    if authority.contains('@') { Err(InvalidSystemSpec::Password) } else { Ok(url.to_owned()) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn names_of_systems() {
        for (name, canonical) in [
            ("oracle", "oracle"),
            ("http://a/b", "http:http://a/b"),
            ("https://a/b", "http:https://a/b"),
            ("http:https://a/b", "http:https://a/b"),
            ("gerbil:http://a/b", "gerbil:http://a/b"),
            ("llm:a/b:c", "llm:a/b:c"),
            ("degraded:T2:0.2", "degraded:T2:0.2"),
            ("file:", "file"),
        ] {
            assert_eq!(SystemSpec::parse(name).unwrap().to_string(), canonical);
        }
        let registered = |kind: &str, argument: &str| SystemSpec::Registered {
            kind: kind.to_owned(),
            argument: argument.to_owned(),
        };
        assert_eq!(SystemSpec::parse("degraded:T2:0.2"), Ok(registered("degraded", "T2:0.2")));
        assert_eq!(SystemSpec::parse("oracle:x"), Ok(registered("oracle", "x")));
        assert_eq!(SystemSpec::parse("http://me:secret@a/b"), Err(InvalidSystemSpec::Password));
        for wrong in ["http:a", "gerbil:", "https:x"] {
            assert!(matches!(SystemSpec::parse(wrong), Err(InvalidSystemSpec::NotAUrl { .. })), "{wrong}");
        }
    }
}
