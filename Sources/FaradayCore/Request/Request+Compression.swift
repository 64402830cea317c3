internal import FaradayContentCoding
internal import HTTPTypes

/// A content coding for request bodies.
public enum BodyCompression: String, Sendable, Hashable, CaseIterable {
  /// gzip (RFC 1952).
  case gzip
  /// deflate, in the zlib format (RFC 1950).
  case deflate
}

extension Request {
  /// Compresses the body, and sets `Content-Encoding`:
  ///
  ///     try await connection.post("logs", body: try .file("app.log")) { try $0.compressBody() }
  ///
  /// Bytes up to 1 MiB are compressed at once. Larger bodies, files and streams are compressed while they are sent, in constant
  /// memory and with backpressure. They have no known length, so that HTTP/1.1 uses the chunked transfer coding, and each piece
  /// of a stream is sent at once. The body can be sent again if the original body can be; it is then compressed again. Upload
  /// progress counts compressed bytes.
  ///
  /// Nothing changes if the body is empty, or if the request has a `Content-Encoding`, `Content-Digest` or `Repr-Digest` (RFC
  /// 9530), because these fields describe the body as it is. The server must support the coding: many
  /// respond with 415 (RFC 7694). A signature must be made after the compression. A value that is not encoded yet throws
  /// ``TransportError/Code/invalidBody``: place the middleware `Compression` after the middleware that encodes the value.
  public mutating func compressBody(_ compression: BodyCompression = .gzip) throws {
    let described: [HTTPField.Name] = [.contentEncoding, .contentDigest, .reprDigest]
    guard body.length != 0, !described.contains(where: headers.contains) else { return }
    if let value = body.unencodedValue {
      throw TransportError(
        .invalidBody, building: self,
        "a value of type \(type(of: value)) cannot be compressed before it is encoded: use the middleware Compression")
    }
    if let type = body.contentType, headers[.contentType] == nil { headers[.contentType] = type }
    body = try body.compressed(compression == .gzip ? .gzip : .deflate)
    headers[.contentLength] = nil
    headers[.contentEncoding] = compression.rawValue
  }
}

extension Body {
  /// The maximum size of a body that is compressed at once.
  private static let smallSize = 1 << 20

  fileprivate func compressed(_ format: ContentEncoder.Format) throws -> Body {
    if let data, data.count <= Self.smallSize {
      let encoder = try ContentEncoder(format)
      var whole = Data()
      encoder.feed(data)
      while let piece = encoder.next() { whole += piece }
      encoder.finish()
      while let piece = encoder.next() { whole += piece }
      return .data(whole)
    }
    let isLive = data == nil && file == nil && !isFileRange
    return .reading(length: nil, isReplayable: isReplayable) {
      // Nil after its end, and after an error.
      var source: AsyncIterator? = makeAsyncIterator()
      var encoder: ContentEncoder?
      var count: Int64 = 0
      return {
        let open = try encoder ?? ContentEncoder(format)
        encoder = open
        while true {
          try Task.checkCancellation()
          if let piece = open.next() { return piece }
          guard source != nil else { return nil }
          do {
            if let piece = try await source?.next(isolation: #isolation) {
              count += Int64(piece.count)
              if let length, count > length { throw LengthMismatch(stated: length, actual: nil) }
              open.feed(piece, flushes: isLive)
            } else {
              source = nil
              if let length, count < length { throw LengthMismatch(stated: length, actual: count) }
              open.finish()
            }
          } catch {
            source = nil
            throw error
          }
        }
      }
    }
  }
}
