@testable import FaradayCurl
@_spi(Adapters) import FaradayCore
import FaradayTesting
import FoundationEssentials
import Glibc
import Testing

@Suite struct TaskExecutorTests {
  let server: LocalServer

  init() throws { server = try LocalServer() }

  private func adapter(engines: Int = 1) -> CurlAdapter {
    var configuration = CurlAdapter.Configuration()
    configuration.threads = engines
    return CurlAdapter(configuration)
  }

  private func connection(over adapter: CurlAdapter) throws -> Connection {
    try Connection(server.url + "/", adapter: adapter)
  }

  @Test func `a task on the executor stays on it after a response and after each chunk`() async throws {
    let adapter = adapter()
    let connection = try connection(over: adapter)
    let engine = Log<UInt>()
    try await withTaskExecutorPreference(adapter.taskExecutor) {
      _ = try await connection.get("hello") {
        $0.options.onChunk = { _ in
          engine.append(thread())
          return .continue
        }
      }
      #expect(engine.elements == [thread()])
      let response = try await connection.get("bytes/5000000") { $0.options.delivery = .streamed }
      #expect(engine.elements == [thread()])
      for try await _ in response.body { #expect(engine.elements == [thread()]) }
    }
  }

  @Test(arguments: [1, 3]) func `tasks on the executor send and receive like other tasks`(engines: Int) async throws {
    let servers = try (0..<engines).map { _ in try LocalServer() }
    let adapter = adapter(engines: engines)
    try await withTaskExecutorPreference(adapter.taskExecutor) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<60 {
          let connection = try Connection(servers[index % engines].url + "/", adapter: adapter)
          group.addTask { try await exchange(index, connection) }
        }
        try await group.waitForAll()
      }
    }
  }

  private func exchange(_ index: Int, _ connection: Connection) async throws {
    switch index % 4 {
    case 0:
      #expect(try await connection.get("hello").body.utf8Text() == "Hello, world!")
    case 1:
      let response = try await connection.get("bytes/3000000") { $0.options.delivery = .streamed }
      #expect(try await response.body.collect() == pattern(3_000_000))
    case 2:
      let response = try await connection.post("echo", body: .stream(Pieces(size: 1_000_000)))
      #expect(response.body.length == 1_000_000)
    default:
      let error = try await transportError { try await connection.get("stall") { $0.options.timeouts.idle = .milliseconds(50) } }
      #expect(error.code == .idleTimeout)
    }
  }

  @Test func `a body can also be read by a task outside the executor`() async throws {
    let adapter = adapter()
    let connection = try connection(over: adapter)
    let response = try await withTaskExecutorPreference(adapter.taskExecutor) {
      try await connection.get("bytes/20000000") { $0.options.delivery = .streamed }
    }
    #expect(try await response.body.collect() == pattern(20_000_000))
  }

  @Test func `a task on the executor can be cancelled`() async throws {
    let adapter = adapter()
    let connection = try connection(over: adapter)
    let arrived = Gate()
    let server = try RawServer { connection in
      _ = try connection.readHead()
      arrived.open()
      connection.waitForClose()
    }
    let task = Task(executorPreference: adapter.taskExecutor) { try await connection.get(server.url) }
    #expect(await arrived.opened())
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    withExtendedLifetime(server) {}
  }

  @Test func `tasks that never suspend let transfers progress`() async throws {
    let adapter = adapter()
    let connection = try connection(over: adapter)
    let busy = Task(executorPreference: adapter.taskExecutor) { while !Task.isCancelled { await Task.yield() } }
    #expect(try await connection.get("bytes/3000000").body.collect() == pattern(3_000_000))
    busy.cancel()
    await busy.value
  }

  @Test func `a slow reader on the executor lets other transfers progress`() async throws {
    let adapter = adapter()
    let endless = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\n\r\n")
      let piece = [UInt8](repeating: 0x61, count: 1 << 20)
      while true { try connection.send(piece) }
    }
    defer { endless.stop() }
    let connection = try connection(over: adapter)
    let hasBegun = Gate()
    let reader = Task(executorPreference: adapter.taskExecutor) {
      let response = try await connection.get(endless.url) { $0.options.delivery = .streamed }
      for try await _ in response.body {
        hasBegun.open()
        keepBusy(for: .milliseconds(2))
      }
    }
    #expect(await hasBegun.opened())
    #expect(try await connection.get("bytes/3000000").body.collect() == pattern(3_000_000))
    reader.cancel()
    await #expect(throws: CancellationError.self) { try await reader.value }
  }

  @Test func `data that arrives while a task blocks the thread prevents the idle timeout`() async throws {
    // So that the reader is called from within libcurl's callbacks.
    var configuration = CurlAdapter.Configuration()
    configuration.streamBufferSize = 64 << 10
    let adapter = CurlAdapter(configuration)
    let connection = try connection(over: adapter)
    try await PacedServer.run(count: 300, interval: .milliseconds(10), limit: .milliseconds(600)) { url, limit, begin in
      let hasBegun = Gate()
      let dripped = Task {
        // Also if it fails before its head.
        defer { hasBegun.open() }
        return try await connection.get(url) {
          $0.options.timeouts.idle = limit
          $0.options.onHead = { _ in
            begin()
            hasBegun.open()
          }
        }
      }
      await hasBegun.opened()
      try await withTaskExecutorPreference(adapter.taskExecutor) {
        let response = try await connection.get("bytes/20000000") { $0.options.delivery = .streamed }
        var count = 0
        for try await _ in response.body {
          count += 1
          if count % 250 == 50 { keepBusy(for: limit * 3 / 2) }
        }
      }
      #expect(try await dripped.value.body.length == 300)
    }
  }

  @Test func `many concurrent tasks let transfers progress`() async throws {
    let adapter = adapter()
    let connection = try connection(over: adapter)
    let answered = Log<Int>()
    let order = Log<Int>()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<20_000 {
        group.addTask(executorPreference: adapter.taskExecutor) {
          // All of them together for longer than the test may take.
          if answered.elements.isEmpty { keepBusy(for: .milliseconds(5)) }
          order.append(index)
        }
      }
      let response = try await connection.get("hello") { $0.options.onHead = { answered.append($0.status.code) } }
      #expect(response.status == .ok)
      try await group.waitForAll()
    }
    #expect(order.elements == Array(0..<20_000))
  }

  @Test func `the executor lives as long as its tasks`() async throws {
    let mayGoOn = Gate()
    let isClosed = Gate()
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      connection.waitForClose()
      isClosed.open()
    }
    func begin() async throws -> Task<Bool, Never> {
      let adapter = adapter()
      _ = try await Connection(server.url, adapter: adapter).get()
      return Task(executorPreference: adapter.taskExecutor) { await mayGoOn.opened() }
    }
    func runs() async throws -> Bool {
      // Only the task has the adapter's engine now.
      let task = try await begin()
      mayGoOn.open()
      return await task.value
    }
    #expect(try await runs())
    // The kept connection is closed when the engine ends.
    #expect(await isClosed.opened())
    withExtendedLifetime(server) {}
  }

  @Test func `without a thread jobs still run, and transfers fail`() async throws {
    let handle = EngineHandle(CurlAdapter.Configuration(), waker: { nil })
    let executor = Handing(handle)
    let text = await Task(executorPreference: executor) { "done" }.value
    #expect(text == "done")
    let request = try Capabilities.all.checked(Request(.get, server.url), of: "CurlAdapter")
    let transfer = Transfer(request, TransferSettings(CurlAdapter.Configuration()))
    let error = await #expect(throws: TransportError.self) {
      _ = try await withUnsafeThrowingContinuation { continuation in
        transfer.setWaiting(continuation)
        handle.submit(transfer)
      }
    }
    #expect(error?.code == .outOfDescriptors)
  }
}

/// Gives its jobs to an engine.
private final class Handing: TaskExecutor {
  private let handle: EngineHandle
  init(_ handle: EngineHandle) { self.handle = handle }
  func enqueue(_ job: UnownedJob) { handle.enqueue(Job(job: job, executor: asUnownedTaskExecutor())) }
}

private func thread() -> UInt { UInt(pthread_self()) }

private func keepBusy(for duration: Duration) {
  let end = ContinuousClock.now + duration
  while ContinuousClock.now < end {}
}
