package import FaradayCore

/// The ways in which a body is delivered: buffered, streamed, or to a callback. `Connection` implements them over every adapter.
package enum DeliveryKind: String, CaseIterable {
  case buffered, streamed
  case callback = "to a callback"

  package var needs: Capabilities {
    switch self {
    case .buffered, .callback: []
    case .streamed: .streamedDownload
    }
  }

  /// Sends the request and returns the response with its whole body, however it was delivered.
  package func get(
    _ connection: Connection, _ path: String = "", edit: (inout Request) -> Void = { _ in }
  ) async throws -> Response {
    let seen = Log<[UInt8]>()
    var response = try await connection.get(path) { request in
      edit(&request)
      switch self {
      case .buffered: break
      case .streamed: request.options.delivery = .streamed
      case .callback:
        request.options.onChunk = { bytes in
          seen.append(bytes.withUnsafeBytes { Array($0) })
          return .continue
        }
      }
    }
    let body = try await response.body.collect(upTo: .max)
    response.body = .data(self == .callback ? Data(seen.elements.joined()) : body)
    return response
  }
}

extension ConformanceGroup {
  /// Cases for each delivery: the response is an error, and the next request works.
  static func isMalformed(
    _ sentence: String, answering text: String, in deliveries: [DeliveryKind] = [.buffered],
    or others: TransportError.Code...
  ) -> [Case] {
    deliveries.map { delivery in
      Case(
        "rejected: " + (deliveries.count == 1 ? sentence : "\(sentence), \(delivery.rawValue)"), needs: delivery.needs
      ) { subject in
        try await subject.withServer(answering: text) { connection in
          try await expectFailure(in: [.malformedResponse] + others) { try await delivery.get(connection) }
        }
        try expectEqual(try await subject.connection.get("hello").status, .ok)
      }
    }
  }

  /// Cases for each delivery: the response is accepted and has this body.
  static func isFine(
    _ sentence: String, answering text: String, body: String = "hello", in deliveries: [DeliveryKind] = [.buffered],
    or others: TransportError.Code...
  ) -> [Case] {
    deliveries.map { delivery in
      Case(deliveries.count == 1 ? sentence : "\(sentence), \(delivery.rawValue)", needs: delivery.needs) { subject in
        try await subject.withServer(answering: text) { connection in
          do {
            try expectEqual(try await delivery.get(connection).body.utf8Text(), body)
          } catch let error as TransportError {
            try expect(others.contains(error.code), "\(error)")
          }
        }
      }
    }
  }
}
