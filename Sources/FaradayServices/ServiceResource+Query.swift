public import FaradayCoding
public import FaradayCore
internal import FaradayRequests

/// The query. What each call adds stands behind what was there: that of the server's URL, that of the path, that of calls before.
/// A value that cannot be encoded makes the loading throw ``UnencodableQuery``.
extension ServiceResource {
  /// With more items in the query, one for each member.
  ///
  ///     server.get("search").query(["text": "swift", "page": 2, "tags": ["a", "b"]])    // ?page=2&tags=a,b&text=swift
  public func query(_ members: JSONObject, strategies: FormStrategies = .services) -> Self {
    query(JSONValue.object(members), strategies: strategies)
  }

  /// With more items in the query: the members of a value.
  public func query(_ value: some Encodable & Sendable, strategies: FormStrategies = .services) -> Self {
    changed { resource in
      do {
        resource.wanted.query.items += try QueryEncoder(strategies).encode(value).items
      } catch {
        resource.fail(UnencodableQuery(error, encoding: value, of: resource))
      }
    }
  }

  /// With more items in the query, as they are.
  public func query(items: QueryParameters) -> Self { changed { $0.wanted.query.items += items.items } }
}

extension FormStrategies {
  /// As services have their queries and fields unless they say otherwise: in the order of the names, `1` and `0` for bools,
  /// `a=1,2` for lists.
  public static var services: FormStrategies {
    var strategies = FormStrategies()
    strategies.arrays = .commas
    strategies.bools = .digits
    strategies.sortsNames = true
    return strategies
  }
}

/// A query whose value could not be encoded. Nothing was sent.
public struct UnencodableQuery: FaradayError, CustomReflectable {
  /// The type of the value.
  public let type: String
  /// Where in the value it went wrong: `filter.tags.2`; empty for the value itself.
  public let path: String
  /// What the encoder, or the value itself, threw. Its text may show values.
  public let underlying: any Error
  /// The method, and the URL without its query.
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
