import Faraday
import FaradayTesting
import Synchronization

/// Runs the steps of the demonstration over one connection. A step throws if a byte is missing.
struct DemoClient {
  let connection: Connection
  let scale: Double

  /// Runs and measures all steps.
  func figures() async throws -> DemoFigures {
    let steps: [(name: String, title: String, run: (String) async throws -> DemoStep)] = [
      ("JSON round trip", "JSON, there and back", json),
      ("stream", "A stream, each chunk as it arrives", stream),
      ("download", "A download, chunk by chunk, kept nowhere", download),
      ("upload", "An upload from an async sequence", upload),
    ]
    var done: [DemoStep] = []
    for step in steps {
      Descriptor.output.say("\n" + step.title)
      do {
        done.append(try await step.run(step.name))
      } catch let error as TransportError where error.code == .unsupported {
        Descriptor.output.say("  " + error.message)
        done.append(DemoStep(name: step.name, isUnsupported: true))
      }
    }
    return DemoFigures(steps: done, peakMemory: PeakMemory.bytes)
  }

  /// Returns this number of MiB in bytes, scaled; at least one byte.
  private func scaled(_ mebibytes: Int64) -> Int64 {
    max(1, Int64(Double(mebibytes << 20) * scale))
  }

  private func json(_ name: String) async throws -> DemoStep {
    let start = ContinuousClock.now
    let sent = #"{"name":"Faraday","year":1791,"found":["induction","benzene"]}"#
    let response = try await connection.post("inspect", body: .text(sent)) { $0.headers[.contentType] = "application/json" }
    let answer = try await response.body.collect()
    let json = try JSONValue(data: answer)
    Descriptor.output.say(try json.text([.prettyPrinted, .sortedKeys]))
    let echoed = try JSONDecoder().decode(InspectAnswer.self, from: answer).bodyText
    try expect(echoed == sent, "the server did not receive the JSON that was sent")
    return DemoStep(name, Int64(sent.utf8.count + answer.count), since: start)
  }

  private func stream(_ name: String) async throws -> DemoStep {
    let (count, size, interval) = (10, 64, Int(200 * scale))
    let start = ContinuousClock.now
    let seen = Mutex<(bytes: Int, chunks: Int)>((0, 0))
    _ = try await connection.get("drip?count=\(count)&interval=\(interval)&size=\(size)") {
      $0.options.onChunk = { bytes in
        let now = ContinuousClock.now - start
        let chunk = bytes.withUnsafeBytes {
          DripChunk(String(decoding: $0, as: UTF8.self), at: Int64(Date.now.timeIntervalSince1970 * 1e9))
        }
        seen.withLock {
          $0.bytes += bytes.byteCount
          $0.chunks += chunk == nil ? 0 : 1
        }
        if let chunk { Descriptor.output.say("  \(chunk.text(after: now))") }
        return .continue
      }
    }
    let all = seen.withLock { $0 }
    try expect(
      all == (count * size, count),
      "received \(all.chunks) chunks with \(all.bytes) bytes, expected \(count) with \(count * size)")
    return DemoStep(name, Int64(all.bytes), since: start)
  }

  private func download(_ name: String) async throws -> DemoStep {
    let bytes = scaled(512)
    let start = ContinuousClock.now
    let got = Atomic<Int64>(0)
    let response = try await connection.get("bytes/\(bytes)") {
      $0.options.onChunk = { piece in
        got.wrappingAdd(Int64(piece.byteCount), ordering: .relaxed)
        return .continue
      }
    }
    let step = DemoStep(name, got.load(ordering: .relaxed), since: start)
    step.say()
    try expect(response.status == .ok, "the server returned status \(response.status.code)")
    try expect(step.bytes == bytes, "received \(step.bytes) bytes, expected \(bytes)")
    return step
  }

  private func upload(_ name: String) async throws -> DemoStep {
    let bytes = scaled(256)
    let start = ContinuousClock.now
    let body = Body.stream(Pieces(size: Int(bytes)), length: bytes, isReplayable: true)
    let response = try await connection.put("upload", body: body)
    let step = DemoStep(name, bytes, since: start)
    step.say()
    let answer = try JSONDecoder().decode(UploadAnswer.self, from: try await response.body.collect())
    try expect(answer.bytes == bytes, "the server received \(answer.bytes) bytes, expected \(bytes)")
    try expect(response.metrics.bytesSent == bytes, "sent \(response.metrics.bytesSent) bytes, expected \(bytes)")
    return step
  }

  private func expect(_ isTrue: Bool, _ otherwise: String) throws {
    if !isTrue { throw CommandFailure(1, otherwise) }
  }
}

/// The response of `/inspect`.
private struct InspectAnswer: Decodable {
  let bodyText: String
}

/// The response of `/upload`.
private struct UploadAnswer: Decodable {
  let bytes: Int64
}

extension DemoStep {
  fileprivate init(_ name: String, _ bytes: Int64, since start: ContinuousClock.Instant) {
    self.init(name: name, bytes: bytes, seconds: (ContinuousClock.now - start).inSeconds)
  }

  /// Prints the result in one line.
  fileprivate func say() {
    let rate = Figures.rate(seconds > 0 ? Double(bytes) / seconds : 0)
    Descriptor.output.say("  \(Figures.bytes(bytes)) in \(Figures.fixed(seconds, places: 3)) s, \(rate)")
  }
}

/// A chunk of `/drip`. It contains the time at which it was sent.
struct DripChunk: Equatable {
  let index: Int
  /// Nanoseconds between sending and receiving.
  let delay: Int64

  /// Parses `<index> <Unix time in nanoseconds>` and the line end.
  init?(_ text: String, at now: Int64) {
    let words = text.prefix { $0 != "\n" }.split(separator: " ")
    guard words.count >= 2, let index = Int(words[0]), let sent = Int64(words[1]) else { return nil }
    self.index = index
    delay = now - sent
  }

  func text(after passed: Duration) -> String {
    let time = Figures.fixed(passed.inSeconds, places: 3)
    return "chunk \(index) at \(time) s, \(Figures.fixed(Double(delay) / 1e6, places: 3)) ms after it was sent"
  }
}
