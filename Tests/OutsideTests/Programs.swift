import Faraday
import FaradayCurl
import Foundation
import Synchronization

// Programs as their users write them, with the public interface alone. ProgramTests runs each against a server.

/// A client of a REST interface: its token is refreshed, its lists have pages, its errors have a type.
struct Articles: Sendable {
  struct Article: Codable, Equatable { let id: Int, title: String }
  /// The server's error body.
  struct Problem: Decodable, Equatable, Error { let code: String }

  private let api: Connection

  init(_ url: String, adapter: any Adapter, login: @escaping @Sendable () async throws -> String) throws {
    api = try Connection(
      url, adapter: adapter, middleware: [.retry(retries: 2), .statusValidation, .tokenRefresh { _ in try await login() }])
  }

  func all() async throws -> [Article] {
    try await typed {
      var articles: [Article] = []
      for try await page in api.pages("articles", query: ["per_page": 2]) { articles += try await page.decode([Article].self) }
      return articles
    }
  }

  func article(_ id: String) async throws -> Article {
    try await typed { try await api.get("articles/{id}", variables: ["id": id]).decode() }
  }

  private func typed<Value>(_ work: () async throws -> Value) async throws -> Value {
    do {
      return try await work()
    } catch let error as StatusError {
      guard let problem: Problem = try? await error.response.decode() else { throw error }
      throw problem
    }
  }
}

/// Downloads many files at once, each streamed into its file.
func download(_ names: [String], from connection: Connection, into folder: URL) async throws {
  try await withThrowingTaskGroup { group in
    for name in names {
      group.addTask {
        let response = try await connection.get(name) { $0.options.delivery = .streamed }
        let path = folder.appending(path: name.replacing("/", with: "-"))
        guard FileManager.default.createFile(atPath: path.path, contents: nil) else { throw CocoaError(.fileWriteUnknown) }
        let file = try FileHandle(forWritingTo: path)
        defer { try? file.close() }
        for try await piece in response.body { try file.write(contentsOf: piece) }
      }
    }
    try await group.waitForAll()
  }
}

/// Asks a model, and gives its words as they come.
func tokens(of prompt: String, from connection: Connection) -> AsyncThrowingStream<String, any Error> {
  struct Question: Encodable { let prompt: String, stream: Bool }
  struct Answer: Decodable { let token: String }
  return AsyncThrowingStream { continuation in
    let task = Task {
      do {
        let response = try await connection.post("complete", json: Question(prompt: prompt, stream: true)) {
          $0.options.delivery = .streamed
          $0.headers[.accept] = "text/event-stream"
        }
        for try await text in response.lines() {
          guard text.hasPrefix("data: "), text != "data: [DONE]" else { continue }
          continuation.yield(try JSONDecoder().decode(Answer.self, from: Data(text.dropFirst(6).utf8)).token)
        }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in task.cancel() }
  }
}

/// Uploads a file of any size beside a field of a form, over a connection with `.multipart`; tells how far it is.
func upload(_ path: String, titled title: String, to connection: Connection, progress: @escaping @Sendable (Double) -> Void)
  async throws -> Response
{
  var form = MultipartForm()
  form.append(name: "title", value: title)
  try form.append(name: "video", file: path, type: MediaType("video/mp4"))
  return try await connection.post("upload", body: .multipart(form)) {
    $0.options.onUploadProgress = { if let fraction = $0.fraction { progress(fraction) } }
  }
}

/// Requests many URLs, some at a time, and returns the status or the error of each.
func crawl(_ paths: [String], over connection: Connection, atOnce: Int) async -> [String: Result<Int, any Error>] {
  await withTaskGroup(of: (String, Result<Int, any Error>).self) { group in
    var results: [String: Result<Int, any Error>] = [:]
    for (index, path) in paths.enumerated() {
      if index >= atOnce, let (done, result) = await group.next() { results[done] = result }
      group.addTask { (path, await visit(path, over: connection)) }
    }
    for await (done, result) in group { results[done] = result }
    return results
  }
}

private func visit(_ path: String, over connection: Connection) async -> Result<Int, any Error> {
  do {
    return .success(try await connection.get(path, timeout: .seconds(30)).status.code)
  } catch {
    return .failure(error)
  }
}

/// A screen of an application: lives on the main actor and is called back there.
@MainActor final class Screen {
  private(set) var text = "…"
  private(set) var progress = 0.0

  func load(_ path: String, from connection: Connection) -> Promise<Response> {
    connection.promise.get(path)
      .onSuccess(on: .main) { self.text = "\($0.status.code)" }
      .onFailure(on: .main) { self.text = $0.localizedDescription }
  }

  func save(_ bytes: Data, to connection: Connection) -> Promise<Response> {
    connection.promise.put("upload", body: .data(bytes)).progress(on: .main) { self.progress = $0.fraction ?? 0 }
  }
}

/// A part of an application that gets its connection as an argument.
struct Weather: Sendable {
  struct Report: Decodable, Sendable { let degrees: Int }
  let connection: Connection

  func degrees(in city: String) async throws -> Int {
    try await connection.get("weather", query: ["city": city]).decode(Report.self).degrees
  }
}
