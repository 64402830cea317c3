@testable import FaradayCurl
import FaradayCore
import FaradayTesting
import FoundationEssentials
import Testing

@Suite struct EngineHandleTests {
  let server: LocalServer
  let handle = EngineHandle(CurlAdapter.Configuration())

  init() throws { server = try LocalServer() }

  private func transfer(body: Body = .empty) throws -> Transfer {
    try Transfer(try Request(.get, server.url + "/hello", body: body), Transfer.Settings(CurlAdapter.Configuration()))
  }

  private func submit(_ transfer: Transfer) async throws -> Received {
    try await withUnsafeThrowingContinuation { continuation in
      transfer.continuation = continuation
      handle.submit(transfer)
    }
  }

  @Test func `a cancellation that comes before its transfer is not lost`() async throws {
    let transfer = try transfer()
    transfer.isCancelled = true
    handle.post(.cancel(transfer))
    await #expect(throws: CancellationError.self) { try await submit(transfer) }
    #expect(server.requestCount == 0)
    handle.stop()
  }

  @Test func `a body whose exchange never begins is not read`() async throws {
    let asked = Log<Int>()
    let hasGone = Gate()
    func cancelled() async throws {
      let transfer = try transfer(body: .stream(UnwantedPieces(asked: asked, end: End(hasGone))))
      transfer.isCancelled = true
      await #expect(throws: CancellationError.self) { try await submit(transfer) }
    }
    try await cancelled()
    #expect(await hasGone.opened())
    #expect(asked.elements.isEmpty)
    handle.stop()
  }

  @Test func `what is said of a transfer when no thread runs does not keep it`() throws {
    var transfer: Transfer? = try transfer()
    weak let gone = transfer
    for command in [Command.cancel, Command.resumeReceiving, Command.resumeSending] {
      if let transfer { handle.post(command(transfer)) }
    }
    transfer = nil
    #expect(gone == nil)
  }

  @Test func `an engine that was told to end still serves who comes late, from a thread that ends as well`() async throws {
    handle.stop()
    for _ in 0..<200 { #expect(try await submit(transfer()).response(to: Request(.get, server.url)).status == .ok) }
  }
}

/// Opens a gate when nobody holds it any more.
private final class End: Sendable {
  private let gate: Gate
  init(_ gate: Gate) { self.gate = gate }
  deinit { gate.open() }
}

private struct UnwantedPieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
  let asked: Log<Int>
  let end: End

  func next() async -> Data? {
    asked.append(1)
    return nil
  }
  func makeAsyncIterator() -> UnwantedPieces { self }
}
