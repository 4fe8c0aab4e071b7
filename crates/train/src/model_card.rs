//! The model card: what a model is, how it was trained, and its loss as a picture.

use crate::cast;
use crate::checkpoint::ModelManifest;
use crate::fit::StopReason;
use std::fmt::Write;

/// The card in Markdown.
pub(crate) fn model_card(manifest: &ModelManifest) -> String {
    let training = &manifest.training;
    let mut card = format!("# {} trained on {}\n\n", training.system, training.benchmark.name);
    card.push_str("A model of [Touchstone](https://github.com/touchstone-kbqa/touchstone).\n\n");
    card.push_str("```sh\ntouchstone run model:DIR --benchmark BENCHMARK --out RUN\n```\n\n");
    let share = training.fraction * 100.0;
    let ended = match manifest.stop {
        StopReason::Limit => "the limit of steps or epochs was reached",
        StopReason::Patience => "the development score no longer improved",
        StopReason::Cancelled => "it was stopped by the user, and can be resumed",
    };
    let best = manifest.best.map_or("not evaluated".to_owned(), |best| {
        format!("{:.3} {} after {} steps", best.score, training.measure, best.step)
    });
    let rows = [
        ("system", training.system.clone()),
        ("scale", training.scale.name().to_owned()),
        ("parameters", training.parameters.to_string()),
        (
            "training data",
            format!("{share:.4} %: {} questions, {} examples", training.questions, training.examples),
        ),
        ("benchmark", format!("{}, identity {}", training.benchmark.name, training.benchmark.identity)),
        ("KB", format!("{}, fingerprint {}", training.kb.name, training.kb.fingerprint)),
        ("development questions", training.dev_questions.to_string()),
        ("best development score", best),
        ("seed", training.seed.to_string()),
        ("steps", format!("{} in {} epochs", manifest.steps, manifest.epochs)),
        ("end", ended.to_owned()),
        ("duration", format!("{:.0} s", manifest.seconds)),
        ("Touchstone", training.tool_version.clone()),
    ];
    card.push_str("| | |\n|---|---|\n");
    for (name, value) in rows {
        let _ = writeln!(card, "| {name} | {} |", value.replace('|', "\\|").replace('\n', " "));
    }
    card.push_str("\n## Loss\n\n![The loss by step](loss.svg)\n\n");
    if !manifest.evaluations.is_empty() {
        let _ = writeln!(card, "| step | {} on development questions |\n|---|---|", training.measure);
        for evaluation in &manifest.evaluations {
            let _ = writeln!(card, "| {} | {:.4} |", evaluation.step, evaluation.score);
        }
        card.push('\n');
    }
    if !training.notes.is_empty() {
        card.push_str("## Notes\n\n");
        training.notes.iter().for_each(|note| card.push_str(&format!("- {note}\n")));
        card.push('\n');
    }
    let _ = writeln!(card, "## Settings\n\n```toml\n{}```", training.settings);
    card
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 48.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 40.0;

/// The loss (left scale) and the development scores (right scale) by step.
pub(crate) fn loss_svg(manifest: &ModelManifest) -> String {
    let last = cast::float_of(manifest.steps.max(1));
    let most = manifest.curve.iter().map(|point| point.loss).fold(0.0, f64::max).max(1e-9);
    let x = |step: u64| LEFT + (WIDTH - LEFT - RIGHT) * cast::float_of(step) / last;
    let y = |share: f64| TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - share);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n<title>Loss and development score by step</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    for part in 0..=4 {
        let share = f64::from(part) / 4.0;
        let (at, loss, step) = (y(share), most * share, (last * share).round());
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#1f5fa8\">{loss:.2}</text>\
             <text x=\"{}\" y=\"{:.1}\" fill=\"#a85b1f\">{share:.2}</text>\
             <text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"#333\">{step}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            at + 4.0,
            WIDTH - RIGHT + 6.0,
            at + 4.0,
            LEFT + (WIDTH - LEFT - RIGHT) * share,
            HEIGHT - BOTTOM + 16.0
        );
    }
    let line = |points: Vec<(f64, f64)>, colour: &str| {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>\n",
            points.join(" ")
        )
    };
    let losses = manifest.curve.iter().map(|point| (x(point.step), y(point.loss / most)));
    svg.push_str(&line(losses.collect(), "#1f5fa8"));
    let scores = manifest.evaluations.iter().map(|one| (x(one.step), y(one.score.clamp(0.0, 1.0))));
    svg.push_str(&line(scores.collect(), "#a85b1f"));
    let _ = writeln!(
        svg,
        "<text x=\"{LEFT}\" y=\"{}\" fill=\"#1f5fa8\">loss</text><text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\" \
         fill=\"#333\">step</text><text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#a85b1f\">{}</text>\n</svg>",
        HEIGHT - 8.0,
        WIDTH / 2.0,
        HEIGHT - 8.0,
        WIDTH - RIGHT,
        HEIGHT - 8.0,
        manifest.training.measure
    );
    svg
}
