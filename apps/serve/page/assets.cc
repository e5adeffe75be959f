// The assembler includes the files, as it does the weights (inference/embedded_weights.cc).
#include "apps/serve/page/assets.h"

#include <zlib.h>

#include <array>
#include <cstdio>
#include <map>
#include <mutex>

#include "instantgp/base/error.h"

#define INSTANTGP_ASSET(name, file)                                                                 \
  __asm__(                                                                                          \
      ".pushsection .rodata\n"                                                                      \
      "instantgp_page_" #name                                                                       \
      "_begin:\n"                                                                                   \
      ".incbin \"" INSTANTGP_PAGE_DIR "/" file                                                      \
      "\"\n"                                                                                        \
      "instantgp_page_" #name                                                                       \
      "_end:\n"                                                                                     \
      ".byte 0\n"                                                                                   \
      ".popsection\n");                                                                             \
  extern "C" {                                                                                      \
  extern const char instantgp_page_##name##_begin[] __attribute__((visibility("hidden")));          \
  extern const char instantgp_page_##name##_end[] __attribute__((visibility("hidden")));            \
  }                                                                                                 \
  namespace {                                                                                       \
  std::string_view Page_##name() {                                                                  \
    return {instantgp_page_##name##_begin,                                                          \
            static_cast<std::size_t>(instantgp_page_##name##_end - instantgp_page_##name##_begin)}; \
  }                                                                                                 \
  }

INSTANTGP_ASSET(index, "index.html")
INSTANTGP_ASSET(style, "style.css")
INSTANTGP_ASSET(icon, "icon.svg")
INSTANTGP_ASSET(app, "app.js")
INSTANTGP_ASSET(canvas, "canvas.js")
INSTANTGP_ASSET(kernels, "kernels.js")
INSTANTGP_ASSET(presets, "presets.js")
INSTANTGP_ASSET(service, "service.js")
INSTANTGP_ASSET(charts, "charts.js")
INSTANTGP_ASSET(table, "table.js")
INSTANTGP_ASSET(calls, "calls.js")
INSTANTGP_ASSET(state, "state.js")
INSTANTGP_ASSET(openapi, "openapi.json")

namespace instantgp::serve {
namespace {

constexpr std::string_view kHtml = "text/html; charset=utf-8", kScript = "text/javascript; charset=utf-8",
                           kCss = "text/css; charset=utf-8", kSvg = "image/svg+xml", kJson = "application/json";

const std::array<Asset, 13>& Assets() {
  static const std::array<Asset, 13> assets = {{{"/", kHtml, Page_index()},
                                                {"/style.css", kCss, Page_style()},
                                                {"/icon.svg", kSvg, Page_icon()},
                                                {"/app.js", kScript, Page_app()},
                                                {"/canvas.js", kScript, Page_canvas()},
                                                {"/kernels.js", kScript, Page_kernels()},
                                                {"/presets.js", kScript, Page_presets()},
                                                {"/service.js", kScript, Page_service()},
                                                {"/charts.js", kScript, Page_charts()},
                                                {"/table.js", kScript, Page_table()},
                                                {"/calls.js", kScript, Page_calls()},
                                                {"/state.js", kScript, Page_state()},
                                                {"/openapi.json", kJson, Page_openapi()}}};
  return assets;
}

std::string Gzip(std::string_view bytes) {
  z_stream stream = {};
  // 15 + 16: the largest window, with gzip's header.
  if (deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw Error(ErrorCode::kFailure, "cannot compress the page");
  }
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw Error(ErrorCode::kFailure, "cannot compress the page");
  return out;
}

// Compressed once, when it is first asked for.
const std::string& Compressed(const Asset& asset) {
  static std::mutex mutex;
  static std::map<std::string_view, std::string> done;
  const std::lock_guard<std::mutex> lock(mutex);
  auto found = done.find(asset.path);
  if (found == done.end()) found = done.emplace(asset.path, Gzip(asset.bytes)).first;
  return found->second;
}

std::string TagOf(const Asset& asset) {
  char text[32];
  std::snprintf(text, sizeof text, "\"%08lx-%zx\"",
                crc32(0, reinterpret_cast<const Bytef*>(asset.bytes.data()), static_cast<uInt>(asset.bytes.size())),
                asset.bytes.size());
  return text;
}

}  // namespace

const Asset* FindAsset(std::string_view path) {
  for (const Asset& asset : Assets()) {
    if (asset.path == path) return &asset;
  }
  return nullptr;
}

Response AssetResponse(const Asset& asset, const Request& request) {
  const std::string tag = TagOf(asset);
  Response response{200, std::string(asset.type)};
  response.headers = {{"ETag", tag}, {"Cache-Control", "no-cache"}, {"Vary", "Accept-Encoding"}};
  if (request.if_none_match == tag) {
    response.status = 304;
  } else if (request.accepts_gzip) {
    response.headers.emplace_back("Content-Encoding", "gzip");
    response.body = Compressed(asset);
  } else {
    response.body = asset.bytes;
  }
  return response;
}

}  // namespace instantgp::serve
