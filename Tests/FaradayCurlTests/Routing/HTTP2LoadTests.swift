@_spi(Adapters) import FaradayCore
@testable import FaradayCurl
import FaradayTesting
import Foundation
import TestServers
import TestSupport
import Testing

/// Real servers that end each connection after about a hundred requests, with GOAWAY, while others are in flight.
@Suite(.serialized, .enabled(if: Library.hasReliableHTTP2)) struct HTTP2LoadTests {
  enum Kind: CaseIterable { case nginx, nghttpx, haproxy, caddy }

  /// A running server, and how it is made to end connections.
  struct Server {
    let url: String
    let caFile: String
    var path = ""
    /// The query of the last request on a connection.
    var last: String?
    var reload: (@Sendable () throws -> Void)?
    /// The number of responses that it has cut, and ended like complete ones.
    var cutResponses: @Sendable () -> Int = { 0 }
    let stop: @Sendable () -> Void

    init(_ kind: Kind, upstream: Int) throws {
      switch kind {
      case .nginx:
        let server = try NginxServer(upstream: upstream, requests: 100)
        (url, caFile, path, stop) = (server.url, server.caFile, "upstream/", { server.stop() })
      case .nghttpx:
        let server = try NghttpxServer(upstream: upstream, requests: 100)
        (url, caFile, stop) = (server.url, server.caFile, { server.stop() })
      case .haproxy:
        let server = try HAProxyServer(upstream: upstream)
        (url, caFile, stop) = (server.url, server.caFile, { server.stop() })
        reload = { try server.reload() }
      case .caddy:
        let server = try CaddyServer(upstream: upstream, protocols: ["h1", "h2"])
        (url, caFile, last, stop) = (server.url, server.caFile, "last=1", { server.stop() })
        cutResponses = { server.incompleteResponses }
      }
    }
  }

  /// Sends so many requests, some at a time, and makes the server end its connections now and then. Returns what was wrong, and the
  /// number of connections.
  private func load(
    _ kind: Kind, _ count: Int, atOnce: Int,
    _ exchange: @escaping @Sendable (Connection, String, Int) async throws -> String?
  ) async throws -> (problems: [String], connections: Int) {
    let upstream = try LocalServer()
    defer { upstream.stop() }
    let server = try Server(kind, upstream: upstream.port)
    defer { server.stop() }
    var defaults = Options()
    defaults.tls.caFile = server.caFile
    let adapter = CurlAdapter()
    let connection = try Connection(server.url, defaults: defaults, adapter: adapter)
    let (path, last) = (server.path, server.last)
    let cut = Log<String>()
    let problems = try await withThrowingTaskGroup(of: String?.self) { group in
      var problems: [String] = []
      // A new worker of haproxy takes some time to start.
      for index in 0..<100_000 {
        if index >= count, server.reload == nil || adapter.statistics.connections.opened > 1 { break }
        if index >= atOnce, let problem = try await group.next() ?? nil { problems.append(problem) }
        if index % 1000 == 150, index < count { try server.reload?() }
        let query = index % 100 == 99 ? last : nil
        group.addTask {
          do {
            let size = 500 + index % 3000
            return try await exchange(connection, path + "bytes/\(size)" + (query.map { "?" + $0 } ?? ""), size)
          } catch let error as TransportError where kind == .caddy && error.isTransient {
            // caddy 2.6 does not complete some streams that its GOAWAY has promised to, and closes after a second. A program in C
            // gets the same errors from libcurl.
            return nil
          } catch let error as CutBody {
            cut.append("\(index): \(error.length) bytes")
            return nil
          } catch {
            return "\(index): \(error)"
          }
        }
      }
      for try await problem in group { if let problem { problems.append(problem) } }
      return cut.elements.count > server.cutResponses() ? problems + cut.elements : problems
    }
    return (problems, adapter.statistics.connections.opened)
  }

  @Test(arguments: Kind.allCases)
  func `GETs succeed while the server closes its connections`(kind: Kind) async throws {
    let count = TestRun.isComplete ? 2_000 : 400
    let (problems, connections) = try await load(kind, count, atOnce: 50) { connection, path, size in
      let response = try await connection.get(path)
      guard response.status == .ok, response.body.data == pattern(size) else {
        return "\(path): \(response.status), or other bytes"
      }
      return response.version == .http2 ? nil : "\(path) came over \(response.version)"
    }
    #expect(problems.isEmpty, "\(problems.count) of \(count): \(problems.prefix(5))")
    #expect(connections > 1)
  }

  @Test(arguments: Kind.allCases)
  func `streamed bodies of unknown length are complete while the server closes its connections`(kind: Kind) async throws {
    let count = 200
    let (problems, _) = try await load(kind, count, atOnce: 20) { connection, path, size in
      let separator = path.contains("?") ? "&" : "?"
      let large = path.replacing("bytes/\(size)", with: "bytes/\(size * 100)") + separator + "chunked=10000"
      let response = try await connection.get(large) { $0.options.delivery = .streamed }
      guard response.status == .ok else { return "\(path): \(response.status)" }
      return try Self.compare(try await response.body.collect(), with: pattern(size * 100)) ? nil : "\(path): other bytes"
    }
    #expect(problems.isEmpty, "\(problems.count) of \(count): \(problems.prefix(5))")
  }

  @Test(arguments: Kind.allCases)
  func `buffered bodies of unknown length are complete while the server closes its connections`(kind: Kind) async throws {
    let count = TestRun.isComplete ? 1_000 : 200
    let (problems, _) = try await load(kind, count, atOnce: 20) { connection, path, size in
      let separator = path.contains("?") ? "&" : "?"
      let response = try await connection.get(path + separator + "chunked=300")
      guard response.status == .ok, let data = response.body.data, try Self.compare(data, with: pattern(size)) else {
        return "\(path): \(response.status) over \(response.version), or other bytes"
      }
      return nil
    }
    #expect(problems.isEmpty, "\(problems.count) of \(count): \(problems.prefix(5))")
  }

  /// Some versions of caddy do not pass on that a response is cut. If this one does not, its log says so.
  @Test func `a response that caddy has cut is in its log`() async throws {
    let upstream = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
    }
    defer { upstream.stop() }
    let server = try CaddyServer(upstream: upstream.port, protocols: ["h1"])
    defer { server.stop() }
    let connection = try Connection(server.url, adapter: CurlAdapter())
    let response = try? await connection.get("cut") { $0.options.tls.caFile = server.caFile }
    guard response?.body.data?.count == 3 else { return }
    await until { server.incompleteResponses == 1 }
    #expect(server.incompleteResponses == 1)
  }

  /// A body of unknown length that ends early.
  private struct CutBody: Error { let length: Int }

  private static func compare(_ data: Data, with expected: Data) throws -> Bool {
    if data.count < expected.count, expected.starts(with: data) { throw CutBody(length: data.count) }
    return data == expected
  }
}
