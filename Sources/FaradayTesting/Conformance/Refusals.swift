internal import FaradayCore

extension AdapterConformance {
  /// For each option and each other property of a request whose capability is missing: a request that has it throws, and nothing is
  /// sent. They come from the list of transport options.
  static func refusals(without capabilities: Capabilities) -> [Case] {
    TransportOption.all.filter { $0.isRequestable && !capabilities.contains($0.capability) }.map { option in
      let capability = option.capability.names[0]
      let name = option.name.map { "options.\($0)" } ?? capability
      return Case("\(name) is refused by name", group: "refusals", needsWire: false) { subject in
        let error = try await expectFailure(.unsupported) {
          var request = try Request(subject.server.url + "/hello")
          try option.ask(of: &request)
          return try await subject.adapter.send(request)
        }
        try expect(error.message.contains(capability), "the message does not name \(capability): \(error.message)")
        try expectEqual(error.phase, .building)
        try expectEqual(subject.server.requestCount, 0)
      }
    }
  }
}
