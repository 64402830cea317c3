public import FaradayCore

/// Says which header fields every request of a client has, unless it has one of that name itself.
///
/// Like those of a connection they are for the client's own server: a redirect to another origin goes without them.
public protocol HeaderProvider: Sendable {
  /// Asked with each request; what it throws, the call throws, and nothing is sent.
  var headers: HTTPFields { get throws }
}

/// Header fields that are asked for with each request, and that may be added and removed at any time, from any thread.
///
///     let headers = RestingHeaderProvider()
///     headers.add("Accept-Language", "cy")
///     headers.add("Authorization") { session.token.map { "Bearer \($0)" } }
public final class RestingHeaderProvider: HeaderProvider {
  private let fields = ProvidedValues<String>()

  public init() {}

  /// Gives every request a field; another of its name, in upper or lower case, goes.
  public func add(_ name: String, _ value: String) { add(name) { value } }

  /// Gives every request a field with what the closure returns at the time, or none if that is nil.
  public func add(_ name: String, provider: @escaping @Sendable () throws -> String?) {
    fields.add(name, provider) { $0.lowercased() == name.lowercased() }
  }

  /// Requests have the field no more, unless from elsewhere.
  public func remove(_ name: String) { fields.remove { $0.lowercased() == name.lowercased() } }

  /// The fields in the order in which they were added. Throws ``FaradayCore/InvalidHeader`` for a name or value that is none,
  /// and what a closure throws.
  public var headers: HTTPFields {
    get throws {
      var headers = HTTPFields()
      for (name, value) in try fields.values { try headers.add(name, value) }
      return headers
    }
  }
}
