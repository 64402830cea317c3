internal import CCurl

/// An origin that libcurl has parsed. The requests to an origin share it: otherwise libcurl would parse the URL of each request,
/// and write it again.
final class ParsedOrigin: Sendable {
  /// The URL of the origin's root.
  let root: String
  /// For `CURLOPT_CURLU`. Must not be freed before the easy handles that use it.
  // Safe to share: libcurl only copies from it.
  nonisolated(unsafe) let url: OpaquePointer

  /// Returns nil if libcurl rejects the origin.
  init?(_ origin: String) {
    guard let url = curl_url() else { return nil }
    root = origin + "/"
    self.url = url
    guard curl_url_set(url, CURLUPART_URL, root, 0) == CURLUE_OK else { return nil }
  }

  deinit { curl_url_cleanup(url) }
}
