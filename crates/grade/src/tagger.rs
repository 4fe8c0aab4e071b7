//! Parts of speech, by a Brill tagger (cargo feature `tagger`).

use crate::grade_error::GradeError;

/// Tags the words of questions.
pub(crate) struct Tagger(Brill);

#[cfg(feature = "tagger")]
struct Brill;

/// There is no tagger in this build.
#[cfg(not(feature = "tagger"))]
enum Brill {}

impl Tagger {
    /// The tagger, if this build has one.
    #[cfg(feature = "tagger")]
    #[allow(clippy::unnecessary_wraps, reason = "a build without the feature has no tagger")]
    pub(crate) fn new() -> Result<Tagger, GradeError> {
        Ok(Tagger(Brill))
    }

    /// The tagger, if this build has one.
    #[cfg(not(feature = "tagger"))]
    pub(crate) fn new() -> Result<Tagger, GradeError> {
        Err(GradeError::NoTagger)
    }

    /// The universal part of speech of each word of a sentence, like `NOUN`, as far as it is known.
    pub(crate) fn tags(&self, words: &[String]) -> Vec<Option<String>> {
        self.0.tags(words)
    }
}

impl Brill {
    #[cfg(feature = "tagger")]
    fn tags(&self, words: &[String]) -> Vec<Option<String>> {
        use harper_brill::{Tagger as _, brill_tagger};
        let tags = brill_tagger().tag_sentence(words);
        tags.into_iter().map(|tag| tag.map(|tag| format!("{tag:?}"))).collect()
    }

    #[cfg(not(feature = "tagger"))]
    fn tags(&self, _: &[String]) -> Vec<Option<String>> {
        match *self {}
    }
}

#[cfg(all(test, not(feature = "tagger")))]
mod tests {
    use super::*;

    #[test]
    fn without_the_feature_a_regression_names_it() {
        let error = Tagger::new().err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("cargo feature `tagger`"), "{error}");
    }
}
