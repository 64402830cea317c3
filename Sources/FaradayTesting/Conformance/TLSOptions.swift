internal import FaradayCore

extension ConformanceGroup {
  static let tlsOptions: ConformanceGroup = .init(
    name: "TLS options",
    cases: [
      .init("authorities in a folder are trusted, and no others", needs: .tlsAuthorities) { subject in
        try expectEqual(try await fields(subject, .valid) { $0.caDirectory = $1.authorityFolder }["verified"], "NONE")
        try await refused(subject, .valid, .tlsVerificationFailed) { $0.caDirectory = $1.folder }
      },
      .init("authorities in memory are trusted, and no others", needs: .tlsAuthorities) { subject in
        _ = try await fields(subject, .valid) { $0.caCertificates = try Data(contentsOf: URL(filePath: $1.authority)) }
        try await refused(subject, .valid, .tlsVerificationFailed) {
          $0.caCertificates = try Data(contentsOf: URL(filePath: $1.otherAuthority))
        }
      },
      .init("authorities in memory that are none", needs: .tlsAuthorities) { subject in
        try await refused(subject, .valid, .invalidCA, .tlsVerificationFailed) { tls, _ in
          tls.caCertificates = Data("garbage".utf8)
        }
      },
      .init("an expired certificate is refused", needs: .customCA) { subject in
        try await refused(subject, .expired, .tlsVerificationFailed) { $0.caFile = $1.authority }
      },
      .init("a chain is followed, and an incomplete one refused", needs: .customCA) { subject in
        _ = try await fields(subject, .chain) { $0.caFile = $1.authority }
        try await refused(subject, .incompleteChain, .tlsVerificationFailed) { $0.caFile = $1.authority }
      },
      .init("the name alone may go unverified", needs: [.unverifiedTLS, .customCA]) { subject in
        _ = try await fields(subject, .otherName) { ($0.caFile, $0.verifiesHostName) = ($1.authority, false) }
        try await refused(subject, .expired, .tlsVerificationFailed) { ($0.caFile, $0.verifiesHostName) = ($1.authority, false) }
      },
      .init("the certificate alone may go unverified", needs: [.unverifiedTLS, .customCA]) { subject in
        _ = try await fields(subject, .expired) { ($0.caFile, $0.verifiesCertificate) = ($1.authority, false) }
        try await refused(subject, .otherName, .tlsVerificationFailed) {
          ($0.caFile, $0.verifiesCertificate) = ($1.authority, false)
        }
      },
      .init("a revoked certificate is refused where the lists are known", needs: [.revocationLists, .customCA]) { subject in
        _ = try await fields(subject, .revoked) { $0.caFile = $1.authority }
        try await refused(subject, .revoked, .tlsVerificationFailed) {
          ($0.caFile, $0.revocationLists) = ($1.authority, $1.revocations)
        }
        _ = try await fields(subject, .valid) { ($0.caFile, $0.revocationLists) = ($1.authority, $1.revocations) }
      },
      .init("lists of revoked certificates that are not there", needs: [.revocationLists, .customCA]) { subject in
        try await refused(subject, .valid, .invalidCA) { ($0.caFile, $0.revocationLists) = ($1.authority, "/nonexistent.pem") }
      },
      .init("only a public key that is pinned is accepted", needs: [.pinnedPublicKeys, .customCA]) { subject in
        _ = try await fields(subject, .valid) { ($0.caFile, $0.pinnedPublicKeys) = ($1.authority, [$1.otherPin, $1.serverPin]) }
        let error = try await refused(subject, .valid, .publicKeyNotPinned) {
          ($0.caFile, $0.pinnedPublicKeys) = ($1.authority, [$1.otherPin])
        }
        try expectEqual(error.phase, .tls)
      },
      .init("a pin counts where the certificate is not verified", needs: [.pinnedPublicKeys, .unverifiedTLS]) { subject in
        try await refused(subject, .selfSigned, .publicKeyNotPinned) {
          ($0.verifiesServer, $0.pinnedPublicKeys) = (false, [$1.otherPin])
        }
      },
      .init("a connection that was made without the pin is not used", needs: [.pinnedPublicKeys, .customCA]) { subject in
        _ = try await fields(subject, .valid) { $0.caFile = $1.authority }
        try await refused(subject, .valid, .publicKeyNotPinned) {
          ($0.caFile, $0.pinnedPublicKeys) = ($1.authority, [$1.otherPin])
        }
      },
      .init("a pin that is no hash is refused", needs: .pinnedPublicKeys, needsWire: false) { subject in
        for pin in ["", "x", "sha256//AAAA", Data(count: 31).base64EncodedString()] {
          try await expectFailure(.invalidOption) {
            try await subject.connection.get("hello") { $0.options.tls.pinnedPublicKeys = [pin] }
          }
        }
      },
      .init("TLS 1.1 is spoken only where that is allowed", needs: [.tlsVersions, .tlsCiphers, .customCA]) { subject in
        try await refused(subject, .tls11, .tlsFailed) { $0.caFile = $1.authority }
        let fields = try await fields(subject, .tls11) {
          ($0.caFile, $0.minimumVersion, $0.ciphers) = ($1.authority, .v1_0, "DEFAULT:@SECLEVEL=0")
        }
        try expectEqual(fields["protocol"], "TLSv1.1")
      },
      .init("the versions are kept", needs: [.tlsVersions, .customCA]) { subject in
        try expectEqual(try await fields(subject, .valid) { $0.caFile = $1.authority }["protocol"], "TLSv1.3")
        try expectEqual(
          try await fields(subject, .valid) { ($0.caFile, $0.maximumVersion) = ($1.authority, .v1_2) }["protocol"], "TLSv1.2")
        try await refused(subject, .tls12, .tlsFailed) { ($0.caFile, $0.minimumVersion) = ($1.authority, .v1_3) }
        try await refused(subject, .tls13, .tlsFailed) { ($0.caFile, $0.maximumVersion) = ($1.authority, .v1_2) }
      },
      .init("a maximum version below the minimum is refused", needs: .tlsVersions, needsWire: false) { subject in
        try await expectFailure(.invalidOption) {
          try await subject.connection.get("hello") { $0.options.tls.maximumVersion = .v1_1 }
        }
      },
      .init("the ciphers are used", needs: [.tlsCiphers, .tlsVersions, .customCA]) { subject in
        let old = try await fields(subject, .tls12) { ($0.caFile, $0.ciphers) = ($1.authority, "ECDHE-ECDSA-CHACHA20-POLY1305") }
        try expectEqual(old["cipher"], "ECDHE-ECDSA-CHACHA20-POLY1305")
        let new = try await fields(subject, .tls13) {
          ($0.caFile, $0.cipherSuites) = ($1.authority, "TLS_CHACHA20_POLY1305_SHA256")
        }
        try expectEqual(new["cipher"], "TLS_CHACHA20_POLY1305_SHA256")
      },
      .init("ciphers that nobody knows", needs: [.tlsCiphers, .customCA]) { subject in
        try await refused(subject, .valid, .tlsFailed) { ($0.caFile, $0.ciphers) = ($1.authority, "NONSENSE") }
      },
      // Whether they are resumed otherwise is the engine's choice.
      .init("sessions are not resumed if that is switched off", needs: [.tlsHandshake, .customCA]) { subject in
        for _ in 0..<3 {
          let fields = try await fields(subject, .tls12, edit: { closeAfter(&$0) }) {
            ($0.caFile, $0.resumesSessions) = ($1.authority, false)
          }
          try expectEqual(fields["reused"], ".")
        }
      },
      .init("the protocol is negotiated unless that is switched off", needs: [.tlsHandshake, .customCA]) { subject in
        try expectEqual(
          try await fields(subject, .tls13) { ($0.caFile, $0.negotiatesProtocol) = ($1.authority, false) }["alpn"], "")
        try expect(try await fields(subject, .valid) { $0.caFile = $1.authority }["alpn"] != "")
      },
      .init("a replaced file of authorities counts at once", needs: .customCA) { subject in
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
      .init("a file of authorities at a relative path is read", needs: .customCA) { subject in
        let path = try TestCertificates.shared.get().authority
        let folder = FileManager.default.currentDirectoryPath
        let up = String(repeating: "../", count: folder.split(separator: "/").count)
        _ = try await fields(subject, .valid) { tls, _ in tls.caFile = up + path.dropFirst() }
      },
      .init("a replaced folder of authorities counts at once", needs: .tlsAuthorities) { subject in
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
      .init("a replaced file of revocation lists counts at once", needs: [.revocationLists, .customCA]) { subject in
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
      .init("the server's certificates are told", needs: [.peerCertificates, .customCA]) { subject in
        let response = try await response(subject, .chain) { ($0.caFile, $0.reportsPeerCertificates) = ($1.authority, true) }
        _ = try await response.body.collect(upTo: .max)
        let certificates = response.metrics.peerCertificates
        try expectEqual(certificates.count, 2)
        // The key of its public half is in its own, which comes first.
        let own = try Data(contentsOf: URL(filePath: TestCertificates.shared.get().server(.incompleteChain)))
        let base64 = String(decoding: own, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        try expectEqual(certificates.first, Data(base64Encoded: base64))
      },
      .init("the server's certificates are told of a failure, too", needs: [.peerCertificates, .customCA]) { subject in
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
      .init("a verifier saves no server that fails the other checks", needs: [.peerCertificates, .customCA, .pinnedPublicKeys]) {
        subject in
        let verifier = CertificateVerifier { _, _ in true }
        for variant in [NginxVariants.Variant.expired, .otherName, .selfSigned, .incompleteChain] {
          try await refused(subject, variant, .tlsVerificationFailed) { ($0.caFile, $0.verifier) = ($1.authority, verifier) }
        }
        try await refused(subject, .valid, .publicKeyNotPinned) {
          ($0.caFile, $0.verifier, $0.pinnedPublicKeys) = ($1.authority, verifier, [$1.otherPin])
        }
      },
      .init("a verifier decides alone where nothing else is verified", needs: [.peerCertificates, .unverifiedTLS]) { subject in
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
      .init("a connection is shared only by requests with its verifier", needs: [.peerCertificates, .customCA]) { subject in
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
      .init("a verifier is asked though there is a session to resume", needs: [.peerCertificates, .customCA]) { subject in
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
      .init("without one that is needed the server answers, and says so") { subject in
        let response = try await response(subject, .clientCertificate) { $0.caFile = $1.authority }
        try expectEqual(response.status, .badRequest)
      },
      .init("one that nobody knows is refused by the server") { subject in
        let response = try await response(subject, .clientCertificate) {
          $0.caFile = $1.authority
          $0.clientCertificate = .pem(.file($1.strangerCertificate), key: .file($1.strangerKey))
        }
        try expectEqual(response.status, .badRequest)
      },
      .init("a replaced certificate file counts at once") { subject in
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
      .init("one that is needed is missing, or unknown: the handshake fails, whatever is being sent") { subject in
        for version in ["-tls1_2", "-tls1_3"] {
          for hasCertificate in [false, true] {
            for size in [0, 10, 4 << 20] {
              let server = try OpenSSLServer("-Verify 1 -verify_return_error -CAfile ca.pem \(version)")
              let error = try await expectFailure(.tlsFailed) {
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
              try expect(!error.isTransient, "\(error)")
            }
          }
        }
      },
      .init("the connection of one client is not another's") { subject in
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
        Case("it is presented: \(name)") { subject in
          let fields = try await fields(subject, .clientCertificate) {
            $0.caFile = $1.authority
            $0.clientCertificate = try certificate($1)
          }
          try expectEqual(fields["fingerprint"], try TestCertificates.shared.get().clientFingerprint)
          try expectEqual(fields["verified"], "SUCCESS")
        }
      }
      + unusable.map { name, certificate in
        Case("it cannot be used: \(name)") { subject in
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
    ("a file that is not there", { _ in .pem(.file("/nonexistent.pem")) }),
    ("a key that is not there", { .pem(.file($0.clientCertificate), key: .file("/nonexistent.key")) }),
    ("a wrong password", { .pem(.file($0.clientCertificate), key: .file($0.clientEncryptedKey), password: "not-this-one") }),
    ("a missing password", { .pem(.file($0.clientCertificate), key: .file($0.clientEncryptedKey)) }),
    ("a wrong password of PKCS#12", { .pkcs12(.file($0.clientPKCS12), password: "not-this-one") }),
    ("another's key", { .pem(.file($0.clientCertificate), key: .file($0.strangerKey)) }),
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

  /// What the server knows of the connection.
  private static func fields(
    _ subject: AdapterConformance.Subject, _ variant: NginxVariants.Variant, edit: (inout Request) -> Void = { _ in },
    _ set: Change
  ) async throws -> [String: String] {
    let response = try await response(subject, variant, edit: edit, set)
    try expectEqual(response.status, .ok)
    return NginxVariants.fields(of: try await response.body.text())
  }

  @discardableResult
  private static func refused(
    _ subject: AdapterConformance.Subject, _ variant: NginxVariants.Variant, _ codes: TransportError.Code..., set: Change
  ) async throws -> TransportError {
    try await expectFailure(in: codes) { try await response(subject, variant, set) }
  }
}
