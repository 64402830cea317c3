import FaradayCore
import FaradayTesting
import FoundationEssentials
import Synchronization
import Testing

@Suite struct MockAdapterTests {
  @Test func `a strict mock refuses what no stub matches, and still records it`() async throws {
    let mock = MockAdapter()
    let connection = try Connection("http://h/", adapter: mock)
    await #expect(throws: UnexpectedRequest.self) { try await connection.get("x") }
    #expect(mock.recorded.count == 1)
  }

  @Test func `the first stub that matches answers, as often as it may`() async throws {
    let mock = MockAdapter()
    mock.stub(.get, path: "/x", status: .serviceUnavailable, times: 2)
    mock.stub(.get, path: "/x", status: .ok)
    let connection = try Connection("http://h/", adapter: mock)
    var codes: [Int] = []
    for _ in 0..<4 { codes.append(try await connection.get("x").status.code) }
    #expect(codes == [503, 503, 200, 200])
    await #expect(throws: UnexpectedRequest.self) { try await connection.post("x") }
  }

  @Test func `bodies are limited, streamed, given to callbacks and cancelled as over a real adapter`() async throws {
    let mock = MockAdapter()
    mock.stub(.get, path: "/x", body: "hello", trailers: [.server: "t"])
    let connection = try Connection("http://h/", adapter: mock)
    let buffered = try await connection.get("x")
    #expect(try await buffered.body.text() == "hello")
    #expect(buffered.trailers[.server] == "t")
    let error = await #expect(throws: TransportError.self) { try await connection.get("x") { $0.options.maximumBodySize = 4 } }
    #expect(error?.code == .bodyTooLarge)
    let streamed = try await connection.get("x") { $0.options.delivery = .streamed }
    #expect(try await streamed.body.text() == "hello")
    let seen = Seen()
    let called = try await connection.get("x") {
      $0.options.onHead = { head in seen.add("\(head.status.code)") }
      $0.options.onChunk = { bytes in
        seen.add("\(bytes.byteCount)")
        return .continue
      }
      $0.options.onDownloadProgress = { progress in seen.add("\(progress.bytes) of \(progress.total ?? -1)") }
    }
    #expect(called.body.isEmpty)
    #expect(seen.all == ["200", "5", "5 of 5"])
    await #expect(throws: CancellationError.self) { try await connection.get("x") { $0.options.onChunk = { _ in .cancel } } }
  }

  @Test func `a body that nobody has encoded fails as over a real adapter`() async throws {
    let connection = try Connection("http://h/", adapter: MockAdapter(isStrict: false))
    await #expect(throws: (any Error).self) { try await connection.post("x", body: .value(["a": 1])) }
  }

  private final class Seen: Sendable {
    private let state = Mutex<[String]>([])
    func add(_ text: String) { state.withLock { $0.append(text) } }
    var all: [String] { state.withLock { $0 } }
  }
}
