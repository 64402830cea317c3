internal import FaradayCore
internal import FaradayTesting

extension ConformanceGroup {
  static let dnsOverHTTPS: ConformanceGroup = .init(
    name: "addresses",
    cases: [
      .init("a DoH resolver with an untrusted certificate is refused", needs: [.dnsOverHTTPS, .unverifiedTLS]) { subject in
        // The resolver has an untrusted certificate.
        let nginx = try NginxServer.shared.get()
        try await expectFailure(.nameNotFound) {
          var request = try Request("http://localhost.example:\(subject.server.port)/hello")
          request.options.network.dnsOverHTTPS = "https://127.0.0.1:\(nginx.tlsPort)/dns-query"
          return try await subject.adapter.send(request)
        }
      }
    ])
}
