import FaradayCore
import FaradayPromises
import FaradayTesting
import Testing

/// Nothing that a promise was given is kept once it is settled, whichever way that came.
@Suite struct PromiseLeakTests {
  final class Witness: Sendable {}

  /// Runs the body with a witness to capture, and looks whether anything still holds it.
  private func leaves(_ body: (Witness) async throws -> Void) async throws -> Bool {
    weak var kept: Witness?
    do {
      let witness = Witness()
      kept = witness
      try await body(witness)
    }
    // The task that settled the promise may be about to end.
    await until { kept == nil }
    return kept != nil
  }

  @Test func `a finished chain retains nothing`() async throws {
    #expect(
      try await !leaves { witness in
        let promise = Promise { _ = witness }
          .map { _ = witness }.then { _ = witness }.flatMap { _ in Promise { _ = witness } }.recover { _ in _ = witness }
          .tap { _ in _ = witness }.ensure { _ = witness }.onComplete { _ in _ = witness }
        try await promise.value
      })
  }

  @Test func `promises that are settled late, cancelled or abandoned retain nothing`() async throws {
    for end in [{ _ = $0.fulfill(1) }, { _ = $0.reject(Wrong()) }, { _ in }] as [(PromiseResolver<Int>) -> Void] {
      #expect(
        try await !leaves { witness in
          let (promise, resolver) = Promise<Int>.pending()
          promise.map { _ in _ = witness }.onComplete { _ in _ = witness }
          resolver.onCancel { _ = witness }
          end(resolver)
        })
    }
    #expect(
      try await !leaves { witness in
        let (promise, resolver) = Promise<Int>.pending()
        let end = promise.map { _ in _ = witness }.ensure { _ = witness }
        resolver.onCancel { _ = witness }
        end.cancel()
      })
  }

  @Test func `combined promises retain nothing even if a part is never settled`()
    async throws
  {
    #expect(
      try await !leaves { witness in
        let (slow, resolver) = Promise<Int>.pending()
        let watched = slow.map { value in
          _ = witness
          return value
        }
        _ = try await Promise.race([watched, Promise(.success(1))]).value
        _ = try? await Promise.all([watched, Promise(.failure(Wrong()))]).value
        _ = try? await watched.zip(Promise<Int>(.failure(Wrong()))).value
        _ = try? await watched.timeout(.zero).value
        withExtendedLifetime(resolver) {}
      })
  }

  @Test func `progress handlers are released`() async throws {
    #expect(
      try await !leaves { witness in
        let promise = Promise(reporting: { report in report(TransferProgress(bytes: 1, total: nil)) })
        promise.progress { _ in _ = witness }
        try await promise.value
      })
    #expect(
      try await !leaves { witness in
        let promise = Promise { 1 }
        promise.progress { _ in
          _ = witness
          promise.cancel()
        }
        _ = try await promise.value
      })
  }

  @Test func `promises are released`() async throws {
    weak var first: Promise<Int>?
    weak var last: Promise<Int>?
    do {
      let promise = Promise { 1 }
      let mapped = promise.map { $0 + 1 }.ensure {}
      first = promise
      last = mapped
      #expect(try await mapped.value == 2)
    }
    await until { first == nil && last == nil }
    #expect(first == nil && last == nil)
  }
}
