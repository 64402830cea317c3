internal import FaradayCore

extension Request {
  /// Whether a body that was meant for https, or what is sent after a switch of protocols, would be sent in cleartext.
  func sendsBodyInCleartext(after before: Request) -> Bool {
    before.isSecure && !isSecure && (!body.isEmpty || options.upgrade != nil)
  }
}

extension Redirect: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `302 https://host/a to https://host/b`, without the secrets that the connection's ``FaradayCore/Secrets`` names.
  public var description: String {
    "\(status.code) \(secrets.redacting(url).bounded()) to \(secrets.redacting(location).bounded())"
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
