// model.safetensors: a ParameterStore in a file, bound to the configuration and vocabularies that
// it was trained with. Also the pieces of it that a run's checkpoint shares.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "attend/core/safetensors.h"
#include "attend/ops/parameter_store.h"

namespace attend {

/// Rises when an older program would read a newer file wrongly. This program reads all up to it.
inline constexpr int kModelFormatVersion = 1;

/// What weights belong to. Kept in the file's metadata; loading compares.
struct ModelIdentity {
  /// [text] and [model] as core::config_lines: not a hash, so that a mismatch can be named by its
  /// key, and without comments and other tables, so that editing those does no harm.
  std::string config;
  std::string source_hash;  ///< text::Pipeline::hash
  std::string target_hash;
  int64_t source_entries = 0;
  int64_t target_entries = 0;
};

/// The metadata of a file of this `format` ("attend-model", "attend-checkpoint").
std::map<std::string, std::string> identity_metadata(const ModelIdentity& identity,
                                                     const std::string& format);

/// Reads it back. Throws DataError when `metadata` is of another format or a newer version.
ModelIdentity read_identity(const std::map<std::string, std::string>& metadata,
                            const std::string& format, const std::string& path);

/// Throws DataError, naming what differs: "config.toml" keys, the size or content of a vocabulary.
/// `path` is the file that holds `stored`; `source_path` and `target_path` those of the
/// vocabularies.
void check_identity(const ModelIdentity& stored, const ModelIdentity& present,
                    const std::string& path, const std::string& source_path,
                    const std::string& target_path);

/// Views of `flat` (numel of the store, on the CPU, contiguous), a slot each, named prefix + name.
std::vector<core::TensorView> parameter_views(const ParameterStore& store, const at::Tensor& flat,
                                              const std::string& prefix = {});

/// Copies the tensors prefix + name of `file` into `flat` (as above). The tensors with this prefix
/// have to be those of the store, with their shapes and dtype; otherwise throws DataError, listing
/// what is missing, unexpected or different, and `flat` is unchanged.
void read_parameters(const core::Safetensors& file, const std::string& path,
                     const ParameterStore& store, const at::Tensor& flat,
                     const std::string& prefix = {});

/// Beyond this a sum of squares, as every norm of a vector is, overflows single precision: such
/// weights are neither saved nor loaded.
inline constexpr double kLargestWeight = 1e18;

/// Throws DataError, naming the tensor, when `flat` (numel of the store) has values that are not
/// finite or exceed kLargestWeight. `prefix` stands before the name in the message.
void check_values(const ParameterStore& store, const at::Tensor& flat, const std::string& path,
                  const std::string& prefix = {});

/// The largest magnitude of a weight and its tensor: "3.1e+36 in decoder.output.weight".
std::string largest_weight(const ParameterStore& store, const at::Tensor& flat);

/// The metadata's key of the checksum, and its value for these tensors: core::Checksum of their
/// bytes, in the order of their names, behind "xxh64:".
inline constexpr const char* kChecksumKey = "checksum";
std::string checksum_of(const std::vector<core::TensorView>& tensors);

/// Throws DataError when the file's checksum is not that of its tensors. A file without one, as
/// after an edit by another program, is taken: returns a sentence that says so, else "".
std::string check_checksum(const core::Safetensors& file, const std::string& path);

/// Writes folder + "/model.safetensors", atomically. `flat` holds the values (numel of the store,
/// on any device): store.flat(), or a copy from another moment.
void write_weights(const std::string& folder, const ParameterStore& store, const at::Tensor& flat,
                   const ModelIdentity& identity);

}  // namespace attend
