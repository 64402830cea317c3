import Faraday
import FaradayTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FaradayStreams

/// Complete, failing, interrupted and resumed downloads.
@Suite struct DownloadTests {
  @Test func `a status such as 404 is thrown and leaves nothing`() async throws {
    let file = try MockedFile()
    file.status(.notFound)
    let error = await failure { _ = try await file.download() }
    #expect((error as? StatusError)?.status == .notFound)
    #expect(file.names == [])
  }

  @Test func `an error before any content is thrown at once`() async throws {
    let file = try MockedFile()
    file.answer { throw MockedFile.broken($0, .connectionFailed) }
    let error = await failure { _ = try await file.download() }
    #expect((error as? TransportError)?.code == .connectionFailed)
    #expect(file.sent.count == 1 && file.names == [])
  }

  @Test func `an unrequested part is an error`() async throws {
    let file = try MockedFile()
    file.rest(from: 0)
    let error = await failure { _ = try await file.download() }
    #expect(error.map(reason) == .invalidResponse("the server sent a part of the file without a request for a range"))
  }

  @Test(arguments: ["Range", "If-Range"])
  func `a request with its own range is refused before it is sent`(name: String) async throws {
    let file = try MockedFile()
    let error = await failure { _ = try await file.download(edit: { try $0.headers.set(name: name, value: "bytes=1-") }) }
    #expect(error.map(reason) == .invalidRequest("a download sets Range and If-Range itself"))
    #expect(file.sent.isEmpty && file.names == [])
  }

  @Test func `a request other than GET is refused`() async throws {
    let file = try MockedFile()
    let error = await failure { _ = try await file.download(edit: { $0.method = .post }) }
    #expect(error.map(reason) == .invalidRequest("only a GET can be downloaded to a file"))
  }

  @Test func `a body longer than its length is refused and not kept`() async throws {
    let file = try MockedFile()
    file.answer {
      let pieces = AsyncStream<Data> { continuation in
        continuation.yield(Data(count: 11))
        continuation.finish()
      }
      return Response(status: .ok, headers: [.eTag: "\"v1\""], body: .stream(pieces, length: 10), url: $0.url)
    }
    let error = await failure { _ = try await file.download() }
    #expect(error.map(reason) == .invalidResponse("the body is longer than its head says"))
    #expect(file.names == [])
  }

  @Test func `a body shorter than its length is an interruption even without an error`() async throws {
    let file = try MockedFile()
    file.answer { [bytes = file.bytes] in
      let pieces = AsyncStream<Data> { continuation in
        continuation.yield(bytes.prefix(400))
        continuation.finish()
      }
      return Response(status: .ok, headers: [.eTag: "\"v1\""], body: .stream(pieces, length: 1000), url: $0.url)
    }
    file.rest(from: 400)
    #expect(try await file.download().interruptions == 1)
    #expect(file.written == file.bytes)
  }

  @Test func `permanent errors are thrown, and the part is kept`() async throws {
    let file = try MockedFile()
    file.answer { [bytes = file.bytes] request in
      let pieces = AsyncThrowingStream<Data, any Error> { continuation in
        continuation.yield(bytes.prefix(10))
        continuation.finish(throwing: MockedFile.broken(request, .totalTimeout))
      }
      return Response(status: .ok, headers: [.eTag: "\"v1\""], body: .stream(pieces, length: 1000), url: request.url)
    }
    let error = await failure { _ = try await file.download() }
    #expect((error as? TransportError)?.code == .totalTimeout)
    #expect(file.sent.count == 1 && file.names == ["file.part", "file.part.json"])
  }

  @Test func `an interrupted transfer resumes at its position`() async throws {
    let file = try MockedFile()
    file.whole(cut: 300)
    file.rest(from: 300, cut: 200)
    file.rest(from: 500)
    let download = try await file.download()
    #expect(file.ranges == [nil, "bytes=300-", "bytes=500-"])
    #expect(file.sent.map { $0.headers[.ifRange] } == [nil, "\"v1\"", "\"v1\""])
    #expect(file.written == file.bytes && file.names == ["file"])
    #expect(download.size == 1000 && download.interruptions == 2 && download.resumed == 0)
  }

  @Test func `a body that overflows an adapter without backpressure resumes at its position`() async throws {
    let file = try MockedFile()
    file.answer { [bytes = file.bytes] request in
      let pieces = AsyncThrowingStream<Data, any Error> { continuation in
        continuation.yield(bytes.prefix(300))
        continuation.finish(throwing: MockedFile.broken(request, .bodyTooLarge))
      }
      return Response(status: .ok, headers: [.eTag: "\"v1\""], body: .stream(pieces, length: 1000), url: request.url)
    }
    file.rest(from: 300)
    #expect(try await file.download().interruptions == 1)
    #expect(file.ranges == [nil, "bytes=300-"] && file.written == file.bytes)
  }

  @Test func `an error after the last byte is not an interruption`() async throws {
    let file = try MockedFile()
    file.whole(cut: 1000)
    #expect(try await file.download().interruptions == 0)
    #expect(file.written == file.bytes)
  }

  @Test func `consecutive interruptions are limited, and new bytes reset the count`() async throws {
    let file = try MockedFile()
    var policy = file.policy
    policy.retries = 2
    file.whole(cut: 100)
    file.rest(from: 100, cut: 0)
    file.rest(from: 100, cut: 100)
    file.rest(from: 200, cut: 0)
    file.answer { throw MockedFile.broken($0, .connectionFailed) }
    let error = await failure { _ = try await file.download(policy: policy) }
    #expect((error as? TransportError)?.code == .connectionFailed)
    #expect(file.sent.count == 5 && file.names == ["file.part", "file.part.json"])
  }

  @Test func `restarts of a file that cannot be resumed are limited too`() async throws {
    let file = try MockedFile()
    for _ in 0..<10 { file.whole(cut: 500, [:]) }
    let error = await failure { _ = try await file.download() }
    #expect((error as? TransportError)?.code == .truncatedResponse)
    // The first of them has brought new bytes; five more are granted.
    #expect(file.sent.count == 6 && file.names == [])
  }

  @Test func `a part followed by the next one counts as progress`() async throws {
    let file = try MockedFile()
    var policy = file.policy
    policy.retries = 2
    file.whole(cut: 100)
    file.rest(from: 100, cut: 0)
    file.rest(from: 100, to: 200)
    file.rest(from: 200, cut: 0)
    file.rest(from: 200)
    #expect(try await file.download(policy: policy).interruptions == 3)
    #expect(file.written == file.bytes)
  }

  @Test func `consecutive small parts are requested with growing delays, and a large one resets them`() async throws {
    let file = try MockedFile(size: 200_000)
    var policy = DownloadPolicy(retries: 0, clock: InstantClock(file.clock))
    policy.random = { 1 }
    policy.maximumDelay = .seconds(2)
    await file.leavePart(of: 1)
    for start in 1..<5 { file.rest(from: start, to: start + 1) }
    file.rest(from: 5, to: 100_005)
    file.rest(from: 100_005, to: 100_006)
    file.rest(from: 100_006)
    let download = try await file.download(policy: policy)
    #expect(download.interruptions == 0 && file.written == file.bytes)
    let delays = [500, 1000, 2000, 2000, 500].map { Duration.milliseconds($0) }
    #expect(file.clock.slept == delays)
  }

  @Test func `a file that changed once restarts at once, and one that changed again after a delay`() async throws {
    let file = try MockedFile()
    await file.leavePart(of: 300)
    var policy = DownloadPolicy(retries: 0, clock: InstantClock(file.clock))
    policy.random = { 1 }
    file.status(.preconditionFailed)
    file.whole()
    let download = try await file.download(policy: policy)
    #expect(download.interruptions == 1 && file.clock.slept == [])

    await file.leavePart(of: 300)
    policy.retries = 2
    file.status(.preconditionFailed)
    file.whole(cut: 100)
    file.status(.preconditionFailed)
    file.whole()
    #expect(try await file.download(policy: policy).interruptions == 3)
    #expect(file.clock.slept == [.milliseconds(500), .seconds(1)])

    // New bytes between the two make both the first.
    let slept = file.clock.slept.count
    await file.leavePart(of: 300)
    file.status(.preconditionFailed)
    file.whole(cut: 400)
    file.status(.preconditionFailed)
    file.whole()
    #expect(try await file.download(policy: policy).interruptions == 3)
    #expect(file.clock.slept.dropFirst(slept) == [.milliseconds(500)])
  }

  @Test func `a server that disappears after a part of an earlier process is retried`() async throws {
    let file = try MockedFile()
    await file.leavePart(of: 300)
    file.rest(from: 300, cut: 100)
    file.answer { throw MockedFile.broken($0, .connectionFailed) }
    file.rest(from: 400)
    #expect(try await file.download().interruptions == 2)
    #expect(file.written == file.bytes)
  }

  @Test(arguments: [HTTPResponse.Status.serviceUnavailable, .notFound])
  func `a status with a truncated body is still that status`(status: HTTPResponse.Status) async throws {
    let file = try MockedFile()
    file.whole(cut: 100)
    for _ in 0..<2 {
      file.answer { MockedFile.response($0, status, [.retryAfter: "0"], Data("wait".utf8), cut: 2) }
    }
    var policy = file.policy
    policy.retries = 2
    let error = await failure { _ = try await file.download(policy: policy) } as? StatusError
    #expect(error?.status == status && error?.isBodyCut == true && error?.response.body.data == Data("wa".utf8))
    #expect(file.sent.count == (status == .notFound ? 2 : 3))
  }

  @Test func `the delays double up to a limit`() async throws {
    let file = try MockedFile()
    var policy = file.policy
    policy.random = { 1 }
    policy.maximumDelay = .seconds(3)
    file.whole(cut: 100)
    for _ in 0..<3 { file.rest(from: 100, cut: 0) }
    file.rest(from: 100)
    let task = Task { [policy] in try await file.download(policy: policy) }
    for delay in [Duration.milliseconds(500), .seconds(1), .seconds(2), .seconds(3)] {
      await file.clock.sleepers(1)
      file.clock.advance(by: delay)
    }
    #expect(try await task.value.interruptions == 4)
    #expect(file.clock.slept == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(3)])
  }

  @Test func `the delay of a busy server is obeyed`() async throws {
    let file = try MockedFile()
    file.whole(cut: 100)
    file.status(.serviceUnavailable, [.retryAfter: "7"])
    file.rest(from: 100)
    let task = Task { try await file.download() }
    // There is no first delay after an interruption without `Retry-After`.
    await file.clock.sleepers(1)
    file.clock.advance(by: .seconds(7))
    #expect(try await task.value.size == 1000)
    #expect(file.clock.slept.last == .seconds(7))
  }

  @Test(arguments: ["21", "999999999999999999999"])
  func `a delay that is too long is not obeyed`(seconds: String) async throws {
    let file = try MockedFile()
    file.whole(cut: 100)
    file.status(.serviceUnavailable, [.retryAfter: seconds])
    let error = await failure { _ = try await file.download() }
    #expect((error as? StatusError)?.status == .serviceUnavailable)
  }

  @Test func `a middleware that throws for statuses makes no difference`() async throws {
    let file = try MockedFile()
    file.whole(cut: 100)
    file.status(.serviceUnavailable)
    file.status(.rangeNotSatisfiable)
    file.whole()
    var connection = file.connection
    connection.use(.statusValidation)
    _ = try await connection.download("file", to: file.destination, policy: file.policy)
    #expect(file.written == file.bytes)
  }

  /// Refuses requests after the first, as a circuit breaker or a rate limit in the stack does.
  private final class Refusing: Middleware {
    /// One for each request after the first, until there are no more.
    private let refusals: Mutex<[RefusedRequestError?]>

    init(_ refusals: [Duration?]) {
      self.refusals = Mutex(
        [nil] + refusals.map { RefusedRequestError(.other("refused"), key: "own", retryAfter: $0, request: nil) })
    }

    func handle(_ request: Request, next: Next) async throws -> Response {
      if let refused = refusals.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw refused }
      return try await next(request)
    }
  }

  @Test func `a request rejected by the connection's own stack is sent again later`() async throws {
    let file = try MockedFile()
    file.whole(cut: 100)
    file.rest(from: 100)
    var connection = file.connection
    connection.use(Refusing([.seconds(5), nil, .seconds(90)]))
    var policy = DownloadPolicy(clock: InstantClock(file.clock))
    policy.random = { 0.5 }
    let download = try await connection.download("file", to: file.destination, policy: policy)
    #expect(download.interruptions == 4 && file.written == file.bytes)
    // After a rejection with a longer delay than the policy's maximum, the maximum is used.
    #expect(file.clock.slept == [250, 5500, 1000, 20_500].map { .milliseconds($0) })
  }

  @Test func `rejections count as interruptions, and the first one without content is thrown`() async throws {
    let file = try MockedFile()
    file.whole(cut: 100)
    var connection = file.connection
    connection.use(Refusing(Array(repeating: nil, count: 10)))
    var error = await failure { _ = try await connection.download("file", to: file.destination, policy: file.policy) }
    #expect(
      (error as? RefusedRequestError)?.reason == .other("refused") && file.sent.count == 1
        && file.names == ["file.part", "file.part.json"])
    // Five after the cut were refused, and one more is thrown.
    error = await failure { _ = try await connection.download("file", to: file.destination, policy: file.policy) }
    #expect((error as? RefusedRequestError)?.reason == .other("refused") && file.sent.count == 1)
  }

  @Test func `cancelling ends the download and leaves a part that can be resumed`() async throws {
    let file = try MockedFile()
    var policy = file.policy
    policy.random = { 1 }
    file.whole(cut: 100)
    let task = Task { [policy] in try await file.download(policy: policy) }
    await file.clock.sleepers(1)
    task.cancel()
    let error = await failure { _ = try await task.value }
    #expect(error is CancellationError)
    #expect(file.names == ["file.part", "file.part.json"])
    file.rest(from: 100)
    #expect(try await file.download().resumed == 100)
  }

  @Test func `without resuming no range is sent and nothing is kept`() async throws {
    let file = try MockedFile()
    file.whole(cut: 300)
    file.whole(cut: 400)
    file.whole()
    #expect(try await file.download(resuming: .never).interruptions == 2)
    #expect(file.ranges == [nil, nil, nil] && file.written == file.bytes)
    await file.leavePart(of: 100)
    file.whole()
    _ = try await file.download(resuming: .never)
    #expect(file.ranges.last == .some(nil) && file.names == ["file"])
  }
}

func reason(_ error: any Error) -> DownloadError.Reason? { (error as? DownloadError)?.reason }
