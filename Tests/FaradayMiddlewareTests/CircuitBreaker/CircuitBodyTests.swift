import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FaradayMiddleware

/// The effect of truncated bodies on a circuit.
@Suite(.watchdog) struct CircuitBodyTests {
  private let clock = ManualClock()

  private func connection(_ adapter: any Adapter, _ policy: CircuitBreaker.Policy) throws -> Connection {
    try Connection("https://host/", adapter: adapter, middleware: [CircuitBreaker(policy, clock: clock, random: { 0 })])
  }

  private func open(_ connection: Connection) async throws -> RefusedRequestError {
    try #require(await #expect(throws: RefusedRequestError.self) { try await connection.get() })
  }

  @Test func `a probe with a truncated body opens the circuit that its head closed`() async throws {
    let answers = mock { request, number in
      guard number > 0, number < 3 else { return Response(status: number == 0 ? .badGateway : .ok, url: request.url) }
      let pieces = AsyncThrowingStream<Data, any Error> { stream in
        stream.yield(Data("part".utf8))
        stream.finish(throwing: TransportError(.receiveFailed, building: request, ""))
      }
      return Response(status: .ok, body: .stream(pieces), url: request.url)
    }
    let connection = try connection(answers, CircuitBreaker.Policy(failures: 1, jitter: 0))
    _ = try await connection.get()
    for _ in 1...2 {
      clock.advance(by: .seconds(5))
      await #expect(throws: TransportError.self) { try await connection.get() }
      #expect(
        try await open(connection).circuitCause == "1 of 1 requests within 10.0 seconds failed, the last with receiveFailed")
    }
    clock.advance(by: .seconds(5))
    #expect(try await connection.get().status == .ok)
    #expect(try await connection.get().status == .ok)
  }

  @Test func `a truncated body counts as one failure and not as a success`() async throws {
    let answers = mock { request, number in
      let pieces = AsyncThrowingStream<Data, any Error> {
        $0.finish(throwing: TransportError(.receiveFailed, building: request, ""))
      }
      return Response(status: number == 2 ? .badGateway : .ok, body: .stream(pieces), url: request.url)
    }
    let connection = try connection(answers, CircuitBreaker.Policy(failures: 4, ratio: 1, jitter: 0))
    for _ in 1...4 { await #expect(throws: TransportError.self) { try await connection.get() } }
    #expect(try await open(connection).circuitCause?.hasPrefix("4 of 4") == true)
  }

  @Test func `a truncated body of one of several probes opens the circuit again`() async throws {
    let answers = mock { request, number in
      guard number == 1 else { return Response(status: number == 0 ? .badGateway : .ok, url: request.url) }
      let pieces = AsyncThrowingStream<Data, any Error> {
        $0.finish(throwing: TransportError(.receiveFailed, building: request, ""))
      }
      return Response(status: .ok, body: .stream(pieces), url: request.url)
    }
    let connection = try connection(answers, CircuitBreaker.Policy(failures: 1, jitter: 0, probes: 2))
    _ = try await connection.get()
    clock.advance(by: .seconds(5))
    await #expect(throws: TransportError.self) { try await connection.get() }
    #expect(try await open(connection).circuitCause == "a probe failed with receiveFailed")
  }
}
