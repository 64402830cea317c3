import Faraday
import FaradayTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FaradayStreams

/// Whole downloads, and those that fail, break off and go on.
@Suite struct DownloadTests {
  @Test func `a status such as 404 is thrown, and leaves nothing`() async throws {
    let file = try MockedFile()
    file.status(.notFound)
    let error = await failure { _ = try await file.download() }
    #expect((error as? UnexpectedStatus)?.status == .notFound)
    #expect(file.names == [])
  }

  @Test func `an error before any content is thrown at once`() async throws {
    let file = try MockedFile()
    file.answer { throw MockedFile.broken($0, .connectionFailed) }
    let error = await failure { _ = try await file.download() }
    #expect((error as? TransportError)?.code == .connectionFailed)
    #expect(file.sent.count == 1 && file.names == [])
  }

  @Test func `a part that nobody has asked for is an error`() async throws {
    let file = try MockedFile()
    file.rest(from: 0)
    let error = await failure { _ = try await file.download() }
    #expect(error.map(reason) == .invalidResponse("the server sent a part, and was not asked for one"))
  }

  @Test(arguments: ["Range", "If-Range"])
  func `a request with a range of its own is refused before it is sent`(name: String) async throws {
    let file = try MockedFile()
    let error = await failure { _ = try await file.download(edit: { try $0.headers.set(name, "bytes=1-") }) }
    #expect(error.map(reason) == .invalidRequest("a download sets Range and If-Range itself"))
    #expect(file.sent.isEmpty && file.names == [])
  }

  @Test func `a request that is no GET is refused`() async throws {
    let file = try MockedFile()
    let error = await failure { _ = try await file.download(edit: { $0.method = .post }) }
    #expect(error.map(reason) == .invalidRequest("only a GET can be downloaded to a file"))
  }

  @Test func `a body longer than its head says is refused and not kept`() async throws {
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

  @Test func `a body that ends before its length is an interruption, also without an error`() async throws {
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

  @Test func `errors that no repetition mends are thrown, and the part is kept`() async throws {
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

  @Test func `a transfer that breaks off goes on where it was`() async throws {
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

  @Test func `a body of which an adapter without backpressure has too much unread goes on where it was`() async throws {
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

  @Test func `an end that breaks off behind the last byte is no interruption`() async throws {
    let file = try MockedFile()
    file.whole(cut: 1000)
    #expect(try await file.download().interruptions == 0)
    #expect(file.written == file.bytes)
  }

  @Test func `interruptions in a row are limited, and those after new bytes begin anew`() async throws {
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

  @Test func `a file that cannot be continued is limited too, whatever comes of it each time`() async throws {
    let file = try MockedFile()
    for _ in 0..<10 { file.whole(cut: 500, [:]) }
    let error = await failure { _ = try await file.download() }
    #expect((error as? TransportError)?.code == .truncatedResponse)
    // The first of them has brought new bytes; five more are granted.
    #expect(file.sent.count == 6 && file.names == [])
  }

  @Test func `a part that is followed by the next is progress: the interruption behind it is the first`() async throws {
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

  @Test func `small parts that follow one another are asked for after growing delays, and a large one ends them`() async throws {
    let file = try MockedFile(size: 200_000)
    var policy = DownloadPolicy(retries: 0, clock: InstantClock(file.clock))
    policy.random = { 1 }
    policy.maxDelay = .seconds(2)
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

  @Test func `a file that has changed once starts again at once, and one that changes again after a delay`() async throws {
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

  @Test func `a server that goes away behind a part of an earlier process is waited for`() async throws {
    let file = try MockedFile()
    await file.leavePart(of: 300)
    file.rest(from: 300, cut: 100)
    file.answer { throw MockedFile.broken($0, .connectionFailed) }
    file.rest(from: 400)
    #expect(try await file.download().interruptions == 2)
    #expect(file.written == file.bytes)
  }

  @Test(arguments: [HTTPResponse.Status.serviceUnavailable, .notFound])
  func `a status whose body breaks off is that status`(status: HTTPResponse.Status) async throws {
    let file = try MockedFile()
    file.whole(cut: 100)
    for _ in 0..<2 {
      file.answer { MockedFile.response($0, status, [.retryAfter: "0"], Data("wait".utf8), cut: 2) }
    }
    var policy = file.policy
    policy.retries = 2
    let error = await failure { _ = try await file.download(policy: policy) } as? UnexpectedStatus
    #expect(error?.status == status && error?.isBodyCut == true && error?.response.body.data == Data("wa".utf8))
    #expect(file.sent.count == (status == .notFound ? 2 : 3))
  }

  @Test func `the delays double, up to a limit`() async throws {
    let file = try MockedFile()
    var policy = file.policy
    policy.random = { 1 }
    policy.maxDelay = .seconds(3)
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

  @Test func `a server that is busy for a while is waited for as long as it asks`() async throws {
    let file = try MockedFile()
    file.whole(cut: 100)
    file.status(.serviceUnavailable, [.retryAfter: "7"])
    file.rest(from: 100)
    let task = Task { try await file.download() }
    // The first delay is none: the interruption without a `Retry-After`.
    await file.clock.sleepers(1)
    file.clock.advance(by: .seconds(7))
    #expect(try await task.value.size == 1000)
    #expect(file.clock.slept.last == .seconds(7))
  }

  @Test(arguments: ["21", "999999999999999999999"])
  func `a server that asks for too much time is not waited for`(seconds: String) async throws {
    let file = try MockedFile()
    file.whole(cut: 100)
    file.status(.serviceUnavailable, [.retryAfter: seconds])
    let error = await failure { _ = try await file.download() }
    #expect((error as? UnexpectedStatus)?.status == .serviceUnavailable)
  }

  @Test func `a middleware that throws for a status changes nothing`() async throws {
    let file = try MockedFile()
    file.whole(cut: 100)
    file.status(.serviceUnavailable)
    file.status(.rangeNotSatisfiable)
    file.whole()
    var connection = file.connection
    connection.use(.expectStatus)
    _ = try await connection.download("file", to: file.destination, policy: file.policy)
    #expect(file.written == file.bytes)
  }

  /// Refuses requests after the first, as a circuit breaker or a rate limit in the stack does.
  private final class Refusing: Middleware {
    struct Refused: RefusedRequest {
      let retryAfter: Duration?
      var description: String { "refused" }
    }

    /// One for each request after the first, until there are no more.
    private let refusals: Mutex<[Refused?]>

    init(_ refusals: [Duration?]) { self.refusals = Mutex([nil] + refusals.map { Refused(retryAfter: $0) }) }

    func handle(_ request: Request, next: Next) async throws -> Response {
      if let refused = refusals.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw refused }
      return try await next(request)
    }
  }

  @Test func `a request that the connection's own stack refuses is sent when there is room again`() async throws {
    let file = try MockedFile()
    file.whole(cut: 100)
    file.rest(from: 100)
    var connection = file.connection
    connection.use(Refusing([.seconds(5), nil, .seconds(90)]))
    var policy = DownloadPolicy(clock: InstantClock(file.clock))
    policy.random = { 0.5 }
    let download = try await connection.download("file", to: file.destination, policy: policy)
    #expect(download.interruptions == 4 && file.written == file.bytes)
    // The cut, then the refusals: one that asks for longer than the policy's longest delay is asked again after that.
    #expect(file.clock.slept == [.milliseconds(250), .seconds(5), .seconds(1), .seconds(20)])
  }

  @Test func `refusals count as interruptions, and the first one without content is thrown`() async throws {
    let file = try MockedFile()
    file.whole(cut: 100)
    var connection = file.connection
    connection.use(Refusing(Array(repeating: nil, count: 10)))
    var error = await failure { _ = try await connection.download("file", to: file.destination, policy: file.policy) }
    #expect(error is Refusing.Refused && file.sent.count == 1 && file.names == ["file.part", "file.part.json"])
    // Five after the cut were refused, and one more is thrown.
    error = await failure { _ = try await connection.download("file", to: file.destination, policy: file.policy) }
    #expect(error is Refusing.Refused && file.sent.count == 1)
  }

  @Test func `cancelling ends it, and leaves a part that can be continued`() async throws {
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

  @Test func `without resuming there is no range and nothing is kept`() async throws {
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
