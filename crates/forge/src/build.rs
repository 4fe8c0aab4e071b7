//! `build`: from a recipe to a benchmark on disk.

use crate::confirm::{ConfirmError, Confirmed, confirm};
use crate::make::{MakeError, make};
use crate::recipe::{Recipe, RecipeError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use touchstone_benchmark::english::{Lexicon, LexiconError};
use touchstone_benchmark::package::PhraseUse;
use touchstone_benchmark::{Benchmark, PackageError};
use touchstone_engine::Engine;
use touchstone_kb::counts::{counted, grouped};
use touchstone_kb::{Kb, Progress, nearest_name};

/// Number of phrases to print; `benchmark.json` has more.
const PHRASES: usize = 3;

/// Configuration of a build.
pub struct BuildConfig<'k> {
    /// The KB to ask about.
    pub kb: &'k Kb,
    /// The recipe to follow.
    pub recipe: Recipe,
    /// The words for the KB; `None`: the lexicon that comes with the KB, or one derived from its labels.
    pub lexicon: Option<PathBuf>,
    /// A server that holds the KB; it confirms the share of answers that the recipe verifies.
    pub server: Option<Arc<dyn Engine>>,
    /// The folder of the benchmark; an earlier benchmark there is replaced.
    pub out: PathBuf,
    /// Whether to write into a folder that also holds other files, which are kept, and to replace files that were edited.
    pub force: bool,
}

impl<'k> BuildConfig<'k> {
    /// A configuration with the KB's own lexicon, without a server, and without replacing user files.
    pub fn new(kb: &'k Kb, recipe: Recipe, out: impl Into<PathBuf>) -> BuildConfig<'k> {
        BuildConfig { kb, recipe, lexicon: None, server: None, out: out.into(), force: false }
    }
}

/// A benchmark that was built and written.
#[derive(Debug)]
#[non_exhaustive]
pub struct Built {
    /// The benchmark.
    pub benchmark: Benchmark,
    /// Entries of the lexicon that the KB does not have.
    pub unknown_words: Vec<String>,
    /// The result of the confirmation by the server.
    pub confirmed: Option<Confirmed>,
}

impl Built {
    /// Number of questions that the recipe asks for and the KB cannot provide.
    pub fn missing(&self) -> usize {
        self.benchmark.manifest.unfilled.iter().map(|cell| cell.wanted - cell.made).sum()
    }

    /// Number of questions that were made and dropped at the end: duplicates, or questions of another level than intended.
    pub fn dropped(&self) -> usize {
        let wanted = self.benchmark.manifest.recipe_number("questions").unwrap_or(0);
        let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
        wanted.saturating_sub(self.missing() + self.benchmark.questions.len())
    }

    /// What people should know about it: what was kept out, what could not be found, which phrases are frequent, what was dropped.
    pub fn notes(&self) -> Vec<String> {
        let manifest = &self.benchmark.manifest;
        let mut notes = Vec::new();
        if !manifest.held_out.is_empty() {
            notes.push(format!("Kept out of training: {}", manifest.held_out.join(", ")));
        }
        if !manifest.unfilled.is_empty() {
            notes.push(format!(
                "{} requested but not found ({}; see `unfilled` in benchmark.json)",
                counted(self.missing(), "question was", "questions were"),
                counted(manifest.unfilled.len(), "cell", "cells")
            ));
        }
        let words = |PhraseUse { phrase, questions }: &PhraseUse| {
            Some(format!("\"{}\" {}", readable(phrase)?, grouped(*questions)))
        };
        let used: Vec<String> = manifest.most_used_phrases.iter().filter_map(words).take(PHRASES).collect();
        if !used.is_empty() {
            notes.push(format!("Phrases used most: {} (see `most_used_phrases` there)", used.join(", ")));
        }
        if !manifest.unsaid.is_empty() {
            notes.push(format!(
                "{} could not be put into words (see `unsaid` there; `touchstone lexicon` prints a draft)",
                counted(manifest.unsaid.len(), "relation or attribute", "relations and attributes")
            ));
        }
        if self.dropped() > 0 {
            notes.push(format!(
                "{} generated and then dropped: duplicates, or not of the intended level (see `rejections` there)",
                counted(self.dropped(), "more question was", "more questions were"),
            ));
        }
        notes
    }
}

/// The singular of a phrase of the lexicon, with its places as "..."; `None` if it has no words of its own.
fn readable(phrase: &str) -> Option<String> {
    let mut text = phrase.split('|').next().unwrap_or(phrase).to_owned();
    for place in ["{S}", "{O}", "{X}", "{V}", "{T}", "{P}", "{N}"] {
        text = text.replace(place, "...");
    }
    text.contains(char::is_alphabetic).then_some(text)
}

/// Why a benchmark could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// There is neither a file nor a built-in recipe of this name.
    #[error("`{name}` is neither a file nor a built-in recipe; the recipes are {known}{hint}", known = .known.join(", "),
        hint = .nearest.as_ref().map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default())]
    UnknownRecipe {
        /// The name.
        name: String,
        /// The built-in recipes.
        known: Vec<&'static str>,
        /// The nearest known recipe.
        nearest: Option<&'static str>,
    },
    /// A file cannot be read.
    #[error("cannot read {path}", path = .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A recipe is invalid.
    #[error("the recipe {name}")]
    Recipe {
        /// The name or file.
        name: String,
        /// The problem.
        source: RecipeError,
    },
    /// A lexicon is invalid.
    #[error("{path}", path = .path.display())]
    Lexicon {
        /// The file.
        path: PathBuf,
        /// The problem.
        source: LexiconError,
    },
    /// The share of questions to verify is out of range.
    #[error("--verify {0}: give a share from 0 to 1, or `all`")]
    Verify(String),
    /// The questions could not be made.
    #[error(transparent)]
    Make(#[from] MakeError),
    /// The server does not confirm the answers.
    #[error(transparent)]
    Confirm(#[from] ConfirmError),
    /// The folder cannot be written.
    #[error(transparent)]
    Package(#[from] PackageError),
}

/// The text of a built-in recipe.
pub fn built_in_recipe(name: &str) -> Result<&'static str, BuildError> {
    Recipe::text(name).ok_or_else(|| {
        let known: Vec<&'static str> = Recipe::built_in().collect();
        let nearest = nearest_name(name, known.iter().copied());
        BuildError::UnknownRecipe { name: name.to_owned(), nearest, known }
    })
}

/// Reads a recipe: a TOML file, or a built-in recipe by name.
pub fn load_recipe(name: &str) -> Result<Recipe, BuildError> {
    let path = Path::new(name);
    let text = match path.is_file() {
        true => read(path)?,
        false => built_in_recipe(name)?.to_owned(),
    };
    Recipe::parse(&text).map_err(|source| BuildError::Recipe { name: name.to_owned(), source })
}

/// What a user changes in a recipe.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecipeChanges {
    /// The name of the benchmark.
    pub name: Option<String>,
    /// Number of questions.
    pub questions: Option<usize>,
    /// The seed.
    pub seed: Option<u64>,
    /// The share of questions to verify, or `all`.
    pub verify: Option<String>,
}

impl RecipeChanges {
    /// The recipe with the changes.
    ///
    /// ```
    /// use touchstone_forge::{RecipeChanges, load_recipe};
    /// let changes = RecipeChanges { verify: Some("all".to_owned()), seed: Some(7), ..RecipeChanges::default() };
    /// let recipe = changes.apply(load_recipe("quick")?)?;
    /// assert_eq!((recipe.seed, recipe.filters.verify), (7, 1.0));
    /// # Ok::<(), touchstone_forge::BuildError>(())
    /// ```
    pub fn apply(&self, mut recipe: Recipe) -> Result<Recipe, BuildError> {
        recipe.name = self.name.clone().unwrap_or(recipe.name);
        recipe.questions = self.questions.unwrap_or(recipe.questions);
        recipe.seed = self.seed.unwrap_or(recipe.seed);
        recipe.filters.verify = match self.verify.as_deref() {
            None => recipe.filters.verify,
            Some("all") => 1.0,
            Some(share) => {
                let in_range = share.parse().ok().filter(|share| (0.0..=1.0).contains(share));
                in_range.ok_or_else(|| BuildError::Verify(share.to_owned()))?
            }
        };
        Ok(recipe)
    }
}

/// Reads a lexicon, or takes the one that comes with the KB.
pub fn load_lexicon(path: Option<&Path>, kb: &Kb) -> Result<Lexicon, BuildError> {
    let Some(path) = path else { return Ok(Lexicon::of(kb)) };
    let text = read(path)?;
    Lexicon::parse(&text, kb).map_err(|source| BuildError::Lexicon { path: path.to_path_buf(), source })
}

fn read(path: &Path) -> Result<String, BuildError> {
    std::fs::read_to_string(path).map_err(|source| BuildError::Read { path: path.to_path_buf(), source })
}

/// Builds a benchmark and writes it, completely or not at all.
///
/// ```
/// use touchstone_benchmark::Benchmark;
/// use touchstone_forge::{BuildConfig, build, load_recipe};
/// use touchstone_kb::NoProgress;
///
/// let kb = touchstone_world::open(&NoProgress)?;
/// let mut recipe = load_recipe("quick")?;
/// recipe.questions = 20;
/// let folder = tempfile::tempdir()?;
/// let built = build(&BuildConfig::new(&kb, recipe, folder.path().join("bench")), &NoProgress)?;
/// assert_eq!(Benchmark::read(&folder.path().join("bench"))?, built.benchmark);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn build(config: &BuildConfig<'_>, progress: &dyn Progress) -> Result<Built, BuildError> {
    let BuildConfig { kb, recipe, lexicon, server, out, force } = config;
    let folder = Benchmark::reserve(out, *force)?;
    let words = load_lexicon(lexicon.as_deref(), kb)?;
    let unknown_words = if lexicon.is_some() { words.unknown(kb) } else { Vec::new() };
    let benchmark = make(kb, recipe, &words, progress)?;
    let confirmed = match server {
        Some(server) => Some(confirm(kb, &benchmark, recipe.filters.verify, server, progress)?),
        None => None,
    };
    benchmark.write_to(folder)?;
    Ok(Built { benchmark, unknown_words, confirmed })
}
