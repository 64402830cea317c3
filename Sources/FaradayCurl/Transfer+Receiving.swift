internal import CCurl
internal import FaradayCore

/// The body of a response, piece by piece, on the engine's thread. None of it may call libcurl but to set or to ask.
extension Transfer {
  /// Whether libcurl hands over what comes.
  enum Receiving {
    case flowing
    /// The stream has no room: the next piece is not taken.
    case full
    /// libcurl has been told to wait.
    case paused
  }

  /// So much of a body that the caller wants whole is handed over with its head, at once.
  static let smallResponse = 256 << 10

  /// A piece of the body. Returns how much was taken, or what libcurl is to do instead.
  func received(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard failure == nil, repetition == nil else { return faraday_write_error }
    let isDone = parser.framing.chunks == nil ? takeWhole(bytes) : takeChunks(bytes)
    guard let isDone else { return faraday_write_error }
    // libcurl keeps this piece, and the rest of what it has read, and hands them over again when the transfer is resumed.
    guard isDone else { return faraday_write_pause }
    attempt.takenAhead = 0
    if isRefused || isAnsweredEarly || isAnswered { engine?.touch(self) }
    return bytes.count
  }

  /// Takes all of a piece. Returns false if it cannot now, nil if the transfer is to end.
  private func takeWhole(_ bytes: UnsafeRawBufferPointer) -> Bool? {
    guard mayTake() else { return false }
    return take(bytes) ? true : nil
  }

  /// Takes the data out of a piece of a chunked body, chunk by chunk. Returns false if it has stopped on the way.
  private func takeChunks(_ bytes: UnsafeRawBufferPointer) -> Bool? {
    var offset = attempt.takenAhead
    while true {
      switch parser.framing.chunks?.next(in: bytes, at: &offset) ?? .dry {
      case .data(let count):
        guard mayTake() else {
          attempt.takenAhead = offset
          return false
        }
        parser.framing.chunks?.take(count)
        guard take(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])) else { return nil }
        offset += count
      case .trailer:
        do { try parser.takeTrailer() } catch { return stop(error.code, error.message) ? true : nil }
      case .dry:
        lastActivity = engine?.now ?? lastActivity
        return true
      case .end:
        // What is behind it answers nothing that was asked: this connection is not used again.
        if offset < bytes.count, let easy { _ = faraday_set_long(easy.pointer, CURLOPT_FORBID_REUSE, 1) }
        return true
      case .malformed(let problem):
        return stop(.malformedResponse, "the response is not chunked as it says: \(problem)") ? true : nil
      }
    }
  }

  /// Whether there is room for more, and time in this turn. If not, the transfer is paused.
  private func mayTake() -> Bool {
    if receiving == .full {
      receiving = .paused
      return false
    }
    if let engine, engine.isTurnOver(for: self) {
      receiving = .paused
      engine.postpone(self)
      return false
    }
    return true
  }

  /// Returns false if the transfer is to end.
  private func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    lastActivity = engine?.now ?? lastActivity
    received &+= Int64(bytes.count)
    sinceQuantum &+= bytes.count
    if let stream { return write(bytes, to: stream) }
    if received == bytes.count, let length = parser.length { small?.reserveCapacity(Int(clamping: length)) }
    small?.append(contentsOf: bytes)
    if received > Self.smallResponse { beginStream() }
    return true
  }

  /// The time that a callback takes is not the network's.
  func calledBack() {
    engine?.calledBack()
    lastActivity = engine?.now ?? lastActivity
  }

  /// Notes why the transfer must end. Returns false, which is what a callback then answers.
  func stop(_ code: TransportError.Code, _ message: String) -> Bool {
    failure = error(code, message)
    return false
  }
}
