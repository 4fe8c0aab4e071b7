//! Enums whose variants have a name in files, on the command line and in tables.

/// A name that is not one of the known ones.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {field} `{found}`; known: {known}")]
#[non_exhaustive]
pub struct UnknownName {
    /// The field or option that holds the name.
    pub field: &'static str,
    /// The unknown name.
    pub found: String,
    /// The known names, separated by commas.
    pub known: String,
}

impl UnknownName {
    pub(crate) fn new(field: &'static str, found: &str, known: &[&str]) -> UnknownName {
        UnknownName { field, found: found.to_owned(), known: known.join(", ") }
    }
}

/// Gives an enum without fields its names: `ALL`, `name`, `Display`, `FromStr` (which ignores case), and serde both ways.
macro_rules! named_enum {
    ($type:ident, $field:literal, { $($variant:ident => $name:literal),+ $(,)? }) => {
        impl $type {
            /// All of them.
            pub const ALL: [$type; [$($name),+].len()] = [$($type::$variant),+];

            const NAMES: [&str; $type::ALL.len()] = [$($name),+];

            /// The name in files, on the command line and in tables.
            pub fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name,)+
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::named::UnknownName;

            fn from_str(text: &str) -> Result<$type, $crate::named::UnknownName> {
                let found = $type::ALL.into_iter().find(|known| known.name().eq_ignore_ascii_case(text));
                found.ok_or_else(|| $crate::named::UnknownName::new($field, text, &$type::NAMES))
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "enum": $type::NAMES })
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                let text = std::borrow::Cow::<'_, str>::deserialize(deserializer)?;
                match &*text {
                    $($name => Ok($type::$variant),)+
                    other => Err(serde::de::Error::custom($crate::named::UnknownName::new(
                        $field,
                        other,
                        &$type::NAMES,
                    ))),
                }
            }
        }
    };
}

pub(crate) use named_enum;
