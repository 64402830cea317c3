internal import FaradayCore

/// Reads request bodies like an adapter that sends them.
extension MockAdapter {
  /// Reads the request's body, and reports upload progress. Throws like a real adapter for a body that fails or has a wrong
  /// length.
  func read(_ request: Request) async throws -> Data {
    var body = Data()
    let length = request.body.length
    do {
      for try await piece in request.body where !piece.isEmpty {
        body.append(piece)
        if let length, body.count > length { throw LengthMismatch(stated: length, actual: nil) }
        request.options.onUploadProgress?(TransferProgress(bytes: Int64(body.count), total: length))
      }
      if let length, body.count < length { throw LengthMismatch(stated: length, actual: Int64(body.count)) }
    } catch let error as CancellationError {
      throw error
    } catch {
      var failure = TransportError(.bodyUnreadable, building: request, "")
      failure.setBodyFailure(error)
      throw failure
    }
    return body
  }
}
