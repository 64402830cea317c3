import Faraday

extension Target {
  /// A media type that was read and written stays what it is, on one line; so do the types of an `Accept`.
  static let media = Target("media") { input in
    if let type = MediaType(input.text) {
      let text = type.description
      expect(
        !text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }, "a control character in \(text.debugDescription)")
      expect(HTTPField.Name(type.type) != nil && HTTPField.Name(type.subtype) != nil, "no tokens: \(text)")
      guard let again = MediaType(text) else { fatalError("what was written cannot be read: \(text.debugDescription)") }
      expectEqual(again, type, "what was written and read again")
      expectEqual(again.description, text, "what was written again")
      expectEqual(again.isJSON, type.isJSON, "whether it is JSON")
      expectEqual(again.parameters.map(\.name), type.parameters.map(\.name), "the names of parameters")
      expectEqual(again.parameters.map(\.value), type.parameters.map { onOneLine($0.value) }, "their values")
    }
    var fields = HTTPFields()
    fields[fields: .accept] = [HTTPField(name: .accept, lenientValue: input.bytes)]
    fields.accepted = fields.accepted
    let accepted = fields.accepted
    fields.accepted = accepted
    expectEqual(fields.accepted, accepted, "what is accepted")
    fields.accept("text/x-mine")
    expectEqual(fields.accepted, accepted + (accepted.contains("text/x-mine") ? [] : ["text/x-mine"]), "with one more")
  }
}

/// Every control character is a space.
private func onOneLine(_ value: String) -> String {
  String(String.UnicodeScalarView(value.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
}
