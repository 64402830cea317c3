internal import FaradayTesting

/// A frame of HTTP/2 (RFC 9113, 4.1), well-formed or not.
struct HTTP2Frame {
  let type: UInt8
  var flags: UInt8 = 0
  var stream: UInt32 = 0
  var payload: [UInt8] = []

  static let endOfStream: UInt8 = 1

  /// SETTINGS without any setting.
  static let settings = settings([])

  static func settings(_ values: [(name: UInt16, value: UInt32)]) -> HTTP2Frame {
    HTTP2Frame(type: 4, payload: values.flatMap { bigEndian($0.name) + bigEndian($0.value) })
  }

  static let settingsAcknowledged = HTTP2Frame(type: 4, flags: 1)

  /// A head of these short fields, as literals with or without an indexed name (RFC 7541, 6.2.2).
  static func head(_ stream: UInt32, status: String = "200", _ fields: [(String, String)] = []) -> HTTP2Frame {
    // 8 is the name `:status` in the static table; 4 is END_HEADERS.
    var payload: [UInt8] = [8] + string(status)
    for (name, value) in fields { payload += [0] + string(name) + string(value) }
    return HTTP2Frame(type: 1, flags: 4, stream: stream, payload: payload)
  }

  static func data(_ stream: UInt32, _ text: String, flags: UInt8 = 0) -> HTTP2Frame {
    HTTP2Frame(type: 0, flags: flags, stream: stream, payload: Array(text.utf8))
  }

  /// RST_STREAM.
  static func reset(_ stream: UInt32, code: UInt32) -> HTTP2Frame {
    HTTP2Frame(type: 3, stream: stream, payload: bigEndian(code))
  }

  /// GOAWAY: no streams after this one are processed.
  static func goAway(last stream: UInt32, code: UInt32 = 0) -> HTTP2Frame {
    HTTP2Frame(type: 7, payload: bigEndian(stream) + bigEndian(code))
  }

  var bytes: [UInt8] {
    Array(Self.bigEndian(UInt32(payload.count)).dropFirst()) + [type, flags] + Self.bigEndian(stream) + payload
  }

  private static func string(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }

  private static func bigEndian<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }
}

extension RawConnection {
  /// Sends the frames in one write.
  func send(_ frames: [HTTP2Frame]) throws { try send(frames.flatMap(\.bytes)) }

  /// Reads the client's connection preface and sends the server's settings.
  func beginHTTP2(_ settings: HTTP2Frame = .settings) throws {
    try send([settings])
    _ = try read(exactly: 24)
  }

  func readFrame() throws -> HTTP2Frame {
    let head = try read(exactly: 9)
    let count = head[..<3].reduce(0) { $0 << 8 | Int($1) }
    let stream = head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return HTTP2Frame(type: head[3], flags: head[4], stream: stream, payload: try read(exactly: count))
  }

  /// Reads until a request's head has arrived, and returns its stream. Settings are acknowledged, and other frames are ignored.
  func readRequest() throws -> UInt32 {
    while true {
      let frame = try readFrame()
      if frame.type == 4, frame.flags & 1 == 0 { try send([.settingsAcknowledged]) }
      if frame.type == 1 { return frame.stream }
    }
  }
}
