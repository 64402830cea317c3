import Faraday
import Testing

@testable import FaradayCLI

@Suite struct ExitStatusTests {
  @Test func `an unknown code is the engine's number if that can be an exit status`() {
    let code = TransportError.Code(rawValue: "somethingNew")
    #expect(ExitStatus.of(code, engineCode: 92) == 92)
    #expect(ExitStatus.of(code, engineCode: nil) == 2)
    #expect(ExitStatus.of(code, engineCode: 0) == 2)
    #expect(ExitStatus.of(code, engineCode: -1003) == 2)
  }

  @Test(
    arguments: [
      (TransportError.Code.unsupportedScheme, 1), (.invalidURL, 3), (.nameNotFound, 6), (.connectionFailed, 7),
      (.truncatedResponse, 18), (.bodyUnreadable, 26), (.connectTimeout, 28), (.idleTimeout, 28),
      (.totalTimeout, 28), (.tlsFailed, 35), (.connectionClosed, 52), (.sendFailed, 55), (.receiveFailed, 56),
      (.tlsVerificationFailed, 60), (.decompressionFailed, 61), (.bodyTooLarge, 63), (.decompressionLimit, 63),
      (.invalidCA, 77),
    ] as [(TransportError.Code, Int32)])
  func `a known code has curl's number, whatever the engine's number is`(_ code: TransportError.Code, _ status: Int32) {
    #expect(ExitStatus.of(code, engineCode: 1) == status)
  }

  @Test func `the engine's number selects among several of curl's`() {
    #expect(ExitStatus.of(.malformedResponse, engineCode: 1) == 1)
    #expect(ExitStatus.of(.malformedResponse, engineCode: nil) == 8)
    #expect(ExitStatus.of(.proxyFailed, engineCode: 56) == 56)
    #expect(ExitStatus.of(.proxyUnreachable, engineCode: 5) == 5)
    #expect(ExitStatus.of(.proxyUnreachable, engineCode: nil) == 7)
    #expect(ExitStatus.of(.connectionClosed, engineCode: 56) == 56)
    #expect(ExitStatus.of(.connectionClosed, engineCode: 52) == 52)
    #expect(ExitStatus.of(.proxyFailed, engineCode: 28) == 97)
  }

  @Test func `the message is one line without control characters`() {
    let failure = CommandFailure(7, "no\r\nway \u{1B}[31mthere\u{0} ")
    #expect(failure.line == "faraday: (7) no way [31mthere")
  }

  @Test func `a forbidden header is a usage error`() throws {
    #expect { try HTTPField(checking: "A", "b\nc") } throws: { CommandFailure($0).status == 2 }
  }
}
