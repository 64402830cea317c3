internal import Synchronization

extension Response {
  /// The response with its whole body buffered in memory, for a middleware that needs it.
  ///
  /// Reads the body in the calling task, up to the request's ``Options/maximumBodySize``, unless it is in memory already.
  /// Throws ``TransportError/Code/bodyTooLarge``, and the errors of reading. The ``TransportError/partialResponse`` of a
  /// ``TransportError`` contains the bytes read so far.
  public func collected(for request: Request) async throws -> Response {
    try await collected(for: request, onProgress: nil)
  }

  private func collected(for request: Request, onProgress: ProgressHandler?) async throws -> Response {
    let limit = request.options.maximumBodySize
    guard body.length ?? 0 <= limit else { throw with(.empty).exceeding(limit, for: request) }
    let (response, isCut) = try await started(upTo: limit, onProgress: onProgress)
    guard !isCut else { throw response.exceeding(limit, for: request) }
    return response
  }

  /// The error for a body over the limit, with the part of the response that was read.
  private func exceeding(_ limit: Int, for request: Request) -> TransportError {
    TransportError(
      .bodyTooLarge, phase: .receiving, method: request.method, url: request.url, secrets: request.secrets,
      message: "the body is larger than the limit of \(limit) bytes", partialResponse: self)
  }

  /// The response with at most `limit` bytes of its body in memory, and whether there were more, which are dropped. Throws the
  /// errors of reading. The ``TransportError/partialResponse`` of a ``TransportError`` contains the bytes read so far.
  package func started(upTo limit: Int, onProgress: ProgressHandler? = nil) async throws -> (response: Response, isCut: Bool) {
    let limit = max(0, limit)
    if onProgress == nil, let data = body.data, data.count <= limit { return (self, false) }
    var start = Data()
    do {
      try await body.read(into: &start, upTo: limit) { count in
        onProgress?(TransferProgress(bytes: Int64(count), total: body.length))
      }
    } catch var error as TransportError {
      error.partialResponse = with(.data(start))
      throw error
    }
    return (with(.data(start.prefix(limit))), start.count > limit)
  }

  /// Whether the response already has the form that the request's options require: a small buffered response.
  func isDelivered(to request: Request) -> Bool {
    guard request.options.deliversWhole, request.method != .head, let count = body.data?.count else { return false }
    return count <= request.options.maximumBodySize
  }

  /// Delivers the response according to the request's options. Calls ``Options/onHead`` first. Then the body goes to
  /// ``Options/onChunk``, or is left to the caller as a stream that can be read once (``Delivery/streamed``), or is buffered.
  /// ``Options/onDownloadProgress`` is called after each piece in all three cases. The response to a HEAD has no body.
  func delivered(to request: Request) async throws -> Response {
    let options = request.options
    try options.onHead?(head)
    if request.method == .head {
      _ = try await body.prefix(upTo: 0)
      return with(.empty)
    }
    if let onChunk = options.onChunk {
      try await body.forEachChunk(options.onDownloadProgress.map { counting(onChunk, $0) } ?? onChunk)
      return with(.empty)
    }
    guard options.delivery == .streamed else { return try await collected(for: request, onProgress: options.onDownloadProgress) }
    guard options.onDownloadProgress != nil || !body.isStreamed else { return self }
    return with(singleReading(onProgress: options.onDownloadProgress))
  }

  /// A body that can be read once, and reports progress.
  private func singleReading(onProgress: ProgressHandler?) -> Body {
    let first = Once(body)
    return .reading(length: body.length) { [length = body.length] in
      guard let body = first.take() else { return { throw BodyAlreadyRead() } }
      var rest = body.makeAsyncIterator()
      var count: Int64 = 0
      return {
        try Task.checkCancellation()
        guard let piece = try await rest.next(isolation: #isolation) else { return nil }
        count += Int64(piece.count)
        onProgress?(TransferProgress(bytes: count, total: length))
        return piece
      }
    }
  }

  private func counting(_ onChunk: @escaping ChunkHandler, _ onProgress: @escaping ProgressHandler) -> ChunkHandler {
    let count = Mutex<Int64>(0)
    let total = body.length
    return { piece in
      let flow = try onChunk(piece)
      let bytes = count.withLock { count in
        count += Int64(piece.byteCount)
        return count
      }
      if flow == .continue { onProgress(TransferProgress(bytes: bytes, total: total)) }
      return flow
    }
  }

  private func with(_ body: Body) -> Response {
    var response = self
    response.body = body
    return response
  }
}
