internal import FaradayContentCoding
internal import FaradayCore

/// The parameters of the extension permessage-deflate (RFC 7692, section 7.1), as the server has accepted them.
struct Compression: Equatable {
  /// The client's offer: any parameters are accepted.
  static let offer = "permessage-deflate; client_max_window_bits"

  /// Whether a message of the client, or of the server, may refer to bytes of earlier messages (context takeover).
  private(set) var clientKeepsContext = true
  private(set) var serverKeepsContext = true
  /// The largest window with which the client may compress, as a power of two.
  private(set) var clientWindow: Int32 = 15

  /// Parses the value of a `Sec-WebSocket-Extensions` field. Throws the problem if it accepts anything but the offer.
  init(accepting value: String) throws(Problem) {
    let parts = value.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimming() }
    guard parts.first?.lowercased() == "permessage-deflate" else {
      throw .handshake("it accepts the extension \(value.bounded(to: 80)), which was not offered")
    }
    var seen: Set<String> = []
    for part in parts.dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { $0.trimming() }
      let (name, value) = (pair[0].lowercased(), pair.count > 1 ? pair[1].trimming(while: { $0 == "\"" }) : nil)
      guard seen.insert(name).inserted, take(name, value) else {
        throw .handshake("the parameter \(part.bounded(to: 80)) of its permessage-deflate is unknown, invalid or repeated")
      }
    }
  }

  /// Takes a parameter. Returns false if it is unknown or invalid.
  private mutating func take(_ name: String, _ value: String?) -> Bool {
    switch name {
    case "server_no_context_takeover":
      serverKeepsContext = false
      return value == nil
    case "client_no_context_takeover":
      clientKeepsContext = false
      return value == nil
    case "server_max_window_bits": return Self.window(value) != nil
    case "client_max_window_bits":
      guard let window = Self.window(value) else { return false }
      clientWindow = window
      return true
    default: return false
    }
  }

  private static func window(_ value: String?) -> Int32? {
    guard let value, let window = Int32(value), (8...15).contains(window), "\(window)" == value else { return nil }
    return window
  }

  /// Decompresses the server's messages. The largest window is correct for every smaller one.
  var inflation: MessageInflater { MessageInflater(keepsContext: serverKeepsContext) }

  /// Compresses the client's messages; nil if zlib cannot write the server's window. Compression is optional for each message.
  var deflation: MessageDeflater? {
    guard MessageDeflater.windows.contains(clientWindow) else { return nil }
    return MessageDeflater(keepsContext: clientKeepsContext, window: clientWindow)
  }
}
