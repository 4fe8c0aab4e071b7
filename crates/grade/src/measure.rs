//! The measures: named, versioned, with formulas and edge cases.

use serde::Serialize;

/// What a measure evaluates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// The logical form.
    Query,
    /// Whether the logical form runs.
    Execution,
    /// The answers.
    Answer,
    /// What a system reports about itself.
    System,
    /// Several measures.
    Compound,
}

macro_rules! measures {
    ($($variant:ident = $name:literal, $family:ident, $version:literal, $formula:literal, $odd:literal;)*) => {
        /// A measure: a number from a prediction and gold, for one question.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs)]
        pub enum Measure { $($variant),* }

        impl Measure {
            /// All measures.
            pub const ALL: &'static [Measure] = &[$(Measure::$variant),*];

            /// Its name in files and tables.
            pub fn name(self) -> &'static str {
                match self { $(Measure::$variant => $name),* }
            }

            /// Its version, which changes whenever its values do.
            pub fn version(self) -> u32 {
                match self { $(Measure::$variant => $version),* }
            }

            /// What it evaluates.
            pub fn family(self) -> Family {
                match self { $(Measure::$variant => Family::$family),* }
            }

            /// How it is computed.
            pub fn formula(self) -> &'static str {
                match self { $(Measure::$variant => $formula),* }
            }

            /// Its value in edge cases.
            pub fn odd_cases(self) -> &'static str {
                match self { $(Measure::$variant => $odd),* }
            }
        }
    };
}

measures! {
    EmString = "em_string", Query, 2, "1 if the tokens of both texts are the same, else 0 (SPARQL in the tokens of NSpM)",
        "no prediction 0; gold has no form in this language: compared with gold translated exactly, else 0";
    EmOfficial = "em_official", Query, 2, "1 if the graphs of both S-expressions are isomorphic (GrailQA), else 0",
        "a text that cannot be read, or a form in another language 0; no ontology, or no gold S-expression: not measured";
    EmCanonical = "em_canonical", Query, 3, "1 if both queries have the same canonical form, whatever their languages, else 0",
        "a text that cannot be read 0; SPARQL outside the algebra, on either side: 1 if both parsed queries are the same up to the names of variables and the order of what is joined";
    Bleu = "bleu", Query, 2, "BLEU of the token sequences, n up to 4, brevity penalty, no smoothing, orders above the length of the prediction left out",
        "no common token 0; both the same 1, also below four tokens; no prediction 0; gold has no form in this language: as em_string";
    RougeL = "rouge_l", Query, 2, "F1 of the longest common subsequence of tokens",
        "both empty 1; one empty 0; gold has no form in this language: as em_string";
    F1Sem = "f1_sem", Query, 3, "F1 of the sets of entities, classes and properties of the parsed query",
        "both empty: as em_canonical; one empty 0; SPARQL that has lost brackets is closed and parsed; if that fails, the tokens of both texts are scanned; other broken texts 0";
    F1Tri = "f1_tri", Query, 3, "F1 of the sets of triple patterns of the parsed query, all variables taken for one; literals by value, inverse paths the other way round",
        "as f1_sem; patterns that become the same count once";
    F1Aligned = "f1_aligned", Query, 4, "F1 of the statements of the query graphs and the conditions on qualifiers, variables aligned in the best way, the answer to the answer",
        "a text that cannot be read 0; SPARQL outside the algebra, on either side: of triple patterns, conditions, columns (if there are several; without decoration) and keys of groups instead of graphs";
    F1Inverse = "f1_inverse", Query, 5, "as f1_aligned; a relation and its inverse the other way round are the same, and so are entities that owl:sameAs links",
        "as f1_aligned";
    MrrForm = "mrr_form", Query, 3, "1 / the rank of the first form with the canonical form of gold: the form itself, then its alternatives",
        "none of them 0; without alternatives as em_canonical";
    Exec = "exec", Execution, 1, "1 if the logical form runs, else 0",
        "no answers are fine: 1; over budget 0; no KB: not measured";
    F1Exec = "f1_exec", Execution, 1, "f1 of what the logical form returns, whatever answers are claimed",
        "no form, or one that does not run 0; no KB, or no gold answers: not measured";
    EmAnswer = "em_answer", Answer, 2, "1 if both answer sets are the same, else 0", "both empty 1; error 0; duplicates do not matter; order matters only if the gold SPARQL has ORDER BY (ties in any order)";
    Precision = "precision", Answer, 1, "right answers / predicted answers", "both empty 1; none predicted 0; error 0";
    Recall = "recall", Answer, 1, "right answers / gold answers", "both empty 1; none in gold 0; error 0";
    F1 = "f1", Answer, 1, "2 * right / (predicted + gold), of the claimed answers; without them, of what the form returns", "both empty 1; one empty 0; error 0; no gold answers known: not measured";
    Accuracy = "accuracy", Answer, 1, "right answers / (predicted or gold answers)", "both empty 1; one empty 0; error 0";
    Hits1 = "hits_1", Answer, 1, "1 if the first predicted answer is right, else 0", "both empty 1; none predicted 0; error 0";
    Mrr = "mrr", Answer, 1, "1 / the rank of the first right answer", "both empty 1; no right one 0; error 0";
    KqaPro = "kqapro_accuracy", Answer, 2, "1 if the first predicted answer is the gold one by the rules of KQA Pro's evaluator, else 0",
        "numbers cut to integers within 1e-5; a year is all of its dates; no prediction 0; several gold answers: any of them";
    Choice = "choice_accuracy", Answer, 1, "1 if the chosen answer is the gold one, else 0", "no choices in gold: not measured; an answer that is not a choice 0";
    Perplexity = "perplexity", System, 1, "exp(- mean log-probability of the tokens)", "no log-probabilities: not measured";
}

impl Measure {
    /// The measure with a name.
    pub(crate) fn from_name(name: &str) -> Option<Measure> {
        Measure::ALL.iter().copied().find(|measure| measure.name() == name)
    }

    /// Its index in [`Values`].
    pub(crate) fn index(self) -> usize {
        self as usize
    }
}

/// The default measures of tables.
pub const USUAL: [&str; 14] = [
    "em_canonical",
    "em_string",
    "bleu",
    "f1_sem",
    "f1_tri",
    "f1_aligned",
    "exec",
    "em_answer",
    "f1",
    "f1_exec",
    "hits_1",
    "gek_1",
    "gek_2",
    "gek_3",
];

/// The default measures of breakdowns by facet.
pub const USUAL_BY_FACET: [&str; 6] = ["em_canonical", "f1_aligned", "exec", "em_answer", "f1", "gek_3"];

/// The names of all measures and of the published compound ones.
pub(crate) fn known_names() -> impl Iterator<Item = &'static str> {
    Measure::ALL.iter().map(|measure| measure.name()).chain(["gek_1", "gek_2", "gek_3"])
}

/// An entry of `touchstone measures`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MeasureDescription {
    /// The name.
    pub name: String,
    /// Its version, which changes whenever its values do.
    pub version: u32,
    /// What it evaluates.
    pub family: Family,
    /// How it is computed.
    pub formula: String,
    /// Its value in edge cases.
    pub odd_cases: &'static str,
}

/// All measures, and the published compound ones.
pub fn measures() -> Vec<MeasureDescription> {
    let measure = |measure: &Measure| MeasureDescription {
        name: measure.name().to_owned(),
        version: measure.version(),
        family: measure.family(),
        formula: measure.formula().to_owned(),
        odd_cases: measure.odd_cases(),
    };
    let product = |product: Product| MeasureDescription {
        formula: product.formula(),
        name: product.name,
        version: product.version,
        family: Family::Compound,
        odd_cases: "a factor that is not measured: not measured",
    };
    Measure::ALL.iter().map(measure).chain(Product::published().map(product)).collect()
}

/// The values of all measures for one question; `None` if not measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Values(pub [Option<f64>; Measure::ALL.len()]);

impl Default for Values {
    fn default() -> Values {
        Values([None; Measure::ALL.len()])
    }
}

impl Values {
    /// The value of a measure.
    pub fn get(&self, measure: Measure) -> Option<f64> {
        self.0[measure.index()]
    }

    /// Sets the value of a measure.
    pub fn set(&mut self, measure: Measure, value: impl Into<Option<f64>>) {
        self.0[measure.index()] = value.into();
    }
}

/// A product of measures, each raised to a minimum and to the power of its weight, so that one 0 does not hide the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Product {
    /// Its name.
    pub name: String,
    /// The factors with their weights.
    pub factors: Vec<(Measure, f64)>,
    /// The value of a factor of 0.
    pub floor: f64,
    /// Its version, which changes whenever its values do.
    pub version: u32,
}

/// The minimum factor of the published products.
pub(crate) const FLOOR: f64 = 1e-4;

/// Why a product cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProductError {
    /// Invalid syntax.
    #[error("`{0}` is not a product of measures; write it like `mine = f1_sem * exec ^ 0.5 * f1`")]
    Syntax(String),
    /// An unknown measure.
    #[error("there is no measure `{0}`{nearest}", nearest = .1.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default())]
    Unknown(String, Option<String>),
}

impl Product {
    /// GEK-1, GEK-2 and GEK-3. The answers in the paper are the results of the form.
    pub fn published() -> [Product; 3] {
        let gek = |name: &str, query: Measure| Product {
            name: name.to_owned(),
            factors: vec![(query, 1.0), (Measure::Exec, 1.0), (Measure::F1Exec, 1.0)],
            floor: FLOOR,
            version: 2,
        };
        [gek("gek_1", Measure::Bleu), gek("gek_2", Measure::F1Sem), gek("gek_3", Measure::F1Tri)]
    }

    /// Parses `name = measure * measure ^ weight`.
    pub fn parse(text: &str) -> Result<Product, ProductError> {
        let syntax = || ProductError::Syntax(text.to_owned());
        let (name, factors) = text.split_once('=').ok_or_else(syntax)?;
        let factor = |text: &str| {
            let (measure, weight) = text.split_once('^').unwrap_or((text, "1"));
            let weight =
                weight.trim().parse().ok().filter(|weight: &f64| weight.is_finite()).ok_or_else(syntax)?;
            let measure = measure.trim();
            if measure.is_empty() {
                return Err(syntax());
            }
            let names = || Measure::ALL.iter().map(|measure| measure.name());
            let unknown = || {
                let nearest = touchstone_kb::nearest_name(measure, names()).map(str::to_owned);
                ProductError::Unknown(measure.to_owned(), nearest)
            };
            Ok((Measure::from_name(measure).ok_or_else(unknown)?, weight))
        };
        let factors = factors.split('*').map(factor).collect::<Result<_, ProductError>>()?;
        let name = name.trim().to_owned();
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(syntax());
        }
        Ok(Product { name, factors, floor: FLOOR, version: 1 })
    }

    /// How it is computed.
    pub fn formula(&self) -> String {
        let factors: Vec<&str> = self.factors.iter().map(|(measure, _)| measure.name()).collect();
        format!("{}, each lifted to {} + {} x", factors.join(" * "), self.floor, 1.0 - self.floor)
    }

    /// Its value; `None` if a factor is not measured.
    pub fn value(&self, values: &Values) -> Option<f64> {
        let lifted = |value: f64| self.floor + (1.0 - self.floor) * value;
        self.factors.iter().try_fold(1.0, |product, &(measure, weight)| {
            Some(product * lifted(values.get(measure)?).powf(weight))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_the_paper() {
        let value = |query: f64, exec: f64, f1: f64| {
            let mut values = Values::default();
            values.set(Measure::F1Tri, query);
            values.set(Measure::Exec, exec);
            values.set(Measure::F1Exec, f1);
            Product::published()[2].value(&values).expect("a value")
        };
        assert_eq!(value(1.0, 1.0, 1.0), 1.0);
        assert!((value(1.0, 0.0, 0.0) - 1e-8).abs() < 1e-20);
        assert!((value(1.0, 1.0, 0.0) - 1e-4).abs() < 1e-16);
        assert!((value(0.5, 1.0, 0.5) - 0.250_050_002_5).abs() < 1e-12);
        assert!((value(0.0, 0.0, 0.0) - 1e-12).abs() < 1e-24);
        assert_eq!(Product::published()[0].value(&Values::default()), None);
    }

    #[test]
    fn products_of_users() {
        let product = Product::parse("mine = f1_sem * exec ^ 0.5").expect("a product");
        assert_eq!((product.name.as_str(), product.factors.len()), ("mine", 2));
        assert!(Product::parse("mine = f1sem").expect_err("no measure").to_string().contains("`f1_sem`"));
        for wrong in ["mine", "= f1", "a b = f1", "mine = f1 ^ x", "mine =", "mine = f1 *", "mine = * f1"] {
            assert_eq!(Product::parse(wrong), Err(ProductError::Syntax(wrong.to_owned())), "{wrong}");
        }
    }

    #[test]
    fn names_are_unique() {
        for measure in Measure::ALL {
            assert_eq!(Measure::from_name(measure.name()), Some(*measure));
            assert!(
                !measure.formula().is_empty() && !measure.odd_cases().is_empty() && measure.version() > 0
            );
        }
    }
}
