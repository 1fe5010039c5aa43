#include "attend/fused/token_gates.h"

#include <algorithm>

#include "attend/kernels/activation.h"

namespace attend::fused {

void DistinctTokens::find(const std::vector<int32_t>& ids, int64_t vocabulary) {
  for (const int32_t id : distinct_) seen_[static_cast<size_t>(id)] = -1;
  seen_.resize(static_cast<size_t>(vocabulary), -1);
  distinct_.clear();
  place_.resize(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    int32_t& place = seen_[static_cast<size_t>(ids[i])];
    if (place < 0) {
      place = static_cast<int32_t>(distinct_.size());
      distinct_.push_back(ids[i]);
    }
    place_[i] = place;
  }
}

template <class T>
void TokenGates<T>::tabulate(const Pass<T>& pass) {
  constexpr int64_t kMost = 1 << 18;  // numbers: a table that a second-level cache holds
  const int64_t count = vocabulary(), outputs = input_.outputs();
  if (count * outputs > kMost) return;
  table_.resize(static_cast<size_t>(count * outputs));
  input_.forward(pass, Rows<const T>(pass.parameters + embedding_.offset, count, embedding_.inputs),
                 Rows<T>(table_.data(), count, outputs));
}

// gates of row i = the table's row token(i).
template <class T>
template <class Token>
void TokenGates<T>::look_up(const Token& token, Rows<T> gates) const {
  const int64_t outputs = input_.outputs();
  for (int64_t i = 0; i < gates.count; ++i)
    std::copy_n(table_.data() + token(i) * outputs, outputs, gates.row(i));
}

template <class T>
Rows<T> TokenGates<T>::embed(const Pass<T>& pass, const int32_t* tokens, int64_t n) const {
  const int64_t width = embedding_.inputs;
  const Rows<T> embedded(pass.take(n, width), n, width);
  for (int64_t i = 0; i < n; ++i)
    std::copy_n(pass.parameters + embedding_.offset + tokens[i] * width, width, embedded.row(i));
  return embedded;
}

template <class T>
const T* TokenGates<T>::forward(const Pass<T>& pass, const DistinctTokens& tokens,
                                Rows<T> gates) const {
  const int64_t outputs = input_.outputs();
  if (!pass.learns && !table_.empty()) {
    look_up([&](int64_t i) { return tokens.id(i); }, gates);
    return nullptr;
  }
  const Rows<T> embedded = embed(pass, tokens.distinct().data(), tokens.count());
  const Rows<T> of_token(pass.take(tokens.count(), outputs), tokens.count(), outputs);
  input_.forward(pass, embedded, of_token);
  for (int64_t i = 0; i < gates.count; ++i)
    std::copy_n(of_token.row(tokens.place()[static_cast<size_t>(i)]), outputs, gates.row(i));
  return embedded.data;
}

template <class T>
void TokenGates<T>::step(const Pass<T>& pass, const int32_t* tokens, Rows<T> gates) const {
  if (table_.empty())
    input_.forward(pass, embed(pass, tokens, gates.count), gates);
  else
    look_up([tokens](int64_t i) { return tokens[i]; }, gates);
}

template <class T>
void TokenGates<T>::backward(const Pass<T>& pass, const DistinctTokens& tokens, const T* embedded,
                             Rows<const T> d_gates) const {
  const int64_t width = embedding_.inputs, outputs = input_.outputs(), count = tokens.count();
  const Rows<T> of_token(pass.zeros(count, outputs), count, outputs);
  for (int64_t i = 0; i < d_gates.count; ++i)
    kernels::add_to(of_token.row(tokens.place()[static_cast<size_t>(i)]), d_gates.row(i), outputs);
  input_.backward_weight(pass, of_token, Rows<const T>(embedded, count, width));
  const Rows<T> d_embedded(pass.take(count, width), count, width);
  input_.backward_input(pass, of_token, d_embedded);
  T* d_table = pass.gradients + embedding_.offset;
  if (!tied_) std::fill_n(d_table, embedding_.outputs * width, T(0));
  for (int64_t i = 0; i < count; ++i)
    kernels::add_to(d_table + tokens.distinct()[static_cast<size_t>(i)] * width, d_embedded.row(i),
                    width);
}

template class TokenGates<float>;
template class TokenGates<double>;

}  // namespace attend::fused
