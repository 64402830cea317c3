extension Request {
  /// Makes this a GET without a body and its header fields, as after a 303.
  package mutating func becomeGet() {
    method = .get
    body = .empty
    if options.requestTrailers != nil { options.requestTrailers = nil }
    for name in Set(headers.map(\.name)) where Self.isOfBody(name) { headers[fields: name] = [] }
  }

  /// The content-specific fields of RFC 9110, section 15.4, and those that belong to a body's framing.
  private static func isOfBody(_ name: HTTPField.Name) -> Bool {
    name.canonicalName.hasPrefix("content-") || fieldsOfBody.contains(name.canonicalName)
  }

  private static let fieldsOfBody: Set<String> = [
    "digest", "repr-digest", "last-modified", "expect", "transfer-encoding", "trailer", "idempotency-key",
  ]
}
