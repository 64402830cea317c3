internal import CCurl
internal import FaradayCore
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What libcurl hands over, on the engine's thread. None of it may call libcurl.
extension Transfer {
  enum HeadState { case expected, fields, complete }

  static let maximumHeadSize = 1 << 20
  /// How much a stream that cannot be paused may be ahead of its reader.
  static let maximumUnpausedSize = 64 << 20

  // MARK: head

  /// One line of a head, or of trailers. Returns false to end the transfer.
  func receivedHeader(_ line: UnsafeRawBufferPointer) -> Bool {
    take(line) || !endsByError()
  }

  private func take(_ line: UnsafeRawBufferPointer) -> Bool {
    guard failure == nil else { return false }
    lastActivity = engine?.now ?? lastActivity
    headSize += line.count
    guard headSize <= Self.maximumHeadSize else {
      return stop(.headTooLarge, "the response's head is larger than \(Self.maximumHeadSize) bytes")
    }
    headLines += 1
    guard headLines <= ResponseLimits.lines else { return stop(.headTooLarge, ResponseLimits.tooManyLines) }
    // After a complete head a line that looks like another is a trailer, unless libcurl is asking again.
    if headState == .expected || isAskedAgain, line.starts(with: "HTTP/".utf8) { return startHead(line) }
    guard headState == .fields else {
      trailers.append(contentsOf: line)
      return true
    }
    guard line.first != 0x0D && line.first != 0x0A else { return endHead() }
    head.append(line)
    return note(line)
  }

  private func startHead(_ line: UnsafeRawBufferPointer) -> Bool {
    head.removeAll()
    head.append(line)
    headState = .fields
    contentLength = nil
    isDecoded = false
    isTransferCoded = false
    isAskedAgain = false
    closesConnection = line.starts(with: "HTTP/1.0".utf8)
    isHTTP2 = line.starts(with: "HTTP/2".utf8)
    status = line.drop { $0 != 0x20 }.dropFirst().prefix { (0x30...0x39).contains($0) }
      .prefix(3).reduce(0) { $0 * 10 + Int($1 - 0x30) }
    return true
  }

  /// Looks for the few fields that the transfer itself depends on.
  private func note(_ line: UnsafeRawBufferPointer) -> Bool {
    guard let first = line.first, first | 0x20 == UInt8(ascii: "c") || first | 0x20 == UInt8(ascii: "t") else { return true }
    if let value = value(of: "content-length", in: line) {
      // A message with two lengths has been tampered with on the way, or will be (RFC 9112, section 6.3).
      guard let length = Int64(Self.text(Self.word(value))), length >= 0, contentLength.map({ $0 == length }) ?? true else {
        return stop(.malformedResponse, "the response has more than one Content-Length, or none that is a number")
      }
      contentLength = length
    } else if let value = value(of: "content-encoding", in: line) {
      if decompression != nil && !Self.matches(Self.word(value), "identity") { isDecoded = true }
    } else if let value = value(of: "transfer-encoding", in: line) {
      noteTransferCodings(Self.text(value))
    } else if let value = value(of: "connection", in: line) {
      closesConnection = Self.matches(Self.word(value), "close")
    }
    return true
  }

  /// libcurl takes off whatever it knows, asked or not.
  private func noteTransferCodings(_ value: String) {
    let codings = value.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
    guard !codings.allSatisfy({ $0 == "chunked" || $0 == "identity" }) else { return }
    isTransferCoded = true
    if decompression != nil { isDecoded = true }
  }

  /// A field's value, if the line is that field.
  private func value(of name: StaticString, in line: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer>? {
    let length = name.utf8CodeUnitCount
    guard line.count > length, line[length] == UInt8(ascii: ":"), Self.matches(line[..<length], name) else { return nil }
    return line[(length + 1)...].drop { $0 == 0x20 || $0 == 0x09 }.prefix { $0 != 0x0D && $0 != 0x0A }
  }

  private static func word(_ value: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
    value.prefix { $0 != 0x20 && $0 != 0x09 }
  }

  /// Whether it is that, written in lower case, in either case.
  private static func matches(_ bytes: Slice<UnsafeRawBufferPointer>, _ text: StaticString) -> Bool {
    guard bytes.count == text.utf8CodeUnitCount else { return false }
    for index in 0..<bytes.count where bytes[bytes.startIndex + index] | 0x20 != text.utf8Start[index] { return false }
    return true
  }

  private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String { String(decoding: bytes, as: UTF8.self) }

  private func endHead() -> Bool {
    let isFinal = !(100..<200).contains(status) || status == 101
    headState = isFinal ? .complete : .expected
    guard isFinal else {
      request.options.onInformational?(head.parsed().response)
      return true
    }
    if isHTTP2, let origin { engine?.multiplexes(origin) }
    // libcurl asks again after a 417 by itself, and then it was not this head that counts. If it does not, the head is
    // delivered with the first piece of the body, or at the end.
    isAskedAgain = status == 417 && request.headers.contains(.expect)
    if isAskedAgain { refusedExpectations += 1 } else if !deliverHead() { return false }
    reportUpload()
    if isRefused { engine?.touch(self) }
    return true
  }

  /// The server has answered without waiting for the body, whose source has nothing just now. Before 8.9 libcurl does not end
  /// while the upload is paused.
  var isRefused: Bool { isSendPaused && hasEarlyAnswer }

  /// The response, which has begun, is the end of the upload: libcurl does not send what is left of it once it is complete.
  var hasEarlyAnswer: Bool { headState == .complete && (status >= 300 || closesConnection) }

  /// The response says that the body is not wanted.
  var isTurnedDown: Bool { headState == .complete && status >= 300 }

  /// Gives the head to whoever waits for it. Returns false to end the transfer.
  func deliverHead() -> Bool {
    guard !isHeadDelivered else { return true }
    isHeadDelivered = true
    isAskedAgain = false
    if let onHead = request.options.onHead {
      defer { calledBack() }
      do {
        try onHead(head.parsed().response)
      } catch {
        failure = error
        return false
      }
    }
    if stream != nil {
      isHeadDue = true
      engine?.touch(self)
    }
    return true
  }

  // MARK: body

  /// A piece of the body. Returns how much was taken, or what libcurl is to do instead.
  func received(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard failure == nil else { return endsByError() ? faraday_write_error : bytes.count }
    if let stream, stream.isFull, !isResuming, mayPause {
      // libcurl keeps this piece, and the rest of what it has read, until the transfer is resumed.
      stream.pause()
      isReceivePaused = true
      engine?.touch(self)
      return faraday_write_pause
    }
    if onChunk != nil || isSentFromEngine, let engine, engine.isTurnOver, !isResuming, mayPause {
      isReceivePaused = true
      engine.postpone(self)
      return faraday_write_pause
    }
    lastActivity = engine?.now ?? lastActivity
    received &+= Int64(bytes.count)
    guard isWithinLimits(), isHeadDelivered || deliverHead(), deliver(bytes) else {
      return endsByError() ? faraday_write_error : bytes.count
    }
    if isRefused { engine?.touch(self) }
    if let onDownloadProgress {
      onDownloadProgress(TransferProgress(bytes: received, total: isDecoded ? nil : contentLength))
      calledBack()
    }
    return bytes.count
  }

  /// The time that a callback takes is not the network's.
  func calledBack() {
    engine?.calledBack()
    lastActivity = engine?.now ?? lastActivity
  }

  /// Before 8.4 a paused HTTP/2 stream may lose its end, and is buffered by libcurl without bound.
  private var mayPause: Bool { !isHTTP2 || Library.Behaviour.hasSafeHTTP2 }

  private func deliver(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if let stream { return gather(bytes, for: stream) }
    if let onChunk { return call(onChunk, bytes) }
    if whole.isEmpty, let contentLength, !isDecoded {
      whole.reserveCapacity(Int(min(contentLength, Int64(request.options.maximumBodySize), Self.trustedLength)))
    }
    whole.append(contentsOf: bytes)
    return true
  }

  private func call(_ onChunk: ChunkHandler, _ bytes: UnsafeRawBufferPointer) -> Bool {
    defer { calledBack() }
    do {
      if try onChunk(bytes.bytes) == .continue { return true }
      failure = CancellationError()
    } catch {
      failure = error
    }
    return false
  }

  /// How much memory a server can make us reserve by announcing a length.
  private static let trustedLength: Int64 = 16 << 20

  private func isWithinLimits() -> Bool {
    if isTransferCoded && decompression == nil {
      return stop(.malformedResponse, "the response's Transfer-Encoding has a coding that was not asked for")
    }
    if let decompression, isDecoded, let easy {
      // Of a chunked body libcurl counts what it has read only when it has handed all of it over: it may be a buffer behind.
      let read = easy.get(offset: CURLINFO_SIZE_DOWNLOAD_T) + Int64(receiveBufferSize)
      if let problem = decompression.problem(decoded: received, received: read) { return stop(.decompressionLimit, problem) }
    }
    if let stream {
      guard stream.unread > Self.maximumUnpausedSize else { return true }
      let size = Self.maximumUnpausedSize
      return stop(.bodyTooLarge, "the reader is \(size) bytes behind an HTTP/2 stream that this libcurl cannot pause")
    }
    guard onChunk == nil, received > Int64(request.options.maximumBodySize) else { return true }
    return stop(.bodyTooLarge, "the body is larger than the limit of \(request.options.maximumBodySize) bytes")
  }

  // MARK: ends

  /// Something has failed: whether libcurl ends the transfer when it is told so. An HTTP/2 stream that ends that way leaves the
  /// server waiting on a connection that is kept, until the next request on it; the engine ends it, after this turn.
  private func endsByError() -> Bool {
    engine?.touch(self)
    return !isHTTP2
  }

  /// Notes why the transfer must end. Returns false, which is what a callback then answers.
  func stop(_ code: TransportError.Code, _ message: String) -> Bool {
    failure = error(code, message)
    return false
  }
}
