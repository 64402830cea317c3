public import FaradayCore
public import FaradayPromises

extension Connection {
  /// Follows a path of relations, from one representation to the next, and gives all of them, the first one first: of N
  /// relations N+1.
  ///
  ///     let books = try await connection.follow("app:library/app:books").last
  ///     try await connection.follow("app:search", variables: ["q": "hal"])
  ///
  /// Each is fetched with a GET that passes the stack; the stack needs no ``DecodeHAL``. A link is resolved against the URL of
  /// the response that held it (RFC 3986). One that leads to another origin is followed without the connection's headers and
  /// marked as foreign, as a path is, and so is every link from there on, also back, and also if it was redirects that led
  /// there and back. Throws ``FollowingError``, and what sending throws.
  ///
  /// - Parameters:
  ///   - path: relations with slashes between them, each a name or a CURIE; none at all gives the first representation.
  ///   - link: where to begin; its `href` is resolved against the connection's URL (RFC 3986), whatever the connection's
  ///     ``FaradayCore/URLJoining``. Nil begins at that URL.
  ///   - variables: the values for links that are templates, for each that has one of these variables.
  ///   - usesEmbedded: whether a representation that is embedded under the relation is taken without a request. It may be only
  ///     a part of what its own link leads to.
  public func follow(
    _ path: String, from link: HALLink? = nil, variables: [String: URITemplate.Value] = [:], usesEmbedded: Bool = true
  ) async throws -> [Representation] {
    try await follow(path.split(separator: "/").map(String.init), from: link, variables: variables, usesEmbedded: usesEmbedded)
  }

  /// Follows relations that may also be URIs, which have slashes in them; otherwise as the path of them is followed.
  public func follow(
    _ relations: [String], from link: HALLink? = nil, variables: [String: URITemplate.Value] = [:], usesEmbedded: Bool = true
  ) async throws -> [Representation] {
    var traversal = Traversal(over: self, variables: variables, usesEmbedded: usesEmbedded)
    try await traversal.begin(at: link)
    for relation in relations { try await traversal.follow(relation) }
    return traversal.representations
  }
}

extension Promising where Caller == Connection {
  /// Follows a path of relations, and returns a promise at once.
  @discardableResult
  public func follow(
    _ path: String, from link: HALLink? = nil, variables: [String: URITemplate.Value] = [:], usesEmbedded: Bool = true
  ) -> Promise<[Representation]> {
    Promise { try await caller.follow(path, from: link, variables: variables, usesEmbedded: usesEmbedded) }
  }

  /// Follows relations that may also be URIs, and returns a promise at once.
  @discardableResult
  public func follow(
    _ relations: [String], from link: HALLink? = nil, variables: [String: URITemplate.Value] = [:], usesEmbedded: Bool = true
  ) -> Promise<[Representation]> {
    Promise { try await caller.follow(relations, from: link, variables: variables, usesEmbedded: usesEmbedded) }
  }
}
