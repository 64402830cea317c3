/// Everything that a program shows of a value without looking at its properties.
package enum Shown {
  /// The output of interpolation, `String(reflecting:)`, `dump` and all mirrors.
  package static func all(_ value: Any) -> String {
    var dumped = ""
    dump(value, to: &dumped)
    return ["\(value)", String(reflecting: value), "\([value])", dumped, mirrored(value, depth: 8)].joined(separator: "\n")
  }

  private static func mirrored(_ value: Any, depth: Int) -> String {
    guard depth > 0 else { return "" }
    return Mirror(reflecting: value).children.map { "\($0.label ?? ""): \($0.value)\n" + mirrored($0.value, depth: depth - 1) }
      .joined()
  }
}
