//! Which measures a user sees; all are computed.

use crate::grade_error::GradeError;
use crate::grade_run::GradeOptions;
use crate::measure::{USUAL, USUAL_BY_FACET};
use touchstone_datasets::DataSet;

/// The measures that are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownMeasures {
    /// Those that were asked for, or the usual ones.
    pub measures: Vec<String>,
    /// The official scores, which are always shown.
    pub official: &'static [&'static str],
    /// Those that are broken down by facets.
    pub by_facet: Vec<String>,
}

impl ShownMeasures {
    /// All of them.
    pub fn all(&self) -> Vec<&str> {
        self.measures.iter().map(String::as_str).chain(self.official.iter().copied()).collect()
    }
}

impl GradeOptions {
    /// The measures to show: those that are `wanted`, which must be known, or else the usual ones and the user's own.
    pub fn shown(&self, wanted: &[String]) -> Result<ShownMeasures, GradeError> {
        let official = self.compat.map_or(&[][..], DataSet::official_scores);
        if wanted.is_empty() {
            let usual = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
            let mut measures = usual(&USUAL);
            measures.extend(self.products.iter().map(|product| product.name.clone()));
            return Ok(ShownMeasures { measures, official, by_facet: usual(&USUAL_BY_FACET) });
        }
        let without_official = GradeOptions { compat: None, ..self.clone() };
        wanted.iter().try_for_each(|name| without_official.check_measure(name))?;
        Ok(ShownMeasures { measures: wanted.to_vec(), official, by_facet: wanted.to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PredictionSource;

    #[test]
    fn official_scores_are_always_shown_and_names_are_checked() {
        let source = PredictionSource::Text { name: String::new(), content: Vec::new() };
        let options = GradeOptions { compat: Some(DataSet::Gek), ..GradeOptions::new(source) };
        let usual = options.shown(&[]).expect("the usual");
        assert_eq!(usual.all().len(), USUAL.len() + usual.official.len());
        let f1 = options.shown(&["f1".to_owned()]).expect("a measure");
        assert_eq!((&f1.all()[..1], &f1.by_facet[..]), (&["f1"][..], &["f1".to_owned()][..]));
        assert!(options.shown(&["f2".to_owned()]).is_err());
    }
}
