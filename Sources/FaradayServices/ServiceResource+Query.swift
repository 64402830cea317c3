public import FaradayCoding
public import FaradayCore
internal import FaradayRequests

/// Query items. They are appended to those of the server's URL, of the path, and of earlier calls. A value that cannot be
/// encoded throws ``UnencodableQuery`` when the resource is loaded.
extension ServiceResource {
  /// Appends a query item for each member.
  ///
  ///     server.get("search").query(["text": "swift", "page": 2, "tags": ["a", "b"]])    // ?page=2&tags=a,b&text=swift
  public func query(_ members: JSONObject, strategies: FormStrategies = .services) -> Self {
    query(JSONValue.object(members), strategies: strategies)
  }

  /// Appends the members of a value as query items.
  public func query(_ value: some Encodable & Sendable, strategies: FormStrategies = .services) -> Self {
    changed { resource in
      do {
        resource.wanted.query.items += try QueryEncoder(strategies).encode(value).items
      } catch {
        resource.fail(UnencodableQuery(error, encoding: value, of: resource))
      }
    }
  }

  /// Appends query items as they are.
  public func query(items: QueryParameters) -> Self { changed { $0.wanted.query.items += items.items } }
}

extension FormStrategies {
  /// The default encoding of the queries and forms of services: sorted by name, `1` and `0` for Booleans, `a=1,2` for arrays.
  public static var services: FormStrategies {
    var strategies = FormStrategies()
    strategies.arrays = .commas
    strategies.bools = .digits
    strategies.sortsNames = true
    return strategies
  }
}

/// A value that could not be encoded as query items. Nothing was sent.
public struct UnencodableQuery: FaradayError, CustomReflectable {
  /// The type of the value.
  public let type: String
  /// The coding path of the value that is wrong: `filter.tags.2`; empty for the whole value.
  public let path: String
  /// The error of the encoder, or of the value itself. Its description may show values.
  public let underlying: any Error
  /// Method and URL, without the query.
  public let request: RequestSummary?
  private let reason: String

  init(_ underlying: any Error, encoding value: any Sendable, of resource: NetworkResource) {
    type = "\(Swift.type(of: value))"
    self.underlying = underlying
    request = RequestSummary(method: resource.wanted.method, url: resource.wanted.shownURL)
    let failure = EncodingFailure(underlying)
    path = failure.path
    reason = failure.reason
  }

  public var description: String {
    naming("the query, a \(type), cannot be encoded\(path.isEmpty ? "" : " at \(path)"): \(reason)")
  }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
