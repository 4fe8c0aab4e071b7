//! The file of an experiment: which systems are trained on which benchmarks, and which tables are printed. `docs/experiments.md` documents
//! every key.

use super::error::ExperimentError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::Table;
use touchstone_grade::{Measure, Product};
use touchstone_kb::nearest_name;
use touchstone_train::settings::ModelScale;

/// The built-in experiments.
const BUILT_IN: [(&str, &str); 1] = [("gek", include_str!("../../experiments/gek.toml"))];

/// Corpus BLEU is a score of a run, not a measure of a question.
pub(crate) const CORPUS_BLEU: &str = "corpus_bleu";

/// The definition of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Its name.
    pub name: String,
    /// Its title, for people.
    #[serde(default)]
    pub title: String,
    /// The publication that it repeats.
    #[serde(default)]
    pub source: String,
    /// What it shows, in a few sentences.
    #[serde(default)]
    pub description: String,
    /// The shares of the training questions to learn from.
    #[serde(default = "whole")]
    pub fractions: Vec<f64>,
    /// The seeds; scores are means over them.
    #[serde(default = "first_seed")]
    pub seeds: Vec<u64>,
    /// Other fractions and seeds at some scales.
    #[serde(default)]
    pub scales: BTreeMap<ModelScale, ScaleSpec>,
    /// The benchmarks.
    pub benchmarks: Vec<BenchmarkSpec>,
    /// The systems.
    #[serde(default)]
    pub systems: Vec<TrainedSpec>,
    /// The tables.
    #[serde(default)]
    pub tables: Vec<TableSpec>,
    /// The folder that relative paths in it refer to.
    #[serde(skip)]
    pub folder: PathBuf,
}

/// What is different at a scale.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScaleSpec {
    /// Other fractions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fractions: Option<Vec<f64>>,
    /// Other seeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seeds: Option<Vec<u64>>,
}

/// A benchmark of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BenchmarkSpec {
    /// Its name in this file and in tables.
    pub name: String,
    /// Its title in tables.
    #[serde(default)]
    pub title: String,
    /// The recipe that makes it: a built-in one, or a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
    /// Or the folder of a benchmark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// The KB: `world`, or the folder of a compiled KB; of a benchmark in a folder, by default its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kb: Option<String>,
    /// How published pairs are divided, if `--data` takes the place of the recipe.
    #[serde(default)]
    pub division: Division,
    /// Other fractions than those of the experiment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fractions: Option<Vec<f64>>,
    /// Keys of the recipe that are different.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub change: Table,
    /// Further keys of the recipe that are different at a scale.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scales: BTreeMap<ModelScale, Table>,
}

/// How published pairs are divided into splits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Division {
    /// All questions with the same query but for its entities are in one split.
    #[default]
    Template,
    /// Every question by itself.
    Instance,
}

/// A system of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainedSpec {
    /// Its name in this file.
    pub name: String,
    /// Its title in tables.
    #[serde(default)]
    pub title: String,
    /// The trainable system, if it has another name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// Settings that differ from those of the scale.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub settings: Table,
    /// Further settings that differ at a scale.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scales: BTreeMap<ModelScale, Table>,
}

/// What a table shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TableKind {
    /// Which axioms the measures satisfy.
    Axioms,
    /// An example of each degradation.
    Transformations,
    /// How measures react to degradations.
    Sensitivity,
    /// The scores of all systems at all fractions.
    Scores,
    /// The scores of all systems on two benchmarks.
    Comparison,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableSpec {
    /// What it shows.
    pub kind: TableKind,
    /// Its title.
    pub title: String,
    /// The benchmark.
    pub benchmark: String,
    /// The benchmark that a comparison compares with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<String>,
    /// The measures, as columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<String>,
    /// The headings of these columns; without them the names of the measures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<String>,
    /// Maximum number of questions that axioms are checked on.
    #[serde(default = "axiom_questions")]
    pub questions: usize,
    /// A sentence below the table.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The published rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<PublishedRow>,
}

/// A published row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedRow {
    /// The name of the system, or the degradation.
    pub row: String,
    /// The fraction of the training questions, or the share of degraded ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fraction: Option<f64>,
    /// The values of the columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<f64>,
    /// The signs behind the values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signs: Vec<String>,
    /// The text, in a table of examples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

fn whole() -> Vec<f64> {
    vec![1.0]
}

fn first_seed() -> Vec<u64> {
    vec![1]
}

fn axiom_questions() -> usize {
    500
}

impl BenchmarkSpec {
    /// Its title, or else its name.
    pub fn shown(&self) -> &str {
        if self.title.is_empty() { &self.name } else { &self.title }
    }
}

impl TrainedSpec {
    /// Its title, or else its name.
    pub fn shown(&self) -> &str {
        if self.title.is_empty() { &self.name } else { &self.title }
    }

    /// The trainable system.
    pub fn trainable(&self) -> &str {
        self.system.as_deref().unwrap_or(&self.name)
    }
}

impl Experiment {
    /// The names of the built-in experiments.
    pub fn built_in() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// The text of a built-in experiment.
    pub fn text(name: &str) -> Option<&'static str> {
        BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
    }

    /// Reads a file, or a built-in experiment by name.
    pub fn load(name: &str) -> Result<Experiment, ExperimentError> {
        let path = Path::new(name);
        if path.is_file() {
            let text = std::fs::read_to_string(path).map_err(ExperimentError::io("read", path))?;
            let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
            return Ok(Experiment { folder, ..Experiment::parse(&text, name)? });
        }
        let text = Experiment::text(name).ok_or_else(|| ExperimentError::Unknown {
            name: name.to_owned(),
            known: Experiment::built_in().collect(),
            nearest: nearest_name(name, Experiment::built_in()).map(str::to_owned),
        })?;
        Experiment::parse(text, name)
    }

    /// Reads the text of an experiment; `name` is that of the file, for messages.
    pub fn parse(text: &str, name: &str) -> Result<Experiment, ExperimentError> {
        let wrong = |problem: String| ExperimentError::Spec { name: name.to_owned(), problem };
        let experiment: Experiment =
            toml::from_str(text).map_err(|error| wrong(error.to_string().trim_end().to_owned()))?;
        experiment.check().map_err(wrong)?;
        Ok(experiment)
    }

    /// The benchmark with a name.
    pub fn benchmark(&self, name: &str) -> Option<&BenchmarkSpec> {
        self.benchmarks.iter().find(|benchmark| benchmark.name == name)
    }

    /// The fractions for a benchmark at a scale.
    pub fn fractions(&self, benchmark: &BenchmarkSpec, scale: ModelScale) -> Vec<f64> {
        let of_scale = self.scales.get(&scale).and_then(|spec| spec.fractions.as_ref());
        benchmark.fractions.as_ref().or(of_scale).unwrap_or(&self.fractions).clone()
    }

    /// The seeds at a scale.
    pub fn seeds(&self, scale: ModelScale) -> &[u64] {
        let of_scale = self.scales.get(&scale).and_then(|spec| spec.seeds.as_ref());
        of_scale.unwrap_or(&self.seeds)
    }

    /// What is wrong, in a sentence.
    fn check(&self) -> Result<(), String> {
        if self.benchmarks.is_empty() {
            return Err("an experiment needs at least one [[benchmarks]]".to_owned());
        }
        unique("[[benchmarks]]", self.benchmarks.iter().map(|benchmark| benchmark.name.as_str()))?;
        unique("[[systems]]", self.systems.iter().map(|system| system.name.as_str()))?;
        self.benchmarks.iter().try_for_each(check_benchmark)?;
        let of_scales = self.scales.values().filter_map(|spec| spec.fractions.as_ref());
        let of_benchmarks = self.benchmarks.iter().filter_map(|benchmark| benchmark.fractions.as_ref());
        let mut all = of_scales.chain(of_benchmarks).chain([&self.fractions]);
        all.try_for_each(|fractions| check_fractions(fractions))?;
        if self.scales.values().filter_map(|spec| spec.seeds.as_ref()).chain([&self.seeds]).any(Vec::is_empty)
        {
            return Err("`seeds` is empty; give at least one number".to_owned());
        }
        self.tables.iter().try_for_each(|table| self.check_table(table))
    }

    fn check_table(&self, table: &TableSpec) -> Result<(), String> {
        let in_table = |problem: String| format!("the table `{}`: {problem}", table.title);
        for name in [Some(&table.benchmark), table.beside.as_ref()].into_iter().flatten() {
            if self.benchmark(name).is_none() {
                let known: Vec<&str> = self.benchmarks.iter().map(|known| known.name.as_str()).collect();
                return Err(in_table(format!(
                    "there is no benchmark `{name}`; choose from {}",
                    known.join(", ")
                )));
            }
        }
        if table.kind == TableKind::Comparison && table.beside.is_none() {
            return Err(in_table(
                "a comparison needs `beside`, the benchmark that it compares with".to_owned(),
            ));
        }
        let has_measures =
            matches!(table.kind, TableKind::Scores | TableKind::Comparison | TableKind::Sensitivity);
        if has_measures && table.measures.is_empty() {
            return Err(in_table("it needs `measures`".to_owned()));
        }
        for measure in &table.measures {
            let products = Product::published();
            let products = products.iter().map(|product| product.name.as_str());
            let known = Measure::ALL.iter().map(|measure| -> &str { measure.name() });
            let known: Vec<&str> = known.chain(products).chain([CORPUS_BLEU]).collect();
            if !known.contains(&measure.as_str()) {
                let nearest = nearest_name(measure, known.iter().copied());
                let hint = nearest.map_or(String::new(), |nearest| format!("; did you mean `{nearest}`?"));
                return Err(in_table(format!("there is no measure `{measure}`{hint}")));
            }
        }
        if !table.headings.is_empty() && table.headings.len() != table.measures.len() {
            let (headings, measures) = (table.headings.len(), table.measures.len());
            return Err(in_table(format!("there are {headings} headings for {measures} measures")));
        }
        for row in &table.published {
            let (all, measures) =
                ([("values", row.values.len()), ("signs", row.signs.len())], table.measures.len());
            let wrong = |(_, n): &(&str, usize)| *n > 0 && has_measures && *n != measures;
            if let Some((key, n)) = all.into_iter().find(wrong) {
                return Err(in_table(format!(
                    "the published row `{}` has {n} {key} for {measures} measures",
                    row.row
                )));
            }
            if matches!(table.kind, TableKind::Scores)
                && !self.systems.iter().any(|system| system.name == row.row)
            {
                return Err(in_table(format!(
                    "there is a published row for `{}`, which is no system here",
                    row.row
                )));
            }
        }
        Ok(())
    }
}

fn unique<'n>(what: &str, names: impl Iterator<Item = &'n str>) -> Result<(), String> {
    let mut seen: Vec<&str> = Vec::new();
    for name in names {
        if name.is_empty() || name.contains(['/', '\\', '.']) || name.chars().any(char::is_whitespace) {
            return Err(format!(
                "{what} `{name}`: a name has letters, digits and hyphens only, because folders are named after it"
            ));
        }
        if seen.contains(&name) {
            return Err(format!("two {what} have the name `{name}`"));
        }
        seen.push(name);
    }
    Ok(())
}

fn check_benchmark(benchmark: &BenchmarkSpec) -> Result<(), String> {
    let name = &benchmark.name;
    match (&benchmark.recipe, &benchmark.folder) {
        (Some(_), Some(_)) => Err(format!("the benchmark `{name}` has both `recipe` and `folder`; give one")),
        (None, None) => Err(format!("the benchmark `{name}` needs `recipe` or `folder`")),
        (None, Some(_)) if !benchmark.change.is_empty() || !benchmark.scales.is_empty() => {
            Err(format!("the benchmark `{name}` is in a folder, so there is no recipe to `change`"))
        }
        _ => Ok(()),
    }
}

fn check_fractions(fractions: &[f64]) -> Result<(), String> {
    if fractions.is_empty() {
        return Err("`fractions` is empty; give at least one number above 0 and at most 1".to_owned());
    }
    match fractions.iter().find(|fraction| !(**fraction > 0.0 && **fraction <= 1.0)) {
        Some(wrong) => Err(format!(
            "{wrong} is not a fraction of the training questions; give a number above 0 and at most 1"
        )),
        None => Ok(()),
    }
}

/// A table with the values of another one in place of its own, section by section.
pub(crate) fn merged(table: &Table, changes: &Table) -> Table {
    let mut out = table.clone();
    for (key, value) in changes {
        let value = match (out.get(key), value) {
            (Some(toml::Value::Table(own)), toml::Value::Table(other)) => {
                toml::Value::Table(merged(own, other))
            }
            (_, value) => value.clone(),
        };
        out.insert(key.clone(), value);
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::Value as Json;

    const SMALL: &str = r#"
        name = "mine"
        benchmarks = [{ name = "quick", recipe = "quick" }]
        systems = [{ name = "nspm" }]
        tables = [{ kind = "scores", title = "T", benchmark = "quick", measures = ["f1"] }]
    "#;

    #[test]
    fn built_in_experiments_are_valid() {
        for name in Experiment::built_in() {
            let experiment = Experiment::load(name).unwrap();
            assert_eq!(experiment.name, name);
            assert!(!experiment.title.is_empty() && !experiment.source.is_empty());
        }
        assert!(Experiment::load("gec").unwrap_err().to_string().contains("did you mean `gek`?"));
    }

    #[test]
    fn defaults_and_scales() {
        let experiment = Experiment::parse(SMALL, "mine.toml").unwrap();
        assert_eq!((experiment.fractions.as_slice(), experiment.seeds.as_slice()), (&[1.0][..], &[1][..]));
        let gek = Experiment::load("gek").unwrap();
        let (template, instance) = (&gek.benchmarks[0], &gek.benchmarks[1]);
        assert_eq!(gek.fractions(template, ModelScale::Small), [0.125, 0.25, 0.5, 1.0]);
        assert_eq!(gek.fractions(template, ModelScale::Smoke), [0.5, 1.0]);
        assert_eq!(gek.fractions(instance, ModelScale::Smoke), [1.0]);
    }

    #[test]
    fn mistakes_are_explained() {
        let message = |old: &str, new: &str| {
            assert!(SMALL.contains(old), "{old}");
            Experiment::parse(&SMALL.replace(old, new), "mine.toml").unwrap_err().to_string()
        };
        let cases = [
            ("name = \"mine\"", "nam = \"mine\"", "unknown field `nam`"),
            ("recipe = \"quick\"", "recipe = \"quick\", folder = \"x\"", "both `recipe` and `folder`"),
            (", recipe = \"quick\"", "", "needs `recipe` or `folder`"),
            (
                "recipe = \"quick\"",
                "folder = \"x\", change = { questions = 1 }",
                "there is no recipe to `change`",
            ),
            (
                "benchmark = \"quick\"",
                "benchmark = \"slow\"",
                "there is no benchmark `slow`; choose from quick",
            ),
            ("[\"f1\"]", "[\"f11\"]", "the table `T`: there is no measure `f11`; did you mean `f1`?"),
            ("measures = [\"f1\"]", "headings = []", "it needs `measures`"),
            ("[\"f1\"] }", "[\"f1\"], headings = [\"a\", \"b\"] }", "2 headings for 1 measures"),
            (
                "[\"f1\"] }",
                "[\"f1\"], published = [{ row = \"nspm\", values = [1, 2] }] }",
                "2 values for 1 measures",
            ),
            (
                "[\"f1\"] }",
                "[\"f1\"], published = [{ row = \"x\", values = [1] }] }",
                "which is no system here",
            ),
            ("kind = \"scores\"", "kind = \"comparison\"", "a comparison needs `beside`"),
            ("name = \"nspm\"", "name = \"a/b\"", "folders are named after it"),
            (
                "[{ name = \"nspm\" }]",
                "[{ name = \"nspm\" }, { name = \"nspm\" }]",
                "two [[systems]] have the name `nspm`",
            ),
            ("name = \"mine\"", "name = \"mine\"\nfractions = [2]", "2 is not a fraction"),
            ("name = \"mine\"", "name = \"mine\"\nseeds = []", "`seeds` is empty"),
        ];
        for (old, new, expected) in cases {
            let message = message(old, new);
            assert!(message.contains(expected) && message.starts_with("mine.toml: "), "{message}");
        }
    }

    #[test]
    fn tables_are_merged_section_by_section() {
        let table = |text: &str| text.parse::<Table>().unwrap();
        let merged = merged(&table("a = 1\n[s]\nb = 1\nc = 2"), &table("a = 3\n[s]\nb = 4"));
        assert_eq!(merged, table("a = 3\n[s]\nb = 4\nc = 2"));
    }

    /// The keys of an experiment that has them all.
    fn keys(value: &Json, prefix: &str, keys: &mut Vec<String>) {
        for (key, value) in value.as_object().into_iter().flatten() {
            let full = format!("{prefix}{key}");
            let inner = value.get(0).filter(|inner| inner.is_object());
            if let Some(inner) = inner {
                self::keys(inner, &format!("{full}."), keys);
            }
            keys.push(full);
        }
    }

    #[test]
    fn the_page_about_experiments_has_all_keys() {
        let text = r#"
            name = "x"
            systems = [{ name = "x", system = "nspm", settings = { a = 1 }, scales = { smoke = { a = 1 } } }]
            [[benchmarks]]
            name = "b"
            recipe = "r"
            folder = "f"
            kb = "world"
            fractions = [1]
            change = { questions = 1 }
            scales = { smoke = { questions = 1 } }
            [[tables]]
            kind = "scores"
            title = "t"
            benchmark = "b"
            beside = "b"
            measures = ["f1"]
            headings = ["f1"]
            note = "n"
            published = [{ row = "x", fraction = 1, values = [1], signs = [""], text = "" }]
        "#;
        let complete: Experiment = toml::from_str(text).unwrap();
        let mut known = Vec::new();
        keys(&serde_json::to_value(complete).unwrap(), "", &mut known);
        known.sort_unstable();
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/experiments.md");
        let page = std::fs::read_to_string(page).unwrap();
        let table = page.split("| key | default |").nth(1).unwrap().split("\n\n").next().unwrap();
        let rows = table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
        let mut documented: Vec<&str> = rows.collect();
        documented.sort_unstable();
        assert_eq!(documented, known);
        for kind in ["axioms", "transformations", "sensitivity", "scores", "comparison"] {
            assert!(page.contains(&format!("`{kind}`")), "{kind}");
        }
        // The example can be run.
        let example = page.split("```toml mine.toml\n").nth(1).unwrap().split("```").next().unwrap();
        Experiment::parse(example, "mine.toml").unwrap();
    }

    /// The lines of the paper, if it is there.
    fn paper() -> Option<Vec<String>> {
        const PAPER: &str = "../../../shared/papers/001-grounded-measures-gek.txt";
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAPER);
        let Ok(text) = std::fs::read_to_string(path) else {
            touchstone_testing::skipped("there is no ../shared/papers/001-grounded-measures-gek.txt");
            return None;
        };
        Some(text.lines().map(str::to_owned).collect())
    }

    /// The cells of a line of the paper.
    fn cells(line: &str) -> Vec<String> {
        line.trim_matches('|')
            .split('|')
            .map(|cell| cell.trim().replace(['[', ']', '_', '{', '}', ' '], ""))
            .collect()
    }

    fn table(kind: TableKind) -> TableSpec {
        Experiment::load("gek").unwrap().tables.into_iter().find(|table| table.kind == kind).unwrap()
    }

    #[test]
    fn the_published_scores_are_the_papers() {
        let Some(paper) = paper() else { return };
        let gek = Experiment::load("gek").unwrap();
        let spec = table(TableKind::Scores);
        let mut system = String::new();
        let mut n = 0;
        for line in paper.iter().filter(|line| line.contains("% | ")) {
            let cells = cells(line);
            if !cells[0].is_empty() {
                system.clone_from(&cells[0]);
            }
            let (Some(own), Ok(percent)) = (
                gek.systems.iter().find(|own| own.shown() == system),
                cells[1].trim_end_matches('%').parse::<f64>(),
            ) else {
                continue;
            };
            let mut rows = spec.published.iter();
            let row = rows.find(|row| row.row == own.name && row.fraction == Some(percent / 100.0)).unwrap();
            let printed: Vec<String> = row.values.iter().map(|value| format!("{value:.3}")).collect();
            assert_eq!(printed, cells[2..], "{line}");
            n += 1;
        }
        assert_eq!((n, spec.published.len()), (20, 20));
    }

    #[test]
    fn the_published_reactions_are_the_papers() {
        let Some(paper) = paper() else { return };
        let spec = table(TableKind::Sensitivity);
        let mut n = 0;
        for line in paper.iter().filter(|line| line.starts_with("| T _{")) {
            let cells = cells(line);
            let (name, percent) = cells[0].trim_end_matches('%').split_once(',').unwrap();
            let share = percent.parse::<f64>().unwrap() / 100.0;
            let row =
                spec.published.iter().find(|row| row.row == name && row.fraction == Some(share)).unwrap();
            let with_sign =
                row.values.iter().zip(&row.signs).map(|(value, sign)| format!("{value:.3}{sign}"));
            assert_eq!(with_sign.collect::<Vec<_>>(), cells[1..], "{line}");
            n += 1;
        }
        assert_eq!((n, spec.published.len()), (6, 6));
    }

    #[test]
    fn the_published_examples_are_the_papers() {
        let Some(paper) = paper() else { return };
        let spec = table(TableKind::Transformations);
        for row in spec.published {
            let (name, text) = (row.row.replace('T', ""), row.text.unwrap());
            let start = if name == "0" {
                "| Original query ".to_owned()
            } else {
                let subscript = ["₀", "₁", "₂", "₃"][name.parse::<usize>().unwrap()];
                format!("| T {subscript} ")
            };
            assert!(paper.iter().any(|line| line.starts_with(&start) && line.contains(&text)), "{text}");
        }
    }
}
