extension Options {
  /// Whether the request goes to another origin than the one it was meant for: a path that led away from the connection's
  /// URL, or a redirect. Whoever adds credentials to requests adds none to this one. It stays so on the way back.
  public var isForeign: Bool {
    get { self[IsForeign.self] }
    set { self[IsForeign.self] = newValue }
  }

  private enum IsForeign: OptionKey { static let defaultValue = false }
}
