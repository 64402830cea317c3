extension Response {
  /// Reads the whole body into memory.
  ///
  ///     let image = try await connection.get("logo.png").data()
  ///
  /// ``Body/collect(upTo:)`` reads the body of a response with any status.
  ///
  /// - Parameters:
  ///   - accepted: the accepted statuses, 2xx by default. Any other status throws ``StatusError`` with the beginning of the
  ///     body.
  ///   - limit: the maximum number of bytes. By default ``Options/maximumBodySize`` of the request, which is 64 MiB by default.
  ///     A longer body throws ``BodyError`` with the reason `.tooLarge`.
  public func data(accepting accepted: StatusSet = .successful, upTo limit: Int? = nil) async throws -> Data {
    try await check(accepted)
    return try await body.collect(upTo: limit ?? facts?.maximumBodySize ?? Body.standardLimit)
  }

  /// Throws ``StatusError``, with the beginning of the body, if the set does not contain the status.
  package func check(_ accepted: StatusSet) async throws {
    guard !accepted.contains(status), self[IsAccepted.self] == nil else { return }
    throw try await StatusError(self).withBody()
  }

  /// The response with an accepted status, wherever it is read: a validator has accepted it, or an error has reported it.
  package func accepted() -> Response {
    guard status.kind != .successful else { return self }
    var response = self
    response[IsAccepted.self] = true
    return response
  }

  private enum IsAccepted: ResponseKey { typealias Value = Bool }

  /// The redacted URL for errors, without the query, which may contain secrets that only the request names.
  package var shownURL: String { String(secrets.redacting(url).prefix { $0 != "?" }).bounded() }
}
