// SPDX-License-Identifier: MIT
// TMJ and TSJ: the same tree, its lists under other names.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "io/json_reader.hpp"
#include "io/tiled_model.hpp"

namespace drover::io::tiled {

namespace {

bool scalar(JsonKind kind) { return kind == JsonKind::string || kind == JsonKind::number || kind == JsonKind::boolean; }

ValueKind kind_of(JsonKind kind) {
  if (kind == JsonKind::number) return ValueKind::number;
  return kind == JsonKind::boolean ? ValueKind::boolean : ValueKind::text;
}

// The elements that the members of a JSON array become.
struct List {
  std::string_view key, tag;
};
constexpr std::array<List, 4> kLists{
    {{"tilesets", "tileset"}, {"tiles", "tile"}, {"objects", "object"}, {"chunks", "chunk"}}};

class Reader {
 public:
  explicit Reader(const Source& source) : source_(source) {}

  Element element(std::string tag, const JsonValue& value) const {
    if (!value.is(JsonKind::object)) {
      source_.refuse(StatusCode::tiled, value.at(), fmt::format("{} is no object; {{..}} is expected", tag));
    }
    Element out{std::move(tag), value.at()};
    for (const JsonValue member : value.items()) {
      if (!scalar(member.kind())) continue;
      out.set(std::string(member.key()), std::string(member.text()), kind_of(member.kind()));
      out.attributes.back().at = member.at();
    }
    if (out.tag == "layer") {
      out.children.push_back(data(value));
    } else {
      for (const JsonValue member : value.items()) add_member(out, member);
    }
    if (const auto properties = value.find("properties"))
      out.children.push_back(list("properties", "property", *properties));
    return out;
  }

 private:
  const JsonValue& array(const JsonValue& value) const {
    if (!value.is(JsonKind::array))
      source_.refuse(StatusCode::tiled, value.at(), fmt::format("{} is no list; [..] is expected", value.key()));
    return value;
  }

  Element list(std::string tag, std::string_view of, const JsonValue& value) const {
    Element out{std::move(tag), value.at()};
    for (const JsonValue item : array(value).items()) out.children.push_back(element(std::string(of), item));
    return out;
  }

  void add_member(Element& out, const JsonValue& member) const {
    const std::string_view key = member.key();
    for (const List& known : kLists) {
      if (key != known.key) continue;
      for (Element& item : list({}, known.tag, member).children) out.children.push_back(std::move(item));
    }
    if (key == "layers") {
      for (const JsonValue item : array(member).items()) out.children.push_back(element(layer_tag(item), item));
    } else if (key == "polygon" || key == "polyline") {
      out.children.push_back(points(member));
    } else if (key == "text" && member.is(JsonKind::object)) {
      out.children.push_back({"text", member.at()});
    } else if ((key == "ellipse" || key == "point") && member.text() == "true") {
      out.children.push_back({std::string(key), member.at()});
    }
  }

  std::string layer_tag(const JsonValue& layer) const {
    const auto type = layer.find("type");
    const std::string_view name = type ? type->text() : std::string_view();
    if (name == "tilelayer") return "layer";
    if (name == "objectgroup" || name == "group" || name == "imagelayer") return std::string(name);
    source_.refuse(StatusCode::tiled, type ? type->at() : layer.at(),
                   fmt::format("a layer of type \"{}\"; tilelayer, objectgroup, group or imagelayer is expected",
                               printable(name)));
  }

  Element points(const JsonValue& value) const {
    Element out{std::string(value.key()), value.at()};
    std::string text;
    for (const JsonValue point : array(value).items()) {
      const auto x = point.find("x"), y = point.find("y");
      if (!x || !y || !x->is(JsonKind::number) || !y->is(JsonKind::number))
        source_.refuse(StatusCode::tiled, point.at(),
                       "a corner without numbers x and y; {\"x\": 0, \"y\": 0} is expected");
      text += fmt::format("{}{},{}", text.empty() ? "" : " ", x->text(), y->text());
    }
    out.set("points", std::move(text));
    out.attributes.back().at = out.at;
    return out;
  }

  // JSON says how a layer is packed in the layer itself.
  Element data(const JsonValue& layer) const {
    Element out{"data", layer.at()};
    for (const std::string_view key : {"encoding", "compression"}) {
      const auto member = layer.find(key);
      if (!member) continue;
      out.set(std::string(key), std::string(member->text()));
      out.attributes.back().at = member->at();
    }
    if (const auto chunks = layer.find("chunks")) {
      for (const JsonValue chunk : array(*chunks).items()) {
        out.children.push_back(element("chunk", chunk));
        take_cells(out.children.back(), chunk);
      }
    } else {
      take_cells(out, layer);
    }
    return out;
  }

  void take_cells(Element& out, const JsonValue& owner) const {
    const auto cells = owner.find("data");
    if (!cells) return;
    out.text_at = cells->at();
    if (cells->is(JsonKind::string)) {
      out.text = cells->text();
      return;
    }
    for (const JsonValue cell : array(*cells).items()) {
      const ParsedInteger number = parse_integer(cell.text());
      if (!cell.is(JsonKind::number) || number.kind != NumberKind::number || number.negative ||
          number.value > std::numeric_limits<std::uint32_t>::max())
        source_.refuse(StatusCode::tiled, cell.at(), "a cell that is no gid; 0 .. 4294967295 is expected");
      out.gids.push_back(static_cast<std::uint32_t>(number.value));
    }
  }

  const Source& source_;
};

void quote(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

class Printer {
 public:
  std::string print(const Element& map) {
    element(map, 0);
    out_ += '\n';
    return std::move(out_);
  }

 private:
  void member(std::string_view key, std::size_t depth, bool& first) {
    out_ += first ? "{ " : ",\n" + std::string(depth + 1, ' ');
    first = false;
    quote(out_, key);
    out_ += ":";
  }

  void element(const Element& of, std::size_t depth) {
    bool first = true;
    for (const Attribute& attribute : of.attributes) {
      member(attribute.name, depth, first);
      if (attribute.kind == ValueKind::text) {
        quote(out_, attribute.value);
      } else {
        out_ += attribute.value;
      }
    }
    const bool layer = of.tag == "layer" || of.tag == "objectgroup";
    if (layer || of.tag == "map") {
      member("type", depth, first);
      quote(out_, of.tag == "layer" ? "tilelayer" : of.tag);
    }
    if (layer) {
      member("x", depth, first);
      out_ += '0';
      member("y", depth, first);
      out_ += '0';
      member("opacity", depth, first);
      out_ += '1';
    }
    if (layer || of.tag == "object") {
      member("visible", depth, first);
      out_ += "true";
    }
    children(of, depth, first);
    out_ += first ? "{}" : "}";
  }

  void children(const Element& of, std::size_t depth, bool& first) {
    if (of.tag == "chunk") cells(of, depth, first);
    list(of, "properties", {"properties"}, depth, first);
    list(of, "tilesets", {"tileset"}, depth, first);
    list(of, "tiles", {"tile"}, depth, first);
    list(of, "layers", {"layer", "objectgroup"}, depth, first);
    list(of, "objects", {"object"}, depth, first);
    for (const Element& child : of.children) {
      if (child.tag == "ellipse" || child.tag == "point") {
        member(child.tag, depth, first);
        out_ += "true";
      } else if (child.tag == "polygon" || child.tag == "polyline") {
        points(child, depth, first);
      } else if (child.tag == "data" && !child.gids.empty()) {
        cells(child, depth, first);
      } else if (child.tag == "data") {
        list(child, "chunks", {"chunk"}, depth, first);
      }
    }
  }

  void list(const Element& of, std::string_view key, std::initializer_list<std::string_view> tags, std::size_t depth,
            bool& first) {
    bool open = false;
    const auto item = [&](const Element& child) {
      if (!open) member(key, depth, first);
      out_ += (open ? ",\n" : "[\n") + std::string(depth + 2, ' ');
      open = true;
      element(child, depth + 2);
    };
    for (const Element& child : of.children) {
      if (std::find(tags.begin(), tags.end(), child.tag) == tags.end()) continue;
      if (key != "properties") {
        item(child);
        continue;
      }
      for (const Element& property : child.children) item(property);
    }
    // Tiled expects the lists of a map, a layer and a group to be there.
    if (!open && ((of.tag == "map" && key == "layers") || (of.tag == "objectgroup" && key == "objects"))) {
      member(key, depth, first);
      out_ += '[';
      open = true;
    }
    if (open) out_ += ']';
  }

  void points(const Element& of, std::size_t depth, bool& first) {
    member(of.tag, depth, first);
    out_ += '[';
    std::string_view separator;
    for (const Word& point : split_words(of.value("points"))) {
      const std::size_t comma = point.text.find(',');
      out_ +=
          fmt::format("{}{{\"x\":{}, \"y\":{}}}", separator, point.text.substr(0, comma), point.text.substr(comma + 1));
      separator = ", ";
    }
    out_ += ']';
  }

  void cells(const Element& of, std::size_t depth, bool& first) {
    member("data", depth, first);
    out_ += '[';
    for (std::size_t i = 0; i < of.gids.size(); ++i) {
      if (i > 0) out_ += i % of.row == 0 ? ",\n" : ",";
      out_ += std::to_string(of.gids[i]);
    }
    out_ += ']';
  }

  std::string out_;
};

}  // namespace

Element read_json(const Source& source) {
  const JsonText text(source.text(), source.file());
  const JsonValue root = text.root();
  const auto type = root.find("type");
  return Reader(source).element(type && type->text() == "tileset" ? "tileset"
                                : type && type->text() == "map"   ? "map"
                                                                  : "",
                                root);
}

std::string json_text(const Element& map) { return Printer().print(map); }

}  // namespace drover::io::tiled
