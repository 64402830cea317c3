extension Options {
  /// The template of the URL's path, `/v1/users/{id}`: a name for all requests that differ in values only, for metrics and traces.
  /// Set where a request is built with `path:` values, with the path of the connection's URL in front; nil by default.
  public var pathTemplate: String? {
    get { self[PathTemplateKey.self] }
    set { self[PathTemplateKey.self] = newValue }
  }

  private enum PathTemplateKey: OptionKey { static let defaultValue: String? = nil }
}
