internal import CCurl
internal import FaradayCore

extension TLS {
  func apply(to easy: EasyHandle) throws(EasyHandle.Refused) {
    try easy.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if let caFile { try easy.set(CURLOPT_CAINFO, caFile) }
    // With a directory of authorities besides the bundle, libcurl parses the bundle anew for every connection.
    if caFile != nil || Library.hasBundle { try easy.set(CURLOPT_CAPATH, nil as String?) }
    if !verifiesServer {
      try easy.set(CURLOPT_SSL_VERIFYPEER, 0)
      try easy.set(CURLOPT_SSL_VERIFYHOST, 0)
    }
  }
}

extension Library {
  /// Whether libcurl was built with a file of certificate authorities, and not only a directory.
  static let hasBundle = faraday_version()?.pointee.cainfo != nil
}
