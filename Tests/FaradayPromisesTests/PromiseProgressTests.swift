import FaradayCore
import FaradayPromises
import FaradayTesting
import Synchronization
import Testing

@Suite struct PromiseProgressTests {
  @Test func `a fraction is known only with a total`() {
    #expect(TransferProgress(bytes: 5, total: nil).fraction == nil)
    #expect(TransferProgress(bytes: 5, total: 10).fraction == 0.5)
    #expect(TransferProgress(bytes: 0, total: 0).fraction == 1)
  }

  @Test func `handlers are called in order, and a late one gets the latest progress`() async throws {
    let (begun, goOn) = (Gate(), Gate())
    let early = Log<Int64>()
    let late = Log<Int64>()
    let promise = Promise(reporting: { report in
      #expect(await goOn.opened())
      for bytes in 1...3 { report(TransferProgress(bytes: Int64(bytes), total: 3)) }
      begun.open()
      return "done"
    })
    promise.progress { early.append($0.bytes) }
    goOn.open()
    #expect(try await promise.value == "done")
    promise.progress { late.append($0.bytes) }
    #expect(early.elements == [1, 2, 3])
    #expect(late.elements == [3])
  }

  @Test func `a handler that is added between reports never sees progress go back`() async throws {
    for _ in 0..<200 {
      let promise = Promise(reporting: { report in
        for bytes in 1...50 { report(TransferProgress(bytes: Int64(bytes), total: 50)) }
      })
      let seen = Log<Int64>()
      promise.progress { seen.append($0.bytes) }
      try await promise.value
      promise.progress { seen.append($0.bytes) }
      #expect(seen.elements == seen.elements.sorted())
    }
  }

  @Test func `derived promises keep the progress`() async throws {
    let goOn = Gate()
    let promise = Promise(reporting: { report in
      #expect(await goOn.opened())
      report(TransferProgress(bytes: 1, total: 2))
      return 1
    })
    let seen = Log<Int64>()
    let end = promise.map { $0 + 1 }.then { $0 + 1 }.flatMap { Promise(.success($0)) }.recover { _ in 0 }.tap { _ in }.ensure {}
      .timeout(.seconds(3600)).onComplete { _ in }.onSuccess { _ in }.onFailure { _ in }
    end.progress { seen.append($0.bytes) }
    goOn.open()
    #expect(try await end.value == 3)
    #expect(seen.elements == [1])
  }

  @Test func `the sequence of progress starts with the latest report and ends with the promise`() async throws {
    let (said, goOn) = (Gate(), Gate())
    let promise = Promise(reporting: { report in
      report(TransferProgress(bytes: 1, total: 3))
      said.open()
      #expect(await goOn.opened())
      report(TransferProgress(bytes: 3, total: 3))
    })
    #expect(await said.opened())
    var seen: [Int64] = []
    for await progress in promise.progress {
      seen.append(progress.bytes)
      goOn.open()
    }
    #expect(seen == [1, 3])
    try await promise.value
    // After the end there is only the last report.
    var late: [Int64] = []
    for await progress in promise.progress { late.append(progress.bytes) }
    #expect(late == [3])
  }

  @Test func `a promise without progress reports none and has its outcome`() async throws {
    let seen = Log<Int64>()
    let promise: Promise<Int> = Promise { 1 }.progress { seen.append($0.bytes) }
    #expect(try await promise.value == 1)
    #expect(seen.elements == [])
  }

  @Test func `cancelling cancels the work`() async {
    let ended = Gate()
    let promise = Promise(reporting: { _ in
      do { try await Task.sleep(for: .seconds(3600)) } catch { ended.open() }
    })
    promise.cancel()
    #expect(await ended.opened())
    await #expect(throws: CancellationError.self) { try await promise.value }
  }
}
