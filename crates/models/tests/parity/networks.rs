//! The networks from one sequence to another.

use crate::fixture::{
    Fixture, Slot, check_gradients, classifier, convolution, embedding, linear, load, norm, stack, vector,
};
use crate::layers::attention_slots;
use burn::tensor::Device;
use touchstone_models::networks::{
    ConvS2s, ConvS2sSizes, ConvStack, EncoderLayer, NetworkDecoder, Nspm, NspmAttention, NspmSizes,
    Positioned, Seq2Seq, SupSparql, SupSparqlSizes, Transformer, TransformerSizes,
};
use touchstone_train::decode::{Decoded, beam, greedy};
use touchstone_train::layers::Heads;
use touchstone_train::{END, Network, PAD, PairBatch, Pass, Rows, START, SequencePair};

const SOURCE_WORDS: usize = 13;
const TARGET_WORDS: usize = 11;
const MAX_DECODED: usize = 8;
const BEAM: usize = 3;

/// The words of a row, without padding, start and end.
fn words(row: &[u32]) -> Vec<u32> {
    row.iter().copied().filter(|&word| word != PAD && word != START && word != END).collect()
}

/// The batch of a file, made from its words.
fn batch(fixture: &Fixture) -> PairBatch {
    let rows = fixture.ids("input.source").into_iter().zip(fixture.ids("input.target_out"));
    let pairs: Vec<SequencePair> = rows
        .map(|(source, target)| SequencePair { source: words(&source), target: words(&target) })
        .collect();
    let batch = PairBatch::new(&pairs.iter().collect::<Vec<_>>(), 100);
    let same = |rows: &Rows, name: &str| {
        let expected = fixture.ids(name);
        assert_eq!(rows, &Rows::padded(expected.iter().map(Vec::as_slice)), "{name}");
    };
    same(&batch.source, "input.source");
    same(&batch.input, "input.target_in");
    same(&batch.output, "input.target_out");
    batch
}

/// What a decoder found, as the file has it.
fn ids(decoded: &Decoded) -> Vec<u32> {
    let mut ids = decoded.words.clone();
    if decoded.is_finished {
        ids.push(END);
    }
    ids.resize(MAX_DECODED, PAD);
    ids
}

fn decoded<N: Seq2Seq>(network: &N, source: &Rows, device: &Device) -> Vec<Vec<u32>> {
    let decoder = NetworkDecoder { network, device };
    let state = network.encode(source, device);
    greedy(&decoder, state, source.rows(), START, MAX_DECODED).iter().map(ids).collect()
}

/// Each row without padding.
fn alone(fixture: &Fixture) -> Vec<Rows> {
    fixture.ids("input.source").iter().map(|row| Rows::padded([words(row).as_slice()].into_iter())).collect()
}

/// Losses, gradients and greedy decoding. Logits are compared by the callers.
fn check_network<N: Seq2Seq>(fixture: &Fixture, network: &mut N, slots: fn(&mut N) -> Vec<Slot<'_>>) {
    load(fixture, slots(network));
    let batch = batch(fixture);
    let weight = network.weight(&batch);
    let loss = network.loss(&batch, &Pass::inference(), &fixture.device).div_scalar(weight);
    fixture.check("output.loss", loss.clone());
    check_gradients(fixture, slots(network), &loss.backward());
    let found = decoded(network, &batch.source, &fixture.device);
    assert_eq!(found, fixture.ids("output.greedy"));
}

fn check_alone<N: Seq2Seq>(fixture: &Fixture, network: &N, name: &str) {
    let found: Vec<Vec<u32>> =
        alone(fixture).iter().flat_map(|row| decoded(network, row, &fixture.device)).collect();
    assert_eq!(found, fixture.ids(name));
}

fn check_beam<N: Seq2Seq>(fixture: &Fixture, network: &N) {
    let decoder = NetworkDecoder { network, device: &fixture.device };
    let scores: Vec<f32> = fixture.tensor::<2>("output.beam_scores").into_data().try_to_vec().unwrap();
    let expected = fixture.ids("output.beam_ids");
    for (row, source) in alone(fixture).iter().enumerate() {
        let state = network.encode(source, &fixture.device);
        let found = beam(&decoder, state, START, BEAM, MAX_DECODED);
        assert_eq!(found.len(), BEAM);
        for (rank, hypothesis) in found.iter().enumerate() {
            let at = row * BEAM + rank;
            assert_eq!(ids(hypothesis), expected[at], "row {row}, rank {rank}");
            assert!((hypothesis.score() - f64::from(scores[at])).abs() < 1e-4, "row {row}, rank {rank}");
        }
    }
}

fn nspm_slots(network: &mut Nspm) -> Vec<Slot<'_>> {
    let mut slots = vec![
        embedding("source_embedding", &mut network.source),
        embedding("target_embedding", &mut network.target),
    ];
    slots.extend(stack("encoder.", &mut network.encoder));
    slots.extend(stack("decoder.", &mut network.decoder));
    slots.extend(network.attention.as_mut().into_iter().flat_map(|one| attention_slots("attention.", one)));
    slots.extend(network.attention_layer.as_mut().into_iter().flat_map(|one| linear("attention_layer", one)));
    slots.extend(linear("output_layer", &mut network.output));
    slots
}

fn check_nspm(name: &str, attention: NspmAttention) {
    let fixture = Fixture::open(name);
    let sizes = NspmSizes { units: 6, layers: 2, dropout: 0.2, attention };
    let mut network = Nspm::new(&sizes, SOURCE_WORDS, TARGET_WORDS, 1, &fixture.device);
    check_network(&fixture, &mut network, nspm_slots);
    let logits = network.logits(&batch(&fixture), &Pass::inference(), &fixture.device);
    fixture.check("output.logits", logits);
    check_alone(&fixture, &network, "output.greedy");
    check_beam(&fixture, &network);
}

#[test]
fn nspm_without_attention() {
    check_nspm("nspm_none", NspmAttention::None);
}

#[test]
fn nspm_with_normed_bahdanau_attention() {
    check_nspm("nspm_att1", NspmAttention::NormedBahdanau);
}

#[test]
fn nspm_with_scaled_luong_attention() {
    check_nspm("nspm_att2", NspmAttention::ScaledLuong);
}

fn conv_side<'n>(name: &str, side: &'n mut ConvStack) -> Vec<Slot<'n>> {
    let mut slots = vec![
        embedding(&format!("{name}.tok_embedding"), &mut side.words),
        embedding(&format!("{name}.pos_embedding"), &mut side.positions),
    ];
    slots.extend(linear(&format!("{name}.emb2hid"), &mut side.widen));
    slots.extend(linear(&format!("{name}.hid2emb"), &mut side.narrow));
    for (at, block) in side.convolutions.iter_mut().enumerate() {
        slots.push(convolution(&format!("{name}.convs.{at}"), &mut block.weight));
        slots.push(vector(format!("{name}.convs.{at}.bias"), &mut block.bias));
    }
    slots
}

fn convs2s_slots(network: &mut ConvS2s) -> Vec<Slot<'_>> {
    let mut slots = conv_side("encoder", &mut network.encoder);
    slots.extend(conv_side("decoder", &mut network.decoder));
    slots.extend(linear("decoder.attn_hid2emb", &mut network.attend));
    slots.extend(linear("decoder.attn_emb2hid", &mut network.attended));
    slots.extend(linear("decoder.fc_out", &mut network.output));
    slots
}

#[test]
fn convs2s() {
    let fixture = Fixture::open("convs2s");
    let sizes = |pad_value| ConvS2sSizes {
        embedding: 6,
        hidden: 8,
        blocks: 2,
        kernel: 3,
        dropout: 0.25,
        positions: 20,
        pad_value,
    };
    let new = |pad_value| ConvS2s::new(&sizes(pad_value), SOURCE_WORDS, TARGET_WORDS, 1, &fixture.device);
    let logits = |network: &ConvS2s| network.logits(&batch(&fixture), &Pass::inference(), &fixture.device);
    let mut network = new(0.0);
    check_network(&fixture, &mut network, convs2s_slots);
    fixture.check("output.logits", logits(&network));
    check_alone(&fixture, &network, "output.greedy_unpadded");
    let mut padded_with_1 = new(1.0);
    load(&fixture, convs2s_slots(&mut padded_with_1));
    fixture.check("output.logits_pad_value_1", logits(&padded_with_1));
}

fn heads<'n>(name: &str, heads: &'n mut Heads) -> Vec<Slot<'n>> {
    let parts =
        [("q", &mut heads.query), ("k", &mut heads.key), ("v", &mut heads.value), ("o", &mut heads.output)];
    parts.into_iter().flat_map(|(part, one)| linear(&format!("{name}.fc_{part}"), one)).collect()
}

fn transformer_layer<'n>(name: &str, layer: &'n mut EncoderLayer) -> Vec<Slot<'n>> {
    let mut slots = heads(&format!("{name}.self_attention"), &mut layer.own);
    slots.extend(norm(&format!("{name}.self_attn_layer_norm"), &mut layer.own_norm));
    slots.extend(linear(&format!("{name}.positionwise_feedforward.fc_1"), &mut layer.feed.first));
    slots.extend(linear(&format!("{name}.positionwise_feedforward.fc_2"), &mut layer.feed.second));
    slots.extend(norm(&format!("{name}.ff_layer_norm"), &mut layer.feed_norm));
    slots
}

fn transformer_side<'n>(name: &str, side: &'n mut Positioned) -> Vec<Slot<'n>> {
    vec![
        embedding(&format!("{name}.tok_embedding"), &mut side.words),
        embedding(&format!("{name}.pos_embedding"), &mut side.positions),
    ]
}

fn transformer_slots(network: &mut Transformer) -> Vec<Slot<'_>> {
    let mut slots = transformer_side("encoder", &mut network.source);
    slots.extend(transformer_side("decoder", &mut network.target));
    for (at, layer) in network.encoder.iter_mut().enumerate() {
        slots.extend(transformer_layer(&format!("encoder.layers.{at}"), layer));
    }
    for (at, layer) in network.decoder.iter_mut().enumerate() {
        let name = format!("decoder.layers.{at}");
        slots.extend(heads(&format!("{name}.self_attention"), &mut layer.own));
        slots.extend(norm(&format!("{name}.self_attn_layer_norm"), &mut layer.own_norm));
        slots.extend(heads(&format!("{name}.encoder_attention"), &mut layer.source));
        slots.extend(norm(&format!("{name}.enc_attn_layer_norm"), &mut layer.source_norm));
        slots.extend(linear(&format!("{name}.positionwise_feedforward.fc_1"), &mut layer.feed.first));
        slots.extend(linear(&format!("{name}.positionwise_feedforward.fc_2"), &mut layer.feed.second));
        slots.extend(norm(&format!("{name}.ff_layer_norm"), &mut layer.feed_norm));
    }
    slots.extend(linear("decoder.fc_out", &mut network.output));
    slots
}

#[test]
fn transformer() {
    let fixture = Fixture::open("transformer");
    let sizes =
        TransformerSizes { size: 8, layers: 2, heads: 2, feed_forward: 12, dropout: 0.1, positions: 20 };
    let mut network = Transformer::new(&sizes, SOURCE_WORDS, TARGET_WORDS, 1, &fixture.device);
    check_network(&fixture, &mut network, transformer_slots);
    let logits = network.logits(&batch(&fixture), &Pass::inference(), &fixture.device);
    fixture.check("output.logits", logits);
    check_alone(&fixture, &network, "output.greedy");
}

fn sup_sparql_slots(network: &mut SupSparql) -> Vec<Slot<'_>> {
    let mut slots = vec![
        embedding("source_embedding", &mut network.source),
        embedding("target_embedding", &mut network.target),
    ];
    slots.extend(stack("encoder.", &mut network.encoder));
    slots.extend(stack("decoder.", &mut network.decoder));
    slots.extend(classifier("classifier", &mut network.classifier));
    slots
}

#[test]
fn sup_sparql() {
    let fixture = Fixture::open("sup_sparql");
    let new = |masks_source| {
        let sizes = SupSparqlSizes { embedding: 5, hidden: 8, layers: 2, dropout: 0.3, masks_source };
        SupSparql::new(&sizes, SOURCE_WORDS, TARGET_WORDS, 1, &fixture.device)
    };
    let batch = batch(&fixture);
    let logits = |network: &SupSparql| network.logits(&batch, &Pass::inference(), &fixture.device);
    let mut network = new(true);
    check_network(&fixture, &mut network, sup_sparql_slots);
    fixture.check("output.logits", logits(&network));
    check_alone(&fixture, &network, "output.greedy");
    let mut unmasked = new(false);
    load(&fixture, sup_sparql_slots(&mut unmasked));
    fixture.check("output.logits_unmasked", logits(&unmasked));
    let loss = unmasked.loss(&batch, &Pass::inference(), &fixture.device);
    fixture.check("output.loss_unmasked", loss.div_scalar(unmasked.weight(&batch)));
}
