import Faraday
import FaradayCurl
import FaradayTesting
import FaradayURLSession
import Foundation
import Testing
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Shutting an adapter down.
@Suite struct DrainTests {
  enum Kind: String, CaseIterable { case curl, urlSession }

  /// An adapter that sends two requests at a time to an origin.
  private struct Drained {
    let adapter: any Adapter
    let drain: @Sendable (ContinuousClock.Instant) async -> Int
    let statistics: @Sendable () -> AdapterStatistics

    init(_ kind: Kind) {
      switch kind {
      case .curl:
        let curl = CurlAdapter(CurlAdapter.Configuration(maximumPooledConnectionsPerOrigin: 2))
        (adapter, drain, statistics) = (curl, { await curl.shutdown(deadline: $0) }, { curl.statistics })
      case .urlSession:
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = 2
        let session = URLSessionAdapter(configuration)
        (adapter, drain, statistics) = (session, { await session.shutdown(deadline: $0) }, { session.statistics })
      }
    }
  }

  private let late = ContinuousClock.now + .seconds(60)

  private func code(_ body: () async throws -> Response) async -> TransportError.Code? {
    await #expect(throws: TransportError.self) { _ = try await body() }?.code
  }

  @Test(arguments: Kind.allCases) func `a drain completes running and waiting requests and refuses new ones`(_ kind: Kind)
    async throws
  {
    let drained = Drained(kind)
    let mayAnswer = Gate()
    let server = try MockServer { _ in
      await mayAnswer.opened()
      return .text("ok")
    }
    let connection = try Connection(server.url + "/", adapter: drained.adapter)
    let tasks = (0..<4).map { _ in Task { try await connection.get() } }
    await until { drained.statistics().active == 2 && drained.statistics().queued == 2 }
    let drain = Task { await drained.drain(late) }
    // Refused requests are counted as refused only.
    while drained.statistics().errors[.shuttingDown] == nil {
      let probe = Task { try await connection.get() }
      await until { drained.statistics().errors[.shuttingDown] != nil || drained.statistics().queued > 2 }
      probe.cancel()
      _ = try? await probe.value
    }
    #expect(await code { try await connection.get() } == .shuttingDown)
    mayAnswer.open()
    for task in tasks { #expect(try await task.value.status == .ok) }
    #expect(await drain.value == 0)
    #expect(drained.statistics().completed == 4 && drained.statistics().active + drained.statistics().queued == 0)
    #expect(await code { try await connection.get() } == .shuttingDown)
    #expect(await drained.drain(late) == 0)
    server.stop()
  }

  @Test(arguments: Kind.allCases) func `the deadline of a drain cancels each remaining request once`(_ kind: Kind) async throws {
    let drained = Drained(kind)
    let server = try MockServer { _ in .status(.ok).stalled(after: nil) }
    let connection = try Connection(server.url + "/", adapter: drained.adapter)
    let tasks = (0..<20).map { _ in Task { try await connection.get() } }
    await until { drained.statistics().active == 2 && drained.statistics().queued == 18 }
    #expect(await drained.drain(.now) == 20)
    for task in tasks { #expect(await code { try await task.value } == .shuttingDown) }
    #expect(drained.statistics().errors == [.shuttingDown: 20] && drained.statistics().completed == 0)
    // No waiting request has taken the place of a cancelled one.
    #expect(server.connectionCount == 2)
    server.stop()
  }

  @Test(arguments: Kind.allCases) func `a drain cancels a body that is being read`(_ kind: Kind) async throws {
    let drained = Drained(kind)
    let server = try MockServer(.text(String(repeating: "x", count: 100_000)).stalled(after: 5))
    let connection = try Connection(server.url + "/", adapter: drained.adapter)
    let response = try await connection.get { $0.options.delivery = .streamed }
    #expect(await drained.drain(.now) == 1)
    let error = await #expect(throws: TransportError.self) { try await response.body.collect(upTo: .max) }
    #expect(error?.code == .shuttingDown)
    server.stop()
  }

  @Test(arguments: Kind.allCases) func `an idle adapter drains at once, and a cancelled drain cancels the requests`(
    _ kind: Kind
  ) async throws {
    #expect(await Drained(kind).drain(late) == 0)
    let drained = Drained(kind)
    let server = try MockServer { _ in .status(.ok).stalled(after: nil) }
    let connection = try Connection(server.url + "/", adapter: drained.adapter)
    let task = Task { try await connection.get() }
    await until { drained.statistics().active == 1 }
    let drain = Task { await drained.drain(late) }
    drain.cancel()
    #expect(await drain.value == 1)
    #expect(await code { try await task.value } == .shuttingDown)
    server.stop()
  }
}
