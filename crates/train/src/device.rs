//! The device that networks are computed on.

use burn::tensor::Device;

/// A GPU if the crate was built with the feature `cuda` or `wgpu`, otherwise the CPU.
pub fn device() -> Device {
    #[cfg(feature = "cuda")]
    {
        Device::cuda(0)
    }
    #[cfg(all(feature = "wgpu", not(feature = "cuda")))]
    {
        Device::wgpu(burn::tensor::DeviceKind::DefaultDevice)
    }
    #[cfg(not(any(feature = "wgpu", feature = "cuda")))]
    {
        Device::flex()
    }
}
