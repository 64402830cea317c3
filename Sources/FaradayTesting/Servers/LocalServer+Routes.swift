internal import FaradayCore

extension LocalServer {
  /// A route: its path and query, and its response.
  public struct Route: Sendable {
    /// The path; a part in braces matches any one segment: `/status/{code}`.
    public let path: String
    /// The query items with their defaults: `?count=10&interval=100`. Empty if the route has no query items.
    public let query: String
    /// The response in a few words.
    public let answer: String

    /// Whether it reads the request's body itself, or leaves it unread.
    fileprivate let readsBody: Bool
    private let segments: [Substring]
    fileprivate let serve: @Sendable (Session, Request, _ values: [String]) throws -> Void

    fileprivate init(
      _ path: String, query: String = "", readsBody: Bool = false, _ answer: String,
      serve: @escaping @Sendable (Session, Request, _ values: [String]) throws -> Void
    ) {
      self.path = path
      self.query = query
      self.answer = answer
      self.readsBody = readsBody
      self.serve = serve
      segments = path.split(separator: "/")
    }

    /// Returns the values of the segments in braces; nil if the path does not match.
    fileprivate func values(in segments: [String]) -> [String]? {
      guard segments.count == self.segments.count else { return nil }
      var values: [String] = []
      for (segment, expected) in zip(segments, self.segments) {
        if expected.hasPrefix("{") { values.append(segment) } else if segment != expected { return nil }
      }
      return values
    }
  }

  /// All routes. Other paths return 404. `/` returns this list.
  public static let routes: [Route] = [
    Route("/", "this list") { session, _, _ in try session.reply.send(200, text: routeList) },
    Route("/hello", "`Hello, world!`") { session, request, _ in try session.hello(request) },
    Route(
      "/echo", readsBody: true, "the request's body with its Content-Type, while it comes; chunked if its length is not known"
    ) {
      session, request, _ in try session.echo(request)
    },
    Route(
      "/inspect", readsBody: true,
      """
      the request as JSON: `method target path query version headers framing bodyLength bodyText connection request`; the last two \
      are indices from 0, the request's is counted on its connection; no `bodyText` above 64 KiB
      """
    ) { session, request, _ in try session.inspect(request) },
    Route("/status/{code}", "that status, 100 to 999; 1xx, but for 101, is followed by a 200; 101 ends the connection") {
      session, _, values in try session.status(parseNumber(values[0], in: 100...999))
    },
    Route(
      "/drip", query: "?count=10&interval=100&size=16&length=0",
      """
      `count` pieces of `size` bytes, one every `interval` milliseconds, each a chunk; `length=1`: not chunked; one of 40 bytes or more \
      begins with its index and the Unix time of its sending in nanoseconds
      """
    ) { session, request, _ in try session.drip(request) },
    Route("/bytes/{count}", query: "?chunked=SIZE", "so many bytes of a pattern; in chunks of that size") {
      session, request, values in
      try session.bytes(parseNumber(values[0], in: 0...Int.max), request)
    },
    Route(
      "/upload", query: "?hash=1&rate=BYTES", readsBody: true,
      "reads the body, so many bytes a second, then JSON: `bytes chunks framing`, and `fnv1a`, a hash of 64 bits"
    ) { session, request, _ in try session.upload(request) },
    Route("/headers", query: "?Name=value&...", "a response with these header fields") { session, request, _ in
      try session.headers(request)
    },
    Route("/cookies", "two Set-Cookie fields: `a=1` and `b=2`") { session, _, _ in
      try session.reply.send(200, [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")], text: "two cookies\n")
    },
    Route("/redirect/{count}", "302 to the same with one less; 200 at 0") { session, _, values in
      try session.redirect(parseNumber(values[0], in: 0...Int.max))
    },
    Route("/redirect-to", query: "?url=...&status=302", "a redirect to anywhere") { session, request, _ in
      try session.redirectTo(request)
    },
    Route("/gzip", query: "?size=1048576", "so many zero bytes as gzip, about a 1032nd of the size") { session, request, _ in
      try session.gzipZeros(request)
    },
    Route("/gzip/text", "`Hello, gzip!` as gzip") { session, _, _ in try session.gzipText() },
    Route("/early-hints", "103 with a Link, then 200") { session, _, _ in try session.earlyHints() },
    Route("/trailers", "`trailing`, chunked, with the trailer `X-Checksum: abc`") { session, _, _ in try session.trailers() },
    Route("/stall", "no answer, until the client closes") { session, _, _ in try session.waitForClose() },
    Route("/stall/body", "10 of 100 bytes, then nothing until the client closes") { session, _, _ in try session.stallBody() },
    Route("/close", "a response after which the server closes") { session, _, _ in try session.closeAfterwards() },
    Route("/reset", readsBody: true, "RST instead of an answer; the body is not read") { session, _, _ in session.reset() },
    Route(
      "/early-response", readsBody: true,
      "413 at once; closes, and drops what comes of the body for at most 2 seconds"
    ) { session, _, _ in try session.earlyResponse() },
    Route("/basic-auth/{user}/{password}", "200 with these credentials, else 401") { session, request, values in
      try session.basicAuth(user: values[0], password: values[1], request)
    },
  ]

  private static let routeList = routes.map { "\($0.path)\($0.query)\n    \($0.answer)\n" }.joined()
}

extension LocalServer.Session {
  /// Responds to a request.
  func answer(_ request: LocalServer.Request) throws {
    if request.head.isTarget("/hello") { return try hello(request) }
    let segments = try request.segments
    for route in LocalServer.routes {
      guard let values = route.values(in: segments) else { continue }
      if !route.readsBody { try request.body.drain() }
      return try route.serve(self, request, values)
    }
    try request.body.drain()
    try reply.send(404, text: "there is no \(request.head.path)\n")
  }

  fileprivate func hello(_ request: LocalServer.Request) throws {
    try request.body.drain()
    try reply.send(200, text: "Hello, world!")
  }

  fileprivate func inspect(_ request: LocalServer.Request) throws {
    let limit = 64 << 10
    var start: [UInt8] = []
    while try request.body.next({ start += $0.prefix(limit + 1 - start.count) }) {}
    let text = start.count <= limit ? String(validating: start, as: UTF8.self) : nil
    let head = request.head
    try reply.send(
      200,
      json: Inspection(
        method: head.method, target: head.target, path: head.path, query: head.query, version: head.version,
        headers: head.namesAndValues.map { [$0.0, $0.1] }, framing: request.body.framing.rawValue,
        bodyLength: request.body.byteCount, bodyText: text, connection: connectionIndex, request: requestIndex))
  }

  fileprivate func status(_ code: Int) throws {
    switch code {
    case 101:
      reply.closes = true
      try reply.sendEmpty(code)
    case 100..<200:
      try reply.interim(code)
      try reply.send(200, text: "after status \(code)\n")
    case 204, 304: try reply.sendEmpty(code)
    default: try reply.send(code, text: "status \(code)\n")
    }
  }

  fileprivate func headers(_ request: LocalServer.Request) throws {
    let fields = try request.query
    for (name, value) in fields {
      guard (try? HTTPField(checking: name, value)) != nil,
        !["content-length", "transfer-encoding", "connection"].contains(name.lowercased())
      else { throw BadRequest(400, "this header cannot be sent") }
    }
    try reply.send(200, fields, text: "\(fields.count) headers\n")
  }

  fileprivate func redirect(_ count: Int) throws {
    if count == 0 { return try reply.send(200, text: "arrived\n") }
    try reply.send(302, [("Location", "/redirect/\(count - 1)")], text: "\(count) to go\n")
  }

  fileprivate func redirectTo(_ request: LocalServer.Request) throws {
    guard let url = try request.value("url"), (try? HTTPField(checking: "Location", url)) != nil else {
      throw BadRequest(400, "the parameter `url` is missing or invalid")
    }
    let status = try request.number("status", in: 300...399) ?? 302
    guard status != 304 else { throw BadRequest(400, "304 is not a redirect and has no body") }
    try reply.send(status, [("Location", url)], text: "elsewhere\n")
  }

  fileprivate func earlyHints() throws {
    try reply.interim(103, [("Link", "</style.css>; rel=preload; as=style")])
    try reply.send(200, text: "after the hints\n")
  }

  fileprivate func basicAuth(user: String, password: String, _ request: LocalServer.Request) throws {
    let words = request.head.value("authorization")?.split(separator: " ") ?? []
    if words.count == 2, words[0].lowercased() == "basic", words[1] == Data("\(user):\(password)".utf8).base64EncodedString() {
      try reply.send(200, text: "welcome\n")
    } else {
      try reply.send(401, [("WWW-Authenticate", "Basic realm=\"faraday\"")], text: "who are you?\n")
    }
  }
}

private struct Inspection: Encodable {
  let method, target, path: String
  let query: String?
  let version: String
  let headers: [[String]]
  let framing: String
  let bodyLength: Int
  let bodyText: String?
  let connection, request: Int
}
