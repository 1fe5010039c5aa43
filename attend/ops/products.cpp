#include "attend/ops/products.h"

#include "attend/core/processors.h"

namespace attend::ops {
namespace {

thread_local Products in_use = Products::kFloat32;

}  // namespace

std::string bfloat16_declined() {
  for (const char* flag : {"amx_bf16", "avx512_bf16", "bf16"})
    if (core::processor_has(flag)) return "";
  return "bfloat16 products want a processor with AMX-BF16, AVX512-BF16 or Arm's BF16, and this "
         "one "
         "has none of them";
}

ProductsScope::ProductsScope(Products products) : before_(in_use) { in_use = products; }
ProductsScope::~ProductsScope() { in_use = before_; }

Products products() { return in_use; }

}  // namespace attend::ops
