// The map viewer of the HTML page: its markup, style and script, which is in two parts.
#pragma once

namespace attend::render {

extern const char* const kViewerMarkup;
extern const char* const kViewerStyle;
extern const char* const kViewerDrawing;
extern const char* const kViewerPointing;  ///< behind the other, in the same function

}  // namespace attend::render
