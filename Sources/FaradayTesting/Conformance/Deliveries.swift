internal import FaradayCore

/// The ways that a body takes to the caller. They are `Connection`'s, and the same over every adapter; what differs is what reaches
/// it.
enum DeliveryKind: String, CaseIterable {
  case buffered, streamed
  case callback = "to a callback"

  var needs: Capabilities {
    switch self {
    case .buffered, .callback: []
    case .streamed: .streamedDownload
    }
  }

  /// The whole response, with the body in it, however that came.
  func get(
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
  /// For each delivery: what the server answers is no response, and harms nobody else.
  static func isMalformed(
    _ sentence: String, answering text: String, in deliveries: [DeliveryKind] = [.buffered],
    or others: TransportError.Code...
  ) -> [Case] {
    deliveries.map { delivery in
      Case(deliveries.count == 1 ? sentence : "\(sentence), \(delivery.rawValue)", needs: delivery.needs) { subject in
        try await subject.withServer(answering: text) { connection in
          try await expectFailure(in: [.malformedResponse] + others) { try await delivery.get(connection) }
        }
        try expectEqual(try await subject.connection.get("hello").status, .ok)
      }
    }
  }

  /// For each delivery: what the server answers is a response with this body.
  static func isFine(
    _ sentence: String, answering text: String, body: String = "hello", in deliveries: [DeliveryKind] = [.buffered],
    or others: TransportError.Code...
  ) -> [Case] {
    deliveries.map { delivery in
      Case(deliveries.count == 1 ? sentence : "\(sentence), \(delivery.rawValue)", needs: delivery.needs) { subject in
        try await subject.withServer(answering: text) { connection in
          do {
            try expectEqual(try await delivery.get(connection).body.text(), body)
          } catch let error as TransportError {
            try expect(others.contains(error.code), "\(error)")
          }
        }
      }
    }
  }
}
