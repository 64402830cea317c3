public import FaradayCore

extension WebSocket {
  /// A message: text or bytes.
  public enum Message: Sendable, Hashable {
    /// Text. On the wire it is UTF-8.
    case text(String)
    /// Bytes.
    case binary(Data)

    /// The text; nil for a message of bytes.
    public var text: String? { if case .text(let text) = self { text } else { nil } }

    /// The bytes: those of the text in UTF-8 for a text.
    public var data: Data {
      switch self {
      case .text(let text): Data(text.utf8)
      case .binary(let data): data
      }
    }

    /// Decodes a message of JSON, text or bytes. Throws the decoder's error.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self, by decoder: JSONDecoder = JSONDecoder()) throws -> Value
    {
      try decoder.decode(type, from: data)
    }

    /// The size on the wire before compression, in bytes.
    var byteCount: Int {
      switch self {
      case .text(let text): text.utf8.count
      case .binary(let data): data.count
      }
    }
  }
}
