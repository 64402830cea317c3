import Faraday
import Foundation

extension Target {
  /// A query that was read, written and read again has the same items, and is all characters of a query.
  ///
  /// The first line is the query, the second the value of an item that is set.
  static let query = Target("query") { input in
    let lines = input.lines
    let text = lines.text(0)
    let query = QueryParameters(parsing: text, plusIsSpace: text.utf8.count % 2 == 0)
    // An item with neither name nor value is nothing where it is written.
    let items = query.items.filter { !($0.name.isEmpty && $0.value == nil) }
    let written = query.description
    expectEqual(QueryParameters(parsing: written).items, items, "what \(written) is read as")
    expect(written.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }, "no query: \(written)")
    guard var request = try? Request("https://host.test/path") else { return }
    request.query = query
    expectEqual(request.query.items, items, "a request's query")
    request.query["mine"] = lines.text(1)
    expectEqual(request.query["mine"], lines.text(1), "the item that was set")
    expectEqual(request.path, "/path", "the path")
    request.pathComponents = [lines.text(1), "x"]
    expectEqual(request.pathComponents, (lines.text(1).isEmpty ? [] : [lines.text(1)]) + ["x"], "the components")
    expectEqual(request.query["mine"], lines.text(1), "the item with another path")
    expectEqual(request.url.host(), "host.test", "the host")
  }
}
