internal import FaradayCore
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif
internal import Synchronization

/// Keeps the bytes of a body as they pass: text in memory, because it must be redacted as a whole; other bytes in memory up to a
/// limit, and then in a file. Thread-safe.
final class RecordedBody: Sendable {
  /// The maximum size of a body within the archive; a larger one has its own file.
  static let maximumInlineSize = 64 << 10
  /// The maximum size of text that is redacted.
  static let maximumTextSize = 16 << 20

  private struct State {
    var data = Data()
    var file: OutputFile?
    /// Whether there is a file at `partialPath`.
    var hasPartialFile = false
    /// Whether a large body is text, and stays in memory.
    var isText = false
    var size = 0
    var pieces: [HAR.Piece] = []
    var last: Duration?
    var failure: String?

    /// Joins pieces that come after very many: a server may send each byte alone.
    mutating func add(_ piece: HAR.Piece) {
      if pieces.count < 10_000 { return pieces.append(piece) }
      pieces[pieces.count - 1].size += piece.size
      pieces[pieces.count - 1].wait += piece.wait
    }
  }

  private let state = Mutex(State())
  private let path: String
  private let headers: HTTPFields
  private let clock = ContinuousClock().stopwatch()

  /// - Parameter path: of the file for a large body. Its folder is created when it is needed.
  init(path: String, headers: HTTPFields) {
    self.path = path
    self.headers = headers
  }

  private var isSearched: Bool { Redaction.searches(headers.contentType) }

  /// Forgets what was kept: the body is sent again.
  func restart() {
    state.withLock { state in
      if state.hasPartialFile { unlink(partialPath) }
      state = State()
    }
  }

  func append(_ piece: Data) {
    guard !piece.isEmpty else { return }
    let now = clock()
    state.withLock { state in
      let wait = ((now - (state.last ?? now)).inSeconds * 1000).rounded()
      state.last = now
      state.add(HAR.Piece(size: piece.count, wait: wait))
      state.size += piece.count
      guard state.failure == nil else { return }
      do {
        try keep(piece, &state)
      } catch {
        state.failure = "\(error)"
        state.data = Data()
      }
    }
  }

  private func keep(_ piece: Data, _ state: inout State) throws {
    if state.size > Self.maximumInlineSize, state.file == nil, !state.isText {
      // Bytes of no known type are text if their beginning is.
      state.isText = isSearched && (headers.contentType != nil || (state.data + piece).isText)
      if !state.isText {
        state.file = try OutputFile(partialPath)
        state.hasPartialFile = true
        try state.file?.write(state.data)
        state.data = Data()
      }
    }
    if let file = state.file { return try file.write(piece) }
    guard state.size <= Self.maximumTextSize || !state.isText else {
      throw HAR.Problem(text: "a body of more than \(Self.maximumTextSize) bytes cannot be searched for secrets")
    }
    state.data.append(piece)
  }

  /// What a cassette stores of a body.
  struct Stored {
    var size = 0
    var text: String?
    var isBase64 = false
    var file: String?
    var pieces: [HAR.Piece] = []
    /// Whether the stored body has another length than the one that passed.
    var isRedacted = false
  }

  /// Returns the body so far, redacted. Throws ``HAR/Problem`` if it could not be recorded. ``keepFile()`` moves a large body to
  /// its file.
  func stored(_ redaction: Redaction) throws -> Stored {
    try state.withLock { state throws in
      if let failure = state.failure { throw HAR.Problem(text: failure) }
      if state.file != nil { return Stored(size: state.size, file: name, pieces: state.pieces) }
      guard let shown = redaction.body(state.data, of: headers) else {
        throw HAR.Problem(text: "a compressed text cannot be searched for secrets: add the middleware ContentDecoding")
      }
      var stored = Stored(size: shown.count, pieces: state.pieces)
      if shown != state.data {
        stored.isRedacted = true
        stored.pieces = Self.pieces(state.pieces, of: state.data, redactedTo: shown.count) {
          redaction.body($0, of: headers)?.count ?? 0
        }
      }
      if shown.count > Self.maximumInlineSize {
        try OutputFile(partialPath).write(shown)
        state.hasPartialFile = true
        stored.file = name
      } else if isSearched, let text = String(validating: shown, as: UTF8.self) {
        stored.text = text
      } else {
        (stored.text, stored.isBase64) = (shown.base64EncodedString(), true)
      }
      return stored
    }
  }

  /// Replaces the file of an earlier recording.
  func keepFile() throws {
    try state.withLock { state throws in
      guard state.hasPartialFile else { return }
      guard rename(partialPath, path) == 0 else { throw HAR.Problem(text: String(cString: strerror(errno))) }
      state.hasPartialFile = false
    }
  }

  /// The file until the cassette is written.
  private var partialPath: String { path + ".partial" }

  deinit {
    if state.withLock({ $0.hasPartialFile }) { unlink(partialPath) }
  }

  private var name: String { String(path.split(separator: "/").last ?? "") }

  /// The pieces of a redacted text: each ends where the redaction of the text up to its end does. A long text becomes one piece.
  private static func pieces(
    _ pieces: [HAR.Piece], of data: Data, redactedTo size: Int, _ redactedSize: (Data) -> Int
  ) -> [HAR.Piece] {
    guard pieces.count > 1, pieces.count <= 128, data.count <= 64 << 10 else { return [HAR.Piece(size: size, wait: 0)] }
    var (end, shownEnd) = (0, 0)
    return pieces.enumerated().map { index, piece in
      end += piece.size
      let isLast = index == pieces.count - 1
      let next = isLast ? size : redactedSize(data.prefix(end))
      defer { shownEnd = max(shownEnd, min(size, next)) }
      return HAR.Piece(size: max(0, min(size, next) - shownEnd), wait: piece.wait)
    }
  }
}

extension Data {
  /// Whether the bytes are UTF-8, but for the last character, which may be cut.
  fileprivate var isText: Bool {
    (0...Swift.min(3, count)).contains { String(validating: dropLast($0), as: UTF8.self) != nil }
  }
}

/// A file that is written from its start.
private final class OutputFile: Sendable {
  private let descriptor: Int32

  init(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path.folder, withIntermediateDirectories: true)
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw HAR.Problem(text: "\(path): \(String(cString: strerror(errno)))") }
  }

  deinit { close(descriptor) }

  func write(_ data: Data) throws {
    try data.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Self.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw HAR.Problem(text: String(cString: strerror(errno))) }
        rest = rest.dropFirst(count)
      }
    }
  }

  private static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Glibc)
    Glibc.write(descriptor, bytes, count)
    #else
    Darwin.write(descriptor, bytes, count)
    #endif
  }
}
