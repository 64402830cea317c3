internal import FaradayCore

extension ServiceRoot: CustomStringConvertible, CustomReflectable {
  /// `https://api.example.com/v2`: the server's URL without its user, and with secret query items redacted.
  public var description: String { Secrets().redacting(urlText: url).bounded() }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
