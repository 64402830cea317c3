/// The versions of IP that a connection may use.
public enum IPVersion: Sendable, Hashable {
  /// Both, as DNS and the network have them.
  case any
  /// IPv4 only.
  case v4
  /// IPv6 only.
  case v6
}
