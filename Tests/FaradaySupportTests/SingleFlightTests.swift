import FaradaySupport
import FaradayTesting
import Synchronization
import Testing

@Suite struct SingleFlightTests {
  /// Runs the pending jobs when the test says so. Afterwards no job is left that could run later.
  private final class ManualExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      jobs.withLock { $0.append(job) }
    }

    func drain() {
      while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
        job.runSynchronously(on: asUnownedTaskExecutor())
      }
    }
  }

  private let executor = ManualExecutor()
  private let events = Log<String>()

  /// Work that heeds its cancellation only when it has ended.
  private func work(_ name: String, until mayEnd: Gate) -> @Sendable () async throws -> String {
    { [events] in
      events.append("\(name) begins")
      await mayEnd.opened()
      events.append("\(name) ends")
      try Task.checkCancellation()
      return name
    }
  }

  private func see(_ event: String) async {
    await until {
      executor.drain()
      return events.elements.contains(event)
    }
  }

  @Test func `a new flight starts only after an abandoned one has ended`() async throws {
    let flight = SingleFlight<String>(on: executor)
    let mayEnd = Gate()
    let first = Task { [work = work("first", until: mayEnd)] in try await flight.value(work) }
    await see("first begins")
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    let second = Task { [work = work("second", until: mayEnd)] in try await flight.value(work) }
    await until { flight.waiterCount == 1 }
    executor.drain()
    #expect(events.elements == ["first begins"])
    mayEnd.open()
    await see("second ends")
    #expect(try await second.value == "second")
    #expect(events.elements == ["first begins", "first ends", "second begins", "second ends"])
  }

  @Test func `a flight that is abandoned before its start never starts`() async throws {
    let flight = SingleFlight<String>(on: executor)
    let mayEnd = Gate()
    let first = Task { [work = work("first", until: mayEnd)] in try await flight.value(work) }
    await see("first begins")
    first.cancel()
    let second = Task { [work = work("second", until: mayEnd)] in try await flight.value(work) }
    await #expect(throws: CancellationError.self) { try await first.value }
    await until { flight.waiterCount == 1 }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    let third = Task { [work = work("third", until: mayEnd)] in try await flight.value(work) }
    await until { flight.waiterCount == 1 }
    mayEnd.open()
    await see("third ends")
    #expect(try await third.value == "third")
    #expect(events.elements == ["first begins", "first ends", "third begins", "third ends"])
  }

  @Test
  func `a caller that is already cancelled starts nothing`() async throws {
    let flight = SingleFlight<String>(on: executor)
    let task = Task { [work = work("it", until: Gate())] in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await flight.value(work)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    executor.drain()
    #expect(events.elements.isEmpty && flight.waiterCount == 0)
  }

  @Test func `a caller that leaves does not cancel the flight of the others`() async throws {
    let flight = SingleFlight<String>(on: executor)
    let mayEnd = Gate()
    let first = Task { [work = work("first", until: mayEnd)] in try await flight.value(work) }
    await see("first begins")
    let second = Task { [work = work("second", until: mayEnd)] in try await flight.value(work) }
    await until { flight.waiterCount == 2 }
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    mayEnd.open()
    await see("first ends")
    #expect(try await second.value == "first")
    #expect(events.elements == ["first begins", "first ends"] && flight.waiterCount == 0)
  }
}
