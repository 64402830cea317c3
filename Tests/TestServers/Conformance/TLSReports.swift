internal import FaradayCore
internal import FaradayTesting

extension ConformanceGroup {
  /// The properties of a TLS connection that a response reports.
  static let tlsReports: ConformanceGroup = .init(
    name: "TLS reports",
    cases: [
      .init(
        "the negotiated TLS session is reported, also for a kept connection", needs: [.metrics, .peerCertificates, .customCA]
      ) {
        subject in
        // A server of its own: earlier rules have no kept connections to it.
        let nginx = try NginxVariants()
        let variants: [(NginxVariants.Variant, TLSVersion)] = [(.tls12, .v1_2), (.tls13, .v1_3), (.valid, .v1_3)]
        for (variant, version) in variants {
          for isReused in [false, true] {
            var request = try Request(nginx.url(variant))
            request.options.tls.caFile = nginx.certificates.authority
            if variant == .valid { request.options.tls.negotiatesProtocol = false }
            let response = try await subject.adapter.send(request)
            let fields = NginxVariants.fields(of: try await response.body.utf8Text())
            try expectEqual(response.metrics.isConnectionReused, isReused)
            try expectEqual(
              response.metrics.tlsSession,
              TLSSession(
                version: version, cipherSuite: fields["cipher"],
                applicationProtocol: fields["alpn"].flatMap { $0.isEmpty ? nil : $0 }
              ))
            try expectEqual(fields["alpn"]?.isEmpty, variant == .valid)
          }
        }
        try expectEqual(try await subject.connection.get("hello").metrics.tlsSession, nil)
      },
      .init("the certificates of a kept connection are reported", needs: [.peerCertificates, .tlsHandshake, .customCA]) {
        subject in
        let nginx = try NginxVariants.shared.get()
        var connections: Set<String?> = []
        var certificates: Set<[Data]> = []
        for index in 0..<6 {
          var request = try Request(nginx.url(.valid))
          request.options.httpVersion = .http1
          request.options.tls.caFile = nginx.certificates.authority
          request.options.tls.reportsPeerCertificates = index % 3 == 0
          request.options.tls.resumesSessions = index % 2 == 0
          let response = try await subject.adapter.send(request)
          connections.insert(NginxVariants.fields(of: try await response.body.utf8Text())["connection"])
          try expectEqual(response.metrics.peerCertificates.isEmpty, index % 3 != 0)
          if index % 3 == 0 { certificates.insert(response.metrics.peerCertificates) }
        }
        try expectEqual(connections.count, 1)
        try expectEqual(certificates.count, 1)
      },
    ])
}
