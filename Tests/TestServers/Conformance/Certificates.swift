internal import FaradayCore
internal import FaradayTesting

extension ConformanceGroup {
  /// Certificates and versions of TLS that are accepted or rejected.
  static let certificates: ConformanceGroup = .init(
    name: "TLS handshakes",
    cases: [
      .init("a valid certificate is trusted with its authority", needs: .customCA) { subject in
        let server = try OpenSSLServer()
        let response = Task { try await get(server, over: subject) }
        let request = await server.received { $0.contains(Array("\r\n\r\n".utf8)) }
        try expect(request != nil, "no request came")
        server.send(answer)
        try expectEqual(try await response.value.body.utf8Text(), "ok")
      },
      .init("an expired certificate is refused", needs: .customCA) { subject in
        try await isRefused(.past, over: subject)
      },
      .init("a certificate that is not valid yet is refused", needs: .customCA) { subject in
        try await isRefused(.future, over: subject)
      },
      .init("a server with TLS 1.0 only is refused", needs: .customCA) { subject in
        let old = try OpenSSLServer("-tls1 -cipher ALL:@SECLEVEL=0")
        old.send(answer)
        // A server that closes before its alert was read looks like an interrupted handshake.
        let error = try await expectFailure(.tlsFailed, .connectionFailed) { try await get(old, over: subject) }
        try expectEqual(error.phase, .tls)
        try expect(error.partialResponse == nil)
      },
    ])

  private static let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)

  private static func get(_ server: OpenSSLServer, over subject: AdapterConformance.Subject) async throws -> Response {
    var request = try Request(server.url)
    request.options.tls.caFile = server.caFile
    return try await subject.adapter.send(request)
  }

  private static func isRefused(_ validity: OpenSSLServer.Validity, over subject: AdapterConformance.Subject) async throws {
    let server = try OpenSSLServer(certificate: validity)
    // A client that wrongly accepts the certificate gets a response at once.
    server.send(answer)
    let error = try await expectFailure(.tlsVerificationFailed) { try await get(server, over: subject) }
    try expectEqual(error.phase, .tls)
    try expect(error.partialResponse == nil)
  }
}
