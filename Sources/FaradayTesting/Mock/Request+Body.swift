internal import FaradayCore

extension Request {
  /// Reads the body like an adapter that sends it, and reports upload progress. Throws like a real adapter for a body that
  /// fails or has a wrong length.
  func readBody() async throws -> Data {
    var bytes = Data()
    let length = body.length
    do {
      for try await piece in body where !piece.isEmpty {
        bytes.append(piece)
        if let length, bytes.count > length { throw LengthMismatch(stated: length, actual: nil) }
        options.onUploadProgress?(TransferProgress(bytes: Int64(bytes.count), total: length))
      }
      if let length, bytes.count < length { throw LengthMismatch(stated: length, actual: Int64(bytes.count)) }
    } catch let error as CancellationError {
      throw error
    } catch {
      var failure = TransportError(.bodyUnreadable, building: self, "")
      failure.setBodyFailure(error)
      throw failure
    }
    return bytes
  }
}
