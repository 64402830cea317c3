import Faraday
import Foundation
import Testing

@testable import FaradayCLI

@Suite struct ExchangeTests {
  /// Answers without a network.
  struct Answer: Adapter {
    let capabilities = Capabilities.all.subtracting(.rawHeads)
    let answer: @Sendable (Request) throws -> Response

    func send(_ request: Request) async throws -> Response { try answer(request) }
  }

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func exchange(head: Bool = false, fails: Bool = false) throws -> Exchange {
    var settings = FaradayCLI.Operation()
    (settings.include, settings.fails) = (head, fails)
    return Exchange(
      try Request(.get, "http://h/"), sink: OutputSink(path: folder.file("out")), settings: settings,
      meter: ProgressMeter(meter: Meter(on: .error, shown: false)))
  }

  /// The report of a transfer that is sent over this adapter.
  private func report(of exchange: Exchange, over adapter: Answer) async throws -> Report {
    var failure: (any Error)?
    do {
      _ = try await Stack([exchange, exchange.recorder], adapter: adapter).send(Request(.get, "http://h/"))
    } catch {
      failure = error
    }
    _ = await exchange.end(failure)
    return await exchange.report
  }

  @Test func `a failed request leaves no file`() async throws {
    let exchange = try exchange()
    let report = try await report(of: exchange, over: Answer { throw TransportError(.connectionClosed, building: $0, "gone") })
    #expect(report.exitStatus == 52)
    #expect(folder.read("out") == nil)
  }

  @Test func `a truncated body leaves the received bytes`() async throws {
    let pieces = AsyncThrowingStream<Data, any Error> {
      $0.yield(Data("half".utf8))
      $0.finish(throwing: CancellationError())
    }
    let exchange = try exchange()
    let report = try await report(of: exchange, over: Answer { Response(status: .ok, body: .stream(pieces), url: $0.url) })
    #expect(report.exitStatus == 42)
    #expect(report.response?.status == .ok)
    #expect(folder.read("out") == Data("half".utf8))
  }

  @Test func `the report of a failure counts the received bytes`() async throws {
    let exchange = try exchange()
    let report = try await report(
      of: exchange,
      over: Answer {
        var error = TransportError(.truncatedResponse, building: $0, "short")
        error.partialResponse = Response(status: .accepted, url: $0.url)
        throw error
      })
    #expect(report.response?.status == .accepted)
    #expect(report.exitStatus == 18)
  }

  @Test func `a file of head and body has the raw bytes of the values`() async throws {
    var fields: HTTPFields = [:]
    if let name = HTTPField.Name("X-Latin") { fields.append(HTTPField(name: name, lenientValue: [0xE9])) }
    let headers = fields
    let exchange = try exchange(head: true)
    let report = try await report(
      of: exchange,
      over: Answer {
        Response(status: .init(code: 299), headers: headers, body: "b", url: $0.url, version: .http2)
      })
    #expect(report.failure == nil)
    #expect(folder.read("out") == Data("HTTP/2 299 \r\nX-Latin: ".utf8) + [0xE9] + Data("\r\n\r\nb".utf8))
  }

  @Test func `--fail exits with 22 for statuses of 400 and more`() async throws {
    for (code, status) in [(399, 0), (400, 22), (599, 22)] as [(Int, Int32)] {
      let exchange = try exchange(fails: true)
      let report = try await report(of: exchange, over: Answer { Response(status: .init(code: code), url: $0.url) })
      #expect(report.exitStatus == status)
    }
  }
}
