internal import FaradayCore

extension ConformanceGroup {
  /// A callback may wait for another request over the same adapter, without a deadlock.
  static let requestsFromCallbacks: ConformanceGroup = .init(
    name: "requests from callbacks",
    cases: Callback.allCases.flatMap { callback in
      [
        Case("a request can be sent from a task in \(callback.rawValue)", needs: callback.needs) { subject in
          try await sends(from: callback, over: subject) { body in Task { try await body() } }
        },
        Case("a request can be sent from an immediate task in \(callback.rawValue)", needs: callback.needs) { subject in
          guard #available(macOS 26, *) else { return }
          try await sends(from: callback, over: subject) { body in Task.immediate { try await body() } }
        },
      ]
    })

  private static func sends(
    from callback: Callback, over subject: AdapterConformance.Subject,
    begin: @escaping @Sendable (_ body: @escaping @Sendable () async throws -> String) -> Task<String, any Error>
  ) async throws {
    let hasAnswer = Gate()
    let server = try RawServer { connection in
      while try connection.readHead().hasPrefix("GET /second ") {
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond")
      }
      _ = try connection.read(exactly: 4)
      try connection.send("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfi")
      guard hasAnswer.wait() else { return }
      try connection.send("rst")
      connection.waitForClose()
    }
    defer { server.stop() }
    let connection = try subject.connection(to: server)
    let tasks = Log<Task<String, any Error>>()
    let first = try await connection.post("first", body: "body") {
      callback.install(in: &$0.options) {
        guard tasks.elements.isEmpty else { return }
        tasks.append(
          begin {
            let text = try await connection.get("second").body.utf8Text()
            hasAnswer.open()
            return text
          })
      }
    }
    try expectEqual(try await require(tasks.elements.first, "the callback was not called").value, "second")
    if callback != .chunk { try expectEqual(try await first.body.utf8Text(), "first") }
  }
}

private enum Callback: String, CaseIterable {
  case informational = "onInformational"
  case head = "onHead"
  case chunk = "onChunk"
  case upload = "onUploadProgress"
  case download = "onDownloadProgress"

  var needs: Capabilities {
    switch self {
    case .informational: .informational
    case .upload: .uploadProgress
    case .head, .chunk, .download: []
    }
  }

  func install(in options: inout Options, _ body: @escaping @Sendable () -> Void) {
    switch self {
    case .informational: options.onInformational = { _ in body() }
    case .head: options.onHead = { _ in body() }
    case .upload: options.onUploadProgress = { _ in body() }
    case .download: options.onDownloadProgress = { _ in body() }
    case .chunk:
      options.onChunk = { _ in
        body()
        return .continue
      }
    }
  }
}
