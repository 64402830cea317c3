import Faraday
import FaradayTesting
import FoundationEssentials

/// The rows of the leak matrix: a kind of secret, and where it stands in an exchange.
enum LeakedSecret: String, CaseIterable {
  case authorization = "Authorization"
  case cookie = "Cookie"
  case proxy = "proxy credentials"
  case header = "a header field by name"
  case proof = "a DPoP proof"
  case deviceCode = "a device code"
  case samlResponse = "a SAML response"
  case query = "a query item"
  case json = "a JSON member"
  case form = "a form field"
  case urlPassword = "a URL's password"
  case path = "a part of a path"

  static let value = "hunter2"

  /// Whether the text has it, as it is or as engines send it.
  static func isIn(_ text: String) -> Bool {
    text.contains(value) || text.contains(Data("user:\(value)".utf8).base64EncodedString())
  }

  /// The form in which every request of the connection contains the secret.
  var headers: HTTPFields {
    switch self {
    case .authorization: [.authorization: "Bearer \(Self.value)"]
    case .cookie: [.cookie: "session=\(Self.value)"]
    case .proxy: [.proxyAuthorization: "Basic \(Self.value)"]
    case .header: HTTPField.Name("X-Own").map { [$0: Self.value] } ?? [:]
    case .proof: [.dpop: Self.value]
    default: [:]
    }
  }

  /// The connection's URL.
  func base(_ server: String) -> String {
    switch self {
    case .urlPassword: server.replacing("://", with: "://user:\(Self.value)@") + "/"
    case .path: server + "/bot\(Self.value)/"
    default: server + "/"
    }
  }

  /// A path with the query of one request.
  func path(_ name: String) -> String {
    switch self {
    case .query: "\(name)?page=1&access_token=\(Self.value)"
    case .deviceCode: "\(name)?device_code=\(Self.value)&page=1"
    default: name
    }
  }

  var content: (type: MediaType, text: String)? {
    switch self {
    case .json: (.json, "{\"user\": {\"newPassword\": \"\(Self.value)\"}}")
    case .form: (.form, "user=me&client_secret=\(Self.value)")
    case .samlResponse: (.form, "SAMLResponse=\(Self.value)&RelayState=x")
    default: nil
    }
  }

  var method: HTTPRequest.Method { content == nil ? .get : .post }
  var body: Body { content.map { .text($0.text) } ?? .empty }

  func connection(_ server: String, _ adapter: any Adapter, _ middleware: any Middleware...) throws -> Connection {
    var connection = try Connection(base(server), adapter: adapter, middleware: middleware)
    connection.headers = headers
    if let content { connection.headers[.contentType] = content.type.description }
    connection.secrets.insert("X-Own")
    connection.secrets.insert(path: "/bot{token}/")
    return connection
  }
}

/// A server that keeps the bytes of each request.
final class WireTap: Sendable {
  private let server: RawServer
  private let seen = Log<String>()

  var url: String { server.url }
  /// Heads and bodies.
  var received: [String] { seen.elements }

  /// - Parameter place: the URL to which a target with `leave` is redirected.
  init(redirectingTo place: String = "") throws {
    let seen = seen
    server = try RawServer { connection in
      while true {
        let head = try connection.readHead()
        let length = head.lowercased().firstMatch(of: #/content-length: ([0-9]+)/#).flatMap { Int($0.output.1) } ?? 0
        seen.append(head + String(decoding: try connection.read(exactly: length), as: UTF8.self))
        let leaves = head.split(separator: " ")[1].contains("leave")
        try connection.send(
          "HTTP/1.1 \(leaves ? "302 Found\r\nLocation: \(place)" : "200 OK")\r\nContent-Length: 0\r\n\r\n")
      }
    }
  }
}
