internal import FaradayCore

extension StoredResponse {
  /// Returns the reason why the response must not or need not be stored (RFC 9111, section 3); nil if it may be stored.
  func refusal(for request: RequestDirectives, vary: Vary?) -> CacheResult.Reason? {
    if request.noStore { return .noStore }
    if headers.count > HTTPFields.maximumStoredCount { return .tooLarge }
    let code = status.code
    // Interim responses, and partial content.
    if code < 200 || code == 206 { return .status }
    if directives.mustUnderstand {
      // Section 5.2.2.3: must-understand overrides no-store for a cache that understands the status.
      if !Self.understoodStatuses.contains(code) { return .status }
    } else if directives.noStore {
      return .noStore
    }
    guard vary != nil else { return .vary }
    if policy.alwaysRevalidates {
      // A server evaluates a precondition only if the response would be 2xx without it (RFC 9110, section 13.2.1).
      guard code == 200 else { return .status }
      return entityTag != nil || lastModified != nil ? nil : .neverFresh
    }
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

/// The names in `Vary` (RFC 9111, section 4.1): the request fields that selected a response. In lower case, sorted.
struct Vary: Hashable, Sendable {
  let names: [String]

  init(names: [String]) { self.names = names }

  /// Returns nil if the field has `*`, which never matches, an invalid field name, or more than 32 names.
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

  /// Returns the values of these fields in a request, as text that differs if the values differ. Repeated fields count as one
  /// with commas.
  func values(in headers: HTTPFields) -> String {
    names.map { name in
      guard let name = HTTPField.Name(name), headers.contains(name) else { return "-" }
      let value = headers[values: name].map { $0.trimming() }.joined(separator: ", ")
      return "\(value.utf8.count):\(value)"
    }.joined(separator: ";")
  }
}
