extension Request {
  /// Makes this a GET without a body, and without the fields that went with one.
  package mutating func becomeGet() {
    method = .get
    body = .empty
    for name in Set(headers.map(\.name)) where Self.isOfBody(name) { headers[fields: name] = [] }
  }

  /// What RFC 9110, section 15.4, calls content-specific; and what frames a body or goes with one here.
  private static func isOfBody(_ name: HTTPField.Name) -> Bool {
    name.canonicalName.hasPrefix("content-") || fieldsOfBody.contains(name.canonicalName)
  }

  private static let fieldsOfBody: Set<String> = [
    "digest", "repr-digest", "last-modified", "expect", "transfer-encoding", "trailer", "idempotency-key",
  ]
}
