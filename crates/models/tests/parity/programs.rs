//! Sup. Program, as the released code and as the paper have it.

use crate::fixture::{Fixture, Slot, check_gradients, classifier, embedding, load, stack};
use touchstone_models::networks::{
    ARGUMENTS, ArgumentNetwork, DecodedProgram, ProgramArguments, ProgramBatch, ProgramPair, ProgramWords,
    SupProgram, SupProgramSizes,
};
use touchstone_train::{END, Network, PAD, Pass, Rows};

const WORDS: ProgramWords = ProgramWords { words: 13, functions: 6 };
const MAX_DECODED: usize = 8;

fn slots(network: &mut SupProgram) -> Vec<Slot<'_>> {
    let mut slots = vec![
        embedding("source_embedding", &mut network.source),
        embedding("function_embedding", &mut network.functions),
    ];
    slots.extend(stack("encoder.", &mut network.encoder));
    slots.extend(stack("function_decoder.", &mut network.decoder));
    slots.extend(classifier("function_classifier", &mut network.classifier));
    match &mut network.arguments {
        ArgumentNetwork::Decoder(arguments) => {
            slots.push(embedding("argument_embedding", &mut arguments.words));
            slots.extend(stack("argument_decoder.", &mut arguments.decoder));
            slots.extend(classifier("argument_classifier", &mut arguments.classifier));
        }
        ArgumentNetwork::Classifiers(classifiers) => {
            for (at, one) in classifiers.iter_mut().enumerate() {
                slots.extend(classifier(&format!("argument_classifiers.{at}"), one));
            }
        }
    }
    slots.extend(
        network.dependencies.as_mut().into_iter().flat_map(|one| classifier("dependency_classifier", one)),
    );
    slots
}

fn without_padding(row: &[u32]) -> Vec<u32> {
    row.iter().copied().filter(|&word| word != PAD).collect()
}

/// The positions of the ones in each row of a table.
fn ones(rows: &[Vec<u32>]) -> Vec<Vec<usize>> {
    rows.iter().map(|row| (0..row.len()).filter(|&at| row[at] == 1).collect()).collect()
}

/// The batch of a file, made from its words.
fn batch(fixture: &Fixture, with_dependencies: bool) -> ProgramBatch {
    let outputs = fixture.ids("input.functions_out");
    let arguments = fixture.ids("input.arguments_out");
    let steps = outputs[0].len();
    let dependencies = if with_dependencies { ones(&fixture.ids("input.dependencies")) } else { Vec::new() };
    let pair = |(row, source): (usize, Vec<u32>)| {
        let functions: Vec<u32> =
            outputs[row].iter().copied().take_while(|&function| function != END).collect();
        let (all, _) = arguments[row].as_chunks::<ARGUMENTS>();
        let dependencies = dependencies.chunks(steps).nth(row).unwrap_or_default();
        ProgramPair {
            source: without_padding(&source),
            arguments: all[..functions.len()].to_vec(),
            dependencies: dependencies.iter().take(functions.len()).cloned().collect(),
            functions,
        }
    };
    let pairs: Vec<ProgramPair> = fixture.ids("input.source").into_iter().enumerate().map(pair).collect();
    let batch = ProgramBatch::new(&pairs.iter().collect::<Vec<_>>(), 100);
    let same = |rows: &Rows, name: &str| {
        let expected = fixture.ids(name);
        assert_eq!(rows, &Rows::padded(expected.iter().map(Vec::as_slice)), "{name}");
    };
    same(&batch.source, "input.source");
    same(&batch.input, "input.functions_in");
    same(&batch.output, "input.functions_out");
    same(&batch.argument_input, "input.arguments_in");
    same(&batch.argument_output, "input.arguments_out");
    batch
}

fn check_decoded(fixture: &Fixture, decoded: &[DecodedProgram], with_dependencies: bool) {
    let functions = fixture.ids("output.greedy_functions");
    let arguments = fixture.ids("output.greedy_arguments");
    let dependencies =
        if with_dependencies { ones(&fixture.ids("output.greedy_dependencies")) } else { Vec::new() };
    for (row, program) in decoded.iter().enumerate() {
        let expected: Vec<u32> = functions[row]
            .iter()
            .copied()
            .take_while(|&function| function != END && function != PAD)
            .collect();
        assert_eq!(program.functions, expected);
        assert_eq!(program.is_finished, functions[row].contains(&END));
        let n = expected.len();
        let expected = &arguments[row * MAX_DECODED..row * MAX_DECODED + n];
        assert_eq!(program.arguments.iter().map(|one| one.to_vec()).collect::<Vec<_>>(), expected);
        assert_eq!(program.dependencies.is_some(), with_dependencies);
        if let Some(found) = &program.dependencies {
            assert_eq!(found, &dependencies[row * MAX_DECODED..row * MAX_DECODED + n]);
        }
        let n_words = n * (1 + ARGUMENTS) + usize::from(program.is_finished);
        assert_eq!(program.log_probs.len(), n_words);
    }
}

fn check(name: &str, arguments: ProgramArguments, predicts_dependencies: bool) {
    let fixture = Fixture::open(name);
    let new = |masks_source| {
        let sizes = SupProgramSizes {
            embedding: 5,
            hidden: 8,
            layers: 2,
            dropout: 0.2,
            arguments,
            predicts_dependencies,
            masks_source,
        };
        SupProgram::new(&sizes, WORDS, 1, &fixture.device)
    };
    let batch = batch(&fixture, predicts_dependencies);
    for (masks_source, end) in [(true, ""), (false, "_unmasked")] {
        let mut network = new(masks_source);
        load(&fixture, slots(&mut network));
        let logits = network.logits(&batch, &Pass::inference(), &fixture.device);
        fixture.check(&format!("output.function_logits{end}"), logits.functions);
        fixture.check(&format!("output.argument_logits{end}"), logits.arguments);
        if let Some(logits) = logits.dependencies {
            fixture.check(&format!("output.dependency_logits{end}"), logits);
        }
        let loss = network.loss(&batch, &Pass::inference(), &fixture.device);
        let loss = loss.div_scalar(network.weight(&batch));
        fixture.check(&format!("output.loss{end}"), loss.clone());
        if masks_source {
            check_gradients(&fixture, slots(&mut network), &loss.backward());
            let decoded = network.decode(&batch.source, MAX_DECODED, &fixture.device);
            check_decoded(&fixture, &decoded, predicts_dependencies);
        }
    }
}

#[test]
fn as_the_released_code() {
    check("sup_program", ProgramArguments::Decoder, false);
}

#[test]
fn as_the_paper() {
    check("sup_program_paper", ProgramArguments::Classifiers, true);
}
