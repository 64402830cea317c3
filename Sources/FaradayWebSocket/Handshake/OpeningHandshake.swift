internal import FaradayCore

/// The opening handshake of a client (RFC 6455, section 4.1): the fields of its request, and the checks of the response.
package struct OpeningHandshake {
  private let key: String
  private let protocols: [String]
  private let compresses: Bool

  /// What client and server have agreed on.
  struct Agreement: Equatable {
    var subprotocol: String?
    var compression: Compression?
  }

  init(protocols: [String], compresses: Bool) {
    var random = SystemRandomNumberGenerator()
    let nonce = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    self.init(key: Data(nonce).base64EncodedString(), protocols: protocols, compresses: compresses)
  }

  init(key: String, protocols: [String], compresses: Bool) {
    self.key = key
    self.protocols = protocols
    self.compresses = compresses
  }

  /// Turns a request into the handshake's. The frames are sent after the switch.
  func apply(to request: inout Request, frames: Body) throws {
    guard protocols.allSatisfy({ HTTPField.Name($0) != nil }), Set(protocols).count == protocols.count else {
      throw WebSocketError(.handshake("the name of a subprotocol is not a token, or is repeated"), request)
    }
    request.options.upgrade = Upgrade(to: "websocket", sending: frames)
    request.headers[.secWebSocketKey] = key
    request.headers[.secWebSocketVersion] = "13"
    if !protocols.isEmpty { request.headers[.secWebSocketProtocol] = protocols.joined(separator: ", ") }
    if compresses { request.headers[.secWebSocketExtensions] = Compression.offer }
  }

  /// Checks the response with the status 101.
  func agreement(in response: Response) throws(Problem) -> Agreement {
    let headers = response.headers
    guard headers[.upgrade]?.lowercased() == "websocket" else { throw .handshake("its Upgrade field does not name websocket") }
    guard headers[values: .connection].contains(where: { Self.words($0).contains("upgrade") }) else {
      throw .handshake("its Connection field does not have the word upgrade")
    }
    guard headers[values: .secWebSocketAccept] == [Self.acceptance(of: key)] else {
      throw .handshake("its Sec-WebSocket-Accept is missing or wrong")
    }
    var agreement = Agreement()
    let chosen = headers[values: .secWebSocketProtocol]
    if let name = chosen.first {
      guard chosen.count == 1, protocols.contains(name) else {
        throw .handshake("it chooses the subprotocol \(name.bounded(to: 80)), which was not offered")
      }
      agreement.subprotocol = name
    }
    let extensions = headers[values: .secWebSocketExtensions].flatMap { $0.split(separator: ",") }.map { $0.trimming() }
    guard let first = extensions.first else { return agreement }
    guard compresses, extensions.count == 1 else {
      throw .handshake("it accepts the extensions \(extensions.joined(separator: ", ").bounded(to: 80)), more than were offered")
    }
    agreement.compression = try Compression(accepting: first)
    return agreement
  }

  /// The value of `Sec-WebSocket-Accept` for a key (RFC 6455, section 4.2.2).
  package static func acceptance(of key: String) -> String {
    Data(SHA1.hash(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))).base64EncodedString()
  }

  private static func words(_ value: String) -> [String] {
    value.lowercased().split(separator: ",").map { $0.trimming() }
  }
}

extension StringProtocol {
  /// The text without these characters at both ends: spaces and tabs by default.
  func trimming(while isUnwanted: (Character) -> Bool = { $0 == " " || $0 == "\t" }) -> String {
    var text = self[...].drop(while: isUnwanted)
    while let last = text.last, isUnwanted(last) { text.removeLast() }
    return String(text)
  }
}
