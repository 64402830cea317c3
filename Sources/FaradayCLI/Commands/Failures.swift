import Faraday
import FaradayCurl
import FaradayWebSocket

/// An error with an exit status and a one-line message.
struct CommandFailure: Error, Equatable {
  /// The exit status: curl's number for the error.
  let status: Int32
  let message: String
  /// Further lines below the message, such as the place of an error in a URL.
  let below: [String]

  init(_ status: Int32, _ message: String, below: [String] = []) {
    self.status = status
    self.message = Self.shown(message).split(separator: " ").joined(separator: " ")
    self.below = below.map(Self.shown)
  }

  /// An invalid command line: exit status 2.
  static func usage(_ message: String) -> CommandFailure {
    CommandFailure(2, message.isEmpty ? "invalid command line; see faraday --help" : message)
  }

  /// The message on standard error, and the further lines below it.
  var line: String { (["faraday: (\(status)) \(message)"] + below).joined(separator: "\n") }

  /// Replaces control characters: the message may quote a server or a file, and a terminal would interpret them.
  private static func shown(_ text: String) -> String {
    text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : String($0) }.joined()
  }
}

/// An invalid command line, in curl's form.
struct UsageFailure: Error, Equatable {
  /// The exit status.
  let status: Int32
  let message: String

  init(_ message: String, _ status: Int32 = 2) {
    self.message = message
    self.status = status
  }

  /// The lines on standard error.
  var line: String { "faraday: \(message)\nfaraday: try 'faraday --help' for more information" }
}

/// Why an argument is not a valid option, in curl's words.
struct OptionProblem: Error, Equatable, CustomStringConvertible {
  let description: String

  static let unknown = Self(description: "is unknown")
  static let ambiguous = Self(description: "is ambiguous")
  static let missingValue = Self(description: "requires parameter")
  static let notNegatable = Self(description: "the given option can't be reversed with a --no- prefix")
  static let notAFlag = Self(description: "used '--no-' for option that isn't a boolean")
  static let badUse = Self(description: "is badly used here")
  static let notANumber = Self(description: "expected a proper numerical parameter")
  static let negative = Self(description: "expected a positive numerical parameter")
  static let tooLarge = Self(description: "too large number")
  static let notUTF8 = Self(description: "has a value that is not UTF-8")
  static let ambiguousBytes = Self(
    description: "has a value that is not UTF-8, and that another argument equals except for those bytes: use a file")
  static func unsupported(_ instead: String) -> Self { Self(description: "not supported; \(instead)") }
}

/// Maps errors to curl's exit statuses, so that scripts written for curl keep working.
enum ExitStatus {
  /// A status of 400 or more with `-f`.
  static let httpError: Int32 = 22
  static let writeError: Int32 = 23
  static let readError: Int32 = 26
  static let tooManyRedirects: Int32 = 47
  /// A server that does not support ranges, with `-C`.
  static let rangeError: Int32 = 33
  /// `--max-filesize`
  static let tooLarge: Int32 = 63
  /// Not supported by the adapter, or by this version of libcurl.
  static let unsupported: Int32 = 4
  /// libcurl's "failed to initialize", for errors without a specific number.
  static let other: Int32 = 2

  static let table: [TransportError.Code: Int32] = [
    .unsupportedScheme: 1, .invalidMethod: 2, .invalidHeader: 2, .invalidBody: 2, .invalidURL: 3, .unsupported: unsupported,
    .nameNotFound: 6, .connectionFailed: 7, .proxyUnreachable: 7, .malformedResponse: 8, .http2Error: 16,
    .truncatedResponse: 18, .bodyUnreadable: readError, .bodyLengthMismatch: readError, .queueTimeout: 28, .connectTimeout: 28,
    .idleTimeout: 28, .totalTimeout: 28, .tlsFailed: 35, .connectionClosed: 52, .sendFailed: 55, .receiveFailed: 56,
    .tlsVerificationFailed: 60, .decompressionFailed: 61, .headTooLarge: 63, .bodyTooLarge: 63, .decompressionLimit: 63,
    .bodyNotReplayable: 65, .invalidCA: 77, .http3Error: 95, .proxyFailed: 97,
  ]

  /// The codes that map to several of curl's numbers. The engine's code selects one.
  private static let several: [TransportError.Code: Set<Int>] = [
    .connectionFailed: [35, 45], .connectionClosed: [55, 56], .sendFailed: [25], .tlsFailed: [55, 56, 59],
    .malformedResponse: [1, 8, 56], .proxyUnreachable: [5, 6, 35, 52, 55, 56], .proxyFailed: [7, 8, 35, 52, 55, 56, 60, 97],
    .invalidCA: [82],
    .tlsVerificationFailed: [83, 91],
  ]

  /// The number from the table. For other codes, the engine's number if it is a valid exit status.
  static func of(_ code: TransportError.Code, engineCode: Int?) -> Int32 {
    if let engineCode, several[code]?.contains(engineCode) == true { return Int32(engineCode) }
    if let status = table[code] { return status }
    guard let engineCode, (1...125).contains(engineCode) else { return other }
    return Int32(engineCode)
  }
}

extension CommandFailure {
  /// Converts any error of a transfer.
  init(_ error: any Error) {
    // The command's own error while it read a body.
    let cause: any Error = ((error as? TransportError)?.underlying as? CommandFailure) ?? error
    switch cause {
    case let failure as CommandFailure: self = failure
    case let error as TransportError where error.code == .malformedResponse && error.engineCode == nil && error.isInChunks:
      let hasNoSize = error.message.hasSuffix("a chunk has no size")
      self.init(56, hasNoSize ? "Illegal or missing hexadecimal sequence in chunked-encoding" : error.message)
    case let error as TransportError:
      self.init(ExitStatus.of(error.code, engineCode: error.engineCode), error.message)
    case let error as StatusError: self.init(ExitStatus.httpError, "The requested URL returned error: \(error.status.code)")
    case let error as EventStreamError:
      if case .contentType = error.reason {
        self.init(8, error.description)
      } else {
        self.init(error.reason == .endedEarly ? 18 : ExitStatus.tooLarge, error.description)
      }
    case let error as WebSocketError:
      let status: Int32 =
        switch error.reason {
        case .handshake, .violation: 8
        case .pingTimeout: 28
        case .notOpen: 55
        case .closed, .interrupted: 56
        }
      self.init(status, error.description)
    case let error as UnsafeTransfer.OptionError: self.init(ExitStatus.unsupported, error.description)
    case let error as RedirectError: self.init(error)
    case let error as UsageFailure: self.init(error.status, error.message)
    case let error as InvalidValueError where error.kind == .header: self = .usage(error.description)
    case let error as BodyError where error.isUnreadable: self.init(ExitStatus.readError, error.description)
    case is CancellationError: self.init(42, "the transfer was cancelled")
    default: self.init(ExitStatus.other, "\(error)")
    }
  }

  /// The failure of a URL whose scheme is not allowed, in curl's words.
  static func disabled(scheme: String) -> CommandFailure {
    CommandFailure(1, "Protocol \"\(scheme)\" not supported or disabled in libcurl")
  }

  private init(_ error: RedirectError) {
    switch error.reason {
    case .invalidLocation:
      // The scheme of another protocol, or a URL without a host.
      let scheme = (error.response.headers[.location] ?? "").prefixMatch(of: #/([A-Za-z][A-Za-z0-9+.-]*):/#)?.1.lowercased()
      if let scheme, scheme != "http", scheme != "https" {
        self = .disabled(scheme: scheme)
      } else {
        self.init(3, "The redirect target URL could not be parsed: No host part in the URL")
      }
    case .bodyNotReplayable: self.init(65, "necessary data rewind wasn't possible")
    default: self.init(ExitStatus.unsupported, error.description)
    }
  }
}

extension TransportError {
  /// Whether the body's chunks were being read.
  fileprivate var isInChunks: Bool {
    partialResponse?.headers[.transferEncoding]?.lowercased().contains("chunked") == true
  }
}
