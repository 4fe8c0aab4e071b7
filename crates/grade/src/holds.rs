//! Checks whether gold answers hold on a KB.

use crate::grader::Grader;
use crate::measure::Measure;
use touchstone_benchmark::Prediction;
use touchstone_benchmark::Question;
use touchstone_logic::Language;

impl Grader<'_> {
    /// Whether a gold query of the question gives the gold answers on the grader's KB; `None` if that is unknown: there is no KB, no
    /// form, or no answer to compare with.
    pub(crate) fn gold_holds(&self, question: &Question) -> Option<bool> {
        let forms = &question.forms;
        let forms = [
            (Language::Sexpr, &forms.sexpr),
            (Language::Kopl, &forms.program),
            (Language::Sparql, &forms.sparql),
        ];
        let (language, form) =
            forms.into_iter().find_map(|(language, form)| Some((language, form.as_ref()?)))?;
        let gold = Prediction {
            id: question.id.clone(),
            logical_form: Some(form.clone()),
            language: Some(language),
            ..Prediction::default()
        };
        Some(self.grade(question, Some(&gold)).values.get(Measure::EmAnswer)? == 1.0)
    }
}
