//! Recipes define the content of a benchmark.

use crate::cast;
use crate::recipe_keys;
use crate::sample::cycles::Cyclic;
use crate::sample::tree::Tree;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use touchstone_benchmark::QuestionType;
use touchstone_logic::Shape;
use touchstone_logic::graph::Class;

pub use crate::sample::shapes::ShapeFunction;

/// The definition of a benchmark. The same recipe and seed give the same bytes.
///
/// ```
/// use touchstone_forge::Recipe;
/// let mut recipe = Recipe::parse(Recipe::text("quick").ok_or("no such recipe")?)?;
/// recipe.questions = 100;
/// let error = Recipe::parse("name = \"x\"\nqestions = 10").unwrap_err();
/// assert!(error.to_string().contains("did you mean `questions`?"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The name of the benchmark.
    pub name: String,
    /// The purpose of the benchmark.
    #[serde(default)]
    pub description: String,
    /// The seed of all random choices.
    #[serde(default = "one")]
    pub seed: u64,
    /// Number of questions.
    pub questions: usize,
    /// Questions by shape.
    #[serde(default)]
    pub shapes: ByShape,
    /// Questions by locating and asking.
    #[serde(default)]
    pub asking: ByAsking,
    /// The division into splits.
    #[serde(default)]
    pub splits: Splits,
    /// What to reject.
    #[serde(default)]
    pub filters: Filters,
    /// How questions are worded.
    #[serde(default)]
    pub wording: WordingKeys,
    /// A built-in recipe whose division and training questions are used: development and test are zero-shot against them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub train_from: Option<String>,
    /// Limits of trivial attacks for `build --check`, by their keys in `stats --json`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub check: BTreeMap<String, f64>,
}

/// How questions are worded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WordingKeys {
    /// Whether all questions with the same template have the same words around their names and values.
    pub per_template: bool,
    /// The share of questions with surface noise: lower case, missing articles, a typo, no question mark.
    pub noise: f64,
    /// Whether questions respect and state what the KB does not know.
    pub limits: bool,
}

impl Default for WordingKeys {
    fn default() -> WordingKeys {
        WordingKeys { per_template: false, noise: 0.0, limits: true }
    }
}

/// Sampling by shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ByShape {
    /// The share of these questions, relative to the other strategy.
    pub weight: f64,
    /// The weight of each shape, by name (`Iso-8`) or code (`T1:(()())`, `G1:rcv/0-2,0-2,1-2`).
    pub shapes: BTreeMap<String, f64>,
    /// The weight of each function: none, count, comparative, superlative.
    pub functions: BTreeMap<ShapeFunction, f64>,
    /// Whether constraints may be values.
    pub literals: bool,
}

impl Default for ByShape {
    fn default() -> ByShape {
        ByShape { weight: 0.0, shapes: BTreeMap::new(), functions: BTreeMap::new(), literals: true }
    }
}

/// Locating and asking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ByAsking {
    /// The share of these questions, relative to the other strategy.
    pub weight: f64,
    /// Maximum nesting depth of descriptions.
    pub depth: usize,
    /// The weight of each type of question.
    pub types: BTreeMap<QuestionType, f64>,
    /// The share of things that are located by a description and not by their name.
    pub described: f64,
}

impl Default for ByAsking {
    fn default() -> ByAsking {
        ByAsking { weight: 0.0, depth: 0, types: BTreeMap::new(), described: 0.5 }
    }
}

/// The division into training, development and test questions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Splits {
    /// The weight of the training split.
    pub train: f64,
    /// The weight of the development split.
    pub dev: f64,
    /// The weight of the test split.
    pub test: f64,
    /// In development and test: the weight of questions whose template is in training.
    pub iid: f64,
    /// The weight of questions whose schema items are in training, but whose template is not.
    pub compositional: f64,
    /// The weight of questions with schema items that are not in training.
    pub zero_shot: f64,
    /// The domains of the schema that are held out of training; if empty, the seed chooses them.
    pub held_out: Vec<String>,
    /// If the seed chooses: the number of domains to hold out.
    pub held_out_domains: usize,
    /// The share of classes, relations, attributes and qualifier keys to hold out: those that the held-out domains lack are taken from the other
    /// domains.
    pub held_out_share: f64,
    /// Maximum share of the zero-shot questions that ask for the same class.
    pub max_class_share: f64,
    /// Maximum number of times that a question is moved to other entities for training and for held-out templates.
    pub moves: usize,
    /// `levels`: by the weights of the three levels; `zero-shot`: all of development and test is zero-shot.
    pub evaluation: Evaluation,
    /// Whether a relation is known from training if its inverse is.
    pub inverse_rule: bool,
}

/// What development and test consist of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evaluation {
    /// By the weights of the three levels.
    #[default]
    Levels,
    /// Only zero-shot questions.
    ZeroShot,
}

impl Splits {
    /// The weights of i.i.d., compositional and zero-shot questions.
    pub(crate) fn level_weights(&self) -> [f64; 3] {
        match self.evaluation {
            Evaluation::Levels => [self.iid, self.compositional, self.zero_shot],
            Evaluation::ZeroShot => [0.0, 0.0, 1.0],
        }
    }
}

impl Default for Splits {
    fn default() -> Splits {
        Splits {
            train: 0.7,
            dev: 0.1,
            test: 0.2,
            iid: 0.5,
            compositional: 0.25,
            zero_shot: 0.25,
            held_out: Vec::new(),
            held_out_domains: 2,
            held_out_share: 0.2,
            max_class_share: 0.1,
            moves: 2,
            evaluation: Evaluation::Levels,
            inverse_rule: true,
        }
    }
}

/// What to reject.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Filters {
    /// Maximum number of answers of a question.
    pub max_answers: usize,
    /// Properties to exclude from questions, by id or label; `None`: identifiers, codes and links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub illegal: Option<Vec<String>>,
    /// The share of questions whose SPARQL is also run by the general evaluator.
    pub verify: f64,
    /// Maximum number of words of a question.
    pub max_words: usize,
    /// Whether the facts near an answer must hold something that could be mistaken for it.
    pub distractors: bool,
    /// Minimum number of members of the class of the answers.
    pub min_class: usize,
}

impl Default for Filters {
    fn default() -> Filters {
        Filters {
            max_answers: 50,
            illegal: None,
            verify: 0.02,
            max_words: 35,
            distractors: false,
            min_class: 0,
        }
    }
}

fn one() -> u64 {
    1
}

/// Why a recipe is invalid.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecipeError {
    /// Not TOML, or a value of the wrong type.
    #[error("{0}")]
    Toml(#[from] toml::de::Error),
    /// A shape that cannot be sampled.
    #[error(
        "there is no shape `{0}` to sample; write a name like Iso-8, the code of a tree of up to six relations like T1:(()()), or that \
         of a shape with cycles like G1:rcv/0-2,0-2,1-2, where each constraint has one relation"
    )]
    UnknownShape(String),
    /// A number out of range.
    #[error("{0}")]
    Numbers(String),
    /// An unknown key.
    #[error("{place} `{key}`{hint}; the keys are {known}",
        place = if .section.is_empty() { "there is no key".to_owned() } else { format!("{}has no key", .section) },
        hint = .nearest.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default())]
    UnknownKey {
        /// The section in brackets and a space; empty at the top level.
        section: String,
        /// The key.
        key: String,
        /// The known keys, separated by commas.
        known: String,
        /// The nearest known key.
        nearest: Option<String>,
    },
    /// An excluded property that the KB does not have.
    #[error("[filters] illegal: the KB has no property `{name}`{hint}", hint = .nearest.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default())]
    UnknownProperty {
        /// The name of the property.
        name: String,
        /// The nearest property of the KB.
        nearest: Option<String>,
    },
    /// A section with a weight but nothing to choose from.
    #[error("[{section}] has no `{key}`; add for example {example}")]
    Missing {
        /// The section.
        section: &'static str,
        /// The key.
        key: &'static str,
        /// An example of the missing line.
        example: &'static str,
    },
    /// `train_from` names no built-in recipe.
    #[error("`train_from`: there is no built-in recipe `{name}`; choose from {known}", known = Recipe::built_in().collect::<Vec<_>>().join(", "))]
    UnknownRecipe {
        /// The name.
        name: String,
    },
    /// `train_from` without an evaluation that fits it.
    #[error(
        "`train_from` needs `evaluation = \"zero-shot\"` in [splits]: the other levels are relative to a recipe's own training questions"
    )]
    OtherTraining,
    /// The recipe makes no questions.
    #[error(
        "the recipe generates nothing: give [shapes] or [asking] a weight above 0, and shapes with functions, or types"
    )]
    Empty,
}

/// A kind of question, with the number that a recipe asks for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wanted {
    /// The kind.
    pub(crate) kind: QuestionKind,
    /// The number of questions in all splits.
    pub(crate) questions: usize,
    /// The splits to fill.
    pub(crate) part: Part,
    /// Whether constraints may be values.
    pub(crate) literals: bool,
}

/// The splits that a kind of question fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// All of them.
    All,
    /// Training.
    Training,
    /// Development and test.
    Evaluation,
}

/// A kind of question.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum QuestionKind {
    /// A shape with a function on top.
    Shape {
        /// The name or code in the recipe.
        name: String,
        /// The shape.
        outline: Outline,
        /// The function.
        function: ShapeFunction,
    },
    /// A type of question.
    Asking(QuestionType),
}

/// A shape to sample.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outline {
    /// Without a cycle.
    Tree(Tree),
    /// With a cycle.
    Cyclic(Cyclic),
}

impl Outline {
    fn parse(code: &str) -> Option<Outline> {
        let tree = Tree::parse(code).filter(|tree| (1..=6).contains(&tree.relations())).map(Outline::Tree);
        tree.or_else(|| Cyclic::parse(code).map(Outline::Cyclic))
    }

    /// Whether a graph has this shape; merged values count as one.
    pub(crate) fn fits(&self, shape: &Shape) -> bool {
        match self {
            Outline::Tree(tree) => Tree::parse(&shape.plain).is_some_and(|found| found.code() == tree.code()),
            Outline::Cyclic(cyclic) => shape.code == cyclic.code,
        }
    }
}

impl QuestionKind {
    /// The name in logs.
    pub(crate) fn name(&self) -> String {
        match self {
            QuestionKind::Shape { name, function, .. } => format!("{name} {function}"),
            QuestionKind::Asking(kind) => kind.name().to_owned(),
        }
    }

    /// Whether its questions name nothing that could be something else: a superlative at the end of a chain. Two of them with the same template
    /// are the same question.
    pub(crate) fn names_nothing(&self) -> bool {
        match self {
            QuestionKind::Shape { outline: Outline::Tree(tree), function, .. } => {
                *function == ShapeFunction::Superlative && tree.is_chain()
            }
            _ => false,
        }
    }

    /// The strategy that makes it, which questions name as their source.
    pub(crate) fn source(&self) -> &'static str {
        match self {
            QuestionKind::Shape { .. } => "shapes",
            QuestionKind::Asking(_) => "asking",
        }
    }
}

const BUILT_IN: [(&str, &str); 8] = [
    ("quick", include_str!("../recipes/quick.toml")),
    ("grailqa", include_str!("../recipes/grailqa.toml")),
    ("grailqa++", include_str!("../recipes/grailqa++.toml")),
    ("rp", include_str!("../recipes/rp.toml")),
    ("kqapro", include_str!("../recipes/kqapro.toml")),
    ("dbnqa", include_str!("../recipes/dbnqa.toml")),
    ("dbnqa-instance", include_str!("../recipes/dbnqa-instance.toml")),
    ("hard", include_str!("../recipes/hard.toml")),
];

impl Recipe {
    /// The names of the built-in recipes.
    pub fn built_in() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// The text of a built-in recipe.
    pub fn text(name: &str) -> Option<&'static str> {
        BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
    }

    /// Parses and checks a recipe.
    pub fn parse(text: &str) -> Result<Recipe, RecipeError> {
        recipe_keys::check(text)?;
        let recipe: Recipe = toml::from_str(text)?;
        recipe.wanted()?;
        Ok(recipe)
    }

    /// The recipe whose division and training questions this one uses.
    pub(crate) fn training(&self) -> Result<Option<Recipe>, RecipeError> {
        let Some(name) = &self.train_from else { return Ok(None) };
        if self.splits.evaluation != Evaluation::ZeroShot {
            return Err(RecipeError::OtherTraining);
        }
        let text = Recipe::text(name).ok_or_else(|| RecipeError::UnknownRecipe { name: name.clone() })?;
        Ok(Some(toml::from_str(text)?))
    }

    /// The kinds of questions with their numbers, which add up to the total of the recipe.
    pub(crate) fn wanted(&self) -> Result<Vec<Wanted>, RecipeError> {
        let Some(training) = self.training()? else { return self.wanted_of(self.questions, Part::All) };
        let Splits { train, dev, test, .. } = self.splits;
        let all = (train + dev + test).max(f64::MIN_POSITIVE);
        let numbers = apportioned(self.questions, &[train / all, (dev + test) / all]);
        let mut wanted = training.wanted_of(numbers[0], Part::Training)?;
        wanted.extend(self.wanted_of(numbers[1], Part::Evaluation)?);
        Ok(wanted)
    }

    fn wanted_of(&self, n_questions: usize, part: Part) -> Result<Vec<Wanted>, RecipeError> {
        let weights = [
            self.shapes.weight,
            self.asking.weight,
            self.splits.train,
            self.splits.dev,
            self.splits.test,
            self.splits.iid,
            self.splits.compositional,
            self.splits.zero_shot,
            self.splits.held_out_share,
            self.splits.max_class_share,
        ];
        let all = weights.iter().chain(self.shapes.shapes.values()).chain(self.shapes.functions.values());
        if let Some(wrong) =
            all.chain(self.asking.types.values()).find(|weight| !(**weight >= 0.0 && weight.is_finite()))
        {
            return Err(RecipeError::Numbers(format!("a weight is {wrong}; weights must be 0 or more")));
        }
        if self.questions == 0 || self.questions > 10_000_000 {
            return Err(RecipeError::Numbers(format!(
                "`questions` is {}; it must be from 1 to 10,000,000",
                self.questions
            )));
        }
        for (key, share) in [
            ("verify", self.filters.verify),
            ("noise", self.wording.noise),
            ("described", self.asking.described),
        ] {
            if !(0.0..=1.0).contains(&share) {
                return Err(RecipeError::Numbers(format!(
                    "`{key}` is {share}; it must be a share from 0 to 1"
                )));
            }
        }
        let shapes = &self.shapes;
        for (section, weight, is_empty, key, example) in [
            ("shapes", shapes.weight, shapes.shapes.is_empty(), "shapes", "shapes = { Iso-1 = 1 }"),
            ("shapes", shapes.weight, shapes.functions.is_empty(), "functions", "functions = { none = 1 }"),
            (
                "asking",
                self.asking.weight,
                self.asking.types.is_empty(),
                "types",
                "types = { QueryName = 1 }",
            ),
        ] {
            if weight > 0.0 && is_empty {
                return Err(RecipeError::Missing { section, key, example });
            }
        }
        let mut kinds: Vec<(QuestionKind, f64)> = Vec::new();
        let total = |weights: &mut dyn Iterator<Item = &f64>| weights.sum::<f64>();
        let shape_total =
            total(&mut self.shapes.shapes.values()) * total(&mut self.shapes.functions.values());
        for (name, shape_weight) in &self.shapes.shapes {
            let code = Class::by_name(name).map_or(name.as_str(), |class| class.code);
            let outline = Outline::parse(code).ok_or_else(|| RecipeError::UnknownShape(name.clone()))?;
            for (&function, function_weight) in &self.shapes.functions {
                let kind = QuestionKind::Shape { name: name.clone(), outline: outline.clone(), function };
                kinds.push((kind, self.shapes.weight * shape_weight * function_weight / shape_total));
            }
        }
        let type_total = total(&mut self.asking.types.values());
        for (&kind, weight) in &self.asking.types {
            kinds.push((QuestionKind::Asking(kind), self.asking.weight * weight / type_total));
        }
        kinds.retain(|(_, weight)| *weight > 0.0);
        let sum: f64 = kinds.iter().map(|(_, weight)| weight).sum();
        if kinds.is_empty() || sum == 0.0 {
            return Err(RecipeError::Empty);
        }
        let shares: Vec<f64> = kinds.iter().map(|(_, weight)| weight / sum).collect();
        let numbers = apportioned(n_questions, &shares);
        let literals = self.shapes.literals;
        let wanted = kinds.into_iter().zip(numbers);
        let wanted = wanted.map(|((kind, _), questions)| Wanted { kind, questions, part, literals });
        Ok(wanted.filter(|wanted| wanted.questions > 0).collect())
    }
}

/// Integers in proportion to shares that add up to 1, with the sum `n`, by the largest-remainder method.
pub(crate) fn apportioned(n: usize, shares: &[f64]) -> Vec<usize> {
    let mut numbers: Vec<usize> =
        shares.iter().map(|share| cast::truncated((share * cast::float(n)).floor())).collect();
    let mut by_remainder: Vec<usize> = (0..shares.len()).collect();
    let remainder = |at: usize| shares[at] * cast::float(n) - (shares[at] * cast::float(n)).floor();
    by_remainder.sort_by(|&a, &b| remainder(b).total_cmp(&remainder(a)).then(a.cmp(&b)));
    let missing = n.saturating_sub(numbers.iter().sum());
    for &at in by_remainder.iter().cycle().take(if shares.is_empty() { 0 } else { missing }) {
        numbers[at] += 1;
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_recipes_can_be_followed() {
        for name in Recipe::built_in() {
            let recipe =
                Recipe::parse(Recipe::text(name).expect("a text")).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(recipe.name, name);
            let sum: usize = recipe.wanted().expect("kinds").iter().map(|wanted| wanted.questions).sum();
            assert_eq!(sum, recipe.questions, "{name}");
        }
    }

    #[test]
    fn mistakes_are_told() {
        let wrong = |more: &str| {
            Recipe::parse(&format!("name = \"x\"\nquestions = 10\n{more}")).expect_err(more).to_string()
        };
        assert!(wrong("").contains("generates nothing"));
        assert!(
            wrong("[shapes]\nweight = 1\nshapes = { Iso-99 = 1 }\nfunctions = { none = 1 }")
                .contains("`Iso-99`")
        );
        assert!(
            wrong("[shapes]\nweight = -1\nshapes = { Iso-1 = 1 }\nfunctions = { none = 1 }").contains("-1")
        );
        assert!(wrong("[asking]\nweight = 1\ntypes = { QueryNames = 1 }").contains("QueryName"));
        assert_eq!(apportioned(10, &[0.55, 0.25, 0.2]), [6, 2, 2]);
    }
}
