public import FaradayCore

extension Connection {
  /// Traverses an API by its link relations: fetches the first representation, follows each relation to the next one, and
  /// returns all of them in order, one more than there are relations.
  ///
  ///     let books = try await connection.follow("app:library/app:books").last
  ///     try await connection.follow("app:search", variables: ["q": "hal"])
  ///
  /// Each is fetched with a GET through the middleware; ``FaradayHAL/HALDecoding`` is not required. A link is resolved against
  /// the URL of the response that contained it (RFC 3986). A link to another origin is followed as a cross-origin request,
  /// without the connection's headers, and so is every link after it, even back to the first origin, and even if redirects led
  /// away. Throws ``FaradayHAL/HALError``, and the errors of sending.
  ///
  /// - Parameters:
  ///   - path: relations separated by slashes, each a name or a CURIE; an empty path returns the first representation.
  ///   - link: the first link. Its `href` is resolved against the connection's URL (RFC 3986), regardless of the connection's
  ///     ``FaradayCore/URLJoining``. Nil, the default, starts at that URL.
  ///   - variables: values for links that are URI templates and have one of these variables.
  ///   - usesEmbedded: whether a representation that is embedded under the relation is used instead of a request. True by
  ///     default; it may be only a part of the linked resource.
  public func follow(
    _ path: String, from link: HALLink? = nil, variables: [String: URITemplate.Value] = [:], usesEmbedded: Bool = true
  ) async throws -> [Representation] {
    try await follow(path.split(separator: "/").map(String.init), from: link, variables: variables, usesEmbedded: usesEmbedded)
  }

  /// Traverses relations that can also be URIs, which contain slashes; otherwise equal to the variant with a path.
  public func follow(
    _ relations: [String], from link: HALLink? = nil, variables: [String: URITemplate.Value] = [:], usesEmbedded: Bool = true
  ) async throws -> [Representation] {
    var traversal = traversal(from: link, variables: variables, usesEmbedded: usesEmbedded)
    try await traversal.follow(relations)
    return traversal.representations
  }

  /// Returns a traversal in steps. When a step fails, it keeps the fetched representations and can continue. Nothing is sent
  /// before its first step. It has the arguments of `follow`.
  public func traversal(
    from link: HALLink? = nil, variables: [String: URITemplate.Value] = [:], usesEmbedded: Bool = true
  ) -> HALTraversal {
    HALTraversal(over: self, from: link, variables: variables, usesEmbedded: usesEmbedded)
  }
}
