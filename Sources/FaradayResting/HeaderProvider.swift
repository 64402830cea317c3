public import FaradayCore

/// Provides default header fields for the requests of a client; a request's own fields of the same name override them.
///
/// Like the headers of a connection they belong to its origin: they are removed from cross-origin redirects.
public protocol HeaderProvider: Sendable {
  /// Read for each request, concurrently. An error is thrown by the call, and nothing is sent.
  var headers: HTTPFields { get throws }
}

/// A mutable set of default header fields, with fixed values or closures that are called for each request. Thread-safe.
///
///     let headers = RestingHeaderProvider()
///     headers.add("Accept-Language", "cy")
///     headers.add("Authorization") { session.token.map { "Bearer \($0)" } }
public final class RestingHeaderProvider: HeaderProvider {
  private let fields = ProvidedValues<String>()

  /// A provider without fields.
  public init() {}

  /// Adds a field to all requests, replacing one of the same name (case-insensitive).
  public func add(_ name: String, _ value: String) { add(name) { value } }

  /// Adds a field whose value the closure returns for each request; nil adds none. Replaces one of the same name
  /// (case-insensitive).
  public func add(_ name: String, provider: @escaping @Sendable () throws -> String?) {
    fields.add(name, provider) { $0.lowercased() == name.lowercased() }
  }

  /// Removes the field of that name (case-insensitive).
  public func remove(_ name: String) { fields.remove { $0.lowercased() == name.lowercased() } }

  /// The fields in the order in which they were added. Throws ``FaradayCore/InvalidHeader`` for an invalid name or value, and
  /// what a closure throws.
  public var headers: HTTPFields {
    get throws {
      var headers = HTTPFields()
      for (name, value) in try fields.values { try headers.add(name, value) }
      return headers
    }
  }
}
