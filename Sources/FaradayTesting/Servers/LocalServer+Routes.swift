internal import FaradayCore

extension LocalServer.Session {
  /// Answers a request.
  func answer(_ request: LocalServer.Request) throws {
    if request.head.isTarget("/hello") { return try hello(request) }
    let segments = try request.segments
    let route = (segments.first ?? "", segments.dropFirst().first, segments.count)
    // These read the body themselves, or not at all.
    switch route {
    case ("echo", nil, _): return try echo(request)
    case ("inspect", nil, _): return try inspect(request)
    case ("upload", nil, _): return try upload(request)
    case ("reset", nil, _): return reset()
    case ("early-response", nil, _): return try earlyResponse()
    default: try request.body.drain()
    }
    switch route {
    case ("", nil, _): try reply.send(200, text: LocalServer.routeList)
    case ("hello", nil, _): try hello(request)
    case ("status", let code?, 2): try status(LocalServer.parseNumber(code, in: 100...999))
    case ("drip", nil, _): try drip(request)
    case ("bytes", let count?, 2): try bytes(LocalServer.parseNumber(count, in: 0...Int.max), request)
    case ("headers", nil, _): try headers(request)
    case ("cookies", nil, _):
      try reply.send(200, [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")], text: "two cookies\n")
    case ("redirect", let count?, 2): try redirect(LocalServer.parseNumber(count, in: 0...Int.max))
    case ("redirect-to", nil, _): try redirectTo(request)
    case ("gzip", nil, _): try gzipZeros(request)
    case ("gzip", "text", 2): try gzipText()
    case ("early-hints", nil, _): try earlyHints()
    case ("trailers", nil, _): try trailers()
    case ("stall", nil, _): try waitForClose()
    case ("stall", "body", 2): try stallBody()
    case ("close", nil, _): try closeAfterwards()
    case ("basic-auth", let user?, 3): try basicAuth(user: user, password: segments[2], request)
    default: try reply.send(404, text: "there is no \(request.head.path)\n")
    }
  }

  private func hello(_ request: LocalServer.Request) throws {
    try request.body.drain()
    try reply.send(200, text: "Hello, world!")
  }

  private func inspect(_ request: LocalServer.Request) throws {
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

  private func status(_ code: Int) throws {
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

  private func headers(_ request: LocalServer.Request) throws {
    let fields = try request.query
    for (name, value) in fields {
      guard (try? HTTPField(checking: name, value)) != nil,
        !["content-length", "transfer-encoding", "connection"].contains(name.lowercased())
      else { throw BadRequest(400, "this header cannot be sent") }
    }
    try reply.send(200, fields, text: "\(fields.count) headers\n")
  }

  private func redirect(_ count: Int) throws {
    if count == 0 { return try reply.send(200, text: "arrived\n") }
    try reply.send(302, [("Location", "/redirect/\(count - 1)")], text: "\(count) to go\n")
  }

  private func redirectTo(_ request: LocalServer.Request) throws {
    guard let url = try request.value("url"), (try? HTTPField(checking: "Location", url)) != nil else {
      throw BadRequest(400, "there is no good url")
    }
    try reply.send(try request.number("status", in: 300...399) ?? 302, [("Location", url)], text: "elsewhere\n")
  }

  private func earlyHints() throws {
    try reply.interim(103, [("Link", "</style.css>; rel=preload; as=style")])
    try reply.send(200, text: "after the hints\n")
  }

  private func basicAuth(user: String, password: String, _ request: LocalServer.Request) throws {
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
