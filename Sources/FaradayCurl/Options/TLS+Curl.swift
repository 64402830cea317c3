internal import CCurl
@_spi(Adapters) internal import FaradayCore

extension TLS {
  /// The libcurl options for the TLS connection to the server, or to an https proxy.
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
    if let tls12Ciphers { try easy.set(names.ciphers, tls12Ciphers) }
    if let tls13Ciphers { try easy.set(names.suites, tls13Ciphers) }
    try clientCertificate?.apply(to: easy, names)
  }

  /// Whether a session may be resumed. In a resumed handshake the server sends no certificates.
  fileprivate var mayResume: Bool {
    resumesSessions && Library.Behaviour.resumesSessions && !reportsPeerCertificates && verifier == nil
  }

  /// Sets the options that libcurl applies to both TLS connections, the server's and an https proxy's.
  func applyHandshake(to easy: EasyHandle, withEarlyData: Bool) throws(EasyHandle.OptionRejected) {
    if withEarlyData { try easy.set(CURLOPT_SSL_OPTIONS, Library.earlyDataOption) }
    if !mayResume { try easy.set(CURLOPT_SSL_SESSIONID_CACHE, 0) }
    if !negotiatesProtocol { try easy.set(CURLOPT_SSL_ENABLE_ALPN, 0) }
  }

  private func applyAuthorities(to easy: EasyHandle, _ names: LibcurlNames) throws(EasyHandle.OptionRejected) {
    if let caCertificates { try easy.set(names.caBlob, bytes: caCertificates) }
    // The system's authorities, unless the options replace them.
    let isSystem = caFile == nil && caDirectory == nil && caCertificates == nil
    let file = isSystem ? Library.bundle : caFile
    // No directory in addition to a bundle: libcurl would parse the bundle again for every connection.
    let directory = isSystem && file == nil ? Library.authorityDirectory : caDirectory
    guard !isSystem || file != nil || directory != nil else { return }
    try easy.set(names.caFile, file.map { CertificatePath.current($0) })
    try easy.set(names.caDirectory, directory.map { CertificatePath.current($0) })
  }

  /// The minimum and maximum version, combined in the two halves of libcurl's number.
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

extension Transfer {
  /// Whether the request may be sent before the TLS handshake is complete, when an attacker can replay it.
  var maySendEarlyData: Bool {
    guard let transport, transport.fields.tls.sendsEarlyData else { return false }
    return transport.fields.tls.mayResume && request.method.isSafe && request.body.isEmpty
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
    // libcurl identifies the pair of certificate and key by the certificate.
    try Self.set(certificate, with: key, easy, names.certificate, names.certificateBlob)
    if let key {
      try easy.set(names.keyType, type)
      try Self.set(key, easy, names.key, names.keyBlob)
    } else if format == .pem, case .bytes(let data) = certificate {
      // libcurl reads the key from the certificate's file, but not from its bytes.
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
      // libcurl could interpret a name without a slash as a certificate in a store.
      try easy.set(file, CertificatePath.current(path.contains("/") ? path : "./" + path, with: key))
    case .bytes(let data): try easy.set(blob, bytes: data)
    }
  }
}

/// The path of a file or folder of certificates or keys, spelled differently for each version of the file.
///
/// libcurl identifies these files by path. By path, it caches parsed authorities for 24 hours, resumes TLS sessions without
/// another verification, and reuses connections. With a new spelling, it treats a replaced file as a new file in all three
/// cases. The spellings differ in the `/` and `.` before the path, which the file system ignores.
enum CertificatePath {
  /// Returns the path for libcurl. It costs a system call for each file.
  ///
  /// - Parameter other: a related file, such as the key of a certificate.
  static func current(_ path: String, with other: String? = nil) -> String {
    let version = faraday_file_version(path)
    guard version != 0 else { return path }
    // As a sum of non-consecutive Fibonacci numbers, so that no two dots are adjacent: `..` would be another folder.
    var rest = (other.map { version ^ faraday_file_version($0).byteSwapped } ?? version) % modulus
    let isAbsolute = path.utf8.first == UInt8(ascii: "/")
    let start: StaticString = isAbsolute ? "//" : "/./"
    // libcurl 8.12 and newer resolve a relative path.
    let end = isAbsolute ? path : FileManager.default.currentDirectoryPath + "/" + path
    return String(unsafeUninitializedCapacity: start.utf8CodeUnitCount + numbers.count + end.utf8.count) { text in
      var count = start.withUTF8Buffer { text.initialize(fromContentsOf: $0) }
      for number in numbers {
        text.initializeElement(at: count, to: rest < number ? UInt8(ascii: "/") : UInt8(ascii: "."))
        if rest >= number { rest -= number }
        count += 1
      }
      for byte in end.utf8 {
        text.initializeElement(at: count, to: byte)
        count += 1
      }
      return count
    }
  }

  /// Restores the caller's spelling of paths in a libcurl message.
  static func plain(_ message: String) -> String {
    guard message.contains("//") || message.contains("/./") else { return message }
    let folder = FileManager.default.currentDirectoryPath + "/"
    return message.replacing(#/\/(\.?)\/[\/.]{31}(\/[^\s,]*)/#) { match in
      let path = match.2
      return match.1.isEmpty || !path.hasPrefix(folder) ? path : path.dropFirst(folder.count)
    }
  }

  /// 31 Fibonacci numbers, the largest first. With the two or three characters before them, the prefix is short enough for
  /// libcurl's messages, which have 256 characters.
  private static let numbers: [UInt32] = {
    var numbers: [UInt32] = [1, 2]
    while numbers.count < 31 { numbers.append(numbers[numbers.count - 1] + numbers[numbers.count - 2]) }
    return numbers.reversed()
  }()

  /// The number of spellings: more than three million.
  private static let modulus = numbers[0] + numbers[1]
}
