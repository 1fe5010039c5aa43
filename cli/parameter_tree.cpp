#include "cli/parameter_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace attend::cli {
namespace {

struct Node {
  std::string name;
  std::string shape;  // of a parameter
  int64_t count = 0;  // of all parameters below
  std::vector<std::unique_ptr<Node>> children;

  Node& child(const std::string& wanted) {
    for (const auto& node : children)
      if (node->name == wanted) return *node;
    children.push_back(std::make_unique<Node>());
    children.back()->name = wanted;
    return *children.back();
  }
};

struct Line {
  std::string name;
  std::string shape;
  int64_t count;
};

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text;
  for (const int64_t size : shape) text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text;
}

void insert(Node& root, const ParameterSlot& slot) {
  Node* node = &root;
  node->count += slot.numel;
  size_t begin = 0;
  while (begin <= slot.name.size()) {
    const size_t dot = std::min(slot.name.find('.', begin), slot.name.size());
    node = &node->child(slot.name.substr(begin, dot - begin));
    node->count += slot.numel;
    begin = dot + 1;
  }
  node->shape = shape_text(slot.shape);
}

// A scope with one thing in it shares that one's line: "layers.0.weight".
void flatten(const Node& node, const std::string& indent, std::vector<Line>& lines) {
  for (size_t i = 0; i < node.children.size(); ++i) {
    const bool last = i + 1 == node.children.size();
    const Node* child = node.children[i].get();
    std::string name = child->name;
    while (child->children.size() == 1) {
      child = child->children.front().get();
      name += "." + child->name;
    }
    lines.push_back({indent + (last ? "└─ " : "├─ ") + name, child->shape, child->count});
    flatten(*child, indent + (last ? "   " : "│  "), lines);
  }
}

// Characters, not bytes: the tree's strokes have three.
size_t width(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

std::string grouped(int64_t value) {
  std::string digits = std::to_string(value);
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<size_t>(i), ",");
  return digits;
}

std::string parameter_tree(const ParameterStore& store) {
  Node root;
  for (const auto& slot : store.slots()) insert(root, *slot);
  std::vector<Line> lines = {{"all", "", root.count}};
  flatten(root, "", lines);
  size_t names = 0, shapes = 0;
  for (const auto& line : lines) {
    names = std::max(names, width(line.name));
    shapes = std::max(shapes, line.shape.size());
  }
  std::string text;
  for (const auto& line : lines)
    text += line.name + std::string(names - width(line.name), ' ') +
            fmt::format("  {:>{}}  {:>11}\n", line.shape, shapes, grouped(line.count));
  return text;
}

}  // namespace attend::cli
