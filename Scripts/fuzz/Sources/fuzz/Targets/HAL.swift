import Faraday
import FaradayHAL
import Foundation

extension Target {
  /// A HAL document that was read, rendered and read again is the same, and its links are found however they are asked for.
  static let hal = Target("hal") { input in
    guard let document = try? Representation(data: Data(input.bytes)) else { return }
    let again: Representation
    do { again = try Representation(json: document.json) } catch {
      fatalError("what was rendered cannot be read: \(error)")
    }
    expectEqual(again, document, "what was rendered and read again")
    expectEqual(again.json, document.json, "what was rendered again")
    for rel in document.links.rels {
      expect(document.links(for: rel).count >= document.links[rel].count, "a link of \(rel) is not found")
      // A prefix may stand for one: what it makes is then taken for a CURIE again.
      guard let uri = document.expand(curie: rel), document.expand(curie: uri) == nil else { continue }
      expect(document.links(for: uri).count >= document.links[rel].count, "a link of \(uri) is not found")
      if let curie = document.contract(uri: uri) { expectEqual(document.expand(curie: curie), uri, "what was contracted") }
    }
    for rel in document.embedded.rels {
      expect(document.embedded(for: rel).count >= document.embedded[rel].count, "nothing embedded is found for \(rel)")
    }
    for link in document.links.flatMap(\.values) { _ = try? link.expand(["id": "a/b", "page": ["1", "2"]]) }
  }
}
