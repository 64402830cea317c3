import Faraday
import FaradayTesting
import Synchronization

/// One server that is all three upstreams: pages under `/page/`, the classifier at `/classify`, the archive under `/results/`.
public final class FakeUpstreams: Sendable {
  /// Returns a response in place of the usual one, or nil. It may wait.
  public typealias Fault = @Sendable (RecordedRequest) async throws -> Response?

  private final class Archive: Sendable { let ids = Mutex<[String: Int]>([:]) }

  private let server: MockServer
  private let archive: Archive

  public init(fault: @escaping Fault = { _ in nil }) throws {
    let archive = Archive()
    self.archive = archive
    server = try MockServer { request in
      if let response = try await fault(request) { return response }
      let path = request.request.url.path()
      if path.hasPrefix("/page/") { return .text("the page \(path)", headers: [.cacheControl: "max-age=600"]) }
      if path == "/classify" { return .json(["label": "page"]) }
      archive.ids.withLock { $0[String(path.dropFirst("/results/".count)), default: 0] += 1 }
      return .status(.created)
    }
  }

  public var url: String { server.url }
  /// The lines of all requests so far: `GET /page/1`.
  public var lines: [String] { server.recorded.map(\.line) }
  /// The identifiers of the archived results, with the number of times that each was archived.
  public var archived: [String: Int] { archive.ids.withLock { $0 } }
}
