@testable import FaradayCurl
@_spi(Adapters) import FaradayCore
import FaradayTesting
import FoundationEssentials
import Glibc
import Synchronization
import Testing

@Suite struct EngineHandleTests {
  let server: LocalServer
  let handle = EngineHandle(CurlAdapter.Configuration())

  init() throws { server = try LocalServer() }

  private func transfer(body: Body = .empty) throws -> Transfer {
    let request = try Request(.get, server.url + "/hello", body: body)
    return Transfer(
      try Capabilities.all.checked(request, of: "CurlAdapter"), TransferSettings(CurlAdapter.Configuration()))
  }

  private func submit(_ transfer: Transfer, to other: EngineHandle? = nil) async throws -> Received {
    try await withUnsafeThrowingContinuation { continuation in
      transfer.setWaiting(continuation)
      (other ?? handle).submit(transfer)
    }
  }

  @Test func `a cancellation before its transfer starts is not lost`() async throws {
    let transfer = try transfer()
    transfer.isCancelled = true
    handle.post(.cancel(transfer))
    await #expect(throws: CancellationError.self) { try await submit(transfer) }
    #expect(server.requestCount == 0)
    handle.stop()
  }

  @Test func `the body of an exchange that never begins is not read`() async throws {
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

  @Test func `a message about a transfer is not retained if no thread runs`() throws {
    var transfer: Transfer? = try transfer()
    weak let gone = transfer
    for command in [Command.cancel, Command.dropBody, Command.resumeReceiving, Command.resumeSending] {
      if let transfer { handle.post(command(transfer)) }
    }
    transfer = nil
    #expect(gone == nil)
  }

  @Test func `a request that fails for lack of descriptors does not block later requests`() async throws {
    let hasDescriptors = Atomic<Bool>(false)
    var configuration = CurlAdapter.Configuration()
    configuration.maximumQueuedRequests = 1
    let handle = EngineHandle(configuration, waker: { hasDescriptors.load(ordering: .relaxed) ? Waker() : nil })
    for _ in 0..<3 {
      let error = await #expect(throws: TransportError.self) { try await submit(transfer(), to: handle) }
      #expect(error?.code == .outOfDescriptors)
    }
    hasDescriptors.store(true, ordering: .relaxed)
    for _ in 0..<3 {
      #expect(try await submit(transfer(), to: handle).response(to: Request(.get, server.url)).status == .ok)
    }
    handle.stop()
  }

  /// In a process of its own, where no other thread is in the middle of anything: a child would never see the locks released that
  /// another thread held when it was forked.
  @Test func `a request in a forked process fails, because the engine's thread does not exist there`() async {
    await #expect(processExitsWith: .success) {
      // Swift has no fork, for good reasons.
      let fork = try #require(unsafeBitCast(dlsym(nil, "fork"), to: (@convention(c) () -> pid_t)?.self))
      let tests = try EngineHandleTests()
      let url = tests.server.url
      #expect(try await tests.submit(tests.transfer()).response(to: Request(.get, url)).status == .ok)
      let unsent = try tests.transfer()
      let refused = try tests.transfer()
      refused.fail(.engineFailed, "so that all that it takes has been loaded")
      let child = fork()
      if child == 0 {
        // Tasks run on threads that let no signal through.
        var alarms = sigset_t()
        sigemptyset(&alarms)
        sigaddset(&alarms, SIGALRM)
        pthread_sigmask(SIG_UNBLOCK, &alarms, nil)
        alarm(20)
        tests.handle.submit(unsent)
        _exit(unsent.hasFinished ? 0 : 1)
      }
      var status: Int32 = -1
      #expect(waitpid(child, &status, 0) == child)
      #expect(status == 0)
      // The parent goes on.
      #expect(try await tests.submit(tests.transfer()).response(to: Request(.get, url)).status == .ok)
      tests.handle.stop()
    }
  }

  @Test func `an engine that is shutting down serves late requests on a new thread`() async throws {
    handle.stop()
    for _ in 0..<200 { #expect(try await submit(transfer()).response(to: Request(.get, server.url)).status == .ok) }
  }
}

/// Opens a gate when its last reference is released.
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
