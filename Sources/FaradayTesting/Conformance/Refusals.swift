internal import FaradayCore

extension AdapterConformance {
  /// For each capability that is missing: a request that needs it throws, and nothing is sent.
  static func refusals(without capabilities: Capabilities) -> [Case] {
    options.filter { !capabilities.contains($0.capability) }.map { option in
      Case("\(option.name) is refused by name", group: "refusals", needsWire: false) { subject in
        let error = try await expectFailure(.unsupported) {
          var request = try Request(subject.server.url + "/hello")
          try option.ask(&request)
          return try await subject.adapter.send(request)
        }
        try expect(error.message.contains(option.name), "the message does not name \(option.name): \(error.message)")
        try expectEqual(error.phase, .building)
        try expectEqual(subject.server.requestCount, 0)
      }
    }
  }

  /// The capabilities that a request can need, with a change that makes it need them.
  private static let options: [(name: String, capability: Capabilities, ask: @Sendable (inout Request) throws -> Void)] =
    Capabilities.entries.compactMap { entry in asking(for: entry.capability).map { (entry.name, entry.capability, $0) } }

  private static func asking(for capability: Capabilities) -> (@Sendable (inout Request) throws -> Void)? {
    switch capability {
    case .customMethods: { $0.method = try require(HTTPRequest.Method("PURGE")) }
    case .bodyOnGet: { $0.body = "body" }
    case .dotSegments: { $0 = try Request($0.url.absoluteString + "/../hello") }
    case .asteriskTarget:
      {
        $0.method = .options
        $0.options.requestTarget = .asterisk
      }
    case .streamedUpload:
      {
        $0.method = .put
        $0.body = .stream(Pieces("body"))
      }
    case .duplex:
      {
        $0.method = .put
        $0.body = .stream(Pieces("body"))
        $0.headers[.transferEncoding] = "chunked"
      }
    case .expectContinue: { $0.headers[.expect] = "100-continue" }
    case .uploadProgress: { $0.options.onUploadProgress = { _ in } }
    case .streamedDownload: { $0.options.delivery = .streamed }
    case .informational: { $0.options.onInformational = { _ in } }
    case .encodedBodies: { $0.options.decompression = .standard }
    case .queueTimeout: { $0.options.timeouts.queue = .seconds(1) }
    case .connectTimeout: { $0.options.timeouts.connect = .seconds(1) }
    case .idleTimeout: { $0.options.timeouts.idle = .seconds(1) }
    case .totalTimeout: { $0.options.timeouts.total = .seconds(1) }
    case .http2: { $0.options.httpVersion = .http2 }
    case .http1Only: { $0.options.httpVersion = .http1 }
    case .customCA: { $0.options.tls.caFile = "/ca.pem" }
    case .unverifiedTLS: { $0.options.tls.verifiesServer = false }
    default: nil
    }
  }
}
