//! Settings of systems: three scales, changed by a file and by `key=value`.

use crate::cast;
use crate::error::TrainError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;
use toml::{Table, Value};
use touchstone_kb::nearest_name;

/// How large a system is, and how long it is trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelScale {
    /// Seconds: to see that it works.
    Smoke,
    /// Minutes on two cores.
    Small,
    /// The published sizes and settings.
    Paper,
}

impl ModelScale {
    /// All scales.
    pub const ALL: [ModelScale; 3] = [ModelScale::Smoke, ModelScale::Small, ModelScale::Paper];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            ModelScale::Smoke => "smoke",
            ModelScale::Small => "small",
            ModelScale::Paper => "paper",
        }
    }

    /// The scale with a name.
    pub fn from_name(name: &str) -> Option<ModelScale> {
        ModelScale::ALL.into_iter().find(|scale| scale.name() == name)
    }
}

impl std::fmt::Display for ModelScale {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Settings that are changed step by step.
#[derive(Debug, Clone)]
pub struct SettingsEditor<'s> {
    system: &'s str,
    settings: Table,
}

impl<'s> SettingsEditor<'s> {
    /// From the settings of a scale.
    pub fn new(system: &'s str, settings: Table) -> SettingsEditor<'s> {
        SettingsEditor { system, settings }
    }

    /// Changes what a TOML file has; everything else stays.
    pub fn apply_file(&mut self, path: &Path) -> Result<(), TrainError> {
        let text = std::fs::read_to_string(path).map_err(TrainError::io("read", path))?;
        let table: Table = text.parse().map_err(|error: toml::de::Error| TrainError::Config {
            path: path.to_owned(),
            problem: error.to_string().trim_end().replace('\n', "; "),
        })?;
        self.apply(&table)
    }

    /// Changes what a table has.
    pub fn apply(&mut self, table: &Table) -> Result<(), TrainError> {
        for (key, value) in table {
            match value {
                Value::Table(section) => {
                    for (inner, value) in section {
                        self.set_value(&format!("{key}.{inner}"), value.clone())?;
                    }
                }
                value => self.set_value(key, value.clone())?,
            }
        }
        Ok(())
    }

    /// Changes one setting, given as `section.key=value`, or as `key=value` if only one section has the key.
    pub fn set(&mut self, assignment: &str) -> Result<(), TrainError> {
        let Some((key, text)) = assignment.split_once('=') else {
            return Err(self.wrong(assignment, "write it like training.batch=64".to_owned()));
        };
        let (key, text) = (key.trim(), text.trim());
        let value = |text: &str| format!("v = {text}").parse::<Table>().ok()?.remove("v");
        let value = value(text).unwrap_or_else(|| Value::String(text.to_owned()));
        self.set_value(key, value)
    }

    /// The settings.
    pub fn into_settings(self) -> Table {
        self.settings
    }

    fn wrong(&self, key: &str, problem: String) -> TrainError {
        TrainError::Setting { system: self.system.to_owned(), key: key.to_owned(), problem }
    }

    fn set_value(&mut self, key: &str, value: Value) -> Result<(), TrainError> {
        let (section, inner) = self.found(key)?;
        let slot = self.settings.get_mut(&section).and_then(|section| section.get_mut(&inner));
        let Some(slot) = slot else { return Err(self.wrong(key, "it is not a setting".to_owned())) };
        let value = match (&*slot, value) {
            // 1 is a number with a fraction where one is expected.
            (Value::Float(_), Value::Integer(whole)) => Value::Float(cast::float_of_integer(whole)),
            (_, value) => value,
        };
        if slot.type_str() != value.type_str() {
            let (wanted, found) = (slot.type_str(), value.to_string());
            return Err(self.wrong(key, format!("it is of type {wanted}, but {found} is not")));
        }
        *slot = value;
        Ok(())
    }

    /// The section and the key of a setting.
    fn found(&self, key: &str) -> Result<(String, String), TrainError> {
        let names = || {
            self.settings
                .iter()
                .filter_map(|(section, table)| Some((section, table.as_table()?)))
                .flat_map(|(section, table)| table.keys().map(move |key| (section.clone(), key.clone())))
        };
        let full = |(section, key): &(String, String)| format!("{section}.{key}");
        let is_it = |name: &(String, String)| full(name) == key || (!key.contains('.') && name.1 == key);
        let found: Vec<(String, String)> = names().filter(is_it).collect();
        match &found[..] {
            [one] => Ok(one.clone()),
            [] => {
                let known: Vec<String> = names().map(|name| full(&name)).collect();
                let bare =
                    |known: &str| known.split_once('.').map_or(String::new(), |(_, key)| key.to_owned());
                let nearest = nearest_name(key, known.iter().map(String::as_str)).map(str::to_owned);
                let by_key = || {
                    let keys: Vec<String> = known.iter().map(|known| bare(known)).collect();
                    let nearest = nearest_name(key, keys.iter().map(String::as_str))?.to_owned();
                    known.iter().find(|known| bare(known) == nearest).cloned()
                };
                Err(TrainError::UnknownSetting {
                    system: self.system.to_owned(),
                    key: key.to_owned(),
                    nearest: nearest.or_else(by_key),
                })
            }
            several => Err(TrainError::AmbiguousSetting {
                key: key.to_owned(),
                found: several.iter().map(|name| format!("`{}`", full(name))).collect(),
            }),
        }
    }
}

/// Settings as a type; `system` is named in messages.
pub fn typed<T: DeserializeOwned>(system: &str, settings: &Table) -> Result<T, TrainError> {
    T::deserialize(settings.clone()).map_err(|error| TrainError::Setting {
        system: system.to_owned(),
        key: "settings".to_owned(),
        problem: error.to_string().trim_end().replace('\n', "; "),
    })
}

/// A type as settings.
pub fn table(settings: &impl Serialize) -> Table {
    Table::try_from(settings).unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn editor() -> SettingsEditor<'static> {
        let table =
            "[network]\nunits = 8\ndropout = 0.2\n[training]\nbatch = 4\nunits = 1\n".parse().unwrap();
        SettingsEditor::new("x", table)
    }

    #[test]
    fn settings_are_changed_by_name() {
        let mut editor = editor();
        editor.set("batch=16").unwrap();
        editor.set("network.dropout = 1").unwrap();
        editor.apply(&"[network]\nunits = 9".parse().unwrap()).unwrap();
        let settings = editor.into_settings();
        assert_eq!(settings["training"]["batch"].as_integer(), Some(16));
        assert_eq!(settings["network"]["dropout"].as_float(), Some(1.0));
        assert_eq!(settings["network"]["units"].as_integer(), Some(9));
    }

    #[test]
    fn wrong_settings_are_explained() {
        let message = |text: &str| editor().set(text).unwrap_err().to_string();
        assert!(message("units=3").contains("`network.units` or `training.units`"), "{}", message("units=3"));
        assert!(message("batsh=3").contains("did you mean `training.batch`?"), "{}", message("batsh=3"));
        assert!(message("network.unit=3").contains("did you mean `network.units`?"));
        assert!(message("batch=many").contains("it is of type integer, but \"many\" is not"));
        assert!(message("batch").contains("write it like"));
    }
}
