import Faraday
import FaradayHAL
import FaradayResting
import FaradayServices
import FaradayTesting
import Foundation
import Testing

/// One question for every error.
@Suite struct FaradayErrorTests {
  let mock = MockAdapter(isStrict: false)

  private func connection(_ middleware: any Middleware...) throws -> Connection {
    try Connection("https://ada:pw@api.test/", adapter: mock, middleware: middleware)
  }

  /// The error of a GET whose URL has a secret in it.
  private func failure(_ middleware: any Middleware...) async throws -> any FaradayError {
    let connection = try Connection("https://ada:pw@api.test/", adapter: mock, middleware: middleware)
    do {
      _ = try await connection.get("users?token=hidden")
    } catch let error as any FaradayError {
      return error
    }
    throw EmptyBody()
  }

  @Test func `every public error of the package is a FaradayError`() throws {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Sources").standardized
    let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    let declaration = /public (?:struct|enum|final class|class|actor) \w+[^{\n]*[:,] ?(?:any )?Error\b/
    let conformance = /public (?:struct|enum|final class) (\w+)[^{\n]*[:,] ?FaradayError\b/
    var known: Set<String> = []
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: declaration) { Issue.record("\(file.lastPathComponent): \(match.output) is none") }
      for match in text.matches(of: conformance) { known.insert(String(match.output.1)) }
    }
    #expect(
      known.isSuperset(of: [
        "TransportError", "UnexpectedStatus", "UndecodableBody", "UnencodableBody", "InvalidPath", "InvalidHeader",
        "RedirectError",
        "TimeoutExceeded", "ConstraintsTimedOut", "PromiseTimedOut", "FollowingError", "UnacceptableResponse", "UnusableMock",
      ]))
    #expect(known.count >= 30)
  }

  @Test func `whatever timed out says so, and that it may succeed later`() async throws {
    // Answers nobody who does not cancel it.
    mock.stub { request in
      try await Task.sleep(for: .seconds(3600))
      return Response(status: .ok, url: request.url)
    }
    struct Closed: Constraint {
      func isSatisfied(for request: Request) async throws -> Bool { false }
      func satisfy(for request: Request) async throws { try await Task.sleep(for: .seconds(3600)) }
    }
    let url = try #require(URL(string: "https://api.test/users"))
    var errors: [any Error] = [
      try await failure(.timeout(.zero)), try await failure(.constraints([Closed()], within: .zero)),
    ]
    let promise = try connection().promise.get("users").timeout(.zero)
    errors.append(try #require(await #expect(throws: PromiseTimedOut.self) { try await promise.value }))
    for code in [TransportError.Code.queueTimeout, .connectTimeout, .idleTimeout, .totalTimeout] {
      errors.append(TransportError(code, phase: .waiting, method: .get, url: url, message: "too late"))
    }
    for error in errors { #expect(error.isTimeout && error.isTransient && !error.isCancelled, "\(error)") }
    #expect((errors[0] as? any FaradayError)?.request?.description == "GET https://api.test/users?token=[secret]")
    #expect((errors[1] as? any FaradayError)?.request?.url == "https://api.test/users?token=[secret]")
  }

  @Test func `an error has the request without its secrets, and the response if there is one`() async throws {
    mock.stub { Response(status: .serviceUnavailable, body: "busy", url: $0.url) }
    let error = try await failure(.expectStatus)
    #expect(error.request?.method == .get && error.request?.url == "https://api.test/users?token=[secret]")
    #expect(error.response?.status == .serviceUnavailable && error.response?.body.length == 4)
    #expect(error.isTransient && !error.isTimeout && !error.isCancelled)
    #expect(error.errorDescription == "\(error)" && "\(error)".contains("503"))
    let redirected = try await #require(throws: RedirectError.self) {
      let others = MockAdapter()
      others.stub { Response(status: .found, headers: [.location: "ftp://x/"], url: $0.url) }
      _ = try await Connection("https://api.test/", adapter: others, middleware: [.redirects()]).get("a")
    }
    #expect((redirected as any FaradayError).response?.status == .found)
    #expect((redirected as any FaradayError).request?.url == "https://api.test/a")
  }

  @Test func `an error for good is neither transient, a timeout nor cancelled`() async throws {
    let notFound = try await failure(.expectStatus)
    let undecodable = await #expect(throws: UndecodableBody.self) {
      try await self.connection().get("users").decode([Int].self)
    }
    let errors: [any FaradayError] = [notFound, try #require(undecodable), EmptyBody(), PromiseAbandoned()]
    for error in errors { #expect(!error.isTransient && !error.isTimeout && !error.isCancelled, "\(error)") }
    #expect(errors.map { $0.response?.status } == [.notFound, .notFound, nil, nil])
  }

  @Test func `what was cancelled says so, whoever is asked`() async throws {
    let cancelled: any Error = CancellationError()
    #expect(cancelled.isCancelled && !cancelled.isTimeout && !cancelled.isTransient)
    let promise = try connection().promise.get("users")
    promise.cancel()
    let error = await #expect(throws: (any Error).self) {
      _ = try await promise.value
      throw CancellationError()
    }
    #expect(error?.isCancelled == true)
    struct Other: Error {}
    #expect(!Other().isCancelled && !Other().isTimeout && !Other().isTransient)
  }
}
