import Faraday
import Synchronization

/// The heads of responses, as they were received: of informational responses, of each redirect and challenge, of the last one;
/// and trailers. The engine's thread appends them, and the transfer takes them out in order. Thread-safe.
final class HeadQueue: Sendable {
  private struct State {
    var waiting: [Data] = []
    var byteCount = 0
    var fieldCount = 0
    var statuses: [Int] = []
  }

  private let state = Mutex(State())

  /// Makes the request report its heads, in their bytes if the adapter has them.
  func install(on request: inout Request, for capabilities: Capabilities) {
    guard capabilities.contains(.rawHeads) else {
      let others = request.options.onInformational
      request.options.onInformational = { [self] head in
        others?(head)
        append(HeadText.data(head.status, head.headerFields, .http1_1))
      }
      return
    }
    let others = request.options.onRawHead
    request.options.onRawHead = { [self] head in
      others?(head)
      append(head)
    }
  }

  func append(_ head: Data) {
    state.withLock {
      $0.waiting.append(head)
      $0.byteCount += head.count
      let lines = head.split(separator: 0x0A)
      let fields = lines.count { $0.contains(UInt8(ascii: ":")) && !$0.starts(with: "HTTP/".utf8) }
      // Trailers are counted with the head before them, as curl does not tell them apart.
      guard head.starts(with: "HTTP/".utf8) else {
        $0.fieldCount += fields
        return
      }
      $0.fieldCount = fields
      let digits = head.drop { $0 != 0x20 }.dropFirst().prefix { $0.isDigit }
      $0.statuses.append(Int(String(decoding: digits, as: UTF8.self)) ?? 0)
    }
  }

  /// The heads that were not taken yet; without the trailers, unless the body has been written.
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
  /// The statuses of all heads so far, also of those that are malformed behind it.
  var statuses: [Int] { state.withLock { $0.statuses } }
  /// The fields of the last head.
  var fieldCount: Int { state.withLock { $0.fieldCount } }
}

/// The file of `-D`, for the heads of all transfers of an operation: it is emptied at first, and `-` is standard output.
/// Thread-safe.
final class HeadFile: Sendable {
  private let descriptor: Descriptor

  /// Creates or empties the file. Throws a ``CommandFailure``.
  init(_ path: String, createsFolders: Bool = false) throws {
    guard path != "-" else {
      descriptor = .output
      return
    }
    do {
      var rules = OutputRules(clobber: .always)
      rules.createsFolders = createsFolders
      descriptor = try OutputFile.open(path, rules, isNamedByServer: false).descriptor
    } catch {
      throw CommandFailure(ExitStatus.writeError, "Failed to open \(path): \(error)")
    }
  }

  deinit {
    if descriptor.number != Descriptor.output.number { descriptor.close() }
  }

  func write(_ head: Data) throws {
    do {
      try descriptor.write(head)
    } catch {
      throw CommandFailure(ExitStatus.writeError, "Failed writing header")
    }
  }
}
