internal import FaradayCore
internal import FaradayTesting

extension ConformanceGroup {
  static let tlsOptions: ConformanceGroup = .init(
    name: "TLS options",
    cases: [
      .init("only authorities in the folder are trusted", needs: .tlsAuthorities) { subject in
        try expectEqual(try await fields(subject, .valid) { $0.caDirectory = $1.authorityFolder }["verified"], "NONE")
        try await refused(subject, .valid, .tlsVerificationFailed) { $0.caDirectory = $1.folder }
      },
      .init("only authorities in memory are trusted", needs: .tlsAuthorities) { subject in
        _ = try await fields(subject, .valid) { $0.caCertificates = try Data(contentsOf: URL(filePath: $1.authority)) }
        try await refused(subject, .valid, .tlsVerificationFailed) {
          $0.caCertificates = try Data(contentsOf: URL(filePath: $1.otherAuthority))
        }
      },
      .init("invalid authorities in memory are an error", needs: .tlsAuthorities) { subject in
        try await refused(subject, .valid, .invalidCA, .tlsVerificationFailed) { tls, _ in
          tls.caCertificates = Data("garbage".utf8)
        }
      },
      .init("an expired certificate is refused", needs: .customCA) { subject in
        try await refused(subject, .expired, .tlsVerificationFailed) { $0.caFile = $1.authority }
      },
      .init("a certificate chain is verified, and an incomplete one refused", needs: .customCA) { subject in
        _ = try await fields(subject, .chain) { $0.caFile = $1.authority }
        try await refused(subject, .incompleteChain, .tlsVerificationFailed) { $0.caFile = $1.authority }
      },
      .init("only the host name can be left unverified", needs: [.unverifiedTLS, .customCA]) { subject in
        _ = try await fields(subject, .otherName) { ($0.caFile, $0.verifiesHostName) = ($1.authority, false) }
        try await refused(subject, .expired, .tlsVerificationFailed) { ($0.caFile, $0.verifiesHostName) = ($1.authority, false) }
      },
      .init("only the certificate can be left unverified", needs: [.unverifiedTLS, .customCA]) { subject in
        _ = try await fields(subject, .expired) { ($0.caFile, $0.verifiesCertificate) = ($1.authority, false) }
        try await refused(subject, .otherName, .tlsVerificationFailed) {
          ($0.caFile, $0.verifiesCertificate) = ($1.authority, false)
        }
      },
      .init("a revoked certificate is refused with revocation lists", needs: [.revocationLists, .customCA]) { subject in
        _ = try await fields(subject, .revoked) { $0.caFile = $1.authority }
        try await refused(subject, .revoked, .tlsVerificationFailed) {
          ($0.caFile, $0.revocationLists) = ($1.authority, $1.revocations)
        }
        _ = try await fields(subject, .valid) { ($0.caFile, $0.revocationLists) = ($1.authority, $1.revocations) }
      },
      .init("missing revocation lists are an error", needs: [.revocationLists, .customCA]) { subject in
        try await refused(subject, .valid, .invalidCA) { ($0.caFile, $0.revocationLists) = ($1.authority, "/nonexistent.pem") }
      },
      .init("only a pinned public key is accepted", needs: [.pinnedPublicKeys, .customCA]) { subject in
        _ = try await fields(subject, .valid) { ($0.caFile, $0.pinnedPublicKeys) = ($1.authority, [$1.otherPin, $1.serverPin]) }
        let error = try await refused(subject, .valid, .publicKeyNotPinned) {
          ($0.caFile, $0.pinnedPublicKeys) = ($1.authority, [$1.otherPin])
        }
        try expectEqual(error.phase, .tls)
      },
      .init("a pin applies even if the certificate is not verified", needs: [.pinnedPublicKeys, .unverifiedTLS]) { subject in
        try await refused(subject, .selfSigned, .publicKeyNotPinned) {
          ($0.verifiesServer, $0.pinnedPublicKeys) = (false, [$1.otherPin])
        }
      },
      .init("a connection that was opened without the pin is not used", needs: [.pinnedPublicKeys, .customCA]) { subject in
        _ = try await fields(subject, .valid) { $0.caFile = $1.authority }
        try await refused(subject, .valid, .publicKeyNotPinned) {
          ($0.caFile, $0.pinnedPublicKeys) = ($1.authority, [$1.otherPin])
        }
      },
      .init("a pin that is not a hash is refused", needs: .pinnedPublicKeys, needsWire: false) { subject in
        for pin in ["", "x", "sha256//AAAA", Data(count: 31).base64EncodedString()] {
          try await expectFailure(.invalidOption) {
            try await subject.connection.get("hello") { $0.options.tls.pinnedPublicKeys = [pin] }
          }
        }
      },
      .init("TLS 1.1 is used only if allowed", needs: [.tlsVersions, .tlsCiphers, .customCA]) { subject in
        try await refused(subject, .tls11, .tlsFailed) { $0.caFile = $1.authority }
        let fields = try await fields(subject, .tls11) {
          ($0.caFile, $0.minimumVersion, $0.tls12Ciphers) = ($1.authority, .v1_0, "DEFAULT:@SECLEVEL=0")
        }
        try expectEqual(fields["protocol"], "TLSv1.1")
      },
      .init("minimum and maximum TLS versions are applied", needs: [.tlsVersions, .customCA]) { subject in
        try expectEqual(try await fields(subject, .valid) { $0.caFile = $1.authority }["protocol"], "TLSv1.3")
        try expectEqual(
          try await fields(subject, .valid) { ($0.caFile, $0.maximumVersion) = ($1.authority, .v1_2) }["protocol"], "TLSv1.2")
        // GnuTLS may see the end of the connection instead of the server's alert.
        try await refused(subject, .tls12, .tlsFailed, .connectionFailed) {
          ($0.caFile, $0.minimumVersion) = ($1.authority, .v1_3)
        }
        try await refused(subject, .tls13, .tlsFailed, .connectionFailed) {
          ($0.caFile, $0.maximumVersion) = ($1.authority, .v1_2)
        }
      },
      .init("a maximum version below the minimum is refused", needs: .tlsVersions, needsWire: false) { subject in
        try await expectFailure(.invalidOption) {
          try await subject.connection.get("hello") { $0.options.tls.maximumVersion = .v1_1 }
        }
      },
      .init("the configured ciphers are used", needs: [.tlsCiphers, .tlsVersions, .customCA]) { subject in
        let old = try await fields(subject, .tls12) {
          ($0.caFile, $0.tls12Ciphers) = ($1.authority, "ECDHE-ECDSA-CHACHA20-POLY1305")
        }
        try expectEqual(old["cipher"], "ECDHE-ECDSA-CHACHA20-POLY1305")
        let new = try await fields(subject, .tls13) {
          ($0.caFile, $0.tls13Ciphers) = ($1.authority, "TLS_CHACHA20_POLY1305_SHA256")
        }
        try expectEqual(new["cipher"], "TLS_CHACHA20_POLY1305_SHA256")
      },
      .init("unknown ciphers are refused", needs: [.tlsCiphers, .customCA]) { subject in
        try await refused(subject, .valid, .tlsFailed) { ($0.caFile, $0.tls12Ciphers) = ($1.authority, "NONSENSE") }
      },
      // Whether they are resumed otherwise is the engine's choice.
      .init("session resumption can be disabled", needs: [.tlsHandshake, .customCA]) { subject in
        for _ in 0..<3 {
          let fields = try await fields(subject, .tls12, edit: { closeAfter(&$0) }) {
            ($0.caFile, $0.resumesSessions) = ($1.authority, false)
          }
          try expectEqual(fields["reused"], ".")
        }
      },
      .init("with early data each request gets its response, and unsafe methods wait", needs: [.earlyData, .customCA]) {
        subject in
        // Whether there is a ticket depends on the other rules of the adapter.
        for _ in 0..<4 {
          for method in [HTTPRequest.Method.get, .post] {
            let response = try await response(
              subject, .earlyData,
              edit: {
                closeAfter(&$0)
                $0.method = method
              }
            ) {
              ($0.caFile, $0.sendsEarlyData) = ($1.authority, true)
            }
            let fields = NginxVariants.fields(of: try await response.body.utf8Text())
            try expectEqual(fields["request"], "\(method) /")
            if method == .post { try expectEqual(response.metrics.earlyDataSize, 0) }
          }
        }
      },
      .init("early data is not sent to a server that does not allow it", needs: [.earlyData, .customCA]) { subject in
        for variant in [NginxVariants.Variant.tls12, .tls13] {
          for _ in 0..<3 {
            let response = try await response(subject, variant, edit: { closeAfter(&$0) }) {
              ($0.caFile, $0.sendsEarlyData) = ($1.authority, true)
            }
            try expectEqual(response.metrics.earlyDataSize, 0)
          }
        }
      },
      .init("ALPN can be disabled", needs: [.tlsHandshake, .customCA]) { subject in
        try expectEqual(
          try await fields(subject, .tls13) { ($0.caFile, $0.negotiatesProtocol) = ($1.authority, false) }["alpn"], "")
        try expect(try await fields(subject, .valid) { $0.caFile = $1.authority }["alpn"] != "")
      },
      .init("a replaced file of authorities applies at once", needs: .customCA) { subject in
        let certificates = try TestCertificates.shared.get()
        for variant in [NginxVariants.Variant.tls12, .tls13] {
          for closes in [false, true] {
            let file = try TemporaryFile(Data())
            for round in 0..<2 {
              try replace(file.path, with: certificates.authority)
              for _ in 0..<2 {
                _ = try await fields(subject, variant, edit: { if closes { closeAfter(&$0) } }) { tls, _ in
                  tls.caFile = file.path
                }
              }
              try replace(file.path, with: certificates.otherAuthority)
              let error = try await expectFailure(.tlsVerificationFailed) {
                try await response(subject, variant) { tls, _ in tls.caFile = file.path }
              }
              let text = error.message.replacing(file.path, with: "")
              try expect(!text.contains("/./") && !text.contains("//"), "\(round): \(error)")
            }
          }
        }
      },
      .init("a file of authorities can have a relative path", needs: .customCA) { subject in
        let path = try TestCertificates.shared.get().authority
        let folder = FileManager.default.currentDirectoryPath
        let up = String(repeating: "../", count: folder.split(separator: "/").count)
        _ = try await fields(subject, .valid) { tls, _ in tls.caFile = up + path.dropFirst() }
      },
      .init("a replaced folder of authorities applies at once", needs: .tlsAuthorities) { subject in
        let certificates = try TestCertificates.shared.get()
        let folder = FileManager.default.temporaryDirectory.path() + "/faraday-" + UUID().uuidString
        try FileManager.default.copyItem(atPath: certificates.authorityFolder, toPath: folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for closes in [true, false] {
          _ = try await fields(subject, .tls13, edit: { if closes { closeAfter(&$0) } }) { tls, _ in
            tls.caDirectory = folder
          }
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
          try FileManager.default.removeItem(atPath: folder + "/" + name)
        }
        try await expectFailure(.tlsVerificationFailed) {
          try await response(subject, .tls13) { tls, _ in tls.caDirectory = folder }
        }
      },
      .init("a replaced file of revocation lists applies at once", needs: [.revocationLists, .customCA]) { subject in
        let certificates = try TestCertificates.shared.get()
        let file = try TemporaryFile(Data())
        try replace(file.path, with: certificates.revocations)
        for _ in 0..<2 {
          _ = try await fields(subject, .tls13) { ($0.caFile, $0.revocationLists) = ($1.authority, file.path) }
        }
        try replace(file.path, with: certificates.clientKey)
        try await refused(subject, .tls13, .invalidCA, .tlsVerificationFailed) {
          ($0.caFile, $0.revocationLists) = ($1.authority, file.path)
        }
      },
      .init("the server's certificates are reported", needs: [.peerCertificates, .customCA]) { subject in
        let response = try await response(subject, .chain) { ($0.caFile, $0.reportsPeerCertificates) = ($1.authority, true) }
        _ = try await response.body.collect(upTo: .max)
        let certificates = response.metrics.peerCertificates
        try expectEqual(certificates.count, 2)
        // The key of its public half is in its own, which comes first.
        let own = try Data(contentsOf: URL(filePath: TestCertificates.shared.get().server(.incompleteChain)))
        let base64 = String(decoding: own, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        try expectEqual(certificates.first, Data(base64Encoded: base64))
      },
      .init("the server's certificates are reported with a failure", needs: [.peerCertificates, .customCA]) { subject in
        let error = try await refused(subject, .expired, .tlsVerificationFailed) {
          ($0.caFile, $0.reportsPeerCertificates) = ($1.authority, true)
        }
        try expect(!error.peerCertificates.isEmpty)
      },
      .init("a verifier gets the server's certificates and the host, and can refuse", needs: [.peerCertificates, .customCA]) {
        subject in
        let seen = Log<(chain: [Data], host: String)>()
        for isAccepted in [true, false] {
          let verifier = CertificateVerifier {
            seen.append(($0, $1))
            return isAccepted
          }
          if isAccepted {
            let response = try await response(subject, .chain) {
              ($0.caFile, $0.verifier, $0.reportsPeerCertificates) = ($1.authority, verifier, true)
            }
            try expectEqual(seen.elements.first?.chain, response.metrics.peerCertificates)
          } else {
            let error = try await refused(subject, .chain, .tlsVerificationFailed) {
              ($0.caFile, $0.verifier) = ($1.authority, verifier)
            }
            try expectEqual(error.phase, .tls)
            try expect(error.message.contains("verifier"), error.message)
            try expect(error.peerCertificates.isEmpty)
          }
        }
        try expectEqual(seen.elements.map(\.host), ["localhost", "localhost"])
        try expectEqual(seen.elements.map(\.chain.count), [2, 2])
      },
      .init(
        "a verifier cannot accept a server that fails other checks", needs: [.peerCertificates, .customCA, .pinnedPublicKeys]
      ) {
        subject in
        let verifier = CertificateVerifier { _, _ in true }
        for variant in [NginxVariants.Variant.expired, .otherName, .selfSigned, .incompleteChain] {
          try await refused(subject, variant, .tlsVerificationFailed) { ($0.caFile, $0.verifier) = ($1.authority, verifier) }
        }
        try await refused(subject, .valid, .publicKeyNotPinned) {
          ($0.caFile, $0.verifier, $0.pinnedPublicKeys) = ($1.authority, verifier, [$1.otherPin])
        }
      },
      .init("a verifier decides alone if nothing else is verified", needs: [.peerCertificates, .unverifiedTLS]) { subject in
        for variant in [NginxVariants.Variant.selfSigned, .expired, .otherName] {
          for isAccepted in [true, false, true] {
            let verifier = CertificateVerifier { _, _ in isAccepted }
            if isAccepted {
              _ = try await fields(subject, variant) { tls, _ in (tls.verifiesServer, tls.verifier) = (false, verifier) }
            } else {
              try await refused(subject, variant, .tlsVerificationFailed) { tls, _ in
                (tls.verifiesServer, tls.verifier) = (false, verifier)
              }
            }
          }
        }
      },
      .init("a connection is shared only by requests with the same verifier", needs: [.peerCertificates, .customCA]) { subject in
        let (accepting, other) = (CertificateVerifier { _, _ in true }, CertificateVerifier { _, _ in true })
        let refusing = CertificateVerifier { _, _ in false }
        var connections: [String?: Int] = [:]
        for _ in 0..<3 {
          for verifier in [nil, accepting, other] {
            let fields = try await fields(subject, .tls13, edit: { $0.options.httpVersion = .http1 }) {
              ($0.caFile, $0.verifier) = ($1.authority, verifier)
            }
            connections[fields["connection"], default: 0] += 1
          }
          try await refused(subject, .tls13, .tlsVerificationFailed) { ($0.caFile, $0.verifier) = ($1.authority, refusing) }
        }
        try expectEqual(Array(connections.values), [3, 3, 3])
      },
      .init("a verifier is called even if a session could be resumed", needs: [.peerCertificates, .customCA]) { subject in
        for variant in [NginxVariants.Variant.tls12, .tls13] {
          let accepting = CertificateVerifier { _, _ in true }
          let refusing = CertificateVerifier { _, _ in false }
          for verifier in [nil, nil, accepting, nil] {
            let fields = try await fields(subject, variant, edit: { $0.headers[.connection] = "close" }) {
              ($0.caFile, $0.verifier) = ($1.authority, verifier)
            }
            if verifier != nil { try expectEqual(fields["reused"], ".") }
          }
          try await refused(subject, variant, .tlsVerificationFailed) { ($0.caFile, $0.verifier) = ($1.authority, refusing) }
        }
      },
    ])

  static let clientCertificates: ConformanceGroup = .init(
    name: "client certificates", needs: [.clientCertificates, .customCA],
    cases: [
      .init("a request without the required certificate gets the server's response") { subject in
        let response = try await response(subject, .clientCertificate) { $0.caFile = $1.authority }
        try expectEqual(response.status, .badRequest)
      },
      .init("an unknown client certificate is refused by the server") { subject in
        let response = try await response(subject, .clientCertificate) {
          $0.caFile = $1.authority
          $0.clientCertificate = .pem(.file($1.strangerCertificate), key: .file($1.strangerKey))
        }
        try expectEqual(response.status, .badRequest)
      },
      .init("a replaced certificate file applies at once") { subject in
        let certificates = try TestCertificates.shared.get()
        for hasKeyFile in [false, true] {
          for closes in [true, false] {
            let (certificate, key) = (try TemporaryFile(Data()), try TemporaryFile(Data()))
            for isKnown in [true, true, false, true] {
              if hasKeyFile {
                try replace(certificate.path, with: isKnown ? certificates.clientCertificate : certificates.strangerCertificate)
                try replace(key.path, with: isKnown ? certificates.clientKey : certificates.strangerKey)
              } else {
                let files =
                  isKnown ? [certificates.clientCertificateAndKey] : [certificates.strangerCertificate, certificates.strangerKey]
                let text = try files.map { try Data(contentsOf: URL(filePath: $0)) }.reduce(Data(), +)
                try text.write(to: URL(filePath: certificate.path), options: .atomic)
              }
              let response = try await response(subject, .clientCertificate) {
                if closes { closeAfter(&$0) }
              } _: {
                $0.caFile = $1.authority
                $0.clientCertificate = .pem(.file(certificate.path), key: hasKeyFile ? .file(key.path) : nil)
              }
              try expectEqual(response.status, isKnown ? .ok : .badRequest)
            }
          }
        }
      },
      .init("a missing or unknown client certificate fails the handshake with any body") { subject in
        for version in ["-tls1_2", "-tls1_3"] {
          for hasCertificate in [false, true] {
            for size in [0, 10, 4 << 20] {
              let server = try OpenSSLServer("-Verify 1 -verify_return_error -CAfile ca.pem \(version)")
              // The server closes the connection behind its alert. A write that follows can fail before the alert is read.
              let error = try await expectFailure(.tlsFailed, .connectionFailed, .connectionClosed) {
                var request = try Request(size == 0 ? .get : .post, server.url)
                if size > 0 { request.body = .data(Data(repeating: 0x61, count: size)) }
                request.options.tls.caFile = server.caFile
                if hasCertificate {
                  let certificates = try TestCertificates.shared.get()
                  request.options.tls.clientCertificate = .pem(
                    .file(certificates.strangerCertificate), key: .file(certificates.strangerKey))
                }
                return try await subject.adapter.send(request)
              }
              try expect(!error.isTransient || error.code != .tlsFailed, "\(error)")
            }
          }
        }
      },
      .init("connections with different client certificates are not shared") { subject in
        for isKnown in [true, false, true] {
          let response = try await response(subject, .clientCertificate) {
            $0.caFile = $1.authority
            if isKnown { $0.clientCertificate = .pem(.file($1.clientCertificateAndKey)) }
          }
          try expectEqual(response.status, isKnown ? .ok : .badRequest)
        }
      },
    ]
      + usable.map { name, certificate in
        Case("the client certificate is sent: \(name)") { subject in
          let fields = try await fields(subject, .clientCertificate) {
            $0.caFile = $1.authority
            $0.clientCertificate = try certificate($1)
          }
          try expectEqual(fields["fingerprint"], try TestCertificates.shared.get().clientFingerprint)
          try expectEqual(fields["verified"], "SUCCESS")
        }
      }
      + unusable.map { name, certificate in
        Case("the client certificate is rejected: \(name)") { subject in
          let error = try await refused(subject, .clientCertificate, .invalidClientCertificate) {
            $0.caFile = $1.authority
            $0.clientCertificate = try certificate($1)
          }
          try expect(!"\(error)".contains(TestCertificates.password) && !"\(error)".contains("not-this-one"), "\(error)")
        }
      })

  private typealias Named = (String, @Sendable (TestCertificates) throws -> ClientCertificate)

  private static func bytes(_ path: String) throws -> ClientCertificate.Source {
    .bytes(try Data(contentsOf: URL(filePath: path)))
  }

  private static let usable: [Named] = [
    ("PEM files", { .pem(.file($0.clientCertificate), key: .file($0.clientKey)) }),
    ("a PEM file with its key", { .pem(.file($0.clientCertificateAndKey)) }),
    (
      "a PEM file with an encrypted key",
      { .pem(.file($0.clientCertificate), key: .file($0.clientEncryptedKey), password: TestCertificates.password) }
    ),
    ("PEM bytes", { .pem(try bytes($0.clientCertificate), key: try bytes($0.clientKey)) }),
    ("PEM bytes with their key", { .pem(try bytes($0.clientCertificateAndKey)) }),
    (
      "PEM bytes with an encrypted key",
      { .pem(try bytes($0.clientCertificateAndEncryptedKey), password: TestCertificates.password) }
    ),
    ("DER files", { ClientCertificate(.file($0.clientCertificateDER), key: .file($0.clientKeyDER), format: .der) }),
    ("a PKCS#12 file", { .pkcs12(.file($0.clientPKCS12), password: TestCertificates.password) }),
    ("PKCS#12 bytes", { .pkcs12(try bytes($0.clientPKCS12), password: TestCertificates.password) }),
  ]

  private static let unusable: [Named] = [
    ("a missing file", { _ in .pem(.file("/nonexistent.pem")) }),
    ("a missing key", { .pem(.file($0.clientCertificate), key: .file("/nonexistent.key")) }),
    ("a wrong password", { .pem(.file($0.clientCertificate), key: .file($0.clientEncryptedKey), password: "not-this-one") }),
    ("a missing password", { .pem(.file($0.clientCertificate), key: .file($0.clientEncryptedKey)) }),
    ("a wrong password of PKCS#12", { .pkcs12(.file($0.clientPKCS12), password: "not-this-one") }),
    ("the key of another certificate", { .pem(.file($0.clientCertificate), key: .file($0.strangerKey)) }),
    ("garbage", { _ in .pem(.bytes(Data("garbage".utf8))) }),
  ]

  /// Puts a copy of the other file in the place of a file, as a new file.
  private static func replace(_ path: String, with other: String) throws {
    try Data(contentsOf: URL(filePath: other)).write(to: URL(filePath: path), options: .atomic)
  }

  // MARK: requests

  private typealias Change = (inout TLS, TestCertificates) throws -> Void

  private static func response(
    _ subject: AdapterConformance.Subject, _ variant: NginxVariants.Variant, edit: (inout Request) -> Void = { _ in },
    _ set: Change
  ) async throws -> Response {
    let server = try NginxVariants.shared.get()
    var request = try Request(server.url(variant))
    try set(&request.options.tls, server.certificates)
    edit(&request)
    return try await subject.adapter.send(request)
  }

  /// Makes the request the last one on its connection, which HTTP/2 has no field for.
  private static func closeAfter(_ request: inout Request) {
    request.options.httpVersion = .http1
    request.headers[.connection] = "close"
  }

  /// The properties of the connection that the server reports.
  private static func fields(
    _ subject: AdapterConformance.Subject, _ variant: NginxVariants.Variant, edit: (inout Request) -> Void = { _ in },
    _ set: Change
  ) async throws -> [String: String] {
    let response = try await response(subject, variant, edit: edit, set)
    try expectEqual(response.status, .ok)
    return NginxVariants.fields(of: try await response.body.utf8Text())
  }

  @discardableResult
  private static func refused(
    _ subject: AdapterConformance.Subject, _ variant: NginxVariants.Variant, _ codes: TransportError.Code..., set: Change
  ) async throws -> TransportError {
    try await expectFailure(in: codes) { try await response(subject, variant, set) }
  }
}
