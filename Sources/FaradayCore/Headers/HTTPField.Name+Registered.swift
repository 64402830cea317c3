public import HTTPTypes

/// Header field names that have no static member in swift-http-types: those that Faraday uses, and those that its users set most.
///
/// Remove a name here when swift-http-types adds it.
extension HTTPField.Name {
  /// `Link` (RFC 8288); `Response.links` reads it.
  public static let link = registered("Link")
  /// `Alt-Svc` (RFC 7838).
  public static let altSvc = registered("Alt-Svc")
  /// `Alt-Used` (RFC 7838, section 5).
  package static let altUsed = registered("Alt-Used")
  /// `Cache-Status` (RFC 9211).
  public static let cacheStatus = registered("Cache-Status")
  /// `Content-Digest` (RFC 9530).
  public static let contentDigest = registered("Content-Digest")
  /// `Repr-Digest` (RFC 9530).
  public static let reprDigest = registered("Repr-Digest")
  /// `DPoP` (RFC 9449).
  public static let dpop = registered("DPoP")
  /// `DPoP-Nonce` (RFC 9449).
  public static let dpopNonce = registered("DPoP-Nonce")
  /// `Last-Event-ID` (the HTML standard, server-sent events).
  public static let lastEventID = registered("Last-Event-ID")
  /// `Prefer` (RFC 7240).
  public static let prefer = registered("Prefer")
  /// `Pragma` (RFC 9111, section 5.4).
  public static let pragma = registered("Pragma")
  /// `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header).
  public static let idempotencyKey = registered("Idempotency-Key")

  private static func registered(_ name: String) -> Self {
    // The fallback is never used: all names above are tokens, as a test verifies.
    Self(name) ?? .te
  }
}
