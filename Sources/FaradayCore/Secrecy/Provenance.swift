extension Options {
  /// Whether the request goes to another origin than the one it was meant for: a path that led away from the connection's
  /// URL, or a redirect. Whoever adds credentials to requests adds none to this one. It stays so on the way back.
  public var isForeign: Bool {
    get { self[IsForeign.self] }
    set { self[IsForeign.self] = newValue }
  }

  /// The fields that a request has of its connection: they are for one server only.
  package var homeHeaders: Set<HTTPField.Name> {
    get { self[HomeHeaders.self] }
    set { self[HomeHeaders.self] = newValue }
  }

  private enum HomeHeaders: OptionKey { static let defaultValue: Set<HTTPField.Name> = [] }
  private enum IsForeign: OptionKey { static let defaultValue = false }
}

extension Response {
  /// Whether its request was led away from its origin by a redirect, also if another one led it back.
  package var leftOrigin: Bool {
    get { self[LeftOrigin.self] ?? false }
    set { self[LeftOrigin.self] = newValue ? true : nil }
  }

  private enum LeftOrigin: ResponseKey { typealias Value = Bool }
}

extension Request {
  /// The caller has led it to another origin: what it has of the connection goes, unless the caller has changed it.
  mutating func leaveHome(_ homeHeaders: HTTPFields) {
    options.isForeign = true
    for name in options.homeHeaders where headers[fields: name] == homeHeaders[fields: name] { headers[fields: name] = [] }
  }
}
