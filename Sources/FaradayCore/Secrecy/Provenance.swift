/// What belongs to the connection that a request was made by: its origin, what it has put on the request, its secrets.
///
/// It is no part of the caller's options, and a caller cannot take it away: a stack hands it down from layer to layer (``Next``),
/// also to a request that a middleware has made anew.
final class Provenance: Sendable {
  /// The origin of the connection's URL; nil if it has none, and is at home everywhere.
  let home: Home?
  /// The fields that the request was given, for one server only.
  let carried: HTTPFields
  let secrets: Secrets
  /// Whether the request has left the origin that it was meant for, whatever its URL is now.
  let isForeign: Bool
  /// The connection's own, which this was made of.
  private let source: Provenance?

  init(
    home: Home? = nil, carried: HTTPFields = [:], secrets: Secrets = Secrets(), isForeign: Bool = false,
    source: Provenance? = nil
  ) {
    self.home = home
    self.carried = carried
    self.secrets = secrets
    self.isForeign = isForeign
    self.source = source
  }

  static let none = Provenance()

  /// A copy with other parts.
  func with(
    carried: HTTPFields? = nil, secrets: Secrets? = nil, isForeign: Bool? = nil
  ) -> Provenance {
    Provenance(
      home: home, carried: carried ?? self.carried, secrets: secrets ?? self.secrets, isForeign: isForeign ?? self.isForeign,
      source: source ?? self)
  }

  func isHome(_ url: URL) -> Bool { home?.contains(url) ?? true }

  /// This one, of a request to the URL that is handed to a stack or a layer with that one: nothing that either keeps back gets
  /// out. What a request has of another connection stays for that one's server.
  func joined(to other: Provenance, at url: URL) -> Provenance {
    // The usual case of a request that was made by the connection it is sent over.
    if self === other || source === other { return self }
    var secrets = secrets
    secrets.formUnion(other.secrets)
    return Provenance(
      home: home ?? other.home, carried: carried, secrets: secrets,
      isForeign: isForeign || other.isForeign || !other.isHome(url))
  }

  /// An origin, and how its URLs begin in the spelling that most of them have.
  struct Home: Sendable {
    private let origin: Origin
    private let start: String

    init(_ url: URL) {
      let parts = URLParts(url.absoluteString)
      origin = Origin(url)
      start = parts.host.isEmpty ? "" : String(parts.start + parts.host)
    }

    func contains(_ url: URL) -> Bool {
      let text = url.absoluteString
      if !start.isEmpty, text.hasPrefix(start) {
        switch text.utf8.dropFirst(start.utf8.count).first {
        case nil, UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): return true
        default: break
        }
      }
      return origin == Origin(url)
    }

    static func == (left: Home, right: Home) -> Bool { left.origin == right.origin }
  }
}

extension Request {
  /// Whether the request goes to another origin than the one it was meant for: a URL that leads away from the connection's, or
  /// a redirect. Whoever adds credentials to requests adds none to this one. After a redirect it stays so on the way back, see
  /// ``leaveOrigin()``.
  public var isForeign: Bool {
    guard let provenance else { return false }
    return provenance.isForeign || !provenance.isHome(url)
  }

  /// What is secret about the request: what its connection says, and ``markSecret(_:)``.
  public var secrets: Secrets { provenance?.secrets ?? Provenance.none.secrets }

  /// Makes more names secret for this request, as ``Secrets/insert(_:)`` does for all.
  public mutating func markSecret(_ names: String...) {
    var secrets = secrets
    for name in names { secrets.insert(name) }
    provenance = (provenance ?? .none).with(secrets: secrets)
  }

  /// Marks the request as foreign, and leaves its fields as they are.
  package mutating func markForeign() {
    guard provenance?.isForeign != true else { return }
    provenance = (provenance ?? .none).with(isForeign: true)
  }

  /// Puts fields in the place of all of their names that are for the connection's own server, like the connection's.
  package mutating func carry(_ fields: HTTPFields) {
    let names = Set(fields.map(\.name))
    for name in names { headers[fields: name] = [] }
    for field in fields { headers.append(field) }
    guard !isForeign else { return }
    let known = provenance ?? .none
    provenance = known.with(carried: HTTPFields(known.carried.filter { !names.contains($0.name) } + fields))
  }

  /// Takes what belongs to the layer that handles the request, if it has not got it.
  mutating func join(_ other: Provenance) {
    guard provenance !== other else { return }
    provenance = provenance?.joined(to: other, at: url) ?? other
  }

  /// Without what the connection has given it, unless the caller has changed it, if it has been led elsewhere.
  func leavingCarriedFieldsAtHome() -> Request {
    guard let provenance, !provenance.carried.isEmpty, !provenance.isHome(url) else { return self }
    var request = self
    for name in Set(provenance.carried.map(\.name)) where has(provenance.carried[fields: name], of: name) {
      request.headers[fields: name] = []
    }
    request.provenance = provenance.with(carried: [:], isForeign: true)
    return request
  }

  /// Whether the fields of this name are what the connection gave; of a secret one, whether they have that among others, as a
  /// `Cookie` has to which a middleware has added some.
  private func has(_ carried: [HTTPField], of name: HTTPField.Name) -> Bool {
    let fields = headers[fields: name]
    guard fields != carried, secrets.keepsHome(name) else { return fields == carried }
    return carried.contains { own in !own.value.isEmpty && fields.contains { $0.value.contains(own.value) } }
  }
}

extension Response {
  /// What is secret about it: what its request's connection says.
  package var secrets: Secrets { provenance?.secrets ?? Provenance.none.secrets }

  /// With what is secret about the request that it answers, if it did not come over a connection itself.
  package func takingSecrets(of request: Request) -> Response {
    guard provenance == nil, let given = request.provenance else { return self }
    var response = self
    response.provenance = given
    return response
  }

  /// Whether its request was led away from its origin by a redirect, also if another one led it back.
  package var leftOrigin: Bool {
    get { self[LeftOrigin.self] ?? false }
    set { self[LeftOrigin.self] = newValue ? true : nil }
  }

  private enum LeftOrigin: ResponseKey { typealias Value = Bool }
}
