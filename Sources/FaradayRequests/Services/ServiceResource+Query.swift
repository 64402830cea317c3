public import FaradayCoding
public import FaradayCore

/// Query items. They are appended to the items of the server's URL, of the path, and of earlier calls. A value that cannot be
/// encoded throws ``FaradayCoding/BodyEncodingError`` when the resource is loaded.
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
        resource.fail(error, encoding: value, as: .query)
      }
    }
  }

  /// Appends query items unchanged.
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
