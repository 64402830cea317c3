public import HTTPTypes

/// Registered header field names (IANA) without a static member in swift-http-types.
///
/// Remove a name here when swift-http-types adds it.
extension HTTPField.Name {
  /// `Link` (RFC 8288); `Response.links` reads it.
  public static let link = registered("Link")
  /// `Alt-Svc` (RFC 7838).
  public static let altSvc = registered("Alt-Svc")
  /// `Alt-Used` (RFC 7838, section 5).
  public static let altUsed = registered("Alt-Used")
  /// `Accept-Patch` (RFC 5789).
  public static let acceptPatch = registered("Accept-Patch")
  /// `Accept-Post` (W3C Linked Data Platform).
  public static let acceptPost = registered("Accept-Post")
  /// `Cache-Status` (RFC 9211).
  public static let cacheStatus = registered("Cache-Status")
  /// `Content-Digest` (RFC 9530).
  public static let contentDigest = registered("Content-Digest")
  /// `Repr-Digest` (RFC 9530).
  public static let reprDigest = registered("Repr-Digest")
  /// `Want-Content-Digest` (RFC 9530).
  public static let wantContentDigest = registered("Want-Content-Digest")
  /// `Want-Repr-Digest` (RFC 9530).
  public static let wantReprDigest = registered("Want-Repr-Digest")
  /// `Deprecation` (RFC 9745).
  public static let deprecation = registered("Deprecation")
  /// `Sunset` (RFC 8594).
  public static let sunset = registered("Sunset")
  /// `DPoP` (RFC 9449).
  public static let dpop = registered("DPoP")
  /// `DPoP-Nonce` (RFC 9449).
  public static let dpopNonce = registered("DPoP-Nonce")
  /// `Forwarded` (RFC 7239).
  public static let forwarded = registered("Forwarded")
  /// `Last-Event-ID` (the HTML standard, server-sent events).
  public static let lastEventID = registered("Last-Event-ID")
  /// `Prefer` (RFC 7240).
  public static let prefer = registered("Prefer")
  /// `Preference-Applied` (RFC 7240).
  public static let preferenceApplied = registered("Preference-Applied")
  /// `Pragma` (RFC 9111, section 5.4).
  public static let pragma = registered("Pragma")
  /// `Signature` (RFC 9421).
  public static let signature = registered("Signature")
  /// `Signature-Input` (RFC 9421).
  public static let signatureInput = registered("Signature-Input")
  /// `Accept-Signature` (RFC 9421).
  public static let acceptSignature = registered("Accept-Signature")
  /// `Server-Timing` (W3C Server Timing).
  public static let serverTiming = registered("Server-Timing")
  /// `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header).
  public static let idempotencyKey = registered("Idempotency-Key")

  private static func registered(_ name: String) -> Self {
    // The fallback is never used: all names above are tokens, as a test verifies.
    Self(name) ?? .te
  }
}
