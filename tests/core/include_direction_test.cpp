// The flow of docs/architecture.md, kept by a test: an include points to the left or to a leaf.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "attend/core/files.h"
#include "attend/core/utf8.h"

namespace attend {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Left to right; folders of one rank do not see each other.
const std::map<std::string, int> kRank = {
    {"core", 0},      {"text", 1},   {"data", 2},   {"kernels", 3},  {"ops", 4},
    {"attention", 5}, {"layers", 6}, {"models", 7}, {"decoding", 8}, {"training", 9},
    {"lessons", 10},  {"serve", 10}, {"cli", 11}};
const std::set<std::string> kLeaves = {"metrics", "render"};
const std::set<std::string> kWithoutTorch = {"core",    "text",    "data",
                                             "kernels", "metrics", "render"};
const std::set<std::string> kHeavy = {"torch/torch.h",     "torch/all.h", "torch/nn.h",
                                      "torch/nn/module.h", "ATen/ATen.h", "ATen/Functions.h"};
const std::string kAdapter = "attend/layers/as_module.h";  // makes a layer a torch::nn::Module

bool may_include(const std::string& from, const std::string& to) {
  if (from == to || to == "core") return true;
  if (kLeaves.count(from) || from == "core") return false;
  if (kLeaves.count(to)) return true;
  return kRank.count(from) && kRank.count(to) && kRank.at(to) < kRank.at(from);
}

// What #include names, or nothing.
std::string included(const std::string& line) {
  size_t at = line.find_first_not_of(" \t");
  if (at == std::string::npos || line[at] != '#') return "";
  at = line.find_first_not_of(" \t", at + 1);
  if (at == std::string::npos || line.compare(at, 7, "include") != 0) return "";
  at = line.find_first_not_of(" \t", at + 7);
  if (at == std::string::npos || (line[at] != '"' && line[at] != '<')) return "";
  const size_t end = line.find(line[at] == '"' ? '"' : '>', at + 1);
  return end == std::string::npos ? "" : line.substr(at + 1, end - at - 1);
}

// "attend/text/x.h" -> "text", "cli/main.cpp" -> "cli", "attend/x.h" -> "".
std::string folder_of(const std::string& path) {
  const size_t first = path.find('/');
  if (first == std::string::npos) return "";
  if (path.substr(0, first) != "attend") return path.substr(0, first);
  const size_t second = path.find('/', first + 1);
  return second == std::string::npos ? "" : path.substr(first + 1, second - first - 1);
}

std::string breach(const std::string& path, const std::string& header) {
  const std::string folder = folder_of(path);
  const bool adapter = path == kAdapter && header == "torch/nn/module.h";
  if (kHeavy.count(header) && !adapter) return "costs half a minute to compile";
  const std::string top = header.substr(0, header.find('/'));
  const bool torch = top == "torch" || top == "ATen" || top == "c10";
  if (torch && kWithoutTorch.count(folder)) return folder + " builds without LibTorch";
  if (top == "attend" && !may_include(folder, folder_of(header))) {
    return "points to the right of " + folder;
  }
  return "";
}

// "path:line: header: reason" for each include of the text that breaks a rule.
std::vector<std::string> breaches(const std::string& path, const std::string& text) {
  std::vector<std::string> found;
  const std::string folder = folder_of(path);
  if (!kRank.count(folder) && !kLeaves.count(folder)) {
    found.push_back(path + ":1: the flow knows no folder '" + folder + "'");
  }
  const auto lines = core::split_lines(text);
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string header = included(lines[i]);
    const std::string reason = header.empty() ? "" : breach(path, header);
    if (reason.empty()) continue;
    found.push_back(path + ":" + std::to_string(i + 1) + ": " + header + ": " + reason);
  }
  return found;
}

std::vector<std::string> breaches_below(const fs::path& root, int& files) {
  std::vector<std::string> found;
  for (const std::string top : {"attend", "cli"}) {
    if (!fs::is_directory(root / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp" && extension != ".inc") continue;
      ++files;
      const std::string path = fs::relative(entry.path(), root).generic_string();
      const auto more = breaches(path, core::read_file(entry.path().string()));
      found.insert(found.end(), more.begin(), more.end());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(IncludeDirection, TheTreeKeepsToTheFlow) {
  int files = 0;
  EXPECT_THAT(breaches_below(ATTEND_SOURCE_DIR, files), IsEmpty());
  EXPECT_GT(files, 20);
}

TEST(IncludeDirection, FindsIncludesHoweverTheyAreWritten) {
  EXPECT_EQ(included("#include \"attend/core/a.h\""), "attend/core/a.h");
  EXPECT_EQ(included("  #  include <vector>  // x"), "vector");
  EXPECT_EQ(included("#include\"a.h\""), "a.h");
  EXPECT_EQ(included("// #include \"a.h\""), "");
  EXPECT_EQ(included("#include \"open"), "");
  EXPECT_EQ(included("#include MACRO"), "");
  EXPECT_EQ(included("#define include"), "");
  EXPECT_EQ(included(""), "");
}

TEST(IncludeDirection, AllowsTheLeftAndTheLeaves) {
  const auto allowed = [](const std::string& path, const std::string& header) {
    return breaches(path, "#include \"" + header + "\"\n").empty();
  };
  EXPECT_TRUE(allowed("attend/core/a.cpp", "attend/core/b.h"));
  EXPECT_TRUE(allowed("attend/data/a.cpp", "attend/text/b.h"));
  EXPECT_TRUE(allowed("attend/training/a.cpp", "attend/decoding/b.h"));
  EXPECT_TRUE(allowed("attend/decoding/a.cpp", "attend/render/b.h"));
  EXPECT_TRUE(allowed("attend/render/a.cpp", "attend/core/b.h"));
  EXPECT_TRUE(allowed("cli/train.cpp", "attend/serve/b.h"));
  EXPECT_TRUE(allowed("cli/train.cpp", "cli/options.h"));
  EXPECT_TRUE(allowed("attend/ops/a.cpp", "ATen/core/Tensor.h"));
  EXPECT_TRUE(allowed("attend/layers/as_module.h", "torch/nn/module.h"));
}

TEST(IncludeDirection, NamesEachBreachByFileAndLine) {
  const auto found = breaches("attend/text/a.cpp",
                              "#include <vector>\n\n#include \"attend/data/b.h\"\n"
                              "#include \"attend/core/c.h\"\r\n#include <torch/types.h>\n");
  EXPECT_THAT(found,
              ElementsAre("attend/text/a.cpp:3: attend/data/b.h: points to the right of text",
                          "attend/text/a.cpp:5: torch/types.h: text builds without LibTorch"));
}

TEST(IncludeDirection, RefusesTheRest) {
  const auto refused = [](const std::string& path, const std::string& header) {
    return breaches(path, "#include \"" + header + "\"\n").size() == 1;
  };
  EXPECT_TRUE(refused("attend/core/a.h", "attend/render/b.h"));
  EXPECT_TRUE(refused("attend/metrics/a.h", "attend/render/b.h"));
  EXPECT_TRUE(refused("attend/metrics/a.h", "attend/text/b.h"));
  EXPECT_TRUE(refused("attend/decoding/a.h", "attend/training/b.h"));
  EXPECT_TRUE(refused("attend/serve/a.h", "attend/lessons/b.h"));
  EXPECT_TRUE(refused("attend/ops/a.h", "attend/unheard_of/b.h"));
  EXPECT_TRUE(refused("attend/ops/a.h", "attend/everything.h"));
  EXPECT_TRUE(refused("attend/kernels/a.h", "c10/util/Half.h"));
  EXPECT_TRUE(refused("attend/ops/a.cpp", "ATen/ATen.h"));
  EXPECT_TRUE(refused("attend/layers/a.h", "torch/nn/module.h"));
  EXPECT_TRUE(refused("cli/main.cpp", "torch/torch.h"));
  EXPECT_TRUE(refused("attend/layers/as_module.h", "torch/torch.h"));
  EXPECT_THAT(breaches("attend/oddments/a.h", ""), ElementsAre(HasSubstr("knows no folder")));
}

}  // namespace
}  // namespace attend
