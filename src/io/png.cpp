// SPDX-License-Identifier: MIT
// libpng behind OutputFile.
#include "io/png.hpp"

#include <png.h>

#include <csetjmp>
#include <vector>

#include "io/output.hpp"
#include "io/text.hpp"

namespace drover::io {

namespace {

void append(png_structp png, png_bytep bytes, png_size_t size) {
  static_cast<OutputFile*>(png_get_io_ptr(png))->write({reinterpret_cast<const char*>(bytes), size});
}
void flush(png_structp) {}
void fail(png_structp png, png_const_charp) { std::longjmp(png_jmpbuf(png), 1); }
void ignore(png_structp, png_const_charp) {}

// No object with a destructor lives between setjmp and longjmp.
bool encode(png_structp png, png_infop info, OutputFile& out, std::span<Rgb> row, std::uint32_t height,
            const std::function<void(std::uint32_t, std::span<Rgb>)>& fill) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_write_fn(png, &out, append, flush);
  png_set_IHDR(png, info, static_cast<png_uint_32>(row.size()), height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level(png, 6);
  png_write_info(png, info);
  for (std::uint32_t y = 0; y < height; ++y) {
    fill(y, row);
    png_write_row(png, reinterpret_cast<png_const_bytep>(row.data()));
  }
  png_write_end(png, info);
  return true;
}

}  // namespace

Status write_png(const std::string& path, std::uint32_t width, std::uint32_t height,
                 const std::function<void(std::uint32_t, std::span<Rgb>)>& fill) {
  static_assert(sizeof(Rgb) == 3);
  Result<OutputFile> out = OutputFile::create(path);
  if (!out) return out.status();
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, fail, ignore);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  std::vector<Rgb> row(width);
  const bool done = info != nullptr && encode(png, info, *out, row, height, fill);
  png_destroy_write_struct(&png, &info);
  if (!done)
    return error_at(StatusCode::write, {path, 0, 0},
                    "the picture could not be encoded; a size within PNG's limits is expected");
  return out->commit();
}

}  // namespace drover::io
