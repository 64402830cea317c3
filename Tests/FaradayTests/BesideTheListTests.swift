@_spi(Adapters) import Faraday
import FaradayTesting
import Foundation
import Testing

/// The table "Beside the list" of the article on the middleware stack: all that happens to a request besides its middleware.
@Suite struct BesideTheListTests {
  /// The steps in the table's order, and a check of each that returns the observed changes.
  private static let steps: [Step] = [
    // MARK: `connection.get` makes the request

    Step("The path is joined to the base URL, and the query is appended.", ["url http://own.test/v2/users?page=2"]) {
      try changes(
        from: Request(.get, url: url("users")),
        to: connection().request(.get, "users", query: ["page": 2]) { $0.headers = [:] })
    },
    Step("The default header fields are added.", ["+ Accept: a/b"]) {
      try changes(
        from: Request("http://own.test/x", headers: [.userAgent: "u"]),
        to: connection(headers: [.accept: "a/b", .userAgent: "u"]).request(.get, "/x"))
    },
    Step("A `User-Agent` is added if there is none.", ["+ User-Agent: \(Connection.standardUserAgent)"]) {
      try changes(from: Request("http://other.test/x"), to: connection().request(.get, "http://other.test/x"))
    },
    Step("It gets the default options.", ["options"]) {
      try changes(
        from: Request("http://own.test/x"), to: connection { $0.maximumBodySize = 5 }.request(.get, "/x") { $0.headers = [:] })
    },
    Step(
      "Without the default header fields, ``FaradayCore/Options/authentication`` and ``FaradayCore/TLS/clientCertificate`` of the connection.",
      ["- Authorization: Bearer secret", "options"]
    ) {
      let connection = Self.connection(headers: [.authorization: "Bearer secret"], secret)
      return try changes(from: connection.request(.get, "/x"), to: connection.request(.get, "http://other.test/x"), except: "url")
    },
    Step(
      "The arguments replace header fields and ``FaradayCore/Timeouts/total``; the closure comes last.",
      ["+ Accept: a/b", "options"]
    ) {
      try changes(
        from: connection().request(.get, "/x"),
        to: connection().request(.get, "/x", headers: ["Accept": "c/d"], timeout: .seconds(5)) { $0.headers[.accept] = "a/b" })
    },
    Step("The `Content-Type` that the body was made with is set.", ["+ Content-Type: application/x-www-form-urlencoded"]) {
      try changes(
        from: connection().request(.put, "/x"), to: connection().request(.put, "/x", body: .form(["a": 1])), except: "body")
    },

    // MARK: the stack passes it to the adapter

    Step(
      "The default header fields and credentials that the connection added are removed, unless they were changed.",
      ["- Authorization: Bearer secret", "options"]
    ) {
      try await sent(over: connection(headers: [.authorization: "Bearer secret", .accept: "a/b"], secret)) {
        $0.url = url("x", host: "other.test")
        $0.headers[.accept] = "c/d"
      }
    },
    Step(
      "`Accept-Encoding` is set to the codings that are decoded, or to `identity` if there is a `Range`.",
      ["+ Accept-Encoding: gzip, deflate", "+ Accept-Encoding: identity"]
    ) {
      let plain = try await sent(over: connection { $0.decompression = .standard }) { _ in }
      let range = try await sent(over: connection { $0.decompression = .standard }) { $0.headers[.range] = "bytes=0-4" }
      return plain.map { $0.replacing(", br", with: "").replacing(", zstd", with: "") } + range
    },

    // MARK: the adapter checks it

    Step("`Content-Length` and `Transfer-Encoding` are removed; the body decides about both.", ["- Content-Length: 1"]) {
      try checked(Request(.put, "http://own.test/", headers: [.contentLength: "1"], body: "a"))
    },
    Step("`Expect: 100-continue` is added.", ["+ Expect: 100-continue"]) {
      var request = Request(.put, url: url("x"), body: "body")
      request.options.expectContinue = ExpectContinue(minimumBodySize: 4)
      return try checked(request)
    },
    Step("Several `Cookie` fields are joined into one.", ["+ Cookie: a=1; b=2", "- Cookie: a=1", "- Cookie: b=2"]) {
      var request = try Request("http://own.test/")
      for value in ["a=1", "b=2"] { request.headers.append(HTTPField(name: .cookie, value: value)) }
      return try checked(request)
    },
  ]

  @Test(arguments: steps.indices) func `a step changes what the table says`(index: Int) async throws {
    let step = Self.steps[index]
    #expect(try await step.changes() == step.expected, "\(step.text)")
  }

  @Test func `the table has these steps`() throws {
    let article = try Pages.text(of: "Sources/Faraday/Faraday.docc/MiddlewareStack.md")
    let section = try #require(article.components(separatedBy: "\n## ").first { $0.hasPrefix("Beside the list\n") })
    let rows = section.split(separator: "\n").filter { $0.hasPrefix("|") }.dropFirst(2)
    let texts = rows.map { $0.split(separator: "|")[1].trimmingCharacters(in: .whitespaces) }
    #expect(texts == Self.steps.map(\.text))
  }

  /// The fields have all kinds of values that a client could change.
  @Test(arguments: [false, true]) func `nothing else happens to a request between the caller and the adapter`(isCrossOrigin: Bool)
    async throws
  {
    let fields: KeyValuePairs = [
      "Authorization": "Bearer a", "Proxy-Authorization": "Basic b", "Cookie": "a=1", "X-Api-Key": "c", "Host": "d.test",
      "Referer": "https://e.test/f?g", "Connection": "close", "TE": "trailers", "Range": "bytes=0-", "If-None-Match": "\"h\"",
      "Accept": "", "X-Twice": "1", "x-twice": "2",
    ]
    let changes = try await Self.sent(over: Self.connection(headers: [.acceptLanguage: "cy"])) {
      for (name, value) in fields { try $0.headers.append(name: name, value: value) }
      $0.headers[.acceptLanguage] = "en"
      $0.options.onInformational = { _ in }
      $0.options.delivery = .streamed
      if isCrossOrigin { $0.url = Self.url("x?y#z", host: "other.test") }
    }
    #expect(changes == [])
  }

  // MARK: what the checks are made of

  private struct Step: Sendable {
    let text: String
    let expected: [String]
    let changes: @Sendable () async throws -> [String]

    init(_ text: String, _ expected: [String], _ changes: @escaping @Sendable () async throws -> [String]) {
      (self.text, self.expected, self.changes) = (text, expected, changes)
    }
  }

  private static func url(_ path: String, host: String = "own.test") -> URL {
    URL(string: "http://\(host)/\(path)") ?? Pages.root
  }

  private static func connection(
    headers: HTTPFields = [:], _ edit: (inout Options) -> Void = { _ in }
  ) -> Connection {
    var options = Options()
    edit(&options)
    var connection = Connection(url: url("v2/"), defaults: options, adapter: MockAdapter(isStrict: false))
    connection.headers = headers
    return connection
  }

  private static func secret(_ options: inout Options) {
    options.authentication = TransportAuthentication(user: "user", password: "password", schemes: .digest)
    options.tls.clientCertificate = .pem(.file("client.pem"))
  }

  /// The changes to a request that the connection has made, between an empty list of middleware and the adapter.
  private static func sent(over connection: Connection, edit: (inout Request) throws -> Void) async throws -> [String] {
    var request = try connection.request(.get, "/x")
    try edit(&request)
    _ = try await connection.send(request)
    let mock = try #require(connection.stack.adapter as? MockAdapter)
    return try changes(from: request, to: #require(mock.recorded.first).request)
  }

  /// The changes to the header fields that an adapter makes when it has checked a request.
  private static func checked(_ request: Request) throws -> [String] {
    var changed = request
    changed.headers = try HTTPFields(Capabilities.all.checked(request, of: "the adapter").fields)
    return changes(from: request, to: changed)
  }

  /// All differences between two requests. Of options it only says whether they differ.
  private static func changes(from old: Request, to new: Request, except ignored: String? = nil) -> [String] {
    var changes: [String] = []
    if old.method != new.method { changes.append("method \(new.method)") }
    if old.url != new.url { changes.append(ignored == "url" ? "" : "url \(new.url.absoluteString)") }
    let difference = new.headers.map(\.line).difference(from: old.headers.map(\.line))
    changes += difference.map { change in
      switch change {
      case .remove(_, let line, _): "- " + line
      case .insert(_, let line, _): "+ " + line
      }
    }.sorted()
    if old.body.description != new.body.description { changes.append(ignored == "body" ? "" : "body \(new.body)") }
    if !old.options.isEqual(to: new.options) { changes.append("options") }
    return changes.filter { !$0.isEmpty }
  }
}

extension HTTPField {
  fileprivate var line: String { "\(name): \(value)" }
}

extension Options {
  /// Whether they are equal as far as they can be compared: callbacks count by their number.
  fileprivate func isEqual(to other: Options) -> Bool {
    description == other.description && maximumBodySize == other.maximumBodySize && timeouts == other.timeouts
      && httpVersion == other.httpVersion && requestTarget == other.requestTarget && tls == other.tls && proxy == other.proxy
      && network == other.network && addressPolicy == other.addressPolicy && authentication == other.authentication
      && rates == other.rates && expectContinue == other.expectContinue && acceptsHTTP0_9 == other.acceptsHTTP0_9
      && decompression == other.decompression
  }
}
