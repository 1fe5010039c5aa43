// Stored right answers: tests/data/<file>.safetensors, written by a script in tools/.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <cstring>
#include <stdexcept>
#include <string>

#include "attend/core/files.h"
#include "attend/core/safetensors.h"

namespace attend::testing {

class Goldens {
 public:
  /// `file` under tests/data, as in "ops/goldens.safetensors".
  explicit Goldens(const std::string& file)
      : path_(std::string(ATTEND_TEST_DATA) + "/" + file),
        bytes_(core::read_file(path_)),
        parsed_(core::parse_safetensors(bytes_, path_)) {}
  Goldens(const Goldens&) = delete;
  Goldens& operator=(const Goldens&) = delete;

  bool has(const std::string& name) const { return parsed_.find(name) != nullptr; }

  /// A copy of the tensor, in its own dtype. Throws when there is none of this name.
  at::Tensor get(const std::string& name) const {
    const core::TensorView* view = parsed_.find(name);
    if (!view) throw std::runtime_error(path_ + " has no " + name);
    at::Tensor tensor = at::empty(view->shape, dtype(view->dtype));
    if (tensor.nbytes() != view->bytes.size()) throw std::runtime_error(name + " has odd bytes");
    std::memcpy(tensor.data_ptr(), view->bytes.data(), view->bytes.size());
    return tensor;
  }

 private:
  static at::ScalarType dtype(const std::string& name) {
    if (name == "F64") return at::kDouble;
    if (name == "F32") return at::kFloat;
    if (name == "I64") return at::kLong;
    if (name == "BOOL") return at::kBool;
    throw std::runtime_error("goldens of dtype " + name + " are not read");
  }

  std::string path_;
  std::string bytes_;
  core::Safetensors parsed_;
};

/// The goldens of ops and attention, read once.
inline const Goldens& ops_goldens() {
  static const Goldens goldens("ops/goldens.safetensors");
  return goldens;
}

}  // namespace attend::testing
