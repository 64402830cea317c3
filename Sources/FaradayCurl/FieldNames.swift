internal import FaradayCore

/// The names that most fields of responses have, made once: to make one anew its text is checked and put in lower case.
enum FieldNames {
  /// The name that is written so, in just this case; nil if it is none of these.
  static func known(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> HTTPField.Name? {
    guard bytes.count < table.count else { return nil }
    return table[bytes.count].first { $0.text.elementsEqual(bytes) }?.name
  }

  /// By the length of the name.
  private static let table: [[(text: [UInt8], name: HTTPField.Name)]] = {
    // As HTTP/1.1 servers write them, and as all do over HTTP/2.
    let spellings = names.flatMap { [$0, $0.lowercased()] }.compactMap { text in
      HTTPField.Name(text).map { (Array(text.utf8), $0) }
    }
    let longest = spellings.map(\.0.count).max() ?? 0
    return (0...longest).map { length in spellings.filter { $0.0.count == length } }
  }()

  private static let names = [
    "Accept-Ranges", "Age", "Allow", "Alt-Svc", "Cache-Control", "Connection", "Content-Encoding", "Content-Length",
    "Content-Type", "Date", "ETag", "Expires", "Keep-Alive", "Last-Modified", "Link", "Location", "Server", "Set-Cookie",
    "Strict-Transport-Security", "Transfer-Encoding", "Vary", "Via", "WWW-Authenticate", "X-Content-Type-Options",
  ]
}
