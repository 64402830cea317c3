import Foundation
import Measuring
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The same work with a bare URLSession.
struct URLSessionModes {
  let arguments: Arguments
  let session: URLSession
  let url: URL

  static func run(_ arguments: Arguments) async throws {
    guard let url = URL(string: arguments.url) else { throw Arguments.Wrong("not a URL: \(arguments.url)") }
    // On Linux it trusts the system's certificates only.
    guard arguments.certificate.isEmpty else { throw Arguments.Wrong("URLSession has no --certificate") }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = max(600, arguments.concurrency)
    configuration.timeoutIntervalForRequest = 600
    let modes = URLSessionModes(arguments: arguments, session: URLSession(configuration: configuration), url: url)
    try await report(arguments, by: "urlsession") { try await modes.work() }
    modes.session.invalidateAndCancel()
  }

  private func work() async throws -> Outcome {
    switch arguments.mode {
    case "get": try await many(arguments) { try await get() }
    case "download": try await many(arguments) { try await download() }
    case "file": try await many(arguments) { try await file() }
    case "upload-file": try await many(arguments) { try await uploadFile() }
    case "json": try await many(arguments) { try await json() }
    default: throw Arguments.Wrong("URLSession has no mode \(arguments.mode)")
    }
  }

  private func check(_ response: URLResponse?) throws {
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    guard status == 200 else { throw Arguments.Wrong("the server answered \(status)") }
  }

  private func get() async throws -> Int {
    let (data, response) = try await session.data(from: url)
    try check(response)
    return data.count
  }

  /// Its callbacks are a delegate's, of a session of its own.
  private func download() async throws -> Int {
    let counter = DataCounter()
    let session = URLSession(configuration: session.configuration, delegate: counter, delegateQueue: nil)
    defer { session.finishTasksAndInvalidate() }
    let response = try await withCheckedThrowingContinuation { continuation in
      counter.continuation.withLock { $0 = continuation }
      session.dataTask(with: url).resume()
    }
    try check(response)
    return counter.sum.bytes
  }

  private func file() async throws -> Int {
    let (place, response) = try await session.download(from: url)
    try check(response)
    let target = URL(fileURLWithPath: arguments.file + "." + UUID().uuidString)
    try FileManager.default.moveItem(at: place, to: target)
    return (try FileManager.default.attributesOfItem(atPath: target.path)[.size] as? Int) ?? 0
  }

  private func uploadFile() async throws -> Int {
    var request = URLRequest(url: url)
    request.httpMethod = "PUT"
    let file = URL(fileURLWithPath: arguments.file)
    let (_, response) = try await session.upload(for: request, fromFile: file)
    try check(response)
    return (try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int) ?? 0
  }

  private func json() async throws -> Int {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue("application/json", forHTTPHeaderField: "Accept")
    request.httpBody = try JSONEncoder().encode(Order.example)
    let (data, response) = try await session.data(for: request)
    try check(response)
    _ = try JSONDecoder().decode(Order.self, from: data)
    return data.count
  }
}

private final class DataCounter: NSObject, URLSessionDataDelegate, Sendable {
  let sum = Sum()
  let continuation = Mutex<CheckedContinuation<URLResponse?, any Error>?>(nil)

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    sum.add(data.count, first: data.first ?? 0)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let waiting = continuation.withLock { $0.take() }
    if let error { waiting?.resume(throwing: error) } else { waiting?.resume(returning: task.response) }
  }
}
