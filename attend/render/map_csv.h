// Attention maps as CSV: one matrix, with its labels.
#pragma once

#include <string>

#include "attend/render/attention_map.h"

namespace attend::render {

enum class Presence { kAuto, kYes, kNo };

struct CsvOptions {
  Presence header = Presence::kAuto;  ///< the first row holds the columns' labels
  Presence labels = Presence::kAuto;  ///< the first column holds the rows' labels
  char separator = '\0';  ///< ',', ';', tab or ' '; 0: whichever makes numbers of the first lines
};

/// Any matrix of numbers ("nan" and "inf" included), as spreadsheets, pandas, R and numpy.savetxt()
/// write it: cells parted by commas, semicolons, tabs or runs of blanks, with a decimal comma where
/// no comma parts them. A row or column counts as labels, when that is to be found out, if one of
/// its cells is quoted or no number, and both do when the first cell is empty. Labels that are
/// absent become 1, 2, 3, ... A first cell "rows\columns" names the axes. RFC 4180 quoting; blank
/// lines and comments (csv_rows.h) are left out. Throws DataError with path, line and column for
/// ragged rows, cells that are no number or too large a one, an open quote, invalid UTF-8, labels
/// without a number and an empty file.
AttentionMap map_from_csv(const std::string& bytes, const std::string& path,
                          const CsvOptions& options = {});

/// With header and label column, every label quoted, LF line ends; reads back as the same labels
/// and weights. Throws InvalidArgument, listing the panels, unless the map has exactly one.
std::string map_to_csv(const AttentionMap& map);

}  // namespace attend::render
