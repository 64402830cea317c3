import Faraday
import FaradayHAL
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
    throw BodyError(.empty)
  }

  /// The texts of all source files of the products, with their names.
  private func sources() throws -> [(name: String, text: String)] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Sources").standardized
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    return try files.compactMap { file in
      guard let file = file as? URL, file.pathExtension == "swift" else { return nil }
      return (file.lastPathComponent, try String(contentsOf: file, encoding: .utf8))
    }
  }

  @Test func `the public errors are fewer than 30 FaradayErrors, and their names end in Error`() throws {
    let declaration = /public (?:struct|enum|final class|class|actor) \w+[^{\n]*[:,] ?(?:any )?Error\b/
    let conformance = /(?:public (?:struct|enum|final class)|extension) ([\w.]+)[^{\n]*[:,] ?(?:FaradayError|ErrorWithResponse)\b/
    var known: Set<String> = []
    for (name, text) in try sources() {
      for match in text.matches(of: declaration) { Issue.record("\(name): \(match.output) is no FaradayError") }
      for match in text.matches(of: conformance) { known.insert(String(match.output.1)) }
    }
    for name in known { #expect(name.hasSuffix("Error")) }
    #expect(
      known.isSuperset(of: [
        "TransportError", "StatusError", "BodyError", "BodyDecodingError", "BodyEncodingError", "InvalidValueError",
        "RedirectError",
        "TimeoutError", "RefusedRequestError", "StoreError", "HALError", "ResponseValidationError", "PromiseError", "OptionError",
      ]))
    #expect(known.count < 30)
  }

  @Test func `no file adds a public member to every Error`() throws {
    for (name, text) in try sources() {
      for match in text.matches(of: /\n(?:public )?extension (?:Swift\.)?Error\b[\s\S]*?\n\}/) {
        #expect(!match.output.contains("public "), "\(name): \(match.output)")
      }
    }
  }

  @Test func `every timeout reports itself as a timeout and as transient`() async throws {
    // Responds only after a cancellation.
    mock.stub { request in
      try await Task.sleep(for: .seconds(3600))
      return Response(status: .ok, url: request.url)
    }
    struct Closed: Constraint {
      func isSatisfied(for request: Request) async throws -> Bool { false }
      func satisfy(for request: Request) async throws { try await Task.sleep(for: .seconds(3600)) }
    }
    let url = try #require(URL(string: "https://api.test/users"))
    var errors: [any FaradayError] = [
      try await failure(.timeout(.zero)), try await failure(.constraints([Closed()], within: .zero)),
    ]
    let promise = try connection().promise.get("users").timeout(.zero)
    errors.append(try #require(await #expect(throws: TimeoutError.self) { try await promise.value }))
    for code in [TransportError.Code.queueTimeout, .connectTimeout, .idleTimeout, .totalTimeout] {
      errors.append(TransportError(code, phase: .waiting, method: .get, url: url, message: "too late"))
    }
    for error in errors { #expect(error.isTimeout && error.isTransient && !error.isCancelled, "\(error)") }
    #expect(errors[0].request?.description == "GET https://api.test/users?token=[secret]")
    #expect(errors[1].request?.url == "https://api.test/users?token=[secret]")
  }

  @Test func `an error has the request without its secrets, and the response if there is one`() async throws {
    mock.stub { Response(status: .serviceUnavailable, body: "busy", url: $0.url) }
    let error = try await failure(.statusValidation)
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

  @Test func `a permanent error is neither transient, a timeout nor cancelled`() async throws {
    let notFound = try await failure(.statusValidation)
    let undecodable = await #expect(throws: BodyDecodingError.self) {
      try await self.connection().get("users").decode([Int].self, accepting: .any)
    }
    let errors: [any FaradayError] = [notFound, try #require(undecodable), BodyError(.empty), PromiseError(.abandoned)]
    for error in errors { #expect(!error.isTransient && !error.isTimeout && !error.isCancelled, "\(error)") }
    #expect(errors.map { $0.response?.status } == [.notFound, .notFound, nil, nil])
  }

  @Test func `every cancellation reports itself as cancelled`() async throws {
    let cancelled: any Error = CancellationError()
    #expect(cancelled.countsAsCancelled && !cancelled.countsAsTimeout && !cancelled.countsAsTransient)
    let promise = try connection().promise.get("users")
    promise.cancel()
    let error = await #expect(throws: (any Error).self) {
      _ = try await promise.value
      throw CancellationError()
    }
    #expect(error?.countsAsCancelled == true)
    struct Other: Error {}
    #expect(!Other().countsAsCancelled && !Other().countsAsTimeout && !Other().countsAsTransient)
  }
}
