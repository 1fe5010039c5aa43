// The map viewer of the HTML page: its markup, style and script.
#pragma once

namespace attend::render {

extern const char* const kViewerMarkup;
extern const char* const kViewerStyle;
extern const char* const kViewerScript;

}  // namespace attend::render
