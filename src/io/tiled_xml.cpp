// SPDX-License-Identifier: MIT
// TMX and TSX: pugixml reads them, after a look for document types, which it would skip in silence.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <pugixml.hpp>

#include "io/html.hpp"
#include "io/tiled_model.hpp"

namespace drover::io::tiled {

namespace {

constexpr int kMaxDepth = 256;
// Line ends stay as they are: offsets within long texts are those of the source.
constexpr unsigned kFlags = pugi::parse_default & ~pugi::parse_eol;
// Everything else (pictures, animations, wang sets, shapes on tiles) says nothing about where one can walk.
constexpr std::array<std::string_view, 17> kKept{
    "map",    "properties", "property",    "tileset", "tile",    "layer",    "data", "chunk",     "group",
    "object", "ellipse",    "objectgroup", "point",   "polygon", "polyline", "text", "imagelayer"};

void refuse_document_types(const Source& source) {
  const std::string_view text = source.text();
  std::size_t at = text.find('<');
  for (; at != std::string_view::npos; at = text.find('<', at + 1)) {
    const std::string_view rest = text.substr(at);
    std::string_view end;
    if (rest.substr(0, 4) == "<!--") {
      end = "-->";
    } else if (rest.substr(0, 9) == "<![CDATA[") {
      end = "]]>";
    } else if (rest.substr(0, 2) == "<?") {
      end = "?>";
    } else if (rest.substr(0, 2) == "<!") {
      source.refuse(StatusCode::xml_dtd, at, "a document type; XML without one is expected, entities are never read");
    } else {
      continue;
    }
    at = text.find(end, at + 2);
    if (at == std::string_view::npos) return;  // the parser says where
  }
}

class Reader {
 public:
  explicit Reader(const Source& source) : source_(source), buffer_(source.text()) {
    const pugi::xml_parse_result result =
        document_.load_buffer_inplace(buffer_.data(), buffer_.size(), kFlags, pugi::encoding_utf8);
    if (result.status == pugi::status_out_of_memory) throw std::bad_alloc();
    if (!result) {
      source.refuse(StatusCode::xml, static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0)),
                    fmt::format("{}; well-formed XML is expected", result.description()));
    }
  }

  Element root() const { return element(document_.document_element(), 1); }

 private:
  // The text of values lies in the buffer, where it stood in the source.
  std::size_t at(const char* text) const { return static_cast<std::size_t>(text - buffer_.data()); }

  Element element(const pugi::xml_node& node, int depth) const {
    Element out{node.name(), at(node.name()) - 1};
    if (depth > kMaxDepth) {
      source_.refuse(StatusCode::xml, out.at,
                     fmt::format("nested deeper than {} levels; that is the limit", kMaxDepth));
    }
    for (const pugi::xml_attribute& attribute : node.attributes()) {
      out.set(attribute.name(), attribute.value());
      out.attributes.back().at = *attribute.value() == '\0' ? out.at : at(attribute.value());
    }
    const bool cells = out.tag == "data" || out.tag == "chunk";
    for (const pugi::xml_node& child : node.children()) {
      const std::string_view name = child.name();
      if (cells && name == "tile") {
        out.gids.push_back(gid(child));
      } else if (child.type() == pugi::node_element && kept(out, name)) {
        out.children.push_back(element(child, depth + 1));
      } else if ((child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) && out.text.empty() &&
                 (cells || out.tag == "property")) {
        out.text = child.value();
        out.text_at = at(child.value());
      }
    }
    return out;
  }

  static bool kept(const Element& parent, std::string_view name) {
    if (parent.tag == "tile" && name != "properties") return false;
    return std::find(kKept.begin(), kKept.end(), name) != kKept.end();
  }

  std::uint32_t gid(const pugi::xml_node& tile) const {
    const pugi::xml_attribute attribute = tile.attribute("gid");
    const ParsedInteger number = parse_integer(attribute ? attribute.value() : "0");
    if (number.kind != NumberKind::number || number.negative ||
        number.value > std::numeric_limits<std::uint32_t>::max()) {
      source_.refuse(StatusCode::tiled, at(tile.name()) - 1,
                     fmt::format("gid \"{}\"; 0 .. 4294967295 is expected", printable(attribute.value())));
    }
    return static_cast<std::uint32_t>(number.value);
  }

  const Source& source_;
  std::string buffer_;
  pugi::xml_document document_;
};

void print(std::string& out, const Element& element, std::size_t depth) {
  out.append(depth, ' ') += '<' + element.tag;
  for (const Attribute& attribute : element.attributes) {
    out += ' ' + attribute.name + "=\"";
    const bool toggle = attribute.kind == ValueKind::toggle;
    out += html(toggle ? (attribute.value == "true" ? "1" : "0") : attribute.value);
    out += '"';
  }
  if (!element.gids.empty()) {
    out += ">\n";
    for (std::size_t i = 0; i < element.gids.size(); ++i) {
      out += std::to_string(element.gids[i]);
      if (i + 1 < element.gids.size()) out += ',';
      if ((i + 1) % element.row == 0) out += '\n';
    }
    out += fmt::format("</{}>\n", element.tag);
    return;
  }
  if (element.children.empty() && element.text.empty()) {
    out += "/>\n";
    return;
  }
  out += '>';
  out += html(element.text);
  if (!element.children.empty()) out += '\n';
  for (const Element& child : element.children) print(out, child, depth + 1);
  if (!element.children.empty()) out.append(depth, ' ');
  out += fmt::format("</{}>\n", element.tag);
}

}  // namespace

Element read_xml(const Source& source) {
  refuse_document_types(source);
  return Reader(source).root();
}

std::string xml_text(const Element& map) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  print(out, map, 0);
  return out;
}

}  // namespace drover::io::tiled
