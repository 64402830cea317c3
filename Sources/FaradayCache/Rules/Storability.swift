internal import FaradayCore

extension StoredResponse {
  /// Why it must not or need not be stored (RFC 9111, section 3); nil if it may be.
  func refusal(for request: RequestDirectives, vary: Vary?) -> CacheResult.Reason? {
    if request.noStore { return .noStore }
    if headers.count > HTTPFields.maximumStoredCount { return .tooLarge }
    let code = status.code
    // What is not final, and a part.
    if code < 200 || code == 206 { return .status }
    if directives.mustUnderstand {
      // Section 5.2.2.3: it stands above no-store for those who know the status.
      if !Self.understoodStatuses.contains(code) { return .status }
    } else if directives.noStore {
      return .noStore
    }
    guard vary != nil else { return .vary }
    guard directives.isPublicOrPrivate || freshness.isExplicit || Freshness.heuristicStatuses.contains(code) else {
      return .status
    }
    let isUsable =
      freshness.lifetime > freshness.initialAge || entityTag != nil || lastModified != nil || directives.staleIfError > 0
      || directives.staleWhileRevalidate > 0
    return isUsable ? nil : .neverFresh
  }

  /// Statuses whose caching requirements this cache implements.
  private static let understoodStatuses: Set<Int> = Freshness.heuristicStatuses.union([302, 303, 307])
}

/// The names of `Vary` (RFC 9111, section 4.1): the request's fields that a response was selected by. In lower case, sorted.
struct Vary: Hashable, Sendable {
  let names: [String]

  init(names: [String]) { self.names = names }

  /// Nil if it has `*`, which never matches, something that is no field name, or more than 32 names.
  init?(_ headers: HTTPFields) {
    var names: Set<String> = []
    for value in headers[values: .vary] {
      for element in value.utf8.split(separator: UInt8(ascii: ",")) {
        let name = element.drop { $0 == 0x20 || $0 == 0x09 }.reversed().drop { $0 == 0x20 || $0 == 0x09 }.reversed()
        if name.isEmpty { continue }
        let text = String(decoding: name, as: UTF8.self)
        guard text != "*", HTTPField.Name(text) != nil else { return nil }
        names.insert(text.lowercased())
      }
    }
    guard names.count <= 32 else { return nil }
    self.names = names.sorted()
  }

  /// The values of these fields in a request, as text that differs if they do. Repeated fields count as one with commas.
  func values(in headers: HTTPFields) -> String {
    names.map { name in
      guard let name = HTTPField.Name(name), headers.contains(name) else { return "-" }
      let value = headers[values: name].map { $0.trimmingSpace() }.joined(separator: ", ")
      return "\(value.utf8.count):\(value)"
    }.joined(separator: ";")
  }
}

extension String {
  fileprivate func trimmingSpace() -> Substring {
    let isSpace = { (character: Character) in character == " " || character == "\t" }
    var rest = drop(while: isSpace)
    while let last = rest.last, isSpace(last) { rest.removeLast() }
    return rest
  }
}
