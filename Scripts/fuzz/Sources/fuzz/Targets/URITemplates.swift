import Faraday
import FaradayHAL

extension Target {
  /// What a URI template (RFC 6570) makes is all characters of URIs, with the values encoded in their places.
  ///
  /// The first line is the template, the others are values.
  static let uris = Target("uris") { input in
    let lines = input.lines
    let (one, other) = (lines.text(1), lines.text(2))
    for (template, before, ifEmpty) in single {
      let expected = one.isEmpty ? ifEmpty : before + percentEncoded(one)
      expectEqual(try? template.expand(["a": .string(one)]), expected, template.text)
    }
    let text = lines.text(0)
    do throws(URITemplateError) {
      let template = try URITemplate(text)
      expectEqual(template.text, text, "the text")
      expectEqual(Set(template.variables).count, template.variables.count, "how many variables")
      expectEqual(try template.expand(), literals(text), "what is left without values of \(text)")
      for pairs in [[], [URITemplate.Pair(one, other), URITemplate.Pair("", "")]] {
        let values: [String: URITemplate.Value] = ["a": .string(one), "b": .list([one, other]), "c": .pairs(pairs)]
        check(try template.expand(values), of: text)
      }
    } catch {
      expect(text.unicodeScalars.count >= error.offset, "the offset \(error.offset)")
      expect(text.utf8.count >= error.expression.utf8.count, "the expression")
      expect(!error.description.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a control character is shown")
    }
  }

  /// Templates of one place, what stands there before a value, and what instead of an empty one.
  private static let single: [(template: URITemplate, before: String, ifEmpty: String)] = [
    ("{a}", "", ""), ("{.a}", ".", "."), ("{/a}", "/", "/"), ("{;a}", ";a=", ";a"), ("{?a}", "?a=", "?a="),
    ("{&a*}", "&a=", "&a="),
    ("/x{a:9999}", "/x", "/x"),
  ].compactMap { single in (try? URITemplate(single.0)).map { ($0, single.1, single.2) } }

  private static func check(_ uri: String, of template: String) {
    let bytes = Array(uri.utf8)
    for (index, byte) in bytes.enumerated() {
      expect(allowed.contains(byte), "\(template) makes \(uri), which is no URI")
      guard byte == UInt8(ascii: "%") else { continue }
      let digits = bytes[(index + 1)...].prefix(2)
      expect(digits.count == 2 && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }, "\(template) makes \(uri)")
    }
  }

  private static let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/?#[]@!$&'()*+,;=%".utf8)

  /// The template without its expressions, encoded.
  private static func literals(_ text: String) -> String {
    var isOutside = true
    let bytes = text.utf8.flatMap { byte -> [UInt8] in
      if byte == UInt8(ascii: "{") { isOutside = false }
      defer { if byte == UInt8(ascii: "}") { isOutside = true } }
      guard isOutside else { return [] }
      return byte < 0x80 ? [byte] : percentEncoded(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
