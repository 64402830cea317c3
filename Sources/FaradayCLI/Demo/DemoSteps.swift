import Faraday
import Synchronization

/// Runs the steps of the demonstration over one connection. A step throws if a byte is missing.
struct DemoClient {
  let connection: Connection
  /// The width of the terminal; nil if the output is not a terminal.
  let columns: Int?
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

  /// This many MiB, scaled; at least one byte.
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
    try expect(json.contains(sent), "the server did not receive the JSON that was sent")
    return DemoStep(name, Int64(sent.utf8.count + answer.count), since: start)
  }

  private func stream(_ name: String) async throws -> DemoStep {
    let (count, size, interval) = (10, 64, Int(200 * scale))
    let start = ContinuousClock.now
    let seen = Mutex<(bytes: Int, chunks: Int)>((0, 0))
    _ = try await connection.get("drip?count=\(count)&interval=\(interval)&size=\(size)") {
      $0.options.onChunk = { bytes in
        let now = ContinuousClock.now - start
        let chunk = bytes.withUnsafeBytes { DripChunk(String(decoding: $0, as: UTF8.self), at: WallClock.nanoseconds) }
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
    let meter = ProgressMeter(on: .output, shown: columns != nil, columns: columns)
    let got = Atomic<Int64>(0)
    let response = try await connection.get("bytes/\(bytes)") {
      $0.options.onChunk = { piece in
        let sum = got.wrappingAdd(Int64(piece.byteCount), ordering: .relaxed).newValue
        meter.update(.download, sum, of: bytes)
        return .continue
      }
    }
    let step = DemoStep(name, got.load(ordering: .relaxed), since: start)
    meter.finish(orSay: step)
    try expect(response.status == .ok, "the server returned status \(response.status.code)")
    try expect(step.bytes == bytes, "received \(step.bytes) bytes, expected \(bytes)")
    return step
  }

  private func upload(_ name: String) async throws -> DemoStep {
    let bytes = scaled(256)
    let start = ContinuousClock.now
    let meter = ProgressMeter(on: .output, shown: columns != nil, columns: columns)
    let body = Body.stream(DemoPieces(bytes: bytes), length: bytes, isReplayable: true)
    let response = try await connection.put("upload", body: body) {
      $0.options.onUploadProgress = { meter.update(.upload, $0.bytes, of: $0.total) }
    }
    let step = DemoStep(name, bytes, since: start)
    meter.finish(orSay: step)
    let answer = try JSONDecoder().decode(UploadAnswer.self, from: try await response.body.collect())
    try expect(answer.bytes == bytes, "the server received \(answer.bytes) bytes, expected \(bytes)")
    try expect(response.metrics.bytesSent == bytes, "sent \(response.metrics.bytesSent) bytes, expected \(bytes)")
    return step
  }

  private func expect(_ isTrue: Bool, _ otherwise: String) throws {
    if !isTrue { throw CommandFailure(1, otherwise) }
  }
}

/// The response of `/upload`.
private struct UploadAnswer: Decodable {
  let bytes: Int64
}

extension DemoStep {
  fileprivate init(_ name: String, _ bytes: Int64, since start: ContinuousClock.Instant) {
    self.init(name: name, bytes: bytes, seconds: (ContinuousClock.now - start).inSeconds)
  }
}

extension ProgressMeter {
  /// Ends the progress bar, or prints in one line what it would have shown.
  fileprivate func finish(orSay step: DemoStep) {
    finish()
    guard !isShown else { return }
    let rate = Figures.rate(step.seconds > 0 ? Double(step.bytes) / step.seconds : 0)
    Descriptor.output.say("  \(Figures.bytes(step.bytes)) in \(Figures.fixed(step.seconds, places: 3)) s, \(rate)")
  }
}
