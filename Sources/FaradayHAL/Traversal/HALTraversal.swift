internal import FaradayCoding
internal import FaradayCore

/// A traversal of link relations in steps. When a step fails, it keeps the fetched representations and can continue from there.
///
///     var traversal = connection.traversal()
///     do {
///       try await traversal.follow("app:library/app:books")
///     } catch let error as HALError {
///       print(error, traversal.representations.count)
///       try await traversal.follow("app:catalogue")      // goes on from the last representation that there is
///     }
///
/// It is a value: copies are independent. `Connection.follow` traverses in one call; its documentation describes how links are
/// followed.
public struct HALTraversal: Sendable {
  /// The representations so far, fetched or embedded, in the order in which they were followed.
  public private(set) var representations: [Representation] = []

  private var connection: Connection
  private let variables: [String: URITemplate.Value]
  private let usesEmbedded: Bool
  /// The URL of the response with the last representation, embedded or not.
  private var base: URL?
  private let start: HALLink?

  init(over connection: Connection, from start: HALLink?, variables: [String: URITemplate.Value], usesEmbedded: Bool) {
    self.connection = connection
    self.start = start
    self.variables = variables
    self.usesEmbedded = usesEmbedded
  }

  /// Follows a path of relations from the last representation; if there is none yet, fetches the first one before. An empty
  /// path fetches only the first one. Throws ``HALError``, and the errors of sending. ``representations`` keeps the
  /// representations up to the error.
  public mutating func follow(_ path: String) async throws { try await follow(path.split(separator: "/").map(String.init)) }

  /// Follows relations that can also be URIs, which contain slashes; otherwise equal to the variant with a path.
  public mutating func follow(_ relations: [String]) async throws {
    if representations.isEmpty { try await begin() }
    for relation in relations { try await follow(relation: relation) }
  }

  private mutating func begin() async throws {
    // Links are resolved by RFC 3986, however the connection's paths are joined.
    connection.joining = .resolve
    let request = try connection.request(.get, try start.map(target) ?? "")
    // The links of a server must not choose other servers that get the connection's headers and credentials.
    if connection.url == nil { connection.url = request.url }
    try await fetch(request, for: start?.rel)
  }

  private mutating func follow(relation: String) async throws {
    guard let holder = representations.last, let base else { return }
    let embedded = holder.embedded(for: relation).first
    if usesEmbedded, let embedded { return representations.append(embedded) }
    guard let link = holder.link(for: relation) ?? embedded?.selfLink else {
      let linked = holder.links.rels
      let known = Set(linked)
      throw fail(.missingRelation(present: linked + holder.embedded.rels.filter { !known.contains($0) }), relation)
    }
    guard let url = URLJoining.resolve.join(try target(of: link), to: base) else { throw fail(.invalidLink, relation) }
    // The representation came from the connection's server over https instead of http: the link is followed over https too.
    if let own = connection.url, Origin(own).isSecured(by: Origin(base)), Origin(url) == Origin(base) { connection.url = base }
    try await fetch(connection.request(.get, url.absoluteString), for: relation)
  }

  private mutating func fetch(_ request: Request, for relation: String?) async throws {
    var request = request
    request.headers.accept([.hal, .json])
    let response = try await connection.send(request)
    guard response.status.kind == .successful else { throw fail(.status(response.status), relation, response) }
    guard response.isHAL else {
      throw fail(.notHAL(path: "", problem: "its Content-Type is neither HAL nor JSON"), relation, response)
    }
    do {
      representations.append(try await response.decodeRepresentation())
    } catch let error as BodyDecodingError {
      throw fail(.notHAL(path: error.path, problem: error.reason), relation, response)
    }
    base = response.url
    // A cross-origin server, or a server that redirected here, must not choose URLs that are requested with the connection's
    // credentials.
    if connection.url.map({ response.isFromOrigin(of: $0) }) == false || response.wasRedirectedCrossOrigin {
      connection.treatAllRequestsAsCrossOrigin()
    }
  }

  private func target(of link: HALLink) throws -> String {
    guard link.isTemplated else { return link.href }
    do {
      let template = try URITemplate(link.href)
      let names = template.variables
      guard names.isEmpty || names.contains(where: { variables[$0] != nil }) else {
        throw fail(.templated(variables: names), link.rel)
      }
      return try template.expand(variables)
    } catch let error as URITemplateError {
      throw fail(.invalidTemplate(error), link.rel)
    }
  }

  private func fail(_ reason: HALError.Reason, _ relation: String?, _ response: Response? = nil) -> HALError {
    let url = (response?.url ?? base ?? connection.url).map { connection.secrets.redacting($0).bounded() }
    return HALError(
      reason: reason, relation: relation, url: url ?? "", response: response?.accepted(), representations: representations)
  }
}
