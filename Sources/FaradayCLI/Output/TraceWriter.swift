import Faraday
import Synchronization
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes the steps of transfers in curl's formats, for `-v`, `--trace` and `--trace-ascii`. Credentials are hidden unless they are
/// to be shown: the values of fields and the parts of URLs that ``Secrets`` name. Thread-safe.
final class TraceWriter: Sendable {
  /// How events are written.
  enum Format: Sendable {
    /// `-v`: lines that begin with `*`, `<`, `>`, and the sizes of data.
    case verbose
    /// `--trace-ascii`: everything, as text.
    case ascii
    /// `--trace`: everything, in hexadecimal and as text.
    case hexadecimal
  }

  private struct State {
    var isInLine = false
    var hasTracedData = false
  }

  private let format: Format
  private let output: Descriptor
  private let ownsOutput: Bool
  private let showsTime: Bool
  private let hidesData: Bool
  private let redaction: TraceRedaction?
  private let state = Mutex(State())

  /// A writer to an open file. `showsTime` for `--trace-time`, `showsSecrets` for `--show-secrets`; `hidesData` leaves the sizes of
  /// data out, for a body that goes to the same terminal.
  init(
    _ format: Format, to output: Descriptor = .error, showsTime: Bool = false, showsSecrets: Bool = false, hidesData: Bool = false
  ) {
    self.hidesData = hidesData
    self.format = format
    self.output = output
    ownsOutput = false
    self.showsTime = showsTime
    redaction = showsSecrets ? nil : TraceRedaction()
  }

  /// A writer to a file; `-` is standard output and `%` standard error.
  init(_ format: Format, path: String, showsTime: Bool = false, showsSecrets: Bool = false) throws {
    hidesData = false
    self.format = format
    switch path {
    case "-": (output, ownsOutput) = (.output, false)
    case "%": (output, ownsOutput) = (.error, false)
    default:
      do {
        output = try OutputFile.open(path, OutputRules(clobber: .always), isNamedByServer: false).descriptor
        ownsOutput = true
      } catch {
        throw CommandFailure(ExitStatus.writeError, "Failed to create/open output: \(path): \(error)")
      }
    }
    self.showsTime = showsTime
    redaction = showsSecrets ? nil : TraceRedaction()
  }

  deinit { if ownsOutput { output.close() } }

  /// For ``FaradayCore/Options/onTrace``.
  var handler: TraceHandler { { [self] event in write(event) } }

  /// Writes an event. Errors are ignored: a trace must not end a transfer.
  func write(_ event: TraceEvent) {
    let bytes = redaction?.redacted(event) ?? event.bytes
    state.withLock { state in
      let text = format == .verbose ? verbose(event.kind, bytes, &state) : dump(event.kind, bytes)
      try? output.write(text)
    }
  }

  private func verbose(_ kind: TraceEvent.Kind, _ bytes: Data, _ state: inout State) -> Data {
    var text = Data()
    func mark() { if !state.isInLine { text += Data("\(time)\(kind.mark) ".utf8) } }
    switch kind {
    case .text, .headerIn, .headerOut:
      for line in Self.lines(bytes) {
        mark()
        text += line
        state.isInLine = line.last != 0x0A
      }
      state.hasTracedData = false
    case .dataIn, .dataOut:
      guard !state.hasTracedData, !hidesData else { break }
      mark()
      text += Data("[\(bytes.count) bytes data]\n".utf8)
      (state.isInLine, state.hasTracedData) = (false, true)
    }
    return text
  }

  /// The lines, each with its line break if it has one.
  private static func lines(_ bytes: Data) -> [Data] {
    var lines: [Data] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
      lines.append(rest[..<end])
      rest = rest[end...]
    }
    return lines
  }

  private func dump(_ kind: TraceEvent.Kind, _ bytes: Data) -> Data {
    guard kind != .text else { return Data("\(time)== Info: ".utf8) + bytes }
    var text = "\(time)\(kind.title), \(bytes.count) bytes (0x\(String(bytes.count, radix: 16)))\n"
    let bytes = Array(bytes)
    var start = 0
    while start < bytes.count {
      text += TraceDump.offset(start) + ": "
      let (row, next) = format == .ascii ? TraceDump.asciiRow(bytes, from: start) : TraceDump.hexadecimalRow(bytes, from: start)
      text += row + "\n"
      start = next
    }
    return Data(text.utf8)
  }

  /// The time of day with microseconds, in front of each line.
  private var time: String {
    guard showsTime else { return "" }
    var now = timeval()
    gettimeofday(&now, nil)
    var seconds = now.tv_sec
    var parts = tm()
    localtime_r(&seconds, &parts)
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Figures.padded($0, to: 2) }.joined(separator: ":")
    return "\(clock).\(Figures.padded(now.tv_usec, to: 6)) "
  }
}

extension TraceEvent.Kind {
  fileprivate var mark: String {
    switch self {
    case .text: "*"
    case .headerIn: "<"
    case .headerOut: ">"
    case .dataIn: "{"
    case .dataOut: "}"
    }
  }

  fileprivate var title: String {
    switch self {
    case .text: "== Info"
    case .headerIn: "<= Recv header"
    case .headerOut: "=> Send header"
    case .dataIn: "<= Recv data"
    case .dataOut: "=> Send data"
    }
  }
}
