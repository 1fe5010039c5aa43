// The zones of a step's time that all programs name alike.
#pragma once

namespace attend::fused::zones {

inline constexpr const char* kBatches = "batches";
inline constexpr const char* kEncoderForward = "encoder forward";
inline constexpr const char* kDecoderForward = "decoder forward";
inline constexpr const char* kOutput = "output and loss";
inline constexpr const char* kDecoderBackward = "decoder backward";
inline constexpr const char* kEncoderBackward = "encoder backward";

}  // namespace attend::fused::zones
