public import FaradayCore

/// Encodes a value as query items or as a URL-encoded form: any `Encodable` that has members, including a ``JSONValue`` object.
///
///     request.query = try QueryEncoder().encode(["q": "swift", "tags": ["a", "b"]] as JSONValue)
///
/// Members keep the order of declaration. Nested members are `a[b]=c`, arrays `a[]=1&a[]=2`. An encoded nil is a name without a
/// value.
public struct QueryEncoder: Sendable {
  /// How names and values are encoded.
  public var strategies: FormStrategies

  /// An encoder with strategies.
  public init(_ strategies: FormStrategies = FormStrategies()) { self.strategies = strategies }

  /// Encodes the value. Throws an `EncodingError` for a value without members, a file or a number that is not finite, and the
  /// errors of the value's own encoding.
  public func encode(_ value: any Encodable) throws -> QueryParameters {
    let tree = try TreeEncoder.members(of: value, strategies)
    var query = QueryParameters()
    // The coding path identifies the elements to join, because another member may be encoded between them.
    try tree.forEachLeaf { leaf, path in
      let (name, value) = (strategies.name(of: path), try text(leaf, at: path))
      if strategies.joins(path), let last = query.items.indices.last, query.items[last].name == name {
        query.items[last].value = query.items[last].value ?? ""
        query.items[last].value?.append(",\(value ?? "")")
      } else {
        query.items.append(QueryParameters.Item(name, value))
      }
    }
    if strategies.sortsNames { query.items = query.items.stablySorted { $0.name < $1.name } }
    return query
  }

  private func text(_ leaf: ValueTree.Leaf, at path: [any CodingKey]) throws -> String? {
    switch leaf {
    case .null: return nil
    case .bool(let value): return strategies.text(value)
    case .text(let text): return text
    case .data(let data): return data.base64EncodedString()
    case .file(let file):
      throw EncodingError.invalid(file, at: path, "a file can be encoded only in a multipart form")
    }
  }
}

extension Array {
  func stablySorted(by areInOrder: (Element, Element) -> Bool) -> [Element] {
    enumerated().sorted { left, right in
      areInOrder(left.element, right.element) || (!areInOrder(right.element, left.element) && left.offset < right.offset)
    }.map(\.element)
  }
}
