import Faraday

/// Maps errors to curl's exit statuses, so that scripts written for curl keep working.
enum ExitStatus {
  /// `-f`, and a status of 400 or more.
  static let httpError: Int32 = 22
  static let writeError: Int32 = 23
  static let readError: Int32 = 26
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
    .malformedResponse: 8,
    .http2Error: 16,
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

  /// The number from the table; for other codes, that of the engine if it is a valid exit status.
  static func of(_ code: TransportError.Code, engineCode: Int?) -> Int32 {
    if let status = table[code] { return status }
    guard let engineCode, (1...125).contains(engineCode) else { return other }
    return Int32(engineCode)
  }
}

extension ExitStatus {
  static func of(_ reason: RedirectError.Reason) -> Int32 {
    switch reason {
    case .tooMany, .loop: 47
    case .invalidLocation: 3
    case .bodyNotReplayable: 65
    case .downgrade, .cleartextBody, .insecure: 1
    }
  }
}

extension CommandFailure {
  /// Converts any error of a transfer.
  init(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as TransportError:
      self.init(ExitStatus.of(error.code, engineCode: error.engineCode), error.message)
    case let error as RedirectError: self.init(ExitStatus.of(error.reason), error.description)
    case let error as InvalidHeader: self = .usage(error.description)
    case let error as BodyFile.Unreadable: self.init(ExitStatus.readError, error.description)
    case is CancellationError: self.init(42, "the transfer was cancelled")
    default: self.init(ExitStatus.other, "\(error)")
    }
  }
}
