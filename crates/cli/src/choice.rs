//! Values of the libraries as arguments, by their names.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A value, or `None` for the default, which has a name of its own, such as `auto`.
pub(crate) type Auto<T> = Option<T>;

/// The help text of a value that is understood, but not listed.
pub(crate) const HIDDEN: &str = "hidden";

/// Parses the name of a value, or that of the default.
pub(crate) fn choice_or<T: Clone + Send + Sync + 'static, const N: usize>(
    default: (&'static str, &'static str),
    values: [(&'static str, &'static str, T); N],
) -> impl TypedValueParser<Value = Auto<T>> {
    let values = values.into_iter().map(|(name, help, value)| (name, help, Some(value)));
    choice(std::iter::once((default.0, default.1, None)).chain(values))
}

/// Parses the name of a value; each has a name and a help text, which may be empty.
pub(crate) fn choice<T: Clone + Send + Sync + 'static>(
    values: impl IntoIterator<Item = (&'static str, &'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let values: Vec<(&'static str, &'static str, T)> = values.into_iter().collect();
    let possible = values.iter().map(|(name, help, _)| match *help {
        "" => PossibleValue::new(*name),
        HIDDEN => PossibleValue::new(*name).hide(true),
        help => PossibleValue::new(*name).help(help),
    });
    PossibleValuesParser::new(possible.collect::<Vec<_>>()).try_map(move |name| {
        let found = values.iter().find(|(known, ..)| *known == name);
        found.map(|(.., value)| value.clone()).ok_or("not a possible value")
    })
}
