// The roof of this processor: how many fused multiply-adds a thread gets done.
#pragma once

namespace attend::kernels {

/// Measured: floating-point operations a second (a multiply-add counts two) of one thread in float,
/// on the instruction set in use, from registers alone. Takes about `seconds`, at least a
/// millisecond; the fastest of its parts counts, so that a busy neighbour disturbs little.
double measured_peak(double seconds);

}  // namespace attend::kernels
