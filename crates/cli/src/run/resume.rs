//! `touchstone run --resume`: with the arguments that started the run, if they can be trusted.

use super::{RunArgs, run, systems};
use crate::Outcome;
use anyhow::{Context, Result, bail};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use touchstone_benchmark::RunManifest;
use touchstone_run::{SystemSpec, was_started_here};
use touchstone_terminal::quoted;

/// Resumes the run in a folder. `arguments` are those of this command.
pub(super) fn resume(folder: &Path, trust: bool, arguments: &[String]) -> Result<Outcome> {
    let is_other = |word: &&String| {
        !["run", "--trust", "--wide"].contains(&word.as_str())
            && !word.starts_with("--resume")
            && Path::new(word) != folder
    };
    if let Some(other) = arguments.iter().find(is_other) {
        bail!(
            "--resume takes the arguments from run.json: `{other}` cannot be given with it, only --trust can"
        );
    }
    let manifest = RunManifest::read(folder)?;
    let folder = folder.canonicalize().with_context(|| format!("cannot read {}", folder.display()))?;
    let file = folder.join(RunManifest::FILE);
    if manifest.arguments.is_empty() {
        bail!("{} does not contain the arguments that started the run; give them again", file.display());
    }
    let crate::Command::Run(args) = crate::parsed(&manifest.arguments)? else {
        bail!("{} contains the arguments of another command", file.display());
    };
    if !trust && !is_trusted(&manifest, args.system.as_deref(), &folder)? {
        return Ok(Outcome::NothingFound);
    }
    let directory = PathBuf::from(&manifest.directory);
    if !directory.is_dir() {
        bail!("the run was started in {}, which is not a directory here", directory.display());
    }
    let args = RunArgs { out: Some(folder), resume: None, directory: Some(directory), ..args };
    run(&args, &manifest.arguments)
}

/// Whether a run may be resumed without asking, or the user agrees to it.
fn is_trusted(manifest: &RunManifest, system: Option<&str>, folder: &Path) -> Result<bool> {
    let spec = SystemSpec::parse(system.unwrap_or_default())?;
    if systems::registry(None).is_harmless(&spec) || was_started_here(manifest, &touchstone_kb::cache_dir()) {
        return Ok(true);
    }
    let words: Vec<String> = manifest.arguments.iter().map(|word| quoted(word)).collect();
    let line = words.join(" ");
    let directory = quoted(&manifest.directory);
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        bail!(
            "the run in {} was not started here. It would run, in {directory}:\n  touchstone {line}\nGive --trust if that is what you want",
            folder.display()
        );
    }
    note!(
        "The run in {} was not started here. It would run, in {directory}:\n  touchstone {line}\nResume it? [y/N]",
        folder.display()
    );
    let mut reply = String::new();
    std::io::stdin().read_line(&mut reply).context("cannot read the reply")?;
    Ok(["y", "yes"].contains(&reply.trim().to_lowercase().as_str()))
}
