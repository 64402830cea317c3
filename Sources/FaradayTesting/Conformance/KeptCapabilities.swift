internal import FaradayCore

extension Capabilities {
  /// What an adapter claims whose kept connections are clean.
  static let keptClean: Capabilities = .repeatedHeaders
  /// What an adapter claims that takes no response whose framing is not beyond doubt.
  static let strictFraming: Capabilities = .repeatedHeaders
}
