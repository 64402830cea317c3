import FaradayTesting
import Foundation
import TestServers
import TestSupport
import Testing

/// Programs that must not compile fail with the expected error.
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
      service.server.post("x").tag("t").json([1]).promise { try await $0.load() }
        _ = service.server.put("x").header("a", "b").fields(["a": 1])
        _ = service.server.patch("x").query(["a": 1]).multipart("a", name: "b")
      """)
    #expect(right.status == 0, "\(right.output)")
  }

  @Test func `asynchronous calls and promises compile at the top level of a program`() async throws {
    let program = try await compile(
      """
      import Faraday
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
      connection.promise { try await $0.get("x") }.onSuccess { response in print(response.status) }
      connection.promise { try await $0.put("x", body: "y") { $0.headers[.accept] = "a" } }.onFailure { error in print(error) }
      let request = TypedRequest(.put, baseURL: "https://host", receiving: .text)
      connection.promise { try await $0.perform(request, onProgress: $1) }.progress { print($0.bytes) }
      resource.promise { try await $0.loadJSON() }.onSuccess { json in print(json?["name"]?.string ?? "") }
      """)
    #expect(program.status == 0 && !program.output.contains("warning: "), "\(program.output)")
  }

  /// Has the compiler look at a statement about a service.
  private func check(_ statement: String) async throws -> (status: Int32, output: String) {
    try await compile(
      """
      import Faraday

      func check(service: some WebService) {
        _ = \(statement)
      }

      """)
  }

  private func compile(_ program: String) async throws -> (status: Int32, output: String) {
    let source = try TemporaryFile(Data(program.utf8))
    let modules = try BuiltProduct.named("faraday").deletingLastPathComponent().appendingPathComponent("Modules").path
    // From standard input, as the file has no name that the compiler would know.
    let libraries = ["CZlib", "CLibraries"].flatMap { name in
      ["-I", URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../Modules/\(name)").standardized.path]
    }
    let command = "source=$1; shift; swiftc -typecheck -swift-version 6 \"$@\" - <\"$source\" 2>&1"
    let compiler = try ChildProcess("/bin/sh", ["-c", command, "sh", source.path, "-I", modules] + libraries)
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
