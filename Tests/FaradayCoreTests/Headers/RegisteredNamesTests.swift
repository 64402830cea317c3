import FaradayCore
import Testing

@Suite struct RegisteredNamesTests {
  @Test func `registered names have their registered spelling`() {
    let names: [HTTPField.Name] = [
      .link, .altSvc, .altUsed, .acceptPatch, .acceptPost, .cacheStatus, .contentDigest, .reprDigest, .wantContentDigest,
      .wantReprDigest,
      .deprecation, .sunset, .dpop, .dpopNonce, .forwarded, .lastEventID, .prefer, .preferenceApplied, .pragma, .signature,
      .signatureInput, .acceptSignature, .serverTiming, .idempotencyKey,
    ]
    #expect(
      names.map(\.rawName) == [
        "Link", "Alt-Svc", "Alt-Used", "Accept-Patch", "Accept-Post", "Cache-Status", "Content-Digest", "Repr-Digest",
        "Want-Content-Digest",
        "Want-Repr-Digest", "Deprecation", "Sunset", "DPoP", "DPoP-Nonce", "Forwarded", "Last-Event-ID", "Prefer",
        "Preference-Applied", "Pragma", "Signature", "Signature-Input", "Accept-Signature", "Server-Timing", "Idempotency-Key",
      ])
  }
}
