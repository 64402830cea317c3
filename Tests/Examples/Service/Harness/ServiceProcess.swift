import Faraday
import FaradayCurl
import Foundation

/// A process of the service, and a connection to it.
public final class ServiceProcess: Sendable {
  /// A job as the service shows it.
  public struct Job: Decodable, Sendable {
    public let id: String
    public let state: String
    public let label: String?
    public let reason: String?
    public let claims: Int
  }

  public let child: Child
  public let connection: Connection

  /// - Parameter settings: environment variables besides those of the addresses.
  public init(_ redis: RedisServer, _ upstreams: FakeUpstreams, _ settings: [String: String] = [:]) async throws {
    var environment = [
      "PORT": "0", "REDIS_URL": redis.url, "CLASSIFIER_URL": upstreams.url + "/", "ARCHIVE_URL": upstreams.url + "/",
      "ARCHIVE_TOKEN": "of-the-archive", "ALLOW_PRIVATE_ADDRESSES": "true",
    ]
    environment.merge(settings) { $1 }
    let child = try Child(
      Self.program(), environment: environment, output: redis.folder.appendingPathComponent("\(UUID().uuidString).log"))
    self.child = child
    let port = try await eventually {
      if !child.isRunning { throw Ended(output: child.text) }
      return child.text.split(separator: "\n").first { $0.hasPrefix("port ") }?.dropFirst(5)
    }
    connection = try Connection(
      "http://127.0.0.1:\(port)/", adapter: CurlAdapter(), middleware: .standard(retry: Retry(.init(retries: 0))))
  }

  /// The process has ended before it listened.
  struct Ended: Error { let output: String }

  /// Orders a job; the response is a 202 if it was accepted.
  public func submit(tenant: String, url: String, key: UUID = UUID()) async throws -> Response {
    try await connection.post(
      "jobs", headers: ["Idempotency-Key": key.uuidString], json: ["tenant": tenant, "url": url])
  }

  public func job(_ id: String) async throws -> Job {
    try await connection.get("jobs/{id}", variables: ["id": id], as: Job.self)
  }

  /// The program is beside the test or the load, or in a folder above.
  private static func program() throws -> URL {
    let start = Bundle.main.executablePath ?? CommandLine.arguments.first ?? ""
    var folder = URL(fileURLWithPath: start).resolvingSymlinksInPath()
    while folder.path.count > 1 {
      folder.deleteLastPathComponent()
      let candidate = folder.appendingPathComponent("job-service")
      let isFile = try? candidate.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile
      if isFile == true { return candidate }
    }
    throw CocoaError(.fileNoSuchFile)
  }
}
