//! What a user says about files to import, which may not fit what the files are.

use super::{FileKind, ImportRequest, Profile, Source, Subset};
use crate::error::KbError;
use std::path::PathBuf;
use thiserror::Error;

/// What a user says about files to import.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    /// What the files are; without it, it is guessed.
    pub kind: Option<FileKind>,
    /// How RDF is read.
    pub profile: Profile,
    /// Freebase's ontology.
    pub ontology: Option<PathBuf>,
    /// RDF: properties whose values are names.
    pub label_properties: Vec<String>,
    /// Which part of Wikidata's dump is read.
    pub subset: Subset,
}

impl Default for ImportOptions {
    fn default() -> ImportOptions {
        ImportOptions {
            kind: None,
            profile: Profile::Rdfs,
            ontology: None,
            label_properties: Vec::new(),
            subset: Subset::default(),
        }
    }
}

/// Options that do not fit the files.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImportOptionsError {
    /// An ontology for something else than Freebase.
    #[error("--ontology is for `--from rdf --profile freebase`")]
    Ontology,
    /// A profile for something else than RDF.
    #[error("--profile is for `--from rdf`")]
    Profile,
    /// Properties of names for something else than RDF.
    #[error("--label-property is for `--from rdf`; other formats mark their names")]
    LabelProperties,
    /// A subset of something else than Wikidata's dump.
    #[error("--seeds, --same-name and --keep-identifiers are for `--from wikidata-json`")]
    Subset,
    /// It cannot be guessed what the files are.
    #[error(transparent)]
    Kind(#[from] KbError),
}

impl ImportOptions {
    /// The request that they stand for, with the usual settings. Options that would have no effect are an error.
    ///
    /// ```
    /// use touchstone_kb::import::{ImportOptions, Profile, Source};
    /// let request = ImportOptions::default().request(vec!["elements.ttl".into()])?;
    /// assert!(matches!(request.source, Source::Rdf(Profile::Rdfs)));
    /// let freebase = ImportOptions { profile: Profile::Freebase, ..ImportOptions::default() };
    /// assert!(freebase.request(vec!["kb.jsonl.zst".into()]).is_err());
    /// # Ok::<(), touchstone_kb::import::ImportOptionsError>(())
    /// ```
    pub fn request(self, inputs: Vec<PathBuf>) -> Result<ImportRequest, ImportOptionsError> {
        let ImportOptions { kind, profile, ontology, label_properties, subset } = self;
        let kind = kind.map_or_else(|| FileKind::of(&inputs), Ok)?;
        let is_rdf = kind == FileKind::Rdf;
        if ontology.is_some() && (!is_rdf || profile != Profile::Freebase) {
            return Err(ImportOptionsError::Ontology);
        }
        if !is_rdf && profile != Profile::Rdfs {
            return Err(ImportOptionsError::Profile);
        }
        if !is_rdf && !label_properties.is_empty() {
            return Err(ImportOptionsError::LabelProperties);
        }
        if kind != FileKind::WikidataJson && subset != Subset::default() {
            return Err(ImportOptionsError::Subset);
        }
        let source = match kind {
            FileKind::KqaPro => Source::KqaPro,
            FileKind::Rdf => Source::Rdf(profile),
            FileKind::WikidataJson => Source::WikidataJson(subset),
            FileKind::Lines => Source::Lines,
        };
        Ok(ImportRequest { ontology, label_properties, ..ImportRequest::new(source, inputs) })
    }
}
