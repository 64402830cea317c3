import Faraday
import FaradaySupport
import FaradayTesting
import Foundation
import Synchronization

/// Serves a file of any size with ranges and `If-Range`, truncates responses as configured, and counts the sent bytes.
final class RangeServer: Sendable {
  struct Sent: Sendable {
    let head: String
    let status: Int
    let start: Int
    let count: Int
  }

  struct File: Sendable {
    var size: Int
    var tag = "\"v1\""
    var seed: UInt8 = 0

    /// Pseudo-random bytes that repeat with a period that no offset of a test is a multiple of.
    func bytes(_ range: Range<Int>) -> [UInt8] {
      var result: [UInt8] = []
      result.reserveCapacity(range.count)
      var at = range.lowerBound
      while at < range.upperBound {
        let inBlock = at % Self.block.count
        let count = min(Self.block.count - inBlock, range.upperBound - at)
        if seed == 0 {
          result += Self.block[inBlock..<(inBlock + count)]
        } else {
          result += Self.block[inBlock..<(inBlock + count)].map { $0 ^ seed }
        }
        at += count
      }
      return result
    }

    var sha256: String {
      var hash = SHA256()
      for start in stride(from: 0, to: size, by: 1 << 20) { hash.update(bytes(start..<min(start + 1 << 20, size)).span) }
      return hash.finish().hexadecimal
    }

    private static let block: [UInt8] = {
      var generator = SeededGenerator(seed: 42)
      return (0..<1_048_573).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }()
  }

  private final class State: Sendable {
    let sent = Mutex<[Sent]>([])
    let count = Mutex(0)
    let file: Mutex<File>

    init(_ file: File) { self.file = Mutex(file) }
  }

  private let state: State
  private let server: RawServer

  var url: String { server.url }
  var sent: [Sent] { state.sent.withLock { $0 } }
  /// The bytes of bodies that were sent.
  var served: Int { sent.reduce(0) { $0 + $1.count } }

  func replace(_ file: File) { state.file.withLock { $0 = file } }

  /// - Parameter cut: how many bytes of a response are sent before the connection ends; nil for all. It gets the number of the
  ///   response and its size.
  /// - Parameter stall: called before such a connection ends.
  init(
    _ file: File, cut: @escaping @Sendable (_ index: Int, _ size: Int) -> Int? = { _, _ in nil },
    stall: @escaping @Sendable (_ index: Int) -> Void = { _ in }
  ) throws {
    let state = State(file)
    self.state = state
    server = try RawServer { connection in
      while true {
        let head = try connection.readHead()
        let file = state.file.withLock { $0 }
        let index = state.count.withLock { count in
          defer { count += 1 }
          return count
        }
        let range = Self.range(head, in: file)
        let start = min(range ?? 0, file.size)
        let count = file.size - start
        let status = range == nil ? 200 : count > 0 ? 206 : 416
        let cut = cut(index, count).map { min($0, count) }
        let fields =
          switch status {
          case 206: "Content-Range: bytes \(start)-\(file.size - 1)/\(file.size)\r\n"
          case 416: "Content-Range: bytes */\(file.size)\r\n"
          default: ""
          }
        state.sent.withLock { $0.append(Sent(head: head, status: status, start: start, count: cut ?? count)) }
        try connection.send("HTTP/1.1 \(status) Status\r\nETag: \(file.tag)\r\n\(fields)Content-Length: \(count)\r\n\r\n")
        let stop = start + (cut ?? count)
        for at in stride(from: start, to: stop, by: 256 << 10) {
          try connection.send(file.bytes(at..<min(at + 256 << 10, stop)))
        }
        guard cut == nil else {
          stall(index)
          return connection.close()
        }
      }
    }
  }

  private static func range(_ head: String, in file: File) -> Int? {
    guard let match = head.firstMatch(of: #/(?i)\r\nrange: bytes=([0-9]+)-\r\n/#), let start = Int(match.output.1) else {
      return nil
    }
    let condition = head.firstMatch(of: #/(?i)\r\nif-range: ([^\r]*)\r\n/#).map { String($0.output.1) }
    return condition == nil || condition == file.tag ? start : nil
  }
}

/// A folder that goes when the test does.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/faraday-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}
