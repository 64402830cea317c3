internal import FaradayCore
internal import FaradayTesting

extension ConformanceGroup {
  /// HTTP/2 in clear text, and HTTP/3 with a server that lacks it.
  static let httpVersions: ConformanceGroup = .init(
    name: "request forms",
    cases: [
      .init("HTTP/2 with prior knowledge is used in clear text", needs: .http2PriorKnowledge) {
        subject in
        var request = try Request(try NginxVariants.shared.get().url(.cleartextHTTP2))
        request.options.httpVersion = .http2PriorKnowledge
        let response = try await subject.adapter.send(request)
        try expectEqual(NginxVariants.fields(of: try await response.body.utf8Text())["http"], "HTTP/2.0")
        try expectEqual(response.version, .http2)
      },
      .init("HTTP/3 falls back for a server without it", needs: [.http3, .customCA]) { subject in
        let server = try NginxVariants.shared.get()
        var request = try Request(server.url(.valid))
        request.options.httpVersion = .http3
        request.options.tls.caFile = server.certificates.authority
        try expectEqual(try await subject.adapter.send(request).status, .ok)
      },
    ])
}
