public import FaradayCore

/// Provides default header fields for the requests of a client. A request's fields of equal name override them.
///
/// Like the headers of a connection they are same-origin only: they are removed from cross-origin redirects.
public protocol HeaderProvider: Sendable {
  /// Read for each request, concurrently. The call throws its errors, and nothing is sent.
  var headers: HTTPFields { get throws }
}

/// A mutable set of default header fields, with fixed values or closures that are called for each request. Thread-safe.
///
///     let headers = RestingHeaderProvider()
///     headers.set(name: "Accept-Language", value: "cy")
///     headers.set(name: "Authorization") { session.token.map { "Bearer \($0)" } }
public final class RestingHeaderProvider: HeaderProvider {
  private let provided = ProvidedValues<String>()

  /// Creates a provider without fields.
  public init() {}

  /// Sets a field of all requests, and replaces a field of equal name (case-insensitive).
  public func set(name: String, value: String) { set(name: name) { value } }

  /// Sets a field to the value that the closure returns for each request; nil sends no field. Replaces a field of equal name
  /// (case-insensitive).
  public func set(name: String, provider: @escaping @Sendable () throws -> String?) {
    provided.set(name, provider) { $0.lowercased() == name.lowercased() }
  }

  /// Removes the field of that name (case-insensitive).
  public func remove(_ name: String) { provided.remove { $0.lowercased() == name.lowercased() } }

  /// The fields in the order in which they were added. Throws ``FaradayCore/InvalidValueError`` for an invalid name or value,
  /// and the errors of a closure.
  public var headers: HTTPFields {
    get throws {
      var headers = HTTPFields()
      for (name, value) in try provided.values { try headers.append(name: name, value: value) }
      return headers
    }
  }
}
