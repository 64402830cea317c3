import Faraday
import FaradayTesting
import FoundationEssentials
import Logging
import TestSupport
import Testing

/// Logs, curl commands and errors contain no secret from any part of an exchange.
@Suite struct SecrecyTests {
  private static let hidden = "hunter2"

  struct Place: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var url = "http://host/"
    var method = HTTPRequest.Method.post
    var headers: HTTPFields = [:]
    var body = ""
    var response: HTTPFields = [:]
    var responseBody = ""

    init(_ name: String, _ edit: (inout Place) -> Void) {
      testDescription = name
      edit(&self)
    }
  }

  static let places: [Place] = [
    Place("user and password") { $0.url = "http://\(hidden):\(hidden)@host/" },
    Place("query") { $0.url = "http://host/?a=1&token=\(hidden)&API_KEY=\(hidden)&%74oken=\(hidden)" },
    Place("fragment") { $0.url = "http://host/?a#access_token=\(hidden)" },
    Place("Authorization") { $0.headers[.authorization] = "Bearer \(hidden)" },
    Place("Proxy-Authorization") { $0.headers[.proxyAuthorization] = "Basic \(hidden)" },
    Place("Cookie") { $0.headers[.cookie] = "session=\(hidden)" },
    Place("a header of one's own") { try? $0.headers.set(name: "X-Own", value: hidden) },
    Place("Referer") { $0.headers[.referer] = "http://\(hidden)@other/?token=\(hidden)#\(hidden)" },
    Place("Referer that is no URL") { $0.headers[.referer] = "http://[/?token=\(hidden)" },
    Place("form") {
      $0.headers[.contentType] = "application/x-www-form-urlencoded"
      $0.body = "user=me&password=\(hidden)&client%5Fsecret=\(hidden)&Token=\u{301}\(hidden)"
    },
    Place("form without a type") { $0.body = "user=me&password=\(hidden)" },
    Place("form in parts") {
      $0.headers[.contentType] = "multipart/form-data; boundary=b"
      $0.body = "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n\(hidden)\r\n--b--\r\n"
    },
    Place("JSON") {
      $0.headers[.contentType] = "application/json; charset=utf-8"
      $0.body = """
        {"user": "me", "password" : "\(hidden)", "list": [{"Token": ["\(hidden)", {"a": "\(hidden)"}]}], "secret":
         {"of": "}\(hidden)"}, "pass\\u0077ord": "\(hidden)", "key": "\\"\(hidden)"}
        """
    },
    Place("JSON in an event stream") {
      $0.response[.contentType] = "text/event-stream"
      $0.responseBody = "data: 5\" disk\n\ndata: {\"token\":\"\(hidden)\"}\n\n"
    },
    Place("JSON in a script") {
      $0.response[.contentType] = "text/javascript"
      $0.responseBody = "cb({\"token\":\"\(hidden)\"})"
    },
    Place("JSON after a prefix, without a type") { $0.responseBody = ")]}'\n{\"token\":\"\(hidden)\"}" },
    Place("lines of JSON, one of them cut off") {
      $0.responseBody = "{\"token\":\"\(hidden)\n{\"token\":\"\(hidden)\"}\n"
    },
    Place("JSON with a line end in a string") { $0.body = "{\"note\":\"a\nb\",\"password\":\"\(hidden)\"}" },
    Place("JSON after a single quote") { $0.responseBody = "data: 5\" disk {\"a\":1,\"token\":\"\(hidden)\"}" },
    Place("JSON without a type, cut off") { $0.body = "[{\"token\": \"\(hidden)" },
    Place("JSON in a string of JSON") {
      $0.headers[.contentType] = "application/json"
      $0.body = #"{"payload":" {\"user\":\"me\",\"password\":\"\#(hidden)\"}","list":["[{\"token\":\"\#(hidden)\"}]"]}"#
      $0.responseBody = #"{"a":"{\"b\":\"{\\\"password\\\":\\\"\#(hidden)\\\"}\"}","c":"\u007b\u0022key\u0022:\"\#(hidden)\"}"}"#
    },
    Place("JSON in a string of JSON, cut off") { $0.body = #"[{"payload": "{\"token\": \"\#(hidden)\uD83D"# },
    Place("Set-Cookie") { $0.response[.setCookie] = "session=\(hidden)" },
    Place("Location") { $0.response[.location] = "https://\(hidden)@other/?code=\(hidden)#access_token=\(hidden)" },
    Place("relative Location") { $0.response[.location] = "../next?token=\(hidden)" },
    Place("Link") {
      try? $0.response.set(name: "Link", value: "</next?token=\(hidden)>; rel=next, <http://\(hidden)@h/>; rel=\"a b\"")
    },
    Place("Refresh") { try? $0.response.set(name: "Refresh", value: "5; URL=http://host/?token=\(hidden)") },
    Place("response in JSON") {
      $0.response[.contentType] = "application/json"
      $0.responseBody = "{\"access_token\": \"\(hidden)\", \"refresh_token\":\"\(hidden)\"}"
    },
    Place("response as a form") {
      $0.response[.contentType] = "application/x-www-form-urlencoded"
      $0.responseBody = "access_token=\(hidden)&b=1"
    },
  ]

  private func connection(_ place: Place, log: CapturedLog, status: HTTPResponse.Status) throws -> Connection {
    let mock = MockAdapter()
    mock.stub { _ in
      true
    } respond: {
      Response(status: status, headers: place.response, body: .text(place.responseBody), url: $0.url)
    }
    var connection = Connection(
      adapter: mock,
      middleware: [
        .logger(log.logger(), .full(bodyLimit: 1 << 20)), .statusValidation, .logger(log.logger(), .full(bodyLimit: 120)),
        .logger(log.logger()),
      ])
    connection.secrets.insert("X-Own")
    return connection
  }

  private func request(_ place: Place, over connection: Connection) throws -> Request {
    try connection.request(place.method, place.url, body: .text(place.body)) { $0.headers = place.headers }
  }

  @Test(arguments: places, TestedDelivery.allCases)
  func `logs and errors contain no secret in any delivery`(place: Place, delivery: TestedDelivery) async throws {
    let log = CapturedLog()
    let good = try connection(place, log: log, status: .ok)
    #expect(try await delivery.send(request(place, over: good), over: good).response.status == .ok)
    let bad = try connection(place, log: log, status: .badGateway)
    let error = try await #require(throws: StatusError.self) {
      try await delivery.send(request(place, over: bad), over: bad)
    }
    _ = try await error.response.body.utf8Text()
    #expect(log.lines.count == 10)
    let shown = log.text + "\(error)" + String(reflecting: error) + error.url
    #expect(!shown.contains(Self.hidden), "\(shown)")
  }

  @Test(arguments: places)
  func `curl commands contain no secret, not even in base64`(place: Place) async throws {
    let connection = try connection(place, log: CapturedLog(), status: .ok)
    let request = try request(place, over: connection)
    let (words, input) = try await Shell.words(request.curlCommand)
    let shown = request.curlCommand + words.joined() + String(decoding: input, as: UTF8.self)
    #expect(!shown.contains(Self.hidden), "\(shown)")
  }

  /// Unlisted names: a prefix before a usual suffix, in any spelling.
  private static func names(_ count: Int, seed: UInt64) -> [String] {
    var random = SeededGenerator(seed: seed)
    let endings = Secrets.usualEndings.sorted()
    return (0..<count).map { _ in
      let letters = (0..<Int.random(in: 1...8, using: &random)).map { _ in
        "abcdefghijklmnopqrstuvwxyz".randomElement(using: &random) ?? "a"
      }
      let ending = endings.randomElement(using: &random) ?? ""
      let words = [String(letters), Bool.random(using: &random) ? ending : ending.capitalized]
      let name = words.joined(separator: ["", "-", "_"].randomElement(using: &random) ?? "")
      let cased = [name, name.uppercased(), name.lowercased()].randomElement(using: &random) ?? name
      return cased + (["", "", "2", "_10"].randomElement(using: &random) ?? "")
    }
  }

  @Test func `a name that ends like a secret's name is redacted everywhere`() async throws {
    for name in Self.names(300, seed: 7) where !Secrets.harmlessEndings.contains(where: name.folded.hasSuffix) {
      let place = Place(name) {
        $0.url = "http://host/?a=1&\(name)=\(Self.hidden)"
        try? $0.headers.set(name: name, value: Self.hidden)
        try? $0.response.set(name: name, value: Self.hidden)
        $0.body = "a=1&\(name)=\(Self.hidden)&user%5B\(name)%5D=\(Self.hidden)"
        $0.responseBody = "{\"a\": [{\"\(name)\": {\"b\": \"\(Self.hidden)\"}}]}"
      }
      let log = CapturedLog()
      let connection = try connection(place, log: log, status: .ok)
      let request = try request(place, over: connection)
      let response = try await connection.send(request)
      let shown = [log.text, request.curlCommand, "\(request)", "\(response)"].joined(separator: "\n")
      #expect(!shown.contains(Self.hidden), "\(name): \(shown)")
    }
  }

  @Test func `a name that is removed from the registry is shown everywhere`() async throws {
    let place = Place("") {
      $0.url = "http://host/?session_key=shown"
      try? $0.headers.set(name: "X-Session-Key", value: "shown")
      $0.responseBody = "{\"sessionKey\": \"shown\"}"
    }
    let log = CapturedLog()
    var connection = try connection(place, log: log, status: .ok)
    connection.secrets.remove("session_key", "x-session-key")
    let request = try request(place, over: connection)
    _ = try await connection.send(request)
    #expect(log.text.contains("http://host/?session_key=shown"))
    #expect(log.text.contains("X-Session-Key: shown") && log.text.contains("\"sessionKey\": \"shown\""))
    #expect(request.curlCommand.contains("X-Session-Key: shown"))
  }

  @Test func `values that are not secret are shown`() async throws {
    let log = CapturedLog()
    let place = Place("") {
      $0.url = "http://host/a?page=2"
      $0.headers[.contentType] = "application/json"
      $0.body = "{\"user\": \"me\", \"tokens\": [1, \"two\"], \"password\": null}"
      try? $0.response.set(name: "Link", value: "</next?page=3>; rel=\"next\"")
    }
    let connection = try connection(place, log: log, status: .ok)
    _ = try await connection.send(request(place, over: connection))
    let text = log.messages.joined()
    for part in [
      "http://host/a?page=2", "{\"user\": \"me\", \"tokens\": [1, \"two\"], \"password\": \"[secret]\"}",
      "</next?page=3>; rel=\"next\"",
    ] {
      #expect(text.contains(part))
    }
  }
}

extension String {
  fileprivate var folded: String { lowercased().filter(\.isLetter) }
}
