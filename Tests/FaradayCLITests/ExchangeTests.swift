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
    Exchange(
      request: try Request(.get, "http://h/"), sink: OutputSink(path: folder.file("out")),
      settings: OutputSettings(includesHeads: head, failsOnStatus: fails ? .withoutBody : .no),
      meter: ProgressMeter(on: .error, shown: false))
  }

  @Test func `a request that fails leaves no file`() async throws {
    var exchange = try exchange()
    await exchange.run(adapter: Answer { throw TransportError(.connectionClosed, building: $0, "gone") })
    #expect(exchange.report.exitStatus == 52)
    #expect(folder.read("out") == nil)
  }

  @Test func `a body that breaks leaves what came`() async throws {
    let pieces = AsyncThrowingStream<Data, any Error> {
      $0.yield(Data("half".utf8))
      $0.finish(throwing: CancellationError())
    }
    var exchange = try exchange()
    await exchange.run(adapter: Answer { Response(status: .ok, body: .stream(pieces), url: $0.url) })
    #expect(exchange.report.exitStatus == 42)
    #expect(exchange.report.response?.status == .ok)
    #expect(folder.read("out") == Data("half".utf8))
  }

  @Test func `what had arrived is in the report of a failure`() async throws {
    var exchange = try exchange()
    await exchange.run(
      adapter: Answer {
        var error = TransportError(.truncatedResponse, building: $0, "short")
        error.partialResponse = Response(status: .accepted, url: $0.url)
        throw error
      })
    #expect(exchange.report.response?.status == .accepted)
    #expect(exchange.report.exitStatus == 18)
  }

  @Test func `a file of the head and the body has the values' own bytes`() async throws {
    var fields: HTTPFields = [:]
    if let name = HTTPField.Name("X-Latin") { fields.append(HTTPField(name: name, lenientValue: [0xE9])) }
    let headers = fields
    var exchange = try exchange(head: true)
    await exchange.run(
      adapter: Answer {
        Response(status: .init(code: 299), headers: headers, body: "b", url: $0.url, version: .http2)
      })
    #expect(exchange.report.failure == nil)
    #expect(folder.read("out") == Data("HTTP/2 299 \r\nX-Latin: ".utf8) + [0xE9] + Data("\r\n\r\nb".utf8))
  }

  @Test func `a refused status is 22 from 400 up and not below`() async throws {
    for (code, status) in [(399, 0), (400, 22), (599, 22)] as [(Int, Int32)] {
      var exchange = try exchange(fails: true)
      await exchange.run(adapter: Answer { Response(status: .init(code: code), url: $0.url) })
      #expect(exchange.report.exitStatus == status)
    }
  }
}
