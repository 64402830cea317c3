import Faraday
import FaradayCurl

/// Maps errors to curl's exit statuses, so that scripts written for curl keep working.
enum ExitStatus {
  /// `-f`, and a status of 400 or more.
  static let httpError: Int32 = 22
  static let writeError: Int32 = 23
  static let readError: Int32 = 26
  static let tooManyRedirects: Int32 = 47
  /// `-C`, and a server that does not send ranges.
  static let rangeError: Int32 = 33
  /// `--max-filesize`
  static let tooLarge: Int32 = 63
  /// Not supported by the adapter, or by this version of libcurl.
  static let unsupported: Int32 = 4
  /// libcurl's "failed to initialize", for errors without a number of their own.
  static let other: Int32 = 2

  static let table: [TransportError.Code: Int32] = [
    .unsupportedScheme: 1,
    .invalidMethod: 2,
    .invalidHeader: 2,
    .invalidBody: 2,
    .invalidURL: 3,
    .unsupported: unsupported,
    .nameNotFound: 6,
    .connectionFailed: 7,
    .proxyUnreachable: 7,
    .malformedResponse: 8,
    .http2Error: 16,
    .http3Error: 95,
    .truncatedResponse: 18,
    .bodyUnreadable: readError,
    .bodyLengthMismatch: readError,
    .queueTimeout: 28,
    .connectTimeout: 28,
    .idleTimeout: 28,
    .totalTimeout: 28,
    .tlsFailed: 35,
    .connectionClosed: 52,
    .sendFailed: 55,
    .receiveFailed: 56,
    .tlsVerificationFailed: 60,
    .decompressionFailed: 61,
    .headTooLarge: 63,
    .bodyTooLarge: 63,
    .decompressionLimit: 63,
    .bodyNotReplayable: 65,
    .invalidCA: 77,
    .proxyFailed: 97,
  ]

  /// The codes that stand for several of curl's numbers: the engine knows which.
  private static let several: [TransportError.Code: Set<Int>] = [
    .connectionFailed: [35, 45], .connectionClosed: [55, 56], .sendFailed: [25], .tlsFailed: [55, 56, 59],
    .malformedResponse: [1, 8, 56], .proxyUnreachable: [5, 6, 35, 52, 55, 56], .proxyFailed: [7, 8, 35, 52, 55, 56, 60, 97],
    .invalidCA: [82],
    .tlsVerificationFailed: [83, 91],
  ]

  /// The number for a response that is no event stream, or one over a limit.
  static func of(_ reason: EventStreamError.Reason) -> Int32 {
    switch reason {
    case .contentType: 8
    case .lineTooLong, .eventTooLarge: tooLarge
    case .endedEarly: 18
    }
  }

  /// The number from the table; for other codes, that of the engine if it is a valid exit status.
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
    // What this command itself has thrown while a body was read.
    let cause: any Error = ((error as? TransportError)?.underlying as? CommandFailure) ?? error
    switch cause {
    case let failure as CommandFailure: self = failure
    case let error as TransportError where error.code == .malformedResponse && error.engineCode == nil && error.isInChunks:
      let hasNoSize = error.message.hasSuffix("a chunk has no size")
      self.init(56, hasNoSize ? "Illegal or missing hexadecimal sequence in chunked-encoding" : error.message)
    case let error as TransportError:
      self.init(ExitStatus.of(error.code, engineCode: error.engineCode), error.message)
    case let error as UnexpectedStatus: self.init(ExitStatus.httpError, "The requested URL returned error: \(error.status.code)")
    case let error as EventStreamError: self.init(ExitStatus.of(error.reason), error.description)
    case let error as UnsafeTransfer.OptionRejected: self.init(ExitStatus.unsupported, error.description)
    case let error as RedirectLimit: self.init(ExitStatus.tooManyRedirects, error.description)
    case let error as UsageFailure: self.init(error.status, error.message)
    case let error as InvalidHeader: self = .usage(error.description)
    case let error as BodyFile.Unreadable: self.init(ExitStatus.readError, error.description)
    case is CancellationError: self.init(42, "the transfer was cancelled")
    default: self.init(ExitStatus.other, "\(error)")
    }
  }
}

extension TransportError {
  /// Whether the body's chunks were being read.
  fileprivate var isInChunks: Bool {
    partialResponse?.headers[.transferEncoding]?.lowercased().contains("chunked") == true
  }
}
