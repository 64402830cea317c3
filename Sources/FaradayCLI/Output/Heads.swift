import Faraday
import Synchronization

/// The received heads of all responses, and trailers: informational responses, redirects, challenges and the last response. The
/// engine's thread appends them, and the transfer takes them out in order. Thread-safe.
final class HeadQueue: Sendable {
  private struct State {
    var waiting: [Data] = []
    var byteCount = 0
    var fieldCount = 0
  }

  private let state = Mutex(State())

  /// Makes the request report its heads, as raw bytes if the adapter supports it.
  func install(on request: inout Request, for capabilities: Capabilities) {
    if capabilities.contains(.rawHeads) {
      request.options.onRawHead = { [self] in append($0) }
    } else {
      request.options.onInformational = { [self] in append(HeadText.data($0.status, $0.headerFields)) }
    }
  }

  func append(_ head: Data) {
    state.withLock {
      $0.waiting.append(head)
      $0.byteCount += head.count
      // As in curl, trailers count as fields of the head before them.
      let isHead = head.starts(with: "HTTP/".utf8)
      let fields = head.split(separator: 0x0A).dropFirst(isHead ? 1 : 0).count { $0.contains(UInt8(ascii: ":")) }
      $0.fieldCount = isHead ? fields : $0.fieldCount + fields
    }
  }

  /// Takes the remaining heads out. Pass false for `trailers` until the body is written.
  func take(trailers: Bool = true) -> [Data] {
    state.withLock { state in
      let isHead = { (head: Data) in head.starts(with: "HTTP/".utf8) }
      let count = trailers ? state.waiting.count : state.waiting.prefix(while: isHead).count
      defer { state.waiting.removeFirst(count) }
      return Array(state.waiting.prefix(count))
    }
  }

  /// The bytes of all heads so far.
  var byteCount: Int { state.withLock { $0.byteCount } }
  /// The fields of the last head.
  var fieldCount: Int { state.withLock { $0.fieldCount } }
}

/// Formats the header of a response: lines with CRLF, the bytes of values unchanged.
enum HeadText {
  static func data(_ response: Response) -> Data { data(response.status, response.headers, response.version) }

  static func data(_ status: HTTPResponse.Status, _ fields: HTTPFields, _ version: HTTPVersion = .http1_1) -> Data {
    var lines = Data("\(version) \(status.code) \(status.reasonPhrase)\r\n".utf8)
    for field in fields {
      lines += "\(field.name.rawName): ".utf8
      field.withUnsafeBytesOfValue { lines.append(contentsOf: $0) }
      lines += "\r\n".utf8
    }
    return lines + "\r\n".utf8
  }
}
