import Faraday
import FaradayTesting
import Foundation
import Synchronization

@testable import FaradayStreams

/// A mock that serves one file by a list of answers, and a folder to download it into.
final class MockedFile: Sendable {
  let mock = MockAdapter()
  let clock = ManualClock()
  let folder: String
  let bytes: Data
  private let answers = Mutex<[@Sendable (Request) throws -> Response]>([])

  var destination: String { folder + "/file" }
  var part: String { destination + ".part" }
  var record: String { part + ".json" }

  init(size: Int = 1000) throws {
    bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    folder = FileManager.default.temporaryDirectory.path + "/faraday-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    mock.stub { [weak self] request in
      let answer = self?.answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      guard let answer else { throw Unplanned() }
      return try answer(request)
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  struct Unplanned: Error {}

  var connection: Connection { Connection(url: URL(string: "https://files.example/"), adapter: mock) }

  /// Without delays, and with the manual clock.
  var policy: DownloadPolicy {
    var policy = DownloadPolicy(clock: clock)
    policy.random = { 0 }
    return policy
  }

  var sent: [Request] { mock.recorded.map(\.request) }
  var ranges: [String?] { sent.map { $0.headers[.range] } }
  var written: Data? { FileManager.default.contents(atPath: destination) }
  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }

  func answer(_ answer: @escaping @Sendable (Request) throws -> Response) { answers.withLock { $0.append(answer) } }

  func download(
    _ path: String = "file", resuming: DownloadResuming = .ifUnchanged, checksum: Checksum? = nil, policy: DownloadPolicy? = nil,
    progress: (@Sendable (DownloadProgress) -> Void)? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Download {
    try await connection.download(
      path, to: destination, resuming: resuming, checksum: checksum, policy: policy ?? self.policy, edit: edit, progress: progress
    )
  }

  /// A 200 with the whole, which breaks off after so many bytes.
  func whole(cut: Int? = nil, _ headers: HTTPFields = [.eTag: "\"v1\""]) {
    answer { [bytes] in Self.response($0, .ok, headers, bytes, cut: cut) }
  }

  /// A 206 with the bytes from `start`, and a right `Content-Range` unless another is given.
  func rest(from start: Int, to end: Int? = nil, cut: Int? = nil, _ headers: HTTPFields = [.eTag: "\"v1\""]) {
    answer { [bytes] in
      var fields = headers
      let last = (end ?? bytes.count) - 1
      if fields[.contentRange] == nil { fields[.contentRange] = "bytes \(start)-\(last)/\(bytes.count)" }
      return Self.response($0, .partialContent, fields, bytes[start...last], cut: cut)
    }
  }

  func status(_ status: HTTPResponse.Status, _ headers: HTTPFields = [:]) {
    answer { Response(status: status, headers: headers, url: $0.url) }
  }

  /// A download that breaks off after so many bytes, and leaves its part.
  func leavePart(of count: Int, _ headers: HTTPFields = [.eTag: "\"v1\""]) async {
    whole(cut: count, headers)
    var policy = policy
    policy.retries = 0
    _ = try? await download(policy: policy)
  }

  /// A download that gets all bytes and is then ended, before the file has its name.
  func leaveWhole() async {
    answer { [bytes, destination] in
      try Data().write(to: URL(fileURLWithPath: destination))
      return Self.response($0, .ok, [.eTag: "\"v1\""], bytes)
    }
    var policy = policy
    policy.existing = .fail
    _ = try? await download(policy: policy)
    try? FileManager.default.removeItem(atPath: destination)
  }

  static func response(
    _ request: Request, _ status: HTTPResponse.Status, _ headers: HTTPFields, _ bytes: Data, cut: Int? = nil
  ) -> Response {
    let pieces = AsyncThrowingStream<Data, any Error> { continuation in
      continuation.yield(Data(bytes.prefix(cut ?? bytes.count)))
      continuation.finish(throwing: cut == nil ? nil : broken(request))
    }
    return Response(status: status, headers: headers, body: .stream(pieces, length: Int64(bytes.count)), url: request.url)
  }

  static func broken(_ request: Request, _ code: TransportError.Code = .truncatedResponse) -> TransportError {
    TransportError(code, phase: .receiving, method: request.method, url: request.url, message: "broken off")
  }
}

/// The error that something throws; nil if it does not.
func failure(of work: () async throws -> Void) async -> (any Error)? {
  do {
    try await work()
    return nil
  } catch {
    return error
  }
}
