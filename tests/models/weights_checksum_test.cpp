// The checksum of model.safetensors: what it is, that damage is found, and what goes without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attend/core/checksum.h"
#include "tests/support/model_folder.h"

namespace attend {
namespace {

using attend::testing::ModelFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kFile = "model.safetensors";

// By its definition: XXH64 of the tensors' bytes in the order of their names.
TEST(WeightsChecksum, IsOfTheBytesInTheOrderOfNames) {
  const ModelFolder folder;
  const std::string bytes = core::read_file(folder.file(kFile));
  const core::Safetensors file = core::parse_safetensors(bytes, kFile);
  std::map<std::string, std::string> sorted;
  for (const auto& tensor : file.tensors) sorted[tensor.name] = std::string(tensor.bytes);
  std::string all;
  for (const auto& [name, values] : sorted) all += values;
  core::Checksum expected;
  expected.add(all);
  EXPECT_EQ(file.metadata.at("checksum"), "xxh64:" + expected.text());
  EXPECT_EQ(load_model(folder.path()).note, "");
}

// Every tenth bit of the file: refused, or the weights and all that is compared are as they were.
TEST(WeightsChecksum, NoFlippedBitChangesAModelInSilence) {
  ModelFolder folder(ModelKind::kGru);
  const std::string whole = core::read_file(folder.file(kFile));
  const core::Safetensors file = core::parse_safetensors(whole, kFile);
  const size_t data = static_cast<size_t>(file.tensors.front().bytes.data() - whole.data());
  int refused = 0, noted = 0;
  for (size_t bit = 0; bit < 8 * whole.size(); bit += bit < 8 * data ? 11 : 1013) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    core::write_file_atomic(folder.file(kFile), bytes);
    try {
      const LoadedModel loaded = load_model(folder.path());
      EXPECT_TRUE(loaded.model->parameters().flat().equal(folder.model().parameters().flat()))
          << "bit " << bit << " of " << 8 * whole.size();
      EXPECT_LT(bit, 8 * data) << "in the weights";
      noted += loaded.note.empty() ? 0 : 1;
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), HasSubstr(folder.path()));
      ++refused;
    }
  }
  EXPECT_GT(refused, 200);
  EXPECT_GT(noted, 0);  // in the key "checksum"
}

TEST(WeightsChecksum, AnEditThatKeepsItIsRefused) {
  const ModelFolder folder;
  std::string changed;
  folder.rewrite([&](core::Safetensors& file) {
    changed = std::string(file.tensors.front().bytes);
    changed[0] ^= 1;
    file.tensors.front().bytes = changed;
  });
  try {
    load_model(folder.path());
    ADD_FAILURE() << "loaded";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr(folder.file(kFile)), HasSubstr("checksum"), HasSubstr("damaged")));
  }
}

// As Python's package writes it: another order of tensors, or no metadata but what is asked for.
TEST(WeightsChecksum, HoldsInAnyOrderAndIsMissedWhereThereIsNone) {
  ModelFolder folder;
  folder.rewrite(
      [](core::Safetensors& file) { std::reverse(file.tensors.begin(), file.tensors.end()); });
  EXPECT_EQ(load_model(folder.path()).note, "");
  folder.rewrite([](core::Safetensors& file) { file.metadata.erase("checksum"); });
  const LoadedModel loaded = load_model(folder.path());
  EXPECT_THAT(loaded.note, AllOf(HasSubstr(folder.file(kFile)), HasSubstr("no checksum")));
  EXPECT_TRUE(loaded.model->parameters().flat().equal(folder.model().parameters().flat()));
}

}  // namespace
}  // namespace attend
