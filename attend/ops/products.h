// In which precision the products of Linear and of projected_cross_entropy run.
#pragma once

#include <string>

namespace attend::ops {

enum class Products {
  kFloat32,
  kBfloat16,  ///< operands rounded to bfloat16, sums in float32, each product rounded at its end
};

/// Why bfloat16 products are not worth asking for on this processor; "" where it has instructions
/// for them (AMX-BF16, AVX512-BF16 or Arm's BF16): elsewhere they are many times slower than float.
std::string bfloat16_declined();

/// For its lifetime, on this thread alone, products of float tensors run so, and so do those of
/// their gradients, whichever thread takes them. Parameters and gradients stay float. Scopes nest.
class ProductsScope {
 public:
  explicit ProductsScope(Products products);
  ~ProductsScope();
  ProductsScope(const ProductsScope&) = delete;
  ProductsScope& operator=(const ProductsScope&) = delete;

 private:
  Products before_;
};

/// What holds on this thread; kFloat32 at first.
Products products();

}  // namespace attend::ops
