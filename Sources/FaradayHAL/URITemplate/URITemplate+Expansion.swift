internal import FaradayCore

extension URITemplate {
  /// Expands the template with these values. A value without a variable is ignored, and a variable without a value expands to
  /// nothing.
  ///
  /// Throws ``URITemplateError`` for a prefix modifier (`{name:3}`) of an array or of pairs (RFC 6570, section 2.4.1).
  public func expand(_ values: [String: Value] = [:]) throws(URITemplateError) -> String {
    var uri = ""
    for part in parts {
      switch part {
      case .literal(let text): uri += text
      case .expression(let expression): uri += try expression.expand(values)
      }
    }
    return uri
  }
}

extension URITemplate.Expression {
  func expand(_ values: [String: URITemplate.Value]) throws(URITemplateError) -> String {
    var expanded: [String] = []
    for variable in variables {
      guard let value = values[variable.name], value.isDefined else { continue }
      expanded.append(try expand(variable, value))
    }
    return expanded.isEmpty ? "" : style.first + expanded.joined(separator: style.separator)
  }

  private func expand(_ variable: URITemplate.Variable, _ value: URITemplate.Value) throws(URITemplateError) -> String {
    switch (value, variable.modifier) {
    case (.string(let text), .prefix(let length)): return named(variable.name, style.encode(text, prefix: length))
    case (.string(let text), _): return named(variable.name, style.encode(text))
    case (_, .prefix):
      throw URITemplateError(reason: .prefixOfComposite(variable.name), expression: text, offset: offset)
    case (.list(let list), .explode):
      return list.map { named(variable.name, style.encode($0)) }.joined(separator: style.separator)
    case (.list(let list), _): return named(variable.name, list.map { style.encode($0) }.joined(separator: ","))
    case (.pairs(let pairs), .explode):
      // The caller chooses the names, so they are encoded like values.
      return pairs.map { pair in
        let name = style.encode(pair.name)
        let value = style.encode(pair.value)
        return style.isNamed ? named(name, value) : name + "=" + value
      }.joined(separator: style.separator)
    case (.pairs(let pairs), _):
      return named(
        variable.name, pairs.map { style.encode($0.name) + "," + style.encode($0.value) }.joined(separator: ","))
    }
  }

  private func named(_ name: String, _ value: String) -> String {
    guard style.isNamed else { return value }
    return name + (value.isEmpty ? style.ifEmpty : "=" + value)
  }
}

extension URITemplate.Style {
  func encode(_ text: String, prefix length: Int = .max) -> String {
    characters(of: text).prefix(length).joined()
  }

  /// Encodes each scalar. With reserved expansion, percent-encoded sequences are kept, and the sequences of one character count
  /// as one (RFC 6570, section 2.4.1).
  private func characters(of text: String) -> [String] {
    guard keepsReserved else { return text.unicodeScalars.map { QueryParameters.encode(String($0)) } }
    var characters: [String] = []
    var rest = Array(text.unicodeScalars)[...]
    var lastIsOctet = false
    while let scalar = rest.popFirst() {
      guard scalar == "%", rest.count >= 2, rest.prefix(2).allSatisfy(\.isHexDigit) else {
        characters.append(QueryParameters.encode(String(scalar), also: ":/?#[]@!$&'()*+,;="))
        lastIsOctet = false
        continue
      }
      let digits = rest.prefix(2).map { String($0) }.joined()
      rest = rest.dropFirst(2)
      let continuesCharacter = UInt8(digits, radix: 16).map { $0 & 0xC0 == 0x80 } ?? false
      if lastIsOctet, continuesCharacter, let last = characters.indices.last {
        characters[last] += "%" + digits
      } else {
        characters.append("%" + digits)
      }
      lastIsOctet = true
    }
    return characters
  }
}
