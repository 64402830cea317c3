/// Limits of a transfer's rate, in bytes per second.
public struct TransferRates: Sendable, Hashable {
  /// The maximum average rate of sending the body; nil, the default, is no limit. At least 1.
  public var maximumSend: Int?
  /// The maximum average rate of receiving the body; nil, the default, is no limit. At least 1. What is
  /// received in an eighth of a second may come at once.
  public var maximumReceive: Int?
  /// The minimum average rate: a transfer that is slower for ``minimumFor`` throws ``TransportError/Code/tooSlow``. Nil, the default,
  /// is none. The time in which the caller's reader is waited for does not count.
  public var minimum: Int?
  /// How long a transfer may be below ``minimum``, in whole seconds, at least 1: 30 by default.
  public var minimumFor: Duration = .seconds(30)

  /// Limits; the defaults are none.
  public init(maximumSend: Int? = nil, maximumReceive: Int? = nil, minimum: Int? = nil, minimumFor: Duration = .seconds(30)) {
    self.maximumSend = maximumSend
    self.maximumReceive = maximumReceive
    self.minimum = minimum
    self.minimumFor = minimumFor
  }
}
