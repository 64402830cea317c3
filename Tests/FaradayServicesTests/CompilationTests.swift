import FaradayTesting
import Foundation
import TestSupport
import Testing

/// What must not compile does not, for the reason that is meant.
@Suite struct CompilationTests {
  @Test func `a body on GET does not compile, and on POST it does`() async throws {
    for (verb, body) in [("get", "json([1])"), ("head", "fields([\"a\": 1])"), ("options", "multipart(\"a\", name: \"b\")")] {
      let wrong = try await check("service.server.\(verb)(\"x\").tag(\"t\").\(body)")
      #expect(wrong.status != 0)
      let method = body.prefix { $0 != "(" }
      #expect(wrong.output.contains("error: value of type 'NetworkResource' has no member '\(method)'"), "\(wrong.output)")
      #expect(wrong.output.components(separatedBy: ": error: ").count == 2, "\(wrong.output)")
    }
    let right = try await check(
      """
      service.server.post("x").tag("t").json([1]).promise.load()
        _ = service.server.put("x").header("a", "b").fields(["a": 1])
        _ = service.server.patch("x").query(["a": 1]).multipart("a", name: "b")
      """)
    #expect(right.status == 0, "\(right.output)")
  }

  @Test func `at the top level of a program an asynchronous call is one, and a promise is one`() async throws {
    let program = try await compile(
      """
      import Faraday
      import FaradayServices
      import FaradayTesting

      let connection = Connection(adapter: MockAdapter())
      let response = try await connection.get("x")
      print(response.status)
      let text = try await connection.perform(TypedRequest(baseURL: "https://host", receiving: .text)).value
      print(text.count)
      let resource = NetworkResource(.get, serverURL: "https://host", network: ServiceNetwork(connection))
      let loaded = try await resource.load()
      print(loaded.status)
      connection.promise.get("x").onSuccess { response in print(response.status) }
      """)
    #expect(program.status == 0 && !program.output.contains("warning: "), "\(program.output)")
  }

  /// Has the compiler look at a statement about a service.
  private func check(_ statement: String) async throws -> (status: Int32, output: String) {
    try await compile(
      """
      import Faraday
      import FaradayServices

      func check(service: some WebService) {
        _ = \(statement)
      }

      """)
  }

  private func compile(_ program: String) async throws -> (status: Int32, output: String) {
    let source = try TemporaryFile(Data(program.utf8))
    let modules = try BuiltProduct.named("faraday").deletingLastPathComponent().appendingPathComponent("Modules").path
    // From standard input, as the file has no name that the compiler would know.
    let zlib = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Modules/CZlib/module.modulemap").standardized.path
    let command = "swiftc -typecheck -swift-version 6 -I \"$1\" -Xcc -fmodule-map-file=\"$3\" - <\"$2\" 2>&1"
    let compiler = try ChildProcess("/bin/sh", ["-c", command, "sh", modules, source.path, zlib])
    compiler.closeInput()
    var output: [UInt8] = []
    while true {
      let piece = await compiler.next()
      guard !piece.isEmpty else { break }
      output += piece
    }
    withExtendedLifetime(source) {}
    return (await compiler.ended(), String(decoding: output, as: UTF8.self))
  }
}
