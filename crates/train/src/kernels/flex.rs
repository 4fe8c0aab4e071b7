//! Tensors of the CPU as slices.

use burn::backend::Flex;
use burn::backend::ops::FloatTensorOps;
use burn::backend::tensor::FloatTensor;
use burn::tensor::{Shape, TensorData};

/// A tensor of the CPU.
pub(super) type FlexTensor = FloatTensor<Flex>;

/// A tensor whose numbers stand in the order of its shape.
pub(super) struct Dense(FlexTensor);

impl Dense {
    pub(super) fn new(tensor: &FlexTensor) -> Dense {
        Dense(tensor.to_contiguous())
    }

    pub(super) fn numbers(&self) -> &[f32] {
        self.0.as_slice().unwrap_or_default()
    }
}

pub(super) fn tensor(numbers: Vec<f32>, shape: impl Into<Shape>) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(numbers, shape))
}

/// The matrix product of `[n, m]` and `[m, k]`.
pub(super) fn product(left: FlexTensor, right: FlexTensor) -> FlexTensor {
    Flex::float_matmul(left, right)
}

pub(super) fn transposed(matrix: FlexTensor) -> FlexTensor {
    matrix.transpose(0, 1)
}

/// The sums of the columns of a matrix with `columns` columns.
pub(super) fn column_sums(numbers: &[f32], columns: usize) -> Vec<f32> {
    let mut sums = vec![0.0; columns];
    for row in numbers.chunks_exact(columns) {
        sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
    }
    sums
}
