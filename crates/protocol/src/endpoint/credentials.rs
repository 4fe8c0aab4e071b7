//! Credentials for endpoints. They are read only from the environment: other users can see command lines and files.

use super::error::EndpointError;
use std::fmt;

/// The user's name, for basic authentication.
pub const USER_VARIABLE: &str = "TOUCHSTONE_ENDPOINT_USER";
/// The user's password, for basic authentication.
pub const PASSWORD_VARIABLE: &str = "TOUCHSTONE_ENDPOINT_PASSWORD";
/// A token, for bearer authentication.
pub const TOKEN_VARIABLE: &str = "TOUCHSTONE_ENDPOINT_TOKEN";

/// The value of the `Authorization` header. Its `Debug` output hides the secret.
#[derive(Clone, Default)]
pub struct Credentials {
    header: Option<String>,
    scheme: &'static str,
}

impl Credentials {
    /// From the environment of this process.
    pub fn from_environment() -> Result<Credentials, EndpointError> {
        Credentials::look_up(|name| std::env::var(name).ok())
    }

    /// From a look-up of variables by name.
    pub fn look_up(variable: impl Fn(&str) -> Option<String>) -> Result<Credentials, EndpointError> {
        let wrong = |reason: String| EndpointError::Credentials { reason };
        let given = |name: &str| variable(name).filter(|value| !value.is_empty());
        match (given(USER_VARIABLE), given(PASSWORD_VARIABLE), given(TOKEN_VARIABLE)) {
            (None, None, None) => Ok(Credentials { header: None, scheme: "none" }),
            (None, None, Some(token)) => {
                // Other characters could end the header and begin another one.
                if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
                    return Err(wrong(format!("{TOKEN_VARIABLE} has characters that a token cannot have")));
                }
                Ok(Credentials { header: Some(format!("Bearer {token}")), scheme: "bearer" })
            }
            (Some(user), password, None) => {
                if user.contains(':') {
                    return Err(wrong(format!("{USER_VARIABLE} must not contain a colon")));
                }
                let pair = format!("{user}:{}", password.unwrap_or_default());
                Ok(Credentials {
                    header: Some(format!("Basic {}", base64(pair.as_bytes()))),
                    scheme: "basic",
                })
            }
            (None, Some(_), None) => {
                Err(wrong(format!("{PASSWORD_VARIABLE} is set, but {USER_VARIABLE} is not")))
            }
            _ => Err(wrong(format!(
                "both {TOKEN_VARIABLE} and {USER_VARIABLE} or {PASSWORD_VARIABLE} are set: keep only one of them"
            ))),
        }
    }

    pub(super) fn header(&self) -> Option<&str> {
        self.header.as_deref()
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credentials({})", self.scheme)
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group =
            chunk.iter().fold(0u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            if digit <= chunk.len() {
                out.push(char::from(DIGITS[(group >> (18 - 6 * digit)) as usize & 63]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(&str, &str)]) -> Result<Credentials, EndpointError> {
        Credentials::look_up(|name| pairs.iter().find(|pair| pair.0 == name).map(|pair| pair.1.to_owned()))
    }

    #[test]
    fn ways_to_authenticate() {
        let of = |pairs: &[(&str, &str)]| with(pairs).expect("good").header().map(str::to_owned);
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[(TOKEN_VARIABLE, "")]), None);
        assert_eq!(of(&[(TOKEN_VARIABLE, "abc")]).as_deref(), Some("Bearer abc"));
        assert_eq!(
            of(&[(USER_VARIABLE, "Aladdin"), (PASSWORD_VARIABLE, "open sesame")]).as_deref(),
            Some("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        );
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn mistakes_are_explained_without_the_secret() {
        for pairs in [
            &[(PASSWORD_VARIABLE, "hunter2")][..],
            &[(TOKEN_VARIABLE, "hunter2"), (USER_VARIABLE, "me")],
            &[(TOKEN_VARIABLE, "hunter2\r\nHost: x")],
            &[(USER_VARIABLE, "me:hunter2")],
        ] {
            let message = with(pairs).expect_err("wrong").to_string();
            assert!(message.contains("TOUCHSTONE_ENDPOINT_") && !message.contains("hunter2"), "{message}");
        }
        let good = with(&[(TOKEN_VARIABLE, "hunter2")]).expect("good");
        assert_eq!(format!("{good:?}"), "Credentials(bearer)");
    }
}
