#include "attend/render/png.h"

#include <algorithm>
#include <cmath>

#include "attend/core/errors.h"

#ifdef ATTEND_HAVE_RSVG
#include <cairo.h>
#include <librsvg/rsvg.h>

#include <memory>
#endif

namespace attend::render {

#ifdef ATTEND_HAVE_RSVG
namespace {

constexpr double kMostPixelsASide = 30'000;
constexpr double kMostPixels = 200e6;

template <auto Free>
struct Release {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Handle = std::unique_ptr<RsvgHandle, Release<g_object_unref>>;
using Stream = std::unique_ptr<GInputStream, Release<g_object_unref>>;
using Surface = std::unique_ptr<cairo_surface_t, Release<cairo_surface_destroy>>;
using Context = std::unique_ptr<cairo_t, Release<cairo_destroy>>;

[[noreturn]] void fail(GError* error) {
  const std::string message = error != nullptr ? error->message : "unknown reason";
  g_clear_error(&error);
  throw DataError("svg", "cannot be drawn: " + message);
}

Handle read_svg(const std::string& svg) {
  const Stream stream(
      g_memory_input_stream_new_from_data(svg.data(), static_cast<gssize>(svg.size()), nullptr));
  GError* error = nullptr;
  // Unlimited: libxml2 else refuses the long paths of large maps.
  Handle handle(rsvg_handle_new_from_stream_sync(stream.get(), nullptr, RSVG_HANDLE_FLAG_UNLIMITED,
                                                 nullptr, &error));
  if (handle == nullptr) fail(error);
  return handle;
}

cairo_status_t append_bytes(void* out, const unsigned char* bytes, unsigned size) {
  static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(bytes), size);
  return CAIRO_STATUS_SUCCESS;
}

Surface new_surface(double width, double height) {
  if (width > kMostPixelsASide || height > kMostPixelsASide || width * height > kMostPixels)
    throw InvalidArgument(
        "[png] expected at most 30,000 pixels a side and 200 million in all, found " +
        std::to_string(std::llround(width)) + " x " + std::to_string(std::llround(height)) +
        "; take a smaller scale or fewer panels, or write SVG");
  return Surface(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, static_cast<int>(width),
                                            static_cast<int>(height)));
}

}  // namespace

bool has_png() { return true; }

std::string svg_to_png(const std::string& svg, double scale) {
  if (!(scale >= 0.1 && scale <= 16))
    throw InvalidArgument("[png] expected a scale of 0.1 to 16, found " + std::to_string(scale));
  const Handle handle = read_svg(svg);
  double width = 0;
  double height = 0;
  if (!rsvg_handle_get_intrinsic_size_in_pixels(handle.get(), &width, &height))
    throw DataError("svg", "cannot be drawn: it names no size in pixels");
  // Rounded down: a last column of half a pixel would be half transparent.
  const Surface surface = new_surface(std::max(1.0, std::floor(width * scale)),
                                      std::max(1.0, std::floor(height * scale)));
  const Context context(cairo_create(surface.get()));
  cairo_scale(context.get(), scale, scale);
  const RsvgRectangle all{0, 0, width, height};
  GError* error = nullptr;
  if (!rsvg_handle_render_document(handle.get(), context.get(), &all, &error)) fail(error);
  std::string png;
  const cairo_status_t status =
      cairo_surface_write_to_png_stream(surface.get(), append_bytes, &png);
  if (status != CAIRO_STATUS_SUCCESS)
    throw InternalError(std::string("[png] ") + cairo_status_to_string(status));
  return png;
}

#else

bool has_png() { return false; }

std::string svg_to_png(const std::string&, double) {
  throw InvalidArgument(
      "[png] this build cannot write PNG, since librsvg was missing when it was built; "
      "write SVG or HTML, or install librsvg2-dev and build again");
}

#endif

std::string map_to_png(const AttentionMap& map, const PngOptions& options) {
  SvgOptions svg = options.svg;
  if (svg.theme == Theme::kAuto) svg.theme = Theme::kLight;
  return svg_to_png(map_to_svg(map, svg), options.scale);
}

}  // namespace attend::render
