import FaradayCore
import HTTPTypes
import Testing

@Suite struct RegisteredNamesTests {
  @Test func `registered names have their registered spelling`() {
    let names: [HTTPField.Name] = [
      .link, .altSvc, .altUsed, .cacheStatus, .contentDigest, .reprDigest, .dpop, .dpopNonce, .lastEventID, .prefer, .pragma,
      .idempotencyKey,
    ]
    #expect(
      names.map(\.rawName) == [
        "Link", "Alt-Svc", "Alt-Used", "Cache-Status", "Content-Digest", "Repr-Digest", "DPoP", "DPoP-Nonce", "Last-Event-ID",
        "Prefer", "Pragma", "Idempotency-Key",
      ])
  }
}
