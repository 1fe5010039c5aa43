// The name that was probably meant, for messages about a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attend::core {

/// Insertions, deletions, substitutions and swaps of neighbours between two names: the optimal
/// string alignment distance (Damerau 1964, without repeated edits of one substring), in bytes.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `name`, the earlier one of equals; else the only one that begins with
/// `name`; empty when none is near enough (about one edit for every three letters) to be worth
/// naming.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// "; did you mean 'beam_size'?", or nothing: the end of a message about an unknown name.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace attend::core
