internal import CCurl
internal import FaradayCore

extension TLS {
  /// libcurl's options of the TLS connection to the server, or to an https proxy.
  struct LibcurlNames {
    let caFile, caDirectory, caBlob, verifyPeer, verifyHost, crl, pins, version: CURLoption
    let certificate, certificateBlob, certificateType, key, keyBlob, keyType, password, ciphers, suites: CURLoption

    static let server = LibcurlNames(
      caFile: CURLOPT_CAINFO, caDirectory: CURLOPT_CAPATH, caBlob: CURLOPT_CAINFO_BLOB, verifyPeer: CURLOPT_SSL_VERIFYPEER,
      verifyHost: CURLOPT_SSL_VERIFYHOST, crl: CURLOPT_CRLFILE, pins: CURLOPT_PINNEDPUBLICKEY, version: CURLOPT_SSLVERSION,
      certificate: CURLOPT_SSLCERT, certificateBlob: CURLOPT_SSLCERT_BLOB, certificateType: CURLOPT_SSLCERTTYPE,
      key: CURLOPT_SSLKEY, keyBlob: CURLOPT_SSLKEY_BLOB, keyType: CURLOPT_SSLKEYTYPE, password: CURLOPT_KEYPASSWD,
      ciphers: CURLOPT_SSL_CIPHER_LIST, suites: CURLOPT_TLS13_CIPHERS)
    static let proxy = LibcurlNames(
      caFile: CURLOPT_PROXY_CAINFO, caDirectory: CURLOPT_PROXY_CAPATH, caBlob: CURLOPT_PROXY_CAINFO_BLOB,
      verifyPeer: CURLOPT_PROXY_SSL_VERIFYPEER, verifyHost: CURLOPT_PROXY_SSL_VERIFYHOST, crl: CURLOPT_PROXY_CRLFILE,
      pins: CURLOPT_PROXY_PINNEDPUBLICKEY, version: CURLOPT_PROXY_SSLVERSION, certificate: CURLOPT_PROXY_SSLCERT,
      certificateBlob: CURLOPT_PROXY_SSLCERT_BLOB, certificateType: CURLOPT_PROXY_SSLCERTTYPE, key: CURLOPT_PROXY_SSLKEY,
      keyBlob: CURLOPT_PROXY_SSLKEY_BLOB, keyType: CURLOPT_PROXY_SSLKEYTYPE, password: CURLOPT_PROXY_KEYPASSWD,
      ciphers: CURLOPT_PROXY_SSL_CIPHER_LIST, suites: CURLOPT_PROXY_TLS13_CIPHERS)
  }

  func apply(to easy: EasyHandle, _ names: LibcurlNames = .server) throws(EasyHandle.OptionRejected) {
    try easy.set(names.version, versions)
    try applyAuthorities(to: easy, names)
    if !verifiesCertificate { try easy.set(names.verifyPeer, 0) }
    if !verifiesHostName { try easy.set(names.verifyHost, 0) }
    if let revocationLists { try easy.set(names.crl, CertificatePath.current(revocationLists)) }
    if !pinnedPublicKeys.isEmpty {
      try easy.set(names.pins, pinnedPublicKeys.map { "sha256//" + $0 }.joined(separator: ";"))
    }
    if let ciphers { try easy.set(names.ciphers, ciphers) }
    if let cipherSuites { try easy.set(names.suites, cipherSuites) }
    try clientCertificate?.apply(to: easy, names)
  }

  /// Sets the options that libcurl has for both connections at once, the server's and an https proxy's.
  func applyHandshake(to easy: EasyHandle) throws(EasyHandle.OptionRejected) {
    // A session that is resumed has no certificates.
    let resumes = resumesSessions && Library.Behaviour.resumesSessions && !reportsPeerCertificates && verifier == nil
    if !resumes { try easy.set(CURLOPT_SSL_SESSIONID_CACHE, 0) }
    if !negotiatesProtocol { try easy.set(CURLOPT_SSL_ENABLE_ALPN, 0) }
  }

  private func applyAuthorities(to easy: EasyHandle, _ names: LibcurlNames) throws(EasyHandle.OptionRejected) {
    if let caCertificates { try easy.set(names.caBlob, bytes: caCertificates) }
    // The system's authorities, unless others are trusted instead.
    let isSystem = caFile == nil && caDirectory == nil && caCertificates == nil
    let file = isSystem ? Library.bundle : caFile
    // No directory of authorities besides a bundle: libcurl would parse the bundle again for every connection.
    let directory = isSystem && file == nil ? Library.authorityDirectory : caDirectory
    guard !isSystem || file != nil || directory != nil else { return }
    try easy.set(names.caFile, file.map { CertificatePath.current($0) })
    try easy.set(names.caDirectory, directory.map { CertificatePath.current($0) })
  }

  /// The minimum and maximum version in the two halves of libcurl's number.
  private var versions: Int {
    let minimum =
      switch minimumVersion {
      case .v1_0: Int(CURL_SSLVERSION_TLSv1_0)
      case .v1_1: Int(CURL_SSLVERSION_TLSv1_1)
      case .v1_2: Int(CURL_SSLVERSION_TLSv1_2)
      case .v1_3: Int(CURL_SSLVERSION_TLSv1_3)
      }
    let maximum =
      switch maximumVersion {
      case nil: 0
      case .v1_0: Int(CURL_SSLVERSION_MAX_TLSv1_0)
      case .v1_1: Int(CURL_SSLVERSION_MAX_TLSv1_1)
      case .v1_2: Int(CURL_SSLVERSION_MAX_TLSv1_2)
      case .v1_3: Int(CURL_SSLVERSION_MAX_TLSv1_3)
      }
    return minimum | maximum
  }
}

extension ClientCertificate {
  fileprivate func apply(to easy: EasyHandle, _ names: TLS.LibcurlNames) throws(EasyHandle.OptionRejected) {
    let type =
      switch format {
      case .pem: "PEM"
      case .der: "DER"
      case .pkcs12: "P12"
      }
    try easy.set(names.certificateType, type)
    // libcurl identifies the pair by the certificate.
    try Self.set(certificate, with: key, easy, names.certificate, names.certificateBlob)
    if let key {
      try easy.set(names.keyType, type)
      try Self.set(key, easy, names.key, names.keyBlob)
    } else if format == .pem, case .bytes(let data) = certificate {
      // libcurl takes the key from the certificate's file, but not from its bytes.
      try easy.set(names.keyBlob, bytes: data)
    }
    if let password { try easy.set(names.password, password) }
  }

  private static func set(
    _ source: Source, with other: Source? = nil, _ easy: EasyHandle, _ file: CURLoption, _ blob: CURLoption
  ) throws(EasyHandle.OptionRejected) {
    switch source {
    case .file(let path):
      let key: String? = if case .file(let path) = other { path } else { nil }
      // libcurl could take a name without a slash for a certificate in a store.
      try easy.set(file, CertificatePath.current(path.contains("/") ? path : "./" + path, with: key))
    case .bytes(let data): try easy.set(blob, bytes: data)
    }
  }
}
